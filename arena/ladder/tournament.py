"""Playing a tournament: round after round of a format, every encounter a match of game pairs.

What was played is kept in a file after each encounter, so that an interrupted tournament goes on
where it stopped; of a seed the file has a digest only.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import math
import os
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from arena.engine.dealing import SECRET_BYTES, derive_secret
from arena.engine.rules import RuleSet
from arena.errors import UsageError
from arena.ladder.brackets import Encounter, Place, Played, format_named, standings
from arena.ladder.contest import write_bytes, write_match
from arena.ladder.ladder import seed_digest
from arena.ladder.runner import failure, side_by_side, terminable
from arena.referee.clock import TimeControl
from arena.referee.contestant import Contestant
from arena.referee.hosting import AT_HOME, Hosting
from arena.referee.manifest import BotPackage
from arena.referee.match import MatchOutcome, MatchSpec
from arena.referee.referee import Referee
from arena.referee.verdict import Fault, Verdict

STATE_FORMAT: Final = "gin-arena tournament 1"
_NORMAL_95: Final = 1.959964


@dataclass(frozen=True, slots=True)
class TournamentSpec:
    """What is played."""

    format: str
    rules: RuleSet
    time: TimeControl
    pairs: int = 1
    """Game pairs of an encounter."""
    rounds: int | None = None
    """Rounds of a Swiss tournament."""
    seed: str = ""
    """What all decks derive from; empty for decks of no seed."""

    def key(self, packages: list[BotPackage]) -> dict[str, Any]:
        """Return what an earlier part of the same tournament must agree on."""
        return {
            "format": self.format,
            "entrants": [[package.name, package.version] for package in packages],
            "rules": self.rules.as_dict(),
            "time": self.time.text,
            "pairs": self.pairs,
            "rounds": self.rounds,
            "seed": seed_digest(self.seed or None),
        }


@dataclass(slots=True)
class Tournament:
    """How far a tournament has come."""

    rounds: list[list[Played]] = field(default_factory=list)
    """The last one may be incomplete."""

    def done(self, number: int, encounter: Encounter) -> bool:
        """Return whether an encounter of a round is played."""
        return number < len(self.rounds) and any(p.encounter == encounter for p in self.rounds[number])

    def add(self, played: Played, order: list[Encounter]) -> None:
        """Add an encounter's result; a round's results stand in the order of its encounters."""
        if played.round == len(self.rounds):
            self.rounds.append([])
        self.rounds[played.round].append(played)
        self.rounds[played.round].sort(key=lambda p: order.index(p.encounter))


async def play_tournament(
    spec: TournamentSpec,
    packages: list[BotPackage],
    tournament: Tournament,
    *,
    jobs: int,
    log_dir: Path | None = None,
    hosting: Hosting = AT_HOME,
    on_played: Callable[[Tournament], None] = lambda _: None,
) -> None:
    """Play a tournament to its end, or go on with it.

    Args:
        spec: what is played.
        packages: the entrants in the order of their seeding, built already.
        tournament: what was played before; it is brought on.
        jobs: encounters to play at once.
        log_dir: where logs are written, one file an encounter.
        hosting: the bots' allowances and their sandbox.
        on_played: called after each encounter.

    Raises:
        BotFailure: an entrant does not start before the first encounter.
        UsageError: no such format, or too few entrants.
    """
    following = format_named(spec.format, len(packages), spec.rounds)
    async with hosting.referee() as referee:
        with terminable():
            await _try_start(referee, packages)
            field_ = [
                referee.enter(package, bot_seed=_bot_seed(spec.seed, entrant))
                for entrant, package in enumerate(packages)
            ]
            number = 0
            while (encounters := following(len(packages), tournament.rounds[:number])) is not None:
                play = _encounter_player(spec, referee, field_, number)
                waiting = iter([e for e in encounters if not tournament.done(number, e)])
                playing = side_by_side(lambda waiting=waiting: next(waiting, None), play, jobs)  # type: ignore[misc]
                async with contextlib.aclosing(playing):
                    async for encounter, outcome in playing:
                        if log_dir is not None:
                            await write_match(log_dir, outcome, [packages[e] for e in encounter])
                        tournament.add(played_of(number, encounter, outcome), encounters)
                        on_played(tournament)
                number += 1


def _encounter_player(
    spec: TournamentSpec, referee: Referee, contestants: list[Contestant], number: int
) -> Callable[[Encounter], Any]:
    async def play(encounter: Encounter) -> tuple[Encounter, MatchOutcome]:
        match_id = f"round-{number + 1:03d}-{encounter.first + 1:04d}-{encounter.second + 1:04d}"
        match = MatchSpec(
            match_id=match_id,
            rules=spec.rules,
            secret=derive_secret(spec.seed, match_id) if spec.seed else os.urandom(SECRET_BYTES),
            games=2 * spec.pairs,
            time=spec.time,
            duplicate=True,
        )
        return encounter, await referee.play(match, [contestants[e] for e in encounter])

    return play


async def _try_start(referee: Referee, packages: list[BotPackage]) -> None:
    for package in packages:
        contestant = referee.enter(package)
        started = await contestant.acquire()
        if isinstance(started, Fault):
            raise failure(package, started)
        await contestant.release(started, healthy=False)
        await asyncio.sleep(0)


def _bot_seed(seed: str, entrant: int) -> str:
    return derive_secret(seed, f"bot {entrant}").hex()[:16] if seed else secrets.token_hex(8)


def played_of(number: int, encounter: Encounter, outcome: MatchOutcome) -> Played:
    """Return an encounter's result; one that an entrant could not start for is lost by a game."""
    draws = sum(not game.winners for game in outcome.games)
    points = tuple(sum(game.scores[seat] for game in outcome.games) for seat in (0, 1))
    wins = list(outcome.wins)
    if outcome.verdict == Verdict.FAILED_START and outcome.fault is not None:
        wins[1 - outcome.fault.seat] += 1
    faults = (outcome.faults[0], outcome.faults[1])
    return Played(number, encounter, (wins[0], wins[1]), (points[0], points[1]), faults, draws)


