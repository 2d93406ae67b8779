"""One hand as an explicit state machine.

:class:`Hand` holds everything that is true of a hand in play, and :meth:`Hand.apply` moves it on by
one action; each phase has its legal actions and its reasons to refuse one. The players of a hand
are 0 and 1; :mod:`arena.engine.game` knows which seats they are.
"""

from __future__ import annotations

from typing import Final, NoReturn

from arena.engine.actions import BIG_GIN, DRAW_DISCARD, DRAW_STOCK, KNOCK, PASS, SPREAD, Declaration
from arena.engine.cards import (
    CARD_NAMES,
    POINTS,
    Card,
    Cards,
    cards_of,
    mask_of,
)
from arena.engine.melds import deadwood
from arena.engine.rules import RuleSet
from arena.engine.scoring import NOBODY, DeadReason, HandResult, Showing, score_showdown
from arena.engine.showdown import defender_shows, knocker_shows, verify_knock, verify_spread
from arena.errors import IllegalAction

OFFER_NON_DEALER: Final = 0
OFFER_DEALER: Final = 1
DRAW: Final = 2
FORCED_DRAW: Final = 3
DISCARD_PHASE: Final = 4
WALL: Final = 5
WALL_KNOCK: Final = 6
SPREAD_PHASE: Final = 7
OVER: Final = 8

PHASE_NAMES: Final = (
    "upcard offered to the non-dealer",
    "upcard offered to the dealer",
    "draw",
    "draw from the stock",
    "discard",
    "wall",
    "knock at the wall",
    "spread",
    "over",
)
"""What each phase is called in logs and messages."""

NO_CARD: Final = -1
STOCK_LEFT_AT_END: Final = 2
"""Stock cards at which a hand ends after a discard without a knock (S0-S4)."""

_OFFER_ACTIONS: Final = (DRAW_DISCARD, PASS)
_DRAW_ACTIONS: Final = (DRAW_STOCK, DRAW_DISCARD)
_FORCED_ACTIONS: Final = (DRAW_STOCK,)
_SPREAD_ACTIONS: Final = (SPREAD,)

_FIELDS: Final = (
    "aligned",
    "back",
    "dealer",
    "deck",
    "declared",
    "discarded",
    "discards",
    "events",
    "front",
    "hands",
    "knock_card",
    "knock_limit",
    "knocker",
    "known",
    "phase",
    "result",
    "returned",
    "rules",
    "stock",
    "swaps",
    "taken",
    "took",
    "turn",
    "upcard",
)
"""What a hand consists of."""


