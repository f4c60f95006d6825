"""Laws that hold for every page, headers and robots.txt."""

from __future__ import annotations

import html
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import acap
from acap.archives.page_licences import licences_in
from acap.usages import PARENTS

URL = "http://site.example/a/b.html"
ROBOTS_URL = "http://site.example/robots.txt"
NOON = datetime(2025, 6, 30, 12, tzinfo=UTC)
USAGES = ("index", "follow", "present", "present-snippet", "present-oldsnippet", "ai-train", "preserve", "search")
ORDER = ("permitted", "conditional", "prohibited")

stated = st.sampled_from(("index", "follow", "present", "present-snippet", "other", "preserve", "tdm", "indx", "sing"))
purposes = st.sampled_from(("", "", "", "news ", "sports "))
qualifiers = st.sampled_from(
    ("", "", " max-length=5-words", " time-limit=until-2025-07-01", " time-limit=until-2020-01-01")
)
crawlers = st.sampled_from(("robots", "robots", "ROBOTS", "bot", "otherbot"))
prohibition = st.builds("ACAP {}disallow-{}".format, purposes, stated)
permission = st.builds("ACAP {}allow-{}{}".format, purposes, stated, qualifiers)
word = st.sampled_from(
    (
        "noindex",
        "nofollow",
        "none",
        "nosnippet",
        "noarchive",
        "max-snippet:20",
        "max-snippet:7",
        "notranslate",
        "noai",
        "unavailable_after: 2025-07-01",
        "unavailable_after: 2020-01-01",
        "noimageindex",
        "all",
        "max-image-preview:standard",
    )
)
metas = st.tuples(crawlers, st.one_of(prohibition, permission, permission, word))
tokens = st.builds("{}acap:{}-{}".format, st.sampled_from(("the-", "")), st.sampled_from(("allow", "disallow")), stated)
profiles = st.sampled_from(("generic", "google", "bing"))


@dataclass(frozen=True)
class Element:
    """An element in the order of the page, how deep it is nested, and its attributes."""

    depth: int
    tokens: tuple[str, ...] = ()
    nosnippet: bool = False


elements = st.builds(
    Element, st.integers(1, 4), st.lists(tokens, max_size=2).map(tuple), st.sampled_from((False, False, False, True))
)


@dataclass(frozen=True)
class Site:
    """A page with its headers and its robots.txt, and what is asked of them."""

    metas: tuple[tuple[str, str], ...]
    elements: tuple[Element, ...]
    headers: tuple[str, ...]
    robots: tuple[str, ...]
    profile: str = "generic"
    purpose: str | None = None
    parts: bool = True
    silence: bool = False

    @property
    def html(self) -> str:
        """The page; each element has a word of its own and a link."""
        tags = "".join(f'<meta name="{name}" content="{html.escape(content)}">' for name, content in self.metas)
        body, open_ = "w0 ", 0
        for number, element in enumerate(self.elements, 1):
            depth = min(element.depth, open_ + 1)
            body += "</div>" * (open_ - depth + 1)
            hidden = " data-nosnippet" if element.nosnippet else ""
            body += f'<div class="{" ".join(element.tokens)}"{hidden}>w{number} <a href="/{number}">l{number}</a> '
            open_ = depth
        return f"<!doctype html>{tags}<body>{body}{'</div>' * open_}"

    @property
    def page(self) -> acap.PagePolicy:
        """The page, read."""
        return acap.parse_page(self.html, url=URL, headers=[("X-Robots-Tag", value) for value in self.headers])

    @property
    def asked(self) -> dict[str, Any]:
        """Everything of a question but URL, usage and page."""
        return {
            "crawler": acap.Crawler(
                "bot",
                profile=self.profile,
                elements=self.parts,
                silence=dict.fromkeys(("index", "present", "ai-train"), "prohibited") if self.silence else {},
            ),
            "purpose": self.purpose,
            "at": NOON,
            "robots": acap.parse_robots("\n".join(("ACAP-crawler: *", *self.robots)), url=ROBOTS_URL),
        }


