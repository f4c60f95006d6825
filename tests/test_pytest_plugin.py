"""The plugin for pytest: a case is a test, its failure an explanation; where there are no cases nothing happens."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from importlib import import_module
from pathlib import Path

import pytest

from tests.command_line import environment
from tools.links import ROOT

ROBOTS = "User-agent: *\nDisallow: /private/\n"
GOOD = '[[case]]\nname = "private is private"\npath = "/private/a"\ncrawler = "bot"\nexpect = "prohibited"\n'
BAD = '[[case]]\nname = "all is open"\npaths = ["/a", "/private/a"]\ncrawler = "bot"\nexpect = "permitted"\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A project with a policy, and settings of its own."""
    (tmp_path / "robots.txt").write_text(ROBOTS, encoding="utf-8")
    (tmp_path / "pytest.ini").write_text("[pytest]\nfilterwarnings = error\n", encoding="utf-8")
    return tmp_path


def cases(folder: Path, text: str, name: str = "policy.acap.toml") -> None:
    (folder / name).write_text(f'robots = "robots.txt"\n{text}', encoding="utf-8")


def run(folder: Path, *arguments: str, plugin: bool = True) -> tuple[int, str]:
    """Pytest in a process of its own, with no other plugin than this one."""
    given = ["-p", "acap.integrations.pytest"] if plugin else []
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *given, "-p", "no:cacheprovider", "-q", *arguments],
        cwd=folder,
        env=environment(PYTEST_DISABLE_PLUGIN_AUTOLOAD="1", PYTEST_ADDOPTS="", COLUMNS="120"),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=120,
    )
    return done.returncode, done.stdout


def test_cases_are_tests_of_their_names(folder: Path) -> None:
    """Each case is an item that can be chosen by its name."""
    cases(folder, GOOD + BAD)
    code, said = run(folder, "--collect-only")
    assert code == 0
    assert "policy.acap.toml::private is private\npolicy.acap.toml::all is open\n" in said
    code, said = run(folder, "-k", "private")
    assert (code, "1 passed, 1 deselected" in said) == (0, True)


def test_a_failing_case_is_explained_without_a_traceback(folder: Path) -> None:
    """The words are those of `acap test`."""
    cases(folder, GOOD + BAD)
    code, said = run(folder)
    assert code == 1
    assert (
        "policy.acap.toml:7: all is open\n"
        "asked     crawl of /private/a by bot\n"
        "expected  permitted\n"
        "decided   prohibited\n"
        "why       robots.txt:2:1 Disallow: /private/\n"
    ) in said
    assert "1 failed, 1 passed" in said
    assert "Traceback" not in said
    assert "pytest.py" not in said


def test_a_mistake_in_a_file_is_an_error_of_its_collection(folder: Path) -> None:
    """One line says what is wrong, and other files are collected."""
    cases(folder, f"{GOOD}usge = 1\n")
    cases(folder, GOOD, "other.acap.toml")
    code, said = run(folder, "--continue-on-collection-errors")
    assert code == 1
    assert "policy.acap.toml:2: case `private is private`: unknown key `usge`; did you mean `usage`?" in said
    assert "1 passed, 1 error" in said
    assert "Traceback" not in said


def test_a_question_that_means_nothing_fails_its_case_in_one_line(folder: Path) -> None:
    """What only the engine knows to be a mistake is found when the case runs."""
    cases(folder, f'{GOOD}usage = "indx"\n')
    code, said = run(folder)
    assert code == 1
    assert "case `private is private`: `usage` is `indx`, which no policy here knows; did you mean `index`?" in said
    assert "Traceback" not in said


def test_a_file_that_only_a_site_can_answer_is_skipped(folder: Path) -> None:
    """Nothing is fetched in a run of tests."""
    (folder / "policy.acap.toml").write_text(f'site = "https://www.example.com"\n{GOOD}', encoding="utf-8")
    code, said = run(folder, "-rs")
    assert "1 skipped" in said
    assert "acap test --live" in said
    assert code == pytest.ExitCode.NO_TESTS_COLLECTED


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        ("pytest.ini", "[pytest]\nacap_cases = policies/*.toml expected.toml\n"),
        ("pyproject.toml", '[tool.pytest.ini_options]\nacap_cases = ["policies/*.toml", "expected.toml"]\n'),
    ],
)
def test_files_of_other_names_are_cases_where_the_settings_say_so(folder: Path, settings: str, text: str) -> None:
    """The ini option names patterns of files; what it does not name is left alone."""
    (folder / "policies").mkdir()
    (folder / "pytest.ini").unlink()
    (folder / settings).write_text(text, encoding="utf-8")
    (folder / "policies/robots.txt").write_text(ROBOTS, encoding="utf-8")
    cases(folder, GOOD, "policies/news.toml")
    cases(folder, GOOD, "expected.toml")
    cases(folder, BAD, "other.toml")
    code, said = run(folder, "--collect-only")
    assert code == 0
    assert "policies/news.toml::private is private" in said
    assert "expected.toml::private is private" in said
    assert "other.toml" not in said


def test_cases_stand_beside_tests_in_python(folder: Path) -> None:
    """A run has both, and the report of JUnit too."""
    cases(folder, GOOD)
    (folder / "test_it.py").write_text("def test_it():\n    assert True\n", encoding="utf-8")
    code, said = run(folder, "--junit-xml", "results.xml")
    assert (code, "2 passed" in said) == (0, True)
    assert 'name="private is private"' in (folder / "results.xml").read_text(encoding="utf-8")


def test_a_run_without_cases_imports_nothing_that_reads_them(folder: Path) -> None:
    """What checks cases is imported when there is one."""
    (folder / "test_it.py").write_text(
        "import sys\n\ndef test_it():\n    found = [name for name in sys.modules if name.startswith('acap.publish')]\n"
        "    assert 'acap.integrations.pytest' in sys.modules\n    assert found == []\n",
        encoding="utf-8",
    )
    code, said = run(folder)
    assert (code, "1 passed" in said) == (0, True), said


def test_the_plugin_is_registered_under_the_name_of_its_module() -> None:
    """So that naming it with `-p`, where it is installed, does not register it twice."""
    points = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["entry-points"]["pytest11"]
    assert points == {"acap.integrations.pytest": "acap.integrations.pytest"}
    assert hasattr(import_module("acap.integrations.pytest"), "pytest_collect_file")


def test_the_example_is_a_test_run(folder: Path) -> None:
    """The publisher's cases pass under pytest as they do under `acap test`."""
    code, said = run(folder, "--rootdir", os.fspath(folder), os.fspath(ROOT / "examples/publisher/policy.acap.toml"))
    assert code == 0, said
