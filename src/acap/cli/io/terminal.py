"""Where a command speaks: lines on standard output, errors on standard error, and what a terminal adds.

Colour, tables and progress are for terminals only. What is not a terminal gets plain lines that stay the same
from release to release.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import click

from acap.explain import Node, to_rich, to_text, unseen, visible

if TYPE_CHECKING:
    # Rich takes as long to import as half of a short command, and only a terminal needs it.
    from rich.console import Console, ConsoleRenderable


F = TypeVar("F", bound="Callable[..., Any]")

# A table of usages with its statements needs this much; narrower terminals get plain lines.
_TABLE_COLUMNS = 72


class OutputError(Exception):
    """Standard output cannot be written, and for another reason than that its reader has gone."""


class Terminal:
    """The way out of every command; `quiet` and `debug` are set by the options of those names."""

    def __init__(self, *, quiet: bool = False, debug: bool = False) -> None:
        self.quiet = quiet
        self.debug = debug
        self._spins = False

    @property
    def rich(self) -> bool:
        """Whether standard output is a terminal wide enough for tables and trees."""
        return os.environ.get("TERM") != "dumb" and (self.columns or 0) >= _TABLE_COLUMNS

    @property
    def columns(self) -> int | None:
        """How many columns standard output has; none if it is no terminal."""
        if not sys.stdout.isatty():
            return None
        import shutil  # which imports every compressor, and only a terminal needs it

        return shutil.get_terminal_size().columns

    @property
    def colour(self) -> bool:
        """Whether standard output takes colours."""
        return _colour(terminal=sys.stdout.isatty())

    def console(self) -> Console:
        """Rich's console on standard output; with NO_COLOR it sends no styles at all."""
        from rich.console import Console

        colours: Literal["auto"] | None = "auto" if _colour(terminal=True) else None
        return Console(file=sys.stdout, color_system=colours, highlight=False, emoji=False, markup=False)

    def line(self, text: str, *, bold: bool = False) -> None:
        """One line of output, written at once so that a reader of a stream need not wait.

        Control characters are shown, but for the tabs and line ends of what is written line by line.
        """
        if not self.quiet:
            text = unseen(text)
            with self.writing():
                sys.stdout.write((click.style(text, bold=True) if bold and self.colour else text) + "\n")

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Flushes standard output at the end. Raises OutputError if it cannot be written."""
        try:
            yield
            sys.stdout.flush()
        except BrokenPipeError:
            raise
        except OSError as error:
            raise OutputError(error.strerror) from error

    def show(self, thing: ConsoleRenderable) -> None:
        """What rich can draw, on a terminal; control characters of its texts are shown."""
        from rich.segment import Segment, Segments

        with self.writing():
            console = self.console()
            drawn = console.render(thing)
            shown = (one if one.control else Segment(unseen(one.text), one.style) for one in drawn)
            console.print(Segments(shown), end="")

    def tree(self, node: Node) -> None:
        """A tree: drawn on a terminal, indented lines elsewhere."""
        if self.quiet:
            return
        if self.rich:
            self.show(to_rich(node))
        else:
            self.line(to_text(node))

    def patch(self, text: str) -> None:
        """What `patch` takes, as it is; a terminal gets its lines with control characters shown."""
        if self.quiet or not text:
            return
        with self.writing():
            if sys.stdout.isatty():
                text = "".join(f"{visible(line)}\n" for line in text.removesuffix("\n").split("\n"))
            sys.stdout.write(text)

    def text(self, text: str) -> None:
        """The text of a page, as it is; a terminal gets its lines with control characters shown."""
        if self.quiet:
            return
        if sys.stdout.isatty():
            text = "\n".join(visible(line) for line in text.split("\n"))
        with self.writing():
            sys.stdout.write(text + "\n")

    def document(self, octets: bytes) -> None:
        """A document as it is, `--quiet` or not; a terminal gets its lines with control characters shown."""
        with self.writing():
            if sys.stdout.isatty():
                sys.stdout.writelines(f"{visible(line)}\n" for line in octets.decode(errors="replace").splitlines())
            else:
                sys.stdout.flush()
                sys.stdout.buffer.write(octets)

    def error(self, text: str) -> None:
        """One line on standard error, `--quiet` or not."""
        prefix = click.style("acap:", fg="red", bold=True) if _colour(terminal=sys.stderr.isatty()) else "acap:"
        sys.stderr.write(f"{prefix} {visible(text)}\n")
        sys.stderr.flush()

    def note(self, text: str) -> None:
        """One line on standard error that `--quiet` leaves out."""
        if not self.quiet:
            sys.stderr.write(f"acap: {visible(text)}\n")
            sys.stderr.flush()

    @contextmanager
    def progress(self, text: str) -> Iterator[Callable[[str], None]]:
        """A spinner on standard error while something takes its time; only on a terminal, and one at a time.

        Gives what changes its text.
        """
        if self.quiet or self._spins or not sys.stderr.isatty():
            yield lambda _: None
            return
        from rich.console import Console
        from rich.text import Text

        self._spins = True
        try:
            with Console(stderr=True).status(Text(visible(text))) as status:
                yield lambda changed: status.update(Text(visible(changed)))
        finally:
            self._spins = False


def _colour(*, terminal: bool) -> bool:
    return terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def _set_quiet(context: click.Context, _parameter: click.Parameter, value: bool) -> None:
    if value:
        context.ensure_object(Terminal).quiet = True


def _set_debug(context: click.Context, _parameter: click.Parameter, value: bool) -> None:
    if value:
        context.ensure_object(Terminal).debug = True


def terminal_options(command: F) -> F:
    """Adds `--quiet` and `--debug`; the command takes its `Terminal` with `pass_terminal`."""
    command = click.option(
        "--debug",
        is_flag=True,
        expose_value=False,
        callback=_set_debug,
        help="Show the traceback of an internal error.",
    )(command)
    return click.option(
        "-q", "--quiet", is_flag=True, expose_value=False, callback=_set_quiet, help="Print errors only."
    )(command)


pass_terminal = click.make_pass_decorator(Terminal, ensure=True)
