"""The sandbox of bots that are not trusted: bubblewrap, where it is installed and works.

Inside there is no network and no other process; the system, the bot's package and the Python that
runs the arena can be read and not written; ``/tmp``, ``/dev/shm`` and the home folder are empty,
small and private. The referee is reached over its socket, which is mounted at its own path.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import arena
from arena.errors import RefereeError, UsageError
from arena.referee.cgroups import ControlGroups, delegated
from arena.referee.launcher import bot_environment, end_tree
from arena.referee.limits import Limits
from arena.referee.manifest import BotPackage

MODES: Final = ("auto", "bwrap", "none")
SCRATCH_MIB: Final = 64
"""Room in each of ``/tmp``, ``/dev/shm`` and the home folder, in MiB; it is memory."""
HOME: Final = "/home/bot"
_SYSTEM: Final = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt", "/nix/store")
_ETC: Final = (
    *("ld.so.cache", "ld.so.conf", "ld.so.conf.d", "alternatives", "localtime", "nsswitch.conf"),
    *("ssl/openssl.cnf", "java-17-openjdk", "java-21-openjdk", "java", "mime.types"),
)
_TOOLCHAINS: Final = ("JAVA_HOME", "GOROOT", "VIRTUAL_ENV", "NODE_PATH")
_TRIAL_S: Final = 10.0


def find_bwrap() -> str | None:
    """Return the path of bubblewrap, if it is installed."""
    return shutil.which("bwrap")


def why_no_bwrap() -> str:
    """Return why bubblewrap cannot be used here, with the remedy; empty if it can."""
    program = find_bwrap()
    if program is None:
        return "bubblewrap is not installed: install the package 'bubblewrap'"
    trial = (program, "--unshare-all", "--die-with-parent", "--ro-bind", "/", "/", "--proc", "/proc", "true")
    try:
        with subprocess.Popen(
            trial, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True
        ) as process:
            try:
                _, errors = process.communicate(timeout=_TRIAL_S)
            finally:
                end_tree(process.pid)
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"bubblewrap does not start: {error}"
    if process.returncode:
        told = errors.decode("utf-8", "replace").strip().splitlines()
        return (
            f"bubblewrap does not work here ({told[-1] if told else 'no message'}): allow user namespaces "
            "(sysctl kernel.unprivileged_userns_clone=1, or kernel.apparmor_restrict_unprivileged_userns=0)"
        )
    return ""


class Sandbox:
    """What is in force for the bots that are not trusted.

    Args:
        bwrap: the path of bubblewrap; ``None`` for no sandbox.
        limits: what each bot process and its children may use.
        groups: control groups that enforce the limits; ``None`` where they are polled.
        why_not: why there is no sandbox, for the line that says what is in force.
    """

    def __init__(
        self,
        bwrap: str | None,
        limits: Limits,
        groups: ControlGroups | None = None,
        why_not: str = "",
    ) -> None:
        self._bwrap = bwrap
        self.limits = limits
        self._groups = groups
        self._why_not = why_not

    @property
    def line(self) -> str:
        """One line that says what is in force."""
        means = "control groups" if self._groups is not None else "polling"
        caps = f"{self.limits.memory_mib} MiB and {self.limits.processes} processes a bot, by {means}"
        if self._bwrap is not None:
            return f"sandbox: bubblewrap, no network, read-only system; {caps}"
        return f"sandbox: NONE, bots can do all that you can ({self._why_not or 'as asked for'}); {caps}"

    def wrap(self, package: BotPackage, command: tuple[str, ...], address: str) -> tuple[str, ...]:
        """Return the command to execute instead of a bot's own."""
        if self._bwrap is not None:
            command = (self._bwrap, *_arguments(package, address), "--", *command)
        return self._groups.enter(command) if self._groups is not None else command

    def close(self) -> None:
        """Remove the control groups."""
        if self._groups is not None:
            self._groups.close()


def choose(mode: str, limits: Limits | None = None) -> Sandbox:
    """Return the sandbox for ``--sandbox MODE``.

    Args:
        mode: ``auto`` takes the best there is, ``bwrap`` refuses to go on without bubblewrap,
            ``none`` takes none.
        limits: what a bot may use; the default limits if not given.

    Raises:
        UsageError: there is no such mode.
        RefereeError: the mode is ``bwrap``, and it cannot be used here.
    """
    if mode not in MODES:
        raise UsageError(f"there is no sandbox {mode!r}: take {', '.join(MODES)}")
    limits = limits or Limits()
    parent = delegated()
    groups = ControlGroups(parent, limits) if parent is not None else None
    if mode == "none":
        return Sandbox(None, limits, groups)
    problem = why_no_bwrap()
    if not problem:
        return Sandbox(find_bwrap(), limits, groups)
    if mode == "bwrap":
        raise RefereeError(f"--sandbox bwrap is not possible: {problem}")
    return Sandbox(None, limits, groups, problem)


def _arguments(package: BotPackage, address: str) -> Iterator[str]:
    """Yield bubblewrap's arguments; later mounts lie on top of earlier ones."""
    yield from ("--unshare-all", "--die-with-parent", "--cap-drop", "ALL", "--hostname", "bot")
    for path in _SYSTEM:
        yield from ("--ro-bind-try", path, path)
    for name in _ETC:
        yield from ("--ro-bind-try", f"/etc/{name}", f"/etc/{name}")
    yield from ("--proc", "/proc", "--dev", "/dev")
    for place in ("/tmp", "/dev/shm", HOME):
        yield from ("--size", str(SCRATCH_MIB * 1024 * 1024), "--tmpfs", place)
    for folder in _readable(package):
        yield from ("--ro-bind", folder, folder)
    socket = Path(address.removeprefix("unix:")).parent
    yield from ("--ro-bind", str(socket), str(socket))
    yield from ("--remount-ro", "/dev", "--remount-ro", "/")
    yield from ("--setenv", "HOME", HOME, "--setenv", "TMPDIR", "/tmp")
    yield from ("--chdir", str(package.folder))


def _readable(package: BotPackage) -> list[str]:
    """Return the folders that a bot needs beside the system's, those that hold others first."""
    needed = {Path(sys.prefix), Path(sys.base_prefix), Path(arena.__file__).resolve().parent, package.folder}
    environment = bot_environment({})
    needed |= {Path(environment[name]) for name in _TOOLCHAINS if name in environment}
    program = shutil.which(package.run[0], path=environment["PATH"])
    if program is not None and os.sep not in package.run[0]:
        needed |= {Path(program).parent, _prefix(Path(program).resolve())}
    inside = [path for path in needed if path.is_dir() and not _in_system(path)]
    return [str(path) for path in sorted(inside, key=lambda path: len(path.parts))]


def _prefix(program: Path) -> Path:
    """Return the folder in which a program is installed: the one above its ``bin``, if that is its own."""
    folder = program.parent
    above = folder.parent
    if folder.name == "bin" and above not in (Path.home(), Path("/"), Path.home() / ".local"):
        return above
    return folder


def _in_system(path: Path) -> bool:
    return any(path.is_relative_to(folder) for folder in _SYSTEM)
