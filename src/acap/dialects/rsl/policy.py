"""A licence document of RSL 1.0 as a source of statements.

document = parse_rsl(octets, url="https://example.com/licence.xml")
acap.decide("https://example.com/a", crawler="examplebot", usage="ai-train", others=[document])
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from acap._native import Statement
from acap.crawlers import Crawler
from acap.dialects.rsl.document import RslContent
from acap.dialects.rsl.evaluation import (
    Verdict,
    Verdicts,
    licensing_nothing,
    of_contents,
    statements,
    together,
    unknown,
)
from acap.dialects.rsl.reading import MAX_AGE, LicenceReader
from acap.dialects.well_known import is_plain
from acap.licensee import Licensee
from acap.problems import Problem


@dataclass(frozen=True, slots=True)
class RslDocument:
    """What a licence document says of the resources of the site that refers to it: a `Source`.

    `url` is its own, `max_age` the days after which it and what refers to it must be retrieved again. Where it could
    not be read to its end, `is_whole` is false: it prohibits every use of content. One of plain http licenses nothing.
    """

    url: str | None
    contents: tuple[RslContent, ...] = ()
    max_age: int = MAX_AGE
    is_whole: bool = True
    problems: tuple[Problem, ...] = field(default=(), compare=False)

    @property
    def dialect(self) -> str:
        """The name of its dialect."""
        return "rsl"

    def statements(self, url: str) -> tuple[Statement, ...]:
        """What it says of a resource to anybody; what depends on who asks counts against an unknown asker."""
        return tuple(statements(self.verdicts(url, None)))

    def statements_for(self, url: str, crawler: Crawler) -> tuple[Statement, ...]:
        """What it says of a resource to who asks, by `crawler.licensee`."""
        return tuple(statements(self.verdicts(url, crawler.licensee)))

    def verdicts(self, url: str, licensee: Licensee | None, *, has_scope: bool = False) -> Verdicts:
        """The verdicts on a resource for who asks; `has_scope` as of `of_contents`."""
        by_use = of_contents(self.contents, url, licensee, document=self.url, has_scope=has_scope)
        if is_plain(self.url):
            by_use = licensing_nothing(by_use, "a licence document that comes by plain http licenses nothing")
        if self.is_whole:
            return by_use
        text = self.problems[0].message if self.problems else "the licence document could not be read"
        return together([by_use, unknown(Verdict("prohibited", text, source=self.url))])


def whole_documents(documents: Mapping[str, RslDocument | None]) -> frozenset[str]:
    """The URLs of the documents of which all is known that they say."""
    return frozenset(url for url, document in documents.items() if document is not None and document.is_whole)


def parse_rsl(octets: bytes | str, *, url: str | None = None) -> RslDocument:
    """Reads a licence document, or the licences in a feed. No content makes it raise, and nothing else is retrieved.

    What it is is told by its namespace, not by a media type (RSL 1.0 2.2).

    Args:
        octets: the document as it was retrieved, or its text.
        url: where it is from, for statements and conditions.

    Raises:
        TypeError: neither bytes nor a text.
    """
    if not isinstance(octets, (bytes, str)):
        raise TypeError("a licence document must be bytes, or its text")
    read = LicenceReader(octets)
    return RslDocument(url, read.contents, read.max_age, read.is_whole, read.problems)
