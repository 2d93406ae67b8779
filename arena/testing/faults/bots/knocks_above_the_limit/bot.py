"""Knocks with more deadwood than the limit."""

from arena.testing.faults.wire import Wire

wire = Wire()
wire.greet()
for request in wire.requests():
    # In the first discard phase, where a hand from the deal is hardly ever good enough.
    if any(action.startswith("discard") for action in request.legal_actions):
        wire.answer(request, f"knock {request.cards[0]}")
    else:
        wire.answer(request)
