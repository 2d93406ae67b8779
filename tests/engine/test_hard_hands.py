"""The hard hands, exact cards and exact answers, and the rule cases that go with them."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from arena.engine.actions import BIG_GIN, parse_action
from arena.engine.cards import CARD_NAMES, cards_of, parse_card, parse_cards, points_of
from arena.engine.melds import arrange, deadwood
from arena.engine.scoring import NOBODY, HandResult
from arena.engine.state import Hand
from arena.errors import IllegalAction
from tests.deals import (
    DEALER,
    NON_DEALER,
    dealt,
    draw_on,
    drawn_to,
    knock_cards,
    play,
    showdown,
    with_settings,
)

HARD = tomllib.loads((Path(__file__).parent.parent / "cases" / "hard_hands.toml").read_text())


def each(kind: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("case", HARD[kind], ids=lambda case: case["name"])


def cards_in(layout: str) -> int:
    return parse_cards(layout.replace("/", " "))


def result_of(hand: Hand) -> HandResult:
    assert hand.result is not None
    return hand.result


# ---------------------------------------------------------------------- melding (D1-D4)


@each("deadwood")
def test_least_deadwood(case: dict[str, Any]) -> None:
    cards = parse_cards(case["hand"])
    assert cards.bit_count() == 10
    assert deadwood(cards) == case["best"]["deadwood"]
    assert set(arrange(cards).melds) == {parse_cards(m) for m in case["best"]["melds"].split("/")}
    for layout in (case["best"], *case["others"]):
        assert points_of(cards & ~cards_in(layout["melds"])) == layout["deadwood"]
        assert layout["deadwood"] >= case["best"]["deadwood"]


@each("eleven")
def test_what_each_discard_leaves(case: dict[str, Any]) -> None:
    cards = parse_cards(case["hand"])
    assert {CARD_NAMES[card]: deadwood(cards ^ 1 << card) for card in cards_of(cards)} == case["left"]


@each("eleven")
@pytest.mark.parametrize("rules", ["classic", "italian"])
def test_the_knock_is_judged_on_the_ten_cards_left(case: dict[str, Any], rules: str) -> None:
    hand = drawn_to(rules, case["hand"])
    assert knock_cards(hand) == {card for card, left in case["left"].items() if left <= 10}
    assert (BIG_GIN in hand.legal_actions()) == (case["big_gin"] and rules == "classic")


def test_d3_big_gin_scores_31_and_the_defenders_deadwood() -> None:
    hand = drawn_to("classic", "AS 2S 3S 4S 8H 8D 8C 8S JD QD KD", "TD 5S AC AD AH 2C 2D 2H 9C 6H")
    result = result_of(play(hand, "big gin"))
    assert (result.outcome, result.winner, result.knock_card) == ("big gin", NON_DEALER, None)
    assert result.points == 31 + 10 + 5 + 9 + 6  # TD and 5S would fit the knocker's runs
    assert result.showings is not None
    assert result.showings[NON_DEALER].unmatched == 0
    assert result.showings[DEALER].layoffs == ()


def test_d3_the_same_cards_are_only_gin_by_a_discard() -> None:
    hand = drawn_to("classic", "AS 2S 3S 4S 8H 8D 8C 8S JD QD KD", "TD 5S AC AD AH 2C 2D 2H 9C 6H")
    result = result_of(play(hand, "knock 8S"))
    assert (result.outcome, result.points) == ("gin", 25 + 30)


@pytest.mark.parametrize("rules", ["italian", "oklahoma", "brazilian", "openspiel", "eaai"])
def test_d3_no_big_gin_where_the_rules_have_none(rules: str) -> None:
    hand = drawn_to(rules, "AS 2S 3S 4S 8H 8D 8C 8S JD QD KD")
    with pytest.raises(IllegalAction, match=f"there is no big gin under {rules}"):
        hand.apply(BIG_GIN)


# ---------------------------------------------------------------------- showdowns (D5-D12)


@pytest.mark.parametrize(
    ("case", "rules"),
    [(case, rules) for case in HARD["showdown"] for rules in case["points"]],
    ids=lambda value: value if isinstance(value, str) else value["name"],
)
def test_showdown(case: dict[str, Any], rules: str) -> None:
    knocker = f"{case['knocker'].replace('/', ' ')} {case['knocker_unmatched']}"
    result = result_of(showdown(rules, knocker, case["defender"]))
    assert result.showings is not None
    shown, answered = result.showings
    assert set(shown.melds) == {parse_cards(meld) for meld in case["knocker"].split("/")}
    assert shown.unmatched == parse_cards(case["knocker_unmatched"])
    assert sum(1 << layoff.card for layoff in answered.layoffs) == parse_cards(case["laid_off"])
    assert answered.deadwood == case["deadwood"]
    assert result.outcome == case["outcome"]
    assert result.points == case["points"][rules]
    wins = {"undercut": DEALER, "tie": NOBODY}.get(result.outcome, NON_DEALER)
    assert (result.winner, result.knocker) == (wins, NON_DEALER)


# ---------------------------------------------------------------------- turns (D13, D14)

GIN_BUT_ONE = "AS 2S 3S 7H 7D 7C 9D TD JD QD"


def test_d13_the_upcard_taken_cannot_be_discarded_at_once() -> None:
    hand = play(dealt("classic", GIN_BUT_ONE, "", "5C"), "draw discard")
    left = {card: deadwood(hand.hands[NON_DEALER] ^ 1 << parse_card(card)) for card in knock_cards(hand)}
    assert left == {"9D": 5, "QD": 5, "3S": 8, "2S": 9, "AS": 10}
    for action in ("discard 5C", "knock 5C"):
        with pytest.raises(IllegalAction, match="5C was taken from the discard pile in this turn"):
            hand.apply(*parse_action(action))


def test_d13_a_card_drawn_from_the_stock_can_be_discarded_at_once() -> None:
    hand = play(dealt("classic", GIN_BUT_ONE, "", "5C", "6H"), "pass", "pass", "draw stock")
    assert result_of(play(hand, "knock 6H")).outcome == "gin"


def test_d13_a_knock_before_the_dealer_has_acted() -> None:
    hand = dealt("classic", "AC 2C 3C 5D 5H 5S 9S TS KH 2D", "", "JS")
    result = result_of(play(hand, "draw discard", "knock KH"))
    assert result.showings is not None
    assert result.showings[NON_DEALER].deadwood == 2
    assert not {event & 1 for event in hand.events} & {DEALER}


def test_d14_the_hand_dies_on_the_discard_after_the_29th_draw() -> None:
    hand = dealt("classic", "", "", "5C")
    assert hand.stock_count == 31
    draw_on(hand, 28)
    assert (hand.stock_count, hand.turn, hand.over) == (3, NON_DEALER, False)
    draw_on(hand, 1)
    result = result_of(hand)
    assert (result.outcome, result.dead_reason, result.winner, result.points) == ("dead", "stock", NOBODY, 0)
    assert hand.stock_count == 2


def test_d14_the_player_of_the_last_draw_may_knock_instead() -> None:
    hand = dealt("classic", "AS 2S 3S 7H 7D 7C 9D TD JD QD", "", "5C")
    play(draw_on(hand, 28), "draw stock")
    drawn = CARD_NAMES[hand.events[-1] >> 8]
    assert result_of(play(hand, f"knock {drawn}")).outcome == "gin"
    assert hand.stock_count == 2


# ---------------------------------------------------------------------- Oklahoma (D15)

ONE_WITH_THE_ACE = "2S 3S 4S 7H 7D 7C JD QD KD 9C"


def test_d15_an_ace_upcard_is_a_limit_of_one() -> None:
    hand = play(dealt("oklahoma", ONE_WITH_THE_ACE, "", "AH"), "draw discard")
    assert hand.knock_limit == 1
    assert knock_cards(hand) == {"9C"}
    result = result_of(play(hand, "knock 9C"))
    assert result.showings is not None
    assert result.showings[NON_DEALER].unmatched == parse_cards("AH")


def test_d15_an_ace_upcard_may_mean_gin_only() -> None:
    hand = dealt(with_settings("oklahoma", ace_upcard="gin"), ONE_WITH_THE_ACE, "", "AH")
    play(hand, "draw discard")
    assert hand.knock_limit == 0
    assert knock_cards(hand) == set()
    with pytest.raises(IllegalAction, match="leaves deadwood 1, over the limit of 0"):
        play(hand, "knock 9C")


def test_d15_the_limit_stays_that_of_the_first_upcard() -> None:
    hand = dealt("oklahoma", "AS 2S 3S 7H 7D 7C 9D TD JD 4C", "", "3D", "KH KD 2H")
    play(hand, "pass", "pass", "draw stock", "discard KH", "draw stock", "discard KD", "draw stock")
    assert hand.knock_limit == 3
    # 2H drawn: discarding it leaves 4, discarding the 4 leaves 2.
    assert knock_cards(hand) == {"4C"}


@pytest.mark.parametrize(
    ("upcard", "limit"), [("AC", 1), ("2D", 2), ("9H", 9), ("TS", 10), ("JC", 10), ("QD", 10), ("KH", 10)]
)
def test_oklahoma_limit_is_the_upcards_value(upcard: str, limit: int) -> None:
    assert dealt("oklahoma", "", "", upcard).knock_limit == limit


@pytest.mark.parametrize(("upcard", "points"), [("TS", 30), ("TH", 15)])
def test_oklahoma_a_spade_upcard_doubles_the_points(upcard: str, points: int) -> None:
    rules = with_settings("oklahoma", spades_double=True)
    hand = showdown(rules, "5H 6H 7H QC QD QS JC JD JS 2C", "3H 4H 8H 9H QH AC AD AS 7C KD", upcard=upcard)
    assert hand.doubled == (upcard == "TS")
    assert result_of(hand).points == points


@pytest.mark.parametrize("upcard", ["AS", "7S", "KS"])
def test_every_spade_doubles(upcard: str) -> None:
    assert dealt(with_settings("classic", spades_double=True), "", "", upcard).doubled


@pytest.mark.parametrize("upcard", ["KH", "AH", "AD", "AC"])
def test_no_other_suit_doubles(upcard: str) -> None:
    assert not dealt(with_settings("classic", spades_double=True), "", "", upcard).doubled


def test_a_spade_upcard_doubles_gin_and_undercut_with_their_bonus() -> None:
    rules = with_settings("oklahoma", spades_double=True)
    gin = showdown(rules, "4C 5C 6C 9S 9H 9D QC QD QH QS", "7C 9C AD AH AS JD JH JC 5D 2S", upcard="TS")
    assert result_of(gin).points == 2 * (23 + 25)
    undercut = showdown(rules, "4C 5C 6C 9S 9H 9D QC QH QD 5S", "2C 2D 2H 8D 7D 6D KD KH KC 5D", upcard="TS")
    assert result_of(undercut).points == 2 * (5 + 10)


def test_without_the_setting_a_spade_upcard_doubles_nothing() -> None:
    hand = showdown("oklahoma", "5H 6H 7H QC QD QS JC JD JS 2C", "3H 4H 8H 9H QH AC AD AS 7C KD", upcard="TS")
    assert result_of(hand).points == 15
