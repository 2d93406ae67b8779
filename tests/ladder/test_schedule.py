"""The schedule of a ladder run: fair, even in seats, and a function of the results alone."""

from __future__ import annotations

import random
from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from arena.ladder.rating import RatingSettings
from arena.ladder.schedule import FAULTS_TO_SUSPEND, Planned, Schedule, match_id
from arena.ladder.store import StoredMatch
from tests.ladder.test_standings import result

SETTINGS = RatingSettings()


def outcome(planned: Planned) -> StoredMatch:
    """Return a result that depends on the match alone, as with deterministic bots."""
    rng = random.Random(planned.match_id)
    ranks = [rng.choice([(0, 1), (1, 0)]) for _ in range(2)]
    return result(planned.number, planned.bots, ranks)


def run(
    bots: list[int],
    last: int,
    jobs: int,
    rng: random.Random,
    played: list[StoredMatch] | None = None,
    stop: int = 0,
) -> list[StoredMatch]:
    """Play a schedule with so many at once, ending in random order; stop after so many results."""
    results = list(played or [])
    schedule = Schedule(bots, results, 1, last, 8, SETTINGS)
    running: list[Planned] = []
    while True:
        while len(running) < jobs and (planned := schedule.next_match()) is not None:
            running.append(planned)
        if not running or (stop and len(results) >= stop):
            return results
        match = outcome(running.pop(rng.randrange(len(running))))
        schedule.add(match)
        results.append(match)


@given(st.integers(2, 6), st.integers(1, 40), st.integers(1, 8), st.randoms(use_true_random=False))
def test_it_does_not_depend_on_the_order_of_completion(
    n: int, last: int, jobs: int, rng: random.Random
) -> None:
    bots = list(range(n))
    one_by_one = run(bots, last, 1, random.Random(0))
    assert sorted(run(bots, last, jobs, rng), key=lambda m: m.number) == one_by_one
    assert [m.number for m in one_by_one] == list(range(1, last + 1))


@given(st.integers(1, 39), st.integers(1, 8), st.randoms(use_true_random=False))
def test_an_interrupted_run_goes_on_as_if_it_had_not_been(stop: int, jobs: int, rng: random.Random) -> None:
    bots = [3, 5, 9, 11]
    whole = run(bots, 40, 1, random.Random(0))
    part = run(bots, 40, jobs, rng, stop=stop)
    rest = run(bots, 40, jobs, rng, played=sorted(part, key=lambda m: m.number))
    assert sorted(rest, key=lambda m: m.number) == whole


def test_seats_are_even_and_nobody_starves() -> None:
    played = run([1, 2, 3, 4], 48, 2, random.Random(1))
    matches = Counter(bot for m in played for bot in m.bots)
    assert min(matches.values()) >= 12
    assert len({frozenset(m.bots) for m in played}) == 6
    first = Counter(m.bots[0] for m in played)
    assert max(first.values()) - min(first.values()) <= 2


def faulty(planned: Planned, bot: int) -> StoredMatch:
    if bot in planned.bots:
        seat = planned.bots.index(bot)
        ranks = [tuple(int(s == seat) for s in range(2))]
        return result(planned.number, planned.bots, ranks, fault_seat=seat)
    return outcome(planned)


def test_three_matches_lost_by_faults_in_a_row_suspend_a_bot() -> None:
    schedule = Schedule([1, 2, 3], [], 1, 60, 8, SETTINGS)
    played = []
    while (planned := schedule.next_match()) is not None:
        match = faulty(planned, 3)
        schedule.add(match)
        played.append(match)
    assert schedule.paired_bots() == [1, 2]
    assert FAULTS_TO_SUSPEND <= sum(3 in m.bots for m in played) <= FAULTS_TO_SUSPEND + 8
    assert len(played) == 60
    assert not schedule.cut_short


def test_a_run_ends_early_when_fewer_than_two_bots_are_left() -> None:
    schedule = Schedule([1, 2], [], 1, 60, 8, SETTINGS)
    count = 0
    while (planned := schedule.next_match()) is not None:
        schedule.add(faulty(planned, 2))
        count += 1
    assert schedule.cut_short
    assert count <= FAULTS_TO_SUSPEND + 8


def test_tables_of_three_are_shared_out() -> None:
    schedule = Schedule([1, 2, 3, 4, 5], [], 1, 40, 8, SETTINGS, seats=3)
    tables = []
    while (planned := schedule.next_match()) is not None:
        tables.append(planned.bots)
        schedule.add(result(planned.number, planned.bots, [(0, 1, 2)]))
    assert all(len(set(table)) == 3 for table in tables)
    counts = Counter(bot for table in tables for bot in table)
    assert max(counts.values()) - min(counts.values()) <= 2


def test_match_ids_depend_on_the_number_alone() -> None:
    assert match_id(12) == "m0000012"
