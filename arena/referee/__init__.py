"""One match: launch the bots, ask them over gRPC, keep their clocks, judge their faults."""
