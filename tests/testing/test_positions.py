"""Positions, clocks and scripted bots for tests of bots."""

from __future__ import annotations

import pytest

from arena.errors import IllegalAction, NotationError, UsageError
from arena.testing import ManualClock, ScriptedBot, deck, first_legal, plays, request

LEFT = "7C 8C 2D 4D 6H 9H JS QS KS 2C"
RIGHT = "3C 4C 5D 8D TH JD QH KD 3S 5S"


def test_a_deck_deals_the_cards_that_were_named() -> None:
    asked = request("classic", deck(LEFT, RIGHT, upcard="9C", stock="AS"))
    assert sorted(asked.cards) == sorted(LEFT.split())
    assert (asked.seat, asked.upcard, list(asked.discard_pile)) == (0, "9C", ["9C"])
    assert list(asked.legal_actions) == ["draw discard", "pass"]


def test_actions_lead_to_the_next_request() -> None:
    dealt = deck(LEFT, RIGHT, upcard="9C", stock="AS")
    asked = request("classic", dealt, "draw discard", "discard KS", "draw stock", time_left_ms=150)
    assert asked.seat == 1 and "AS" in asked.cards and len(asked.cards) == 11
    assert list(asked.opponent_known) == ["9C"] and list(asked.opponent_discards) == ["KS"]
    assert (asked.decision, asked.time_left_ms) == (3, 150)
    assert len(asked.events) == 4, "the deal and three actions"


@pytest.mark.parametrize(
    ("left", "right", "upcard", "error"),
    [
        ("7C 8C", RIGHT, "9C", UsageError),
        (LEFT, RIGHT, "7C", UsageError),
        (LEFT, LEFT, "9C", UsageError),
        (LEFT, RIGHT, "1X", NotationError),
    ],
)
def test_a_deal_that_cannot_be_is_refused(left: str, right: str, upcard: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        deck(left, right, upcard=upcard)


def test_an_action_that_the_rules_refuse_is_refused() -> None:
    with pytest.raises(IllegalAction):
        request("classic", deck(LEFT, RIGHT, upcard="9C"), "discard KS")


def test_scripted_bots_answer_as_told() -> None:
    asked = request("classic", deck(LEFT, RIGHT, upcard="9C"))
    (first,) = first_legal(asked)
    assert (first.decision.action, first.decision.request_id) == ("draw discard", 1)
    (last,) = plays(lambda r: r.legal_actions[-1])(asked)
    assert last.decision.action == "pass"
    assert ScriptedBot(max_matches=3).hello("t").hello.max_matches == 3


def test_a_manual_clock_moves_when_told() -> None:
    clock = ManualClock(5.0)
    clock.advance(1.5)
    assert clock() == 6.5
    with pytest.raises(ValueError, match="cannot go back"):
        clock.advance(-1)
