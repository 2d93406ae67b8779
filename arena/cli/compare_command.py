"""``arena compare``: is A better than B?"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arena.cli.options import rules_of, rules_options
from arena.cli.referee_options import RefereeOptions, referee_options

if TYPE_CHECKING:
    from arena.ladder.compare import Comparison
    from arena.ladder.strength import Report


@click.command("compare")
@click.argument("a", metavar="A")
@click.argument("b", metavar="B")
@click.option(
    "--elo0", default=0.0, show_default=True, help="A test of wins: A is no more than this above B..."
)
@click.option("--elo1", default=10.0, show_default=True, help="...or at least this.")
@click.option("--margin", type=float, help="Test points a hand instead: 0, or at least so many.")
@click.option(
    "--alpha", default=0.05, show_default=True, help="Rate of finding a difference that is not there."
)
@click.option("--beta", default=0.05, show_default=True, help="Rate of missing one that is.")
@click.option(
    "--max-games", default=20_000, show_default=True, type=click.IntRange(2), help="Give up after so many."
)
@click.option(
    "--state", type=click.Path(path_type=Path), metavar="FILE", help="Keep the count here, and go on from it."
)
@rules_options
@referee_options
@click.option("--jobs", type=click.IntRange(1, 1000), help="Pairs played at once.  [default: processors]")
@click.option("--seed", help="Make the comparison repeatable.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
def command(
    a: str,
    b: str,
    elo0: float,
    elo1: float,
    margin: float | None,
    alpha: float,
    beta: float,
    max_games: int,
    state: Path | None,
    preset_name: str,
    changes: tuple[str, ...],
    hosted: RefereeOptions,
    jobs: int | None,
    seed: str | None,
    as_json: bool,
) -> int:
    """Play game pairs on the same decks until a sequential test says whether A is better than B.

    It stops as soon as it is sure. Exits with 0 if A is better, 1 if not or undecided.

    \b
    Example:  arena compare my-bot @simple --elo0 0 --elo1 20 --state compare.json
    """
    from arena.ladder.compare import CompareSpec, Comparison, compare, load, save
    from arena.ladder.entrants import find_entrant
    from arena.ladder.runner import build_all, default_jobs
    from arena.ladder.strength import MarginTest, Verdict, WinTest
    from arena.protocol.transport import run_async

    test: WinTest | MarginTest = WinTest(elo0=elo0, elo1=elo1, alpha=alpha, beta=beta)
    if margin is not None:
        test = MarginTest(margin0=0.0, margin1=margin, alpha=alpha, beta=beta)
    packages = [find_entrant(a), find_entrant(b)]
    rules, time = rules_of(preset_name, changes), hosted.time()
    spec = CompareSpec(rules, time, test, seed or "", max_games)
    key = spec.key(packages)
    found = load(state, key) if state is not None else None
    comparison = found or Comparison()
    hosting = hosted.hosting(packages)
    build_all(packages, hosting.build_s)
    names = (packages[0].name, packages[1].name)

    def counted(now: Comparison, report: Report) -> None:
        if state is not None:
            save(state, now, key)
        if sys.stderr.isatty():
            click.echo(f"\r\x1b[K{_brief(report)}", nl=False, err=True)

    report = run_async(
        compare(spec, packages, comparison, jobs=jobs or default_jobs(), hosting=hosting, on_pair=counted)
    )
    if sys.stderr.isatty():
        click.echo(err=True)
    result = _result(spec, comparison, report, names)
    click.echo(json.dumps(result, indent=2) if as_json else _text(result))
    return 0 if report.verdict == Verdict.ACCEPT_H1 else 1


def _brief(report: Report) -> str:
    left = f"{report.pairs_left:.0f}" if report.pairs_left is not None else "?"
    bounds = f"{report.lower:.2f}..{report.upper:.2f}"
    return f"{report.pairs} pairs, llr {report.llr:+.2f} in {bounds}, about {left} left"


def _result(spec: Any, comparison: Comparison, report: Report, names: tuple[str, str]) -> dict[str, Any]:
    """Return the result for ``--json``: the test's report, and both measures with their intervals."""
    from dataclasses import asdict

    from arena.ladder.compare import verdict_text
    from arena.ladder.strength import MarginTest, WinTest

    wins, points = WinTest().report(comparison.tally), MarginTest().report(comparison.tally)
    return {
        "bots": list(names),
        "verdict": verdict_text(spec.test, report, names),
        "test": {**asdict(report), "verdict": str(report.verdict)},
        "pairs": report.pairs,
        "pair_outcomes": dict(zip(("LL", "LD", "LW/DD", "DW", "WW"), comparison.tally.counts, strict=True)),
        "elo": [wins.low, wins.estimate, wins.high],
        "points_a_hand": [points.low, points.estimate, points.high],
        "faults": comparison.faults,
    }


def _text(result: dict[str, Any]) -> str:
    test = result["test"]
    lines = [
        result["verdict"],
        f"pairs played   {result['pairs']} "
        + " ".join(f"{name} {count}" for name, count in result["pair_outcomes"].items()),
        f"llr            {test['llr']:+.2f}, bounds {test['lower']:.2f} and {test['upper']:.2f}",
    ]
    for name, key in (("Elo", "elo"), ("points a hand", "points_a_hand")):
        low, estimate, high = result[key]
        if None not in (low, estimate, high):
            lines.append(f"{name:14} {estimate:+.2f}, 95% interval {low:+.2f} to {high:+.2f}")
    if test["likelihood_better"] is not None:
        lines.append(f"A is better    with probability {test['likelihood_better']:.3f}")
    if test["pairs_left"]:
        lines.append(f"pairs left     about {test['pairs_left']:.0f}")
    if any(result["faults"]):
        lines.append(f"faults         {result['faults'][0]} and {result['faults'][1]}")
    return "\n".join(lines)
