"""Settings of the gRPC channels and servers, each with the fault that it prevents."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, Final, TypeVar

Result = TypeVar("Result")

MAX_MESSAGE_BYTES: Final = 64 * 1024
"""Largest message that the referee reads from a bot."""

# A proxy in the environment would break connections to 127.0.0.1.
_NO_PROXY: Final = (("grpc.enable_http_proxy", 0),)
_NEVER_MS: Final = 2**31 - 1
# A process that stands at a breakpoint answers no ping, and finds its own pings unanswered when it
# goes on: neither side may then take the other for dead.
_PATIENT: Final = (
    ("grpc.keepalive_time_ms", _NEVER_MS),
    ("grpc.http2.ping_timeout_ms", _NEVER_MS),
    ("grpc.http2.bdp_probe", 0),
)

CLIENT_OPTIONS: Final = (
    *_NO_PROXY,
    *_PATIENT,
    ("grpc.max_receive_message_length", 4 * 1024 * 1024),
    ("grpc.initial_reconnect_backoff_ms", 50),
    ("grpc.max_reconnect_backoff_ms", 500),
)
"""Options of a bot's channel. That the referee is gone it learns from the socket."""

_SERVER: Final = (
    *_NO_PROXY,
    ("grpc.max_receive_message_length", MAX_MESSAGE_BYTES),
    # Two referees must never share a port without noticing.
    ("grpc.so_reuseport", 0),
    # A burst of a thousand bots dialling in at once must not be refused.
    ("grpc.server.max_pending_requests", 10_000),
    ("grpc.server.max_pending_requests_hard_limit", 20_000),
    ("grpc.http2.min_ping_interval_without_data_ms", 5_000),
)
SERVER_OPTIONS: Final = (
    *_SERVER,
    # Without these a peer that died silently goes unnoticed for a minute.
    ("grpc.http2.ping_timeout_ms", 2000),
    ("grpc.keepalive_time_ms", 20_000),
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.http2.max_pings_without_data", 0),
)
"""Options of the referee's server."""
PATIENT_SERVER_OPTIONS: Final = (*_SERVER, *_PATIENT)
"""The same where no time limit holds, for debuggers."""


def run_async(main: Coroutine[Any, Any, Result]) -> Result:
    """Run a coroutine to its end on a new event loop, uvloop's where it is installed."""
    try:
        import uvloop
    except ImportError:
        return asyncio.run(main)
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(main)
