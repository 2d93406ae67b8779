"""Tournament formats as pure functions: from the results so far to the next round.

Entrants are numbered from 0 in the order in which they were named, which is their seeding. An
encounter is a number of game pairs between two of them. A round is a list of encounters; those who
are in none of them sit it out.

=====================  =========================================================================
``round-robin``        everybody meets everybody once, by the circle method
``gauntlet``           entrant 0 meets each of the others once
``swiss``              a fixed number of rounds; equals meet, nobody twice while it can be helped
``knockout``           who loses is out; byes go to the first of the seeding
``double-elimination`` who loses twice is out; the unbeaten meet each other, the once beaten too
=====================  =========================================================================
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final, NamedTuple

from arena.errors import UsageError


class Encounter(NamedTuple):
    """Two entrants who meet."""

    first: int
    second: int


@dataclass(frozen=True, slots=True)
class Played:
    """How an encounter ended."""

    round: int
    encounter: Encounter
    wins: tuple[int, int]
    """Games won by the two."""
    points: tuple[int, int]
    """Final totals of all its games."""
    faults: tuple[int, int] = (0, 0)
    draws: int = 0

    @property
    def winner(self) -> int:
        """The entrant that goes on: more games won, then more points, then the better seed."""
        first, second = self.encounter
        mine, theirs = (self.wins[0], self.points[0], -first), (self.wins[1], self.points[1], -second)
        return first if mine > theirs else second

    def score(self, entrant: int) -> float:
        """Return what an entrant scores for it: 1 for more games won, a half for as many, 0."""
        mine, theirs = self.wins if entrant == self.encounter.first else self.wins[::-1]
        return 1.0 if mine > theirs else 0.5 if mine == theirs else 0.0


Rounds = Sequence[Sequence[Played]]
"""The rounds played, in order."""
NextRound = Callable[[int, Rounds], list[Encounter] | None]
"""Number of entrants, rounds played -> the next round; ``None`` when the tournament is over."""


def round_robin(entrants: int, rounds: Rounds) -> list[Encounter] | None:
    """Return the next round of the circle method: the first stays, the others go round."""
    places = entrants + entrants % 2
    number = len(rounds)
    if number >= places - 1:
        return None
    circle = [0, *((i + number) % (places - 1) + 1 for i in range(places - 1))]
    pairs = [(circle[i], circle[places - 1 - i]) for i in range(places // 2)]
    return [_seated(a, b, rounds) for a, b in pairs if max(a, b) < entrants]


def gauntlet(entrants: int, rounds: Rounds) -> list[Encounter] | None:
    """Return the one round of a gauntlet."""
    return None if rounds else [Encounter(0, other) for other in range(1, entrants)]


def swiss(entrants: int, rounds: Rounds, *, of: int) -> list[Encounter] | None:
    """Return the next of so many rounds of a Swiss tournament.

    Entrants stand in the order of score, then seed. The highest meets the highest that it has not
    met yet, so that the rest can be paired too; with an odd number the lowest without a bye has one.
    """
    if len(rounds) >= of:
        return None
    scores = [
        sum(p.score(e) for played in rounds for p in played if e in p.encounter) for e in range(entrants)
    ]
    byes = [_byes(e, rounds) for e in range(entrants)]
    scores = [score + bye for score, bye in zip(scores, byes, strict=True)]
    order = sorted(range(entrants), key=lambda e: (-scores[e], e))
    if entrants % 2:
        fewest = min(byes)
        order.remove(next(e for e in reversed(order) if byes[e] == fewest))
    met = {frozenset(p.encounter) for played in rounds for p in played}
    pairs = _pair_off(order, met) or [(order[i], order[i + 1]) for i in range(0, len(order), 2)]
    return [_seated(a, b, rounds) for a, b in pairs]


_TRIES: Final = 20_000


def _pair_off(order: list[int], met: set[frozenset[int]]) -> list[tuple[int, int]] | None:
    """Pair neighbours without a second meeting; ``None`` if that cannot be done, or takes too long."""
    tries = 0

    def rest(left: list[int]) -> list[tuple[int, int]] | None:
        nonlocal tries
        tries += 1
        if not left:
            return []
        if tries > _TRIES:
            return None
        first, *others = left
        for other in others:
            if frozenset((first, other)) not in met:
                found = rest([e for e in others if e != other])
                if found is not None:
                    return [(first, other), *found]
        return None

    return rest(order)


def knockout(entrants: int, rounds: Rounds) -> list[Encounter] | None:
    """Return the next round of those still in; in the first one the best seeds may have byes.

    The bracket is the usual one: seed 0 can meet seed 1 in the final only.
    """
    size = 1 << max(1, (entrants - 1).bit_length())
    alive: list[int | None] = [seed if seed < entrants else None for seed in _bracket(size)]
    for played in rounds:
        winners = {p.encounter: p.winner for p in played}
        alive = [_advance(alive[i], alive[i + 1], winners) for i in range(0, len(alive), 2)]
    while len(alive) > 1:
        pairs = [(alive[i], alive[i + 1]) for i in range(0, len(alive), 2)]
        meeting = [_seated(a, b, rounds) for a, b in pairs if a is not None and b is not None]
        if meeting:
            return meeting
        alive = [a if b is None else b for a, b in pairs]
    return None


def _bracket(size: int) -> list[int]:
    """Return the seeds from the top of a bracket to its bottom."""
    seeds = [0]
    while len(seeds) < size:
        seeds = [seed for old in seeds for seed in (old, 2 * len(seeds) - 1 - old)]
    return seeds


def _advance(a: int | None, b: int | None, winners: dict[Encounter, int]) -> int | None:
    if a is None or b is None:
        return b if a is None else a
    found = winners.get(Encounter(a, b), winners.get(Encounter(b, a)))
    assert found is not None, "a round is complete before the next is made"
    return found


def double_elimination(entrants: int, rounds: Rounds) -> list[Encounter] | None:
    """Return the next round: the unbeaten pair off, and so do the once beaten; others are out.

    In each group the best seed meets the worst; with an odd number the best seed with the fewest
    byes sits out. The last unbeaten meets the last once beaten, a second time if it loses.
    """
    losses = [0] * entrants
    for played in rounds:
        for p in played:
            losses[p.encounter.first if p.winner == p.encounter.second else p.encounter.second] += 1
    groups = [[e for e in range(entrants) if losses[e] == beaten] for beaten in (0, 1)]
    if len(groups[0]) + len(groups[1]) == 1:
        return None
    if len(groups[0]) <= 1 and len(groups[1]) <= 1:
        return [_seated(groups[0][0], groups[1][0], rounds)] if groups[0] else None
    return [
        _seated(a, b, rounds)
        for group in groups
        for a, b in _fold(_without_bye(group, rounds) if len(group) % 2 else group)
    ]


def _without_bye(group: list[int], rounds: Rounds) -> list[int]:
    fewest = min(group, key=lambda e: (_byes(e, rounds), e))
    return [e for e in group if e != fewest]


def _fold(group: list[int]) -> list[tuple[int, int]]:
    return [(group[i], group[-1 - i]) for i in range(len(group) // 2)]


def _byes(entrant: int, rounds: Rounds) -> int:
    return sum(not any(entrant in p.encounter for p in played) for played in rounds)


def _seated(a: int, b: int, rounds: Rounds) -> Encounter:
    """Return two entrants in seat order: who had seat 0 less often takes it, the better seed on a tie."""
    firsts = [sum(p.encounter.first == e for played in rounds for p in played) for e in (a, b)]
    swap = firsts[0] > firsts[1] or (firsts[0] == firsts[1] and a > b)
    return Encounter(b, a) if swap else Encounter(a, b)


FORMATS: Final = ("round-robin", "gauntlet", "swiss", "knockout", "double-elimination")
"""Names of the tournament formats."""


def format_named(name: str, entrants: int, rounds: int | None = None) -> NextRound:
    """Return a format by its name.

    Args:
        name: one of :data:`FORMATS`.
        entrants: how many take part, two at least.
        rounds: rounds of a Swiss tournament; by default as many as a knockout would have.

    Raises:
        UsageError: no such format, too few entrants, or rounds for a format that has its own.
    """
    if entrants < 2:
        raise UsageError(f"a tournament takes two entrants or more, not {entrants}")
    if name == "swiss":
        return partial(swiss, of=rounds or math.ceil(math.log2(entrants)))
    if rounds is not None:
        raise UsageError(f"--rounds goes with swiss; {name} has as many as it takes")
    formats: dict[str, NextRound] = {
        "round-robin": round_robin,
        "gauntlet": gauntlet,
        "knockout": knockout,
        "double-elimination": double_elimination,
    }
    if name not in formats:
        raise UsageError(f"there is no tournament format {name!r}: take one of {', '.join(FORMATS)}")
    return formats[name]


@dataclass(frozen=True, slots=True)
class Place:
    """An entrant's place in the standings."""

    place: int
    entrant: int
    score: float
    """Sum of encounter scores; a bye counts as won in a Swiss tournament."""
    wins: int
    losses: int
    draws: int
    buchholz: float
    """Sum of the scores of its opponents."""
    head_to_head: float
    """Its score in encounters with those of equal score."""
    points: int
    """Final totals of its games minus its opponents'."""
    faults: int


