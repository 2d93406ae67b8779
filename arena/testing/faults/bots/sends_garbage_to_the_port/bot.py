"""Sends garbage to the port beside its good stream."""

import os
import socket

from arena.testing.faults.wire import Request, Wire, play


def _wrong(wire: Wire, request: Request) -> None:
    for garbage in (b"\x00" * 4096, os.urandom(4096), b"GET / HTTP/1.1\r\n\r\n"):
        with socket.socket(socket.AF_UNIX) as raw:
            raw.connect(os.environ["ARENA_ADDRESS"].removeprefix("unix:"))
            raw.sendall(garbage)
    wire.answer(request)


play(_wrong)
