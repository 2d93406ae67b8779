"""``arena log``: statistics, tables and searches over logs."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.cli.log_sources import log_sources, store_option
from arena.cli.tables import table

if TYPE_CHECKING:
    from arena.log.reader import LogStream


@click.group("log")
def command() -> None:
    """Count, search and export match logs.

    \b
    Example:  arena log stats logs/*
    """


def _streams(logs: tuple[str, ...], store: Path | None) -> Iterator[LogStream]:
    from arena.log.reader import open_log

    for name, source in log_sources(logs, store):
        yield open_log(source, name=name)


@command.command("stats")
@click.argument("logs", nargs=-1, metavar="LOG...")
@store_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def stats(logs: tuple[str, ...], store: Path | None, as_json: bool) -> None:
    """Print for each bot: games, points a hand, knock, gin and undercut rates, turns, times, faults.

    \b
    Example:  arena log stats --store arena.db
    """
    from arena.log.statistics import Statistics

    statistics = Statistics()
    for stream in _streams(logs, store):
        statistics.add(stream.header, (line.value for line in stream))
    rows = [
        {"name": name, "version": version, **bot.as_dict()}
        for (name, version), bot in sorted(statistics.bots.items())
    ]
    if as_json:
        click.echo(json.dumps({"matches": statistics.matches, "bots": rows}, indent=2))
        return
    keys = [key for key in rows[0] if key not in ("version", "fault_verdicts")] if rows else []
    click.echo(
        table(
            ["", *(row["name"] for row in rows)],
            [[key, *(_cell(row[key]) for row in rows)] for key in keys[1:]],
        )
    )


def _cell(value: object) -> str:
    if value is None:
        return ""
    return f"{value:.3f}" if isinstance(value, float) else str(value)


@command.command("export")
@click.argument("logs", nargs=-1, metavar="LOG...")
@store_option
@click.option(
    "--table",
    "name",
    type=click.Choice(("decisions", "hands", "games")),
    default="decisions",
    show_default=True,
    help="A row a decision, a hand or a game.",
)
@click.option("--csv", "form", flag_value="csv", default=True, help="Write CSV (the default).")
@click.option("--jsonl", "form", flag_value="jsonl", help="Write JSON Lines.")
@click.option("--parquet", type=click.Path(path_type=Path), metavar="FILE", help="Write a Parquet file.")
def export(logs: tuple[str, ...], store: Path | None, name: str, form: str, parquet: Path | None) -> None:
    """Write logs as one table, for notebooks.

    \b
    Example:  arena log export --table hands logs/* > hands.csv
    """
    from arena.log.exporting import TABLES, write_csv, write_json_lines, write_parquet

    rows = (
        row
        for stream in _streams(logs, store)
        for row in TABLES[name](stream.header, (line.value for line in stream))
    )
    if parquet is not None:
        write_parquet(rows, parquet)
    elif form == "jsonl":
        write_json_lines(rows, sys.stdout)
    else:
        write_csv(rows, sys.stdout)


@command.command("grep")
@click.argument("expression")
@click.argument("logs", nargs=-1, metavar="LOG...")
@store_option
@click.option("--json", "as_json", is_flag=True, help="Print the log's own lines.")
def grep(expression: str, logs: tuple[str, ...], store: Path | None, as_json: bool) -> int:
    """Find events: a line each, with the place to give to `arena replay --at`.

    Exits with 1 if there are none.

    \b
    EXPR is words that must all hold: an action (draw pass discard knock biggin spread), an outcome
    (gin undercut tie dead), a verdict (fault timeout crash ...), a card, slow>50ms, fast<1ms,
    bot=NAME, seat=N, note=TEXT.

    \b
    Example:  arena log grep "knock slow>50ms" logs/*
    """
    from arena.log.searching import parse_search

    fits = parse_search(expression)
    found = 0
    for stream in _streams(logs, store):
        for line in stream:
            if fits(stream.header, line.value):
                found += 1
                click.echo(
                    line.text if as_json else f"{stream.header.match_id}  {line.place}  {_brief(line.text)}"
                )
    return 0 if found else 1


def _brief(text: str) -> str:
    """Return the members of a log's line that say what happened."""
    members = json.loads(text)
    shown = ("seat", "action", "card", "outcome", "winner", "points", "verdict", "reason", "note", "time")
    return "  ".join(f"{key}={_plain(members[key])}" for key in shown if key in members)


def _plain(value: object) -> str:
    return " ".join(f"{k}:{v}" for k, v in value.items()) if isinstance(value, dict) else str(value)
