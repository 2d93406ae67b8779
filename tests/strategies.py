"""Shared hypothesis strategies: cards, decks, rule sets, and policies that play hands out."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from hypothesis import strategies as st

from arena.engine.actions import BIG_GIN, DISCARD, DRAW_DISCARD, DRAW_STOCK, KNOCK, Declaration
from arena.engine.cards import FULL_DECK, Cards, mask_of
from arena.engine.melds import Meld, deadwood, melds_in
from arena.engine.presets import PRESETS
from arena.engine.rules import RuleSet, settings
from arena.engine.state import DISCARD_PHASE, DRAW, OFFER_DEALER, OVER, WALL_KNOCK, Hand

Policy = Callable[[Hand, random.Random], int]
"""Chooses one of the legal actions of a hand."""

cards = st.integers(0, 51)
decks = st.integers(0, 2**64 - 1).map(lambda seed: shuffled(random.Random(seed)))
presets = st.sampled_from(list(PRESETS.values()))


def hands(low: int = 10, high: int = 11) -> st.SearchStrategy[Cards]:
    """Return a strategy of sets of ``low`` to ``high`` cards, half of them rich in melds."""
    any_cards = st.sets(cards, min_size=low, max_size=high).map(lambda held: mask_of(tuple(held)))
    rich = st.tuples(st.integers(0, 2**64 - 1), st.integers(low, high)).map(
        lambda drawn: meld_rich(random.Random(drawn[0]), drawn[1])
    )
    return any_cards | rich


def shuffled(rng: random.Random) -> tuple[int, ...]:
    """Return a random deck."""
    deck = list(range(52))
    rng.shuffle(deck)
    return tuple(deck)


def meld_rich(rng: random.Random, size: int, free: Cards = FULL_DECK, low: int = -1) -> Cards:
    """Return ``size`` of the free cards, most of them of five ranks from ``low``, so that melds compete."""
    low = low if low >= 0 else rng.randrange(9)
    near = [card for card in range(52) if free >> card & 1 and low <= card % 13 < low + 5]
    far = [card for card in range(52) if free >> card & 1 and not low <= card % 13 < low + 5]
    rng.shuffle(near)
    rng.shuffle(far)
    close = max(0, size - rng.randrange(4))
    return mask_of((near[:close] + far + near[close:])[:size])


def layoff_rich(rng: random.Random) -> tuple[tuple[Meld, ...], Cards]:
    """Return a knocker's melds and ten cards of a defender, close enough that many can be laid off."""
    low = rng.randrange(9)
    knocker = meld_rich(rng, 14, low=low)
    melds: list[Meld] = []
    for meld in rng.sample(found := list(melds_in(knocker)), len(found)):
        if meld & ~knocker or len(melds) == 3:
            continue
        melds.append(meld)
        knocker ^= meld
    free = FULL_DECK
    for meld in melds:
        free ^= meld
    return tuple(melds), meld_rich(rng, 10, free, max(0, min(8, low + rng.randrange(-2, 3))))


def _values(setting: str) -> st.SearchStrategy[Any]:
    """Return a strategy of the values that a setting takes in play."""
    return _VALUES[setting]


_VALUES: dict[str, st.SearchStrategy[Any]] = {
    "upcard_offer": st.booleans(),
    "knock_limit": st.sampled_from([0, 1, 5, 10, 25, 60, 100, "upcard"]),
    "ace_upcard": st.sampled_from([1, "gin"]),
    "spades_double": st.booleans(),
    "returned_discard": st.sampled_from(["illegal", "dead_on_second"]),
    "stock_end": st.sampled_from(["dead", "wall"]),
    "swap_cap": st.integers(2, 60),
    "swap_cap_counts": st.sampled_from(["in_a_row", "total"]),
    "knock_face_down": st.booleans(),
    "melds": st.sampled_from(["optimal", "declared"]),
    "layoffs": st.booleans(),
    "gin_bonus": st.sampled_from([0, 20, 25]),
    "big_gin_bonus": st.sampled_from([None, 0, 31]),
    "undercut_bonus": st.sampled_from([0, 10, 20, 25]),
    "tie": st.sampled_from(["undercut", "nothing"]),
}
"""Values of every setting that governs a single hand."""


@st.composite
def rule_sets(draw: st.DrawFn) -> RuleSet:
    """Draw a preset with up to five of the settings that govern a hand changed."""
    base = draw(presets)
    changed = draw(st.lists(st.sampled_from(sorted(_VALUES)), max_size=5, unique=True))
    assert set(changed) <= set(settings())
    return replace(base, name=f"{base.name}+", **{name: draw(_values(name)) for name in changed})


def uniform(hand: Hand, rng: random.Random) -> int:
    """Choose uniformly among the legal actions."""
    return rng.choice(hand.legal_actions())


def knock_seeking(hand: Hand, rng: random.Random) -> int:
    """Play towards a knock: keep the least deadwood; knock at once, or go on for gin, at random."""
    legal = hand.legal_actions()
    cards = hand.hands[hand.turn]
    if hand.phase in (DISCARD_PHASE, WALL_KNOCK):
        if BIG_GIN in legal and rng.random() < 0.9:
            return BIG_GIN
        knocks = [action for action in legal if KNOCK <= action < DRAW_STOCK]
        if knocks and (hand.phase == WALL_KNOCK or rng.random() < 0.6):
            return min(knocks, key=lambda action: deadwood(cards ^ (1 << action - KNOCK)))
        discards = [action for action in legal if DISCARD <= action < KNOCK]
        return min(discards, key=lambda action: (deadwood(cards ^ (1 << action)), rng.random()))
    if hand.phase in (DRAW, *range(OFFER_DEALER + 1)) and DRAW_DISCARD in legal:
        # The other card that may be chosen here is unknown, so the top discard is taken if it melds.
        top = hand.discards[-1]
        if deadwood(cards | 1 << top) < deadwood(cards) and rng.random() < 0.9:
            return DRAW_DISCARD
        return next(action for action in legal if action != DRAW_DISCARD)
    return rng.choice(legal)


def swapping(hand: Hand, rng: random.Random) -> int:
    """Take the discard nearly always and play at random, so that swaps and returns come up."""
    legal = hand.legal_actions()
    if DRAW_DISCARD in legal and rng.random() < 0.97:
        return DRAW_DISCARD
    if hand.taken in legal and rng.random() < 0.15:
        return hand.taken
    discards = [action for action in legal if action < KNOCK]
    return rng.choice(discards or legal)


policies = st.sampled_from([uniform, knock_seeking, swapping])


def play_out(hand: Hand, policy: Policy, rng: random.Random) -> list[tuple[int, Declaration | None]]:
    """Play a hand to its end and return the actions taken."""
    taken: list[tuple[int, Declaration | None]] = []
    while hand.phase != OVER:
        action = policy(hand, rng)
        hand.apply(action)
        taken.append((action, None))
    return taken
