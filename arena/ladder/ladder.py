"""Ladder runs: playing the schedule, storing each result, and going on where a run stopped."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import secrets
import time
from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass, replace
from typing import Any, Final

from arena.engine.dealing import SECRET_BYTES, derive_secret
from arena.engine.formats import format_for
from arena.engine.rules import RuleSet, rules_from_dict
from arena.errors import ManifestError, UsageError
from arena.ladder.rating import GuardedResult, RatingSettings
from arena.ladder.runner import side_by_side
from arena.ladder.schedule import FAULTS_TO_SUSPEND, LEAST_WINDOW, Planned, Schedule
from arena.ladder.store import BotRow, RunRow, Store, StoredMatch, stored_games
from arena.referee.clock import parse_time_control
from arena.referee.contestant import Contestant
from arena.referee.manifest import BotPackage, find_package
from arena.referee.match import MatchOutcome, MatchSpec
from arena.referee.policy import FaultPolicy, parse_policy
from arena.referee.referee import Referee

DEFAULT_MATCHES: Final = 30
"""Matches of a run when none are asked for."""


@dataclass(frozen=True, slots=True)
class RunSettings:
    """What the matches of a run have in common."""

    rules: RuleSet
    time: str = "200ms"
    games: int = 2
    format: str = "duel"
    duplicate: bool = True
    window: int = LEAST_WINDOW
    policy: str = FaultPolicy().text
    """What a fault costs, as the match log has it."""
    seed_digest: str = ""
    """SHA-256 of the seed of a repeatable run; the seed itself is never stored."""

    def to_json(self) -> str:
        """Return the settings as they are stored."""
        return json.dumps({**asdict(self), "rules": self.rules.as_dict()}, sort_keys=True)

    def options(self) -> str:
        """Return the command-line options that ask for these settings."""
        form = "" if self.format == "duel" else f" --format {self.format}"
        policy = parse_policy(self.policy)
        cost = f" {policy.options()}" if policy != FaultPolicy() else ""
        return f"--rules {self.rules.name} --move-time {self.time} --games {self.games}{form}{cost}"

    @property
    def seats(self) -> int:
        """Contestants of a match."""
        return {"duel": 2, "cutthroat": 3, "captain": 3, "partnership": 4}[self.format]

    @staticmethod
    def from_json(text: str) -> RunSettings:
        """Return the settings that were stored."""
        values: dict[str, Any] = json.loads(text)
        return RunSettings(**{**values, "rules": rules_from_dict(values["rules"])})


def seed_digest(seed: str | None) -> str:
    """Return what a run keeps of its seed."""
    return hashlib.sha256(b"gin-arena seed " + seed.encode()).hexdigest() if seed is not None else ""


def package_of(bot: BotRow) -> BotPackage:
    """Return the package of a ladder's bot.

    Raises:
        ManifestError: its folder is gone, or holds other contents than when it was added.
    """
    try:
        package = find_package(bot.source)
    except ManifestError as error:
        raise ManifestError(
            f"{bot.name} {bot.version} cannot be used: {error}; "
            f"put it back, or `arena ladder remove {bot.name}`"
        ) from None
    if package.digest() != bot.digest:
        raise ManifestError(
            f"{bot.name} {bot.version} has changed since it was added: "
            f"raise its version in bot.toml and `arena ladder add {bot.source}` again"
        )
    return package


class LadderRun:
    """A run in progress: so many matches of a store's bots under the same settings.

    Args:
        store: the ladder's store, held exclusively.
        settings: what the matches have in common.
        rating: the TrueSkill environment.
        seed: makes the run repeatable; without one every match has a secret of its own.
    """

    def __init__(
        self, store: Store, settings: RunSettings, rating: RatingSettings, seed: str | None = None
    ) -> None:
        self._store = store
        self._settings = settings
        self._rating = rating
        self._seed = seed
        self._time = parse_time_control(settings.time)
        self.bots = [bot for bot in store.bots() if bot.active and not bot.suspended]
        if len(self.bots) < settings.seats:
            raise UsageError(
                f"{store.path} has {len(self.bots)} bots to pair; "
                f"it takes {settings.seats} for {settings.format}: `arena ladder add BOT...`"
            )
        self.packages = {bot.id: package_of(bot) for bot in self.bots}
        self._contestants: dict[int, Contestant] = {}
        self._referee: Referee | None = None

    def open(self, matches: int | None) -> RunRow:
        """Return the run to play: the one that was interrupted, or a new one.

        Args:
            matches: matches of the run, counted from its start; for a run that is gone on with,
                ``None`` leaves its number as it was.

        Raises:
            UsageError: the interrupted run had other settings.
        """
        row = self._store.open_run()
        if row is None:
            return self._store.start_run(self._settings.to_json(), matches or DEFAULT_MATCHES)
        before = RunSettings.from_json(row.settings)
        self._settings = replace(self._settings, window=before.window)
        if before != self._settings:
            raise UsageError(
                f"{self._store.path} has an interrupted run with other settings: run it to its end with "
                f"{before.options()}, or end it by `arena ladder run --matches 0`"
            )
        if matches is not None and matches != row.matches:
            self._store.resize_run(row.id, matches)
            row = row._replace(matches=matches)
        return row

    async def play(
        self,
        row: RunRow,
        referee: Referee,
        jobs: int,
        on_match: Callable[[StoredMatch], None],
    ) -> list[GuardedResult]:
        """Play the run's matches to the last; every result is stored as soon as it is there.

        Args:
            row: the run.
            referee: a running referee.
            jobs: matches to play at once.
            on_match: called after each match that was stored.

        Returns:
            The results whose rating update was guarded.
        """
        self._referee = referee
        for bot in self.bots:
            self._contestants[bot.id] = referee.enter(self.packages[bot.id], bot_seed=self._bot_seed(bot))
        last = row.first_number + row.matches - 1
        ids = [bot.id for bot in self.bots]
        window = self._settings.window
        schedule = Schedule(
            ids, self._store.matches(), row.first_number, last, window, self._rating, self._settings.seats
        )
        await self._play_schedule(schedule, row, jobs, on_match)
        self._store.finish_run(row.id)
        return schedule.standings.guarded

    async def _play_schedule(
        self, schedule: Schedule, row: RunRow, jobs: int, on_match: Callable[[StoredMatch], None]
    ) -> None:
        playing = side_by_side(schedule.next_match, self._play_one(row.id), jobs)
        async with contextlib.aclosing(playing):
            async for match, log in playing:
                self._store.record(match, log, schedule.add(match))
                self._suspend(schedule)
                on_match(match)

    def _play_one(self, run: int) -> Callable[[Planned], Awaitable[tuple[StoredMatch, bytes]]]:
        async def play(planned: Planned) -> tuple[StoredMatch, bytes]:
            assert self._referee is not None
            began = time.monotonic()
            spec = MatchSpec(
                match_id=planned.match_id,
                rules=self._settings.rules,
                secret=self._secret(planned.match_id),
                games=self._settings.games,
                format=self._settings.format,
                time=self._time,
                duplicate=self._settings.duplicate,
                policy=parse_policy(self._settings.policy),
            )
            seats = [self._contestants[bot] for bot in planned.bots]
            outcome = await self._referee.play(spec, seats)
            elapsed_ms = int((time.monotonic() - began) * 1000)
            return stored_match(run, planned, outcome, self._settings, elapsed_ms), outcome.log

        return play

    def _secret(self, match: str) -> bytes:
        return os.urandom(SECRET_BYTES) if self._seed is None else derive_secret(self._seed, match)

    def _bot_seed(self, bot: BotRow) -> str:
        if self._seed is None:
            return secrets.token_hex(8)
        return derive_secret(self._seed, f"bot {bot.name} {bot.version}").hex()[:16]

    def _suspend(self, schedule: Schedule) -> None:
        """Suspend the bots that the schedule pairs no more."""
        paired = set(schedule.paired_bots())
        for bot in self.bots:
            if bot.id not in paired:
                self._store.suspend(bot.id, f"lost {FAULTS_TO_SUSPEND} matches in a row by faults")
        self.bots = [bot for bot in self.bots if bot.id in paired]


def stored_match(
    run: int, planned: Planned, outcome: MatchOutcome, settings: RunSettings, elapsed_ms: int
) -> StoredMatch:
    """Return a match's outcome as it is stored."""
    fault = outcome.fault
    return StoredMatch(
        number=planned.number,
        id=planned.match_id,
        run=run,
        format=settings.format,
        rules=settings.rules.name,
        verdict=outcome.verdict,
        reason=fault.reason if fault is not None else "",
        fault_seat=fault.seat if fault is not None else -1,
        rated=outcome.rated,
        elapsed_ms=elapsed_ms,
        bots=planned.bots,
        sides=format_for(settings.format, settings.seats).sides,
        wins=outcome.wins,
        faults=tuple(outcome.faults),
        games=stored_games(outcome.games),
    )
