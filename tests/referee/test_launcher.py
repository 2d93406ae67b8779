"""Bot processes: how they end, what is kept of their output, and that nothing of them stays."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from arena.errors import RefereeError
from arena.referee.launcher import STDERR_TAIL_LINES, BotProcess, adopt_orphans, bot_environment, build
from arena.referee.verdict import Verdict
from arena.referee.watchdog import Watchdog
from tests.referee.loops import in_loop
from tests.referee.processes import gone, own_children, package, python, reap_all, written

LEAVES = {
    "a child": "child = subprocess.Popen(SLEEP)",
    "a child in a session of its own": "child = subprocess.Popen(SLEEP, start_new_session=True)",
    "a daemon": """
if os.fork() == 0:
    os.setsid()
    child = subprocess.Popen(SLEEP)
    note(child)
    os._exit(0)
os.wait()
child = None
""",
    "a deaf child": "child = subprocess.Popen(['sh', '-c', 'trap \"\" TERM INT HUP; sleep 600'])",
}
PRELUDE = """
import os, subprocess, time
SLEEP = ['sleep', '600']
def note(child):
    with open('partial', 'w') as file:
        print(child.pid, file=file)
    os.rename('partial', 'child')
"""


def code_that_leaves(what: str) -> str:
    return f"{PRELUDE}{LEAVES[what]}\nif child: note(child)\ntime.sleep(600)\n"


@pytest.fixture(autouse=True)
def _nothing_stays() -> object:
    before = own_children()
    yield
    assert not own_children() - before, "a test left a process behind"


@pytest.mark.parametrize("what", LEAVES)
def test_everything_that_a_bot_started_ends_with_it(tmp_path: Path, what: str) -> None:
    @in_loop
    async def main() -> None:
        adopt_orphans()
        bot = BotProcess(python(tmp_path, code_that_leaves(what)), {"ARENA_TOKEN": "t0k3n"})
        child = int(written(tmp_path / "child"))
        assert psutil.pid_exists(child)
        bot.kill()
        assert gone(child) and gone(bot.pid)

    main()


@pytest.mark.parametrize("what", LEAVES)
def test_what_a_bot_that_ended_by_itself_left_behind_ends_too(tmp_path: Path, what: str) -> None:
    @in_loop
    async def main() -> None:
        adopt_orphans()
        code = code_that_leaves(what).replace("time.sleep(600)", "")
        bot = BotProcess(python(tmp_path, code), {"ARENA_TOKEN": "t0k3n"})
        assert await bot.exited(60)
        child = int(written(tmp_path / "child"))
        bot.kill()
        assert gone(child)

    main()


@pytest.mark.parametrize("what", LEAVES)
def test_nothing_stays_of_a_referee_that_was_killed(tmp_path: Path, what: str) -> None:
    bot = python(tmp_path, code_that_leaves(what))
    folder = tmp_path / "runtime"
    folder.mkdir()
    program = f"""
import asyncio, os, signal, sys, time
sys.path.insert(0, {str(Path(__file__).parents[2])!r})
from arena.referee.launcher import BotProcess, adopt_orphans
from arena.referee.manifest import BotPackage
from arena.referee.watchdog import Watchdog
from pathlib import Path

async def main():
    adopt_orphans()
    Watchdog({str(folder)!r})
    package = BotPackage(Path({str(tmp_path)!r}), "bot", "1", "py", {bot.run!r})
    BotProcess(package, {{"ARENA_TOKEN": "t", "ARENA_ADDRESS": "unix:{folder}/s"}})
    while not Path({str(tmp_path / "child")!r}).exists():
        await asyncio.sleep(0.01)
    os.kill(os.getpid(), signal.SIGKILL)

