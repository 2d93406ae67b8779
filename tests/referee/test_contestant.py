"""Processes between matches: streams that break and come back, starts that are broken off."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from arena.engine.presets import preset
from arena.engine.rules import override
from arena.referee.contestant import Contestant
from arena.referee.manifest import BotPackage, find_package
from arena.referee.match import MatchSpec
from arena.referee.referee import Referee
from arena.referee.verdict import Fault, Verdict
from tests.referee.loops import in_loop
from tests.referee.processes import own_children, python

SHORT = override(preset("classic"), ["hands=1"])


@pytest.fixture(autouse=True)
def _nothing_stays() -> object:
    before = own_children()
    yield
    assert not own_children() - before, "a test left a process behind"


class Cable:
    """A relay between a bot and the referee that can be cut."""

    def __init__(self, address: str, folder: Path) -> None:
        self._target = address.removeprefix("unix:")
        self._path = folder / "cable"
        self._pairs: set[asyncio.StreamWriter] = set()
        self.calls = 0

    async def __aenter__(self) -> Cable:
        self._server = await asyncio.start_unix_server(self._relay, self._path)
        return self

    async def __aexit__(self, *_: object) -> None:
        self.cut()
        self._server.close()

    @property
    def address(self) -> str:
        return f"unix:{self._path}"

    def cut(self) -> None:
        for writer in list(self._pairs):
            writer.close()

    async def _relay(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.calls += 1
        other_reader, other_writer = await asyncio.open_unix_connection(self._target)
        self._pairs |= {writer, other_writer}
        await asyncio.gather(self._copy(reader, other_writer), self._copy(other_reader, writer))
        self._pairs -= {writer, other_writer}

    async def _copy(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while data := await reader.read(65536):
                writer.write(data)
                await writer.drain()
        except ConnectionError:
            pass
        finally:
            writer.close()


def contestant(referee: Referee, package: BotPackage, address: str | None = None) -> Contestant:
    bot = referee.enter(package)
    if address is not None:
        bot._address = address
    return bot


@in_loop
async def test_a_bot_whose_stream_breaks_between_matches_comes_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # It comes back in a moment, but a loaded machine may need more than the referee's patience.
    monkeypatch.setattr("arena.referee.contestant.RECONNECT_S", 60.0)
    async with Referee(start_s=60.0) as referee, Cable(referee.address, tmp_path) as cable:
        bot = contestant(referee, find_package("@random"), cable.address)
        other = referee.enter(find_package("@simple"))
        first = await referee.play(MatchSpec("m1", SHORT, b"1" * 32), [bot, other])
        (instance,) = bot._instances
        assert instance.process is not None
        pid = instance.process.pid
        cable.cut()
        await asyncio.wait_for(instance.connection.closed.wait(), 30)
        second = await referee.play(MatchSpec("m2", SHORT, b"2" * 32), [bot, other])
        assert [o.verdict for o in (first, second)] == [Verdict.COMPLETED] * 2
        assert (first.faults, second.faults) == ([0, 0], [0, 0])
        assert [i.process.pid for i in bot._instances if i.process is not None] == [pid]
        assert cable.calls == 2


@in_loop
async def test_a_stream_that_breaks_in_a_match_costs_the_game(tmp_path: Path) -> None:
    async with Referee(start_s=60.0) as referee, Cable(referee.address, tmp_path) as cable:
        bot = contestant(referee, find_package("@random"), cable.address)
        other = referee.enter(find_package("@simple"))
        instance = await bot.acquire()
        assert not isinstance(instance, Fault)
        await bot.release(instance)
        playing = asyncio.ensure_future(
            referee.play(MatchSpec("m1", preset("classic"), b"1" * 32, 50), [bot, other])
        )
        while not instance.connection._pending and not playing.done():  # noqa: ASYNC110
            await asyncio.sleep(0)
        cable.cut()
        outcome = await playing
        assert outcome.faults[0] == 1 and outcome.faults[1] == 0
        assert len(outcome.games) == 50


@in_loop
async def test_a_start_that_is_broken_off_leaves_nothing(tmp_path: Path) -> None:
    async with Referee() as referee:
        bot = referee.enter(python(tmp_path, "import time\ntime.sleep(600)"))
        starting = asyncio.ensure_future(bot.acquire())
        # The watchdog is a child as well.
        while len(own_children()) < 2:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        starting.cancel()
        await asyncio.wait({starting})
        assert starting.cancelled()
        assert bot._door._expected == {}


@in_loop
async def test_a_bot_that_exits_at_once_tells_why(tmp_path: Path) -> None:
    async with Referee() as referee:
        bot = referee.enter(python(tmp_path, "import sys\nprint('no model', file=sys.stderr)\nsys.exit(4)"))
        fault = await bot.acquire()
    assert isinstance(fault, Fault)
    assert (fault.verdict, fault.reason) == (Verdict.FAILED_START, "it exited with code 4 before its hello")
    assert fault.stderr == ("no model",)


@in_loop
async def test_the_socket_s_folder_is_removed() -> None:
    async with Referee() as referee:
        folder = Path(referee.address.removeprefix("unix:")).parent
        assert folder.is_dir()
        assert folder.stat().st_mode & 0o777 == 0o700
    assert not folder.exists()
