"""The rules of Gin Rummy: pure, no clock, no I/O, no randomness but the deck it is given."""
