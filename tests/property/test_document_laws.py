"""Laws of comparing documents of other dialects: "equal" holds on every path, and a change is as it is told."""

from __future__ import annotations

import json
import os
from xml.sax.saxutils import quoteattr

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import acap
from acap.carriers import file_carriers
from acap.problems import DocumentKind
from acap.publish.documents import compare_documents
from acap.statement import Source
from acap.usages import PARENTS

EXAMPLES = int(os.environ.get("ACAP_EXAMPLES", "30"))
SITE = "https://www.example.com"
CRAWLERS = ("*", "GPTBot", "a-crawler-that-no-file-names")

patterns = st.sampled_from(
    ("/", "/a", "/a/", "/a*b", "/a$", "*.jpg", "/*.jpg$", "/a*/c", "/b?x=", "/%61/", "/é", "*", "/a/*b*c$", "a")
)
paths = st.one_of(
    st.sampled_from(("/", "/a", "/a/b", "/a.jpg", "/a/.JPG", "/x.jpg?b", "/b?x=1", "/é", "/a//c", "/axb.jpg")),
    st.text("ab/c.jpg?x=", max_size=8).map(lambda text: f"/{text}"),
)


@st.composite
def tdmrep(draw: st.DrawFn) -> bytes:
    said = st.tuples(patterns, st.sampled_from((0, 1)), st.sampled_from((None, "/t", "/u")))
    rules = [
        {"location": at, "tdm-reservation": says, "tdm-policy": policy}
        for at, says, policy in draw(st.lists(said, max_size=4))
    ]
    return json.dumps([{key: value for key, value in rule.items() if value is not None} for rule in rules]).encode()


@st.composite
def ai_txt(draw: st.DrawFn) -> bytes:
    lines = st.one_of(
        st.sampled_from(("User-Agent: *", "User-Agent: GPTBot", "User-Agent: gptbot", "# x", "")),
        st.tuples(st.sampled_from(("Allow", "Disallow")), patterns).map(": ".join),
    )
    return "\n".join([*draw(st.lists(lines, max_size=6)), "Disallow: /none/", ""]).encode()


@st.composite
def rsl(draw: st.DrawFn) -> bytes:
    words = st.sampled_from(("ai-train", "ai-all", "search", "ai-input", "all"))
    terms = st.sampled_from(("", '<payment type="purchase"><amount currency="EUR">1</amount></payment>'))
    licences = st.tuples(st.sampled_from(("permits", "prohibits")), words, terms).map(
        lambda one: f'<license><{one[0]} type="usage">{one[1]}</{one[0]}>{one[2]}</license>'
    )
    contents = st.tuples(patterns, licences).map(lambda one: f"<content url={quoteattr(one[0])}>{one[1]}</content>")
    written = "".join(draw(st.lists(contents, min_size=1, max_size=3)))
    return f'<rsl xmlns="https://rslstandard.org/rsl">{written}</rsl>'.encode()


WORDS = ("noindex", "noai", "nofollow, noindex", "ACAP disallow-index", "ACAP allow-index time-limit=9-days")


@st.composite
def page(draw: st.DrawFn) -> bytes:
    tags = st.tuples(st.sampled_from(("robots", "GPTBot", "robots")), st.sampled_from(WORDS)).map(
        lambda one: f'<meta name="{one[0]}" content="{one[1]}">'
    )
    parts = st.sampled_from(("<p>a", "<p class=acap-disallow-index>b", "<p class=robots-nocontent>c", "<div>d</div>"))
    head, body = draw(st.lists(tags, max_size=3)), draw(st.lists(parts, max_size=3))
    return f"<!doctype html>{''.join(head)}<p>{''.join(body)}</html>".encode()


@st.composite
def headers(draw: st.DrawFn) -> bytes:
    fields = ("X-Robots-Tag: noai", "X-Robots-Tag: GPTBot: noindex", "Content-Usage: train-ai=n", "A: b")
    return "\n".join(("HTTP/1.1 200 OK", *draw(st.lists(st.sampled_from(fields), max_size=4)), "", "")).encode()


def source(kind: DocumentKind, octets: bytes) -> Source:
    if kind in ("page", "headers"):
        return file_carriers(octets, f"a.{'html' if kind == 'page' else kind}").policy
    if kind == "tdmrep":
        return acap.parse_tdmrep(octets, url=f"{SITE}/x")
    return acap.parse_ai_txt(octets, url=f"{SITE}/x") if kind == "ai-txt" else acap.parse_rsl(octets, url=f"{SITE}/x")


