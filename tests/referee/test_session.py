"""One stream between the referee and a bot: clocks, strays, tokens, and streams that stall or break."""

from __future__ import annotations

import asyncio
import time
from typing import Any, cast

from arena.protocol.v1 import bot_pb2
from arena.referee.session import STRAY_LIMIT, Connection, Door, Reply
from arena.referee.verdict import Fault, Verdict
from arena.testing import MemoryStream
from tests.referee.loops import in_loop

LONG_S = 60.0
SHORT_S = 0.02


def hello(token: str = "", protocol: int = 1) -> bot_pb2.BotMessage:
    return bot_pb2.BotMessage(hello=bot_pb2.Hello(protocol=protocol, token=token))


def request(number: int = 1, match_id: str = "m", size: int = 0) -> bot_pb2.RefereeMessage:
    return bot_pb2.RefereeMessage(
        request=bot_pb2.DecisionRequest(match_id=match_id, request_id=number, upcard="x" * size)
    )


def decision(number: int = 1, match_id: str = "m", action: str = "pass") -> bot_pb2.BotMessage:
    return bot_pb2.BotMessage(decision=bot_pb2.Decision(match_id=match_id, request_id=number, action=action))


class Line:
    """A connection with its two tasks, and the bot's end of its stream."""

    def __init__(self, **settings: Any) -> None:
        self.stream = MemoryStream()
        self.connection = Connection(cast(Any, self.stream), **settings)
        self.told: list[bot_pb2.RefereeMessage] = []
        self.arrived = asyncio.Event()
        self.stream.on_message = self._arrive
        self.refusal = ""

    def _arrive(self, message: bot_pb2.RefereeMessage) -> None:
        self.told.append(message)
        self.arrived.set()

    async def __aenter__(self) -> Line:
        self.tasks = [
            asyncio.ensure_future(self.connection.write_loop()),
            asyncio.ensure_future(self.connection.pump(lambda c, h, wrong: wrong or self.refusal)),
        ]
        self.stream.send(hello())
        return self

    async def __aexit__(self, *_: object) -> None:
        for task in self.tasks:
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)

    async def sent(self, count: int) -> None:
        """Wait until so many messages have reached the bot."""
        while len(self.told) < count:
            self.arrived.clear()
            await self.arrived.wait()

    def ask(self, number: int = 1, budget_s: float | None = LONG_S, match_id: str = "m") -> asyncio.Task[Any]:
        return asyncio.ensure_future(
            self.connection.ask(request(number, match_id), match_id, number, budget_s)
        )


@in_loop
async def test_an_answer_reaches_its_request() -> None:
    async with Line() as line:
        asked = line.ask()
        await line.sent(1)
        line.stream.send(decision())
        reply = await asked
        assert isinstance(reply, Reply)
        assert reply.decision.action == "pass"
        assert reply.elapsed_s >= 0


@in_loop
async def test_answers_of_two_matches_may_come_in_any_order() -> None:
    async with Line() as line:
        first, second = line.ask(1, match_id="a"), line.ask(1, match_id="b")
        await line.sent(2)
        line.stream.send(decision(1, "b", "draw stock"))
        line.stream.send(decision(1, "a", "pass"))
        assert (await first).decision.action == "pass"
        assert (await second).decision.action == "draw stock"


@in_loop
async def test_no_answer_is_a_timeout() -> None:
    async with Line() as line:
        fault = await line.ask(budget_s=SHORT_S)
        assert isinstance(fault, Fault)
        assert fault.verdict == Verdict.TIMEOUT
        assert fault.reason == "no answer within the 20 ms allowed"


@in_loop
async def test_a_late_answer_is_never_applied_to_a_later_request() -> None:
    async with Line() as line:
        assert (await line.ask(1, SHORT_S)).verdict == Verdict.TIMEOUT
        later = line.ask(2)
        await line.sent(2)
        line.stream.send(decision(1, action="late"))
        line.stream.send(decision(2, action="right"))
        assert (await later).decision.action == "right"
        assert line.connection.strays == 1


@in_loop
async def test_an_answer_read_after_its_time_is_a_timeout_even_if_no_timer_has_fired() -> None:
    async with Line() as line:
        asked = line.ask(budget_s=0.05)
        await line.sent(1)
        line.stream.send(decision())
        time.sleep(0.2)  # noqa: ASYNC251  # the loop is held up on purpose
        fault = await asked
        assert isinstance(fault, Fault) and fault.verdict == Verdict.TIMEOUT


@in_loop
async def test_an_answer_that_is_late_by_our_own_delay_is_an_overload() -> None:
    async with Line(delay_s=lambda since: 10.0) as line:
        asked = line.ask(budget_s=0.05)
        await line.sent(1)
        time.sleep(0.2)  # noqa: ASYNC251  # the loop is held up on purpose
        line.stream.send(decision())
        fault = await asked
        assert isinstance(fault, Fault) and fault.verdict == Verdict.OVERLOAD
        assert "the referee was held up for 10000 ms of it" in fault.reason


