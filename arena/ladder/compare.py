"""Is A better than B? Game pairs are played until a sequential test is sure.

Pairs are counted in the order of their numbers, whatever order they end in, so that the verdict of a
seed depends neither on the jobs nor on an interruption.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

from arena.engine.dealing import SECRET_BYTES, derive_secret
from arena.engine.rules import RuleSet
from arena.errors import UsageError
from arena.ladder.contest import write_bytes
from arena.ladder.ladder import seed_digest
from arena.ladder.runner import failure, side_by_side, terminable
from arena.ladder.strength import MarginTest, Report, Tally, Verdict, WinTest
from arena.referee.clock import TimeControl
from arena.referee.hosting import AT_HOME, Hosting
from arena.referee.manifest import BotPackage
from arena.referee.match import MatchOutcome, MatchSpec
from arena.referee.verdict import Verdict as MatchVerdict

GAMES_IN_A_PAIR: Final = 2


@dataclass(frozen=True, slots=True)
class CompareSpec:
    """What is asked and how it is played."""

    rules: RuleSet
    time: TimeControl
    test: WinTest | MarginTest
    seed: str
    """What all decks derive from; empty for decks of no seed. Only its digest is ever stored."""
    most_games: int
    """Games after which the test ends undecided; an even number is played."""

    def key(self, packages: list[BotPackage]) -> dict[str, Any]:
        """Return what an earlier part of the same comparison must agree on."""
        return {
            "bots": [[package.name, package.version] for package in packages],
            "rules": self.rules.as_dict(),
            "time": self.time.text,
            "seed": seed_digest(self.seed or None),
            "test": [type(self.test).__name__, asdict(self.test)],
        }


@dataclass(slots=True)
class Comparison:
    """How far a comparison has come."""

    tally: Tally = field(default_factory=Tally)
    faults: list[int] = field(default_factory=lambda: [0, 0])

    @property
    def pairs(self) -> int:
        """Pairs counted."""
        return sum(self.tally.counts)


def verdict_text(test: WinTest | MarginTest, report: Report, names: tuple[str, str]) -> str:
    """Return what a report says, in words."""
    unit = "Elo" if isinstance(test, WinTest) else "points a hand"
    low, high = (test.elo0, test.elo1) if isinstance(test, WinTest) else (test.margin0, test.margin1)
    if report.verdict == Verdict.ACCEPT_H1:
        return f"{names[0]} is better than {names[1]}: {high:g} {unit} is likelier than {low:g}"
    if report.verdict == Verdict.ACCEPT_H0:
        return f"{names[0]} is not better than {names[1]}: {low:g} {unit} is likelier than {high:g}"
    return "not sure yet"


async def compare(
    spec: CompareSpec,
    packages: list[BotPackage],
    comparison: Comparison,
    *,
    jobs: int,
    hosting: Hosting = AT_HOME,
    on_pair: Callable[[Comparison, Report], None],
) -> Report:
    """Play pairs until the test is sure or the games are used up; return where it stands.

    Args:
        spec: what is asked.
        packages: A and B, built already.
        comparison: what was counted before; it is brought on.
        jobs: pairs to play at once.
        hosting: the bots' allowances and their sandbox.
        on_pair: called after each pair that is counted.

    Raises:
        BotFailure: a bot cannot start.
    """
    report = spec.test.report(comparison.tally)
    pairs = _pairs(spec, comparison)
    waiting: dict[int, MatchOutcome] = {}
    async with hosting.referee() as referee:
        contestants = [
            referee.enter(package, bot_seed=_bot_seed(spec.seed, seat))
            for seat, package in enumerate(packages)
        ]

        async def play(pair: tuple[int, MatchSpec]) -> tuple[int, MatchOutcome]:
            return pair[0], await referee.play(pair[1], contestants)

        playing = side_by_side(lambda: next(pairs, None), play, jobs)
        with terminable():
            async with contextlib.aclosing(playing):
                async for number, outcome in playing:
                    if outcome.verdict == MatchVerdict.FAILED_START and outcome.fault is not None:
                        raise failure(packages[outcome.fault.seat], outcome.fault)
                    waiting[number] = outcome
                    while comparison.pairs in waiting and report.verdict == Verdict.CONTINUE:
                        _count(comparison, waiting.pop(comparison.pairs))
                        report = spec.test.report(comparison.tally)
                        on_pair(comparison, report)
                    if report.verdict != Verdict.CONTINUE:
                        break
    return report


def _bot_seed(seed: str, seat: int) -> str:
    return derive_secret(seed, f"bot {seat}").hex()[:16] if seed else secrets.token_hex(8)


def _pairs(spec: CompareSpec, comparison: Comparison) -> Iterator[tuple[int, MatchSpec]]:
    """Yield the pairs that are not counted yet."""
    if spec.test.report(comparison.tally).verdict != Verdict.CONTINUE:
        return
    for number in range(comparison.pairs, spec.most_games // GAMES_IN_A_PAIR):
        match_id = f"pair-{number + 1:06d}"
        yield (
            number,
            MatchSpec(
                match_id=match_id,
                rules=spec.rules,
                secret=derive_secret(spec.seed, match_id) if spec.seed else os.urandom(SECRET_BYTES),
                games=GAMES_IN_A_PAIR,
                time=spec.time,
                duplicate=True,
            ),
        )


def _count(comparison: Comparison, outcome: MatchOutcome) -> None:
    score = sum(_score(game.ranks) for game in outcome.games)
    points = sum(game.scores[0] - game.scores[1] for game in outcome.games)
    hands = sum(game.hands for game in outcome.games)
    comparison.tally = comparison.tally.with_pair(score, points, max(1, hands))
    for seat in (0, 1):
        comparison.faults[seat] += outcome.faults[seat]


def _score(ranks: tuple[int, ...]) -> float:
    return 0.5 if ranks[0] == ranks[1] else float(ranks[0] == 0)


def save(path: Path, comparison: Comparison, key: dict[str, Any]) -> None:
    """Write a comparison into a file, whole or not at all.

    Raises:
        StoreError: it cannot be written.
    """
    data = {
        "format": "gin-arena comparison 1",
        "key": key,
        "faults": comparison.faults,
        "tally": comparison.tally.to_json(),
    }
    write_bytes(path, json.dumps(data, indent=1).encode())


def load(path: Path, key: dict[str, Any]) -> Comparison | None:
    """Return the comparison that a file holds; none if there is no file yet.

    Raises:
        UsageError: the file is none, or holds a comparison of other bots, rules, time, test or seed.
    """
    if not path.exists():
        return None
    try:
        data = json.loads(path.read_text("utf-8"))
        if data["format"] != "gin-arena comparison 1":
            raise KeyError("format")
        same = data["key"] == json.loads(json.dumps(key))
        faults = [int(count) for count in data["faults"]]
        tally = Tally.from_json(data["tally"])
    except (OSError, UnicodeDecodeError, ValueError, KeyError, TypeError):
        raise UsageError(f"{path} is no comparison of gin-arena: take another --state FILE") from None
    if not same:
        raise UsageError(
            f"{path} is a comparison of other bots, rules, time, test or seed: take another --state FILE"
        )
    return Comparison(tally, faults)
