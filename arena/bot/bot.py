"""What a bot is: a function, or a class with one instance for each match."""

from __future__ import annotations

import os
import random
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from arena.protocol.v1 import bot_pb2, game_pb2


@dataclass(frozen=True, slots=True)
class Answer:
    """An action with more to say than its text."""

    action: str
    """One of the request's legal actions."""
    melds: Sequence[Sequence[str]] = ()
    """How the hand is laid out, where the rules let bots declare; empty takes the best."""
    layoffs: Sequence[tuple[str, int]] = ()
    """With a spread: cards laid off, each with the index of the knocker's meld."""
    note: str = ""
    """Up to 500 characters for the log."""


Decide = Callable[[bot_pb2.DecisionRequest], str | Answer | Awaitable[str | Answer]]
"""A bot as a plain or asynchronous function."""


class Bot:
    """A bot with a memory: one instance plays one match.

    Override :meth:`decide`, and the other methods as you need them.
    """

    name: ClassVar[str] = ""
    """Sent in the hello; the manifest's name is what the ladder uses."""
    version: ClassVar[str] = ""
    max_matches: ClassVar[int] = 1
    """How many matches one process may play at once. A decision that takes long blocks the others."""

    def __init__(self, start: bot_pb2.MatchStart) -> None:
        """Begin a match.

        Args:
            start: the referee's message with seat, rules, opponents and time control.
        """
        self.start = start
        self.random = random.Random(f"{os.environ.get('ARENA_BOT_SEED', '')}/{start.match_id}/{start.seat}")
        """Randomness of this match; repeatable when the referee sets ``ARENA_BOT_SEED``."""

    def decide(self, request: bot_pb2.DecisionRequest) -> str | Answer | Awaitable[str | Answer]:
        """Return one of ``request.legal_actions``; the method may be a coroutine."""
        raise TypeError(f"{type(self).__name__} must define decide(request)")

    def see(self, event: game_pb2.Event) -> None:
        """Learn what happened; called for each event, before the decision that follows it."""

    def end(self, end: bot_pb2.MatchEnd) -> None:
        """Learn the result of the match."""


def bot_class(function: Decide) -> type[Bot]:
    """Return a :class:`Bot` class that plays by a function."""

    class FunctionBot(Bot):
        """Plays every request by one function."""

        name = getattr(function, "__name__", "bot")
        max_matches = 64

        def decide(self, request: bot_pb2.DecisionRequest) -> str | Answer | Awaitable[str | Answer]:
            return function(request)

    return FunctionBot
