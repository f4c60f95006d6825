"""The worked examples of the implementation guide, written as policies: what is composed means what the guide wrote.

The guide's own text is that of `tests/vectors/guide` and `tests/vectors/pages/guide.toml`, where the scan is mended.
"""

from __future__ import annotations

import re
import tomllib
from datetime import UTC, datetime
from itertools import product
from typing import Any

import pytest

from acap.pages.page import parse_page
from acap.publish.compare import compare
from acap.publish.compose import (
    complaints,
    draft_from_robots,
    draft_from_toml,
    draft_to_toml,
    meta_tags,
    robots_octets,
    robots_text,
)
from acap.robots import RobotsPolicy, parse_robots, url_at
from acap.usages import PARENTS
from tests.vector_files import VECTORS, tables

AT = datetime(2008, 1, 1, tzinfo=UTC)  # before the dates of the examples

EXAMPLES = '''
[[example]]
source = "G example 1.1"
[example.policy]
lines = """
User-agent: *
Disallow: /
"""
[[example.policy.record]]
crawlers = ["*"]
prohibit = [{ usage = "crawl" }]

[[example]]
source = "G example 1.2"
[example.policy]
lines = """
User-agent: *
Disallow: /
Allow: /$ # A crawler may give up if not allowed to crawl the root
Allow: /index.html$
"""
[[example.policy.record]]
crawlers = ["*"]
permit = [{ usage = "crawl", resources = ["/$", "/index.html$"] }]
prohibit = [{ usage = "crawl" }]

[[example]]
source = "G example 1.3"
[example.policy]
lines = """
User-agent: *
Disallow: /

User-agent: SearchBot1
User-agent: SearchBot2
Allow: /
"""
[[example.policy.record]]
crawlers = ["*"]
prohibit = [{ usage = "crawl" }]
[[example.policy.record]]
crawlers = ["SearchBot1", "SearchBot2"]
permit = [{ usage = "crawl" }]

[[example]]
source = "G example 1.4"
[example.policy]
lines = """
User-agent: SearchBot1
User-agent: SearchBot2
Disallow: /

User-agent: *
Allow: /
"""
[[example.policy.record]]
crawlers = ["SearchBot1", "SearchBot2"]
prohibit = [{ usage = "crawl" }]
[[example.policy.record]]
crawlers = ["*"]
permit = [{ usage = "crawl" }]

[[example]]
source = "G example 1.5"
[example.policy]
lines = """
User-agent: *
Disallow: /
"""
[[example.policy.record]]
crawlers = ["*"]
permit = [{ usage = "crawl" }]

[[example]]
source = "G example 1.6"
[example.policy]
ignore-conventional = true
lines = """
User-agent: *
Disallow: /
"""
[[example.policy.record]]
crawlers = ["*"]
permit = [{ usage = "crawl" }]

[[example]]
source = "G example 2.1"
[example.policy]
[[example.policy.record]]
crawlers = ["*"]
permit = [{ usage = "crawl" }]
[[example.policy.record]]
crawlers = ["SearchBot1"]
purposes = ["news.*", "images.*"]
prohibit = [{ usage = "crawl" }]

[[example]]
source = "G example 2.2"
[example.policy]
[[example.policy.record]]
crawlers = ["*"]
prohibit = [{ usage = "crawl" }]
[[example.policy.record]]
crawlers = ["*"]
purposes = ["sports"]
permit = [{ usage = "crawl" }]

[[example]]
source = "G 3.1"
[example.policy]
lines = """
User-agent: *
Disallow: /
"""
[[example.policy.record]]
crawlers = ["*"]
permit = [{ usage = "crawl" }]
prohibit = [{ usage = "crawl", resources = ["/nocrawl/"] }]

[[example]]
source = "G 3.2"
[example.policy]
lines = """
User-agent: *
Disallow: /
Allow: /$
Allow: /index.html$
Allow: /public/
Allow: /promotion/
Allow: /news/
"""
[[example.policy.record]]
crawlers = ["*"]
permit = [{ usage = "crawl", resources = ["/$", "/index.html$", "/public/", "/promotion/", "/news/"] }]
prohibit = [{ usage = "crawl" }]

[[example]]
source = "G 3.2 (restated with a resource set)"
[example.policy]
resource-sets = { permitted = ["/$", "/index.html", "/public/", "/promotion/", "/news/"] }
lines = """
User-agent: *
Disallow: /
Allow: /$
Allow: /index.html$
Allow: /public/
Allow: /promotion/
Allow: /news/
"""
[[example.policy.record]]
crawlers = ["*"]
permit = [{ usage = "crawl", sets = ["permitted"] }]
prohibit = [{ usage = "crawl" }]

[[example]]
source = "G 3.3"
[example.policy]
lines = """
User-agent: *
Disallow: /
Allow: /$
Allow: /index.html$
Allow: /public/*.htm$
Allow: /public/*.html$
"""
[[example.policy.record]]
crawlers = ["*"]
permit = [{ usage = "crawl", resources = ["/$", "/index.html$", "/public/*.htm$", "/public/*.html$"] }]
prohibit = [{ usage = "crawl" }]

[[example]]
source = "G 4.1"
[example.policy]
lines = """
User-agent: *
Disallow: /
"""
[[example.policy.record]]
crawlers = ["*"]
permit = [{ usage = "crawl", resources = ["/$", "/public/"] }]
prohibit = [
  { usage = "crawl" },
  { usage = "follow", resources = ["/public/catalog/"] },
]

[[example]]
source = "G 4.3"
[example.policy]
lines = """
User-agent: *
Disallow: /
"""
[[example.policy.record]]
crawlers = ["*"]
permit = [
  { usage = "crawl", resources = ["/$", "/public/"] },
  { usage = "index", resources = ["/public/"] },
]
prohibit = [
  { usage = "crawl" },
  { usage = "other", resources = ["/public/"] },
]

[[example]]
source = "G 4.4"
[example.policy]
lines = """
User-agent: *
Disallow: /
"""
[[example.policy.record]]
crawlers = ["*"]
prohibit = [{ usage = "crawl" }]
[[example.policy.record]]
crawlers = ["SearchBot1"]
permit = [
  { usage = "crawl", resources = ["/$", "/TEXTS/"] },
  { usage = "index", resources = ["/TEXTS/"] },
]
prohibit = [{ usage = "index", resources = ["/TEXTS/*.gif$", "/TEXTS/*.png$", "/TEXTS/*.jpg$"] }]

[[example]]
source = "G 4.4 (restated with a resource set)"
[example.policy]
resource-sets = { images = ["/TEXTS/*.gif$", "/TEXTS/*.png$", "/TEXTS/*.jpg$"] }
lines = """
User-agent: *
Disallow: /
"""
[[example.policy.record]]
crawlers = ["*"]
prohibit = [{ usage = "crawl" }]
[[example.policy.record]]
crawlers = ["SearchBot1"]
permit = [
  { usage = "crawl", resources = ["/$", "/TEXTS/"] },
  { usage = "index", resources = ["/TEXTS/"] },
]
prohibit = [{ usage = "index", sets = ["images"] }]

[[example]]
source = "G 4.5"
[example.policy]
lines = """
User-agent: *
Disallow: /
"""
[[example.policy.record]]
crawlers = ["*"]
prohibit = [{ usage = "crawl" }]
[[example.policy.record]]
crawlers = ["SearchBot1"]
permit = [
  { usage = "crawl", resources = ["/$", "/TEXTS/"] },
  { usage = "index", resources = ["/TEXTS/*.html"] },
]
prohibit = [{ usage = "index", resources = ["/TEXTS/"] }]

[[example]]
source = "G 4.7"
[example.policy]
lines = """
User-agent: *
Disallow: /
"""
[[example.policy.record]]
crawlers = ["*"]
prohibit = [{ usage = "crawl" }]
[[example.policy.record]]
crawlers = ["SearchBot1"]
permit = [
  { usage = "crawl", resources = ["/$", "/public/"] },
  { usage = "index", resources = ["/public/"] },
]
prohibit = [{ usage = "preserve", resources = ["/public/"] }]

[[example]]
source = "G 4.8"
[example.policy]
lines = """
User-agent: *
Disallow: /
"""
[[example.policy.record]]
crawlers = ["*"]
prohibit = [{ usage = "crawl" }]
[[example.policy.record]]
crawlers = ["SearchBot1"]
permit = [
  { usage = "crawl", resources = ["/$", "/public/"] },
  { usage = "index", resources = ["/public/"] },
  { usage = "preserve", resources = ["/public/*.htm$", "/public/*.html$"] },
]
prohibit = [{ usage = "preserve", resources = ["/public/"] }]

[[example]]
source = "G 4.10"
[example.policy]
lines = """
User-agent: *
Disallow: /
"""
[[example.policy.record]]
crawlers = ["*"]
prohibit = [{ usage = "crawl" }]
[[example.policy.record]]
crawlers = ["SearchBot1"]
permit = [
  { usage = "crawl", resources = ["/$", "/news/"] },
  { usage = ["index", "preserve"], resources = ["/news/"] },
  { usage = ["present-snippet", "present-thumbnail", "present-link"], resources = ["/news/*.htm$", "/news/*.html$"] },
]
prohibit = [{ usage = "present", resources = ["/news/"] }]

[[example]]
source = "G 4.11"
[example.policy]
lines = """
User-agent: *
Disallow: /
"""
[[example.policy.record]]
crawlers = ["*"]
prohibit = [{ usage = "crawl" }]
[[example.policy.record]]
crawlers = ["SearchBot1"]
permit = [
  { usage = "crawl", resources = ["/$", "/news/"] },
  { usage = ["index", "preserve", "present"], resources = ["/news/"] },
]
prohibit = [{ usage = "present-thumbnail", resources = ["/news/"] }]

[[example]]
source = "G 4.13"
[example.policy]
lines = """
User-agent: *
Disallow: /
"""
[[example.policy.record]]
crawlers = ["*"]
permit = [
  { usage = "crawl", resources = ["/$", "/news/"] },
  { usage = ["index", "preserve", "present"], resources = ["/news/"] },
  { usage = "present-original", resources = ["/news/*.htm$", "/news/*.html$"] },
]
prohibit = [
  { usage = "crawl" },
  { usage = ["present-currentcopy", "present-oldcopy", "present-original"], resources = ["/news/"] },
]

[[example]]
source = "G 4.14"
[example.policy]
lines = """
User-agent: *
Allow: /
Disallow: /archive/
"""
[[example.policy.record]]
crawlers = ["SearchBot1"]
permit = [{ usage = ["crawl", "present"], resources = ["/archive/"] }]
prohibit = [{ usage = "present-oldcopy", resources = ["/archive/"] }]

[[example]]
source = "G 5.1"
[example.policy]
lines = """
User-agent: *
Disallow: /
"""
[[example.policy.record]]
crawlers = ["SearchBot1"]
permit = [
  { usage = "crawl", resources = ["/$", "/index.html$"] },
  { usage = ["index", "preserve"], resources = ["/index.html"], time-limit = "until-recrawled" },
]
prohibit = [{ usage = "crawl" }]

[[example]]
source = "G 5.2"
[example.policy]
lines = """
User-agent: *
Disallow: /
"""
[[example.policy.record]]
crawlers = ["*"]
permit = [
  { usage = "crawl", resources = ["/$", "/serial/"] },
  { usage = ["index", "preserve"], resources = ["/serial/"], time-limit = "until-2008-03-01" },
]

[[example]]
source = "G 5.4"
[example.policy]
lines = """
User-agent: *
Disallow: /
"""
[[example.policy.record]]
crawlers = ["SpecialBot1"]
permit = [
  { usage = "crawl", resources = ["/$", "/current/"] },
  { usage = ["index", "preserve"], resources = ["/current/"], time-limit = "14-days" },
]
prohibit = [{ usage = "crawl" }]

[[example]]
source = "G 5.5"
[example.policy]
lines = """
User-agent: *
Disallow: /
"""
[[example.policy.record]]
crawlers = ["SearchBot1"]
permit = [
  { usage = "crawl", resources = ["/$", "/articles/"] },
  { usage = "index", resources = ["/articles/"], must-use-resource = "the-acap:extract:class:abstract" },
]
prohibit = [{ usage = "crawl" }]

[[example]]
source = "G 5.7"
[example.policy]
lines = """
User-agent: *
Disallow: /
"""
[[example.policy.record]]
crawlers = ["SearchBot1"]
permit = [
  { usage = "crawl", resources = ["/$", "/articles/"] },
  { usage = "index", resources = ["/articles/"], must-use-resource = "the-acap:extract:meta:index-text" },
]
prohibit = [{ usage = "crawl" }]

[[example]]
source = "G 5.8"
[example.policy]
lines = """
User-agent: *
Disallow: /
"""
[[example.policy.record]]
crawlers = ["*"]
permit = [
  { usage = "crawl", resources = ["/$", "/news/"] },
  { usage = "present-snippet", resources = ["/news/"], max-length = "20-words" },
]

[[example]]
source = "G 5.11"
[example.policy]
lines = """
User-agent: *
Disallow: /
"""
[[example.policy.record]]
crawlers = ["*"]
permit = [
  { usage = "crawl" },
  { usage = "present-currentcopy", prohibited-modification = "format" },
]

[[example]]
source = "G 5.12"
[example.policy]
lines = """
User-agent: *
Disallow: /
"""
[[example.policy.record]]
crawlers = ["*"]
permit = [
  { usage = "crawl", resources = ["/$", "*.htm$", "*.html$"] },
  { usage = "present-currentcopy", resources = ["*.htm$", "*.html$"], prohibited-modification = "style" },
]
prohibit = [{ usage = "crawl" }]

[[example]]
source = "G 5.13"
[example.policy]
lines = """
User-agent: *
Disallow: /
"""
[[example.policy.record]]
crawlers = ["*"]
permit = [
  { usage = "crawl" },
  { usage = "present", prohibited-modification = "translation" },
]

[[example]]
source = "G 5.14"
[example.policy]
lines = """
User-agent: *
Disallow: /
"""
[[example.policy.record]]
crawlers = ["*"]
permit = [
  { usage = "crawl" },
  { usage = "present", prohibited-modification = "annotation" },
]

[[example]]
source = "G 5.15"
[example.policy]
lines = """
User-agent: *
Disallow: /
"""
[[example.policy.record]]
crawlers = ["*"]
permit = [
  { usage = "crawl" },
  { usage = "present-currentcopy", prohibited-context = "within-user-frame" },
]

[[example]]
source = "G 5.16"
[example.policy]
lines = """
User-agent: *
Disallow: /
"""
[[example.policy.record]]
crawlers = ["*"]
permit = [
  { usage = "crawl" },
  { usage = "present-original", required-context = "within-original-frame" },
]

[[example]]
source = "G A.2.1"
[example.policy]
ignore-conventional = true
lines = """
User-agent: *
Disallow: /
"""
[[example.policy.record]]
crawlers = ["*"]
permit = [
  { usage = ["crawl", "index"] },
  { usage = "preserve", time-limit = "100-days" },
]
prohibit = [
  { usage = "crawl", resources = ["/site/"] },
  { usage = "present-currentcopy" },
]
[[example.policy.record]]
crawlers = ["ExaBotAcap12"]
purposes = ["http://acap2.exalead.com"]
permit = [
  { usage = "index", resources = ["/sport/"] },
  { usage = "present-snippet", resources = ["/sport/"], max-length = "150-chars" },
]
prohibit = [{ usage = "index", resources = ["/nieuws/"] }]
'''

