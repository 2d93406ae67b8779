"""The referee's end of the bots' streams.

One pump task a stream is its only reader and is never cancelled by a time limit; it hands each
answer to the request that waits for it. Messages go through an outbox and one writer task a stream,
because a bot that does not read stalls the writing; only a request that is alone on its stream is
written at once: the few unread messages that there can be then never fill the stream's window, and
a wake-up of the writer for each decision is saved. A request's
clock runs from the moment its message is handed to the stream to the moment its answer is read; it
is the process's performance counter, because an event loop's own clock may be coarse and cached.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import hmac
import secrets
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import grpc

import arena
from arena.protocol.codec import PROTOCOL
from arena.protocol.v1 import bot_pb2, bot_pb2_grpc
from arena.referee.verdict import Fault, Verdict

if TYPE_CHECKING:
    _Context = grpc.aio.ServicerContext[bot_pb2.BotMessage, bot_pb2.RefereeMessage]

HELLO_TIMEOUT_S: Final = 10.0
STRAY_LIMIT: Final = 100
"""Messages that answer no open request, after which a bot is a flooder."""
_FLUSH_STEPS: Final = 100


@dataclass(frozen=True, slots=True)
class Reply:
    """A bot's answer, and how long it took."""

    decision: bot_pb2.Decision
    elapsed_s: float


class _Pending:
    """A request that waits for its answer."""

    __slots__ = ("budget_s", "future", "timer", "written")

    def __init__(self, future: asyncio.Future[Reply | Fault], budget_s: float | None) -> None:
        self.future = future
        self.budget_s = budget_s
        self.written: float = 0.0
        self.timer: asyncio.TimerHandle | None = None


