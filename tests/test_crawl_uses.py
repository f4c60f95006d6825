"""What must be used or included is fetched for that use, though its site closes it to crawling; for nothing else."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from acap.harvest.presentation import Presentation, Representation, link, snippet
from acap.harvest.proof import verify
from tests import reference
from tests.crawling import HTML, acts, crawl, entries, opened, page, robots, run, site
from tests.loopback import Loopback, redirect, reply
from tests.reference.page import read_page
from tests.reference.page_hearing import Site
from tests.reference.page_resolution import decide_page

if TYPE_CHECKING:
    from collections.abc import Iterator
    from socket import socket

    from acap.harvest.store import Act
    from tests.loopback import Asked, Script

CLOSED = ("User-agent: *", "Disallow: /priv/")
WORDS = "ACAP allow-index must-use-resource=/priv/words.txt"
CREDIT = "ACAP allow-present-snippet must-include-resource=the-acap:credit:/priv/credit.html"
CREDITED = "/priv/credit.html"
TEXT = ("Content-Type", "text/plain")
BYLINE = b'<p>By Ada Byron<a href="/priv/more"></a>'


def meta(content: str) -> str:
    """A META tag of ACAP."""
    return f'<meta name="robots" content="{content}">'


@pytest.fixture
def news() -> Iterator[Loopback]:
    """A site that closes a folder."""
    with site() as loopback:
        loopback.says |= {
            "/robots.txt": robots(*CLOSED),
            "/": page("/story"),
            "/story": page(text="Fog over the harbour", head=meta(CREDIT)),
            "/priv/words.txt": reply(body=b"substitute words", headers=[TEXT]),
            CREDITED: reply(body=BYLINE, headers=[HTML]),
        }
        yield loopback


def story(store: Path, loopback: Loopback) -> tuple[Presentation, Representation]:
    """The snippet of the story, as it is shown now."""
    with opened(store) as kept:
        presentation = Presentation(kept)
        found = kept.resources.find(loopback.url("/story"))
        assert found is not None
        assert found.current is not None
        judged = presentation.judged(found.current)
        assert judged is not None
        return presentation, snippet(presentation, judged)


def copies(store: Path, loopback: Loopback) -> list[str]:
    """The paths of all copies that are held."""
    with opened(store) as kept:
        return sorted(url.removeprefix(loopback.url("")) for url in kept.resources.kept_for("preserve").values())


def found(store: Path, word: str) -> list[str]:
    """The URLs that the index finds."""
    with opened(store) as kept:
        numbers = [number for number, _ in kept.database.search([word], 10, 0)]
        return sorted(version.url for version in kept.resources.by_versions(numbers).values())


def is_proven(store: Path) -> bool:
    """Whether ledger and store prove each other."""
    with opened(store) as kept:
        return verify(kept).wrong == ()


def body(said: object) -> bytes:
    """The body of a response as it is sent."""
    assert isinstance(said, bytes)
    return said.partition(b"\r\n\r\n")[2]


def doubted(store: Path, loopback: Loopback) -> list[str]:
    """What the ledger tells of closed resources and the interpreter does not say, by what the site serves."""
    closed = Site.read(body(loopback.says["/robots.txt"]), loopback.url("/robots.txt"))
    aside = replace(closed, policy=replace(closed.policy, for_use=True))
    wrong: list[str] = []
    seen = 0
    for act in entries(store):
        if "for" not in act.detail:
            continue
        seen += 1
        if reference.decide(closed.policy, act.url, crawler="examplebot").permitted:
            wrong.append(f"{act.url} is not closed")
        for use in act.detail["for"]:
            html = body(loopback.says[use["page"].removeprefix(loopback.url(""))]).decode()
            page = read_page(html, url=use["page"])
            decision = decide_page(page, use["page"], crawler="examplebot", usage=use["usage"], site=closed)
            if use["restriction"] not in {f"{name}={value}" for name, value, *_ in decision.restrictions}:
                wrong.append(f"{use['page']} does not name {act.url}")
        if act.act == "preserved":
            own = read_page(body(loopback.says[act.url.removeprefix(loopback.url(""))]).decode(), url=act.url)
            for usage in ("preserve", "present-snippet"):
                if not decide_page(own, act.url, crawler="examplebot", usage=usage, site=aside).permitted:
                    wrong.append(f"{act.url} does not permit {usage}")
    return wrong if seen else ["nothing was fetched for a use"]


def fetched(store: Path, url: str) -> Act:
    """The last entry that tells of a response."""
    return [act for act in entries(store, url) if act.act == "crawled"][-1]


def test_words_that_must_be_used_are_fetched_and_find_the_page_alone(tmp_path: Path, news: Loopback) -> None:
    """The page is found by them; they are neither found nor kept by themselves, and the ledger tells who named them."""
    store = tmp_path / "s.db"
    news.says["/story"] = page(text="Fog over the harbour", head=meta(WORDS))
    assert crawl(store, news.url("/")).code == 0
    words = news.url("/priv/words.txt")
    assert found(store, "substitute") == [news.url("/story")]
    assert found(store, "harbour") == []
    assert "/priv/words.txt" not in copies(store, news)
    act = fetched(store, words)
    assert act.decision is not None
    assert act.decision["outcome"] == "permitted"
    [statement] = act.decision["statements"]
    assert (statement["source"], statement["text"]) == (news.url("/story"), WORDS)
    assert act.detail["for"] == [
        {"page": news.url("/story"), "usage": "index", "restriction": "must-use-resource=/priv/words.txt"}
    ]
    assert [one["text"] for one in act.detail["against"]["statements"]] == ["Disallow: /priv/"]
    assert acts(store, words) == ["crawled crawl", "refused index", "refused preserve"]
    assert is_proven(store)
    assert doubted(store, news) == []


def test_a_credit_that_must_be_included_is_kept_for_that_and_shown_nowhere_else(tmp_path: Path, news: Loopback) -> None:
    """The snippet has it; by itself nothing of it is found or shown, and its links are not followed."""
    store = tmp_path / "s.db"
    assert crawl(store, news.url("/")).code == 0
    _, shown = story(store, news)
    assert [one.text for one in shown.included] == ["By Ada Byron"]
    assert copies(store, news) == ["/", CREDITED, "/story"]
    assert found(store, "byron") == []
    assert "/priv/more" not in news.targets
    with opened(store) as kept:
        presentation = Presentation(kept)
        resource = kept.resources.find(news.url(CREDITED))
        assert resource is not None
        assert resource.current is not None
        by_itself = presentation.judged(resource.current)
        assert by_itself is not None
        assert not snippet(presentation, by_itself).is_shown
        assert not link(presentation, by_itself).is_shown
        assert presentation.of_url(news.url(CREDITED)) is None
        presentation.note(shown)
    preserved = [act for act in entries(store, news.url(CREDITED)) if act.act == "preserved"]
    assert [one["page"] for one in preserved[0].detail["for"]] == [news.url("/story")]
    assert is_proven(store)
    assert doubted(store, news) == []


def test_a_credit_that_is_not_at_hand_is_a_link_unless_it_says_no_to_that_too(tmp_path: Path, news: Loopback) -> None:
    """As for any credit its URL may stand for it; its own words prohibit that as well as a snippet of it."""
    store = tmp_path / "s.db"
    news.says[CREDITED] = reply(body=BYLINE, headers=[HTML, ("X-Robots-Tag", "nosnippet")])
    assert crawl(store, news.url("/")).code == 0
    assert [one.text for one in story(store, news)[1].included] == [news.url(CREDITED)]
    news.says[CREDITED] = reply(body=meta("ACAP disallow-present").encode() + BYLINE, headers=[HTML])
    assert crawl(store, news.url("/")).code == 0
    assert story(store, news)[1].is_withheld


def test_what_was_refused_before_a_page_named_it_is_asked_for_then(tmp_path: Path, news: Loopback) -> None:
    """A link to it is refused; the page that names it is read later, and opens it for its use in the same crawl."""
    store = tmp_path / "s.db"
    news.says["/"] = page(CREDITED, "/a", "/story")
    news.says["/a"] = page(CREDITED)
    assert crawl(store, news.url("/")).code == 0
    assert news.targets.count(CREDITED) == 1
    told = [(act.act, act.detail.get("found_in")) for act in entries(store, news.url(CREDITED)) if act.usage == "crawl"]
    assert told == [("refused", news.url("/")), ("crawled", news.url("/story"))]
    assert story(store, news)[1].included


def test_what_is_named_before_its_turn_is_not_refused_first(tmp_path: Path, news: Loopback) -> None:
    """What waits as a link when the page that names it is read comes as what the page needs."""
    news.says["/"] = page("/story", CREDITED)
    assert crawl(tmp_path / "s.db", news.url("/"), "--delay", "0.1").code == 0
    acts_on_it = acts(tmp_path / "s.db", news.url(CREDITED))
    assert [act for act in acts_on_it if "crawl" in act] == ["crawled crawl"]


@pytest.mark.parametrize(
    ("lines", "head"),
    [
        ((), "ACAP allow-present-snippet must-include-resource=the-acap:link:/priv/credit.html"),
        (("ACAP-crawler: *", "ACAP-disallow-present-snippet: /priv/"), CREDIT),
        (("ACAP-crawler: *", "ACAP-disallow-preserve: /priv/"), CREDIT),
        (("ACAP-crawler: *", "ACAP-request-take-down: /priv/credit.html"), CREDIT),
        ((), "ACAP allow-index must-include-resource=/priv/credit.html"),
    ],
    ids=["a link is enough", "not to be shown", "not to be kept", "taken down", "of no use to the index"],
)
def test_what_is_of_no_use_is_not_fetched(tmp_path: Path, news: Loopback, lines: tuple[str, ...], head: str) -> None:
    """It is fetched only for a use that robots.txt permits but for crawling, and that needs more than its URL."""
    news.says |= {"/robots.txt": robots(*CLOSED, *lines), "/story": page(head=meta(head))}
    assert crawl(tmp_path / "s.db", news.url("/")).code == 0
    assert CREDITED not in news.targets
    assert [act for act in acts(tmp_path / "s.db", news.url(CREDITED)) if "crawl" in act] == ["refused crawl"]


def test_a_link_that_must_be_included_needs_no_crawling(tmp_path: Path, news: Loopback) -> None:
    """Its URL stands beside the snippet, though what it leads to is closed; unless links to it are prohibited."""
    store = tmp_path / "s.db"
    news.says["/story"] = page(text="Fog", head=meta(CREDIT.replace("credit:", "link:")))
    assert crawl(store, news.url("/")).code == 0
    assert [one.url for one in story(store, news)[1].included] == [news.url(CREDITED)]
    news.says["/robots.txt"] = robots(*CLOSED, "ACAP-crawler: *", "ACAP-disallow-present-link: /priv/")
    assert crawl(store, news.url("/")).code == 0
    assert story(store, news)[1].is_withheld


def test_for_a_page_of_which_nothing_is_held_nothing_is_fetched(tmp_path: Path, news: Loopback) -> None:
    """A page that may be neither indexed nor preserved is never shown, so that nothing is needed with it."""
    news.says["/story"] = page(head=meta(CREDIT) + meta("noindex, noarchive") + meta("ACAP disallow-preserve"))
    assert crawl(tmp_path / "s.db", news.url("/")).code == 0
    assert CREDITED not in news.targets


@pytest.mark.parametrize(
    "answer",
    [
        reply(404),
        reply(503),
        redirect("/priv/elsewhere.html"),
        redirect("/open.html"),
        reply(body=BYLINE, headers=[HTML, ("X-Robots-Tag", "nosnippet")]),
        reply(body=b'<meta name="robots" content="nosnippet">' + BYLINE, headers=[HTML]),
        reply(body=b'<meta name="robots" content="ACAP disallow-preserve">' + BYLINE, headers=[HTML]),
        reply(body=b'<meta name="robots" content="ACAP disallow-crawl">' + BYLINE, headers=[HTML]),
        reply(body=b'<meta name="robots" content="ACAP disallow-present">' + BYLINE, headers=[HTML]),
    ],
    ids=[
        "gone", "failing", "redirects", "redirects out", "header", "nosnippet", "disallow-preserve", "disallow-crawl",
        "disallow-present",
    ],
)  # fmt: skip
def test_what_cannot_be_had_or_says_no_itself_is_not_kept_and_withholds(
    tmp_path: Path, news: Loopback, answer: bytes
) -> None:
    """Its own words hold against the use, nothing is had by way of a redirect, and the snippet is withheld."""
    store = tmp_path / "s.db"
    news.says |= {CREDITED: answer, "/priv/elsewhere.html": page(), "/open.html": page()}
    news.says["/story"] = page(text="Fog", head=meta("ACAP allow-present-snippet must-use-resource=/priv/credit.html"))
    assert crawl(store, news.url("/")).code == 0
    assert CREDITED in news.targets
    assert not {"/priv/elsewhere.html", "/open.html"} & set(news.targets)
    assert copies(store, news) == ["/", "/story"]
    assert story(store, news)[1].is_withheld
    assert is_proven(store)


def test_words_that_may_not_be_indexed_themselves_find_no_page(tmp_path: Path, news: Loopback) -> None:
    """What must be used instead of a page and says noindex, in a header or in robots.txt, leaves the page unfound."""
    news.says["/story"] = page(text="Fog", head=meta(WORDS))
    news.says["/priv/words.txt"] = reply(body=b"substitute", headers=[TEXT, ("X-Robots-Tag", "noindex")])
    assert crawl(tmp_path / "s.db", news.url("/")).code == 0
    assert found(tmp_path / "s.db", "substitute") == []
    news.says["/robots.txt"] = robots(*CLOSED, "ACAP-crawler: *", "ACAP-disallow-index: /priv/")
    news.says["/priv/words.txt"] = reply(body=b"substitute", headers=[TEXT])
    del news.asked[:]
    assert crawl(tmp_path / "s.db", news.url("/")).code == 0
    assert found(tmp_path / "s.db", "substitute") == []
    assert "/priv/words.txt" not in news.targets


@pytest.mark.parametrize("where", ["robots.txt", "header", "reference"])
def test_a_statement_of_the_site_itself_opens_it(tmp_path: Path, news: Loopback, where: str) -> None:
    """Named by robots.txt, by a header of the page or by permissions that robots.txt refers to: the line is told."""
    store = tmp_path / "s.db"
    line = "ACAP-allow-present-snippet: /story must-include-resource=the-acap:credit:/priv/credit.html"
    news.says["/story"] = page(text="Fog", headers=(("X-Robots-Tag", CREDIT),) if where == "header" else ())
    if where == "robots.txt":
        news.says["/robots.txt"] = robots(*CLOSED, "ACAP-crawler: *", line)
    elif where == "reference":
        news.says["/robots.txt"] = robots(*CLOSED, "ACAP-crawler: *", "ACAP-permissions-reference: /perm.txt")
        news.says["/perm.txt"] = robots("ACAP-crawler: *", line)
    assert crawl(store, news.url("/")).code == 0
    assert CREDITED in news.targets
    act = fetched(store, news.url(CREDITED))
    assert act.decision is not None
    assert "the-acap:credit:/priv/credit.html" in act.decision["statements"][0]["text"]
    assert [one.text for one in story(store, news)[1].included] == ["By Ada Byron"]


def test_no_stranger_opens_what_a_site_closes(tmp_path: Path, news: Loopback) -> None:
    """Not a page of another site, nor permissions that are kept on another site, though robots.txt refers to them."""
    line = "ACAP-allow-present-snippet: /story must-include-resource=the-acap:credit:/priv/credit.html"
    with site() as other:
        other.says["/"] = page(head=meta(CREDIT.replace("/priv", news.url("/priv"))))
        other.says["/perm.txt"] = robots("ACAP-crawler: *", line, "ACAP-allow-present-snippet: /")
        assert crawl(tmp_path / "one.db", other.url("/")).code == 0
        news.says["/robots.txt"] = robots(
            *CLOSED, "ACAP-crawler: *", f"ACAP-permissions-reference: {other.url('/perm.txt')}"
        )
        news.says["/story"] = page(text="Fog")
        assert crawl(tmp_path / "two.db", news.url("/")).code == 0
    assert "/perm.txt" in other.targets
    assert "/story" in news.targets
    assert CREDITED not in news.targets


def test_what_is_closed_is_asked_for_at_the_pace_of_its_site(tmp_path: Path, news: Loopback) -> None:
    """The delay that robots.txt asks for lies before it as before any other request."""
    times: list[float] = []

    def timed(answer: object) -> Script:
        def says(connection: socket, _: Asked) -> None:
            assert isinstance(answer, bytes)
            times.append(time.monotonic())
            connection.sendall(answer)

        return says

    news.says |= {path: timed(news.says[path]) for path in ("/story", CREDITED)}
    news.says["/robots.txt"] = robots(*CLOSED, "Crawl-delay: 0.7")
    assert crawl(tmp_path / "s.db", news.url("/story")).code == 0
    assert times[1] - times[0] >= 0.65


Change = dict[str, bytes]
ENDS: dict[str, Change] = {
    "the page names it no more": {"/story": page(text="Fog over the harbour")},
    "the page is gone": {"/story": reply(410)},
    "the page may not be held": {"/story": page(head=meta(CREDIT) + meta("noindex") + meta("ACAP disallow-preserve"))},
    "the page is closed": {"/robots.txt": robots(*CLOSED, "Disallow: /story")},
    "it may not be kept": {"/robots.txt": robots(*CLOSED, "ACAP-crawler: *", "ACAP-disallow-preserve: /priv/")},
    "it may not be shown": {"/robots.txt": robots(*CLOSED, "ACAP-crawler: *", "ACAP-disallow-present: /priv/")},
    "it is gone": {CREDITED: reply(404)},
    "it says no": {CREDITED: reply(body=BYLINE, headers=[HTML, ("X-Robots-Tag", "noarchive, nosnippet")])},
}


@pytest.mark.parametrize("change", ENDS.values(), ids=ENDS)
def test_it_goes_when_it_is_needed_or_permitted_no_more(tmp_path: Path, news: Loopback, change: Change) -> None:
    """The crawl that hears of it ends with its copy removed, octets included, and ledger and store still agree."""
    store = tmp_path / "s.db"
    assert crawl(store, news.url("/")).code == 0
    assert CREDITED in copies(store, news)
    news.says |= change
    assert crawl(store, news.url("/")).code == 0
    assert CREDITED not in copies(store, news)
    assert [act.usage for act in entries(store, news.url(CREDITED)) if act.act == "removed"] == ["preserve"]
    assert is_proven(store)
    again = run("sweep", "--store", store, "--json")
    assert again.code == 0


def test_it_stays_while_another_page_needs_it(tmp_path: Path, news: Loopback) -> None:
    """The last page that names it takes it away, not the first; and so does the operator who removes that page."""
    store = tmp_path / "s.db"
    news.says |= {"/": page("/story", "/second"), "/second": page(text="Rain", head=meta(CREDIT))}
    assert crawl(store, news.url("/")).code == 0
    news.says["/story"] = page(text="Fog over the harbour")
    assert crawl(store, news.url("/")).code == 0
    assert CREDITED in copies(store, news)
    assert run("remove", news.url("/second"), "--store", store).code == 0
    assert CREDITED not in copies(store, news)
    assert is_proven(store)


def test_a_page_that_did_not_change_keeps_what_it_needs(tmp_path: Path, news: Loopback) -> None:
    """A page that is confirmed (304) has what it requires looked at again, for its use and not as a page."""
    store = tmp_path / "s.db"
    tagged = ("ETag", '"one"')
    said = page(text="Fog over the harbour", head=meta(CREDIT), headers=(tagged,))
    news.says["/story"] = lambda connection, asked: connection.sendall(
        reply(304, headers=[tagged]) if asked.headers.get("if-none-match") else said
    )
    assert crawl(store, news.url("/")).code == 0
    news.says[CREDITED] = reply(body=b"<p>By Charles Babbage", headers=[HTML])
    assert crawl(store, news.url("/")).code == 0
    assert [one.text for one in story(store, news)[1].included] == ["By Charles Babbage"]
    assert [act for act in acts(store, news.url(CREDITED)) if "crawl" in act] == ["crawled crawl"] * 2
    assert copies(store, news) == ["/", CREDITED, "/story"]
    assert is_proven(store)


def test_what_was_open_and_is_closed_stays_for_its_use_alone(tmp_path: Path, news: Loopback) -> None:
    """A credit that was found by itself leaves the index when its folder is closed; the page goes on having it."""
    store = tmp_path / "s.db"
    news.says["/robots.txt"] = robots("User-agent: *", "Allow: /")
    assert crawl(store, news.url("/")).code == 0
    assert found(store, "byron") == [news.url(CREDITED)]
    news.says["/robots.txt"] = robots(*CLOSED)
    assert crawl(store, news.url("/")).code == 0
    assert found(store, "byron") == []
    assert CREDITED in copies(store, news)
    assert [one.text for one in story(store, news)[1].included] == ["By Ada Byron"]
    assert is_proven(store)
