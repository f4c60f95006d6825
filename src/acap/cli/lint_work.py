"""The work of `acap lint` on each document, here or in processes beside this one when there are many."""

from __future__ import annotations

import os
import signal
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Literal, NamedTuple

from acap.cli.exits import Exit
from acap.cli.failures import Failure
from acap.cli.files import read_file, write_file
from acap.cli.lint_sources import Given, kind_of
from acap.publish.lint import baseline
from acap.publish.lint.baseline import Known
from acap.publish.lint.diff import diff
from acap.publish.lint.document import Document, Kind
from acap.publish.lint.finding import Finding
from acap.publish.lint.fixing import fix
from acap.publish.lint.formats import Style, format_named
from acap.publish.lint.run import run

# Below this many documents a process more costs more than it brings.
_MANY = 64
_AT_ONCE = 16  # documents that a process takes at a time

Mode = Literal["report", "fix", "diff"]


class Task(NamedTuple):
    """One document, the rules for it, and what is known of it already; `unsafe` for its fixes.

    `site` is the robots.txt beside or above it among those that are linted.
    """

    given: Given
    codes: tuple[str, ...]
    crawlers: frozenset[str] = frozenset()
    unsafe: bool = False
    known: Known | None = None
    site: Path | None = None


@dataclass(frozen=True, slots=True)
class Work:
    """What is done with every document; `count`: its findings are counted for a baseline."""

    mode: Mode = "report"
    output: str = "text"
    style: Style = field(default_factory=Style)
    kind: Kind | None = None
    count: bool = False


@dataclass(slots=True)
class Outcome:
    """What came of one document.

    `part` is what is printed of it; `failure` is why nothing could be done, and `code` what the call then ends with;
    `missing` that a package is not installed.
    `mended`, `refused`: fixes by code. `counted` is for a baseline, `stale` what one holds and is not found any more.
    """

    name: str
    part: Any = ""
    codes: Counter[str] = field(default_factory=Counter)
    severities: Counter[str] = field(default_factory=Counter)
    fixable: Counter[bool] = field(default_factory=Counter)
    mended: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    counted: Known = field(default_factory=Counter)
    stale: Known = field(default_factory=Counter)
    octets: bytes | None = None
    failure: str | None = None
    code: Exit = Exit.WRONG_CALL
    missing: bool = False


def outcomes(tasks: Sequence[Task], work: Work) -> Iterator[Outcome]:
    """The outcome of each task, in their order."""
    processes = min(os.cpu_count() or 1, 8)
    if len(tasks) <= _MANY or processes < 2:
        yield from (outcome(task, work) for task in tasks)
        return
    # As long to import as the linter itself, and few calls have so many documents.
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    with ProcessPoolExecutor(processes, get_context(_way()), _quiet) as pool:
        try:
            with _interrupts_later():
                results = pool.map(partial(outcome, work=work), tasks, chunksize=_AT_ONCE)
            yield from results
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _way() -> str:
    """How processes are made: a copy of this one is quickest, but would lack the threads that this one has."""
    tasks = Path("/proc/self/task")
    return "fork" if tasks.is_dir() and len(list(tasks.iterdir())) == 1 else "spawn"


def _quiet() -> None:
    """Ctrl-C is for the first process to answer."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


@contextmanager
def _interrupts_later() -> Iterator[None]:
    """What is started inside is not interrupted while it starts; Ctrl-C is answered afterwards."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def outcome(task: Task, work: Work) -> Outcome:
    """Lints one document, mends it if that is asked for, and says what is to be printed."""
    name = task.given.name
    done = Outcome(name)
    try:
        if task.given.unread:
            raise Failure(f"`{name}` {task.given.unread}")
        octets = read_file(str(task.given.file)) if task.given.octets is None else task.given.octets
        kind = work.kind or kind_of(name, octets)
        site = read_file(str(task.site)) if task.site is not None and kind == "page" else None
        document = Document(octets, name, kind, url=task.given.url, known_crawlers=task.crawlers, site=site)
        if work.mode == "report":
            findings = run(document, task.codes)
        else:
            document, findings = _mended(document, task, work, done)
    except Failure as failure:
        done.failure, done.code = failure.message, failure.code
        return done
    except ImportError as error:
        if (error.name or "").split(".")[0] == "acap":
            raise
        done.missing = True
        return done
    if work.count:
        done.counted = baseline.counted(document, findings)
    if task.known is not None:
        findings, done.stale = baseline.new(document, findings, task.known)
    _count(done, findings)
    if work.mode != "diff":
        done.part = format_named(work.output).part(document, findings, work.style)
    return done


def _mended(document: Document, task: Task, work: Work, done: Outcome) -> tuple[Document, tuple[Finding, ...]]:
    """The document after its fixes, written if it is a file, or as a diff."""
    mended = fix(document, task.codes, unsafe=task.unsafe)
    done.mended, done.refused = mended.mended, mended.refused
    after = mended.document.octets
    if work.mode == "diff":
        done.part = diff(document.octets, after, document.name)
    elif task.given.file is None:
        done.octets = after
    elif after != document.octets:
        write_file(task.given.file, after)
    return mended.document, mended.findings


def _count(done: Outcome, findings: Sequence[Finding]) -> None:
    for finding in findings:
        code, number = finding.counted
        done.codes[code] += number
        done.severities[finding.severity] += number
        if finding.fix is not None:
            done.fixable[finding.fix.safe] += 1
