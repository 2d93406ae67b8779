"""How often the tests of strength err: whole tests played out on simulated pairs, thousands side by side."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arena.errors import UsageError
from arena.ladder.strength import LEAST_PAIRS, MarginTest, WinTest, score_of

FloatArray = NDArray[np.float64]

HAND_POINTS = (1, 3, 5, 7, 9, 12, 15, 18, 22, 26, 30, 31, 34, 38, 42, 47, 53, 60)
"""Points that a hand may bring its winner in the simulated races, each as likely; 25.2 on the mean."""


@dataclass(frozen=True)
class Trials:
    """What came of many tests under one and the same truth."""

    tests: int
    h1: float
    """Share of the tests that accepted H1: the false-positive rate if H0 is true, the power if H1 is."""
    h0: float
    """Share of the tests that accepted H0."""
    open: float
    """Share of the tests that had not stopped after ``most`` pairs."""
    pairs: float
    """Mean number of pairs that a test took."""


def try_win_test(
    test: WinTest, outcomes: ArrayLike, tests: int, key: int, most: int = 50_000, every: int = 1
) -> Trials:
    """Play out ``tests`` tests of wins on pairs with these probabilities of LL, LD, LW or DD, DW, WW.

    A test is looked at after ``every`` so many pairs and given up after ``most``. The same ``key`` gives the
    same trials. Raises :class:`~arena.errors.UsageError` for probabilities that are none.
    """
    probabilities = np.asarray(outcomes, dtype=np.float64)
    if probabilities.shape != (5,) or (probabilities < 0).any() or abs(probabilities.sum() - 1.0) > 1e-9:
        raise UsageError(f"{outcomes!r} are not the probabilities of the five outcomes of a pair")

    def draw(rng: np.random.Generator, active: int) -> FloatArray:
        return rng.multinomial(every, probabilities, size=active).astype(np.float64)

    return _run(test, draw, test.llr, 5, tests, key, most, every)


def try_margin_test(
    test: MarginTest,
    points: ArrayLike,
    hands: ArrayLike,
    tests: int,
    key: int,
    most: int = 50_000,
    every: int = 1,
) -> Trials:
    """Play out ``tests`` tests of points a hand on pairs drawn, with replacement, from a pool of pairs.

    ``points`` and ``hands`` hold one value a pair of the pool; the rest is as in :func:`try_win_test`. Raises
    :class:`~arena.errors.UsageError` for columns of unequal length or an empty pool.
    """
    p, h = np.asarray(points, dtype=np.float64), np.asarray(hands, dtype=np.float64)
    if p.shape != h.shape or p.ndim != 1 or not len(p):
        raise UsageError(f"a pool of pairs needs points and hands of one length, not {p.shape} and {h.shape}")
    sums = np.stack([np.ones_like(p), p, h, p * p, p * h, h * h], axis=1)

    def draw(rng: np.random.Generator, active: int) -> FloatArray:
        drawn: FloatArray = sums[rng.integers(len(p), size=(active, every))].sum(axis=1)
        return drawn

    return _run(test, draw, lambda tally: test.llr(tally)[0], 6, tests, key, most, every)


def _run(
    test: WinTest | MarginTest,
    draw: Callable[[np.random.Generator, int], FloatArray],
    llr: Callable[[FloatArray], FloatArray],
    columns: int,
    tests: int,
    key: int,
    most: int,
    every: int,
) -> Trials:
    rng = np.random.default_rng(key)
    tallies = np.zeros((tests, columns))
    accepted_h1 = accepted_h0 = pairs = taken = 0
    while len(tallies) and pairs < most:
        tallies += draw(rng, len(tallies))
        pairs += every
        if pairs < LEAST_PAIRS:
            continue
        ratio = llr(tallies)
        over, under = ratio >= test.upper, ratio <= test.lower
        stopped = over | under
        accepted_h1 += int(over.sum())
        accepted_h0 += int(under.sum())
        taken += pairs * int(stopped.sum())
        tallies = tallies[~stopped]
    taken += pairs * len(tallies)
    return Trials(tests, accepted_h1 / tests, accepted_h0 / tests, len(tallies) / tests, taken / tests)


def pair_outcomes(elo: float, draws: float = 0.0, tied: float = 0.0) -> FloatArray:
    """Probabilities of the five pair outcomes for A ``elo`` above B.

    ``tied`` is the share of pairs whose decks alone decide both games, one win each; ``draws`` that of drawn
    games in the others. Raises :class:`~arena.errors.UsageError` if they leave no room for ``elo``.
    """
    score = (score_of(elo) - tied / 2.0) / (1.0 - tied) if 0 <= tied < 1 else -1.0
    win = score - draws / 2.0
    lose = 1.0 - win - draws
    if draws < 0 or win < 0 or lose < 0:
        raise UsageError(f"no pairs have {elo} Elo, {draws} of the games drawn and {tied} of the pairs tied")
    free = np.array(
        [lose * lose, 2 * lose * draws, 2 * win * lose + draws * draws, 2 * win * draws, win * win]
    )
    outcomes: FloatArray = (1.0 - tied) * free
    outcomes[2] += tied
    return outcomes


def race_pairs(
    hand_wins: float, pairs: int, key: int, target: int = 100
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Points and hands of pairs of games, each a race to ``target``.

    A wins a hand with probability ``hand_wins``; it brings its winner one of ``HAND_POINTS``, so that a hand
    is worth (2 x ``hand_wins`` - 1) x 25.2 points to A. As in the real game, hands depend on points.
    """
    rng = np.random.default_rng(key)
    totals = np.zeros((2 * pairs, 2), dtype=np.int64)
    hands = np.zeros(2 * pairs, dtype=np.int64)
    racing = np.arange(2 * pairs)
    while len(racing):
        winner = (rng.random(len(racing)) >= hand_wins).astype(np.int64)
        totals[racing, winner] += rng.choice(np.array(HAND_POINTS), size=len(racing))
        hands[racing] += 1
        racing = racing[totals[racing].max(axis=1) < target]
    margins = totals[:, 0] - totals[:, 1]
    return margins.reshape(-1, 2).sum(axis=1), hands.reshape(-1, 2).sum(axis=1)
