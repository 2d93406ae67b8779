"""Simulated ladders: truth, repeatability, and what a policy saves."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from arena.errors import UsageError
from arena.ladder.simulate import Plan, compare, expected_scores, simulate
from arena.ladder.truncation import cumulative

SMALL = Plan(bots=30, target=0.8)


def test_expected_scores_against_their_definition() -> None:
    rng = np.random.default_rng(16)
    skill, fault = rng.normal(25, 8, 40), rng.choice([0.0, 0.2], 40)
    beta = 25 / 6
    scores = expected_scores(skill, fault, beta)
    for bot in range(40):
        score = 0.0
        for other in range(40):
            plain = cumulative((skill[bot] - skill[other]) / (math.sqrt(2) * beta))
            here, there = 1 - fault[bot], 1 - fault[other]
            score += here * (there * plain + fault[other]) + fault[bot] * fault[other] * plain
        assert scores[bot] == pytest.approx(score / 40, abs=1e-4)


def test_the_same_plan_gives_the_same_outcome() -> None:
    for name in ("informative", "random", "round-robin"):
        plan = replace(SMALL, policy=name, faulty=0.2, newcomers=0.2, seed=5)
        assert simulate(plan) == simulate(plan)
        assert simulate(plan) != simulate(replace(plan, seed=6))


def test_tau_rises_to_the_target() -> None:
    outcome = simulate(SMALL)
    assert outcome.matches is not None
    assert outcome.curve[-2][0] <= outcome.matches <= outcome.curve[-1][0]
    assert all(tau < 0.8 for _, tau in outcome.curve[:-1])
    assert outcome.curve[-1][1] >= 0.8
    assert all(later - sooner == 6 for (sooner, _), (later, _) in pairwise(outcome.curve))


def test_a_ladder_that_does_not_get_there_gives_up() -> None:
    plan = replace(SMALL, target=0.999, most=5)
    outcome = simulate(plan)
    assert outcome.matches is None
    assert outcome.curve[-1][0] == 5 * 30
    with pytest.raises(
        UsageError, match=r"'random' did not reach tau 0.999 within 5 matches a bot in 2 of 2"
    ):
        compare(plan, [], 2)


def test_newcomers_enter_and_are_placed() -> None:
    outcome = simulate(replace(SMALL, newcomers=0.3, target=0.9))
    assert len(outcome.placement_errors) == len(outcome.placement_matches) == 9
    assert all(0 <= error < 1 for error in outcome.placement_errors)
    assert np.median(outcome.placement_errors) < 0.2
    assert outcome.curve[0][0] >= 5 * 30


def test_no_bot_starves() -> None:
    least, most = simulate(replace(SMALL, bots=100, target=0.9)).games
    assert least >= 10
    assert most <= 6 * least


def test_bots_that_crash_lose_by_it() -> None:
    skill = np.array([30.0, 30.0, 20.0])
    sound, crashing, weak = expected_scores(skill, np.array([0.0, 0.3, 0.0]), 25 / 6)
    assert crashing < sound
    assert weak < sound


def test_ours_needs_at_most_60_percent_of_the_matches_of_random_pairing() -> None:
    random, ours = compare(Plan(bots=100), ["informative"], 20)
    assert random.policy == "random"
    assert random.ratio == 1.0
    assert ours.ratio <= 0.6


@pytest.mark.slow
@pytest.mark.parametrize("plan", [Plan(bots=1000), Plan(bots=1000, faulty=0.05, newcomers=0.2)])
def test_ours_needs_at_most_60_percent_among_1000_bots(plan: Plan) -> None:
    random, ours = compare(plan, ["informative"], 10)
    assert ours.ratio <= 0.6
    assert math.isnan(random.placement_error) or ours.placement_matches < random.placement_matches


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("bots", 1),
        ("batch", -1),
        ("spread", 0.0),
        ("faulty", 1.1),
        ("fault_rate", -0.1),
        ("newcomers", 1.0),
        ("target", 1.0),
        ("most", 0),
    ],
)
def test_plans_outside_their_range_are_refused(name: str, value: float) -> None:
    with pytest.raises(UsageError, match=f"simulation setting {name} is {value!r}"):
        replace(SMALL, **{name: value})


def test_a_plan_needs_a_known_policy() -> None:
    with pytest.raises(UsageError, match="no pairing policy 'best'"):
        replace(SMALL, policy="best")
