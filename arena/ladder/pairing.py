"""Who plays whom next: pure functions from the state of a ladder to a batch of pairings.

A policy takes a :class:`Field` and gives :class:`Pairing` values. The same field, count and key give the
same pairings; only the random policy uses the key. Measured figures are in ``docs/ratings.md``.
"""

import dataclasses
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena.errors import UsageError
from arena.ladder.truncation import cumulative, density

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

NEIGHBOURS = 4
"""Opponents that are weighed on either side of a bot, in the order of the ratings."""
REPEAT_COST = 0.05
"""Share of its worth that a pairing loses with each earlier meeting of the two."""
REPEATS_COUNTED = 20
"""Meetings beyond this number cost nothing more."""
LEAST_SHARE = 0.5
"""A bot with fewer games than this share of the field's mean comes before all others."""
UNEVEN_PAIR = 3
"""Difference of the two seatings of a pair at which the next one is chosen to even it out."""
ROUND_SHARE = 4
"""One pass pairs at most the n-th part of the field, each bot once; then the outlook is worked out anew."""
DENSITY_SHARE = 0.03
"""Share of the field, on either side, over which the density of the ratings around a bot is taken."""


class Pairing(NamedTuple):
    """A match to play, in seat order."""

    first: int
    """Index of the bot in the first seat."""
    second: int
    """Index of the bot in the second seat."""


@dataclass(frozen=True)
class Field:
    """The bots of a ladder, each array by bot. Raises :class:`~arena.errors.UsageError` for unequal lengths.

    Games and meetings include the matches that are scheduled; ``pending`` tells how many are not rated.
    """

    mu: FloatArray
    """Mean of each skill."""
    sigma: FloatArray
    """Standard deviation of each skill; above 0."""
    games: IntArray
    """Matches of each bot."""
    lead: IntArray
    """Matches in the first seat minus matches in the second."""
    meetings: Mapping[tuple[int, int], int] = dataclasses.field(default_factory=dict)
    """Matches by (first seat, second seat); pairs that never met are left out."""
    pending: IntArray | None = None
    """Matches of each bot whose result is not in ``mu`` and ``sigma`` yet; None for none at all."""

    def __post_init__(self) -> None:
        columns = [
            self.mu,
            self.sigma,
            self.games,
            self.lead,
            *([] if self.pending is None else [self.pending]),
        ]
        lengths = [len(column) for column in columns]
        if len(set(lengths)) != 1:
            raise UsageError(f"the columns of the field have lengths {lengths}; each needs one value a bot")

    def met(self, bot: int, other: int) -> int:
        """Matches between two bots, in either seat."""
        return self.meetings.get((bot, other), 0) + self.meetings.get((other, bot), 0)


Policy = Callable[[Field, int, int, float], list[Pairing]]
"""Field, number of pairings wanted, key, beta (luck, in units of skill) -> pairings."""


