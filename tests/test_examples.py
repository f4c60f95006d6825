"""The examples are what they say: the guide's own text, a policy and a page each, a demonstration that runs."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import acap
from tools.examples import CONSOLE
from tools.links import ROOT, links
from tools.problem_examples import EXAMPLES as OF_PROBLEMS

EXAMPLES = ROOT / "examples"
PROGRAMS = {"clients", "engines", "notebooks"}
"""Folders of programs, which have no policy (tests/test_decision_clients.py, tests/test_notebooks.py and others)."""

FOLDERS = sorted(folder for folder in EXAMPLES.iterdir() if folder.is_dir() and folder.name not in PROGRAMS)
GUIDE = {
    policy["source"]: policy["robots"].encode()
    for file in sorted((ROOT / "tests/vectors/guide").glob("*.toml"))
    for policy in tomllib.loads(file.read_text(encoding="utf-8"))["policy"]
}
# Examples that the guide prints, by their source in the vectors.
PRINTED = {
    "abstract-only/robots.txt": "G 5.5",
    "directories-and-sets/robots.txt": "G 3.2",
    "directories-and-sets/with-a-set.robots.txt": "G 3.2 (restated with a resource set)",
    "images/robots.txt": "G 4.4",
    "index-not-preserve/robots.txt": "G 4.7",
    "named-crawlers/robots.txt": "G example 1.3",
    "no-translation/robots.txt": "G 5.13",
    "only-acap-crawlers/robots.txt": "G example 1.5",
    "original-only/robots.txt": "G 4.13",
    "persgroep/robots.txt": "G A.2.1",
    "purposes/robots.txt": "G example 2.1",
    "purposes/sports-only.robots.txt": "G example 2.2",
    "representations/robots.txt": "G 4.10",
    "snippets/robots.txt": "G 5.8",
    "time-limits/days.robots.txt": "G 5.4",
    "time-limits/robots.txt": "G 5.2",
}


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_a_folder_has_a_policy_and_a_page_with_commands(folder: Path) -> None:
    page = folder / "README.md"
    assert (folder / "robots.txt").is_file()
    assert CONSOLE.search(page.read_text(encoding="utf-8"))


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_the_index_leads_to_the_folder(folder: Path) -> None:
    assert folder / "README.md" in {file for _, file in links(EXAMPLES / "README.md")}


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_the_page_of_a_folder_leads_to_every_policy_in_it(folder: Path) -> None:
    assert set(folder.glob("*robots.txt")) <= {file for _, file in links(folder / "README.md")}


@pytest.mark.parametrize("name", PRINTED)
def test_an_example_of_the_guide_is_as_the_guide_prints_it(name: str) -> None:
    assert (EXAMPLES / name).read_bytes() == GUIDE[PRINTED[name]]


def test_every_policy_is_of_the_guide_or_says_where_it_is_from() -> None:
    others = {file.parent for folder in FOLDERS for file in folder.glob("*robots.txt") if name_of(file) not in PRINTED}
    made_up = {"ai-signals", "publisher", "publisher-policy", "survey", "webmaster"}
    assert {folder.name for folder in others} == {"independent.ie", *made_up}
    real = ROOT / "tests/vectors/real/files/www.independent.ie.robots.txt"
    assert (EXAMPLES / "independent.ie/robots.txt").read_bytes() == real.read_bytes()
    assert "BSD licence" in (EXAMPLES / "independent.ie/README.md").read_text(encoding="utf-8")


def name_of(file: Path) -> str:
    return file.relative_to(EXAMPLES).as_posix()


def test_a_made_up_policy_has_no_problems() -> None:
    assert acap.parse_robots((EXAMPLES / "publisher-policy/robots.txt").read_bytes()).problems == ()


def test_the_demonstration_shows_what_crawlers_did_and_what_goes() -> None:
    """Three crawls, what they may show and under which restrictions, what went after a month and why; then it ends."""
    environment = {**os.environ, "COLUMNS": "120"}
    shown = subprocess.run(
        [sys.executable, EXAMPLES / "demo"], env=environment, check=True, capture_output=True, text=True, timeout=120
    ).stdout
    rows = {row[: row.find("  ", 2)].strip(): re.findall(r" (\d+)\b", row) for row in shown.splitlines()}
    assert rows["crawled"] == ["44", "40", "34"]
    assert rows["not crawled"] == ["1", "4", "10"]
    assert rows["preserved"] == ["33", "35", "2"]
    assert "ACAP-disallow-preserve: /photos/  robots.txt line" in shown
    assert "snippet, up to 40 words" in shown
    assert "leave the steel to others" in " ".join(shown.split())
    assert re.search(r"archivebot +the copies +3 +ACAP-allow-preserve: /letters/ time-limit=30-days", shown)
    assert shown.count("an unbroken chain") == 3


@pytest.mark.parametrize("code", OF_PROBLEMS)
def test_the_example_of_a_problem_has_it(code: str) -> None:
    assert OF_PROBLEMS[code].problem(code).code == code
