"""Results as text for people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from arena.ladder.contest import ContestResult


def table(header: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Return an aligned table; columns whose cells are all numbers are set to the right."""
    cells = [[str(cell) for cell in row] for row in rows]
    widths = [max(len(line[i]) for line in [list(header), *cells]) for i in range(len(header))]
    right = [all(_is_number(row[i]) for row in cells) for i in range(len(header))]

    def line(row: Sequence[str]) -> str:
        return "  ".join(
            cell.rjust(width) if to_right else cell.ljust(width)
            for cell, width, to_right in zip(row, widths, right, strict=True)
        ).rstrip()

    return "\n".join([line(list(header)), line(["-" * width for width in widths]), *map(line, cells)])


def _is_number(cell: str) -> bool:
    return cell.replace(".", "").replace("-", "").replace("+", "").replace("%", "").isdecimal()


def match_text(result: ContestResult) -> str:
    """Return a contest's result: a line a game if they are few, the wins, the faults, the logs."""
    names = [package.name for package in result.packages]
    lines: list[str] = []
    if len(result.games) <= 20:
        for number, game in enumerate(result.games):
            won = ", ".join(names[seat] for seat in game.winners) or "nobody"
            scores = " ".join(map(str, game.scores))
            lines.append(f"game {number + 1}: {won} won {scores} in {game.hands} hands ({game.reason})")
        lines.append("")
    rows = [
        (name, wins, f"{100 * wins / max(1, len(result.games)):.1f}%", faults)
        for name, wins, faults in zip(names, result.wins, result.faults, strict=True)
    ]
    lines.append(table(("bot", "wins", "of games", "faults"), rows))
    for part in result.parts:
        if part.fault is not None:
            lines.append(f"fault: {names[part.fault.seat]}: {part.fault.verdict}: {part.fault.reason}")
            lines += [f"    {text}" for text in part.fault.stderr]
    if result.forfeited_by is not None:
        lines.append(f"{names[result.forfeited_by]} lost too many games by faults and with them the match")
    if result.logs:
        lines += ["", f"{len(result.logs)} logs; replay one with:", f"  arena replay {result.logs[0]}"]
    return "\n".join(lines)


def standings_text(rows: Sequence[dict[str, Any]]) -> str:
    """Return a ladder's table."""
    return table(
        ("rank", "bot", "version", "rating", "mu", "sigma", "games", "wins", "losses", "draws", "faults", ""),
        [
            (
                row["rank"],
                row["name"],
                row["version"],
                f"{row['rating']:.2f}",
                f"{row['mu']:.2f}",
                f"{row['sigma']:.2f}",
                row["games"],
                row["wins"],
                row["losses"],
                row["draws"],
                row["faults"],
                row["remark"],
            )
            for row in rows
        ],
    )
