"""The worked example of S3, under ``spanish``: both the true optimum and the source's own count.

The source leaves J♥ unmatched and counts 21 for the defender; with that declared the knocker scores
20, and with the optimum 10.
"""

from __future__ import annotations

from arena.engine.actions import KNOCK, SPREAD, Declaration
from arena.engine.cards import parse_card, parse_cards
from arena.engine.melds import Layoff, deadwood
from arena.engine.presets import preset
from arena.engine.rules import override
from arena.engine.state import Hand
from tests.deals import deck_of, play

YOU, OPPONENT = 0, 1


def hand_before_the_knock(*rules: str, third_draw: str = "AH") -> Hand:
    """Play the example up to the knock; the opponent deals."""
    deck = deck_of(
        "3C 4C 5C 7H 7S 9D JS QS KH 2D",
        "8H 9H TH KC KD 5D 6S 7C 8C TS",
        upcard="7D",
        stock=f"JH {third_draw} KS",
    )
    hand = Hand(override(preset("spanish"), rules), deck, OPPONENT)
    assert deadwood(hand.hands[YOU]) == 55
    play(hand, "draw discard", "discard KH")
    assert deadwood(hand.hands[YOU]) == 31
    play(hand, "draw stock", "discard 8C", "draw stock", "discard 9D")
    play(hand, "draw stock", "discard TS", "draw discard")
    return hand


def test_the_optimum_scores_ten() -> None:
    hand = hand_before_the_knock()
    assert deadwood(hand.hands[YOU] & ~parse_cards("2D")) == 1
    play(hand, "knock 2D")
    result = hand.result
    assert result is not None and result.showings is not None
    assert (result.outcome, result.winner, result.points) == ("knock", YOU, 10)
    shown = result.showings[OPPONENT]
    assert shown.deadwood == 11
    assert parse_cards("8H 9H TH JH") in shown.melds
    assert [layoff.card for layoff in shown.layoffs] == [parse_card("7C")]


def test_what_the_source_declares_scores_twenty() -> None:
    hand = hand_before_the_knock("melds=declared")
    hand.apply(KNOCK + parse_card("2D"))
    sevens = parse_cards("7D 7H 7S")
    declared = Declaration(
        melds=(parse_cards("8H 9H TH"), parse_cards("KC KD KS")),
        layoffs=(Layoff(parse_card("7C"), hand.knocker_showing().melds.index(sevens)),),
    )
    hand.apply(SPREAD, declared)
    result = hand.result
    assert result is not None and result.showings is not None
    assert result.showings[OPPONENT].deadwood == 21
    assert (result.winner, result.points) == (YOU, 20)


def test_without_a_declaration_the_optimum_is_taken() -> None:
    hand = hand_before_the_knock("melds=declared")
    play(hand, "knock 2D", "spread")
    assert hand.result is not None
    assert hand.result.points == 10


def test_had_it_been_gin_it_would_score_forty_three() -> None:
    hand = play(hand_before_the_knock(third_draw="6C"), "knock 2D")
    result = hand.result
    assert result is not None and result.showings is not None
    assert (result.outcome, result.showings[OPPONENT].deadwood, result.points) == ("gin", 18, 43)
