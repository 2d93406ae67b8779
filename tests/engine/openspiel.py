"""A hand of OpenSpiel's ``gin_rummy`` stepped along with one of ours, decision by decision.

Their seat 0 is always the non-dealer and cards are numbered alike, rank within suit. What their
engine does otherwise than its own rules say is told apart exactly, and counted:

``eleven``
    Their least deadwood of eleven cards takes one best melding of the eleven and drops its largest
    unmatched card, so that some knocks (also at the wall) are missing.
``chain``
    At one end of a run at most two cards can be laid off; a third is refused.
``cap``
    The fiftieth draw of a discard ends the hand at once, before the discard or knock it allows.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from typing import Any

from arena.engine.actions import (
    DRAW_DISCARD,
    DRAW_STOCK,
    KNOCK,
    PASS,
    SPREAD,
    Declaration,
    action_text,
)
from arena.engine.cards import POINTS, Cards, cards_of, cards_text, mask_of
from arena.engine.melds import Layoff, Meld, arrange, arrangements, deadwood
from arena.engine.presets import preset
from arena.engine.state import DISCARD_PHASE, DRAW, OVER, SPREAD_PHASE, WALL, WALL_KNOCK, Hand
from tests.engine.exhaustive import fitting
from tests.strategies import Policy

TAKE, DRAW_ONE, DECLINE, CALL, MELDS = 52, 53, 54, 55, 56
"""Their action numbers: take the upcard, draw, pass, knock, and the first of laying a meld."""


class Parallel:
    """One hand played in both engines at once.

    Args:
        spiel: the ``pyspiel`` module.
        rules: the preset, ``openspiel`` or ``openspiel-oklahoma``.
        deck: the deck; player 1 deals.
        rng: for the policy and the declarations.
        counts: where differences, outcomes and comparisons are counted.
    """

    def __init__(
        self, spiel: Any, rules: str, deck: tuple[int, ...], rng: random.Random, counts: Counter[str]
    ) -> None:
        game = spiel.load_game("gin_rummy", {"oklahoma": rules == "openspiel-oklahoma"})
        self.utils = spiel.gin_rummy.GinRummyUtils(13, 4, 10)
        self.theirs = game.new_initial_state()
        self.ours = Hand(preset(rules), deck, 1)
        self.rng = rng
        self.counts = counts
        for card in (*deck[0:20:2], *deck[1:20:2], deck[20]):
            self.theirs.apply_action(card)
        assert self.theirs.knock_card() == self.ours.knock_limit

    # ------------------------------------------------------------------ the play

    def play(self, policy: Policy) -> None:
        """Play the hand out in both engines and compare them at each step."""
        while self.ours.phase not in (SPREAD_PHASE, OVER):
            refused = self.compare()
            action = policy(self.ours, self.rng)
            while action in refused:
                action = self.rng.choice(self.ours.legal_actions())
            if KNOCK <= action < DRAW_STOCK:
                self.knock(action)
            elif not self.step(action):
                return
        self.compare_end()

    def compare(self) -> set[int]:
        """Compare the legal actions and return those of ours that their defect does not allow."""
        self.counts["decisions"] += 1
        ours, phase = set(self.ours.legal_actions()), self.ours.phase
        theirs = set(self.theirs.legal_actions())
        assert self.theirs.current_player() == self.ours.turn
        knocks = {action - KNOCK for action in ours if KNOCK <= action < DRAW_STOCK}
        if phase == WALL_KNOCK:
            assert theirs == knocks
            return set()
        if phase == DISCARD_PHASE:
            translated = {action for action in ours if action < KNOCK} | ({CALL} if knocks else set())
        else:
            names = {DRAW_DISCARD: CALL if phase == WALL else TAKE, DRAW_STOCK: DRAW_ONE, PASS: DECLINE}
            translated = {names[action] for action in ours}
        if CALL in translated - theirs:
            self.check_eleven()
            translated.discard(CALL)
            assert translated == theirs
            return {DRAW_DISCARD} if phase == WALL else {KNOCK + card for card in knocks}
        assert translated == theirs, self.told()
        if knocks:
            assert set(self.theirs.child(CALL).legal_actions()) == knocks, self.told()
        return set()

    def check_eleven(self) -> None:
        """Check that a knock is missing for the reason named ``eleven``, and count it."""
        cards = self.ours.hands[self.ours.turn]
        if self.ours.phase == WALL:
            cards |= 1 << self.ours.discards[-1]
        said = self.utils.min_deadwood(list(cards_of(cards)))
        assert said in dropping_the_largest(cards), self.told()
        least = min(deadwood(cards ^ 1 << card) for card in cards_of(cards))
        assert least <= self.ours.knock_limit < said, self.told()
        self.counts["eleven"] += 1

    def step(self, action: int) -> bool:
        """Take an action that is no knock in both engines; return whether the hand goes on."""
        wall = self.ours.phase == WALL
        capped = self.ours.phase == DRAW and action == DRAW_DISCARD
        self.ours.apply(action)
        if action < KNOCK:
            self.theirs.apply_action(action)
        elif action == PASS:
            self.theirs.apply_action(DECLINE)
        elif action == DRAW_DISCARD:
            self.theirs.apply_action(CALL if wall else TAKE)
        else:
            self.theirs.apply_action(DRAW_ONE)
            self.theirs.apply_action(self.ours.events[-1] >> 8)
        self.counts["wall knock"] += wall and action == DRAW_DISCARD
        if capped and self.ours.swaps == self.ours.rules.swap_cap:
            self.check_cap()
            return False
        assert self.theirs.is_terminal() == self.ours.over, self.told()
        return True

    def check_cap(self) -> None:
        """Check that the hand ended at the draw, in ours at any discard, and count it."""
        assert self.theirs.is_terminal()
        assert self.theirs.returns() == [0, 0]
        for action in self.ours.legal_actions():
            if action < KNOCK:
                after = self.ours.clone()
                after.apply(action)
                assert after.result is not None
                assert after.result.dead_reason in ("swaps", "returned")
        self.counts["cap"] += 1

    # ------------------------------------------------------------------ the showdown

    def knock(self, action: int) -> None:
        """Knock in both engines, with melds of our default or of their random choice."""
        if self.ours.phase == DISCARD_PHASE:
            self.theirs.apply_action(CALL)
        self.theirs.apply_action(action - KNOCK)
        declared = self.rng.random() < 0.5
        cards = self.ours.hands[self.ours.turn] ^ 1 << action - KNOCK
        melds = self.random_melds(1.0) if declared else self.lay(arrange(cards).melds)
        self.theirs.apply_action(DECLINE)
        self.ours.apply(action, Declaration(melds) if declared else None)
        assert self.theirs.current_player() == self.ours.turn
        self.answer(declared)

    def answer(self, declared: bool) -> None:
        """Let the defender show its hand in both engines."""
        gin = self.ours.knocker_showing().deadwood == 0
        assert self.theirs.finished_layoffs() == gin
        shown = self.ours.knocker_showing().melds
        if declared:
            laid = () if gin else self.random_layoffs(shown)
            if not gin:
                self.theirs.apply_action(DECLINE)
            answer = Declaration(self.random_melds(0.9), laid)
        else:
            answer = self.default_answer(shown, gin)
        self.theirs.apply_action(DECLINE)
        best = self.ours.clone()
        best.apply(SPREAD)
        self.ours.apply(SPREAD, answer)
        assert best.result is not None and self.ours.result is not None
        if not declared and len(answer.layoffs) == self.best_layoffs:
            assert best.result.points == self.ours.result.points

    def default_answer(self, shown: tuple[Meld, ...], gin: bool) -> Declaration:
        """Lay our default showing out in their engine; return it, as far as they allow it."""
        best = self.ours.clone()
        best.apply(SPREAD)
        assert best.result is not None and best.result.showings is not None
        showing = best.result.showings[self.ours.turn]
        self.best_layoffs = len(showing.layoffs)
        laid: list[Layoff] = []
        for card, _ in showing.layoffs:
            if card in self.compare_layoffs(shown, laid):
                self.theirs.apply_action(card)
                laid = placed(shown, [*(layoff.card for layoff in laid), card])
        if not gin:
            self.theirs.apply_action(DECLINE)
        self.counts["laid off"] += len(laid)
        return Declaration(self.lay(showing.melds), tuple(laid))

    def random_layoffs(self, shown: tuple[Meld, ...]) -> tuple[Layoff, ...]:
        """Lay off cards at random among those that they allow."""
        laid: list[Layoff] = []
        while True:
            allowed = self.compare_layoffs(shown, laid)
            if not allowed or self.rng.random() < 0.1:
                return tuple(laid)
            card = self.rng.choice(sorted(allowed))
            self.theirs.apply_action(card)
            laid = placed(shown, [*(layoff.card for layoff in laid), card])
            self.counts["laid off"] += 1

    def compare_layoffs(self, shown: tuple[Meld, ...], laid: list[Layoff]) -> set[int]:
        """Compare the cards that may be laid off next, and return those that they allow."""
        theirs = set(self.theirs.legal_actions()) - {DECLINE}
        cards = [layoff.card for layoff in laid]
        left = self.ours.hands[self.ours.turn] & ~mask_of(cards)
        ours = {card for card in cards_of(left) if fits(shown, [*cards, card])}
        for card in ours - theirs:
            assert third_in_a_chain(shown, cards, card), self.told()
            self.counts["chain"] += 1
        assert theirs <= ours, self.told()
        return theirs

    def lay(self, melds: tuple[Meld, ...]) -> tuple[Meld, ...]:
        """Lay melds in their engine, runs of more than five cards in parts; return the melds."""
        for meld in melds:
            cards = list(cards_of(meld))
            while cards:
                size = len(cards) if len(cards) <= 5 else 3
                number = MELDS + self.utils.meld_to_int(cards[:size])
                assert number in self.theirs.legal_actions(), self.told()
                self.theirs.apply_action(number)
                cards = cards[size:]
        return melds

    def random_melds(self, eagerness: float) -> tuple[Meld, ...]:
        """Lay melds at random in their engine until it may stop, or has none left."""
        melds: list[Meld] = []
        while True:
            legal = self.theirs.legal_actions()
            choices = [action for action in legal if action >= MELDS]
            if not choices or (DECLINE in legal and self.rng.random() > eagerness):
                return tuple(melds)
            action = self.rng.choice(choices)
            melds.append(mask_of(self.utils.int_to_meld[action - MELDS]))
            self.theirs.apply_action(action)

    # ------------------------------------------------------------------ the end

    def compare_end(self) -> None:
        """Compare the results."""
        result = self.ours.result
        assert result is not None
        assert self.theirs.is_terminal()
        points = result.points if result.winner == 0 else -result.points
        assert self.theirs.returns() == [points, -points], self.told()
        self.counts[result.dead_reason or result.outcome] += 1

    def told(self) -> str:
        """Return both hands as text, for a failure's message."""
        actions = [action_text(event >> 1 & 127) for event in self.ours.events]
        hands = " | ".join(cards_text(cards) for cards in self.ours.hands)
        return f"{hands}; {actions}; theirs: {self.theirs}"


