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

from hands import NO_CARD, makes_meld
from position import Position

from arena.engine.cards import POINTS, cards_of
from arena.engine.melds import deadwood

ODD_DISCARD: Final = math.log(0.02)
"""Log of how likely a discard is that does not leave the least deadwood."""
ODD_PASS: Final = math.log(0.02)
"""Log of how likely it is that a card is left that makes a meld, or taken that makes none."""
ODD_SILENCE: Final = math.log(0.02)
"""Log of how likely it is that a knock is possible and not made."""
WARM_UP: Final = 150
"""Steps of the chain from a random start to the first sample."""
REWARM: Final = 40
"""Steps to the first sample where the chain goes on from an earlier decision of the same hand."""
STRIDE: Final = 4
"""Steps of the chain from one sample to the next."""
STARTS: Final = 10
"""Random starts, of which the chain takes the best fitting."""
_IMPOSSIBLE: Final = -1e9

_DEARER: Final = tuple(sum(1 << card for card in range(52) if POINTS[card] > points) for points in range(11))
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
        before: the chain of an earlier decision of the same hand, to go on from.
    """

    def __init__(self, position: Position, rng: random.Random, before: Beliefs | None = None) -> None:
        self._position = position
        self._rng = rng
        self._count = position.hidden_count
        self._cards: list[int] = list(position.unseen)
        """The unseen cards; the first ``_count`` of them are the opponent's."""
        self._drawn: list[int] = []
        """For each of the opponent's turns the card guessed to have come from the stock."""
        self._hand = 0
        """The opponent's hand."""
        self._fit = _IMPOSSIBLE
        if position.turns and not (before is not None and self._resume(before)):
            self._start()

    def sample(self) -> Deal:
        """Return the next sample of the hidden cards."""
        if self._position.turns:
            for _ in range(STRIDE):
                self._step()
        else:
            self._deal()
        stock = self._cards[self._count :]
        self._rng.shuffle(stock)
        return Deal(self._hand, stock[: self._position.stock_count])

    def _deal(self) -> None:
        """Deal the unseen cards anew."""
        self._rng.shuffle(self._cards)
        self._hand = self._position.known
        for card in self._cards[: self._count]:
            self._hand |= 1 << card

    def _start(self) -> None:
        """Take the best of some random starts, and walk away from it."""
        best = (_IMPOSSIBLE * 2, self._cards, 0, self._drawn)
        for _ in range(STARTS):
            self._deal()
            drawn = self._random_draws()
            fit = self._fit_of(self._hand, drawn, _IMPOSSIBLE)
            if fit > best[0]:
                best = (fit, self._cards[:], self._hand, drawn)
        self._fit, self._cards, self._hand, self._drawn = best
        for _ in range(WARM_UP):
            self._step()

    def _resume(self, before: Beliefs) -> bool:
        """Go on from an earlier chain's hand, changed by what has been seen since; false if it cannot be."""
        position = self._position
        unseen = list(position.unseen)
        self._rng.shuffle(unseen)
        # The cards that the opponent was thought to hold come first and so stay with it.
        unseen.sort(key=lambda card: not before._hand >> card & 1)
        hand = position.known
        for card in unseen[: self._count]:
            hand |= 1 << card
        drawn = self._draws_since(before, hand)
        fit = self._fit_of(hand, drawn, _IMPOSSIBLE)
        if fit <= _IMPOSSIBLE:
            return False
        self._cards, self._hand, self._drawn, self._fit = unseen, hand, drawn, fit
        for _ in range(REWARM):
            self._step()
        return True

    def _draws_since(self, before: Beliefs, hand: int) -> list[int]:
        """Return the earlier chain's guesses of drawn cards, mended and continued for another hand."""
        gone, come = cards_of(before._hand & ~hand), cards_of(hand & ~before._hand)
        swapped = dict(zip(gone, come, strict=False))
        turns = self._position.turns
        drawn = [swapped.get(card, card) for card in before._drawn[: len(turns)]]
        for turn in turns[len(drawn) :]:
            held = before._hand >> turn.discard & 1
            fresh = come[0] if held and come else turn.discard
            drawn.append(turn.offered if turn.took else fresh)
        return drawn

    def _random_draws(self) -> list[int]:
        """Return a guess of the stock card drawn in each turn, half of them discarded at once."""
        hand, known = self._hand, self._position.known
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

    def _step(self) -> None:
        """Propose a change, and make it with the probability of Metropolis."""
        floor = self._fit + math.log(1.0 - self._rng.random())
        if self._rng.random() < 0.3:
            self._guess_again(floor)
        else:
            self._exchange(floor)

    def _guess_again(self, floor: float) -> None:
        """Propose another card as drawn in one of the turns."""
        turns, drawn, chance = self._position.turns, self._drawn, self._rng.random
        index = int(chance() * len(turns))
        if turns[index].took:
            return
        choice = int(chance() * (self._count + len(turns) - index))
        was = drawn[index]
        drawn[index] = (
            self._cards[choice] if choice < self._count else turns[index + choice - self._count].discard
        )
        fit = self._fit_of(self._hand, drawn, floor)
        if fit >= floor:
            self._fit = fit
        else:
            drawn[index] = was

    def _exchange(self, floor: float) -> None:
        """Propose to exchange one to three cards of the hand for cards of the stock."""
        chance, count = self._rng.random, self._count
        rest = len(self._cards) - count
        if not count or not rest:
            return
        cards, drawn, hand = self._cards[:], self._drawn[:], self._hand
        size = chance()
        for _ in range(1 if size < 0.6 else 2 if size < 0.9 else 3):
            i = int(chance() * count)
            j = count + int(chance() * rest)
            out, card = cards[i], cards[j]
            cards[i], cards[j] = card, out
            hand ^= 1 << out | 1 << card
            if out in drawn:
                drawn[drawn.index(out)] = card
        fit = self._fit_of(hand, drawn, floor)
        if fit >= floor:
            self._cards, self._drawn, self._hand, self._fit = cards, drawn, hand, fit

    def _fit_of(self, hand: int, drawn: list[int], floor: float) -> float:
        """Return the log-likelihood of the opponent's decisions; below a floor, anything lower."""
        position = self._position
        turns, known, limit = position.turns, position.known, position.knock_limit
        fit = 0.0
        for index in range(len(drawn) - 1, -1, -1):
            offered, took, discard = turns[index]
            eleven = hand | 1 << discard
            if eleven == hand or (took and not eleven >> offered & 1):
                return fit
            left = deadwood(hand)
            if left <= limit:
                fit += ODD_SILENCE
            if _odd(eleven, left, offered if took else NO_CARD):
                fit += ODD_DISCARD
            if fit < floor:
                return fit
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
        upcard = position.refused_upcard
        if upcard != NO_CARD and makes_meld(hand | 1 << upcard, upcard):
            fit += ODD_PASS
        return fit


def _odd(eleven: int, left: int, taken: int) -> bool:
    """Return whether some other discard leaves less deadwood than is left."""
    # A discard cannot save more than its points, so only the dearer cards need a look.
    saved = deadwood(eleven) - left
    if saved >= 10:
        return False
    for card in cards_of(eleven & _DEARER[saved if saved > 0 else 0]):
        if card != taken and deadwood(eleven ^ 1 << card) < left:
            return True
    return False