class Connection:
    """One bot's stream."""

    def __init__(self, context: _Context) -> None:
        self._context = context
        self._loop = asyncio.get_running_loop()
        self._outbox: deque[tuple[bot_pb2.RefereeMessage, _Pending | None]] = deque()
        self._wake: asyncio.Future[None] | None = None
        self._write_began = 0.0
        """When the write in progress began; 0 if there is none. A bot that does not read stalls it."""
        self._pending: dict[tuple[str, int], _Pending] = {}
        self.closed = asyncio.Event()
        self.hello: bot_pb2.Hello | None = None
        self.strays = 0
        """Messages that answered no open request."""
        self.fault: Fault | None = None
        """Why the stream ended, if it was not the referee that ended it."""
        self.on_gone: Callable[[], None] | None = None
        """Called once when the bot's side of the stream has ended."""

    # -------------------------------------------------------------- asking

    async def ask(
        self, message: bot_pb2.RefereeMessage, match_id: str, request_id: int, budget_s: float | None
    ) -> Reply | Fault:
        """Send a request and return its answer, or the fault that came instead.

        Args:
            message: the request's message.
            match_id: the request's match.
            request_id: the request's id.
            budget_s: seconds allowed, ``None`` for no limit.
        """
        if self.fault is not None:
            return self.fault
        pending = _Pending(self._loop.create_future(), budget_s)
        key = (match_id, request_id)
        self._pending[key] = pending
        if budget_s is not None:
            pending.timer = self._loop.call_later(budget_s, self._expire, key)
        try:
            if len(self._pending) == 1 and not self._outbox and not self._write_began:
                await self._write(message, pending)
            else:
                self._send(message, pending)
            return await pending.future
        finally:
            if pending.timer is not None:
                pending.timer.cancel()
            self._pending.pop(key, None)

    def tell(self, message: bot_pb2.RefereeMessage) -> None:
        """Send a message that needs no answer."""
        if self.fault is None:
            self._send(message, None)

    def _send(self, message: bot_pb2.RefereeMessage, pending: _Pending | None) -> None:
        self._outbox.append((message, pending))
        self._wake_writer()

    def _wake_writer(self) -> None:
        if self._wake is not None and not self._wake.done():
            self._wake.set_result(None)

    def _expire(self, key: tuple[str, int]) -> None:
        pending = self._pending.pop(key, None)
        if pending is None or pending.future.done() or pending.budget_s is None:
            return
        left = (
            pending.written + pending.budget_s - time.perf_counter() if pending.written else pending.budget_s
        )
        if left > 0:
            # The message waited in our outbox, or the loop's own clock was behind: not the bot's time.
            self._pending[key] = pending
            pending.timer = self._loop.call_later(left, self._expire, key)
            return
        self._settle(pending, _late(pending.budget_s, None))

    def _time_left(self, pending: _Pending, budget_s: float) -> float:
        """Return the seconds until a request is late; one in the outbox waits for the write before it."""
        since = pending.written or self._write_began
        return since + budget_s - time.perf_counter() if since else budget_s

    @staticmethod
    def _settle(pending: _Pending, result: Reply | Fault) -> None:
        if not pending.future.done():
            pending.future.set_result(result)

    # -------------------------------------------------------------- the two tasks

    async def write_loop(self) -> None:
        """Write what is in the outbox, for ever."""
        while True:
            while self._outbox and not self._write_began:
                await self._write(*self._outbox.popleft())
            self._wake = self._loop.create_future()
            await self._wake

    async def _write(self, message: bot_pb2.RefereeMessage, pending: _Pending | None) -> None:
        """Write one message; only one write at a time is allowed on a stream."""
        self._write_began = time.perf_counter()
        if pending is not None:
            pending.written = self._write_began
        # A stream that broke is the pump's to notice: it tells every open request why.
        with contextlib.suppress(grpc.aio.BaseError, asyncio.InvalidStateError):
            await self._context.write(message)
        self._write_began = 0.0
        if self._outbox:
            self._wake_writer()

    async def pump(self, accept: Callable[[Connection, bot_pb2.Hello], str]) -> None:
        """Read the stream to its end; its only reader.

        Args:
            accept: judges the hello; returns why it is refused, or an empty text.
        """
        try:
            hello = await self._read()
            if hello is None:
                return
            refusal = self._check_hello(hello) or accept(self, hello.hello)
            if refusal:
                self._send(bot_pb2.RefereeMessage(refusal=bot_pb2.Refusal(reason=refusal)), None)
                self.end(Fault(Verdict.PROTOCOL_ERROR, f"its hello was refused: {refusal}"))
                return
            self.hello = hello.hello
            while (message := await self._read()) is not None:
                self._receive(message)
        finally:
            self.end(self.fault or Fault(Verdict.DISCONNECT, "it ended its stream"))

    async def _read(self) -> bot_pb2.BotMessage | None:
        try:
            message = await self._context.read()
        except (grpc.RpcError, asyncio.InvalidStateError):
            return None
        return message if isinstance(message, bot_pb2.BotMessage) else None

    @staticmethod
    def _check_hello(message: bot_pb2.BotMessage) -> str:
        if message.WhichOneof("kind") != "hello":
            return "the first message must be Hello"
        if message.hello.protocol != PROTOCOL:
            return (
                f"the bot speaks protocol {message.hello.protocol} and this referee {PROTOCOL}: "
                "use an SDK of this version"
            )
        return ""

    def _receive(self, message: bot_pb2.BotMessage) -> None:
        now = time.perf_counter()
        decision = message.decision
        pending = self._pending.pop((decision.match_id, decision.request_id), None)
        if pending is None or not message.HasField("decision"):
            if pending is not None:
                self._pending[(decision.match_id, decision.request_id)] = pending
            self._stray(message)
            return
        elapsed = now - pending.written if pending.written else 0.0
        if pending.budget_s is not None and elapsed > pending.budget_s:
            self._settle(pending, _late(pending.budget_s, elapsed))
        else:
            self._settle(pending, Reply(decision, elapsed))

    def _stray(self, message: bot_pb2.BotMessage) -> None:
        self.strays += 1
        kind = message.WhichOneof("kind")
        if kind != "decision":
            what = "a second hello" if kind == "hello" else "an empty message"
            self.end(Fault(Verdict.PROTOCOL_ERROR, f"it sent {what}"))
        elif self.strays > STRAY_LIMIT:
            self.end(Fault(Verdict.PROTOCOL_ERROR, f"it sent over {STRAY_LIMIT} answers to no open request"))

    # -------------------------------------------------------------- ending

    def end(self, fault: Fault | None) -> None:
        """End the stream; open requests get the fault."""
        if self.closed.is_set():
            return
        self.fault = fault or Fault(Verdict.DISCONNECT, "the referee ended the stream")
        for pending in list(self._pending.values()):
            self._settle(pending, self.fault)
        self._pending.clear()
        self.closed.set()
        if self.on_gone:
            self.on_gone()

    def fail_open_requests(self, fault: Fault) -> None:
        """Give all open requests a fault (the process has died, say) and end the stream."""
        for pending in list(self._pending.values()):
            self._settle(pending, fault)
        self._pending.clear()
        self.end(fault)

    async def flush(self) -> None:
        """Wait a moment for the outbox to be written."""
        for _ in range(_FLUSH_STEPS):
            if not self._outbox:
                break
            await asyncio.sleep(0.005)


