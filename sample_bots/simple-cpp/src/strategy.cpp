#include "strategy.h"

#include <algorithm>
#include <bit>
#include <string_view>
#include <tuple>
#include <vector>

namespace {

using arena::v1::DecisionRequest;

constexpr std::string_view kRanks = "A23456789TJQK";
constexpr std::string_view kSuits = "CDHS";

// The four aces; shifted by a rank, that rank's cards.
constexpr Cards kOneRank = Cards{1} | Cards{1} << 13 | Cards{1} << 26 | Cards{1} << 39;

int Rank(Card card) { return card % 13; }
int Suit(Card card) { return card / 13; }
int Points(Card card) { return std::min(Rank(card) + 1, 10); }
Cards Bit(Card card) { return Cards{1} << card; }

bool Contains(const std::vector<std::string>& actions, std::string_view action) {
  return std::find(actions.begin(), actions.end(), action) != actions.end();
}

// Returns the card of "discard 7D" or "knock 7D".
Card DiscardOf(const std::string& action) { return CardNamed(action.substr(action.find(' ') + 1)); }

// Returns the discard or knock that leaves the least deadwood. Of those that leave equally little
// it takes the card worth most points, then of the highest rank, then of the highest suit.
std::string LeastDeadwood(Cards hand, const std::vector<std::string>& actions) {
  auto order = [hand](const std::string& action) {
    const Card card = DiscardOf(action);
    return std::tuple(Deadwood(hand & ~Bit(card)), -Points(card), -Rank(card), -Suit(card));
  };
  return *std::min_element(actions.begin(), actions.end(), [&](const auto& one, const auto& other) {
    return order(one) < order(other);
  });
}

}  // namespace

std::string Choose(const DecisionRequest& request) {
  const std::vector<std::string> legal(request.legal_actions().begin(),
                                       request.legal_actions().end());
  Cards own = 0;
  for (const std::string& name : request.cards()) own |= Bit(CardNamed(name));

  const auto phase = request.phase();
  if (phase == arena::v1::PHASE_DISCARD || phase == arena::v1::PHASE_WALL_KNOCK) {
    if (Contains(legal, "big gin")) return "big gin";
    std::vector<std::string> knocks;
    std::copy_if(legal.begin(), legal.end(), std::back_inserter(knocks),
                 [](const std::string& action) { return action.starts_with("knock"); });
    return LeastDeadwood(own, knocks.empty() ? legal : knocks);
  }
  if (legal.size() == 1) return legal.front();
  const Card top = CardNamed(*request.discard_pile().rbegin());
  // At the wall the last discard may be taken only to knock, so taking it ends the hand.
  if (phase == arena::v1::PHASE_WALL || MakesMeld(own, top)) return "draw discard";
  return Contains(legal, "draw stock") ? "draw stock" : "pass";
}

bool MakesMeld(Cards own, Card offered) {
  const Cards held = own | Bit(offered);
  if (std::popcount(held & kOneRank << Rank(offered)) >= 3) return true;
  const Cards of_suit = held >> (13 * Suit(offered)) & 0x1fff;
  const Cards lowest = of_suit & of_suit >> 1 & of_suit >> 2;
  const Cards in_runs = lowest | lowest << 1 | lowest << 2;
  return (in_runs & Bit(Rank(offered))) != 0;
}

// The lowest card is unmatched, or the start of a run, or in a set: each is tried with what is
// left.
int Deadwood(Cards cards) {
  if (cards == 0) return 0;
  const Card lowest = std::countr_zero(cards);
  int best = Points(lowest) + Deadwood(cards & ~Bit(lowest));
  Cards run = 0;
  for (Card card = lowest; Suit(card) == Suit(lowest) && (cards & Bit(card)); ++card) {
    run |= Bit(card);
    if (card - lowest >= 2) best = std::min(best, Deadwood(cards & ~run));
  }
  const Cards set = cards & kOneRank << Rank(lowest);
  if (std::popcount(set) >= 3) best = std::min(best, Deadwood(cards & ~set));
  if (std::popcount(set) == 4) {
    for (Card left = lowest + 13; left < 52; left += 13) {
      best = std::min(best, Deadwood((cards & ~set) | Bit(left)));
    }
  }
  return best;
}

Card CardNamed(const std::string& name) {
  return static_cast<Card>(kSuits.find(name.at(1)) * 13 + kRanks.find(name.at(0)));
}
