"""Referee throughput beside its floor: a bare grpc.aio echo with equal messages and as many streams.

    python benchmarks/referee.py [--matches 1 8 32] [--seconds 4] [--repeats 3] [--json]

Method. The bots of both sides run in one and the same client process, one stream a player, and
answer at once with the first legal action that keeps a hand going. ``floor``: a server that only
reads a message and writes one, of the mean sizes of a request and a decision, parsed and built as
protobuf messages on both sides; no rules, no clock, no log. ``referee``: the product's server and
match loop with a time limit and a log, every stream a single-match bot. Both are measured in turn,
several times, in the same run; rates are medians, the ratio is the median of the pairs' ratios.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import multiprocessing
import os
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable
from typing import Any

import grpc

from arena.engine.presets import preset
from arena.protocol.transport import CLIENT_OPTIONS, SERVER_OPTIONS, run_async
from arena.protocol.v1 import bot_pb2, bot_pb2_grpc
from arena.referee.clock import parse_time_control
from arena.referee.contestant import Contestant, Instance
from arena.referee.manifest import find_package
from arena.referee.match import Match, MatchSpec
from arena.referee.session import ArenaService, Connection, Door

WARM_UP_S = 1.0


def _clients(address: str, tokens: list[str]) -> None:
    """Run one stream for each token in this process until the server ends them."""
    with contextlib.suppress(grpc.RpcError):
        run_async(_all_clients(address, tokens))


async def _all_clients(address: str, tokens: list[str]) -> None:
    async with grpc.aio.insecure_channel(address, options=CLIENT_OPTIONS) as channel:
        stub = bot_pb2_grpc.ArenaStub(channel)
        await asyncio.gather(*(_client(stub, token) for token in tokens))


async def _client(stub: Any, token: str) -> None:
    stream = stub.Play()
    await stream.write(bot_pb2.BotMessage(hello=bot_pb2.Hello(protocol=1, token=token)))
    while isinstance(message := await stream.read(), bot_pb2.RefereeMessage):
        if message.HasField("request"):
            request = message.request
            decision = bot_pb2.Decision(
                match_id=request.match_id, request_id=request.request_id, action=request.legal_actions[0]
            )
            await stream.write(bot_pb2.BotMessage(decision=decision))


class _Echo(bot_pb2_grpc.ArenaServicer):
    """The floor: answers each decision with a request of the usual size."""

    def __init__(self) -> None:
        self.stop = False
        self.took: list[float] = []

    async def Play(self, request_iterator: object, context: Any) -> None:  # type: ignore[override]
        await context.read()
        number = 0
        while not self.stop:
            number += 1
            request = bot_pb2.DecisionRequest(
                match_id="m0001", request_id=number, legal_actions=["draw stock"], own_discards=["7D"] * 118
            )
            began = time.perf_counter()
            await context.write(bot_pb2.RefereeMessage(request=request))
            await context.read()
            self.took.append(time.perf_counter() - began)


async def _serve(
    service: Any, streams: int, tokens: list[str], body: Callable[[], Awaitable[dict[str, float]]]
) -> dict[str, float]:
    """Start a server and its clients' process, run the body, and end both."""
    folder = tempfile.mkdtemp(prefix="arena-")
    address = f"unix:{folder}/s"
    server = grpc.aio.server(options=SERVER_OPTIONS)
    bot_pb2_grpc.add_ArenaServicer_to_server(service, server)
    server.add_insecure_port(address)
    await server.start()
    process = multiprocessing.get_context("spawn").Process(target=_clients, args=(address, tokens))
    process.start()
    try:
        return await body()
    finally:
        await server.stop(0.2)
        process.terminate()
        process.join()


async def floor(streams: int, seconds: float) -> dict[str, float]:
    """Measure the bare echo."""
    service = _Echo()

    async def body() -> dict[str, float]:
        await asyncio.sleep(WARM_UP_S)
        figures = await _measure(service.took, seconds)
        service.stop = True
        return figures

    return await _serve(service, streams, [f"t{i}" for i in range(streams)], body)


