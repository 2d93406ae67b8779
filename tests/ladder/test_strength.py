"""Tests of strength: the ratio, the bounds, what is stored, and how often they err."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.errors import UsageError
from arena.ladder.strength import (
    PAIR_SCORES,
    MarginSums,
    MarginTest,
    Tally,
    Verdict,
    WinTest,
    bootstrap_interval,
    elo_of,
    score_of,
)
from arena.ladder.strength_trials import pair_outcomes, race_pairs, try_margin_test, try_win_test

counts_of_pairs = st.tuples(*(st.integers(0, 500) for _ in range(5)))


def with_counts(*counts: int) -> Tally:
    """Make a tally of wins only; its margins are all 0."""
    pairs = sum(counts)
    return Tally(counts, MarginSums(pairs, 0, 20 * pairs, 0, 0, 400 * pairs))  # type: ignore[arg-type]


def likeliest(counts: list[float], score: float) -> list[float]:
    """Find by bisection the likeliest probabilities of the outcomes that have this expected score."""
    low, high = -1 / (1 - score) + 1e-12, 1 / score - 1e-12
    probabilities = [count / sum(counts) for count in counts]
    for _ in range(200):
        x = (low + high) / 2
        terms = (
            p * (a - score) / (1 + x * (a - score)) for p, a in zip(probabilities, PAIR_SCORES, strict=True)
        )
        low, high = (x, high) if sum(terms) > 0 else (low, x)
    return [p / (1 + low * (a - score)) for p, a in zip(probabilities, PAIR_SCORES, strict=True)]


@given(counts_of_pairs, st.sampled_from([(0.0, 10.0), (-5.0, 5.0), (0.0, 200.0)]))
def test_ratio_is_that_of_the_likeliest_distributions(
    counts: tuple[int, ...], elos: tuple[float, float]
) -> None:
    seen = [max(count, 1e-3) for count in counts]
    p0, p1 = (likeliest(seen, score_of(elo)) for elo in elos)
    for p, elo in ((p0, elos[0]), (p1, elos[1])):
        assert sum(p) == pytest.approx(1.0)
        assert sum(a * q for a, q in zip(PAIR_SCORES, p, strict=True)) == pytest.approx(score_of(elo))
    expected = sum(n * math.log(q1 / q0) for n, q0, q1 in zip(seen, p0, p1, strict=True))
    assert float(WinTest(elo0=elos[0], elo1=elos[1]).llr(counts)) == pytest.approx(expected, abs=1e-6)


@given(counts_of_pairs)
def test_ratio_changes_sign_when_the_sides_change_seats(counts: tuple[int, ...]) -> None:
    test, mirrored = WinTest(elo0=0, elo1=20), WinTest(elo0=-20, elo1=0)
    assert float(test.llr(counts)) == pytest.approx(-float(mirrored.llr(counts[::-1])), abs=1e-6)


def test_ratio_is_near_the_normal_one_for_many_pairs() -> None:
    counts = np.array([5000, 300, 10_000, 320, 5200])
    test = WinTest()
    p = counts / counts.sum()
    mean = p @ PAIR_SCORES
    variance = p @ (PAIR_SCORES - mean) ** 2
    s0, s1 = score_of(test.elo0), score_of(test.elo1)
    normal = counts.sum() * (s1 - s0) * (2 * mean - s0 - s1) / (2 * variance)
    assert float(test.llr(counts)) == pytest.approx(normal, rel=0.01)


def test_bounds_are_walds() -> None:
    test = WinTest(alpha=0.05, beta=0.1)
    assert test.upper == pytest.approx(math.log(0.9 / 0.05))
    assert test.lower == pytest.approx(math.log(0.1 / 0.95))


def test_verdicts() -> None:
    test = WinTest(elo0=0, elo1=50)
    assert test.report(with_counts(60, 0, 100, 0, 40)).verdict is Verdict.ACCEPT_H0
    assert test.report(with_counts(30, 0, 100, 0, 90)).verdict is Verdict.ACCEPT_H1
    assert test.report(with_counts(10, 0, 20, 0, 13)).verdict is Verdict.CONTINUE
    assert test.report(with_counts(0, 0, 0, 0, 15)).verdict is Verdict.CONTINUE


def test_elo_and_score() -> None:
    assert score_of(0) == 0.5
    assert elo_of(0.75) == pytest.approx(190.85, abs=0.01)
    assert elo_of(score_of(-321.0)) == pytest.approx(-321.0)


def test_report_of_wins() -> None:
    report = WinTest().report(with_counts(100, 0, 500, 0, 200))
    assert report.pairs == 800
    assert report.estimate == pytest.approx(elo_of(0.5625))
    # The mean pair score has the variance (100 x 0.5625^2 + 500 x 0.0625^2 + 200 x 0.4375^2) / 800 / 800.
    error = math.sqrt((100 * 0.5625**2 + 500 * 0.0625**2 + 200 * 0.4375**2) / 800 / 800)
    assert report.low == pytest.approx(elo_of(0.5625 - 1.96 * error), abs=0.3)
    assert report.high == pytest.approx(elo_of(0.5625 + 1.96 * error), abs=0.3)
    assert report.likelihood_better is not None
    assert report.likelihood_better > 0.999


def test_reports_without_pairs() -> None:
    for test in (WinTest(), MarginTest()):
        report = test.report(Tally())
        assert (report.verdict, report.pairs, report.estimate, report.pairs_left) == (
            "continue",
            0,
            None,
            None,
        )


@pytest.mark.parametrize("counts", [(0, 0, 0, 0, 40), (40, 0, 0, 0, 0), (0, 0, 40, 0, 0), (0, 0, 0, 0, 1)])
def test_reports_of_pairs_that_are_all_alike_are_finite(counts: tuple[int, ...]) -> None:
    report = WinTest().report(with_counts(*counts))
    assert report.low is not None
    assert report.estimate is not None
    assert report.high is not None
    assert -math.inf < report.low <= report.estimate <= report.high < math.inf
    assert math.isfinite(MarginTest().report(with_counts(*counts)).llr)


def test_a_tally_goes_through_json_and_on() -> None:
    pairs = [(2.0, 110, 11), (1.0, -8, 14), (0.5, -60, 9), (1.5, 44, 10), (0.0, -150, 8)]
    whole = Tally()
    for pair in pairs:
        whole = whole.with_pair(*pair)
    resumed = Tally.from_json(json.loads(json.dumps(Tally().with_pair(*pairs[0]).to_json())))
    for pair in pairs[1:]:
        resumed = resumed.with_pair(*pair)
    assert resumed == whole
    assert whole.counts == (1, 1, 1, 1, 1)
    assert whole.margin == MarginSums(
        5, -64, 52, 110**2 + 8**2 + 60**2 + 44**2 + 150**2, 1210 - 112 - 540 + 440 - 1200, 562
    )


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"counts": [1, 2, 3], "margin": {}},
        {"counts": [0, 0, 0, 0, 0], "margin": {"points": 3}},
        {"counts": [1, 0, 0, 0, 0], "margin": {"pairs": 2}},
        {"counts": [-1, 1, 0, 0, 0], "margin": {"pairs": 0}},
        {"counts": 5, "margin": {}},
    ],
)
def test_what_is_no_tally_is_refused(data: dict[str, object]) -> None:
    with pytest.raises(UsageError, match="is no tally of game pairs"):
        Tally.from_json(data)


@pytest.mark.parametrize("pair", [(0.7, 1, 1), (3.0, 1, 1), (1.0, 1, 0), (1.0, math.nan, 1)])
def test_what_is_no_pair_is_refused(pair: tuple[float, float, int]) -> None:
    with pytest.raises(UsageError, match="no game pair has score"):
        Tally().with_pair(*pair)


def test_hypotheses_out_of_order_are_refused() -> None:
    with pytest.raises(UsageError, match=r"elo0 must be less than elo1"):
        WinTest(elo0=10, elo1=10)
    with pytest.raises(UsageError, match=r"margin0 must be less than margin1"):
        MarginTest(margin0=0.0, margin1=math.nan)
    with pytest.raises(UsageError, match="must lie within 2000 of 0"):
        WinTest(elo1=1e5)
    for alpha, beta in ((0.0, 0.05), (0.05, 0.5)):
        with pytest.raises(UsageError, match=r"both must lie between 0 and 0\.5"):
            WinTest(alpha=alpha, beta=beta)


def tally_of(points: np.ndarray, hands: np.ndarray) -> Tally:
    tally = Tally()
    for p, h in zip(points.tolist(), hands.tolist(), strict=True):
        tally = tally.with_pair(1.0, p, h)
    return tally


def test_report_of_margins() -> None:
    points, hands = race_pairs(0.53, 2000, 17)
    report = MarginTest().report(tally_of(points, hands))
    mean = points.sum() / hands.sum()
    error = np.std(points - mean * hands) / hands.mean() / math.sqrt(2000)
    assert report.estimate == pytest.approx(mean)
    assert report.low == pytest.approx(mean - 1.96 * error, rel=1e-3)
    assert report.high == pytest.approx(mean + 1.96 * error, rel=1e-3)
    # A hand is worth (2 x 0.53 - 1) x 25.17 points.
    assert report.low < 1.51 < report.high


def test_points_a_hand_are_unbiased_although_games_end_at_a_target() -> None:
    points, hands = race_pairs(0.55, 100_000, 18)
    assert points.sum() / hands.sum() == pytest.approx(0.1 * 25.1667, abs=0.08)


def test_bootstrap_interval_is_near_the_normal_one() -> None:
    points, hands = race_pairs(0.5, 1000, 19)
    report = MarginTest().report(tally_of(points, hands))
    low, high = bootstrap_interval(points.tolist(), hands.tolist(), key=1)
    assert low == pytest.approx(report.low, abs=0.06)
    assert high == pytest.approx(report.high, abs=0.06)
    assert bootstrap_interval(points.tolist(), hands.tolist(), key=1) == (low, high)


@pytest.mark.parametrize(("points", "hands"), [([1.0], [9]), ([1.0, 2.0], [9])])
def test_bootstrap_needs_pairs(points: list[float], hands: list[int]) -> None:
    with pytest.raises(UsageError, match="no bootstrap"):
        bootstrap_interval(points, hands, key=1)


def test_elo_interval_holds_the_truth_in_95_percent() -> None:
    rng = np.random.default_rng(20)
    truth = 35.0
    held = 0
    for _ in range(1000):
        counts = rng.multinomial(200, pair_outcomes(truth, draws=0.05, tied=0.2))
        report = WinTest().report(with_counts(*counts.tolist()))
        assert report.low is not None
        assert report.high is not None
        held += report.low <= elo_of(float(pair_outcomes(truth, 0.05, 0.2) @ PAIR_SCORES)) <= report.high
    assert held / 1000 == pytest.approx(0.95, abs=0.02)


def test_projected_pairs_are_those_that_tests_take() -> None:
    test = WinTest(elo0=0, elo1=40)
    outcomes = pair_outcomes(40)
    trials = try_win_test(test, outcomes, 1000, key=21)
    # 16 pairs into the test, at exactly the strength of H1.
    start = test.report(with_counts(*(round(16 * p) for p in outcomes)))
    assert start.pairs_left is not None
    assert 0.5 * trials.pairs < start.pairs_left < 1.5 * trials.pairs


def test_nothing_is_left_after_a_verdict() -> None:
    assert WinTest(elo1=50).report(with_counts(30, 0, 100, 0, 90)).pairs_left == 0.0


def test_pair_outcomes_have_the_strength_asked_for() -> None:
    for elo, draws, tied in ((0, 0, 0), (50, 0.1, 0), (-80, 0.05, 0.4)):
        outcomes = pair_outcomes(elo, draws, tied)
        assert outcomes.sum() == pytest.approx(1.0)
        assert elo_of(float(outcomes @ PAIR_SCORES)) == pytest.approx(elo, abs=1e-9)
    with pytest.raises(UsageError, match="no pairs have 800 Elo"):
        pair_outcomes(800, tied=0.5)


ERROR = 0.05 + 3 * math.sqrt(0.05 * 0.95 / 1000)
"""Three standard errors above a rate of 5%, in 1,000 tests."""


@pytest.mark.parametrize("tied", [0.0, 0.4])
def test_win_test_errs_as_seldom_as_it_says(tied: float) -> None:
    test = WinTest(elo0=0, elo1=50)
    assert try_win_test(test, pair_outcomes(0, tied=tied), 1000, key=22).h1 <= ERROR
    assert try_win_test(test, pair_outcomes(50, tied=tied), 1000, key=23).h0 <= ERROR


def equal_pairs(margin: float, pairs: int, key: int) -> tuple[np.ndarray, np.ndarray]:
    """Make a pool of pairs whose points a hand are this margin, to the last digit."""
    points, hands = race_pairs(0.5 + margin / 25.1667 / 2, pairs, key)
    return points + (margin - points.sum() / hands.sum()) * hands, hands


def test_margin_test_errs_as_seldom_as_it_says() -> None:
    test = MarginTest(margin1=3.0)
    assert try_margin_test(test, *equal_pairs(0.0, 50_000, 24), 1000, key=25).h1 <= ERROR
    assert try_margin_test(test, *equal_pairs(3.0, 50_000, 26), 1000, key=27).h0 <= ERROR


@pytest.mark.slow
@pytest.mark.parametrize("tied", [0.0, 0.4])
def test_win_test_errs_as_seldom_as_it_says_in_10_000_tests(tied: float) -> None:
    for elo1, every in ((10, 10), (50, 1)):
        test = WinTest(elo0=0, elo1=elo1)
        null = try_win_test(test, pair_outcomes(0, tied=tied), 10_000, key=28, every=every)
        alternative = try_win_test(test, pair_outcomes(elo1, tied=tied), 10_000, key=29, every=every)
        assert null.open == alternative.open == 0
        assert null.h1 <= 0.057
        assert alternative.h1 >= 0.943


@pytest.mark.slow
def test_margin_test_errs_as_seldom_as_it_says_in_10_000_tests() -> None:
    for margin1 in (1.0, 3.0):
        test = MarginTest(margin1=margin1)
        null = try_margin_test(test, *equal_pairs(0.0, 200_000, 30), 10_000, key=31)
        alternative = try_margin_test(test, *equal_pairs(margin1, 200_000, 32), 10_000, key=33)
        assert null.open == alternative.open == 0
        assert null.h1 <= 0.057
        assert alternative.h1 >= 0.943


def test_trials_that_cannot_be_are_refused() -> None:
    with pytest.raises(UsageError, match="are not the probabilities"):
        try_win_test(WinTest(), [0.5, 0.5, 0.5, 0, 0], 10, key=1)
    with pytest.raises(UsageError, match="needs points and hands of one length"):
        try_margin_test(MarginTest(), [1.0], [1, 2], 10, key=1)


def test_trials_give_up() -> None:
    trials = try_win_test(WinTest(elo1=1.0), pair_outcomes(0), 10, key=1, most=20)
    assert (trials.open, trials.pairs) == (1.0, 20.0)
