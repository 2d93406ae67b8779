"""A clock that moves when the test says so."""

from __future__ import annotations


class ManualClock:
    """A clock in seconds: call it for the time.

    Args:
        start: what it shows at first.
    """

    def __init__(self, start: float = 0.0) -> None:
        self._now = start

    def __call__(self) -> float:
        """Return the time."""
        return self._now

    def advance(self, seconds: float) -> None:
        """Let time pass.

        Raises:
            ValueError: time cannot go back.
        """
        if seconds < 0:
            raise ValueError(f"a clock cannot go back by {-seconds} s")
        self._now += seconds
