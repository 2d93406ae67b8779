"""Actions as small integers with one text form, the same on the wire, in logs and in tests.

=============  ========================  =========================================
number         text                      meaning
=============  ========================  =========================================
0..51          ``discard 7D``            discard that card
52..103        ``knock 7D``              knock, discarding that card (gin included)
104            ``draw stock``            draw the top of the stock
105            ``draw discard``          take the top of the discard pile (or the upcard)
106            ``pass``                  decline the upcard, or the last discard at the wall
107            ``big gin``               declare eleven cards melded, with no discard
108            ``spread``                the defender shows its hand
=============  ========================  =========================================

A knock, a big gin and a spread may carry a :class:`Declaration` where the rules let bots declare:
``knock 2D: 3C 4C 5C / 7D 7H 7S`` and ``spread: 8H 9H TH JH / KC KD KS + 7C on 2`` (lay the seven
off on the knocker's second meld).
"""

from __future__ import annotations

from typing import Final, NamedTuple

from arena.engine.cards import CARD_NAMES, cards_text, parse_card, parse_cards
from arena.engine.melds import Layoff, Meld
from arena.errors import NotationError

Action = int
"""A number of the table above."""

DISCARD: Final = 0
KNOCK: Final = 52
DRAW_STOCK: Final = 104
DRAW_DISCARD: Final = 105
PASS: Final = 106
BIG_GIN: Final = 107
SPREAD: Final = 108
ACTION_COUNT: Final = 109

_NAMES: Final = (
    *(f"discard {name}" for name in CARD_NAMES),
    *(f"knock {name}" for name in CARD_NAMES),
    "draw stock",
    "draw discard",
    "pass",
    "big gin",
    "spread",
)
_BY_NAME: Final = {name: action for action, name in enumerate(_NAMES)}
_MELD_NUMBERS: Final = {str(number): number - 1 for number in range(1, 12)}


class Declaration(NamedTuple):
    """How a player lays its hand out at the showdown; the engine checks it."""

    melds: tuple[Meld, ...]
    layoffs: tuple[Layoff, ...] = ()
    """The defender's layoffs, in the order in which they are laid."""


def action_text(action: Action, declaration: Declaration | None = None) -> str:
    """Return the text of an action.

    >>> action_text(104), action_text(0)
    ('draw stock', 'discard AC')
    """
    text = _NAMES[action]
    if declaration is None:
        return text
    text += ": " + " / ".join(map(cards_text, declaration.melds))
    for layoff in declaration.layoffs:
        text += f" + {CARD_NAMES[layoff.card]} on {layoff.meld + 1}"
    return text


def parse_action(text: str) -> tuple[Action, Declaration | None]:
    """Return the action, and its declaration if it has one, that a text stands for.

    Raises:
        NotationError: the text is no action; the message says which part.
    """
    head, colon, tail = text.partition(":")
    action = _parse_head(head)
    if action is None:
        raise NotationError(
            f"{text!r} is no action: write draw stock, draw discard, pass, discard 7D, knock 7D, "
            "big gin or spread"
        )
    if not colon:
        return action, None
    if not (KNOCK <= action < DRAW_STOCK or action in (BIG_GIN, SPREAD)):
        raise NotationError(f"{head.strip()!r} shows no melds: nothing may follow it")
    melds, *layoffs = tail.split("+")
    return action, Declaration(
        tuple(parse_cards(meld) for meld in melds.split("/") if meld.strip()),
        tuple(_parse_layoff(layoff) for layoff in layoffs),
    )


def _parse_head(text: str) -> Action | None:
    words = text.split()
    if len(words) == 2 and words[0].lower() in ("discard", "knock"):
        return (DISCARD if words[0].lower() == "discard" else KNOCK) + parse_card(words[1])
    return _BY_NAME.get(" ".join(words).lower())


def _parse_layoff(text: str) -> Layoff:
    words = text.split()
    if len(words) != 3 or words[1].lower() != "on" or words[2] not in _MELD_NUMBERS:
        raise NotationError(f"{text.strip()!r} is no layoff: write CARD on MELD-NUMBER, as 7C on 2")
    return Layoff(parse_card(words[0]), _MELD_NUMBERS[words[2]])