class Hand:
    """One deal played out: the authoritative state, changed only by :meth:`apply`.

    Args:
        rules: the settings.
        deck: the 52 cards in dealing order: the non-dealer's first card, the dealer's first, and so
            on; the 21st is the upcard, the rest the stock from its top.
        dealer: the player (0 or 1) who deals.
        aligned: the dealer draws from the bottom of the stock and the non-dealer from its top. The
            stock's cards are exchangeable, so the rules are untouched; see docs/ratings.md.
    """

    __slots__ = _FIELDS

    def __init__(self, rules: RuleSet, deck: tuple[Card, ...], dealer: int, *, aligned: bool = False) -> None:
        self.rules: RuleSet = rules
        self.deck: tuple[Card, ...] = deck
        self.dealer: int = dealer
        self.aligned: bool = aligned
        non_dealer = mask_of(deck[0:20:2])
        other = mask_of(deck[1:20:2])
        self.hands: list[Cards] = [other, non_dealer] if dealer == 0 else [non_dealer, other]
        self.known: list[Cards] = [0, 0]
        """By player, the cards that the other one saw it take and keep."""
        self.upcard: Card = deck[20]
        self.discards: list[Card] = [deck[20]]
        """The discard pile from its bottom to its top."""
        self.discarded: tuple[list[Card], list[Card]] = ([], [])
        """By player, every discard in order, those that were taken since included."""
        self.took: tuple[list[Card], list[Card]] = ([], [])
        """By player, every card taken from the discard pile in order."""
        self.stock: tuple[Card, ...] = deck[21:]
        self.front: int = 0
        self.back: int = len(self.stock)
        self.knock_limit: int = knock_limit(rules, deck[20])
        self.turn: int = 1 - dealer
        self.phase: int = OFFER_NON_DEALER if rules.upcard_offer else DRAW
        self.taken: Card = NO_CARD
        """The card taken from the discard pile in this turn."""
        self.swaps: int = 0
        """Draws of a discard that count towards the cap; taking the offered upcard does not."""
        self.returned: bool = False
        """Whether the last discard was the card just taken."""
        self.knocker: int = NOBODY
        self.knock_card: Card = NO_CARD
        self.declared: Declaration | None = None
        """The knocker's declaration, while the defender's is awaited."""
        self.events: list[int] = []
        """What happened: ``player | action << 1 | card drawn << 8``."""
        self.result: HandResult | None = None

    # ------------------------------------------------------------------ looking

    @property
    def over(self) -> bool:
        """Whether the hand has ended; :attr:`result` then says how."""
        return self.phase == OVER

    @property
    def stock_count(self) -> int:
        """Cards left in the stock."""
        return self.back - self.front

    @property
    def doubled(self) -> bool:
        """Whether the first upcard doubles this hand's points."""
        return self.rules.spades_double and self.upcard >= 39

    def legal_actions(self) -> tuple[int, ...]:
        """Return what the player to act may do, discards first, then knocks, each ascending."""
        phase = self.phase
        if phase == DRAW:
            return _DRAW_ACTIONS
        if phase == DISCARD_PHASE:
            return self._discard_actions()
        if phase <= OFFER_DEALER:
            return _OFFER_ACTIONS
        if phase == FORCED_DRAW:
            return _FORCED_ACTIONS
        if phase == SPREAD_PHASE:
            return _SPREAD_ACTIONS
        if phase == WALL:
            return _OFFER_ACTIONS if self._can_knock_at_wall() else (PASS,)
        if phase == WALL_KNOCK:
            hand = self.hands[self.turn]
            return self._calls(hand, self._free(hand, self.taken))
        return ()

    def _discard_actions(self) -> tuple[int, ...]:
        hand = free = self.hands[self.turn]
        if self.taken >= 0 and self.rules.returned_discard == "illegal":
            free ^= 1 << self.taken
        # One card less cannot save more than that card's points: most hands need no closer look.
        if deadwood(hand) - self.knock_limit > 10:
            return cards_of(free)
        return cards_of(free) + self._calls(hand, free)

    def _free(self, hand: Cards, taken: Card) -> Cards:
        """Return the cards of a hand that may be discarded after one was taken."""
        return hand ^ 1 << taken if self.rules.returned_discard == "illegal" else hand

    def _calls(self, hand: Cards, free: Cards) -> tuple[int, ...]:
        """Return the knocks that discard one of the free cards of a hand, and big gin."""
        limit = self.knock_limit
        least = deadwood(hand)
        enough = least - limit
        knocks = tuple(
            [
                KNOCK + card
                for card in cards_of(free)
                if POINTS[card] >= enough and deadwood(hand ^ (1 << card)) <= limit
            ]
        )
        return (*knocks, BIG_GIN) if least == 0 and self.rules.big_gin_bonus is not None else knocks

    def _can_knock_at_wall(self) -> bool:
        """Return whether taking the last discard would allow a knock."""
        top = self.discards[-1]
        hand = self.hands[self.turn] | 1 << top
        return bool(self._calls(hand, self._free(hand, top)))

    # ------------------------------------------------------------------ moving on

    def apply(self, action: int, declaration: Declaration | None = None) -> None:
        """Move the hand on by one action of the player to act.

        Raises:
            IllegalAction: the rules refuse it, with the reason; the state is unchanged.
        """
        phase = self.phase
        if declaration is not None:
            self._verify_declaration(action, declaration)
        if phase == DISCARD_PHASE:
            if 0 <= action < 52:
                self._discard(action)
            elif KNOCK <= action < DRAW_STOCK:
                self._knock(action - KNOCK, declaration)
            elif action == BIG_GIN:
                self._big_gin(declaration)
            else:
                self._refuse(action)
        elif phase == DRAW:
            if action == DRAW_STOCK:
                self._draw_stock()
            elif action == DRAW_DISCARD:
                self.swaps += 1
                self._draw_discard(DISCARD_PHASE)
            else:
                self._refuse(action)
        elif phase <= OFFER_DEALER and action == DRAW_DISCARD:
            self._draw_discard(DISCARD_PHASE)
        elif phase <= OFFER_DEALER and action == PASS:
            self._pass_offer()
        elif phase == FORCED_DRAW and action == DRAW_STOCK:
            self._draw_stock()
        elif phase == SPREAD_PHASE and action == SPREAD:
            self._spread(declaration)
        elif phase == WALL and action == PASS:
            self.events.append(self.turn | PASS << 1)
            self._die("wall")
        elif phase == WALL and action == DRAW_DISCARD and self._can_knock_at_wall():
            self._draw_discard(WALL_KNOCK)
        elif phase == WALL_KNOCK and KNOCK <= action < DRAW_STOCK:
            self._knock(action - KNOCK, declaration)
        elif phase == WALL_KNOCK and action == BIG_GIN:
            self._big_gin(declaration)
        else:
            self._refuse(action)

    def _pass_offer(self) -> None:
        self.events.append(self.turn | PASS << 1)
        self.phase = OFFER_DEALER if self.phase == OFFER_NON_DEALER else FORCED_DRAW
        self.turn = 1 - self.turn

    def _draw_stock(self) -> None:
        player = self.turn
        if self.aligned and player == self.dealer:
            self.back -= 1
            card = self.stock[self.back]
        else:
            card = self.stock[self.front]
            self.front += 1
        self.hands[player] |= 1 << card
        if self.swaps and self.rules.swap_cap_counts == "in_a_row":
            self.swaps = 0
        self.events.append(player | DRAW_STOCK << 1 | card << 8)
        self.phase = DISCARD_PHASE

    def _draw_discard(self, then: int) -> None:
        player = self.turn
        card = self.discards.pop()
        bit = 1 << card
        self.hands[player] |= bit
        self.known[player] |= bit
        self.took[player].append(card)
        self.taken = card
        self.events.append(player | DRAW_DISCARD << 1 | card << 8)
        self.phase = then

    def _discard(self, card: Card) -> None:
        player = self.turn
        bit = 1 << card
        hand = self.hands[player]
        taken = self.taken
        if not hand & bit or (card == taken and self.rules.returned_discard == "illegal"):
            self._refuse(card)
        self.hands[player] = hand ^ bit
        if self.known[player] & bit:
            self.known[player] ^= bit
        self.discards.append(card)
        self.discarded[player].append(card)
        self.events.append(player | card << 1)
        self.taken = NO_CARD
        if taken >= 0:
            again = card == taken
            if again and self.returned:
                self._die("returned")
                return
            self.returned = again
            if self.swaps >= self.rules.swap_cap:
                self._die("swaps")
                return
        else:
            self.returned = False
        if self.back - self.front <= STOCK_LEFT_AT_END:
            self._end_stock()
            return
        self.turn = 1 - player
        self.phase = DRAW

    def _end_stock(self) -> None:
        if self.rules.stock_end == "dead":
            self._die("stock")
        else:
            self.turn = 1 - self.turn
            self.phase = WALL

    def _knock(self, card: Card, declaration: Declaration | None) -> None:
        player = self.turn
        bit = 1 << card
        hand = self.hands[player]
        if not self._may_knock(card):
            self._refuse(KNOCK + card)
        self.hands[player] = hand ^ bit
        self.known[player] &= ~bit
        self.knock_card = card
        self.events.append(player | (KNOCK + card) << 1)
        self._call(player, declaration)

    def _may_knock(self, card: Card) -> bool:
        hand = self.hands[self.turn]
        bit = 1 << card
        if not hand & bit or deadwood(hand ^ bit) > self.knock_limit:
            return False
        return card != self.taken or self.rules.returned_discard != "illegal"

    def _big_gin(self, declaration: Declaration | None) -> None:
        player = self.turn
        if self.rules.big_gin_bonus is None or deadwood(self.hands[player]):
            self._refuse(BIG_GIN)
        self.events.append(player | BIG_GIN << 1)
        self._call(player, declaration)

    def _call(self, player: int, declaration: Declaration | None) -> None:
        """Go to the showdown: at once, or when the defender has declared."""
        self.knocker = player
        self.turn = 1 - player
        self.taken = NO_CARD
        self.declared = declaration
        if self.rules.melds == "declared":
            self.phase = SPREAD_PHASE
        else:
            self._show(None)

    def _spread(self, declaration: Declaration | None) -> None:
        self.events.append(self.turn | SPREAD << 1)
        self._show(declaration)

    def _show(self, declaration: Declaration | None) -> None:
        """Lay both hands out and score them."""
        knocker = self.knocker
        shown = self.knocker_showing()
        theirs = defender_shows(self.hands[1 - knocker], shown, declaration, layoffs=self.rules.layoffs)
        big = self.knock_card == NO_CARD
        points = score_showdown(
            self.rules, shown.deadwood, theirs.deadwood, big_gin=big, doubled=self.doubled
        )
        winner = knocker if points.knocker_wins else 1 - knocker
        self.phase = OVER
        self.result = HandResult(
            outcome=points.outcome,
            winner=NOBODY if points.outcome == "tie" else winner,
            points=points.points,
            knocker=knocker,
            knock_card=None if big else self.knock_card,
            showings=(shown, theirs) if knocker == 0 else (theirs, shown),
        )

    def knocker_showing(self) -> Showing:
        """Return what the knocker shows, from its own cards (and declaration) alone."""
        return knocker_shows(self.hands[self.knocker], self.declared)

    def _die(self, reason: DeadReason) -> None:
        self.phase = OVER
        self.result = HandResult("dead", dead_reason=reason)

    # ------------------------------------------------------------------ refusing

    def _refuse(self, action: int) -> NoReturn:
        raise IllegalAction(self.why_illegal(action))

    def why_illegal(self, action: int) -> str:
        """Return why the rules refuse an action now, for people; empty if they allow it."""
        if action in self.legal_actions():
            return ""
        if not 0 <= action <= SPREAD:
            return f"{action} is no action"
        if self.phase == OVER:
            return "the hand is over"
        if action < DRAW_STOCK and self.phase in (DISCARD_PHASE, WALL_KNOCK):
            return self._why_no_discard(action)
        if action == DRAW_DISCARD and self.phase == WALL:
            return f"taking {CARD_NAMES[self.discards[-1]]} would not allow a knock"
        if action == BIG_GIN and self.phase in (DISCARD_PHASE, WALL_KNOCK):
            if self.rules.big_gin_bonus is None:
                return f"there is no big gin under {self.rules.name}"
            return f"big gin needs all eleven cards melded; {deadwood(self.hands[self.turn])} are left"
        return f"it is not possible in the phase '{PHASE_NAMES[self.phase]}'"

    def _why_no_discard(self, action: int) -> str:
        card = action % KNOCK
        name = CARD_NAMES[card]
        hand = self.hands[self.turn]
        if not hand >> card & 1:
            return f"{name} is not in the hand"
        if card == self.taken and self.rules.returned_discard == "illegal":
            return f"{name} was taken from the discard pile in this turn"
        if action < KNOCK:
            return "at the wall only a knock is possible"
        left = deadwood(hand ^ (1 << card))
        return f"a knock discarding {name} leaves deadwood {left}, over the limit of {self.knock_limit}"

    def _verify_declaration(self, action: int, declaration: Declaration) -> None:
        """Check a declaration before anything changes.

        Raises:
            IllegalAction: what is declared cannot be laid out so, with the reason.
        """
        if self.rules.melds != "declared":
            raise IllegalAction(f"under {self.rules.name} the engine melds: declare none")
        if action not in self.legal_actions():
            self._refuse(action)
        hand = self.hands[self.turn]
        if action == SPREAD:
            if declaration.layoffs and not self.rules.layoffs:
                raise IllegalAction(f"under {self.rules.name} nothing is laid off")
            verify_spread(declaration, hand, self.knocker_showing())
        elif action == BIG_GIN:
            verify_knock(declaration, hand, 0)
        elif KNOCK <= action < DRAW_STOCK:
            verify_knock(declaration, hand ^ 1 << action - KNOCK, self.knock_limit)
        else:
            raise IllegalAction("melds are declared with a knock, a big gin or a spread only")

    # ------------------------------------------------------------------ copying

    def clone(self) -> Hand:
        """Return an independent copy."""
        # Interpreted, __new__ ignores the arguments; compiled by mypyc, it initialises with them.
        new = Hand.__new__(Hand, self.rules, self.deck, self.dealer)  # type: ignore[call-arg]
        new.rules = self.rules
        new.deck = self.deck
        new.dealer = self.dealer
        new.aligned = self.aligned
        new.hands = self.hands[:]
        new.known = self.known[:]
        new.upcard = self.upcard
        new.discards = self.discards[:]
        new.discarded = (self.discarded[0][:], self.discarded[1][:])
        new.took = (self.took[0][:], self.took[1][:])
        new.stock = self.stock
        new.front = self.front
        new.back = self.back
        new.knock_limit = self.knock_limit
        new.turn = self.turn
        new.phase = self.phase
        new.taken = self.taken
        new.swaps = self.swaps
        new.returned = self.returned
        new.knocker = self.knocker
        new.knock_card = self.knock_card
        new.declared = self.declared
        new.events = self.events[:]
        new.result = self.result
        return new

    def __reduce__(self) -> tuple[object, ...]:
        """Return how to copy or unpickle a hand: compiled, it has no slots that ``copyreg`` knows."""
        values = tuple([getattr(self, name) for name in _FIELDS])
        return _restored, (self.rules, self.deck, self.dealer, values)


def _restored(rules: RuleSet, deck: tuple[Card, ...], dealer: int, values: tuple[object, ...]) -> Hand:
    hand = Hand(rules, deck, dealer)
    for name, value in zip(_FIELDS, values, strict=True):
        setattr(hand, name, value)
    return hand


def knock_limit(rules: RuleSet, upcard: Card) -> int:
    """Return the hand's knock limit: the setting, or the first upcard's value (0 for gin only)."""
    if rules.knock_limit != "upcard":
        return rules.knock_limit
    if upcard % 13 == 0 and rules.ace_upcard == "gin":
        return 0
    return POINTS[upcard]
