"""The bot mc: its samples fit what it has seen, its answers are legal, its thinking ends in time."""

from __future__ import annotations

import importlib
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.bot import MatchStart
from arena.engine.actions import DRAW_DISCARD, KNOCK
from arena.engine.cards import FULL_DECK, cards_of, mask_of, parse_card, parse_cards, points_of
from arena.engine.dealing import deck
from arena.engine.formats import format_for
from arena.engine.game import Game
from arena.engine.melds import arrangements, deadwood, defence_deadwood, is_meld
from arena.engine.presets import PRESETS, preset
from arena.engine.scoring import score_showdown
from arena.engine.state import DISCARD_PHASE, OVER, Hand
from arena.protocol.codec import read_decision, request_message, rules_message
from arena.protocol.v1 import bot_pb2, game_pb2
from tests.sample_bots.played import PlayedGame
from tests.sample_bots.record_requests import read_recorded, simple
from tests.strategies import hands, meld_rich

FOLDER = Path(__file__).resolve().parents[2] / "sample_bots" / "mc-python"
NAMES = ("bot", "budget", "beliefs", "choice", "hands", "outlook", "position", "race", "rollout", "stakes")
RECORDED = [recorded.request for recorded in read_recorded()]

Request = bot_pb2.DecisionRequest


def load() -> Any:
    """Import the package's modules, and leave no trace of their plain names."""
    sys.path.insert(0, str(FOLDER))
    try:
        modules: dict[str, ModuleType] = {name: importlib.import_module(name) for name in NAMES}
    finally:
        sys.path.remove(str(FOLDER))
        for name in NAMES:
            sys.modules.pop(name, None)
    assert all(Path(str(module.__file__)).parent == FOLDER for module in modules.values())
    return SimpleNamespace(**modules)


mc = load()


def secret(number: int) -> bytes:
    return number.to_bytes(32, "big")


def played(preset_name: str, seed: int) -> PlayedGame:
    return PlayedGame(PRESETS[preset_name], "m", lambda hand: deck(secret(seed), 0, hand), seed % 2)


def choice_of(request: Request, rng: random.Random, samples: int = 2) -> str:
    action: str = mc.choice.Player(rng).choose(request, mc.budget.Budget.of_samples(samples))
    return action


def wander(game: PlayedGame, rng: random.Random) -> Iterator[Request]:
    """Play a game by the simple policy with some random actions, and tell every request of it."""
    while not game.over:
        request = game.request()
        yield request
        action = rng.choice(request.legal_actions) if rng.random() < 0.2 else simple(request)
        game.apply(request.seat, bot_pb2.Decision(action=action))


# ---------------------------------------------------------------------- reading a request


@pytest.mark.parametrize("name", PRESETS)
def test_the_opponents_turns_are_those_that_it_played(name: str) -> None:
    rng = random.Random(1)
    checked = 0
    for seed in range(6):
        game = played(name, seed)
        for request in wander(game, rng):
            if request.phase == game_pb2.PHASE_SPREAD:
                continue
            hand = game.game.tables[0].hand
            found = mc.position.opponent_turns(request)
            assert [tuple(turn) for turn in found] == turns_played(hand, 1 - request.seat)
            checked += len(found)
    assert checked > 50


def turns_played(hand: Hand, player: int) -> list[tuple[int, bool, int]]:
    """Return what a player was offered, whether it took it and its discard, by finished turn."""
    turns = []
    pile, offered, took = [hand.upcard], -1, False
    for event in hand.events:
        action, card = event >> 1 & 127, event >> 8
        if action in (104, DRAW_DISCARD):
            offered, took = pile[-1], action == DRAW_DISCARD
            if took:
                assert pile.pop() == card
        elif action < KNOCK:
            pile.append(action)
            if event & 1 == player:
                turns.append((offered, took, action))
    return turns


def test_a_refused_upcard_is_one_that_was_passed() -> None:
    seen = set()
    for seed in range(30):
        game = played("classic", seed)
        for request in wander(game, random.Random(seed)):
            hand = game.game.tables[0].hand
            passed = any(event & 1 != request.seat and event >> 1 & 127 == 106 for event in hand.events)
            found = mc.position.refused_upcard(request)
            assert found == (hand.upcard if passed else -1)
            seen.add((passed, hand.dealer == request.seat))
    assert len(seen) == 4