TAGS = """
[[tags]]
source = "G 4.2"
[[tags.policy.page]]
pattern = "/"
words = ["nofollow"]
prohibit = ["follow"]

[[tags]]
source = "G 4.6"
[[tags.policy.page]]
pattern = "/"
words = ["noindex"]
prohibit = ["index"]

[[tags]]
source = "G 4.9; G 2.4.3"
[[tags.policy.page]]
pattern = "/"
prohibit = ["preserve"]

[[tags]]
source = "G 4.12"
[[tags.policy.page]]
pattern = "/"
prohibit = ["present-snippet"]

[[tags]]
source = "G 5.3"
[[tags.policy.page]]
pattern = "/"
crawlers = ["SearchBot1"]
permit = [{ usage = "preserve", time-limit = "until-2008-03-01" }]

[[tags]]
source = "G 5.6"
[[tags.policy.page]]
pattern = "/"
crawlers = ["SearchBot1"]
permit = [{ usage = "index", must-use-resource = "the-acap:extract:id:1012345" }]

[[tags]]
source = "G 5.9"
[[tags.policy.page]]
pattern = "/"
permit = [{ usage = "present-snippet", max-length = "20-words" }]

[[tags]]
source = "G 5.10"
[[tags.policy.page]]
pattern = "/"
permit = [{ usage = "present-snippet", must-use-resource = "the-acap:extract:meta:snippet" }]

[[tags]]
source = "G 5.11"
[[tags.policy.page]]
pattern = "/"
permit = [{ usage = "present-currentcopy", prohibited-modification = "format" }]

[[tags]]
source = "G annex A.2.2"
[[tags.policy.page]]
pattern = "/"
crawlers = ["ExaBotAcap12"]
permit = [{ usage = "present-snippet", must-use-resource = "the-acap:extract:meta:snippet-exalead-acap" }]
"""


