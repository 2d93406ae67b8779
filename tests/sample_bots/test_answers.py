"""Every sample bot gives the simple policy's answers and behaves as a process should."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.engine.dealing import deck
from arena.engine.presets import preset
from arena.protocol.v1 import bot_pb2
from arena.referee.manifest import BotPackage
from tests.sample_bots.fake_referee import FakeReferee, ask_all, conversing, listening, started
from tests.sample_bots.packages import TOOLS, built, need
from tests.sample_bots.played import PlayedGame
from tests.sample_bots.record_requests import read_recorded, simple

NO_SUCH_PROXY = {
    name: "http://127.0.0.1:9"
    for lower in ("http_proxy", "https_proxy", "grpc_proxy", "all_proxy")
    for name in (lower, lower.upper())
} | {"no_proxy": "", "NO_PROXY": ""}


@pytest.fixture(params=list(TOOLS), scope="module")
def package(request: pytest.FixtureRequest) -> BotPackage:
    need(TOOLS[request.param])
    return built(request.param)


@pytest.fixture
def unix_address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A socket whose path is short enough for every system."""
    path = Path(f"/tmp/arena-test-{time.monotonic_ns()}.sock")
    yield f"unix:{path}"
    path.unlink(missing_ok=True)


def test_same_action_on_every_recorded_request(package: BotPackage, unix_address: str) -> None:
    recorded = read_recorded()

    async def run() -> list[str]:
        async with conversing(package, unix_address) as (referee, bot):
            answers = await ask_all(referee, [r.request for r in recorded], package.matches or 1)
            referee.finish()
            ended = await bot.ended()
            assert (ended.code, ended.stdout, ended.stderr) == (0, "", "")
            return [answer.action for answer in answers]

    actions = asyncio.run(run())
    wrong = [
        f"{r.request.game}.{r.request.hand}.{r.request.decision} {r.request.rules.name}: "
        f"{' '.join(r.request.cards)}: {action!r} instead of {r.action!r}"
        for r, action in zip(recorded, actions, strict=True)
        if action != r.action
    ]
    assert not wrong


def test_whole_games_at_once(package: BotPackage, unix_address: str) -> None:
    """Games under several presets, interleaved on one stream, each to its end without a fault."""
    names = ["classic", "spanish", "oklahoma", "openspiel", "eaai", "modern"]

    async def play(referee: FakeReferee, name: str) -> bool:
        game = PlayedGame(preset(name), name, lambda hand: deck(name.encode(), 0, hand))
        await referee.start_match(name)
        while not game.over:
            request = game.request()
            ours = request.seat == 0
            game.apply(
                request.seat,
                await referee.ask(request) if ours else bot_pb2.Decision(action=simple(request)),
            )
        await referee.end_match(name)
        return game.game.race.hands_won != [0, 0]

    async def run() -> list[bool]:
        async with conversing(package, unix_address) as (referee, bot):
            scored = await asyncio.gather(*(play(referee, name) for name in names))
            referee.finish()
            assert (await bot.ended()).code == 0
            return scored

    assert any(asyncio.run(run()))


def test_tcp_whatever_proxies_the_environment_names(package: BotPackage) -> None:
    recorded = read_recorded()[:20]

    async def run() -> list[str]:
        async with conversing(package, "127.0.0.1:0", NO_SUCH_PROXY) as (referee, bot):
            answers = await ask_all(referee, [r.request for r in recorded], 2)
            referee.finish()
            assert (await bot.ended()).code == 0
            return [answer.action for answer in answers]

    assert asyncio.run(run()) == [r.action for r in recorded]


def test_hello_tells_who_it_is(package: BotPackage, unix_address: str) -> None:
    async def run() -> bot_pb2.Hello:
        async with conversing(package, unix_address) as (referee, _):
            assert referee.hello is not None
            return referee.hello

    hello = asyncio.run(run())
    assert (hello.protocol, hello.max_matches) == (1, package.matches)
    assert hello.max_matches > 1
    assert hello.software.startswith(f"{package.language} ")
    # The Python SDK leaves name and version to the manifest.
    if package.name != "simple":
        assert (hello.name, hello.version) == (package.name, package.version)


def test_refused_with_exit_code_one_and_the_reason(package: BotPackage, unix_address: str) -> None:
    async def run() -> None:
        referee = FakeReferee(refusal="this table is full")
        async with listening(referee, unix_address) as address, started(package, address) as bot:
            ended = await bot.ended()
        assert ended.code == 1
        assert "this table is full" in ended.stderr and ended.stderr.count("\n") == 1
        assert ended.stdout == ""

    asyncio.run(run())


def test_waits_for_a_referee_that_listens_late(package: BotPackage, unix_address: str) -> None:
    async def run() -> None:
        async with started(package, unix_address) as bot:
            await asyncio.sleep(1.5)
            referee = FakeReferee()
            async with listening(referee, unix_address):
                await asyncio.wait_for(referee.welcomed(), 10)
                referee.finish()
                assert (await bot.ended()).code == 0

    asyncio.run(run())


def test_gives_up_on_an_absent_referee(package: BotPackage, unix_address: str) -> None:
    async def run() -> None:
        begun = time.monotonic()
        async with started(package, unix_address) as bot:
            ended = await bot.ended()
        assert ended.code == 1
        assert ended.stderr.count("\n") == 1 and ended.stdout == ""
        assert 4 < time.monotonic() - begun < 20

    asyncio.run(run())


@pytest.mark.parametrize("variable", ["ARENA_ADDRESS", "ARENA_TOKEN"])
def test_names_a_missing_variable(package: BotPackage, variable: str) -> None:
    async def run() -> None:
        async with started(package, "unix:/tmp/none.sock", {variable: ""}) as bot:
            ended = await bot.ended()
        assert ended.code == 1
        assert variable in ended.stderr and ended.stderr.count("\n") == 1

    asyncio.run(run())
