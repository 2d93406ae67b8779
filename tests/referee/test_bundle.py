"""Failure bundles: made from the log, complete, and the same each time."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path

from arena.engine.presets import preset
from arena.engine.rules import override
from arena.ladder.contest import write_match
from arena.referee.bundle import BUNDLES, bundles
from arena.referee.manifest import find_package
from arena.referee.match import MatchOutcome, MatchSpec
from arena.referee.policy import FaultPolicy
from arena.testing import MemoryArena, ScriptedBot, plays
from tests.referee.loops import in_loop
from tests.referee.test_match import at

SHORT = override(preset("classic"), ["hands=2"])


async def faulty(bot: ScriptedBot, games: int = 1, policy: FaultPolicy | None = None) -> MatchOutcome:
    async with MemoryArena() as arena:
        spec = MatchSpec("m1", SHORT, b"b" * 32, games, policy=policy or FaultPolicy(faulty_games=100))
        return await arena.play(spec, bot, ScriptedBot())


def read(data: bytes) -> dict[str, str]:
    with zipfile.ZipFile(io.BytesIO(data)) as file:
        return {name: file.read(name).decode() for name in file.namelist()}


@in_loop
async def test_a_bundle_has_all_that_is_needed() -> None:
    bot = ScriptedBot(at(4, plays(lambda request: "fold")))
    outcome = await faulty(bot)
    ((name, data),) = await bundles(outcome.log, "logs/m 1.jsonl.zst", ["./my bot", "@simple"])
    assert name == "m1.fault1-seat0.zip"
    members = read(data)
    assert set(members) == {"fault.json", "request.json", "view.txt", "log.jsonl", "output.txt"}
    facts = json.loads(members["fault.json"])
    assert (facts["verdict"], facts["seat"], facts["request_id"]) == ("protocol_error", 0, 4)
    place = f"{facts['game']}.{facts['hand']}.{facts['decision']}"
    assert facts["commands"]["reproduce"] == (
        f"arena replay 'logs/m 1.jsonl.zst' --rerun './my bot' --seat 0 --stop-at {place}"
    )
    request = json.loads(members["request.json"])
    assert request["requestId"] == "4"
    assert request["cards"] == list(bot.requests[3].cards)
    assert request["legalActions"] == list(bot.requests[3].legal_actions)
    lines = [json.loads(line) for line in members["log.jsonl"].splitlines()]
    assert lines[0]["type"] == "match" and lines[-1]["type"] == "fault"
    assert "'fold'" in members["view.txt"]


@in_loop
async def test_a_bundle_tells_of_its_own_game_only() -> None:
    wrong = plays(lambda request: "fold" if request.game == 1 else request.legal_actions[0])
    outcome = await faulty(ScriptedBot(wrong), games=2)
    ((_, data),) = await bundles(outcome.log, "log")
    types = [json.loads(line) for line in read(data)["log.jsonl"].splitlines()]
    assert [line["game"] for line in types if line["type"] == "game"] == [1]


@in_loop
async def test_the_same_log_gives_the_same_bundles_and_not_too_many() -> None:
    outcome = await faulty(ScriptedBot(plays(lambda request: "fold")), games=BUNDLES + 3)
    made = await bundles(outcome.log, "log")
    assert len(made) == BUNDLES
    assert made == await bundles(outcome.log, "log")


@in_loop
async def test_bundles_are_written_beside_the_log(tmp_path: Path) -> None:
    outcome = await faulty(ScriptedBot(plays(lambda request: "fold")))
    path = await write_match(tmp_path, outcome, [find_package("@random"), find_package("@simple")])
    assert sorted(file.name for file in tmp_path.iterdir()) == ["m1.fault1-seat0.zip", path.name]
    facts = json.loads(read((tmp_path / "m1.fault1-seat0.zip").read_bytes())["fault.json"])
    assert "--rerun @random" in facts["commands"]["reproduce"]
