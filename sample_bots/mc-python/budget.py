"""How long to think: a share of the time allowed, or a number of samples."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from arena.bot import MatchStart, Request

SHARE: Final = 1 / 3
"""Most of the time allowed for a decision that is used."""
UNLIMITED_S: Final = 0.3
"""Time for a decision, in seconds, where there is no limit."""
LONGEST_S: Final = 3.0
"""Most time for one decision, in seconds; more would hardly make it better."""
DECISIONS_AHEAD: Final = 50
"""Decisions among which the rest of a game's time is divided."""


@dataclass(frozen=True, slots=True)
class Budget:
    """A number of samples, and a time by which to stop."""

    samples: int
    deadline_s: float
    clock: Callable[[], float]
    """Seconds from any start."""

    @classmethod
    def of_samples(cls, samples: int) -> Budget:
        """Return a budget of so many samples, whatever time they take."""
        return cls(samples, float("inf"), lambda: 0.0)

    @classmethod
    def of_time(cls, seconds: float, clock: Callable[[], float]) -> Budget:
        """Return a budget of so many seconds from now."""
        return cls(1_000_000, clock() + seconds, clock)

    def allows(self, done: int) -> bool:
        """Return whether another sample may be begun after so many."""
        return done < self.samples and self.clock() < self.deadline_s


class Allowance:
    """Divides the time of a match: a third of each decision's limit, and a game's time by parts.

    Args:
        start: the match's first message, with its time control.
        clock: seconds from any start.
    """

    def __init__(self, start: MatchStart, clock: Callable[[], float]) -> None:
        self._game_s = start.time.game_ms / 1000
        self._increment_s = start.time.increment_ms / 1000
        self._clock = clock
        self._game = -1
        self._bank_s = 0.0
        self._begun_s: float | None = None

    def begin(self, request: Request) -> Budget:
        """Return the budget of a decision that begins now."""
        if request.game != self._game:
            self._game, self._bank_s = request.game, self._game_s
        self._begun_s = self._clock()
        return Budget.of_time(self.seconds(request.time_left_ms), self._clock)

    def end(self) -> None:
        """Take the time of the decision that began off the game's."""
        if self._begun_s is not None:
            self._bank_s += self._increment_s - (self._clock() - self._begun_s)
            self._begun_s = None

    def seconds(self, time_left_ms: int) -> float:
        """Return how long to think when so much is left for the decision; 0 stands for no limit."""
        if not time_left_ms:
            return UNLIMITED_S
        seconds = min(LONGEST_S, SHARE * time_left_ms / 1000)
        if self._game_s:
            seconds = min(seconds, max(0.0, self._bank_s) / DECISIONS_AHEAD + self._increment_s / 2)
        return seconds
