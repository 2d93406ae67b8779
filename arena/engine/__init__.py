"""The rules of Gin Rummy: pure, no clock, no I/O, no randomness but the deck it is given.

The names below are the stable interface for programs that use the rules as a library; docs/engine.md
shows how. Everything works on small integers and masks; ``*_text`` and ``parse_*`` translate.
"""

from arena.engine.actions import Action, Declaration, action_text, parse_action
from arena.engine.cards import (
    Card,
    Cards,
    card_name,
    cards_of,
    cards_text,
    mask_of,
    parse_card,
    parse_cards,
    points_of,
)
from arena.engine.dealing import Deck, commitment, deck
from arena.engine.formats import FORMATS, Format, format_for
from arena.engine.game import Game
from arena.engine.melds import (
    Arrangement,
    Defence,
    Layoff,
    Meld,
    arrange,
    deadwood,
    defence_deadwood,
    defend,
    is_meld,
    melds_in,
)
from arena.engine.notation import hand_text, parse_hand
from arena.engine.presets import PRESETS, preset
from arena.engine.race import Race, Settlement
from arena.engine.rules import RuleSet, override
from arena.engine.scoring import HandResult, Showing
from arena.engine.state import PHASE_NAMES, Hand
from arena.engine.view import Observation, Sight, news, observe

__all__ = [
    "FORMATS",
    "PHASE_NAMES",
    "PRESETS",
    "Action",
    "Arrangement",
    "Card",
    "Cards",
    "Deck",
    "Declaration",
    "Defence",
    "Format",
    "Game",
    "Hand",
    "HandResult",
    "Layoff",
    "Meld",
    "Observation",
    "Race",
    "RuleSet",
    "Settlement",
    "Showing",
    "Sight",
    "action_text",
    "arrange",
    "card_name",
    "cards_of",
    "cards_text",
    "commitment",
    "deadwood",
    "deck",
    "defence_deadwood",
    "defend",
    "format_for",
    "hand_text",
    "is_meld",
    "mask_of",
    "melds_in",
    "news",
    "observe",
    "override",
    "parse_action",
    "parse_card",
    "parse_cards",
    "parse_hand",
    "points_of",
    "preset",
]
