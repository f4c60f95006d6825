"""The examples of the Markdown files: what a page says that something prints, it prints.

A block marked ``console`` holds commands after ``$`` and what they print; ``> `` continues a command. They run in a
folder of their own that holds a copy of ``examples/``, where standard output is no terminal. What may differ from run
to run is written as ``...``. Commands that are to be read only stand in a block marked ``sh``.
"""

from __future__ import annotations

import doctest
import os
import re
import shutil
import subprocess
import sysconfig
import tempfile
from collections.abc import Callable
from pathlib import Path

from tools.links import ROOT

CONSOLE = re.compile(r"(?<=^```console\n).*?(?=^```$)", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"^\$ (?P<typed>.*(?:\n> .*)*)\n(?P<shown>(?:(?!\$ ).*\n)*)", re.MULTILINE)


Run = Callable[[str, Path], str]
"""Runs a command line in a folder, and returns what it prints on both outputs."""


def environment(folder: Path) -> dict[str, str]:
    """The environment of the commands, the same for everybody."""
    return {
        "PATH": f"{sysconfig.get_path('scripts')}{os.pathsep}{os.defpath}",
        "HOME": str(folder / "home"),
        "LC_ALL": "C.UTF-8",
        "NO_COLOR": "1",
        "COLUMNS": "100",
    }


def in_shell(typed: str, folder: Path) -> str:
    """What a command line prints on both outputs."""
    return subprocess.run(
        ["bash", "-c", typed],
        cwd=folder,
        env=environment(folder),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=60,
    ).stdout


def refreshed(text: str, run: Run = in_shell) -> str:
    """The text of a page with what its commands print now."""
    if not CONSOLE.search(text):
        return text
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        shutil.copytree(ROOT / "examples", folder / "examples")
        return CONSOLE.sub(lambda block: COMMAND.sub(lambda command: rerun(command, folder, run), block[0]), text)


def rerun(command: re.Match[str], folder: Path, run: Run) -> str:
    """A command with what it prints: as shown where that still fits, else anew."""
    typed, shown = command["typed"], command["shown"]
    printed = trimmed(run(re.sub(r"^> ", "", typed, flags=re.MULTILINE), folder))
    fits = doctest.OutputChecker().check_output(shown, printed, doctest.ELLIPSIS)
    return f"$ {typed}\n{shown if fits else printed}"


def trimmed(printed: str) -> str:
    """What was printed, without blanks at line ends and empty lines around."""
    return "".join(f"{line.rstrip()}\n" for line in printed.strip("\n").splitlines())