def standings(name: str, entrants: int, rounds: Rounds) -> list[Place]:
    """Return the standings, best first.

    In elimination formats the last round reached decides first. Otherwise, and among equals: score,
    then head-to-head, then Buchholz, then games won, then the difference of points, then the seed.
    """
    everything = [p for played in rounds for p in played]
    own = [[p for p in everything if e in p.encounter] for e in range(entrants)]
    scores = [sum(p.score(e) for p in own[e]) for e in range(entrants)]
    if name == "swiss":
        scores = [score + _byes(e, rounds) for e, score in enumerate(scores)]
    places = [_place(e, own[e], scores) for e in range(entrants)]
    reached = [_reached(name, e, rounds) for e in range(entrants)]
    places.sort(
        key=lambda p: (
            -reached[p.entrant],
            -p.score,
            -p.head_to_head,
            -p.buchholz,
            -p.wins,
            -p.points,
            p.entrant,
        )
    )
    return [Place(i, *_fields(place)) for i, place in enumerate(places, 1)]


def _fields(place: Place) -> tuple[int, float, int, int, int, float, float, int, int]:
    return (
        place.entrant,
        place.score,
        place.wins,
        place.losses,
        place.draws,
        place.buchholz,
        place.head_to_head,
        place.points,
        place.faults,
    )


def _place(entrant: int, own: list[Played], scores: list[float]) -> Place:
    wins = losses = draws = points = faults = 0
    buchholz = head_to_head = 0.0
    for p in own:
        mine = int(p.encounter.second == entrant)
        other = p.encounter[1 - mine]
        wins += p.wins[mine]
        losses += p.wins[1 - mine]
        draws += p.draws
        points += p.points[mine] - p.points[1 - mine]
        faults += p.faults[mine]
        buchholz += scores[other]
        head_to_head += p.score(entrant) if scores[other] == scores[entrant] else 0.0
    return Place(0, entrant, scores[entrant], wins, losses, draws, buchholz, head_to_head, points, faults)


def _reached(name: str, entrant: int, rounds: Rounds) -> int:
    """Return how far an entrant has come in a format that eliminates: the round it was put out in."""
    allowed = {"knockout": 1, "double-elimination": 2}.get(name)
    if allowed is None:
        return 0
    losses = 0
    for number, played in enumerate(rounds):
        for p in played:
            losses += entrant in p.encounter and p.winner != entrant
        if losses >= allowed:
            return number
    return len(rounds)
