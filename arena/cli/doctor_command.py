"""``arena doctor``: what this machine offers."""

from __future__ import annotations

import dataclasses
import json

import click


@click.command("doctor")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(as_json: bool) -> int:
    """Say what this machine offers: the sandbox, limits on bots, what makes play fast, toolchains.

    Exits with 1 if something is missing without which play is less safe or much slower.

    \b
    Example:  arena doctor
    """
    from arena.referee.doctor import examine
    from arena.referee.sandbox import choose

    found = list(examine())
    line = choose("auto").line
    if as_json:
        data = {"means": [dataclasses.asdict(means) for means in found], "in_force": line}
        click.echo(json.dumps(data, indent=2))
    else:
        for means in found:
            mark = "ok     " if means.ok else "MISSING" if means.needed else "-      "
            click.echo(f"{mark} {means.name:17} {means.detail}")
        click.echo(line)
    return 0 if all(means.ok for means in found if means.needed) else 1
