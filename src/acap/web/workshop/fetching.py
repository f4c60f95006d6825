"""Fetching a policy on request: by acap's own retriever, and only from the public internet.

Every user of the server may name any URL, so no URL counts as the operator's own: an address in a private network is
refused, unless the server was started to allow it.
"""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlsplit

from acap.explain import visible
from acap.retrieval import Retrieved, Retriever, robots_url
from acap.retrieval.answers import FailureKind

_SECONDS = 20.0
_DOCUMENTS = (".txt", ".json", ".xml", ".rsl")


@dataclass(frozen=True, slots=True)
class FetchResult:
    """What came of it: the URL that was asked, the octets if there are any, and a sentence."""

    url: str
    octets: bytes | None
    level: str
    text: str


def fetched(where: str, *, allow_private: bool) -> FetchResult:
    """The robots.txt of a site, or the text file at a URL that ends as those of documents do."""
    given = where.strip()
    if not given:
        return FetchResult("", None, "error", "no address given; write one such as https://example.com/")
    url = given if "://" in given else f"https://{given}"
    try:
        target = url if urlsplit(url).path.lower().endswith(_DOCUMENTS) else robots_url(url)
        with Retriever(allow_private=allow_private, timeout=_SECONDS) as retriever:
            return _result(retriever.fetch(target, refresh=True, found=not allow_private))
    except ValueError as error:
        return FetchResult(given, None, "error", visible(str(error)))


def _result(retrieved: Retrieved) -> FetchResult:
    url = retrieved.url
    shown = visible(url)
    failure = retrieved.answer.failure
    if failure is not None:
        advice = "try again later, or paste the text"
        if failure.kind is FailureKind.ADDRESS_REFUSED:
            advice = "`acap serve --allow-private` lets the workshop reach private networks"
        return FetchResult(url, None, "error", f"{shown} cannot be retrieved: {visible(failure.text)}; {advice}")
    if retrieved.meaning != "read":
        what = "policy there, and nothing is forbidden" if url.lower().endswith(".txt") else "document there"
        absent = f"; there is no {what}" if retrieved.meaning == "absent" else ""
        return FetchResult(url, None, "warning", f"{shown} answered {retrieved.status}{absent}")
    number = len(retrieved.octets)
    way = (
        f" by way of {len(retrieved.chain)} redirect{'s' if len(retrieved.chain) > 1 else ''}"
        if retrieved.chain
        else ""
    )
    cut = ", cut at the limit of readers" if retrieved.answer.cut_at is not None else ""
    return FetchResult(url, retrieved.octets, "done", f"fetched {shown}{way}: {number:,} octets{cut}")
