"""A referee without clocks, verdicts or sandbox: it starts one bot, asks it and hears its answers.

It speaks the protocol through the generated stubs alone, so that what it sees of a bot does not
depend on the real referee.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import grpc

from arena.protocol.codec import PROTOCOL
from arena.protocol.transport import SERVER_OPTIONS
from arena.protocol.v1 import bot_pb2, bot_pb2_grpc
from arena.referee.manifest import BotPackage

if TYPE_CHECKING:
    _Context = grpc.aio.ServicerContext[bot_pb2.BotMessage, bot_pb2.RefereeMessage]

TOKEN: Final = "token-of-the-fake-referee"
PATIENCE_S: Final = 30.0
"""How long a bot may take to connect, to answer or to exit; a virtual machine starts slowly."""


@dataclass(frozen=True, slots=True)
class Exit:
    """How a bot's process ended."""

    code: int
    stdout: str
    stderr: str


class FakeReferee(bot_pb2_grpc.ArenaServicer):
    """The server's side of one bot's stream.

    Args:
        refusal: the reason with which the bot's hello is refused; none to welcome it.
    """

    def __init__(self, refusal: str | None = None) -> None:
        self.hello: bot_pb2.Hello | None = None
        self._refusal = refusal
        self._welcomed = asyncio.Event()
        self._finished = asyncio.Event()
        self._writing = asyncio.Lock()
        self._awaited: dict[tuple[str, int], asyncio.Future[bot_pb2.Decision]] = {}
        self._context: _Context | None = None

    # The generated base class types the method for synchronous servers.
    async def Play(self, request_iterator: object, context: _Context) -> None:  # type: ignore[override]
        """Serve the stream until :meth:`finish`."""
        first = await context.read()
        assert isinstance(first, bot_pb2.BotMessage) and first.HasField("hello"), first
        self.hello = first.hello
        reason = self._refusal or ("" if first.hello.token == TOKEN else "the token is wrong")
        if reason:
            await context.write(bot_pb2.RefereeMessage(refusal=bot_pb2.Refusal(reason=reason)))
            return
        self._context = context
        welcome = bot_pb2.Welcome(protocol=PROTOCOL, software="fake referee")
        await self._write(bot_pb2.RefereeMessage(welcome=welcome))
        self._welcomed.set()
        hearing = asyncio.create_task(self._hear(context))
        await self._finished.wait()
        hearing.cancel()

    async def _hear(self, context: _Context) -> None:
        while isinstance(message := await context.read(), bot_pb2.BotMessage):
            decision = message.decision
            self._awaited.pop((decision.match_id, decision.request_id)).set_result(decision)

    async def _write(self, message: bot_pb2.RefereeMessage) -> None:
        assert self._context is not None
        async with self._writing:
            await self._context.write(message)

    async def welcomed(self) -> None:
        """Wait until the bot's stream is open."""
        await self._welcomed.wait()

    async def start_match(self, match_id: str) -> None:
        """Tell the bot that a match begins."""
        start = bot_pb2.MatchStart(match_id=match_id, players=["tested", "fake"], format="duel", games=1)
        await self._write(bot_pb2.RefereeMessage(match_start=start))

    async def end_match(self, match_id: str) -> None:
        """Tell the bot that a match is over."""
        end = bot_pb2.MatchEnd(match_id=match_id, verdict="completed", fault_seat=-1)
        await self._write(bot_pb2.RefereeMessage(match_end=end))

    async def ask(self, request: bot_pb2.DecisionRequest) -> bot_pb2.Decision:
        """Return the bot's answer to a request; its match and request ids tell it from others'."""
        key = request.match_id, request.request_id
        self._awaited[key] = answer = asyncio.get_running_loop().create_future()
        await self._write(bot_pb2.RefereeMessage(request=request))
        return await asyncio.wait_for(answer, PATIENCE_S)

    def finish(self) -> None:
        """End the stream, as a referee does that has no further matches."""
        self._finished.set()


class RunningBot:
    """A bot's process."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._ended = asyncio.create_task(self._end())

    @property
    def pid(self) -> int:
        """The process's id."""
        return self._process.pid

    async def _end(self) -> Exit:
        stdout, stderr = await self._process.communicate()
        assert self._process.returncode is not None
        return Exit(self._process.returncode, stdout.decode(), stderr.decode())

    async def ended(self) -> Exit:
        """Wait until the process has ended of itself."""
        return await asyncio.wait_for(asyncio.shield(self._ended), PATIENCE_S)

    async def stop(self) -> None:
        """Kill the process if it still runs."""
        if not self._ended.done():
            self._process.kill()
            await self._ended


def command(package: BotPackage) -> list[str]:
    """Return what starts a bot; Python bots run in the interpreter of the tests."""
    program, *arguments = package.run
    return [sys.executable if program == "python" else program, *arguments]


@asynccontextmanager
async def started(
    package: BotPackage, address: str, environment: Mapping[str, str] | None = None
) -> AsyncIterator[RunningBot]:
    """Start a bot that is to dial an address, and kill it in the end if it still runs."""
    process = await asyncio.create_subprocess_exec(
        *command(package),
        cwd=package.folder,
        env={**os.environ, "ARENA_ADDRESS": address, "ARENA_TOKEN": TOKEN, **(environment or {})},
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    bot = RunningBot(process)
    try:
        yield bot
    finally:
        await bot.stop()


@asynccontextmanager
async def listening(referee: FakeReferee, address: str) -> AsyncIterator[str]:
    """Serve at an address (``host:0`` takes a free port) and yield the address that bots dial."""
    server = grpc.aio.server(options=SERVER_OPTIONS)
    bot_pb2_grpc.add_ArenaServicer_to_server(referee, server)
    port = server.add_insecure_port(address)
    await server.start()
    try:
        yield address if address.startswith("unix:") else f"{address.rpartition(':')[0]}:{port}"
    finally:
        await server.stop(grace=None)


@asynccontextmanager
async def conversing(
    package: BotPackage, address: str, environment: Mapping[str, str] | None = None
) -> AsyncIterator[tuple[FakeReferee, RunningBot]]:
    """Start a referee and a bot, and yield both when the bot's stream is open."""
    referee = FakeReferee()
    async with listening(referee, address) as dialled, started(package, dialled, environment) as bot:
        welcomed = asyncio.create_task(referee.welcomed())
        ended = asyncio.create_task(bot.ended())
        await asyncio.wait({welcomed, ended}, timeout=PATIENCE_S, return_when=asyncio.FIRST_COMPLETED)
        welcomed.cancel()
        if ended.done():
            raise AssertionError(f"{package.name} ended before it was welcomed: {ended.result()}")
        ended.cancel()
        yield referee, bot


async def ask_all(
    referee: FakeReferee, requests: Sequence[bot_pb2.DecisionRequest], matches: int
) -> list[bot_pb2.Decision]:
    """Ask requests in several matches at once, one after the other in each, and return the answers."""
    answers: list[bot_pb2.Decision | None] = [None] * len(requests)

    async def ask_one_match(match: int) -> None:
        match_id = f"match {match}"
        await referee.start_match(match_id)
        for index in range(match, len(requests), matches):
            request = bot_pb2.DecisionRequest()
            request.CopyFrom(requests[index])
            request.match_id, request.request_id = match_id, index
            answers[index] = await referee.ask(request)
        await referee.end_match(match_id)

    async with asyncio.TaskGroup() as group:
        for match in range(matches):
            group.create_task(ask_one_match(match))
    return [answer for answer in answers if answer is not None]
