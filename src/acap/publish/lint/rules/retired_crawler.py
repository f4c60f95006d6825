"""Names of crawlers that are run no more."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from acap.crawler_list import KnownCrawler, as_of, known, known_crawlers
from acap.outline import Field
from acap.problems import Example
from acap.publish.lint.crawler_names import listing, named
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Edit, Finding, Fix, Related
from acap.publish.lint.harmless import permits_no_more
from acap.publish.lint.mending import eol
from acap.publish.lint.rule import Rule

MOST = 5  # further lines pointed at, and names that one fix adds: other rules have proofs to make too


class _Retired(NamedTuple):
    """A line that names a crawler which is run no more."""

    line: int
    name: str
    crawler: KnownCrawler


class _Addition(NamedTuple):
    """The name that asks since beside a retired one: what writes it, and whether it comes for the same."""

    retired: str
    name: str
    edits: tuple[Edit, ...]
    same_purpose: bool


def check(document: Document) -> Iterator[Finding]:
    """One finding a document: at the first such name, with the others beside it.

    One fix names those who ask since beside them, where that is proved to permit nobody more.
    """
    own = {name.lower() for name in document.known_crawlers}
    each = [(one, known(one.name)) for one in named(document)]
    retired = [
        _Retired(one.line, one.name, crawler)
        for one, crawler in each
        if crawler is not None and crawler.retired and crawler.name.lower() not in own
    ]
    if not retired:
        return
    first = retired[0]
    message = f"as of {as_of()}, these crawlers no longer run: {listing([one.name for one in retired])}"
    if len({one.name for one in retired}) == 1:
        message = f"as of {as_of()}, `{first.name}` no longer runs"
    there = {crawler.name: one.line for one, crawler in reversed(each) if crawler is not None}
    fix = _fix(document, retired, there)
    yield RULE.at_line(
        document,
        first.line,
        message,
        help=_help(first, there, fix),
        fix=fix,
        related=tuple(
            Related(one.line, f"now `{one.crawler.instead}`" if one.crawler.instead else f"`{one.name}`")
            for one in retired[1 : MOST + 1]
        ),
    )


def _help(first: _Retired, there: dict[str, int], fix: Fix | None) -> str | None:
    """Who asks instead, and what to write where no fix does."""
    name = first.crawler.instead
    if fix is not None:
        now = f"`{first.name}` is now `{name}`; " if name else ""
        return now + fix.title
    if name is None:
        return None
    if name in there:
        return f"`{first.name}` is now `{name}`, which line {there[name]} names"
    return f"`{first.name}` is now `{name}`; write the rules that you mean for it under `User-agent: {name}`"


def _fix(document: Document, retired: Sequence[_Retired], there: dict[str, int]) -> Fix | None:
    """The names that may be added without doubt; if there are none, those that come for something else now."""
    additions = [
        one
        for one in islice(_additions(document, retired, there), MOST)
        if permits_no_more(document, one.edits, _concerned(one.name))
    ]
    chosen = [one for one in additions if one.same_purpose] or additions
    edits = tuple(edit for one in chosen for edit in one.edits)
    names = [name for one in chosen for name in _concerned(one.name)]
    if len(chosen) > 1 and not permits_no_more(document, edits, list(dict.fromkeys(names))):
        chosen, edits = chosen[:1], chosen[0].edits
    if not chosen:
        return None
    each = ", ".join(f"`{one.name}` beside `{one.retired}`" for one in chosen)
    return Fix(f"name {each} too", edits, safe=chosen[0].same_purpose)


def _concerned(name: str) -> list[str]:
    """Whose rules change with those for a name: its crawler's, and those of the ones that obey its group."""
    return [name, *(crawler.name for crawler in known_crawlers() if name in crawler.fallback)]


def _additions(document: Document, retired: Sequence[_Retired], there: dict[str, int]) -> Iterator[_Addition]:
    """For each name that asks since, and that the file has nowhere, the lines that put it beside the retired ones.

    Where the retired names are told different things, it is for the author to say which are meant.
    """
    since = {one.crawler.instead: one for one in reversed(retired) if one.crawler.instead}
    for name, first in reversed(since.items()):
        lines = {one.line for one in retired if one.crawler.instead == name}
        beside = _AddedBeside(document, lines)
        if name in there or not beside.has_same_rules:
            continue
        were = {purpose for one in retired if one.line in lines for purpose in one.crawler.purposes}
        asks = known(name)
        same = asks is not None and not were.isdisjoint(asks.purposes)
        edits = tuple(_beside(document, line, name) for line in beside.firsts)
        yield _Addition(first.name, name, edits, same)


class _AddedBeside:
    """Where a name goes: behind the last of the retired lines in one group, and in each record."""

    def __init__(self, document: Document, lines: set[int]) -> None:
        groups = [group for group in document.groups if any(agent.line in lines for agent in group.agents)]
        records = [record for record in document.records if any(field.line in lines for field in record.crawlers)]
        self.has_same_rules = all(
            len({tuple(map(_words_of, body)) for body in bodies}) < 2
            for bodies in ([group.body for group in groups], [_body(record.fields) for record in records])
        )
        heads = [group.agents for group in groups[:1]] + [record.crawlers for record in records[:1]]
        self.firsts = [max(field.line for field in head if field.line in lines) for head in heads]


def _body(fields: Sequence[Field]) -> list[Field]:
    return [field for field in fields if field.name != "crawler"]


def _words_of(field: Field) -> tuple[str, str]:
    return field.name, field.value


def _beside(document: Document, line: int, name: str) -> Edit:
    """The edit that writes a name on a line of its own below another, with the same field."""
    field = document.outline.by_line[line]
    written = "User-agent" if field.kind == "User-agent" else "ACAP-crawler"
    if (same := document.outline.octets(field.name_span)).lower() == written.lower().encode():
        written = same.decode()
    at = document.bounds(line)[1]
    return Edit(at, at, eol(document) + f"{written}: {name}".encode())


RULE = Rule(
    code="retired-crawler",
    summary="a named crawler no longer runs",
    severity="info",
    why=(
        "Operators rename or retire crawlers. Rules for the old name do not apply to the new one: a site that refused "
        "`Claude-Web` did not address `ClaudeBot` by that. The list of known crawlers has a date and follows what "
        "operators had published by then.\n\nThe fix names the new one beside the old, where no crawler may do more by "
        "it. It is safe if the new one comes for what the old one came for."
    ),
    clause="RFC 9309 2.2.1",
    examples=(
        Example(
            bad="User-agent: anthropic-ai\nDisallow: /\n",
            good="User-agent: ClaudeBot\nDisallow: /\n",
            fixed="User-agent: anthropic-ai\nUser-agent: ClaudeBot\nDisallow: /\n",
        ),
        Example(
            bad="User-agent: Claude-Web\nDisallow: /\n",
            good="User-agent: ClaudeBot\nDisallow: /\n",
            fixed="User-agent: Claude-Web\nUser-agent: ClaudeBot\nDisallow: /\n",
        ),
        Example(
            bad="User-agent: *\nDisallow: /\n\nUser-agent: Claude-Web\nAllow: /\n",
            good="User-agent: *\nDisallow: /\n\nUser-agent: ClaudeBot\nAllow: /\n",
        ),
    ),
    check=check,
    fix="safe",
)
