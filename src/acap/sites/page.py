"""How a page is asked for: of a crawler that may crawl it, within the bounds of pages, and never from a cache."""

from __future__ import annotations

from collections.abc import Callable

from acap.carriers import WITH_TERMS
from acap.dialects.response import parse_response
from acap.retrieval.answers import Answer
from acap.retrieval.client import Gathering, Retriever
from acap.retrieval.plan import WantedUrl

PAGE_OCTETS = 32 * 1024 * 1024
"""Of a page, decoded; the reader's own limit is as many characters."""
PAGE_ACCEPT = "text/html, application/xhtml+xml, */*;q=0.5"


def page_wanted(
    url: str,
    may: Callable[[str], bool],
    *,
    typed: bool = True,
    deadline: float | None = None,
    octets: int | None = None,
) -> WantedUrl:
    """A page, and the terms that stand in its place.

    Nothing of pages is kept: they change when they like, and a policy must be theirs of now.

    Args:
        url: its URL, in canonical form.
        may: whether the URL of a request may be crawled; it is asked before each of them.
        typed, deadline: as of `WantedUrl`.
        octets: how many are read; None for `PAGE_OCTETS`.
    """
    return WantedUrl(
        url,
        refresh=True,
        typed=typed,
        deadline=deadline,
        octets=PAGE_OCTETS if octets is None else octets,
        accept=PAGE_ACCEPT,
        may=may,
        keep=False,
        bodies_of=WITH_TERMS,
    )


def page_answer(retriever: Retriever, wanted: WantedUrl) -> Answer:
    """What came for a page that is wanted alone."""

    def steps() -> Gathering[Answer]:
        (came,) = yield [wanted]
        return came.answer

    return retriever.gather(steps())


def page_missing(answer: Answer) -> str:
    """Why an answer is none of a page, as the rest of a sentence about its URL; empty if it is one.

    One that says what fetching takes, a payment or a licence, is one.
    """
    if answer.failure is not None:
        return f"cannot be retrieved: {answer.failure.text}"
    status = answer.status or 0
    if not 200 <= status < 300 and not parse_response(status, headers=answer.headers).found:
        return f"answered {status}: there is no page"
    if answer.cut_at is not None:
        return f"is larger than {answer.cut_at >> 20} MiB, the limit for a page"
    return ""
