"""The tables of the guide to `RobotFileParser`: each row is asked of our class and of the standard library's."""

from __future__ import annotations

import gzip
import re
import sys
import urllib.request
import urllib.robotparser
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from http.client import HTTPException
from pathlib import Path
from typing import Any

import pytest

from acap.integrations.robotparser import RobotFileParser
from tests.loopback import Loopback, Script, redirect, reply

GUIDE = Path(__file__).parent.parent / "docs/how-to/urllib-robotparser.md"
STANDARD = urllib.robotparser.RobotFileParser
NEWEST = sys.version_info >= (3, 14, 7)
OLDER = sys.version_info < (3, 13, 14) or (3, 14) <= sys.version_info < (3, 14, 5)

FILE = b"User-agent: *\nDisallow: /private\n"
LOGIN = b"<!doctype html>\n<title>Please log in</title>\n"
RAISES = "raises"

Make = Callable[..., Any]


def tried(ask: Callable[[], Any]) -> Any:
    """What is answered, or that something was raised."""
    try:
        return ask()
    except (OSError, HTTPException, ValueError):
        return RAISES


def lines(text: str, *urls: str, agent: str = "mybot") -> Callable[[Make], Any]:
    """Whether a URL may be fetched under such lines, for each of several."""

    def ask(make: Make) -> Any:
        parser = make()
        parser.parse(text.splitlines())
        found = [tried(partial(parser.can_fetch, agent, url)) for url in urls]
        return found[0] if len(found) == 1 else found

    return ask


def said(*answers: Script | Iterable[Script], url: str = "/public", **says: Script) -> Callable[[Make], Any]:
    """Whether a URL may be fetched after the site has answered so, each time one parser reads, for each of several."""

    def ask(make: Make) -> Any:
        found = []
        for answer in answers:
            with Loopback(says={f"/{target}": script for target, script in says.items()}) as server:
                parser = make(server.url())
                last = None
                for script in [answer] if isinstance(answer, bytes) or callable(answer) else answer:
                    server.says["/robots.txt"] = script
                    last = tried(parser.read)
                found.append(last or parser.can_fetch("mybot", server.url(url)))
        return found[0] if len(found) == 1 else found

    return ask


def no_connection(make: Make) -> Any:
    with Loopback() as server:
        parser = make(server.url())
    return tried(parser.read) or parser.can_fetch("mybot", "/public")


def into_a_private_network(make: Make) -> Any:
    with Loopback(says={"/robots.txt": reply(200, FILE)}) as inner:
        return said(redirect(inner.url()))(make)


def through_a_proxy(make: Make) -> Any:
    with (
        Loopback() as proxy,
        Loopback(says={"/robots.txt": reply(200, FILE)}) as server,
        pytest.MonkeyPatch.context() as at,
    ):
        at.setenv("http_proxy", proxy.url(""))
        at.delenv("no_proxy", raising=False)
        at.delenv("NO_PROXY", raising=False)
        urllib.request.urlcleanup()
        make(server.url()).read()
        urllib.request.urlcleanup()
        return len(proxy.asked)


def user_agent(make: Make) -> Any:
    with Loopback(says={"/robots.txt": reply(200, FILE)}) as server:
        make(server.url()).read()
        return server.asked[0].headers["user-agent"].partition("/")[0]


def pace(text: str) -> Callable[[Make], Any]:
    def ask(make: Make) -> Any:
        parser = make()
        parser.parse(f"User-agent: *\n{text}\nDisallow: /private".splitlines())
        return parser.crawl_delay("mybot"), parser.request_rate("mybot")

    return ask


def site_maps(make: Make) -> Any:
    parser = make()
    parser.parse(["Sitemap: https://a.example/map.xml"] * 2)
    return len(parser.site_maps())


def another_site(make: Make) -> Any:
    parser = make("https://a.example/robots.txt")
    parser.parse(FILE.decode().splitlines())
    urls = ("http://a.example/x", "https://b.example/x", "https://a.example:8443/x")
    return [parser.can_fetch("mybot", url) for url in urls]


def parsed_again(make: Make) -> Any:
    parser = make()
    parser.parse(FILE.decode().splitlines())
    parser.parse(["User-agent: *", "Disallow: /other"])
    return parser.can_fetch("mybot", "/private")


def set_url_after_404(make: Make) -> Any:
    with Loopback() as server:
        parser = make(server.url())
        parser.read()
        parser.set_url("https://a.example/robots.txt")
        return parser.can_fetch("mybot", "https://a.example/x")


