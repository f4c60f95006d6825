"""`acap completion` prints a script that a shell can read, and completing knows commands, options and their words."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from acap.cli.io.options import DIALECTS
from tests.command_line import acap, completed


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_script_is_printed_for_each_shell(shell: str) -> None:
    result = acap("completion", shell)
    assert (result.code, result.err) == (0, "")
    assert "_ACAP_COMPLETE" in result.out


def test_bash_can_read_its_script() -> None:
    bash = shutil.which("bash")
    assert bash is not None
    subprocess.run([bash, "-n"], input=acap("completion", "bash").out, text=True, check=True, timeout=60)


def test_commands_are_completed() -> None:
    assert completed("acap exp") == ["explain"]


def test_options_are_completed() -> None:
    assert completed("acap check --ro") == ["--robots"]


def test_usages_are_completed() -> None:
    assert completed("acap check --usage present-s") == ["present-snippet"]


def test_dialects_are_completed() -> None:
    assert completed("acap check --dialect ") == list(DIALECTS)


def test_without_a_shell_one_line_says_which_there_are() -> None:
    """A missing argument is a wrong call like any other."""
    told = acap("completion")
    assert (told.code, told.out, told.err.count("\n")) == (2, "", 1)
    assert "bash, zsh, fish" in told.err
