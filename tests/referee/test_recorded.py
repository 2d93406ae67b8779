"""A recorded match played again sends every seat the very bytes it was sent."""

from __future__ import annotations

import asyncio
from collections import defaultdict

import pytest

from arena.engine.presets import PRESETS, preset
from arena.engine.rules import override
from arena.log.lines import Decision
from arena.log.reader import read_log
from arena.protocol.v1 import bot_pb2
from arena.referee import match as match_module
from arena.referee.match import Match, MatchOutcome
from arena.referee.recorded import Place, play_again
from tests.protocol.test_noninterference import SEATS, World, run, some_decks


def recorded(name: str, form: str, seed: int, monkeypatch: pytest.MonkeyPatch) -> tuple[World, bytes]:
    """Play a match by chance; return what every seat was sent, and the log."""
    outcomes: list[MatchOutcome] = []

    class Kept(Match):
        async def play(self) -> MatchOutcome:
            outcomes.append(await super().play())
            return outcomes[-1]

    monkeypatch.setattr("tests.protocol.test_noninterference.Match", Kept)
    rules = override(preset(name), ["hands=2", "first_dealer=random", "target=1000"])
    tables = SEATS[form] // 2 if form == "partnership" else 1
    world = run(World(rules, form, some_decks(seed, 2, tables), seed=seed), monkeypatch)
    monkeypatch.undo()
    return world, outcomes[0].log


@pytest.mark.parametrize("form", SEATS)
@pytest.mark.parametrize("name", ["classic", "spanish", "openspiel", "eaai", "modern"])
def test_every_byte_is_sent_again(name: str, form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert name in PRESETS and match_module is not None
    world, log = recorded(name, form, 3, monkeypatch)
    sent: defaultdict[int, list[bytes]] = defaultdict(list)
    actions: list[str] = []

    async def listen(
        seat: int, message: bot_pb2.RefereeMessage, place: Place | None, decision: Decision | None
    ) -> None:
        sent[seat].append(message.SerializeToString(deterministic=True))
        if place is not None:
            assert decision is not None
            actions.append(".".join(map(str, place)))

    asyncio.run(play_again(read_log(log), listen))
    for seat, messages in world.sent.items():
        # The secret of this world is not what its decks were dealt from: only the end tells it.
        assert sent[seat][:-1] == messages[:-1]
        assert bot_pb2.RefereeMessage.FromString(sent[seat][-1]) == bot_pb2.RefereeMessage.FromString(
            messages[-1]
        )
    assert len(actions) == len(world.actions)
