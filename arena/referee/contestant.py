"""A contestant: one bot package and the processes of it that are running."""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import dataclass, field, replace
from typing import Any, Final

from arena.errors import RefereeError
from arena.protocol.transport import MAX_MESSAGE_BYTES
from arena.referee.launcher import BotProcess, Wrap, why_not_startable
from arena.referee.limits import Warden
from arena.referee.manifest import BotPackage
from arena.referee.session import Connection, Door
from arena.referee.verdict import Fault, Verdict

START_S: Final = 10.0
"""Seconds that a bot has from its start to its hello."""
EXIT_S: Final = 1.0
"""Seconds that a bot has to exit by itself once its stream has ended."""
_DEATH_S: Final = 0.5
"""How long a lost stream waits for its process's exit code, which tells more."""
RECONNECT_S: Final = 2.0
"""How long an idle process whose stream broke has to open another one."""

_Greeted = asyncio.Future[Connection | str]
"""The stream that a process has opened, or why its hello was refused."""


@dataclass(slots=True)
class Instance:
    """One running process of a bot, or one remote bot, and its stream."""

    connection: Connection
    process: BotProcess | None
    token: str
    capacity: int
    """Matches that it may play at once."""
    load: int = 0
    misses: int = 0
    """Time limits missed in a row."""

    returned: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when an idle process has opened a stream anew."""

    @property
    def alive(self) -> bool:
        """Whether it can be asked."""
        return not self.connection.closed.is_set()

    @property
    def may_return(self) -> bool:
        """Whether its process may open another stream: it is idle, runs, and its stream broke."""
        return (
            self.load == 0
            and self.process is not None
            and self.process.running
            and not self.alive
            and self.connection.broken
        )

    def stderr_tail(self) -> tuple[str, ...]:
        """Return the last lines that the bot wrote."""
        return self.process.stderr_tail() if self.process else ()


class Contestant:
    """One entrant of a contest.

    Args:
        package: the bot.
        door: where its streams come in.
        address: what its processes dial.
        bot_seed: the value of ``ARENA_BOT_SEED`` for its processes.
        wrap: turns its command into the one executed (a sandbox, for instance).
        warden: sees that its processes keep to the limits.
        start_s: seconds from a process's start to its hello; ``None`` for no limit.
    """

    def __init__(
        self,
        package: BotPackage,
        door: Door,
        address: str,
        *,
        bot_seed: str,
        wrap: Wrap | None = None,
        warden: Warden | None = None,
        start_s: float | None = START_S,
    ) -> None:
        self.package = package
        self.bot_seed = bot_seed
        self.software = ""
        """What its hello said that it is written with."""
        self.last_lines: tuple[str, ...] = ()
        """What the process that ended last had written at last."""
        self._door = door
        self._address = address
        self._wrap = wrap
        self._warden = warden
        self._start_s = start_s
        self._instances: list[Instance] = []
        self._starting = asyncio.Lock()

    async def acquire(self) -> Instance | Fault:
        """Return a running instance with room for one more match, starting one if need be."""
        async with self._starting:
            for instance in list(self._instances):
                if instance.load < instance.capacity and await self._ready(instance):
                    instance.load += 1
                    return instance
            started = await self._start()
            if isinstance(started, Instance):
                started.load = 1
                self._instances.append(started)
            return started

    async def _ready(self, instance: Instance) -> bool:
        """Return whether an instance can be asked; one that is idle and lost its stream may come back."""
        if not instance.alive and instance.load == 0:
            if instance.may_return:
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(instance.returned.wait(), RECONNECT_S)
            if not instance.alive:
                await self._end(instance)
        return instance.alive

    async def release(self, instance: Instance, *, healthy: bool = True) -> None:
        """Give an instance back; end it if it is not to be used again."""
        instance.load -= 1
        if not healthy or (not instance.alive and not instance.may_return):
            await self._end(instance)

    def adopt(self, instance: Instance) -> None:
        """Take an instance in that was started elsewhere: a remote bot, or one in this process."""
        self._instances.append(instance)

    async def close(self) -> None:
        """End all streams, and all processes that do not end by themselves."""
        await asyncio.gather(*(self._end(instance, EXIT_S) for instance in list(self._instances)))

    async def _start(self) -> Instance | Fault:
        problem = why_not_startable(self.package)
        if problem:
            return Fault(Verdict.FAILED_START, problem)
        greeted: _Greeted = asyncio.get_running_loop().create_future()
        token = self._door.expect(
            lambda connection: self._greet(token, greeted, connection),
            lambda reason: None if greeted.done() else greeted.set_result(reason),
        )
        process: BotProcess | None = None
        instance: Instance | None = None
        try:
            process = BotProcess(self.package, self._environment(token), self._wrap, self._warden)
            problem = await self._greeting(greeted, process)
            if not problem:
                connection = greeted.result()
                assert isinstance(connection, Connection), "a refusal is a problem"
                instance = self._instance(connection, process, token)
                return instance
            process.kill()
            return Fault(Verdict.FAILED_START, problem, stderr=process.stderr_tail())
        except RefereeError as error:
            return Fault(Verdict.FAILED_START, str(error))
        finally:
            if instance is None:
                greeted.cancel()
                self._door.forget(token)
                if process is not None:
                    process.kill()

    async def _greeting(self, greeted: _Greeted, process: BotProcess) -> str:
        """Wait for a process's hello; return why there is none, or an empty text."""
        ended = asyncio.ensure_future(process.wait())
        waiting: set[asyncio.Future[Any]] = {greeted, ended}
        try:
            await asyncio.wait(waiting, timeout=self._start_s, return_when=asyncio.FIRST_COMPLETED)
        finally:
            ended.cancel()
        if greeted.done():
            answer = greeted.result()
            return f"its hello was refused: {answer}" if isinstance(answer, str) else ""
        if process.over_limit:
            return process.over_limit
        if not process.running:
            return f"it {process.describe_exit()} before its hello"
        limit = "" if self._start_s is None else f" within {self._start_s:g} s of its start"
        return f"it sent no hello{limit}"

    def _environment(self, token: str) -> dict[str, str]:
        return {
            "ARENA_ADDRESS": self._address,
            "ARENA_TOKEN": token,
            "ARENA_BOT_SEED": self.bot_seed,
            "PYTHONUNBUFFERED": "1",
        }

    def _greet(self, token: str, greeted: _Greeted, connection: Connection) -> str:
        """Take in a stream that brings a token; return why it is refused, or an empty text."""
        if not greeted.done():
            greeted.set_result(connection)
            return ""
        for instance in self._instances:
            if instance.token == token and instance.may_return:
                instance.connection = connection
                self._watch(instance)
                instance.returned.set()
                return ""
        return "a stream with this token is open or was open: every process has a token of its own"

    def _instance(self, connection: Connection, process: BotProcess, token: str) -> Instance:
        hello = connection.hello
        assert hello is not None, "the door hands over greeted streams only"
        self.software = hello.software[:100]
        capacity = max(1, hello.max_matches)
        if self.package.matches is not None:
            capacity = min(capacity, self.package.matches)
        instance = Instance(connection, process, token, capacity)
        self._watch(instance)
        return instance

    @staticmethod
    def _watch(instance: Instance) -> None:
        """Let open requests of a process fail as soon as it has ended."""
        process, connection = instance.process, instance.connection
        assert process is not None, "only a process that was started here can be watched"
        instance.returned.clear()
        process.on_exit(lambda: connection.fail_open_requests(_crash(process)))

    async def _end(self, instance: Instance, patience_s: float = 0.0) -> None:
        """End an instance's stream and process."""
        if instance in self._instances:
            self._instances.remove(instance)
        self._door.forget(instance.token)
        await instance.connection.flush()
        instance.connection.end(None)
        if instance.process is not None:
            if patience_s:
                await instance.process.exited(patience_s)
            instance.process.kill()
            self.last_lines = instance.process.stderr_tail()


def _crash(process: BotProcess) -> Fault:
    if process.over_limit:
        return Fault(Verdict.RESOURCE_LIMIT, process.over_limit, stderr=process.stderr_tail())
    return Fault(Verdict.CRASH, f"its process {process.describe_exit()}", stderr=process.stderr_tail())


async def explain(instance: Instance, fault: Fault) -> Fault:
    """Return a fault with what the process tells about it: its exit code, its last lines."""
    process = instance.process
    if process is None:
        return fault
    if fault.verdict == Verdict.DISCONNECT:
        if await process.exited(_DEATH_S):
            return _crash(process)
        if instance.connection.broken:
            # Nothing tells a message that is too long from a call that was cancelled.
            fault = replace(
                fault,
                verdict=Verdict.PROTOCOL_ERROR,
                reason=f"it sent a message of over {MAX_MESSAGE_BYTES} bytes, or broke its call off",
            )
    return replace(fault, stderr=process.stderr_tail())
