"""Presets to begin a draft with: a meaning that many sites have, its rules, and what changes for whom.

    draft = begun(STARTS["quote"], Draft())
    robots_text(draft)

They say what ACAP has words for, to every crawler. `acap.publish.presets` says one meaning in every carrier.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import NamedTuple
from urllib.parse import urlsplit

from acap.publish.compose.draft import ANY, Draft, DraftError, Rule
from acap.publish.compose.talk import added
from acap.publish.unbound import UNREADING

_EVERYWHERE = ("/",)


class Start(NamedTuple):
    """A preset: what it is called, its rules for every crawler, and pairs of who and what changes for them.

    `has_terms`: it names the licence document at which a licence is offered. `elsewhere` is what to add for crawlers
    that read none of its lines; empty where the preset says so itself. `everywhere` is the preset of
    `acap.publish.presets` that says the same in what they read too.
    """

    name: str
    title: str
    rules: tuple[Rule, ...]
    changes: tuple[tuple[str, str], ...]
    has_terms: bool = False
    elsewhere: str = ""
    everywhere: str = ""


UNREAD = f"large crawlers ({', '.join(UNREADING)}) do not read ACAP, so these lines do not bind them."
"""What is true of every preset that writes ACAP alone."""

_UNCHANGED = "nothing changes"


def _may(usage: str, **limits: str) -> Rule:
    restrictions = tuple((name.replace("_", "-"), value) for name, value in limits.items())
    return Rule(True, usage, _EVERYWHERE, restrictions)


def _not(usage: str) -> Rule:
    return Rule(False, usage, _EVERYWHERE)


STARTS: Mapping[str, Start] = MappingProxyType({
    one.name: one
    for one in (
        Start(
            "no-training",
            "No AI training",
            (_not("ai-train"),),
            (
                ("makers of AI models", "must not train on the site, generative models included"),
                ("search engines", f"{_UNCHANGED}: they may index, link and quote"),
                ("AI answers", f"{_UNCHANGED}: a page may still be read to answer a question"),
            ),
            elsewhere=f"{UNREAD} Add for them `User-agent: GPTBot` with `Disallow: /` for each that trains, and "
            "`Content-Signal: ai-train=no` and `Content-Usage: train-ai=n` (AIPREF); the preset no-ai-training does",
            everywhere="no-ai-training",
        ),
        Start(
            "quote",
            "Quote, do not copy",
            (
                _may("present-link"), _may("present-snippet"), _may("present-extract"),
                _not("present"), _not("preserve"),
            ),
            (
                ("search engines", "may index, link and show snippets and extracts, but no page as a whole"),
                ("caches and archives", "must not keep copies, and so show none"),
                ("makers of AI models", f"{_UNCHANGED}: add “No AI training” (no-training) if they shall not train"),
            ),
            elsewhere=f"{UNREAD} Add for them the header `X-Robots-Tag: noarchive`, against copies that are shown",
        ),
        Start(
            "snippet-200",
            "Index, show a snippet of 200 characters",
            (_may("index"), _may("present-link"), _may("present-snippet", max_length="200-chars"), _not("present")),
            (
                ("search engines", "may index and link; what they show of a text ends after 200 characters"),
                ("previews and news pages", "must not show pictures, extracts or copies"),
                ("makers of AI models", f"{_UNCHANGED}: add “No AI training” (no-training) if they shall not train"),
            ),
            elsewhere=f"{UNREAD} Add for them the header `X-Robots-Tag: max-snippet:200, noarchive, noimageindex`",
        ),
        Start(
            "licence",
            "Nothing without a licence",
            (),
            (
                ("makers of AI models", "may mine, train and answer only as the licence document says"),
                ("search engines", "do what the document says of search, if they read it"),
                ("crawlers that do not read RSL", f"{_UNCHANGED}: refuse them by name where that matters"),
            ),
            has_terms=True,
        ),
        Start(
            "archive-year",
            "Archive for a year",
            (_may("preserve", time_limit="365-days"), _may("present-oldcopy", time_limit="365-days")),
            (
                ("archives and caches", "may keep a copy and show it for 365 days, and must then remove it"),
                ("search engines", f"{_UNCHANGED}: they may index, link and quote"),
                ("makers of AI models", f"{_UNCHANGED}: add “No AI training” (no-training) if they shall not train"),
            ),
            elsewhere=f"{UNREAD} No word of theirs limits how long a copy is kept; the header "
            "`X-Robots-Tag: noarchive` refuses to show any",
        ),
    )
})  # fmt: skip
"""Every preset by its name, in the order in which they are offered."""


def begun(start: Start, draft: Draft, *, terms: str | None = None) -> Draft:
    """A draft with the rules of a preset; `terms` is the URL of the licence document, where it names one.

    Raises:
        DraftError: there is no URL where one is needed, or one that is not absolute.
    """
    if start.has_terms:
        parts = urlsplit(terms or "")
        if parts.scheme not in ("http", "https") or not parts.netloc or terms is None or len(terms.split()) != 1:
            raise DraftError(
                "write the whole URL of your licence document, such as https://www.example.com/license.xml"
            )
        lines = draft.kept.rstrip("\n").split("\n") if draft.kept else []
        line = f"License: {terms}"
        return draft if line in lines else replace(draft, kept="\n".join([*lines, *([""] if lines else []), line]))
    return added(draft, (ANY,), (), start.rules)


def changes_of(starts: Iterable[Start]) -> Iterator[str]:
    """What changes for whom by several presets: that nothing changes by one of them is said where none changes it."""
    by_crawler: dict[str, list[str]] = {}
    for who, what in (change for start in starts for change in start.changes):
        by_crawler.setdefault(who, []).append(what)
    for who, changes in by_crawler.items():
        changed = [what for what in changes if not what.startswith(_UNCHANGED)]
        yield from (f"{who}: {what}" for what in dict.fromkeys(changed or changes[:1]))


def clash(starts: Iterable[Start]) -> tuple[str, str, str] | None:
    """The names of two presets that say different things of a usage, and that usage."""
    stated: dict[str, tuple[str, Rule]] = {}
    for start in starts:
        for rule in start.rules:
            name, other = stated.setdefault(rule.usage, (start.name, rule))
            if rule != other:
                return name, start.name, rule.usage
    return None