@in_loop
async def test_no_answer_is_a_timeout_even_under_delay_once_the_delay_is_granted() -> None:
    async with Line(delay_s=lambda since: 0.05) as line:
        began = time.perf_counter()
        fault = await line.ask(budget_s=SHORT_S)
        assert isinstance(fault, Fault) and fault.verdict == Verdict.TIMEOUT
        assert time.perf_counter() - began >= 0.07


@in_loop
async def test_a_bot_that_does_not_read_times_out() -> None:
    async with Line() as line:
        line.stream.reading.clear()
        fault = await line.ask(budget_s=SHORT_S)
        assert isinstance(fault, Fault) and fault.verdict == Verdict.TIMEOUT
        assert line.connection.closed.is_set()
        assert line.connection.fault is not None
        assert line.connection.fault.reason == "it has stopped reading its stream"


@in_loop
async def test_a_request_behind_a_stalled_message_times_out_too() -> None:
    async with Line() as line:
        line.stream.reading.clear()
        line.connection.tell(bot_pb2.RefereeMessage(match_end=bot_pb2.MatchEnd()))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        faults = await asyncio.gather(line.ask(1, SHORT_S), line.ask(2, SHORT_S, "other"))
        assert [fault.verdict for fault in faults] == [Verdict.TIMEOUT, Verdict.TIMEOUT]


@in_loop
async def test_an_operator_may_cancel_a_stalled_request() -> None:
    async with Line() as line:
        line.stream.reading.clear()
        asked = line.ask(budget_s=None)
        await asyncio.sleep(0)
        asked.cancel()
        await asyncio.wait({asked})
        assert asked.cancelled()


@in_loop
async def test_without_a_limit_the_end_of_the_stream_is_the_answer() -> None:
    async with Line() as line:
        asked = line.ask(budget_s=None)
        await line.sent(1)
        line.stream.close()
        fault = await asked
        assert isinstance(fault, Fault) and fault.verdict == Verdict.DISCONNECT


@in_loop
async def test_a_second_hello_and_an_empty_message_are_protocol_errors() -> None:
    for wrong, told in (
        (hello(), "it sent a second hello"),
        (bot_pb2.BotMessage(), "it sent an empty message"),
    ):
        async with Line() as line:
            asked = line.ask()
            await line.sent(1)
            line.stream.send(wrong)
            fault = await asked
            assert isinstance(fault, Fault)
            assert (fault.verdict, fault.reason) == (Verdict.PROTOCOL_ERROR, told)


@in_loop
async def test_a_flood_of_answers_to_nothing_is_a_protocol_error() -> None:
    async with Line() as line:
        asked = line.ask()
        await line.sent(1)
        for number in range(2, STRAY_LIMIT + 3):
            line.stream.send(decision(number))
        fault = await asked
        assert isinstance(fault, Fault) and fault.verdict == Verdict.PROTOCOL_ERROR
        assert f"over {STRAY_LIMIT} answers to no open request" in fault.reason


@in_loop
async def test_a_request_on_an_ended_stream_fails_at_once() -> None:
    async with Line() as line:
        line.connection.end(Fault(Verdict.CRASH, "it died"))
        fault = await line.ask(budget_s=None)
        assert isinstance(fault, Fault) and fault.reason == "it died"


@in_loop
async def test_another_first_message_and_another_protocol_are_refused() -> None:
    for first, told in (
        (decision(), "the first message must be Hello"),
        (hello(protocol=99), "the bot speaks protocol 99 and this referee 1"),
    ):
        line = Line()
        line.stream.send(first)
        async with line:
            await line.sent(1)
            assert told in line.told[0].refusal.reason
            assert line.connection.fault is not None
            assert line.connection.fault.verdict == Verdict.PROTOCOL_ERROR


def test_tokens_are_kept_hashed_and_forgotten() -> None:
    async def main() -> None:
        door = Door()
        seen: list[Connection] = []
        told: list[str] = []
        token = door.expect(lambda c: seen.append(c) or "", told.append)  # type: ignore[func-returns-value]
        other = door.expect(lambda c: "no")
        assert token not in repr(vars(door)) and token != other
        line = Line()
        assert "unknown or no longer valid" in door.accept(line.connection, hello("wrong").hello)
        assert "unknown or no longer valid" in door.accept(line.connection, hello("\u00e9").hello)
        assert door.accept(line.connection, hello(token).hello) == ""
        assert seen == [line.connection]
        door.refuse(hello(token).hello, "too old")
        assert told == ["too old"]
        door.forget(token)
        assert "unknown or no longer valid" in door.accept(line.connection, hello(token).hello)

    asyncio.run(main())
