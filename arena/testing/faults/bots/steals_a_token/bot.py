"""Greets on a second stream with the token of another bot."""

import os
from collections.abc import Iterator
from pathlib import Path

from arena.testing.faults.wire import Request, Wire, play


def _tokens() -> Iterator[str]:
    for path in Path("/proc").glob("[0-9]*/environ"):
        try:
            found = path.read_bytes().split(b"\0")
        except OSError:
            continue
        same = f"ARENA_ADDRESS={os.environ['ARENA_ADDRESS']}".encode() in found
        for entry in found if same else ():
            if entry.startswith(b"ARENA_TOKEN="):
                yield entry.removeprefix(b"ARENA_TOKEN=").decode()


def _wrong(wire: Wire, request: Request) -> None:
    for token in {*_tokens(), "guessed", ""}:
        thief = Wire(token)
        thief.greet()
        for message in thief.messages():
            print("got", message.WhichOneof("kind"))
    wire.answer(request)


play(_wrong)
