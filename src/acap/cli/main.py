"""The start of `acap`: runs a command and turns whatever happens into one line and an exit code.

Nothing is imported here before `main` runs, so that Ctrl-C ends even the start quietly.
"""

from __future__ import annotations

import gc
import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from acap.cli.terminal import Terminal


def main(arguments: Sequence[str] | None = None) -> int:
    """The exit code of the command in `arguments` (default: those of the process)."""
    # A start makes many objects and no garbage.
    gc.set_threshold(20_000, *gc.get_threshold()[1:])
    try:
        code = _run(sys.argv[1:] if arguments is None else arguments)
        sys.stdout.flush()
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        _give_up_output()
        return 141
    return code


def _give_up_output() -> None:
    """Nobody takes what is still buffered, and the interpreter shall not complain about that when it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _run(arguments: Sequence[str]) -> int:
    import click

    from acap.cli.commands import cli
    from acap.cli.exits import Exit
    from acap.cli.failures import Failure, one_line
    from acap.cli.terminal import OutputError, Terminal

    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by the shell, `>&-`
            setattr(sys, name, open(os.devnull, "r" if name == "stdin" else "w", encoding="utf-8"))  # noqa: PTH123, SIM115
    for stream in (sys.stdout, sys.stderr):
        # A terminal or file that cannot take a character shows its escape; it is no reason to stop.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    if instruction := os.environ.get("_ACAP_COMPLETE"):
        from click.shell_completion import shell_complete

        return shell_complete(cli, {}, "acap", "_ACAP_COMPLETE", instruction)
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
        return error.code if isinstance(error, Failure) else Exit.WRONG_CALL
    except OutputError as error:
        terminal.error(f"the output cannot be written: {error}")
        _give_up_output()
        return Exit.WRONG_CALL
    except BrokenPipeError:
        raise
    except Exception as error:  # noqa: BLE001  the last resort: an internal error must not read as `prohibited`
        return _internal(error, terminal)


def _internal(error: Exception, terminal: Terminal) -> int:
    from acap.cli.exits import Exit

    if terminal.debug:
        import traceback

        traceback.print_exception(error)
    what = f"{type(error).__name__}: {error}".strip().rstrip(":")
    repeat = "" if terminal.debug else ", with what the same command prints when ACAP_DEBUG=1 is set"
    terminal.error(f"internal error, our fault ({' '.join(what.split())}); please report this line{repeat}")
    return Exit.INTERNAL


if __name__ == "__main__":
    sys.exit(main())
