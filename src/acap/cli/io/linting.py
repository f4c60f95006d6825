"""What `acap lint` does: documents are found, linted here or in processes beside this one, and watched.

The ways that documents take are one module, for they share options, totals and exit code.
"""

from __future__ import annotations

import os
import signal
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Literal, NamedTuple
from urllib.parse import urlsplit

import click

from acap._native import format_of
from acap.cli.io.exits import Exit
from acap.cli.io.failures import CallError
from acap.cli.io.files import is_url, read_file, write_file
from acap.cli.io.network import Network, is_out_of_reach
from acap.cli.io.terminal import Terminal
from acap.cli.io.urls import STDIN, check_url
from acap.dialects.well_known import ABSENT, AI_TXT_PATH, TDMREP_PATH
from acap.explain import failure_text
from acap.problems import DocumentKind
from acap.publish.lint import baseline, config, kinds
from acap.publish.lint.baseline import Known
from acap.publish.lint.causes import causes
from acap.publish.lint.diff import diff
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Finding
from acap.publish.lint.fixing import fix
from acap.publish.lint.formats import Style, format_named
from acap.publish.lint.kinds import HEADERS, PAGES, SNIFFED, is_robots, kind_of_source
from acap.publish.lint.run import run

# Directories that hold copies of other projects' files, or none that is served.
_SKIPPED = frozenset({"node_modules", "__pycache__", "site-packages"})

_OF_SITES = ("tdmrep.json", "ai.txt")
_WELL_KNOWN = ".well-known"  # RFC 8615


class Given(NamedTuple):
    """One document: its name as it is shown, its file or its octets, and its URL if it came from a site.

    `unread` is why it is not read, as the rest of a sentence; empty if it is.
    """

    name: str
    file: Path | None
    octets: bytes | None = None
    url: str | None = None
    unread: str = ""


def given(names: tuple[str, ...], stdin_name: str | None, network: Network, terminal: Terminal) -> Iterator[Given]:
    """Every document that the arguments name, in their order and each once. Raises `CallError`."""
    seen = set[str]()
    for name in names or (".",):
        for document in _of(name, stdin_name, network, terminal):
            if document.name not in seen:
                seen.add(document.name)
                yield document


def _of(name: str, stdin_name: str | None, network: Network, terminal: Terminal) -> Iterator[Given]:
    if name == STDIN:
        if sys.stdin.isatty():
            raise CallError("standard input is a terminal; name a file, or redirect one with <")
        yield Given(stdin_name or STDIN, None, read_file(STDIN))
    elif is_url(name):
        yield from _site(check_url(name, path_is_enough=False), network, terminal)
    elif (path := Path(name)).is_dir():
        files = sorted(searched(path), key=lambda one: (one[0].parts, one[1]))
        if not files:
            raise CallError(f"no robots.txt, *.html, *.headers or other document of a site in `{name}`; name a file")
        yield from (Given(str(file), file, unread=unread) for file, unread in files)
    else:
        if not path.exists():
            read_file(name)  # says what is wrong, and what may have been meant
        yield Given(name, path)


def _site(url: str, network: Network, terminal: Terminal) -> Iterator[Given]:
    """The robots.txt of a site, or what a URL names of the documents at known places; nothing if it has none.

    Raises `Unreachable`.
    """
    path = urlsplit(url).path
    if path in (TDMREP_PATH, AI_TXT_PATH):
        yield from _document(url, network, terminal)
        return
    policy = network.policy(url)
    about = policy.evidence.get("meaning")
    if is_out_of_reach(policy):
        raise Unreachable
    where = policy.url or url
    if path not in ("", "/", "/robots.txt"):
        terminal.note(f"this is {where}; of {url} itself: acap fetch {url} | acap lint -")
    if about == "absent" and 200 <= (policy.evidence.get("status") or 0) < 300:
        # Something came in place of the file; what it is, is for the rules to tell.
        yield Given(where, None, network.document(where).octets, where)
    elif about == "absent":
        terminal.note(f"{where} is not there, so nothing is forbidden")
    else:
        yield Given(where, None, policy.octets, where)


