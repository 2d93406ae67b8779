//! The simple policy: take what makes a meld, drop the highest deadwood, knock as soon as possible.

use std::cmp::Reverse;

use crate::arena::{DecisionRequest, Phase};

const RANKS: &str = "A23456789TJQK";
const SUITS: &str = "CDHS";

/// A card is suit * 13 + rank, with suits and ranks in the order of the strings above.
type Card = usize;

/// A set of cards has one bit for each of them.
type Cards = u64;

/// The four aces; shifted by a rank, that rank's cards.
const ONE_RANK: Cards = 1 | 1 << 13 | 1 << 26 | 1 << 39;

/// Returns one of the request's legal actions.
pub fn choose(request: &DecisionRequest) -> &str {
    let legal = &request.legal_actions;
    let own = cards_named(&request.cards);
    if matches!(request.phase(), Phase::Discard | Phase::WallKnock) {
        if let Some(big_gin) = find(legal, "big gin") {
            return big_gin;
        }
        let knocks = legal.iter().filter(|action| action.starts_with("knock"));
        return least_deadwood(own, knocks).unwrap_or_else(|| {
            least_deadwood(own, legal.iter()).expect("some card can be discarded")
        });
    }
    if let [only] = legal.as_slice() {
        return only;
    }
    let top = card_named(request.discard_pile.last().expect("a card is offered"));
    // At the wall the last discard may be taken only to knock, so taking it ends the hand.
    if request.phase() == Phase::Wall || makes_meld(own, top) {
        return "draw discard";
    }
    find(legal, "draw stock").unwrap_or("pass")
}

fn find<'a>(legal: &'a [String], action: &str) -> Option<&'a str> {
    legal.iter().map(String::as_str).find(|&a| a == action)
}

/// Tells whether some set or run can be made of the offered card and the own ones.
fn makes_meld(own: Cards, offered: Card) -> bool {
    let held = own | 1 << offered;
    if (held & ONE_RANK << rank(offered)).count_ones() >= 3 {
        return true;
    }
    let of_suit = held >> (13 * suit(offered)) & 0x1fff;
    let lowest = of_suit & of_suit >> 1 & of_suit >> 2;
    let in_runs = lowest | lowest << 1 | lowest << 2;
    in_runs >> rank(offered) & 1 == 1
}

/// Returns the discard or knock that leaves the least deadwood. Of those that leave equally little
/// it takes the card worth most points, then of the highest rank, then of the highest suit.
fn least_deadwood<'a>(hand: Cards, actions: impl Iterator<Item = &'a String>) -> Option<&'a str> {
    let order = |action: &&String| {
        let card = card_named(action.split(' ').next_back().expect("a card is named"));
        let left = deadwood(hand & !(1 << card));
        (left, Reverse((points(card), rank(card), suit(card))))
    };
    actions.min_by_key(order).map(String::as_str)
}

/// Returns the least deadwood points over all ways to meld the cards. The lowest card is unmatched,
/// or the start of a run, or in a set: each is tried with what is left.
fn deadwood(cards: Cards) -> u32 {
    if cards == 0 {
        return 0;
    }
    let lowest = cards.trailing_zeros() as Card;
    let mut best = points(lowest) + deadwood(cards & !(1 << lowest));
    let mut run = 0;
    for card in lowest..13 * (suit(lowest) + 1) {
        if cards >> card & 1 == 0 {
            break;
        }
        run |= 1 << card;
        if card - lowest >= 2 {
            best = best.min(deadwood(cards & !run));
        }
    }
    let set = cards & ONE_RANK << rank(lowest);
    if set.count_ones() >= 3 {
        best = best.min(deadwood(cards & !set));
    }
    if set.count_ones() == 4 {
        for left in (lowest + 13..52).step_by(13) {
            best = best.min(deadwood(cards & !set | 1 << left));
        }
    }
    best
}

fn card_named(name: &str) -> Card {
    let place = |letters: &str, at: usize| {
        let letter = name.chars().nth(at).expect("a card has two letters");
        letters.find(letter).expect("a card's letter is known")
    };
    place(SUITS, 1) * 13 + place(RANKS, 0)
}

fn cards_named<S: AsRef<str>>(names: &[S]) -> Cards {
    names
        .iter()
        .fold(0, |cards, name| cards | 1 << card_named(name.as_ref()))
}

fn rank(card: Card) -> usize {
    card % 13
}

fn suit(card: Card) -> usize {
    card / 13
}

fn points(card: Card) -> u32 {
    (rank(card) as u32 + 1).min(10)
}

#[cfg(test)]
mod tests {
    use prost_reflect::{DescriptorPool, DynamicMessage};

    use super::*;

    fn recorded_request() -> DecisionRequest {
        let descriptors = include_bytes!(concat!(env!("OUT_DIR"), "/arena.bin"));
        let pool = DescriptorPool::decode(descriptors.as_slice()).unwrap();
        let kind = pool
            .get_message_by_name("arena.v1.DecisionRequest")
            .unwrap();
        let mut json = serde_json::Deserializer::from_str(include_str!("../testdata/request.json"));
        let message = DynamicMessage::deserialize(kind, &mut json).unwrap();
        message.transcode_to().unwrap()
    }

    fn hand(cards: &str) -> Cards {
        cards_named(&cards.split(' ').collect::<Vec<_>>())
    }

    #[test]
    fn keeps_tens_and_jacks_as_sets_where_the_run_would_leave_more() {
        assert_eq!(choose(&recorded_request()), "knock 4C");
    }

    #[test]
    fn counts_the_least_deadwood_where_sets_and_runs_compete() {
        assert_eq!(deadwood(hand("4S 5S 6S 7S 8S 7H 7D KC KD KH")), 8);
        assert_eq!(deadwood(hand("AC 2C 3C 4C 5D AH 3H 4H 5H 5S AD")), 7);
    }

    #[test]
    fn takes_the_ace_as_low_only() {
        assert!(makes_meld(hand("2S 3S"), card_named("AS")));
        assert!(!makes_meld(hand("QS KS"), card_named("AS")));
    }
}
