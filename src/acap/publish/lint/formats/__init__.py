"""The forms in which findings are given out; each is a module, imported when it is asked for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from importlib import import_module
from typing import Any, NamedTuple, Protocol, cast

from acap.publish.lint.document import Document
from acap.publish.lint.finding import Finding

FORMATS = ("text", "json", "sarif", "github", "junit")
"""Each form, by the name of the module of this package that gives it."""


class Style(NamedTuple):
    """How findings are printed: with colour or without, to a width of `columns`; `strict`: `info` fails too.

    `rules_url` is where the page of rules stands, with an anchor for each code.
    """

    colour: bool = False
    columns: int = 100
    strict: bool = False
    rules_url: str | None = None


class Format(Protocol):
    """What each module of this package offers."""

    def part(self, document: Document, findings: Sequence[Finding], style: Style) -> Any:
        """What `whole` takes for one document; it can be pickled."""

    def whole(self, parts: Iterable[Any], style: Style) -> Iterator[str]:
        """Pieces of output that make the parts of all documents one, each written as it comes."""


def format_named(name: str) -> Format:
    """The form of one of `FORMATS`."""
    return cast("Format", import_module(f"{__name__}.{name}"))


def start_of(finding: Finding) -> tuple[int, int]:
    """Line and column at which what is underlined begins; of the document as a whole its first character."""
    return (finding.line, finding.column) if finding.line else (1, 1)


def end_of(document: Document, finding: Finding) -> tuple[int, int]:
    """Line and column after what is underlined; of the document as a whole its first character."""
    return document.place(max(finding.end, finding.start)) if finding.line else (1, 1)
