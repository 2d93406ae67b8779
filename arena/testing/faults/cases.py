"""The cases: what each misbehaving bot must end in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from arena.referee.verdict import Verdict

BOTS: Final = Path(__file__).parent / "bots"
WITNESS: Final = BOTS / "witness"
"""The good bot that every case plays against."""

_PROXIES: Final = dict.fromkeys(
    ("http_proxy", "https_proxy", "grpc_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"),
    "http://127.0.0.1:9",
)


@dataclass(frozen=True, slots=True)
class Case:
    """One way to misbehave, and what it must come to."""

    bot: str
    """Its folder."""
    verdict: Verdict
    """The verdict on its fault; ``completed`` where it is no fault, or one that only hurts itself."""
    reason: str = ""
    """A part of the reason that is told."""
    time: str = "none"
    """The time control. Where the end of a process must be noticed, there is none."""
    start_s: float = 60.0
    """Seconds that it has to start."""
    matches: int = 1
    """Matches that it plays at once."""
    environment: Mapping[str, str] = field(default_factory=dict)
    """Variables that are set for the referee and the bots."""

    @property
    def folder(self) -> Path:
        """Where its package is."""
        return BOTS / self.bot

    @property
    def name(self) -> str:
        """What it is called in reports."""
        return f"{self.bot}{' with proxies set' if self.environment else ''}"


_V: Final = Verdict
CASES: Final[tuple[Case, ...]] = (
    Case("never-answers", _V.TIMEOUT, "no answer within the 1000 ms", "1s"),
    Case("answers-late", _V.TIMEOUT, "1000 ms", "1s"),
    Case("stops-itself", _V.TIMEOUT, "no answer within", "1s"),
    Case("exits-with-0", _V.CRASH, "exited with code 0"),
    Case("exits-with-1", _V.CRASH, "exited with code 1"),
    Case("ends-by-signal-11", _V.CRASH, "was ended by SIGSEGV"),
    Case("dies-in-its-hello", _V.FAILED_START, "exited with code 7 before its hello"),
    Case("never-says-hello", _V.FAILED_START, "it sent no hello within", start_s=3.0),
    Case("starts-slowly", _V.COMPLETED),
    Case("floods", _V.PROTOCOL_ERROR, "answers to no open request"),
    Case("stops-reading", _V.TIMEOUT, "no answer within", "1s"),
    Case("sends-8-mib", _V.PROTOCOL_ERROR, "a message of over 65536 bytes"),
    Case("sends-garbage-to-the-port", _V.COMPLETED),
    Case("answers-a-wrong-request", _V.TIMEOUT, "no answer within", "1s"),
    Case("answers-an-old-request", _V.TIMEOUT, "no answer within", "1s"),
    Case("answers-twice", _V.COMPLETED),
    Case("plays-an-unknown-card", _V.PROTOCOL_ERROR, "'1X' is no card"),
    Case("plays-a-card-not-held", _V.ILLEGAL_ACTION, "discard"),
    Case("knocks-above-the-limit", _V.ILLEGAL_ACTION, "knock"),
    Case("claims-a-gin-it-has-not", _V.ILLEGAL_ACTION, "big gin"),
    Case("sends-an-empty-message", _V.PROTOCOL_ERROR, "an empty message"),
    Case("speaks-a-future-protocol", _V.FAILED_START, "the bot speaks protocol 99 and this referee 1"),
    Case("steals-a-token", _V.COMPLETED),
    Case("opens-two-streams", _V.COMPLETED),
    Case("leaves-children", _V.COMPLETED),
    Case("is-a-shell-script", _V.COMPLETED),
    Case("prints-no-text", _V.COMPLETED),
    Case("prints-a-lot", _V.COMPLETED),
    Case("breaks-its-stream-off", _V.PROTOCOL_ERROR, "broke its call off"),
    Case("ends-its-stream", _V.DISCONNECT, "it ended its stream"),
    Case("crashes-in-several-matches", _V.CRASH, "exited with code 5", matches=4),
    Case("is-a-shell-script", _V.COMPLETED, environment=_PROXIES),
)
"""Every case, in the order in which they are run."""
