from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.log import read_log
from arena.log.writer import compress
from tests.cli.commands import run
from tests.log.playing import played, written

Capture = pytest.CaptureFixture[str]


def forged() -> bytes:
    """Return a log with one card changed."""
    texts = [line.text for line in read_log(played())]
    texts[2] = texts[2].replace("TC", "xx").replace("8D", "TC").replace("xx", "8D")
    return compress(texts)


def test_true_logs_are_ok(tmp_path: Path, capsys: Capture) -> None:
    log = str(written(tmp_path, games=2))
    ran = run(capsys, "verify", log, log)
    assert ran == (0, f"{log}: ok\n{log}: ok\n", "")


def test_one_changed_card_is_a_mismatch_and_exit_1(tmp_path: Path, capsys: Capture) -> None:
    good, bad = written(tmp_path), tmp_path / "bad.jsonl.zst"
    bad.write_bytes(forged())
    ran = run(capsys, "verify", str(bad), str(good))
    first, second = ran.out.splitlines()
    assert ran.code == 1 and ran.err == ""
    assert first.startswith(f"{bad}: mismatch at event 3 (deal of hand 0.0): card ")
    assert second == f"{good}: ok"


def test_what_is_no_log_is_said_in_its_place_and_the_others_are_verified(
    tmp_path: Path, capsys: Capture
) -> None:
    good, text = written(tmp_path), tmp_path / "notes.txt"
    text.write_text("hello\n", encoding="utf-8")
    ran = run(capsys, "verify", str(text), str(tmp_path / "missing"), str(good))
    lines = ran.out.splitlines()
    assert ran.code == 1
    assert lines[0] == f"{text}: it is no match log, neither zstd nor JSON Lines"
    assert lines[1].startswith(f"{tmp_path / 'missing'}: there is no such file")
    assert lines[2] == f"{good}: ok"


def test_machines_get_one_object_a_log(tmp_path: Path, capsys: Capture) -> None:
    good, bad = written(tmp_path), tmp_path / "bad.jsonl.zst"
    bad.write_bytes(forged())
    ran = run(capsys, "verify", "--json", str(good), str(bad), str(tmp_path / "missing"))
    first, second, third = map(json.loads, ran.out.splitlines())
    assert first == {"log": str(good), "ok": True}
    assert second["event"] == 3 and second["at"] == "deal of hand 0.0" and not second["ok"]
    assert not third["ok"] and "there is no such file" in third["problem"]


def test_all_matches_of_a_store_or_those_that_are_named(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    matches = {"m1": played(), "m2": forged(), "m3": played(seed=3)}

    def load_logs(path: Path) -> Iterator[tuple[str, bytes]]:
        assert path == Path("my.db")
        yield from matches.items()

    monkeypatch.setattr("arena.ladder.store.load_logs", load_logs)
    monkeypatch.setattr("arena.ladder.store.load_log", lambda path, match_id: matches[match_id])
    ran = run(capsys, "verify", "--store", "my.db")
    assert ran.code == 1
    assert [line.split(":")[0] for line in ran.out.splitlines()] == ["m1", "m2", "m3"]
    ran = run(capsys, "verify", "--store", "my.db", "m3", "m1")
    assert ran == (0, "m3: ok\nm1: ok\n", "")


def test_a_log_must_be_named(capsys: Capture) -> None:
    ran = run(capsys, "verify")
    assert ran.code == 2 and ran.out == ""
    assert ran.err == "arena: no log is named: name its file, or a ladder store with --store FILE\n"
