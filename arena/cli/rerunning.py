"""``arena replay --rerun``: a bot fed from a log, its decisions printed beside the recorded ones."""

from __future__ import annotations

import asyncio
import json
import sys

import click

from arena.cli.referee_options import hosting_of
from arena.ladder.entrants import find_entrant
from arena.ladder.runner import build_all, failure
from arena.log.reader import read_log
from arena.log.viewing import parse_place
from arena.protocol.transport import run_async
from arena.referee.recorded import Place
from arena.referee.rerun import Compared, place_text, rerun
from arena.referee.verdict import Verdict


def run_again(
    source: str | bytes,
    name: str | None,
    bot: str,
    seat: int,
    *,
    paced: bool,
    stop_at: str | None,
    sandbox: str,
    as_json: bool,
) -> int:
    """Rerun a bot on a log and print what differs; return the exit code."""
    log = read_log(source, name=name, tolerant=True)
    package = find_entrant(bot)
    # A debugger cannot reach into the sandbox.
    hosting = hosting_of("none" if stop_at is not None else sandbox, package, patient=True)
    build_all([package])
    stop = parse_place(stop_at) if stop_at is not None else None

    async def wait_there(place: Place) -> None:
        if place == stop:
            click.echo(f"stopped before {place_text(place)}: press Enter to go on", err=True)
            await asyncio.to_thread(sys.stdin.readline)

    async def run() -> list[Compared]:
        async with hosting.referee() as referee:
            seed = log.header.seats[seat].bot_seed if seat < len(log.header.seats) else ""
            contestant = referee.enter(package, bot_seed=seed)
            found: list[Compared] = []
            async for compared in rerun(log, contestant, seat, paced=paced, on_place=wait_there):
                if compared.fault is not None and compared.fault.verdict == Verdict.FAILED_START:
                    raise failure(package, compared.fault)
                found.append(compared)
                if not as_json and not compared.same:
                    click.echo(_line(compared))
            return found

    compared = run_async(run())
    return _summary(compared, as_json)


def _line(compared: Compared) -> str:
    times = f"({compared.recorded_us / 1000:.1f} ms, now {compared.now_us / 1000:.1f} ms)"
    recorded = compared.recorded or "a fault"
    return f"{place_text(compared.place)}  recorded {recorded}  now {compared.now}  {times}"


def _summary(compared: list[Compared], as_json: bool) -> int:
    """Print the totals; return 1 if a decision differs."""
    different = [c for c in compared if not c.same]
    if as_json:
        rows = [
            {
                "at": place_text(c.place),
                "recorded": c.recorded,
                "now": c.now,
                "same": c.same,
                "recorded_us": c.recorded_us,
                "now_us": c.now_us,
            }
            for c in compared
        ]
        click.echo(json.dumps({"decisions": rows, "different": len(different)}, indent=1))
    elif different:
        first = place_text(different[0].place)
        click.echo(f"{len(different)} of {len(compared)} decisions differ, the first at {first}")
    else:
        click.echo(f"all {len(compared)} decisions are as recorded")
    return 1 if different else 0
