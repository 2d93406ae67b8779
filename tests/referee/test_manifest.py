"""Every way in which a bot package can be wrong: one line that names the key and the remedy."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from arena.errors import ManifestError
from arena.referee.launcher import why_not_startable
from arena.referee.manifest import find_package, load_package, shipped_names

GOOD = """
[bot]
name = "my-bot"
version = "1.0.0"
language = "python"
author = "me"
[build]
command = "make all"
[run]
command = "python 'my bot.py' --fast"
[limits]
matches = 8
"""


def written(folder: Path, text: str | bytes) -> Path:
    folder.mkdir(exist_ok=True)
    data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    (folder / "bot.toml").write_bytes(data)
    return folder


def refusal(folder: Path) -> str:
    with pytest.raises(ManifestError) as refused:
        load_package(folder)
    message = str(refused.value)
    assert "\n" not in message and "\r" not in message
    assert refused.value.exit_code == 2
    return message


def test_a_manifest_with_everything(tmp_path: Path) -> None:
    package = load_package(written(tmp_path / "bot", GOOD))
    assert (package.name, package.version, package.language, package.author) == (
        "my-bot",
        "1.0.0",
        "python",
        "me",
    )
    assert package.run == ("python", "my bot.py", "--fast")
    assert package.build == ("make", "all")
    assert package.matches == 8
    assert not package.shipped


def test_a_manifest_with_windows_line_ends(tmp_path: Path) -> None:
    package = load_package(written(tmp_path / "bot", GOOD.replace("\n", "\r\n")))
    assert package.run == ("python", "my bot.py", "--fast")


@pytest.mark.parametrize("name", shipped_names())
def test_shipped_bots_have_good_manifests(name: str) -> None:
    assert find_package(f"@{name}").shipped


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('name = "my-bot"', "", "bot.name is missing"),
        ('version = "1.0.0"', "", "bot.version is missing"),
        ('language = "python"', "", "bot.language is missing"),
        ("[run]\ncommand = \"python 'my bot.py' --fast\"", "", "run.command is missing"),
        ("--fast", "", None),
        ('name = "my-bot"', 'nane = "my-bot"', "unknown key bot.nane: allowed are name, version"),
        ("[limits]", "[limit]", "unknown section [limit]: allowed are [bot], [build], [run], [limits]"),
        ("[bot]", "bot = 3\n[other]", "bot must be a section: write [bot]"),
        ('name = "my-bot"', "name = 3", "bot.name = 3 must be a text in quotes"),
        ('author = "me"', 'author = ["me"]', "bot.author = ['me'] must be a text in quotes"),
        ('command = "make all"', "command = true", "build.command = True must be a text in quotes"),
        ("matches = 8", 'matches = "8"', "limits.matches = '8' must be a number"),
        ("matches = 8", "matches = true", "limits.matches = True must be a number"),
        ("matches = 8", "matches = 0", "limits.matches = 0 is not allowed: take 1 to 1000"),
        ("matches = 8", "matches = 1001", "limits.matches = 1001 is not allowed: take 1 to 1000"),
        ('command = "make all"', 'command = ""', "build.command is empty"),
        ('command = "make all"', "command = '''make \"'''", "build.command cannot be read"),
        ('version = "1.0.0"', 'version = "1/../2"', "bot.version '1/../2' is not allowed"),
        ("[bot]", "[bot", "is not valid TOML"),
        ('name = "my-bot"', 'name = "a"\nname = "b"', "is not valid TOML"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, old: str, new: str, told: str | None) -> None:
    assert old in GOOD
    folder = written(tmp_path / "bot", GOOD.replace(old, new))
    if told is None:
        load_package(folder)
        return
    message = refusal(folder)
    assert told in message
    assert str(folder / "bot.toml") in message


@pytest.mark.parametrize(
    "name",
    [
        "../evil",
        "a/b",
        "..",
        ".hidden",
        "-rf",
        "new\\nline",
        "tab\\t",
        "caf\\u00e9",
        "\\U0001f0a1",
        "x" * 300,
        "",
        " ",
    ],
)
def test_names_that_are_no_names(tmp_path: Path, name: str) -> None:
    message = refusal(written(tmp_path / "bot", GOOD.replace("my-bot", name)))
    assert "bot.name" in message and "use 1 to 64 letters" in message
    assert len(message) < 400 + len(str(tmp_path))


def test_a_manifest_that_is_no_text(tmp_path: Path) -> None:
    assert "is not valid TOML" in refusal(written(tmp_path / "bot", b"\xff\xfe[bot]\x00"))


def test_a_folder_that_does_not_exist(tmp_path: Path) -> None:
    assert "`arena new NAME` writes one" in refusal(tmp_path / "none")


def test_a_file_instead_of_a_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert "there is no bot folder" in refusal(tmp_path / "file")


def test_a_folder_without_a_manifest(tmp_path: Path) -> None:
    assert "has no bot.toml" in refusal(tmp_path)


def test_a_manifest_that_is_a_folder(tmp_path: Path) -> None:
    (tmp_path / "bot.toml").mkdir()
    assert "cannot be read: Is a directory" in refusal(tmp_path)


def test_an_unknown_shipped_bot() -> None:
    with pytest.raises(ManifestError, match=r"no shipped bot '@none': there are @.*@random"):
        find_package("@none")


# ---------------------------------------------------------------------- what the run command starts


def startable(folder: Path, command: str) -> str:
    """Return why a package with this run command cannot be started."""
    text = f'[bot]\nname = "b"\nversion = "1"\nlanguage = "sh"\n[run]\ncommand = "{command}"\n'
    return why_not_startable(load_package(written(folder, text)))


def script(path: Path, text: bytes = b"#!/bin/sh\nexit 0\n", mode: int = 0o755) -> None:
    path.write_bytes(text)
    path.chmod(mode)


def test_a_program_that_is_not_installed(tmp_path: Path) -> None:
    assert "'no-such-program' is not found: install it" in startable(tmp_path / "b", "no-such-program")


def test_a_file_that_does_not_exist(tmp_path: Path) -> None:
    assert "'./run.sh' does not exist: correct run.command" in startable(tmp_path / "b", "./run.sh")


def test_a_missing_executable_bit(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    script(tmp_path / "b" / "run.sh", mode=0o644)
    assert "'./run.sh' is not executable: chmod +x it" in startable(tmp_path / "b", "./run.sh")


def test_a_script_with_windows_line_ends(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    script(tmp_path / "b" / "run.sh", b"#!/bin/sh\r\nexit 0\r\n")
    assert "'./run.sh' has Windows line ends" in startable(tmp_path / "b", "./run.sh")


def test_a_script_that_can_be_started(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    script(tmp_path / "b" / "run.sh")
    assert startable(tmp_path / "b", "./run.sh") == ""


def test_a_run_command_that_leads_out_of_the_folder(tmp_path: Path) -> None:
    script(tmp_path / "outside.sh")
    (tmp_path / "b").mkdir()
    assert "leads out of the bot's folder" in startable(tmp_path / "b", "../outside.sh")


def test_a_symbolic_link_out_of_the_folder(tmp_path: Path) -> None:
    script(tmp_path / "outside.sh")
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "run.sh").symlink_to(tmp_path / "outside.sh")
    assert "leads out of the bot's folder" in startable(tmp_path / "b", "./run.sh")


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("root reads everything")
    (tmp_path / "b").mkdir()
    script(tmp_path / "b" / "run", mode=0o111)
    assert startable(tmp_path / "b", "./run") == ""


def test_the_digest_leaves_links_and_build_outputs_out(tmp_path: Path) -> None:
    folder = written(tmp_path / "bot", GOOD)
    before = load_package(folder).digest()
    (folder / "target").mkdir()
    (folder / "target" / "out").write_text("built")
    (folder / "link").symlink_to("/etc/passwd")
    assert load_package(folder).digest() == before
    (folder / "bot.py").write_text("pass")
    assert load_package(folder).digest() != before


# ---------------------------------------------------------------------- anything at all

VALUES = st.recursive(
    st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20) | st.dates(),
    lambda inner: st.lists(inner, max_size=3),
    max_leaves=4,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=600, deadline=None)
@given(data=st.binary(max_size=300) | st.text(max_size=300).map(lambda text: text.encode("utf-8", "replace")))
def test_bytes_of_any_kind_are_refused_in_one_line(tmp_path: Path, data: bytes) -> None:
    refusal(written(tmp_path / "bot", data))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=800, deadline=None)
@given(
    lines=st.lists(st.sampled_from(GOOD.splitlines()) | st.text(max_size=30), max_size=16),
    edits=st.lists(st.tuples(st.integers(0, 200), st.characters()), max_size=3),
)
def test_mutated_manifests_load_or_are_refused_in_one_line(
    tmp_path: Path, lines: list[str], edits: list[tuple[int, str]]
) -> None:
    text = list("\n".join(lines))
    for position, character in edits:
        text.insert(position % (len(text) + 1), character)
    folder = written(tmp_path / "bot", "".join(text).encode("utf-8", "replace"))
    try:
        package = load_package(folder)
    except ManifestError as error:
        assert len(str(error).splitlines()) == 1
    else:
        assert package.run and package.name
