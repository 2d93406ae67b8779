"""Stepping a log through the engine, line by line.

The state before a line is :class:`Replayer` as it stands; :meth:`Replayer.follow` moves it on, so
whoever shows, checks or counts what is in a log looks before and after.
"""

from __future__ import annotations

import json
from typing import Any, Final

from arena.engine.formats import Format, format_for
from arena.engine.game import Acted, Dealt, Finished, Game, Record, Scored, Showed
from arena.errors import IllegalAction, LogError
from arena.log.encoding import (
    deal_data,
    decision_text,
    game_end_data,
    line_text,
    score_data,
    show_data,
    without_time,
)
from arena.log.lines import (
    PHASES,
    Deal,
    Decision,
    End,
    GameEnd,
    GameStart,
    Header,
    LoggedFault,
    Score,
    Show,
    Void,
)
from arena.log.reader import Line

_LONGEST_VALUE: Final = 100
"""Characters of a value in a message."""


class Mismatch(LogError):
    """A line says what the rules, or the lines before it, do not allow.

    Args:
        number: the line's number, from 1.
        place: what the line is about.
        problem: what is wrong with it.
    """

    def __init__(self, number: int, place: str, problem: str) -> None:
        super().__init__(f"mismatch at event {number} ({place}): {problem}")
        self.number: int = number
        self.place: str = place
        self.problem: str = problem


class Replayer:
    """A match replayed from its log.

    Args:
        header: the log's first line.
    """

    def __init__(self, header: Header) -> None:
        self.header: Header = header
        self.form: Format = format_for(header.format, len(header.seats))
        self.game: Game | None = None
        """The game in play, or the last one."""
        self.number: int = 0
        """Number of the game in play, or of the next one."""
        self.playing: bool = False
        """Whether a game is in play."""
        self.decisions: int = 0
        """Decisions in the hand so far, which is the number of the next one."""
        self.wins: list[int] = [0] * self.form.seats
        """Games won, by seat."""
        self.faults: list[int] = [0] * self.form.seats
        """Faults, by seat."""
        self.end: End | None = None
        self._logged = 0
        self._at_fault: set[int] = set()

    def follow(self, line: Line) -> tuple[Record, ...]:
        """Move on by one line, and return what the engine newly recorded.

        A decision may end a hand and a game: what that is worth is recorded with it, and the
        lines ``show``, ``score`` and ``game_end`` that follow only say it again.

        Raises:
            Mismatch: the line says what cannot be.
        """
        before = len(self.game.records) if self.game else 0
        game = self.game
        problem = self._step(line)
        if problem:
            raise Mismatch(line.number, line.place, problem)
        if self.game is None:
            return ()
        return tuple(self.game.records[before if self.game is game else 0 :])

    def _step(self, line: Line) -> str:
        """Move on by one line; return what is wrong with it, if anything."""
        value = line.value
        if self._pending is not None and not isinstance(value, Show | Score | GameEnd):
            return f"the line {_kind(self._pending)!r} is missing before it"
        match value:
            case Decision():
                return self._decision(value, line)
            case Show() | Score() | GameEnd():
                return self._result(value, line)
            case Deal():
                return self._deal(value, line)
            case GameStart():
                return self._start(value)
            case LoggedFault():
                return self._fault(value)
            case Void():
                return self._void(value)
            case End():
                self.end = value
                return ""
            case Header():
                return "" if line.number == 1 else "it is a second header"

    @property
    def _pending(self) -> Record | None:
        """What the engine recorded and the log has not told yet."""
        if self.game is None or self._logged == len(self.game.records):
            return None
        return self.game.records[self._logged]

    # ------------------------------------------------------------------ line by line

    def _start(self, start: GameStart) -> str:
        if self.playing:
            return f"game {self.number} is still in play"
        if start.number != self.number:
            return f"it is game {start.number} where game {self.number} comes next"
        if start.number >= self.header.games:
            return f"only {self.header.games} games were to be played"
        if start.first_dealer >= self.form.dealers:
            return f"there is no dealer {start.first_dealer}"
        aligned = self.header.dealing == "aligned"
        self.game = Game(self.header.rules, self.form, start.first_dealer, aligned=aligned)
        self.playing = True
        self._logged = 0
        self._at_fault.clear()
        return ""

    def _deal(self, deal: Deal, line: Line) -> str:
        game = self._in_play()
        if game is None:
            return "no game is in play"
        try:
            game.deal([table.deck for table in deal.tables])
        except IllegalAction as error:
            return str(error)
        self.decisions = 0
        return self._compare(line)

    def _decision(self, decision: Decision, line: Line) -> str:
        game = self._in_play()
        if game is None:
            return "no game is in play"
        try:
            game.apply(decision.seat, decision.action, decision.declaration)
        except IllegalAction as error:
            return str(error)
        if decision.asked.decision != self.decisions:
            return f"it is decision {decision.asked.decision} where decision {self.decisions} comes next"
        self.decisions += 1
        record = game.records[self._logged]
        if isinstance(record, Acted) and _same(decision, record, self.number, game.hand_number):
            self._logged += 1
            return ""
        return self._compare(line)

    def _result(self, value: Show | Score | GameEnd, line: Line) -> str:
        game = self._in_play()
        if game is None:
            return "no game is in play"
        if self._pending is None:
            problem = self._forfeit(value, game)
            if problem:
                return problem
        problem = self._compare(line)
        if not problem and game.finished is not None and isinstance(value, GameEnd):
            self._count(game.finished)
        return problem

    def _forfeit(self, value: Show | Score | GameEnd, game: Game) -> str:
        """Let a seat forfeit where the line says so."""
        if not isinstance(value, GameEnd) or value.forfeited_by is None:
            return "the rules do not end anything here"
        if value.forfeited_by not in self._at_fault:
            return f"seat {value.forfeited_by} did nothing in this game to forfeit it"
        game.forfeit(value.forfeited_by)
        return ""

    def _count(self, finished: Finished) -> None:
        for seat, side in enumerate(self.form.sides):
            self.wins[seat] += side in finished.settlement.winners
        self.playing = False
        self.number += 1

    def _fault(self, fault: LoggedFault) -> str:
        if fault.seat >= self.form.seats:
            return f"there is no seat {fault.seat}"
        here = self._here(fault.seat)
        if (fault.game, fault.hand, fault.decision) != here[:3]:
            return f"it is not where the match had come to: {_place(here)}"
        if fault.phase not in (None, here[3]):
            return f"seat {fault.seat} is in the phase {here[3]!r}, not {fault.phase!r}"
        self.faults[fault.seat] += 1
        self._at_fault.add(fault.seat)
        return ""

    def _here(self, seat: int) -> tuple[int | None, int | None, int | None, str | None]:
        """Return game, hand, decision and a seat's phase."""
        game = self._in_play()
        if game is None:
            return None, None, None, None
        if game.hand_number < 0:
            return self.number, None, None, None
        table = game.table_of(seat)
        phase = PHASES[table.hand.phase] if table and table.turn_seat is not None else None
        return self.number, game.hand_number, self.decisions, phase

    def _void(self, void: Void) -> str:
        if not self.playing or void.game != self.number:
            return f"game {void.game} is not in play"
        self.playing = False
        return ""

    def _in_play(self) -> Game | None:
        return self.game if self.playing else None

    # ------------------------------------------------------------------ comparing

    def _compare(self, line: Line) -> str:
        """Compare a line with what the engine recorded in its place; return what differs."""
        record = self._pending
        assert record is not None and self.game is not None
        self._logged += 1
        expected = self._expected(record, line)
        if without_time(line.text) == expected:
            return ""
        told = json.loads(line.text)
        told.pop("time", None)
        return _difference(told, json.loads(expected))

    def _expected(self, record: Record, line: Line) -> str:
        assert self.game is not None
        hand = self.game.hand_number
        if isinstance(record, Acted):
            assert isinstance(line.value, Decision)
            return without_time(decision_text(self.number, hand, record, line.value.asked))
        if isinstance(record, Dealt):
            return line_text(deal_data(self.number, record))
        if isinstance(record, Showed):
            return line_text(show_data(self.number, hand, record))
        if isinstance(record, Scored):
            return line_text(score_data(self.number, record))
        return line_text(game_end_data(self.number, record))