# ---------------------------------------------------------------------- samples


def assert_consistent(request: Request, deal: Any) -> None:
    known = parse_cards(" ".join(request.opponent_known))
    seen = parse_cards(" ".join([*request.cards, *request.discard_pile]))
    stock = mask_of(deal.stock)
    assert deal.theirs.bit_count() == 10
    assert known & ~deal.theirs == 0
    assert len(deal.stock) == stock.bit_count() == request.stock_count
    assert deal.theirs & seen == stock & seen == deal.theirs & stock == 0
    assert deal.theirs | stock | seen == FULL_DECK


@pytest.mark.parametrize("name", PRESETS)
def test_samples_fit_what_was_seen(name: str) -> None:
    rng = random.Random(2)
    for request in RECORDED:
        if request.rules.name.rstrip("+") == name and request.phase != game_pb2.PHASE_SPREAD:
            beliefs = mc.beliefs.Beliefs(mc.position.read_position(request), rng)
            for _ in range(3):
                assert_consistent(request, beliefs.sample())


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 2**32), st.sampled_from(list(PRESETS)))
def test_samples_fit_when_they_go_on_from_earlier_ones(seed: int, name: str) -> None:
    rng = random.Random(seed)
    game = played(name, seed)
    before = [None, None]
    for request in wander(game, rng):
        if request.hand > 0:
            break
        if request.phase == game_pb2.PHASE_SPREAD:
            continue
        position = mc.position.read_position(request)
        before[request.seat] = beliefs = mc.beliefs.Beliefs(position, rng, before[request.seat])
        assert_consistent(request, beliefs.sample())


def test_samples_know_more_than_chance() -> None:
    """Against the simple policy they hold the opponent's unknown cards far more often than a blind draw."""
    rng = random.Random(3)
    held = blind = 0.0
    for seed in range(12):
        game = played("classic", seed)
        while not game.over:
            request = game.request()
            position = mc.position.read_position(request)
            if len(position.turns) >= 3 and request.phase == game_pb2.PHASE_DRAW:
                truth = game.game.tables[0].hand.hands[1 - request.seat] & ~position.known
                beliefs = mc.beliefs.Beliefs(position, rng)
                held += sum((beliefs.sample().theirs & truth).bit_count() for _ in range(4)) / 4
                blind += position.hidden_count**2 / len(position.unseen)
            game.apply(request.seat, bot_pb2.Decision(action=simple(request)))
    assert blind > 100
    assert held > 1.2 * blind


# ---------------------------------------------------------------------- hands and rollouts


@given(hands())
def test_unmatched_cards_and_melds_are_an_optimum(cards: int) -> None:
    left = mc.hands.unmatched(cards)
    assert left & ~cards == 0
    assert points_of(left) == deadwood(cards)
    melds = mc.hands.melds_of(cards)
    assert all(map(is_meld, melds))
    assert sum(melds) == mask_of([card for meld in melds for card in cards_of(meld)])
    assert sum(melds) & ~cards == 0
    assert points_of(cards ^ sum(melds)) == deadwood(cards)


@given(st.integers(0, 2**32), st.sampled_from(list(PRESETS.values())))
def test_a_knock_scores_as_by_the_rules(seed: int, rules: Any) -> None:
    rng = random.Random(seed)
    shown = meld_rich(rng, 10)
    defender = meld_rich(rng, 10, FULL_DECK & ~shown)
    left = deadwood(shown)
    arranged = arrangements(shown)
    theirs = (
        defence_deadwood(mc.hands.melds_of(shown), defender) if left and rules.layoffs else deadwood(defender)
    )
    points = score_showdown(rules, left, theirs, big_gin=False, doubled=False)
    stakes = SimpleNamespace(
        gin_bonus=rules.gin_bonus,
        undercut_bonus=rules.undercut_bonus,
        tie_nothing=rules.tie == "nothing",
        layoffs=rules.layoffs,
    )
    found = mc.rollout.knock_points(stakes, shown, defender, left)
    assert arranged
    assert found == (points.points if points.knocker_wins else -points.points)


