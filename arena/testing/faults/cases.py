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
    memory_mib: int | None = None
    """Memory that each bot may use, in MiB."""
    environment: Mapping[str, str] = field(default_factory=dict)
    """Variables that are set for the referee and the bots."""

    @property
    def folder(self) -> Path:
        """Where its package is."""
        return BOTS / self.bot

    @property
    def name(self) -> str:
        """What it is called in reports."""
        return f"{self.bot.replace('_', '-')}{' with proxies set' if self.environment else ''}"


_V: Final = Verdict
CASES: Final[tuple[Case, ...]] = (
    Case("never_answers", _V.TIMEOUT, "no answer within the 1000 ms", "1s"),
    Case("answers_late", _V.TIMEOUT, "1000 ms", "1s"),
    Case("stops_itself", _V.TIMEOUT, "no answer within", "1s"),
    Case("exits_with_0", _V.CRASH, "exited with code 0"),
    Case("exits_with_1", _V.CRASH, "exited with code 1"),
    Case("ends_by_signal_11", _V.CRASH, "was ended by SIGSEGV"),
    Case("dies_in_its_hello", _V.FAILED_START, "exited with code 7 before its hello"),
    Case("never_says_hello", _V.FAILED_START, "it sent no hello within", start_s=3.0),
    Case("starts_slowly", _V.COMPLETED),
    Case("floods", _V.PROTOCOL_ERROR, "answers to no open request"),
    Case("stops_reading", _V.TIMEOUT, "no answer within", "1s", matches=4),
    Case("sends_8_mib", _V.PROTOCOL_ERROR, "a message of 83886"),
    Case("sends_garbage_to_the_port", _V.COMPLETED),
    Case("answers_a_wrong_request", _V.TIMEOUT, "no answer within", "1s"),
    Case("answers_an_old_request", _V.TIMEOUT, "no answer within", "1s"),
    Case("answers_twice", _V.COMPLETED),
    Case("plays_an_unknown_card", _V.PROTOCOL_ERROR, "'1X' is no card"),
    Case("plays_a_card_not_held", _V.ILLEGAL_ACTION, "discard"),
    Case("knocks_above_the_limit", _V.ILLEGAL_ACTION, "knock"),
    Case("claims_a_gin_it_has_not", _V.ILLEGAL_ACTION, "big gin"),
    Case("sends_an_empty_message", _V.PROTOCOL_ERROR, "an empty message"),
    Case("speaks_a_future_protocol", _V.FAILED_START, "the bot speaks protocol 99 and this referee 1"),
    Case("steals_a_token", _V.COMPLETED),
    Case("opens_two_streams", _V.COMPLETED),
    Case("leaves_children", _V.COMPLETED),
    Case("is_a_shell_script", _V.COMPLETED),
    Case("prints_no_text", _V.COMPLETED),
    Case("prints_a_lot", _V.COMPLETED),
    Case("breaks_its_stream_off", _V.PROTOCOL_ERROR, "broke its call off"),
    Case("ends_its_stream", _V.DISCONNECT, "it ended its stream"),
    Case("crashes_in_several_matches", _V.CRASH, "exited with code 5", matches=4),
    Case("eats_memory", _V.RESOURCE_LIMIT, "MiB of memory where 400 are allowed", memory_mib=400),
    Case("is_a_shell_script", _V.COMPLETED, environment=_PROXIES),
)
"""Every case, in the order in which they are run."""
