"""`acap lint`: what in a robots.txt, a page or headers does not do what its author meant.

It is one module, for a command is one file, and its options are a third of it.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, TypeVar, get_args

import click

from acap.cli.io.command import Command
from acap.cli.io.exits import Exit, Tally
from acap.cli.io.failures import CallError, missing_extra
from acap.cli.io.files import complete_file, is_url, read_file, write_file
from acap.cli.io.linting import (
    Given,
    LintOutcome,
    LintTask,
    LintWork,
    Mode,
    Unreachable,
    given,
    outcomes,
    root_of,
    watched,
)
from acap.cli.io.network import Network
from acap.cli.io.options import Access, access_options
from acap.cli.io.terminal import Terminal, pass_terminal, terminal_options
from acap.cli.io.urls import STDIN
from acap.plurals import plural
from acap.problems import DocumentKind
from acap.publish.lint import baseline, config
from acap.publish.lint.baseline import Known
from acap.publish.lint.catalogue import UnknownRule, chosen, rules
from acap.publish.lint.formats import FORMATS, Style, format_named

KINDS = get_args(DocumentKind)


T = TypeVar("T")


def _words(_context: click.Context, _parameter: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(word for value in values for piece in value.split(",") if (word := piece.strip()))


def _complete_code(_context: click.Context, _parameter: click.Parameter, begun: str) -> list[str]:
    return [code for code in rules() if code.startswith(begun)]


class Options(NamedTuple):
    """What was asked for on the command line."""

    select: tuple[str, ...]
    ignore: tuple[str, ...]
    fix: bool
    diff: bool
    unsafe_fixes: bool
    output_format: str
    rules_url: str | None
    baseline: Path | None
    write_baseline: bool
    prepended: str | None
    kind: Any
    config: Path | None
    no_config: bool
    statistics: bool
    stdin_name: str | None
    strict: bool
    exit_zero: bool


_GROUPS = {
    "What is linted": ("kind", "prepended", "stdin_name", "watch"),
    "Rules": ("select", "ignore", "config", "no_config", "baseline", "write_baseline"),
    "Fixes": ("fix", "unsafe_fixes", "diff"),
    "Reports": ("output_format", "as_json", "rules_url", "statistics", "strict", "exit_zero"),
}


@click.command(cls=Command, groups=_GROUPS)
@click.argument("names", nargs=-1, metavar="[FILE|DIRECTORY|URL|-]...", shell_complete=complete_file)
@click.option("--select", multiple=True, metavar="CODES", callback=_words, shell_complete=_complete_code,
              help="The rules to run: codes, beginnings such as acap-, or ALL; separated by commas.")  # fmt: skip
@click.option("--ignore", multiple=True, metavar="CODES", callback=_words, shell_complete=_complete_code,
              help="The rules not to run.")  # fmt: skip
@click.option("--fix", is_flag=True, help="Fix what can be fixed without permitting more.")
@click.option("--diff", is_flag=True, help="Show what --fix would change; write nothing.")
@click.option(
    "--unsafe-fixes", is_flag=True, help="With --fix or --diff: also fixes that may change what is permitted."
)
@click.option("--output-format", type=click.Choice(list(FORMATS)), default="text", show_default=True, metavar="F",
              help=f"The form of the output: {', '.join(FORMATS)}.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="The same as --output-format json.")
@click.option("--rules-url", metavar="URL",
              help="Where the page of rules stands, for SARIF: the help of a rule is at URL#CODE.")  # fmt: skip
@click.option("--watch", is_flag=True, help="Lint again whenever a file changes (needs acap[watch]).")
@click.option(
    "--baseline", type=click.Path(path_type=Path), metavar="FILE", help="Leave out findings that are in FILE."
)
@click.option("--write-baseline", is_flag=True, help="Write all findings to the baseline.")
@click.option("--prepended", metavar="BLOCK", shell_complete=complete_file,
              help="A file with the block that a CDN puts before each robots.txt: what does it undo?")  # fmt: skip
@click.option("--kind", type=click.Choice(KINDS), help="What the documents are.  [default: by name and content]")
@click.option("--config", type=click.Path(path_type=Path), metavar="FILE",
              help="The configuration.  [default: the nearest acap.toml or pyproject.toml]")  # fmt: skip
@click.option("--no-config", is_flag=True, help="Read no configuration.")
@click.option("--statistics", is_flag=True, help="Only count findings by rule.")
@click.option("--stdin-name", metavar="NAME", help="The name of standard input in reports.")
@click.option("--strict", is_flag=True, help="Findings of severity info count for the exit code too.")
@click.option("--exit-zero", is_flag=True, help="Exit with 0 whatever is found.")
@access_options
@terminal_options
@pass_terminal
def lint(
    terminal: Terminal, /, names: tuple[str, ...], watch: bool, access: Access, as_json: bool, **options: Any
) -> Exit:
    """What in a robots.txt, a page, headers or a document of another dialect does not do what its author meant?

    Searches directories for robots.txt, *.robots.txt, *.html, *.headers, tdmrep.json, ai.txt, and licence documents of
    RSL; without arguments, the current directory. A named file may be a policy of TDMRep or an assertion of CAWG too.
    For a URL it retrieves the site's robots.txt; a URL that ends with /.well-known/tdmrep.json or /ai.txt is that
    document. `acap rule CODE` explains a rule.

    Ends with 1 if there are errors or warnings, with 2 on a wrong call or a file that cannot be read,
    with 3 if a site's robots.txt cannot be retrieved, or an input is empty because its writer failed.

    \b
    # one file
    acap lint robots.txt
    # fix what can be fixed in a directory
    acap lint --fix public/
    # show all fixes, and write nothing
    acap lint --diff --unsafe-fixes robots.txt
    # a report for code scanning
    acap lint --output-format sarif . > acap.sarif
    # findings for programs, one JSON object per line
    acap lint --json robots.txt
    # the headers of a response
    curl -sI https://example.com/ | acap lint --kind headers -
    """
    asked = Options(**options)
    if as_json:
        if asked.output_format not in ("text", "json"):
            raise CallError(f"`--json` and `--output-format {asked.output_format}` exclude each other; remove one")
        asked = asked._replace(output_format="json")
    _check(asked, names, watch=watch)
    if watch:
        return watched(terminal, names, lambda: _Run(asked, terminal, access).over(names))
    return _Run(asked, terminal, access).over(names)


def _check(asked: Options, names: tuple[str, ...], *, watch: bool) -> None:
    """Options that do not go together. Raises `CallError`."""
    if asked.config is not None and asked.no_config:
        raise CallError("`--config` and `--no-config` exclude each other; remove one")
    if asked.fix and asked.diff:
        raise CallError("`--fix` and `--diff` exclude each other; --diff writes nothing")
    if asked.unsafe_fixes and not (asked.fix or asked.diff):
        raise CallError("`--unsafe-fixes` goes with --fix or --diff; add one")
    if asked.write_baseline and (asked.fix or asked.diff):
        raise CallError("`--write-baseline` does not go with --fix or --diff; fix first, then write it")
    if watch and (STDIN in names or any(map(is_url, names))):
        raise CallError("`--watch` is for files and directories; remove standard input and URLs")
    if asked.fix and any(map(is_url, names)):
        raise CallError(
            "`--fix` cannot write to a site; use --diff, or fetch the file first: acap fetch -o robots.txt URL"
        )
    if asked.rules_url is not None and (not is_url(asked.rules_url) or "#" in asked.rules_url):
        raise CallError(f"`{asked.rules_url}` is not the URL of a page; write https://… without `#`")
    if asked.stdin_name is not None and STDIN not in names:
        raise CallError("`--stdin-name` names standard input; give `-` as the file")


@dataclass(slots=True)
class _Total:
    """What came of all documents."""

    documents: int = 0
    found_in: int = 0
    causes: int = 0
    codes: Counter[str] = field(default_factory=Counter)
    severities: Counter[str] = field(default_factory=Counter)
    fixable: Counter[bool] = field(default_factory=Counter)
    mended: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    changed: int = 0
    stale: int = 0
    failures: Counter[Exit] = field(default_factory=Counter)
    counted: dict[str, Known] = field(default_factory=dict)

    def add(self, outcome: LintOutcome) -> None:
        if outcome.failure is not None:
            self.failures[outcome.code] += 1
            return
        self.documents += 1
        self.found_in += bool(outcome.codes)
        self.causes += outcome.causes
        self.changed += bool(outcome.mended)
        self.stale += outcome.stale.total()
        for mine, more in (
            (self.codes, outcome.codes), (self.severities, outcome.severities), (self.mended, outcome.mended),
            (self.refused, outcome.refused),
        ):  # fmt: skip
            mine.update(more)
        self.fixable.update(outcome.fixable)


class _Run:
    """One run over all documents."""

    def __init__(self, asked: Options, terminal: Terminal, access: Access) -> None:
        self._asked = asked
        self._terminal = terminal
        self._access = access
        self._total = _Total()
        self._baselines: dict[Path, dict[str, Known]] = {}
        self._written: Path | None = None

    def over(self, names: tuple[str, ...]) -> Exit:
        """Lints what the arguments name. Raises `CallError`."""
        asked, terminal = self._asked, self._terminal
        mode: Mode = "fix" if asked.fix else "diff" if asked.diff else "report"
        try:
            with Network(self._access, terminal) as network:
                documents = list(given(names, asked.stdin_name, network, terminal))
            files = [document.file for document in documents if document.file and not document.unread]
            # By their names: of thousands of directories a path is slow to compare.
            sites = {str(file.parent): file for file in files if file.name == "robots.txt"}
            speaking: dict[str, list[Path]] = {}
            for file in files:
                if (root := root_of(file)) is not None:
                    speaking.setdefault(str(root), []).append(file)
            tasks = [
                self._task(document)._replace(
                    site=_nearest(document, sites), beside=tuple(_nearest(document, speaking) or ())
                )
                for document in documents
            ]
        except Unreachable:
            return Exit.UNDETERMINED
        except (UnknownRule, config.ConfigError, baseline.BaselineError) as error:
            raise CallError(str(error)) from error
        block = None if asked.prepended is None else read_file(asked.prepended, what="block of a robots.txt")
        work = LintWork(
            mode, asked.output_format, self._style(), asked.kind, asked.write_baseline, block, self._has_verdict(tasks)
        )
        mended_input = asked.fix and STDIN in names
        shown = self._parts(tasks, work)
        if asked.diff:
            for part in shown:
                terminal.patch(part)
        elif asked.statistics or asked.write_baseline:
            for _ in shown:
                pass
        else:
            for piece in format_named(asked.output_format).whole(shown, work.style):
                self._print(piece, aside=mended_input)
        return self._end()

    def _has_verdict(self, tasks: list[LintTask]) -> bool:
        """Whether people read of one document, of which a verdict is due; of many each would have its own."""
        asked = self._asked
        return (
            len(tasks) == 1
            and asked.output_format == "text"
            and not (asked.diff or asked.statistics or asked.write_baseline)
        )

    def _style(self) -> Style:
        columns = self._terminal.columns or Style().columns
        return Style(self._terminal.colour, columns, self._asked.strict, self._asked.rules_url)

    def _task(self, given: Given) -> LintTask:
        """The document with its rules. Raises UnknownRule, ConfigError, BaselineError."""
        asked = self._asked
        config = self._config(given)
        select, ignore = config.select, config.ignore
        if asked.select:
            # Who selects on the command line wants these, whatever the project's habits.
            select, ignore = asked.select, ()
        place = given.file or (Path(given.name) if given.name != STDIN and given.url is None else None)
        ignore = (*ignore, *asked.ignore, *(config.ignored_in(place) if place else ()))
        file = asked.baseline or config.baseline
        if asked.write_baseline and file is None:
            raise CallError("`--write-baseline` needs a file; name it with --baseline FILE")
        self._written = self._written or file
        known = None
        if file is not None and not asked.write_baseline:
            if file not in self._baselines:
                self._baselines[file] = baseline.read(file)
            known = self._baselines[file].get(baseline.source_in(file, given.name))
        return LintTask(
            given, _chosen(select, ignore), config.crawlers, asked.unsafe_fixes or config.unsafe_fixes, known
        )

    def _config(self, given: Given) -> config.Config:
        asked = self._asked
        if asked.no_config:
            return config.Config()
        if asked.config is not None:
            return config.read(asked.config)
        return config.nearest((given.file or Path(given.name)).parent if given.url is None else Path())

    def _parts(self, tasks: list[LintTask], work: LintWork) -> Iterator[Any]:
        for outcome in outcomes(tasks, work):
            if outcome.missing:
                raise missing_extra("pages", "lint")
            self._total.add(outcome)
            if outcome.failure is not None:
                self._terminal.error(outcome.failure)
                continue
            if self._asked.write_baseline:
                self._total.counted[outcome.name] = outcome.counted
            if outcome.octets is not None and self._asked.fix:
                self._terminal.document(outcome.octets)
            if outcome.verdict:
                self._terminal.note(outcome.verdict)
            yield outcome.part

    def _print(self, text: str, *, aside: bool = False) -> None:
        """Output that ends its own lines; `aside`: standard output is taken by the mended document."""
        if self._terminal.quiet or not text:
            return
        if aside:
            sys.stderr.write(text)
            sys.stderr.flush()
        else:
            with self._terminal.writing():
                sys.stdout.write(text)

    def _end(self) -> Exit:
        """Prints the summary, and gives the exit code."""
        asked, total, terminal = self._asked, self._total, self._terminal
        if asked.statistics:
            for code, number in sorted(total.codes.items(), key=lambda item: (-item[1], item[0])):
                terminal.line(f"{number:>7}  {code}: {rules()[code].summary}")
        if asked.write_baseline:
            self._write_baseline()
        for line in _notes(total, asked):
            terminal.note(line)
        tally = Tally()
        for failed in total.failures:
            tally.add(failed)
        if not (asked.exit_zero or asked.write_baseline):
            counting = ("error", "warning", "info") if asked.strict else ("error", "warning")
            found = total.changed if asked.diff else any(total.severities[severity] for severity in counting)
            tally.add(Exit.PROHIBITED if found else Exit.PERMITTED)
        return tally.code

    def _write_baseline(self) -> None:
        written = self._written
        assert written is not None
        text = baseline.written(
            {baseline.source_in(written, name): known for name, known in self._total.counted.items() if known}
        )
        write_file(written, text.encode())
        number = sum(known.total() for known in self._total.counted.values())
        self._terminal.note(f"{plural(number, 'finding')} in `{written}`")


@cache
def _chosen(select: tuple[str, ...] | None, ignore: tuple[str, ...]) -> tuple[str, ...]:
    return chosen(select, ignore)


def _notes(total: _Total, asked: Options) -> Iterator[str]:
    """The end of a run in words."""
    number = total.codes.total()
    if not (asked.diff or asked.write_baseline) and asked.output_format == "text":
        if number:
            where = plural(total.documents, "document")
            if total.found_in < total.documents:
                where = f"{total.found_in} of {where}"
            what = plural(total.causes, "finding") if total.causes else plural(number, "finding")
            places = f" at {plural(number, 'place')}" if 0 < total.causes < number else ""
            yield f"{what}{places} in {where}{_mendable(total, asked)}"
        elif total.documents or not total.failures:
            undone = (
                "" if asked.prepended is None else ": the block undoes no line; acap compare --prepended shows the rest"
            )
            yield f"nothing found in {plural(total.documents, 'document')}{undone}"
    if mended := total.mended.total():
        what = "would fix" if asked.diff else "fixed"
        yield f"{what} {plural(mended, 'finding')} in {plural(total.changed, 'document')}"
    elif number and (asked.diff or asked.fix) and asked.output_format == "text":
        unsafe = 0 if asked.unsafe_fixes else total.fixable[False]
        rest = f"--unsafe-fixes fixes {unsafe}" if unsafe else "`acap rule CODE` says how to fix by hand"
        yield f"nothing that --fix could fix; {rest}"
    for code, times in sorted(total.refused.items()):
        yield f"skipped {times} of `{code}`: they would have permitted more; please report this"
    if total.stale:
        yield f"{total.stale} of the baseline no longer found; --write-baseline writes it again"


def _mendable(total: _Total, asked: Options) -> str:
    """How many of what is left could be mended, and how."""
    safe, unsafe = (0 if asked.fix else total.fixable[True]), (0 if asked.unsafe_fixes else total.fixable[False])
    if safe:
        return f"; --fix fixes {safe}" + (f", and {unsafe} more with --unsafe-fixes" if unsafe else "")
    return f"; --fix --unsafe-fixes fixes {unsafe}" if unsafe else ""


def _nearest(given: Given, sites: Mapping[str, T]) -> T | None:
    """What the directory of a document has, or the nearest above it."""
    above = map(str, () if given.file is None else given.file.parents)
    return next((sites[place] for place in above if place in sites), None)