def said(kind: DocumentKind, octets: bytes, path: str, crawler: str) -> dict[str, tuple[object, ...]]:
    """What a document says of each usage: all but where it says so."""
    asker = "a-crawler-that-no-file-names" if crawler == "*" else crawler
    says = source(kind, octets)
    page, others = (says, ()) if isinstance(says, acap.PagePolicy) else (None, [says])
    found = acap.decide_each(f"{SITE}{path}", crawler=asker, usages=tuple(PARENTS), page=page, others=others)
    return {usage: (one.outcome, one.conditions, one.restrictions, one.stated) for usage, one in found.items()}


KINDS: dict[DocumentKind, st.SearchStrategy[bytes]] = {
    "tdmrep": tdmrep(), "ai-txt": ai_txt(), "rsl": rsl(), "page": page(), "headers": headers(),
}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=EXAMPLES, deadline=None)
@given(data=st.data())
def test_what_is_called_equal_decides_alike_and_what_differs_lies_in_a_change(
    kind: DocumentKind, data: st.DataObject
) -> None:
    """For each path, crawler and usage; where an extension or a licensee counts as well, differences may be missed."""
    old, new = data.draw(KINDS[kind]), data.draw(KINDS[kind])
    found = compare_documents(kind, old, new, url=f"{SITE}/x")
    for change in found.changes:
        assert change.witness in change.paths
        for crawler in change.crawlers:
            before, after = (said(kind, octets, change.witness, crawler) for octets in (old, new))
            for usage in change.usages:
                assert before[usage] != after[usage]
                assert (before[usage][0], after[usage][0]) == (change.before.outcome, change.after.outcome)
    for path in data.draw(st.lists(paths, min_size=4, max_size=4)):
        for crawler in CRAWLERS:
            before, after = (said(kind, octets, path, crawler) for octets in (old, new))
            differing = {usage for usage, answer in before.items() if answer != after[usage]}
            assert found.verdict != "equal" or not differing
            if kind == "tdmrep":
                changes = [change for change in found.changes if path in change.paths]
                assert differing == {usage for change in changes for usage in change.usages}


linked = st.lists(
    st.sampled_from((
        '<a href="/q">', '<a rel="nofollow" href="/q">', '<a rel="UGC x" href="q">', '<a rel="next" href="/q">',
        '<base href="https://other.example/">', '<base href="/d/">', '<iframe src="/r">', '<a href="">', "<p>",
    )),
    max_size=4,
).map("".join)  # fmt: skip


@settings(max_examples=10 * EXAMPLES, deadline=None)
@given(linked, linked, st.sampled_from(("", '<meta name="robots" content="nofollow">')))
def test_pages_that_are_equal_permit_each_link_of_both_alike(old: str, new: str, head: str) -> None:
    """A link of both that may be followed in one alone makes them undecided for `follow`; so does another base."""
    found = compare_documents("page", (head + old).encode(), (head + new).encode(), url=f"{SITE}/x")
    before, after = (links_of(head + page) for page in (old, new))
    if found.verdict == "equal":
        assert all(after[url] == said for url, said in before.items() if url in after)
    else:
        assert {one.usage for one in found.undecided} == {"follow"}
    assert old != new or found.verdict == "equal"


def links_of(page: str) -> dict[str, set[str]]:
    """Where the links of a page lead, with what is decided of following them."""
    found: dict[str, set[str]] = {}
    for link in acap.parse_page(page, url=f"{SITE}/x").links(crawler="bot"):
        found.setdefault(link.url, set()).add(str(link.decision.outcome))
    return found


@pytest.mark.parametrize(
    "less", ['<a rel="nofollow" href="/q">q</a>', '<base href="https://b.example/"><a href="/q">q</a>']
)
def test_links_that_may_no_longer_be_followed_are_not_called_equal(less: str) -> None:
    """`rel` and the base of links are told beside what changes else; a further link is content."""
    plain = b'<p><a href="/q">q</a>'
    found = compare_documents("page", plain, less.encode(), url=f"{SITE}/x")
    assert (found.verdict, found.undecided[0].usage) == ("undecided", "follow")
    both = compare_documents("page", plain, b'<meta name="robots" content="noindex">' + less.encode(), url=f"{SITE}/x")
    assert (both.verdict, both.undecided) == ("different", found.undecided)
    assert compare_documents("page", plain, plain + b'<a href="/r">r</a>', url=f"{SITE}/x").verdict == "equal"


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=EXAMPLES, deadline=None)
@given(data=st.data())
def test_a_document_equals_itself(kind: DocumentKind, data: st.DataObject) -> None:
    """Blanks beside it do not matter, but where parts of a page speak: a part may be another one then."""
    octets = data.draw(KINDS[kind])
    assert compare_documents(kind, octets, octets, url=f"{SITE}/x").verdict == "equal"
    found = compare_documents(kind, octets, b" " + octets + b"\n", url=f"{SITE}/x")
    assert found.verdict == ("undecided" if b"class=acap" in octets else "equal")
