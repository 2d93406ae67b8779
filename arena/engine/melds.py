"""Melds, the least deadwood, and the defender's joint optimum of own melds and layoffs.

Everything works on masks (see :mod:`arena.engine.cards`). The least deadwood comes from a table of
the best runs of each of the 8192 subsets of a suit, and a search over the few sets that compete
with those runs for a card; it is exact (the tests compare it with exhaustive search).
"""

from __future__ import annotations

from typing import Final, NamedTuple

from arena.engine.cards import SUIT_POINTS, Card, Cards, cards_of, points_of

Meld = int
"""A set (3-4 cards of one rank) or a run (3 or more consecutive cards of a suit), as a mask."""


def _unmatched_table() -> list[int]:
    """Least points that runs alone leave unmatched, for each subset of a suit."""
    table = [0] * 8192
    for mask in range(1, 8192):
        low = mask & -mask
        best = table[mask ^ low] + SUIT_POINTS[low]
        run, length, top = low, 1, low << 1
        while mask & top:
            run |= top
            length += 1
            if length >= 3:
                best = min(best, table[mask ^ run])
            top <<= 1
        table[mask] = best
    return table


def _in_runs_table() -> list[int]:
    """The cards that stand in at least one run, for each subset of a suit."""
    table = [0] * 8192
    for mask in range(8192):
        middles = mask & (mask << 1) & (mask >> 1)
        table[mask] = middles | (middles << 1 & 8191) | (middles >> 1)
    return table


_UNMATCHED: Final = _unmatched_table()
_IN_RUNS: Final = _in_runs_table()


def is_meld(cards: Cards) -> bool:
    """Return whether the cards are one set or one run.

    >>> from arena.engine.cards import parse_cards
    >>> is_meld(parse_cards("AS 2S 3S")), is_meld(parse_cards("QS KS AS"))
    (True, False)
    """
    return is_run(cards) or is_set(cards)


def is_run(cards: Cards) -> bool:
    """Return whether the cards are three or more consecutive cards of one suit, ace low."""
    if cards <= 0:
        return False
    low = (cards & -cards).bit_length() - 1
    size = cards.bit_count()
    return size >= 3 and cards == ((1 << size) - 1) << low and low % 13 + size <= 13


def is_set(cards: Cards) -> bool:
    """Return whether the cards are three or four of one rank."""
    if cards <= 0:
        return False
    rank = ((cards & -cards).bit_length() - 1) % 13
    return cards.bit_count() >= 3 and not cards & ~(_RANK << rank)


_RANK: Final = 1 | 1 << 13 | 1 << 26 | 1 << 39


def deadwood(cards: Cards) -> int:
    """Return the least deadwood points over all ways to meld the cards.

    >>> from arena.engine.cards import parse_cards
    >>> deadwood(parse_cards("4S 5S 6S 7S 8S 7H 7D KC KD KH"))
    8
    """
    c = cards & 8191
    d = cards >> 13 & 8191
    h = cards >> 26 & 8191
    s = cards >> 39
    left = _UNMATCHED[c] + _UNMATCHED[d] + _UNMATCHED[h] + _UNMATCHED[s]
    cd = c & d
    hs = h & s
    sets = cd & (h | s) | hs & (c | d)
    if not sets:
        return left
    rivals = sets & (_IN_RUNS[c] | _IN_RUNS[d] | _IN_RUNS[h] | _IN_RUNS[s])
    free = sets ^ rivals
    if free:
        # A set none of whose cards can stand in a run costs nothing: it is always taken whole.
        left -= 3 * SUIT_POINTS[free] + SUIT_POINTS[free & cd & hs]
    if not rivals:
        return left
    return left - _gain(c, d, h, s, rivals)


