"""What a sandboxed bot cannot do: each attempt fails, and is its own fault only."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from arena.engine.presets import preset
from arena.engine.rules import override
from arena.errors import RefereeError, UsageError
from arena.referee import sandbox as sandbox_module
from arena.referee.cgroups import ControlGroups, delegated
from arena.referee.doctor import examine
from arena.referee.limits import Limits
from arena.referee.manifest import BotPackage, find_package, load_package
from arena.referee.match import MatchOutcome, MatchSpec
from arena.referee.referee import Referee
from arena.referee.sandbox import SCRATCH_MIB, choose, why_no_bwrap
from arena.referee.verdict import Verdict
from tests.referee.processes import own_children

WHY_NOT = why_no_bwrap()


def _needs_bwrap() -> None:
    if not WHY_NOT:
        return
    if os.environ.get("ARENA_REQUIRE_ALL") == "1":
        pytest.fail(WHY_NOT)
    pytest.skip(WHY_NOT)


@pytest.fixture(autouse=True)
def _nothing_stays() -> object:
    before = own_children()
    yield
    assert not own_children() - before, "a test left a process behind"


ATTEMPT = """
import os, sys, time
from pathlib import Path
from arena.testing.faults.wire import Wire, play_on

def attempt():
    {attempt}

try:
    told = f"DONE {{attempt()}}"
except BaseException as error:
    told = f"FAILED {{type(error).__name__}} {{error}}"
