"""Plays well; it is a shell that started it."""

from arena.testing.faults.wire import Wire, play_on

wire = Wire()
wire.greet()
play_on(wire)