def written(file: str, name: str) -> dict[str, str]:
    """The guide's own texts, by the example that they are of; sentences of its running text are left out."""
    found = tables(VECTORS / file)
    key = "policy" if "policy" in found else "page"
    return {
        one["source"]: one[name] for one in found[key] if not re.fullmatch(r"G 2\.[0-9]|.*A\.2\.1;.*", one["source"])
    }


GUIDE = {
    source: text
    for file in sorted((VECTORS / "guide").glob("*.toml"))
    for source, text in written(f"guide/{file.name}", "robots").items()
}
GUIDE_TAGS = written("pages/guide.toml", "html")
POLICIES: dict[str, Any] = {one["source"]: one["policy"] for one in tomllib.loads(EXAMPLES)["example"]}
PAGES: dict[str, Any] = {one["source"]: one["policy"] for one in tomllib.loads(TAGS)["tags"]}


def test_every_example_of_the_guide_is_here() -> None:
    """Each text of the guide has a policy here, and each policy a text."""
    assert (set(POLICIES), set(PAGES)) == (set(GUIDE), set(GUIDE_TAGS))


def paths(*policies: RobotsPolicy) -> list[str]:
    """Paths in, beside and at the edge of every pattern."""
    patterns = {one.pattern for policy in policies for one in policy.statements}
    found = {"/", "/x", "/index.html", "/index.html?x=1"}
    for pattern in patterns:
        base = pattern.rstrip("$").replace("*", "a")
        base = base if base.startswith("/") else f"/{base}"
        found |= {base, f"{base}x", f"{base}/b.html", f"{base}b.htm", f"{base}b.gif", base[:-1] or "/"}
    return sorted(found)


