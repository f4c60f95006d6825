"""`acap audit`: what the sites of a crawl say, counted; one of its parts is the default.

A part is a file `acap.cli.audit_NAME` with a function of that name, imported when it is called. What is not the name of
a part begins the arguments of the default one: `acap audit crawl.warc.gz` is `acap audit pages crawl.warc.gz`. The part
`robots` is `acap survey` by another name.
"""

from __future__ import annotations

import re
from copy import copy
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem

from acap.cli.commands import CommandEntry, imported
from acap.cli.io.failures import CallError, suggestion

DEFAULT = "pages"

PARTS: dict[str, CommandEntry] = {
    "pages": CommandEntry("Which of a crawl may be used for what, as of when, and by which statement.", extra="audit"),
    "robots": CommandEntry("Who is refused how much by the robots.txt files of a crawl: `acap survey`.", extra="audit"),
}

MODULES = {"pages": "audit_pages", "robots": "survey"}
"""The file of each part in `acap.cli`."""

ALIASES = {"robots": ("survey", "audit robots")}
"""Of a part that is a command of its own, too: its name as that, and as a part."""


class Parts(click.Group):
    """A group of which one command is meant where none is named."""

    def list_commands(self, _ctx: click.Context) -> list[str]:
        """The names of all parts, the default one first."""
        return list(PARTS)

    def get_command(self, _ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The part of that name, or None; `CallError` if what it needs is not installed."""
        entry = PARTS.get(cmd_name)
        if entry is None:
            return None
        found = imported(MODULES[cmd_name], entry, f"audit {cmd_name}")
        return found if found is None or cmd_name not in ALIASES else _called(found, *ALIASES[cmd_name])

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """The arguments of a part, with its name before them."""
        if args and args[0] not in (*PARTS, *ctx.help_option_names) and DEFAULT in PARTS:
            args = [DEFAULT, *args]
        return super().parse_args(ctx, args)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The part that the arguments begin with; `CallError` if there is none."""
        if args and args[0] not in PARTS:
            raise CallError(f"no part `{args[0]}` of `acap audit`{suggestion(args[0], PARTS)}")
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Calls a part; if it wants an input, and a file has the name of the part, it says how to name that."""
        try:
            return super().invoke(ctx)
        except click.MissingParameter as error:
            part = ctx.invoked_subcommand
            if part is None or not isinstance(error.param, click.Argument) or not Path(part).exists():
                raise
            raise CallError(
                f"`acap audit {part}` is a part of the command, and misses its input; "
                f"if you mean the file or folder `{part}`, write ./{part}"
            ) from error

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """The names of parts, and what may stand first in the default one: its options, or a file."""
        items = super().shell_complete(ctx, incomplete)
        default = self.get_command(ctx, DEFAULT)
        if default is None:
            return items
        if not incomplete.startswith("-"):
            return [*items, CompletionItem(incomplete, type="file")]
        known = {one.value for one in items}
        return items + [one for one in default.shell_complete(ctx, incomplete) if one.value not in known]

    def get_help(self, ctx: click.Context) -> str:
        """The help of the default part, as it is what an audit with arguments is, with the other parts below it."""
        try:
            default = self.get_command(ctx, DEFAULT)
        except CallError:
            default = None  # what it needs is not installed
        if default is None:
            return super().get_help(ctx)
        formatter = ctx.make_formatter()
        self.format_commands(ctx, formatter)
        with click.Context(default, ctx.parent, ctx.info_name) as own:
            return f"{default.get_help(own)}\n\n{formatter.getvalue().strip()}"

    def format_commands(self, _ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list for `--help`, without importing a part."""
        with formatter.section("Parts"):
            formatter.write_dl([(name, entry.summary) for name, entry in PARTS.items()])


def _called(command: click.Command, own: str, other: str) -> click.Command:
    """A command whose help calls it by its other name, and names its own as the other one."""
    called = copy(command)
    names = {f"acap {own}": f"acap {other}", f"acap {other}": f"acap {own}"}
    called.help = re.sub("|".join(map(re.escape, names)), lambda found: names[found[0]], command.help or "")
    return called


@click.group(cls=Parts)
def audit(**_options: Any) -> None:
    """What the sites of a crawl say, counted.

    \b
    acap audit crawl.warc.gz --crawler ExampleBot -o audit.parquet
    """
