"""The phases of a hand: who may do what when, and what ends it."""

from __future__ import annotations

import pytest

from arena.engine.actions import DRAW_DISCARD, DRAW_STOCK, parse_action
from arena.engine.cards import cards_text, parse_card, parse_cards
from arena.engine.presets import PRESETS, preset
from arena.engine.rules import RuleSet
from arena.engine.state import (
    DISCARD_PHASE,
    DRAW,
    FORCED_DRAW,
    OFFER_DEALER,
    OFFER_NON_DEALER,
    OVER,
    PHASE_NAMES,
    SPREAD_PHASE,
    WALL,
    WALL_KNOCK,
    Hand,
)
from arena.errors import IllegalAction
from tests.deals import (
    DEALER,
    NON_DEALER,
    dealt,
    deck_of,
    draw_on,
    drawn_to,
    knock_cards,
    legal,
    play,
    with_settings,
)

TEN = "AS 2S 3S 7H 7D 7C 9D TD JD QD"
"""Ten cards that are all melded."""
OTHER = "4C 4D 8C 8S TH JC QS KH 5D 6S"


def refused(hand: Hand, action: str, reason: str) -> None:
    with pytest.raises(IllegalAction, match=reason):
        hand.apply(*parse_action(action))


# ---------------------------------------------------------------------- the deal


@pytest.mark.parametrize("dealer", [0, 1])
def test_cards_are_dealt_one_at_a_time_from_the_non_dealer_on(dealer: int) -> None:
    deck = deck_of(TEN, OTHER, "5C", "6C 6D")
    hand = Hand(preset("classic"), deck, dealer)
    assert hand.hands[1 - dealer] == parse_cards(TEN)
    assert hand.hands[dealer] == parse_cards(OTHER)
    assert hand.turn == 1 - dealer
    assert hand.upcard == parse_card("5C")
    assert hand.discards == [hand.upcard]
    assert hand.stock_count == 31
    assert hand.stock[:2] == (parse_card("6C"), parse_card("6D"))
    assert (hand.result, hand.over, hand.events) == (None, False, [])


# ---------------------------------------------------------------------- the upcard offer


def test_the_upcard_is_offered_to_the_non_dealer_then_to_the_dealer() -> None:
    hand = dealt("classic", TEN, OTHER, "5C")
    assert (hand.phase, hand.turn, legal(hand)) == (OFFER_NON_DEALER, NON_DEALER, {"draw discard", "pass"})
    play(hand, "pass")
    assert (hand.phase, hand.turn, legal(hand)) == (OFFER_DEALER, DEALER, {"draw discard", "pass"})


def test_when_both_pass_the_non_dealer_must_draw_from_the_stock() -> None:
    hand = play(dealt("classic", TEN, OTHER, "5C", "6C"), "pass", "pass")
    assert (hand.phase, hand.turn, legal(hand)) == (FORCED_DRAW, NON_DEALER, {"draw stock"})
    refused(hand, "draw discard", "not possible in the phase 'draw from the stock'")
    play(hand, "draw stock")
    assert hand.hands[NON_DEALER] == parse_cards(f"{TEN} 6C")


def test_the_stock_cannot_be_drawn_while_the_upcard_is_offered() -> None:
    refused(dealt("classic", TEN, OTHER, "5C"), "draw stock", "upcard offered to the non-dealer")


def test_taking_the_upcard_is_that_players_draw() -> None:
    hand = play(dealt("classic", TEN, OTHER, "5C"), "pass", "draw discard")
    assert (hand.phase, hand.turn) == (DISCARD_PHASE, DEALER)
    play(hand, "discard KH")
    assert (hand.phase, hand.turn, legal(hand)) == (DRAW, NON_DEALER, {"draw stock", "draw discard"})


@pytest.mark.parametrize("rules", ["brazilian", "spanish"])
def test_without_an_offer_the_non_dealer_takes_an_ordinary_first_turn(rules: str) -> None:
    hand = dealt(rules, TEN, OTHER, "5C")
    assert (hand.phase, hand.turn, legal(hand)) == (DRAW, NON_DEALER, {"draw stock", "draw discard"})
    refused(hand, "pass", "not possible in the phase 'draw'")


