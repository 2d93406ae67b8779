"""The ladder store: bots, runs, results, logs and ratings in one SQLite file, through SQLAlchemy.

A match's result, its log and the ratings that follow from it are written in one transaction.
"""

from __future__ import annotations

import contextlib
import fcntl
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any, Final, NamedTuple

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Engine

from arena.errors import StoreError, UsageError
from arena.ladder import schema
from arena.ladder.schema import STORE_FORMAT, STORE_VERSION
from arena.referee.manifest import BotPackage
from arena.referee.match import GameOutcome

DEFAULT_STORE: Final = "arena.db"
_SQLITE_HEADER: Final = b"SQLite format 3\0"
_BUSY_MS: Final = 5000


class BotRow(NamedTuple):
    """A bot of the ladder."""

    id: int
    name: str
    version: str
    language: str
    source: str
    """The folder it was added from, or ``@name``."""
    digest: str
    active: bool
    suspended: str
    """Why it is not paired, or empty."""


class Standing(NamedTuple):
    """A bot's rating and record, as stored."""

    mu: float
    sigma: float
    games: int = 0
    wins: int = 0
    losses: int = 0
    draws: int = 0
    faults: int = 0


class RunRow(NamedTuple):
    """A run of the ladder, finished or not."""

    id: int
    settings: str
    first_number: int
    matches: int
    finished: bool


@dataclass(frozen=True, slots=True)
class StoredGame:
    """One game's result."""

    ranks: tuple[int, ...]
    """Place of each seat from 0, equal places shared."""
    scores: tuple[int, ...]
    hands: int
    reason: str


@dataclass(frozen=True, slots=True)
class StoredMatch:
    """One match's result."""

    number: int
    """Place in the ladder's schedule, from 1."""
    id: str
    run: int
    format: str
    rules: str
    verdict: str
    reason: str
    fault_seat: int
    rated: bool
    elapsed_ms: int
    bots: tuple[int, ...]
    """Ids of the bots by seat."""
    sides: tuple[int, ...]
    wins: tuple[int, ...]
    faults: tuple[int, ...]
    games: tuple[StoredGame, ...]
    played_at: str = ""


def stored_games(games: Sequence[GameOutcome]) -> tuple[StoredGame, ...]:
    """Return games as they are stored."""
    return tuple(StoredGame(g.ranks, g.scores, g.hands, g.reason) for g in games)


