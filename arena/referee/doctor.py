"""What this machine offers: the means of the sandbox, of limits and of speed, and the toolchains found."""

from __future__ import annotations

import importlib.util
import os
import platform
import resource
import shutil
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import grpc
from google.protobuf.internal import api_implementation

from arena.referee.cgroups import delegated
from arena.referee.launcher import bot_environment
from arena.referee.overload import machine_load
from arena.referee.sandbox import find_bwrap, why_no_bwrap

DESCRIPTORS: Final = 1024
"""Free descriptors below which many bots at once do not fit; each takes four."""
_CLOCK_S: Final = 1e-5
"""A clock that is coarser measures short decisions badly."""
_TOOLCHAINS: Final = {
    "python": ("python", "--version"),
    "node": ("node", "--version"),
    "go": ("go", "version"),
    "java": ("java", "--version"),
    "cargo": ("cargo", "--version"),
    "g++": ("g++", "--version"),
    "make": ("make", "--version"),
}
_ANSWER_S: Final = 20.0


@dataclass(frozen=True, slots=True)
class Means:
    """One thing that was looked for."""

    name: str
    ok: bool
    """Whether it is there and good."""
    detail: str
    needed: bool = True
    """Whether something is worse without it; toolchains are only for bots of their language."""


def examine() -> Iterator[Means]:
    """Yield everything that was looked for."""
    yield from _sandbox()
    yield from _speed()
    yield from _room()
    for name, command in _TOOLCHAINS.items():
        found = _version(command)
        yield Means(name, bool(found), found or "not found", needed=False)


def _sandbox() -> Iterator[Means]:
    problem = why_no_bwrap()
    yield Means("bubblewrap", not problem, problem or _version((find_bwrap() or "bwrap", "--version")))
    group = delegated()
    if group is not None:
        yield Means("control groups", True, f"memory and processes are limited by the kernel in {group}")
    else:
        yield Means("control groups", False, "none is delegated: limits are polled twice a second", False)
    setpriv = shutil.which("setpriv")
    told = setpriv or "setpriv is not installed (util-linux): only the watchdog ends bots of a killed arena"
    yield Means("bots end with us", setpriv is not None, told)


def _speed() -> Iterator[Means]:
    kind = api_implementation.Type()
    told = kind if kind == "upb" else f"{kind}: many times slower than upb; install protobuf as a wheel"
    yield Means("protobuf", kind == "upb", told)
    yield Means("grpc", True, grpc.__version__)
    uvloop = importlib.util.find_spec("uvloop") is not None
    told = "installed" if uvloop else "not installed: pip install 'gin-arena[speed]'"
    yield Means("uvloop", uvloop, told, needed=False)
    tick_s = _clock_tick_s()
    yield Means("clock", tick_s <= _CLOCK_S, f"steps of {tick_s * 1e9:.0f} ns")


def _room() -> Iterator[Means]:
    yield Means("machine", True, f"{platform.platform()}, {machine_load()}", needed=False)
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    free = limit - len(list(Path("/proc/self/fd").iterdir()))
    remedy = "" if free >= DESCRIPTORS else ": raise it by `ulimit -n 4096` before many matches at once"
    yield Means("descriptors", free >= DESCRIPTORS, f"{free} free of {limit}{remedy}")


def _clock_tick_s() -> float:
    """Return the smallest step that the clock was seen to make."""
    smallest = 1.0
    before = time.perf_counter()
    for _ in range(1000):
        now = time.perf_counter()
        if now > before:
            smallest = min(smallest, now - before)
        before = now
    return smallest


def _version(command: tuple[str, ...]) -> str:
    """Return the first line that a program says about its version; empty if it is not there."""
    environment = bot_environment({})
    program = shutil.which(command[0], path=environment["PATH"])
    if program is None:
        return ""
    try:
        done = subprocess.run(
            (program, *command[1:]),
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
            timeout=_ANSWER_S,
            cwd=os.sep,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"{program} does not answer: {error}"
    lines = done.stdout.decode("utf-8", "replace").strip().splitlines()
    return lines[0] if lines else program
