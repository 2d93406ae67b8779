"""A contest between given bots: so many games, played as short matches side by side.

Every pair of games (every round of dealers, in formats of more) is a match of its own with a log
of its own, so that the result of a seed does not depend on how many are played at once.
"""

from __future__ import annotations

import contextlib
import secrets
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from arena.engine.dealing import derive_secret
from arena.engine.formats import format_for
from arena.engine.rules import RuleSet
from arena.errors import StoreError, UsageError
from arena.ladder.runner import failure, side_by_side, terminable
from arena.referee.bundle import bundles
from arena.referee.clock import TimeControl
from arena.referee.contestant import Contestant
from arena.referee.hosting import AT_HOME, Hosting
from arena.referee.manifest import BotPackage
from arena.referee.match import GameOutcome, MatchOutcome, MatchSpec
from arena.referee.policy import FaultPolicy
from arena.referee.remote import is_remote
from arena.referee.verdict import Verdict

LOG_SUFFIX: Final = ".jsonl.zst"


@dataclass(frozen=True, slots=True)
class ContestSpec:
    """What is to be played."""

    rules: RuleSet
    games: int
    time: TimeControl
    format: str = "duel"
    duplicate: bool = True
    aligned: bool = False
    policy: FaultPolicy = field(default_factory=FaultPolicy)
    """What a fault costs."""
    seed: str = ""
    """What all secrets derive from; drawn by chance where none is given."""

    @property
    def match_id(self) -> str:
        """Id of the contest; the seed cannot be told from it."""
        return "c" + derive_secret(self.seed, "contest").hex()[:10]


@dataclass(slots=True)
class ContestResult:
    """What came out, part by part in the order of the schedule."""

    match_id: str
    rules: RuleSet
    packages: list[BotPackage]
    parts: list[MatchOutcome] = field(default_factory=list)
    logs: list[Path] = field(default_factory=list)
    forfeited_by: int | None = None
    """The seat that lost the contest by too many games lost by faults."""

    @property
    def games(self) -> list[GameOutcome]:
        """All games in order."""
        return [game for part in self.parts for game in part.games]

    @property
    def wins(self) -> list[int]:
        """Games won by seat."""
        return [sum(part.wins[seat] for part in self.parts) for seat in range(len(self.packages))]

    @property
    def faults(self) -> list[int]:
        """Faults by seat."""
        return [sum(part.faults[seat] for part in self.parts) for seat in range(len(self.packages))]

    def as_dict(self) -> dict[str, Any]:
        """Return the result as the JSON of ``arena match --json``."""
        return {
            "match_id": self.match_id,
            "rules": self.rules.name,
            "bots": [{"name": p.name, "version": p.version} for p in self.packages],
            "games": [
                {
                    "winner": _winner(game),
                    "winners": list(game.winners),
                    "scores": list(game.scores),
                    "hands": game.hands,
                    "reason": game.reason,
                }
                for game in self.games
            ],
            "wins": self.wins,
            "faults": self.faults,
            "forfeited_by": self.forfeited_by,
            "logs": [str(path) for path in self.logs],
        }


def _winner(game: GameOutcome) -> int | None:
    return game.winners[0] if len(game.winners) == 1 else None


async def play_contest(
    spec: ContestSpec,
    packages: list[BotPackage],
    *,
    jobs: int,
    log_dir: Path | None = None,
    listen: str | None = None,
    hosting: Hosting = AT_HOME,
    on_wait: Callable[[str], None] = lambda _: None,
    on_game: Callable[[GameOutcome], None] | None = None,
) -> ContestResult:
    """Play a contest to its end.

    Args:
        spec: what is played.
        packages: who plays, by seat; they are built already.
        jobs: matches to play at once.
        log_dir: where logs are written, one file a match; made if need be.
        listen: ``host:port`` where remote bots dial in.
        hosting: the bots' allowances and their sandbox.
        on_wait: called with what to tell people while a remote bot is awaited.
        on_game: called after each game.

    Raises:
        BotFailure: a bot cannot start.
        StoreError: a log cannot be written.
        UsageError: the format is not for so many bots, or a remote seat has nowhere to dial.
    """
    remote = any(map(is_remote, packages))
    if remote and listen is None:
        raise UsageError("a remote seat needs --listen HOST:PORT, where its bot dials in")
    if listen is not None:
        check_address(listen)
    # A remote bot has one stream: a second match at once would wait for another for ever.
    jobs = 1 if remote else jobs
    dealers = format_for(spec.format, len(packages)).dealers
    result = ContestResult(spec.match_id, spec.rules, packages)
    outcomes: dict[int, MatchOutcome] = {}
    parts = iter(_parts(spec, dealers))
    with terminable():
        async with hosting.referee(listen) as referee:

            def enter(seat: int, package: BotPackage) -> Contestant:
                if is_remote(package):
                    return referee.enter_remote(
                        lambda token: on_wait(waiting_text(seat, listen or "", token))
                    )
                return referee.enter(package, bot_seed=derive_secret(spec.seed, f"bot {seat}").hex()[:16])

            contestants = [enter(seat, package) for seat, package in enumerate(packages)]

            async def play(part: tuple[int, MatchSpec]) -> tuple[int, MatchOutcome]:
                return part[0], await referee.play(part[1], contestants, on_game)

            playing = side_by_side(lambda: next(parts, None), play, jobs)
            async with contextlib.aclosing(playing):
                async for number, outcome in playing:
                    if outcome.verdict == Verdict.FAILED_START and outcome.fault is not None:
                        raise failure(packages[outcome.fault.seat], outcome.fault)
                    outcomes[number] = outcome
                    if log_dir is not None:
                        await write_match(log_dir, outcome, packages)
                    result.forfeited_by = _forfeited_by(spec.policy, outcomes)
                    if result.forfeited_by is not None:
                        break
    result.parts = _counted(spec.policy, outcomes)
    if log_dir is not None:
        result.logs = [log_dir / f"{part.match_id}{LOG_SUFFIX}" for part in result.parts]
    return result


