"""Search, what is known of one resource, and the reasons why something is not shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from acap import explain
from acap.harvest.presentation import (
    Copy,
    Included,
    Judged,
    Presentation,
    Representation,
    State,
    copy,
    extract,
    link,
    original,
    snippet,
    thumbnail,
)
from acap.harvest.presentation.representation import refusal, withheld
from acap.harvest.store.database import words_of
from acap.web.pages import host, page, segments
from acap.web.serving import Serving, not_found, serving_of

RESULTS = 10
"""Results of a page."""

_PAGES = 50
_QUERY = 300


@dataclass
class SearchResult:
    """One result: what may be shown of a version. `held_back` says why nothing of it is shown at all."""

    judged: Judged
    link: Representation
    snippet: Representation
    thumbnail: Representation
    copy: Copy
    original: Representation
    words: Sequence[str] = ()
    versions: int = 0
    held_back: str = ""
    extract: Representation | None = None
    older: list[SearchResult] = field(default_factory=list)
    ticket: str = ""

    @property
    def site(self) -> str:
        """Whose it is."""
        return host(self.judged.version.url)

    @property
    def everything(self) -> list[Representation]:
        """All representations, in the order in which they are shown."""
        extracts = [] if self.extract is None else [self.extract]
        return [self.link, self.snippet, *extracts, self.thumbnail, self.copy.representation, self.original]

    @property
    def withheld(self) -> list[Representation]:
        """What its publisher's words hold back."""
        return [one for one in self.everything if one.is_withheld]

    @property
    def included(self) -> list[tuple[Included, Representation]]:
        """What has to be shown with what is shown here, each once, and for which representation."""
        shown = [self.link, self.snippet, self.thumbnail, *([] if self.extract is None else [self.extract])]
        images: dict[Included, Representation] = {}
        for one in shown:
            for included in one.included if one.is_shown else ():
                images.setdefault(included, one)
        return list(images.items())

    def segments(self, representation: Representation) -> list[tuple[str, bool]]:
        """A text in pieces, words of the query marked if they may be."""
        return segments(representation.text, self.words if representation.may_annotate else ())


def search(request: Request, presentation: Presentation) -> Response:
    """The page with the question and its results."""
    serving = serving_of(request)
    query = request.query_params.get("q", "").strip()[:_QUERY]
    number = _page_number(request)
    words = words_of(query)
    store = presentation.store
    hits = store.database.search(words, RESULTS + 1, (number - 1) * RESULTS) if words else []
    results = []
    for version, _ in hits[:RESULTS]:
        judged = presentation.judged(version)
        if judged is not None:
            results.append(result(serving, presentation, judged, query))
    for hit in results:
        if not hit.held_back:
            presentation.note(hit.link, hit.snippet)
            if hit.thumbnail.is_shown and hit.thumbnail.image is None:
                presentation.note(hit.thumbnail)
                hit.ticket = serving.ticket(hit.judged.version.id, hit.thumbnail.usage, presentation.at)
    return page(
        "search.html",
        query=query,
        here="search",
        crawler=serving.crawler,
        results=results,
        number=number,
        more=len(hits) > RESULTS and number < _PAGES,
        counts=store.resources.counts() if not query else None,
    )


def item(request: Request, presentation: Presentation) -> Response:
    """All that may be shown of one version, and of those before it."""
    serving = serving_of(request)
    query = request.query_params.get("q", "").strip()[:_QUERY]
    judged = presentation.judged(request.path_params["version"])
    if judged is None:
        return not_found(request)
    shown = result(serving, presentation, judged, query, at_length=True)
    if not shown.held_back:
        others = presentation.older(judged)
        shown.older = [result(serving, presentation, one, query) for one in others]
        is_long = shown.extract is not None and shown.extract.is_shown
        presentation.note(shown.link, shown.extract if is_long and shown.extract is not None else shown.snippet)
        presentation.note(*(one.snippet for one in shown.older))
    return page("item.html", query=query, here="search", one=shown, now=presentation.at)


def why(request: Request, presentation: Presentation) -> Response:
    """Why a usage of a version is permitted or not, with the statements that say so."""
    judged = presentation.judged(request.path_params["version"])
    usage = request.path_params["usage"]
    if judged is None:
        return not_found(request)
    shown = result(serving_of(request), presentation, judged, "", at_length=True)
    everything = [_entry(judged), *shown.everything]
    representation = next((one for one in everything if one.usage == usage), None)
    if representation is None:
        return not_found(request)
    # The headline has the URL of the page, which may be withheld too.
    tree = explain.tree(representation.decision, names=judged.names)
    policy = None if judged.policy is None else presentation.store.policies.fetched_at(judged.policy)
    return page(
        "why.html", query="", here="search", one=representation, shown=shown, tree=tree.children, policy=policy,
        crawler=", ".join(presentation.store.operator.names), purposes=presentation.store.operator.purposes,
        now=presentation.at,
    )  # fmt: skip


def result(
    serving: Serving, presentation: Presentation, judged: Judged, query: str, *, at_length: bool = False
) -> SearchResult:
    """What may be shown of a version."""
    held_back = ""
    if judged.hidden:
        held_back = judged.hidden
    elif judged.version.is_indexed and not judged.permits("index"):
        # The next sweep takes it out of the index; until then it is found, and not shown.
        held_back = refusal(judged, "index")
    return SearchResult(
        judged,
        link(presentation, judged),
        snippet(presentation, judged, query),
        thumbnail(presentation, judged, serving.no_thumbnails()),
        copy(presentation, judged),
        original(presentation, judged),
        words_of(query),
        _kept(presentation, judged),
        held_back,
        extract(presentation, judged, query) if at_length else None,
    )


def _entry(judged: Judged) -> Representation:
    """Whether it may be in the index, by which it is found."""
    if not judged.permits("index"):
        return withheld(judged, "index")
    return Representation("index", State.SHOWN, judged.decision("index"))


def robots(_: Request) -> Response:
    """What crawlers may do here: nothing. What is shown is others' content, under policies of their own."""
    return PlainTextResponse("User-agent: *\nDisallow: /\n")


def _kept(presentation: Presentation, judged: Judged) -> int:
    versions = presentation.store.resources.versions(judged.resource.id, held=True)
    return sum(1 for version in versions if version.place is not None and version.id != judged.version.id)


def _page_number(request: Request) -> int:
    number = request.query_params.get("page", "1")
    return min(max(int(number), 1), _PAGES) if number.isascii() and number.isdigit() and len(number) < 4 else 1
