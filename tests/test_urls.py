"""One definition of a URL: what can be asked about is what can be retrieved, and hosts compare in one form."""

from __future__ import annotations

from collections.abc import Callable

import can_ada
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import acap
from acap import _native
from acap.retrieval import canonical, robots_url
from acap.retrieval.locations import resolve
from acap.robots import DIALECTS
from tests.hostile import MISTAKES, URLS
from tests.reference.canonical import authority, canonical_path

SITE = "http://host.example/robots.txt"
ASKING: dict[str, Callable[[str], object]] = {
    "decide": lambda url: acap.parse_robots(b"").decide(url, crawler="bot"),
    "decide_many": lambda url: acap.parse_robots(b"").decide_many(["/", url], crawler="bot"),
    "a policy's own": lambda url: acap.parse_robots(b"", url=url),
    "a page": lambda url: acap.parse_page(b"<p>x", url=url),
    "a page's robots.txt": lambda url: acap.decide(url, crawler="bot", robots=acap.parse_robots(b"")),
}
REFUSED = (
    "http://host.example/a\tb",
    "http://host.example/a\nb",
    "http://host.example/#\r",
    "http://host.example/\x00",
    "http://host.example/\x7f",
    "http://ho\tst.example/",
    "http://ho st.example/",
    "http://a..b/",
    "http://a%62/",
    "http://a\\@b/",
    "http://host.example:0/",
    "http://host.example:65536/",
    "http://[::1",
    "http://[fe80::1%25eth0]/",
    "http://①.example/",
    f"http://host.example/{'a' * 65_536}",
    "",
    "?x",
    "#x",
    "x",
)


@pytest.mark.parametrize("ask", ASKING)
@pytest.mark.parametrize("url", REFUSED)
def test_what_retrieval_refuses_is_the_callers_mistake(ask: str, url: str) -> None:
    """The same URLs are refused wherever one is given, in one line."""
    for asked in (ASKING[ask], canonical):
        with pytest.raises(ValueError) as error:
            asked(url)
        assert "\n" not in str(error.value)
        assert len(str(error.value)) < 500


HOSTS = st.text(
    st.one_of(st.sampled_from("abz019-_.AZ"), st.characters(categories=["Ll", "Lu", "Lo", "Nd"], max_codepoint=0x7FF)),
    min_size=1,
    max_size=12,
)


@pytest.mark.parametrize("dialect", [one for one in DIALECTS if one != "google"])
@pytest.mark.parametrize("url", ["", "?", "?/private/", "#", "#x", "x", "./x", ":"])
def test_nothing_is_answered_of_a_relative_url(url: str, dialect: str) -> None:
    """An empty text, a query and a fragment are of a URL that nobody knows, in every dialect that has one of ours."""
    robots = acap.parse_robots(b"", url=SITE, dialect=dialect)
    for asked in ([url], [SITE, url], ["/", url, SITE]):
        with pytest.raises(ValueError):
            robots.decide_many(asked, crawler="bot", usages=["crawl", "index"])
    with pytest.raises(ValueError):
        robots.decide(url, crawler="bot")
    assert acap.parse_robots(b"", dialect="google").decide("", crawler="bot").permitted


@given(host=HOSTS)
def test_hosts_have_one_form(host: str) -> None:
    """A host's ASCII form is its own form, and that of browsers where they have one and it is as strict."""
    url = f"http://{host}/a"
    origin = _native.origin(url)
    if origin is None:
        with pytest.raises(ValueError):
            canonical(url)
        return
    assert origin.isascii()
    assert origin == _native.origin(f"{origin}/b") == robots_url(url).removesuffix("/robots.txt")
    assert canonical(url) == f"{origin}/a"
    try:
        browsers = can_ada.parse(url).host
    except ValueError:
        return  # an invalid A-label, or a number that is no address
    if not browsers.rpartition(".")[2].isdigit():  # browsers rewrite those
        assert origin == f"http://{browsers}"


@given(host=HOSTS)
def test_a_spelling_of_a_host_finds_its_policy(host: str) -> None:
    """A policy answers for its host in every spelling, and a foreign one is an error."""
    url = f"http://{host}/a"
    if (origin := _native.origin(url)) is None:
        return
    policy = acap.parse_robots(b"User-agent: *\nDisallow: /a", url=url)
    for spelling in (url, f"{origin}/a", f"{origin.upper()}/a".replace("HTTP", "Http"), f"{origin}:80/a"):
        assert not policy.decide(spelling, crawler="bot").permitted
    with pytest.raises(ValueError):
        policy.decide(f"{origin}x/a", crawler="bot")


