"""Laws that hold in every hand, under every preset and with settings changed at random."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.engine.actions import ACTION_COUNT, BIG_GIN, DRAW_DISCARD, DRAW_STOCK, KNOCK, PASS, SPREAD
from arena.engine.cards import cards_of
from arena.engine.melds import is_meld
from arena.engine.presets import PRESETS
from arena.engine.rules import RuleSet
from arena.engine.scoring import NOBODY
from arena.engine.state import (
    DISCARD_PHASE,
    DRAW,
    NO_CARD,
    OVER,
    SPREAD_PHASE,
    STOCK_LEFT_AT_END,
    WALL,
    WALL_KNOCK,
    Hand,
)
from arena.errors import IllegalAction
from tests.deals import snapshot
from tests.engine.exhaustive import least_after_layoffs, least_deadwood
from tests.strategies import decks, knock_seeking, play_out, policies, rule_sets, shuffled, swapping, uniform

Law = Callable[[Hand], None]
seeds = st.integers(0, 2**32)


def walk(
    rules: RuleSet, deck: tuple[int, ...], seed: int, policy: object, law: Law, aligned: bool = False
) -> Hand:
    """Play a hand out and check a law before every action and at the end."""
    rng = random.Random(seed)
    hand = Hand(rules, deck, seed & 1, aligned=aligned)
    for _ in range(longest(rules)):
        law(hand)
        if hand.phase == OVER:
            return hand
        hand.apply(policy(hand, rng))  # type: ignore[operator]
    raise AssertionError(f"the hand does not end: {rules}, deck {deck}, seed {seed}")


def longest(rules: RuleSet) -> int:
    """Return how many decisions a hand can have: 29 stock draws, the swaps between, and the rest."""
    swaps = rules.swap_cap if rules.swap_cap_counts == "total" else 30 * rules.swap_cap
    return 2 * (29 + swaps) + 6


def everywhere(law: Law) -> Callable[[], None]:
    """Return a test of a law over rule sets, decks and policies."""

    @settings(max_examples=150, deadline=None)
    @given(rule_sets(), decks, seeds, policies, st.booleans())
    def test(rules: RuleSet, deck: tuple[int, ...], seed: int, policy: object, aligned: bool) -> None:
        walk(rules, deck, seed, policy, law, aligned)

    return test


# ---------------------------------------------------------------------- the cards


def fifty_two_distinct_cards(hand: Hand) -> None:
    held = [*cards_of(hand.hands[0]), *cards_of(hand.hands[1]), *hand.discards]
    held += hand.stock[hand.front : hand.back]
    if hand.knock_card != NO_CARD:
        held.append(hand.knock_card)
    assert sorted(held) == list(range(52))


def ten_cards_each_and_eleven_after_a_draw(hand: Hand) -> None:
    sizes = [cards.bit_count() for cards in hand.hands]
    if hand.phase in (DISCARD_PHASE, WALL_KNOCK):
        assert sizes[hand.turn] == 11
        sizes[hand.turn] = 10
    elif hand.knocker != NOBODY and hand.knock_card == NO_CARD:
        assert sizes[hand.knocker] == 11, "big gin is declared with eleven cards"
        sizes[hand.knocker] = 10
    assert sizes == [10, 10]


def known_cards_are_those_seen_taken_and_kept(hand: Hand) -> None:
    seen = [0, 0]
    for event in hand.events:
        player, action = event & 1, event >> 1 & 127
        if action == DRAW_DISCARD:
            seen[player] |= 1 << (event >> 8)
        elif action < DRAW_STOCK:
            seen[player] &= ~(1 << action % KNOCK)
    assert hand.known == seen
    assert all(known & cards == known for known, cards in zip(hand.known, hand.hands, strict=True))


test_there_are_52_distinct_cards_after_every_event = everywhere(fifty_two_distinct_cards)
test_hands_have_ten_cards_and_eleven_after_a_draw = everywhere(ten_cards_each_and_eleven_after_a_draw)
test_known_cards = everywhere(known_cards_are_those_seen_taken_and_kept)


# ---------------------------------------------------------------------- legal actions


def legal_actions_are_exactly_those_accepted(hand: Hand) -> None:
    legal = hand.legal_actions()
    assert len(set(legal)) == len(legal)
    assert (legal == ()) == (hand.phase == OVER)
    before = snapshot(hand)
    for action in (*range(-1, ACTION_COUNT + 1), 1 << 40):
        reason = hand.why_illegal(action)
        if action in legal:
            assert reason == ""
            hand.clone().apply(action)
        else:
            assert reason
            with pytest.raises(IllegalAction) as refusal:
                hand.apply(action)
            assert str(refusal.value) == reason
    assert snapshot(hand) == before


@settings(max_examples=60, deadline=None)
@given(rule_sets(), decks, seeds, policies)
def test_legal_actions_are_exactly_those_accepted(
    rules: RuleSet, deck: tuple[int, ...], seed: int, policy: object
) -> None:
    rng = random.Random(~seed)

    def sometimes(hand: Hand) -> None:
        if rng.random() < 0.15 or hand.phase not in (DRAW, DISCARD_PHASE):
            legal_actions_are_exactly_those_accepted(hand)

    walk(rules, deck, seed, policy, sometimes)


def legal_discards_and_knocks_by_the_rules(hand: Hand) -> None:
    """Judge each knock on the ten cards left, by exhaustive search."""
    if hand.phase not in (DISCARD_PHASE, WALL_KNOCK):
        return
    cards = hand.hands[hand.turn]
    free = cards_of(cards)
    if hand.rules.returned_discard == "illegal":
        free = tuple(card for card in free if card != hand.taken)
    legal = set(hand.legal_actions())
    assert {a for a in legal if a < KNOCK} == (set(free) if hand.phase == DISCARD_PHASE else set())
    allowed = {card for card in free if least_deadwood(cards ^ 1 << card) <= hand.knock_limit}
    assert {a - KNOCK for a in legal if KNOCK <= a < DRAW_STOCK} == allowed
    has_big_gin = hand.rules.big_gin_bonus is not None and least_deadwood(cards) == 0
    assert (BIG_GIN in legal) == has_big_gin


def the_wall_offers_the_discard_to_knock_with_only(hand: Hand) -> None:
    if hand.phase == WALL:
        taking = hand.clone()
        taking.phase = DRAW
        taking.apply(DRAW_DISCARD)
        knocks = [action for action in taking.legal_actions() if action >= KNOCK]
        assert hand.legal_actions() == ((DRAW_DISCARD, PASS) if knocks else (PASS,))


test_knocks_are_judged_on_the_ten_cards_left = everywhere(legal_discards_and_knocks_by_the_rules)
test_the_wall = everywhere(the_wall_offers_the_discard_to_knock_with_only)


# ---------------------------------------------------------------------- the end


def a_hand_goes_on_while_more_than_two_stock_cards_are_left(hand: Hand) -> None:
    if hand.result is not None and hand.result.dead_reason in ("stock", "wall"):
        assert hand.stock_count == STOCK_LEFT_AT_END
    if hand.phase == WALL:
        assert hand.stock_count == STOCK_LEFT_AT_END
    if hand.phase == DRAW:
        assert hand.stock_count > STOCK_LEFT_AT_END
    assert hand.stock_count >= STOCK_LEFT_AT_END
    assert (hand.result is not None) == (hand.phase == OVER) == hand.over


def a_result_is_what_the_cards_say(hand: Hand) -> None:
    """Compare a result with one worked out from the cards by exhaustive search."""
    result, rules = hand.result, hand.rules
    if result is None:
        return
    if result.outcome == "dead":
        assert (result.winner, result.points, result.knocker) == (NOBODY, 0, NOBODY)
        assert (result.showings, result.knock_card) == (None, None)
        assert result.dead_reason
        return
    assert result.showings is not None
    shown, answered = result.showings[result.knocker], result.showings[1 - result.knocker]
    for showing, cards in ((shown, hand.hands[result.knocker]), (answered, hand.hands[1 - result.knocker])):
        laid = sum(1 << layoff.card for layoff in showing.layoffs)
        assert all(is_meld(meld) for meld in showing.melds)
        assert sum(showing.melds) + laid + showing.unmatched == cards
    mine = least_deadwood(hand.hands[result.knocker])
    theirs = hand.hands[1 - result.knocker]
    laying = rules.layoffs and mine > 0
    other = least_after_layoffs(shown.melds, theirs) if laying else least_deadwood(theirs)
    assert (shown.deadwood, answered.deadwood) == (mine, other)
    assert laying or not answered.layoffs
    factor = 2 if rules.spades_double and hand.upcard // 13 == 3 else 1
    assert (result.outcome, result.points) == expected_score(rules, hand.knock_card, mine, other, factor)
    wins = result.knocker if result.outcome in ("knock", "gin", "big gin") else 1 - result.knocker
    assert result.winner == (NOBODY if result.outcome == "tie" else wins)


def expected_score(rules: RuleSet, knock_card: int, mine: int, other: int, factor: int) -> tuple[str, int]:
    if knock_card == NO_CARD:
        return "big gin", factor * (other + (rules.big_gin_bonus or 0))
    if mine == 0:
        return "gin", factor * (other + rules.gin_bonus)
    if mine < other:
        return "knock", factor * (other - mine)
    if mine == other and rules.tie == "nothing":
        return "tie", 0
    return "undercut", factor * (mine - other + rules.undercut_bonus)


test_a_hand_ends_dead_at_exactly_two_stock_cards = everywhere(
    a_hand_goes_on_while_more_than_two_stock_cards_are_left
)
test_a_result_is_what_the_cards_say = everywhere(a_result_is_what_the_cards_say)


@pytest.mark.parametrize("name", PRESETS)
def test_every_ending_comes_up_under_every_preset(name: str) -> None:
    rules = PRESETS[name]
    endings: Counter[str] = Counter()
    for seed in range(600):
        rng = random.Random(seed)
        hand = Hand(rules, shuffled(rng), seed & 1)
        play_out(hand, (knock_seeking, knock_seeking, swapping)[seed % 3], rng)
        assert hand.result is not None
        endings[hand.result.dead_reason or hand.result.outcome] += 1
    expected = {"knock", "gin", "undercut"}
    expected |= {"tie"} if rules.tie == "nothing" else set()
    expected |= {"returned"} if rules.returned_discard != "illegal" else {"swaps"}
    expected |= {"wall" if rules.stock_end == "wall" else "stock"}
    assert set(endings) - {"big gin", "swaps"} == expected - {"swaps"}
    assert expected <= set(endings)


# ---------------------------------------------------------------------- copies and repeats


@settings(max_examples=60, deadline=None)
@given(rule_sets(), decks, seeds, policies)
def test_a_clone_goes_its_own_way(rules: RuleSet, deck: tuple[int, ...], seed: int, policy: object) -> None:
    rng = random.Random(seed)

    def clones_are_independent(hand: Hand) -> None:
        if rng.random() < 0.1:
            before = snapshot(hand)
            copy = hand.clone()
            assert snapshot(copy) == before
            assert copy.rules is hand.rules
            play_out(copy, uniform, random.Random(seed))
            assert snapshot(hand) == before

    walk(rules, deck, seed, policy, clones_are_independent)


@settings(max_examples=60, deadline=None)
@given(rule_sets(), decks, seeds, policies)
def test_the_same_deck_and_actions_give_the_same_hand(
    rules: RuleSet, deck: tuple[int, ...], seed: int, policy: object
) -> None:
    hand = walk(rules, deck, seed, policy, lambda _: None)
    again = Hand(rules, deck, seed & 1)
    for event in hand.events:
        assert again.turn == event & 1
        again.apply(event >> 1 & 127)
    assert snapshot(again) == snapshot(hand)


@settings(max_examples=100, deadline=None)
@given(rule_sets(), decks, seeds)
def test_the_knockers_showing_depends_on_its_own_cards_alone(
    rules: RuleSet, deck: tuple[int, ...], seed: int
) -> None:
    hand = walk(rules, deck, seed, knock_seeking, lambda _: None)
    if hand.knocker == NOBODY:
        return
    shown = hand.knocker_showing()
    rng = random.Random(seed)
    others = [card for card in range(52) if not hand.hands[hand.knocker] >> card & 1]
    for _ in range(5):
        hand.hands[1 - hand.knocker] = sum(1 << card for card in rng.sample(others, 10))
        assert hand.knocker_showing() == shown


def test_the_spread_is_the_defenders_only_action() -> None:
    for seed in range(200):
        rng = random.Random(seed)
        hand = Hand(PRESETS["eaai"], shuffled(rng), seed & 1)
        while hand.phase not in (SPREAD_PHASE, OVER):
            hand.apply(knock_seeking(hand, rng))
        if hand.phase == SPREAD_PHASE:
            assert hand.legal_actions() == (SPREAD,)
            assert hand.turn == 1 - hand.knocker
