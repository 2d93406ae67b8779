"""Ratings: the package's values, the closed form, the extremes, and folds of whole streams."""

from __future__ import annotations

import math
import random
from statistics import NormalDist

import pytest
import trueskill
from hypothesis import given
from hypothesis import strategies as st

from arena.errors import UsageError
from arena.ladder.rating import (
    GuardedResult,
    Rating,
    RatingSettings,
    RatingUpdate,
    Result,
    rate,
    rate_two,
    recompute,
    update_two,
)
from arena.ladder.truncation import cumulative, density

SETTINGS = RatingSettings()
NO_DRAWS = RatingSettings(draw_probability=0.0)

ratings = st.builds(Rating, st.floats(-200, 200), st.floats(0.01, 50))
wild_ratings = st.builds(Rating, st.floats(-1e6, 1e6), st.floats(1e-3, 1e3))


def package(settings: RatingSettings) -> trueskill.TrueSkill:
    """Make the package's own environment, with the exact normal distribution for its approximate one."""
    return trueskill.TrueSkill(
        settings.mu,
        settings.sigma,
        settings.beta,
        settings.tau,
        settings.draw_probability,
        backend=(cumulative, density, NormalDist().inv_cdf),
    )


def numbers(update: RatingUpdate) -> list[float]:
    return [value for group in update.groups for r in group for value in (r.mu, r.sigma)]


def by_package(settings: RatingSettings, groups: list[list[Rating]], ranks: list[float]) -> list[float]:
    rated = package(settings).rate([[trueskill.Rating(r.mu, r.sigma) for r in g] for g in groups], ranks)
    return [value for group in rated for r in group for value in (r.mu, r.sigma)]


def test_published_values() -> None:
    settings = RatingSettings(tau=25 / 300, draw_probability=0.1)
    new = settings.newcomer()
    assert numbers(rate_two(settings, new, new)) == pytest.approx([29.396, 7.171, 20.604, 7.171], abs=5e-4)
    assert numbers(rate_two(settings, new, new, drawn=True)) == pytest.approx([25, 6.458] * 2, abs=5e-4)


def test_conservative_rating_is_three_sigma_below_the_mean() -> None:
    assert Rating(30.0, 2.0).conservative == 24.0


def compare_with_package(updates: int) -> None:
    rng = random.Random(7)
    environment = package(SETTINGS)
    worst = 0.0
    for _ in range(updates):
        a, b = (Rating(rng.gauss(25, 12), rng.uniform(0.3, 8.4)) for _ in range(2))
        drawn = rng.random() < 0.1
        old = [(trueskill.Rating(a.mu, a.sigma),), (trueskill.Rating(b.mu, b.sigma),)]
        rated = environment.rate(old, [0, 0 if drawn else 1])
        expected = [value for (r,) in rated for value in (r.mu, r.sigma)]
        got = update_two(SETTINGS, a.mu, a.sigma, b.mu, b.sigma, drawn)[:4]
        worst = max(worst, *(abs(g - e) for g, e in zip(got, expected, strict=True)))
    assert worst < 1e-6


def test_closed_form_equals_the_package() -> None:
    compare_with_package(20_000)


@pytest.mark.slow
def test_closed_form_equals_the_package_a_million_times() -> None:
    compare_with_package(1_000_000)


def test_closed_form_equals_the_package_as_shipped_within_its_own_approximation() -> None:
    rng = random.Random(8)
    environment = trueskill.TrueSkill(tau=0.0, draw_probability=0.01)
    for _ in range(2_000):
        a, b = (Rating(rng.gauss(25, 8), rng.uniform(0.5, 8.4)) for _ in range(2))
        rated = environment.rate([(trueskill.Rating(r.mu, r.sigma),) for r in (a, b)])
        expected = [value for (r,) in rated for value in (r.mu, r.sigma)]
        assert numbers(rate_two(SETTINGS, a, b)) == pytest.approx(expected, abs=2e-5)


@given(ratings, ratings, st.booleans())
def test_closed_form_and_factor_graph_agree_far_out(a: Rating, b: Rating, drawn: bool) -> None:
    graph = rate(SETTINGS, [[a], [b]], [0, 0 if drawn else 1])
    closed = rate_two(SETTINGS, a, b, drawn)
    assert numbers(graph) == pytest.approx(numbers(closed), rel=1e-6, abs=1e-6)
    assert (graph.guarded is None) == (closed.guarded is None)


