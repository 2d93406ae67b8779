"""Bot processes: build, start, watch, and end them with everything that they started."""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import os
import shutil
import signal
import subprocess
import sys
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Final

import psutil

from arena.errors import RefereeError
from arena.referee.limits import Warden
from arena.referee.manifest import BotPackage
from arena.referee.verdict import Fault, Verdict

STDERR_TAIL_BYTES: Final = 16 * 1024
STDERR_TAIL_LINES: Final = 20
_READ_BYTES: Final = 256 * 1024
_PASSED_ON: Final = frozenset(
    (
        *("HOME", "USER", "LOGNAME", "LANG", "TZ", "TMPDIR", "SHELL", "TERM"),
        *("JAVA_HOME", "GOROOT", "GOPATH", "GOCACHE", "NODE_PATH", "CARGO_HOME", "RUSTUP_HOME"),
        *("VIRTUAL_ENV", "LD_LIBRARY_PATH"),
        *("http_proxy", "https_proxy", "grpc_proxy", "no_proxy", "all_proxy"),
        *("HTTP_PROXY", "HTTPS_PROXY", "GRPC_PROXY", "NO_PROXY", "ALL_PROXY"),
    )
)
"""The environment that bots inherit; anything else of the operator's stays the operator's."""
Wrap = Callable[[BotPackage, tuple[str, ...], str], tuple[str, ...]]
"""Turns a package's command into the one executed, given the address that it is to dial."""
_PR_SET_CHILD_SUBREAPER: Final = 36
_REAP_S: Final = 2.0
"""How long killed processes are waited for; the kernel takes milliseconds."""


def bot_environment(extra: dict[str, str]) -> dict[str, str]:
    """Return a bot's environment: a few inherited variables, ours, and our Python first on the path."""
    kept = {k: v for k, v in os.environ.items() if k in _PASSED_ON or k.startswith("LC_")}
    own = str(Path(sys.executable).parent)
    return {**kept, "PATH": os.pathsep.join((own, os.environ.get("PATH", os.defpath))), **extra}


def adopt_orphans() -> None:
    """Make processes that bots leave behind children of this process, so that they can be ended."""
    # Linux only; elsewhere the process group is all that can be ended.
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def why_not_startable(package: BotPackage) -> str:
    """Return why a package's run command cannot be executed, with the remedy; empty if it can."""
    program = package.run[0]
    if os.sep not in program:
        if shutil.which(program, path=bot_environment({})["PATH"]) is None:
            return (
                f"the run command's program {program!r} is not found: "
                f"install it, or name a file as ./{program}"
            )
        return ""
    path = package.folder / program
    if not path.exists():
        remedy = "build it first" if package.build else "correct run.command in bot.toml"
        return f"the run command's file {program!r} does not exist: {remedy}"
    if not program.startswith("/") and _leads_out(path, package.folder):
        return f"the run command's file {program!r} leads out of the bot's folder: copy it into the folder"
    if not os.access(path, os.X_OK) or path.is_dir():
        return f"the run command's file {program!r} is not executable: chmod +x it"
    # A program that may be executed but not read is no script.
    with contextlib.suppress(PermissionError), path.open("rb") as file:
        if file.readline(256).rstrip(b"\n").endswith(b"\r"):
            return f"{program!r} has Windows line ends in its first line: save it with Unix line ends"
    return ""


def _leads_out(path: Path, folder: Path) -> bool:
    """Return whether a package's file is really one from elsewhere; the system's own programs may be."""
    real = path.resolve()
    allowed = (folder, Path(sys.base_prefix), *map(Path, ("/usr", "/bin", "/opt")))
    return not any(real.is_relative_to(place) for place in allowed)


