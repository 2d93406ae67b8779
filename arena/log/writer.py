"""Writing a match log: lines are collected while the match is played and put into text at its end."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

import zstandard

from arena.engine.game import Acted, Dealt, Game, Record, Scored, Showed
from arena.log.encoding import (
    Digest,
    deal_data,
    decision_text,
    end_data,
    fault_data,
    game_data,
    game_end_data,
    header_data,
    line_text,
    score_data,
    show_data,
    void_data,
)
from arena.log.lines import Asked, End, GameStart, Header, LoggedFault, Void

COMPRESSION_LEVEL: Final = 9
"""The zstd level of logs."""
BLOCK_BYTES: Final = 16 * 1024
"""Text in one zstd block. What a truncated file loses is its last block; smaller ones compress worse."""

_Entry = tuple[int, int, Record, Asked | None]
"""Game, hand, what the engine recorded, and how the decision came about."""


class MatchLog:
    """The log of one match, kept in memory until it is written.

    Nothing is turned into text before :meth:`lines` or :meth:`to_bytes`, so recording a decision
    costs the play next to nothing; both may be called at any time, also of a match that was cut off.

    Args:
        header: what was agreed before the first deal.
    """

    def __init__(self, header: Header) -> None:
        self._entries: list[Header | GameStart | _Entry | LoggedFault | Void | End] = [header]
        self._game = 0

    def game_started(self, number: int, pair: int, first_dealer: int) -> None:
        """Log that a game begins; the records that follow belong to it."""
        self._game = number
        self._entries.append(GameStart(number, pair, first_dealer))

    def record(self, game: Game, record: Record, *, decision: Asked | None = None) -> None:
        """Log what the engine recorded, in its order and before the next hand is dealt.

        Args:
            game: the game in play.
            record: one of its records.
            decision: how the decision came about; needed with an ``Acted``, and only there.
        """
        self._entries.append((self._game, game.hand_number, record, decision))

    def fault(self, fault: LoggedFault) -> None:
        """Log a fault of a bot."""
        self._entries.append(fault)

    def voided(self, number: int, reason: str) -> None:
        """Log that a game does not count and is played again."""
        self._entries.append(Void(number, reason))

    def ended(self, end: End) -> None:
        """Log the end of the match; nothing follows it."""
        self._entries.append(end)

    def lines(self) -> Iterator[str]:
        """Yield the lines, without line ends."""
        digest = Digest()
        for entry in self._entries:
            if isinstance(entry, End):
                yield line_text(end_data(entry, digest.end(line_text(end_data(entry)))))
            else:
                line = _line(entry)
                digest.add(line)
                yield line

    def to_bytes(self) -> bytes:
        """Return the log as a ``.jsonl.zst`` file; the same lines give the same bytes."""
        return compress(self.lines())


def _line(entry: Header | GameStart | _Entry | LoggedFault | Void) -> str:
    if isinstance(entry, tuple):
        return _record_line(*entry)
    if isinstance(entry, Header):
        return line_text(header_data(entry))
    if isinstance(entry, GameStart):
        return line_text(game_data(entry.number, entry.pair, entry.first_dealer))
    if isinstance(entry, LoggedFault):
        return line_text(fault_data(entry))
    return line_text(void_data(entry.game, entry.reason))


def _record_line(game: int, hand: int, record: Record, asked: Asked | None) -> str:
    if isinstance(record, Acted):
        assert asked is not None, "a decision is logged with how it came about"
        return decision_text(game, hand, record, asked)
    if isinstance(record, Dealt):
        return line_text(deal_data(game, record))
    if isinstance(record, Showed):
        return line_text(show_data(game, hand, record))
    if isinstance(record, Scored):
        return line_text(score_data(game, record))
    return line_text(game_end_data(game, record))


def compress(lines: Iterable[str]) -> bytes:
    """Return lines as a ``.jsonl.zst`` file."""
    text = "".join(f"{line}\n" for line in lines).encode()
    compressor = zstandard.ZstdCompressor(level=COMPRESSION_LEVEL, write_checksum=True)
    stream = compressor.compressobj(size=len(text))
    parts: list[bytes] = []
    for start in range(0, len(text), BLOCK_BYTES):
        parts.append(stream.compress(text[start : start + BLOCK_BYTES]))
        parts.append(stream.flush(zstandard.COMPRESSOBJ_FLUSH_BLOCK))
    parts.append(stream.flush())
    return b"".join(parts)
