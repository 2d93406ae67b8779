"""Noninterference: what a seat cannot know changes no byte of what it is sent.

A match is played and everything sent to each seat is kept, as bytes. Then the cards of one hand that
a seat never saw change places among themselves (the stock's order, the opponent's other cards, a
face-down knock's discard, a dead hand's cards), every player acts as before, and that seat must be
sent the very same bytes: to the end of the match if the cards stay hidden, or up to the showdown
that shows them.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from arena.engine.actions import DRAW_DISCARD, DRAW_STOCK, KNOCK, action_text, parse_action
from arena.engine.cards import CARD_NAMES, cards_of
from arena.engine.dealing import deck as derived_deck
from arena.engine.game import Acted, Dealt, Game, Showed
from arena.engine.presets import PRESETS, preset
from arena.engine.rules import RuleSet, override
from arena.protocol.codec import decision_message
from arena.protocol.v1 import bot_pb2, game_pb2
from arena.referee import match as match_module
from arena.referee.clock import parse_time_control
from arena.referee.contestant import Contestant, Instance
from arena.referee.manifest import find_package
from arena.referee.match import Match, MatchSpec
from arena.referee.session import Door, Reply

SECRET = bytes(32)
SEATS = {"duel": 2, "cutthroat": 3, "captain": 3, "partnership": 4}
Decks = dict[tuple[int, int], tuple[int, ...]]
"""By hand and table."""


class Shown(Exception):
    """The run has come to the showdown up to which it is compared."""


@dataclass
class World:
    """One run of a match: its decks, who plays how, and every byte that each seat was sent."""

    rules: RuleSet
    form: str
    decks: Decks
    script: Iterator[str] | None = None
    """The actions to play; by chance where there is none."""
    seed: int = 0
    patient: bool = False
    """Knock at the wall only, and always where it can be done."""
    stop_before: int | None = None
    """Number of the action before which the run ends."""
    sent: dict[int, list[bytes]] = field(default_factory=dict)
    phases: dict[int, set[int]] = field(default_factory=dict)
    actions: list[str] = field(default_factory=list)
    games: list[Game] = field(default_factory=list)

    def act(self, request: bot_pb2.DecisionRequest) -> str:
        """Return the next action: as scripted, or by chance, and with a knock more often than not."""
        if len(self.actions) == self.stop_before:
            raise Shown
        if self.script is not None:
            action = next(self.script)
        elif self.patient:
            rng = random.Random(f"{self.seed} {len(self.actions)}")
            calm = [a for a in request.legal_actions if not a.startswith(("knock", "big gin"))]
            at_wall = request.phase == game_pb2.PHASE_WALL
            action = request.legal_actions[0] if at_wall or not calm else rng.choice(calm)
        else:
            rng = random.Random(f"{self.seed} {len(self.actions)}")
            knocks = [a for a in request.legal_actions if a.startswith(("knock", "big gin"))]
            action = rng.choice(knocks if knocks and rng.random() < 0.5 else list(request.legal_actions))
        self.actions.append(action)
        return action


class Wire:
    """Stands for a bot's connection: keeps the bytes, answers at once."""

    def __init__(self, world: World, seat: int) -> None:
        self.world, self.seat = world, seat
        self.closed = asyncio.Event()
        self.fault = None
        world.sent[seat] = []
        world.phases[seat] = set()

    async def ask(
        self, message: bot_pb2.RefereeMessage, match_id: str, request_id: int, budget_s: float | None
    ) -> Reply:
        self._keep(message)
        self.world.phases[self.seat].add(message.request.phase)
        action = self.world.act(message.request)
        return Reply(decision_message(match_id, request_id, parse_action(action)[0]), 0.001)

    def tell(self, message: bot_pb2.RefereeMessage) -> None:
        self._keep(message)

    def _keep(self, message: bot_pb2.RefereeMessage) -> None:
        self.world.sent[self.seat].append(message.SerializeToString(deterministic=True))