class Store:
    """An open ladder store.

    Args:
        path: the file.
        create: make it if it does not exist.

    Raises:
        StoreError: it does not exist, is not a ladder store, is of a later version, or cannot be used.
    """

    def __init__(self, path: Path, *, create: bool = False) -> None:
        self.path = path
        _check_file(path, create)
        self._engine: Engine = sa.create_engine(
            f"sqlite:///{path}", connect_args={"timeout": _BUSY_MS / 1000}
        )
        sa.event.listen(self._engine, "connect", _prepare)
        with self._using() as connection:
            self._check_tables(connection, create)

    def close(self) -> None:
        """Close the file."""
        self._engine.dispose()

    def __enter__(self) -> Store:
        """Use it as a context manager."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the file."""
        self.close()

    @contextlib.contextmanager
    def _using(self) -> Iterator[Connection]:
        """One transaction; database errors become one line that names the file."""
        try:
            with self._engine.begin() as connection:
                yield connection
        except sa.exc.OperationalError as error:
            raise StoreError(f"{self.path}: {_remedy(str(error.orig))}") from None
        except sa.exc.DatabaseError as error:
            raise StoreError(f"{self.path} is damaged or no ladder store: {error.orig}") from None

    def _check_tables(self, connection: Connection, create: bool) -> None:
        names = sa.inspect(connection).get_table_names()
        if not names and create:
            schema.metadata.create_all(connection)
            rows = [
                {"key": "format", "value": STORE_FORMAT},
                {"key": "version", "value": str(STORE_VERSION)},
            ]
            connection.execute(sa.insert(schema.meta), rows)
            return
        found: dict[str, str] = {}
        if "meta" in names:
            found = {row.key: row.value for row in connection.execute(sa.select(schema.meta))}
        if found.get("format") != STORE_FORMAT:
            raise StoreError(f"{self.path} is no ladder store: give another --store FILE")
        if int(found.get("version", "0")) > STORE_VERSION:
            raise StoreError(
                f"{self.path} was written by a later gin-arena (store version {found['version']}): upgrade"
            )

    @contextlib.contextmanager
    def exclusive(self) -> Iterator[None]:
        """Hold the right to run matches on this store; released also if the process is killed.

        Raises:
            StoreError: another process holds it.
        """
        with _lock_file(self.path) as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise StoreError(
                    f"{self.path} is being run by another process: wait for it, or take another --store FILE"
                ) from None
            yield

    # ------------------------------------------------------------------ bots

    def add_bot(self, package: BotPackage, source: str) -> BotRow:
        """Add a bot, or make it active again; an earlier version of its name retires.

        Raises:
            UsageError: that name and version are in the ladder with other contents.
        """
        digest = package.digest()
        table = schema.bots
        with self._using() as connection:
            known = connection.execute(
                sa.select(table).where(table.c.name == package.name, table.c.version == package.version)
            ).first()
            if known is not None and known.digest != digest:
                raise UsageError(
                    f"{package.name} {package.version} is in {self.path} with other contents: "
                    "raise its version in bot.toml"
                )
            connection.execute(sa.update(table).where(table.c.name == package.name).values(active=False))
            if known is None:
                connection.execute(
                    sa.insert(table).values(
                        name=package.name,
                        version=package.version,
                        language=package.language,
                        source=source,
                        digest=digest,
                        added_at=now(),
                        active=True,
                        suspended="",
                    )
                )
            else:
                connection.execute(
                    sa.update(table)
                    .where(table.c.id == known.id)
                    .values(active=True, suspended="", source=source)
                )
        return self.bot(package.name)

    def bot(self, name: str) -> BotRow:
        """Return the active bot of a name.

        Raises:
            UsageError: there is none.
        """
        found = next((bot for bot in self.bots() if bot.name == name and bot.active), None)
        if found is None:
            names = ", ".join(bot.name for bot in self.bots() if bot.active) or "none"
            raise UsageError(f"{self.path} has no bot {name!r}; it has {names}")
        return found

    def bots(self) -> list[BotRow]:
        """Return all bots, those retired included, in the order in which they were added."""
        columns = [schema.bots.c[name] for name in BotRow._fields]
        with self._using() as connection:
            return [
                BotRow(*row) for row in connection.execute(sa.select(*columns).order_by(schema.bots.c.id))
            ]

    def remove_bot(self, name: str) -> None:
        """Retire a bot: it is paired no more, and its results stay.

        Raises:
            UsageError: there is no active bot of that name.
        """
        bot = self.bot(name)
        with self._using() as connection:
            connection.execute(sa.update(schema.bots).where(schema.bots.c.id == bot.id).values(active=False))

    def suspend(self, bot: int, reason: str) -> None:
        """Pair a bot no more until it is added again."""
        with self._using() as connection:
            connection.execute(sa.update(schema.bots).where(schema.bots.c.id == bot).values(suspended=reason))

    # ------------------------------------------------------------------ runs and results

    def open_run(self) -> RunRow | None:
        """Return the run that was not finished, if there is one."""
        table = schema.runs
        with self._using() as connection:
            row = connection.execute(
                sa.select(table).where(~table.c.finished).order_by(table.c.id.desc())
            ).first()
        return RunRow(*row) if row is not None else None

    def start_run(self, settings: str, matches: int) -> RunRow:
        """Begin a run of so many matches."""
        with self._using() as connection:
            last = connection.execute(sa.select(sa.func.max(schema.matches.c.number))).scalar() or 0
            key = connection.execute(
                sa.insert(schema.runs).values(
                    settings=settings, first_number=last + 1, matches=matches, finished=False
                )
            ).inserted_primary_key
            assert key is not None
            return RunRow(key[0], settings, last + 1, matches, False)

    def resize_run(self, run: int, matches: int) -> None:
        """Change how many matches a run has."""
        with self._using() as connection:
            connection.execute(sa.update(schema.runs).where(schema.runs.c.id == run).values(matches=matches))

    def finish_run(self, run: int) -> None:
        """Mark a run as finished."""
        with self._using() as connection:
            connection.execute(sa.update(schema.runs).where(schema.runs.c.id == run).values(finished=True))

    def record(self, match: StoredMatch, log: bytes, standings: dict[int, Standing]) -> bool:
        """Store a match, its log and the standings after it, all or nothing.

        Returns:
            Whether it was stored; a match of that number that is there already is left as it is.
        """
        with self._using() as connection:
            seen = sa.select(schema.matches.c.number).where(schema.matches.c.number == match.number)
            if connection.execute(seen).first() is not None:
                return False
            _insert_match(connection, match)
            connection.execute(sa.insert(schema.logs).values(match=match.number, data=log))
            _put_standings(connection, standings)
        return True

    def put_standings(self, standings: dict[int, Standing]) -> None:
        """Replace all standings."""
        with self._using() as connection:
            connection.execute(sa.delete(schema.ratings))
            _put_standings(connection, standings)

    def standings(self) -> dict[int, Standing]:
        """Return the standings by bot."""
        with self._using() as connection:
            rows = connection.execute(sa.select(schema.ratings))
            return {row[0]: Standing(*row[1:]) for row in rows}

    def matches(self, *, run: int | None = None) -> list[StoredMatch]:
        """Return the matches in the order of their numbers, all or a run's."""
        matches, seats, games = schema.matches, schema.seats, schema.games
        wanted = sa.true() if run is None else matches.c.run == run
        numbers = sa.select(matches.c.number).where(wanted)
        with self._using() as connection:
            rows = connection.execute(sa.select(matches).where(wanted).order_by(matches.c.number)).all()
            by_match: dict[int, list[Any]] = {row.number: [] for row in rows}
            for seat in connection.execute(
                sa.select(seats).where(seats.c.match.in_(numbers)).order_by(seats.c.match, seats.c.seat)
            ):
                by_match[seat.match].append(seat)
            played: dict[int, list[StoredGame]] = {row.number: [] for row in rows}
            for game in connection.execute(
                sa.select(games).where(games.c.match.in_(numbers)).order_by(games.c.match, games.c.game)
            ):
                played[game.match].append(
                    StoredGame(_numbers(game.ranks), _numbers(game.scores), game.hands, game.reason)
                )
        return [_stored(row, by_match[row.number], tuple(played[row.number])) for row in rows]

    # ------------------------------------------------------------------ logs

    def last_match_id(self) -> str | None:
        """Return the id of the match of the highest number, if there is one."""
        matches = schema.matches
        with self._using() as connection:
            found = connection.execute(sa.select(matches.c.id).order_by(matches.c.number.desc()).limit(1))
            return found.scalar()

    def log(self, match_id: str | None = None) -> bytes:
        """Return the log of a match, the last one's when none is named.

        Raises:
            UsageError: there is no such match.
        """
        matches = schema.matches
        query = sa.select(schema.logs.c.data).join(matches, matches.c.number == schema.logs.c.match)
        if match_id is None:
            query = query.order_by(matches.c.number.desc()).limit(1)
        else:
            query = query.where(matches.c.id == match_id)
        with self._using() as connection:
            data = connection.execute(query).scalar()
        if data is None:
            what = f"match {match_id!r}" if match_id is not None else "match yet"
            raise UsageError(f"{self.path} has no {what}: `arena ladder matches` lists them")
        return bytes(data)

    def logs(self) -> Iterator[tuple[str, bytes]]:
        """Yield the id and the log of every match in order."""
        matches, logs = schema.matches, schema.logs
        query = (
            sa.select(matches.c.id, logs.c.data)
            .join(logs, matches.c.number == logs.c.match)
            .order_by(matches.c.number)
        )
        with self._using() as connection:
            for row in connection.execute(query.execution_options(yield_per=50)):
                yield row.id, bytes(row.data)