def _document(url: str, network: Network, terminal: Terminal) -> Iterator[Given]:
    # Whoever lints files does without the client of HTTP, 0.13 s.
    from acap.sites.documents import octets_of, why_not

    retrieved = network.document(url)
    if retrieved.status in ABSENT:
        terminal.note(f"{url} is not there, so it says nothing")
    elif (octets := octets_of(retrieved)) is None:
        terminal.error(f"{url} cannot be retrieved: {failure_text(why_not(retrieved))}; try again later")
        raise Unreachable
    else:
        yield Given(url, None, octets, url)


class Unreachable(Exception):  # noqa: N818  a state of the site, and printed already
    """A site's robots.txt or other document cannot be retrieved; the reason was printed."""


def searched(directory: Path) -> Iterator[tuple[Path, str]]:
    """The files below a directory that are linted: robots.txt, NAME.robots.txt, pages, headers, those of dialects.

    Each comes with why it is not read, as the rest of a sentence; empty if it is. So do directories that cannot be
    searched, and one that bears the name of a robots.txt, which a server shows as something else.
    """
    hidden: list[tuple[Path, str]] = []

    def cannot(error: OSError) -> None:
        hidden.append((Path(error.filename), f"cannot be searched: {error.strerror or error}"))

    for folder, below, files in os.walk(directory, onerror=cannot):
        below[:] = [name for name in below if name not in _SKIPPED and (name[:1] != "." or name == _WELL_KNOWN)]
        for name in below:
            if is_robots(name.lower()):
                yield Path(folder, name), "is a directory; name the file in it"
        for name in files:
            lowered = name.lower()
            file = Path(folder, name)
            if is_robots(lowered) or lowered in _OF_SITES or lowered.endswith((*PAGES, HEADERS)) or _is_rsl(file):
                # A FIFO or a device is no document, and reading it might never end.
                is_read = file.is_file() or not file.exists()
                yield file, "" if is_read else "is not a regular file; redirect it with <"
    yield from hidden


def _is_rsl(file: Path) -> bool:
    """Whether a file is a licence document, of which there is no name: other XML is feeds and sitemaps."""
    if file.suffix.lower() not in (".xml", ".rsl") or not file.is_file():
        return False
    try:
        with file.open("rb") as opened:
            return kind_of_source(file.name, opened.read(SNIFFED)) == "rsl"
    except OSError:
        return True  # reading it says what is wrong


def root_of(file: Path) -> Path | None:
    """The directory of the site that a file speaks for as a whole; None if it speaks for itself alone."""
    name = file.name.lower()
    if name == "tdmrep.json" and file.parent.name == _WELL_KNOWN:
        return file.parent.parent
    return file.parent if name == "robots.txt" or name in _OF_SITES or _is_rsl(file) else None


def kind_of(name: str, octets: bytes) -> DocumentKind:
    """What a document is, by its name, else by how it begins. Raises `CallError` if lint does not read its format."""
    kind = kinds.kind_of(name, octets)
    if kind == "page" and name.lower().endswith(".txt"):
        # A page that says nothing of its use, under the name of a text, may stand where a robots.txt should be.
        kind = kinds.kind_of_text(octets)
    if kind is None:
        raise CallError(
            f"`{name}` is a {format_of(octets).upper()} file, and lint reads what sites and pages say; for its own "
            f"metadata: acap show --page {name}"
        )
    return kind


# Below this many documents a process more costs more than it brings.
_MANY = 64
_AT_ONCE = 16  # documents that a process takes at a time

Mode = Literal["report", "fix", "diff"]


class LintTask(NamedTuple):
    """One document, the rules for it, and what is known of it already; `unsafe` for its fixes.

    `site` is the robots.txt beside or above it among those that are linted, `beside` are all documents that speak for
    its site.
    """

    given: Given
    codes: tuple[str, ...]
    crawlers: frozenset[str] = frozenset()
    unsafe: bool = False
    known: Known | None = None
    site: Path | None = None
    beside: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True)
