"""Verdicts: how a match ended, and what a bot did wrong. Faults are data, not exceptions."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Verdict(StrEnum):
    """How a game or a match ended; all but the first are somebody's or something's fault."""

    COMPLETED = "completed"
    TIMEOUT = "timeout"
    CRASH = "crash"
    ILLEGAL_ACTION = "illegal_action"
    PROTOCOL_ERROR = "protocol_error"
    FAILED_START = "failed_start"
    FAILED_BUILD = "failed_build"
    DISCONNECT = "disconnect"
    RESOURCE_LIMIT = "resource_limit"
    OVERLOAD = "overload"
    ABORTED = "aborted"


UNRATED = frozenset({Verdict.FAILED_START, Verdict.FAILED_BUILD, Verdict.OVERLOAD, Verdict.ABORTED})
"""Verdicts after which a match counts for nobody: no draw, no rating change."""


@dataclass(frozen=True, slots=True)
class Fault:
    """What went wrong, at which seat, and where."""

    verdict: Verdict
    reason: str
    """One line: what happened, with values and limits."""
    seat: int = -1
    phase: str | None = None
    request_id: int | None = None
    stderr: tuple[str, ...] = ()
    """The last lines that the bot wrote."""
    elapsed_us: int = 0
    """Microseconds from the request to the fault, where there was a request."""