robots_lines = st.sampled_from(
    (
        "ACAP-disallow-index: /",
        "ACAP-allow-index: /a/",
        "ACAP-disallow-present: /a/b",
        "ACAP-allow-present: / max-length=9-words",
        "ACAP-disallow-crawl: /c",
        "ACAP-allow-follow: /",
        "ACAP-disallow-other: /a/b.html",
    )
)
sites = st.builds(
    Site,
    st.lists(metas, max_size=4).map(tuple),
    st.lists(elements, max_size=5).map(tuple),
    st.lists(word, max_size=1).map(tuple),
    st.lists(robots_lines, max_size=2).map(tuple),
    profiles,
    st.sampled_from((None, None, "news")),
    st.sampled_from((True, True, True, False)),
    st.sampled_from((False, False, True)),
)
asked_usages = st.sampled_from(USAGES)


SILENCED = Site((("robots", "noindex"),), (Element(1, ("acap:allow-index",)),), (), ())
"""A conventional prohibition, which no element lifts."""


def looseness(site: Site, usage: str) -> tuple[list[int], list[int], Counter[str]]:
    """How the page, its links and its words come out: outcomes as numbers, and the words that may be used."""
    page, asked = site.page, site.asked
    outcome = ORDER.index(acap.decide(URL, usage=usage, page=page, **asked).outcome)
    links = [ORDER.index(link.decision.outcome) for link in page.links(**asked)]
    return [outcome], links, Counter(page.content_for(usage, **asked).text.split())


def at_least_as_strict(site: Site, stricter: Site, usage: str) -> None:
    """Fails where the second permits what the first refuses."""
    for before, after in zip(looseness(site, usage)[:2], looseness(stricter, usage)[:2], strict=True):
        assert all(one <= other for one, other in zip(before, after, strict=True)), (before, after)
    words, fewer = looseness(site, usage)[2], looseness(stricter, usage)[2]
    assert fewer <= words, fewer - words


@given(sites, asked_usages, st.integers(0, 4), st.one_of(prohibition, word))
@example(SILENCED, "index", 0, "ACAP disallow-index")
def test_a_prohibition_in_a_meta_tag_never_permits_more(site: Site, usage: str, at: int, content: str) -> None:
    """Wherever it stands: neither the page nor a link nor a word of it gets looser."""
    added = (*site.metas[:at], ("robots", content), *site.metas[at:])
    at_least_as_strict(site, replace(site, metas=added), usage)


@given(sites, asked_usages, word)
@example(Site((), (), (), (), silence=True), "index", "unavailable_after: 2040-01-01")
@example(Site((), (), (), (), silence=True), "present", "notranslate")
@example(Site((), (), (), (), silence=True), "ai-train", "noimageai")
def test_a_word_in_a_header_never_permits_more(site: Site, usage: str, value: str) -> None:
    """A further line of the header takes away and never gives."""
    at_least_as_strict(site, replace(site, headers=(*site.headers, value)), usage)


@given(sites, asked_usages, st.sampled_from(("1", "yes")))
@example(Site((), (), (), (), silence=True), "ai-train", "1")
def test_a_reservation_never_permits_more(site: Site, usage: str, value: str) -> None:
    """Neither of what was stated, nor of what an operator takes silence for."""
    at_least_as_strict(site, replace(site, metas=(*site.metas, ("tdm-reservation", value))), usage)


@given(sites.filter(lambda site: bool(site.elements)), asked_usages, st.data())
def test_a_prohibition_on_an_element_never_permits_more(site: Site, usage: str, data: st.DataObject) -> None:
    """A token `disallow-…` or `data-nosnippet` more, on any element."""
    at = data.draw(st.integers(0, len(site.elements) - 1))
    element = site.elements[at]
    token = f"the-acap:disallow-{data.draw(stated)}"
    added = data.draw(
        st.sampled_from((replace(element, tokens=(*element.tokens, token)), replace(element, nosnippet=True)))
    )
    at_least_as_strict(site, replace(site, elements=(*site.elements[:at], added, *site.elements[at + 1 :])), usage)