PIECES = ("/", "/", "/", "a", ".", "..", "%2e", "%2E", "...", "", "%2F", "%zz", "\u00fc", "|", "~", "%7e", "b.c")
PATHS = st.lists(st.sampled_from(PIECES), max_size=9).map("".join)
QUERIES = st.sampled_from(("", "?", "?q/../.", "#/..", "?a#b/."))


@given(path=PATHS, query=QUERIES)
@example(path="private/.", query="")
@example(path="private/x/..", query="")
@example(path="/.", query="")
@example(path="a/%2e%2E/b", query="")
def test_what_is_sent_is_what_was_asked_about(path: str, query: str) -> None:
    """A policy has one answer for a URL and for the form in which it is sent, which has no dot segments."""
    url = f"http://host.example/{path}{query}"
    sent = canonical(url)
    asked = _native.canonical_path(url.encode())
    assert _native.canonical_path(sent.encode()) == asked == canonical_path(url).encode()
    assert canonical(sent) == sent
    dots = {"." * number for number in (1, 2)}
    assert not dots & {one.lower().replace("%2e", ".") for one in sent.partition("?")[0].split("/")}
    robots = acap.parse_robots(f"User-agent: *\nDisallow: {asked.decode('ascii').partition('?')[0]}$\n", url=SITE)
    one, other = (robots.decide(each, crawler="bot").outcome for each in (url, sent))
    assert one == other


# RFC 3986 5.4 without its other schemes, of http://a/b/c/d;p?q; fragments are not sent.
REFERENCES = {
    "g": "/b/c/g", "./g": "/b/c/g", "g/": "/b/c/g/", "/g": "/g", "//g": "//g/", "?y": "/b/c/d;p?y", "g?y": "/b/c/g?y",
    "#s": "/b/c/d;p?q", "g#s": "/b/c/g", "g?y#s": "/b/c/g?y", ";x": "/b/c/;x", "g;x": "/b/c/g;x", "": "/b/c/d;p?q",
    ".": "/b/c/", "./": "/b/c/", "..": "/b/", "../": "/b/", "../g": "/b/g", "../..": "/", "../../": "/",
    "../../g": "/g", "../../../g": "/g", "../../../../g": "/g", "/./g": "/g", "/../g": "/g", "g.": "/b/c/g.",
    ".g": "/b/c/.g", "g..": "/b/c/g..", "..g": "/b/c/..g", "./../g": "/b/g", "./g/.": "/b/c/g/", "g/./h": "/b/c/g/h",
    "g/../h": "/b/c/h", "g;x=1/./y": "/b/c/g;x=1/y", "g;x=1/../y": "/b/c/y", "g?y/./x": "/b/c/g?y/./x",
    "g?y/../x": "/b/c/g?y/../x", "g#s/../x": "/b/c/g",
}  # fmt: skip


@pytest.mark.parametrize(("reference", "leads"), REFERENCES.items())
def test_a_reference_leads_where_the_rfc_says(reference: str, leads: str) -> None:
    """RFC 3986 5.4, as a redirect or a URI in a policy is followed."""
    assert resolve("http://a/b/c/d;p?q", reference) == (f"http:{leads}" if leads[:2] == "//" else f"http://a{leads}")


def test_a_reference_loses_no_empty_segment() -> None:
    """Two slashes hold a segment between them, which `..` takes away as any other (RFC 3986 5.2.4)."""
    assert resolve("http://a/b//c", "../d") == "http://a/b/d"
    assert resolve("http://a//b/c", "d") == "http://a//b/d"
    assert resolve("http://a//b/c", "..") == "http://a//"


@pytest.mark.parametrize("url", [*URLS.values(), *MISTAKES.values()])
def test_what_can_be_asked_about_can_be_retrieved(url: str) -> None:
    """An absolute URL that a policy answers for has a form in which it is sent, and a site."""
    policy = acap.parse_robots(b"", url=SITE)
    try:
        policy.decide(url, crawler="bot")
    except ValueError:
        return
    if url.startswith("/"):
        return
    assert authority(robots_url(url)) == "host.example"
    assert canonical(url).startswith("http://host.example/")
