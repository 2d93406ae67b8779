"""What docs/languages shows is what the sample bots contain."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from arena.referee.manifest import load_package, shipped_folder

PAGES = Path(__file__).resolve().parents[2] / "docs" / "languages"
PACKAGES = {
    "python": ("simple-python", "minimal-python"),
    "go": ("simple-go",),
    "java": ("simple-java",),
    "rust": ("simple-rust",),
    "typescript": ("simple-typescript",),
    "cpp": ("simple-cpp",),
}
SOURCES = {".py", ".go", ".java", ".rs", ".ts", ".cpp"}


def page(language: str) -> str:
    return (PAGES / f"{language}.md").read_text()


def test_every_language_has_its_page() -> None:
    assert {path.stem for path in PAGES.glob("*.md")} == set(PACKAGES)
    assert {
        path.parent.name.removeprefix("simple-") for path in shipped_folder().glob("simple-*/bot.toml")
    } == set(PACKAGES)


@pytest.mark.parametrize("language", PACKAGES)
def test_code_shown_is_code_shipped(language: str) -> None:
    shown = re.findall(r"(?ms)^```(\w+)\n(.*?)^```$", page(language))
    assert [kind for kind, _ in shown] == [language] * len(PACKAGES[language])
    shipped = [
        path.read_text()
        for name in PACKAGES[language]
        for path in sorted((shipped_folder() / name).rglob("*"))
        if path.suffix in SOURCES and not {"node_modules", "target", "build"} & set(path.parts)
    ]
    for _, code in shown:
        assert any(code in text for text in shipped), f"no source of {language} contains:\n{code}"


@pytest.mark.parametrize("language", PACKAGES)
def test_files_named_exist(language: str) -> None:
    folders = [shipped_folder() / name for name in PACKAGES[language]]
    table = re.findall(r"(?m)^\| (`[^|]*`) \|", page(language))
    named = {file for cell in table for file in re.findall(r"`([^`]+)`", cell)}
    named |= set(re.findall(r"`((?:src|test|testdata|proto)/[\w./]*)`", page(language)))
    missing = {file for file in named if not any((folder / file).exists() for folder in folders)}
    assert not missing


@pytest.mark.parametrize("language", PACKAGES)
def test_build_command_shown_is_the_manifest_s(language: str) -> None:
    shown = re.findall(r"build command of `bot.toml` is `([^`]+)`", page(language).replace("\n", " "))
    build = load_package(shipped_folder() / PACKAGES[language][0]).build
    assert shown == ([] if build is None else [" ".join(build)])
