"""The SDK: bots as functions, coroutines and classes play whole matches; what is wrong with one is told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from arena.bot import Bot, MatchStart, Request
from arena.bot.bot import bot_class
from tests.cli.conftest import Arena, arena

__all__ = ["arena"]

MANIFEST = '[bot]\nname = "{name}"\nversion = "1"\nlanguage = "python"\n[run]\ncommand = "python bot.py"\n'

README_EXAMPLE = (Path(__file__).parents[2] / "README.md").read_text().split("```python\n")[1].split("```")[0]

COROUTINE = """
import asyncio
from arena.bot import Answer, Request, run

async def decide(request: Request) -> Answer:
    await asyncio.sleep(0.001)
    return Answer(request.legal_actions[-1], note=f"phase {request.phase}")

run(decide)
"""

CLASS = """
from arena.bot import Bot, Event, MatchEnd, MatchStart, Request, run

class Watching(Bot):
    max_matches = 4

    def __init__(self, start: MatchStart) -> None:
        super().__init__(start)
        self.hand: set[str] = set()

    def see(self, event: Event) -> None:
        kind = event.WhichOneof("kind")
        if kind == "hand_dealt":
            self.hand = set(event.hand_dealt.cards)
        elif kind == "acted" and event.acted.seat == self.start.seat:
            if event.acted.card:
                self.hand.add(event.acted.card)
            elif event.acted.action.split()[0] in ("discard", "knock"):
                self.hand.discard(event.acted.action.split()[1])

    def decide(self, request: Request) -> str:
        assert self.hand == set(request.cards), (self.hand, request.cards)
        return self.random.choice(request.legal_actions)

    def end(self, end: MatchEnd) -> None:
        assert end.secret and end.verdict == "completed"

run(Watching)
"""


def play(arena: Arena, folder: Path, script: str, *options: str) -> dict[str, object]:
    package = folder / "bot"
    package.mkdir()
    (package / "bot.toml").write_text(MANIFEST.format(name="mine"))
    (package / "bot.py").write_text(script)
    done = arena("match", "bot", "@simple", "--games", "4", "--json", "--sandbox", "none", *options)
    assert done.returncode == 0, done.stderr
    result: dict[str, object] = json.loads(done.stdout)
    return result


@pytest.mark.parametrize("script", [README_EXAMPLE, COROUTINE, CLASS], ids=["readme", "coroutine", "class"])
def test_a_bot_of_every_kind_plays_without_a_fault(arena: Arena, tmp_path: Path, script: str) -> None:
    """The class follows the events and finds in every request the cards that it expects."""
    assert play(arena, tmp_path, script)["faults"] == [0, 0]


def test_an_exception_in_a_bot_is_shown_with_its_traceback(arena: Arena, tmp_path: Path) -> None:
    for kind in ("", "async "):
        folder = tmp_path / f"x{len(kind)}"
        (folder / "bot").mkdir(parents=True)
        (folder / "bot" / "bot.toml").write_text(MANIFEST.format(name="mine"))
        (folder / "bot" / "bot.py").write_text(
            f"from arena.bot import run\n{kind}def decide(request):\n"
            "    raise ValueError('my own bug')\nrun(decide)\n"
        )
        done = arena("match", str(folder / "bot"), "@simple", "--games", "1", "--sandbox", "none")
        assert "crash: its process exited with code 1" in done.stdout
        assert "ValueError: my own bug" in done.stdout


def test_randomness_is_of_the_match_and_the_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARENA_BOT_SEED", "s")
    first, again, other = (Bot(MatchStart(match_id=m)).random.random() for m in ("a", "a", "b"))
    assert first == again != other


def test_a_function_keeps_its_name_and_its_answers() -> None:
    def my_policy(request: Request) -> str:
        return request.legal_actions[0]

    kind = bot_class(my_policy)
    assert kind.name == "my_policy"
    assert kind(MatchStart()).decide(Request(legal_actions=["pass"])) == "pass"
    with pytest.raises(TypeError, match="must define decide"):
        Bot(MatchStart()).decide(Request())
