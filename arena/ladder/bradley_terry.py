"""Strengths from all results at once, whatever their order: a Bradley-Terry fit with 95% intervals.

Model: bot i beats bot j with probability 1 / (1 + 10^((R_j - R_i) / 400)), R on the Elo scale; a draw counts
as half a win (Bradley and Terry, Biometrika 39, 1952; Elo, *The Rating of Chessplayers*, 1978). Each R has a
normal prior around 0 with standard deviation ``prior_elo``, which keeps undefeated bots and separate pools
finite and weighs less than one game between equals. The fit is the mode of the posterior, the interval its
Laplace approximation: the inverse of the Hessian at the mode (MacKay, *Information Theory, Inference, and
Learning Algorithms*, chapter 27). It is a check on TrueSkill, which depends on the order of the results.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena.errors import UsageError

ELO = 400.0 / math.log(10.0)
"""Elo points in one unit of log odds: 173.7."""
PRIOR_ELO = 427.0
"""Spread of TrueSkill's default prior on this scale: one sigma (2 beta) above a bot wins 92.1% against it."""
NORMAL_95 = 1.959964
"""Standard deviations from the mean to either end of a 95% interval."""
MAX_STEPS = 100

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


class Score(NamedTuple):
    """Results of one pair of bots, or some of them."""

    first: int
    """Index of a bot, from 0."""
    second: int
    """Index of its opponent."""
    wins: float
    """Points of the first: wins plus half the draws; 0 or more."""
    losses: float
    """Points of the second; 0 or more."""


@dataclass(frozen=True)
class BradleyTerry:
    """Strengths of a field, in Elo around the field's mean of 0."""

    elo: FloatArray
    """Strength of each bot."""
    low: FloatArray
    """Lower end of the 95% interval of each strength."""
    high: FloatArray
    """Upper end of the 95% interval of each strength."""
    covariance: FloatArray
    """Covariance of the strengths, in Elo squared, bots by bots."""

    def probability_better(self, bot: int, other: int) -> float:
        """Probability that ``bot`` is truly stronger than ``other``; one half for a bot and itself."""
        if bot == other:
            return 0.5
        cov = self.covariance
        variance = cov[bot, bot] + cov[other, other] - 2.0 * cov[bot, other]
        return 0.5 * math.erfc(-(self.elo[bot] - self.elo[other]) / math.sqrt(2.0 * variance))


def fit(bots: int, scores: Iterable[Score], prior_elo: float = PRIOR_ELO) -> BradleyTerry:
    """Fit the strengths of ``bots`` bots, numbered from 0, to all their results.

    The same pair may come more than once, in either order. A bot without results gets the prior. Raises
    :class:`~arena.errors.UsageError` for no bots, a prior that is not above 0, an index outside the field, a
    bot against itself, or negative points. Takes memory of 24 ``bots``^2 bytes and time of ``bots``^3.
    """
    if bots < 1 or not 0.0 < prior_elo < math.inf:
        raise UsageError(f"cannot fit {bots} bots with a prior of {prior_elo} Elo; both must be above 0")
    points = _points(bots, scores)
    strength, hessian = _mode(points, (ELO / prior_elo) ** 2)
    covariance = _about_mean(np.linalg.inv(hessian).astype(np.float64)) * ELO**2
    elo = (strength - strength.mean()) * ELO
    half = NORMAL_95 * np.sqrt(np.maximum(np.diag(covariance), 0.0))
    return BradleyTerry(elo, elo - half, elo + half, covariance)


def disagreements(mu: Sequence[float] | FloatArray, check: BradleyTerry) -> IntArray:
    """Places by which each bot stands lower in the fit than by ``mu``; below 0 it stands higher.

    Equal strengths take the order of their indices in both.
    """
    by_mu = _ranks(np.asarray(mu, dtype=np.float64))
    return _ranks(check.elo) - by_mu


def _ranks(strength: FloatArray) -> IntArray:
    ranks = np.empty(len(strength), dtype=np.int64)
    ranks[np.argsort(-strength, kind="stable")] = np.arange(1, len(strength) + 1)
    return ranks


def _points(bots: int, scores: Iterable[Score]) -> FloatArray:
    """Points of each bot (row) against each other (column)."""
    table = np.array(list(scores), dtype=np.float64).reshape(-1, 4)
    first, second = table[:, 0].astype(np.intp), table[:, 1].astype(np.intp)
    wrong = (first == second) | (np.minimum(first, second) < 0) | (np.maximum(first, second) >= bots)
    wrong |= ~(np.isfinite(table[:, 2:]) & (table[:, 2:] >= 0)).all(axis=1)
    if wrong.any():
        raise UsageError(
            f"{Score(*table[wrong][0])} is no score: two bots from 0 to {bots - 1}, points of 0 or more"
        )
    points = np.zeros((bots, bots))
    np.add.at(points, (first, second), table[:, 2])
    np.add.at(points, (second, first), table[:, 3])
    return points


def _mode(points: FloatArray, precision: float) -> tuple[FloatArray, FloatArray]:
    """Mode of the log posterior, in log odds, and its negated Hessian there, by damped Newton steps."""
    games = points + points.T
    won = points.sum(axis=1)
    strength = np.zeros(len(points))
    for _ in range(MAX_STEPS):
        expected = _win_probability(strength)
        gradient = won - (games * expected).sum(axis=1) - precision * strength
        hessian = _hessian(games * expected * (1.0 - expected), precision)
        step = np.linalg.solve(hessian, gradient)
        largest = float(np.abs(step).max())
        # The log posterior is concave, but far from its mode a full Newton step can overshoot without end.
        strength += step * min(1.0, 2.0 / max(largest, 1e-300))
        if largest < 1e-10:
            return strength, hessian
    raise UsageError(f"the Bradley-Terry fit did not settle in {MAX_STEPS} steps; use a smaller prior_elo")


def _win_probability(strength: FloatArray) -> FloatArray:
    return 1.0 / (1.0 + np.exp(np.clip(strength[None, :] - strength[:, None], -700.0, 700.0)))


def _hessian(information: FloatArray, precision: float) -> FloatArray:
    hessian = -information
    np.fill_diagonal(hessian, information.sum(axis=1) - np.diag(information) + precision)
    return hessian


def _about_mean(covariance: FloatArray) -> FloatArray:
    """Covariance of the deviations from the mean: what the field's own spread does not tell is left out."""
    rows = covariance.mean(axis=0)
    centred: FloatArray = covariance - rows[None, :] - rows[:, None] + rows.mean()
    return centred
