"""Reading match logs, ``.jsonl.zst`` or plain ``.jsonl``, line by line in bounded memory.

A log that was cut off or edited gives its good lines first and only then says what is wrong, so
that whatever can still be shown of it is shown.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

from arena.errors import LogError
from arena.log.decoding import decode, decode_header, plain_decision
from arena.log.encoding import without_time
from arena.log.lines import End, Header, Value, place_of
from arena.log.raw import Cut, Source, raw_lines

LINES_MAX: Final = 3_000_000
"""Lines that :func:`read_log` holds at once; :func:`open_log` takes any number."""


class Line(NamedTuple):
    """One line of a log: an event."""

    number: int
    """From 1, which is the header."""
    text: str
    value: Value

    @property
    def place(self) -> str:
        """What the line is about, for people."""
        return place_of(self.value)


class LineError(LogError):
    """A line is not one that gin-arena writes."""

    def __init__(self, name: str, number: int, problem: str) -> None:
        super().__init__(f"{name} was edited or damaged in line {number}: {problem}: get it again whole")
        self.number: int = number
        self.problem: str = problem


class CutOffError(LogError):
    """A log ends before the end of its match."""

    def __init__(self, name: str, last: Line) -> None:
        super().__init__(f"{name} is cut off after line {last.number} ({last.place}): get it again whole")


class LogStream:
    """A log being read; iterate it once, and get its lines, the header's first.

    Args:
        source: the path of a log, or its bytes.
        name: what messages call it; the path where none is given.
        tolerant: keep what is wrong behind the first line in :attr:`problem` instead of raising it.

    Raises:
        LogError: there is no log, or not even its first line can be read.
    """

    def __init__(self, source: Source, *, name: str | None = None, tolerant: bool = False) -> None:
        self.name: str = name or ("the log" if isinstance(source, bytes) else os.fspath(source))
        self.problem: LogError | None = None
        """What stopped the reading before the end of the match."""
        self.last: Line | None = None
        """The last good line so far."""
        self._tolerant = tolerant
        self._lines = self._read(source)
        first = next(self._lines)
        assert isinstance(first.value, Header), "the first line is a header, or refused"
        self.header: Header = first.value
        self._first = first

    def __iter__(self) -> Iterator[Line]:
        """Yield the lines.

        Raises:
            LogError: what is wrong behind the last good line, unless the stream is tolerant.
        """
        yield self._first
        try:
            yield from self._lines
        except LogError as error:
            if not self._tolerant:
                raise
            self.problem = error

    def _read(self, source: Source) -> Iterator[Line]:
        try:
            for number, raw in enumerate(raw_lines(source), 1):
                self.last = _line(number, raw, self.last)
                yield self.last
        except LogError as error:
            raise self._explained(error) from None
        if self.last is None or not isinstance(self.last.value, End):
            raise self._explained(Cut("it is cut off: get it again whole"))

    def _explained(self, error: LogError) -> LogError:
        """Return an error that names the log and the place."""
        if self.last is None:
            return LogError(f"{self.name}: {error}")
        if isinstance(error, Cut):
            return CutOffError(self.name, self.last)
        return LineError(self.name, self.last.number + 1, str(error))


def _line(number: int, raw: bytes, last: Line | None) -> Line:
    try:
        text = raw.decode()
        if last is not None and not isinstance(last.value, End) and (plain := plain_decision(text)):
            return Line(number, text, plain)
        data = json.loads(text)
    except (ValueError, RecursionError):
        raise LogError("it is no JSON") from None
    if last is None:
        return Line(number, text, decode_header(data))
    if isinstance(last.value, End):
        raise LogError("it follows the end of the match")
    value = decode(data)
    if isinstance(value, Header):
        raise LogError("it is a second header")
    return Line(number, text, value)


@dataclass(frozen=True, slots=True)
class Log:
    """A log that was read."""

    name: str
    header: Header
    lines: tuple[Line, ...]
    problem: LogError | None = None
    """What is wrong behind the last line, in a log read as far as it goes."""

    def __iter__(self) -> Iterator[Line]:
        """Yield the lines, the header's first."""
        return iter(self.lines)

    @property
    def last(self) -> Line:
        """The last good line."""
        return self.lines[-1]

    @property
    def end(self) -> End | None:
        """How the match ended; none in a log that was cut off."""
        value = self.last.value
        return value if isinstance(value, End) else None


def open_log(source: Source, *, name: str | None = None, tolerant: bool = False) -> LogStream:
    """Open a log of any size to be read once, line by line; see :class:`LogStream`."""
    return LogStream(source, name=name, tolerant=tolerant)


def read_log(source: Source, *, name: str | None = None, tolerant: bool = False) -> Log:
    """Read a whole log.

    Args:
        source: the path of a log, or its bytes.
        name: what messages call it; the path where none is given.
        tolerant: return the good lines of a log that was cut off or edited, and what is wrong.

    Raises:
        LogError: there is no log, its first line cannot be read, it has more than
            :data:`LINES_MAX` lines, or (unless tolerant) anything in it is wrong.
    """
    stream = open_log(source, name=name, tolerant=tolerant)
    lines: list[Line] = []
    for line in stream:
        if len(lines) >= LINES_MAX:
            raise LogError(f"{stream.name} has more than {LINES_MAX} lines: read it line by line")
        lines.append(line)
    return Log(stream.name, stream.header, tuple(lines), stream.problem)


def strip_times(source: Source) -> bytes:
    """Return the text of a log without its times: equal for two runs of the same match.

    Raises:
        LogError: anything is wrong with the log.
    """
    return "".join(f"{without_time(line.text)}\n" for line in open_log(source)).encode()