def decisions(policy: RobotsPolicy, asked: list[str], purposes: list[str]) -> list[object]:
    """Outcome and restrictions for everybody, purpose, usage and path."""
    crawlers = ["SearchBot1", "SearchBot2", "SpecialBot1", "ExaBotAcap12", "AnyBot"]
    questions = product(asked, crawlers, [None, *purposes], PARENTS)
    return [
        (path, who, purpose, usage, str(found.outcome), sorted(map(str, found.restrictions)))
        for path, who, purpose, usage in questions
        for found in [policy.decide(url_at(policy, path), crawler=who, purpose=purpose, usage=usage, at=AT)]
    ]


def differences(theirs: RobotsPolicy, composed: RobotsPolicy) -> set[tuple[str, str]]:
    """What the comparison finds, but for refusals to control tokens: they hear lines for crawlers that read no ACAP."""
    compared = compare(theirs, composed, at=AT)
    assert compared.verdict in {"equal", "different"}
    found = {(change.after.kind, change.after.outcome) for change in compared.changes}
    return found - {("control-token", "prohibited")}


@pytest.mark.parametrize("source", GUIDE)
def test_a_composed_example_means_what_the_guide_wrote(source: str) -> None:
    """On every path that matters, for everybody, both texts decide alike; and the comparison proves it of all."""
    draft = draft_from_toml(POLICIES[source])
    composed, theirs = parse_robots(robots_octets(draft)), parse_robots(GUIDE[source])
    purposes = [pattern.replace("*", "x") for pattern in theirs.purposes]
    asked = paths(composed, theirs)
    assert decisions(composed, asked, purposes) == decisions(theirs, asked, purposes)
    assert differences(theirs, composed) == set()
    assert complaints(draft) == ()


