"""What a bot and its children use together, and that it is ended when that is too much."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from arena.referee.launcher import BotProcess, adopt_orphans
from arena.referee.limits import MIB, Limits, Usage, Warden, excess, usage_of
from tests.referee.loops import in_loop
from tests.referee.processes import gone, python


@pytest.mark.parametrize(
    ("usage", "told"),
    [
        (Usage(3, 10 * MIB, 1.0), ""),
        (Usage(4, 10 * MIB, 1.0), "it ran 4 processes where 3 are allowed"),
        (Usage(3, 11 * MIB, 1.0), "it used 11 MiB of memory where 10 are allowed"),
        (Usage(3, 10 * MIB, 2.5), "it used 2.5 s of processor time where 2 are allowed"),
    ],
)
def test_what_is_over_a_limit_is_told_with_its_value(usage: Usage, told: str) -> None:
    assert excess(Limits(memory_mib=10, processes=3, cpu_s=2.0), usage) == told


def test_no_limits() -> None:
    assert excess(Limits(None, None, None), Usage(10**6, 10**15, 1e9)) == ""


def test_this_process_uses_something() -> None:
    used = usage_of({os.getpid(): ""})[os.getpid()]
    assert used.processes >= 1 and used.memory_bytes > MIB and used.cpu_s > 0


HOGS = {
    "memory": ("hog = b'x' * (300 << 20)\nimport time\ntime.sleep(600)", Limits(200, 256), "MiB of memory"),
    "memory of a child": (
        "import os, time\nif os.fork(): time.sleep(600)\nhog = b'x' * (300 << 20)\ntime.sleep(600)",
        Limits(200, 256),
        "MiB of memory",
    ),
    "processes": (
        "import os, time\nfor n in range(40):\n    if os.fork() == 0: time.sleep(600)\ntime.sleep(600)",
        Limits(None, 20),
        "processes where 20",
    ),
    "processes of sessions of their own": (
        "import os, time\nfor n in range(40):\n    if os.fork() == 0:\n        os.setsid()\n"
        "        if os.fork(): os._exit(0)\n        time.sleep(600)\ntime.sleep(600)",
        Limits(None, 20),
        "processes where 20",
    ),
    "processor time": ("while True: pass", Limits(None, None, cpu_s=0.3), "processor time"),
}


@pytest.mark.parametrize("what", HOGS)
def test_a_bot_that_uses_too_much_is_ended(tmp_path: Path, what: str) -> None:
    code, limits, told = HOGS[what]

    @in_loop
    async def main() -> None:
        adopt_orphans()
        bot = BotProcess(python(tmp_path, code), {"ARENA_TOKEN": "hog"}, None, Warden(limits))
        await bot.wait()
        assert told in bot.over_limit
        assert gone(bot.pid)

    main()
