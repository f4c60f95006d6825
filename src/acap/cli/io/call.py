"""A call of the program: runs a command and turns whatever happens into one line and an exit code."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Sequence

import click

from acap.cli.commands import cli
from acap.cli.io.exits import Exit
from acap.cli.io.failures import CallError, one_line
from acap.cli.io.terminal import OutputError, Terminal

_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


def run(arguments: Sequence[str]) -> int:
    """The exit code of the command in `arguments`. Raises KeyboardInterrupt."""
    try:
        code = _run(arguments)
        sys.stdout.flush()
    except BrokenPipeError:
        _give_up_output()
        return 141
    return code


def _give_up_output() -> None:
    """Nobody takes what is still buffered, and the interpreter shall not complain about that when it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _run(arguments: Sequence[str]) -> int:
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by the shell, `>&-`
            setattr(sys, name, open(os.devnull, "r" if name == "stdin" else "w", encoding="utf-8"))  # noqa: PTH123, SIM115  a stream that stays open
    for stream in (sys.stdout, sys.stderr):
        # A terminal or file that cannot take a character shows its escape; it is no reason to stop.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    if os.environ.get("_ACAP_COMPLETE"):
        return _complete()
    terminal = Terminal(debug=bool(os.environ.get("ACAP_DEBUG")))
    try:
        with cli.make_context("acap", list(arguments), obj=terminal) as context:
            return int(cli.invoke(context) or Exit.PERMITTED)
    except click.exceptions.Exit as done:
        return done.exit_code
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        return Exit.WRONG_CALL
    except click.Abort:
        return Exit.INTERRUPTED
    except click.ClickException as error:
        terminal.error(one_line(error))
        return error.code if isinstance(error, CallError) else Exit.WRONG_CALL
    except OutputError as error:
        return _unwritten(str(error), terminal)
    except BrokenPipeError:
        raise
    except Exception as error:  # noqa: BLE001  the last resort: an internal error must not read as `prohibited`
        # click writes the texts of help and version, and raises what the file raises.
        if isinstance(error, OSError) and error.errno in _FULL:
            return _unwritten(os.strerror(error.errno), terminal)
        return _internal(error, terminal)


def _complete() -> int:
    """The exit code of completing: click does it where it is given the name of the variable, and then exits."""
    try:
        cli.main([], "acap", "_ACAP_COMPLETE")
    except SystemExit as done:
        return int(done.code or 0)


def _unwritten(why: str, terminal: Terminal) -> int:
    terminal.error(f"the output cannot be written: {why}")
    _give_up_output()
    return Exit.WRONG_CALL


def _internal(error: Exception, terminal: Terminal) -> int:
    if terminal.debug:
        sys.excepthook(type(error), error, error.__traceback__)
    what = f"{type(error).__name__}: {error}".strip().rstrip(":")
    repeat = "" if terminal.debug else ", with the output of the same command when ACAP_DEBUG=1 is set"
    terminal.error(f"internal error in acap ({' '.join(what.split())}); please report this line{repeat}")
    return Exit.INTERNAL