def check_address(listen: str) -> None:
    """Check what ``--listen`` was given.

    Raises:
        UsageError: it is no ``host:port`` that somebody could dial.
    """
    host, _, port = listen.rpartition(":")
    if not host or not port.isdecimal() or len(port) > 5 or not 1 <= int(port) <= 65535:
        raise UsageError(f"--listen {listen[:80]} is no address: write HOST:PORT with a port from 1 to 65535")


def waiting_text(seat: int, address: str, token: str) -> str:
    """Return what somebody who is to start a remote bot must know."""
    return (
        f"seat {seat} waits for its bot; start it with\n"
        f"  ARENA_ADDRESS={address} ARENA_TOKEN={token}\n"
        "in its environment"
    )


def _forfeited_by(policy: FaultPolicy, outcomes: dict[int, MatchOutcome]) -> int | None:
    """Return the seat whose games lost by faults are too many in the parts that end the schedule so far."""
    lost: Counter[int] = Counter()
    for number in range(len(outcomes)):
        if number not in outcomes:
            return None
        lost.update(outcomes[number].forfeits)
        seat, games = max(lost.items(), key=lambda item: item[1], default=(0, 0))
        if games >= policy.faulty_games:
            return seat
    return None


def _counted(policy: FaultPolicy, outcomes: dict[int, MatchOutcome]) -> list[MatchOutcome]:
    """Return the parts that count: all of them, or those up to the one with which a bot forfeits."""
    counted: list[MatchOutcome] = []
    lost: Counter[int] = Counter()
    for number in sorted(outcomes):
        counted.append(outcomes[number])
        lost.update(outcomes[number].forfeits)
        if max(lost.values(), default=0) >= policy.faulty_games:
            break
    return counted


def _parts(spec: ContestSpec, dealers: int) -> list[tuple[int, MatchSpec]]:
    """Return the matches of a contest."""
    parts: list[tuple[int, MatchSpec]] = []
    for number, first in enumerate(range(0, spec.games, dealers)):
        match_id = f"{spec.match_id}-{number + 1:04d}"
        match = MatchSpec(
            match_id=match_id,
            rules=spec.rules,
            secret=derive_secret(spec.seed, match_id),
            games=min(dealers, spec.games - first),
            format=spec.format,
            time=spec.time,
            duplicate=spec.duplicate,
            aligned=spec.aligned,
            policy=spec.policy,
        )
        parts.append((number, match))
    return parts


def write_log(folder: Path, outcome: MatchOutcome) -> Path:
    """Write a match's log into a folder, whole or not at all; return its path.

    Raises:
        StoreError: it cannot be written.
    """
    path = folder / f"{outcome.match_id}{LOG_SUFFIX}"
    return write_bytes(path, outcome.log)


async def write_match(folder: Path, outcome: MatchOutcome, packages: Sequence[BotPackage]) -> Path:
    """Write a match's log, and a bundle for each of its faults beside it; return the log's path.

    Raises:
        StoreError: one cannot be written.
    """
    path = write_log(folder, outcome)
    if any(outcome.faults):
        bots = [f"@{p.name}" if p.shipped else str(p.folder) for p in packages]
        for name, data in await bundles(outcome.log, str(path), bots):
            write_bytes(folder / name, data)
    return path


def write_bytes(path: Path, data: bytes) -> Path:
    """Write a file, whole or not at all, making its folder if need be.

    Raises:
        StoreError: it cannot be written.
    """
    partial = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        partial.write_bytes(data)
        partial.replace(path)
    except OSError as error:
        with contextlib.suppress(OSError):
            partial.unlink()
        raise StoreError(f"{path} cannot be written: {error.strerror}") from None
    return path
