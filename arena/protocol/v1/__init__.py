"""Generated code of the protocol package ``arena.v1``; see proto/."""
