"""Record the decision requests that every sample bot must answer alike; ``--check`` for staleness.

    python -m tests.sample_bots.record_requests [--check]

Games are played out by policies of different temper under every preset and some variants of them,
on shuffled decks and on decks rich in competing melds. Of the requests met on the way, 500 are kept:
some of every kind of decision, the rest by lot. Each is stored with the simple policy's action. One
of them is also written into each package, for the unit test of its strategy.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import random
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import zstandard
from google.protobuf import json_format

from arena.engine.cards import POINTS, parse_card, parse_cards
from arena.engine.dealing import Deck
from arena.engine.melds import deadwood
from arena.engine.presets import PRESETS
from arena.engine.rules import RuleSet
from arena.protocol.v1 import bot_pb2, game_pb2
from tests.sample_bots.greedy import greedy_deadwood
from tests.sample_bots.played import PlayedGame

ROOT: Final = Path(__file__).resolve().parents[2]
RECORDED: Final = Path(__file__).with_name("requests.jsonl.zst")
REQUESTS: Final = 500
OF_EACH_KIND: Final = 16
HANDS_OF_EACH_RULES: Final = 60

Request = bot_pb2.DecisionRequest
Policy = Callable[[Request, random.Random], str]


def _load_simple() -> Callable[[Request], str]:
    path = ROOT / "sample_bots" / "simple-python" / "strategy.py"
    spec = importlib.util.spec_from_file_location("simple_python_strategy", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    choose: Callable[[Request], str] = module.choose
    return choose


simple: Final = _load_simple()
"""The simple policy as sample_bots/simple-python defines it."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """A request and the simple policy's answer to it."""

    request: Request
    action: str


def read_recorded(path: Path = RECORDED) -> list[Recorded]:
    """Return the recorded requests in their order."""
    text = zstandard.ZstdDecompressor().decompress(path.read_bytes()).decode()
    return [
        Recorded(json_format.ParseDict(entry["request"], Request()), entry["action"])
        for entry in map(json.loads, text.splitlines())
    ]


# ---------------------------------------------------------------------- games to record from


def rule_sets() -> list[RuleSet]:
    """Return the rules under which requests are recorded."""
    classic, oklahoma, openspiel = PRESETS["classic"], PRESETS["oklahoma"], PRESETS["openspiel"]
    return [
        *PRESETS.values(),
        replace(classic, name="classic+", melds="declared", knock_face_down=True),
        replace(oklahoma, name="oklahoma+", ace_upcard="gin", spades_double=True, big_gin_bonus=31),
        replace(openspiel, name="openspiel+", big_gin_bonus=31, upcard_offer=False),
    ]


def hoarding(request: Request, rng: random.Random) -> str:
    """Improve the hand like the simple policy, but end it with big gin only: hands reach the wall."""
    calls = [a for a in request.legal_actions if a.startswith("knock")]
    discards = [a for a in request.legal_actions if a not in calls]
    if not discards or "big gin" in discards:
        return simple(request)
    quiet = Request()
    quiet.CopyFrom(request)
    quiet.legal_actions[:] = discards
    return simple(quiet)


def _any(request: Request, rng: random.Random) -> str:
    return rng.choice(request.legal_actions)


def wavering(request: Request, rng: random.Random) -> str:
    """Mix the others, so that hands take unlikely courses."""
    return rng.choice((_any, hoarding, hoarding, _simple))(request, rng)


def _simple(request: Request, rng: random.Random) -> str:
    return simple(request)


POLICIES: Final[tuple[Policy, ...]] = (_simple, hoarding, hoarding, wavering)


def shuffled(rng: random.Random) -> Deck:
    """Return a deck in any order."""
    deck = list(range(52))
    rng.shuffle(deck)
    return tuple(deck)


def meld_rich(rng: random.Random) -> Deck:
    """Return a deck that deals most cards from six neighbouring ranks, so that melds compete."""
    low = rng.randrange(8)
    near = [card for card in shuffled(rng) if low <= card % 13 < low + 6]
    far = [card for card in shuffled(rng) if not low <= card % 13 < low + 6]
    front = near[:20] + far[:6]
    rng.shuffle(front)
    return (*front, *near[20:], *far[6:])


def _hands(rules: RuleSet) -> int:
    """Return how many hands of a game are played: enough for a score, too few to dwell on dead hands."""
    return 1 if rules.hands == 1 else 3


def played_requests(rules: RuleSet, rng: random.Random) -> Iterator[Request]:
    """Yield every request of the first hands of one game."""
    deal = rng.choice((shuffled, meld_rich))
    game = PlayedGame(rules, "recorded", lambda hand: deal(rng), rng.randrange(2))
    policies = rng.choice(POLICIES), rng.choice(POLICIES)
    while not game.over and game.game.hand_number < _hands(rules):
        request = game.request()
        yield request
        action = policies[request.seat](request, rng)
        game.apply(request.seat, bot_pb2.Decision(action=action))


