"""Cards, their names and points, and sets of cards as masks."""

from __future__ import annotations

import doctest
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.engine import actions, cards, melds
from arena.engine.cards import (
    CARD_NAMES,
    FULL_DECK,
    POINTS,
    card_name,
    cards_of,
    cards_text,
    mask_of,
    parse_card,
    parse_cards,
    points_of,
)
from arena.errors import NotationError
from tests.strategies import cards as any_card

masks = st.integers(0, FULL_DECK)


@pytest.mark.parametrize("module", [cards, melds, actions], ids=lambda module: module.__name__)
def test_examples_in_docstrings(module: ModuleType) -> None:
    # From the source, also where the module that is imported is compiled.
    source = Path(str(module.__file__)).with_name(f"{module.__name__.rpartition('.')[2]}.py")
    tests = doctest.DocTestFinder().find(_from_source(source), source.stem)
    runner = doctest.DocTestRunner()
    for test in tests:
        runner.run(test)
    assert runner.tries > 0
    assert runner.failures == 0


def _from_source(path: Path) -> ModuleType:
    spec = spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_card_is_suit_times_thirteen_plus_rank() -> None:
    assert parse_card("AC") == 0
    assert parse_card("KC") == 12
    assert parse_card("AD") == 13
    assert parse_card("AH") == 26
    assert parse_card("AS") == 39
    assert parse_card("KS") == 51


def test_deck_has_52_distinct_names() -> None:
    assert len(set(CARD_NAMES)) == 52
    assert [parse_card(name) for name in CARD_NAMES] == list(range(52))


@pytest.mark.parametrize(
    ("name", "points"),
    [("AC", 1), ("2D", 2), ("9H", 9), ("TS", 10), ("JC", 10), ("QD", 10), ("KH", 10)],
)
def test_points_of_a_card(name: str, points: int) -> None:
    assert POINTS[parse_card(name)] == points


def test_points_of_the_whole_deck() -> None:
    assert points_of(FULL_DECK) == 4 * (45 + 4 * 10)


@pytest.mark.parametrize("text", ["7d", " 7D ", "7D"])
def test_names_are_read_in_any_case(text: str) -> None:
    assert card_name(parse_card(text)) == "7D"


def test_a_ten_may_be_written_with_two_digits() -> None:
    assert parse_card("10h") == parse_card("TH")


@pytest.mark.parametrize("text", ["", "7", "D7", "1D", "11D", "7X", "7DD", "joker", "100H", "7 D", "٧D"])
def test_what_is_no_card(text: str) -> None:
    with pytest.raises(NotationError, match="is no card"):
        parse_card(text)


def test_a_card_twice_in_a_hand_is_refused() -> None:
    with pytest.raises(NotationError, match="'7d' stands twice"):
        parse_cards("7D 8D 7d")


def test_cards_may_be_separated_by_commas() -> None:
    assert parse_cards("7D,8D, 9D") == parse_cards("9D 8D 7D")


def test_no_cards() -> None:
    assert parse_cards("") == 0
    assert cards_of(0) == ()
    assert cards_text(0) == ""
    assert points_of(0) == 0


@given(st.sets(any_card))
def test_mask_holds_exactly_the_cards(held: set[int]) -> None:
    mask = mask_of(tuple(held))
    assert cards_of(mask) == tuple(sorted(held))
    assert mask.bit_count() == len(held)


@given(masks)
def test_text_names_every_card_once(mask: int) -> None:
    assert parse_cards(cards_text(mask)) == mask


@given(masks)
def test_points_are_the_sum_of_the_cards_points(mask: int) -> None:
    assert points_of(mask) == sum(min(card % 13 + 1, 10) for card in range(52) if mask >> card & 1)