def informative(field: Field, count: int, key: int = 0, beta: float = 25.0 / 6.0) -> list[Pairing]:
    """Choose the matches that tell most about the order of the field.

    A result shrinks the variance s^2 of either skill by s^4 / c^2 times :func:`result_information`, c^2
    being the variance of the performance difference (Herbrich et al. 2006), hence s by half of s^3 / c^2
    times that. The neighbours that a bot may be confused with number about s times the local density of the
    ratings. So the worth of a match is the sum, over its two bots, of density x s^3 x information / c^2: high
    for uncertain bots, for even matches, and where the field is dense. An earlier meeting takes
    ``REPEAT_COST`` off; bots with less than half the mean number of games come first. No ``key`` needed.
    """
    _check(field, count)
    bots = len(field.mu)
    board = _Board(field, beta)
    while len(board.chosen) < count:
        board.pair_round(min(count - len(board.chosen), max(1, bots // ROUND_SHARE)))
    return board.chosen


def random_pairs(field: Field, count: int, key: int = 0, beta: float = 25.0 / 6.0) -> list[Pairing]:
    """Shuffle the field and pair it off from the front, again and again; seats by lot. No ``beta`` needed."""
    _check(field, count)
    rng = np.random.default_rng(key)
    bots = len(field.mu)
    chosen: list[Pairing] = []
    while len(chosen) < count:
        order = rng.permutation(bots)[: bots // 2 * 2].reshape(-1, 2).tolist()
        chosen.extend(Pairing(first, second) for first, second in order)
    return chosen[:count]


def round_robin(field: Field, count: int, key: int = 0, beta: float = 25.0 / 6.0) -> list[Pairing]:
    """Everybody against everybody by the circle method, going on after the games played so far.

    The place in the schedule is half the sum of ``games``. Neither ``key`` nor ``beta`` is needed.
    """
    _check(field, count)
    bots = len(field.mu)
    tables = bots // 2
    start = int(field.games.sum()) // 2
    return [_circle(bots, *divmod(place, tables)) for place in range(start, start + count)]


POLICIES: dict[str, Policy] = {
    "informative": informative,
    "random": random_pairs,
    "round-robin": round_robin,
}
"""The policies by name."""


def policy(name: str) -> Policy:
    """Policy of that name. Raises :class:`~arena.errors.UsageError` for an unknown one."""
    if name not in POLICIES:
        raise UsageError(f"no pairing policy {name!r}; the policies are {', '.join(POLICIES)}")
    return POLICIES[name]


def result_information(difference: FloatArray) -> FloatArray:
    """Expected share of the variance of a performance difference that one result takes away.

    ``difference`` is the expected difference in its standard deviations. With p the probability to win it is
    density^2 / (p (1 - p)): 2/pi between equals, 0.13 at 2, near 0 from 5 on.
    """
    information: FloatArray = np.interp(np.abs(difference), _GRID, _INFORMATION)
    return information


_GRID = np.linspace(0.0, 8.0, 1601)
_INFORMATION = np.array([density(x) ** 2 / (cumulative(x) * cumulative(-x)) for x in _GRID.tolist()])


class _Board:
    """The field as it is expected to be once the pairings chosen so far are played."""

    def __init__(self, field: Field, beta: float) -> None:
        self.field = field
        self.chosen: list[Pairing] = []
        self.luck = 2.0 * beta * beta
        self.order = np.argsort(field.mu, kind="stable")
        self.mu = field.mu[self.order]
        self.variance = field.sigma.astype(np.float64) ** 2
        self.games = field.games.astype(np.int64)
        self.lead = field.lead.astype(np.int64).tolist()
        self.again: dict[tuple[int, int], int] = {}
        if field.pending is not None:
            even = 2.0 / math.pi / (self.luck + 2.0 * self.variance)
            self.variance /= 1.0 + field.pending * self.variance * even

    def pair_round(self, most: int) -> None:
        """Take the worthiest pairings, each bot once, ``most`` at the most and one at least."""
        busy: set[int] = set()
        for bot, other in self._candidates(most):
            if bot not in busy and other not in busy:
                busy |= {bot, other}
                self._take(bot, other)
                if len(busy) == 2 * most:
                    return

    def _candidates(self, most: int) -> list[tuple[int, int]]:
        """Pairs of neighbours, the worthiest first, enough of them for ``most`` disjoint pairs."""
        low, high = self._neighbours()
        worth = self._worth(low, high)
        # A pair shares a bot with fewer than 4 NEIGHBOURS others, so this many hold that many disjoint ones.
        enough = min(4 * NEIGHBOURS * most, len(worth))
        top = np.flatnonzero(worth >= np.partition(worth, -enough)[-enough])
        top = top[np.argsort(-worth[top], kind="stable")][:enough]
        pairs = list(zip(self.order[low[top]].tolist(), self.order[high[top]].tolist(), strict=True))
        met = np.array([self._met(bot, other) for bot, other in pairs])
        fresh = worth[top] * (1.0 - REPEAT_COST) ** np.minimum(met, REPEATS_COUNTED)
        return [pairs[place] for place in np.argsort(-fresh, kind="stable").tolist()]

    def _neighbours(self) -> tuple[IntArray, IntArray]:
        """Places, by rising rating, of the lower and the higher bot of each pair that is weighed."""
        bots = len(self.mu)
        gaps = range(1, min(NEIGHBOURS, bots - 1) + 1)
        low = np.concatenate([np.arange(bots - gap) for gap in gaps])
        high = np.concatenate([np.arange(gap, bots) for gap in gaps])
        return low, high

    def _worth(self, low: IntArray, high: IntArray) -> FloatArray:
        variance = self.variance[self.order]
        games = self.games[self.order]
        confused = self._density(np.sqrt(variance)) * variance**1.5
        spread = self.luck + variance[low] + variance[high]
        information = result_information((self.mu[high] - self.mu[low]) / np.sqrt(spread))
        worth = information / spread * (confused[low] + confused[high])
        starved = (games < LEAST_SHARE * games.mean() - 1.0).astype(np.int64)
        result: FloatArray = worth / worth.max() + 10.0 * (starved[low] + starved[high])
        return result

    def _density(self, sigma: FloatArray) -> FloatArray:
        """Bots per unit of skill around each place, smoothed by the bot's own uncertainty."""
        bots = len(self.mu)
        reach = max(2, int(DENSITY_SHARE * bots))
        places = np.arange(bots)
        left, right = np.maximum(places - reach, 0), np.minimum(places + reach, bots - 1)
        near = right - left
        result: FloatArray = near / (self.mu[right] - self.mu[left] + near * sigma / reach)
        return result

    def _met(self, bot: int, other: int) -> int:
        return self.field.met(bot, other) + self.again.get((bot, other), 0) + self.again.get((other, bot), 0)

    def _take(self, bot: int, other: int) -> None:
        first, second = self._seats(bot, other)
        self.chosen.append(Pairing(first, second))
        self.again[first, second] = self.again.get((first, second), 0) + 1
        self.lead[first] += 1
        self.lead[second] -= 1
        spread = self.luck + self.variance[bot] + self.variance[other]
        for seat in (bot, other):
            self.games[seat] += 1
            self.variance[seat] *= 1.0 - 2.0 / math.pi * self.variance[seat] / spread

    def _seats(self, bot: int, other: int) -> tuple[int, int]:
        """Seat first who sat first less often; then who did so in this pair; then by turns over the field.

        A pair that is out of balance by ``UNEVEN_PAIR`` is evened out before all that.
        """
        meetings = self.field.meetings

        def sat(seat: int, against: int) -> int:
            return meetings.get((seat, against), 0) + self.again.get((seat, against), 0)

        def claim(seat: int, against: int) -> tuple[bool, int, int, int]:
            own = sat(seat, against)
            uneven = own - sat(against, seat) >= UNEVEN_PAIR
            return uneven, self.lead[seat], own, seat if (bot + other) % 2 else -seat

        return (bot, other) if claim(bot, other) <= claim(other, bot) else (other, bot)


def _circle(bots: int, turn: int, table: int) -> Pairing:
    """Pairing at a table in a turn of the circle method; with an odd field one bot rests each turn.

    Seats swap from one full schedule to the next, and within each they differ by one at most.
    """
    ring = bots - 1 if bots % 2 == 0 else bots
    schedule, turn = divmod(turn, ring)
    if bots % 2 == 0 and table == 0:
        first, second, swap = bots - 1, turn, turn % 2 == 1
    else:
        step = table + bots % 2
        first, second, swap = (turn + step) % ring, (turn - step) % ring, False
    return Pairing(first, second) if swap == (schedule % 2 == 1) else Pairing(second, first)


def _check(field: Field, count: int) -> None:
    if count < 0 or (count and len(field.mu) < 2):
        raise UsageError(
            f"cannot choose {count} pairings among {len(field.mu)} bots; two bots or more are needed"
        )
