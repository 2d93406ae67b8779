"""The schedule of a ladder run: which match comes next, as a function of the results before it.

Match ``n`` is chosen from the standings after match ``n - window`` and the pairings of all matches
before ``n``. Up to ``window`` matches can so be played at once, in any order of completion, and a
run that was interrupted plays the same matches that it would have played.
"""

from __future__ import annotations

from collections import Counter
from typing import Final, NamedTuple

import numpy as np

from arena.ladder.pairing import Field, informative
from arena.ladder.rating import RatingSettings
from arena.ladder.standings import Standings
from arena.ladder.store import Standing, StoredMatch

LEAST_WINDOW: Final = 8
"""The window of a run is so much, or its jobs if they are more."""
FAULTS_TO_SUSPEND: Final = 3
"""Matches in a row lost by faults after which a bot is suspended."""


class Planned(NamedTuple):
    """One match of the schedule."""

    number: int
    match_id: str
    bots: tuple[int, ...]
    """Ids of the bots, by seat."""


class Schedule:
    """The matches of a run in order, as far as the results so far allow.

    Args:
        bots: ids of the bots to pair, two at least.
        played: all results of the store.
        first: number of the run's first match.
        last: number of its last one.
        window: matches that may be in play at once.
        settings: the rating settings.
        seats: contestants of a match.
    """

    def __init__(
        self,
        bots: list[int],
        played: list[StoredMatch],
        first: int,
        last: int,
        window: int,
        settings: RatingSettings,
        seats: int = 2,
    ) -> None:
        self._bots = bots
        self._last = last
        self._window = window
        self._seats = seats
        self._settings = settings
        self._meetings: Counter[tuple[int, int]] = Counter()
        """Matches by the two bots, the earlier seat's first."""
        self._matches: Counter[int] = Counter()
        self._rated: Counter[int] = Counter()
        """Matches of each bot that its rating in :attr:`_before` knows of."""
        self._first_seats: Counter[int] = Counter()
        self._results = {match.number: match for match in played}
        self._before = Standings(settings)
        """Standings after match ``n - window``, from which match ``n`` is chosen."""
        self.standings = Standings(settings)
        """Standings with every result known so far."""
        for match in played:
            self.standings.add(match)
        self._streaks: Counter[int] = Counter()
        self._next = first
        for number in range(1, first):
            if number in self._results:
                self._count(self._results[number].bots)

    def next_match(self) -> Planned | None:
        """Return the next match to play; ``None`` if it must wait for results, or there is none."""
        while self._next <= self._last and self.standings.firm_until >= self._next - self._window:
            number = self._next
            played = self._results.get(number)
            bots = played.bots if played is not None else self._choose(number)
            if not bots:
                self._last = number - 1
                return None
            self._count(bots)
            self._next += 1
            if played is None:
                return Planned(number, match_id(number), bots)
        return None

    @property
    def cut_short(self) -> bool:
        """Whether the run ends early, because too few bots are left for a match."""
        return len(self.paired_bots()) < self._seats

    def add(self, match: StoredMatch) -> dict[int, Standing]:
        """Take a result in and return the standings after it."""
        self._results[match.number] = match
        return self.standings.add(match)

    def _choose(self, number: int) -> tuple[int, ...]:
        """Return the bots of a match by seat; none when too few are left."""
        self._learn_until(number - self._window)
        bots = self.paired_bots()
        if len(bots) < self._seats:
            return ()
        return self._choose_two(bots, number) if self._seats == 2 else self._choose_table(bots, number)

    def _choose_two(self, bots: list[int], number: int) -> tuple[int, ...]:
        """Return the pairing that tells most; see :func:`arena.ladder.pairing.informative`."""
        firm = self._before.firm()
        newcomer = Standing(self._settings.mu, self._settings.sigma)
        known = [firm.get(bot, newcomer) for bot in bots]
        place = {bot: index for index, bot in enumerate(bots)}
        field = Field(
            mu=np.array([standing.mu for standing in known]),
            sigma=np.array([standing.sigma for standing in known]),
            games=np.array([self._matches[bot] for bot in bots]),
            lead=np.array([2 * self._first_seats[bot] - self._matches[bot] for bot in bots]),
            meetings={
                (place[a], place[b]): count
                for (a, b), count in self._meetings.items()
                if a in place and b in place
            },
            pending=np.array([self._matches[bot] - self._rated[bot] for bot in bots]),
        )
        (pairing,) = informative(field, 1, number, self._settings.beta)
        return bots[pairing.first], bots[pairing.second]

    def _choose_table(self, bots: list[int], number: int) -> tuple[int, ...]:
        """Return a table of more than two: who played least, each with those it has met least."""
        chosen: list[int] = []
        while len(chosen) < self._seats:
            rest = [bot for bot in bots if bot not in chosen]
            chosen.append(min(rest, key=lambda bot: (self._met(bot, chosen), self._matches[bot], bot)))
        turn = number % self._seats
        return tuple(chosen[turn:] + chosen[:turn])

    def _met(self, bot: int, others: list[int]) -> int:
        return sum(self._meetings[bot, other] + self._meetings[other, bot] for other in others)

    def paired_bots(self) -> list[int]:
        """Return the bots that are still paired: those not suspended for faults."""
        return [bot for bot in self._bots if self._streaks[bot] < FAULTS_TO_SUSPEND]

    def _learn_until(self, number: int) -> None:
        """Take in what a match may be chosen by: the results up to a number."""
        while self._before.firm_until < number:
            match = self._results[self._before.firm_until + 1]
            self._before.add(match)
            self._rated.update(match.bots)
            for seat, bot in enumerate(match.bots):
                others = max(wins for s, wins in enumerate(match.wins) if s != seat)
                lost = match.fault_seat == seat and match.wins[seat] <= others
                self._streaks[bot] = self._streaks[bot] + 1 if lost else 0

    def _count(self, bots: tuple[int, ...]) -> None:
        self._first_seats[bots[0]] += 1
        self._matches.update(bots)
        self._meetings.update((a, b) for i, a in enumerate(bots) for b in bots[i + 1 :])


def match_id(number: int) -> str:
    """Return the id of a ladder match: the same each time it is scheduled."""
    return f"m{number:07d}"
