"""The translation between engine and wire, both ways."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.engine.actions import ACTION_COUNT, BIG_GIN, KNOCK, SPREAD, Declaration
from arena.engine.cards import CARD_NAMES, parse_card, parse_cards
from arena.engine.dealing import deck
from arena.engine.formats import format_for
from arena.engine.game import Game
from arena.engine.melds import Layoff
from arena.engine.presets import PRESETS, preset
from arena.engine.rules import RuleSet
from arena.engine.view import news
from arena.errors import ProtocolError
from arena.protocol.codec import (
    decision_message,
    event_message,
    read_decision,
    read_rules,
    request_message,
    rules_message,
)
from arena.protocol.v1 import bot_pb2, game_pb2
from tests.strategies import rule_sets


@given(rule_sets() | st.sampled_from(list(PRESETS.values())))
def test_rules_come_back_as_they_were(rules: RuleSet) -> None:
    message = game_pb2.Rules.FromString(rules_message(rules).SerializeToString())
    assert read_rules(message) == rules


def test_the_message_has_every_setting() -> None:
    """A new setting must reach the bots: its value has to come back from the wire (see the test above)."""
    from arena.engine.rules import settings

    assert len(game_pb2.Rules.DESCRIPTOR.fields) == len(settings()) + 1 + 1, "name, and knock_limit takes two"


@given(st.integers(0, ACTION_COUNT - 1))
def test_every_action_comes_back(action: int) -> None:
    assert read_decision(decision_message("m", 1, action)) == (action, None)


def test_a_declaration_comes_back() -> None:
    declaration = Declaration(
        (parse_cards("AC 2C 3C"), parse_cards("7D 7H 7S")), (Layoff(parse_card("9H"), 1),)
    )
    for action in (KNOCK, BIG_GIN, SPREAD):
        assert read_decision(decision_message("m", 1, action, declaration)) == (action, declaration)


@pytest.mark.parametrize(
    ("decision", "what"),
    [
        (bot_pb2.Decision(action=""), "Decision.action: '' is no action"),
        (bot_pb2.Decision(action="fold"), "'fold' is no action"),
        (bot_pb2.Decision(action="discard 1Z"), "'1Z' is no card"),
        (bot_pb2.Decision(action="knock 7D: AC 2C 3C"), "go into Decision.melds"),
        (bot_pb2.Decision(action="knock 7D", melds=[game_pb2.Meld(cards=["1Z"])]), "'1Z' is no card"),
        (bot_pb2.Decision(action="knock 7D", melds=[game_pb2.Meld(cards=["7H", "7H"])]), "stands twice"),
        (bot_pb2.Decision(action="spread", layoffs=[game_pb2.Layoff(card="", meld=1)]), "'' is no card"),
    ],
)
def test_what_is_no_decision_is_refused_with_the_field(decision: bot_pb2.Decision, what: str) -> None:
    with pytest.raises(ProtocolError, match=what):
        read_decision(decision)


def test_letter_case_and_spaces_of_an_action_do_not_matter() -> None:
    assert read_decision(bot_pb2.Decision(action=" Discard  7d")) == (parse_card("7D"), None)


def first_request(rules: RuleSet) -> tuple[Game, bot_pb2.DecisionRequest]:
    game = Game(rules, format_for("duel", 2), 0)
    game.deal([deck(bytes(32), 0, 0)])
    seat = game.to_act()[0]
    request = request_message(
        game,
        seat,
        match_id="m1",
        request_id=7,
        game_number=2,
        decision=0,
        rules=rules_message(rules),
        time_left_ms=200,
        events=[event_message(sight, 2) for sight in news(game, seat)],
    )
    return game, request


def test_a_request_says_what_the_seat_knows() -> None:
    game, request = first_request(preset("classic"))
    hand = game.tables[0].hand
    assert (request.seat, request.opponent, request.dealer) == (1, 0, 0)
    assert (request.phase, list(request.legal_actions)) == (
        game_pb2.PHASE_OFFER_NON_DEALER,
        ["draw discard", "pass"],
    )
    assert request.upcard == request.discard_pile[0] == CARD_NAMES[hand.upcard]
    assert parse_cards(" ".join(request.cards)) == hand.hands[1]
    assert (request.stock_count, request.knock_limit, request.time_left_ms) == (31, 10, 200)
    assert [event.WhichOneof("kind") for event in request.events] == ["hand_dealt"]


def test_under_an_upcard_limit_the_limit_in_force_is_told() -> None:
    game, request = first_request(preset("oklahoma"))
    assert request.rules.knock_limit_upcard
    assert request.knock_limit == game.tables[0].hand.knock_limit
