"""Tournament formats: every law of them, by random results."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Callable
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.errors import UsageError
from arena.ladder.brackets import Encounter, Played, format_named, standings

Outcome = Callable[[Encounter], tuple[int, int]]


def play(name: str, entrants: int, outcome: Outcome, rounds: int | None = None) -> list[list[Played]]:
    """Play a tournament to its end; it must come to one."""
    following = format_named(name, entrants, rounds)
    played: list[list[Played]] = []
    while (encounters := following(entrants, played)) is not None:
        assert encounters and len(played) < 4 * entrants + 4
        seen = [e for encounter in encounters for e in encounter]
        if name != "gauntlet":
            assert len(seen) == len(set(seen)), "nobody plays twice in a round"
        played.append([Played(len(played), e, outcome(e), (0, 0)) for e in encounters])
    return played


def by_chance(rng: random.Random) -> Outcome:
    return lambda _: rng.choice([(2, 0), (1, 1), (0, 2)])


def better_seed_wins(encounter: Encounter) -> tuple[int, int]:
    return (2, 0) if encounter.first < encounter.second else (0, 2)


sizes = st.integers(2, 17)
chance = st.randoms(use_true_random=False)


@given(sizes, chance)
def test_round_robin_everybody_meets_everybody_once(entrants: int, rng: random.Random) -> None:
    played = play("round-robin", entrants, by_chance(rng))
    met = Counter(frozenset(p.encounter) for round_ in played for p in round_)
    assert met == Counter(frozenset(pair) for pair in combinations(range(entrants), 2))
    first = Counter(p.encounter.first for round_ in played for p in round_)
    assert max(first[e] for e in range(entrants)) - min(first[e] for e in range(entrants)) <= max(
        2, entrants // 3
    )


@given(sizes)
def test_gauntlet_the_first_meets_all(entrants: int) -> None:
    (only,) = play("gauntlet", entrants, better_seed_wins)
    assert [p.encounter for p in only] == [Encounter(0, e) for e in range(1, entrants)]


@given(st.integers(4, 17), st.integers(1, 5), chance)
def test_swiss_nobody_meets_twice_while_it_can_be_helped(
    entrants: int, rounds: int, rng: random.Random
) -> None:
    rounds = min(rounds, entrants // 2)
    played = play("swiss", entrants, by_chance(rng), rounds)
    assert len(played) == rounds
    met = Counter(frozenset(p.encounter) for round_ in played for p in round_)
    assert max(met.values()) == 1
    byes = [sum(all(e not in p.encounter for p in round_) for round_ in played) for e in range(entrants)]
    assert max(byes) <= math.ceil(rounds / entrants) and sum(byes) == rounds * (entrants % 2)


@given(sizes, chance)
def test_knockout_has_one_winner_who_never_lost(entrants: int, rng: random.Random) -> None:
    played = play("knockout", entrants, by_chance(rng))
    assert len(played) == math.ceil(math.log2(entrants))
    assert sum(map(len, played)) == entrants - 1
    table = standings("knockout", entrants, played)
    losers = {e for round_ in played for p in round_ for e in p.encounter if e != p.winner}
    assert table[0].entrant not in losers and len(losers) == entrants - 1


def test_knockout_seeds_meet_as_late_as_can_be() -> None:
    played = play("knockout", 8, better_seed_wins)
    assert [frozenset(p.encounter) for p in played[-1]] == [frozenset((0, 1))]
    assert {frozenset(p.encounter) for p in played[0]} == {
        frozenset(p) for p in ((0, 7), (3, 4), (1, 6), (2, 5))
    }
    byes = {
        e for e in range(5) if all(e not in p.encounter for p in play("knockout", 5, better_seed_wins)[0])
    }
    assert byes == {0, 1, 2}


@given(sizes, chance)
def test_double_elimination_puts_out_who_loses_twice(entrants: int, rng: random.Random) -> None:
    played = play("double-elimination", entrants, by_chance(rng))
    losses = Counter(e for round_ in played for p in round_ for e in p.encounter if e != p.winner)
    table = standings("double-elimination", entrants, played)
    assert losses[table[0].entrant] <= 1
    assert all(losses[place.entrant] == 2 for place in table[1:])


def test_a_drawn_encounter_goes_to_points_then_to_the_better_seed() -> None:
    assert Played(0, Encounter(3, 1), (1, 1), (200, 150)).winner == 3
    assert Played(0, Encounter(3, 1), (1, 1), (150, 150)).winner == 1


def test_tie_breaks_in_order() -> None:
    """A, B and C beat each other in a circle; games won decide between them, D is last."""
    results = {
        Encounter(0, 1): (2, 0),
        Encounter(1, 2): (3, 0),
        Encounter(0, 2): (1, 2),
        Encounter(0, 3): (2, 0),
        Encounter(1, 3): (2, 0),
        Encounter(2, 3): (2, 0),
    }
    played = [[Played(0, e, wins, (0, 0)) for e, wins in results.items()]]
    table = standings("round-robin", 4, played)
    assert [place.score for place in table] == [2.0, 2.0, 2.0, 0.0]
    assert [place.entrant for place in table] == [0, 1, 2, 3]
    assert [place.wins for place in table] == [5, 5, 4, 0]


def test_a_bye_counts_as_won_in_a_swiss_tournament_only() -> None:
    swiss = play("swiss", 3, better_seed_wins, 1)
    assert {place.entrant: place.score for place in standings("swiss", 3, swiss)} == {0: 1.0, 1: 0.0, 2: 1.0}


@pytest.mark.parametrize(
    ("name", "entrants", "rounds", "what"),
    [
        ("cup", 4, None, "no tournament format"),
        ("knockout", 1, None, "two entrants"),
        ("knockout", 4, 3, "goes with swiss"),
    ],
)
def test_what_is_no_tournament_is_refused(name: str, entrants: int, rounds: int | None, what: str) -> None:
    with pytest.raises(UsageError, match=what):
        format_named(name, entrants, rounds)