@given(sites, asked_usages, stated, st.sampled_from(("/", "/a/", "/a/b.html", "/c")))
def test_a_prohibition_of_robots_txt_never_permits_more(site: Site, usage: str, named: str, path: str) -> None:
    """A line more for any crawler."""
    added = (f"ACAP-disallow-{named}: {path}", *site.robots)
    at_least_as_strict(site, replace(site, robots=added), usage)


site_records = st.lists(
    st.tuples(
        st.sampled_from(("*", "bot")),
        st.sampled_from(("", "news")),
        st.lists(
            st.sampled_from(
                (
                    "ACAP-allow-index: /a/b.html",
                    "ACAP-allow-present: / max-length=9-words",
                    "ACAP-allow-present-snippet: /",
                    "ACAP-allow-follow: /",
                    "ACAP-allow-preserve: /a/",
                    "ACAP-allow-other: /",
                    "ACAP-allow-ai-train: /",
                    "ACAP-disallow-index: /",
                )
            ),
            min_size=1,
            max_size=3,
        ),
    ),
    min_size=1,
    max_size=3,
)


@given(sites, site_records, asked_usages)
@example(
    Site((("robots", "ACAP disallow-index"),), (), (), ()), [("bot", "", ["ACAP-allow-index: /a/b.html"])], "index"
)
@example(Site((("robots", "ACAP disallow-other"),), (), (), ()), [("*", "", ["ACAP-allow-index: /a/b.html"])], "index")
@example(Site((), (Element(1, ("acap:disallow-index",)),), (), ()), [("bot", "", ["ACAP-allow-index: /"])], "index")
@example(
    Site((("robots", "ACAP allow-present max-length=5-words"),), (), (), ()),
    [("bot", "news", ["ACAP-allow-present: / max-length=9-words"])],
    "present",
)
def test_nothing_in_robots_txt_makes_a_page_s_own_answer_looser(
    site: Site, records: list[tuple[str, str, list[str]]], usage: str
) -> None:
    """Whomever and whatever purpose its records are for: of page, links and words none is permitted that the page alone
    refuses, and what the page restricts stays restricted (P2 2.2.8)."""
    lines = [
        line
        for name, purpose, fields in records
        for line in (f"ACAP-crawler: {name}", *([f"ACAP-usage-purpose: {purpose}"] if purpose else ()), *fields)
    ]
    alone = replace(site, robots=(), silence=False)  # which a permission of robots.txt breaks
    beside = replace(alone, robots=("ACAP-allow-crawl: /", *lines))
    at_least_as_strict(alone, beside, usage)
    own = acap.decide(URL, usage=usage, page=alone.page, **alone.asked)
    both = acap.decide(URL, usage=usage, page=beside.page, **beside.asked)
    if both.permitted:
        assert {str(one) for one in own.restrictions} <= {str(one) for one in both.restrictions}


def answers(site: Site, page: acap.PagePolicy) -> list[Any]:
    """Everything that is decided, restrictions in any order."""
    found: list[Any] = []
    for usage in USAGES:
        decision = acap.decide(URL, usage=usage, page=page, **site.asked)
        # Of several refusals no text says which comes first.
        kind = "refused" if decision.kind in ("statement", "expired", "element-level") else decision.kind
        found.append((decision.outcome, kind, decision.stated, Counter(decision.restrictions)))
    found.append([link.decision.outcome for link in page.links(**site.asked)])
    return [*found, page.content_for("index", **site.asked).text]


@given(sites, st.data())
def test_the_order_of_meta_tags_does_not_matter(site: Site, data: st.DataObject) -> None:
    """A page says the same in whatever order it says it."""
    turned = replace(site, metas=tuple(data.draw(st.permutations(site.metas))))
    assert answers(turned, turned.page) == answers(site, site.page)


@given(sites, st.text("aé漢 <&", max_size=20))
def test_text_and_its_octets_say_the_same(site: Site, more: str) -> None:
    """What UTF-8 holds is what the text holds, however it is declared."""
    text = site.html + html.escape(more)
    headers = [("X-Robots-Tag", value) for value in site.headers]
    read = acap.parse_page(text, url=URL, headers=headers)
    octets = acap.parse_page(text.encode(), url=URL, headers=[*headers, ("Content-Type", "text/html; charset=utf-8")])
    marked = acap.parse_page(b"\xef\xbb\xbf" + text.encode(), url=URL, headers=headers)
    assert answers(site, read) == answers(site, octets) == answers(site, marked)


