"""What the end of a hand is worth: points, and what they do for the chance to win the game."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from arena.bot import Request

POINTS_MAX: Final = 160
"""More points than a hand can score without doubling."""
_HAND_POINTS: Final = ((10, 0.25), (20, 0.30), (30, 0.25), (45, 0.20))
"""A rough distribution of a won hand's points, and each one's share of the scored hands."""
_STEP: Final = 5


@dataclass(frozen=True, slots=True)
class Stakes:
    """The scoring of one hand as one side sees it."""

    gin_bonus: int
    undercut_bonus: int
    tie_nothing: bool
    layoffs: bool
    gains: tuple[float, ...] = field(repr=False)
    """What winning so many points is worth."""
    losses: tuple[float, ...] = field(repr=False)
    """What the opponent's winning so many points is worth; negative."""
    dead: float = 0.0
    """What a hand without a score is worth."""

    def worth(self, points: int) -> float:
        """Return what so many points are worth, negative ones being the opponent's."""
        return self.gains[points] if points >= 0 else self.losses[-points]


def read_stakes(request: Request) -> Stakes:
    """Return what the hand of a request is played for."""
    rules = request.rules
    factor = 2 if request.doubled else 1
    gains, losses = _worths(request, factor)
    return Stakes(
        gin_bonus=rules.gin_bonus,
        undercut_bonus=rules.undercut_bonus,
        tie_nothing=rules.tie_nothing,
        layoffs=rules.layoffs,
        gains=gains,
        losses=losses,
    )


def _worths(request: Request, factor: int) -> tuple[tuple[float, ...], tuple[float, ...]]:
    gains = tuple(float(factor * points) for points in range(POINTS_MAX + 1))
    return gains, tuple(-worth for worth in gains)
