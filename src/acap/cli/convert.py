"""`acap convert`: a policy in another form, with the same answers."""

from __future__ import annotations

import json
from pathlib import Path

import click
from click.shell_completion import CompletionItem

from acap.cli.io.added import show_added
from acap.cli.io.asking import crawler_name
from acap.cli.io.command import Command
from acap.cli.io.exits import Exit
from acap.cli.io.failures import CallError, suggestion
from acap.cli.io.files import complete_file, is_url, read_file, write_file
from acap.cli.io.options import FULL, JSON
from acap.cli.io.terminal import Terminal, pass_terminal, terminal_options
from acap.pages.saved import HEADERS
from acap.publish.compare import Change, Comparison
from acap.publish.convert import (
    PATIENT_SECONDS,
    PATIENT_STEPS,
    Conversion,
    Kind,
    OutOfTimeError,
    Target,
    looser,
    verify,
)
from acap.publish.convert import convert as convert_policy
from acap.publish.convert.conversion import TARGETS
from acap.publish.convert.dialects import DIALECT_TARGETS, DialectConversion, convert_dialect
from acap.publish.lint.diff import diff as difference
from acap.publish.lint.kinds import kind_of_source
from acap.publish.patterns import in_time
from acap.schema import conversion_to_json

DIALECTS = ("content-signal", "content-usage", "tdmrep", "rsl", "ai-txt")


def target_name(text: str) -> Target | str:
    """The `--to` value."""
    for known in (*TARGETS, *DIALECTS):
        if text.lower() == known:
            return known
    raise CallError(f"unknown form `{text}`{suggestion(text, (*TARGETS, *DIALECTS))}")


def _complete_target(_context: click.Context, _parameter: click.Parameter, begun: str) -> list[CompletionItem]:
    return [CompletionItem(name) for name in (*TARGETS, *DIALECTS) if name.startswith(begun.lower())]