def run(world: World, monkeypatch: pytest.MonkeyPatch) -> World:
    """Play a world's match through the referee's own match loop."""

    class Watched(Game):
        def __init__(self, *arguments: Any, **keywords: Any) -> None:
            super().__init__(*arguments, **keywords)
            world.games.append(self)

    monkeypatch.setattr(match_module, "Game", Watched)
    monkeypatch.setattr(match_module, "deck", lambda _secret, _pair, hand, table: world.decks[hand, table])

    async def play() -> None:
        contestants = []
        for seat in range(SEATS[world.form]):
            contestant = Contestant(find_package("@random"), Door(), "", bot_seed="")
            contestant.adopt(Instance(Wire(world, seat), None, "", 1))  # type: ignore[arg-type]
            contestants.append(contestant)
        spec = MatchSpec("match", world.rules, SECRET, format=world.form, time=parse_time_control("30s/game"))
        with contextlib.suppress(Shown):
            await Match(spec, contestants).play()

    asyncio.run(play())
    return world


def hidden_places(world: World, hand: int, table: int, seat: int, *, with_showdown: bool) -> list[int]:
    """Return the places of a deck whose cards a seat never saw in that hand."""
    (game,) = world.games
    deck, seen, current = world.decks[hand, table], set[int](), -1
    for record in game.records:
        if isinstance(record, Dealt):
            current = record.hand
            if current == hand:
                plan = record.seating[table]
                seen.add(deck[20])
                if seat in plan.seats:
                    seen.update(deck[int(seat == plan.dealer_seat) : 20 : 2])
        elif current == hand and isinstance(record, Acted) and record.table == table:
            seen |= _seen_in(world.rules, record, seat)
        elif current == hand and with_showdown and isinstance(record, Showed) and record.table == table:
            for showing in record.result.showings or ():
                for cards in (*showing.melds, showing.unmatched):
                    seen.update(cards_of(cards))
                seen.update(layoff.card for layoff in showing.layoffs)
    return [place for place, card in enumerate(deck) if card not in seen]


def _seen_in(rules: RuleSet, record: Acted, seat: int) -> set[int]:
    if record.action < KNOCK:
        return {record.action}
    if record.action < DRAW_STOCK:
        return set() if rules.knock_face_down and record.seat != seat else {record.action - KNOCK}
    own_draw = record.action == DRAW_STOCK and record.seat == seat
    if record.card is not None and (own_draw or record.action == DRAW_DISCARD):
        return {record.card}
    return set()


def shuffled_places(deck: tuple[int, ...], places: list[int], rng: random.Random) -> tuple[int, ...]:
    """Return the deck with the cards of some places moved around among them; all of them move."""
    order = places[:]
    rng.shuffle(order)
    order = order[1:] + order[:1] if order == places else order
    new = list(deck)
    for place, source in zip(places, order, strict=True):
        new[place] = deck[source]
    return tuple(new)


def renamed(actions: list[str], old: tuple[int, ...], new: tuple[int, ...], knocks: set[int]) -> list[str]:
    """Return the actions with a hidden knock's card replaced by what now lies in its place."""
    result = []
    for number, text in enumerate(actions):
        action = parse_action(text)[0]
        if number in knocks and KNOCK <= action < DRAW_STOCK:
            text = action_text(KNOCK + new[old.index(action - KNOCK)])
        result.append(text)
    return result


def hand_of_actions(world: World) -> list[tuple[int, int]]:
    """Return the hand and table that each action belongs to."""
    (game,) = world.games
    places, current = [], -1
    for record in game.records:
        if isinstance(record, Dealt):
            current = record.hand
        elif isinstance(record, Acted):
            places.append((current, record.table))
    return places


def some_decks(seed: int, hands: int, tables: int) -> Decks:
    return {(h, t): derived_deck(f"{seed}".encode(), 0, h, t) for h in range(hands) for t in range(tables)}


