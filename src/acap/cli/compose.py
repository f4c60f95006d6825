"""`acap compose`: a policy from plain answers, or from a table in version control."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import click
from click.shell_completion import CompletionItem

from acap.cli.io.added import show_added
from acap.cli.io.command import Command
from acap.cli.io.exits import Exit
from acap.cli.io.failures import CallError, missing_extra, suggestion
from acap.cli.io.files import complete_file, read_file, write_file
from acap.cli.io.options import FULL, JSON
from acap.cli.io.policies import file_policy
from acap.cli.io.presets import compose_preset, folder_preset
from acap.cli.io.publisher_policies import read_policy_table
from acap.cli.io.terminal import Terminal, pass_terminal, terminal_options
from acap.explain import visible
from acap.publish.compose import (
    Draft,
    DraftError,
    Row,
    complaints,
    draft_from_robots,
    draft_to_toml,
    header_snippet,
    meta_tags,
    preview,
    robots_octets,
    rule_tags,
)
from acap.publish.compose.contrary import contrary_lines
from acap.publish.compose.dialogue import converse
from acap.publish.compose.starts import STARTS, changes_of
from acap.publish.compose.starts import begun as started
from acap.publish.compose.talk import Prompter
from acap.publish.compose.text import crawler_advice
from acap.publish.presets.preset import PRESETS
from acap.schema import composition_to_json

SERVERS = ("nginx", "apache", "caddy")


def server_name(text: str) -> str:
    """One `--headers` value."""
    if text.lower() in SERVERS:
        return text.lower()
    raise CallError(f"unknown server `{text}`{suggestion(text, SERVERS)}")


def _complete_server(_context: click.Context, _parameter: click.Parameter, begun: str) -> list[CompletionItem]:
    return [CompletionItem(name) for name in SERVERS if name.startswith(begun.lower())]


def _complete_preset(_context: click.Context, _parameter: click.Parameter, begun: str) -> list[CompletionItem]:
    return [CompletionItem(name) for name in (*STARTS, *PRESETS) if name.startswith(begun.lower())]


@click.command(cls=Command)
@click.argument("file", required=False, metavar="[FILE]", shell_complete=complete_file)
@click.option(
    "--from",
    "table",
    metavar="TOML",
    shell_complete=complete_file,
    help="Ask nothing: the policy is the [policy] table of this file.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write to FILE instead of printing; with --preset to a folder.",
)
@click.option("--check", is_flag=True, help="Write nothing; exit with 1 if --output FILE differs.")
@click.option(
    "--headers",
    "server",
    type=server_name,
    shell_complete=_complete_server,
    metavar="SERVER",
    help="The headers of the policy's pages, as configuration of nginx, apache or caddy.",
)
@click.option("--meta", metavar="URL", help="The META tags of one page.")
@click.option("--toml", "as_toml", is_flag=True, help="The policy as a [policy] table.")
@click.option("--preview", "as_preview", is_flag=True, help="What crawlers may do with the sample URLs.")
@click.option("--sample", "samples", multiple=True, metavar="URL", help="A URL or path for the preview.")
@click.option(
    "--conventional/--no-conventional",
    default=None,
    help="Write lines for crawlers that do not read ACAP as well.  [default: as the policy says, else yes]",
)
@click.option(
    "--comments/--no-comments",
    default=None,
    help="Say above each record what it does.  [default: as the policy says, else yes]",
)
@click.option(
    "--preset",
    "presets",
    metavar="NAME",
    multiple=True,
    shell_complete=_complete_preset,
    help="A policy that many sites have: no-training, quote, snippet-200, licence, archive-year, of which several go "
    "together; or, as a folder, one meaning in every carrier, proved: no-ai-training, licence-for-ai.",
)
@click.option("--site", metavar="URL", help="With --preset: the site, so that carriers can refer to license.xml.")
@click.option("--terms", metavar="URL", help="With --preset licence or licence-for-ai: where a licence is offered.")
@FULL
@JSON
@terminal_options
@pass_terminal
def compose(
    terminal: Terminal,
    file: str | None,
    table: str | None,
    output: Path | None,
    check: bool,
    server: str | None,
    meta: str | None,
    as_toml: bool,
    as_preview: bool,
    samples: tuple[str, ...],
    conventional: bool | None,
    comments: bool | None,
    presets: tuple[str, ...],
    site: str | None,
    terms: str | None,
    full: bool,
    as_json: bool,
) -> Exit:
    """Compose a policy: robots.txt, META tags, headers.

    Asks in five steps which crawlers you address, for which purposes, about which content, what they may do with it and
    under which restrictions. After each step it shows what crawlers may do with your sample URLs. It begins with FILE,
    a robots.txt, if you give one. With --from it asks nothing: the policy is a table of a TOML file. Neither does it
    with --preset: that says what many sites mean, behind what FILE says, or writes a folder with one meaning for every
    carrier, read again and proved.

    \b
    # answer questions
    acap compose -o robots.txt
    # begin with a file that is there
    acap compose robots.txt -o robots.txt
    # from a table
    acap compose --from acap.toml -o robots.txt
    # the headers that a server is to send
    acap compose --from acap.toml --headers nginx
    # a file as a table
    acap compose robots.txt --toml
    # a policy that many sites have, before the lines that are there
    acap compose --preset quote robots.txt -o robots.txt
    # two of them
    acap compose --preset quote --preset no-training robots.txt -o robots.txt
    # one meaning in every carrier
    acap compose --preset no-ai-training --site https://example.com -o public/
    """  # fmt: skip
    if as_json:
        other = server is not None or meta is not None or as_toml or not PRESETS.keys().isdisjoint(presets)
        if other or (table is None and file is None and not presets):
            raise CallError(
                "`--json` is for the robots.txt of FILE, --from or a preset, and its --preview; leave out what is else"
            )
    if folder := folder_preset(presets):
        if table is not None or server is not None or meta is not None or as_toml or as_preview:
            raise CallError("`--preset` writes headers and META tags itself; give FILE, --site, --terms and --output")
        return compose_preset(terminal, folder, file, output, site=site, terms=terms, check=check)
    if presets:
        if table is not None or site is not None:
            raise CallError(f"`--preset {presets[0]}` is a policy to begin with; give FILE, --terms and --output")
        return _preset(
            terminal, presets, file, output, terms, server, meta,
            as_toml=as_toml, as_preview=as_preview, samples=samples, check=check, full=full,
            as_json=as_json,
        )  # fmt: skip
    if site is not None or terms is not None:
        raise CallError("`--site` and `--terms` go with --preset; add one, for example --preset no-ai-training")
    if sum((server is not None, meta is not None, as_toml, as_preview)) > 1:
        raise CallError("`--headers`, `--meta`, `--toml` and `--preview` are different things; ask for one")
    if check and (output is None or str(output) == "-"):
        raise CallError("`--check` compares with a file; name it with --output FILE")
    if file is not None and table is not None:
        raise CallError("give a robots.txt to begin with, or --from, not both")
    asks = table is None and not (file is not None and (as_toml or as_preview or as_json))
    if asks and (check or server is not None or meta is not None or as_toml or as_preview):
        if file is None:
            raise CallError("this needs a policy; name it with --from acap.toml")
        raise CallError(
            f"this needs a policy as a table; make one of the file: acap compose {file} --toml -o acap.toml, "
            "then: acap compose --from acap.toml"
        )
    try:
        draft, own = _begun(file, table)
        draft = replace(
            draft,
            samples=samples or draft.samples,
            conventional=draft.conventional if conventional is None else conventional,
            comments=draft.comments if comments is None else comments,
        )
        if asks:
            return _converse(terminal, draft, file, output, before=b"" if full else own)
        if as_json:
            return _object(terminal, draft, table or file, output, as_preview=as_preview, check=check)
        _notes(terminal, draft)
        octets = _wanted(draft, server, meta, as_toml=as_toml, as_preview=as_preview)
        if as_preview and terminal.quiet and output is None:
            return Exit.PERMITTED
        return _write(terminal, octets, output, check=check)
    except DraftError as error:
        if as_json:
            return _mistaken(terminal, error, table or file)
        raise CallError(f"`{table or file or 'the policy'}`: {error}") from error
    except CallError as error:
        if as_json and isinstance(error.__cause__, DraftError):
            return _mistaken(terminal, error.__cause__, table or file)
        raise


def _mistaken(terminal: Terminal, error: DraftError, source: str | None, preset: str | None = None) -> Exit:
    """The object of a policy that cannot be composed; the message stands on standard error as without it."""
    mistakes = ((error.origin, error.message),)
    terminal.line(json.dumps(composition_to_json(None, source=source, preset=preset, mistakes=mistakes)))
    terminal.error(f"`{source or 'the policy'}`: {error}")
    return Exit.WRONG_CALL


def _object(
    terminal: Terminal, draft: Draft, source: str | None, output: Path | None, *, as_preview: bool, check: bool,
    preset: str | None = None, notes: Sequence[str] = (),
) -> Exit:  # fmt: skip
    """A policy as one JSON object; the file is written as without it."""
    # First whatever may fail, then what is written.
    octets, rows = robots_octets(draft), _rows(draft) if as_preview else ()
    code = Exit.PERMITTED
    if output is not None and str(output) != "-":
        code = _write(terminal, octets, output, check=check)
    written = None if output is None or check or str(output) == "-" else str(output)
    composition = composition_to_json(
        octets, source=source, preset=preset, written=written, warnings=_warnings(draft), notes=notes, rows=rows,
    )  # fmt: skip
    terminal.line(json.dumps(composition))
    return code


def _preset(
    terminal: Terminal,
    names: Sequence[str],
    file: str | None,
    output: Path | None,
    terms: str | None,
    server: str | None,
    meta: str | None,
    *,
    as_toml: bool,
    as_preview: bool,
    samples: tuple[str, ...],
    check: bool,
    full: bool,
    as_json: bool,
) -> Exit:
    """Presets as the draft, behind what FILE says; what changes for whom is a note."""
    if check and (output is None or str(output) == "-"):
        raise CallError("`--check` compares with a file; name it with --output FILE")
    starts = [STARTS[name] for name in dict.fromkeys(names)]
    named = ", ".join(one.name for one in starts)
    try:
        draft, own = _begun(file, None)
        for start in starts:
            draft = started(start, draft, terms=terms)
        draft = replace(draft, samples=samples)
        octets = _wanted(draft, server, meta, as_toml=as_toml, as_preview=as_preview)
        against = dict.fromkeys(line for start in starts for line in contrary_lines(start, draft, terms=terms))
    except DraftError as error:
        if as_json:
            return _mistaken(terminal, error, file, named)
        asks = "; name it with --terms" if any(one.has_terms for one in starts) else ""
        raise CallError(f"--preset {named}: {error}{asks}") from error
    notes = (*changes_of(starts), *against, *filter(None, (one.elsewhere for one in starts)))
    if as_json:
        return _object(terminal, draft, file, output, as_preview=as_preview, check=check, preset=named, notes=notes)
    for note in notes:
        terminal.note(note)
    is_robots = server is None and meta is None and not as_toml and not as_preview
    return _write(terminal, octets, output, check=check, before=own if is_robots and not full else b"")


def _begun(file: str | None, table: str | None) -> tuple[Draft, bytes]:
    """The draft to begin with, and the text of FILE, which is read once: standard input has nothing more then."""
    if table is not None:
        return read_policy_table(table), b""
    if file is None:
        return Draft(), b""
    octets = file_policy(file, "auto").octets
    return draft_from_robots(octets), octets


def _notes(terminal: Terminal, draft: Draft) -> None:
    for where, what in _warnings(draft):
        terminal.note(f"{where}: {what}")


def _warnings(draft: Draft) -> Iterator[tuple[str, str]]:
    """What the reader of the text would warn of, and names that are nearly known ones, with their places."""
    for record in draft.records:
        for number, name in enumerate(record.crawlers):
            if record.origin.startswith("policy.") and (advice := crawler_advice(name)) is not None:
                yield f"{record.origin}.crawlers[{number}]", advice
    for complaint in complaints(draft):
        if complaint.problem.severity != "info":
            fix = f"; {complaint.problem.fix}" if complaint.problem.fix else ""
            yield complaint.origin, f"{complaint.problem.severity}: {complaint.problem.message}{fix}"


def _wanted(draft: Draft, server: str | None, meta: str | None, *, as_toml: bool, as_preview: bool) -> bytes:
    if server is not None:
        return header_snippet(server, draft).encode()
    if meta is not None:
        return "".join(f"{tag}\n" for tag in meta_tags(draft, meta)).encode()
    if as_toml:
        return draft_to_toml(draft).encode()
    if as_preview:
        lines: list[str] = []
        for row in _rows(draft):
            limits = "; ".join(row.restrictions) or "-"
            lines.append("\t".join(map(visible, (row.outcome, row.usage, row.crawler, row.url, limits, row.why))))
        return "".join(f"{line}\n" for line in lines).encode()
    return robots_octets(draft)


def _rows(draft: Draft) -> tuple[Row, ...]:
    try:
        return preview(draft)
    except DraftError:
        raise
    except ValueError as error:
        # A sample is no URL.
        raise CallError(str(error)) from error


def _write(terminal: Terminal, octets: bytes, output: Path | None, *, check: bool, before: bytes = b"") -> Exit:
    if output is None or str(output) == "-":
        show_added(terminal, before, octets, full=False)
        return Exit.PERMITTED
    if check:
        if not output.is_file():
            terminal.error(f"no file `{output}`; write it without --check")
            return Exit.PROHIBITED
        if read_file(str(output)) == octets:
            return Exit.PERMITTED
        terminal.error(f"`{output}` differs from the policy; write it again without --check")
        return Exit.PROHIBITED
    write_file(output, octets)
    return Exit.PERMITTED


def _converse(terminal: Terminal, draft: Draft, file: str | None, output: Path | None, *, before: bytes) -> Exit:
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise CallError("there is no terminal to ask questions on; write the policy to a file and use --from acap.toml")
    try:
        from acap.cli.io.questions import TerminalPrompter  # of the extra `compose`
    except ModuleNotFoundError as error:
        raise missing_extra("compose", "compose") from error
    return finish(terminal, TerminalPrompter(terminal), draft, file, output, before=before)


def finish(
    terminal: Terminal, prompter: Prompter, draft: Draft, file: str | None, output: Path | None, *, before: bytes = b""
) -> Exit:
    """Holds the dialogue, and writes what comes of it: nothing at all unless it is held to its end.

    A terminal is shown what that adds to `before`; of nothing, the whole.
    """
    given = output or (Path(file) if file not in (None, "-") else None)
    talk = converse(prompter, draft, str(given or "robots.txt"), asks_file=output is None)
    octets, pages = robots_octets(talk.draft), talk.draft.pages
    headers = header_snippet(talk.draft.server, talk.draft).encode()
    tags = [(page.pattern, tag) for page in pages for tag in rule_tags(page, talk.draft)]
    if talk.file == "-":
        show_added(terminal, before, octets, full=False)
    else:
        write_file(Path(talk.file), octets)
        terminal.note(f"written: {talk.file}")
    terminal.document(headers)
    for pattern, tag in tags:
        terminal.line(visible(f"in the head of {pattern}: {tag}"))
    return Exit.PERMITTED
