"""One definition of a URL: what can be asked about is what can be retrieved, and hosts compare in one form."""

from __future__ import annotations

from collections.abc import Callable

import can_ada
import pytest
from hypothesis import given
from hypothesis import strategies as st

import acap
from acap import _native
from acap.retrieval import canonical, robots_url
from tests.hostile import MISTAKES, URLS
from tests.reference.canonical import authority

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