def _late(budget_s: float, elapsed_s: float | None) -> Fault:
    took = "no answer" if elapsed_s is None else f"an answer after {elapsed_s * 1000:.0f} ms, later"
    return Fault(
        Verdict.TIMEOUT,
        f"{took} within the {budget_s * 1000:.0f} ms allowed"
        if elapsed_s is None
        else f"{took} than the {budget_s * 1000:.0f} ms allowed",
        elapsed_us=int((elapsed_s or budget_s) * 1e6),
    )


class Door:
    """Who may come in: hands each new stream to whoever waits for its token."""

    def __init__(self) -> None:
        self._expected: dict[str, Callable[[Connection], str]] = {}

    def expect(self, callback: Callable[[Connection], str]) -> str:
        """Return a new token; ``callback`` gets each stream that brings it and may refuse it."""
        token = secrets.token_urlsafe(24)
        self._expected[_hashed(token)] = callback
        return token

    def forget(self, token: str) -> None:
        """Refuse a token from now on."""
        self._expected.pop(_hashed(token), None)

    def accept(self, connection: Connection, hello: bot_pb2.Hello) -> str:
        """Return why a hello is refused, or an empty text."""
        wanted = _hashed(hello.token)
        found: Callable[[Connection], str] | None = None
        for known, callback in self._expected.items():
            if hmac.compare_digest(known, wanted):
                found = callback
        if found is None:
            return "its token is unknown or no longer valid: use the ARENA_TOKEN of this run"
        connection.hello = hello
        return found(connection)


def _hashed(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


class ArenaService(bot_pb2_grpc.ArenaServicer):
    """The gRPC service: one call of ``Play`` is one bot's stream."""

    def __init__(self, door: Door) -> None:
        self._door = door
        self._connections: set[Connection] = set()

    async def Play(  # type: ignore[override]  # the reader-writer form of an asynchronous handler
        self, request_iterator: object, context: _Context
    ) -> None:
        """Serve one bot until either side ends the stream."""
        connection = Connection(context)
        self._connections.add(connection)
        writer = asyncio.create_task(connection.write_loop())
        pump = asyncio.create_task(connection.pump(self._accept))
        hello = asyncio.get_running_loop().call_later(HELLO_TIMEOUT_S, self._no_hello, connection)
        try:
            await connection.closed.wait()
            await connection.flush()
        finally:
            hello.cancel()
            self._connections.discard(connection)
            connection.end(None)
            for task in (pump, writer):
                task.cancel()
            await asyncio.gather(pump, writer, return_exceptions=True)

    def _accept(self, connection: Connection, hello: bot_pb2.Hello) -> str:
        refusal = self._door.accept(connection, hello)
        if not refusal:
            software = f"gin-arena {arena.__version__}"
            connection.tell(
                bot_pb2.RefereeMessage(welcome=bot_pb2.Welcome(protocol=PROTOCOL, software=software))
            )
        return refusal

    @staticmethod
    def _no_hello(connection: Connection) -> None:
        if connection.hello is None:
            connection.end(Fault(Verdict.PROTOCOL_ERROR, f"it sent no hello in {HELLO_TIMEOUT_S:g} s"))

    def end_all(self) -> None:
        """End every stream."""
        for connection in list(self._connections):
            connection.end(None)
