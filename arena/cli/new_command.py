"""``arena new``: write a new bot package."""

from __future__ import annotations

from pathlib import Path

import click


@click.command("new")
@click.argument("name", type=click.Path(path_type=Path))
@click.option(
    "--lang",
    "language",
    default="python",
    show_default=True,
    help="python, go, java, rust, typescript or cpp.",
)
def command(name: Path, language: str) -> None:
    """Write a bot package NAME, ready to play, with a test of its strategy.

    \b
    Example:  arena new my-bot && arena check my-bot
    """
    from arena.referee.scaffold import new_package

    files = new_package(name, language)
    click.echo(f"wrote {len(files)} files to {name}; try it out and play:")
    click.echo(f"  arena check {name}")
    click.echo(f"  arena match {name} @simple --games 10 --log-dir logs")