# ---------------------------------------------------------------------- which to keep


def kind_of(request: Request, action: str) -> str:
    """Return what makes a decision worth recording: its phase, the answer, and how it was found."""
    phase = game_pb2.Phase.Name(request.phase).removeprefix("PHASE_").lower()
    if not action.startswith(("discard", "knock")):
        return f"{phase}: {action}"
    verb = action.split()[0]
    if request.taken:
        verb += " after a take"
    if greedy_deadwood(request.cards, request.legal_actions) != action:
        return f"{phase}: {verb}, greedy melding errs"
    return f"{phase}: {verb}, {_deciding_tie(request, action)}"


def _deciding_tie(request: Request, action: str) -> str:
    """Return which of the tie-breaks decided between the discards that leave least deadwood."""
    rivals = [a for a in request.legal_actions if a != action and a.split()[0] == action.split()[0]]
    for reach, name in ((1, "by suit"), (2, "by rank"), (3, "by points")):
        if any(_closeness(request, action, rival) == reach for rival in rivals):
            return name
    return "by deadwood"


def _closeness(request: Request, action: str, rival: str) -> int:
    """Return 1 if only the suit tells two discards apart, 2 the rank, 3 the points, 4 the deadwood."""
    hand = parse_cards(" ".join(request.cards))
    one, other = parse_card(action.split()[1]), parse_card(rival.split()[1])
    if deadwood(hand ^ 1 << one) != deadwood(hand ^ 1 << other):
        return 4
    if POINTS[one] != POINTS[other]:
        return 3
    return 1 if one % 13 == other % 13 else 2


def record(seed: int = 1) -> list[Recorded]:
    """Play the games and return the requests to keep, in the order in which they were met."""
    met: list[Recorded] = []
    by_kind: dict[str, list[int]] = defaultdict(list)
    for rules in rule_sets():
        for number in range(HANDS_OF_EACH_RULES // _hands(rules)):
            for request in played_requests(rules, random.Random(f"{seed}/{rules.name}/{number}")):
                action = simple(request)
                by_kind[kind_of(request, action)].append(len(met))
                met.append(Recorded(request, action))
    rng = random.Random(f"{seed}/choice")
    kept: set[int] = set()
    for kind in sorted(by_kind):
        kept.update(rng.sample(by_kind[kind], min(OF_EACH_KIND, len(by_kind[kind]))))
    rest = [index for index in range(len(met)) if index not in kept]
    kept.update(rng.sample(rest, REQUESTS - len(kept)))
    return [met[index] for index in sorted(kept)]


# ---------------------------------------------------------------------- files


def as_json(request: Request) -> dict[str, object]:
    """Return a request in protobuf's JSON mapping."""
    return json_format.MessageToDict(request)


def example(recorded: list[Recorded]) -> Recorded:
    """Return the request that the packages' unit tests use: a knock on which greedy melding errs."""
    return next(r for r in recorded if kind_of(r.request, r.action) == "discard: knock, greedy melding errs")


def contents() -> dict[Path, str]:
    """Return the text of every recorded file by its path."""
    recorded = record()
    lines = [
        json.dumps({"action": r.action, "request": as_json(r.request)}, separators=(",", ":"))
        for r in recorded
    ]
    files = {RECORDED: "\n".join(lines) + "\n"}
    for package in example_packages():
        files[package / "testdata" / "request.json"] = (
            json.dumps(as_json(example(recorded).request), indent=2) + "\n"
        )
    return files


def example_packages() -> list[Path]:
    """Return the packages whose strategy is tested on the recorded example."""
    return [path.parent for path in sorted(ROOT.glob("sample_bots/*/testdata"))]


def stored(path: Path) -> str | None:
    """Return the text of a recorded file as it is stored; none if there is no such file."""
    if not path.exists():
        return None
    data = path.read_bytes()
    return (zstandard.ZstdDecompressor().decompress(data) if path.suffix == ".zst" else data).decode()


def main() -> int:
    """Write the files, or check them with ``--check``; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--check", action="store_true", help="exit 1 if a recorded file is stale")
    check = parser.parse_args().check
    files = contents()
    stale = [path for path, text in files.items() if stored(path) != text]
    for path in stale:
        if check:
            print(f"stale: {path.relative_to(ROOT)}", file=sys.stderr)
            continue
        data = files[path].encode()
        path.write_bytes(zstandard.ZstdCompressor(level=19).compress(data) if path == RECORDED else data)
    print(f"{len(stale)} of {len(files)} files {'are stale' if check else 'written'}", file=sys.stderr)
    return 1 if check and stale else 0


if __name__ == "__main__":
    raise SystemExit(main())