def _gain(c: int, d: int, h: int, s: int, ranks: int) -> int:
    """Return the most points that sets of the given ranks save over the best runs alone."""
    bit = ranks & -ranks
    rest = ranks ^ bit
    best = _gain(c, d, h, s, rest) if rest else 0
    before = _UNMATCHED[c] + _UNMATCHED[d] + _UNMATCHED[h] + _UNMATCHED[s]
    have = (1 if c & bit else 0) | (2 if d & bit else 0) | (4 if h & bit else 0) | (8 if s & bit else 0)
    for suits in _SET_CHOICES[have]:
        c2 = c ^ bit if suits & 1 else c
        d2 = d ^ bit if suits & 2 else d
        h2 = h ^ bit if suits & 4 else h
        s2 = s ^ bit if suits & 8 else s
        gain = before - _UNMATCHED[c2] - _UNMATCHED[d2] - _UNMATCHED[h2] - _UNMATCHED[s2]
        if rest:
            gain += _gain(c2, d2, h2, s2, rest)
        if gain > best:
            best = gain
    return best


_SET_CHOICES: Final = tuple(
    tuple(suits for suits in (15, 14, 13, 11, 7) if suits & have == suits) for have in range(16)
)
"""The sets (as four suit bits) that can be made of one rank's cards, by the suits held."""


class Arrangement(NamedTuple):
    """One way to lay a hand out: its melds and what is left."""

    melds: tuple[Meld, ...]
    """Disjoint melds, in ascending order of their lowest card."""
    unmatched: Cards
    """The cards in no meld."""

    @property
    def deadwood(self) -> int:
        """Points of the unmatched cards."""
        return points_of(self.unmatched)


def melds_in(cards: Cards) -> tuple[Meld, ...]:
    """Return every meld that can be made of the cards, sets first, each kind in ascending order."""
    found: list[Meld] = []
    for rank in range(13):
        held = cards & (_RANK << rank)
        if held.bit_count() >= 3:
            found.append(held)
            if held.bit_count() == 4:
                found.extend(held ^ (1 << card) for card in cards_of(held))
    for low in cards_of(cards):
        run = 1 << low
        for card in range(low + 1, low - low % 13 + 13):
            if not cards >> card & 1:
                break
            run |= 1 << card
            if card - low >= 2:
                found.append(run)
    return tuple(found)


def arrangements(cards: Cards) -> list[Arrangement]:
    """Return all arrangements of least deadwood, in a fixed order."""
    best: list[Arrangement] = []
    target = deadwood(cards)

    def search(start: int, left: Cards, chosen: tuple[Meld, ...]) -> None:
        if points_of(left) == target:
            best.append(Arrangement(tuple(sorted(chosen, key=_low)), left))
        for index in range(start, len(melds)):
            meld = melds[index]
            if meld & left == meld:
                search(index + 1, left ^ meld, (*chosen, meld))

    melds = melds_in(cards)
    search(0, cards, ())
    return best


def _low(meld: Meld) -> int:
    return meld & -meld


def arrange(cards: Cards) -> Arrangement:
    """Return the arrangement that is taken for a hand when its player declares none.

    It has the least deadwood; among several of those, the one on which the fewest of the other
    cards of the deck could be laid off, then the one of fewest melds, then the first in the order
    of :func:`arrangements`. It depends on the cards alone, never on the opponent's.
    """
    best = arrangements(cards)
    if len(best) == 1:
        return best[0]
    return min(best, key=lambda a: (open_ends(a.melds, cards).bit_count(), len(a.melds)))


def open_ends(melds: tuple[Meld, ...], held: Cards = 0) -> Cards:
    """Return the cards, none of them held, that could be laid off directly on some of the melds."""
    ends = 0
    for meld in melds:
        if is_run(meld):
            ends |= _run_ends(meld)
        else:
            ends |= _RANK << ((meld & -meld).bit_length() - 1) % 13 & ~meld
    return ends & ~held


def _run_ends(run: Meld) -> Cards:
    """Return the cards just below and just above a run, inside its suit."""
    low = (run & -run).bit_length() - 1
    high = run.bit_length() - 1
    return (1 << low - 1 if low % 13 else 0) | (1 << high + 1 if high % 13 < 12 else 0)


