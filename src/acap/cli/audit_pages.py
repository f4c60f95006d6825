"""`acap audit`: which of a crawl may be used for what, as of when, and by which statement."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Iterator
from concurrent.futures.process import BrokenProcessPool
from datetime import datetime
from pathlib import Path

import click

from acap.audits.audit_page import audit_page
from acap.audits.fetching import fetched_archive
from acap.audits.inputs import PARTS, InputError, has_content, robots_column
from acap.audits.job import AuditProgress, Job
from acap.audits.options import SECONDS, AuditOptions, FetchOptions
from acap.audits.remaining import Remaining, TimeLeft
from acap.audits.result import times_of
from acap.audits.rows import ERRORS, NO_POLICY, Missing
from acap.audits.summary import AuditSummary
from acap.cli.io.asking import (
    HONOURS,
    NEEDED_CRAWLER,
    PROFILE,
    PURPOSE,
    SILENCE,
    CrawlerOption,
    complete_usage,
    instant,
    note_near_misses,
    usage_names,
)
from acap.cli.io.command import Command
from acap.cli.io.deciding import open_files
from acap.cli.io.exits import Exit
from acap.cli.io.failures import CallError, suggestion
from acap.cli.io.files import complete_file, copy_hint, is_url, named, write_file
from acap.cli.io.options import DIALECT, FORBIDDEN, Forbidden
from acap.cli.io.quantities import Seconds
from acap.cli.io.stores import LICENSEE_ASKED, licensee_of
from acap.cli.io.terminal import Terminal, pass_terminal, terminal_options
from acap.cli.io.time_left import duration
from acap.crawlers import Crawler
from acap.decision import Outcome
from acap.plurals import plural
from acap.retrieval.agent import checked
from acap.retrieval.agent import user_agent as agent_of
from acap.schema import SCHEMA
from acap.usages import USAGES

_GROUPS = {
    "Policies": ("robots", "fetch", "at", "missing", "dialect", "forbidden"),
    "Who asks": ("honours", "profile", "silence", "licensee"),
    "What is written": ("out", "content", "html", "as_json"),
}


def _input(text: str) -> Path:
    """One file or directory; no URL, for a path has its slashes once."""
    if is_url(text):
        table = f"`{text}` is a URL; write URLs into a table with the column url, and give it with --fetch"
        raise CallError(copy_hint(text) or table)
    return Path(text)


@click.command("pages", cls=Command, groups=_GROUPS)
@click.argument("inputs", nargs=-1, required=True, type=_input, shell_complete=complete_file, metavar="INPUT...")
@NEEDED_CRAWLER
@click.option(
    "-u", "--usage", "usages", type=usage_names, shell_complete=complete_usage, multiple=True, metavar="U",
    help="The usage: index, ai-train …; several separated by commas.  [default: crawl]",
)  # fmt: skip
@PURPOSE
@click.option(
    "-o", "--output", "out", type=click.Path(path_type=Path), metavar="FILE", required=True,
    help="The Parquet file to write.",
)  # fmt: skip
@click.option(
    "--robots", type=_input, shell_complete=complete_file, multiple=True, metavar="FILE",
    help="Policies alone: an archive, or a table with the columns url and robots; archives among INPUT have theirs.",
)  # fmt: skip
@click.option(
    "--at",
    type=instant,
    metavar="TIME",
    help="Ask as of this time, for its policies; what a page said is of its own capture.  "
    "[default: when each page was fetched, else now]",
)
@click.option(
    "--missing", type=click.Choice(["prohibited", "permitted"]), default="prohibited", show_default=True,
    help="What decides where no policy of the time is known.",
)  # fmt: skip
@click.option(
    "--fetch", is_flag=True, help="Ask sites now for what the input does not have of them; now is asked about."
)
@click.option("--timeout", type=Seconds(), metavar="S", help="With --fetch: seconds to wait for a site's answer.")
@click.option("--allow-private", is_flag=True, help="With --fetch: ask sites in private networks, too.")
@click.option("--contact", metavar="TEXT", help="With --fetch: your URL or e-mail address, put into the User-Agent.")
@click.option("--user-agent", metavar="TEXT", help="With --fetch: the whole User-Agent to send.")
@SILENCE
@HONOURS
@PROFILE
@LICENSEE_ASKED
@DIALECT
@FORBIDDEN
@click.option(
    "--content", type=str, metavar="U", shell_complete=complete_usage,
    help="Write the text that this usage may use, and nothing else.",
)  # fmt: skip
@click.option("--html", type=click.Path(path_type=Path), metavar="FILE", help="Write the summary as a page, too.")
@click.option("--json", "as_json", is_flag=True, help="Print the summary as one JSON object.")
@click.option("--processes", type=click.IntRange(1, 1024), help="How many processes work.  [default: one a processor]")
@terminal_options
@pass_terminal
def audit_pages(
    terminal: Terminal,
    inputs: tuple[Path, ...],
    crawler: CrawlerOption | None,
    usages: tuple[tuple[str, ...], ...],
    purposes: tuple[str, ...],
    out: Path,
    robots: tuple[Path, ...],
    at: datetime | None,
    missing: Missing,
    fetch: bool,
    timeout: float | None,
    allow_private: bool,
    contact: str | None,
    user_agent: str | None,
    silence: tuple[tuple[str, str], ...],
    honours: tuple[tuple[str, ...], ...],
    profile: str,
    licensee: Path | None,
    dialect: str,
    forbidden: Forbidden | None,
    content: str | None,
    html: Path | None,
    as_json: bool,
    processes: int | None,
) -> Exit:
    """Which of a crawl may be used for what, as of when, and by which statement.

    \b
    acap audit crawl.warc.gz --crawler GPTBot --usage ai-train,index -o audit.parquet

    INPUT is an archive (WARC, ARC, WAT), a table (Parquet, Arrow, CSV, JSONL) or an index (CDXJ) with a column url and
    perhaps fetch_time, status, headers and content, or a directory of them; .gz and .zst are unpacked. The policy of a
    page is the robots.txt nearest before it was fetched, from the archives among the inputs and from --robots; one
    without a time always counts. A row is of one capture: what the URL said in a later one is in the row of that one.
    --at asks about another time, by the policies of then. --fetch asks each site for what it says now, and asks
    about now. OUT has a row for each page: the outcome for each usage, the line and the carrier that decided,
    restrictions, and evidence.

    If Ctrl-C stops it, or it is killed, the same call continues it; until then it keeps what is done beside OUT. Only a
    finished result replaces a finished one at OUT. The folder of OUT is made if the one around it is there. A folder
    of yours that has the name of a part of this command (`robots`) is written ./robots.

    \b
    # a directory of archives, as of when each page was fetched
    acap audit crawl/ -c GPTBot -u ai-train -o audit.parquet
    # a table of URLs by a table of policies, with a page of plots
    acap audit urls.parquet --robots robots.parquet -c examplebot -u crawl,index -o audit.parquet --html audit.html
    # the text that may be used for training, and nothing else
    acap audit crawl.warc.gz -c examplebot --content ai-train -o corpus.parquet
    # URLs alone: ask their sites what they say today
    acap audit urls.csv -c examplebot -u ai-train --fetch --contact https://example.org/bot -o audit.parquet

    \b
    Ends with  0 if every use is permitted,
               1 if some is not, some record could not be read, or there are no pages,
               2 on a wrong call, 130 when it was stopped.
    """
    if crawler is None:
        raise CallError("no crawler given; name who uses the pages, for example --crawler GPTBot")
    names = tuple(dict.fromkeys(name for given in usages for name in given)) or ((content,) if content else ("crawl",))
    if content is not None:
        content = content.strip().lower()
        names = tuple(dict.fromkeys((*names, content)))
    for name in names:
        if name not in USAGES:
            raise CallError(f"unknown usage `{name}`{suggestion(name, USAGES)}")
    if out.is_dir():
        raise CallError(f"{out} is a directory; name the file to write")
    for file in (out, html):
        if file is not None and not (folder := file.absolute().parent).exists() and not folder.parent.exists():
            raise CallError(f"there is no folder {folder.parent}; check the path {file}, or make the folder first")
    if html is not None and any(
        html.exists() and one.exists() and html.samefile(one) for one in (*inputs, *robots, out)
    ):
        raise CallError(f"{html} is one of the inputs or the output; name another file for the page")
    asker = Crawler(
        *crawler.each_name,
        honours=[name for given in honours for name in given] if honours else None,
        silence=dict(silence),
        profile=profile,
        licensee=licensee_of(licensee),
    )
    note_near_misses(terminal, crawler.each_name)
    asking = _fetching(timeout, allow_private=allow_private, contact=contact, user_agent=user_agent, fetch=fetch)
    options = AuditOptions(asker, names, purposes, at, missing, dialect, forbidden, content, asking)
    try:
        job = Job(inputs, robots, out, options, processes or 0)
        with terminal.progress("reading") as shown:
            remaining = Remaining()
            summary, whole = job.run(lambda one: shown(_progress(one, remaining.left(one, time.monotonic()))))
    except KeyboardInterrupt:  # before the audit began, or while what was done is written
        is_begun = out.with_name(out.name + PARTS).exists()
        terminal.note("stopped: what is done is kept; the same call goes on" if is_begun else _stopped(None, out))
        return Exit.INTERRUPTED
    except InputError as error:
        raise CallError(str(error)) from error
    except (OSError, sqlite3.Error) as error:
        raise CallError(
            f"{_place_of(error, out)}: {_reason(error)}; what is done is kept, and the same call goes on"
        ) from error
    except BrokenProcessPool as error:
        raise CallError(
            "a process of the audit was ended, for want of memory perhaps; call it again, with fewer --processes"
        ) from error
    is_page = html is not None and (whole or not html.exists()) and job.written is not None
    if html is not None and job.written is not None and is_page:
        asked_at = at or (job.now if fetch else None)
        when = asked_at.isoformat(timespec="seconds") if asked_at else "of each page"
        asked = {
            "inputs": named(inputs),
            **({"policies": named(robots)} if robots else {}),
            "crawler": crawler.label,
            "time": when,
            "missing policy": missing,
            "audited": job.now.isoformat(timespec="seconds"),
            **{name.replace("_", " "): f"{begin} to {end}" for name, (begin, end) in times_of(job.written).items()},
        }
        write_file(html, audit_page(summary, asked, is_partial=not whole).encode())
    if as_json:
        json_summary = summary.to_json()
        json_summary.pop("grounds")
        json_summary["problems"] = [*summary.hints, *summary.problems]
        written = None if job.written is None else str(job.written)
        terminal.line(json.dumps({"schema": SCHEMA, "output": written, "partial": not whole, **json_summary}))
    else:
        for line in _lines(summary, content, _advice(job)) if job.written is not None else ():
            terminal.line(line)
        if whole and not summary.rows:
            terminal.note("the inputs have no pages, so nothing is permitted")
        for line in _notes(job, summary) if whole and summary.rows else ():
            terminal.note(line)
        if fetch and whole:
            terminal.note(f"what sites said: {fetched_archive(out)}")
        if is_page and whole:
            terminal.note(f"written: {html}")
        terminal.note(f"written: {out}" if whole else _stopped(job.written, out))
    if not whole:
        return Exit.INTERRUPTED
    is_all = summary.rows > 0 and all(summary.outcomes(name)[Outcome.PERMITTED] == summary.rows for name in names)
    return Exit.PERMITTED if is_all and not summary.unread else Exit.PROHIBITED


def _notes(job: Job, summary: AuditSummary) -> Iterator[str]:
    """What of the call did nothing, or did not come about, in the words of the call."""
    options = job.options
    if options.content is not None and not summary.texts and not any(map(has_content, job.files)):
        yield (
            "no page of the inputs has its content, so there is no text; give archives, or tables with a column content"
        )
    ages = {name for name in summary.age_names() if summary.ages[name]}
    if options.at is not None and options.fetch is None and ages == {"unknown"}:
        yield (
            "the policies that decide have no time, so each counts whatever `--at` is; give them a column fetch_time"
        )
    if (silent := job.unanswered) is not None and silent.sites:
        hint = ""
        if silent.is_private:
            hint = "; `--allow-private` asks sites in private networks, too"
        yield f"out of reach: {silent.sites:,} of {plural(silent.of_sites, 'site')}; the first: {silent.first}{hint}"


def _stopped(written: Path | None, out: Path) -> str:
    """What a stopped audit has left, in one line."""
    if written is None:
        kept = f"{out} stays as it was" if out.exists() else f"{out} is not written"
        return f"stopped: nothing is done yet, and {kept}; call it again"
    kept = "" if written == out else f", and {out} stays as it was"
    return f"stopped: {written} has what was done{kept}; the same call goes on"


def _place_of(error: OSError | sqlite3.Error, out: Path) -> str:
    return str(getattr(error, "filename", None) or f"{out}{PARTS}")


def _reason(error: OSError | sqlite3.Error) -> str:
    """What went wrong, in the words of the system."""
    return " ".join(str(getattr(error, "strerror", None) or error).split()).lower()


def _fetching(
    timeout: float | None, *, allow_private: bool, contact: str | None, user_agent: str | None, fetch: bool
) -> FetchOptions | None:
    """How sites are asked; None if they are not. Raises `CallError`."""
    given = {"timeout": timeout, "allow-private": allow_private, "contact": contact, "user-agent": user_agent}
    if not fetch:
        if beside := next((name for name, value in given.items() if value), None):
            raise CallError(f"`--{beside}` is about asking sites; give --fetch, too")
        return None
    try:
        agent = agent_of(contact=contact) if user_agent is None else checked(user_agent)
    except ValueError as error:
        raise CallError(str(error)) from error
    open_files()
    return FetchOptions(agent, SECONDS if timeout is None else timeout, allow_private)


def _progress(progress: AuditProgress, left: TimeLeft | None) -> str:
    """One line: what is done of the whole, or of the sites to ask, and how long the rest may take."""
    rest = ""
    if left is not None and (progress.left or progress.step == "sites"):
        rest = f", about {duration(left.seconds)} {'left' if left.is_whole else 'for the others'}"
    if progress.step == "sites":  # how many they are says nothing of octets, of which the share is
        return f"{progress.asked:,} of {plural(progress.of_sites, 'site')} asked{rest}"
    what = "reading policies"
    if progress.step == "resources":
        done = plural(progress.rows, "page")
        what = f"{done} in {progress.parts} of {plural(progress.of_parts, 'part')}"
    return f"{progress.share:.0%}: {what}{rest}"


def _advice(job: Job) -> str:
    """What to do about pages of whose sites no robots.txt is known, in the words of the call."""
    options = job.options
    ways = "name policies with `--robots`, or ask the sites with `--fetch`"
    if options.missing == "prohibited":
        ways += "; `--missing permitted` takes each for a site that has none"
    if job.has_robots:
        others = "" if options.fetch is not None else f"; where there is none at any time, {ways}"
        return f"it counts for 30 days, `--at` asks as of another time{others}"
    for file in () if job.has_policies else job.files:
        if (name := robots_column(file)) is not None:
            return f"{file} has a column `{name}`: give a table of policies with `--robots`, and the pages as INPUT"
    return f"nothing that was given has a robots.txt of any site: {ways}"


def _lines(summary: AuditSummary, content: str | None, advice: str) -> Iterator[str]:
    """The summary in words; `advice` is about pages without a policy."""
    yield plural(summary.rows, "page") + (f", {plural(summary.texts, 'text')} for {content}" if content else "")
    for usage in summary.usages():
        counts = summary.outcomes(usage)
        shares = ", ".join(
            f"{_share(counts[one], summary.rows)} {one} ({counts[one]:,})" for one in Outcome if counts[one]
        )
        yield f"  {usage}: {shares}"
        reasons = ", ".join(f"{name} {_share(count, summary.rows)}" for name, count in summary.reasons(usage).items())
        yield f"    reasons: {reasons}"
        if carriers := summary.carriers(usage):
            top = ", ".join(f"{name} {_share(count, summary.rows)}" for name, count in list(carriers.items())[:5])
            yield f"    decided in: {top}"
        if dialects := summary.dialects(usage):
            top = ", ".join(f"{name} {_share(count, summary.rows)}" for name, count in list(dialects.items())[:5])
            yield f"    by dialect: {top}"
        hanging = summary.hanging(usage)
        parts = " (reasons silence and absent)" if summary.reasons(usage).get("absent") else ""
        yield (
            f"    hangs on silence: {_share(hanging['silence'], summary.rows)}{parts}; "
            f"on a missing policy: {_share(hanging['missing'], summary.rows)}"
        )
        for below, count in summary.excepted(usage).items():
            verb = "prohibits" if count == 1 else "prohibit"
            yield f"    of these {count:,} {verb} {below}, which is below it: ask for that, or keep `except={below}`"
    if ages := [
        f"{name} {_share(summary.ages[name], summary.rows)}" for name in summary.age_names() if summary.ages[name]
    ]:
        yield f"  age of the policy in days: {', '.join(ages)}"
    for error, count in summary.errors.most_common():
        if error != NO_POLICY and count == summary.unread:
            continue  # the line below has all of them
        hint = f"; {advice}" if error == NO_POLICY else ""
        yield f"  {plural(count, 'page')}: {ERRORS.get(error, error)}{hint}"
    for hint in summary.hints:
        yield f"  {hint}"
    if summary.unread:
        yield f"  {plural(summary.unread, 'record')} could not be read; the first: {summary.problems[0]}"


def _share(count: int, total: int) -> str:
    return f"{100 * count / max(total, 1):.1f} %"