def build(package: BotPackage, timeout_s: float) -> Fault | None:
    """Run a package's build command; return the fault if it fails.

    Args:
        package: the bot.
        timeout_s: seconds after which the build is ended.
    """
    if package.build is None:
        return None
    process = None
    try:
        process = subprocess.Popen(
            package.build,
            cwd=package.folder,
            env=bot_environment({}),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        output, _ = process.communicate(timeout=timeout_s)
    except OSError as error:
        return Fault(Verdict.FAILED_BUILD, f"the build command {package.build[0]!r} failed: {error.strerror}")
    except subprocess.TimeoutExpired:
        assert process is not None
        end_tree(process.pid)
        process.communicate()
        return Fault(Verdict.FAILED_BUILD, f"the build took more than {timeout_s:g} s")
    if process.returncode:
        return Fault(
            Verdict.FAILED_BUILD,
            f"the build command exited with {process.returncode}",
            stderr=_lines(output),
        )
    return None


class BotProcess:
    """A running bot: its output is drained, its end is noticed at once.

    Args:
        package: the bot.
        environment: variables for it beside the inherited ones.
        wrap: turns the command into the one that is executed (a sandbox, for instance).
        warden: sees that it and its children keep to the limits.
    """

    def __init__(
        self,
        package: BotPackage,
        environment: dict[str, str],
        wrap: Wrap | None = None,
        warden: Warden | None = None,
    ) -> None:
        self.package = package
        self._token = environment.get("ARENA_TOKEN", "")
        self._tail: deque[bytes] = deque()
        self._tail_bytes = 0
        self._exited = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        self._on_exit: Callable[[], None] | None = None
        self._ended = False
        self.over_limit = ""
        """Which limit on resources it was ended for; empty if for none."""
        address = environment.get("ARENA_ADDRESS", "")
        command = wrap(package, package.run, address) if wrap else package.run
        try:
            self._process = subprocess.Popen(
                _until_parent_dies(command),
                cwd=package.folder,
                env=bot_environment(environment),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        except OSError as error:
            raise RefereeError(f"{command[0]!r} cannot be started: {error.strerror}") from None
        assert self._process.stdout is not None
        self._output = self._process.stdout.fileno()
        os.set_blocking(self._output, False)
        self._loop.add_reader(self._output, self._drain)
        self._pidfd = os.pidfd_open(self._process.pid)
        self._loop.add_reader(self._pidfd, self._reap)
        self._warden = warden
        if warden is not None:
            warden.watch(self.pid, self._token, self._over_limit)

    @property
    def pid(self) -> int:
        """The process's id."""
        return self._process.pid

    @property
    def exit_code(self) -> int | None:
        """The exit code, minus the signal's number if one ended it; ``None`` while it runs."""
        return self._process.returncode

    def on_exit(self, callback: Callable[[], None]) -> None:
        """Call back once, when the process has ended."""
        self._on_exit = callback
        if self._exited.is_set():
            callback()

    async def exited(self, timeout_s: float) -> bool:
        """Wait for the process to end by itself; return whether it did."""
        try:
            await asyncio.wait_for(self._exited.wait(), timeout_s)
        except TimeoutError:
            return False
        return True

    async def wait(self) -> None:
        """Wait for the process to end by itself, as long as it takes."""
        await self._exited.wait()

    def stderr_tail(self) -> tuple[str, ...]:
        """Return the last lines that the bot wrote, to stdout or stderr."""
        return _lines(b"".join(self._tail))

    def describe_exit(self) -> str:
        """Return how the process ended, for people."""
        code = self.exit_code
        if code is None:
            return "is still running"
        if code >= 0:
            return f"exited with code {code}"
        with contextlib.suppress(ValueError):
            return f"was ended by {signal.Signals(-code).name}"
        return f"was ended by signal {-code}"

    @property
    def running(self) -> bool:
        """Whether it has not ended yet, as far as is known."""
        return not self._exited.is_set()

    def kill(self) -> None:
        """End the process and everything that it started, at once."""
        if self._ended:
            # Its number may be another process's by now.
            return
        self._ended = True
        end_tree(self.pid, self._token)
        if self._process.poll() is None:
            self._process.wait()
        self._reap()

    def _over_limit(self, reason: str) -> None:
        """End it for using more than it may."""
        self.over_limit = reason
        self.kill()

    def _drain(self) -> None:
        try:
            chunk = os.read(self._output, _READ_BYTES)
        except BlockingIOError:
            return
        if not chunk:
            self._loop.remove_reader(self._output)
            return
        self._tail.append(chunk[-STDERR_TAIL_BYTES:])
        self._tail_bytes += len(self._tail[-1])
        while self._tail_bytes - len(self._tail[0]) >= STDERR_TAIL_BYTES:
            self._tail_bytes -= len(self._tail.popleft())

    def _reap(self) -> None:
        if self._exited.is_set() or self._process.poll() is None:
            return
        if self._warden is not None:
            self._warden.forget(self.pid)
        self._loop.remove_reader(self._pidfd)
        os.close(self._pidfd)
        self._drain_rest()
        self._exited.set()
        if self._on_exit:
            self._on_exit()

    def _drain_rest(self) -> None:
        # A child that outlives the bot may hold the pipe open: read what is there, never wait for more.
        for _ in range(64):
            before = self._tail_bytes
            self._drain()
            if self._tail_bytes == before:
                break
        self._loop.remove_reader(self._output)
        assert self._process.stdout is not None
        self._process.stdout.close()


def _until_parent_dies(command: tuple[str, ...]) -> tuple[str, ...]:
    """Return the command such that the kernel ends it if this process is killed."""
    setpriv = shutil.which("setpriv")
    return (setpriv, "--pdeathsig", "KILL", "--", *command) if setpriv else command


def end_tree(pid: int, token: str = "") -> None:
    """Kill a process, its session and its descendants, and those it left behind with its token."""
    doomed = family(pid, token)
    for process in doomed:
        with contextlib.suppress(psutil.Error):
            process.kill()
    # A child may have been born while the others were killed.
    for process in family(pid, token):
        with contextlib.suppress(psutil.Error):
            process.kill()
            doomed.append(process)
    _reap_adopted(doomed, pid)


def family(pid: int, token: str = "") -> list[psutil.Process]:
    """Return a child of this process, its descendants, its session, and those that bear its token.

    The last two find what a process left behind: such become children of this process
    (:func:`adopt_orphans`).
    """
    own = psutil.Process()
    found: dict[int, psutil.Process] = {}
    with contextlib.suppress(psutil.Error):
        leader = psutil.Process(pid)
        if leader.ppid() == own.pid:
            found = {process.pid: process for process in (leader, *leader.children(recursive=True))}
    for process in own.children(recursive=True):
        if process.pid not in found:
            with contextlib.suppress(psutil.Error, OSError):
                if _belongs(process, pid, token):
                    found[process.pid] = process
    return list(found.values())


def _belongs(process: psutil.Process, session: int, token: str) -> bool:
    if os.getsid(process.pid) == session:
        return True
    return (
        bool(token)
        and process.status() != psutil.STATUS_ZOMBIE
        and process.environ().get("ARENA_TOKEN") == token
    )


def _reap_adopted(doomed: list[psutil.Process], leader: int) -> None:
    """Wait for the killed processes, so that none stays as a zombie; the leader's exit is its owner's."""
    left = {process.pid for process in doomed if process.pid != leader}
    until = time.monotonic() + _REAP_S
    while left and time.monotonic() < until:
        left = {pid for pid in left if not _reaped(pid)}
        if left:
            time.sleep(0.002)


def _reaped(pid: int) -> bool:
    try:
        return os.waitpid(pid, os.WNOHANG)[0] == pid
    except ChildProcessError:
        return not psutil.pid_exists(pid)


def _lines(output: bytes) -> tuple[str, ...]:
    text = output[-STDERR_TAIL_BYTES:].decode("utf-8", "replace")
    clean = "".join(c if c.isprintable() or c in "\n\t" else "\N{REPLACEMENT CHARACTER}" for c in text)
    return tuple(line[:500] for line in clean.splitlines()[-STDERR_TAIL_LINES:])
