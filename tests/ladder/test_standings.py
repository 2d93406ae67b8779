"""Standings: the order in which results arrive does not matter; the live ratings are the recomputed ones."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.ladder.rating import Rating, RatingSettings, rate
from arena.ladder.standings import Standings, fold
from arena.ladder.store import Standing, StoredGame, StoredMatch

SETTINGS = RatingSettings()


def result(
    number: int,
    bots: tuple[int, ...],
    ranks: list[tuple[int, ...]],
    *,
    rated: bool = True,
    fault_seat: int = -1,
) -> StoredMatch:
    seats = range(len(bots))
    return StoredMatch(
        number=number,
        id=f"m{number}",
        run=1,
        format="duel",
        rules="classic",
        verdict="completed",
        reason="",
        fault_seat=fault_seat,
        rated=rated,
        elapsed_ms=1,
        bots=bots,
        sides=tuple(seats) if len(bots) < 4 else (0, 0, 1, 1),
        wins=tuple(sum(r[s] == 0 for r in ranks) for s in seats),
        faults=tuple(int(s == fault_seat) for s in seats),
        games=tuple(StoredGame(r, tuple(0 for _ in seats), 1, "target") for r in ranks),
    )


def some_results(seed: int, count: int) -> list[StoredMatch]:
    rng = random.Random(seed)
    results = []
    for number in range(1, count + 1):
        bots = tuple(rng.sample(range(5), 2))
        ranks = [rng.choice([(0, 1), (1, 0), (0, 0)]) for _ in range(2)]
        results.append(result(number, bots, ranks))
    return results


@given(st.integers(0, 1000), st.integers(1, 30), st.randoms(use_true_random=False))
def test_results_in_any_order_give_the_same_standings(seed: int, count: int, rng: random.Random) -> None:
    results = some_results(seed, count)
    recomputed: dict[int, Standing] = {}
    fold(SETTINGS, recomputed, results)
    shuffled = results[:]
    rng.shuffle(shuffled)
    live = Standings(SETTINGS)
    stored: dict[int, Standing] = {}
    for match in shuffled:
        stored.update(live.add(match))
    assert live.firm_until == count
    assert stored == live.firm() == recomputed


def test_a_duel_is_rated_as_the_library_does() -> None:
    standings: dict[int, Standing] = {}
    fold(SETTINGS, standings, [result(1, (7, 8), [(0, 1)])])
    newcomer = SETTINGS.newcomer()
    (won,), (lost,) = rate(SETTINGS, [[newcomer], [newcomer]], [0, 1]).groups
    assert (standings[7].mu, standings[7].sigma) == pytest.approx((won.mu, won.sigma), abs=1e-6)
    assert (standings[8].mu, standings[8].sigma) == pytest.approx((lost.mu, lost.sigma), abs=1e-6)
    assert (standings[7].wins, standings[8].losses) == (1, 1)


def test_three_are_rated_as_a_free_for_all_and_four_as_teams() -> None:
    free: dict[int, Standing] = {}
    fold(SETTINGS, free, [result(1, (1, 2, 3), [(1, 0, 2)])])
    assert free[2].mu > free[1].mu > free[3].mu
    teams: dict[int, Standing] = {}
    fold(SETTINGS, teams, [result(1, (1, 2, 3, 4), [(0, 0, 1, 1)])])
    assert teams[1].mu == teams[2].mu > teams[3].mu == teams[4].mu
    newcomer = [SETTINGS.newcomer()] * 2
    expected = rate(SETTINGS, [newcomer, newcomer], [0, 1]).groups[0][0]
    assert Rating(teams[1].mu, teams[1].sigma) == expected


def test_an_unrated_match_changes_no_rating_but_counts_its_fault() -> None:
    standings: dict[int, Standing] = {}
    fold(SETTINGS, standings, [result(1, (1, 2), [], rated=False, fault_seat=0)])
    assert standings[1] == Standing(SETTINGS.mu, SETTINGS.sigma, faults=1)
    assert standings[2] == Standing(SETTINGS.mu, SETTINGS.sigma)


def test_a_bot_against_itself_is_counted_but_not_rated() -> None:
    standings: dict[int, Standing] = {}
    fold(SETTINGS, standings, [result(1, (1, 1), [(0, 1)])])
    assert (standings[1].mu, standings[1].sigma) == (SETTINGS.mu, SETTINGS.sigma)
    assert (standings[1].wins, standings[1].losses) == (1, 1)
