"""Running a case of the fault suite: a match against a witness, beside a match that must not notice."""

from __future__ import annotations

import asyncio
import contextlib
import os
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

import psutil

from arena.engine.dealing import derive_secret
from arena.engine.presets import preset
from arena.engine.rules import override
from arena.referee.clock import parse_time_control
from arena.referee.contestant import Contestant
from arena.referee.limits import Limits
from arena.referee.manifest import load_package
from arena.referee.match import MatchOutcome, MatchSpec
from arena.referee.referee import Referee
from arena.referee.verdict import Verdict
from arena.testing.faults.cases import WITNESS, Case

HANG_S: Final = 120.0
"""Seconds after which a case hangs; none takes a tenth of it on an idle machine."""
MEMORY_MIB: Final = 128
"""How much the referee may grow over a case."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What a case came to."""

    case: Case
    problems: tuple[str, ...]
    """What was not as it must be."""
    detail: str
    """The verdict and the reason that were told."""
    elapsed_s: float

    @property
    def ok(self) -> bool:
        """Whether everything was as it must be."""
        return not self.problems


async def run_case(case: Case) -> Finding:
    """Play a case to its end, and say what was not as it must be."""
    began = time.monotonic()
    before, memory = _descendants(), _memory_mib()
    problems: list[str] = []
    detail = ""
    try:
        with _environment(case.environment):
            problems, detail = await asyncio.wait_for(_play(case), HANG_S)
    except TimeoutError:
        problems = [f"it hung for {HANG_S:g} s"]
    left = _descendants() - before
    if left:
        problems.append(f"it left the processes {sorted(left)} behind")
    grown = _memory_mib() - memory
    if grown > MEMORY_MIB:
        problems.append(f"the referee grew by {grown:.0f} MiB")
    return Finding(case, tuple(problems), detail, time.monotonic() - began)


async def _play(case: Case) -> tuple[list[str], str]:
    limits = Limits(memory_mib=case.memory_mib) if case.memory_mib is not None else None
    async with Referee(start_s=case.start_s, limits=limits) as referee:
        witness, bystander = (referee.enter(load_package(WITNESS)) for _ in range(2))
        bot = referee.enter(load_package(case.folder))
        others = asyncio.gather(*(_match(referee, f"other{n}", witness, bystander) for n in range(2)))
        played = asyncio.gather(
            *(_match(referee, f"case{n}", bot, witness, case.time) for n in range(case.matches))
        )
        outcomes, unaffected = await played, await others
        await witness.close()
        told = [line for line in witness.last_lines if line.startswith("END case")]
        problems = [*_judge(case, outcomes, told), *_unaffected(unaffected)]
    faults = [outcome.fault for outcome in outcomes if outcome.fault is not None]
    detail = f"{faults[0].verdict}: {faults[0].reason}" if faults else "completed"
    return problems, detail


async def _match(
    referee: Referee, match_id: str, first: Contestant, second: Contestant, time: str = "none"
) -> MatchOutcome:
    spec = MatchSpec(
        match_id,
        override(preset("classic"), ["hands=3"]),
        derive_secret("faults", "case"),
        time=parse_time_control(time),
    )
    return await referee.play(spec, [first, second])


def _judge(case: Case, outcomes: list[MatchOutcome], told: list[str]) -> Iterator[str]:
    if len(told) != case.matches:
        yield f"the witness was told of {len(told)} ends of {case.matches} matches"
    if case.verdict == Verdict.COMPLETED:
        for outcome in outcomes:
            if outcome.verdict != Verdict.COMPLETED or outcome.fault is not None:
                yield f"a match ended as {outcome.verdict}: {outcome.fault}"
        return
    faults = [outcome.fault for outcome in outcomes if outcome.fault is not None]
    if not faults:
        yield "there was no fault"
    for fault in faults:
        if (fault.verdict, fault.seat) != (case.verdict, 0) or case.reason not in fault.reason:
            yield f"it was judged {fault.verdict} at seat {fault.seat}: {fault.reason}"
    for outcome in outcomes:
        if outcome.fault is None:
            continue
        if outcome.rated == (case.verdict == Verdict.FAILED_START):
            yield "a bot that cannot start must not be rated, any other fault must be"
        if not any(outcome.fault.reason in line for line in told):
            yield "the witness was not told the reason"
        if outcome.games and outcome.wins != (0, 1):
            yield f"the games won are {outcome.wins}"


def _unaffected(outcomes: list[MatchOutcome]) -> Iterator[str]:
    for outcome in outcomes:
        if outcome.verdict != Verdict.COMPLETED or outcome.fault is not None:
            yield f"another match was affected: {outcome.verdict}: {outcome.fault}"


@contextlib.contextmanager
def _environment(changes: Mapping[str, str]) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in changes}
    os.environ.update(changes)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def _descendants() -> set[int]:
    return {process.pid for process in psutil.Process().children(recursive=True)}


def _memory_mib() -> float:
    return psutil.Process().memory_info().rss / 2**20