# ---------------------------------------------------------------------- draws and discards


def test_only_the_top_discard_can_be_taken() -> None:
    hand = play(dealt("classic", TEN, OTHER, "5C", "6C"), "pass", "pass", "draw stock", "discard QD")
    play(hand, "draw discard")
    assert hand.hands[DEALER] == parse_cards(f"{OTHER} QD")
    assert hand.discards == [parse_card("5C")]
    assert hand.known == [0, parse_cards("QD")]


def test_a_card_known_to_be_held_is_forgotten_when_it_is_discarded() -> None:
    hand = play(dealt("classic", TEN, OTHER, "5C", "6C 6D 6H"), "draw discard", "discard QD", "draw stock")
    assert hand.known == [parse_cards("5C"), 0]
    play(hand, "discard 6C", "draw stock", "discard 5C")
    assert hand.known == [0, 0]


def test_a_card_not_held_cannot_be_discarded() -> None:
    hand = play(dealt("classic", TEN, OTHER, "5C"), "draw discard")
    refused(hand, "discard KH", "KH is not in the hand")
    refused(hand, "knock KH", "KH is not in the hand")


def test_a_card_drawn_from_the_stock_may_be_discarded_at_once() -> None:
    hand = play(dealt("classic", TEN, OTHER, "5C", "6C"), "pass", "pass", "draw stock", "discard 6C")
    assert hand.discards == [parse_card("5C"), parse_card("6C")]


def test_a_card_taken_may_be_discarded_in_a_later_turn() -> None:
    hand = play(dealt("classic", TEN, OTHER, "5C", "6C 6D"), "draw discard", "discard QD", "draw stock")
    play(hand, "discard 6C", "draw stock", "discard 5C")
    assert hand.discards[-1] == parse_card("5C")


@pytest.mark.parametrize("action", [-1, 109, 1000])
def test_what_is_no_action(action: int) -> None:
    with pytest.raises(IllegalAction, match=f"{action} is no action"):
        dealt("classic", TEN, OTHER, "5C").apply(action)


def test_a_hand_that_is_over_takes_no_action() -> None:
    hand = drawn_to("classic", f"{TEN} 5C")
    play(hand, "knock 5C")
    assert hand.legal_actions() == ()
    refused(hand, "draw stock", "the hand is over")


# ---------------------------------------------------------------------- knocking


def test_a_knock_ends_the_hand_where_the_engine_melds() -> None:
    hand = play(drawn_to("classic", f"{TEN} 5C"), "knock 5C")
    assert hand.over
    assert hand.knock_card == parse_card("5C")
    assert hand.knock_card not in hand.discards


def test_a_knock_over_the_limit_is_refused_with_what_it_leaves() -> None:
    hand = drawn_to("classic", "AS 2S 3S 7H 7D 7C 4D 6H KC QS 9C")
    refused(hand, "knock KC", "a knock discarding KC leaves deadwood 29, over the limit of 10")


def test_nobody_is_forced_to_knock_with_gin() -> None:
    hand = drawn_to("classic", f"{TEN} 5C")
    play(hand, "discard 5C")
    assert hand.phase == DRAW


def test_big_gin_is_refused_where_a_card_is_left() -> None:
    hand = drawn_to("classic", f"{TEN} 5C")
    refused(hand, "big gin", "big gin needs all eleven cards melded; 5 are left")


# ---------------------------------------------------------------------- the end of the stock


@pytest.mark.parametrize("name", [name for name, rules in PRESETS.items() if rules.stock_end == "dead"])
def test_the_hand_is_dead_at_exactly_two_stock_cards(name: str) -> None:
    hand = dealt(name, TEN, OTHER, "5C")
    draw_on(hand, 28)
    assert (hand.over, hand.stock_count) == (False, 3)
    draw_on(hand, 1)
    assert hand.result is not None
    assert (hand.result.outcome, hand.result.dead_reason, hand.stock_count) == ("dead", "stock", 2)
    assert hand.result.showings is None


