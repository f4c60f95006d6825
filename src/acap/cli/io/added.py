"""What a command made of a file: a terminal gets what it adds, a pipe or a file the whole."""

from __future__ import annotations

import sys

from acap.cli.io.terminal import Terminal
from acap.explain import visible
from acap.publish.added_lines import added_lines


def show_added(terminal: Terminal, before: bytes, after: bytes, *, full: bool) -> None:
    """A document made of another, whole if `full`, or if there was none."""
    if full or not before or not sys.stdout.isatty():
        terminal.document(after)
        return
    with terminal.writing():
        sys.stdout.writelines(f"{visible(line)}\n" for line in added_lines(before, after))
    terminal.note("a terminal shows what is added; --full shows the whole, and -o FILE writes it")
