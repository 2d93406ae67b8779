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
from typing import TYPE_CHECKING, Final, NamedTuple

import grpc

import arena
from arena.protocol.codec import PROTOCOL
from arena.protocol.transport import MAX_MESSAGE_BYTES
from arena.protocol.v1 import bot_pb2, bot_pb2_grpc
from arena.referee.overload import LagMeter, machine_load
from arena.referee.verdict import Fault, Verdict

if TYPE_CHECKING:
    _Context = grpc.aio.ServicerContext[bot_pb2.BotMessage, bot_pb2.RefereeMessage]

HELLO_TIMEOUT_S: Final = 10.0
STRAY_LIMIT: Final = 100
"""Messages that answer no open request, over those that do, after which a bot is a flooder."""
_FLUSH_STEPS: Final = 100
_STALL_S: Final = 60.0
"""How long the call of a bot that does not read is kept."""
_BREAK_S: Final = 0.1
"""How long after a stream's end it may become known that it broke."""


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

    def __init__(self, context: _Context, delay_s: Callable[[float], float] | None = None) -> None:
        self._context = context
        self._delay_s = delay_s
        """How long the referee itself was held up since a moment, in seconds."""
        self._loop = asyncio.get_running_loop()
        self._outbox: deque[tuple[bot_pb2.RefereeMessage, _Pending | None]] = deque()
        self._wake: asyncio.Future[None] | None = None
        self._write_began = 0.0
        """When the write in progress began; 0 if there is none. A bot that does not read stalls it."""
        self._asking: asyncio.Task[object] | None = None
        """The task that writes its request itself; a stalled write is cut short by cancelling it."""
        self.left = False
        """Whether the stream came to its end, and not by us."""
        self.broken = False
        """Whether the stream broke, rather than that the bot ended its side of it."""
        self._pending: dict[tuple[str, int], _Pending] = {}
        self.closed = asyncio.Event()
        self.hello: bot_pb2.Hello | None = None
        self.strays = 0
        """Messages that answered no open request."""
        self._answers = 0
        """Messages that did."""
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
                await self._write_now(message, pending)
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
        left = self._time_left(pending, pending.budget_s)
        if left > 0:
            # It waits in our outbox, the loop's own clock was behind, or we were held up ourselves.
            self._pending[key] = pending
            pending.timer = self._loop.call_later(left, self._expire, key)
            return
        self._settle(pending, _late(pending.budget_s, None))
        if self._asking is not None and pending.written == self._write_began:
            task, self._asking = self._asking, None
            task.cancel()

    def _time_left(self, pending: _Pending, budget_s: float) -> float:
        """Return the seconds until a request is late; one in the outbox waits for the write before it."""
        since = pending.written or self._write_began
        return since + budget_s + self._held_up(since) - time.perf_counter() if since else budget_s

    def _held_up(self, since: float) -> float:
        return self._delay_s(since) if self._delay_s is not None else 0.0

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

    async def _write_now(self, message: bot_pb2.RefereeMessage, pending: _Pending) -> None:
        """Write a request in its asker's own task; give up when its time is over."""
        task = self._asking = asyncio.current_task()
        try:
            await self._write(message, pending)
        except asyncio.CancelledError:
            if self._asking is not None or task is None:
                raise
            # It was the time limit that cancelled: the bot does not read, and the stream is of no more use.
            task.uncancel()
            self.end(Fault(Verdict.TIMEOUT, "it has stopped reading its stream"))
        finally:
            self._asking = None

    async def _write(self, message: bot_pb2.RefereeMessage, pending: _Pending | None) -> None:
        """Write one message; only one write at a time is allowed on a stream."""
        self._write_began = time.perf_counter()
        if pending is not None:
            pending.written = self._write_began
        # A stream that broke is the pump's to notice: it tells every open request why.
        try:
            with contextlib.suppress(grpc.aio.BaseError, asyncio.InvalidStateError):
                await self._context.write(message)
        finally:
            self._write_began = 0.0
        if self._outbox:
            self._wake_writer()

    async def pump(self, accept: Callable[[Connection, bot_pb2.Hello, str], str]) -> None:
        """Read the stream to its end; its only reader.

        Args:
            accept: judges the hello, given what is wrong with its form (or an empty text); returns
                why it is refused, or an empty text.
        """
        try:
            hello = await self._read()
            if hello is None:
                return
            refusal = accept(self, hello.hello, self._check_hello(hello))
            if refusal:
                self._send(bot_pb2.RefereeMessage(refusal=bot_pb2.Refusal(reason=refusal)), None)
                self.end(Fault(Verdict.PROTOCOL_ERROR, f"its hello was refused: {refusal}"))
                return
            self.hello = hello.hello
            while (message := await self._read()) is not None:
                self._receive(message)
            self.left = not self.closed.is_set()
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
        if message.ByteSize() > MAX_MESSAGE_BYTES:
            size = message.ByteSize()
            self.end(
                Fault(
                    Verdict.PROTOCOL_ERROR,
                    f"it sent a message of {size} bytes where {MAX_MESSAGE_BYTES} are allowed",
                )
            )
            return
        decision = message.decision
        pending = self._pending.pop((decision.match_id, decision.request_id), None)
        if pending is None or not message.HasField("decision"):
            if pending is not None:
                self._pending[(decision.match_id, decision.request_id)] = pending
            self._stray(message)
            return
        elapsed = now - pending.written if pending.written else 0.0
        if pending.budget_s is not None and elapsed > pending.budget_s:
            own_s = self._held_up(pending.written)
            self._settle(pending, _late(pending.budget_s, elapsed, own_s))
        else:
            self._answers += 1
            self._settle(pending, Reply(decision, elapsed))

    def _stray(self, message: bot_pb2.BotMessage) -> None:
        self.strays += 1
        kind = message.WhichOneof("kind")
        if kind != "decision":
            what = "a second hello" if kind == "hello" else "an empty message"
            self.end(Fault(Verdict.PROTOCOL_ERROR, f"it sent {what}"))
        elif self.strays > STRAY_LIMIT + self._answers:
            # Over a long life honest late answers do not add up to a flood.
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
            if not self.writing:
                break
            await asyncio.sleep(0.005)

    @property
    def writing(self) -> bool:
        """Whether there is something to write, or a write goes on."""
        return bool(self._outbox or self._write_began)


