"""How bots are hosted: their allowances for build and start, and the sandbox."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from arena.referee.contestant import START_S
from arena.referee.referee import Referee
from arena.referee.sandbox import Sandbox

BUILD_S: Final = 600.0
"""Seconds that a package's build may take; compilers that fetch what they need are slow."""


@dataclass(frozen=True, slots=True)
class Hosting:
    """How the bots of a contest are built, started and shut in."""

    start_s: float | None = START_S
    """Seconds from a process's start to its hello; ``None`` for no limit."""
    build_s: float = BUILD_S
    """Seconds that a build may take."""
    sandbox: Sandbox | None = None
    """Where bots that are not trusted run; ``None`` for no sandbox and no limits."""

    patient: bool = False
    """Whether no silence of a bot is taken for its death, because no time limit holds."""

    def referee(self, listen: str | None = None) -> Referee:
        """Return a referee that hosts so; start it with ``async with``."""
        sandbox = self.sandbox
        return Referee(
            listen=listen,
            wrap=sandbox.wrap if sandbox is not None else None,
            limits=sandbox.limits if sandbox is not None else None,
            start_s=self.start_s,
            patient=self.patient,
        )


AT_HOME: Final = Hosting()
"""The default allowances, no sandbox, no limits."""
