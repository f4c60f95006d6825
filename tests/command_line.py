"""Running `acap` in the tests' own process, and for real in one of its own."""

from __future__ import annotations

import contextlib
import io
import itertools
import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

from jsonschema import Draft202012Validator

from acap.cli.main import main
from acap.schema import DECISION_SCHEMA
from tools import examples

ROOT = Path(__file__).resolve().parent.parent
NO_RULES = Path(__file__).resolve().parent / "no_rules.txt"
"""A robots.txt that says nothing."""


@dataclass(frozen=True)
class Result:
    """What a command printed, and what it ended with."""

    code: int
    out: str
    err: str

    @property
    def lines(self) -> list[str]:
        return self.out.splitlines()

    @property
    def rows(self) -> list[list[str]]:
        """The lines, divided at their tabs."""
        return [line.split("\t") for line in self.lines]

    def ended(self, code: int) -> str:
        """Both outputs of a command that has to end with this code."""
        assert self.code == code, self.err
        return self.out + self.err

    @property
    def error(self) -> str:
        """The one line on standard error."""
        (line,) = self.err.splitlines()
        return line

    @property
    def wrong_call(self) -> str:
        """The one line of a call that is wrong, which does nothing else."""
        assert (self.code, self.out) == (2, "")
        assert self.error.startswith("acap: ")
        return self.error

    def objects(self, *schema: dict[str, Any]) -> list[dict[str, Any]]:
        """The JSON of each line, held to its schema if there is one, and the decision within it to its own."""
        found = [json.loads(line) for line in self.lines]
        for form, each in itertools.product(schema, found):
            Draft202012Validator(form).validate(each)
            if "decision" in each:
                Draft202012Validator(DECISION_SCHEMA).validate(each["decision"])
        return found


def acap(*arguments: str | Path, given: bytes = b"") -> Result:
    """Runs the command in this process, `given` on standard input; neither output is a terminal."""
    out, err = _Output(), _Output()
    code = _run(arguments, given, out, err)
    return Result(code, out.text, err.text)


class _Output(io.TextIOWrapper):
    """Keeps what is written, as octets and so without translation."""

    def __init__(self) -> None:
        self._octets = io.BytesIO()
        super().__init__(self._octets, "utf-8")

    @property
    def text(self) -> str:
        self.flush()
        return self._octets.getvalue().decode()


class _Screen(_Output):
    """An output that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def on_terminal(*arguments: str | Path, columns: int = 100, **more: str) -> str:
    """What the command shows on a terminal, both outputs, in this process: `tools.capture` runs it on a real one."""
    screen = _Screen()
    settings = {"TERM": "xterm-256color", "COLORTERM": "truecolor", "COLUMNS": str(columns), "LINES": "60"}
    with patch.dict(os.environ, environment(**settings, **more), clear=True):
        _run(arguments, b"", screen, screen)
    return screen.text


def _run(arguments: Sequence[str | Path], given: bytes, out: _Output, err: _Output) -> int:
    with (
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        patch.object(sys, "stdin", io.TextIOWrapper(io.BytesIO(given), "utf-8")),
    ):
        return main([str(argument) for argument in arguments])


def printed(typed: str, folder: Path) -> str:
    """What an example of the documentation prints: `acap` alone is called in this process, all else by a shell."""
    if re.fullmatch(r"acap [^|&;<>$`*?~\n]+", typed) is None:
        return examples.in_shell(typed, folder)
    output = _Output()
    with contextlib.chdir(folder), patch.dict(os.environ, examples.environment(folder), clear=True):
        _run(shlex.split(typed)[1:], b"", output, output)
    return output.text


def completed(line: str) -> list[str]:
    """What bash would be offered at the end of the line."""
    words = line.split(" ")
    asked = {"_ACAP_COMPLETE": "bash_complete", "COMP_WORDS": line, "COMP_CWORD": str(len(words) - 1)}
    with patch.dict(os.environ, asked):
        result = acap()
    assert result.err == ""
    return [item.partition(",")[2] for item in result.lines]


def process(*arguments: str | Path, **options: object) -> subprocess.Popen[bytes]:
    """Starts the command in a process of its own, with pipes for what is not given."""
    wanted = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "env": environment()}
    command = [sys.executable, "-m", "acap.cli.main", *map(str, arguments)]
    return subprocess.Popen(command, **(wanted | options))  # type: ignore[call-overload,no-any-return]  # options of several types


def environment(**more: str) -> dict[str, str]:
    """The environment without what would change how a command speaks."""
    told = ("NO_COLOR", "FORCE_COLOR", "ACAP_DEBUG", "COLUMNS")
    return {name: value for name, value in os.environ.items() if name not in told} | more
