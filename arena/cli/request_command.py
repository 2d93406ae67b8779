"""``arena request``: a recorded decision request."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from arena.cli.log_sources import log_source, store_option


@click.command("request")
@click.argument("log", required=False, metavar="LOG")
@store_option
@click.option(
    "--at", required=True, metavar="G.H.D", help="Which decision: its game, hand and number, all from 0."
)
@click.option("--binary", is_flag=True, help="Print the message's bytes instead of JSON.")
def command(log: str | None, store: Path | None, at: str, binary: bool) -> None:
    """Print a decision request as the bot got it, in protobuf's JSON mapping.

    It is for a unit test of a bot, or for `arena ask`.

    \b
    Example:  arena request logs/m1.jsonl.zst --at 0.3.14 > request.json
    """
    from arena.log.reader import read_log
    from arena.log.viewing import parse_place
    from arena.protocol.transport import run_async
    from arena.referee.pins import request_json
    from arena.referee.rerun import request_at

    recorded = read_log(log_source(log, store), name=log, tolerant=True)
    request, _ = run_async(request_at(recorded, parse_place(at)))
    if binary:
        sys.stdout.buffer.write(request.SerializeToString(deterministic=True))
    else:
        click.echo(request_json(request))
