"""Fetching a policy or a page on request: by acap's own retriever, and only from the public internet.

Every user of the server may name any URL, so no URL counts as the operator's own: an address in a private network is
refused, unless the server was started to allow it. A page is asked for only if the crawler in question may crawl it.
"""

from __future__ import annotations

import time
from codecs import BOM_UTF8
from dataclasses import dataclass
from urllib.parse import urlsplit

from acap._native import format_of
from acap.carriers import Carriers, carriers, file_carriers
from acap.decision import crawler_text
from acap.explain import visible
from acap.pages import xhtml
from acap.pages.coded import why_coded
from acap.pages.encoding import decode
from acap.pages.media_types import begins_as_xml, content_type, extract, is_xml, reading
from acap.retrieval import Answer, Retrieved, Retriever, canonical, robots_url
from acap.retrieval.answers import FailureKind
from acap.robots import Asker
from acap.sites.page import page_answer, page_missing, page_wanted
from acap.web.workshop.encoding import octets_of, opened
from acap.web.workshop.forms import MAX_TEXT

_SECONDS = 20.0
_DOCUMENTS = (".txt", ".json", ".xml", ".rsl")
_UNKEPT = frozenset({"connection", "content-encoding", "content-length", "set-cookie", "transfer-encoding"})
"""Headers of the transfer, which are not true of the text, and what is meant for one visitor alone."""


@dataclass(frozen=True, slots=True)
class FetchResult:
    """What came of it: the URL that was asked, the octets if there are any, and a sentence."""

    url: str
    octets: bytes | None
    level: str
    text: str


def fetched(where: str, *, allow_private: bool) -> FetchResult:
    """The robots.txt of a site, or the text file at a URL that ends as those of documents do."""
    try:
        url = _url(where)
        target = url if urlsplit(url).path.lower().endswith(_DOCUMENTS) else robots_url(url)
        with Retriever(allow_private=allow_private, timeout=_SECONDS) as retriever:
            return _result(retriever.fetch(target, refresh=True, found=not allow_private))
    except ValueError as error:
        return FetchResult(where, None, "error", visible(str(error)))


def fetched_page(
    where: str, crawler: Asker, purpose: str | tuple[str, ...] | None, *, allow_private: bool
) -> FetchResult:
    """The page at a URL with the headers of its response, if the crawler may crawl it for the purpose.

    The same is asked of each URL that it is redirected to. No more is begun once the time is over.
    """
    until = time.monotonic() + _SECONDS
    refused: list[FetchResult] = []

    def may(at: str) -> bool:
        if time.monotonic() > until:
            refused.append(FetchResult(at, None, "error", f"{visible(at)} takes too long; try again later"))
            return False
        policy = sites.robots(at, found=not allow_private)
        decision = policy.decide(at, crawler=crawler, purpose=purpose)
        if decision.permitted:
            return True
        if (failure := policy.evidence["failure"]) is not None:
            refused.append(_failed(policy.evidence["url"], FailureKind(failure["kind"]), failure["text"]))
        else:
            why = f"{visible(crawler_text(decision))} may not crawl it; choose another crawler under Read"
            refused.append(FetchResult(at, None, "warning", f"{visible(at)} was not fetched: {why}"))
        return False

    try:
        # One that holds the turn of a page cannot ask for a policy in the same place.
        with (
            Retriever(allow_private=allow_private, timeout=_SECONDS, crawler=crawler) as sites,
            Retriever(allow_private=allow_private, timeout=_SECONDS) as pages,
        ):
            wanted = page_wanted(canonical(_url(where)), may, typed=allow_private, octets=MAX_TEXT)
            answer = page_answer(pages, wanted)
    except ValueError as error:
        return FetchResult(where, None, "error", visible(str(error)))
    return refused[0] if refused else _page(answer)


