"""Ends the bots of a referee that was killed, and removes its socket.

It runs as a process of its own, knows nothing but the referee's folder, and waits for the end of a
pipe that only the referee holds open: the kernel closes it however the referee ends. It imports the
standard library only, so that it starts in milliseconds.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

_ROUNDS: Final = 50
_PAUSE_S: Final = 0.05


class Watchdog:
    """A watchdog over this process.

    Args:
        folder: the referee's runtime folder; bots are known by ``ARENA_ADDRESS=unix:FOLDER/...``.
    """

    def __init__(self, folder: str) -> None:
        read, self._write = os.pipe()
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", __file__, folder],
                stdin=read,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env={},
                cwd="/",
                start_new_session=True,
            )
        finally:
            os.close(read)

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    def stop(self) -> None:
        """Let it go; it ends what is left of the bots first."""
        os.close(self._write)
        self._process.wait()


def bots_of(folder: str) -> Iterator[int]:
    """Yield the ids of the processes whose environment names a referee's folder."""
    mark = f"ARENA_ADDRESS=unix:{folder}/".encode()
    for name in os.listdir("/proc"):  # noqa: PTH208  # only the names are wanted
        if name.isdigit() and int(name) != os.getpid():
            # Processes of other users cannot be read, and any may end meanwhile.
            with contextlib.suppress(OSError):
                if any(entry.startswith(mark) for entry in _environment(name)):
                    yield int(name)


def _environment(pid: str) -> list[bytes]:
    return Path("/proc", pid, "environ").read_bytes().split(b"\0")


def clean_up(folder: str) -> None:
    """End the bots of a folder's referee, and remove the folder."""
    for _ in range(_ROUNDS):
        found = list(bots_of(folder))
        for pid in found:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        if not found:
            break
        time.sleep(_PAUSE_S)
    shutil.rmtree(folder, ignore_errors=True)


def main(folder: str) -> None:
    """Wait for the referee's end, then clean up."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    while os.read(0, 1):
        pass
    clean_up(folder)


if __name__ == "__main__":
    main(sys.argv[1])
