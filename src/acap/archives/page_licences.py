"""The licence documents that pages of a site name: in archives, and asked for within bounds that the pages share."""

from __future__ import annotations

import time
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import TypeAlias

from acap.archives.archive import read_warc
from acap.archives.site_documents import documents_of, referred_url
from acap.carriers import carriers, format_of, is_page_within
from acap.dialects.rsl.associations import RefersToLicences, named_documents
from acap.dialects.well_known import brings_document
from acap.pages.encoding import decode
from acap.pages.headers import media_type
from acap.pages.html import surveyed
from acap.pages.media_types import content_type, reading
from acap.retrieval.addresses import is_private
from acap.retrieval.answers import Headers
from acap.retrieval.locations import canonical, site_of
from acap.retrieval.plan import WantedUrl
from acap.retrieval.retrieved import Retrieved
from acap.robots import RobotsPolicy
from acap.sites.gathering import DOCUMENT_OCTETS, MAX_DOCUMENTS, MAX_ELSEWHERE

Steps: TypeAlias = Generator[Sequence[WantedUrl], Sequence[Retrieved], Sequence[Retrieved]]


def licences_in(url: str, headers: Headers, octets: bytes) -> tuple[str, ...]:
    """The URLs of the licences that a response names; of too many the first, and one more."""
    how = reading(octets, headers)
    may_name = how == "xhtml" or any(name.lower() == "link" for name, _ in headers)
    if not may_name:
        may_be_page = how != "none" or is_page_within(octets, media_type(headers), format_of(octets))
        if not (may_be_page and surveyed(decode(octets, content_type(headers)).text).licences):
            return ()
    return licences_named(url, carriers(octets, url=url, headers=headers, length=len(octets)).page)


def licences_named(url: str, page: RefersToLicences) -> tuple[str, ...]:
    """The same of a page that was read."""
    if not (targets := named_documents(page)):
        return ()
    named = islice(dict.fromkeys(targets), MAX_DOCUMENTS + 1)
    return tuple(dict.fromkeys(referred_url(url, target) for target in named))


def named_by_pages(paths: Iterable[Path]) -> Iterator[str]:
    """The licences that pages in archives name, of each site at most as many as count.

    Raises:
        OSError: an archive cannot be opened.
    """
    by_site: dict[str, set[str]] = {}
    for path in paths:
        for capture in read_warc(path):
            if not brings_document(capture.status):
                continue
            with suppress(ValueError):
                of_site = by_site.setdefault(site_of(canonical(capture.url)), set())
                named = licences_in(canonical(capture.url), capture.headers, capture.body)
                of_site.update(named[: max(MAX_DOCUMENTS - len(of_site), 0)])
    for of_site in by_site.values():
        yield from of_site


def licences(policy: RobotsPolicy, named: Iterable[str], patience: float) -> Steps:
    """The steps that lead to licence documents that pages of a site name.

    What is beyond the bounds, with those that the policy carries, is not asked for, and stays unknown.
    """
    documents = documents_of(policy)
    known = [document.url for document in documents.of_pages] if documents is not None else []
    home = site_of(policy.url or "")
    elsewhere = {url for url in known if site_of(url) != home}

    def may(url: str) -> bool:
        if site_of(url) != home and url not in elsewhere:
            if len(elsewhere) >= MAX_ELSEWHERE:
                return False
            elsewhere.add(url)
        return True

    room = MAX_DOCUMENTS - len(known)
    asked = [url for url in dict.fromkeys(named) if _can_be_asked(url)][: max(room, 0)]
    asked = [url for url in asked if may(url)]
    address = policy.evidence.get("address")
    trusted = home if is_private(address) else None
    deadline = time.monotonic() + patience
    wanted = [
        WantedUrl(
            url,
            refresh=False,
            typed=False,
            trusted=trusted,
            deadline=deadline,
            kind="licence",
            octets=DOCUMENT_OCTETS,
            may=may,
        )
        for url in asked
    ]
    return (yield wanted) if wanted else ()


def _can_be_asked(url: str) -> bool:
    try:
        return canonical(url) == url
    except ValueError:
        return False