@given(sites, asked_usages)
def test_who_cannot_work_on_elements_is_permitted_no_more(site: Site, usage: str) -> None:
    """Neither the page nor a link nor a word of it (P2 2.2.6)."""
    whole = replace(site, parts=False)
    at_least_as_strict(replace(site, parts=True), whole, usage)


@given(sites, st.sampled_from(("/", "/a", "/a/b.html", "/*.html$")))
def test_no_page_lifts_a_crawl_prohibition_of_robots_txt(site: Site, pattern: str) -> None:
    """What may not be fetched may not be used, whatever it says of itself (semantics, section 7)."""
    shut = replace(site, robots=(*site.robots, f"ACAP-disallow-crawl: {pattern}"))
    for usage in (*USAGES, "crawl"):
        assert acap.decide(URL, usage=usage, page=shut.page, **shut.asked).outcome == "prohibited"
        assert shut.page.content_for(usage if usage != "search" else "index", **shut.asked).text == ""
    assert {str(link.decision.outcome) for link in shut.page.links(**shut.asked)} <= {"prohibited"}


names = st.sampled_from((None, None, "bot", "Other-Bot.2")) | st.text("ab\"&<' \té", min_size=1, max_size=4)
written_purposes = st.sampled_from((None, None, "news", 'a"b&c', "<p>'", "http://a.b/?c=d&amp;e", "*")) | st.text(
    'ab-,;=*"&<> \té', min_size=1, max_size=6
)
values = st.sampled_from(
    (
        ("max-length", "20-words"),
        ("max-length", "9-chars"),
        ("time-limit", "until-2030-01-01"),
        ("time-limit", "30-days"),
        ("must-use-resource", "/a%x0020b?c=d&e"),
        ("must-use-resource", "the-acap:extract:meta:x y"),
        ("must-use-resource", "the-acap:idlist:a, b"),
        ("prohibited-modification", "style"),
        ("location", "/a/b.html"),
        ("must-include-resource", 'the-acap:credit:id:a"b'),
        ("max-image-preview", "standard"),
        ("no-such", "thing"),
        ("must-use-resource", "a%b"),
        ("must-use-resource", "x,"),
        ("max-length", "many"),
        ("must-use-resource", "a=b c"),
    )
)
outcomes = st.sampled_from(("permitted", "prohibited", "prohibited", "conditional"))
acap_statements = st.builds(
    lambda **held: acap.Statement(dialect="acap", **held),
    usage=stated.filter(lambda name: name in PARENTS) | st.sampled_from(("sing", "Index", "a b", "(x)", "indexes")),
    outcome=outcomes,
    crawler=names,
    purpose=written_purposes,
    restrictions=st.lists(values, max_size=2),
)
element_statements = st.builds(
    lambda **held: acap.Statement(part="element", **held),
    dialect=st.sampled_from(("acap", "acap", "data-nosnippet", "rel")),
    usage=stated.filter(lambda name: name in PARENTS),
    outcome=outcomes,
    element=st.sampled_from(("div#a", "div#b", None)),
    crawler=st.sampled_from((None, None, None, "bot")),
)


def told(statements: Sequence[acap.Statement]) -> set[Any]:
    """What statements say, without where they stand and how they are written."""
    return {
        (
            one.dialect,
            one.usage,
            one.outcome,
            (one.crawler or "").lower(),
            one.purpose if one.purpose != "*" else None,
            one.part,
            one.element if one.part == "element" else None,
            frozenset((name, acap.Restriction(name, value).plain) for name, value in one.restrictions),
        )
        for one in statements
    }


