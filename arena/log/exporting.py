"""Logs as tables for notebooks: a row a decision, a hand or a game."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, Final, TextIO

from arena.engine.actions import action_text
from arena.engine.cards import CARD_NAMES
from arena.errors import UsageError
from arena.log.lines import PHASES, Decision, GameEnd, Header, Show, Value

Row = dict[str, Any]


def decision_rows(header: Header, values: Iterable[Value]) -> Iterator[Row]:
    """Yield a row for each decision."""
    for value in values:
        if isinstance(value, Decision):
            bot = header.seats[value.seat]
            yield {
                "match_id": header.match_id,
                "rules": header.rules.name,
                "game": value.game,
                "hand": value.hand,
                "decision": value.asked.decision,
                "table": value.table,
                "seat": value.seat,
                "bot": bot.name,
                "version": bot.version,
                "phase": PHASES[value.phase],
                "action": action_text(value.action, value.declaration),
                "card": CARD_NAMES[value.card] if value.card is not None else "",
                "took_us": value.asked.time_us,
                "substituted": value.asked.substituted,
                "note": value.asked.note,
            }


def hand_rows(header: Header, values: Iterable[Value]) -> Iterator[Row]:
    """Yield a row for each hand of each table."""
    for value in values:
        if isinstance(value, Show):
            deadwood = {shown.seat: shown.deadwood for shown in value.showings}
            yield {
                "match_id": header.match_id,
                "rules": header.rules.name,
                "game": value.game,
                "hand": value.hand,
                "table": value.table,
                "outcome": value.outcome,
                "dead_reason": value.dead_reason,
                "winner": value.winner,
                "winner_bot": header.seats[value.winner].name if value.winner is not None else "",
                "points": value.points,
                "knocker": value.knocker,
                "knocker_deadwood": deadwood.get(value.knocker) if value.knocker is not None else None,
                "defender_deadwood": next((d for s, d in deadwood.items() if s != value.knocker), None),
            }


def game_rows(header: Header, values: Iterable[Value]) -> Iterator[Row]:
    """Yield a row for each game."""
    for value in values:
        if isinstance(value, GameEnd):
            yield {
                "match_id": header.match_id,
                "rules": header.rules.name,
                "game": value.game,
                "reason": value.reason,
                "winners": " ".join(map(str, value.winners)),
                "totals": " ".join(map(str, value.totals)),
                "points": " ".join(map(str, value.points)),
                "hands_won": " ".join(map(str, value.hands_won)),
                "bots": " ".join(seat.name for seat in header.seats),
            }


TABLES: Final[dict[str, Callable[[Header, Iterable[Value]], Iterator[Row]]]] = {
    "decisions": decision_rows,
    "hands": hand_rows,
    "games": game_rows,
}
"""The tables by name."""


def write_csv(rows: Iterable[Row], out: TextIO) -> None:
    """Write rows as CSV with a header line."""
    writer: csv.DictWriter[str] | None = None
    for row in rows:
        if writer is None:
            writer = csv.DictWriter(out, list(row), lineterminator="\n")
            writer.writeheader()
        writer.writerow(row)


def write_json_lines(rows: Iterable[Row], out: TextIO) -> None:
    """Write rows as JSON Lines."""
    for row in rows:
        out.write(json.dumps(row, ensure_ascii=False) + "\n")


def write_parquet(rows: Iterable[Row], path: Path) -> None:
    """Write rows as a Parquet file, through pyarrow (the extra ``parquet``).

    Raises:
        UsageError: pyarrow is not installed.
    """
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise UsageError("Parquet needs pyarrow: pip install 'gin-arena[parquet]'") from None
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(list(rows)), path)