asyncio.run(main())
"""
    killed = subprocess.run([sys.executable, "-c", program], check=False, timeout=60)
    assert killed.returncode == -signal.SIGKILL
    assert gone(int(written(tmp_path / "child")))
    # The watchdog of the killed process is a child of ours by now, as are its bots.
    reap_all()
    assert not folder.exists()


def test_a_watchdog_that_is_let_go_leaves_strangers_alone(tmp_path: Path) -> None:
    folder = tmp_path / "runtime"
    folder.mkdir()
    watchdog = Watchdog(str(folder))
    with subprocess.Popen(["sleep", "600"], env={"ARENA_ADDRESS": f"unix:{folder}x/s"}) as stranger:
        watchdog.stop()
        assert stranger.poll() is None
        stranger.kill()
    assert not folder.exists()


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("pass", "exited with code 0"),
        ("raise SystemExit(3)", "exited with code 3"),
        ("import os; os.kill(os.getpid(), 11)", "was ended by SIGSEGV"),
        ("import os; os.kill(os.getpid(), 40)", "was ended by signal 40"),
    ],
)
def test_how_a_bot_ended_is_told(tmp_path: Path, code: str, told: str) -> None:
    @in_loop
    async def main() -> None:
        bot = BotProcess(python(tmp_path, code), {})
        ends: list[bool] = []
        bot.on_exit(lambda: ends.append(True))
        await bot.wait()
        assert bot.describe_exit() == told
        assert not bot.running and ends == [True]
        bot.kill()
        bot.kill()

    main()


@in_loop
async def test_output_is_kept_as_a_tail_of_clean_lines(tmp_path: Path) -> None:
    code = (
        "import os\n"
        "for n in range(100): os.write(n % 2 + 1, b'line %d\\n' % n)\n"
        "os.write(2, b'\\xff\\xfe \\x1b[31m\\x00 end\\n')\n"
    )
    bot = BotProcess(python(tmp_path, code), {})
    await bot.wait()
    tail = bot.stderr_tail()
    assert len(tail) == STDERR_TAIL_LINES
    assert tail[-2] == "line 99"
    assert tail[-1] == "\ufffd\ufffd \ufffd[31m\ufffd end"


@in_loop
async def test_a_line_without_an_end_is_cut_and_does_not_stall(tmp_path: Path) -> None:
    code = "import os\nfor n in range(1600): os.write(2, b'x' * 65536)\n"
    bot = BotProcess(python(tmp_path, code), {})
    await bot.wait()
    assert bot.exit_code == 0
    (line,) = bot.stderr_tail()
    assert len(line) == 500
    assert bot._tail_bytes < 64 * 1024


@in_loop
async def test_a_program_that_cannot_be_executed_is_the_referee_s_error(tmp_path: Path) -> None:
    (tmp_path / "run").write_bytes(b"\x7fELF not really")
    (tmp_path / "run").chmod(0o755)
    try:
        bot = BotProcess(package(tmp_path, "./run"), {})
    except RefereeError as error:
        assert "\n" not in str(error) and "'./run' cannot be started" in str(error)
    else:
        await bot.wait()
        assert bot.exit_code
        bot.kill()


def test_a_bot_s_environment_has_nothing_of_the_operator_s(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    environment = bot_environment({"ARENA_TOKEN": "t"})
    assert "secret" not in repr(environment)
    assert environment["ARENA_TOKEN"] == "t" and environment["LC_ALL"] == "C.UTF-8"
    assert environment["PATH"].startswith(str(Path(sys.executable).parent))


def test_a_build_that_works_fails_or_takes_too_long(tmp_path: Path) -> None:
    assert build(package(tmp_path, "true"), 60) is None
    assert build(package(tmp_path, "true", build=("touch", "made")), 60) is None
    assert (tmp_path / "made").exists()
    failed = build(package(tmp_path, "true", build=("sh", "-c", "echo why >&2; exit 3")), 60)
    assert failed is not None and failed.verdict == Verdict.FAILED_BUILD
    assert failed.reason == "the build command exited with 3" and failed.stderr == ("why",)
    missing = build(package(tmp_path, "true", build=("no-such-program",)), 60)
    assert missing is not None and "'no-such-program' failed" in missing.reason
    slow = build(package(tmp_path, "true", build=("sh", "-c", "echo $$ > pid; sleep 600")), 0.5)
    assert slow is not None and slow.reason == "the build took more than 0.5 s"
