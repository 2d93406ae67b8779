"""Keeping the seed out of the process list, where any program of the same user could read it."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from typing import Final

SEED_OPTION: Final = "--seed"
HIDDEN: Final = "***"


def hide_seed(arguments: Sequence[str]) -> None:
    """Show the arguments without the seed in this process's command line, if they have one."""
    if any(_names_seed(argument) for argument in arguments):
        from setproctitle import setproctitle

        setproctitle(shlex.join((*sys.orig_argv[: -len(arguments)], *without_seed(arguments))))


def without_seed(arguments: Sequence[str]) -> list[str]:
    """Return arguments with the value of ``--seed`` replaced."""
    shown: list[str] = []
    for argument in arguments:
        if shown and _names_seed(shown[-1]) and "=" not in shown[-1]:
            shown.append(HIDDEN)
        elif _names_seed(argument) and "=" in argument:
            shown.append(f"{argument.partition('=')[0]}={HIDDEN}")
        else:
            shown.append(argument)
    return shown


def _names_seed(argument: str) -> bool:
    """Return whether an argument is the option, or an abbreviation that is taken for it."""
    name = argument.partition("=")[0]
    return len(name) > len("--") and SEED_OPTION.startswith(name)