def at_the_wall(rules: RuleSet | str, last_discard: str, dealer: str) -> Hand:
    """Return a hand at the wall: the dealer may take the last discard."""
    hand = draw_on(dealt(rules, last_discard, dealer, "2C"), 28)
    return play(hand, "draw stock", f"discard {last_discard}")


def test_at_the_wall_the_last_discard_may_be_taken_to_knock() -> None:
    hand = at_the_wall("openspiel", "KD", f"{TEN[:-2]}5S")
    assert (hand.phase, hand.turn, hand.stock_count) == (WALL, DEALER, 2)
    assert legal(hand) == {"pass", "draw discard"}
    play(hand, "draw discard")
    assert hand.phase == WALL_KNOCK
    assert knock_cards(hand) >= {"5S", "KD"}
    assert legal(hand) == {f"knock {card}" for card in knock_cards(hand)}
    refused(hand, "discard 5S", "at the wall only a knock is possible")
    play(hand, "knock 5S", "spread")
    assert hand.over


def test_at_the_wall_a_pass_ends_the_hand() -> None:
    hand = play(at_the_wall("openspiel", "KD", TEN), "pass")
    assert hand.result is not None
    assert (hand.result.outcome, hand.result.dead_reason, hand.result.points) == ("dead", "wall", 0)


def test_at_the_wall_a_discard_that_allows_no_knock_cannot_be_taken() -> None:
    hand = at_the_wall("openspiel", "KD", OTHER)
    assert legal(hand) == {"pass"}
    refused(hand, "draw discard", "taking KD would not allow a knock")
    refused(hand, "draw stock", "not possible in the phase 'wall'")


GIN_ALREADY = "5C 6C 7C 8H 8D 8S TS JS QS KS"


def test_at_the_wall_a_taken_card_may_be_discarded_with_the_knock_where_returns_are_legal() -> None:
    rules = with_settings("classic", stock_end="wall", knock_limit=0, returned_discard="dead_on_second")
    hand = play(at_the_wall(rules, "3D", GIN_ALREADY), "draw discard")
    assert legal(hand) == {"knock 3D"}


def test_at_the_wall_a_taken_card_is_not_discarded_where_that_is_illegal() -> None:
    rules = with_settings("classic", stock_end="wall", knock_limit=0)
    hand = at_the_wall(rules, "3D", GIN_ALREADY)
    assert legal(hand) == {"pass"}
    hand = play(at_the_wall(with_settings("classic", stock_end="wall"), "3D", GIN_ALREADY), "draw discard")
    assert knock_cards(hand) == {"TS", "KS"}
    refused(hand, "knock 3D", "3D was taken from the discard pile in this turn")


def test_at_the_wall_big_gin_is_possible_where_the_rules_have_it() -> None:
    rules = with_settings("classic", stock_end="wall")
    hand = play(at_the_wall(rules, "KD", TEN), "draw discard", "big gin")
    assert hand.result is not None
    assert (hand.result.outcome, hand.result.winner) == ("big gin", DEALER)


# ---------------------------------------------------------------------- returned discards


def test_the_second_discard_returned_in_a_row_is_a_dead_hand() -> None:
    hand = play(dealt("openspiel", TEN, OTHER, "5C"), "draw discard", "discard 5C")
    assert (hand.over, hand.turn) == (False, DEALER)
    play(hand, "draw discard", "discard 5C")
    assert hand.result is not None
    assert (hand.result.outcome, hand.result.dead_reason) == ("dead", "returned")


def test_a_returned_discard_is_forgotten_when_another_card_is_discarded() -> None:
    hand = play(dealt("openspiel", TEN, OTHER, "5C", "6C"), "draw discard", "discard 5C")
    play(hand, "draw discard", "discard KH", "draw discard", "discard KH")
    assert not hand.over
    play(hand, "draw stock", "discard 6C", "draw discard", "discard 6C")
    assert not hand.over
    play(hand, "draw discard", "discard 6C")
    assert hand.over


# ---------------------------------------------------------------------- the cap on swaps


def swap(hand: Hand, times: int) -> Hand:
    """Let both players take the discard and discard another card, so many times."""
    for _ in range(times):
        hand.apply(DRAW_DISCARD)
        hand.apply(next(action for action in hand.legal_actions() if action != hand.taken))
    return hand