def load_log(path: Path, match_id: str | None = None) -> bytes:
    """Return a match's log from a store file; the last one's when none is named."""
    with Store(path) as store:
        return store.log(match_id)


def load_logs(path: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the id and the log of every match of a store file."""
    with Store(path) as store:
        yield from store.logs()


def now() -> str:
    """Return the time, ISO 8601 in UTC."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def _check_file(path: Path, create: bool) -> None:
    if path.is_dir():
        raise StoreError(f"{path} is a folder: give a file as --store FILE")
    try:
        with path.open("rb") as file:
            header = file.read(16)
    except FileNotFoundError:
        if not create:
            raise StoreError(f"there is no ladder store {path}: `arena ladder add BOT` makes one") from None
        if not path.parent.is_dir():
            raise StoreError(f"{path.parent} is no folder: make it, or take another --store FILE") from None
        return
    except OSError as error:
        raise StoreError(f"{path} cannot be read: {error.strerror}") from None
    if header and header != _SQLITE_HEADER:
        raise StoreError(f"{path} is no ladder store: give another --store FILE")


def _prepare(connection: sqlite3.Connection, _: object) -> None:
    """Set a new connection up; a reader of a read-only file goes on without the journal mode."""
    with contextlib.suppress(sqlite3.OperationalError):
        connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA foreign_keys=ON")
    connection.execute("PRAGMA synchronous=FULL")


def _remedy(message: str) -> str:
    if "locked" in message:
        return "it is locked by another process: wait for that to end"
    if "readonly" in message or "read-only" in message:
        return "it cannot be written: make the file and its folder writable"
    if "full" in message:
        return "the disk is full: make room and run again; nothing stored is lost"
    if "unable to open" in message:
        return "it cannot be opened: check the folder and its permissions"
    return message


@contextlib.contextmanager
def _lock_file(path: Path) -> Iterator[IO[bytes]]:
    lock = path.with_name(path.name + ".lock")
    try:
        file = lock.open("ab")
    except OSError as error:
        raise StoreError(f"{lock} cannot be written: {error.strerror}") from None
    with file:
        yield file


def _insert_match(connection: Connection, match: StoredMatch) -> None:
    connection.execute(
        sa.insert(schema.matches).values(
            number=match.number,
            id=match.id,
            run=match.run,
            format=match.format,
            rules=match.rules,
            verdict=match.verdict,
            reason=match.reason,
            fault_seat=match.fault_seat,
            rated=match.rated,
            played_at=match.played_at or now(),
            elapsed_ms=match.elapsed_ms,
        )
    )
    seats = [
        {"match": match.number, "seat": s, "bot": bot, "side": side, "wins": wins, "faults": faults}
        for s, (bot, side, wins, faults) in enumerate(
            zip(match.bots, match.sides, match.wins, match.faults, strict=True)
        )
    ]
    connection.execute(sa.insert(schema.seats), seats)
    games = [
        {
            "match": match.number,
            "game": number,
            "ranks": _text(game.ranks),
            "scores": _text(game.scores),
            "hands": game.hands,
            "reason": game.reason,
        }
        for number, game in enumerate(match.games)
    ]
    if games:
        connection.execute(sa.insert(schema.games), games)


def _put_standings(connection: Connection, standings: dict[int, Standing]) -> None:
    if standings:
        rows = [{"bot": bot, **standing._asdict()} for bot, standing in standings.items()]
        connection.execute(sa.insert(schema.ratings).prefix_with("OR REPLACE"), rows)


def _stored(row: Any, seats: list[Any], games: tuple[StoredGame, ...]) -> StoredMatch:
    return StoredMatch(
        number=row.number,
        id=row.id,
        run=row.run,
        format=row.format,
        rules=row.rules,
        verdict=row.verdict,
        reason=row.reason,
        fault_seat=row.fault_seat,
        rated=row.rated,
        elapsed_ms=row.elapsed_ms,
        bots=tuple(seat.bot for seat in seats),
        sides=tuple(seat.side for seat in seats),
        wins=tuple(seat.wins for seat in seats),
        faults=tuple(seat.faults for seat in seats),
        games=games,
        played_at=row.played_at,
    )


def _text(numbers: Sequence[int]) -> str:
    return ",".join(map(str, numbers))


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(word) for word in text.split(","))
