"""What leads to another resource: a link or a frame, where a page must use or include one."""

from __future__ import annotations

import pytest

from acap.harvest.presentation import Presentation, link, original, snippet
from acap.harvest.removal import remove
from acap.retrieval.addresses import is_public, leads_inside
from tests.harvest import HTML, SITE, Harvest

PAGE = "<title>A</title><p>some words of it"
NAMES = {
    "link": "ACAP-allow-present-link: /a must-use-resource=/b",
    "original": "ACAP-allow-present-original: /a must-use-resource=/b",
    "snippet": f"ACAP-allow-present-snippet: /a must-include-resource=the-acap:link:{SITE}/b",
}
MAKE = {"link": link, "original": original, "snippet": snippet}


def is_shown(harvest: Harvest, usage: str) -> bool:
    """Whether something of `/a` is shown, for which something else has to be."""
    resource = harvest.store.resources.find(f"{SITE}/a")
    assert resource is not None
    assert resource.current is not None
    presentation = Presentation(harvest.store)
    judged = presentation.judged(resource.current)
    assert judged is not None
    return MAKE[usage](presentation, judged).is_shown


def says(harvest: Harvest, usage: str, *more: str) -> None:
    """The site names `/b` for a usage of `/a`."""
    lines = ("ACAP-crawler: *", NAMES[usage], *more)
    harvest.robots[SITE] = "\n".join([*lines, ""]).encode()


@pytest.mark.parametrize("usage", NAMES)
@pytest.mark.parametrize("kind", ["permitted", "robots", "meta", "header", "unread", "legal", "legal, gone", "removed"])
def test_what_leads_to_another_resource_is_shown_as_that_permits(harvest: Harvest, usage: str, kind: str) -> None:
    """Its own latest words decide, whether a copy of it is kept or not; robots.txt alone only where it is unknown."""
    says(harvest, usage, *(["ACAP-disallow-present: /b"] if kind == "robots" else []))
    harvest.crawl("/a", PAGE)
    harvest.crawl("/b", "<meta name=robots content='ACAP disallow-present'><p>b" if kind == "meta" else PAGE)
    assert is_shown(harvest, usage) is (kind not in ("robots", "meta"))
    if kind == "header":
        harvest.crawl("/b", status=503, headers=(*HTML, ("X-Robots-Tag", "ACAP disallow-present")))
    elif kind == "unread":
        harvest.crawl("/b", unread="cut")
    elif kind.startswith("legal"):
        harvest.crawl("/b", status=451)
    elif kind == "removed":
        remove(harvest.store, f"{SITE}/b")
    if kind.endswith("gone"):
        harvest.crawl("/b", status=404)
    assert is_shown(harvest, usage) is (kind == "permitted")


@pytest.mark.parametrize("prohibited", ["", "present-snippet", "present-oldsnippet"])
def test_an_earlier_version_of_what_requires_itself_is_shown_as_it_is_now(harvest: Harvest, prohibited: str) -> None:
    """A text that is required of itself is its own current version, if that may be shown, and never an older one."""
    more = [f"ACAP-disallow-{prohibited}: /"] if prohibited else []
    lines = ("ACAP-crawler: *", "ACAP-allow-preserve: / must-use-resource=/a.txt", *more, "")
    harvest.robots[SITE] = "\n".join(lines).encode()
    for text in ("the older one", "the newer one"):
        harvest.crawl("/a.txt", text, headers=(("Content-Type", "text/plain"),))
    resource = harvest.store.resources.find(f"{SITE}/a.txt")
    assert resource is not None
    presentation = Presentation(harvest.store)
    versions = harvest.store.resources.versions(resource.id, held=True)
    (new, old) = [presentation.judged(one.id) for one in versions]
    assert new is not None
    assert old is not None
    assert snippet(presentation, new).text == ("" if prohibited == "present-snippet" else "the newer one")
    one = snippet(presentation, old)
    assert one.text == ("" if prohibited else "the newer one")
    assert [use.usage for use in one.uses] == ([] if prohibited else ["present-oldsnippet", "present-snippet"])


@pytest.mark.parametrize("usage", NAMES)
@pytest.mark.parametrize("permits", [True, False])
def test_of_an_unknown_resource_its_site_decides(harvest: Harvest, usage: str, permits: bool) -> None:
    """What was never crawled has no words of its own."""
    says(harvest, usage, *([] if permits else ["ACAP-disallow-present: /b"]))
    harvest.crawl("/a", PAGE)
    assert is_shown(harvest, usage) is permits


@pytest.mark.parametrize(
    ("url", "public"),
    [
        ("https://news.example/b", True),
        ("https://8.8.8.8/", True),
        ("http://127.0.0.1/", False),
        ("http://0x7f.1/", False),
        ("http://192.168.0.1/", False),
        ("http://[::1]/", False),
        ("http://[::ffff:10.0.0.1]/", False),
        ("http://localhost/", False),
        ("http://a.localhost./", False),
        ("http://router/", False),
        ("http://printer.local/", False),
        ("http://metadata.google.internal/", False),
        ("http://news.example:25/", False),
        ("http://tv.home.arpa/", False),
        ("http://home.arpa/", False),
        ("http://news.test/", False),
        ("http://a.news.TEST./", False),
        ("http://news.invalid/", False),
        ("http://news.onion/", False),
        ("http://news.alt/", False),
        ("https://test.example/", True),
        ("https://latest.example/", True),
        ("https://thetest/", False),
    ],
)
def test_nothing_leads_into_a_private_network(harvest: Harvest, url: str, public: bool) -> None:
    """A page may name any URL; of a site that nobody asked it has to be one of the public internet."""
    assert is_public(url) is public
    harvest.crawl("/a", PAGE)
    assert Presentation(harvest.store).may_lead(url, "present-original") is public


@pytest.mark.parametrize(
    ("source", "target", "inside"),
    [
        ("https://news.example/", "https://news.test/", True),
        ("https://news.example/", "https://www.news.example/", False),
        ("https://news.test/", "https://news.test/a", False),
        ("https://news.test/", "https://other.test/", False),
        ("https://news.test/", "https://other.test:25/", True),
        ("https://news.test/", "https://news.example/", False),
        ("https://news.test/", "http://news.invalid/", True),
        ("https://news.test/", "http://10.0.0.1/", True),
        ("https://news.onion/", "http://printer.local/", True),
        ("https://test/", "https://news.test/", False),
        ("http://printer.local/", "http://news.test/", False),
        ("http://printer.local/", "http://10.0.0.1/", False),
    ],
)
def test_names_apart_from_the_internet_are_public_to_each_other_alone(source: str, target: str, inside: bool) -> None:
    """A site of a test network may lead to another one there, and opens no other network; no public site leads in."""
    assert leads_inside(source, target) is inside
