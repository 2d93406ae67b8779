"""Tables of the ladder store."""

from __future__ import annotations

from typing import Final

from sqlalchemy import (
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    UniqueConstraint,
)

STORE_FORMAT: Final = "gin-arena ladder"
STORE_VERSION: Final = 1
"""Version of the tables; a store of a later one is refused."""

metadata: Final = MetaData()

meta: Final = Table(
    "meta",
    metadata,
    Column("key", String, primary_key=True),
    Column("value", String, nullable=False),
)
bots: Final = Table(
    "bots",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", String, nullable=False),
    Column("version", String, nullable=False),
    Column("language", String, nullable=False),
    Column("source", String, nullable=False),  # the folder, or @name
    Column("digest", String, nullable=False),
    Column("added_at", String, nullable=False),
    Column("active", Boolean, nullable=False),
    Column("suspended", String, nullable=False),  # why it is not paired; empty if it is
    UniqueConstraint("name", "version"),
)
runs: Final = Table(
    "runs",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("settings", String, nullable=False),  # JSON of RunSettings
    Column("first_number", Integer, nullable=False),
    Column("matches", Integer, nullable=False),
    Column("finished", Boolean, nullable=False),
)
matches: Final = Table(
    "matches",
    metadata,
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("id", String, nullable=False, unique=True),
    Column("run", Integer, ForeignKey("runs.id"), nullable=False),
    Column("format", String, nullable=False),
    Column("rules", String, nullable=False),
    Column("verdict", String, nullable=False),
    Column("reason", String, nullable=False),
    Column("fault_seat", Integer, nullable=False),  # -1: none
    Column("rated", Boolean, nullable=False),
    Column("played_at", String, nullable=False),
    Column("elapsed_ms", Integer, nullable=False),
)
seats: Final = Table(
    "seats",
    metadata,
    Column("match", Integer, ForeignKey("matches.number"), primary_key=True, autoincrement=False),
    Column("seat", Integer, primary_key=True, autoincrement=False),
    Column("bot", Integer, ForeignKey("bots.id"), nullable=False),
    Column("side", Integer, nullable=False),
    Column("wins", Integer, nullable=False),
    Column("faults", Integer, nullable=False),
    Index("seats_by_bot", "bot", "match"),
)
games: Final = Table(
    "games",
    metadata,
    Column("match", Integer, ForeignKey("matches.number"), primary_key=True, autoincrement=False),
    Column("game", Integer, primary_key=True, autoincrement=False),
    Column("ranks", String, nullable=False),  # by seat, separated by commas
    Column("scores", String, nullable=False),  # by seat, separated by commas
    Column("hands", Integer, nullable=False),
    Column("reason", String, nullable=False),
)
logs: Final = Table(
    "logs",
    metadata,
    Column("match", Integer, ForeignKey("matches.number"), primary_key=True, autoincrement=False),
    Column("data", LargeBinary, nullable=False),
)
ratings: Final = Table(
    "ratings",
    metadata,
    Column("bot", Integer, ForeignKey("bots.id"), primary_key=True, autoincrement=False),
    Column("mu", Float, nullable=False),
    Column("sigma", Float, nullable=False),
    Column("games", Integer, nullable=False),
    Column("wins", Integer, nullable=False),
    Column("losses", Integer, nullable=False),
    Column("draws", Integer, nullable=False),
    Column("faults", Integer, nullable=False),
)
