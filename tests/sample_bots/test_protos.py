"""Every package's own copy of the protocol, and the code generated from it, are current."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

import pytest

from arena.referee.manifest import shipped_folder
from tests.sample_bots.packages import TOOLS, need, run

ROOT = Path(__file__).resolve().parents[2]
PROTO = ROOT / "proto" / "arena"
COPIES = [name for name in TOOLS if not name.endswith("-python")]
GO_PLUGINS = (
    "google.golang.org/protobuf/cmd/protoc-gen-go@v1.36.12",
    "google.golang.org/grpc/cmd/protoc-gen-go-grpc@v1.6.2",
)


def texts(folder: Path, suffix: str) -> dict[str, str]:
    """Return the files below a folder by their path, without the lines that name the generator's version."""
    return {
        path.relative_to(folder).as_posix(): re.sub(
            r"(?m)^//.*\bprotoc(-gen-\S+)?\s+\(?(v\S+|unknown)$", "", path.read_text()
        )
        for path in sorted(folder.rglob(f"*{suffix}"))
    }


@pytest.mark.parametrize("name", COPIES)
def test_copy_of_the_protocol_is_current(name: str) -> None:
    wanted = texts(PROTO, ".proto")
    assert len(wanted) >= 2
    copy = shipped_folder() / name / "proto" / "arena"
    assert texts(copy, ".proto") == wanted, f"copy {PROTO} over {copy}"


def test_generated_go_is_current(tmp_path: Path) -> None:
    need(("go", "protoc"))
    package = shipped_folder() / "simple-go"
    fresh = tmp_path / "simple-go"
    shutil.copytree(package, fresh, ignore=shutil.ignore_patterns("bin", "*.pb.go"))
    plugins = tmp_path / "plugins"
    for plugin in GO_PLUGINS:
        run(("go", "install", plugin), tmp_path, GOBIN=str(plugins))
    run(("go", "generate", "./arenapb"), fresh, PATH=f"{plugins}{os.pathsep}{os.environ['PATH']}")
    assert len(committed := texts(package / "arenapb", ".pb.go")) == 3
    assert committed == texts(fresh / "arenapb", ".pb.go")


def test_generated_typescript_is_current(tmp_path: Path) -> None:
    need(("npm",))
    package = shipped_folder() / "simple-typescript"
    fresh = tmp_path / "simple-typescript"
    shutil.copytree(package, fresh, ignore=shutil.ignore_patterns("node_modules", "dist", "arena"))
    shutil.copytree(PROTO, fresh / "proto" / "arena")
    run(("npm", "run", "proto"), fresh)
    assert len(committed := texts(package / "src" / "arena", ".ts")) == 2
    assert committed == texts(fresh / "src" / "arena", ".ts")
