"""What bots did over many matches, counted from their logs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from arena.engine.formats import format_for
from arena.log.lines import Deal, DealtTable, Decision, GameEnd, Header, LoggedFault, Show, Value

Bot = tuple[str, str]
"""Name and version."""
_ENDING = frozenset({"knock", "undercut", "gin", "big gin", "tie"})


@dataclass(slots=True)
class BotStatistics:
    """One bot's counts; see :meth:`as_dict` for what follows from them."""

    games: int = 0
    wins: int = 0
    hands: int = 0
    """Hands in which it played at a table."""
    points: int = 0
    """Points scored minus points lost in those hands."""
    turns: int = 0
    """Its discards and knocks."""
    outcomes: Counter[str] = field(default_factory=Counter)
    """Hands that it won, by outcome: ``knock``, ``undercut``, ``gin``, ``big gin``."""
    knocks: int = 0
    """Hands in which it knocked, gin included."""
    knock_deadwood: int = 0
    """Sum of its deadwood at its knocks."""
    undercut_by: int = 0
    """Its knocks that were undercut."""
    faults: Counter[str] = field(default_factory=Counter)
    """Faults by verdict."""
    times_us: list[int] = field(default_factory=list)
    """What each of its decisions took."""

    def as_dict(self) -> dict[str, Any]:
        """Return the statistics as numbers for people and programs; rates are shares of hands."""
        times = sorted(self.times_us)
        hands = max(1, self.hands)
        return {
            "games": self.games,
            "wins": self.wins,
            "hands": self.hands,
            "points_a_hand": self.points / hands,
            "knock_rate": self.knocks / hands,
            "gin_rate": (self.outcomes["gin"] + self.outcomes["big gin"]) / hands,
            "undercut_rate": self.outcomes["undercut"] / hands,
            "undercut_by_rate": self.undercut_by / hands,
            "deadwood_at_knock": self.knock_deadwood / self.knocks if self.knocks else None,
            "turns_a_hand": self.turns / hands,
            "decisions": len(times),
            "p50_ms": _quantile(times, 0.5),
            "p99_ms": _quantile(times, 0.99),
            "max_ms": _quantile(times, 1.0),
            "faults": sum(self.faults.values()),
            "fault_verdicts": dict(self.faults),
        }


def _quantile(times_us: list[int], share: float) -> float | None:
    if not times_us:
        return None
    return times_us[min(len(times_us) - 1, int(len(times_us) * share))] / 1000


class Statistics:
    """Counts the logs that it is given, one after the other."""

    def __init__(self) -> None:
        self.bots: dict[Bot, BotStatistics] = {}
        self.matches = 0

    def add(self, header: Header, values: Iterable[Value]) -> None:
        """Count one log."""
        self.matches += 1
        names = [(seat.name, seat.version) for seat in header.seats]
        seats = [self.bots.setdefault(name, BotStatistics()) for name in names]
        sides = format_for(header.format, len(seats)).sides
        tables: tuple[DealtTable, ...] = ()
        for value in values:
            if isinstance(value, Decision):
                _count_decision(seats[value.seat], value)
            elif isinstance(value, Deal):
                tables = value.tables
            elif isinstance(value, Show):
                _count_show(seats, tables[value.table].seats, value)
            elif isinstance(value, GameEnd):
                for seat, side in zip(seats, sides, strict=True):
                    seat.games += 1
                    seat.wins += side in value.winners
            elif isinstance(value, LoggedFault) and 0 <= value.seat < len(seats):
                seats[value.seat].faults[value.verdict] += 1


def _count_decision(bot: BotStatistics, decision: Decision) -> None:
    bot.turns += decision.action < 104
    if not decision.asked.substituted:
        bot.times_us.append(decision.asked.time_us)


def _count_show(seats: list[BotStatistics], at_table: tuple[int, int], show: Show) -> None:
    for number in at_table:
        seats[number].hands += 1
    for shown in show.showings:
        if shown.seat == show.knocker:
            seats[shown.seat].knocks += 1
            seats[shown.seat].knock_deadwood += shown.deadwood
    if show.outcome == "undercut" and show.knocker is not None:
        seats[show.knocker].undercut_by += 1
    if show.winner is not None and show.outcome in _ENDING:
        seats[show.winner].outcomes[show.outcome] += 1
        for number in at_table:
            seats[number].points += show.points if number == show.winner else -show.points
