"""The generated parts of the documentation.

``python -m tools.docs`` builds the reference, ``BUILT``, in ``build/reference``: nobody edits or merges it, so the
repository does not keep it. It writes ``KEPT`` where people read it on a forge: the tables that pages need, and the
pictures of the README. In every other Markdown file it writes what the commands of its console examples print.
Then it checks every relative link.
With ``--check`` no kept page is written: one that differs from what would be written is a finding.
Exit 0 without findings, otherwise 1.
"""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import click

from tools import api, catalogues, mapping, modules, promises, rules
from tools.capture import PICTURES, picture, terminal_output
from tools.examples import refreshed
from tools.links import ROOT, broken_links, markdown_files

HELP_WIDTH = 100  # columns: fits a page of GitHub without a scroll bar


def commands_page() -> str:
    """The page on the command line: the help text of every command, as the command itself prints it."""
    from acap.cli.commands import cli

    parts = ["# Commands", "Each text is what the command prints with `--help`."]
    for name, text in command_helps(cli, "acap"):
        parts += [f"## {name}", f"```text\n{text}\n```"]
    return "\n\n".join(parts) + "\n"


def command_helps(command: click.Command, name: str, parent: click.Context | None = None) -> Iterator[tuple[str, str]]:
    """The full name and the help text of a command and of all below it not hidden, in the order of its list."""
    settings = {**command.context_settings, "terminal_width": HELP_WIDTH}
    context = click.Context(command, info_name=name.rpartition(" ")[2], parent=parent, **settings)
    with context:
        text = click.unstyle(command.get_help(context))
        yield name, "\n".join(line.rstrip() for line in text.splitlines())
        if isinstance(command, click.Group):
            for word in command.list_commands(context):
                below = command.get_command(context, word)
                if below is not None and not below.hidden:
                    yield from command_helps(below, f"{name} {word}", context)


def terminal_picture(name: str) -> str:
    """The picture of a command line and of what it shows on a terminal."""
    typed = PICTURES[name]
    return picture(typed, terminal_output(shlex.split(typed)), name)


BUILT: dict[str, Callable[[], str]] = {
    "build/reference/api.md": api.page,
    "build/reference/commands.md": commands_page,
    "build/reference/modules.md": modules.page,
    "build/reference/problems.md": catalogues.problems,
    "build/reference/promises.md": promises.page,
    "build/reference/rules.md": rules.page,
}

KEPT: dict[str, Callable[[], str]] = {
    "docs/dialects/mapping.md": mapping.page,
    "docs/reference/restrictions.md": catalogues.restrictions,
    **{f"docs/images/{name}.svg": partial(terminal_picture, name) for name in PICTURES},
}


def build() -> list[Path]:
    """Write the reference anew, and return its pages."""
    pages = {ROOT / name: page() for name, page in BUILT.items()}
    for path, text in pages.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
    return list(pages)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.docs", description="Write the generated parts of the docs.")
    parser.add_argument("--check", action="store_true", help="write no kept page; one out of date is a finding")
    check = parser.parse_args(arguments).check
    wanted = {ROOT / name: page() for name, page in KEPT.items()}
    wanted |= {page: refreshed(page.read_text(encoding="utf-8")) for page in markdown_files() if page not in wanted}
    findings = []
    for path, text in wanted.items():
        if path.is_file() and path.read_text(encoding="utf-8") == text:
            continue
        name = path.relative_to(ROOT).as_posix()
        if check:
            findings.append(f"{name}: out of date; `make docs` writes it")
        else:
            path.write_text(text, encoding="utf-8", newline="\n")
            print(f"wrote {name}")
    findings += broken_links([*markdown_files(), *build()])
    print("\n".join(findings) or "build/reference is written; every page is current and every link leads somewhere")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
