"""Regenerate the parts of the documentation that the code knows better; ``--check`` fails if they are stale.

    python docs/generate.py [--check]

A generated part stands between ``<!-- generated: NAME -->`` and ``<!-- end -->``.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import sys
from pathlib import Path
from typing import Any

import click
from google.protobuf import json_format

from arena.cli import COMMANDS
from arena.cli import arena as arena_command
from arena.engine.presets import PRESETS
from arena.engine.rules import about, allowed, settings, value_text

DOCS = Path(__file__).parent


def presets_table() -> str:
    """Return the table of all settings of all presets; a value that is the default's is left out."""
    names = list(PRESETS)
    lines = [
        "| setting | " + " | ".join(f"`{name}`" for name in names) + " |",
        "|---" * (len(names) + 1) + "|",
    ]
    for setting in settings():
        values = [value_text(getattr(rules, setting)) for rules in PRESETS.values()]
        cells = [values[0], *(value if value != values[0] else "" for value in values[1:])]
        lines.append(f"| `{setting}` | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def settings_table() -> str:
    """Return the table of all settings, what they take and what they mean."""
    lines = ["| setting | values | meaning |", "|---|---|---|"]
    for setting in settings():
        lines.append(f"| `{setting}` | {allowed(setting).replace('|', ', ')} | {about(setting)} |")
    return "\n".join(lines)


def cli_reference() -> str:
    """Return the help of every command."""
    parts: list[str] = []
    root = click.Context(arena_command, info_name="arena", max_content_width=100, terminal_width=100)
    for name in sorted(COMMANDS):
        command = arena_command.get_command(root, name)
        assert command is not None, name
        parts += _help(command, root, name)
    return "\n\n".join(parts)


def _help(command: click.Command, parent: click.Context, name: str) -> list[str]:
    context = click.Context(command, info_name=name, parent=parent, max_content_width=100, terminal_width=100)
    parts = [f"## {context.command_path}\n\n```\n{command.get_help(context)}\n```"]
    if isinstance(command, click.Group):
        for sub in command.list_commands(context):
            found = command.get_command(context, sub)
            assert found is not None, sub
            parts += _help(found, context, sub)
    return parts


def example_hand() -> str:
    """Return the messages of a whole hand between the referee and one bot, as JSON."""
    return "\n\n".join(f"{heading}\n\n```json\n{_json(message)}\n```" for heading, message in _messages())


def _json(message: dict[str, Any]) -> str:
    """Return JSON with lists of plain values on one line."""
    text = json.dumps(message, indent=1)
    return re.sub(r"\[\s+([^\[\]{}]*?)\s+\]", lambda m: "[" + re.sub(r"\s+", " ", m[1]) + "]", text)


def _messages() -> list[tuple[str, dict[str, Any]]]:
    """Play one hand through the referee's own match loop and keep what one seat is sent and answers."""
    from arena.engine.presets import preset
    from arena.engine.rules import override
    from arena.protocol.codec import decision_message
    from arena.protocol.v1 import bot_pb2
    from arena.referee.clock import parse_time_control
    from arena.referee.contestant import Contestant, Instance
    from arena.referee.manifest import find_package, shipped_folder
    from arena.referee.match import Match, MatchSpec
    from arena.referee.session import Door, Reply

    sys.path.insert(0, str(shipped_folder() / "simple-python"))
    from strategy import choose

    kept: list[tuple[str, dict[str, Any]]] = []

    class Wire:
        """Stands for a bot's connection and answers as the simple bot does."""

        fault = None

        def __init__(self, seat: int) -> None:
            self.seat = seat
            self.closed = asyncio.Event()

        async def ask(
            self, message: bot_pb2.RefereeMessage, match_id: str, request_id: int, budget_s: float | None
        ) -> Reply:
            from arena.engine.actions import parse_action

            action = choose(message.request)
            decision = decision_message(match_id, request_id, parse_action(action)[0])
            self._keep("### The referee asks", message)
            self._keep("### The bot answers", bot_pb2.BotMessage(decision=decision))
            return Reply(decision, 0.001)

        def tell(self, message: bot_pb2.RefereeMessage) -> None:
            titles = {"match_start": "### The match begins", "match_end": "### The match ends"}
            self._keep(titles[message.WhichOneof("kind") or ""], message)

        def _keep(self, heading: str, message: Any) -> None:
            if self.seat == 1:
                kept.append((heading, json_format.MessageToDict(message)))

    async def play() -> None:
        contestants = []
        for seat in range(2):
            contestant = Contestant(find_package("@simple"), Door(), "", bot_seed="")
            contestant.adopt(Instance(Wire(seat), None, "", 1))  # type: ignore[arg-type]  # a stand-in
            contestants.append(contestant)
        rules = override(preset("classic"), ["hands=1", "first_dealer=seat 0"])
        spec = MatchSpec("example", rules, b"example-" * 4, time=parse_time_control("200ms"))
        await Match(spec, contestants).play()

    asyncio.run(play())
    for _, message in kept[1:]:
        # The rules are the same in every request; once is enough to read.
        message.get("request", {}).pop("rules", None)
    return kept


PARTS = {
    "presets": presets_table,
    "settings": settings_table,
    "cli": cli_reference,
    "hand": example_hand,
}


def renewed(text: str) -> str:
    """Return a document with its generated parts renewed."""

    def part(match: re.Match[str]) -> str:
        return f"{match[1]}\n{PARTS[match[2]]()}\n<!-- end -->"

    return re.sub(r"(?s)(<!-- generated: (\w+) -->)\n.*?<!-- end -->", part, text)


def main() -> int:
    """Renew, or check with ``--check``; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--check", action="store_true", help="exit 1 if a document is stale")
    check = parser.parse_args().check
    stale = []
    for path in sorted(DOCS.rglob("*.md")):
        text = path.read_text("utf-8")
        new = renewed(text)
        if new != text:
            stale.append(str(path.relative_to(DOCS)))
            if not check:
                path.write_text(new, "utf-8")
    if check and stale:
        print(f"stale: {', '.join(stale)}; run `python docs/generate.py`", file=sys.stderr)
        return 1
    print(f"{'stale' if check else 'renewed'}: {', '.join(stale) or 'none'}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