@click.command(cls=Command)
@click.argument("file", metavar="FILE|-", shell_complete=complete_file)
@click.option(
    "--to", "to", type=target_name, required=True, shell_complete=_complete_target, metavar="FORM",
    help=f"The form: {', '.join((*TARGETS, *DIALECTS))}.",
)  # fmt: skip
@click.option("--only", is_flag=True, help="With --to acap: only the ACAP lines, without the conventional ones.")
@click.option(
    "--crawl-only", is_flag=True,
    help=(
        "With --to robots: convert even if prohibitions of other usages cannot be expressed, and report each that is "
        "lost."
    ),
)  # fmt: skip
@click.option(
    "--url", metavar="URL", help="The page, as URL or path: for --to meta and headers, and of a page as FILE."
)
@click.option(
    "-c", "--crawler", "crawlers", type=crawler_name, multiple=True, metavar="NAME",
    help="For --to meta and headers: write only for this crawler.  [default: all that are named, and any other]",
)  # fmt: skip
@click.option(
    "--beside", is_flag=True,
    help="With --to of another dialect: the original stays in place, so what has no word there is left to it.",
)  # fmt: skip
@click.option(
    "--verify", "prove", is_flag=True, help="Prove that all answers are the same, or show where they are not."
)
@click.option("--diff", is_flag=True, help="Show what changes instead of the result.")
@click.option("-o", "--output", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE", help="Write to FILE.")
@FULL
@JSON
@terminal_options
@pass_terminal
def convert(
    terminal: Terminal,
    file: str,
    to: Target,
    only: bool,
    crawl_only: bool,
    url: str | None,
    crawlers: tuple[str, ...],
    beside: bool,
    prove: bool,
    diff: bool,
    output: Path | None,
    full: bool,
    as_json: bool,
) -> Exit:
    """A policy in another form, with the same answers.

    \b
    acap              adds to a robots.txt what its conventional lines say, in ACAP terms
    acap-1.0, -1.1    the same policy, declared as that version of ACAP
    robots            what ACAP says, in conventional lines and in signals (Content-Signal)
    meta, headers     what robots.txt says about the page --url, as META tags or X-Robots-Tag headers
    content-signal, content-usage, tdmrep, rsl, ai-txt
                      what the signals of a robots.txt say, a tdmrep.json, an ai.txt or a licence document of RSL

    A page (.html) or headers as FILE become ACAP fields about --url. Standard error lists what a form has no words for.
    Nothing is written before a proof that no answer is looser (with --crawl-only: no answer about crawling). A
    prohibition that cannot be expressed exits with 2. Ends with 3 if the proof takes longer than 15 seconds, or the
    whole longer than 180; --verify gives the proof 180 as well. With --verify exits with 1 if an answer changes.

    \b
    # say it in ACAP too, proved
    acap convert robots.txt --to acap --verify -o robots.txt
    # for crawlers that do not read ACAP
    acap convert robots.txt --to robots --crawl-only
    # as the META tags of a page
    acap convert robots.txt --to meta --url /news/a.html
    # what a page says, as lines of robots.txt
    acap convert page.html --to acap --url https://example.com/news/a.html
    """
    if as_json and diff:
        raise CallError("`--json` and `--diff` exclude each other; remove one")
    if is_url(file):
        raise CallError(f"`{file}` is a URL; fetch the file first: acap fetch {file} > robots.txt")
    octets = read_file(file)
    if to in DIALECTS or kind_of_source(file, octets) is not None:
        if only or crawl_only or crawlers or url is not None:
            raise CallError("`--only`, `--crawl-only`, `--url` and `--crawler` are for other forms; remove them")
        return _dialect(terminal, file, octets, to, output, beside=beside, diff=diff, full=full, as_json=as_json)
    if beside:
        raise CallError(f"`--beside` goes with --to {', '.join(DIALECTS)}; remove it")
    kind = _kind(file, octets)
    if only and not to.startswith("acap"):
        raise CallError("`--only` goes with --to acap; remove it")
    if crawl_only and to != "robots":
        raise CallError("`--crawl-only` goes with --to robots; remove it")
    if crawlers and to not in ("meta", "headers"):
        raise CallError("`--crawler` goes with --to meta or headers; remove it")
    if url is None and (kind != "robots" or to in ("meta", "headers")):
        raise CallError("statements about a page need its URL; name it with --url")
    with in_time(PATIENT_SECONDS):
        conversion = _converted(octets, to, kind, url, crawlers, only=only, crawl_only=crawl_only)
        # First whatever may fail, then what is written.
        code, comparison = _proved(terminal, conversion, prove=prove)
    if code == Exit.UNDETERMINED:
        terminal.note("nothing is written")
        return code
    if as_json:
        _object(terminal, conversion, file, output, comparison)
    else:
        _deliver(terminal, conversion, file, output, diff=diff, full=full)
    return code


def _dialect(
    terminal: Terminal,
    file: str,
    octets: bytes,
    to: str,
    output: Path | None,
    *,
    beside: bool,
    diff: bool,
    full: bool,
    as_json: bool,
) -> Exit:
    """A document of one dialect in another, proved before it is written."""
    kind = kind_of_source(file, octets) or _kind(file, octets)
    into = next((known for known in DIALECT_TARGETS if known == to), None)
    if into is None:
        raise CallError(f"`{file}` can be converted to {', '.join(DIALECT_TARGETS)}, not to `{to}`")
    try:
        conversion = convert_dialect(octets, kind, into, beside=beside)
    except ValueError as error:
        raise CallError(f"`{file}` {error}") from error
    for note in conversion.notes:
        terminal.note(f"line {note.line}: {note.message}" if note.line else note.message)
    if as_json:
        _object(terminal, conversion, file, output)
    elif diff:
        terminal.patch(difference(octets, conversion.text, file))
    elif output is not None:
        write_file(output, conversion.text)
    else:
        show_added(terminal, octets if kind == to else b"", conversion.text, full=full)
    return Exit.PERMITTED


def _kind(name: str, octets: bytes) -> Kind:
    """What a file is: by its name, else by how it begins."""
    start = octets.lstrip()[:14].lower()
    if name.lower().endswith((".html", ".htm", ".xhtml")) or start.startswith((b"<!doc", b"<html", b"<meta", b"<head")):
        return "page"
    is_headers = name.lower().endswith(HEADERS) or start.startswith((b"http/", b"x-robots-tag:"))
    return "headers" if is_headers else "robots"


def _converted(
    octets: bytes, to: Target, kind: Kind, url: str | None, crawlers: tuple[str, ...], *, only: bool, crawl_only: bool
) -> Conversion:
    try:
        return convert_policy(
            octets, to, only=only, kind=kind, url=url, crawlers=crawlers, crawl_only=crawl_only, seconds=PATIENT_SECONDS
        )
    except OutOfTimeError as error:
        raise CallError(str(error), code=Exit.UNDETERMINED) from error
    except ValueError as error:
        # A conversion of crawling leaves out the other usages.
        way_out = "; --crawl-only leaves out what is not about crawling" if to == "robots" and not crawl_only else ""
        raise CallError(f"{error}{way_out if 'cannot be expressed as' in str(error) else ''}") from error


def _proved(terminal: Terminal, conversion: Conversion, *, prove: bool) -> tuple[Exit, Comparison | None]:
    """Tells what the conversion could not say, and with `prove` whether all answers are the same."""
    for note in conversion.notes:
        terminal.note(f"line {note.line}: {note.message}" if note.line else note.message)
    if conversion.added:
        lines = "1 line more" if conversion.added == 1 else f"{conversion.added} lines more"
        why = "the longest path wins in robots.txt, the narrowest in ACAP; without them some answers would change"
        terminal.note(f"{lines} than the original has: {why}")
    if not prove:
        return Exit.PERMITTED if conversion.proved else Exit.UNDETERMINED, None
    try:
        comparison = verify(conversion, steps=PATIENT_STEPS, seconds=PATIENT_SECONDS)
    except ValueError as error:
        raise CallError(str(error)) from error
    return _verified(terminal, conversion, comparison), comparison


def _verified(terminal: Terminal, conversion: Conversion, comparison: Comparison) -> Exit:
    """Tells on standard error whether all answers that were compared are the same."""
    for change in comparison.changes:
        terminal.note(_change_line(change))
    for what in comparison.undecided:
        terminal.note(f"undecided: {what}")
    if comparison.verdict == "equal":
        terminal.note(_proof(conversion))
        return Exit.PERMITTED
    if comparison.undecided and not conversion.proved:
        return Exit.UNDETERMINED
    if looser(comparison.changes) is not None:
        raise CallError(f"cannot be expressed as `{conversion.to}` without permitting more")
    return Exit.PROHIBITED if comparison.changes else Exit.UNDETERMINED


def _proof(conversion: Conversion) -> str:
    """What was proved, and nothing more."""
    if conversion.crawl_only:
        return "verified for crawl only: every answer about crawling is the same"
    if conversion.omitted and conversion.alone is not None:
        less = ", ".join(f"`{usage}`" for usage in conversion.omitted)
        return f"verified: every answer of the whole file is the same; the ACAP lines alone do not say all of {less}"
    return "verified: every answer is the same"


def _change_line(change: Change) -> str:
    """One change in one line."""
    before, after = (" ".join([side.outcome, *side.restrictions]) for side in (change.before, change.after))
    whom = ", ".join("any other crawler" if name == "*" else name for name in change.crawlers)
    return f"changed: {', '.join(change.usages)} of {change.witness} for {whom}: {before} became {after}"


def _deliver(
    terminal: Terminal, conversion: Conversion, file: str, output: Path | None, *, diff: bool, full: bool
) -> None:
    if diff:
        terminal.patch(difference(conversion.original, conversion.text, file))
    elif output is not None:
        write_file(output, conversion.text)
    else:
        # META tags and headers are no robots.txt with more lines.
        before = b"" if conversion.url is not None else conversion.original
        show_added(terminal, before, conversion.text, full=full)


def _object(
    terminal: Terminal,
    conversion: Conversion | DialectConversion,
    file: str,
    output: Path | None,
    comparison: Comparison | None = None,
) -> None:
    """The result as one JSON object; the file is written as without it."""
    if output is not None:
        write_file(output, conversion.text)
    written = None if output is None else str(output)
    terminal.line(json.dumps(conversion_to_json(conversion, source=file, written=written, comparison=comparison)))
