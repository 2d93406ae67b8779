"""The bot protocol on the wire, and its translation to and from the engine."""
