"""What a real Chromium comes upon in XHTML holds: a sample beside the oracles of the laws on damage."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser

import acap
from tests.chromium import opened
from tests.test_page_xhtml import HIDING, SPACE

URL = "http://127.0.0.1/page.xhtml"
SEEN = """() => [
    ...[...document.querySelectorAll("meta[name=robots]")].map(meta => meta.content),
    ...[...document.querySelectorAll("[class]")].map(element => element.className),
]"""
FAULTY = f'<html {SPACE}><head><title/><meta name="robots" content="noindex"/></head><body>a<br></body></html>'


@pytest.mark.parametrize("text", [*HIDING, FAULTY])
def test_what_chromium_comes_upon_in_xhtml_prohibits(browser: Browser, text: str) -> None:
    """Each META and each class token of its tree; it stops where the page is ill-formed, and so do its findings."""
    with opened(browser, []) as page:
        page.route("**/*", lambda route: route.fulfill(content_type="application/xhtml+xml", body=text))
        page.goto(URL)
        seen = page.evaluate(SEEN)
    read = acap.parse_page(text.encode(), url=URL, headers={"Content-Type": "application/xhtml+xml"})
    decision = read.decide("index", crawler="bot")
    assert seen or "<template>" in text
    assert not decision.permitted or [one.name for one in decision.restrictions] == ["excluded-element"]