@given(wild_ratings, wild_ratings, st.booleans(), st.sampled_from([SETTINGS, NO_DRAWS]))
def test_every_result_of_two_has_a_finite_rating(
    a: Rating, b: Rating, drawn: bool, settings: RatingSettings
) -> None:
    for update in (rate_two(settings, a, b, drawn), rate(settings, [[a], [b]], [1, 1 if drawn else 2])):
        (new_a,), (new_b,) = update.groups
        assert new_a.sigma <= a.sigma * (1 + 1e-9)
        assert new_b.sigma <= b.sigma * (1 + 1e-9)
        if not drawn:
            assert new_a.mu >= a.mu - 1e-9 * abs(a.mu)
            assert new_b.mu <= b.mu + 1e-9 * abs(b.mu)


def test_the_package_itself_fails_where_the_guard_holds() -> None:
    environment = trueskill.TrueSkill(tau=0.0, draw_probability=0.0)
    low, high = trueskill.Rating(0.0, 1.0), trueskill.Rating(1000.0, 1.0)
    for ranks in ([0, 1], [1, 0], [0, 0]):
        with pytest.raises((FloatingPointError, ZeroDivisionError)):
            environment.rate([(low,), (high,)], ranks)
        update = rate(NO_DRAWS, [[Rating(0.0, 1.0)], [Rating(1000.0, 1.0)]], ranks)
        assert all(math.isfinite(value) for value in numbers(update))


def test_an_extreme_upset_is_marked() -> None:
    update = rate_two(SETTINGS, Rating(0.0, 1.0), Rating(100.0, 1.0))
    assert update.guarded is not None
    assert "extreme upset" in update.guarded
    assert "16.5 standard deviations" in update.guarded
    # The surprise is shared in proportion to the variances, 1 : 1 : 2 beta^2.
    share = 1.0 / (2 * SETTINGS.beta**2 + 2)
    assert numbers(update)[0] == pytest.approx(100 * share, rel=0.01)


def test_an_expected_win_is_not_marked_and_changes_nothing() -> None:
    strong, weak = Rating(1000.0, 1.0), Rating(0.0, 1.0)
    for update in (rate_two(SETTINGS, strong, weak), rate(SETTINGS, [[strong], [weak]], [0, 1])):
        assert update == RatingUpdate([(strong,), (weak,)])


def test_a_draw_at_probability_0_is_rated_as_the_narrowest_draw_and_marked() -> None:
    new = NO_DRAWS.newcomer()
    nearly = RatingSettings(draw_probability=1e-3)
    for update in (rate_two(NO_DRAWS, new, new, drawn=True), rate(NO_DRAWS, [[new], [new]], [0, 0])):
        assert update.guarded is not None
        assert "draw_probability is 0" in update.guarded
        assert numbers(update) == pytest.approx(numbers(rate_two(nearly, new, new, drawn=True)), abs=1e-5)


def test_three_sides_and_teams_equal_the_package() -> None:
    rng = random.Random(9)
    for sizes in ((1, 1, 1), (2, 2), (1, 2, 1), (3, 3), (1, 1, 1, 1)):
        for _ in range(20):
            groups = [[Rating(rng.gauss(25, 5), rng.uniform(1, 8)) for _ in range(n)] for n in sizes]
            ranks = [float(rng.randrange(3)) for _ in sizes]
            update = rate(SETTINGS, groups, ranks)
            assert numbers(update) == pytest.approx(by_package(SETTINGS, groups, ranks), abs=1e-7)
            assert update.guarded is None


def test_a_team_result_moves_the_less_certain_partner_more() -> None:
    sure, unsure, other = Rating(25.0, 1.0), Rating(25.0, 8.0), Rating(25.0, 4.0)
    update = rate(SETTINGS, [[sure, unsure], [other, other]], [0, 1])
    (new_sure, new_unsure), _ = update.groups
    assert 25 < new_sure.mu < new_unsure.mu


def test_extremes_of_many_sides_are_finite() -> None:
    far = [[Rating(0.0, 0.5)], [Rating(900.0, 0.5)], [Rating(-900.0, 5.0), Rating(20.0, 5.0)]]
    for settings in (SETTINGS, NO_DRAWS):
        for ranks in ([0, 1, 2], [1, 0, 2], [2, 2, 0], [0, 0, 0], [1, 2, 0]):
            update = rate(settings, far, ranks)
            assert all(math.isfinite(value) for value in numbers(update))
            assert [len(group) for group in update.groups] == [1, 1, 2]


