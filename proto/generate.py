"""Regenerate the protocol's Python code and type stubs; ``--check`` fails when they are stale.

    pip install ".[proto]" && python proto/generate.py [--check]

The tools are pinned to the oldest supported versions on purpose: generated code imports on the
runtime that it was generated for and on newer ones only. The path below ``proto/`` mirrors the
package path, because protoc derives Python imports from it; the wire name is ``arena.v1``.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from importlib import resources
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ("game.proto", "bot.proto")
PACKAGE = Path("arena/protocol/v1")


def generate(out: Path) -> None:
    """Run protoc into a folder.

    Raises:
        SystemExit: protoc refused a source.
    """
    from grpc_tools import protoc

    scripts = Path(sys.executable).parent
    well_known = resources.files("grpc_tools") / "_proto"
    arguments = [
        "protoc",
        f"--plugin=protoc-gen-mypy={scripts / 'protoc-gen-mypy'}",
        f"--plugin=protoc-gen-mypy_grpc={scripts / 'protoc-gen-mypy_grpc'}",
        f"--proto_path={ROOT / 'proto'}",
        f"--proto_path={well_known}",
        f"--python_out={out}",
        f"--grpc_python_out={out}",
        f"--mypy_out={out}",
        f"--mypy_grpc_out={out}",
        *(str(PACKAGE / source) for source in SOURCES),
    ]
    if protoc.main(arguments) != 0:
        raise SystemExit("protoc failed")
    # Messages alone live in game.proto: its gRPC modules would be empty.
    for empty in (out / PACKAGE).glob("game_pb2_grpc.py*"):
        empty.unlink()


def stale(fresh: Path) -> list[str]:
    """Return the committed files that differ from freshly generated ones, and strays."""
    committed = ROOT / PACKAGE
    new = {p.name: p.read_bytes() for p in (fresh / PACKAGE).iterdir()}
    old = {p.name: p.read_bytes() for p in committed.glob("*_pb2*") if p.is_file()}
    return sorted(name for name in new.keys() | old.keys() if new.get(name) != old.get(name))


def main() -> int:
    """Regenerate, or check with ``--check``; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--check", action="store_true", help="exit 1 if the committed code is stale")
    check = parser.parse_args().check
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder)
        generate(out)
        names = stale(out)
        if not check:
            for name in names:
                fresh = out / PACKAGE / name
                if fresh.exists():
                    (ROOT / PACKAGE / name).write_bytes(fresh.read_bytes())
                else:
                    (ROOT / PACKAGE / name).unlink()
    if check and names:
        print(f"stale: {', '.join(names)}; run `make proto` and commit", file=sys.stderr)
        return 1
    print("generated code is current" if check else f"wrote {len(names)} files")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