def page_of(written: acap.PageStatements) -> str:
    """A page that carries what was written."""
    body = ""
    for locator, attributes in written.elements.items():
        tag, _, name = locator.partition("#")
        held = " ".join(f'{key}="{html.escape(value)}"' for key, value in attributes.items())
        body += f'<{tag} id="{name}" {held}>x</{tag}>'
    return f"<!doctype html>{''.join(written.meta)}<body>{body}"


@given(st.lists(st.one_of(acap_statements, element_statements), min_size=1, max_size=3))
def test_statements_are_written_so_that_the_same_is_read(statements: list[acap.Statement]) -> None:
    """Or they are refused: never is less written than was meant, nor other."""
    try:
        written = acap.page_statements(statements)
    except ValueError:
        return
    read = acap.parse_page(page_of(written), url=URL, headers=written.headers).statements()
    # A location that fits is settled when the page is read.
    settled = {(*one[:7], frozenset(pair for pair in one[7] if pair[0] != "location")) for one in told(statements)}
    assert told(read) == settled


@given(st.lists(word, min_size=1, max_size=4), st.sampled_from((None, "bot")), st.booleans())
def test_conventional_words_are_written_so_that_the_same_is_read(
    words: list[str], name: str | None, header: bool
) -> None:
    """A page's words, read and written: the same statements, in a META tag and in a header."""
    text = ", ".join(words)
    if header:
        page = acap.parse_page("", url=URL, headers=[("X-Robots-Tag", f"{name}: {text}" if name else text)])
    else:
        page = acap.parse_page(f'<meta name="{name or "robots"}" content="{text}">', url=URL)
    try:
        written = acap.page_statements(page)
    except ValueError:
        pytest.fail(f"what was read from `{text}` is not written")
    again = acap.parse_page(page_of(written), url=URL, headers=written.headers)
    assert told(again.statements()) == told(page.statements())


DEFINING = ("ACAP-qualified-usage: q", "ACAP-qualifed-usage: q", "ACAP-composite-usage: q", "ACAP-compsite-usage: q")
definitions = st.builds(
    "{} {}{}".format,
    st.sampled_from(DEFINING),
    st.sampled_from(("index", "indx", "present-snippet", "follow (r)", "index ai-train", "(r)", "frob", "all", "")),
    st.sampled_from(("", "", " time-limit=until-2020-01-01", " must-use-resource=the-acap:idlist:a,b", " x=y")),
)
names_of_it = st.sampled_from(
    (
        "allow-(q)",
        "allow-(-q)",
        "disallow-(q)",
        "disallow-(-q)",
        "allow-(q) x=y",
        "allow-(q",
        "disallow-q)",
        "disallow-((q))",
    )
)
OPEN = tuple(f"allow-{usage}" for usage in ("index", "follow", "present", "preserve", "tdm"))


@given(
    st.lists(definitions, min_size=1, max_size=2),
    st.sampled_from(("", "ACAP-qualified-usage: r follow", "ACAP-qualifed-usage: r index", "ACAP-version: 1.0")),
    names_of_it,
    st.sampled_from(("meta", "header", "class")),
)
@example(["ACAP-qualifed-usage: q index"], "", "allow-(q)", "meta")
@example(["ACAP-qualified-usage: q indx"], "", "allow-(q)", "class")
def test_a_local_usage_of_a_page_is_refused_what_a_field_of_that_name_refuses(
    defined: list[str], more: str, said: str, carrier: str
) -> None:
    """Whatever `ACAP-allow-(q)` prohibits in robots.txt, `allow-(q)` prohibits in META, header and class."""
    name, _, qualifier = said.partition(" ")
    if carrier == "class":
        qualifier = ""
    lines = [more, *defined, "ACAP-crawler: *"]
    fields = [*(f"ACAP-{one}: /" for one in OPEN), f"ACAP-{name}: / {qualifier}"]
    metas = [f'<meta name="robots" content="ACAP {one}">' for one in OPEN]
    headers = [("X-Robots-Tag", f"ACAP {name} {qualifier}")] if carrier == "header" else []
    if carrier == "meta":
        metas.append(f'<meta name="robots" content="ACAP {name} {qualifier}">')
    marked = f' class="the-acap:{name}"' if carrier == "class" else ""
    page = acap.parse_page(f"{''.join(metas)}<p{marked}>x", url=URL, headers=headers)
    there = acap.parse_robots("\n".join((*lines, *fields)), url=ROBOTS_URL)
    here = acap.parse_robots("\n".join(lines), url=ROBOTS_URL)
    for usage in ("index", "follow", "present", "present-snippet", "preserve", "other", "tdm", "ai-train"):
        asked: dict[str, Any] = {"crawler": "bot", "at": NOON}
        if not there.decide(URL, usage=usage, **asked).permitted:
            found = acap.decide(URL, usage=usage, page=page, robots=here, **asked)
            excluded = [one for one in found.restrictions if one.name == "excluded-element"]
            assert excluded if carrier == "class" and found.permitted else not found.permitted, usage