@pytest.mark.parametrize(
    ("groups", "ranks"),
    [([], []), ([[Rating(25, 8)]], [0]), ([[Rating(25, 8)], []], [0, 1]), ([[Rating(25, 8)]] * 2, [0])],
)
def test_results_that_are_none_are_refused(groups: list[list[Rating]], ranks: list[float]) -> None:
    with pytest.raises(UsageError, match="cannot rate"):
        rate(SETTINGS, groups, ranks)


@pytest.mark.parametrize("mu", [math.nan, math.inf, -math.inf])
def test_a_rating_needs_a_finite_mean(mu: float) -> None:
    with pytest.raises(UsageError, match="mu must be finite"):
        Rating(mu, 1.0)


@pytest.mark.parametrize("sigma", [math.nan, math.inf, 0.0, -1.0])
def test_a_rating_needs_a_positive_deviation(sigma: float) -> None:
    with pytest.raises(UsageError, match="sigma finite and above 0"):
        Rating(25.0, sigma)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("mu", math.nan),
        ("sigma", 0.0),
        ("beta", -1.0),
        ("tau", -0.1),
        ("draw_probability", 1.0),
        ("draw_probability", -0.01),
    ],
)
def test_settings_outside_their_range_are_refused(name: str, value: float) -> None:
    with pytest.raises(UsageError, match=f"rating setting {name} is {value!r}"):
        RatingSettings(**{name: value})


def test_recompute_is_the_fold_of_single_updates() -> None:
    rng = random.Random(10)
    results: list[Result[str]] = []
    live = {bot: SETTINGS.newcomer() for bot in "abcdef"}
    for number in range(300):
        bots = rng.sample("abcdef", rng.choice([2, 2, 2, 3, 4]))
        teams = [bots[:2], bots[2:]] if len(bots) == 4 else [[bot] for bot in bots]
        ranks = [float(rng.randrange(3)) for _ in teams]
        results.append(Result(teams, ranks, f"match-{number}"))
        update = rate(SETTINGS, [[live[bot] for bot in team] for team in teams], ranks)
        for team, group in zip(teams, update.groups, strict=True):
            live.update(zip(team, group, strict=True))
    again = recompute(SETTINGS, results)
    assert again.guarded == []
    for bot, rating in live.items():
        assert again.ratings[bot].mu == pytest.approx(rating.mu, abs=1e-9)
        assert again.ratings[bot].sigma == pytest.approx(rating.sigma, abs=1e-9)


def test_recompute_goes_on_from_given_ratings() -> None:
    results = [Result([["a"], ["b"]], [0, 1]), Result([["b"], ["c"]], [1, 0]), Result([["a"], ["c"]], [0, 0])]
    first = recompute(SETTINGS, results[:1]).ratings
    assert recompute(SETTINGS, results[1:], first) == recompute(SETTINGS, results)


def test_recompute_names_the_match_of_a_guarded_result() -> None:
    win = Result([["a"], ["b"]], [0, 1], "season-1/16")
    draw = Result([["a"], ["b"]], [1, 1], "season-1/17")
    (guarded,) = recompute(NO_DRAWS, [win, draw]).guarded
    assert isinstance(guarded, GuardedResult)
    assert guarded.match == "season-1/17"
    assert "rated as the narrowest draw" in guarded.reason


@pytest.mark.parametrize("teams", [[["a"], ["a"]], [["a", "b"], ["c", "a"]], [["a"], ["b"], ["a"]]])
def test_a_bot_is_not_rated_against_itself(teams: list[list[str]]) -> None:
    with pytest.raises(UsageError, match=r"result 'm1' has .*bot .*twice"):
        recompute(SETTINGS, [Result(teams, list(range(len(teams))), "m1")])


def test_drift_widens_a_rating_before_it_is_updated() -> None:
    fixed, drifting = SETTINGS, RatingSettings(tau=1.0)
    sure = Rating(25.0, 0.5)
    (still,), _ = rate_two(fixed, sure, sure).groups
    (moved,), _ = rate_two(drifting, sure, sure).groups
    assert still.sigma < 0.5 < moved.sigma <= math.hypot(0.5, 1.0)
