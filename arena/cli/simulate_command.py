"""``arena simulate``: how many matches a pairing policy needs."""

from __future__ import annotations

import dataclasses
import json

import click

from arena.cli.tables import table


@click.command("simulate")
@click.option(
    "--bots", default=100, show_default=True, type=click.IntRange(2, 100_000), help="Bots in the ladder."
)
@click.option(
    "--policy",
    "policies",
    multiple=True,
    default=("informative", "round-robin"),
    show_default=True,
    help="A pairing policy to compare with random pairing; may be repeated.",
)
@click.option(
    "--ladders", default=5, show_default=True, type=click.IntRange(1, 1000), help="Ladders to average over."
)
@click.option("--faulty", default=0.0, show_default=True, help="Share of bots that forfeit now and then.")
@click.option("--newcomers", default=0.0, show_default=True, help="Share of bots that enter later.")
@click.option(
    "--target", default=0.9, show_default=True, help="Kendall's tau to reach between table and skill."
)
@click.option("--seed", default=0, show_default=True, help="Seed of the first ladder.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(
    bots: int,
    policies: tuple[str, ...],
    ladders: int,
    faulty: float,
    newcomers: float,
    target: float,
    seed: int,
    as_json: bool,
) -> None:
    """Play whole ladders of bots with simulated skills and print the matches needed until the table is right.

    \b
    Example:  arena simulate --bots 200 --policy informative
    """
    from arena.ladder.simulate import Plan, compare

    plan = Plan(bots=bots, seed=seed, faulty=faulty, newcomers=newcomers, target=target)
    results = compare(plan, policies, ladders)
    if as_json:
        click.echo(json.dumps([dataclasses.asdict(result) for result in results], indent=2))
        return
    rows = [
        (
            r.policy,
            f"{r.matches:.0f}",
            f"{r.matches / bots:.1f}",
            f"{100 * r.ratio:.0f}%",
            f"{100 * r.ratio_error:.1f}%",
        )
        for r in results
    ]
    click.echo(table(("policy", "matches", "a bot", "of random", "+-"), rows))
