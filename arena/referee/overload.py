"""The overload audit: how late the referee's own event loop runs.

A timer that should fire every few milliseconds notes how late it was. What a request lost by it is
not the bot's time: an answer that is late by no more than that is ``overload``, and the game is
voided and played again.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections import deque
from collections.abc import Callable
from typing import Final

BEAT_S: Final = 0.02
"""Seconds between two beats."""
_NOTABLE_S: Final = 0.002
"""A beat that is late by less is on time: timers are no more exact than that."""
_REMEMBERED: Final = 4096
"""Late beats that are kept."""


class LagMeter:
    """Measures the delays of the running event loop, from :meth:`start` to :meth:`stop`.

    Args:
        now: a clock in seconds that never goes back.
    """

    def __init__(self, now: Callable[[], float] = time.perf_counter) -> None:
        self._now = now
        self._late: deque[tuple[float, float]] = deque(maxlen=_REMEMBERED)
        """Beats that were late: when they were due, and by how much."""
        self._due = 0.0
        self._timer: asyncio.TimerHandle | None = None
        self.worst_s = 0.0
        """The longest delay so far, in seconds."""

    def start(self) -> None:
        """Begin to measure the running loop."""
        self._plan()

    def stop(self) -> None:
        """Measure no more."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def delay_s(self, since: float) -> float:
        """Return the seconds of delay since a moment of the clock, a beat that is overdue included."""
        now = self._now()
        total = 0.0
        for due, late in reversed(self._late):
            if due + late <= since:
                break
            total += late - max(0.0, since - due)
        if self._timer is not None and now - self._due > _NOTABLE_S:
            total += now - max(self._due, since)
        return total

    def beat(self) -> None:
        """Note how late this beat is and plan the next one."""
        late = self._now() - self._due
        if late > _NOTABLE_S:
            self._late.append((self._due, late))
            self.worst_s = max(self.worst_s, late)
        self._plan()

    def _plan(self) -> None:
        self._due = self._now() + BEAT_S
        self._timer = asyncio.get_running_loop().call_later(BEAT_S, self.beat)


def machine_load() -> str:
    """Return how busy the machine is, for messages: ``load 5.2 on 2 processors``."""
    return f"load {os.getloadavg()[0]:.1f} on {len(os.sched_getaffinity(0))} processors"
