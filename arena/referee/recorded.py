"""A recorded match played again: the referee's own match loop, fed from a log instead of by bots.

What each seat was sent is so built by the code that built it the first time, to the byte (the
referee's own clock readings are the recorded ones). :mod:`arena.referee.rerun` puts a bot in.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict, deque
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Final

from arena.engine.dealing import Deck
from arena.log.lines import Deal, Decision, End, GameStart, Header, LoggedFault, Void
from arena.log.reader import Log
from arena.protocol.codec import decision_message
from arena.protocol.v1 import bot_pb2
from arena.referee.clock import parse_time_control
from arena.referee.contestant import Contestant, Instance
from arena.referee.manifest import BotPackage
from arena.referee.match import Match, MatchSpec
from arena.referee.policy import parse_policy
from arena.referee.session import Door, Reply
from arena.referee.verdict import Fault, Verdict

Place = tuple[int, int, int]
"""Game, hand, decision: what ``G.H.D`` names."""
Listener = Callable[[int, bot_pb2.RefereeMessage, Place | None, Decision | None], Awaitable[None]]
"""Told each message to a seat; for a request also its place and what was decided (none on a fault)."""


class TapeEnd(Exception):
    """The log has nothing more: it was cut off, or the match was aborted here."""


class Tape:
    """What the seats of a recorded match answered, each in its order."""

    def __init__(self, log: Log) -> None:
        self.header: Header = log.header
        self.secret: bytes | None = None
        self.dealers: list[int] = []
        self.decks: dict[tuple[int, int], list[Deck]] = {}
        self._answers: defaultdict[int, deque[Decision | LoggedFault]] = defaultdict(deque)
        for line in log:
            self._take(line.value)

    def _take(self, value: object) -> None:
        if isinstance(value, Decision):
            if not value.asked.substituted:
                self._answers[value.seat].append(value)
        elif isinstance(value, LoggedFault):
            self._answers[value.seat].append(value)
        elif isinstance(value, GameStart):
            self.dealers.append(value.first_dealer)
        elif isinstance(value, Deal):
            game = len(self.dealers) - 1
            self.decks[game, value.hand] = [table.deck for table in value.tables]
        elif isinstance(value, End):
            self.secret = value.secret
        elif isinstance(value, Void):
            # The answers of a game that did not count were given all the same.
            return

    def peek(self, seat: int) -> Decision | LoggedFault | None:
        """Return what a seat answers next."""
        return self._answers[seat][0] if self._answers[seat] else None

    def pop(self, seat: int) -> Decision | LoggedFault:
        """Take what a seat answers next.

        Raises:
            TapeEnd: there is nothing more.
        """
        if not self._answers[seat]:
            raise TapeEnd
        return self._answers[seat].popleft()


class _RecordedConnection:
    """Stands for a bot's stream: hears every message and answers from the tape."""

    def __init__(self, seat: int, tape: Tape, listener: Listener) -> None:
        self._seat = seat
        self._tape = tape
        self._listener = listener
        self._told: set[asyncio.Task[None]] = set()
        self.closed = asyncio.Event()
        self.broken = False
        self.fault: Fault | None = None
        self.hello: bot_pb2.Hello | None = None

    async def ask(
        self, message: bot_pb2.RefereeMessage, match_id: str, request_id: int, budget_s: float | None
    ) -> Reply | Fault:
        """Answer a request as it was answered."""
        request = message.request
        place = (request.game, request.hand, request.decision)
        answer = self._tape.peek(self._seat)
        if answer is None:
            raise TapeEnd
        await self._listener(self._seat, message, place, answer if isinstance(answer, Decision) else None)
        taken = self._tape.pop(self._seat)
        if isinstance(taken, LoggedFault):
            return _fault(taken)
        decision = decision_message(match_id, request_id, taken.action, taken.declaration, taken.asked.note)
        return Reply(decision, taken.asked.time_us / 1e6)

    def tell(self, message: bot_pb2.RefereeMessage) -> None:
        """Hear a message that needs no answer."""
        task = asyncio.ensure_future(self._listener(self._seat, message, None, None))
        self._told.add(task)
        task.add_done_callback(self._told.discard)

    def end(self, fault: Fault | None) -> None:
        """End the stream, as the referee does after some faults."""
        self.fault = fault
        self.closed.set()

    async def flush(self) -> None:
        """Wait until every message was heard."""
        await asyncio.gather(*self._told)


def _fault(logged: LoggedFault) -> Fault:
    return Fault(Verdict(logged.verdict), logged.reason, stderr=logged.stderr, elapsed_us=logged.time_us)


class _RecordedContestant(Contestant):
    """A seat whose processes are those of the tape."""

    def __init__(self, seat: int, tape: Tape, listener: Listener) -> None:
        info = tape.header.seats[seat]
        package = BotPackage(Path(), info.name, info.version, info.language, run=())
        super().__init__(package, Door(), "", bot_seed=info.bot_seed)
        self.software = info.software
        self._seat = seat
        self._tape = tape
        self._listener = listener

    async def _start(self) -> Instance | Fault:
        following = self._tape.peek(self._seat)
        if isinstance(following, LoggedFault) and following.verdict == Verdict.FAILED_START:
            self._tape.pop(self._seat)
            return _fault(following)
        connection = _RecordedConnection(self._seat, self._tape, self._listener)
        return Instance(connection, None, "", _CAPACITY)  # type: ignore[arg-type]  # stands for a Connection


_CAPACITY: Final = 1


class _RecordedMatch(Match):
    """The match loop with the decks and dealers of the tape."""

    def __init__(self, tape: Tape, contestants: list[Contestant]) -> None:
        header = tape.header
        spec = MatchSpec(
            header.match_id,
            header.rules,
            tape.secret or bytes(32),
            games=header.games,
            format=header.format,
            time=parse_time_control(header.time),
            duplicate=header.pairing == "duplicate",
            aligned=header.dealing == "aligned",
            policy=parse_policy(header.on_fault),
        )
        super().__init__(spec, contestants)
        self._tape = tape
        self._games_begun = -1

    def _first_dealer(self, number: int) -> int:
        self._games_begun += 1
        if self._games_begun >= len(self._tape.dealers):
            raise TapeEnd
        return self._tape.dealers[self._games_begun]

    def _decks(self, pair: int, hand: int, tables: int) -> list[Deck]:
        decks = self._tape.decks.get((self._games_begun, hand))
        if decks is None:
            raise TapeEnd
        return decks

    def _commitment(self) -> str:
        return self._tape.header.commitment


async def play_again(log: Log, listener: Listener) -> None:
    """Play a recorded match again, telling the listener every message as it was sent.

    Args:
        log: the log, perhaps cut off; it is played as far as it goes.
        listener: see :data:`Listener`; the match waits for it.
    """
    tape = Tape(log)
    seats = range(len(tape.header.seats))
    match = _RecordedMatch(tape, [_RecordedContestant(seat, tape, listener) for seat in seats])
    try:
        await match.play()
    except TapeEnd:
        return
