"""Melds, the least deadwood, and the defender's joint optimum, against exhaustive search."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.engine.cards import FULL_DECK, cards_of, cards_text, mask_of, parse_card, parse_cards, points_of
from arena.engine.melds import (
    Defence,
    Layoff,
    Meld,
    arrange,
    arrangements,
    deadwood,
    defence_deadwood,
    defend,
    is_meld,
    is_run,
    is_set,
    melds_in,
    open_ends,
)
from tests.engine.exhaustive import all_melds, fitting, least_after_layoffs, least_deadwood
from tests.strategies import hands, layoff_rich, meld_rich

CASES = json.loads((Path(__file__).parent.parent / "cases" / "melds.json").read_text())


def some_melds(text: str) -> tuple[Meld, ...]:
    return tuple(parse_cards(meld) for meld in text.split("/"))


# ---------------------------------------------------------------------- what a meld is


@pytest.mark.parametrize("text", ["AS 2S 3S", "JH QH KH", "4D 5D 6D 7D", "AC 2C 3C 4C 5C 6C 7C 8C 9C TC"])
def test_runs(text: str) -> None:
    assert is_run(parse_cards(text)) and is_meld(parse_cards(text)) and not is_set(parse_cards(text))


@pytest.mark.parametrize("text", ["7S 7H 7D", "AC AD AH AS", "KC KD KS"])
def test_sets(text: str) -> None:
    assert is_set(parse_cards(text)) and is_meld(parse_cards(text)) and not is_run(parse_cards(text))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "7S",
        "7S 8S",
        "7S 7H",
        "QS KS AS",
        "KS AS 2S",
        "QC KC AD",
        "KC AD 2D",
        "4S 5H 6S",
        "4S 5S 7S",
        "7S 7H 8H",
    ],
)
def test_what_is_no_meld(text: str) -> None:
    assert not is_meld(parse_cards(text))


@pytest.mark.parametrize("mask", [-1, -8, 0, 7 << 52, 7 << 51])
def test_masks_beyond_the_deck_are_no_sets(mask: int) -> None:
    assert not is_set(mask)


def test_the_melds_of_the_deck() -> None:
    melds = melds_in(FULL_DECK)
    longer_runs = 4 * sum(14 - length for length in range(6, 14))
    assert len(melds) == len(set(melds)) == len(all_melds()) + longer_runs
    assert set(all_melds()) <= set(melds)
    assert all(is_set(meld) != is_run(meld) for meld in melds)


@given(hands())
def test_melds_in_a_hand_are_those_of_the_deck_that_it_holds(cards: int) -> None:
    assert set(melds_in(cards)) == {meld for meld in melds_in(FULL_DECK) if meld & cards == meld}


# ---------------------------------------------------------------------- least deadwood


@pytest.mark.parametrize("case", CASES["deadwood"], ids=lambda case: case["hand"])
def test_known_deadwood(case: dict[str, object]) -> None:
    cards = parse_cards(str(case["hand"]))
    assert deadwood(cards) == case["deadwood"]
    assert arrange(cards).deadwood == case["deadwood"]


def random_hands(seed: int, count: int) -> Iterator[int]:
    """Yield random hands and meld-rich ones in turn, of ten and of eleven cards."""
    rng = random.Random(seed)
    for number in range(count):
        size = 10 + (number >> 1 & 1)
        yield meld_rich(rng, size) if number & 1 else mask_of(rng.sample(range(52), size))


def compare_deadwood(seed: int, count: int) -> None:
    for cards in random_hands(seed, count):
        assert deadwood(cards) == least_deadwood(cards), f"seed {seed}: {cards_text(cards)}"


def test_deadwood_is_that_of_exhaustive_search() -> None:
    compare_deadwood(seed=1, count=100_000)


@pytest.mark.slow
def test_deadwood_is_that_of_exhaustive_search_on_a_million_hands() -> None:
    compare_deadwood(seed=2, count=1_000_000)


@pytest.mark.parametrize("low", [0, 4, 9])
def test_deadwood_of_every_hand_from_sixteen_cards(low: int) -> None:
    window = [suit * 13 + rank for suit in range(4) for rank in range(low, low + 4)]
    for size in (10, 11):
        for held in combinations(window, size):
            cards = mask_of(held)
            assert deadwood(cards) == least_deadwood(cards), cards_text(cards)


@given(hands(0, 11))
def test_deadwood_of_fewer_cards(cards: int) -> None:
    assert deadwood(cards) == least_deadwood(cards) <= points_of(cards)


@given(hands(11, 11), st.data())
def test_one_card_less_saves_at_most_its_points(cards: int, data: st.DataObject) -> None:
    card = data.draw(st.sampled_from(cards_of(cards)))
    assert deadwood(cards ^ 1 << card) >= deadwood(cards) - points_of(1 << card)


# ---------------------------------------------------------------------- arrangements


@given(hands())
def test_every_arrangement_lays_out_exactly_the_cards_at_the_least_deadwood(cards: int) -> None:
    found = arrangements(cards)
    least = deadwood(cards)
    for melds, unmatched in found:
        assert all(is_meld(meld) for meld in melds)
        assert list(melds) == sorted(melds, key=lambda meld: meld & -meld)
        assert sum(melds) + unmatched == cards
        assert sum(meld.bit_count() for meld in melds) + unmatched.bit_count() == cards.bit_count()
        assert points_of(unmatched) == least
    assert len(set(found)) == len(found) > 0
    assert arrange(cards) in found


def test_a_hand_of_one_arrangement() -> None:
    best = arrange(parse_cards("AS 2S 3S 7H 7D 7C KD QD JD 4C"))
    assert best.melds == some_melds("7C 7D 7H/JD QD KD/AS 2S 3S")
    assert best.unmatched == parse_cards("4C")


def test_of_equal_arrangements_the_one_with_fewest_cards_to_lay_off_is_taken() -> None:
    # Three sixes and 6S-9S would leave the same cards, and take both 5S and TS.
    cards = parse_cards("6C 6D 6H 6S 7S 8S 9S 3D KC KD")
    best = arrange(cards)
    assert best.melds == some_melds("6C 6D 6H 6S/7S 8S 9S")
    assert open_ends(best.melds, cards) == parse_cards("TS")


def test_a_long_run_is_laid_out_whole() -> None:
    assert arrange(parse_cards("AS 2S 3S 4S 5S 6S 7S 8S 9S TS")).melds == some_melds(
        "AS 2S 3S 4S 5S 6S 7S 8S 9S TS"
    )


@given(hands(10, 10))
def test_the_arrangement_gives_the_opponent_least_to_lay_off(cards: int) -> None:
    taken = open_ends(arrange(cards).melds, cards)
    for other in arrangements(cards):
        assert taken.bit_count() <= open_ends(other.melds, cards).bit_count()


@pytest.mark.parametrize(
    ("melds", "ends"),
    [
        ("AS 2S 3S", "4S"),
        ("JS QS KS", "TS"),
        ("5H 6H 7H", "4H 8H"),
        ("KC KD KH", "KS"),
        ("KC KD KH KS", ""),
        ("AC 2C 3C 4C 5C 6C 7C 8C 9C TC JC QC KC", ""),
        ("5H 6H 7H/9H 9D 9C", "4H 8H 9S"),
    ],
)
def test_open_ends(melds: str, ends: str) -> None:
    assert open_ends(some_melds(melds)) == parse_cards(ends)


def test_open_ends_leave_out_cards_held() -> None:
    assert open_ends(some_melds("5H 6H 7H"), parse_cards("8H")) == parse_cards("4H")


# ---------------------------------------------------------------------- the defender


@pytest.mark.parametrize("case", CASES["defence"], ids=lambda case: case["defender"])
def test_known_defences(case: dict[str, object]) -> None:
    melds = tuple(parse_cards(meld) for meld in case["knocker_melds"])  # type: ignore[attr-defined]
    cards = parse_cards(str(case["defender"]))
    assert deadwood(cards) == case["deadwood_alone"]
    assert defence_deadwood(melds, cards) == case["best"]
    check_defence(melds, cards, defend(melds, cards))


def check_defence(melds: tuple[Meld, ...], cards: int, defence: Defence) -> None:
    """Check that a defence lays out exactly the cards, each layoff valid when it is laid."""
    left = cards
    for meld in defence.melds:
        assert is_meld(meld)
        assert meld & left == meld
        left ^= meld
    table = list(melds)
    for card, index in defence.layoffs:
        assert left >> card & 1, "a card laid off twice, or not held"
        assert fitting(table[index]) >> card & 1, f"{cards_text(1 << card)} on {cards_text(table[index])}"
        table[index] |= 1 << card
        left ^= 1 << card
    assert left == defence.unmatched
    assert points_of(left) == defence.deadwood == defence_deadwood(melds, cards)


def compare_defences(seed: int, count: int) -> tuple[int, int]:
    """Compare with exhaustive search; return how many laid off, and how many broke an own meld to."""
    rng = random.Random(seed)
    laid = broke = 0
    for _ in range(count):
        melds, cards = layoff_rich(rng)
        best = least_after_layoffs(melds, cards)
        assert defence_deadwood(melds, cards) == best, f"seed {seed}: {melds}, {cards_text(cards)}"
        alone = deadwood(cards)
        if best < alone:
            laid += 1
            after_own_melds = min(defence_deadwood(melds, own.unmatched) for own in arrangements(cards))
            broke += best < after_own_melds
    return laid, broke


def test_the_joint_optimum_is_that_of_exhaustive_search() -> None:
    laid, broke = compare_defences(seed=3, count=20_000)
    assert laid > 8_000
    assert broke > 400


@pytest.mark.slow
def test_the_joint_optimum_is_that_of_exhaustive_search_on_a_million_showdowns() -> None:
    laid, broke = compare_defences(seed=4, count=1_000_000)
    assert laid > 400_000
    assert broke > 20_000


def test_every_defence_lays_out_exactly_the_cards() -> None:
    rng = random.Random(5)
    for _ in range(20_000):
        melds, cards = layoff_rich(rng)
        check_defence(melds, cards, defend(melds, cards))


@pytest.mark.parametrize(
    ("knocker", "defender", "layoffs"),
    [
        ("5H 6H 7H", "8H 9H TH KC", "8H 9H TH"),
        ("5H 6H 7H", "2H 3H 4H KC", "4H 3H 2H"),
        ("5H 6H 7H", "3H 4H KC", "4H 3H"),
        ("4H 5H 6H/TH JH QH", "7H 8H KD", "7H 8H"),
        ("KC KD KH", "KS QS", "KS"),
        ("AS 2S 3S", "KS", ""),
        ("JS QS KS", "AS", ""),
        ("4H 4D 4C/5S 6S 7S", "4S 3S", "4S 3S"),
    ],
)
def test_layoffs_in_the_order_in_which_they_are_laid(knocker: str, defender: str, layoffs: str) -> None:
    laid = defend(some_melds(knocker), parse_cards(defender)).layoffs
    assert [layoff.card for layoff in laid] == [parse_card(name) for name in layoffs.split()]


def test_a_gap_between_two_runs_is_filled_from_one_of_them() -> None:
    defence = defend(some_melds("4H 5H 6H/9H TH JH"), parse_cards("7H 8H"))
    assert defence.unmatched == 0
    assert defence.layoffs == (Layoff(parse_card("7H"), 0), Layoff(parse_card("8H"), 0))


def test_a_card_kept_for_an_own_meld_divides_a_gap() -> None:
    defence = defend(some_melds("4H 5H 6H/TH JH QH"), parse_cards("7H 8H 9H 8C 8D KD KC"))
    assert defence.unmatched == parse_cards("KC KD")
    assert defence.melds == some_melds("8C 8D 8H")
    assert set(defence.layoffs) == {Layoff(parse_card("7H"), 0), Layoff(parse_card("9H"), 1)}


def test_nothing_to_lay_off() -> None:
    cards = parse_cards("AS 2S 3S 9D JD QC KH 4C 6H 8S")
    assert defend(some_melds("5D 5H 5C"), cards) == Defence(
        *(arrange(cards).melds, (), arrange(cards).unmatched)
    )


@given(hands(10, 10), st.data())
def test_layoffs_never_cost_the_defender(cards: int, data: st.DataObject) -> None:
    rng = random.Random(data.draw(st.integers(0, 2**32)))
    melds, _ = layoff_rich(rng)
    free = cards & ~sum(melds)
    assert defence_deadwood(melds, free) <= deadwood(free)
