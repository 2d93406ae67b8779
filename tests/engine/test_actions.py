"""Actions and their one text form."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.engine.actions import (
    ACTION_COUNT,
    BIG_GIN,
    DISCARD,
    DRAW_DISCARD,
    DRAW_STOCK,
    KNOCK,
    PASS,
    SPREAD,
    Declaration,
    action_text,
    parse_action,
)
from arena.engine.cards import parse_card, parse_cards
from arena.engine.melds import Layoff, melds_in
from arena.errors import NotationError
from tests.strategies import cards, hands

SHOWING = [*range(KNOCK, DRAW_STOCK), BIG_GIN, SPREAD]


@pytest.mark.parametrize(
    ("action", "text"),
    [
        (DISCARD + 0, "discard AC"),
        (DISCARD + 51, "discard KS"),
        (KNOCK + 19, "knock 7D"),
        (DRAW_STOCK, "draw stock"),
        (DRAW_DISCARD, "draw discard"),
        (PASS, "pass"),
        (BIG_GIN, "big gin"),
        (SPREAD, "spread"),
    ],
)
def test_text_of_an_action(action: int, text: str) -> None:
    assert action_text(action) == text
    assert parse_action(text) == (action, None)


def test_every_action_has_a_text_of_its_own() -> None:
    texts = [action_text(action) for action in range(ACTION_COUNT)]
    assert len(set(texts)) == ACTION_COUNT
    assert [parse_action(text) for text in texts] == [(action, None) for action in range(ACTION_COUNT)]


@pytest.mark.parametrize("text", ["Discard 7d", "  discard   7D ", "DISCARD 7D"])
def test_case_and_spaces_do_not_matter(text: str) -> None:
    assert parse_action(text)[0] == parse_card("7D")


@pytest.mark.parametrize("text", ["DRAW STOCK", "Draw  Stock", "draw stock"])
def test_words_in_any_case(text: str) -> None:
    assert parse_action(text)[0] == DRAW_STOCK


@pytest.mark.parametrize("text", ["discard 10h", "Knock 10H"])
def test_a_ten_may_be_written_with_two_digits(text: str) -> None:
    assert parse_action(text)[0] % KNOCK == parse_card("TH")


def test_text_of_a_declaration() -> None:
    knock = Declaration((parse_cards("3C 4C 5C"), parse_cards("7S 7D 7H")))
    assert action_text(KNOCK + parse_card("2D"), knock) == "knock 2D: 3C 4C 5C / 7D 7H 7S"
    spread = Declaration((parse_cards("8H 9H TH JH"),), (Layoff(parse_card("7C"), 1),))
    assert action_text(SPREAD, spread) == "spread: 8H 9H TH JH + 7C on 2"


@pytest.mark.parametrize(
    ("text", "melds", "layoffs"),
    [
        ("spread:", 0, 0),
        ("spread: + 7C on 2", 0, 1),
        ("spread: 8H 9H TH", 1, 0),
        ("spread:8h 9h 10h/kc kd ks+7c on 2+8c on 2", 2, 2),
    ],
)
def test_parts_of_a_declaration(text: str, melds: int, layoffs: int) -> None:
    declaration = parse_action(text)[1]
    assert declaration is not None
    assert (len(declaration.melds), len(declaration.layoffs)) == (melds, layoffs)


@given(
    st.sampled_from(SHOWING), hands(), st.lists(st.tuples(cards, st.integers(0, 5)), max_size=4), st.data()
)
def test_a_declaration_reads_back_as_written(
    action: int, held: int, layoffs: list[tuple[int, int]], data: st.DataObject
) -> None:
    melds = data.draw(st.lists(st.sampled_from(melds_in(held) or [parse_cards("AC 2C 3C")]), max_size=3))
    declaration = Declaration(tuple(melds), tuple(Layoff(*layoff) for layoff in layoffs))
    assert parse_action(action_text(action, declaration)) == (action, declaration)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "is no action: write draw stock"),
        ("7D", "'7D' is no action"),
        ("discard", "is no action"),
        ("discard 7X", "'7X' is no card"),
        ("discard 7D 8D", "is no action"),
        ("draw", "is no action"),
        ("gin", "is no action"),
        ("discard 7D: 3C 4C 5C", "'discard 7D' shows no melds: nothing may follow it"),
        ("draw stock:", "'draw stock' shows no melds"),
        ("pass: 3C", "'pass' shows no melds"),
        ("knock 7D: 3C 4X 5C", "'4X' is no card"),
        ("knock 7D: 3C 3C 3C", "'3C' stands twice in"),
        ("spread: 3C 4C 5C + 7C", "'7C' is no layoff: write CARD on MELD-NUMBER"),
        ("spread: + 7C on 0", "is no layoff"),
        ("spread: + 7C on two", "is no layoff"),
        ("spread: + 7C on 100", "is no layoff"),
        ("spread: + 7C in 1", "is no layoff"),
        ("spread: + 7X on 1", "'7X' is no card"),
        ("spread: + ", "'' is no layoff"),
    ],
)
def test_what_is_no_action(text: str, reason: str) -> None:
    with pytest.raises(NotationError, match=reason):
        parse_action(text)


@pytest.mark.parametrize("number", ["0", "100", "-1", "x", "", "9" * 5000])
def test_a_layoff_names_one_of_the_knockers_melds(number: str) -> None:
    with pytest.raises(NotationError, match="is no layoff"):
        parse_action(f"spread: + 7C on {number}")
