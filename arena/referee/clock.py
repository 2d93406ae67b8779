"""Time controls and the clock of one seat.

A control is written as ``200ms`` (each decision), ``30s/game`` (a bank for all decisions of a
game), ``30s+0.1s`` (a bank to which each decision adds), ``30s/game,500ms`` (a bank, and a cap on
each decision), or ``none``. Units are ``ms``, ``s`` and ``m``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from arena.errors import UsageError

_DURATION: Final = re.compile(r"([0-9]+(?:\.[0-9]+)?)(ms|s|m)")
_UNIT_S: Final = {"ms": 0.001, "s": 1.0, "m": 60.0}
_LONGEST_S: Final = 24 * 3600.0


def parse_duration(text: str) -> float:
    """Return the seconds that a text such as ``200ms``, ``1.5s`` or ``2m`` stands for.

    Raises:
        UsageError: it is no duration, or not between 1 ms and 24 hours.
    """
    match = _DURATION.fullmatch(text.strip().lower())
    if match is None:
        raise UsageError(f"{text!r} is no duration: write a number and ms, s or m, as 200ms")
    seconds = float(match[1]) * _UNIT_S[match[2]]
    if not 0.001 <= seconds <= _LONGEST_S:
        raise UsageError(f"{text!r} is out of range: take 1ms to {_LONGEST_S:.0f}s")
    return seconds


@dataclass(frozen=True, slots=True)
class TimeControl:
    """How long a bot may think; seconds, ``None`` for no limit."""

    text: str = "none"
    move_s: float | None = None
    """For each decision."""
    game_s: float | None = None
    """For all decisions of a game together."""
    increment_s: float = 0.0
    """Added to the game's time after each decision."""


UNLIMITED: Final = TimeControl()
"""No limit: for debuggers."""


def parse_time_control(text: str) -> TimeControl:
    """Return the time control of a text in the module's notation.

    Raises:
        UsageError: it is none.
    """
    word = text.strip().lower().replace(" ", "")
    if word == "none":
        return UNLIMITED
    bank, comma, cap = word.partition(",")
    move_s = parse_duration(cap) if comma else None
    if "+" in bank:
        base, _, increment = bank.partition("+")
        return TimeControl(
            word, move_s, parse_duration(base.removesuffix("/game")), parse_duration(increment)
        )
    if bank.endswith("/game"):
        return TimeControl(word, move_s, parse_duration(bank.removesuffix("/game")))
    if comma:
        raise UsageError(f"{text!r} has a cap but no bank: write 30s/game,500ms, or 500ms alone")
    return TimeControl(word, parse_duration(bank))


class Clock:
    """One seat's clock over one game.

    It is told what each decision took; it never looks at the time itself.
    """

    __slots__ = ("_bank_s", "_control")

    def __init__(self, control: TimeControl) -> None:
        self._control = control
        self._bank_s = control.game_s

    @property
    def allowed_s(self) -> float | None:
        """Seconds allowed for the next decision; ``None`` for no limit."""
        if self._bank_s is None:
            return self._control.move_s
        if self._control.move_s is None:
            return self._bank_s
        return min(self._bank_s, self._control.move_s)

    def spend(self, seconds: float) -> None:
        """Take off what a decision took and add the increment."""
        if self._bank_s is not None:
            self._bank_s = max(0.0, self._bank_s - seconds) + self._control.increment_s
