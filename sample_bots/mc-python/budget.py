"""How long to go on sampling: until a deadline, or for a number of samples."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

SHARE: Final = 1 / 3
"""How much of the time allowed is used."""
OWN_CAP_S: Final = 0.3
"""Most time for one decision, in seconds."""


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
    def of_time(cls, time_left_ms: int, clock: Callable[[], float]) -> Budget:
        """Return a budget of a third of the time left (0: no limit), at most :data:`OWN_CAP_S`."""
        allowed = time_left_ms / 1000 * SHARE if time_left_ms else OWN_CAP_S
        return cls(1_000_000, clock() + min(allowed, OWN_CAP_S), clock)

    def allows(self, done: int) -> bool:
        """Return whether another sample may be begun after so many."""
        return done < self.samples and self.clock() < self.deadline_s