def test_a_rollout_of_a_certain_gin_is_worth_gin() -> None:
    hand = parse_cards("AC 2C 3C 4C 5D 5H 5S 9D TD QD")
    other = parse_cards("AS 3S 6S 8C TC KC 2H 7H 9H JH")
    stock = [parse_card(name) for name in ("QH", "QS", "KD", "KH", "KS", "AD", "8D", "JD")]
    request = next(r for r in RECORDED if r.rules.name == "classic" and not any(r.scores))
    stakes = mc.stakes.read_stakes(request)
    sides = (mc.rollout.Side(10), mc.rollout.Side(10))
    worth = mc.rollout.play_out(stakes, sides, (hand, other), stock, 0, -1)
    assert worth == stakes.worth(25 + deadwood(other))


# ---------------------------------------------------------------------- stakes


@given(st.integers(1, 300), st.integers(0, 320), st.integers(0, 320))
def test_chances_of_a_race_are_shared_out(target: int, mine: int, theirs: int) -> None:
    chance = mc.stakes.race_chance(target, mine, theirs)
    assert 0 <= chance <= 1
    assert mc.stakes.race_chance(target, mine + 7, theirs) >= chance - 1e-9
    if min(mine, theirs) < target:
        assert chance + mc.stakes.race_chance(target, theirs, mine) == pytest.approx(1)


def test_points_beyond_the_target_are_worth_nothing() -> None:
    request = Request(seat=0, opponent=1, scores=[95, 40], rules=rules_message(preset("classic")))
    stakes = mc.stakes.read_stakes(request)
    assert stakes.worth(5) == stakes.worth(60) > 0
    assert stakes.worth(-10) > stakes.worth(-30) > stakes.worth(-60) == stakes.worth(-90)


# ---------------------------------------------------------------------- answers


def test_answers_to_recorded_requests_are_legal() -> None:
    rng = random.Random(4)
    for request in RECORDED:
        assert choice_of(request, rng) in request.legal_actions


@pytest.mark.parametrize("name", PRESETS)
def test_plays_whole_games_of_every_preset(name: str) -> None:
    for seed in range(2):
        game = played(name, seed)
        players = [mc.choice.Player(random.Random(seed)) for _ in range(2)]
        while not game.over:
            request = game.request()
            action = players[request.seat].choose(request, mc.budget.Budget.of_samples(2))
            assert action in request.legal_actions
            game.apply(request.seat, bot_pb2.Decision(action=action))


@pytest.mark.parametrize(("form", "seats"), [("cutthroat", 3), ("captain", 3), ("partnership", 4)])
def test_plays_every_format(form: str, seats: int) -> None:
    game = Game(preset("classic"), format_for(form, seats), 0)
    players = [mc.choice.Player(random.Random(seat)) for seat in range(seats)]
    asked = 0
    while game.finished is None:
        if needed := game.decks_needed:
            game.deal([deck(secret(5), 0, game.hand_number + 1, table) for table in range(needed)])
        for seat in game.to_act():
            asked += 1
            request = request_of(game, seat, asked)
            action = players[seat].choose(request, mc.budget.Budget.of_samples(2))
            game.apply(seat, *read_decision(bot_pb2.Decision(action=action)))
    assert asked > 30


def request_of(game: Game, seat: int, number: int) -> Request:
    return request_message(
        game,
        seat,
        match_id="m",
        request_id=number,
        game_number=0,
        decision=number,
        rules=rules_message(game.rules),
        time_left_ms=0,
        events=(),
    )


@pytest.mark.parametrize("name", ["brazilian", "oklahoma"])
def test_knock_limits_and_rules_without_an_offer_are_heard(name: str) -> None:
    """A hand that can end with gin ends so at once, whatever the limit."""
    cards = parse_cards("AC 2C 3C 5D 5H 5S 9D TD JD QD KS")
    dealt = Hand(preset(name), dealt_deck(cards), 1)
    while dealt.phase != DISCARD_PHASE:
        dealt.apply(dealt.legal_actions()[-1] if dealt.legal_actions()[0] == 105 else 104)
    game = Game(preset(name), format_for("duel", 2), 1)
    game.deal([dealt_deck(cards)])
    game.tables[0].hand = dealt
    assert choice_of(request_of(game, 0, 1), random.Random(0)) == "knock KS"
    assert dealt.phase != OVER


