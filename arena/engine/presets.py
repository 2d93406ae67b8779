"""The named bundles of settings; what differs from :class:`RuleSet`'s defaults is written out.

Sources: S0-S4 are the documents that docs/rules.md names; ``openspiel`` and ``eaai`` are the rules
that bots of those frameworks were trained on, without those engines' defects.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from arena.engine.rules import RuleSet
from arena.errors import RuleError

_ITALIAN: Final = RuleSet(
    name="italian",
    game_bonus=100,
    box_bonus=25,
    shutout="double",
    settlement="difference",
)
_CLASSIC: Final = RuleSet(name="classic", big_gin_bonus=31, next_dealer="alternate")
_QUICK: Final = RuleSet(name="quick", big_gin_bonus=31, next_dealer="alternate", target=50)
_BRAZILIAN: Final = RuleSet(
    name="brazilian", upcard_offer=False, knock_face_down=True, next_dealer="alternate"
)
_SPANISH: Final = RuleSet(
    name="spanish",
    upcard_offer=False,
    knock_face_down=True,
    next_dealer="alternate",
    game_bonus=100,
    box_bonus=25,
    boxes_to="winner",
)
_OKLAHOMA: Final = RuleSet(name="oklahoma", knock_limit="upcard", undercut_bonus=10)
_MODERN: Final = RuleSet(
    name="modern",
    knock_limit="upcard",
    big_gin_bonus=31,
    columns=3,
    game_bonus=100,
    box_bonus=25,
    shutout="double",
    settlement="difference",
)
_OPENSPIEL: Final = RuleSet(
    name="openspiel",
    melds="declared",
    tie="nothing",
    returned_discard="dead_on_second",
    stock_end="wall",
    swap_cap_counts="total",
    first_dealer="seat 1",
    hands=1,
)
_OPENSPIEL_OKLAHOMA: Final = RuleSet(
    name="openspiel-oklahoma",
    melds="declared",
    knock_limit="upcard",
    ace_upcard="gin",
    tie="nothing",
    returned_discard="dead_on_second",
    stock_end="wall",
    swap_cap_counts="total",
    first_dealer="seat 1",
    hands=1,
)
_EAAI: Final = RuleSet(name="eaai", melds="declared", next_dealer="alternate")

PRESETS: Final[Mapping[str, RuleSet]] = MappingProxyType(
    {
        rules.name: rules
        for rules in (
            _CLASSIC,
            _QUICK,
            _ITALIAN,
            _BRAZILIAN,
            _SPANISH,
            _OKLAHOMA,
            _MODERN,
            _OPENSPIEL,
            _OPENSPIEL_OKLAHOMA,
            _EAAI,
        )
    }
)
"""Every preset by name; ``classic`` is the one taken when none is named."""

DEFAULT_PRESET: Final = "classic"


def preset(name: str) -> RuleSet:
    """Return the preset of a name.

    Raises:
        RuleError: there is no preset of that name.
    """
    found = PRESETS.get(name)
    if found is None:
        close = difflib.get_close_matches(name, PRESETS, n=1)
        hint = f"did you mean {close[0]!r}? " if close else ""
        raise RuleError(f"there is no preset {name!r}: {hint}`arena rules` lists {', '.join(PRESETS)}")
    return found
