"""Bot packages made of a few lines of shell or Python, and what is known of running processes."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from pathlib import Path

import psutil

from arena.referee.manifest import BotPackage

WAIT_S = 20.0
"""After this long something will not happen any more."""


def package(folder: Path, *run: str, build: tuple[str, ...] | None = None) -> BotPackage:
    """Return a package that runs a command in a folder."""
    return BotPackage(folder, "bot", "1.0.0", "sh", run, build)


def python(folder: Path, code: str) -> BotPackage:
    """Return a package that runs Python code without a site, which starts fast."""
    (folder / "bot.py").write_text(code)
    return package(folder, sys.executable, "-S", "-E", "bot.py")


def written(path: Path) -> str:
    """Wait for a file to be there with a whole line in it, and return the line."""
    until = time.monotonic() + WAIT_S
    while time.monotonic() < until:
        if path.exists() and (text := path.read_text()).endswith("\n"):
            return text.strip()
        time.sleep(0.01)
    raise AssertionError(f"{path} was not written")


def gone(pid: int) -> bool:
    """Wait for a process to be gone; return whether it is. An adopted zombie is reaped."""
    until = time.monotonic() + WAIT_S
    while time.monotonic() < until:
        if not psutil.pid_exists(pid):
            return True
        reap(pid)
        time.sleep(0.01)
    return False


def own_children() -> set[int]:
    """Return the ids of this process's descendants, zombies included."""
    return {process.pid for process in psutil.Process().children(recursive=True)}


def reap(pid: int) -> None:
    """Reap a process that this one has adopted, if it has ended."""
    with contextlib.suppress(ChildProcessError):
        os.waitpid(pid, os.WNOHANG)


def reap_all() -> None:
    """Wait for every child of this process to end, and reap it."""
    for process in psutil.Process().children():
        assert gone(process.pid), f"{process} goes on"
