"""``arena pin``: keep a decision as a regression test of a bot."""

from __future__ import annotations

from pathlib import Path

import click

from arena.cli.log_sources import log_source, store_option


@click.command("pin")
@click.argument("log", required=False, metavar="LOG")
@store_option
@click.option(
    "--at", required=True, metavar="G.H.D", help="Which decision: its game, hand and number, all from 0."
)
@click.option("--expect", metavar="ACTION", help="The answer to expect.  [default: the recorded one]")
@click.option(
    "--pins", default="pins.toml", show_default=True, type=click.Path(path_type=Path), metavar="FILE"
)
def command(log: str | None, store: Path | None, at: str, expect: str | None, pins: Path) -> None:
    """Append a recorded request and the answer to expect to a file of pins.

    `arena check BOT --pins FILE` tries them.

    \b
    Example:  arena pin logs/m1.jsonl.zst --at 0.3.14 --expect "discard 9D"
    """
    from arena.engine.actions import action_text
    from arena.errors import UsageError
    from arena.log.reader import read_log
    from arena.log.viewing import parse_place
    from arena.protocol.transport import run_async
    from arena.referee.pins import Pin, add_pin, expected_text
    from arena.referee.rerun import request_at

    recorded = read_log(log_source(log, store), name=log, tolerant=True)
    request, decision = run_async(request_at(recorded, parse_place(at)))
    if expect is None and decision is None:
        raise UsageError(f"no action was recorded at {at}: say what to --expect")
    wanted = expected_text(expect) if expect is not None else ""
    if decision is not None and expect is None:
        wanted = action_text(decision.action, decision.declaration)
    add_pin(pins, Pin(at, recorded.header.match_id, wanted, request))
    click.echo(f"pinned {wanted!r} at {at} in {pins}")
