"""``arena replay``: show a match log."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from arena.cli.log_sources import log_source, store_option
from arena.cli.referee_options import sandbox_option


@click.command("replay")
@click.argument("log", required=False, metavar="LOG")
@store_option
@click.option("--seat", type=click.IntRange(0), metavar="N", help="Show only what that seat saw.")
@click.option("--game", type=click.IntRange(0), metavar="G", help="Show only that game.")
@click.option("--at", metavar="G.H.D", help="Start at that decision: its game, hand and number, all from 0.")
@click.option(
    "--rerun", metavar="BOT", help="Start BOT, feed it what the seat was sent, compare its decisions."
)
@click.option("--paced", is_flag=True, help="With --rerun: at the recorded pace, not as fast as it can.")
@sandbox_option
@click.option("--stop-at", metavar="G.H.D", help="With --rerun: wait before that request, for a debugger.")
@click.option("--json", "as_json", is_flag=True, help="Print the events as JSON lines.")
@click.option("--plain", is_flag=True, help="Print plain text without colour, on a terminal too.")
@click.option(
    "--color/--no-color", default=None, help="By default, colour on a terminal where NO_COLOR is not set."
)
def command(
    log: str | None,
    store: Path | None,
    seat: int | None,
    game: int | None,
    at: str | None,
    rerun: str | None,
    paced: bool,
    stop_at: str | None,
    sandbox: str,
    as_json: bool,
    plain: bool,
    color: bool | None,
) -> int:
    """Show a match: one line a turn, with the hands melded and sorted.

    A log that is cut off or edited is shown as far as it goes; the exit code is then 1. With --rerun
    it is 1 if the bot decides otherwise than was recorded.

    \b
    Example:  arena replay logs/m1.jsonl.zst --seat 0 --at 0.3.14
              arena replay logs/m1.jsonl.zst --rerun my-bot --seat 0
    """
    if rerun is not None:
        from arena.cli.rerunning import run_again

        return run_again(
            log_source(log, store),
            log,
            rerun,
            seat or 0,
            paced=paced,
            stop_at=stop_at,
            sandbox=sandbox,
            as_json=as_json,
        )
    if paced or stop_at is not None:
        raise click.UsageError("--paced and --stop-at go with --rerun")
    from arena.log.events import events
    from arena.log.reader import open_log
    from arena.log.terminal import Terminal
    from arena.log.transcript import render
    from arena.log.viewing import Viewer, parse_place

    viewer = Viewer(seat, game, None if at is None else parse_place(at))
    stream = open_log(log_source(log, store), name=log)
    terminal = Terminal.of(sys.stdout, os.environ, color=False if plain else color)
    for line in events(stream, viewer) if as_json else render(stream, viewer, terminal):
        click.echo(terminal.showable(line), color=terminal.color)
    return 0
