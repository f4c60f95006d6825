"""What stands in the place of a site's document and says nothing never displaces what the document said."""

from __future__ import annotations

import pytest

from acap.retrieval.foreign import Kind, counts_as_failure, is_foreign

LOGIN = b"<!doctype html><html><title>Sign in</title></html>"
DOCUMENTS: dict[Kind, bytes] = {
    "robots.txt": b"User-agent: *\nDisallow: /\n",
    "tdmrep.json": b'[{"location": "/", "tdm-reservation": 1}]',
    "ai.txt": b"User-Agent: *\nDisallow: /\n",
    "licence": b'<rsl xmlns="https://rslstandard.org/rsl"><content url="/"/></rsl>',
    "tdm-policy": b'{"@type": "Offer"}',
    "reference": b"ACAP-crawler: *\nACAP-disallow-crawl: /\n",
}
# What may be meant as the document, and cannot be read, is a doubt that counts at once.
BROKEN: dict[Kind, bytes] = {
    "tdmrep.json": b'[{"location": "/", "tdm-reservation": 1},]',
    "licence": b"<rsl",
    "tdm-policy": b"{",
}
ANOTHER_TEXT: tuple[Kind, ...] = ("robots.txt", "ai.txt")
HAS_NO_PAGE = [kind for kind in DOCUMENTS if kind != "tdm-policy"]


@pytest.mark.parametrize("kind", HAS_NO_PAGE)
def test_something_else_counts_as_a_failure_where_a_document_was(kind: Kind) -> None:
    document = DOCUMENTS[kind]
    for came in (LOGIN, *([b"please wait", b"{}"] if kind in ANOTHER_TEXT else ())):
        assert counts_as_failure(kind, came, document)
        assert not counts_as_failure(kind, came, None)
        assert not counts_as_failure(kind, document, came)
    assert not counts_as_failure(kind, document, document)


@pytest.mark.parametrize("kind", BROKEN)
def test_what_cannot_be_read_is_a_doubt_and_no_failure(kind: Kind) -> None:
    """A page behind it takes nothing back: the doubt stands."""
    assert not counts_as_failure(kind, BROKEN[kind], DOCUMENTS[kind])
    assert counts_as_failure(kind, LOGIN, BROKEN[kind]) is (kind in HAS_NO_PAGE)


def test_a_page_is_a_policy_for_people_and_displaces_another() -> None:
    assert not counts_as_failure("tdm-policy", LOGIN, DOCUMENTS["tdm-policy"])
    assert not counts_as_failure("tdm-policy", DOCUMENTS["tdm-policy"], LOGIN)
    assert counts_as_failure("tdm-policy", b" ", LOGIN)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_a_page_with_a_licence_in_it_counts_at_once_where_a_licence_was(encoding: str) -> None:
    page = "<!doctype html><html xmlns='http://www.w3.org/1999/xhtml'>" + DOCUMENTS["licence"].decode()
    for kind in HAS_NO_PAGE:
        if kind not in ANOTHER_TEXT:
            assert is_foreign(kind, page.encode(encoding)) is (kind != "licence" and encoding == "utf-8")
    assert not counts_as_failure("licence", page.encode(encoding), DOCUMENTS["licence"])


@pytest.mark.parametrize("kind", DOCUMENTS)
def test_an_empty_body_replaces_a_robots_txt_alone(kind: Kind) -> None:
    """RFC 9309 2.2: a robots.txt may be empty, which is a way to open a site."""
    assert is_foreign(kind, b" \r\n") is (kind != "robots.txt")
    assert counts_as_failure(kind, b"", DOCUMENTS[kind]) is (kind != "robots.txt")
