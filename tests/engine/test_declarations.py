"""Declared melds and layoffs: what a bot may lay out, and what it may not."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.engine.actions import BIG_GIN, DRAW_STOCK, KNOCK, SPREAD, Declaration, action_text, parse_action
from arena.engine.cards import parse_card, parse_cards
from arena.engine.melds import Layoff, arrange, defend, melds_in
from arena.engine.presets import preset
from arena.engine.scoring import NOBODY
from arena.engine.state import SPREAD_PHASE, Hand
from arena.errors import IllegalAction
from tests.deals import DEALER, NON_DEALER, drawn_to, play, showdown, snapshot, with_settings
from tests.strategies import decks, knock_seeking, uniform

DECLARED = with_settings("classic", melds="declared")
KNOCKER = "4C 5C 6C 7C 7D 7H 9S 9H 9D 2S"
"""Six deadwood with three sevens melded, two with the run of four."""
DEFENDER = "3C 8C 9C AD AH AS JD JH QS TS"


def refused(hand: Hand, action: str, reason: str) -> None:
    before = snapshot(hand)
    with pytest.raises(IllegalAction, match=reason):
        hand.apply(*parse_action(action))
    assert snapshot(hand) == before


def knocking(rules: object = DECLARED) -> Hand:
    """Return the hand before the non-dealer knocks by discarding KH."""
    return drawn_to(rules, f"{KNOCKER} KH", DEFENDER)  # type: ignore[arg-type]


def answering(knock: str = "knock KH: 4C 5C 6C / 7C 7D 7H / 9S 9H 9D") -> Hand:
    """Return the hand before the defender answers a knock."""
    return play(knocking(), knock)


# ---------------------------------------------------------------------- the knocker


def test_the_knocker_may_declare_its_melds() -> None:
    hand = answering()
    assert (hand.phase, hand.turn) == (SPREAD_PHASE, DEALER)
    shown = hand.knocker_showing()
    assert shown.melds == tuple(map(parse_cards, ("4C 5C 6C", "7C 7D 7H", "9S 9H 9D")))
    assert (shown.unmatched, shown.deadwood) == (parse_cards("2S"), 2)


def test_a_worse_layout_than_the_best_is_the_knockers_choice() -> None:
    hand = answering("knock KH: 7C 7D 7H / 9S 9H 9D / 4C 5C 6C")
    assert hand.knocker_showing().melds[0] == parse_cards("7C 7D 7H")
    gin = drawn_to(with_settings("classic", melds="declared"), "4C 5C 6C 7C 8H 8D 8S 9S 9H 9D KH")
    play(gin, "knock KH: 4C 5C 6C / 8H 8D 8S / 9S 9H 9D", "spread")
    assert gin.result is not None
    assert gin.result.outcome in ("knock", "undercut"), "seven deadwood declared is no gin"


def test_without_a_declaration_the_best_layout_is_taken() -> None:
    hand = answering("knock KH")
    assert hand.knocker_showing().melds == arrange(parse_cards(KNOCKER)).melds


@pytest.mark.parametrize(
    ("melds", "reason"),
    [
        ("4C 5C / 7C 7D 7H / 9S 9H 9D", "4C 5C is neither a set nor a run"),
        ("4C 5C 7C / 9S 9H 9D", "4C 5C 7C is neither a set nor a run"),
        ("4C 5C 6C / 7D 7H 7S", "7D 7H 7S is not all in the hand"),
        ("4C 5C 6C 7C / 7C 7D 7H / 9D 9H 9S", "7C 7D 7H has a card of another declared meld"),
        ("QH KH JH", "JH QH KH is not all in the hand"),
        ("4C 5C 6C 7C / 9D 9H 9S", "the declared melds leave deadwood 16, over the limit of 10"),
        ("", "the declared melds leave deadwood 65, over the limit of 10"),
    ],
)
def test_what_a_knocker_may_not_declare(melds: str, reason: str) -> None:
    refused(knocking(), f"knock KH: {melds}", reason)


def test_declared_melds_may_leave_ten() -> None:
    hand = drawn_to(DECLARED, "3C 4C 5C 6C 9S 9H 9D AS AD 2H KH")
    play(hand, "knock KH: 3C 4C 5C / 9S 9H 9D")
    assert hand.knocker_showing().deadwood == 10


def test_declared_melds_may_not_leave_eleven() -> None:
    hand = drawn_to(DECLARED, "4C 5C 6C 7C 9S 9H 9D AS AD 2H KH")
    refused(hand, "knock KH: 4C 5C 6C / 9S 9H 9D", "leave deadwood 11, over the limit of 10")


def test_the_card_discarded_cannot_be_melded() -> None:
    hand = drawn_to(DECLARED, "4C 5C 6C 7D 7H 7S 9S 9H 9D 2S 9C")
    refused(hand, "knock 9C: 4C 5C 6C / 7D 7H 7S / 9S 9H 9D 9C", "9C 9D 9H 9S is not all in the hand")


def test_the_knocker_does_not_lay_off() -> None:
    refused(knocking(), "knock KH: 4C 5C 6C / 7C 7D 7H / 9S 9H 9D + 2S on 1", "only the defender lays off")


@pytest.mark.parametrize("action", ["discard KH: 4C 5C 6C", "draw stock: 4C 5C 6C"])
def test_only_a_showdown_has_melds(action: str) -> None:
    head, _, melds = action.partition(":")
    hand = knocking()
    number = parse_action(head)[0]
    with pytest.raises(IllegalAction, match=r"a knock, a big gin or a spread only|not possible in the phase"):
        hand.apply(number, Declaration((parse_cards(melds),)))


def test_an_illegal_knock_is_refused_for_what_it_is() -> None:
    refused(knocking(), "knock 9D: 4C 5C 6C / 7C 7D 7H", "leaves deadwood 30, over the limit of 10")


def test_declared_big_gin_must_meld_all_eleven() -> None:
    eleven = "AS 2S 3S 4S 8H 8D 8C 8S JD QD KD"
    hand = drawn_to(DECLARED, eleven)
    refused(hand, "big gin: AS 2S 3S / 8H 8D 8C 8S / JD QD KD", "leave deadwood 4, over the limit of 0")
    play(hand, "big gin: AS 2S 3S 4S / 8H 8D 8C 8S / JD QD KD", "spread")
    assert hand.result is not None
    assert hand.result.outcome == "big gin"


# ---------------------------------------------------------------------- the defender


def test_the_defender_may_declare_melds_and_layoffs() -> None:
    hand = play(answering(), "spread: AD AH AS + 3C on 1 + 9C on 3")
    result = hand.result
    assert result is not None and result.showings is not None
    answered = result.showings[DEALER]
    assert answered.melds == (parse_cards("AS AH AD"),)
    assert answered.layoffs == (Layoff(parse_card("3C"), 0), Layoff(parse_card("9C"), 2))
    assert answered.unmatched == parse_cards("8C JD JH QS TS")
    assert (result.outcome, result.winner, result.points) == ("knock", NON_DEALER, 48 - 2)


def test_a_defender_may_show_nothing() -> None:
    hand = answering()
    hand.apply(SPREAD, Declaration(()))
    assert hand.result is not None and hand.result.showings is not None
    assert hand.result.showings[DEALER].deadwood == 3 + 8 + 9 + 3 + 40


def test_without_a_declaration_the_defender_has_the_joint_optimum() -> None:
    hand = play(answering(), "spread")
    assert hand.result is not None and hand.result.showings is not None
    best = defend(hand.knocker_showing().melds, parse_cards(DEFENDER))
    assert hand.result.showings[DEALER].layoffs == best.layoffs
    assert hand.result.showings[DEALER].deadwood == best.deadwood


def test_layoffs_are_chained_in_the_order_declared() -> None:
    hand = answering("knock KH: 4C 5C 6C / 7C 7D 7H / 9S 9H 9D")
    refused(hand, "spread: AD AH AS + 8C on 1", "8C does not fit the knocker's meld 1")
    chained = answering("knock KH: 7C 7D 7H / 9S 9H 9D / 4C 5C 6C")
    refused(chained, "spread: + 8C on 3 + 3C on 3", "8C does not fit the knocker's meld 3")
    long_run = showdown(
        DECLARED,
        "5H 6H 7H QC QD QS JC JD JS 2C",
        "3H 4H 8H 9H QH AC AD AS 7C KD",
        declares=parse_action("knock 2C: 5H 6H 7H / QC QD QS / JC JD JS")[1],
        answers=parse_action("spread: AC AD AS + 8H on 1 + 9H on 1 + 4H on 1 + 3H on 1 + QH on 2")[1],
    )
    assert long_run.result is not None
    assert long_run.result.points == 15


@pytest.mark.parametrize(
    ("spread", "reason"),
    [
        ("AD AH", "AD AH is neither a set nor a run"),
        ("AD AH AS / JD JH JS", "JD JH JS is not all in the hand"),
        ("AD AH AS / AD 2D 3D", "AD 2D 3D is not all in the hand"),
        ("AD AH AS + 3C on 4", "3C is laid off on meld 4; the knocker has 3"),
        ("AD AH AS + 3C on 2", "3C does not fit the knocker's meld 2"),
        ("AD AH AS + 2C on 1", "2C is not free to be laid off"),
        ("AD AH AS + AS on 1", "AS is not free to be laid off"),
        ("AD AH AS + 3C on 1 + 3C on 1", "3C is not free to be laid off"),
        ("+ TS on 3", "TS does not fit the knocker's meld 3"),
    ],
)
def test_what_a_defender_may_not_declare(spread: str, reason: str) -> None:
    refused(answering(), f"spread: {spread}", reason)


def test_a_set_is_not_lengthened_like_a_run() -> None:
    hand = answering("knock KH: 4C 5C 6C / 7C 7D 7H / 9S 9H 9D")
    refused(hand, "spread: + 8C on 2", "8C does not fit the knocker's meld 2")


def test_a_card_laid_off_belongs_to_one_meld_only() -> None:
    hand = drawn_to(DECLARED, "4H 4D 4C 5S 6S 7S KS KH KD AC TC", "4S 3S 9C 9D 9H 2C TD 2H 7D QH")
    play(hand, "knock TC: 4H 4D 4C / 5S 6S 7S / KS KH KD")
    refused(hand, "spread: + 4S on 1 + 3S on 2", "3S does not fit the knocker's meld 2")
    play(hand, "spread: 9C 9D 9H + 4S on 2 + 3S on 2")
    assert hand.over


def test_nothing_is_laid_off_on_gin() -> None:
    hand = drawn_to(DECLARED, "4C 5C 6C 9S 9H 9D QC QD QH QS KH", "7C 9C AD AH AS JD JH JC 5D 2S")
    play(hand, "knock KH: 4C 5C 6C / 9S 9H 9D / QC QD QH QS")
    refused(hand, "spread: AD AH AS / JD JH JC + 7C on 1", "nothing is laid off on gin")
    play(hand, "spread: AD AH AS / JD JH JC")
    assert hand.result is not None
    assert (hand.result.outcome, hand.result.points) == ("gin", 25 + 23)


def test_nothing_is_laid_off_where_the_rules_have_no_layoffs() -> None:
    hand = knocking(with_settings("classic", melds="declared", layoffs=False))
    play(hand, "knock KH: 4C 5C 6C / 7C 7D 7H / 9S 9H 9D")
    refused(hand, "spread: AD AH AS + 3C on 1", r"under classic\+ nothing is laid off")
    play(hand, "spread")
    assert hand.result is not None and hand.result.showings is not None
    assert hand.result.showings[DEALER].layoffs == ()


@pytest.mark.parametrize(
    ("declaration", "reason"),
    [
        (Declaration((-1,)), "-1 is no set of cards"),
        (Declaration((7 << 52,)), "is no set of cards"),
        (Declaration((0,)), "nothing is neither a set nor a run"),
        (Declaration((), (Layoff(52, 0),)), "52 is no card"),
        (Declaration((), (Layoff(-1, 0),)), "-1 is no card"),
        (Declaration((), (Layoff(2, -1),)), "is laid off on meld 0; the knocker has 3"),
    ],
)
def test_numbers_that_are_no_cards_and_no_melds(declaration: Declaration, reason: str) -> None:
    hand = answering()
    before = snapshot(hand)
    with pytest.raises(IllegalAction, match=reason):
        hand.apply(SPREAD, declaration)
    assert snapshot(hand) == before


# ---------------------------------------------------------------------- the rules


@pytest.mark.parametrize("action", ["knock KH: 4C 5C 6C / 7C 7D 7H / 9S 9H 9D", "discard KH"])
def test_where_the_engine_melds_nothing_may_be_declared(action: str) -> None:
    number, declaration = parse_action(action)
    with pytest.raises(IllegalAction, match="under classic the engine melds: declare none"):
        knocking(preset("classic")).apply(number, declaration or Declaration(()))


@settings(max_examples=300, deadline=None)
@given(decks, st.integers(0, 2**32))
def test_declaring_the_default_changes_nothing(deck: tuple[int, ...], seed: int) -> None:
    rng = random.Random(seed)
    hand = Hand(DECLARED, deck, seed & 1)
    while not hand.over and not any(KNOCK <= a < DRAW_STOCK or a == BIG_GIN for a in hand.legal_actions()):
        hand.apply(knock_seeking(hand, rng))
    if hand.over:
        return
    silent = hand.clone()
    call = max(silent.legal_actions())
    silent.apply(call)
    shown = silent.knocker_showing()
    silent.apply(SPREAD)
    hand.apply(*parse_action(action_text(call, Declaration(shown.melds))))
    assert hand.knocker_showing() == shown
    assert silent.result is not None and silent.result.showings is not None
    answer = silent.result.showings[1 - silent.result.knocker]
    hand.apply(*parse_action(action_text(SPREAD, Declaration(answer.melds, answer.layoffs))))
    assert hand.result == silent.result


@settings(max_examples=300, deadline=None)
@given(decks, st.integers(0, 2**32))
def test_no_declaration_beats_the_default_of_the_defender(deck: tuple[int, ...], seed: int) -> None:
    rng = random.Random(seed)
    hand = Hand(DECLARED, deck, seed & 1)
    while hand.phase != SPREAD_PHASE and not hand.over:
        hand.apply(knock_seeking(hand, rng) if rng.random() < 0.9 else uniform(hand, rng))
    if hand.knocker == NOBODY:
        return
    silent = hand.clone()
    silent.apply(SPREAD)
    assert silent.result is not None and silent.result.showings is not None
    best = silent.result.showings[1 - hand.knocker].deadwood
    left = hand.hands[hand.turn]
    melds: list[int] = []
    for meld in rng.sample(found := list(melds_in(left)), len(found)):
        if meld & left == meld and rng.random() < 0.7:
            melds.append(meld)
            left ^= meld
    hand.apply(SPREAD, Declaration(tuple(melds)))
    assert hand.result is not None and hand.result.showings is not None
    assert hand.result.showings[1 - hand.knocker].deadwood >= best