def ended_by_showdown(world: World, hand: int, table: int) -> bool:
    (game,) = world.games
    current = -1
    for record in game.records:
        if isinstance(record, Dealt):
            current = record.hand
        elif isinstance(record, Showed) and (current, record.table) == (hand, table):
            return record.result.showings is not None
    return False


HANDS = 2


def worlds(name: str, form: str, seed: int, monkeypatch: pytest.MonkeyPatch) -> World:
    rules = override(preset(name), [f"hands={HANDS}", "first_dealer=random", "target=1000"])
    tables = SEATS[form] // 2 if form == "partnership" else 1
    return run(World(rules, form, some_decks(seed, HANDS, tables), seed=seed), monkeypatch)


@pytest.mark.parametrize("form", SEATS)
@pytest.mark.parametrize("name", PRESETS)
def test_hidden_cards_change_no_byte(name: str, form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    compared = 0
    for seed in range(3):
        first = worlds(name, form, seed, monkeypatch)
        places_of = hand_of_actions(first)
        for hand, table in first.decks:
            for seat in range(SEATS[form]):
                compared += _same_to_the_end(first, hand, table, seat, places_of, monkeypatch)
                compared += _same_to_the_showdown(first, hand, table, seat, places_of, monkeypatch)
    assert compared > 10


def _same_to_the_end(
    first: World,
    hand: int,
    table: int,
    seat: int,
    places_of: list[tuple[int, int]],
    patch: pytest.MonkeyPatch,
) -> int:
    """Compare whole matches: only cards that even the showdown did not show have moved."""
    places = hidden_places(first, hand, table, seat, with_showdown=True)
    # What a player who sits out or plays elsewhere may not learn, both players of the table know in part;
    # only cards that stay legal to play as before may move: those that neither of the two has seen.
    for other in _players(first, hand, table):
        if other != seat:
            places = [p for p in places if p in _never_held(first, hand, table, other, seat)]
    if len(places) < 2:
        return 0
    old = first.decks[hand, table]
    new = shuffled_places(old, places, random.Random(seat))
    knocks = {number for number, place in enumerate(places_of) if place == (hand, table)}
    script = iter(renamed(first.actions, old, new, knocks))
    second = run(World(first.rules, first.form, {**first.decks, (hand, table): new}, script), patch)
    assert second.sent[seat] == first.sent[seat], (hand, table, seat)
    return 1


def _players(world: World, hand: int, table: int) -> tuple[int, int]:
    (game,) = world.games
    for record in game.records:
        if isinstance(record, Dealt) and record.hand == hand:
            return record.seating[table].seats
    return (-1, -1)


def _never_held(world: World, hand: int, table: int, player: int, seat: int) -> set[int]:
    """Return the places whose cards another player may hold otherwise and still act as it did."""
    (game,) = world.games
    dead = not ended_by_showdown(world, hand, table)
    deck, played, current = world.decks[hand, table], set[int](), -1
    for record in game.records:
        if isinstance(record, Dealt):
            current = record.hand
        elif current == hand and isinstance(record, Acted) and record.table == table:
            is_knock = KNOCK <= record.action < DRAW_STOCK
            if record.action < DRAW_STOCK and not (is_knock and _face_down(world, record.seat, seat)):
                played.add(record.action % KNOCK)
            if record.action == DRAW_DISCARD and record.card is not None:
                played.add(record.card)
    if dead:
        return {place for place, card in enumerate(deck) if card not in played}
    # After a showdown the hands that were shown must stay as they were: the rest of the stock may move.
    shown = set(range(52)) - {deck[p] for p in hidden_places(world, hand, table, player, with_showdown=True)}
    knock = {
        r.action - KNOCK
        for r in game.records
        if isinstance(r, Acted) and r.seat == player and KNOCK <= r.action < DRAW_STOCK
    }
    return {
        place
        for place, card in enumerate(deck)
        if card not in played and (card not in shown or (card in knock and _face_down(world, player, seat)))
    }


def _face_down(world: World, knocker: int, seat: int) -> bool:
    return world.rules.knock_face_down and knocker != seat


def _same_to_the_showdown(
    first: World,
    hand: int,
    table: int,
    seat: int,
    places_of: list[tuple[int, int]],
    patch: pytest.MonkeyPatch,
) -> int:
    """Compare up to the knock: the opponent's hand and the stock may be anything until then."""
    numbers = [n for n, place in enumerate(places_of) if place == (hand, table)]
    players = _players(first, hand, table)
    if seat not in players:
        return 0
    knocks = [n for n in numbers if first.actions[n].startswith(("knock", "big gin"))]
    if not knocks:
        return 0
    places = hidden_places(first, hand, table, seat, with_showdown=False)
    discarded = {
        parse_action(first.actions[n])[0] % KNOCK
        for n in numbers[:-1]
        if first.actions[n].startswith("discard")
    }
    old = first.decks[hand, table]
    places = [place for place in places if old[place] not in discarded]
    if len(places) < 2:
        return 0
    new = shuffled_places(old, places, random.Random(seat))
    world = World(
        first.rules,
        first.form,
        {**first.decks, (hand, table): new},
        iter(first.actions),
        stop_before=knocks[0],
    )
    second = run(world, patch)
    reference = run(
        World(first.rules, first.form, first.decks, iter(first.actions), stop_before=knocks[0]), patch
    )
    assert second.sent[seat] == reference.sent[seat], (hand, table, seat)
    return 1


@pytest.mark.parametrize("name", ["openspiel", "openspiel-oklahoma"])
def test_hidden_cards_change_no_byte_at_the_wall(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Hands that are played down to the wall, where the last discard is taken to knock."""
    rules = override(
        preset(name), [f"hands={HANDS}", "knock_limit=60", "knock_face_down=yes", "swap_cap=1000"]
    )
    compared, phases = 0, set[int]()
    for seed in range(3):
        world = World(rules, "duel", some_decks(seed, HANDS, 1), seed=seed, patient=True)
        first = run(world, monkeypatch)
        phases |= set().union(*first.phases.values())
        places_of = hand_of_actions(first)
        for hand, table in first.decks:
            for seat in (0, 1):
                compared += _same_to_the_end(first, hand, table, seat, places_of, monkeypatch)
                compared += _same_to_the_showdown(first, hand, table, seat, places_of, monkeypatch)
    assert {game_pb2.PHASE_WALL, game_pb2.PHASE_WALL_KNOCK, game_pb2.PHASE_SPREAD} <= phases
    assert compared > 10


def test_all_other_phases_are_covered(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: set[int] = set()
    for name in PRESETS:
        for seed in range(12):
            world = worlds(name, "duel", seed, monkeypatch)
            seen |= set().union(*world.phases.values())
    assert seen >= set(game_pb2.Phase.values()) - {
        game_pb2.PHASE_UNSPECIFIED,
        game_pb2.PHASE_WALL_KNOCK,
    }


def test_the_check_finds_a_leak(monkeypatch: pytest.MonkeyPatch) -> None:
    """A referee that told the next stock card in any field would be found out."""
    from arena.protocol import codec

    original = codec.fill_request

    def leaky(request: bot_pb2.DecisionRequest, game: Game, seat: int, rules: game_pb2.Rules) -> None:
        original(request, game, seat, rules)
        hand = game.tables[0].hand
        request.knock_card = CARD_NAMES[hand.stock[hand.front]]

    monkeypatch.setattr(match_module, "fill_request", leaky)
    first = worlds("classic", "duel", 1, monkeypatch)
    with pytest.raises(AssertionError):
        for seat in (0, 1):
            _same_to_the_end(first, 0, 0, seat, hand_of_actions(first), monkeypatch)
