"""Running `acap` in the tests' own process, and for real in one of its own."""

from __future__ import annotations

import contextlib
import io
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

from acap.cli.main import main

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


def acap(*arguments: str | Path, given: bytes = b"") -> Result:
    """Runs the command in this process, `given` on standard input; neither output is a terminal."""
    out, err = io.BytesIO(), io.BytesIO()
    with (
        contextlib.redirect_stdout(io.TextIOWrapper(out, "utf-8")),
        contextlib.redirect_stderr(io.TextIOWrapper(err, "utf-8")),
        patch.object(sys, "stdin", io.TextIOWrapper(io.BytesIO(given), "utf-8")),
    ):
        code = main([str(argument) for argument in arguments])
        sys.stdout.flush()
        sys.stderr.flush()
        return Result(code, out.getvalue().decode(), err.getvalue().decode())


def process(*arguments: str | Path, **options: object) -> subprocess.Popen[bytes]:
    """Starts the command in a process of its own, with pipes for what is not given."""
    wanted = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "env": environment()}
    command = [sys.executable, "-m", "acap.cli.main", *map(str, arguments)]
    return subprocess.Popen(command, **(wanted | options))  # type: ignore[call-overload,no-any-return]


def environment(**more: str) -> dict[str, str]:
    """The environment without what would change how a command speaks."""
    told = ("NO_COLOR", "FORCE_COLOR", "ACAP_DEBUG", "COLUMNS")
    return {name: value for name, value in os.environ.items() if name not in told} | more