def dealt_deck(eleven: int) -> tuple[int, ...]:
    """Return a deck that deals ten of the cards to the non-dealer and has the eleventh on the stock."""
    *ten, last = cards_of(eleven)
    rest = [card for card in range(52) if not eleven >> card & 1]
    dealer, upcard, stock = rest[::4][:10], rest[-1], [c for c in rest[:-1] if c not in rest[::4][:10]]
    return (*(card for pair in zip(ten, dealer, strict=True) for card in pair), upcard, last, *stock)


def test_same_seed_same_answers() -> None:
    requests = RECORDED[::10]
    answers = [[choice_of(request, random.Random(6), 8) for request in requests] for _ in range(2)]
    assert answers[0] == answers[1]


# ---------------------------------------------------------------------- time


class Clock:
    """A clock on which every look takes a millisecond."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        self.seconds += 0.001
        return self.seconds


def thinking_s(request: Request, time: game_pb2.Rules | None = None, **control: int) -> float:
    """Return how long the bot thinks about a request by the clock above."""
    clock = Clock()
    start = MatchStart(match_id="m", time=bot_pb2.TimeControl(**control))
    allowance = mc.budget.Allowance(start, clock)
    begun = clock.seconds
    mc.choice.Player(random.Random(7)).choose(request, allowance.begin(request))
    return clock.seconds - begun


def undecided(time_left_ms: int) -> Request:
    """Return an opening discard that takes all the time there is."""
    request = Request()
    request.CopyFrom(
        next(
            r
            for r in RECORDED
            if r.phase == game_pb2.PHASE_DISCARD
            and not any(a.startswith(("knock", "big")) for a in r.legal_actions)
            and len(mc.choice.sensible_discards(mc.position.read_position(r))) > 2
        )
    )
    request.time_left_ms = time_left_ms
    return request


@pytest.mark.parametrize("limit_ms", [30, 90, 300])
def test_thinks_for_a_third_of_the_limit(limit_ms: int) -> None:
    took = thinking_s(undecided(limit_ms), move_ms=limit_ms)
    assert limit_ms / 3 - 3 <= 1000 * took <= limit_ms / 3 + 3


def test_thinks_no_longer_than_it_likes_without_a_limit() -> None:
    assert thinking_s(undecided(0)) == pytest.approx(0.3, abs=0.003)


def test_divides_the_time_of_a_game() -> None:
    assert thinking_s(undecided(30_000), game_ms=5_000) == pytest.approx(0.1, abs=0.003)
    now = [0.0]
    start = MatchStart(time=bot_pb2.TimeControl(game_ms=5_000, increment_ms=20))
    allowance = mc.budget.Allowance(start, lambda: now[0])
    request = undecided(5_000)
    for decision in range(500):
        now[0] = allowance.begin(request).deadline_s
        allowance.end()
        assert now[0] < 5 + 0.02 * decision
    assert now[0] > 0.9 * (5 + 0.02 * 500)


# ---------------------------------------------------------------------- strength


def test_beats_the_simple_policy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARENA_MC_SAMPLES", "24")
    wins = points = 0
    for number in range(20):
        seat = number % 2
        game = played("classic", 400 + number // 2)
        bot = mc.bot.McBot(MatchStart(match_id=f"strength {number}", seat=seat))
        while not game.over:
            request = game.request()
            action = bot.decide(request) if request.seat == seat else simple(request)
            game.apply(request.seat, bot_pb2.Decision(action=action))
        assert game.game.finished is not None
        settlement = game.game.finished.settlement
        wins += seat in settlement.winners
        points += settlement.points[seat] - settlement.points[1 - seat]
    assert wins >= 12, f"{wins} of 20 games won"
    assert points > 150, f"{points} points more than the simple policy"
