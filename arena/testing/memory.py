"""Matches between scripted bots over streams in memory: no process, no socket."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

import grpc

from arena.protocol.v1 import bot_pb2
from arena.referee.contestant import Contestant, Instance
from arena.referee.manifest import BotPackage
from arena.referee.match import Match, MatchOutcome, MatchSpec
from arena.referee.session import ArenaService, Connection, Door
from arena.referee.verdict import Fault, Verdict
from arena.testing.scripted import ScriptedBot

if TYPE_CHECKING:
    _Context = grpc.aio.ServicerContext[bot_pb2.BotMessage, bot_pb2.RefereeMessage]

HELLO_S: Final = 5.0
"""Seconds that a bot in memory has for its hello."""


class MemoryStream:
    """One stream between the referee and a bot in this process.

    The referee's end has ``read`` and ``write`` as a gRPC context has. The other end is
    :meth:`send`, :meth:`close` and ``on_message``, which is called with each message.
    """

    def __init__(self) -> None:
        self._inbox: asyncio.Queue[bot_pb2.BotMessage | None] = asyncio.Queue()
        self.on_message: Callable[[bot_pb2.RefereeMessage], None] = lambda message: None
        self.reading = asyncio.Event()
        """Clear it to have the bot's end read no more: writes then wait."""
        self.reading.set()

    def send(self, message: bot_pb2.BotMessage) -> None:
        """Send a message to the referee."""
        self._inbox.put_nowait(message)

    def close(self) -> None:
        """End the bot's side of the stream."""
        self._inbox.put_nowait(None)

    async def read(self) -> object:
        """Return the bot's next message, or the end-of-stream mark."""
        message = await self._inbox.get()
        return grpc.aio.EOF if message is None else message

    async def write(self, message: bot_pb2.RefereeMessage) -> None:
        """Hand a message to the bot, once it reads."""
        await self.reading.wait()
        copy = bot_pb2.RefereeMessage()
        copy.CopyFrom(message)
        self.on_message(copy)


class MemoryContestant(Contestant):
    """A contestant whose processes are streams in memory."""

    def __init__(self, package: BotPackage, arena: MemoryArena, bot: ScriptedBot) -> None:
        super().__init__(package, arena.door, "memory", bot_seed="")
        self._arena = arena
        self._bot = bot
        self.streams: list[MemoryStream] = []

    async def _start(self) -> Instance | Fault:
        greeted: asyncio.Future[Connection] = asyncio.get_running_loop().create_future()

        def greet(connection: Connection) -> str:
            greeted.set_result(connection)
            return ""

        token = self._door.expect(greet)
        stream = self._arena.open(self._bot, token)
        try:
            connection = await asyncio.wait_for(greeted, HELLO_S)
        except TimeoutError:
            return Fault(Verdict.FAILED_START, f"it sent no hello within {HELLO_S:g} s")
        hello = connection.hello
        assert hello is not None, "the door hands over greeted streams only"
        self.software = hello.software
        self.streams.append(stream)
        return Instance(connection, None, token, max(1, hello.max_matches))


class MemoryArena:
    """Plays matches between scripted bots; use it as ``async with MemoryArena() as arena``.

    Args:
        delay_s: what the referee's connections take for its own delay since a moment.
    """

    def __init__(self, delay_s: Callable[[float], float] | None = None) -> None:
        self.door = Door()
        self.service = ArenaService(self.door)
        self._delay_s = delay_s
        self._calls: set[asyncio.Task[None]] = set()
        self._contestants: list[Contestant] = []

    async def __aenter__(self) -> MemoryArena:
        """Nothing is to be started."""
        return self

    async def __aexit__(self, *_: object) -> None:
        """End all streams."""
        for contestant in self._contestants:
            await contestant.close()
        self.service.end_all()
        for call in list(self._calls):
            call.cancel()
        await asyncio.gather(*self._calls, return_exceptions=True)

    def open(self, bot: ScriptedBot, token: str) -> MemoryStream:
        """Open a stream, and let a bot greet on it."""
        stream = MemoryStream()

        def deliver(message: bot_pb2.RefereeMessage) -> None:
            for answer in bot.receive(message):
                stream.send(answer)

        stream.on_message = deliver
        self.serve(stream)
        stream.send(bot.hello(token))
        return stream

    def serve(self, stream: MemoryStream) -> None:
        """Let the referee's service handle a stream until it ends."""
        context = cast("_Context", stream)
        call = asyncio.ensure_future(self.service.serve(Connection(context, self._delay_s)))
        self._calls.add(call)
        call.add_done_callback(self._calls.discard)

    def enter(self, bot: ScriptedBot, name: str = "scripted") -> MemoryContestant:
        """Enter a bot in the contest."""
        package = BotPackage(Path(), name, "1.0.0", "python", ("memory",))
        contestant = MemoryContestant(package, self, bot)
        self._contestants.append(contestant)
        return contestant

    async def play(self, spec: MatchSpec, *bots: ScriptedBot | Contestant) -> MatchOutcome:
        """Play one match between bots, or contestants entered before, by seat."""
        contestants = [
            bot if isinstance(bot, Contestant) else self.enter(bot, f"bot{seat}")
            for seat, bot in enumerate(bots)
        ]
        return await Match(spec, contestants).play()
