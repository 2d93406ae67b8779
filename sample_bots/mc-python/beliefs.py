"""Which cards the opponent may hold: samples of the hidden cards, the likelier the more often."""

from __future__ import annotations

import random
from typing import NamedTuple

from position import Position

from arena.engine.cards import mask_of
from arena.engine.melds import deadwood


class Deal(NamedTuple):
    """One way in which the hidden cards may lie."""

    theirs: int
    """The opponent's ten cards."""
    stock: tuple[int, ...]
    """The stock, drawn from its end."""


def sample(position: Position, rng: random.Random) -> Deal:
    """Return one sample of the hidden cards."""
    best: Deal | None = None
    for _ in range(8):
        cards = list(position.unseen)
        rng.shuffle(cards)
        count = position.hidden_count
        theirs = position.known | mask_of(cards[:count])
        best = Deal(theirs, tuple(cards[count : count + position.stock_count]))
        if deadwood(theirs) > position.knock_limit:
            break
    assert best is not None
    return best