@pytest.mark.parametrize("counts", ["in_a_row", "total"])
def test_the_cap_on_draws_of_discards_makes_the_hand_dead(counts: str) -> None:
    rules = with_settings("spanish", swap_cap=6, swap_cap_counts=counts)
    hand = swap(dealt(rules, TEN, OTHER, "5C"), 5)
    assert not hand.over
    swap(hand, 1)
    assert hand.result is not None
    assert (hand.result.outcome, hand.result.dead_reason) == ("dead", "swaps")


def test_a_stock_draw_ends_a_row_of_swaps_but_not_their_total() -> None:
    for counts, over in (("in_a_row", False), ("total", True)):
        rules = with_settings("spanish", swap_cap=6, swap_cap_counts=counts)
        hand = swap(draw_on(swap(dealt(rules, TEN, OTHER, "5C"), 5), 1), 1)
        assert hand.over is over, counts


def test_the_offered_upcard_does_not_count_towards_the_cap() -> None:
    hand = swap(dealt(with_settings("classic", swap_cap=2), TEN, OTHER, "5C"), 2)
    assert not hand.over
    assert swap(hand, 1).over


def test_a_knock_is_possible_on_the_draw_that_reaches_the_cap() -> None:
    rules = with_settings("spanish", swap_cap=2)
    hand = swap(dealt(rules, TEN, "4C 5C 6C 8C 8H 8S JS QS KS 2H", "KD"), 1)
    play(hand, "draw discard", "knock 2H")
    assert hand.result is not None
    assert hand.result.outcome != "dead"


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_ends_a_hand_of_nothing_but_swaps(name: str) -> None:
    hand = dealt(name, TEN, OTHER, "5C")
    while not hand.over and len(hand.events) < 200:
        swap(hand, 1)
    assert hand.result is not None
    assert hand.result.dead_reason == "swaps"


# ---------------------------------------------------------------------- both ends of the stock


def test_aligned_the_dealer_draws_from_the_bottom_of_the_stock() -> None:
    deck = deck_of(TEN, OTHER, "5C")
    hand = play(Hand(preset("classic"), deck, DEALER, aligned=True), "pass", "pass", "draw stock")
    assert hand.hands[NON_DEALER] == parse_cards(TEN) | 1 << deck[21]
    hand.apply(deck[21])
    hand.apply(DRAW_STOCK)
    assert hand.hands[DEALER] == parse_cards(OTHER) | 1 << deck[51]
    assert hand.stock_count == 29
    hand.apply(deck[51])
    hand.apply(DRAW_STOCK)
    assert hand.hands[NON_DEALER] == parse_cards(TEN) | 1 << deck[22]


def test_aligned_the_hand_is_dead_at_exactly_two_stock_cards() -> None:
    hand = Hand(preset("classic"), deck_of(TEN, OTHER, "5C"), DEALER, aligned=True)
    assert not draw_on(hand, 28).over
    assert draw_on(hand, 1).over
    assert hand.stock_count == 2


# ---------------------------------------------------------------------- names


def test_every_phase_has_a_name() -> None:
    assert len(PHASE_NAMES) == OVER + 1
    assert len(set(PHASE_NAMES)) == len(PHASE_NAMES)
    assert PHASE_NAMES[SPREAD_PHASE] == "spread"


def test_events_tell_who_did_what_with_which_card() -> None:
    hand = play(dealt("classic", TEN, OTHER, "5C", "6C"), "pass", "draw discard", "discard KH", "draw stock")
    told = [(event & 1, event >> 1 & 127, event >> 8) for event in hand.events]
    assert told == [
        (NON_DEALER, parse_action("pass")[0], 0),
        (DEALER, DRAW_DISCARD, parse_card("5C")),
        (DEALER, parse_card("KH"), 0),
        (NON_DEALER, DRAW_STOCK, parse_card("6C")),
    ]
    assert cards_text(hand.hands[NON_DEALER]) == cards_text(parse_cards(f"{TEN} 6C"))
