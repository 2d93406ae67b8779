"""Match logs: write, read, replay, verify and render them. docs/log-format.md describes the format."""

from arena.log.lines import (
    LOG_VERSION,
    PHASES,
    TIME_FIELDS,
    Asked,
    End,
    Header,
    LoggedFault,
    SeatInfo,
)
from arena.log.writer import MatchLog

__all__ = [
    "LOG_VERSION",
    "PHASES",
    "TIME_FIELDS",
    "Asked",
    "End",
    "Header",
    "LoggedFault",
    "MatchLog",
    "SeatInfo",
]
