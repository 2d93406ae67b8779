"""Standings: ratings and records folded from results in the order of their numbers.

The order in which results arrive does not matter: they are folded by match number, so the live
ratings equal those recomputed from the store.
"""

from __future__ import annotations

from collections.abc import Iterable

from arena.ladder.rating import GuardedResult, Rating, RatingSettings, Result, recompute
from arena.ladder.store import Standing, StoredMatch


class Standings:
    """The standings after a contiguous run of results, and what is waiting for a gap to close.

    Args:
        settings: the TrueSkill environment.
    """

    def __init__(self, settings: RatingSettings) -> None:
        self._settings = settings
        self._firm: dict[int, Standing] = {}
        self._waiting: dict[int, StoredMatch] = {}
        self.firm_until = 0
        """Number of the last match before the first gap."""
        self.guarded: list[GuardedResult] = []
        """Results whose rating update left the plain formulas, for messages."""

    def add(self, match: StoredMatch) -> dict[int, Standing]:
        """Add a result; return the standings that it may have changed, everything known folded in order."""
        touched = set(match.bots)
        self._waiting[match.number] = match
        while self.firm_until + 1 in self._waiting:
            self.firm_until += 1
            firm = self._waiting.pop(self.firm_until)
            touched.update(firm.bots)
            self.guarded += fold(self._settings, self._firm, [firm])
        for waiting in self._waiting.values():
            touched.update(waiting.bots)
        current = {bot: self._firm[bot] for bot in touched if bot in self._firm}
        fold(self._settings, current, (self._waiting[n] for n in sorted(self._waiting)))
        return current

    def firm(self) -> dict[int, Standing]:
        """Return the standings after match :attr:`firm_until`, whatever came after it."""
        return dict(self._firm)


def fold(
    settings: RatingSettings, standings: dict[int, Standing], matches: Iterable[StoredMatch]
) -> list[GuardedResult]:
    """Fold results into standings, in the order given; return those whose update was guarded."""
    guarded: list[GuardedResult] = []
    for match in matches:
        for bot in match.bots:
            standings.setdefault(bot, Standing(settings.mu, settings.sigma))
        if match.rated and len(set(match.bots)) == len(match.bots):
            guarded += _fold_ratings(settings, standings, match)
        for seat, bot in enumerate(match.bots):
            standings[bot] = _fold_record(standings[bot], match, seat)
    return guarded


def _fold_ratings(
    settings: RatingSettings, standings: dict[int, Standing], match: StoredMatch
) -> list[GuardedResult]:
    """Rate a match's games one after the other."""
    sides = sorted(set(match.sides))
    teams = [[bot for bot, side in zip(match.bots, match.sides, strict=True) if side == s] for s in sides]
    results = [
        Result(teams, [game.ranks[match.sides.index(s)] for s in sides], match.id) for game in match.games
    ]
    start = {bot: Rating(standings[bot].mu, standings[bot].sigma) for bot in match.bots}
    after = recompute(settings, results, start)
    for bot, rating in after.ratings.items():
        standings[bot] = standings[bot]._replace(mu=rating.mu, sigma=rating.sigma)
    return after.guarded


def _fold_record(standing: Standing, match: StoredMatch, seat: int) -> Standing:
    """Count a match's games in the record of one seat."""
    wins = losses = draws = 0
    for game in match.games if match.rated else ():
        best = [s for s, rank in enumerate(game.ranks) if rank == 0]
        if len(set(game.ranks)) == 1:
            draws += 1
        elif seat in best:
            wins += 1
        else:
            losses += 1
    return standing._replace(
        games=standing.games + wins + losses + draws,
        wins=standing.wins + wins,
        losses=standing.losses + losses,
        draws=standing.draws + draws,
        faults=standing.faults + match.faults[seat],
    )
