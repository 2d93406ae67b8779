"""Seeds and match secrets are nowhere that a bot can read before the match ends."""

from __future__ import annotations

import base64
import contextlib
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.cli.process_title import without_seed
from arena.engine.dealing import derive_secret
from arena.engine.presets import preset
from arena.ladder.contest import ContestSpec
from arena.log import read_log
from arena.protocol.v1 import bot_pb2
from arena.referee.clock import UNLIMITED
from tests.faults.test_kill_and_resume import MARK, nothing_runs

SEED = "an-exceedingly-secret-seed-7461"
ARENA = (sys.executable, "-m", "arena")
HANG_S = 120.0

PAUSES = """
import time
from pathlib import Path
from arena.testing.faults.wire import Wire

here = Path("{folder}")
wire = Wire()
wire.greet()
with (here / "wire").open("ab") as record:
    for message in wire.messages():
        record.write(message.SerializeToString() + b"\\nNEXT\\n")
        record.flush()
        if message.HasField("request"):
            (here / "asked").touch()
            while not (here / "go").exists():
                time.sleep(0.02)
            wire.answer(message.request, message.request.legal_actions[-1])
"""
"""A bot that keeps all it is sent and waits in its turn until it is told to go on."""


def pausing_bot(folder: Path) -> Path:
    package = folder / "pauses"
    package.mkdir()
    (package / "bot.py").write_text(PAUSES.format(folder=folder))
    (package / "bot.toml").write_text(
        '[bot]\nname = "pauses"\nversion = "1"\nlanguage = "python"\n[run]\ncommand = "python bot.py"\n'
    )
    return package


def forms(secret: bytes) -> list[bytes]:
    """Return how a secret could be written."""
    return [secret, secret.hex().encode(), secret.hex().upper().encode(), base64.b64encode(secret)]


def processes() -> Iterator[tuple[str, bytes]]:
    """Yield the command lines and environments of all processes but this one and its parents."""
    for path in Path("/proc").glob("[0-9]*"):
        for part in ("cmdline", "environ"):
            with contextlib.suppress(OSError):
                yield f"{path}/{part}", (path / part).read_bytes()


def files(*folders: Path) -> Iterator[tuple[str, bytes]]:
    for folder in folders:
        for path in folder.rglob("*"):
            if path.is_file():
                yield str(path), path.read_bytes()


def found(wanted: list[bytes], places: Iterator[tuple[str, bytes]]) -> list[str]:
    return [place for place, data in places if any(secret in data for secret in wanted)]


def wait_for(path: Path, process: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + HANG_S
    while not path.exists():
        assert process.poll() is None and time.monotonic() < until
        time.sleep(0.02)


@contextlib.contextmanager
def paused(folder: Path, *command: str) -> Iterator[subprocess.Popen[bytes]]:
    """Run a command until its bot has been asked; let it go on afterwards, to its end."""
    with subprocess.Popen(
        (*ARENA, *command),
        cwd=folder,
        env={**os.environ, MARK: str(folder)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        try:
            wait_for(folder / "asked", process)
            yield process
            (folder / "go").touch()
            assert process.wait(HANG_S) == 0
        finally:
            process.kill()
    assert nothing_runs(folder)


@pytest.mark.parametrize("option", [("--seed", SEED), (f"--seed={SEED}",)], ids=["two words", "one word"])
def test_a_match_shows_its_secrets_to_nobody_before_its_end(tmp_path: Path, option: tuple[str, ...]) -> None:
    package = pausing_bot(tmp_path)
    match_id = ContestSpec(preset("classic"), 2, UNLIMITED, seed=SEED).match_id
    secret = derive_secret(SEED, f"{match_id}-0001")
    wanted = [SEED.encode(), *forms(secret)]
    options = ("--rule", "hands=1", "--move-time", "none", "--log-dir", "logs", "--sandbox", "none")
    with paused(tmp_path, "match", str(package), "@random", *options, *option):
        assert found(wanted, processes()) == []
        assert found(wanted, files(tmp_path)) == []
    parts = (tmp_path / "wire").read_bytes().split(b"\nNEXT\n")
    messages = [bot_pb2.RefereeMessage.FromString(part) for part in parts[:-1]]
    before = [
        part for part, message in zip(parts, messages, strict=False) if not message.HasField("match_end")
    ]
    assert not [part for part in before if any(form in part for form in wanted)]
    (end,) = [message.match_end for message in messages if message.HasField("match_end")]
    assert end.secret == secret.hex(), "the test looks for the wrong secret"
    assert SEED.encode() not in b"".join(parts)
    (log,) = (tmp_path / "logs").glob("*.zst")
    assert read_log(log.read_bytes()).header.match_id == f"{match_id}-0001"


def test_a_ladder_shows_its_secrets_to_nobody_before_the_end(tmp_path: Path) -> None:
    package = pausing_bot(tmp_path)
    add = (*ARENA, "ladder", "add", str(package), "@random", "--store", "arena.db")
    subprocess.run(add, cwd=tmp_path, check=True, timeout=HANG_S, stdout=subprocess.DEVNULL)
    secret = derive_secret(SEED, "m0000001")
    wanted = [SEED.encode(), *forms(secret)]
    options = ("--rule", "hands=1", "--games", "1", "--move-time", "none", "--sandbox", "none")
    run = ("ladder", "run", "--matches", "1", "--store", "arena.db", "--seed", SEED, *options)
    with paused(tmp_path, *run):
        assert found(wanted, processes()) == []
        assert found(wanted, files(tmp_path)) == []
    assert secret.hex().encode() in (tmp_path / "wire").read_bytes(), "the test looks for the wrong secret"
    assert found([SEED.encode()], files(tmp_path)) == []


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        (["match", "a", "--seed", "x"], ["match", "a", "--seed", "***"]),
        (["match", "--seed=x", "a"], ["match", "--seed=***", "a"]),
        (["match", "--see", "x"], ["match", "--see", "***"]),
        (["match", "a", "--games", "2"], ["match", "a", "--games", "2"]),
        (["match", "--seed"], ["match", "--seed"]),
    ],
)
def test_the_seed_is_taken_out_of_the_command_line(given: list[str], shown: list[str]) -> None:
    assert without_seed(given) == shown
