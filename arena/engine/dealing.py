"""Decks from a match secret, and the commitment that lets anyone check them afterwards.

The deck of hand ``hand`` at table ``table`` of game pair ``pair`` is a function of the secret and
these three numbers only, so nothing that a bot does can shift it:

* key = HMAC-SHA256(secret, ``"gin-arena deck 1 <pair> <hand> <table>"``);
* stream = HMAC-SHA256(key, 0) || HMAC-SHA256(key, 1) || ..., counters as 8 bytes big-endian;
* Fisher-Yates from the last place down: for ``place`` = 51..1 take bytes off the stream, skipping
  those at or above the largest multiple of ``place + 1`` up to 256, and swap ``place`` with
  ``byte mod (place + 1)``. No choice is favoured.

The commitment to a secret is the SHA-256 of the bytes ``"gin-arena secret "`` and the secret.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterator
from typing import Final

from arena.engine.cards import Card

Deck = tuple[Card, ...]
"""The 52 cards in dealing order."""

SECRET_BYTES: Final = 32
"""Length of a match secret."""


def commitment(secret: bytes) -> str:
    """Return the hex digest that commits to a secret without telling it."""
    return hashlib.sha256(b"gin-arena secret " + secret).hexdigest()


def deck(secret: bytes, pair: int, hand: int, table: int = 0) -> Deck:
    """Return the deck of one hand (all numbers from 0), derived as the module describes."""
    stream = _stream(_key(secret, f"gin-arena deck 1 {pair} {hand} {table}"))
    cards = list(range(52))
    for place in range(51, 0, -1):
        choices = place + 1
        byte = next(stream)
        while byte >= 256 - 256 % choices:
            byte = next(stream)
        other = byte % choices
        cards[place], cards[other] = cards[other], cards[place]
    return tuple(cards)


def first_dealer(secret: bytes, rule: str, game: int, dealers: int = 2) -> int:
    """Return which of the dealers deals the first hand of a game.

    Where it is left to chance, one draw serves as many games in a row as there are dealers, and
    each of them begins once; so it is with a fixed dealer too.

    Args:
        secret: the match secret.
        rule: the setting ``first_dealer``: ``random``, ``seat 0`` or ``seat 1``.
        game: number of the game in its match, from 0.
        dealers: how many dealers the format has to choose from.
    """
    turn, step = divmod(game, dealers)
    if rule != "random":
        return (int(rule.removeprefix("seat ")) + step) % dealers
    stream = _stream(_key(secret, f"gin-arena dealer 1 {turn}"))
    byte = next(stream)
    while byte >= 256 - 256 % dealers:
        byte = next(stream)
    return (byte + step) % dealers


def pair_of(game: int, *, duplicate: bool, dealers: int = 2) -> int:
    """Return the number by which a game's decks are derived.

    In duplicate play as many games in a row as there are dealers share their decks; as the first
    deal goes round, every seat once gets what each of the others had.
    """
    return game // dealers if duplicate else game


def derive_secret(seed: str, match_id: str) -> bytes:
    """Return the secret of a match of a repeatable run, from the run's seed and the match's id."""
    return _key(hashlib.sha256(seed.encode()).digest(), f"gin-arena match 1 {match_id}")


def _key(secret: bytes, label: str) -> bytes:
    return hmac.digest(secret, label.encode(), "sha256")


def _stream(key: bytes) -> Iterator[int]:
    counter = 0
    while True:
        yield from hmac.digest(key, counter.to_bytes(8, "big"), "sha256")
        counter += 1
