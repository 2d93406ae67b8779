"""Reads no more, and goes on sending answers."""

import time

from arena.testing.faults.wire import Wire

wire = Wire()
wire.greet()
for request in wire.requests():
    wire.answer(request)
    for number in range(20):
        wire.answer(request, request_id=request.request_id + 1 + number)
        time.sleep(0.01)
    time.sleep(600)
