"""The site that users have for their tests: what is put into it is what clients meet."""

from __future__ import annotations

import httpx2
import pytest

from acap import Retriever
from acap.integrations.httpx import AskingTransport, RefusedError
from acap.integrations.testing import FakePage, FakeSite, Trouble
from acap.retrieval import Timeouts

FILE = "User-agent: *\nDisallow: /private\n"


def client() -> httpx2.Client:
    """A client that asks first."""
    transport = AskingTransport("examplebot", timeout=Timeouts(connect=0.3, read=0.3, total=0.6))
    return httpx2.Client(transport=transport, follow_redirects=True, timeout=0.3)


def test_a_site_answers_what_it_is_told(acap_site: FakeSite) -> None:
    """Pages, headers and redirects; what was asked for is kept, and a query does not hide a page."""
    acap_site.robots = FILE
    acap_site.pages |= {
        "/": "<p>Welcome</p>",
        "/old": FakePage.redirect("/"),
        "/data": FakePage(b"{}", headers=[("Content-Type", "application/json"), ("X-Robots-Tag", "noindex")]),
    }
    with client() as browser:
        assert browser.get(acap_site.url("/old?x=1")).text == "<p>Welcome</p>"
        assert browser.get(acap_site.url("/data")).headers["x-robots-tag"] == "noindex"
        assert browser.head(acap_site.url("/gone")).status_code == 404
        with pytest.raises(RefusedError):
            browser.get(acap_site.url("/private"))
    assert acap_site.asked == ["/robots.txt", "/old?x=1", "/", "/data", "/gone"]
    assert acap_site.requests[0][2]["user-agent"].startswith("examplebot")
    acap_site.forget()
    assert acap_site.asked == []


def test_a_site_without_a_robots_txt_has_none(acap_site: FakeSite) -> None:
    """It may get one at any time."""
    with Retriever() as retriever:
        assert retriever.robots(acap_site.url()).state == "absent"
        acap_site.robots = FILE
        assert retriever.robots(acap_site.url(), refresh=True).octets == FILE.encode()


@pytest.mark.parametrize(("trouble", "kind"), [("cut", "cut-body"), ("reset", "protocol"), ("silent", "timeout")])
def test_trouble_is_what_a_network_has(acap_site: FakeSite, trouble: Trouble, kind: str) -> None:
    """A policy that comes to grief prohibits."""
    acap_site.robots = FakePage(FILE, trouble=trouble)
    with Retriever(timeout=Timeouts(connect=0.3, read=0.3, total=0.6)) as retriever:
        policy = retriever.robots(acap_site.url())
    assert (policy.state, policy.evidence["failure"]["kind"]) == ("unreachable", kind)


def test_a_site_that_is_not_served_has_no_url() -> None:
    """The message says what to do."""
    with pytest.raises(RuntimeError, match="context manager"):
        FakeSite().url()
