"""Is A better than B? Sequential tests on game pairs, which stop as soon as they are sure.

A pair is two games on the same decks with seats swapped; pairs are independent of each other, the two games
of a pair are not, so the pair is the unit of both tests. Each test weighs two hypotheses by a generalised log
likelihood ratio and stops at Wald's bounds (Wald, *Sequential Analysis*, 1947). The false-positive rates and
the power that were measured are in ``docs/ratings.md``.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arena.errors import UsageError
from arena.ladder.truncation import cumulative

FloatArray = NDArray[np.float64]

PAIR_SCORES = np.array([0.0, 0.25, 0.5, 0.75, 1.0])
"""Mean score a game of each of the five outcomes of a pair: LL, LD, LW or DD, DW, WW."""
NORMAL_95 = 1.959964
"""Standard deviations from the mean to either end of a 95% interval."""
LEAST_COUNT = 1e-3
"""Count that stands in for an outcome that was never seen, as in fishtest and fastchess."""
MOST_ELO = 2000
"""No test of wins asks for a larger difference: 1 lost game in 100,000."""
LEAST_PAIRS = 16
"""No test stops before this number of pairs: the variance is estimated from them."""


class Verdict(StrEnum):
    """Where a sequential test stands."""

    CONTINUE = "continue"
    ACCEPT_H0 = "h0"
    ACCEPT_H1 = "h1"


class MarginSums(NamedTuple):
    """Sums over pairs of A's points minus B's (p) and of the number of hands (h)."""

    pairs: int = 0
    p: float = 0.0
    h: float = 0.0
    pp: float = 0.0
    ph: float = 0.0
    hh: float = 0.0


@dataclass(frozen=True)
class Tally:
    """All that the tests need to know of the pairs so far, from A's side, in a few numbers."""

    counts: tuple[int, int, int, int, int] = (0, 0, 0, 0, 0)
    """Pairs by outcome: LL, LD, LW or DD, DW, WW."""
    margin: MarginSums = field(default_factory=MarginSums)
    """Sums of points and hands."""

    def with_pair(self, score: float, points: float, hands: int) -> "Tally":
        """Add a pair: A's score in it (0, 0.5 ... 2), A's points minus B's, and hands, over both games.

        Raises :class:`~arena.errors.UsageError` for a score that no pair has, or for no hands.
        """
        if score not in (0.0, 0.5, 1.0, 1.5, 2.0) or hands < 1 or not math.isfinite(points):
            raise UsageError(f"no game pair has score {score!r} with {points!r} points in {hands!r} hands")
        counts = [count + (place == round(2 * score)) for place, count in enumerate(self.counts)]
        old = self.margin
        margin = MarginSums(
            pairs=old.pairs + 1,
            p=old.p + points,
            h=old.h + hands,
            pp=old.pp + points * points,
            ph=old.ph + points * hands,
            hh=old.hh + hands * hands,
        )
        return Tally((counts[0], counts[1], counts[2], counts[3], counts[4]), margin)

    def to_json(self) -> dict[str, Any]:
        """Make a value that :func:`json.dumps` takes and :meth:`from_json` reads."""
        return {"counts": list(self.counts), "margin": self.margin._asdict()}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "Tally":
        """Read what :meth:`to_json` made. Raises :class:`~arena.errors.UsageError` for anything else."""
        try:
            ll, ld, even, dw, ww = (int(count) for count in data["counts"])
            tally = cls((ll, ld, even, dw, ww), MarginSums(**data["margin"]))
        except (KeyError, TypeError, ValueError) as error:
            raise UsageError(f"{data!r} is no tally of game pairs: {error}") from error
        if min(tally.counts) < 0 or sum(tally.counts) != tally.margin.pairs:
            raise UsageError(f"{data!r} is no tally of game pairs: counts and margin do not agree")
        return tally


@dataclass(frozen=True)
class Report:
    """Where a test stands, from A's side; in Elo for wins, in points a hand for margins."""

    verdict: Verdict
    llr: float
    """Log of the generalised likelihood ratio of H1 to H0."""
    lower: float
    """Value of ``llr`` at which H0 is accepted; below 0."""
    upper: float
    """Value of ``llr`` at which H1 is accepted; above 0."""
    pairs: int
    """Pairs played."""
    estimate: float | None = None
    """Strength of A over B; None without pairs."""
    low: float | None = None
    """Lower end of its 95% interval; None as long as there are fewer than two pairs."""
    high: float | None = None
    """Upper end of its 95% interval."""
    likelihood_better: float | None = None
    """Probability, from 0 to 1, that A is better than B at all, by the normal approximation."""
    pairs_left: float | None = None
    """Pairs still to be expected until the test stops, if A is as strong as it has shown; 0 once it has."""


