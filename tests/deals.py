"""Hands set up from cards by name: the decks and positions that rule tests start from.

Player 0 is the non-dealer in all of them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from arena.engine.actions import DRAW_STOCK, KNOCK, PASS, SPREAD, Declaration, action_text, parse_action
from arena.engine.cards import CARD_NAMES, FULL_DECK, cards_of, parse_card, parse_cards
from arena.engine.presets import preset
from arena.engine.rules import RuleSet
from arena.engine.state import _FIELDS, OFFER_NON_DEALER, Hand

NON_DEALER = 0
DEALER = 1


def deck_of(non_dealer: str, dealer: str, upcard: str, stock: str = "") -> tuple[int, ...]:
    """Return the deck that deals these hands and upcard, with the stock's first cards as named.

    The cards not named follow in ascending order.
    """
    first, second = cards_of(parse_cards(non_dealer)), cards_of(parse_cards(dealer))
    assert len(first) == len(second) == 10, f"ten cards each, not {len(first)} and {len(second)}"
    named = [card for pair in zip(first, second, strict=True) for card in pair]
    named.append(parse_card(upcard))
    named += [parse_card(name) for name in stock.split()]
    assert len(set(named)) == len(named), "a card stands twice in the deal"
    return (*named, *(card for card in range(52) if card not in named))


def fill(cards: str, avoid: str) -> str:
    """Return ten cards: those named, and others that are not to be avoided."""
    chosen = list(cards_of(parse_cards(cards)))
    free = cards_of(FULL_DECK & ~parse_cards(cards) & ~parse_cards(avoid))
    # Every fifth card, so that the filling makes few melds.
    spread = [card for start in range(5) for card in free[start::5]]
    return " ".join(CARD_NAMES[card] for card in chosen + spread[: 10 - len(chosen)])


def dealt(rules: RuleSet | str, non_dealer: str, dealer: str, upcard: str, stock: str = "") -> Hand:
    """Return a hand just dealt; a player's cards are filled up to ten with any others."""
    taken = f"{upcard} {stock}"
    first = fill(non_dealer, f"{dealer} {taken}")
    second = fill(dealer, f"{first} {taken}")
    settings = preset(rules) if isinstance(rules, str) else rules
    return Hand(settings, deck_of(first, second, upcard, stock), DEALER)


def with_settings(name: str, **changes: Any) -> RuleSet:
    """Return a preset with single settings changed."""
    return replace(preset(name), name=f"{name}+", **changes)


def play(hand: Hand, *actions: str) -> Hand:
    """Apply actions, each by its text, and return the hand."""
    for text in actions:
        hand.apply(*parse_action(text))
    return hand


def legal(hand: Hand) -> set[str]:
    """Return the texts of the legal actions."""
    return {action_text(action) for action in hand.legal_actions()}


def knock_cards(hand: Hand) -> set[str]:
    """Return the names of the cards that may be discarded with a knock."""
    return {CARD_NAMES[action - KNOCK] for action in hand.legal_actions() if KNOCK <= action < DRAW_STOCK}


def drawn_to(rules: RuleSet | str, eleven: str, other: str = "", *, upcard: str = "") -> Hand:
    """Return a hand in which the non-dealer holds these eleven cards, the last drawn from the stock.

    An upcard that is not named is a ten or a face card, so that the limit is 10 under every preset.
    """
    names = eleven.split()
    used = parse_cards(eleven) | parse_cards(other)
    tens = (card for card in range(51, -1, -1) if card % 13 >= 9 and not used >> card & 1)
    upcard = upcard or CARD_NAMES[next(tens)]
    hand = dealt(rules, " ".join(names[:-1]), other, upcard, names[-1])
    if hand.phase == OFFER_NON_DEALER:
        hand.apply(PASS)
        hand.apply(PASS)
    hand.apply(DRAW_STOCK)
    return hand


def draw_on(hand: Hand, draws: int) -> Hand:
    """Draw from the stock and discard the card drawn, so many times, and return the hand."""
    if hand.phase == OFFER_NON_DEALER:
        play(hand, "pass", "pass")
    for _ in range(draws):
        hand.apply(DRAW_STOCK)
        hand.apply(hand.events[-1] >> 8)
    return hand


def showdown(
    rules: RuleSet | str,
    knocker: str,
    defender: str,
    *,
    upcard: str = "",
    declares: Declaration | None = None,
    answers: Declaration | None = None,
) -> Hand:
    """Return the hand after the non-dealer, left with exactly these ten cards, has knocked."""
    used = parse_cards(f"{knocker} {defender} {upcard}")
    spare = next(card for card in range(52) if not used >> card & 1)
    hand = drawn_to(rules, f"{knocker} {CARD_NAMES[spare]}", defender, upcard=upcard)
    hand.apply(KNOCK + spare, declares)
    if not hand.over:
        hand.apply(SPREAD, answers)
    return hand


def snapshot(hand: Hand) -> tuple[str, ...]:
    """Return everything that a hand holds, as text."""
    return tuple(f"{name}={getattr(hand, name)!r}" for name in _FIELDS if name != "rules")
