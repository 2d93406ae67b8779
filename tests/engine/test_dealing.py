"""Decks: pinned for ever, uniform, and independent of everything but secret, pair, hand and table."""

from __future__ import annotations

import hashlib
import hmac
from collections import Counter

import pytest

from arena.engine.cards import CARD_NAMES
from arena.engine.dealing import commitment, deck, derive_secret, first_dealer, pair_of

SECRET = bytes(range(32))


def test_the_derivation_is_pinned() -> None:
    """A change of these cards would make every log ever written unverifiable."""
    names = " ".join(CARD_NAMES[card] for card in deck(SECRET, 0, 0))
    assert names.split()[:12] == PINNED.split()
    assert commitment(SECRET) == hashlib.sha256(b"gin-arena secret " + SECRET).hexdigest()


PINNED = "2D 6S JH 6D 8C 2C 6C AH KH 5H JD TD"


def test_the_documented_derivation_written_again() -> None:
    """Follow the module's text word by word, in other code."""
    key = hmac.new(SECRET, b"gin-arena deck 1 3 7 1", hashlib.sha256).digest()
    stream = b"".join(hmac.new(key, i.to_bytes(8, "big"), hashlib.sha256).digest() for i in range(20))
    cards, at = list(range(52)), 0
    for place in range(51, 0, -1):
        while stream[at] >= (256 // (place + 1)) * (place + 1):
            at += 1
        other = stream[at] % (place + 1)
        at += 1
        cards[place], cards[other] = cards[other], cards[place]
    assert deck(SECRET, 3, 7, 1) == tuple(cards)


def test_every_number_changes_the_deck() -> None:
    decks = {deck(SECRET, *numbers) for numbers in [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]}
    decks.add(deck(bytes(32), 0, 0, 0))
    assert len(decks) == 5
    assert all(sorted(d) == list(range(52)) for d in decks)


def test_every_card_is_equally_often_first_and_last() -> None:
    """Chi-squared of 5,200 decks against uniform; 51 degrees of freedom, 99.99% quantile 103."""
    for place in (0, 20, 51):
        counts = Counter(deck(SECRET, 0, hand)[place] for hand in range(5200))
        assert sum((counts[card] - 100) ** 2 / 100 for card in range(52)) < 103


@pytest.mark.parametrize("dealers", [2, 3])
def test_each_seat_deals_first_once_in_a_round(dealers: int) -> None:
    for start in range(0, 60, dealers):
        firsts = [first_dealer(SECRET, "random", start + i, dealers) for i in range(dealers)]
        assert sorted(firsts) == list(range(dealers))
    assert len({first_dealer(SECRET, "random", game, dealers) for game in range(0, 90, dealers)}) == dealers


def test_a_fixed_first_dealer_alternates_too() -> None:
    assert [first_dealer(SECRET, "seat 1", game) for game in range(4)] == [1, 0, 1, 0]


def test_duplicate_games_share_their_decks() -> None:
    assert [pair_of(game, duplicate=True) for game in range(5)] == [0, 0, 1, 1, 2]
    assert [pair_of(game, duplicate=False) for game in range(3)] == [0, 1, 2]


def test_secrets_of_a_seed_differ_by_match_and_seed() -> None:
    secrets = {derive_secret(seed, match) for seed in ("1", "2") for match in ("a", "b")}
    assert len(secrets) == 4 and all(len(secret) == 32 for secret in secrets)