@dataclass(frozen=True, kw_only=True)
class _Test:
    """Error rates, and the bounds that they give."""

    alpha: float
    beta: float

    def _check(self, name: str, h0: float, h1: float) -> None:
        if not (math.isfinite(h0) and math.isfinite(h1) and h0 < h1):
            raise UsageError(f"{name}0 is {h0!r} and {name}1 {h1!r}; {name}0 must be less than {name}1")
        if not (0 < self.alpha < 0.5 and 0 < self.beta < 0.5):
            raise UsageError(
                f"alpha is {self.alpha!r} and beta {self.beta!r}; both must lie between 0 and 0.5"
            )

    @property
    def lower(self) -> float:
        """Wald's bound for accepting H0."""
        return math.log(self.beta / (1.0 - self.alpha))

    @property
    def upper(self) -> float:
        """Wald's bound for accepting H1."""
        return math.log((1.0 - self.beta) / self.alpha)

    def verdict(self, llr: float, pairs: int) -> Verdict:
        """Say what the ratio allows to conclude after so many pairs."""
        if pairs < LEAST_PAIRS or self.lower < llr < self.upper:
            return Verdict.CONTINUE
        return Verdict.ACCEPT_H1 if llr > 0 else Verdict.ACCEPT_H0

    def _left(self, verdict: Verdict, llr: float, step: float, distance: float, variance: float) -> float:
        """Expected pairs to a bound, for a true strength that is ``step`` distances of the hypotheses above
        their middle.

        The ratio is taken for a Brownian motion, whose mean exit time is known (Karlin and Taylor, *A First
        Course in Stochastic Processes*, 7.5).
        """
        if verdict is not Verdict.CONTINUE:
            return 0.0
        below, above = max(llr - self.lower, 0.0), max(self.upper - llr, 0.0)
        diffusion = distance * distance / variance
        if step < 0:
            step, below, above = -step, above, below
        if 2.0 * step * (below + above) < 1e-6:
            return below * above / diffusion
        reach_above = math.expm1(-2.0 * step * below) / math.expm1(-2.0 * step * (below + above))
        return (reach_above * (below + above) - below) / (diffusion * step)


@dataclass(frozen=True, kw_only=True)
class WinTest(_Test):
    """Test of wins: H0, A is ``elo0`` above B, against H1, A is ``elo1`` above B, on the logistic Elo scale.

    The ratio is that of the most likely distributions of the five pair outcomes with the two expected scores
    (GSPRT; Van den Bergh, *Comments on Normalized Elo*, proposition 1.1, as fishtest and fastchess use it).
    ``alpha`` bounds the rate of H1 where H0 is true, ``beta`` that of H0 where H1 is true. Raises
    :class:`~arena.errors.UsageError` unless -2000 <= elo0 < elo1 <= 2000 and both rates lie between 0 and
    0.5.
    """

    elo0: float = 0.0
    elo1: float = 10.0
    alpha: float = 0.05
    beta: float = 0.05

    def __post_init__(self) -> None:
        self._check("elo", self.elo0, self.elo1)
        if max(-self.elo0, self.elo1) > MOST_ELO:
            raise UsageError(
                f"elo0 is {self.elo0} and elo1 {self.elo1}; both must lie within {MOST_ELO} of 0"
            )

    def report(self, tally: Tally) -> Report:
        """Say where the test stands."""
        counts, pairs = np.array(tally.counts, dtype=np.float64), sum(tally.counts)
        llr = float(self.llr(counts))
        verdict = self.verdict(llr, pairs)
        if not pairs:
            return Report(verdict, 0.0, self.lower, self.upper, 0)
        # Half a pair won and half a pair lost keep the variance above 0 and the interval inside the scale.
        probabilities = (counts + np.array([0.5, 0.0, 0.0, 0.0, 0.5])) / (pairs + 1.0)
        mean = float(probabilities @ PAIR_SCORES)
        variance = float(probabilities @ (PAIR_SCORES - mean) ** 2)
        error = math.sqrt(variance / pairs)
        edge = 0.25 / (pairs + 1.0)
        shown = min(max(float(counts @ PAIR_SCORES) / pairs, edge), 1.0 - edge)
        low, high = min(mean - NORMAL_95 * error, shown), max(mean + NORMAL_95 * error, shown)
        score0, score1 = score_of(self.elo0), score_of(self.elo1)
        step = (shown - (score0 + score1) / 2.0) / (score1 - score0)
        return Report(
            verdict=verdict,
            llr=llr,
            lower=self.lower,
            upper=self.upper,
            pairs=pairs,
            estimate=elo_of(shown),
            low=elo_of(max(low, edge)),
            high=elo_of(min(high, 1.0 - edge)),
            likelihood_better=cumulative((mean - 0.5) / error),
            pairs_left=self._left(verdict, llr, step, score1 - score0, variance),
        )

    def llr(self, counts: ArrayLike) -> FloatArray:
        """Log likelihood ratio for counts of the five pair outcomes, along the last axis."""
        seen = np.maximum(np.asarray(counts, dtype=np.float64), LEAST_COUNT)
        weight0 = _constrained(seen, score_of(self.elo0))
        weight1 = _constrained(seen, score_of(self.elo1))
        ratio: FloatArray = (seen * np.log(weight0 / weight1)).sum(axis=-1)
        return ratio


