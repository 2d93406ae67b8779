"""Running a ladder from its store: build the bots, try their start, play, say what happened."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from arena.ladder.contest import LOG_SUFFIX, write_bytes
from arena.ladder.ladder import LadderRun, RunSettings
from arena.ladder.rating import GuardedResult, RatingSettings
from arena.ladder.runner import build_all, failure, terminable
from arena.ladder.store import RunRow, Store, StoredMatch
from arena.referee.hosting import AT_HOME, Hosting
from arena.referee.referee import Referee
from arena.referee.verdict import Fault


async def run_ladder(
    store: Store,
    settings: RunSettings,
    rating: RatingSettings,
    *,
    seed: str | None,
    matches: int | None,
    jobs: int,
    hosting: Hosting = AT_HOME,
    on_start: Callable[[RunRow, int], None],
    on_match: Callable[[StoredMatch], None],
) -> list[GuardedResult]:
    """Play a run, or go on with the one that was interrupted.

    Args:
        store: the ladder's store.
        settings: what the matches have in common.
        rating: the TrueSkill environment.
        seed: makes the run repeatable.
        matches: matches of the run, counted from its start; 0 ends an interrupted run as it stands.
        jobs: matches to play at once.
        hosting: the bots' allowances and their sandbox.
        on_start: called with the run and the number of its matches that are played already.
        on_match: called after each match that was stored.

    Raises:
        BotFailure: a bot cannot be built or started.
        StoreError: the store is run by another process, or cannot be written.
        UsageError: fewer than two bots, or an interrupted run with other settings.
    """
    with store.exclusive():
        if matches == 0:
            end_run(store)
            return []
        run = LadderRun(store, settings, rating, seed)
        row = run.open(matches)
        build_all(run.packages.values(), hosting.build_s)
        on_start(row, len(store.matches(run=row.id)))
        with terminable():
            async with hosting.referee() as referee:
                await try_start(run, referee)
                return await run.play(row, referee, jobs, on_match)


def end_run(store: Store) -> None:
    """End the run that was interrupted, if there is one, as it stands."""
    row = store.open_run()
    if row is not None:
        store.finish_run(row.id)


async def try_start(run: LadderRun, referee: Referee) -> None:
    """Start every bot once before the first match.

    Raises:
        BotFailure: one does not start; nothing was played.
    """
    for bot in run.bots:
        package = run.packages[bot.id]
        contestant = referee.enter(package)
        started = await contestant.acquire()
        if isinstance(started, Fault):
            raise failure(package, started)
        await contestant.release(started, healthy=False)


def export_logs(store: Store, folder: Path) -> int:
    """Write every log of a store into a folder, one file a match; return how many.

    Raises:
        StoreError: one cannot be written.
    """
    count = 0
    for match_id, data in store.logs():
        write_bytes(folder / f"{match_id}{LOG_SUFFIX}", data)
        count += 1
    return count