@pytest.mark.parametrize("source", GUIDE)
def test_an_example_read_and_written_again_stays_what_it_is(source: str) -> None:
    """The guide's text becomes a draft, a text, a table and a draft again, and means what it meant."""
    draft = draft_from_robots(GUIDE[source].encode())
    text = robots_text(draft)
    assert differences(parse_robots(GUIDE[source]), parse_robots(text)) == set()
    assert robots_text(draft_from_robots(text.encode())) == text
    table = draft_from_toml(tomllib.loads(draft_to_toml(draft))["policy"])
    assert sorted(lines(robots_text(table))) == sorted(lines(text)), "a table has its permissions first"


def lines(text: str) -> list[str]:
    """The lines of a text that are more than a comment."""
    return [line for line in text.splitlines() if not line.startswith("# ")]


@pytest.mark.parametrize("source", GUIDE_TAGS)
def test_the_tags_of_an_example_say_what_those_of_the_guide_say(source: str) -> None:
    """The statements that the reader finds in the tags are the same."""
    tags = meta_tags(draft_from_toml(PAGES[source]), "/page.html")
    assert said("".join(tags)) == said(GUIDE_TAGS[source])


def said(html: str) -> set[object]:
    """What a page says, without where it says it."""
    found = parse_page(html, url=None).statements()
    return {(one.dialect, one.crawler, one.usage, one.outcome, tuple(one.restrictions)) for one in found}
