"""``arena rules``: the presets and their settings."""

from __future__ import annotations

import json

import click

from arena.engine.presets import PRESETS, preset
from arena.engine.rules import about, settings, value_text


@click.command("rules")
@click.argument("name", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
def command(name: str | None, as_json: bool) -> None:
    """List the rule presets, or all settings of one with what they mean.

    \b
    Example:  arena rules oklahoma
    """
    if name is None:
        _list(as_json)
    else:
        _show(name, as_json)


def _list(as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps([rules.as_dict() for rules in PRESETS.values()], indent=2))
        return
    defaults = PRESETS["classic"]
    for rules in PRESETS.values():
        changes = [
            f"{setting}={value_text(getattr(rules, setting))}"
            for setting in settings()
            if getattr(rules, setting) != getattr(defaults, setting)
        ]
        click.echo(f"{rules.name:20}{', '.join(changes) if changes else 'the default'}")


def _show(name: str, as_json: bool) -> None:
    rules = preset(name)
    if as_json:
        click.echo(json.dumps(rules.as_dict(), indent=2))
        return
    for setting in settings():
        click.echo(f"{setting:24}{value_text(getattr(rules, setting)):18}{about(setting)}")