async def referee(matches: int, seconds: float) -> dict[str, float]:
    """Measure the referee with so many matches at once, each of two single-match bots."""
    door = Door()
    service = ArenaService(door)
    arrived: asyncio.Queue[Connection] = asyncio.Queue()

    def greet(connection: Connection) -> str:
        arrived.put_nowait(connection)
        return ""

    tokens = [door.expect(greet) for _ in range(2 * matches)]

    async def body() -> dict[str, float]:
        connections = [await arrived.get() for _ in tokens]
        took = _record_times(connections)
        players = [_player(connection) for connection in connections]
        tasks = [
            asyncio.ensure_future(_endless(number, players[2 * number : 2 * number + 2]))
            for number in range(matches)
        ]
        await asyncio.sleep(WARM_UP_S)
        figures = await _measure(took, seconds)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        return figures

    return await _serve(service, 2 * matches, tokens, body)


def _record_times(connections: list[Connection]) -> list[float]:
    """Note how long each answer took, as the match loop is told it."""
    took: list[float] = []
    for connection in connections:
        original = connection.ask

        async def ask(*arguments: Any, original: Any = original) -> Any:
            reply = await original(*arguments)
            took.append(reply.elapsed_s)
            return reply

        connection.ask = ask  # type: ignore[method-assign,assignment]
    return took


def _player(connection: Connection) -> Contestant:
    """Return a contestant whose only instance is a given connection."""
    contestant = Contestant(find_package("@random"), Door(), "", bot_seed="")
    contestant.adopt(Instance(connection, None, "", 1))
    return contestant


async def _endless(number: int, players: list[Contestant]) -> None:
    time_control = parse_time_control("10s")
    for serial in range(1_000_000):
        spec = MatchSpec(f"m{number}-{serial}", preset("classic"), os.urandom(32), time=time_control)
        await Match(spec, players).play()


async def _measure(took: list[float], seconds: float) -> dict[str, float]:
    """Let the traffic run for so long; ``took`` collects how long each round trip took."""
    took.clear()
    began, cpu = time.perf_counter(), time.process_time()
    await asyncio.sleep(seconds)
    count, elapsed = len(took), time.perf_counter() - began
    cpu = time.process_time() - cpu
    times = sorted(took[:count])
    return {
        "decisions_per_s": count / elapsed,
        "p50_us": times[count // 2] * 1e6,
        "p99_us": times[int(count * 0.99)] * 1e6,
        "server_cpu_us": cpu / count * 1e6,
    }


def measure(matches: int, seconds: float, repeats: int) -> dict[str, Any]:
    """Measure floor and referee in turn and return the medians and the ratio."""
    floors, referees = [], []
    for _ in range(repeats):
        floors.append(run_async(floor(matches, seconds)))
        referees.append(run_async(referee(matches, seconds)))
    ratios = [r["decisions_per_s"] / f["decisions_per_s"] for f, r in zip(floors, referees, strict=True)]
    return {
        "matches": matches,
        "floor": {key: statistics.median(f[key] for f in floors) for key in floors[0]},
        "referee": {key: statistics.median(r[key] for r in referees) for key in referees[0]},
        "ratio": statistics.median(ratios),
    }


def main() -> None:
    """Run the benchmark and print its figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--matches", type=int, nargs="+", default=[1, 8, 32])
    parser.add_argument("--seconds", type=float, default=4.0)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    rows = [measure(m, arguments.seconds, arguments.repeats) for m in arguments.matches]
    if arguments.json:
        print(json.dumps(rows, indent=2))
        return
    print(__doc__)
    print("          floor                            referee")
    print("matches     /s  p50 us  p99 us  cpu us      /s  p50 us  p99 us  cpu us  ratio")
    for row in rows:
        cells = "".join(
            f"  {side['decisions_per_s']:6.0f}  {side['p50_us']:6.0f}"
            f"  {side['p99_us']:6.0f}  {side['server_cpu_us']:6.0f}"
            for side in (row["floor"], row["referee"])
        )
        print(f"{row['matches']:7}{cells}  {row['ratio']:5.2f}")


if __name__ == "__main__":
    main()
