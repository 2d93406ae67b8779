"""Positions by the cards and actions that make them."""

from __future__ import annotations

from arena.engine.actions import parse_action
from arena.engine.cards import cards_of, parse_card, parse_cards
from arena.engine.dealing import Deck
from arena.engine.formats import format_for
from arena.engine.game import Game
from arena.engine.presets import preset
from arena.engine.rules import RuleSet
from arena.engine.view import news
from arena.errors import UsageError
from arena.protocol.codec import event_message, request_message, rules_message
from arena.protocol.v1 import bot_pb2

NON_DEALER = 0
"""The seat that acts first in the positions of this module."""
DEALER = 1


def deck(non_dealer: str, dealer: str, *, upcard: str, stock: str = "") -> Deck:
    """Return the deck that deals these hands.

    Args:
        non_dealer: the non-dealer's ten cards, as ``7C 8C ...``.
        dealer: the dealer's ten cards.
        upcard: the card that is turned up.
        stock: the first cards of the stock; all cards not named follow in ascending order.

    Raises:
        NotationError: text that is no card.
        UsageError: not ten cards, or a card twice.
    """
    hands = (cards_of(parse_cards(non_dealer)), cards_of(parse_cards(dealer)))
    for name, hand in zip(("non-dealer", "dealer"), hands, strict=True):
        if len(hand) != 10:
            raise UsageError(f"the {name} has {len(hand)} cards: name ten")
    named = [card for pair in zip(*hands, strict=True) for card in pair]
    named += [parse_card(name) for name in (upcard, *stock.split())]
    if len(set(named)) != len(named):
        raise UsageError("a card stands twice in the deal")
    return (*named, *(card for card in range(52) if card not in named))


def request(
    rules: RuleSet | str, dealt: Deck, *actions: str, match_id: str = "test", time_left_ms: int = 0
) -> bot_pb2.DecisionRequest:
    """Return the request that the seat to act gets after these actions of both seats.

    Args:
        rules: the rules, or the name of a preset.
        dealt: the deck; seat 1 deals.
        actions: what was done, each by its text, as ``pass`` or ``discard 7D``.
        match_id: the request's match.
        time_left_ms: the time left, in milliseconds; 0 for no limit.

    Raises:
        IllegalAction: an action that the rules refuse.
        UsageError: the actions end the hand, so that nobody is to act.
    """
    settings = preset(rules) if isinstance(rules, str) else rules
    game = Game(settings, format_for("duel", 2), DEALER)
    game.deal([dealt])
    for text in actions:
        action, declaration = parse_action(text)
        game.apply(game.to_act()[0], action, declaration)
    waiting = game.to_act()
    if not waiting:
        raise UsageError("the hand is over after these actions: nobody is to act")
    seat = waiting[0]
    return request_message(
        game,
        seat,
        match_id=match_id,
        request_id=1,
        game_number=0,
        decision=len(actions),
        rules=rules_message(settings),
        time_left_ms=time_left_ms,
        events=[event_message(sight, 0) for sight in news(game, seat)],
    )