def _page(answer: Answer) -> FetchResult:
    url = answer.source
    if answer.failure is not None:
        return _failed(url, answer.failure.kind, answer.failure.text)
    if why := page_missing(answer):
        return FetchResult(url, None, "warning", f"{visible(url)} {visible(why)}")
    if kind := format_of(answer.octets):
        why = f"is a {kind.upper()} file, and the workshop takes texts; acap show --page tells its metadata"
        return FetchResult(url, None, "warning", f"{visible(url)} {why}")
    headers = [(name, value) for name, value in answer.headers if name.lower() not in _UNKEPT]
    octets = _response(answer.status, headers, answer.octets)
    how = ""
    if not _comes_back(octets):
        in_utf8 = _in_utf8(headers, answer.octets)
        octets, how = b"" if in_utf8 is None else _response(answer.status, *in_utf8), ", in UTF-8 here"
        # Octets that are no text for their type would be one without their NULs, and other readers find less in it.
        as_sent = carriers(answer.octets, url=url, headers=headers, status=answer.status)
        if in_utf8 is None or _meaning(file_carriers(_returned(octets), url=url)) != _meaning(as_sent):
            why = "cannot be shown as a text that says the same; acap show --page tells what it says"
            return FetchResult(url, None, "warning", f"{visible(url)} {why}")
    text = f"fetched {visible(url)}: {len(answer.octets):,} octets, and its headers{how}"
    return FetchResult(url, octets, "done", text)


def _response(status: int | None, headers: list[tuple[str, str]], octets: bytes) -> bytes:
    # As its own lines end, so that the text has line ends of one kind.
    end = "\r\n" if b"\r\n" in octets else "\n"
    head = (f"{name}: {value}" for name, value in headers)
    return end.join((f"HTTP/1.1 {status}", *head, "", "")).encode("latin-1", "replace") + octets


def _comes_back(octets: bytes) -> bool:
    """Whether a form returns the octets, but for line ends: those of UTF-16 with any tag have NULs, which are lost."""
    return _returned(octets) == octets.replace(b"\r\n", b"\n").replace(b"\r", b"\n")


def _meaning(carriers: Carriers) -> tuple[str, list[str], list[str]]:
    return carriers.form, [one.code for one in carriers.problems], [str(one) for one in carriers.statements()]


def _returned(octets: bytes) -> bytes:
    found = opened(octets)
    return octets_of(found.text, found.encoding, "lf")


def _in_utf8(headers: list[tuple[str, str]], octets: bytes) -> tuple[list[tuple[str, str]], bytes] | None:
    """The same page in UTF-8, with the header that says so; None where it would be read as another.

    Without a type no header names a charset; a byte order mark does then.
    """
    declared = content_type(headers)
    media = extract(declared)
    try:
        decoded = decode(octets, declared)
    except ImportError:  # of the extra `pages`
        return None
    text = decoded.text
    if decoded.replaced or why_coded(octets, headers):
        return None
    may_be_xml = is_xml(media.essence) or begins_as_xml(text)
    if may_be_xml and xhtml.decode(octets, media.charset) != (text, False):
        return None
    is_read = reading(octets, headers)
    if media.essence:
        named = ("Content-Type", f"{media.essence}; charset=utf-8")
        headers = [*(one for one in headers if one[0].lower() != "content-type"), named]
    now = content_type(headers)
    for mark in (b"", BOM_UTF8):
        written = mark + text.encode()
        if decode(written, now).text == text and reading(written, headers) == is_read:
            return headers, written
    return None


def _url(where: str) -> str:
    """Raises ValueError where nothing is given."""
    given = where.strip()
    if not given:
        raise ValueError("no address given; write one such as https://example.com/")
    return given if "://" in given else f"https://{given}"


def _failed(url: str, kind: FailureKind, text: str) -> FetchResult:
    advice = "try again later, or paste the text"
    if kind is FailureKind.ADDRESS_REFUSED:
        advice = "`acap serve --allow-private` lets the workshop reach private networks"
    return FetchResult(url, None, "error", f"{visible(url)} cannot be retrieved: {visible(text)}; {advice}")


def _result(retrieved: Retrieved) -> FetchResult:
    url = retrieved.url
    shown = visible(url)
    failure = retrieved.answer.failure
    if failure is not None:
        return _failed(url, failure.kind, failure.text)
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
