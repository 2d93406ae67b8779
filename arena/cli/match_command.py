"""``arena match``: a match between bots."""

from __future__ import annotations

import json
import secrets
from pathlib import Path

import click

from arena.cli.options import format_option, progress, rules_of, rules_options
from arena.cli.referee_options import RefereeOptions, referee_options


@click.command("match")
@click.argument("bots", nargs=-1, required=True, metavar="BOT BOT...")
@rules_options
@click.option(
    "--games", default=2, show_default=True, type=click.IntRange(1, 1_000_000), help="Games to play."
)
@format_option
@click.option("--seed", help="Make the match repeatable: the same seed deals the same cards.")
@referee_options
@click.option("--jobs", type=click.IntRange(1, 1000), help="Matches played at once.  [default: processors]")
@click.option(
    "--duplicate/--no-duplicate",
    default=True,
    show_default=True,
    help="Deal each pair of games the same cards with the dealer swapped.",
)
@click.option(
    "--log-dir", type=click.Path(path_type=Path), metavar="DIR", help="Write a log of each pair of games."
)
@click.option("--listen", metavar="HOST:PORT", help="Where bots of seats named `remote` dial in.")
@click.option(
    "--store",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="The ladder in which BOT names are looked up.  [default: arena.db]",
)
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
def command(
    bots: tuple[str, ...],
    preset_name: str,
    changes: tuple[str, ...],
    games: int,
    form: str,
    seed: str | None,
    hosted: RefereeOptions,
    jobs: int | None,
    duplicate: bool,
    log_dir: Path | None,
    listen: str | None,
    store: Path | None,
    as_json: bool,
) -> int:
    """Play a match between bots.

    A BOT is a folder with a bot.toml, a shipped bot (@random, @simple, @mc), a name registered in a
    ladder, or `remote` for one that you start yourself. Exits with 1 if a bot cannot start or the
    match is aborted.

    \b
    Example:  arena match @simple my-bot --games 20 --log-dir logs
    """
    from arena.ladder.contest import ContestSpec, play_contest
    from arena.ladder.entrants import find_entrant
    from arena.ladder.runner import build_all, default_jobs
    from arena.protocol.transport import run_async

    spec = ContestSpec(
        rules=rules_of(preset_name, changes, form),
        games=games,
        time=hosted.time(),
        format=form,
        duplicate=duplicate,
        policy=hosted.policy(),
        seed=seed if seed is not None else secrets.token_hex(16),
    )
    packages = [find_entrant(bot, store, remote=True) for bot in bots]
    hosting = hosted.hosting(packages)
    build_all(packages, hosting.build_s)
    with progress("games", games) as advance:
        result = run_async(
            play_contest(
                spec,
                packages,
                jobs=jobs or default_jobs(),
                log_dir=log_dir,
                listen=listen,
                hosting=hosting,
                on_wait=lambda text: click.echo(text, err=True),
                on_game=lambda _: advance(),
            )
        )
    if as_json:
        click.echo(json.dumps(result.as_dict(), indent=2))
    else:
        from arena.cli.tables import match_text

        click.echo(match_text(result))
    return 0
