"""Memory and process limits by the kernel: control groups (v2), where the operator delegates one.

A group is usable when this process may make groups beside its own and the parent hands the
controllers ``memory`` and ``pids`` down, as under ``systemd-run --user -p Delegate=yes`` with the
arena in a group of its own. Everywhere else the limits are polled (:mod:`arena.referee.limits`).
"""

from __future__ import annotations

import contextlib
import itertools
import os
from pathlib import Path
from typing import Final

from arena.errors import RefereeError
from arena.referee.limits import MIB, Limits

MOUNT: Final = Path("/sys/fs/cgroup")
_NEEDED: Final = frozenset(("memory", "pids"))
_ENTER: Final = 'echo $$ > "$0" && exec "$@"'


def delegated(mount: Path = MOUNT, own: Path = Path("/proc/self/cgroup")) -> Path | None:
    """Return the group in which groups for bots can be made; ``None`` if there is none.

    Args:
        mount: where cgroup v2 is mounted.
        own: the file that names this process's group.
    """
    try:
        lines = own.read_text("utf-8").splitlines()
    except OSError:
        return None
    name = next((line.removeprefix("0::") for line in lines if line.startswith("0::")), None)
    if name is None:
        return None
    parent = (mount / name.lstrip("/")).parent if name != "/" else mount
    try:
        handed_down = set((parent / "cgroup.subtree_control").read_text("utf-8").split())
    except OSError:
        return None
    return parent if handed_down >= _NEEDED and os.access(parent, os.W_OK) else None


class ControlGroups:
    """Makes a group for each bot process, with the limits set, and removes it afterwards.

    Args:
        parent: a group that :func:`delegated` returned.
        limits: what a bot may use.
    """

    def __init__(self, parent: Path, limits: Limits) -> None:
        self._parent = parent
        self._limits = limits
        self._numbers = itertools.count(1)
        self._made: list[Path] = []

    def enter(self, command: tuple[str, ...]) -> tuple[str, ...]:
        """Return a command such that it runs in a new group.

        Raises:
            RefereeError: the group cannot be made.
        """
        group = self._parent / f"arena-{os.getpid()}-{next(self._numbers)}"
        try:
            group.mkdir()
            self._made.append(group)
            if self._limits.memory_mib is not None:
                (group / "memory.max").write_text(str(self._limits.memory_mib * MIB))
                with contextlib.suppress(OSError):
                    # Kernels without swap accounting have no such file.
                    (group / "memory.swap.max").write_text("0")
            if self._limits.processes is not None:
                (group / "pids.max").write_text(str(self._limits.processes))
        except OSError as error:
            raise RefereeError(
                f"the control group {group} cannot be set up: {error.strerror}; take --sandbox none"
            ) from None
        return ("/bin/sh", "-c", _ENTER, str(group / "cgroup.procs"), *command)

    def close(self) -> None:
        """Remove the groups; their processes have ended."""
        for group in self._made:
            with contextlib.suppress(OSError):
                group.rmdir()
        self._made.clear()
