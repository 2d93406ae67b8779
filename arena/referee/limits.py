"""Limits on what a bot may use: memory, processes and processor time of it and all its children.

They are polled: twice a second one pass over ``/proc`` adds up each bot's processes, and a bot over
a limit is ended. Where the operator delegates a cgroup (v2), the kernel enforces memory and the
number of processes as well (:mod:`arena.referee.cgroups`).
"""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

POLL_S: Final = 0.5
"""Seconds between two looks at the bots."""
MIB: Final = 1024 * 1024
_TICKS: Final = os.sysconf("SC_CLK_TCK")
_PAGE: Final = os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True, slots=True)
class Limits:
    """What one bot process and all its children may use together; ``None`` for no limit."""

    memory_mib: int | None = 2048
    """Resident memory, in MiB."""
    processes: int | None = 256
    cpu_s: float | None = None
    """Processor time, in seconds, of the processes that are running."""


class Usage(NamedTuple):
    """What one process uses, or a bot's together."""

    processes: int = 0
    memory_bytes: int = 0
    cpu_s: float = 0.0


class _Running(NamedTuple):
    parent: int
    session: int
    usage: Usage


class _Ward(NamedTuple):
    token: str
    over: Callable[[str], None]


class Warden:
    """Watches the bots of one referee, and says once of each that it is over a limit.

    Args:
        limits: what each may use.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._wards: dict[int, _Ward] = {}
        self._timer: asyncio.TimerHandle | None = None

    def watch(self, pid: int, token: str, over: Callable[[str], None]) -> None:
        """Watch a bot.

        Args:
            pid: its process, the leader of its session.
            token: what its environment, and that of its children, has as ``ARENA_TOKEN``.
            over: called with the reason when it uses more than it may.
        """
        self._wards[pid] = _Ward(token, over)
        if self._timer is None:
            self._plan()

    def forget(self, pid: int) -> None:
        """Watch a bot no more."""
        self._wards.pop(pid, None)
        if not self._wards and self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _plan(self) -> None:
        self._timer = asyncio.get_running_loop().call_later(POLL_S, self._look)

    def _look(self) -> None:
        self._timer = None
        used = usage_of({pid: ward.token for pid, ward in self._wards.items()})
        for pid, usage in used.items():
            reason = excess(self._limits, usage)
            ward = self._wards.pop(pid) if reason else None
            if ward is not None:
                ward.over(reason)
        if self._wards:
            self._plan()


def excess(limits: Limits, usage: Usage) -> str:
    """Return which limit a bot exceeds, with the values; empty if none."""
    if limits.processes is not None and usage.processes > limits.processes:
        return f"it ran {usage.processes} processes where {limits.processes} are allowed"
    memory = usage.memory_bytes / MIB
    if limits.memory_mib is not None and memory > limits.memory_mib:
        return f"it used {memory:.0f} MiB of memory where {limits.memory_mib} are allowed"
    if limits.cpu_s is not None and usage.cpu_s > limits.cpu_s:
        return f"it used {usage.cpu_s:.1f} s of processor time where {limits.cpu_s:g} are allowed"
    return ""


def usage_of(bots: dict[int, str]) -> dict[int, Usage]:
    """Return what each bot uses together with its children.

    Args:
        bots: their tokens by process id.
    """
    running = dict(_running())
    used = dict.fromkeys(bots, Usage())
    owners: dict[int, int | None] = {}
    for pid, process in running.items():
        owner = _owner(pid, running, bots, owners)
        if owner is not None:
            before, more = used[owner], process.usage
            used[owner] = Usage(
                before.processes + more.processes,
                before.memory_bytes + more.memory_bytes,
                before.cpu_s + more.cpu_s,
            )
    return used


def _owner(
    pid: int, running: dict[int, _Running], bots: dict[int, str], known: dict[int, int | None]
) -> int | None:
    """Return the bot that a process belongs to, by its ancestors, its session or its token."""
    path: list[int] = []
    owner: int | None = None
    while pid in running and pid not in known:
        path.append(pid)
        owner = _named_owner(pid, running[pid], bots)
        if owner is not None:
            break
        pid = running[pid].parent
    else:
        owner = known.get(pid)
    known.update(dict.fromkeys(path, owner))
    return owner


def _named_owner(pid: int, process: _Running, bots: dict[int, str]) -> int | None:
    if pid in bots:
        return pid
    if process.session in bots:
        return process.session
    if process.parent == os.getpid():
        # One that a bot left behind became a child of ours.
        with contextlib.suppress(OSError):
            environment = Path("/proc", str(pid), "environ").read_bytes().split(b"\0")
            for bot, token in bots.items():
                if token and f"ARENA_TOKEN={token}".encode() in environment:
                    return bot
    return None


def _running() -> Iterator[tuple[int, _Running]]:
    for name in os.listdir("/proc"):  # noqa: PTH208  # only the names are wanted
        if name.isdigit():
            # It may have ended since its name was read.
            with contextlib.suppress(OSError):
                yield int(name), _parse(Path("/proc", name, "stat").read_bytes())


def _parse(stat: bytes) -> _Running:
    """Return a line of ``/proc/PID/stat``; the name in parentheses may hold anything."""
    words = stat[stat.rindex(b")") + 2 :].split()
    alive = words[0] not in (b"Z", b"X")
    cpu_s = (int(words[11]) + int(words[12])) / _TICKS
    return _Running(int(words[1]), int(words[3]), Usage(int(alive), int(words[21]) * _PAGE, cpu_s))
