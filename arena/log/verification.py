"""Whether a log is true: it is replayed through the rules, and its decks are derived again.

What is checked, in the order in which it is reported:

* every line is one that the log format has, and follows from the lines before it;
* every action is legal, and every result is the one that the engine comes to;
* every deck and first dealer is the one that the revealed secret gives, and the secret is the one
  that was committed to;
* the wins, faults and verdict of the match are those of its games;
* the lines are those that were written (their SHA-256, times left out).
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from arena.engine.cards import CARD_NAMES
from arena.engine.dealing import commitment, deck, first_dealer, pair_of
from arena.errors import LogError
from arena.log.encoding import Digest
from arena.log.lines import Deal, Decision, End, GameStart, Header, LoggedFault
from arena.log.raw import Source
from arena.log.reader import Line, LineError, Log, LogStream, open_log
from arena.log.replayer import Mismatch, Replayer

_NO_FAULT: Final = ("completed", "aborted", "overload")
"""Verdicts of a match that no fault ended."""


def verify(log: Log | LogStream) -> Mismatch | None:
    """Return the first thing that is not true in a log; none if all of it is.

    A log that was cut off, or has a line that cannot be read, is not true from there on.
    """
    audit = _Audit(log.header)
    last = None
    try:
        for line in log:
            audit.see(line)
            last = line
    except LogError as error:
        problem: LogError | None = error
    else:
        problem = log.problem
    if problem is not None and last is not None:
        audit.broken(problem, last)
    return audit.mismatch


class _Derived(NamedTuple):
    """A line that says what derives from the secret, which is known only at the end."""

    line: Line
    game: int
    value: GameStart | Deal


class _Audit:
    """What is known of a log while its lines go by."""

    def __init__(self, header: Header) -> None:
        self.mismatch: Mismatch | None = None
        self._header = header
        self._replayer = Replayer(header)
        self._derived: list[_Derived] = []
        self._digest = Digest()
        self._requests: dict[int, int] = {}
        self._faults: dict[tuple[int, int, int, int], str] = {}
        self._last_verdict = ""

    def see(self, line: Line) -> None:
        """Check one line. After a mismatch only the secret is still looked for."""
        if self.mismatch is None:
            try:
                self._check(line)
            except Mismatch as mismatch:
                self.mismatch = mismatch
        if isinstance(line.value, End):
            self._check_secret(line, line.value)
        self._digest.add(line.text)

    def broken(self, problem: LogError, last: Line) -> None:
        """Note that the log cannot be read on behind a line."""
        if self.mismatch is not None:
            return
        if isinstance(problem, LineError):
            self.mismatch = Mismatch(problem.number, f"after {last.place}", problem.problem)
        else:
            self.mismatch = Mismatch(last.number, last.place, "the log is cut off after it")

    def _check(self, line: Line) -> None:
        self._replayer.follow(line)
        value = line.value
        if isinstance(value, GameStart | Deal):
            self._derived.append(_Derived(line, self._replayer.number, value))
            problem = self._pair(value) if isinstance(value, GameStart) else ""
        elif isinstance(value, Decision):
            problem = self._decision(value)
        elif isinstance(value, LoggedFault):
            problem = self._fault(value)
        elif isinstance(value, End):
            problem = self._end(value, line)
        else:
            problem = ""
        if problem:
            raise Mismatch(line.number, line.place, problem)

    def _pair(self, start: GameStart) -> str:
        duplicate = self._header.pairing == "duplicate"
        pair = pair_of(start.number, duplicate=duplicate, dealers=self._replayer.form.dealers)
        return "" if start.pair == pair else f"'pair' is {start.pair} where the pairing makes it {pair}"

    def _decision(self, decision: Decision) -> str:
        asked = decision.asked
        if asked.request_id <= self._requests.get(decision.seat, -1):
            return f"'request' is {asked.request_id}, which seat {decision.seat} was asked before"
        self._requests[decision.seat] = asked.request_id
        place = (decision.game, decision.hand, asked.decision, decision.seat)
        if asked.substituted and place not in self._faults:
            return f"the default was played for seat {decision.seat}, which was not at fault"
        return ""

    def _fault(self, fault: LoggedFault) -> str:
        if fault.verdict in _NO_FAULT:
            return f"{fault.verdict!r} is the verdict on no fault"
        if fault.game is not None and fault.hand is not None and fault.decision is not None:
            self._faults[fault.game, fault.hand, fault.decision, fault.seat] = fault.verdict
        self._last_verdict = fault.verdict
        return ""

    def _end(self, end: End, line: Line) -> str:
        replayer = self._replayer
        for name, told, true in (("wins", end.wins, replayer.wins), ("faults", end.faults, replayer.faults)):
            if told != tuple(true):
                return f"{name!r} is {list(told)} where the games make it {true}"
        complete = replayer.number == self._header.games
        if end.verdict == "completed" and not complete:
            return f"'completed' after {replayer.number} of {self._header.games} games"
        if end.verdict not in (*_NO_FAULT, self._last_verdict):
            return f"the verdict is {end.verdict!r}, but there was no such fault last"
        if json.loads(line.text)["sha256"] != self._digest.end(line.text):
            return "'sha256' does not fit the log: one of its lines was changed"
        return ""

    def _check_secret(self, line: Line, end: End) -> None:
        """Check the decks; a wrong one is the cause of whatever mismatch came after it."""
        if commitment(end.secret) != self._header.commitment:
            problem = "the secret is not the one that the header commits to"
            self.mismatch = self.mismatch or Mismatch(line.number, line.place, problem)
            return
        for derived in self._derived:
            problem = self._derive(derived, end.secret)
            if problem:
                self.mismatch = Mismatch(derived.line.number, derived.line.place, problem)
                return

    def _derive(self, derived: _Derived, secret: bytes) -> str:
        header, value, dealers = self._header, derived.value, self._replayer.form.dealers
        if isinstance(value, GameStart):
            dealer = first_dealer(secret, header.rules.first_dealer, value.number, dealers)
            if value.first_dealer != dealer:
                return f"'first_dealer' is {value.first_dealer} where the secret makes it {dealer}"
            return ""
        pair = pair_of(derived.game, duplicate=header.pairing == "duplicate", dealers=dealers)
        for number, table in enumerate(value.tables):
            told, true = table.deck, deck(secret, pair, value.hand, number)
            for place in range(52):
                if told[place] != true[place]:
                    return (
                        f"card {place + 1} of table {number}'s deck is {CARD_NAMES[told[place]]} "
                        f"where the secret makes it {CARD_NAMES[true[place]]}"
                    )
        return ""


@dataclass(frozen=True, slots=True)
class Report:
    """What verifying one log came to."""

    name: str
    mismatch: Mismatch | None = None
    unreadable: LogError | None = None
    """Why not even its header can be read."""

    @property
    def ok(self) -> bool:
        """Whether the log is true."""
        return self.mismatch is None and self.unreadable is None

    @property
    def text(self) -> str:
        """One line for people."""
        return str(self.unreadable) if self.unreadable else f"{self.name}: {self.mismatch or 'ok'}"

    @property
    def data(self) -> dict[str, Any]:
        """The same for machines."""
        data: dict[str, Any] = {"log": self.name, "ok": self.ok}
        if self.mismatch:
            data |= {"event": self.mismatch.number, "at": self.mismatch.place}
            data["problem"] = self.mismatch.problem
        elif self.unreadable:
            data["problem"] = str(self.unreadable)
        return data


def report(name: str, source: Source) -> Report:
    """Verify a log and return what came of it, whatever is wrong with the log."""
    try:
        log = open_log(source, name=name, tolerant=True)
    except LogError as error:
        return Report(name, unreadable=error)
    return Report(name, verify(log))
