"""One line of text for a hand in any state, and back: for test cases, bug reports and corpora.

::

    classic gin_bonus=20 | dealer 1 | AC 2D 7H ... (52 cards) | pass, draw discard, discard KH

The parts are the rules (a preset and the settings that differ from it), the dealer, the deck in
dealing order (with ``aligned`` before it where both players draw from ends of their own), and the
actions so far.
"""

from __future__ import annotations

from arena.engine.actions import BIG_GIN, KNOCK, SPREAD, Declaration, action_text, parse_action
from arena.engine.cards import CARD_NAMES, parse_card
from arena.engine.presets import PRESETS, preset
from arena.engine.rules import RuleSet, override, settings, value_text
from arena.engine.state import Hand
from arena.errors import NotationError


def rules_text(rules: RuleSet) -> str:
    """Return a preset's name and the settings that differ from it.

    Rules whose name is no preset's are told as differences from ``classic``.
    """
    name = rules.name.removesuffix("+")
    base = PRESETS.get(name, PRESETS["classic"])
    changes = [
        f"{setting}={value_text(getattr(rules, setting))}"
        for setting in settings()
        if getattr(rules, setting) != getattr(base, setting)
    ]
    return " ".join([base.name, *(change.replace(" ", "_") for change in changes)])


def parse_rules(text: str) -> RuleSet:
    """Return the rules of a text such as ``classic gin_bonus=20``.

    Raises:
        RuleError: an unknown preset or setting, or a value that it does not take.
    """
    name, *changes = text.split()
    return override(preset(name), (_unspaced(change) for change in changes))


def _unspaced(change: str) -> str:
    """Undo the underscore that stands for the space of a value such as ``seat 0``."""
    setting, _, value = change.partition("=")
    return f"{setting}={value.replace('seat_', 'seat ')}"


def hand_text(hand: Hand) -> str:
    """Return the line of a hand: what it takes to set it up and play it to where it stands."""
    deck = " ".join(CARD_NAMES[card] for card in hand.deck)
    actions = [_event_text(hand, event >> 1 & 127) for event in hand.events]
    aligned = "aligned " if hand.aligned else ""
    parts = (rules_text(hand.rules), f"dealer {hand.dealer}", aligned + deck, ", ".join(actions))
    return " | ".join(parts).rstrip()


def _event_text(hand: Hand, action: int) -> str:
    declaration: Declaration | None = None
    if KNOCK <= action < KNOCK + 52 or action == BIG_GIN:
        declaration = hand.declared
    elif action == SPREAD and hand.result is not None and hand.result.showings is not None:
        shown = hand.result.showings[1 - hand.result.knocker]
        declaration = Declaration(shown.melds, shown.layoffs)
    return action_text(action, declaration)


def parse_hand(text: str) -> Hand:
    """Return the hand of a line.

    Raises:
        NotationError: the line is none, or its deck is not 52 different cards.
        RuleError: its rules are unknown.
        IllegalAction: one of its actions is not allowed where it stands.
    """
    parts = [part.strip() for part in text.split("|")]
    if len(parts) not in (3, 4):
        raise NotationError("a hand is written RULES | dealer N | 52 cards | actions")
    rules, dealer, cards, *actions = parts
    if dealer not in ("dealer 0", "dealer 1"):
        raise NotationError(f"{dealer!r} names no dealer: write dealer 0 or dealer 1")
    words = cards.split()
    aligned = words[:1] == ["aligned"]
    deck = tuple(parse_card(word) for word in words[int(aligned) :])
    if sorted(deck) != list(range(52)):
        raise NotationError(f"the deck has {len(set(deck))} different cards in {len(deck)}: it takes all 52")
    hand = Hand(parse_rules(rules), deck, int(dealer[-1]), aligned=aligned)
    for action in actions[0].split(",") if actions and actions[0] else ():
        hand.apply(*parse_action(action))
    return hand
