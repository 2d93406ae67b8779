"""A contestant: one bot package and the processes of it that are running."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from arena.errors import RefereeError
from arena.referee.launcher import BotProcess, why_not_startable
from arena.referee.manifest import BotPackage
from arena.referee.session import Connection, Door
from arena.referee.verdict import Fault, Verdict

START_S: Final = 10.0
"""Seconds that a bot has from its start to its hello."""
EXIT_S: Final = 1.0
"""Seconds that a bot has to exit by itself once its stream has ended."""
_DEATH_S: Final = 0.5
"""How long a lost stream waits for its process's exit code, which tells more."""

Wrap = Callable[[BotPackage, tuple[str, ...]], tuple[str, ...]]


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

    @property
    def alive(self) -> bool:
        """Whether it can be asked."""
        return not self.connection.closed.is_set()

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
        start_s: seconds from a process's start to its hello.
    """

    def __init__(
        self,
        package: BotPackage,
        door: Door,
        address: str,
        *,
        bot_seed: str,
        wrap: Wrap | None = None,
        start_s: float = START_S,
    ) -> None:
        self.package = package
        self.bot_seed = bot_seed
        self.software = ""
        """What its hello said that it is written with."""
        self._door = door
        self._address = address
        self._wrap = wrap
        self._start_s = start_s
        self._instances: list[Instance] = []
        self._starting = asyncio.Lock()

    async def acquire(self) -> Instance | Fault:
        """Return a running instance with room for one more match, starting one if need be."""
        async with self._starting:
            for instance in self._instances:
                if instance.alive and instance.load < instance.capacity:
                    instance.load += 1
                    return instance
            started = await self._start()
            if isinstance(started, Instance):
                started.load = 1
                self._instances.append(started)
            return started

    async def release(self, instance: Instance, *, healthy: bool = True) -> None:
        """Give an instance back; end it if it is not to be used again."""
        instance.load -= 1
        if not healthy or not instance.alive:
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
        loop = asyncio.get_running_loop()
        greeted: asyncio.Future[Connection] = loop.create_future()
        ended: asyncio.Future[None] = loop.create_future()
        token = self._door.expect(lambda connection: self._greet(greeted, connection))
        try:
            process = BotProcess(self.package, self._environment(token), self._wrap)
        except RefereeError as error:
            self._door.forget(token)
            return Fault(Verdict.FAILED_START, str(error))
        process.on_exit(lambda: None if ended.done() else ended.set_result(None))
        waiting: set[asyncio.Future[Any]] = {greeted, ended}
        await asyncio.wait(waiting, timeout=self._start_s, return_when=asyncio.FIRST_COMPLETED)
        if greeted.done():
            return self._instance(greeted.result(), process, token)
        greeted.cancel()
        self._door.forget(token)
        if ended.done():
            reason = f"it {process.describe_exit()} before its hello"
        else:
            reason = f"it sent no hello within {self._start_s:g} s of its start"
        process.kill()
        return Fault(Verdict.FAILED_START, reason, stderr=process.stderr_tail())

    def _environment(self, token: str) -> dict[str, str]:
        return {
            "ARENA_ADDRESS": self._address,
            "ARENA_TOKEN": token,
            "ARENA_BOT_SEED": self.bot_seed,
            "PYTHONUNBUFFERED": "1",
        }

    @staticmethod
    def _greet(greeted: asyncio.Future[Connection], connection: Connection) -> str:
        if greeted.done():
            return "a stream with this token is open or was open: every process has a token of its own"
        greeted.set_result(connection)
        return ""

    def _instance(self, connection: Connection, process: BotProcess, token: str) -> Instance:
        hello = connection.hello
        assert hello is not None, "the door hands over greeted streams only"
        self.software = hello.software[:100]
        capacity = max(1, hello.max_matches)
        if self.package.matches is not None:
            capacity = min(capacity, self.package.matches)
        process.on_exit(lambda: connection.fail_open_requests(_crash(process)))
        return Instance(connection, process, token, capacity)

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


def _crash(process: BotProcess) -> Fault:
    return Fault(Verdict.CRASH, f"its process {process.describe_exit()}", stderr=process.stderr_tail())


async def explain(instance: Instance, fault: Fault) -> Fault:
    """Return a fault with what the process tells about it: its exit code, its last lines."""
    process = instance.process
    if process is None:
        return fault
    if fault.verdict == Verdict.DISCONNECT and await process.exited(_DEATH_S):
        return _crash(process)
    return Fault(fault.verdict, fault.reason, stderr=process.stderr_tail(), elapsed_us=fault.elapsed_us)