@dataclass(frozen=True, kw_only=True)
class MarginTest(_Test):
    """Test of points a hand: H0, A gains ``margin0`` a hand from B, against H1, A gains ``margin1``.

    The estimate is points over hands. Because a game ends at a target, its number of hands depends on its
    points; the ratio estimator stays right (Wald's identity), with the variance of p - estimate x h over the
    pairs (Cochran, *Sampling Techniques*, chapter 6). The likelihood ratio is that of two means of a normal
    sample of n pairs with mean m and unknown variance, whose estimate is v:
    n / 2 x log((v + (m - margin0)^2) / (v + (m - margin1)^2)). Raises
    :class:`~arena.errors.UsageError` unless margin0 < margin1 and both rates lie between 0 and 0.5.
    """

    margin0: float = 0.0
    margin1: float = 1.0
    alpha: float = 0.05
    beta: float = 0.05

    def __post_init__(self) -> None:
        self._check("margin", self.margin0, self.margin1)

    def report(self, tally: Tally) -> Report:
        """Say where the test stands."""
        pairs = tally.margin.pairs
        if pairs < 2:
            estimate = tally.margin.p / tally.margin.h if pairs else None
            return Report(Verdict.CONTINUE, 0.0, self.lower, self.upper, pairs, estimate)
        llr, mean, variance = (float(value) for value in self.llr(np.array(tally.margin)))
        verdict = self.verdict(llr, pairs)
        error = math.sqrt(variance / (pairs - 1))
        step = (mean - (self.margin0 + self.margin1) / 2.0) / (self.margin1 - self.margin0)
        return Report(
            verdict=verdict,
            llr=llr,
            lower=self.lower,
            upper=self.upper,
            pairs=pairs,
            estimate=mean,
            low=mean - NORMAL_95 * error,
            high=mean + NORMAL_95 * error,
            likelihood_better=cumulative(mean / error),
            pairs_left=self._left(verdict, llr, step, self.margin1 - self.margin0, variance),
        )

    def llr(self, sums: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Log likelihood ratio, estimate, and variance of one pair, for margin sums along the last axis."""
        pairs, p, h, pp, ph, hh = np.moveaxis(sums, -1, 0)
        mean = p / h
        residual = (pp - 2.0 * mean * ph + mean * mean * hh) / pairs
        # Pairs that are all alike would leave no variance, and a ratio without bounds.
        variance = np.maximum(residual / (h / pairs) ** 2, 1e-9)
        far0, far1 = variance + (mean - self.margin0) ** 2, variance + (mean - self.margin1) ** 2
        return pairs / 2.0 * np.log(far0 / far1), mean, variance


def score_of(elo: float) -> float:
    """Expected score a game, between 0 and 1, of a player ``elo`` points above its opponent."""
    return 1.0 / (1.0 + math.pow(10.0, -elo / 400.0))


def elo_of(score: float) -> float:
    """Elo points above the opponent of a player with this expected score, between 0 and 1."""
    return -400.0 * math.log10(1.0 / score - 1.0)


def bootstrap_interval(
    points: Sequence[float], hands: Sequence[int], key: int, resamples: int = 2000
) -> tuple[float, float]:
    """95% interval of points a hand, by resampling whole pairs (Efron's percentile bootstrap).

    ``points`` and ``hands`` hold one value a pair, as in :meth:`Tally.with_pair`; the same ``key`` gives the
    same interval. Raises :class:`~arena.errors.UsageError` for fewer than two pairs or unequal lengths.
    """
    if len(points) != len(hands) or len(points) < 2:
        raise UsageError(
            f"no bootstrap of {len(points)} points and {len(hands)} hands; two pairs or more needed"
        )
    rng = np.random.default_rng(key)
    p, h = np.asarray(points, dtype=np.float64), np.asarray(hands, dtype=np.float64)
    means = np.empty(resamples)
    for place in range(resamples):
        picked = rng.integers(len(p), size=len(p))
        means[place] = p[picked].sum() / h[picked].sum()
    low, high = np.quantile(means, [0.025, 0.975])
    return float(low), float(high)


def _constrained(counts: FloatArray, score: float) -> FloatArray:
    """Factors 1 + x (a - score) that divide the counts in the likeliest distribution with that mean score.

    x solves sum(counts (a - score) / (1 + x (a - score))) = 0; the left side falls from + to - infinity
    between the two poles, so Newton's steps are kept inside a shrinking bracket.
    """
    away = PAIR_SCORES - score
    low = np.full(counts.shape[:-1], -1.0 / away[-1])
    high = np.full(counts.shape[:-1], -1.0 / away[0])
    x = np.zeros(counts.shape[:-1])
    for _ in range(100):
        terms = away / (1.0 + x[..., None] * away)
        value = (counts * terms).sum(axis=-1)
        slope = (counts * terms * terms).sum(axis=-1)
        low, high = np.where(value > 0, x, low), np.where(value < 0, x, high)
        newton = x + value / slope
        inside = (newton > low) & (newton < high)
        new = np.where(inside, newton, (low + high) / 2.0)
        done = np.abs(new - x).max(initial=0.0) < 1e-12
        x = new
        if done:
            break
    result: FloatArray = 1.0 + x[..., None] * away
    return result
