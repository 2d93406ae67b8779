"""``arena tournament``: a tournament between bots."""

from __future__ import annotations

import csv
import html
import io
import json
from pathlib import Path
from typing import Any

import click

from arena.cli.options import progress, rules_of, rules_options
from arena.cli.referee_options import RefereeOptions, referee_options
from arena.cli.tables import table

_FORMATS = ("round-robin", "gauntlet", "swiss", "knockout", "double-elimination")


@click.command("tournament")
@click.argument("form", type=click.Choice(_FORMATS), metavar="FORMAT")
@click.argument("bots", nargs=-1, required=True, metavar="BOT BOT...")
@click.option(
    "--pairs",
    default=2,
    show_default=True,
    type=click.IntRange(1, 10_000),
    help="Game pairs of an encounter.",
)
@click.option("--rounds", type=click.IntRange(1, 1000), help="Rounds of a Swiss tournament.")
@click.option(
    "--state",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Keep the results here, and go on from them.",
)
@click.option(
    "--log-dir", type=click.Path(path_type=Path), metavar="DIR", help="Write a log of each encounter."
)
@rules_options
@referee_options
@click.option(
    "--jobs", type=click.IntRange(1, 1000), help="Encounters played at once.  [default: processors]"
)
@click.option("--seed", help="Make the tournament repeatable.")
@click.option("--json", "shape", flag_value="json", help="Print JSON.")
@click.option("--csv", "shape", flag_value="csv", help="Print CSV.")
@click.option("--markdown", "shape", flag_value="markdown", help="Print a Markdown table.")
@click.option("--html", "page", type=click.Path(path_type=Path), metavar="FILE", help="Write a page as well.")
def command(
    form: str,
    bots: tuple[str, ...],
    pairs: int,
    rounds: int | None,
    state: Path | None,
    log_dir: Path | None,
    preset_name: str,
    changes: tuple[str, ...],
    hosted: RefereeOptions,
    jobs: int | None,
    seed: str | None,
    shape: str | None,
    page: Path | None,
) -> None:
    """Play a tournament and print its standings; the bots are seeded in the order given.

    FORMAT is round-robin, gauntlet (the first against all others), swiss, knockout or
    double-elimination. docs/tournaments.md tells pairing, byes and tie-breaks.

    \b
    Example:  arena tournament swiss bots/* --pairs 5 --state contest.json
    """
    from arena.ladder.contest import write_bytes
    from arena.ladder.entrants import find_entrant
    from arena.ladder.runner import build_all, default_jobs
    from arena.ladder.tournament import Tournament, TournamentSpec, load, play_tournament, save, table_rows
    from arena.protocol.transport import run_async

    packages = [find_entrant(bot) for bot in bots]
    spec = TournamentSpec(form, rules_of(preset_name, changes), hosted.time(), pairs, rounds, seed or "")
    key = spec.key(packages)
    tournament = (load(state, key) if state is not None else None) or Tournament()
    hosting = hosted.hosting(packages)
    build_all(packages, hosting.build_s)
    with progress("encounters", _encounters(form, len(packages), rounds)) as advance:

        def played(now: Tournament) -> None:
            advance()
            if state is not None:
                save(state, now, key)

        run_async(
            play_tournament(
                spec,
                packages,
                tournament,
                jobs=jobs or default_jobs(),
                log_dir=log_dir,
                hosting=hosting,
                on_played=played,
            )
        )
    rows = table_rows(spec, packages, tournament)
    if page is not None:
        write_bytes(page, _page(f"{form}: {len(packages)} entrants, {preset_name}", rows).encode())
    click.echo(_shaped(shape, rows), nl=shape != "csv")


def _encounters(form: str, entrants: int, rounds: int | None) -> int:
    """Return about how many encounters there will be, for the progress bar."""
    count = {
        "round-robin": entrants * (entrants - 1) // 2,
        "gauntlet": entrants - 1,
        "swiss": (rounds or max(1, (entrants - 1).bit_length())) * (entrants // 2),
        "double-elimination": 2 * entrants - 2,
    }
    return count.get(form, entrants - 1)


def _shaped(shape: str | None, rows: list[dict[str, Any]]) -> str:
    if shape == "json":
        return json.dumps(rows, indent=2)
    if shape == "csv":
        text = io.StringIO()
        writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
        return text.getvalue()
    header, cells = _cells(rows)
    if shape == "markdown":
        lines = [header, ["---"] * len(header), *cells]
        return "\n".join("| " + " | ".join(line) + " |" for line in lines)
    return table(header, cells)


def _cells(rows: list[dict[str, Any]]) -> tuple[list[str], list[list[str]]]:
    header = [
        "",
        "bot",
        "version",
        "score",
        "won",
        "lost",
        "drawn",
        "share of games",
        "h2h",
        "buchholz",
        "points",
        "faults",
    ]
    cells = [
        [
            str(row["place"]),
            row["name"],
            row["version"],
            f"{row['score']:g}",
            *(str(row[key]) for key in ("wins", "losses", "draws")),
            "" if row["share_low"] is None else f"{row['share_low']:.2f}..{row['share_high']:.2f}",
            f"{row['head_to_head']:g}",
            f"{row['buchholz']:g}",
            f"{row['points']:+d}",
            str(row["faults"]),
        ]
        for row in rows
    ]
    return header, cells


def _page(title: str, rows: list[dict[str, Any]]) -> str:
    """Return the standings as a page of its own."""
    header, cells = _cells(rows)
    head = "".join(f"<th>{html.escape(cell)}</th>" for cell in header)
    body = "\n".join(
        "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>" for row in cells
    )
    return (
        '<!doctype html>\n<html lang="en"><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">\n'
        f"<title>{html.escape(title)}</title>\n"
        "<style>body{font:16px system-ui;margin:2em}table{border-collapse:collapse}"
        "td,th{padding:.3em .8em;border-bottom:1px solid #999;text-align:left}</style>\n"
        f"<h1>{html.escape(title)}</h1>\n<table><thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody></table></html>\n"
    )
