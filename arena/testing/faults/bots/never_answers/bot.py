"""Never answers its third request."""

from arena.testing.faults.wire import play

play(lambda wire, request: None)