def following(spiel: Any, hand: Hand) -> Any:
    """Return their state after the same deal and actions (no knock among them) as a hand of ours."""
    game = spiel.load_game("gin_rummy", {"oklahoma": hand.rules.name == "openspiel-oklahoma"})
    theirs = game.new_initial_state()
    players = [list(cards_of(cards)) for cards in dealt_hands(hand)]
    for card in (*players[0], *players[1], hand.upcard):
        theirs.apply_action(card)
    for event in hand.events:
        action = event >> 1 & 127
        theirs.apply_action({DRAW_STOCK: DRAW_ONE, DRAW_DISCARD: TAKE, PASS: DECLINE}.get(action, action))
        if action == DRAW_STOCK:
            theirs.apply_action(event >> 8)
    return theirs


def dealt_hands(hand: Hand) -> list[Cards]:
    """Return the hands as they were dealt: what the events changed, undone."""
    hands = hand.hands[:]
    for event in reversed(hand.events):
        player, action = event & 1, event >> 1 & 127
        if action in (DRAW_STOCK, DRAW_DISCARD):
            hands[player] ^= 1 << (event >> 8)
        elif action < KNOCK:
            hands[player] |= 1 << action
    return hands


def steps(state: Any, stock: tuple[int, ...]) -> Iterator[Any]:
    """Yield their states after each step of ours: a draw with its card, a knock with its discard."""
    for action in state.legal_actions():
        after = state.child(action)
        if after.is_chance_node():
            after.apply_action(stock[len(stock) - after.stock_size()])
            yield after
        elif action == CALL and state.current_phase().name == "DISCARD":
            yield from (after.child(card) for card in after.legal_actions())
        else:
            yield after


