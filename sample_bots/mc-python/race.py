"""A race between actions: each is played out in the same samples, and those that fall behind drop out."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from beliefs import Beliefs, Deal
from budget import Budget

GLANCE_SAMPLES: Final = 100
"""How many samples the first glance counts for."""
GLANCE_WEIGHT: Final = 1.5
"""What a point of a hand's cost is worth in points of the hand's result."""
ROUND: Final = 8
"""Samples between two looks at who has fallen behind."""
BEHIND: Final = 25.0
"""Points by which the last may be behind after one sample; less with the root of their number."""


@dataclass(slots=True)
class Candidate:
    """One action, and what its samples have been worth so far."""

    action: str
    play: Callable[[Deal], float]
    """What the action is worth in one sample."""
    cost: float
    """How much worse than another it looks at a glance, in points."""
    total: float = 0.0

    def mean(self, samples: int) -> float:
        """Return what the action is worth over so many samples and the first glance."""
        glance = -GLANCE_SAMPLES * GLANCE_WEIGHT * self.cost
        return (self.total + glance) / (samples + GLANCE_SAMPLES)


def race(candidates: Sequence[Candidate], beliefs: Beliefs, budget: Budget) -> str:
    """Return the action of the best mean when the budget is used up or one is left."""
    running = list(candidates)
    samples = 0
    while len(running) > 1 and budget.allows(samples):
        deal = beliefs.sample()
        samples += 1
        for candidate in running:
            candidate.total += candidate.play(deal)
        if samples % ROUND == 0:
            _drop_last(running, samples)
    return max(running, key=lambda candidate: candidate.mean(samples)).action


def _drop_last(running: list[Candidate], samples: int) -> None:
    """Take the last one out of the race if it is too far behind the first; two always go on."""
    if len(running) < 3:
        return
    last = min(running, key=lambda candidate: candidate.mean(samples))
    first = max(candidate.mean(samples) for candidate in running)
    if first - last.mean(samples) > BEHIND / math.sqrt(samples + GLANCE_SAMPLES):
        running.remove(last)