class Layoff(NamedTuple):
    """One card laid off by the defender on one of the knocker's melds."""

    card: Card
    meld: int
    """Index of the meld among the knocker's."""


class Defence(NamedTuple):
    """What the defender shows: own melds, layoffs in playable order, and what is left."""

    melds: tuple[Meld, ...]
    layoffs: tuple[Layoff, ...]
    unmatched: Cards

    @property
    def deadwood(self) -> int:
        """Points of the cards neither melded nor laid off."""
        return points_of(self.unmatched)


def _chains(knocker_melds: tuple[Meld, ...], cards: Cards) -> list[list[Layoff]]:
    """Return for each place of the knocker's melds the cards that can be laid there, in order."""
    chains: list[list[Layoff]] = []
    for index, meld in enumerate(knocker_melds):
        low = (meld & -meld).bit_length() - 1
        if meld >> low + 1 & 1 and low % 13 < 12:
            high = meld.bit_length() - 1
            suit = low - low % 13
            up: list[Layoff] = []
            card = high + 1
            while card < suit + 13 and cards >> card & 1:
                up.append(Layoff(card, index))
                card += 1
            down: list[Layoff] = []
            card = low - 1
            while card >= suit and cards >> card & 1:
                down.append(Layoff(card, index))
                card -= 1
            if up:
                chains.append(up)
            if down:
                chains.append(down)
        else:
            fourth = (_RANK << low % 13) & ~meld & cards
            if fourth:
                chains.append([Layoff(fourth.bit_length() - 1, index)])
    return chains


def _meldable(cards: Cards) -> Cards:
    """Return the cards that stand in at least one possible meld."""
    c = cards & 8191
    d = cards >> 13 & 8191
    h = cards >> 26 & 8191
    s = cards >> 39
    sets = c & d & (h | s) | h & s & (c | d)
    runs = _IN_RUNS[c] | _IN_RUNS[d] << 13 | _IN_RUNS[h] << 26 | _IN_RUNS[s] << 39
    return (runs | sets | sets << 13 | sets << 26 | sets << 39) & cards


def _best_layoff(chains: list[list[Layoff]], cards: Cards) -> Cards:
    """Return the laid-off cards that leave the least deadwood; the most cards laid off on a tie.

    A chain is worth cutting only before a card that the defender could meld itself.
    """
    meldable = _meldable(cards)
    choices = [0]
    for chain in chains:
        laid = 0
        cuts: list[Cards] = []
        for layoff in chain:
            if meldable >> layoff.card & 1:
                cuts.append(laid)
            laid |= 1 << layoff.card
        cuts.append(laid)
        choices = (
            [other | cut for other in choices for cut in cuts]
            if len(cuts) > 1
            else [other | laid for other in choices]
        )
    if len(choices) == 1:
        return choices[0]
    return min(set(choices), key=lambda laid: (deadwood(cards & ~laid), -laid.bit_count(), laid))


def defence_deadwood(knocker_melds: tuple[Meld, ...], cards: Cards) -> int:
    """Return the defender's least deadwood over all own melds and layoffs together."""
    chains = _chains(knocker_melds, cards)
    return deadwood(cards & ~_best_layoff(chains, cards)) if chains else deadwood(cards)


def defend(knocker_melds: tuple[Meld, ...], cards: Cards) -> Defence:
    """Return the defender's best showing against the knocker's melds.

    The joint optimum: breaking an own meld to lay its cards off is found where it is right. Among
    equal ones the showing with most layoffs is taken, then the arrangement of :func:`arrange`.
    """
    chains = _chains(knocker_melds, cards)
    laid = _best_layoff(chains, cards)
    own = arrange(cards & ~laid)
    layoffs: list[Layoff] = []
    for chain in sorted(chains, key=len, reverse=True):
        for layoff in chain:
            bit = 1 << layoff.card
            if not laid & bit:
                break
            layoffs.append(layoff)
            laid ^= bit
    return Defence(own.melds, tuple(layoffs), own.unmatched)
