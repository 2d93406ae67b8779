"""A hand as one line of text, and the engine's stable interface."""

from __future__ import annotations

import pickle
import random
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import arena.engine
from arena.engine import Hand, hand_text, parse_hand, preset
from arena.engine.notation import parse_rules, rules_text
from arena.engine.rules import RuleSet
from arena.errors import ArenaError, NotationError
from tests.deals import deck_of, snapshot
from tests.strategies import decks, rule_sets


@given(
    rule_sets(),
    decks,
    st.integers(0, 1),
    st.booleans(),
    st.integers(0, 200),
    st.randoms(use_true_random=False),
)
def test_a_hand_comes_back_from_its_line(
    rules: RuleSet, deck: tuple[int, ...], dealer: int, aligned: bool, steps: int, rng: random.Random
) -> None:
    hand = Hand(rules, deck, dealer, aligned=aligned)
    for _ in range(steps):
        if not hand.over:
            hand.apply(rng.choice(hand.legal_actions()))
    again = parse_hand(hand_text(hand))
    assert snapshot(again) == snapshot(hand)
    assert snapshot(pickle.loads(pickle.dumps(hand))) == snapshot(hand)


@given(rule_sets())
def test_rules_come_back_from_their_text(rules: RuleSet) -> None:
    assert parse_rules(rules_text(rules)).as_dict() == {
        **rules.as_dict(),
        "name": parse_rules(rules_text(rules)).name,
    }


def test_the_line_reads_like_the_hand() -> None:
    deck = deck_of("3C 4C 5C 7H 7S 9D JS QS KH 2D", "8H 9H TH KC KD 5D 6S 7C 8C TS", "7D", "JH")
    hand = Hand(preset("spanish"), deck, 1)
    for action in (105, 38, 104):
        hand.apply(action)
    assert re.fullmatch(
        r"spanish \| dealer 1 \| \w\w 7C .* \| draw discard, discard KH, draw stock", hand_text(hand)
    )


@pytest.mark.parametrize(
    "line",
    [
        "",
        "classic | dealer 2 | AC",
        "classic | dealer 0 | AC AC",
        "classic | dealer 0",
        "x | dealer 0 | AC",
        "classic | dealer 0 | 1Z",
    ],
)
def test_what_is_no_hand_is_refused(line: str) -> None:
    with pytest.raises(ArenaError):
        parse_hand(line)
    with pytest.raises(NotationError):
        parse_hand("classic | dealer 0 | " + " ".join(["AC"] * 52))


def test_every_name_of_the_interface_is_there_and_documented() -> None:
    assert len(arena.engine.__all__) == len(set(arena.engine.__all__))
    assert all(hasattr(arena.engine, name) for name in arena.engine.__all__)
    text = (Path(__file__).parents[2] / "docs" / "engine.md").read_text()
    for name in (
        "Hand",
        "Game",
        "observe",
        "news",
        "deadwood",
        "arrange",
        "defend",
        "hand_text",
        "parse_hand",
    ):
        assert hasattr(arena.engine, name) and name in text


def test_a_cloned_game_is_independent() -> None:
    from arena.engine import Game, deck, format_for

    game = Game(preset("modern"), format_for("duel", 2), 0)
    game.deal([deck(b"x", 0, 0)])
    copy = game.clone()
    while not game.finished and game.hand_number < 2:
        if game.decks_needed:
            game.deal([deck(b"x", 0, game.hand_number + 1)])
        game.apply(game.to_act()[0], game.tables[0].hand.legal_actions()[0])
    assert copy.hand_number == 0 and len(copy.records) == 1 and copy.tables[0].hand.events == []
    copy.race.enter((0,), 5)
    assert game.race.scores != copy.race.scores
