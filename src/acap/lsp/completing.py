"""What may be written in a robots.txt at a place: fields, crawlers, usages, restrictions, names that it defines."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from lsprotocol.types import CompletionItemKind

from acap.crawler_list import FIRST, known_crawlers
from acap.lsp.opened import OpenDocument
from acap.outline import Field
from acap.restrictions import TABLE
from acap.robots import parse_robots
from acap.usages import COMPOSITES, PARENTS, WORDS

CONVENTIONAL: Final = {
    "User-agent": "the crawler that the lines below are for",
    "Disallow": "what it must not crawl",
    "Allow": "what it may crawl nevertheless",
    "Sitemap": "the whole URL of a sitemap",
    "Crawl-delay": "seconds between two requests",
    "Content-Signal": "search, ai-input and ai-train: yes or no (Cloudflare)",
    "Content-Usage": "search and train-ai: y or n (AIPREF)",
    "License": "the whole URL of a licence document (RSL)",
}
"""Fields of groups, and those beside them."""
_ACAP: Final = {
    "ACAP-crawler": "the crawler that the ACAP lines below are for",
    "ACAP-usage-purpose": "the purpose that the ACAP lines below are for",
    "ACAP-resource-set": "a name for resources",
    "ACAP-qualified-usage": "a name for a usage under restrictions",
    "ACAP-composite-usage": "a name for several usages",
    "ACAP-permissions-reference": "where the permissions are",
    "ACAP-ignore-conventional-records": "Allow and Disallow do not count",
}
_SIGNALS: Final = {
    "Content-Signal": tuple(
        f"{name}={value}" for name in ("search", "ai-input", "ai-train") for value in ("yes", "no")
    ),
    "Content-Usage": tuple(f"{name}={value}" for name in ("train-ai", "search") for value in ("y", "n")),
}
_NAMED: Final = ("crawler", "User-agent")
_VERBS: Final = ("allow-", "disallow-")


class Completion(NamedTuple):
    """A text that may stand at the place, what it is, and what to say of it; `rank` orders those of one place."""

    text: str
    kind: CompletionItemKind
    about: str
    rank: int = 0


def completions(opened: OpenDocument, before: str) -> Iterator[Completion]:
    """What may follow `before`, the begin of a line; nothing in another document than a robots.txt.

    The texts replace the word before the place.
    """
    if opened.kind != "robots":
        return
    # The outline alone tells where a field's name ends.
    field = parse_robots(f"{before}x").outline.by_line.get(1)
    if field is None or not field.value_span.start or field.value_span.start > len(before.encode("utf-8", "replace")):
        yield from _fields()
    elif field.name in _NAMED:
        first = {name: place for place, name in enumerate(FIRST)}
        yield Completion("*", CompletionItemKind.Value, "any crawler that no line names")
        for crawler in known_crawlers():
            if not crawler.retired:
                rank = first.get(crawler.name, len(first)) + 1
                yield Completion(
                    crawler.name, CompletionItemKind.Value, f"{crawler.operator}: {', '.join(crawler.purposes)}", rank
                )
    elif field.kind in _SIGNALS:
        for text in _SIGNALS[field.kind]:
            yield Completion(text, CompletionItemKind.Value, "")
    elif field.name.startswith(_VERBS):
        yield from _of_permission(opened, field)


def _fields() -> Iterator[Completion]:
    for name, about in CONVENTIONAL.items():
        yield Completion(f"{name}: ", CompletionItemKind.Field, about)
    for name, about in _ACAP.items():
        yield Completion(f"{name}: ", CompletionItemKind.Field, about, 1)
    for usage in (*PARENTS, *COMPOSITES):
        for verb, word in (("disallow", "must not"), ("allow", "may")):
            text = f"ACAP-{verb}-{usage}: "
            yield Completion(text, CompletionItemKind.Field, f"{word}: {WORDS[usage].question}", 2)


def _of_permission(opened: OpenDocument, field: Field) -> Iterator[Completion]:
    for definition in opened.document.outline.definitions:
        if definition.name == "resource-set" and definition.defines:
            text = f"the-acap:resource-set:{definition.defines}"
            yield Completion(text, CompletionItemKind.Reference, f"line {definition.line}: {definition.value}")
    if field.name.startswith("allow-"):
        for name, row in TABLE.items():
            yield Completion(f"{name}=", CompletionItemKind.Property, f"a restriction of {', '.join(row.usages)}", 1)