WRITTEN = (
    ("link", {"rel": "license", "type": "application/rsl+xml", "href": "/l.xml"}),
    ("link", {"rel": "alternate LICENSE", "type": "Application/RSL+xml; charset=utf-8", "href": "http://a.example/"}),
    ("script", {"type": "application/rsl+xml"}),
    ("meta", {"name": "robots", "content": "ACAP disallow-preserve"}),
    ("meta", {"name": "Robots", "content": "noai, NoIndex"}),
    ("meta", {"name": "tdm-reservation", "content": "1"}),
    ("meta", {"name": "tdm-policy", "content": "https://site.example/p.json"}),
    ("p", {"class": "x the-acap:disallow-index"}),
    ("p", {"class": "the-acp:disallow-follow"}),
    ("p", {"class": "the-acp:disaLLow-present"}),
)
FORMS = ("", "&#{};", "&#{:05};", "&#x{:x};", "&#X00{:X};")
NAMED = {"+": "&plus;", ":": "&colon;", "/": "&sol;", ".": "&period;", ";": "&semi;", ",": "&comma;"}
spellings = st.lists(st.sampled_from((0, 0, 0, 1, 2, 3, 4, 5)), min_size=40, max_size=40)


def spelled(value: str, forms: Sequence[int]) -> str:
    """An attribute value with letters as character references: decimal, hexadecimal, by name."""
    written = (
        letter if not form else NAMED.get(letter, letter) if form == len(FORMS) else FORMS[form].format(ord(letter))
        for letter, form in zip(value, forms, strict=False)
    )
    return "".join(written) + value[len(forms) :]


@given(st.lists(st.sampled_from(WRITTEN), min_size=1, max_size=3), spellings, st.booleans())
@example([WRITTEN[0]], [0] * 15 + [5] * 25, False)
@example([WRITTEN[0]], [0] * 15 + [1] * 25, True)
@example([WRITTEN[2]], [3] * 40, False)
@example([WRITTEN[8]], [0] * 13 + [1] * 27, False)
def test_references_in_attributes_are_read_as_their_characters(
    written: list[tuple[str, dict[str, str]]], forms: list[int], is_xhtml: bool
) -> None:
    """However a value is spelled, statements and licences are the same, and so are the licences that a crawl asks for.

    They are also those that a tree without short cuts has.
    """

    def page(forms: Sequence[int], more: str = "") -> tuple[acap.PagePolicy, tuple[str, ...]]:
        tags = ""
        for tag, values in written:
            attributes = "".join(f' {name}="{spelled(value, forms)}"' for name, value in values.items())
            tags += f"<{tag}{attributes}></{tag}>"
        kind = "application/xhtml+xml" if is_xhtml else "text/html"
        text = f'<html xmlns="http://www.w3.org/1999/xhtml"><head>{more}{tags}</head></html>'
        headers = [("Content-Type", kind)]
        return acap.parse_page(text, url=URL, headers=headers), licences_in(URL, tuple(headers), text.encode())

    plain, named = page(())
    every, _ = page((), "<!-- rsl+xml acap: -->")
    for other, asked in (page(forms), (every, named)):
        assert told(other.statements()) == told(plain.statements())
        assert other.licence_references() == plain.licence_references()
        assert asked == named
    assert bool(named) == any(tag == "link" for tag, _ in written)
