"""Starts children, one in a session of its own, that outlive it."""

import subprocess

from arena.testing.faults.wire import Request, Wire, play


def _wrong(wire: Wire, request: Request) -> None:
    subprocess.Popen(["sleep", "600"])
    subprocess.Popen(["sleep", "600"], start_new_session=True)
    wire.answer(request)


play(_wrong)
