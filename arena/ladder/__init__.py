"""Ladders and contests: store, ratings, pairing, formats, statistics and runners."""
