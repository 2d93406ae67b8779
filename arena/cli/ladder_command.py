"""``arena ladder``: keep a ladder of bots."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.cli.options import format_option, progress, rules_of, rules_options
from arena.cli.referee_options import RefereeOptions, referee_options
from arena.cli.tables import standings_text, table
from arena.ladder.rating import RatingSettings
from arena.ladder.store import DEFAULT_STORE, Store

if TYPE_CHECKING:
    from arena.referee.manifest import BotPackage

store_option = click.option(
    "--store",
    default=DEFAULT_STORE,
    show_default=True,
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="The ladder's store.",
)


@click.group("ladder")
def command() -> None:
    """Keep a ladder of bots.

    \b
    Example:  arena ladder add @simple @random my-bot
              arena ladder run --matches 40
              arena ladder show
    """


@command.command("add")
@click.argument("bots", nargs=-1, required=True, metavar="BOT...")
@store_option
def add(bots: tuple[str, ...], store: Path) -> None:
    """Add bots, or new versions of bots, to a ladder; it is made if need be.

    \b
    Example:  arena ladder add @simple my-bot
    """
    from arena.referee.manifest import find_package

    packages = [(find_package(bot), bot if bot.startswith("@") else str(Path(bot).resolve())) for bot in bots]
    with Store(store, create=True) as ladder:
        for package, source in packages:
            row = ladder.add_bot(package, source)
            click.echo(f"added {row.name} {row.version} ({row.language})")


@command.command("remove")
@click.argument("name")
@store_option
def remove(name: str, store: Path) -> None:
    """Retire a bot: it is paired no more, its results stay.

    \b
    Example:  arena ladder remove my-bot
    """
    with Store(store) as ladder:
        ladder.remove_bot(name)
    click.echo(f"removed {name}")


@command.command("run")
@click.option(
    "--matches",
    type=click.IntRange(0),
    help="Matches of the run, counted from its start; 0 ends an interrupted one.  [default: 30]",
)
@click.option("--games", default=2, show_default=True, type=click.IntRange(1, 1000), help="Games in a match.")
@click.option("--jobs", type=click.IntRange(1, 1000), help="Matches played at once.  [default: processors]")
@format_option
@rules_options
@referee_options
@click.option("--seed", help="Make the run repeatable: the same seed deals the same cards.")
@store_option
def run(
    matches: int | None,
    games: int,
    jobs: int | None,
    form: str,
    preset_name: str,
    changes: tuple[str, ...],
    hosted: RefereeOptions,
    seed: str | None,
    store: Path,
) -> None:
    """Play matches between the ladder's bots and rate them.

    A run that was interrupted is gone on with: the same command plays what is left of it.

    \b
    Example:  arena ladder run --matches 40 --move-time 100ms
    """
    from arena.ladder.ladder import RunSettings, seed_digest
    from arena.ladder.runner import default_jobs
    from arena.ladder.schedule import LEAST_WINDOW
    from arena.ladder.season import run_ladder
    from arena.ladder.store import RunRow
    from arena.protocol.transport import run_async

    at_once = jobs or default_jobs()
    settings = RunSettings(
        rules=rules_of(preset_name, changes, form),
        format=form,
        time=hosted.time().text,
        games=games,
        window=max(LEAST_WINDOW, at_once),
        policy=hosted.policy().text,
        seed_digest=seed_digest(seed),
    )

    def started(row: RunRow, played: int) -> None:
        if played:
            click.echo(f"going on with a run of {row.matches} matches: {played} are played", err=True)

    with Store(store) as ladder, progress("matches", matches or 30) as advance:
        try:
            guarded = run_async(
                run_ladder(
                    ladder,
                    settings,
                    RatingSettings(),
                    seed=seed,
                    matches=matches,
                    jobs=at_once,
                    hosting=hosted.hosting(_packages(ladder)),
                    on_start=started,
                    on_match=lambda _: advance(),
                )
            )
        except KeyboardInterrupt:
            click.echo("interrupted; the same command goes on where it stopped", err=True)
            raise
        for result in guarded:
            click.echo(f"rating of {result.match} was guarded: {result.reason}", err=True)
        rows = _rows(ladder)
        click.echo(standings_text(rows))
        last = ladder.last_match_id()
    if last is not None:
        click.echo(f"\nreplay the last match with:\n  arena replay --store {store} {last}")


@command.command("show")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--csv", "as_csv", is_flag=True, help="Print CSV.")
@store_option
def show(as_json: bool, as_csv: bool, store: Path) -> None:
    """Show the ladder's table. The rating is mu - 3 sigma.

    \b
    Example:  arena ladder show --json
    """
    if as_json and as_csv:
        raise click.UsageError("take --json or --csv, not both")
    with Store(store) as ladder:
        rows = _rows(ladder)
    if as_json:
        click.echo(json.dumps(rows, indent=2))
    elif as_csv:
        from arena.ladder.table import COLUMNS

        text = io.StringIO()
        writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
        click.echo(text.getvalue(), nl=False)
    else:
        click.echo(standings_text(rows))


@command.command("export")
@click.option("--log-dir", required=True, type=click.Path(path_type=Path), metavar="DIR", help="Where to.")
@store_option
def export(log_dir: Path, store: Path) -> None:
    """Write the logs of all matches into a folder, one file a match.

    \b
    Example:  arena ladder export --log-dir logs
    """
    from arena.ladder.season import export_logs

    with Store(store) as ladder:
        click.echo(f"wrote {export_logs(ladder, log_dir)} logs to {log_dir}")


@command.command("matches")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@store_option
def matches_(as_json: bool, store: Path) -> None:
    """List the matches: their ids, who played, games won, and how they ended.

    \b
    Example:  arena ladder matches
    """
    with Store(store) as ladder:
        names = {bot.id: f"{bot.name} {bot.version}" for bot in ladder.bots()}
        matches = ladder.matches()
    if as_json:
        rows = [
            {
                "id": match.id,
                "bots": [names[bot] for bot in match.bots],
                "wins": list(match.wins),
                "format": match.format,
                "rules": match.rules,
                "verdict": match.verdict,
                "reason": match.reason,
            }
            for match in matches
        ]
        click.echo(json.dumps(rows, indent=2))
        return
    cells = [
        (
            m.id,
            " - ".join(names[bot] for bot in m.bots),
            ":".join(map(str, m.wins)),
            m.rules,
            m.verdict,
            m.reason,
        )
        for m in matches
    ]
    click.echo(table(("id", "bots", "wins", "rules", "verdict", ""), cells))


@command.command("recompute")
@store_option
def recompute(store: Path) -> None:
    """Rate all stored results anew, and store the ratings.

    \b
    Example:  arena ladder recompute
    """
    from arena.ladder.standings import fold
    from arena.ladder.store import Standing

    with Store(store) as ladder:
        standings: dict[int, Standing] = {}
        matches = ladder.matches()
        fold(RatingSettings(), standings, matches)
        ladder.put_standings(standings)
        click.echo(f"rated {len(matches)} matches anew")


def _packages(ladder: Store) -> list[BotPackage]:
    """Return the packages of the bots that are paired."""
    from arena.referee.manifest import find_package

    return [find_package(bot.source) for bot in ladder.bots() if bot.active and not bot.suspended]


def _rows(ladder: Store) -> list[dict[str, object]]:
    from arena.ladder.table import ladder_table

    return ladder_table(ladder, RatingSettings())
