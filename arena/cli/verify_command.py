"""``arena verify``: say whether match logs are true."""

from __future__ import annotations

import json
from pathlib import Path

import click

from arena.cli.log_sources import log_sources


@click.command("verify")
@click.argument("logs", nargs=-1, metavar="LOG...")
@click.option(
    "--store",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="A ladder store: LOG is then a match id, and all its matches are verified where none is named.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a log.")
def command(logs: tuple[str, ...], store: Path | None, as_json: bool) -> int:
    """Replay match logs through the rules, and check every action, result and deck.

    Prints "LOG: ok" or "LOG: mismatch at event N (WHERE): WHAT" for each; N is the number of the
    line in the log. Exits with 1 if any log is not ok.

    \b
    Example:  arena verify logs/*.jsonl.zst
    """
    from arena.log.verification import report

    good = True
    for name, source in log_sources(logs, store):
        verdict = report(name, source)
        click.echo(json.dumps(verdict.data) if as_json else verdict.text)
        good &= verdict.ok
    return 0 if good else 1
