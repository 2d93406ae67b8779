"""Opens a second stream with its own token."""

from arena.testing.faults.wire import Request, Wire, play


def _wrong(wire: Wire, request: Request) -> None:
    second = Wire()
    second.greet()
    for message in second.messages():
        print("got", message.WhichOneof("kind"))
    wire.answer(request)


play(_wrong)
