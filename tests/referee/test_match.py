"""Whole matches between scripted bots in memory: verdicts, prices of faults, and what the others learn."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from arena.engine.actions import action_text
from arena.engine.dealing import deck as dealt_deck
from arena.engine.presets import PRESETS, preset
from arena.engine.rules import override
from arena.engine.state import Hand
from arena.errors import UsageError
from arena.log import read_log, report
from arena.log.lines import Decision, LoggedFault, Void
from arena.protocol.v1 import bot_pb2
from arena.referee.clock import parse_time_control
from arena.referee.match import VOIDED_GAMES, MatchOutcome, MatchSpec
from arena.referee.policy import FaultPolicy, default_action
from arena.referee.verdict import Verdict
from arena.testing import Answers, MemoryArena, ScriptedBot, first_legal, plays
from tests.referee.loops import in_loop

SHORT = override(preset("classic"), ["hands=2"])
"""Games of two hands: bots without skill seldom reach a target."""


def spec(games: int = 1, time: str = "30s", policy: FaultPolicy | None = None) -> MatchSpec:
    return MatchSpec(
        "m1",
        SHORT,
        b"secret" * 6,
        games,
        time=parse_time_control(time),
        policy=policy or FaultPolicy(),
    )


async def played(
    bot: ScriptedBot, *, games: int = 1, time: str = "30s", policy: FaultPolicy | None = None
) -> tuple[MatchOutcome, ScriptedBot]:
    """Play a match of a bot at seat 0 against one that plays the first legal action."""
    async with MemoryArena() as arena:
        good = ScriptedBot()
        outcome = await arena.play(spec(games, time, policy), bot, good)
    verdict = report("log", outcome.log)
    assert verdict.ok, verdict.text
    return outcome, good


def logged_faults(outcome: MatchOutcome) -> list[LoggedFault]:
    return [line.value for line in read_log(outcome.log).lines if isinstance(line.value, LoggedFault)]


def at(number: int, wrong: Answers) -> Answers:
    """Return answers that go wrong at one request, counted from 1, and are legal otherwise."""

    def answer(request: bot_pb2.DecisionRequest) -> Iterator[bot_pb2.BotMessage]:
        yield from wrong(request) if request.request_id == number else first_legal(request)

    return answer


def silent(request: bot_pb2.DecisionRequest) -> Iterator[bot_pb2.BotMessage]:
    return iter(())


def other_id(request: bot_pb2.DecisionRequest) -> Iterator[bot_pb2.BotMessage]:
    for message in first_legal(request):
        message.decision.request_id += 1000
        yield message


def twice(request: bot_pb2.DecisionRequest) -> Iterator[bot_pb2.BotMessage]:
    for message in first_legal(request):
        yield message
        yield message


def unheld(request: bot_pb2.DecisionRequest) -> str:
    return next(f"discard {card}" for card in ("AS", "KC", "7D") if card not in request.cards)


@in_loop
async def test_a_match_without_faults_is_completed() -> None:
    outcome, good = await played(ScriptedBot(), games=3)
    assert outcome.verdict == Verdict.COMPLETED
    assert outcome.rated and outcome.faults == [0, 0] and len(outcome.games) == 3
    assert sum(outcome.wins) + sum(not game.winners for game in outcome.games) == 3
    (end,) = good.endings
    assert tuple(end.wins) == outcome.wins
    assert (end.verdict, end.fault_seat, end.secret) == ("completed", -1, (b"secret" * 6).hex())


@in_loop
async def test_the_same_spec_gives_the_same_log() -> None:
    logs = [list(read_log((await played(ScriptedBot(), games=2))[0].log).lines) for _ in range(2)]
    decisions = [
        [(d.value.seat, d.value.action) for d in log if isinstance(d.value, Decision)] for log in logs
    ]
    assert decisions[0] == decisions[1]


CASES: dict[str, tuple[Answers, str, Verdict, str]] = {
    "no answer": (silent, "30ms", Verdict.TIMEOUT, "no answer within the 30 ms allowed"),
    "an answer to another request": (other_id, "30ms", Verdict.TIMEOUT, "no answer"),
    "no card": (plays(lambda r: "discard 1X"), "30s", Verdict.PROTOCOL_ERROR, "'1X' is no card"),
    "no action": (plays(lambda r: "fold"), "30s", Verdict.PROTOCOL_ERROR, "'fold'"),
    "no text": (plays(lambda r: ""), "30s", Verdict.PROTOCOL_ERROR, "Decision.action"),
    "a card not held": (plays(unheld), "30s", Verdict.ILLEGAL_ACTION, "discard"),
    "a knock out of turn": (plays(lambda r: f"knock {r.cards[0]}"), "30s", Verdict.ILLEGAL_ACTION, "knock"),
    "a gin it has not": (plays(lambda r: "big gin"), "30s", Verdict.ILLEGAL_ACTION, "big gin"),
}


@pytest.mark.parametrize("case", CASES)
def test_a_fault_costs_the_game_and_the_other_bot_learns_why(case: str) -> None:
    answers, time, verdict, reason = CASES[case]

    async def main() -> None:
        outcome, good = await played(ScriptedBot(at(2, answers)), time=time)
        assert outcome.fault is not None
        assert (outcome.fault.verdict, outcome.fault.seat, outcome.fault.request_id) == (verdict, 0, 2)
        assert reason in outcome.fault.reason and "\n" not in outcome.fault.reason
        assert outcome.wins == (0, 1) and outcome.faults == [1, 0]
        assert outcome.games[0].reason == "forfeit" and outcome.rated
        (end,) = good.endings
        assert list(end.wins) == [0, 1] and end.fault_seat == 0
        assert end.reason == outcome.fault.reason
        (logged,) = logged_faults(outcome)
        assert logged.verdict == verdict and logged.phase is not None

    asyncio.run(asyncio.wait_for(main(), 60))


@in_loop
async def test_a_second_answer_is_counted_and_never_applied() -> None:
    outcome, _ = await played(ScriptedBot(at(2, twice)))
    assert outcome.verdict == Verdict.COMPLETED and outcome.faults == [0, 0]


@in_loop
async def test_a_match_is_forfeited_after_so_many_faulty_games() -> None:
    wrong = ScriptedBot(plays(lambda r: "fold"))
    outcome, good = await played(wrong, games=9, policy=FaultPolicy(faulty_games=2))
    assert outcome.forfeited_by == 0 and len(outcome.games) == 2
    assert outcome.verdict == Verdict.PROTOCOL_ERROR and outcome.rated
    assert good.endings[0].verdict == "protocol_error"


@in_loop
async def test_a_substituted_action_is_played_and_logged() -> None:
    outcome, _ = await played(
        ScriptedBot(at(3, plays(lambda r: "fold"))), policy=FaultPolicy("substitute", strikes=2)
    )
    assert outcome.verdict == Verdict.COMPLETED and outcome.faults == [1, 0]
    assert outcome.games[0].reason != "forfeit"
    decisions = [line.value for line in read_log(outcome.log).lines if isinstance(line.value, Decision)]
    assert [d.asked.request_id for d in decisions if d.asked.substituted] == [3]
    assert read_log(outcome.log).header.on_fault == "substitute 2 strikes; match after 3 games"


@in_loop
async def test_a_game_is_forfeited_when_the_strikes_are_used_up() -> None:
    outcome, _ = await played(
        ScriptedBot(plays(lambda r: "fold")), policy=FaultPolicy("substitute", strikes=2)
    )
    assert outcome.faults == [3, 0] and outcome.games[0].reason == "forfeit"


def test_a_policy_that_is_none_is_refused() -> None:
    for wrong in (("ignore", 3, 3), ("forfeit", 0, 3), ("forfeit", 3, 0)):
        with pytest.raises(UsageError):
            FaultPolicy(*wrong)


@pytest.mark.parametrize("rules", list(PRESETS))
def test_the_default_action_is_legal_and_never_knocks(rules: str) -> None:
    for number in range(20):
        hand = Hand(preset(rules), dealt_deck(b"default" * 5, 0, number), 0)
        count = 0
        while not hand.over:
            action = default_action(hand)
            assert action in hand.legal_actions()
            assert not action_text(action).startswith(("knock", "big"))
            hand.apply(action)
            count += 1
            assert count < 2000


@in_loop
async def test_an_overload_voids_the_game_and_nobody_is_charged() -> None:
    late = iter((True,))

    def delayed(request: bot_pb2.DecisionRequest) -> Iterator[bot_pb2.BotMessage]:
        if request.request_id == 3 and next(late, False):
            loop = asyncio.get_running_loop()
            streams = bot.streams
            for message in first_legal(request):
                loop.call_later(0.6, streams[-1].send, message)
        else:
            yield from first_legal(request)

    async with MemoryArena(delay_s=lambda since: 30.0) as arena:
        contestant = bot = arena.enter(ScriptedBot(delayed))
        outcome = await arena.play(spec(2, "300ms"), contestant, ScriptedBot())
    assert outcome.verdict == Verdict.COMPLETED and outcome.faults == [0, 0] and len(outcome.games) == 2
    voids = [line.value for line in read_log(outcome.log).lines if isinstance(line.value, Void)]
    assert [void.game for void in voids] == [0] and "held up" in voids[0].reason
    assert report("log", outcome.log).ok


@in_loop
async def test_a_match_that_is_overloaded_again_and_again_is_not_rated() -> None:
    def delayed(request: bot_pb2.DecisionRequest) -> Iterator[bot_pb2.BotMessage]:
        loop = asyncio.get_running_loop()
        for message in first_legal(request):
            loop.call_later(0.05, bot.streams[-1].send, message)
        return iter(())

    async with MemoryArena(delay_s=lambda since: 30.0) as arena:
        bot = arena.enter(ScriptedBot(delayed))
        outcome = await arena.play(spec(2, "10ms"), bot, ScriptedBot())
    assert outcome.verdict == Verdict.OVERLOAD and not outcome.rated
    assert outcome.faults == [0, 0] and not outcome.games
    voids = [line.value for line in read_log(outcome.log).lines if isinstance(line.value, Void)]
    assert len(voids) == VOIDED_GAMES + 1
    verdict = report("log", outcome.log)
    assert verdict.ok, verdict.text


@in_loop
async def test_an_interrupted_match_is_aborted_and_not_rated() -> None:
    asked = asyncio.Event()

    def never(request: bot_pb2.DecisionRequest) -> Iterator[bot_pb2.BotMessage]:
        asked.set()
        return iter(())

    async with MemoryArena() as arena:
        good = ScriptedBot()
        playing = asyncio.ensure_future(arena.play(spec(time="none"), ScriptedBot(never), good))
        await asked.wait()
        playing.cancel()
        await asyncio.wait({playing})
        assert playing.cancelled()
    assert [end.verdict for end in good.endings] == ["aborted"]


@in_loop
async def test_a_match_that_times_out_does_not_touch_others_of_its_process() -> None:
    def silent_in_one(request: bot_pb2.DecisionRequest) -> Iterator[bot_pb2.BotMessage]:
        if request.match_id != "m0":
            yield from first_legal(request)

    async with MemoryArena() as arena:
        bot = arena.enter(ScriptedBot(silent_in_one, max_matches=4), "bot")
        good = arena.enter(ScriptedBot(max_matches=4), "good")
        specs = [
            MatchSpec(
                f"m{n}", SHORT, bytes([n]) * 32, 3, time=parse_time_control("300ms" if n == 0 else "30s")
            )
            for n in range(4)
        ]
        outcomes = await asyncio.gather(*(arena.play(one, bot, good) for one in specs))
    assert [outcome.faults for outcome in outcomes] == [[3, 0], [0, 0], [0, 0], [0, 0]]
    assert outcomes[0].fault is not None and outcomes[0].fault.verdict == Verdict.TIMEOUT


@in_loop
async def test_many_matches_on_one_stream_are_kept_apart() -> None:
    async with MemoryArena() as arena:
        left, right = (arena.enter(ScriptedBot(max_matches=8), name) for name in ("left", "right"))
        specs = [
            MatchSpec(f"m{n}", SHORT, bytes([n]) * 32, 2, time=parse_time_control("30s")) for n in range(8)
        ]
        outcomes = await asyncio.gather(*(arena.play(one, left, right) for one in specs))
        assert [len(left.streams), len(right.streams)] == [1, 1]
        alone = await arena.play(specs[3], ScriptedBot(), ScriptedBot())
    assert [outcome.verdict for outcome in outcomes] == [Verdict.COMPLETED] * 8
    assert outcomes[3].games == alone.games
