"""The bot's end of the stream: connect, greet, play until the referee is done."""

from __future__ import annotations

import asyncio
import inspect
import os
import platform
import sys
import time
from collections.abc import Awaitable, Iterable
from typing import TYPE_CHECKING, Final

import grpc

from arena import __version__
from arena.bot.bot import Answer, Bot, Decide, bot_class
from arena.errors import ProtocolError, UsageError
from arena.protocol.transport import CLIENT_OPTIONS, run_async
from arena.protocol.v1 import bot_pb2, bot_pb2_grpc, game_pb2

if TYPE_CHECKING:
    _Stream = grpc.aio.StreamStreamCall[bot_pb2.BotMessage, bot_pb2.RefereeMessage]

PROTOCOL: Final = 1
RECONNECT_S: Final = 5.0
"""How long a bot tries to reach the referee, at the start and after a lost stream."""


def run(bot: type[Bot] | Decide, *, address: str | None = None, token: str | None = None) -> None:
    """Play every match that the referee gives, and return when it is done.

    Args:
        bot: a :class:`Bot` class, or a function from a request to an action.
        address: ``unix:/path`` or ``host:port``; by default ``ARENA_ADDRESS`` of the environment.
        token: by default ``ARENA_TOKEN`` of the environment.

    The process exits with 1 and one line on stderr if the referee cannot be reached or refuses the
    bot. An exception in the bot's own code ends the process with its traceback.
    """
    kind = bot if isinstance(bot, type) else bot_class(bot)
    try:
        run_async(_Client(kind, _setting("ARENA_ADDRESS", address), _setting("ARENA_TOKEN", token)).play())
    except KeyboardInterrupt:
        raise SystemExit(130) from None
    except (UsageError, ProtocolError, grpc.RpcError) as error:
        reason = error.details() if isinstance(error, grpc.aio.AioRpcError) else str(error)
        print(f"bot: {reason}", file=sys.stderr)
        raise SystemExit(1) from None


def _setting(variable: str, value: str | None) -> str:
    found = value or os.environ.get(variable)
    if not found:
        raise SystemExit(
            f"bot: {variable} is not set: start the bot by `arena match PATH @simple`, or see docs/bots.md"
        )
    return found


class _Client:
    """One process's connection: matches by id, and the only writer of the stream."""

    def __init__(self, kind: type[Bot], address: str, token: str) -> None:
        self._kind = kind
        self._address = address
        self._token = token
        self._matches: dict[str, Bot] = {}
        self._greeted = False
        """Whether the referee has welcomed this stream."""
        self._writing = asyncio.Lock()
        self._thinking: set[asyncio.Task[None]] = set()

    async def play(self) -> None:
        """Play until the referee ends the stream; connect again if the stream breaks between matches."""
        deadline = time.monotonic() + RECONNECT_S
        while True:
            try:
                await self._play_stream()
                return
            except grpc.aio.AioRpcError as error:
                late = time.monotonic() > deadline and not self._greeted
                if error.code() != grpc.StatusCode.UNAVAILABLE or late:
                    raise
                if self._greeted:
                    # The stream had been open: the time to reach the referee again begins now.
                    self._greeted = False
                    self._matches.clear()
                    deadline = time.monotonic() + RECONNECT_S
            await asyncio.sleep(0.1)

    async def _play_stream(self) -> None:
        async with grpc.aio.insecure_channel(self._address, options=CLIENT_OPTIONS) as channel:
            stream = bot_pb2_grpc.ArenaStub(channel).Play()
            await self._send(stream, bot_pb2.BotMessage(hello=self._hello()))
            while isinstance(message := await stream.read(), bot_pb2.RefereeMessage):
                await self._receive(stream, message)
            code = await stream.code()
            if code != grpc.StatusCode.OK:
                raise ProtocolError(f"the referee ended the stream: {await stream.details()}")

    def _hello(self) -> bot_pb2.Hello:
        return bot_pb2.Hello(
            protocol=PROTOCOL,
            token=self._token,
            name=self._kind.name,
            version=self._kind.version,
            max_matches=self._kind.max_matches,
            software=f"python {platform.python_version()}, gin-arena {__version__}",
        )

    async def _send(self, stream: _Stream, message: bot_pb2.BotMessage) -> None:
        async with self._writing:
            await stream.write(message)

    async def _receive(self, stream: _Stream, message: bot_pb2.RefereeMessage) -> None:
        kind = message.WhichOneof("kind")
        if kind == "request":
            await self._decide(stream, message.request)
        elif kind == "welcome":
            self._greeted = True
        elif kind == "match_start":
            self._matches[message.match_start.match_id] = self._kind(message.match_start)
        elif kind == "match_end":
            bot = self._matches.pop(message.match_end.match_id, None)
            if bot is not None:
                _tell(bot, message.match_end.events)
                bot.end(message.match_end)
        elif kind == "refusal":
            raise ProtocolError(f"the referee refused this bot: {message.refusal.reason}")

    async def _decide(self, stream: _Stream, request: bot_pb2.DecisionRequest) -> None:
        bot = self._matches.get(request.match_id)
        if bot is None:
            return
        _tell(bot, request.events)
        answer = bot.decide(request)
        if isinstance(answer, (str, Answer)):
            await self._answer(stream, request, answer)
        elif inspect.isawaitable(answer):
            # Other matches of this stream go on while this one thinks.
            task = asyncio.ensure_future(self._answer_later(stream, request, answer))
            self._thinking.add(task)
            task.add_done_callback(self._thought)
        else:
            raise TypeError(f"decide() returned {answer!r}: return one of request.legal_actions")

    async def _answer_later(
        self, stream: _Stream, request: bot_pb2.DecisionRequest, answer: Awaitable[str | Answer]
    ) -> None:
        await self._answer(stream, request, await answer)

    def _thought(self, task: asyncio.Task[None]) -> None:
        self._thinking.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            # A task's exception would otherwise be lost while the referee waits for its answer.
            sys.excepthook(type(error), error, error.__traceback__)
            os._exit(1)

    async def _answer(self, stream: _Stream, request: bot_pb2.DecisionRequest, answer: str | Answer) -> None:
        full = Answer(answer) if isinstance(answer, str) else answer
        decision = bot_pb2.Decision(
            match_id=request.match_id,
            request_id=request.request_id,
            action=full.action,
            melds=[game_pb2.Meld(cards=cards) for cards in full.melds],
            layoffs=[game_pb2.Layoff(card=card, meld=meld) for card, meld in full.layoffs],
            note=full.note[:500],
        )
        await self._send(stream, bot_pb2.BotMessage(decision=decision))


def _tell(bot: Bot, events: Iterable[game_pb2.Event]) -> None:
    see = bot.see
    if type(bot).see is not Bot.see:
        for event in events:
            see(event)
