"""`acap survey`: who is refused what by the robots.txt files of a crawl; change over time and between crawls."""

from __future__ import annotations

import json
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

import click

from acap.audits import survey as surveys
from acap.audits.survey import Period, SurveyProgress, default_crawlers
from acap.audits.survey_page import survey_page
from acap.audits.survey_tables import SHOWN, survey_to_json, text_lines
from acap.cli.io.asking import crawler_name, note_near_misses, usage_names
from acap.cli.io.command import Command
from acap.cli.io.exits import Exit
from acap.cli.io.failures import CallError, suggestion
from acap.cli.io.files import complete_file, copy_hint, is_url, named, write_file
from acap.cli.io.options import DIALECT, FORBIDDEN, in_order
from acap.cli.io.terminal import Terminal, pass_terminal, terminal_options
from acap.cli.io.time_left import time_left
from acap.usages import USAGES

_CRAWLED = tuple(usage for usage in USAGES if usage != "search")


def _usages(text: str) -> tuple[str, ...]:
    """One `--usage` value: a name, or several with commas between."""
    usages = usage_names(text)
    for name in usages:
        if name not in _CRAWLED:
            raise CallError(f"no usage `{name}`{suggestion(name, _CRAWLED)}")
    return usages


def _complete_usage(_context: click.Context, _parameter: click.Parameter, begun: str) -> list[str]:
    return [usage for usage in _CRAWLED if usage.startswith(begun.lower())]


def _complete_crawler(_context: click.Context, _parameter: click.Parameter, begun: str) -> list[str]:
    return [name for name in default_crawlers() if name.lower().startswith(begun.lower())]


def _progress(progress: SurveyProgress, seconds: float) -> str:
    """One line: what is counted, which share of the input that is, and how long the rest may take."""
    done = progress.octets / progress.of_octets if progress.of_octets else 0.0
    return f"{progress.captures:,} captures, {done:.0%} of the input{time_left(done, seconds)}"


def _of_url(url: str) -> str:
    """What is told of a URL in the place of a file."""
    return copy_hint(url) or f"`{url}` is a URL, and a survey reads files; `acap site {url}` asks the site itself"


_OPTIONS = in_order(
    click.option(
        "-o", "--output", "rows", type=click.Path(path_type=Path), metavar="FILE",
        help="Write a row for each capture, crawler and usage: .parquet, .csv or .jsonl.",
    ),
    click.option(
        "--html", "page", type=click.Path(path_type=Path), metavar="FILE",
        help="Write the tables and plots as one page of HTML.",
    ),
    click.option(
        "-c", "--crawler", "crawlers", type=crawler_name, multiple=True, metavar="NAME",
        shell_complete=_complete_crawler,
        help="A crawler; repeatable.  [default: the AI and search crawlers of `acap crawlers`]",
    ),
    click.option(
        "-u", "--usage", "usages", type=_usages, multiple=True, metavar="USAGE", shell_complete=_complete_usage,
        help="A usage, such as ai-train; several separated by commas.  [default: crawl]",
    ),
    click.option(
        "--before", multiple=True, metavar="INPUT", shell_complete=complete_file,
        help="An earlier crawl, to which INPUT is compared site by site; repeatable.",
    ),
    click.option(
        "--by", "period", type=click.Choice(["month", "quarter", "year"]), default="month", show_default=True,
        help="The periods in which captures with a time are counted.",
    ),
    DIALECT,
    FORBIDDEN,
    click.option(
        "--kinds", "shows_kinds", is_flag=True,
        help="Print shares by kind of restriction, too, in the classes of “Consent in Crisis”.",
    ),
    click.option("--all", "shows_all", is_flag=True, help="Print every crawler, not only the first of them."),
    click.option("--json", "as_json", is_flag=True, help="Print the counts as one JSON object."),
)  # fmt: skip


@click.command(cls=Command, groups={"What a file means": ("dialect", "forbidden")})
@click.argument("inputs", nargs=-1, required=True, metavar="INPUT...", shell_complete=complete_file)
@_OPTIONS
@terminal_options
@pass_terminal
def survey(
    terminal: Terminal,
    inputs: tuple[str, ...],
    rows: Path | None,
    page: Path | None,
    crawlers: tuple[str, ...],
    usages: tuple[tuple[str, ...], ...],
    before: tuple[str, ...],
    period: Period,
    dialect: str,
    forbidden: Literal["unavailable", "restricted"] | None,
    shows_kinds: bool,
    shows_all: bool,
    as_json: bool,
) -> Exit:
    """Who is refused how much by the robots.txt files of INPUT, counted by crawler, operator and time.

    INPUT is a folder of robots.txt files; a table (.parquet, .csv, .jsonl, .arrow) with the columns `site` or `url` and
    `robots`, null where it could not be retrieved, perhaps `status`, `at` and `tokens`; or an archive (.warc, .arc). It
    proves for each site whether it refuses a crawler nothing, some or all of it. It counts what is missing, damaged or
    something else as what it is. `acap audit robots` is the same command.

    \b
    # a folder of robots.txt files
    acap survey robots/
    # a table of them, with a row for each answer and a page with plots
    acap survey robots.parquet -o rows.parquet --html survey.html
    # the tables of "Consent in Crisis"
    acap survey robots.parquet --kinds --by quarter --usage crawl
    # what changed between two crawls
    acap survey 2024.parquet --before 2023.parquet --usage crawl --usage ai-train
    # two crawlers over time, from an archive
    acap survey CC-MAIN-robotstxt.warc.gz --crawler GPTBot --crawler CCBot --by quarter

    \b
    Ends with  0 if all was read,   2 on a wrong call or an input that cannot be read.
    """
    for given in (*inputs, *before):
        if is_url(given):
            raise CallError(_of_url(given))
    if page is not None and page.is_dir():
        raise CallError(f"`{page}` is a folder; name a file in it for the page")
    note_near_misses(terminal, crawlers)
    try:
        with terminal.progress("reading") as shown:
            begin = time.monotonic()
            result = surveys.survey(
                inputs,
                crawlers=crawlers or None,
                usages=[name for given in usages for name in given] or "crawl",
                rows=rows,
                before=before or None,
                period=period,
                dialect=dialect,
                forbidden=forbidden,
                processes=0,
                on_progress=lambda one: shown(_progress(one, time.monotonic() - begin)),
            )
    except ValueError as error:
        raise CallError(str(error)) from error
    except OSError as error:
        raise CallError(
            f"`{error.filename or rows or 'a temporary file'}` cannot be written: {error.strerror}"
        ) from error
    if page is not None:
        asked = {
            "inputs": named(inputs),
            **({"earlier crawl": named(before)} if before else {}),
            "surveyed": datetime.now(UTC).isoformat(timespec="seconds"),
        }
        write_file(page, survey_page(result, asked=asked).encode())
    if as_json:
        terminal.line(json.dumps(survey_to_json(result)))
    else:
        for line in text_lines(result, shown=len(result.crawlers) if shows_all else SHOWN, kinds=shows_kinds):
            terminal.line(line)
    for file in (rows, page):
        if file is not None:
            terminal.note(f"written: {file}")
    return Exit.PERMITTED
