#pragma once

#include <cstdint>
#include <string>

#include "arena/protocol/v1/bot.pb.h"

// A card is suit * 13 + rank, suits in the order clubs, diamonds, hearts, spades, ranks from the
// ace.
using Card = int;

// A set of cards has one bit for each of them.
using Cards = std::uint64_t;

// Returns one of the request's legal actions: take what makes a meld, drop the highest deadwood,
// knock as soon as possible.
std::string Choose(const arena::v1::DecisionRequest& request);

// Returns whether some set or run can be made of the offered card and the own ones.
bool MakesMeld(Cards own, Card offered);

// Returns the least deadwood points over all ways to meld the cards.
int Deadwood(Cards cards);

// Returns the card of a name such as "7D".
Card CardNamed(const std::string& name);
