"""Which cards the opponent may hold: samples of the hidden cards, the likelier the more often.

A sample is a hand for the opponent together with a guess of the card that it drew from the stock in
each of its turns. That pair tells the opponent's whole hand at each of its decisions so far, so it
can be asked how well each decision fits a plain player: takes what makes a meld and nothing else,
discards what leaves the least deadwood, knocks when it can. A Markov chain (Metropolis) walks over
such pairs by exchanging a few cards at a time and visits each in proportion to how well it fits.
"""

from __future__ import annotations

import math
import random
from typing import Final, NamedTuple

from position import Position
from hands import NO_CARD, makes_meld

from arena.engine.cards import POINTS, cards_of
from arena.engine.melds import deadwood

ODD_DISCARD: Final = math.log(0.03)
"""Log of how likely a discard is that does not leave the least deadwood."""
ODD_PASS: Final = math.log(0.03)
"""Log of how likely it is that a card is left that makes a meld, or taken that makes none."""
ODD_SILENCE: Final = math.log(0.03)
"""Log of how likely it is that a knock is possible and not made."""
WARM_UP: Final = 150
"""Steps of the chain before the first sample."""
STRIDE: Final = 4
"""Steps of the chain from one sample to the next."""
STARTS: Final = 10
"""Random starts, of which the chain takes the best fitting."""
_IMPOSSIBLE: Final = -1e9

_DEARER: Final = tuple(
    sum(1 << card for card in range(52) if POINTS[card] > points) for points in range(11)
)
"""The cards worth more than so many points."""


class Deal(NamedTuple):
    """One way in which the hidden cards may lie."""

    theirs: int
    """The opponent's ten cards."""
    stock: list[int]
    """The stock, drawn from its end."""


class Beliefs:
    """The chain over what the opponent may hold in one position.

    Args:
        position: what is known.
        rng: the source of chance.
    """

    def __init__(self, position: Position, rng: random.Random) -> None:
        self._position = position
        self._rng = rng
        self._count = position.hidden_count
        self._cards: list[int] = []
        """The unseen cards; the first ``_count`` of them are the opponent's."""
        self._drawn: list[int] = []
        """For each of the opponent's turns the card guessed to have come from the stock."""
        self._fit = _IMPOSSIBLE
        self._start()

    def sample(self) -> Deal:
        """Return the next sample of the hidden cards."""
        for _ in range(STRIDE if self._position.turns else 0):
            self._step()
        cards = self._cards[:]
        count = self._count
        if not self._position.turns:
            self._rng.shuffle(cards)
        theirs = self._position.known
        for card in cards[:count]:
            theirs |= 1 << card
        stock = cards[count:]
        self._rng.shuffle(stock)
        return Deal(theirs, stock[: self._position.stock_count])

    def _start(self) -> None:
        """Take the best of some random starts, and walk away from it."""
        position, rng = self._position, self._rng
        cards = list(position.unseen)
        for _ in range(STARTS):
            rng.shuffle(cards)
            drawn = self._random_draws(cards)
            fit = self._fit_of(cards, drawn, _IMPOSSIBLE)
            if fit > self._fit or not self._cards:
                self._cards, self._drawn, self._fit = cards[:], drawn, fit
        for _ in range(WARM_UP if position.turns else 0):
            self._step()

    def _random_draws(self, cards: list[int]) -> list[int]:
        """Return a guess of the stock card drawn in each turn, half of them discarded at once."""
        hand, known = self._hand(cards), self._position.known
        drawn = [NO_CARD] * len(self._position.turns)
        for index in range(len(drawn) - 1, -1, -1):
            turn = self._position.turns[index]
            eleven = hand | 1 << turn.discard
            if turn.took:
                card = turn.offered
                known &= ~(1 << card)
            elif self._rng.random() < 0.5 and not known >> turn.discard & 1:
                card = turn.discard
            else:
                card = self._rng.choice(cards_of(eleven & ~known))
            drawn[index] = card
            hand = eleven & ~(1 << card)
        return drawn

    def _hand(self, cards: list[int]) -> int:
        hand = self._position.known
        for card in cards[: self._count]:
            hand |= 1 << card
        return hand

    def _step(self) -> None:
        """Propose a change, and make it with the probability of Metropolis."""
        rng = self._rng
        cards, drawn = self._cards[:], self._drawn[:]
        if rng.random() < 0.3:
            self._guess_again(cards, drawn)
        else:
            self._exchange(cards, drawn)
        floor = self._fit + math.log(1.0 - rng.random())
        fit = self._fit_of(cards, drawn, floor)
        if fit >= floor:
            self._cards, self._drawn, self._fit = cards, drawn, fit

    def _guess_again(self, cards: list[int], drawn: list[int]) -> None:
        """Guess another card as drawn in one of the turns."""
        turns = self._position.turns
        index = int(self._rng.random() * len(turns))
        if turns[index].took:
            return
        choices = cards[: self._count] + [turn.discard for turn in turns[index:]]
        drawn[index] = choices[int(self._rng.random() * len(choices))]

    def _exchange(self, cards: list[int], drawn: list[int]) -> None:
        """Exchange one to three cards of the hand for cards of the stock."""
        rng, count = self._rng, self._count
        rest = len(cards) - count
        if not count or not rest:
            return
        chance = rng.random()
        for _ in range(1 if chance < 0.6 else 2 if chance < 0.9 else 3):
            i = int(rng.random() * count)
            j = count + int(rng.random() * rest)
            out, card = cards[i], cards[j]
            cards[i], cards[j] = card, out
            if out in drawn:
                drawn[drawn.index(out)] = card

    def _fit_of(self, cards: list[int], drawn: list[int], floor: float) -> float:
        """Return the log of how likely the opponent's decisions are; anything below a floor is no use."""
        position = self._position
        hand = self._hand(cards)
        known = position.known
        limit = position.knock_limit
        fit = 0.0
        for index in range(len(drawn) - 1, -1, -1):
            offered, took, discard = position.turns[index]
            eleven = hand | 1 << discard
            if eleven == hand or (took and not eleven >> offered & 1):
                return fit
            left = deadwood(hand)
            if left <= limit:
                fit += ODD_SILENCE
            if _odd(eleven, left, offered if took else NO_CARD):
                fit += ODD_DISCARD
            card = drawn[index]
            bit = 1 << card
            hand = eleven ^ bit
            if took:
                known &= ~bit
                if not makes_meld(eleven, card):
                    fit += ODD_PASS
            elif not eleven & bit or known & bit:
                return _IMPOSSIBLE
            elif offered != NO_CARD and makes_meld(hand | 1 << offered, offered):
                fit += ODD_PASS
            if fit < floor:
                return fit
        upcard = position.refused_upcard
        if upcard != NO_CARD and makes_meld(hand | 1 << upcard, upcard):
            fit += ODD_PASS
        return fit


def _odd(eleven: int, left: int, taken: int) -> bool:
    """Return whether some other discard leaves less deadwood than is left."""
    # A discard cannot save more than its points, so only the dearer cards need a look.
    for card in cards_of(eleven & _DEARER[max(0, min(10, deadwood(eleven) - left))]):
        if card != taken and deadwood(eleven ^ 1 << card) < left:
            return True
    return False
