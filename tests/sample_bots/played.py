"""A game in play as the referee tells it: one decision request after another, one action back."""

from __future__ import annotations

from collections.abc import Callable

from arena.engine.dealing import Deck
from arena.engine.formats import Format
from arena.engine.game import Game
from arena.engine.rules import RuleSet
from arena.engine.view import news
from arena.protocol.codec import event_message, read_decision, request_message, rules_message
from arena.protocol.v1 import bot_pb2


class PlayedGame:
    """One game of a duel.

    Args:
        rules: the settings.
        match_id: the id that the requests bear.
        deck_of_hand: the deck of a hand by its number, from 0.
        first_dealer: the seat that deals the first hand.
    """

    def __init__(
        self, rules: RuleSet, match_id: str, deck_of_hand: Callable[[int], Deck], first_dealer: int = 0
    ) -> None:
        self.game = Game(rules, Format(), first_dealer)
        self.match_id = match_id
        self._rules = rules_message(rules)
        self._deck_of_hand = deck_of_hand
        self._told = [0, 0]
        self._asked = [0, 0]
        self._decisions = 0
        self._deal()

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self.game.finished is not None

    def request(self) -> bot_pb2.DecisionRequest:
        """Return the request for the seat to act; asking again is another request."""
        (seat,) = self.game.to_act()
        since, self._told[seat] = self._told[seat], len(self.game.records)
        self._asked[seat] += 1
        return request_message(
            self.game,
            seat,
            match_id=self.match_id,
            request_id=self._asked[seat],
            game_number=0,
            decision=self._decisions,
            rules=self._rules,
            time_left_ms=1000,
            events=[event_message(sight, 0) for sight in news(self.game, seat, since)],
        )

    def apply(self, seat: int, decision: bot_pb2.Decision) -> None:
        """Apply a seat's answer, and deal the next hand when it ends one.

        Raises:
            ProtocolError: the answer is no action.
            IllegalAction: the rules refuse it.
        """
        self.game.apply(seat, *read_decision(decision))
        self._decisions += 1
        self._deal()

    def _deal(self) -> None:
        if self.game.decks_needed:
            self.game.deal([self._deck_of_hand(self.game.hand_number + 1)])
            self._decisions = 0
