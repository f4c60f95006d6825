"""The list of commands. Each is a file, imported when it is called; the list alone serves `acap --help`."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from keyword import iskeyword
from typing import Any, NamedTuple

import click

import acap
from acap._native import SEMANTICS
from acap.cli.io.failures import CallError, missing_extra, suggestion
from acap.cli.io.terminal import terminal_options


class CommandEntry(NamedTuple):
    """A command: what `acap --help` says of it, and the extra that it needs, if any."""

    summary: str
    extra: str | None = None


# The function of a command bears the name of its file, `acap.cli.NAME`, or `acap.cli.NAME_` for a word of Python.
COMMANDS: dict[str, CommandEntry] = {
    # Reading a policy
    "show": CommandEntry("What a robots.txt or a page says, in plain words, with its problems."),
    "check": CommandEntry("May this crawler use these URLs, and in which ways?"),
    "site": CommandEntry("Everything a site says, and where: robots.txt, tdmrep.json, ai.txt, licences, a page."),
    "explain": CommandEntry("Why? The statements that decide, and those that lost."),
    "extract": CommandEntry("What of a page may be used: text, HTML, links, a snippet.", extra="pages"),
    "fetch": CommandEntry("Retrieve a site's robots.txt and print it."),
    "crawlers": CommandEntry("What is known of a crawler: operator, purposes, names, how it is recognised."),
    # Writing one
    "lint": CommandEntry("What in a policy does not do what its author meant, and how to fix it."),
    "rule": CommandEntry("What a rule of lint finds, why, and how to fix it."),
    "format": CommandEntry("One layout for robots.txt files; no decision changes."),
    "convert": CommandEntry("A policy in another form, with the same answers: ACAP, robots.txt, META tags, headers."),
    "compare": CommandEntry("Which decisions change from one policy to another?"),
    "compose": CommandEntry("Compose a policy: robots.txt, META tags, headers; from plain answers or a table."),
    "verify": CommandEntry("Does a site serve what you mean? What is live beside a file, or a folder."),
    "test": CommandEntry("Does a policy decide as its publisher expects? Cases, checked as unit tests are."),
    "serve": CommandEntry("Work on a policy in a browser; search a store.", extra="pages,web"),
    "lsp": CommandEntry("The language server: findings, fixes, hovers and completion in an editor.", extra="lsp"),
    # Crawling as policies permit
    "crawl": CommandEntry("Crawl into a store, as policies permit.", extra="crawl"),
    "import": CommandEntry("Import WARC files into a store, as policies permit.", extra="crawl"),
    "status": CommandEntry("What a store holds, and how its last crawl ended.", extra="crawl"),
    "sweep": CommandEntry("Delete from a store what may not be held any longer.", extra="crawl"),
    "remove": CommandEntry("Delete URLs from a store at once, and do not crawl them again.", extra="crawl"),
    "ledger": CommandEntry(
        "What was done with which URL, when and why; proof that the ledger is complete.", extra="crawl"
    ),
    "audit": CommandEntry("Which of a crawl may be used for what, as of when, and why.", extra="audit"),
    "survey": CommandEntry("Who is refused how much by the robots.txt files of a crawl.", extra="audit"),
    # The program itself
    "completion": CommandEntry("Print the script that completes commands in a shell."),
}


class Commands(click.Group):
    """A group that imports a command when it is asked for."""

    def list_commands(self, _ctx: click.Context) -> list[str]:
        """All names, in the order of the list."""
        return list(COMMANDS)

    def get_command(self, _ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name, or None; `CallError` if what it needs is not installed."""
        entry = COMMANDS.get(cmd_name)
        name = f"{cmd_name}_" if iskeyword(cmd_name) else cmd_name
        return None if entry is None else imported(name, entry, cmd_name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that the arguments begin with; `CallError` with the nearest name if there is none."""
        if args and not args[0].startswith("-") and args[0] not in COMMANDS:
            raise CallError(f"no command `{args[0]}`{suggestion(args[0], COMMANDS)}")
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Calls the command; an option without its value is told with the command that it is of."""
        try:
            return super().invoke(ctx)
        except click.BadOptionUsage as error:
            if error.ctx is None and ctx.invoked_subcommand is not None:
                command = self.get_command(ctx, ctx.invoked_subcommand)
                error.ctx = None if command is None else click.Context(command, ctx, ctx.invoked_subcommand)
            raise

    def format_commands(self, _ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list for `--help`, without importing a command."""
        with formatter.section("Commands"):
            formatter.write_dl(list(_summaries()))


def imported(name: str, entry: CommandEntry, call: str) -> click.Command | None:
    """The command `acap.cli.NAME.NAME`; `CallError` if `acap CALL` lacks what it needs."""
    if entry.extra == "crawl":
        from acap.harvest.system import why_no_store  # of a room that other commands do without

        if (why := why_no_store()) is not None:
            raise CallError(f"`acap {call}` works on a store, and {why}")
    try:
        module = import_module(f"acap.cli.{name}")
    except ModuleNotFoundError as error:
        if entry.extra is None or (error.name or "").split(".")[0] == "acap":
            raise
        raise missing_extra(entry.extra, call) from error
    except ImportError as error:
        from acap.integrations.hosts import HostVersionError  # 26 ms, for an error alone

        if not isinstance(error, HostVersionError):
            raise
        raise CallError(str(error)) from error
    command = getattr(module, name)
    return command if isinstance(command, click.Command) else None


def _summaries() -> Iterator[tuple[str, str]]:
    for name, entry in COMMANDS.items():
        needs = f" (needs acap[{entry.extra}])" if entry.extra else ""
        yield name, entry.summary + needs


def _version(context: click.Context, _parameter: click.Parameter, value: bool) -> None:
    if not value or context.resilient_parsing:
        return
    click.echo(f"acap {acap.__version__} (semantics {SEMANTICS})")
    context.exit()


def _log(context: click.Context, _parameter: click.Parameter, value: str | None) -> None:
    if value is None or context.resilient_parsing:
        return
    from acap.logs import listen  # few calls want it

    listen(value)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version", is_flag=True, expose_value=False, is_eager=True, callback=_version, help="Print the version and exit."
)
@click.option(
    "--log",
    type=click.Choice(["text", "json"]),
    expose_value=False,
    callback=_log,
    help="Log to standard error what is retrieved, refused, unreachable; before the command: acap --log json crawl ...",
)
@terminal_options
def cli(**_options: Any) -> None:
    """Read robots.txt in every dialect, ACAP included, and decide what a crawler may do, and why.

    \b
    Ends with  0 if all is permitted, or as it should be,
               1 if something is prohibited, or there are errors, warnings, changes or failures,
               2 on a wrong call,         3 if something is undetermined (unreachable, conditional),
               70 on an internal error,   130 when interrupted.
    """
