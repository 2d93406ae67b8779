"""The ``arena`` command. Each command is a file of its own, imported only when it is used.

Exit codes: 0 done; 1 the answer is no (a mismatch, a failed check, an aborted match); 2 bad usage;
130 interrupted.
"""

from __future__ import annotations

import importlib
import sys
from typing import Any, Final

import click

from arena import __version__
from arena.cli.process_title import hide_seed
from arena.errors import ArenaError

COMMANDS: Final = {
    "ask": "Send a bot one recorded request.",
    "check": "Build a bot, start it and try it out, step by step.",
    "doctor": "Say what this machine offers: sandbox, limits, speed, toolchains.",
    "compare": "Play until it is sure whether one bot is better than another.",
    "ladder": "Keep a ladder of bots: add, run, show, export.",
    "log": "Count, search and export match logs.",
    "match": "Play a match between bots.",
    "new": "Write a new bot package, ready to play.",
    "pin": "Keep a recorded decision as a regression test.",
    "replay": "Show a match log.",
    "request": "Print a recorded decision request as JSON.",
    "rules": "List the rule presets, or one's settings.",
    "selftest": "Try the referee out on this machine against misbehaving bots.",
    "simulate": "Compare pairing policies on simulated ladders.",
    "tournament": "Play a tournament: round-robin, gauntlet, swiss, knockout, double-elimination.",
    "verify": "Replay match logs through the rules and say whether they are true.",
}
"""Every command with its short help, so that ``arena --help`` need import none of them."""


class _LazyGroup(click.Group):
    """A group whose commands live in ``arena.cli.<name>`` under the same name."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"arena.cli.{cmd_name}_command")
        command: click.Command = module.command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(cls=_LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="arena")
def arena() -> None:
    """Bot-versus-bot competitions for Gin Rummy, refereed over gRPC.

    A BOT is a folder with a bot.toml, one of the shipped bots (@random, @simple, @mc), or a name
    registered in a ladder.

    \b
    Example:  arena match @simple @random --games 4
    """


def main(args: list[str] | None = None) -> Any:
    """Run the command line; print errors as one line and exit with the documented code."""
    hide_seed(sys.argv[1:] if args is None else args)
    try:
        code = arena.main(args=args, prog_name="arena", standalone_mode=False)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except (KeyboardInterrupt, click.Abort):
        click.echo("arena: interrupted", err=True)
        sys.exit(130)
    except ArenaError as error:
        click.echo(f"arena: {error}", err=True)
        sys.exit(error.exit_code)
    sys.exit(code if isinstance(code, int) else 0)
