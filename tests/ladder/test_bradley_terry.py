"""The order-free fit: known odds, finite extremes, intervals that hold."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.errors import UsageError
from arena.ladder.bradley_terry import ELO, PRIOR_ELO, Score, disagreements, fit

BOTS = 5
scores = st.lists(
    st.builds(
        lambda first, step, wins, losses: Score(first, (first + step) % BOTS, wins, losses),
        st.integers(0, BOTS - 1),
        st.integers(1, BOTS - 1),
        st.integers(0, 20),
        st.integers(0, 20),
    ),
    max_size=12,
)


def test_three_to_one_is_191_elo() -> None:
    elo = fit(2, [Score(0, 1, 300, 100)], prior_elo=1e6).elo
    assert elo[0] - elo[1] == pytest.approx(400 * math.log10(3), abs=0.01)


def test_interval_of_two_bots() -> None:
    check = fit(2, [Score(0, 1, 300, 100)], prior_elo=1e6)
    # The log odds of a share p of n games have the variance 1 / (n p (1 - p)); each bot takes half of them.
    half = 1.959964 * ELO / math.sqrt(400 * 0.75 * 0.25) / 2
    assert check.high[0] - check.elo[0] == pytest.approx(half, rel=1e-4)
    assert check.elo[0] - check.low[0] == pytest.approx(half, rel=1e-4)


def test_as_many_points_for_both_are_no_difference() -> None:
    assert fit(2, [Score(0, 1, 7.5, 7.5)]).elo == pytest.approx([0.0, 0.0], abs=1e-9)


@given(scores, st.randoms(use_true_random=False))
def test_the_order_of_results_does_not_matter(results: list[Score], rng: random.Random) -> None:
    shuffled = [
        Score(s.second, s.first, s.losses, s.wins) if rng.random() < 0.5 else s
        for s in rng.sample(results, len(results))
    ]
    one, other = fit(BOTS, results), fit(BOTS, shuffled)
    assert other.elo == pytest.approx(one.elo, abs=1e-6)
    assert other.high == pytest.approx(one.high, abs=1e-6)


@given(scores)
@settings(max_examples=50)
def test_the_field_has_mean_0_and_finite_intervals(results: list[Score]) -> None:
    check = fit(BOTS, results)
    assert check.elo.sum() == pytest.approx(0.0, abs=1e-6)
    assert np.isfinite(check.low).all()
    assert (check.low < check.elo).all()
    assert (check.elo < check.high).all()


def test_undefeated_bots_are_finite_and_first() -> None:
    check = fit(3, [Score(0, 1, 1000, 0), Score(0, 2, 1000, 0), Score(1, 2, 3, 1)])
    assert check.elo[0] == check.elo.max()
    assert 500 < check.elo[0] < 2000
    assert check.high[0] - check.elo[0] > check.high[1] - check.elo[1]


def test_bots_without_results_have_the_prior() -> None:
    check = fit(2, [])
    assert list(check.elo) == [0.0, 0.0]
    assert check.high == pytest.approx([1.959964 * PRIOR_ELO / math.sqrt(2)] * 2)


def test_a_prior_weighs_less_than_one_game_between_equals() -> None:
    assert (ELO / PRIOR_ELO) ** 2 < 0.25


def test_intervals_hold_the_truth_in_95_percent() -> None:
    rng = np.random.default_rng(11)
    held = []
    for _ in range(40):
        truth = rng.normal(0, 200, 30)
        truth -= truth.mean()
        first = rng.integers(0, 30, 1500)
        second = (first + rng.integers(1, 30, 1500)) % 30
        won = rng.random(1500) < 1 / (1 + 10 ** ((truth[second] - truth[first]) / 400))
        check = fit(30, [Score(a, b, w, 1 - w) for a, b, w in zip(first, second, won, strict=True)])
        held.append(((check.low <= truth) & (truth <= check.high)).mean())
    assert np.mean(held) == pytest.approx(0.95, abs=0.015)


def test_probability_better() -> None:
    check = fit(3, [Score(0, 1, 60, 40), Score(1, 2, 60, 40)])
    assert check.probability_better(0, 0) == 0.5
    assert check.probability_better(0, 1) + check.probability_better(1, 0) == pytest.approx(1.0)
    assert 0.9 < check.probability_better(0, 1) < check.probability_better(0, 2)


def test_disagreements_are_places_that_the_fit_puts_a_bot_lower() -> None:
    check = fit(3, [Score(0, 1, 90, 10), Score(1, 2, 90, 10)])
    assert list(disagreements([30.0, 25.0, 20.0], check)) == [0, 0, 0]
    assert list(disagreements([20.0, 25.0, 30.0], check)) == [-2, 0, 2]


def test_a_thousand_bots() -> None:
    rng = np.random.default_rng(12)
    truth = rng.normal(0, 300, 1000)
    first = rng.integers(0, 1000, 30_000)
    second = (first + rng.integers(1, 1000, 30_000)) % 1000
    won = rng.random(30_000) < 1 / (1 + 10 ** ((truth[second] - truth[first]) / 400))
    check = fit(1000, [Score(a, b, w, 1 - w) for a, b, w in zip(first, second, won, strict=True)])
    assert np.corrcoef(check.elo, truth)[0, 1] > 0.97


@pytest.mark.parametrize(
    "score",
    [Score(0, 0, 1, 0), Score(0, 5, 1, 0), Score(-1, 0, 1, 0), Score(0, 1, -1, 0), Score(0, 1, math.nan, 0)],
)
def test_scores_that_are_none_are_refused(score: Score) -> None:
    with pytest.raises(UsageError, match="is no score"):
        fit(5, [Score(0, 1, 1, 0), score])


@pytest.mark.parametrize(("bots", "prior"), [(0, 400.0), (2, 0.0), (2, math.inf), (2, math.nan)])
def test_a_fit_needs_bots_and_a_prior(bots: int, prior: float) -> None:
    with pytest.raises(UsageError, match="cannot fit"):
        fit(bots, [], prior)
