"""``arena selftest``: the fault suite, on this machine."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from arena.testing.faults.suite import Finding


@click.command("selftest")
@click.option("--faults", is_flag=True, help="Play against each misbehaving bot of the fault suite.")
@click.option("--case", "names", multiple=True, metavar="NAME", help="Only this case; may be repeated.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(faults: bool, names: tuple[str, ...], as_json: bool) -> int:
    """Try the referee out on this machine against misbehaving bots.

    Each must end in the right verdict, with the other bot told why, other matches unaffected and no
    process left behind. Takes a minute or two; exits with 1 if a case failed.

    \b
    Example:  arena selftest --faults
    """
    from arena.protocol.transport import run_async
    from arena.testing.faults.cases import CASES
    from arena.testing.faults.suite import run_case

    if not faults and not names:
        raise click.UsageError("say what to test: --faults, or --case NAME")
    known = {case.name: case for case in CASES}
    unknown = [name for name in names if name not in known]
    if unknown:
        raise click.UsageError(f"there is no case {unknown[0]!r}; there are {', '.join(known)}")
    findings: list[Finding] = []
    for name in names or known:
        finding = run_async(run_case(known[name]))
        findings.append(finding)
        if not as_json:
            click.echo(_text(finding))
    failed = sum(not finding.ok for finding in findings)
    if as_json:
        click.echo(json.dumps([_data(finding) for finding in findings], indent=2))
    else:
        click.echo(f"{len(findings) - failed} of {len(findings)} cases ended as they must")
    return 1 if failed else 0


def _text(finding: Finding) -> str:
    mark = "ok    " if finding.ok else "FAILED"
    lines = [f"{mark} {finding.case.name:36} {finding.elapsed_s:5.1f} s  {finding.detail}"]
    return "\n".join([*lines, *(f"       {problem}" for problem in finding.problems)])


def _data(finding: Finding) -> dict[str, object]:
    return {
        "case": finding.case.name,
        "ok": finding.ok,
        "verdict": finding.case.verdict,
        "detail": finding.detail,
        "problems": list(finding.problems),
        "elapsed_s": round(finding.elapsed_s, 3),
    }
