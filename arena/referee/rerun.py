"""Putting a bot where another one sat: it is fed what that seat was sent, and its decisions are compared.

The match goes on as it was recorded whatever the bot answers, so every later request is the one
that was sent then.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field

from arena.engine.actions import action_text
from arena.errors import LogError, ProtocolError, UsageError
from arena.log.lines import Decision
from arena.log.reader import Log
from arena.protocol.codec import read_decision
from arena.protocol.v1 import bot_pb2
from arena.referee.contestant import Contestant, Instance, explain
from arena.referee.recorded import Place, play_again
from arena.referee.session import Reply
from arena.referee.verdict import Fault


@dataclass(frozen=True, slots=True)
class Compared:
    """One decision, as recorded and as made now."""

    place: Place
    recorded: str
    """The recorded action; empty where a fault was recorded."""
    now: str
    """The action now, or the verdict and reason of a fault."""
    recorded_us: int
    now_us: int
    fault: Fault | None = None

    @property
    def same(self) -> bool:
        """Whether the bot decided as it was recorded."""
        return self.recorded == self.now


def place_text(place: Place) -> str:
    """Return a place as it is written: ``G.H.D``."""
    return ".".join(map(str, place))


async def rerun(
    log: Log,
    bot: Contestant,
    seat: int,
    *,
    paced: bool = False,
    on_place: Callable[[Place], Awaitable[None]] | None = None,
) -> AsyncIterator[Compared]:
    """Feed a bot what a seat of a log was sent and yield each of its decisions beside the recorded one.

    Args:
        log: the log, perhaps cut off; it is played as far as it goes.
        bot: the bot, entered at a referee.
        seat: the seat whose messages it gets.
        paced: wait as long as each recorded decision took before the next message.
        on_place: awaited before each request is sent; it may wait there for a debugger.

    Raises:
        UsageError: the log has no such seat.
        BotFailure: by the caller, from the ``Fault`` of a bot that does not start (the last one yielded).
    """
    if not 0 <= seat < len(log.header.seats):
        raise UsageError(f"the log has seats 0 to {len(log.header.seats) - 1}, not {seat}")
    queue: asyncio.Queue[Compared | None] = asyncio.Queue()
    feed = _Feed(bot, seat, paced, on_place, queue)
    task = asyncio.ensure_future(_play(log, feed, queue))
    try:
        while (compared := await queue.get()) is not None:
            yield compared
        await task
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        await feed.close()


async def _play(log: Log, feed: _Feed, queue: asyncio.Queue[Compared | None]) -> None:
    try:
        await play_again(log, feed.hear)
    finally:
        queue.put_nowait(None)


@dataclass(slots=True)
class _Feed:
    """Passes one seat's messages on to the bot and compares its answers."""

    bot: Contestant
    seat: int
    paced: bool
    on_place: Callable[[Place], Awaitable[None]] | None
    queue: asyncio.Queue[Compared | None]
    instance: Instance | None = None
    start: bot_pb2.RefereeMessage | None = field(default=None)

    async def hear(
        self, seat: int, message: bot_pb2.RefereeMessage, place: Place | None, decision: Decision | None
    ) -> None:
        """Take in one message of the recorded match."""
        if seat != self.seat:
            return
        if place is None:
            await self._tell(message)
            return
        if self.on_place is not None:
            await self.on_place(place)
        answer = await self._ask(message)
        self.queue.put_nowait(_compared(place, decision, answer))
        if self.paced and decision is not None:
            await asyncio.sleep(decision.asked.time_us / 1e6)

    async def _tell(self, message: bot_pb2.RefereeMessage) -> None:
        if message.HasField("match_start"):
            self.start = message
            if self.instance is not None and self.instance.alive:
                return
        instance = await self._ready()
        if isinstance(instance, Instance) and not message.HasField("match_start"):
            instance.connection.tell(message)

    async def _ready(self) -> Instance | Fault:
        """Return the bot's process, told of the match; a new one if the last has ended."""
        if self.instance is not None and self.instance.alive:
            return self.instance
        await self.close()
        got = await self.bot.acquire()
        if isinstance(got, Instance):
            self.instance = got
            if self.start is not None:
                got.connection.tell(self.start)
        return got

    async def _ask(self, message: bot_pb2.RefereeMessage) -> Reply | Fault:
        instance = await self._ready()
        if isinstance(instance, Fault):
            return instance
        request = message.request
        answer = await instance.connection.ask(message, request.match_id, request.request_id, None)
        return await explain(instance, answer) if isinstance(answer, Fault) else answer

    async def close(self) -> None:
        """Give the process back."""
        if self.instance is not None:
            await self.bot.release(self.instance, healthy=self.instance.alive)
            self.instance = None


def _compared(place: Place, decision: Decision | None, answer: Reply | Fault) -> Compared:
    recorded = action_text(decision.action, decision.declaration) if decision is not None else ""
    recorded_us = decision.asked.time_us if decision is not None else 0
    if isinstance(answer, Fault):
        return Compared(place, recorded, f"{answer.verdict}: {answer.reason}", recorded_us, 0, answer)
    now_us = int(answer.elapsed_s * 1e6)
    try:
        now = action_text(*read_decision(answer.decision))
    except ProtocolError as error:
        now = f"protocol_error: {error}"
    return Compared(place, recorded, now, recorded_us, now_us)


async def request_at(log: Log, place: Place) -> tuple[bot_pb2.DecisionRequest, Decision | None]:
    """Return the request of a place as it was sent, and what was decided (none on a fault).

    Raises:
        LogError: the log has no decision of that place.
    """
    found: list[tuple[bot_pb2.DecisionRequest, Decision | None]] = []

    async def listen(
        seat: int, message: bot_pb2.RefereeMessage, at: Place | None, decision: Decision | None
    ) -> None:
        if at == place:
            found.append((message.request, decision))

    await play_again(log, listen)
    if not found:
        raise LogError(f"the log has no decision {place_text(place)}: `arena replay` shows those it has")
    return found[-1]
