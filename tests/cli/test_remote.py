"""``arena match @simple remote --listen``: a bot that somebody starts by hand."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from arena.referee.manifest import shipped_folder
from tests.cli.conftest import Arena


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def test_a_remote_bot_plays_with_the_printed_address_and_token(tmp_path: Path) -> None:
    address = f"127.0.0.1:{free_port()}"
    command = [sys.executable, "-m", "arena", "match", "@simple", "remote", "--listen", address, "--json"]
    match = subprocess.Popen(
        command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ
    )
    assert match.stderr is not None
    told = "".join(match.stderr.readline() for _ in range(3))
    token = re.search(r"ARENA_TOKEN=(\S+)", told)
    assert token is not None and f"ARENA_ADDRESS={address}" in told
    bot = subprocess.run(
        [sys.executable, "bot.py"],
        cwd=shipped_folder() / "random-python",
        env={
            **os.environ,
            "ARENA_ADDRESS": address,
            "ARENA_TOKEN": token[1],
            "http_proxy": "http://127.0.0.1:9",
        },
        timeout=120,
        capture_output=True,
        text=True,
    )
    stdout, _ = match.communicate(timeout=60)
    assert (bot.returncode, bot.stderr, match.returncode) == (0, "", 0)
    assert '"wins": [\n    2,\n    0\n  ]' in stdout


def test_a_wrong_token_is_refused_with_the_reason(tmp_path: Path) -> None:
    address = f"127.0.0.1:{free_port()}"
    command = [sys.executable, "-m", "arena", "match", "@simple", "remote", "--listen", address]
    match = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True, env=os.environ)
    assert match.stderr is not None
    match.stderr.readline()
    bot = subprocess.run(
        [sys.executable, "bot.py"],
        cwd=shipped_folder() / "random-python",
        env={**os.environ, "ARENA_ADDRESS": address, "ARENA_TOKEN": "guessed"},
        timeout=60,
        capture_output=True,
        text=True,
    )
    match.terminate()
    match.communicate(timeout=30)
    assert bot.returncode == 1
    assert bot.stderr.strip().startswith("bot: the referee refused this bot: its token is unknown")


def test_a_remote_seat_needs_an_address_and_a_free_one(arena: Arena) -> None:
    done = arena("match", "@simple", "remote")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "--listen HOST:PORT" in done.stderr
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        busy = arena("match", "@simple", "remote", "--listen", f"127.0.0.1:{taken.getsockname()[1]}")
    assert busy.returncode == 1
    assert "cannot listen on 127.0.0.1" in busy.stderr and busy.stderr.count("\n") == 1


def test_a_bot_at_a_breakpoint_is_not_taken_for_dead(tmp_path: Path) -> None:
    """Stopped for longer than the keepalive allows (20 s + 2 s), it plays on where no time limit holds."""
    address = f"127.0.0.1:{free_port()}"
    command = [sys.executable, "-m", "arena", "match", "@simple", "remote", "--listen", address, "--json"]
    match = subprocess.Popen(
        [*command, "--move-time", "none"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ,
    )
    assert match.stderr is not None
    token = re.search(r"ARENA_TOKEN=(\S+)", "".join(match.stderr.readline() for _ in range(3)))
    assert token is not None
    bot = subprocess.Popen(
        [sys.executable, "-c", SLOW_BOT],
        env={**os.environ, "ARENA_ADDRESS": address, "ARENA_TOKEN": token[1]},
    )
    stdout, _ = match.communicate(timeout=120)
    assert (match.returncode, bot.wait(timeout=30)) == (0, 0)
    assert '"faults": [\n    0,\n    0\n  ]' in stdout


SLOW_BOT = """
import os, signal, subprocess
from arena.bot import run

stopped = []

def decide(request):
    if not stopped:
        stopped.append(True)
        subprocess.Popen(["sh", "-c", f"sleep 30; kill -CONT {os.getpid()}"])
        os.kill(os.getpid(), signal.SIGSTOP)
    return request.legal_actions[-1]

run(decide)
"""


@pytest.mark.parametrize("address", ["foo", "127.0.0.1:0", "127.0.0.1:99999", ":7777", "host:x", ""])
def test_an_address_that_nobody_could_dial_is_refused(arena: Arena, address: str) -> None:
    done = arena("match", "@simple", "remote", "--listen", address)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "is no address: write HOST:PORT" in done.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ("compare", "@simple", "remote"),
        ("tournament", "swiss", "@simple", "remote"),
        ("match", "@simple", ""),
    ],
)
def test_a_seat_that_only_a_match_has_is_refused_elsewhere(arena: Arena, arguments: tuple[str, ...]) -> None:
    done = arena(*arguments)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "seat of `arena match` only" in done.stderr or "an empty BOT" in done.stderr


def test_the_name_remote_is_reserved(arena: Arena, tmp_path: Path) -> None:
    done = arena("new", "remote")
    assert done.returncode == 2 and not (tmp_path / "remote").exists()
