"""The usable text that an audit writes: where several policies speak of a page, they have to agree on it."""

from __future__ import annotations

from typing import Any

import pytest

import acap
from acap.audits.corpus import text_of
from acap.audits.rows import AuditedResource, Auditor
from acap.pages import extraction
from tests.crawled import BEGIN, site

PAGE = b"<!doctype html><title></title><p><span id=a>The words.</span> Others."
ALL = b"User-agent: other\nDisallow: /\n"
PART = b"ACAP-crawler: *\nACAP-allow-index: / must-use-resource=the-acap:idlist:a\n"


class Both:
    """Policies that speak at any time."""

    def __init__(self, *said: bytes) -> None:
        self._said = said

    def speaking(self, *_: Any) -> tuple[acap.RobotsPolicy, ...]:
        return tuple(acap.parse_robots(one, url=f"{site(0)}/robots.txt") for one in self._said)


@pytest.mark.parametrize(
    ("said", "wanted", "times"),
    [
        ((b"", ALL), "The words. Others.", 1),
        ((ALL, PART), None, 1),
        ((PART, ALL, b""), None, 1),
        ((PART, PART), "The words.", 0),
    ],
)
def test_policies_that_speak_together_have_to_agree_on_the_text(
    monkeypatch: pytest.MonkeyPatch, said: tuple[bytes, ...], wanted: str | None, times: int
) -> None:
    """The text of a whole page is read once for all of them."""
    read: list[str] = []
    whole = extraction._whole_text

    def noted(root: Any) -> str:
        read.append(whole(root))
        return read[-1]

    monkeypatch.setattr(extraction, "_whole_text", noted)
    resource = AuditedResource(f"{site(0)}/a", BEGIN, 200, (("Content-Type", "text/html"),), PAGE)
    _, found = text_of(Auditor(Both(*said), crawler="bot", usages=("index",)), resource, "index")
    assert (None if found is None else found.text) == wanted
    assert len(read) == times
