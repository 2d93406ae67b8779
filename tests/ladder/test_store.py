"""The ladder store: bots, results and logs kept whole; bad files refused with one line."""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path

import pytest

from arena.errors import StoreError, UsageError
from arena.ladder.store import Standing, Store, StoredGame, StoredMatch, load_log, load_logs
from arena.referee.manifest import BotPackage, find_package, shipped_folder


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "arena.db"


def a_match(number: int, bots: tuple[int, int] = (1, 2)) -> StoredMatch:
    return StoredMatch(
        number=number,
        id=f"m{number}",
        run=1,
        format="duel",
        rules="classic",
        verdict="completed",
        reason="",
        fault_seat=-1,
        rated=True,
        elapsed_ms=12,
        bots=bots,
        sides=(0, 1),
        wins=(2, 0),
        faults=(0, 0),
        games=(StoredGame((0, 1), (104, 3), 5, "target"), StoredGame((0, 1), (110, 0), 4, "target")),
        played_at="2026-01-01T00:00:00.000+00:00",
    )


def two_bots(store: Store) -> None:
    for bot in ("@random", "@simple"):
        store.add_bot(find_package(bot), bot)
    store.start_run("{}", 10)


def test_a_match_comes_back_as_it_was_stored(path: Path) -> None:
    with Store(path, create=True) as store:
        two_bots(store)
        standings = {1: Standing(30.0, 5.0, 2, 2), 2: Standing(20.0, 5.0, 2, 0, 2)}
        assert store.record(a_match(1), b"log 1", standings)
    with Store(path) as store:
        assert store.matches() == [a_match(1)]
        assert store.standings() == standings
    assert load_log(path, "m1") == load_log(path) == b"log 1"
    assert list(load_logs(path)) == [("m1", b"log 1")]


def test_the_same_match_twice_is_stored_once(path: Path) -> None:
    with Store(path, create=True) as store:
        two_bots(store)
        assert store.record(a_match(1), b"first", {1: Standing(30.0, 5.0)})
        assert not store.record(a_match(1), b"second", {1: Standing(99.0, 5.0)})
        assert store.log("m1") == b"first"
        assert store.standings()[1].mu == 30.0


def test_a_result_without_its_log_is_never_stored(path: Path) -> None:
    """The transaction fails at its last step and nothing of the match is there."""
    with Store(path, create=True) as store:
        two_bots(store)
        with pytest.raises(StoreError):
            store.record(a_match(1), b"log", {77: Standing(1.0, 1.0)})
        assert store.matches() == []
        with pytest.raises(UsageError):
            store.log("m1")


def test_a_new_version_retires_the_old_one_and_changed_contents_are_refused(
    path: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "bot"
    shutil.copytree(shipped_folder() / "random-python", folder)
    with Store(path, create=True) as store:
        store.add_bot(find_package(str(folder)), str(folder))
        (folder / "bot.py").write_text("# changed\n")
        with pytest.raises(UsageError, match="raise its version"):
            store.add_bot(find_package(str(folder)), str(folder))
        manifest = folder / "bot.toml"
        manifest.write_text(manifest.read_text().replace("1.0.0", "1.1.0"))
        store.add_bot(find_package(str(folder)), str(folder))
        assert [(bot.version, bot.active) for bot in store.bots()] == [("1.0.0", False), ("1.1.0", True)]


def test_a_removed_bot_stays_in_the_results_and_can_come_back(path: Path) -> None:
    with Store(path, create=True) as store:
        two_bots(store)
        store.remove_bot("simple")
        with pytest.raises(UsageError, match="has no bot 'simple'; it has random"):
            store.bot("simple")
        store.add_bot(find_package("@simple"), "@simple")
        assert store.bot("simple").id == 2


def package() -> BotPackage:
    return find_package("@random")


class TestBadFiles:
    """One line that names the file and the remedy."""

    def test_missing(self, path: Path) -> None:
        with pytest.raises(StoreError, match=r"no ladder store .*arena ladder add"):
            Store(path)

    def test_folder_of_the_store_missing(self, tmp_path: Path) -> None:
        with pytest.raises(StoreError, match="is no folder"):
            Store(tmp_path / "nowhere" / "arena.db", create=True)

    def test_a_folder(self, tmp_path: Path) -> None:
        with pytest.raises(StoreError, match="is a folder"):
            Store(tmp_path)

    def test_not_sqlite(self, path: Path) -> None:
        path.write_bytes(b"something else entirely, quite long")
        with pytest.raises(StoreError, match="is no ladder store"):
            Store(path, create=True)
        assert path.read_bytes().startswith(b"something"), "the file is left as it was"

    def test_another_programs_database(self, path: Path) -> None:
        connection = sqlite3.connect(path)
        connection.execute("CREATE TABLE notes (text)")
        connection.commit()
        connection.close()
        with pytest.raises(StoreError, match="is no ladder store"):
            Store(path, create=True)

    def test_a_later_version(self, path: Path) -> None:
        Store(path, create=True).close()
        connection = sqlite3.connect(path)
        connection.execute("UPDATE meta SET value = '99' WHERE key = 'version'")
        connection.commit()
        connection.close()
        with pytest.raises(StoreError, match=r"later gin-arena \(store version 99\): upgrade"):
            Store(path)

    def test_damaged(self, path: Path) -> None:
        Store(path, create=True).close()
        data = bytearray(path.read_bytes())
        data[40:4000] = b"x" * 3960
        path.write_bytes(bytes(data))
        with pytest.raises(StoreError):
            Store(path)

    def test_locked(self, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("arena.ladder.store._BUSY_MS", 50)
        Store(path, create=True).close()
        holder = sqlite3.connect(path, isolation_level=None)
        holder.execute("BEGIN EXCLUSIVE")
        try:
            with Store(path) as store, pytest.raises(StoreError, match="locked by another process"):
                store.add_bot(package(), "@random")
        finally:
            holder.close()

    def test_run_by_two(self, path: Path) -> None:
        with (
            Store(path, create=True) as one,
            Store(path) as other,
            one.exclusive(),
            pytest.raises(StoreError, match="being run by another process"),
            other.exclusive(),
        ):
            pass