def perft(state: Any, stock: tuple[int, ...], depth: int) -> int:
    """Return their number of sequences of ``depth`` of our steps; a hand ends with its knock."""
    if state.is_terminal() or any(
        knocked and len(cards) == 10 for knocked, cards in zip(state.knocked(), state.hands(), strict=True)
    ):
        return 0
    return sum(1 if depth == 1 else perft(after, stock, depth - 1) for after in steps(state, stock))


def dropping_the_largest(cards: Cards) -> set[int]:
    """Return the deadwood of each best melding of eleven cards without its largest unmatched card."""
    return {
        best.deadwood - max((POINTS[card] for card in cards_of(best.unmatched)), default=0)
        for best in arrangements(cards)
    }


def placed(shown: tuple[Meld, ...], cards: list[int]) -> list[Layoff]:
    """Return on which of the knocker's melds the cards lie, laid in this order; empty if they cannot."""

    def search(table: tuple[Meld, ...], rest: list[int]) -> list[Layoff] | None:
        if not rest:
            return []
        for index, meld in enumerate(table):
            if fitting(meld) >> rest[0] & 1:
                grown = (*table[:index], meld | 1 << rest[0], *table[index + 1 :])
                others = search(grown, rest[1:])
                if others is not None:
                    return [Layoff(rest[0], index), *others]
        return None

    return search(shown, cards) or []


def fits(shown: tuple[Meld, ...], cards: list[int]) -> bool:
    """Return whether the cards can be laid off in this order."""
    return bool(placed(shown, cards))


def third_in_a_chain(shown: tuple[Meld, ...], laid: list[int], card: int) -> bool:
    """Return whether a card is the third or a later one laid off at one end of a run."""
    for meld in shown:
        low, high = (meld & -meld).bit_length() - 1, meld.bit_length() - 1
        beyond = range(high + 1, card) if card > high else range(card + 1, low)
        if low // 13 == high // 13 == card // 13 and len(beyond) >= 2 and set(beyond) <= set(laid):
            return True
    return False
