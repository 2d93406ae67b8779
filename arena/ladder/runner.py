"""Running matches side by side on this machine."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Iterator
from typing import Final, TypeVar

from arena.errors import ArenaError
from arena.referee.hosting import BUILD_S
from arena.referee.launcher import build
from arena.referee.manifest import BotPackage
from arena.referee.verdict import Fault

Job = TypeVar("Job")
Done = TypeVar("Done")


def default_jobs() -> int:
    """Return how many matches to play at once: one for each processor that this process may use."""
    return max(1, len(os.sched_getaffinity(0)))


async def side_by_side(
    next_job: Callable[[], Job | None], play: Callable[[Job], Awaitable[Done]], at_once: int
) -> AsyncGenerator[Done, None]:
    """Play jobs, so many at once, and yield what each gave as it ends.

    When the consumer stops or fails, the jobs in play are cancelled and awaited; close the generator
    (``contextlib.aclosing``) to have that at once.

    Args:
        next_job: asked whenever a place is free; ``None`` if no job can begin now. It is asked again
            after every job that ends.
        play: plays a job.
        at_once: places.
    """
    running: set[asyncio.Task[Done]] = set()
    try:
        while True:
            while len(running) < at_once and (job := next_job()) is not None:
                running.add(asyncio.ensure_future(play(job)))
            if not running:
                return
            done, running = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                yield task.result()
    finally:
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)


_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
INTERRUPTED: Final = 130
"""Exit code of a run that was interrupted."""


@contextlib.contextmanager
def terminable() -> Iterator[None]:
    """Cancel the current task on Ctrl-C, SIGTERM and SIGHUP, so that it ends cleanly; at the second, exit.

    The watchdog ends the bots of a process that exits at once.

    Raises:
        KeyboardInterrupt: there was such a signal.
    """
    loop = asyncio.get_running_loop()
    task = asyncio.current_task()
    assert task is not None
    before = {number: signal.getsignal(number) for number in _SIGNALS}
    came: list[int] = []

    def end(number: int) -> None:
        came.append(number)
        for other in _SIGNALS:
            loop.remove_signal_handler(other)
            signal.signal(other, lambda *_: os._exit(INTERRUPTED))
        task.cancel()

    for number in _SIGNALS:
        loop.add_signal_handler(number, end, number)
    try:
        yield
    except asyncio.CancelledError:
        if came:
            raise KeyboardInterrupt from None
        raise
    finally:
        for number, handler in before.items():
            loop.remove_signal_handler(number)
            signal.signal(number, handler)


class BotFailure(ArenaError):
    """A bot that cannot be built or started; the message has its last lines."""


def failure(package: BotPackage, fault: Fault) -> BotFailure:
    """Return the error for a bot that cannot play."""
    lines = "".join(f"\n    {line}" for line in fault.stderr)
    return BotFailure(f"{package.name} ({package.folder}): {fault.verdict}: {fault.reason}{lines}")


def build_all(packages: Iterable[BotPackage], timeout_s: float = BUILD_S) -> None:
    """Build the packages that have a build command, each within so many seconds.

    Raises:
        BotFailure: one could not be built.
    """
    for package in packages:
        fault = build(package, timeout_s)
        if fault is not None:
            raise failure(package, fault)
