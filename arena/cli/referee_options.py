"""Options of the commands that play matches: allowances, what a fault costs, and the sandbox."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import click

if TYPE_CHECKING:
    from arena.referee.clock import TimeControl
    from arena.referee.hosting import Hosting
    from arena.referee.manifest import BotPackage
    from arena.referee.policy import FaultPolicy

_NAMES: Final = (
    *("move_time", "no_timeout", "start_time", "build_time", "on_fault", "strikes", "faulty_games"),
    *("sandbox", "memory"),
)


@dataclass(frozen=True, slots=True)
class RefereeOptions:
    """What was asked for, as text; it is parsed when it is used, so that ``--help`` is fast."""

    move_time: str
    no_timeout: bool
    start_time: str
    build_time: str
    on_fault: str
    strikes: int
    faulty_games: int
    sandbox: str
    memory: int

    def time(self) -> TimeControl:
        """Return the time control.

        Raises:
            UsageError: the text is none.
        """
        from arena.referee.clock import parse_time_control

        return parse_time_control("none" if self.no_timeout else self.move_time)

    def policy(self) -> FaultPolicy:
        """Return what a fault costs."""
        from arena.referee.policy import FaultPolicy

        return FaultPolicy(self.on_fault, self.strikes, self.faulty_games)

    def hosting(self, packages: Sequence[BotPackage]) -> Hosting:
        """Return how the bots are hosted, and say in one line what sandbox the untrusted ones get.

        Raises:
            RefereeError: the sandbox asked for is not possible here.
            UsageError: a duration is none.
        """
        from arena.referee.clock import parse_duration
        from arena.referee.hosting import Hosting
        from arena.referee.limits import Limits
        from arena.referee.sandbox import choose

        chosen = None
        if not all(package.shipped or not package.run for package in packages) or self.sandbox == "bwrap":
            chosen = choose(self.sandbox, Limits(memory_mib=self.memory or None))
            click.echo(chosen.line, err=True)
        start_s = None if self.no_timeout else parse_duration(self.start_time)
        patient = self.time().text == "none"
        return Hosting(start_s, parse_duration(self.build_time), chosen, patient)


sandbox_option = click.option(
    "--sandbox",
    type=click.Choice(("auto", "bwrap", "none")),
    default="auto",
    show_default=True,
    help="Where a bot that is not shipped runs.",
)
"""For commands that start one bot and take no other option of the referee's."""


def hosting_of(sandbox: str, package: BotPackage, *, patient: bool = False) -> Hosting:
    """Return how one bot is hosted, and say in one line what sandbox it gets unless it is shipped.

    Raises:
        RefereeError: the sandbox asked for is not possible here.
    """
    from arena.referee.hosting import Hosting
    from arena.referee.limits import Limits
    from arena.referee.sandbox import choose

    chosen = None
    if not package.shipped or sandbox == "bwrap":
        chosen = choose(sandbox, Limits())
        click.echo(chosen.line, err=True)
    return Hosting(sandbox=chosen, patient=patient)


def referee_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options; the command gets them as one ``hosted: RefereeOptions``."""

    @functools.wraps(command)
    def run(**values: Any) -> Any:
        hosted = RefereeOptions(**{name: values.pop(name) for name in _NAMES})
        return command(hosted=hosted, **values)

    for option in reversed(_options()):
        run = option(run)
    return run


def _options() -> Sequence[Callable[..., Any]]:
    return (
        click.option(
            "--move-time",
            default="200ms",
            show_default=True,
            metavar="TIME",
            help="Time control: 200ms a decision, 30s/game, 30s+0.1s, 30s/game,500ms, or none.",
        ),
        click.option("--no-timeout", is_flag=True, help="No time limits at all, for debuggers."),
        click.option(
            "--start-time", default="10s", show_default=True, metavar="TIME", help="Until a bot's hello."
        ),
        click.option(
            "--build-time", default="10m", show_default=True, metavar="TIME", help="For a bot's build."
        ),
        click.option(
            "--on-fault",
            type=click.Choice(("forfeit", "substitute")),
            default="forfeit",
            show_default=True,
            help="A fault loses the game, or the default action is played for it.",
        ),
        click.option(
            "--strikes",
            default=3,
            show_default=True,
            type=click.IntRange(1, 1000),
            help="Faults in a game for which an action is played; the next one loses it.",
        ),
        click.option(
            "--faulty-games",
            default=3,
            show_default=True,
            type=click.IntRange(1, 1_000_000),
            help="Games lost by faults with which a match is lost.",
        ),
        click.option(
            "--sandbox",
            type=click.Choice(("auto", "bwrap", "none")),
            default="auto",
            show_default=True,
            help="For bots that are not shipped: the best there is, bubblewrap or nothing, or none.",
        ),
        click.option(
            "--memory",
            default=2048,
            show_default=True,
            type=click.IntRange(0),
            metavar="MIB",
            help="For each process of a bot that is not shipped; 0 for no limit.",
        ),
    )