print(told, flush=True)
wire = Wire()
wire.greet()
play_on(wire)
"""


def bot(folder: Path, attempt: str) -> BotPackage:
    """Return a package whose bot tries something, prints what came of it, and plays on."""
    folder.mkdir(parents=True)
    (folder / "bot.py").write_text(ATTEMPT.format(attempt=attempt.replace("\n", "\n    ")))
    (folder / "bot.toml").write_text(
        '[bot]\nname = "tries"\nversion = "1"\nlanguage = "python"\n[run]\ncommand = "python bot.py"\n'
    )
    return load_package(folder)


async def _play(package: BotPackage, limits: Limits) -> tuple[MatchOutcome, MatchOutcome, tuple[str, ...]]:
    chosen = choose("bwrap", limits)
    spec = MatchSpec("tries", override(preset("classic"), ["hands=1"]), b"s" * 32)
    async with Referee(wrap=chosen.wrap, limits=chosen.limits, start_s=60.0) as referee:
        tries = referee.enter(package)
        first, second = (referee.enter(find_package("@random")) for _ in range(2))
        outcome, other = await asyncio.gather(
            referee.play(spec, [tries, first]), referee.play(replace(spec, match_id="other"), [first, second])
        )
        await tries.close()
        return outcome, other, tries.last_lines


def tried(package: BotPackage, limits: Limits | None = None) -> tuple[MatchOutcome, str]:
    """Return how the match of a bot that tries something ended, and what came of the attempt."""
    _needs_bwrap()
    outcome, other, lines = asyncio.run(
        asyncio.wait_for(_play(package, limits or Limits(memory_mib=1024, processes=64)), 120)
    )
    assert other.verdict == Verdict.COMPLETED and other.faults == [0, 0], "another match was affected"
    told = [line for line in lines if line.startswith(("DONE", "FAILED"))]
    return outcome, told[0] if told else ""


FAILS = {
    "opening the network": (
        "import socket\nreturn socket.create_connection(('127.0.0.1', {port}), timeout=5)",
        "FAILED",
    ),
    "reading the store": ("return len(Path('{folder}/arena.db').read_bytes())", "FAILED FileNotFoundError"),
    "listing the operator's folder": ("return os.listdir('{folder}')", "DONE ['tries']"),
    "reading another bot's files": ("return os.listdir('{folder}/other')", "FAILED FileNotFoundError"),
    "reading the environment of others": (
        "return sum(b'ARENA_TOKEN' in Path('/proc', pid, 'environ').read_bytes() for pid in "
        "os.listdir('/proc') if pid.isdigit() and int(pid) not in (os.getpid(), os.getppid(), 1))",
        "DONE 0",
    ),
    "seeing other processes": (
        "return sum(pid.isdigit() for pid in os.listdir('/proc')) <= 3",
        "DONE True",
    ),
    "killing the referee": ("return os.kill({pid}, 9)", "FAILED ProcessLookupError"),
    "writing to its own package": ("return Path('bot.py').write_text('')", "FAILED OSError"),
    "writing to the system": ("return Path('/usr/x').write_text('')", "FAILED OSError"),
    "writing to the root": ("return Path('/x').write_text('')", "FAILED OSError"),
    "reading the home folder": ("return os.listdir(Path.home())", "DONE []"),
    "reading the passwords": ("return Path('/etc/shadow').read_text()", "FAILED FileNotFoundError"),
    "filling the disk": (
        "with open('/tmp/fill', 'wb') as file:\n"
        "    for _ in range(10 * {scratch}): file.write(b'x' * (1 << 20))\n",
        "FAILED OSError [Errno 28]",
    ),
    "mounting": (
        "import ctypes\nlibc = ctypes.CDLL(None, use_errno=True)\n"
        "return libc.mount(b'none', b'/tmp', b'tmpfs', 0, None)",
        "DONE -1",
    ),
    "a scratch file": ("Path('/tmp/x').write_text('ok')\nreturn Path('/tmp/x').read_text()", "DONE ok"),
}


@pytest.mark.parametrize("what", FAILS)
def test_an_attempt_comes_to_nothing_and_the_bot_plays_on(tmp_path: Path, what: str) -> None:
    attempt, expected = FAILS[what]
    (tmp_path / "arena.db").write_text("secret")
    (tmp_path / "other").mkdir()
    with subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import socket; s = socket.create_server(('127.0.0.1', 0)); "
            "print(s.getsockname()[1], flush=True); s.accept()",
        ],
        stdout=subprocess.PIPE,
    ) as server:
        assert server.stdout is not None
        port = int(server.stdout.readline())
        text = attempt.format(port=port, folder=tmp_path, pid=os.getpid(), scratch=SCRATCH_MIB)
        try:
            outcome, told = tried(bot(tmp_path / "tries", text))
        finally:
            server.kill()
    assert outcome.verdict == Verdict.COMPLETED and outcome.faults == [0, 0], outcome.fault
    assert told.startswith(expected), told


@pytest.mark.parametrize(
    ("attempt", "limits", "told"),
    [
        (
            "for _ in range(10_000):\n    if os.fork() == 0: time.sleep(600)",
            Limits(None, 64),
            "processes where 64",
        ),
        (
            "hog = [os.urandom(1 << 20) for _ in range(3000)]\ntime.sleep(600)",
            Limits(1024, 64),
            "MiB of memory where 1024",
        ),
    ],
    ids=["forking 10,000 children", "eating memory"],
)
def test_a_bot_that_takes_too_much_is_ended_and_never_rated(
    tmp_path: Path, attempt: str, limits: Limits, told: str
) -> None:
    outcome, _ = tried(bot(tmp_path / "tries", attempt), limits)
    assert outcome.fault is not None
    assert told in outcome.fault.reason
    assert outcome.fault.seat == 0 and not outcome.rated


def test_a_sandboxed_bot_s_children_end_with_it(tmp_path: Path) -> None:
    outcome, told = tried(
        bot(
            tmp_path / "tries",
            "import subprocess\nreturn subprocess.Popen(['setsid', 'sleep', '600']).pid > 0",
        )
    )
    assert outcome.verdict == Verdict.COMPLETED and told == "DONE True"


# ---------------------------------------------------------------------- the choice


def test_auto_goes_on_without_bubblewrap_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sandbox_module, "find_bwrap", lambda: None)
    chosen = choose("auto")
    assert chosen.line.startswith("sandbox: NONE, bots can do all that you can (bubblewrap is not installed")
    assert chosen.wrap(find_package("@random"), ("python", "bot.py"), "unix:/s") == ("python", "bot.py")


def test_bwrap_refuses_to_go_on_without_bubblewrap(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sandbox_module, "find_bwrap", lambda: None)
    with pytest.raises(RefereeError, match="--sandbox bwrap is not possible: bubblewrap is not installed"):
        choose("bwrap")


def test_bubblewrap_that_does_not_work_is_no_sandbox(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    fake = tmp_path / "bwrap"
    fake.write_text("#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n")
    fake.chmod(0o755)
    monkeypatch.setattr(sandbox_module, "find_bwrap", lambda: str(fake))
    assert "No permissions to create new namespace" in why_no_bwrap()
    assert "\n" not in choose("auto").line


def test_none_takes_none_and_other_modes_are_refused() -> None:
    assert choose("none").line.startswith("sandbox: NONE, bots can do all that you can (as asked for)")
    with pytest.raises(UsageError, match="there is no sandbox 'docker': take auto, bwrap, none"):
        choose("docker")


def test_the_doctor_finds_something_out_about_everything() -> None:
    found = {means.name: means for means in examine()}
    assert {"bubblewrap", "control groups", "protobuf", "uvloop", "clock", "descriptors", "python"} <= set(
        found
    )
    assert all("\n" not in means.detail and means.detail for means in found.values())
    assert found["bubblewrap"].ok == (not WHY_NOT)


# ---------------------------------------------------------------------- control groups


def group_tree(tmp_path: Path, controllers: str) -> tuple[Path, Path]:
    own = tmp_path / "cgroup"
    own.write_text("1:cpu:/old\n0::/user/arena/own\n")
    folder = tmp_path / "mount" / "user" / "arena" / "own"
    folder.mkdir(parents=True)
    (folder.parent / "cgroup.subtree_control").write_text(controllers)
    return tmp_path / "mount", own


def test_a_group_is_usable_when_memory_and_pids_are_handed_down(tmp_path: Path) -> None:
    mount, own = group_tree(tmp_path, "cpu memory pids\n")
    assert delegated(mount, own) == mount / "user" / "arena"


@pytest.mark.parametrize("controllers", ["", "memory\n", "cpu pids\n"])
def test_a_group_without_the_controllers_is_not(tmp_path: Path, controllers: str) -> None:
    assert delegated(*group_tree(tmp_path, controllers)) is None
    assert delegated(tmp_path, tmp_path / "none") is None


def test_a_bot_enters_a_group_with_its_limits(tmp_path: Path) -> None:
    groups = ControlGroups(tmp_path, Limits(memory_mib=100, processes=7))
    command = groups.enter(("sh", "-c", "echo in"))
    (group,) = tmp_path.iterdir()
    assert (group / "memory.max").read_text() == str(100 << 20)
    assert (group / "pids.max").read_text() == "7"
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == "in\n" and (group / "cgroup.procs").read_text().strip().isdigit()


def test_a_group_that_cannot_be_made_is_told_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(RefereeError, match=r"cannot be set up: .*; take --sandbox none"):
        ControlGroups(tmp_path / "none", Limits()).enter(("true",))
