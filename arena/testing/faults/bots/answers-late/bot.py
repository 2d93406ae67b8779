"""Answers its third request well after its time is over."""

import time

from arena.testing.faults.wire import play


def wrong(wire, request):
    time.sleep(4)
    wire.answer(request)


play(wrong)
