"""The golden logs: one match of each kind, kept as files for every version of the log format.

``python -m tests.log.golden_logs`` writes those of the version that the code writes now, and what
is shown of every golden log. Logs of earlier versions are never written again.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from arena.engine.presets import preset
from arena.log import LOG_VERSION, Terminal, Viewer, read_log, render
from tests.log.playing import Play, Script

FOLDER = Path(__file__).parent / "golden"
TROUBLE = Script(forfeits=(40,), voids=(5,), substitutes=(12,))


def plays() -> dict[str, Play]:
    """Return the matches by name."""
    return {
        "duel": Play(preset("quick"), games=2, duplicate=True),
        "declared": Play(replace(preset("eaai"), name="eaai+", target=25), aligned=True),
        "wall": Play(preset("openspiel"), games=2),
        "cutthroat": Play(replace(preset("spanish"), name="spanish+", target=40), "cutthroat"),
        "captain": Play(replace(preset("oklahoma"), name="oklahoma+", target=40), "captain"),
        "partnership": Play(replace(preset("modern"), name="modern+", target=25), "partnership"),
        "faults": Play(preset("quick"), games=2, script=TROUBLE),
        "aborted": Play(preset("quick"), games=2, script=Script(aborts_at=60)),
    }


def golden() -> list[Path]:
    """Return the golden logs of all versions."""
    return sorted(FOLDER.glob("v*.jsonl.zst"))


def shown(log: Path) -> str:
    """Return what is shown of a log, to everybody and to seat 1."""
    return "".join(
        f"{line}\n" for seat in (None, 1) for line in render(read_log(log), Viewer(seat), Terminal())
    )


def transcript_of(log: Path) -> Path:
    """Return the file that keeps what is shown of a log."""
    return log.with_name(log.name.replace(".jsonl.zst", ".txt"))


def main() -> None:
    """Write the golden logs of this version, and all transcripts."""
    FOLDER.mkdir(exist_ok=True)
    for name, play in plays().items():
        (FOLDER / f"v{LOG_VERSION}-{name}.jsonl.zst").write_bytes(play.play().to_bytes())
    for log in golden():
        transcript_of(log).write_text(shown(log), encoding="utf-8")


if __name__ == "__main__":
    main()