def set_url_of_another_site(make: Make) -> Any:
    parser = make("https://a.example/robots.txt")
    parser.parse(["User-agent: *", "Allow: /"])
    parser.set_url("https://b.example/robots.txt")
    return parser.can_fetch("mybot", "/x")


def modified_first(make: Make) -> Any:
    parser = make()
    parser.modified()
    return parser.can_fetch("mybot", "/x")


def parsed_text(make: Make) -> Any:
    parser = make()
    parser.parse(FILE.decode())
    return parser.can_fetch("mybot", "/private")


def as_text(make: Make) -> Any:
    parser = make()
    parser.parse(["# hello", "User-agent: *", "Disallow: /private # keep out"])
    return str(parser).partition("\n")[0]


def other_scheme(make: Make) -> Any:
    parser = make("data:text/plain,User-agent:%20*%0ADisallow:%20/private")
    return tried(parser.read) or parser.can_fetch("mybot", "/private")


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    """The standard library would ask the loopback interface through one."""
    monkeypatch.setenv("no_proxy", "*")
    urllib.request.urlcleanup()


@dataclass(frozen=True)
class Row:
    """One row: how to ask, what we answer, what the newest standard library answers, and the older ones."""

    ask: Callable[[Make], Any]
    here: Any
    newest: Any
    older: Any


ANY = "User-agent: *\n"
HOPS: dict[str, Script] = {"6": reply(200, FILE), **{f"{hop}": redirect(f"/{hop + 1}") for hop in range(1, 6)}}

ROWS = {
    "5xx": Row(
        said([reply(503)], [reply(200, FILE), reply(503)], [reply(503), reply(200, FILE)]),
        [False, True, True],
        [False, False, False],
        [False, True, True],
    ),
    "401, 403": Row(said(reply(401), reply(403)), [True, True], [False, False], [False, False]),
    "429": Row(said(reply(429)), False, True, True),
    "408, 421, 425": Row(said(reply(408), reply(421), reply(425)), [False] * 3, [True] * 3, [True] * 3),
    "no connection": Row(no_connection, False, RAISES, RAISES),
    "an answer that is not HTTP, or was cut": Row(
        said(b"not HTTP", reply(200, FILE, length=1000)), [False, False], [RAISES] * 2, [RAISES] * 2
    ),
    "a body in `gzip`": Row(
        said(reply(200, gzip.compress(FILE), [("Content-Encoding", "gzip")]), url="/private"), False, True, RAISES
    ),
    "six redirects": Row(said(redirect("/1"), url="/private", **HOPS), True, False, False),
    "redirects in a circle": Row(said(redirect("/robots.txt"), url="/private"), False, False, False),
    "a redirect into a private network": Row(into_a_private_network, False, True, True),
    "no robots.txt but a login page": Row(
        said(reply(200, LOGIN), [reply(200, FILE), reply(200, LOGIN)], url="/private"),
        [True, False],
        [True, False],
        [True, False],
    ),
    "octets that are not UTF-8": Row(said(reply(200, FILE + b"Disallow: /\xff")), True, True, RAISES),
    "a byte order mark": Row(said(reply(200, b"\xef\xbb\xbf" + FILE), url="/private"), False, True, True),
    "proxies that the environment names": Row(through_a_proxy, 0, 1, 1),
    "the User-Agent that is sent": Row(user_agent, "acap", "Python-urllib", "Python-urllib"),
    "several rules match": Row(
        lambda make: [
            lines(ANY + "Allow: /a\nDisallow: /a/b", "/a/b")(make),
            lines(ANY + "Allow: /publications\nDisallow: *.gif", "/publications/x.gif")(make),
        ],
        [False, True],
        [False, False],
        [True, True],
    ),
    "`*` and a final `$` in a path": Row(
        lines(ANY + "Disallow: /*.pdf$", "/x.pdf", "/x.pdfs"), [False, True], [False, True], [True, True]
    ),
    "`$` elsewhere in a path": Row(lines(ANY + "Disallow: /b$z", "/b$z"), False, True, False),
    "several groups name you": Row(
        lines("User-agent: mybot\nDisallow: /a\n\nUser-agent: mybot\nDisallow: /b", "/b"), False, False, True
    ),
    "a group for `bot`, and you are `bot-mobile`": Row(
        lines("User-agent: bot\nDisallow: /", "/x", agent="bot-mobile"), True, False, False
    ),
    "you are `Mozilla/5.0 (compatible; bot/1.0)`": Row(
        lines("User-agent: bot\nDisallow: /", "/x", agent="Mozilla/5.0 (compatible; bot/1.0)"), False, True, True
    ),
    "a blank line after `User-agent`": Row(lines("User-agent: *\n\nDisallow: /", "/x"), False, False, True),
    "`Crawl-delay` between two `User-agent` lines": Row(
        lines("User-agent: mybot\nCrawl-delay: 1\nUser-agent: b\nDisallow: /", "/x"), False, True, True
    ),
    "`Dissallow`, `useragent`": Row(lines("useragent: *\nDissallow: /", "/x"), False, True, True),
    "ACAP lines": Row(lines("ACAP-crawler: *\nACAP-disallow-crawl: /", "/x"), False, True, True),
    "`Crawl-delay: 0.5`, `Request-rate: 1/2m`": Row(
        pace("Crawl-delay: 0.5\nRequest-rate: 1/2m"), (0.5, (1, 120)), (None, None), (None, None)
    ),
    "`Request-rate: 1/0`": Row(pace("Request-rate: 1/0"), (None, None), (None, (1, 0)), (None, (1, 0))),
    "`Crawl-delay` or `Request-rate` twice": Row(
        pace("Crawl-delay: 5\nCrawl-delay: 3\nRequest-rate: 1/30\nRequest-rate: 1/10"),
        (5, (1, 30)),
        (3, (1, 10)),
        (3, (1, 10)),
    ),
    "a `Sitemap` twice": Row(site_maps, 1, 2, 2),
    "a line over 16,664 octets, a file over 8 MiB": Row(
        lambda make: [
            lines(f"{ANY}Disallow: /{'a' * 17_000}", f"/{'a' * 16_900}")(make),
            lines(f"{FILE.decode()}#{'a' * 2**23}", "/public")(make),
        ],
        [False, False],
        [True, True],
        [True, True],
    ),
    "a URL of another scheme, host or port": Row(another_site, [False] * 3, [True] * 3, [True] * 3),
    "`/robots.txt` under `Disallow: /`": Row(lines(ANY + "Disallow: /", "/robots.txt"), True, True, False),
    "`Disallow: /a%2Fb` and `/a/b`": Row(lines(ANY + "Disallow: /a%2Fb", "/a/b"), True, False, False),
    "`Disallow: /page%23part` and `/page#part`": Row(
        lines(ANY + "Disallow: /page%23part", "/page#part"), True, False, False
    ),
    "`Disallow: /b` and `/a/../b`": Row(lines(ANY + "Disallow: /b", "/a/../b"), False, True, True),
    "a URL that cannot be read, or has a control character": Row(
        lines(ANY + "Disallow: /private", "http://[::1", "/x\x01y", "http:///private"),
        [False] * 3,
        [RAISES, True, False],
        [RAISES, True, False],
    ),
    "`read` or `parse` again": Row(parsed_again, True, False, False),
    "`set_url` after a 404": Row(set_url_after_404, False, True, True),
    "`set_url` of another site after `parse` or `read`": Row(set_url_of_another_site, False, True, True),
    "`modified` before anything was read": Row(modified_first, False, True, True),
    "`parse` with a text instead of lines": Row(parsed_text, False, True, True),
    "`str(parser)`": Row(as_text, "# hello", "User-agent: *", "User-agent: *"),
    "`file:`, `data:` and other schemes in `read`": Row(other_scheme, RAISES, False, False),
}


