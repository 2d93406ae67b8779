"""Trying a bot out, step by step, for its author: manifest, build, start, hello, games, time, restart."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from arena.engine.dealing import derive_secret
from arena.engine.rules import RuleSet
from arena.errors import ManifestError
from arena.referee.clock import TimeControl
from arena.referee.contestant import Contestant
from arena.referee.hosting import AT_HOME, BUILD_S, Hosting
from arena.referee.launcher import build, why_not_startable
from arena.referee.manifest import BotPackage, find_package
from arena.referee.match import MatchOutcome, MatchSpec
from arena.referee.pins import Pin, ask
from arena.referee.referee import Referee
from arena.referee.verdict import Fault

GAMES: Final = 4
"""Games played against the opponent."""
_TIGHT: Final = 0.5
"""Share of the time limit above which the slowest decision is worth a warning."""


@dataclass(frozen=True, slots=True)
class Step:
    """What one step of the check found."""

    name: str
    ok: bool
    detail: str
    remedy: str = ""
    stderr: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """Return it for ``--json``."""
        return {
            "step": self.name,
            "ok": self.ok,
            "detail": self.detail,
            "remedy": self.remedy,
            "stderr": list(self.stderr),
        }


_REMEDIES: Final = {
    "timeout": "answer within the limit: think less, or ask for a longer --move-time",
    "crash": "see the last lines it wrote: the process ended while it was asked",
    "illegal_action": "answer with one of request.legal_actions, letter for letter",
    "protocol_error": "see docs/bots.md: one Decision for each request, with its match_id and request_id",
    "disconnect": "keep the stream open until the referee ends it",
    "failed_start": "read ARENA_ADDRESS and ARENA_TOKEN, dial, and send Hello first",
    "failed_build": "make build.command in bot.toml work from the bot's folder",
}


async def check(
    folder: str, rules: RuleSet, time: TimeControl, pins: Sequence[Pin] = (), hosting: Hosting = AT_HOME
) -> AsyncIterator[Step]:
    """Yield the result of each step; the first one that fails is the last.

    Args:
        folder: BOT as the command line has it.
        rules: what is played.
        time: the time control that the bot must keep.
        pins: recorded requests and the answers that the bot must give.
        hosting: the bot's allowances and its sandbox.
    """
    try:
        package = find_package(folder)
    except ManifestError as error:
        yield Step("manifest", False, str(error), "correct it and check again")
        return
    yield Step("manifest", True, f"{package.name} {package.version} ({package.language})")
    step = _build(package)
    if step is not None:
        yield step
        if not step.ok:
            return
    async with hosting.referee() as referee:
        bot = referee.enter(package, bot_seed="check")
        async for step in _play(referee, bot, rules, time):
            yield step
            if not step.ok:
                return
        for pin in pins:
            yield await _pinned(bot, pin)


async def _pinned(bot: Contestant, pin: Pin) -> Step:
    """Send the bot a pinned request and compare its answer."""
    answer = await ask(bot, pin.request)
    name = f"pin {pin.at}"
    if answer.action == pin.expect:
        return Step(name, True, f"{pin.expect} ({answer.elapsed_ms:.1f} ms)")
    stderr = answer.fault.stderr if answer.fault is not None else ()
    return Step(
        name, False, f"expected {pin.expect}, now {answer.action}", "see pins.toml for the request", stderr
    )


def _build(package: BotPackage) -> Step | None:
    if package.build is None:
        return None
    fault = build(package, BUILD_S)
    if fault is not None:
        return _failed("build", fault)
    problem = why_not_startable(package)
    if problem:
        return Step("build", False, problem, "make the build command write what run.command starts")
    return Step("build", True, " ".join(package.build))


async def _play(referee: Referee, bot: Contestant, rules: RuleSet, time: TimeControl) -> AsyncIterator[Step]:
    started = await bot.acquire()
    if isinstance(started, Fault):
        yield _failed("start", started)
        return
    hello = started.connection.hello
    assert hello is not None, "an acquired instance has greeted"
    yield Step("start", True, f"pid {started.process.pid if started.process else 0}")
    yield Step("hello", True, f"{hello.software or 'software not named'}; {started.capacity} matches at once")
    await bot.release(started)
    opponent = referee.enter(find_package("@random"), bot_seed="check")
    outcome = await referee.play(_spec("check-games", rules, time, GAMES), [bot, opponent])
    yield _games(outcome, 0)
    if outcome.faults[0]:
        return
    yield _times(outcome, time)
    async for step in _again(referee, bot, opponent, rules, time):
        yield step


async def _again(
    referee: Referee, bot: Contestant, opponent: Contestant, rules: RuleSet, time: TimeControl
) -> AsyncIterator[Step]:
    """Play once more, with a fresh process and from the other seat."""
    await bot.close()
    outcome = await referee.play(_spec("check-restart", rules, time, 1), [opponent, bot])
    fault = outcome.fault
    if outcome.faults[1] and fault is not None:
        yield _failed("restart", fault)
        return
    yield Step("restart", True, "a fresh process played a game from the other seat")


def _spec(match_id: str, rules: RuleSet, time: TimeControl, games: int) -> MatchSpec:
    return MatchSpec(match_id, rules, derive_secret("check", match_id), games, time=time, duplicate=True)


def _games(outcome: MatchOutcome, seat: int) -> Step:
    if outcome.faults[seat] and outcome.fault is not None:
        return _failed("games", outcome.fault)
    won = outcome.wins[seat]
    return Step("games", True, f"{len(outcome.games)} games against @random without a fault, {won} won")


def _times(outcome: MatchOutcome, time: TimeControl) -> Step:
    took = decision_times_ms(outcome.log, 0)
    p50, p99, slowest = (took[int(len(took) * share)] for share in (0.5, 0.99, 0.9999))
    detail = f"{len(took)} decisions: p50 {p50:.1f} ms, p99 {p99:.1f} ms, slowest {slowest:.1f} ms"
    if time.move_s is not None:
        detail += f" of {time.move_s * 1000:.0f} ms allowed"
        if slowest > _TIGHT * time.move_s * 1000:
            return Step("time", True, detail, "it is close to the limit: a loaded machine may exceed it")
    return Step("time", True, detail)


def decision_times_ms(log: bytes, seat: int) -> list[float]:
    """Return how long a seat's decisions took, in milliseconds, ascending.

    Raises:
        LogError: the log cannot be read.
    """
    from arena.log.lines import Decision
    from arena.log.reader import read_log

    lines = [line.value for line in read_log(log).lines]
    return sorted(d.asked.time_us / 1000 for d in lines if isinstance(d, Decision) and d.seat == seat)


def _failed(step: str, fault: Fault) -> Step:
    where = f" (in the phase '{fault.phase}', request {fault.request_id})" if fault.phase else ""
    return Step(
        step,
        False,
        f"{fault.verdict}: {fault.reason}{where}",
        _REMEDIES.get(fault.verdict, ""),
        fault.stderr,
    )
