"""The fault suite: one small misbehaving bot a case, and the verdict that each must end in.

``arena selftest --faults`` runs it on an operator's machine, ``tests/faults`` in ours. A case is a
folder under ``bots`` and an entry of :data:`~arena.testing.faults.cases.CASES`.
"""
