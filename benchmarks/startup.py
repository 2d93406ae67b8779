"""Start-up: ``arena --help``, and a bot's import of the SDK, beside ``python -c pass``.

    python benchmarks/startup.py [--repeats 15] [--json]

Method. The commands are run in turn, so that a drift of the machine meets all of them alike; each
figure is the median of the wall-clock times of whole processes, each ratio the median of the
ratios within a turn. Target: ``arena --help`` within 8 times ``python -c pass``.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time

COMMANDS = {
    "python -c pass": [sys.executable, "-c", "pass"],
    "arena --help": [sys.executable, "-m", "arena", "--help"],
    "import arena.engine": [sys.executable, "-c", "import arena.engine"],
    "import arena.bot": [sys.executable, "-c", "import arena.bot"],
}


def wall_ms(command: list[str]) -> float:
    """Return how long a process took from start to end, in milliseconds."""
    began = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    return (time.perf_counter() - began) * 1000


def measure(repeats: int) -> dict[str, dict[str, float]]:
    """Return for each command its median time and its median ratio to the first one."""
    turns = [{name: wall_ms(command) for name, command in COMMANDS.items()} for _ in range(repeats)]
    base = next(iter(COMMANDS))
    return {
        name: {
            "ms": statistics.median(turn[name] for turn in turns),
            "ratio": statistics.median(turn[name] / turn[base] for turn in turns),
        }
        for name in COMMANDS
    }


def main() -> None:
    """Run the benchmark and print its figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--repeats", type=int, default=15)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    figures = measure(arguments.repeats)
    if arguments.json:
        print(json.dumps(figures, indent=2))
        return
    print(__doc__)
    for name, figure in figures.items():
        print(f"{name:22}{figure['ms']:8.1f} ms {figure['ratio']:6.2f}x")


if __name__ == "__main__":
    main()
