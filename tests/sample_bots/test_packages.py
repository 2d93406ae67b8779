"""Every sample bot is a package that builds, passes its own tests, and plays before the referee."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from arena.referee.manifest import load_package, shipped_folder
from arena.referee.scaffold import new_package
from tests.sample_bots.packages import OWN_TESTS, TOOLS, building, built, need, run

ARENA = (sys.executable, "-m", "arena")
LOCK_FILES = {
    "simple-go": "go.sum",
    "simple-rust": "Cargo.lock",
    "simple-typescript": "package-lock.json",
}


@pytest.mark.parametrize("name", TOOLS)
def test_manifest_names_the_folder(name: str) -> None:
    package = load_package(shipped_folder() / name)
    assert package.name in (name, name.removesuffix("-python"))
    assert name.endswith(f"-{package.language}")
    assert package.matches is None or package.matches > 1
    assert (package.folder / "README.md").read_text().startswith(f"# {name}\n")


@pytest.mark.parametrize("name", LOCK_FILES)
def test_versions_are_locked_to_no_particular_mirror(name: str) -> None:
    lock = (shipped_folder() / name / LOCK_FILES[name]).read_text()
    assert len(lock) > 500
    assert '"resolved"' not in lock
    sources = {line for line in lock.splitlines() if line.startswith("source = ")}
    assert sources <= {'source = "registry+https://github.com/rust-lang/crates.io-index"'}


@pytest.mark.parametrize("name", TOOLS)
def test_a_new_package_passes_its_own_tests(name: str, tmp_path: Path) -> None:
    need(TOOLS[name])
    language = name.rpartition("-")[2]
    folder = tmp_path / "my-bot"
    if name == "minimal-python":
        folder = shipped_folder() / name
    else:
        new_package(folder, language)
    # The dependencies' build is shared with the sample's, which is what takes Rust its minutes.
    shared = {"CARGO_TARGET_DIR": str(shipped_folder() / name / "target")} if language == "rust" else {}
    with building(name):
        for command in OWN_TESTS[name]:
            run(command, folder, **shared)


def test_go_is_formatted() -> None:
    need(("gofmt",))
    assert run(("gofmt", "-l", "."), shipped_folder() / "simple-go") == ""


@pytest.mark.parametrize("name", TOOLS)
def test_check_finds_no_fault(name: str) -> None:
    need(TOOLS[name])
    package = built(name)
    run((*ARENA, "check", str(package.folder), "--move-time", "10s"), package.folder)


@pytest.mark.parametrize("name", [name for name in TOOLS if name != "simple-python"])
def test_twenty_games_against_simple_end_even_and_without_a_fault(name: str) -> None:
    """Pairs of games are dealt the same cards with seats swapped, and both play the same policy."""
    need(TOOLS[name])
    package = built(name)
    match = (*ARENA, "match", str(package.folder), "@simple", "--games", "20")
    output = run((*match, "--move-time", "10s", "--json"), package.folder)
    result = json.loads(output[output.index("{") :])
    assert result["faults"] == [0, 0]
    assert result["wins"] == [10, 10]
