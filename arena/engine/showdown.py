"""What both sides lay out at the end of a hand, and the checks of what they declare."""

from __future__ import annotations

from arena.engine.actions import Declaration
from arena.engine.cards import CARD_NAMES, FULL_DECK, Cards, cards_text, mask_of, points_of
from arena.engine.melds import Layoff, Meld, arrange, defend, is_meld
from arena.engine.scoring import Showing
from arena.errors import IllegalAction


def knocker_shows(cards: Cards, declaration: Declaration | None) -> Showing:
    """Return what a knocker lays out: the declared melds, or its best arrangement.

    It depends on the knocker's own cards alone.
    """
    if declaration is None:
        best = arrange(cards)
        return Showing(best.melds, best.unmatched, (), best.deadwood)
    left = cards & ~_union(declaration.melds)
    return Showing(declaration.melds, left, (), points_of(left))


def defender_shows(
    cards: Cards, shown: Showing, declaration: Declaration | None, *, layoffs: bool
) -> Showing:
    """Return what a defender lays out: the declared melds and layoffs, or its joint optimum.

    Args:
        cards: the defender's.
        shown: what the knocker laid out; nothing is laid off on gin.
        declaration: a verified declaration, if there is one.
        layoffs: whether the rules let the defender lay off.
    """
    if declaration is not None:
        laid = mask_of([layoff.card for layoff in declaration.layoffs])
        left = cards & ~_union(declaration.melds) & ~laid
        return Showing(declaration.melds, left, declaration.layoffs, points_of(left))
    if shown.deadwood == 0 or not layoffs:
        best = arrange(cards)
        return Showing(best.melds, best.unmatched, (), best.deadwood)
    defence = defend(shown.melds, cards)
    return Showing(defence.melds, defence.unmatched, defence.layoffs, defence.deadwood)


def verify_knock(declaration: Declaration, cards: Cards, limit: int) -> None:
    """Check what a knocker declares of the cards it is left with.

    Raises:
        IllegalAction: no melds, not its cards, layoffs, or more deadwood than the limit.
    """
    if declaration.layoffs:
        raise IllegalAction("only the defender lays off")
    _verify_melds(declaration.melds, cards)
    points = points_of(cards & ~_union(declaration.melds))
    if points > limit:
        raise IllegalAction(f"the declared melds leave deadwood {points}, over the limit of {limit}")


def verify_spread(declaration: Declaration, cards: Cards, shown: Showing) -> None:
    """Check what a defender declares against what the knocker laid out.

    Raises:
        IllegalAction: no melds, not its cards, or layoffs that do not fit one after the other.
    """
    _verify_melds(declaration.melds, cards)
    if declaration.layoffs and shown.deadwood == 0:
        raise IllegalAction("nothing is laid off on gin")
    _verify_layoffs(declaration.layoffs, shown.melds, cards & ~_union(declaration.melds))


def _union(melds: tuple[Meld, ...]) -> Cards:
    cards = 0
    for meld in melds:
        cards |= meld
    return cards


def _verify_melds(melds: tuple[Meld, ...], cards: Cards) -> None:
    used = 0
    for meld in melds:
        if not 0 <= meld <= FULL_DECK:
            raise IllegalAction(f"{meld} is no set of cards")
        names = cards_text(meld)
        if not is_meld(meld):
            raise IllegalAction(f"{names or 'nothing'} is neither a set nor a run")
        if meld & ~cards:
            raise IllegalAction(f"{names} is not all in the hand")
        if meld & used:
            raise IllegalAction(f"{names} has a card of another declared meld")
        used |= meld


def _verify_layoffs(layoffs: tuple[Layoff, ...], melds: tuple[Meld, ...], cards: Cards) -> None:
    table = list(melds)
    for layoff in layoffs:
        if not 0 <= layoff.card < len(CARD_NAMES):
            raise IllegalAction(f"{layoff.card} is no card")
        name = CARD_NAMES[layoff.card]
        if not 0 <= layoff.meld < len(table):
            raise IllegalAction(f"{name} is laid off on meld {layoff.meld + 1}; the knocker has {len(table)}")
        if not cards >> layoff.card & 1:
            raise IllegalAction(f"{name} is not free to be laid off")
        longer = table[layoff.meld] | 1 << layoff.card
        if not is_meld(longer):
            raise IllegalAction(f"{name} does not fit the knocker's meld {layoff.meld + 1}")
        table[layoff.meld] = longer
        cards ^= 1 << layoff.card
