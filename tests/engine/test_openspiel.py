"""Hands stepped in parallel through OpenSpiel's gin_rummy, the independent engine."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from arena.engine.actions import DRAW_STOCK, KNOCK, PASS
from arena.engine.cards import cards_of, cards_text, parse_card
from arena.engine.melds import deadwood
from tests.deals import deck_of, fill
from tests.engine.openspiel import Parallel, dropping_the_largest
from tests.optional import need
from tests.strategies import Policy, knock_seeking, meld_rich, shuffled, swapping, uniform

pyspiel = need("pyspiel", "open_spiel")

PRESETS = ("openspiel", "openspiel-oklahoma")
POLICIES: tuple[Policy, ...] = (knock_seeking, knock_seeking, knock_seeking, uniform, swapping)


def compare(rules: str, hands: range) -> Counter[str]:
    """Play hands in both engines; the failure of one names its number."""
    counts: Counter[str] = Counter()
    for number in hands:
        rng = random.Random(number)
        hand = Parallel(pyspiel, rules, shuffled(rng), rng, counts)
        try:
            hand.play(POLICIES[number % len(POLICIES)])
        except AssertionError as difference:
            raise AssertionError(f"hand {number} under {rules}: {difference}") from difference
    return counts


def check(counts: Counter[str], hands: int) -> None:
    """Check that every ending came up, and nothing but the named defects differed."""
    endings = ("knock", "gin", "undercut", "tie", "wall", "returned")
    assert all(counts[ending] for ending in endings), counts
    assert sum(counts[ending] for ending in (*endings, "swaps")) + counts["cap"] == hands
    assert counts["laid off"] > hands / 10


@pytest.mark.parametrize("rules", PRESETS)
def test_same_legal_actions_and_result_as_openspiel(rules: str) -> None:
    counts = compare(rules, range(2_000))
    check(counts, 2_000)


@pytest.mark.slow
@pytest.mark.parametrize("rules", PRESETS)
def test_same_legal_actions_and_result_as_openspiel_on_20000_hands(rules: str) -> None:
    counts = compare(rules, range(10_000, 30_000))
    check(counts, 20_000)
    assert counts["eleven"] > 0
    assert counts["chain"] > 0
    assert counts["cap"] > 0
    assert counts["wall knock"] > 0


def test_least_deadwood_of_ten_cards_is_openspiels() -> None:
    utils = pyspiel.gin_rummy.GinRummyUtils(13, 4, 10)
    rng = random.Random(1)
    for _ in range(2_000):
        cards = meld_rich(rng, 10)
        assert deadwood(cards) == utils.min_deadwood(list(cards_of(cards))), cards_text(cards)


def test_least_deadwood_of_eleven_cards_is_openspiels_but_for_its_defect() -> None:
    utils = pyspiel.gin_rummy.GinRummyUtils(13, 4, 10)
    rng = random.Random(2)
    wrong = 0
    for _ in range(2_000):
        cards = meld_rich(rng, 11)
        least = min(deadwood(cards ^ 1 << card) for card in cards_of(cards))
        said = utils.min_deadwood(list(cards_of(cards)))
        assert said in dropping_the_largest(cards)
        assert said >= least
        wrong += said > least
    assert 0 < wrong < 100


def test_d4_openspiel_misses_a_legal_knock() -> None:
    counts: Counter[str] = Counter()
    ten = "3S 5S 6S 4C 5C 6C 7C 5D 6D 3H"
    deck = deck_of(ten, fill("", f"{ten} 6H KD"), "KD", "6H")
    hand = Parallel(pyspiel, "openspiel", deck, random.Random(0), counts)
    for action in (PASS, PASS, DRAW_STOCK):
        assert hand.compare() == set()
        assert hand.step(action)
    assert hand.compare() == {KNOCK + parse_card("7C")}
    assert counts["eleven"] == 1
