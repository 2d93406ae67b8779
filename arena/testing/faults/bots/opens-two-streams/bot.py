"""Opens a second stream with its own token."""

from arena.testing.faults.wire import Wire, play


def wrong(wire, request):
    second = Wire()
    second.greet()
    for message in second.messages():
        print("got", message.WhichOneof("kind"))
    wire.answer(request)


play(wrong)
