"""Pairing: who is chosen, who is not forgotten, who sits where, and how fast."""

from __future__ import annotations

import math
import time
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.errors import UsageError
from arena.ladder.pairing import (
    POLICIES,
    Field,
    Pairing,
    Policy,
    informative,
    policy,
    random_pairs,
    result_information,
    round_robin,
)

policies = pytest.mark.parametrize("choose", POLICIES.values(), ids=POLICIES)


def fresh(bots: int) -> Field:
    return Field(np.full(bots, 25.0), np.full(bots, 8.0), np.zeros(bots, int), np.zeros(bots, int))


def field_of(mu: list[float], sigma: list[float], games: int = 20, **more: object) -> Field:
    bots = len(mu)
    return Field(
        np.array(mu),
        np.array(sigma),
        np.full(bots, games),
        np.zeros(bots, int),
        **more,  # type: ignore[arg-type]
    )


def after(field: Field, pairings: list[Pairing]) -> Field:
    """Return the field once these are played, the ratings as they were."""
    games, lead, meetings = field.games.copy(), field.lead.copy(), dict(field.meetings)
    for pairing in pairings:
        games[list(pairing)] += 1
        lead[list(pairing)] += [1, -1]
        meetings[pairing] = meetings.get(pairing, 0) + 1
    return Field(field.mu, field.sigma, games, lead, meetings)


@st.composite
def fields(draw: st.DrawFn) -> Field:
    bots = draw(st.integers(2, 40))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    field = Field(
        rng.normal(25, draw(st.sampled_from([0.0, 5.0, 500.0])), bots),
        rng.uniform(0.1, 8.4, bots),
        rng.integers(0, 30, bots),
        rng.integers(-2, 3, bots),
        pending=draw(st.sampled_from([None, rng.integers(0, 3, bots)])),
    )
    return after(field, random_pairs(field, 20, 1)) if field.pending is None else field


@policies
@given(field=fields(), count=st.integers(0, 60), key=st.integers(0, 2**63))
@settings(max_examples=50)
def test_a_policy_gives_the_pairings_asked_for(choose: Policy, field: Field, count: int, key: int) -> None:
    pairings = choose(field, count, key, 25 / 6)
    assert len(pairings) == count
    for first, second in pairings:
        assert first != second
        assert {first, second} <= set(range(len(field.mu)))
    assert choose(field, count, key, 25 / 6) == pairings


@policies
@pytest.mark.parametrize(("bots", "count"), [(0, 1), (1, 1), (4, -1)])
def test_pairings_need_two_bots(choose: Policy, bots: int, count: int) -> None:
    with pytest.raises(UsageError, match="cannot choose"):
        choose(fresh(bots), count, 0, 25 / 6)


def test_columns_of_unequal_length_are_refused() -> None:
    with pytest.raises(UsageError, match=r"lengths \[2, 3, 2, 2\]"):
        Field(np.zeros(2), np.ones(3), np.zeros(2, int), np.zeros(2, int))


def test_an_unknown_policy_is_refused() -> None:
    with pytest.raises(UsageError, match="no pairing policy 'swiss'; the policies are informative, random"):
        policy("swiss")


def test_information_of_a_result() -> None:
    assert result_information(np.array([0.0]))[0] == pytest.approx(2 / math.pi)
    assert result_information(np.array([2.0, -2.0])) == pytest.approx([0.131, 0.131], abs=1e-3)
    assert result_information(np.array([5.0]))[0] < 1e-5


def test_an_even_match_comes_before_an_uneven_one() -> None:
    (pairing,) = informative(field_of([10.0, 20.0, 20.0, 30.0], [2.0] * 4), 1)
    assert set(pairing) == {1, 2}


def test_an_uncertain_bot_comes_before_certain_ones() -> None:
    (pairing,) = informative(field_of([20.0, 20.5, 21.0, 21.5, 22.0], [1.0, 1.0, 1.0, 1.0, 6.0]), 1)
    assert 4 in pairing


def test_a_fresh_pairing_comes_before_a_repeated_one_that_tells_as_much() -> None:
    played = {(0, 1): 1, (2, 3): 1}
    for first, second in informative(field_of([25.0] * 4, [4.0] * 4, meetings=played), 2):
        assert {first, second} not in ({0, 1}, {2, 3})


def test_a_bot_without_opponents_of_its_strength_is_not_forgotten() -> None:
    field = field_of([1000.0, *np.linspace(20, 30, 29).tolist()], [0.5, *[3.0] * 29], games=0)
    for _ in range(100):
        field = after(field, informative(field, 10))
    assert field.games.min() >= 0.5 * field.games.mean() - 2


def test_matches_under_way_count() -> None:
    waiting = np.array([4, 4, 0, 0])
    (pairing,) = informative(field_of([25.0] * 4, [6.0] * 4, pending=waiting), 1)
    assert set(pairing) == {2, 3}


def test_newcomers_come_first_in_an_old_field() -> None:
    mu = np.random.default_rng(14).normal(25, 8, 200)
    mu[:5] = 25.0
    field = field_of(mu.tolist(), [8.3] * 5 + [1.2] * 195, games=60)
    assert set(range(5)) <= {bot for pairing in informative(field, 20) for bot in pairing}


@pytest.mark.parametrize("bots", [2, 3, 7, 50])
def test_seats_are_even(bots: int) -> None:
    field = fresh(bots)
    for _ in range(20):
        field = after(field, informative(field, bots))
    assert np.abs(field.lead).max() <= 2
    for (first, second), games in field.meetings.items():
        assert abs(games - field.meetings.get((second, first), 0)) <= 3


def test_a_hundred_matches_among_10_000_bots_take_less_than_50_ms() -> None:
    rng = np.random.default_rng(15)
    bots = 10_000
    played = {(int(a), int(b)): 1 for a, b in rng.integers(0, bots, (100_000, 2))}
    field = Field(
        rng.normal(25, 8, bots),
        rng.uniform(0.7, 8.3, bots),
        rng.integers(0, 100, bots),
        np.zeros(bots, int),
        played,
    )
    times = []
    for _ in range(5):
        start = time.perf_counter()
        assert len(informative(field, 100)) == 100
        times.append(time.perf_counter() - start)
    assert min(times) < 0.05


@pytest.mark.parametrize("bots", range(2, 10))
def test_round_robin_is_everybody_against_everybody(bots: int) -> None:
    schedule = bots * (bots - 1) // 2
    first = round_robin(fresh(bots), schedule)
    assert Counter(frozenset(pairing) for pairing in first).most_common(1)[0][1] == 1
    seats = Counter(pairing.first for pairing in first)
    assert max(seats.values()) - min(seats[bot] for bot in range(bots)) <= 1
    second = round_robin(after(fresh(bots), first), schedule)
    assert [pairing[::-1] for pairing in second] == first


@pytest.mark.parametrize("bots", [6, 7])
def test_a_turn_of_a_round_robin_has_each_bot_once(bots: int) -> None:
    turn = round_robin(fresh(bots), bots // 2)
    assert len({bot for pairing in turn for bot in pairing}) == bots // 2 * 2


def test_random_pairs_follow_the_key() -> None:
    field = fresh(50)
    assert random_pairs(field, 100, 1) == random_pairs(field, 100, 1)
    assert random_pairs(field, 100, 1) != random_pairs(field, 100, 2)
    assert Counter(bot for pairing in random_pairs(field, 25, 3) for bot in pairing) == Counter(range(50))
