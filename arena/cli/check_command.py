"""``arena check``: try a bot out."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path

import click

from arena.cli.options import rules_of, rules_options
from arena.cli.referee_options import hosting_of, sandbox_option


@click.command("check")
@click.argument("bot")
@rules_options
@click.option("--move-time", default="200ms", show_default=True, metavar="TIME", help="Time control to keep.")
@click.option(
    "--pins",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Also send the bot these pinned requests; `arena pin` writes them.",
)
@sandbox_option
@click.option("--json", "as_json", is_flag=True, help="Print the steps as JSON.")
def command(
    bot: str,
    preset_name: str,
    changes: tuple[str, ...],
    move_time: str,
    pins: Path | None,
    sandbox: str,
    as_json: bool,
) -> int:
    """Build a bot, start it and play it against @random; say of each step whether it passed.

    Exits with 1 if a step failed.

    \b
    Example:  arena check my-bot
    """
    from arena.errors import ManifestError
    from arena.protocol.transport import run_async
    from arena.referee.check import Step, check
    from arena.referee.clock import parse_time_control
    from arena.referee.hosting import AT_HOME
    from arena.referee.manifest import find_package
    from arena.referee.pins import read_pins

    rules = rules_of(preset_name, changes)
    time = parse_time_control(move_time)

    pinned = read_pins(pins) if pins is not None else []

    hosting = AT_HOME
    with contextlib.suppress(ManifestError):  # a step of the check will tell it
        hosting = hosting_of(sandbox, find_package(bot))

    async def run() -> list[Step]:
        steps: list[Step] = []
        async for step in check(bot, rules, time, pinned, hosting):
            steps.append(step)
            if not as_json:
                click.echo(_text(step))
        return steps

    steps = run_async(run())
    if as_json:
        click.echo(json.dumps([step.as_dict() for step in steps], indent=2))
    return 0 if all(step.ok for step in steps) else 1


def _text(step: object) -> str:
    from arena.referee.check import Step

    assert isinstance(step, Step)
    lines = [f"{'ok    ' if step.ok else 'FAILED'} {step.name:9} {step.detail}"]
    if step.remedy:
        lines.append(f"       remedy:   {step.remedy}")
    lines += [f"       | {line}" for line in step.stderr]
    return "\n".join(lines)