def share_interval(wins: int, draws: int, games: int) -> tuple[float, float] | None:
    """Return the 95% interval of the share of games won, draws half; Wilson's score interval (1927)."""
    if not games:
        return None
    share, z2 = (wins + draws / 2) / games, _NORMAL_95**2
    centre = (share + z2 / (2 * games)) / (1 + z2 / games)
    half = _NORMAL_95 / (1 + z2 / games) * math.sqrt(share * (1 - share) / games + z2 / (4 * games**2))
    return max(0.0, centre - half), min(1.0, centre + half)


def table_rows(
    spec: TournamentSpec, packages: list[BotPackage], tournament: Tournament
) -> list[dict[str, Any]]:
    """Return the standings as rows, best first."""
    places = standings(spec.format, len(packages), tournament.rounds)
    return [_row(place, packages[place.entrant]) for place in places]


def _row(place: Place, package: BotPackage) -> dict[str, Any]:
    games = place.wins + place.losses + place.draws
    interval = share_interval(place.wins, place.draws, games)
    return {
        "place": place.place,
        "name": package.name,
        "version": package.version,
        "score": place.score,
        "wins": place.wins,
        "losses": place.losses,
        "draws": place.draws,
        "share_low": interval[0] if interval else None,
        "share_high": interval[1] if interval else None,
        "head_to_head": place.head_to_head,
        "buchholz": place.buchholz,
        "points": place.points,
        "faults": place.faults,
    }


def save(path: Path, tournament: Tournament, key: dict[str, Any]) -> None:
    """Write a tournament into a file, whole or not at all.

    Raises:
        StoreError: it cannot be written.
    """
    rounds = [
        [[p.encounter, p.wins, p.points, p.faults, p.draws] for p in played] for played in tournament.rounds
    ]
    data = {"format": STATE_FORMAT, "key": key, "rounds": rounds}
    write_bytes(path, json.dumps(data, indent=1).encode())


def load(path: Path, key: dict[str, Any]) -> Tournament | None:
    """Return the tournament that a file holds; none if there is no file yet.

    Raises:
        UsageError: the file is none, or holds a tournament of other entrants or settings.
    """
    if not path.exists():
        return None
    try:
        data = json.loads(path.read_text("utf-8"))
        if data["format"] != STATE_FORMAT:
            raise KeyError("format")
        rounds = [
            [
                Played(number, Encounter(*e), (w[0], w[1]), (p[0], p[1]), (f[0], f[1]), int(d))
                for e, w, p, f, d in played
            ]
            for number, played in enumerate(data["rounds"])
        ]
        same = data["key"] == json.loads(json.dumps(key))
    except (OSError, UnicodeDecodeError, ValueError, KeyError, TypeError, IndexError):
        raise UsageError(f"{path} is no tournament of gin-arena: take another --state FILE") from None
    if not same:
        raise UsageError(f"{path} is a tournament of other entrants or settings: take another --state FILE")
    return Tournament(rounds)