def _late(budget_s: float, elapsed_s: float | None, own_s: float = 0.0) -> Fault:
    """Return the fault for an answer that is late or missing; ``own_s`` of it were the referee's delay."""
    allowed = f"the {budget_s * 1000:.0f} ms allowed"
    if elapsed_s is None:
        return Fault(Verdict.TIMEOUT, f"no answer within {allowed}", elapsed_us=int(budget_s * 1e6))
    reason = f"an answer after {elapsed_s * 1000:.0f} ms, later than {allowed}"
    if elapsed_s > budget_s + own_s:
        return Fault(Verdict.TIMEOUT, reason, elapsed_us=int(elapsed_s * 1e6))
    return Fault(
        Verdict.OVERLOAD,
        f"{reason}; the referee was held up for {own_s * 1000:.0f} ms of it ({machine_load()}): "
        "play fewer matches at once, or allow more time",
        elapsed_us=int(elapsed_s * 1e6),
    )


class _Expected(NamedTuple):
    accept: Callable[[Connection], str]
    refused: Callable[[str], None] | None


class Door:
    """Who may come in: hands each new stream to whoever waits for its token."""

    def __init__(self) -> None:
        self._expected: dict[str, _Expected] = {}

    def expect(
        self, accept: Callable[[Connection], str], refused: Callable[[str], None] | None = None
    ) -> str:
        """Return a new token.

        Args:
            accept: gets each stream that brings the token, and returns why it is refused or an
                empty text.
            refused: told why a hello with the token was refused before it came to that.
        """
        token = secrets.token_urlsafe(24)
        self._expected[_hashed(token)] = _Expected(accept, refused)
        return token

    def forget(self, token: str) -> None:
        """Refuse a token from now on."""
        self._expected.pop(_hashed(token), None)

    def accept(self, connection: Connection, hello: bot_pb2.Hello) -> str:
        """Return why a hello is refused, or an empty text."""
        found = self._find(hello.token)
        if found is None:
            return "its token is unknown or no longer valid: use the ARENA_TOKEN of this run"
        connection.hello = hello
        return found.accept(connection)

    def refuse(self, hello: bot_pb2.Hello, reason: str) -> None:
        """Tell whoever expects a hello's token that it was refused."""
        found = self._find(hello.token)
        if found is not None and found.refused is not None:
            found.refused(reason)

    def _find(self, token: str) -> _Expected | None:
        wanted = _hashed(token)
        found: _Expected | None = None
        for known, expected in self._expected.items():
            if hmac.compare_digest(known, wanted):
                found = expected
        return found


def _hashed(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


class ArenaService(bot_pb2_grpc.ArenaServicer):
    """The gRPC service: one call of ``Play`` is one bot's stream."""

    def __init__(self, door: Door, lag: LagMeter | None = None) -> None:
        self._door = door
        self._lag = lag
        self._connections: set[Connection] = set()

    async def Play(  # type: ignore[override]  # the reader-writer form of an asynchronous handler
        self, request_iterator: object, context: _Context
    ) -> None:
        """Serve one bot until either side ends the stream."""
        await self.serve(Connection(context, self._lag.delay_s if self._lag is not None else None))

    async def serve(self, connection: Connection) -> None:
        """Serve one bot until either side ends its stream."""
        self._connections.add(connection)
        writer = asyncio.create_task(connection.write_loop())
        pump = asyncio.create_task(connection.pump(self._accept))
        hello = asyncio.get_running_loop().call_later(HELLO_TIMEOUT_S, self._no_hello, connection)
        try:
            await connection.closed.wait()
            await connection.flush()
            if connection.left:
                await asyncio.sleep(_BREAK_S)
            if connection.writing:
                # A call with a write in progress cannot be ended: its bot will be, and that breaks it.
                await asyncio.sleep(_STALL_S)
        except asyncio.CancelledError:
            # Half-closing a stream ends it in peace; only a stream that breaks cancels its handler.
            connection.broken = True
            raise
        finally:
            hello.cancel()
            self._connections.discard(connection)
            connection.end(None)
            for task in (pump, writer):
                task.cancel()
            await asyncio.gather(pump, writer, return_exceptions=True)

    def _accept(self, connection: Connection, hello: bot_pb2.Hello, refusal: str) -> str:
        if refusal:
            self._door.refuse(hello, refusal)
            return refusal
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
