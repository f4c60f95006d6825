"""What POSIX alone has is needed by the harvest alone, and that says so in one line where it is missing."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from acap.cli.commands import COMMANDS
from acap.harvest import system
from acap.harvest.store import StoreError, open_store
from acap.integrations.testing import FakeSite
from tests.command_line import environment
from tests.test_project import PROJECT, ROOT, text

FILE = "User-agent: *\nDisallow: /private\n"


def elsewhere(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """`acap` in a process that lacks what only POSIX has."""
    return subprocess.run(
        [sys.executable, "-m", "tests.elsewhere", *arguments],
        env=environment(PYTHONPATH=os.pathsep.join([str(ROOT / "src"), str(ROOT)])),
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def test_no_module_but_those_of_the_harvest_imports_what_only_posix_has(tmp_path: Path) -> None:
    """The core, the command line, retrieval, audits, and everything for publishers."""
    done = elsewhere("imports", folder=tmp_path)
    assert (done.stdout, done.stderr, done.returncode) == ("", "", 0)


def test_commands_work_without_it(tmp_path: Path) -> None:
    """A policy is asked, linted and fixed, and one is retrieved and kept."""
    robots = tmp_path / "robots.txt"
    robots.write_text(FILE + "Disalow: /typo\n", encoding="utf-8")
    done = elsewhere("check", "--robots", "robots.txt", "--crawler", "bot", "/private/a", folder=tmp_path)
    assert (done.returncode, done.stdout.partition("\t")[0], done.stderr) == (1, "prohibited", "")
    done = elsewhere("lint", "--fix", "robots.txt", folder=tmp_path)
    assert done.returncode == 0
    assert "Disallow: /typo" in robots.read_text(encoding="utf-8")
    with FakeSite(FILE) as site:
        done = elsewhere("fetch", site.url(), folder=tmp_path)
    assert (done.stdout, done.stderr, done.returncode) == (FILE, "", 0)


@pytest.mark.parametrize("command", [name for name, entry in COMMANDS.items() if entry.extra == "crawl"])
def test_a_command_of_the_harvest_says_why_it_does_not_work(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """At the door, whatever else is given."""
    from tests.command_line import acap

    monkeypatch.setattr(system, "NAME", "nt")
    done = acap(command)
    assert (done.code, done.out) == (2, "")
    assert done.err == (
        f"acap: `acap {command}` works on a store, and a store needs Linux or macOS: "
        "this system cannot make what is written to a directory last\n"
    )


def test_no_store_is_opened_where_none_can_be_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In Python, too."""
    monkeypatch.setattr(system, "NAME", "nt")
    with pytest.raises(StoreError, match="needs Linux or macOS"):
        open_store(tmp_path / "a.store")


def test_the_classifiers_say_what_ci_tries() -> None:
    """Each system and each Python of them is in the matrix, and nothing else is claimed."""
    from importlib import import_module

    jobs = import_module("yaml").safe_load(text(".github/workflows/ci.yml"))["jobs"]
    matrix = jobs["platform"]["strategy"]["matrix"]
    pythons = {version for version in matrix["python"] if not version.endswith("t")}
    claimed = {one.rpartition(" :: ")[2] for one in PROJECT["classifiers"] if "Python :: 3." in one}
    assert claimed == pythons
    systems = {one.partition(" :: ")[2] for one in PROJECT["classifiers"] if one.startswith("Operating System")}
    names = {"ubuntu": "POSIX :: Linux", "macos": "MacOS", "windows": "Microsoft :: Windows"}
    assert systems == {names[runner.partition("-")[0]] for runner in matrix["system"]}
