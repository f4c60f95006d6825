"""`acap compare`: which decisions change from one policy to another?"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial
from threading import Thread
from typing import NoReturn, TypeVar

import click

from acap.cli.io.asking import AT, complete_usage, crawler_name, usage_names
from acap.cli.io.changes import effective_tree, tree
from acap.cli.io.command import Command
from acap.cli.io.exits import Exit
from acap.cli.io.failures import CallError
from acap.cli.io.files import complete_file, is_url, read_file
from acap.cli.io.network import Network, is_out_of_reach
from acap.cli.io.options import DIALECT, JSON, Access, access_options
from acap.cli.io.policies import file_policy, warn_of_no_robots
from acap.cli.io.terminal import Terminal, pass_terminal, terminal_options
from acap.cli.io.urls import STDIN, check_url
from acap.problems import DocumentKind
from acap.publish.change_words import with_names_written
from acap.publish.compare import PATIENT_SECONDS, PATIENT_STEPS, Comparison
from acap.publish.compare import compare as compared
from acap.publish.convert.proof import looser
from acap.publish.lint.kinds import kind_of, kind_of_source
from acap.publish.prepended import prepended as with_block
from acap.robots import RobotsPolicy, parse_robots
from acap.schema import comparison_to_json, effective_to_json

T = TypeVar("T")

_EXITS = {"equal": Exit.PERMITTED, "different": Exit.PROHIBITED, "undecided": Exit.UNDETERMINED}


@click.command(cls=Command)
@click.argument("old", required=False, metavar="OLD", shell_complete=complete_file)
@click.argument("new", required=False, metavar="NEW", shell_complete=complete_file)
@click.option(
    "-c",
    "--crawler",
    "crawlers",
    type=crawler_name,
    multiple=True,
    metavar="NAME",
    help="Only this crawler; `*`: any that neither names. Repeatable.",
)
@click.option(
    "-u",
    "--usage",
    "usages",
    type=usage_names,
    shell_complete=complete_usage,
    multiple=True,
    metavar="U",
    help="Only this usage. Repeatable.",
)
@click.option("-p", "--purpose", "purposes", multiple=True, metavar="P", help="Only this purpose. Repeatable.")
@click.option(
    "--prepended",
    metavar="BLOCK",
    shell_complete=complete_file,
    help="A file with the block that a CDN puts before OLD: what is the policy then, and which lines does it undo?",
)
@click.option(
    "--fail-on",
    type=click.Choice(("any", "looser")),
    default="any",
    show_default=True,
    help="The changes that end with 1: any, or those that permit more or restrict otherwise.",
)
@AT
@DIALECT
@JSON
@access_options
@terminal_options
@pass_terminal
def compare(
    terminal: Terminal,
    old: str | None,
    new: str | None,
    crawlers: tuple[str, ...],
    usages: tuple[tuple[str, ...], ...],
    purposes: tuple[str, ...],
    prepended: str | None,
    fail_on: str,
    at: datetime | None,
    dialect: str,
    as_json: bool,
    access: Access,
) -> Exit:
    """Which decisions change from one policy to another?

    OLD and NEW are files or sites; one of them may be `-` for standard input. The report is on decisions, not lines:
    for which crawlers, purposes and usages which paths are decided differently, each with a shortest path as example. A
    report of no change is proved over all paths, not tried on some. Two files may also be of one other kind:
    tdmrep.json and its policies, ai.txt, licence documents (RSL), assertions of CAWG, pages, headers of a response.

    \b
    Ends with  0 if every decision stays,   1 if one changes (with --fail-on looser: if one permits more),
                3 if that could not be determined, or a site cannot be reached.

    \b
    # two files
    acap compare robots.txt new-robots.txt
    # what is live, and what will be
    acap compare https://example.com robots.txt
    # what a block of a CDN changes
    acap compare --prepended managed.txt robots.txt
    # what your edit changes
    git show HEAD:robots.txt | acap compare - robots.txt
    # fail only where it permits more
    git show HEAD:robots.txt | acap compare --fail-on looser - robots.txt
    """
    if prepended is not None:
        if crawlers or usages or purposes or at:
            raise CallError(
                "`--prepended` compares everything; for less compare with the whole: "
                "cat BLOCK robots.txt | acap compare --usage crawl robots.txt -"
            )
        if not old or new or old == prepended:
            raise CallError("`--prepended` goes with one policy: acap compare --prepended BLOCK robots.txt")
        return _with_block(terminal, prepended, old, dialect, access, as_json=as_json, fail_on=fail_on)
    if not old or not new:
        raise CallError("give two policies: acap compare OLD NEW")
    if old == new == STDIN:
        raise CallError("only one of the two can be read from standard input")
    with Network(access, terminal, dialect) as network:
        before, after = (_policy(name, dialect, network) for name in (old, new))
    kinds = [None if is_url(name) else _kind(name, one.octets) for name, one in ((old, before), (new, after))]
    if any(kinds):
        if crawlers or usages or purposes or at:
            raise CallError("`--crawler`, `--usage`, `--purpose` and `--at` are for two robots.txt")
        comparison = _interruptible(lambda: _of_documents((old, new), (before.octets, after.octets), kinds))
        return _printed(terminal, comparison, old, new, as_json=as_json, fail_on=fail_on)
    if any(map(is_out_of_reach, (before, after))):
        return Exit.UNDETERMINED  # the reason was printed
    for name, policy in {old: before, new: after}.items():
        if not is_url(name):
            warn_of_no_robots(name, policy, terminal)
    try:
        comparison = _interruptible(
            lambda: compared(
                _unbound(before),
                _unbound(after),
                crawlers=crawlers or None,
                usages=[name for names in usages for name in names] or None,
                purposes=purposes or None,
                at=at,
                steps=PATIENT_STEPS,
                seconds=PATIENT_SECONDS,
            )
        )
    except ValueError as error:
        raise CallError(str(error)) from error
    shown = comparison if crawlers or as_json else with_names_written(comparison, before, after)
    return _printed(terminal, shown, old, new, as_json=as_json, fail_on=fail_on)


def _printed(terminal: Terminal, comparison: Comparison, old: str, new: str, *, as_json: bool, fail_on: str) -> Exit:
    """What the call ends with, once the comparison is printed."""
    if as_json:
        terminal.line(json.dumps(comparison_to_json(comparison, old=old, new=new)))
    else:
        terminal.tree(tree(comparison, old, new))
    return _exit(comparison, fail_on)


def _exit(comparison: Comparison, fail_on: str) -> Exit:
    """What a comparison ends with; what is open may permit more, so it never counts as stricter."""
    if fail_on == "any" or comparison.verdict != "different" or looser(comparison.changes) is not None:
        return _EXITS[comparison.verdict]
    return Exit.UNDETERMINED if comparison.undecided else Exit.PERMITTED


def _of_documents(names: Sequence[str], octets: Sequence[bytes], kinds: Sequence[DocumentKind | None]) -> Comparison:
    """How two documents of one other kind differ. Raises `CallError` for any others."""
    # Readers of every dialect: 0.12 s that a robots.txt does without.
    from acap.publish.documents import BrokenDocumentError, compare_documents, site_of

    name, kind = next((name, kind) for name, kind in zip(names, kinds, strict=True) if kind is not None)
    if {*kinds} != {kind}:
        other = next(one for one, other in zip(names, kinds, strict=True) if other != kind)
        raise CallError(
            f"`{name}` is a document of the kind `{kind}`, and `{other}` is not; name two of one kind; "
            "acap verify compares a folder of documents with a site's"
        )
    try:
        return compare_documents(kind, *octets, url=f"{site_of(kind, *octets)}/")
    except BrokenDocumentError as error:
        raise CallError(f"`{names[error.place]}` cannot be read: {error}; acap lint shows what is wrong") from error


def _kind(name: str, octets: bytes) -> DocumentKind | None:
    """What a file is, if it is no robots.txt; pages and headers, which may stand in the place of one, by name alone."""
    found = kind_of_source(name, octets) or kind_of(name, b"")
    return None if found == "robots" else found


def _with_block(
    terminal: Terminal, block: str, name: str, dialect: str, access: Access, *, as_json: bool, fail_on: str
) -> Exit:
    """What the policy is with a block before it."""
    with Network(access, terminal, dialect) as network:
        own = _policy(name, dialect, network)
    if not is_url(name) and (kind := kind_of_source(name, own.octets)) is not None:
        raise CallError(f"`{name}` is a document of the kind `{kind}`; a block is put before a robots.txt")
    if is_out_of_reach(own):
        return Exit.UNDETERMINED
    octets = read_file(block, what="block of a robots.txt")
    effective = _interruptible(lambda: with_block(octets, own.octets, dialect=dialect))
    comparison, title = effective.comparison, f"{block} before {name}"
    if as_json:
        terminal.line(json.dumps(effective_to_json(effective, old=name, new=title)))
    else:
        terminal.tree(effective_tree(effective, name, title))
    return _exit(comparison, fail_on)


def _policy(name: str, dialect: str, network: Network) -> RobotsPolicy:
    if is_url(name):
        return network.policy(check_url(name, path_is_enough=False), None)
    return file_policy(name, dialect)


def _unbound(policy: RobotsPolicy) -> RobotsPolicy:
    """The policy without its site: two sites are compared path by path."""
    if policy.url is None or policy.state != "present":
        return policy if policy.url is None else type(policy).absent(None, dialect=policy.dialect)
    return parse_robots(policy.octets, dialect=policy.dialect)


def _interruptible(work: Callable[[], T]) -> T:
    """What `work` returns, or raises; Ctrl-C ends at once what would not look for it before its end."""
    ends: list[Callable[[], T]] = []

    def run() -> None:
        try:
            result = work()
        except Exception as error:  # noqa: BLE001  it is raised where it is waited for
            ends.append(partial(_raised, error))
        else:
            ends.append(lambda: result)

    thread = Thread(target=run, daemon=True)
    thread.start()
    thread.join()
    return ends[0]()


def _raised(error: Exception) -> NoReturn:
    raise error
