"""Going through a log as a person wants to see it: one seat's view or all, one game or all, from a place on.

What a seat sees comes from :mod:`arena.engine.view`, and from nowhere else.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from arena.engine.cards import Cards
from arena.engine.game import Acted, Dealt, Game, Record, Showed
from arena.engine.view import SawAction, SawDeal, SawShowdown, Sight, news, observe
from arena.errors import UsageError
from arena.log.lines import Decision, End, GameEnd, GameStart, Header, LoggedFault, Value, Void, place_of
from arena.log.reader import Line, Log, LogStream
from arena.log.replayer import Replayer

Place = tuple[int, int, int]
"""Game, hand and decision."""


@dataclass(frozen=True, slots=True)
class Viewer:
    """Who looks at a log, and at what part of it."""

    seat: int | None = None
    """Only what this seat saw; everything where there is none."""
    game: int | None = None
    """Only this game."""
    at: Place | None = None
    """From this decision on."""

    def held(self, game: Game) -> dict[int, Cards]:
        """Return the hands that the viewer sees now, by seat."""
        hands: dict[int, Cards] = {}
        for table in game.tables:
            for player, seat in enumerate(table.seats):
                if seat == self.seat:
                    hands[seat] = observe(table.hand, player).cards
                elif self.seat is None:
                    hands[seat] = table.hand.hands[player]
        return hands

    def sees(self, seat: int) -> bool:
        """Return whether the viewer knows what a seat alone knows: its times, notes and stderr."""
        return self.seat is None or self.seat == seat


@dataclass(frozen=True, slots=True)
class Step:
    """One line of a log, seen by a viewer; the replayer stands behind it."""

    line: Line
    sights: tuple[Sight, ...]
    """What the viewer newly saw of the engine's records."""


@dataclass(frozen=True, slots=True)
class Opening:
    """The place where a viewer begins; the replayer stands before the line."""

    line: Line


def parse_place(text: str) -> Place:
    """Return the place that ``GAME``, ``GAME.HAND`` or ``GAME.HAND.DECISION`` stands for.

    Raises:
        UsageError: it is none of these.
    """
    words = text.split(".")
    if len(words) > 3 or not all(word.isascii() and word.isdecimal() and len(word) < 10 for word in words):
        raise UsageError(f"{text!r} is no place in a log: write GAME.HAND.DECISION, as 0.3.14")
    game, hand, decision = [*map(int, words), 0, 0][:3]
    return game, hand, decision


def walk(log: Log | LogStream, replayer: Replayer, viewer: Viewer) -> Iterator[Step | Opening]:
    """Yield what a viewer sees of a log, while the replayer follows it line by line.

    Raises:
        UsageError: the log has no such seat, game or place.
        LogError: anything is wrong with the log.
    """
    _check_seat(replayer, viewer)
    started = viewer.at is None
    found = viewer.game is None
    for line in log:
        value = line.value
        if not started and viewer.at is not None and _reached(value, viewer.at):
            started = True
            yield Opening(line)
        here = viewer.game in (None, _game_of(value, replayer))
        known = len(replayer.game.records) if replayer.game and not isinstance(value, GameStart) else 0
        replayer.follow(line)
        found |= here
        if isinstance(value, Header) or (started and here):
            yield Step(line, _sights(replayer, viewer, known))
    if log.problem is not None:
        raise log.problem
    if not (started and found):
        raise UsageError(_nowhere(log, replayer, viewer))


def _check_seat(replayer: Replayer, viewer: Viewer) -> None:
    seats = replayer.form.seats
    if viewer.seat is not None and viewer.seat >= seats:
        raise UsageError(f"there is no seat {viewer.seat}: the log has seats 0 to {seats - 1}")


def _reached(value: Value, at: Place) -> bool:
    return isinstance(value, Decision) and (value.game, value.hand, value.asked.decision) >= at


def _game_of(value: Value, replayer: Replayer) -> int | None:
    """Return the game that a line belongs to; -1 for those of the whole match."""
    match value:
        case Header() | End():
            return -1
        case GameStart():
            return value.number
        case LoggedFault():
            return -1 if value.game is None else value.game
        case GameEnd() | Void():
            return value.game
    return replayer.number


def _nowhere(log: Log | LogStream, replayer: Replayer, viewer: Viewer) -> str:
    if viewer.at is None or viewer.game not in (None, viewer.at[0]):
        return f"{log.name} has no game {viewer.game}: its last is {replayer.number + replayer.playing - 1}"
    place = ".".join(map(str, viewer.at))
    last = "" if log.last is None else f": it ends with {place_of(log.last.value)}"
    return f"{log.name} has no decision {place} or later{last}"


# ---------------------------------------------------------------------- what is seen


def _sights(replayer: Replayer, viewer: Viewer, known: int) -> tuple[Sight, ...]:
    game = replayer.game
    if game is None or len(game.records) == known:
        return ()
    if viewer.seat is not None:
        return tuple(news(game, viewer.seat, known))
    return tuple(sight for record in game.records[known:] for sight in _open(game, record))


def _open(game: Game, record: Record) -> list[Sight]:
    """Return a record as a viewer of all hands sees it."""
    if isinstance(record, Acted):
        return [SawAction(record.seat, record.action, record.card, record.declaration)]
    if isinstance(record, Showed):
        return [SawShowdown(record.table, record.plan, record.result)]
    if isinstance(record, Dealt):
        return [
            SawDeal(record.hand, number, table_plan, 0, table.hand.upcard, table.hand.knock_limit)
            for number, (table_plan, table) in enumerate(zip(record.seating, game.tables, strict=True))
        ]
    return [record]
