"""Discards a card that it does not hold."""

from arena.testing.faults.wire import Request, Wire, play


def _wrong(wire: Wire, request: Request) -> None:
    missing = next(
        rank + suit for rank in "A23456789TJQK" for suit in "CDHS" if rank + suit not in request.cards
    )
    wire.answer(request, f"discard {missing}")


play(_wrong)