class LintWork:
    """What is done with every document; `count`: its findings are counted for a baseline.

    `prepended` is the block that is served before each robots.txt; `verdict`: what is to be known first is worked out.
    """

    mode: Mode = "report"
    output: str = "text"
    style: Style = field(default_factory=Style)
    kind: DocumentKind | None = None
    count: bool = False
    prepended: bytes | None = None
    verdict: bool = False


@dataclass(slots=True)
class LintOutcome:
    """What came of one document.

    `part` is what is printed of it, and `verdict` what is to be known first; `failure` is why nothing could be done,
    and `code` what the call then ends with; `missing` that a package is not installed. `causes` is the number of
    findings as people are told them.
    `mended`, `refused`: fixes by code. `counted` is for a baseline, `stale` what one holds and is not found any more.
    """

    name: str
    part: Any = ""
    verdict: str = ""
    causes: int = 0
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


def outcomes(tasks: Sequence[LintTask], work: LintWork) -> Iterator[LintOutcome]:
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
            pool.shutdown(cancel_futures=True)
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


def outcome(task: LintTask, work: LintWork) -> LintOutcome:
    """Lints one document, mends it if that is asked for, and says what is to be printed."""
    name = task.given.name
    done = LintOutcome(name)
    try:
        if task.given.unread:
            raise CallError(f"`{name}` {task.given.unread}")
        octets = read_file(str(task.given.file)) if task.given.octets is None else task.given.octets
        kind = work.kind or kind_of(name, octets)
        site = read_file(str(task.site)) if task.site is not None and kind == "page" else None
        beside = tuple(_beside(file) for file in task.beside if file != task.given.file)
        document = Document(
            octets, name, kind, url=task.given.url, known_crawlers=task.crawlers, site=site, beside=beside,
            path="/" if kind == "robots" else _path(task.given.file, task.beside),
            prepended=work.prepended if kind == "robots" else None,
        )  # fmt: skip
        if work.mode == "report":
            findings = run(document, task.codes)
        else:
            document, findings = _mended(document, task, work, done)
    except CallError as failure:
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
    if work.verdict and kind == "robots":
        # Its proofs import as much as the rest of lint.
        from acap.publish.verdict import verdict

        done.verdict = verdict(document, findings=findings).text
    return done


def _path(file: Path | None, beside: Sequence[Path]) -> str:
    """Where a file stands in its site."""
    root = root_of(beside[0]) if beside else None
    return "/" if file is None or root is None else f"/{file.relative_to(root).as_posix().removesuffix(HEADERS)}"


def _beside(file: Path) -> Document:
    """Another document of the site."""
    octets = read_file(str(file))
    return Document(octets, str(file), kind_of(file.name, octets))


def _mended(
    document: Document, task: LintTask, work: LintWork, done: LintOutcome
) -> tuple[Document, tuple[Finding, ...]]:
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


def _count(done: LintOutcome, findings: Sequence[Finding]) -> None:
    done.causes = len(causes(findings))
    for finding in findings:
        code, number = finding.counted
        done.codes[code] += number
        done.severities[finding.severity] += number
        if finding.fix is not None:
            done.fixable[finding.fix.safe] += 1


def watched(terminal: Terminal, names: tuple[str, ...], lint: Callable[[], Exit]) -> Exit:
    """Runs `lint` now and after each change below what is named; after a wrong call it waits for the next change.

    Raises `CallError` if the package that watches is not installed.
    """
    try:
        from watchfiles import watch
    except ModuleNotFoundError as error:
        raise CallError("`--watch` needs a package that is not installed; pip install 'acap[watch]'") from error
    places = names or (".",)
    code = lint()
    terminal.note("watching; Ctrl-C stops it")
    for _ in watch(*places):
        if sys.stdout.isatty():
            click.clear()
        config.forget()
        try:
            code = lint()
        except CallError as failure:
            # Half-written files and configurations are what a watcher sees.
            terminal.error(failure.message)
            code = Exit.WRONG_CALL
    return code
