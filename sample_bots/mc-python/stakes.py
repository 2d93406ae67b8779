"""What the end of a hand is worth: points, and what they do for the chance to win the game."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

from arena.bot import Request

POINTS_MAX: Final = 160
"""More points than a hand can score, doubling apart."""
SCALE: Final = 200.0
"""What a certain win is worth more than a certain loss, so that worth is roughly in points."""
_HAND_POINTS: Final = ((5, 0.2), (15, 0.25), (25, 0.2), (35, 0.12), (45, 0.13), (55, 0.1))
"""A rough distribution of the points of a hand: points, and the share of the scored hands."""
_HAND_DEVIATION: Final = 27.0
"""Standard deviation of a hand's points, counted for one side."""
_CELLS_MAX: Final = 40


@dataclass(frozen=True, slots=True)
class Stakes:
    """The scoring of one hand as one side sees it."""

    gin_bonus: int
    undercut_bonus: int
    tie_nothing: bool
    layoffs: bool
    gains: tuple[float, ...] = field(repr=False)
    """What scoring so many points is worth."""
    losses: tuple[float, ...] = field(repr=False)
    """What it is worth if the opponent scores so many points."""
    dead: float = 0.0
    """What a hand without a score is worth."""

    def worth(self, points: int) -> float:
        """Return what so many points are worth, negative ones being the opponent's."""
        return self.gains[points] if points >= 0 else self.losses[-points]


def read_stakes(request: Request) -> Stakes:
    """Return what the hand of a request is played for."""
    rules = request.rules
    factor = 2 if request.doubled else 1
    value = score_value(request)
    now = value(0)
    worths = [value(factor * points) - now for points in range(-POINTS_MAX, POINTS_MAX + 1)]
    return Stakes(
        gin_bonus=rules.gin_bonus,
        undercut_bonus=rules.undercut_bonus,
        tie_nothing=rules.tie_nothing,
        layoffs=rules.layoffs,
        gains=tuple(worths[POINTS_MAX:]),
        losses=tuple(worths[POINTS_MAX::-1]),
    )


def score_value(request: Request) -> Callable[[int], float]:
    """Return what a hand's points, negative if the opponent's, make the score worth.

    A race of two to a target, and a game of so many hands, are valued by the chance to win them.
    Everywhere else (columns, differences, three or four seats) a point is a point, and a hand won
    is worth its box.
    """
    rules = request.rules
    duel = len(request.scores) == 2 and max(request.seat, request.opponent) < 2
    if not duel or rules.columns != 1 or rules.settle_by_difference:
        box = 0 if rules.columns != 1 else rules.box_bonus
        return lambda points: float(points + box * ((points > 0) - (points < 0)))
    mine, theirs = request.scores[request.seat], request.scores[request.opponent]
    if rules.HasField("hands"):
        lead, left = mine - theirs, max(0, rules.hands - request.hand - 1)
        return lambda points: SCALE * lead_chance(lead + points, left) + points / 4
    target = rules.target
    return lambda points: SCALE * race_chance(target, mine + max(0, points), theirs + max(0, -points))


def lead_chance(lead: int, hands: int) -> float:
    """Return the chance to win with a lead in points and some hands to go; a draw is half."""
    if hands == 0:
        return 0.5 + 0.5 * ((lead > 0) - (lead < 0))
    return 0.5 + 0.5 * math.erf(lead / (_HAND_DEVIATION * math.sqrt(2 * hands)))


def race_chance(target: int, mine: int, theirs: int) -> float:
    """Return the chance to reach the target first from a score, against an equal opponent."""
    if mine >= target:
        return 1.0
    if theirs >= target:
        return 0.0
    table, step = _race_table(target)
    row, down = _place(len(table) - 1, (target - mine) / step)
    column, right = _place(len(table) - 1, (target - theirs) / step)
    near = (1 - right) * table[row][column] + right * table[row][column + 1]
    far = (1 - right) * table[row + 1][column] + right * table[row + 1][column + 1]
    return (1 - down) * near + down * far


def _place(cells: int, steps_left: float) -> tuple[int, float]:
    """Return the cell of a score by the steps that it is short of the target, and the part beyond it."""
    # A hand won is worth a step at least, so who is short of less needs one hand like the others.
    place = max(0.0, cells - max(1.0, steps_left))
    return int(place), place - int(place)


@lru_cache(maxsize=8)
def _race_table(target: int) -> tuple[list[list[float]], int]:
    """Return the chances to win by own and other score in steps, and the step in points.

    The last row is a reached target; so is the last column, for the opponent.
    """
    step = max(5, -(-target // _CELLS_MAX))
    cells = -(-target // step)
    table = [[1.0] * (cells + 1) if row == cells else [0.0] * (cells + 1) for row in range(cells + 1)]
    jumps = [(max(1, round(points / step)), share / 2) for points, share in _HAND_POINTS]
    for row in range(cells - 1, -1, -1):
        for column in range(cells - 1, -1, -1):
            table[row][column] = sum(
                share * (table[min(cells, row + jump)][column] + table[row][min(cells, column + jump)])
                for jump, share in jumps
            )
    return table, step