def cells() -> dict[str, str]:
    """The rows of the guide's tables, by their first cell: what they say of our class."""
    rows = re.findall(r"^\| (?!case |-)(.+?) \| .+? \| (.+?) \|", GUIDE.read_text(encoding="utf-8"), re.MULTILINE)
    return dict(rows)


def flat(answer: Any) -> list[Any]:
    return list(answer) if isinstance(answer, list) else [answer]


def test_every_row_is_asked() -> None:
    """The tables of the guide have the rows that are asked here, in the same order."""
    assert list(cells()) == list(ROWS)


def test_where_more_is_permitted_here_the_guide_says_so() -> None:
    """Such an answer is set in bold, and no other."""
    looser = {
        case
        for case, row in ROWS.items()
        if any(ours is True and theirs is False for ours, theirs in zip(flat(row.here), flat(row.newest), strict=True))
    }
    assert {case for case, here in cells().items() if "**" in here} == looser


@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS)
def test_a_row_is_answered_here_as_the_guide_says(row: Row) -> None:
    """Our column."""
    assert row.ask(RobotFileParser) == row.here


@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")  # it leaves
@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS)  # open what it reads from elsewhere than a site
def test_a_row_is_answered_by_the_standard_library_as_the_guide_says(row: Row) -> None:
    """Its column, for the version at hand: the newest, an older one, or one between them."""
    answers = [row.newest] * (not OLDER) + [row.older] * (not NEWEST)
    assert row.ask(STANDARD) in answers
