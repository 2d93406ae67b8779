"""``arena ask``: send a bot one request."""

from __future__ import annotations

from pathlib import Path

import click

from arena.cli.referee_options import hosting_of, sandbox_option


@click.command("ask")
@click.argument("bot")
@click.argument(
    "request", type=click.Path(exists=True, dir_okay=False, path_type=Path), metavar="REQUEST.json"
)
@click.option("--seed", default="", help="The value of ARENA_BOT_SEED for the bot.")
@sandbox_option
def command(bot: str, request: Path, seed: str, sandbox: str) -> int:
    """Start a bot, send it one request, print its action and the time it took.

    Exits with 1 if it gives no legal action.

    \b
    Example:  arena ask my-bot request.json
    """
    from arena.ladder.entrants import find_entrant
    from arena.ladder.runner import build_all
    from arena.protocol.transport import run_async
    from arena.referee.pins import Asked, ask, read_request

    message = read_request(request.read_text("utf-8", "replace"), str(request))
    package = find_entrant(bot)
    hosting = hosting_of(sandbox, package, patient=True)
    build_all([package])

    async def run() -> Asked:
        async with hosting.referee() as referee:
            return await ask(referee.enter(package, bot_seed=seed), message)

    answer = run_async(run())
    click.echo(f"{answer.action}  ({answer.elapsed_ms:.1f} ms)")
    for line in answer.fault.stderr if answer.fault is not None else ():
        click.echo(f"    {line}", err=True)
    return 0 if answer.action.split(":")[0] in message.legal_actions else 1
