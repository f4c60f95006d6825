"""A text of another dialect than robots.txt: what it says, and what it decides of a URL."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from acap import _native
from acap.carriers import Carriers, file_carriers
from acap.combine import decide_each
from acap.decision import Decision
from acap.explain import Node, visible
from acap.publish.compare import Comparison
from acap.publish.document_portrait import NAMES, document_portrait
from acap.publish.documents import BrokenDocumentError, compare_documents, read_document, site_of
from acap.publish.page_portrait import page_portrait
from acap.statement import Source
from acap.web.workshop.recognising import FILES, OF_ONE_URL
from acap.web.workshop.workspace import Workspace

SECONDS = 5.0
"""Time for what a document says of all paths, and for comparing two; what is left then is said to be."""


class UrlDecisions(NamedTuple):
    """Decisions on a URL, one for each usage in order; and what the text is called in their reasons."""

    decide: Callable[[str, Sequence[str]], Sequence[Decision]]
    names: Callable[[str], Mapping[str, str]]


def portrait(space: Workspace) -> Node:
    """What the text says, in plain words, with its problems. Raises ImportError where a page cannot be read."""
    name = space.source or "the text"
    if space.kind in OF_ONE_URL:
        return page_portrait(_carriers(space, space.address), name)
    return document_portrait(space.kind, space.octets, name, seconds=SECONDS)


def _carriers(space: Workspace, url: str | None) -> Carriers:
    """What a page or the headers of a response say. Raises ImportError, and ValueError for what is no URL."""
    carriers = file_carriers(space.octets, FILES[space.kind], url=url)
    if carriers.missing is not None:
        raise ImportError(
            f"reading pages needs a package that the server lacks; pip install 'acap[{carriers.missing}]'"
        )
    return carriers


def answers(space: Workspace) -> UrlDecisions:
    """What the text decides by itself. Raises ImportError where a page cannot be read."""
    question, called = space.question, space.source or FILES[space.kind]

    def decide(url: str, usages: Sequence[str], page: Source | None, others: Sequence[Source]) -> Sequence[Decision]:
        decided = decide_each(
            url, crawler=question.crawler, usages=usages, purpose=question.purpose, at=question.at, page=page,
            others=others,
        )  # fmt: skip
        return [decided[usage] for usage in usages]

    if space.kind in OF_ONE_URL:

        @lru_cache(maxsize=1)
        def carriers(url: str) -> Carriers:
            return _carriers(space, None if url.startswith("/") else url)

        return UrlDecisions(
            lambda url, usages: decide(url, usages, carriers(url).page, carriers(url).others),
            lambda url: {carriers(url).page.url or "page": called},
        )
    site, own = site_of(space.kind, space.octets), _native.origin(space.address or "")

    def at(url: str) -> str:
        """Where the document stands that speaks of a URL: on its site. Raises ValueError where it cannot."""
        of = _native.origin(url)
        if of and own and of != own:
            raise ValueError(f"`{url}` is not of the site {own}")
        return f"{of or own or site}{NAMES[space.kind][1]}"

    @lru_cache
    def read(url: str) -> Source:
        return read_document(space.kind, space.octets, url).source

    return UrlDecisions(lambda url, usages: decide(url, usages, None, [read(at(url))]), lambda url: {at(url): called})


def documents_compared(space: Workspace) -> Comparison:
    """How the text decides otherwise than the old version. Raises ValueError, with a sentence for people."""
    versions = (space.old_octets, space.octets)
    url = space.document_url or space.address or f"{site_of(space.kind, *versions)}/"
    try:
        return compare_documents(space.kind, *versions, url=url, seconds=SECONDS)
    except BrokenDocumentError as error:
        which = ("old version", "text")[error.place]
        raise ValueError(f"the {which} cannot be read as {space.called}: {visible(str(error))}") from error
