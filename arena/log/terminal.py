"""Cards, names, times and scores as a terminal shows them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, TextIO

from arena.engine.cards import CARD_NAMES, SUIT_SYMBOLS, Card, Cards, cards_of
from arena.engine.melds import arrange

_ESCAPES: Final = re.compile(r"\x1b\[\d*m")
_RED: Final = 31
_BOLD: Final = 1
_DIM: Final = 2
_LENGTH_MAX: Final = 300
"""Characters shown of a text that comes from a bot."""


@dataclass(frozen=True, slots=True)
class Terminal:
    """How text is shown."""

    color: bool = False
    symbols: bool = True
    """Suits as symbols; as letters where the output cannot show them."""
    encoding: str = "utf-8"

    @classmethod
    def of(cls, stream: TextIO, environ: Mapping[str, str], *, color: bool | None = None) -> Terminal:
        """Return what suits a stream: colour on a terminal, unless NO_COLOR or ``color`` says otherwise."""
        if color is None:
            color = stream.isatty() and not environ.get("NO_COLOR") and environ.get("TERM") != "dumb"
        encoding = stream.encoding or "ascii"
        try:
            SUIT_SYMBOLS.encode(encoding)
        except UnicodeEncodeError:
            return cls(color, symbols=False, encoding=encoding)
        return cls(color, encoding=encoding)

    def _paint(self, text: str, code: int) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self.color and text else text

    def showable(self, text: str) -> str:
        """Return a text without what the output cannot show."""
        return text.encode(self.encoding, "backslashreplace").decode(self.encoding)

    def strong(self, text: str) -> str:
        """Return a text that stands out."""
        return self._paint(text, _BOLD)

    def faint(self, text: str) -> str:
        """Return a text that stands back."""
        return self._paint(text, _DIM)

    def alarm(self, text: str) -> str:
        """Return a text that warns."""
        return self._paint(text, _RED)

    def card(self, card: Card) -> str:
        """Return a card, hearts and diamonds in red."""
        name = CARD_NAMES[card]
        text = name[0] + SUIT_SYMBOLS[card // 13] if self.symbols else name
        return self._paint(text, _RED) if 13 <= card < 39 else text

    def cards(self, cards: Iterable[Card]) -> str:
        """Return cards in the order given."""
        return " ".join(map(self.card, cards))

    def groups(self, melds: Iterable[Cards], unmatched: Cards) -> str:
        """Return a hand laid out: its melds, then the unmatched cards."""
        parts = [self.cards(cards_of(meld)) for meld in melds]
        if unmatched:
            parts.append(self.cards(cards_of(unmatched)))
        return " | ".join(parts)

    def hand(self, cards: Cards) -> tuple[str, int]:
        """Return a hand melded at its best and sorted, and its deadwood."""
        best = arrange(cards)
        return self.groups(best.melds, best.unmatched), best.deadwood


def pad(text: str, width: int) -> str:
    """Return a text filled up to a width, colours not counted."""
    return text + " " * (width - len(_ESCAPES.sub("", text)))


def clean(text: str) -> str:
    """Return a text of a bot so that it can do nothing to a terminal, and is not too long."""
    shown = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text[:_LENGTH_MAX])
    return shown if len(text) <= _LENGTH_MAX else f"{shown}..."


def duration(microseconds: int) -> str:
    """Return a time in the unit that suits it."""
    if microseconds < 1000:
        return f"{microseconds} us"
    if microseconds < 1_000_000:
        return f"{microseconds / 1000:.1f} ms"
    return f"{microseconds / 1_000_000:.2f} s"
