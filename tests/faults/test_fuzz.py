"""The session under arbitrary messages: never a crash, a hang, a leak or a wrong winner."""

from __future__ import annotations

import asyncio
import gc
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from arena.engine.dealing import derive_secret
from arena.engine.presets import preset
from arena.engine.rules import override
from arena.log import report
from arena.protocol.v1 import bot_pb2, game_pb2
from arena.referee.clock import parse_time_control
from arena.referee.manifest import load_package
from arena.referee.match import MatchOutcome, MatchSpec
from arena.referee.overload import LagMeter
from arena.referee.policy import FaultPolicy
from arena.referee.referee import Referee
from arena.referee.verdict import Verdict
from arena.testing import MemoryArena, ScriptedBot
from arena.testing.faults.cases import WITNESS

SHORT = override(preset("classic"), ["hands=1"])
CASES = 600
SLOW_CASES = 100_000
FAULTS = {
    Verdict.TIMEOUT,
    Verdict.ILLEGAL_ACTION,
    Verdict.PROTOCOL_ERROR,
    Verdict.DISCONNECT,
}

Send = Callable[[bot_pb2.DecisionRequest], bot_pb2.BotMessage]
texts = st.text(max_size=12) | st.sampled_from(
    ("pass", "draw stock", "discard 7D", "knock 7D", "big gin", "spread")
)
cards = st.sampled_from(("7D", "AS", "1X", "", "KC"))


def answer(request: bot_pb2.DecisionRequest, **changes: object) -> bot_pb2.BotMessage:
    decision = bot_pb2.Decision(
        match_id=request.match_id, request_id=request.request_id, action=request.legal_actions[0]
    )
    for name, value in changes.items():
        setattr(decision, name, value)
    return bot_pb2.BotMessage(decision=decision)


def legal(index: int) -> Send:
    return lambda request: answer(request, action=request.legal_actions[index % len(request.legal_actions)])


def declared(meld_cards: list[str], laid: list[tuple[str, int]], index: int) -> Send:
    def send(request: bot_pb2.DecisionRequest) -> bot_pb2.BotMessage:
        message = legal(index)(request)
        message.decision.melds.append(game_pb2.Meld(cards=meld_cards))
        message.decision.layoffs.extend(game_pb2.Layoff(card=card, meld=meld) for card, meld in laid)
        return message

    return send


def mutated(position: int, value: int) -> Send:
    """Return a legal answer with one byte changed; what no longer parses becomes an empty message."""

    def send(request: bot_pb2.DecisionRequest) -> bot_pb2.BotMessage:
        data = bytearray(answer(request).SerializeToString())
        data[position % len(data)] = value
        try:
            return bot_pb2.BotMessage.FromString(bytes(data))
        except Exception:  # noqa: BLE001  # upb raises an error of its own kind
            return bot_pb2.BotMessage()

    return send


sends: st.SearchStrategy[Send] = st.one_of(
    st.builds(legal, st.integers(0, 40)),
    st.builds(legal, st.integers(0, 40)),
    st.builds(lambda text: lambda request: answer(request, action=text), texts),
    st.builds(
        lambda offset: lambda request: answer(request, request_id=request.request_id + offset),
        st.integers(-3, 3) | st.integers(-(2**62), 2**62),
    ),
    st.builds(lambda text: lambda request: answer(request, match_id=text), st.text(max_size=5)),
    st.builds(lambda text: lambda request: answer(request, note=text), st.text(max_size=600)),
    st.builds(
        declared,
        st.lists(cards, max_size=5),
        st.lists(st.tuples(cards, st.integers(-2, 5)), max_size=3),
        st.integers(0, 40),
    ),
    st.builds(mutated, st.integers(0, 60), st.integers(0, 255)),
    st.just(lambda request: bot_pb2.BotMessage(hello=bot_pb2.Hello(protocol=1))),
    st.just(lambda request: bot_pb2.BotMessage()),
)
plans = st.lists(st.lists(sends, max_size=3), max_size=8)
"""What is sent at the first requests; legal answers follow."""


async def _fuzzed(plan: list[list[Send]], policy: FaultPolicy) -> MatchOutcome:
    asked = 0

    def answers(request: bot_pb2.DecisionRequest) -> Iterator[bot_pb2.BotMessage]:
        nonlocal asked
        asked += 1
        yield from (send(request) for send in plan[asked - 1]) if asked <= len(plan) else [answer(request)]

    meter = LagMeter()
    meter.start()
    try:
        async with MemoryArena(delay_s=meter.delay_s) as arena:
            spec = MatchSpec("fuzz", SHORT, b"f" * 32, 2, time=parse_time_control("25ms"), policy=policy)
            return await asyncio.wait_for(arena.play(spec, ScriptedBot(answers), ScriptedBot()), 120)
    finally:
        meter.stop()


def check(plan: list[list[Send]], policy: FaultPolicy) -> None:
    outcome = asyncio.run(_fuzzed(plan, policy))
    assert outcome.faults[1] == 0, "a good bot was blamed"
    if outcome.verdict == Verdict.OVERLOAD:
        return
    assert len(outcome.games) == 2 or outcome.forfeited_by == 0
    for game in outcome.games:
        if game.reason == "forfeit":
            assert game.winners == (1,), "a bot won by its own fault"
    if outcome.faults[0]:
        assert outcome.fault is not None and outcome.fault.verdict in FAULTS
        assert outcome.fault.reason and "\n" not in outcome.fault.reason
    verdict = report("fuzz", outcome.log)
    assert verdict.ok, verdict.text


policies = st.sampled_from((FaultPolicy(), FaultPolicy("substitute", 2), FaultPolicy(faulty_games=1)))


@settings(max_examples=CASES, deadline=None, suppress_health_check=list(HealthCheck))
@given(plans, policies)
def test_arbitrary_messages_end_in_a_verdict(plan: list[list[Send]], policy: FaultPolicy) -> None:
    check(plan, policy)


@pytest.mark.slow
@settings(max_examples=SLOW_CASES, deadline=None, suppress_health_check=list(HealthCheck))
@given(plans, policies)
def test_very_many_arbitrary_messages_end_in_a_verdict(plan: list[list[Send]], policy: FaultPolicy) -> None:
    check(plan, policy)


# ---------------------------------------------------------------------- leaks


def held() -> tuple[int, int, int, float]:
    """Return this process's tasks, threads, descriptors and memory in MiB."""
    gc.collect()
    descriptors = len(list(Path("/proc/self/fd").iterdir()))
    memory = psutil.Process().memory_info().rss / 2**20
    return len(asyncio.all_tasks()), threading.active_count(), descriptors, memory


@pytest.mark.parametrize(("few", "many"), [(50, 150), pytest.param(100, 1000, marks=pytest.mark.slow)])
def test_nothing_grows_with_the_matches(few: int, many: int) -> None:
    async def main() -> None:
        async with Referee(start_s=60.0) as referee:
            bots = [referee.enter(load_package(WITNESS)) for _ in range(2)]

            async def play(number: int) -> None:
                spec = MatchSpec(f"m{number}", SHORT, derive_secret("leaks", str(number)))
                outcome = await referee.play(spec, bots)
                assert outcome.verdict == Verdict.COMPLETED

            for number in range(few):
                await play(number)
            before = held()
            for number in range(few, many):
                await play(number)
            after = held()
        assert after[:3] == before[:3]
        assert after[3] - before[3] < 16, "MiB"

    asyncio.run(main())