def _same(decision: Decision, acted: Acted, game: int, hand: int) -> bool:
    """Return whether a decision is what the engine recorded; comparing the texts takes far longer."""
    return (
        decision.card == acted.card
        and decision.phase == acted.phase
        and decision.table == acted.table
        and decision.game == game
        and decision.hand == hand
        and decision.seat == acted.seat
        and decision.action == acted.action
        and decision.declaration == acted.declaration
    )


def _kind(record: Record) -> str:
    kinds = {Acted: "decision", Dealt: "deal", Showed: "show", Scored: "score", Finished: "game_end"}
    return kinds[type(record)]


def _place(here: tuple[int | None, int | None, int | None, str | None]) -> str:
    numbers = [str(number) for number in here[:3] if number is not None]
    return ".".join(numbers) if numbers else "between the games"


def _difference(told: dict[str, Any], expected: dict[str, Any]) -> str:
    """Return the first member in which two lines differ, for people; empty if none does."""
    for name in (*expected, *(name for name in told if name not in expected)):
        if told.get(name) != expected.get(name) or (name in told) != (name in expected):
            return (
                f"{name!r} is {_short(told.get(name))} where the rules make it {_short(expected.get(name))}"
            )
    return ""


def _short(value: object) -> str:
    text = json.dumps(value)
    return text if len(text) <= _LONGEST_VALUE else f"{text[:_LONGEST_VALUE]}..."
