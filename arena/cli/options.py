"""Options that several commands share, each parsed into what the rest of the program uses."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import click

from arena.engine.formats import FORMATS, usual_changes
from arena.engine.presets import DEFAULT_PRESET, preset
from arena.engine.rules import RuleSet, override


def rules_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add ``--rules`` and ``--rule``."""
    command = click.option(
        "--rule",
        "changes",
        multiple=True,
        metavar="SETTING=VALUE",
        help="Change one setting of the preset, as gin_bonus=20; may be repeated.",
    )(command)
    return click.option(
        "--rules",
        "preset_name",
        default=DEFAULT_PRESET,
        show_default=True,
        metavar="NAME",
        help="The rule preset; `arena rules` lists them.",
    )(command)


format_option = click.option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    default="duel",
    show_default=True,
    help="Who plays whom.",
)


def rules_of(preset_name: str, changes: tuple[str, ...], form: str = "duel") -> RuleSet:
    """Return the rules that the options ask for, with what the format changes by default.

    Raises:
        RuleError: no such preset, setting or value.
    """
    return override(preset(preset_name), (*usual_changes(form), *changes))


@contextmanager
def progress(title: str, total: int) -> Iterator[Callable[[], None]]:
    """Show a progress bar on a terminal and nothing elsewhere; yields what advances it by one."""
    if not sys.stderr.isatty():
        yield lambda: None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        ProgressColumn,
        Task,
        TextColumn,
        TimeRemainingColumn,
    )
    from rich.text import Text

    class RateColumn(ProgressColumn):
        """How many are done a second."""

        def render(self, task: Task) -> Text:
            return Text(f"{task.speed:.1f}/s" if task.speed else "")

    bar = Progress(
        TextColumn(title),
        BarColumn(),
        MofNCompleteColumn(),
        RateColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    with bar:
        task = bar.add_task(title, total=total)
        yield lambda: bar.advance(task)
