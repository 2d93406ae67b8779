"""The ladder's table: a row a bot, best first."""

from __future__ import annotations

from typing import Any

from arena.ladder.rating import Rating, RatingSettings
from arena.ladder.store import Standing, Store

COLUMNS = (
    "rank",
    "name",
    "version",
    "mu",
    "sigma",
    "rating",
    "games",
    "wins",
    "losses",
    "draws",
    "faults",
    "remark",
)
"""Keys of a row, in order."""


def ladder_table(store: Store, settings: RatingSettings) -> list[dict[str, Any]]:
    """Return a row for each active bot, by rating (mu - 3 sigma) from the best.

    Args:
        store: the ladder's store.
        settings: what a bot without results is rated.
    """
    standings = store.standings()
    newcomer = Standing(settings.mu, settings.sigma)
    active = [(bot, standings.get(bot.id, newcomer)) for bot in store.bots() if bot.active]
    active.sort(key=lambda row: (-_rating(row[1]), row[0].id))
    return [
        {
            "rank": rank,
            "name": bot.name,
            "version": bot.version,
            "mu": standing.mu,
            "sigma": standing.sigma,
            "rating": _rating(standing),
            "games": standing.games,
            "wins": standing.wins,
            "losses": standing.losses,
            "draws": standing.draws,
            "faults": standing.faults,
            "remark": f"suspended: {bot.suspended}" if bot.suspended else "",
        }
        for rank, (bot, standing) in enumerate(active, start=1)
    ]


def _rating(standing: Standing) -> float:
    return Rating(standing.mu, standing.sigma).conservative
