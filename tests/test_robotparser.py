"""The standard library's class with acap's decisions: its interface, and no permission out of doubt."""

from __future__ import annotations

import copy
import gzip
import inspect
import pickle
import socket
import time
import urllib.robotparser
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from acap.clock import FixedClock
from acap.crawler_list import known_crawlers
from acap.decision import Outcome
from acap.explain import summary
from acap.integrations.robotparser import RequestRate, RobotFileParser
from tests.loopback import Loopback, Script, redirect, reply

NOW = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
FILE = b"User-agent: *\nDisallow: /private\n"
STANDARD = urllib.robotparser.RobotFileParser


def parsed(text: str, **options: Any) -> RobotFileParser:
    parser = RobotFileParser(**options)
    parser.parse(text.splitlines())
    return parser


def read(server: Loopback, path: str = "/robots.txt", **options: Any) -> RobotFileParser:
    parser = RobotFileParser(server.url(path), **options)
    parser.read()
    return parser


@pytest.mark.parametrize("name", ["__init__", *(name for name in vars(STANDARD) if not name.startswith("_"))])
def test_every_method_takes_what_that_of_the_standard_library_takes(name: str) -> None:
    """Whoever changes the import changes nothing else."""
    theirs = inspect.signature(getattr(STANDARD, name)).parameters
    ours = inspect.signature(getattr(RobotFileParser, name)).parameters
    positional = [one.name for one in ours.values() if one.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD]
    assert positional == list(theirs)
    assert [ours[one].default for one in theirs] == [theirs[one].default for one in theirs]


def test_its_attributes_begin_as_those_of_the_standard_library() -> None:
    """Code that looks at attributes finds them."""
    ours, theirs = RobotFileParser("http://a.example/x/robots.txt?y"), STANDARD("http://a.example/x/robots.txt?y")
    for name in ("url", "host", "path", "disallow_all", "allow_all", "last_checked"):
        assert getattr(ours, name) == getattr(theirs, name)


AGREED = """
User-agent: figtree
Disallow: /tmp
Disallow: /a%3cd.html
Disallow: /%7ejoe/
Crawl-delay: 3
Request-rate: 9/30

User-agent: open
Disallow:

User-agent: *
Crawl-delay: 1
Disallow: /map/ # endless
Disallow: /some?name=value

Sitemap: https://a.example/map.xml
"""


@pytest.mark.parametrize("agent", ["figtree", "FigTree/2.1 libwww-perl/5.04", "open", "other", "*"])
def test_plain_files_are_answered_as_by_the_standard_library(agent: str) -> None:
    """Where the standard library's own rules do not differ from RFC 9309, neither do the answers."""
    ours, theirs = RobotFileParser(), STANDARD()
    ours.parse(AGREED.splitlines())
    theirs.parse(AGREED.splitlines())
    urls = ["/", "/tmp", "/tmp/a", "/a%3cd.html", "/a%3Cd.html", "/~joe/x", "/map/1", "/some", "/some?name=value", ""]
    for url in [*urls, *(f"https://a.example{path}" for path in urls)]:
        assert ours.can_fetch(agent, url) is theirs.can_fetch(agent, url), url
    delay: object = theirs.crawl_delay(agent)
    assert ours.crawl_delay(agent) == delay
    assert ours.request_rate(agent) == theirs.request_rate(agent)
    assert ours.site_maps() == theirs.site_maps() == ["https://a.example/map.xml"]


def test_nothing_may_be_fetched_before_something_was_read() -> None:
    """Nor does it help to say that something was."""
    parser = RobotFileParser("https://a.example/robots.txt")
    for url in ("/", "/robots.txt", "https://a.example/x"):
        assert not parser.can_fetch("mybot", url)
    parser.modified()
    assert not parser.can_fetch("mybot", "/x")
    assert parser.decision("mybot", "/x").reason.kind == "unreachable"
    assert (parser.crawl_delay("mybot"), parser.request_rate("mybot"), parser.site_maps()) == (None, None, None)
    assert str(parser) == ""


def test_the_longest_rule_decides_whatever_its_place() -> None:
    """RFC 9309 2.2.2, where the older standard library takes the first that matches."""
    parser = parsed("User-agent: *\nDisallow: /a\nAllow: /a/b\nDisallow: /*.pdf$")
    assert parser.can_fetch("mybot", "/a/b/c")
    assert not parser.can_fetch("mybot", "/a/c")
    assert not parser.can_fetch("mybot", "/x.pdf")


def test_a_group_is_found_by_its_whole_name_and_groups_of_one_name_are_one() -> None:
    """RFC 9309 2.2.1, where the standard library takes a part of a name, and the older one the first group."""
    parser = parsed("User-agent: bot\nDisallow: /\n\nUser-agent: bot-mobile\nDisallow: /a\n\nUser-agent: bot-mobile\n"
                    "Disallow: /b")  # fmt: skip
    assert not parser.can_fetch("bot", "/x")
    assert parser.can_fetch("bot-mobile", "/x")
    assert not parser.can_fetch("bot-mobile", "/a")
    assert not parser.can_fetch("bot-mobile", "/b")


def test_acap_lines_decide_and_another_dialect_leaves_them_out() -> None:
    """The dialect is `auto` unless another one is named."""
    text = "ACAP-crawler: *\nACAP-disallow-crawl: /private"
    assert not parsed(text).can_fetch("mybot", "/private")
    assert parsed(text, dialect="rfc9309").can_fetch("mybot", "/private")
    first = "User-agent: *\nAllow: /a\nDisallow: /a/b"
    assert not parsed(first).can_fetch("mybot", "/a/b")
    assert parsed(first, dialect="norobots-1996").can_fetch("mybot", "/a/b")


@pytest.mark.parametrize(
    "lines",
    [
        FILE.decode().splitlines(),
        FILE.decode().splitlines(keepends=True),
        iter(FILE.decode().replace("\n", "\r\n").splitlines(keepends=True)),
        FILE.splitlines(),
        FILE.decode(),
        FILE,
    ],
)
def test_lines_may_come_in_any_form(lines: Any) -> None:
    """A text that was forgotten to be split is not an empty file, as it is to the standard library."""
    parser = RobotFileParser()
    parser.parse(lines)
    assert not parser.can_fetch("mybot", "/private")
    assert parser.can_fetch("mybot", "/public")


def test_octets_that_are_no_text_are_matched_as_octets() -> None:
    """Decoded with `surrogateescape`, as the standard library does it, or not."""
    for line in ("Disallow: /v\udcf0", "Disallow: /v%F0", "Disallow: /v%f0"):
        parser = parsed(f"User-agent: *\n{line}")
        for url in ("/v\udcf0", "/v%F0", "/v%f0", "/v\U0001f40d"):
            assert not parser.can_fetch("mybot", url), (line, url)
        assert parser.can_fetch("mybot", "/v")
    assert not parsed("User-agent: *\nDisallow: /v\ud800").can_fetch("mybot", "/v\ud800")


def test_a_host_outside_ascii_is_the_site_it_is() -> None:
    """The URL is asked about as it is written."""
    parser = RobotFileParser("https://münchen.example/robots.txt")
    parser.parse(FILE)
    assert parser.can_fetch("mybot", "https://münchen.example/public")
    assert not parser.can_fetch("mybot", "https://münchen.example/private")


LOGIN = b"<!doctype html>\n<title>Please log in</title>\n<p>Allow cookies: they help</p>\n"
PLACES = pytest.mark.parametrize("path", ["/robots.txt", "/x/robots.txt", "/rules?of=mybot", "/"])


def silence(connection: socket.socket, _: object) -> None:
    """Says nothing and waits."""
    connection.recv(1)


@PLACES
@pytest.mark.parametrize(
    ("said", "options", "disallow_all", "allow_all"),
    [
        (reply(200, FILE), {}, False, False),
        (reply(200, gzip.compress(FILE), [("Content-Encoding", "gzip")]), {}, False, False),
        (reply(200, FILE + b"Disallow: /\xff\n"), {}, False, False),
        (redirect("/elsewhere"), {}, False, False),
        (reply(200, LOGIN), {}, False, True),
        (reply(401), {}, False, True),
        (reply(403), {}, False, True),
        (reply(403), {"forbidden": "restricted"}, True, False),
        (reply(401), {"dialect": "norobots-1996"}, True, False),
        (reply(404), {}, False, True),
        (reply(410), {}, False, True),
        (reply(418), {}, False, True),
        (redirect("/1"), {}, False, True),
        (redirect("/round"), {}, True, False),
        (reply(408), {}, True, False),
        (reply(421), {}, True, False),
        (reply(425), {}, True, False),
        (reply(429), {}, True, False),
        (reply(429), {"too_many": "unavailable"}, False, True),
        (reply(500), {}, True, False),
        (reply(503), {}, True, False),
        (reply(599), {}, True, False),
        (reply(206, FILE), {}, True, False),
        (reply(304), {}, True, False),
        (reply(302), {}, True, False),
        (reply(600), {}, True, False),
        (reply(200, FILE, length=1000), {}, True, False),
        (reply(200, FILE, [("Content-Encoding", "gzip")]), {}, True, False),
        (reply(200, gzip.compress(FILE)[:-9], [("Content-Encoding", "gzip")]), {}, True, False),
        (reply(200, FILE, [("Content-Encoding", "unheard-of")]), {}, True, False),
        (b"not HTTP", {}, True, False),
        (b"", {}, True, False),
        (silence, {"timeout": 0.2}, True, False),
    ],
)
def test_each_answer_has_its_meaning(
    said: Script, options: dict[str, Any], disallow_all: bool, allow_all: bool, path: str
) -> None:
    """RFC 9309 2.3.1: a file speaks, 4xx and a sixth redirect permit, everything else refuses, wherever the file is."""
    says = {path: said, "/elsewhere": reply(200, FILE), "/round": redirect("/round")}
    says |= {f"/{number}": redirect(f"/{number + 1}") for number in range(1, 6)}
    with Loopback(says=says) as server:
        parser = read(server, path, **options)
        assert (parser.disallow_all, parser.allow_all) == (disallow_all, allow_all)
        assert parser.can_fetch("mybot", server.url("/public")) is not disallow_all
        assert parser.can_fetch("mybot", server.url("/private")) is allow_all
        assert (parser.mtime() > 0) is not (disallow_all or allow_all)


@PLACES
def test_what_is_no_robots_txt_opens_nothing_that_a_copy_closes(path: str, tmp_path: Path) -> None:
    """A login page where the file was: the copy serves for 30 days, to another process too, then all is refused."""
    clock, cache = FixedClock(NOW), tmp_path / "answers.sqlite3"
    with Loopback(says={path: reply(200, FILE)}) as server:
        parser = read(server, path, clock=clock, cache=cache)
        server.says[path] = reply(200, LOGIN)
        clock.advance(timedelta(days=2))
        parser.read()
        for again in (parser, read(server, path, clock=clock, cache=cache)):
            assert not again.can_fetch("mybot", server.url("/private"))
            assert again.can_fetch("mybot", server.url("/public"))
            assert again.mtime() == NOW.timestamp()
            assert again.policy.evidence["failure"]["kind"] == "no-robots-txt"
        clock.advance(timedelta(days=29))
        parser.read()
        assert parser.disallow_all
        assert not parser.can_fetch("mybot", server.url("/public"))


@PLACES
def test_what_is_no_robots_txt_is_told_where_it_permits(path: str) -> None:
    """Where no file was ever read there are no instructions, and the policy has the problem."""
    with Loopback(says={path: reply(200, LOGIN)}) as server:
        parser = read(server, path)
        assert parser.can_fetch("mybot", server.url("/private"))
        assert "no-robots-txt" in {problem.code for problem in parser.policy.problems}


def test_a_network_that_fails_refuses_and_does_not_raise() -> None:
    """The standard library raises URLError, and its user decides."""
    with Loopback() as server:
        gone = server.url()
    parser = RobotFileParser(gone, timeout=2)
    parser.read()
    assert parser.disallow_all
    assert not parser.can_fetch("mybot", "/x")
    decision = parser.decision("mybot", "/x")
    assert decision.reason.kind == "unreachable"
    assert parser.policy.evidence["failure"]["kind"] == "connect"


def test_a_file_that_is_read_again_replaces_what_it_said() -> None:
    """Neither rules nor refusals of an earlier answer stay."""
    with Loopback(says={"/robots.txt": reply(503)}) as server:
        parser = read(server)
        assert (parser.disallow_all, parser.allow_all) == (True, False)
        server.says["/robots.txt"] = reply(200, FILE)
        parser.read()
        assert (parser.disallow_all, parser.allow_all) == (False, False)
        assert not parser.can_fetch("mybot", "/private")
        server.says["/robots.txt"] = reply(200, b"User-agent: *\nDisallow: /other")
        parser.read()
        assert parser.can_fetch("mybot", "/private")
        assert not parser.can_fetch("mybot", "/other")
        server.says["/robots.txt"] = reply(404)
        parser.read()
        assert parser.can_fetch("mybot", "/other")
        assert len(server.asked) == 4


def test_a_copy_stands_in_for_a_site_that_fails_later() -> None:
    """It does so for 30 days, and `mtime` stays that of the copy (RFC 9309 2.3.1.4)."""
    clock = FixedClock(NOW)
    with Loopback(says={"/robots.txt": reply(200, FILE)}) as server:
        parser = read(server, clock=clock)
        assert parser.mtime() == NOW.timestamp()
        server.says["/robots.txt"] = reply(503)
        clock.advance(timedelta(days=2))
        parser.read()
        assert parser.can_fetch("mybot", "/public")
        assert not parser.can_fetch("mybot", "/private")
        assert parser.mtime() == NOW.timestamp()
        clock.advance(timedelta(days=29))
        parser.read()
        assert parser.disallow_all
        assert not parser.can_fetch("mybot", "/public")


def test_a_file_may_be_anywhere() -> None:
    """The URL that was set is asked for, and no other."""
    with Loopback(says={"/x/robots.txt": reply(200, FILE), "/y/robots.txt": reply(503)}) as server:
        parser = read(server, "/x/robots.txt")
        assert not parser.can_fetch("mybot", server.url("/private"))
        assert parser.can_fetch("mybot", server.url("/public"))
        assert read(server, "/y/robots.txt").disallow_all
        assert read(server, "/z/robots.txt").allow_all
        assert server.targets == ["/x/robots.txt", "/y/robots.txt", "/z/robots.txt"]


@PLACES
def test_documents_that_a_policy_refers_to_are_read_for_the_crawler_that_was_named(path: str) -> None:
    """P1 4.7; without a name nobody knows which they are, and they prohibit."""
    policy = b"ACAP-crawler: *\nACAP-permissions-reference: /permissions.txt\n"
    said = b"ACAP-crawler: *\nACAP-disallow-crawl: /private\n"
    with Loopback(says={path: reply(200, policy), "/permissions.txt": reply(200, said)}) as server:
        parser = read(server, path, crawler="mybot")
        assert parser.can_fetch("mybot", "/public")
        assert not parser.can_fetch("mybot", "/private")
        assert not read(server, path).can_fetch("mybot", "/public")


@pytest.mark.parametrize(
    "url", ["http://b.example/robots.txt", "https://a.example/robots.txt", "http://a.example:81/", ""]
)
def test_the_file_of_one_site_says_nothing_of_another_that_is_set(url: str) -> None:
    """No path and no URL is permitted by it from then on; another path of the same site changes nothing."""
    parser = RobotFileParser("http://a.example/robots.txt")
    parser.parse(["User-agent: *", "Allow: /", "Crawl-delay: 3"])
    parser.set_url("http://A.example:80/x/robots.txt")
    assert parser.can_fetch("mybot", "/x")
    assert parser.can_fetch("mybot", "http://a.example/x")
    parser.set_url(url)
    for asked in ("/x", f"{url}x", "http://a.example/x", "http://b.example/x"):
        assert not parser.can_fetch("mybot", asked)
    assert (parser.crawl_delay("mybot"), parser.mtime()) == (None, 0)
    parser.set_url("http://a.example/robots.txt")
    assert not parser.can_fetch("mybot", "/x")
    parser.parse(["User-agent: *", "Allow: /"])
    assert parser.can_fetch("mybot", "/x")


def test_that_a_site_has_no_file_says_nothing_of_another_url() -> None:
    """What a 404 permitted is refused as soon as another URL is set, until that is read."""
    with Loopback(says={"/x/robots.txt": reply(200, FILE)}) as server:
        parser = read(server)
        assert parser.can_fetch("mybot", server.url("/private"))
        parser.set_url(server.url("/x/robots.txt"))
        assert not parser.allow_all
        for url in ("/public", server.url("/public")):
            assert not parser.can_fetch("mybot", url)
        parser.read()
        assert parser.can_fetch("mybot", server.url("/public"))
        assert not parser.can_fetch("mybot", server.url("/private"))


@pytest.mark.parametrize("status", [404, 503])
def test_a_permission_that_is_taken_back_leaves_nothing_permitted(status: int) -> None:
    """Without the flags that `read` set, nothing was read."""
    with Loopback(says={"/robots.txt": reply(status)}) as server:
        parser = read(server)
        parser.allow_all = parser.disallow_all = False
        assert not parser.can_fetch("mybot", server.url("/public"))
        parser.allow_all = True
        assert parser.can_fetch("mybot", server.url("/public"))


def test_a_url_that_cannot_be_retrieved_is_the_callers_mistake() -> None:
    """So are options that cannot be: they show when the parser is made."""
    for url in ("", "/robots.txt", "file:///etc/robots.txt", "ftp://a.example/robots.txt"):
        with pytest.raises(ValueError, match="http"):
            RobotFileParser(url).read()
    with pytest.raises(ValueError, match="dialect"):
        RobotFileParser(dialect="unheard-of")
    with pytest.raises(ValueError, match="forbidden"):
        RobotFileParser(forbidden="maybe")
    with pytest.raises(ValueError, match="IPv6"):
        RobotFileParser("http://[::1/robots.txt")


def test_a_refusal_is_explained() -> None:
    """`decision` names the line."""
    parser = RobotFileParser("https://a.example/robots.txt")
    parser.parse(FILE)
    decision = parser.decision("mybot", "https://a.example/private/x")
    assert decision.outcome is Outcome.PROHIBITED
    assert summary(decision) == "https://a.example/robots.txt:2:1 Disallow: /private"
    assert parser.decision("", "/public").permitted


def test_a_file_does_not_speak_for_another_site() -> None:
    """Another scheme, host or port has a file of its own (RFC 9309 2.3), but lines without a URL speak for any."""
    parser = RobotFileParser("https://a.example/robots.txt")
    parser.parse("User-agent: *\nDisallow: /private")
    for url in ("https://b.example/x", "http://a.example/x", "https://a.example:8443/x", "//b.example/x"):
        assert not parser.can_fetch("mybot", url)
        with pytest.raises(ValueError, match=r"a\.example"):
            parser.decision("mybot", url)
    assert parser.can_fetch("mybot", "//a.example/x")
    assert not parser.can_fetch("mybot", "//a.example/private")
    anywhere = parsed("User-agent: *\nDisallow: /private")
    assert anywhere.can_fetch("mybot", "http://b.example/x")
    assert not anywhere.can_fetch("mybot", "//b.example/private")


@pytest.mark.parametrize("url", ["mailto:me@a.example", "private", "http://", "http:///private"])
def test_what_is_no_url_may_not_be_fetched(url: str) -> None:
    """The standard library lets through what it cannot read."""
    assert not parsed("User-agent: *\nDisallow: /private").can_fetch("mybot", url)


def test_whoever_retrieves_the_file_himself_may_say_what_came() -> None:
    """`disallow_all` and `allow_all` are there to be set."""
    parser = RobotFileParser("https://a.example/robots.txt")
    parser.allow_all = True
    assert parser.can_fetch("mybot", "https://a.example/x")
    assert parser.decision("mybot", "/x").reason.kind == "absent"
    parser.parse(FILE.decode())
    assert not parser.can_fetch("mybot", "/private")
    parser.disallow_all = True
    assert not parser.can_fetch("mybot", "/public")
    assert not parser.can_fetch("mybot", "/robots.txt")
    assert not parser.decision("mybot", "/public").permitted
    parser.parse([])
    assert not parser.can_fetch("mybot", "/public")


def test_mtime_is_when_lines_were_read() -> None:
    """`modified` says that it is now."""
    parser = RobotFileParser()
    assert parser.mtime() == 0
    before = time.time()
    parser.parse([])
    assert before <= parser.mtime() <= time.time()
    parser.last_checked = 1
    parser.modified()
    assert parser.mtime() >= before


@pytest.mark.parametrize(
    ("lines", "delay", "rate"),
    [
        ("Crawl-delay: 3", 3, None),
        ("Crawl-delay: 0.5", 0.5, None),
        ("Crawl-delay: pears", None, None),
        ("Request-rate: 3/15", None, (3, 15)),
        ("Request-rate: 1/2m", None, (1, 120)),
        ("Request-rate: 9/banana", None, None),
        ("Request-rate: 1/5\nRequest-rate: 1/60 0800-1800", None, (1, 5)),
        ("Request-rate: 1/60 0800-1800", None, (1, 60)),
        ("Crawl-delay: 3\nCrawl-delay: 5\nRequest-rate: 2/10\nRequest-rate: 1/30", 5, (1, 30)),
    ],
)
def test_the_pace_has_the_form_of_the_standard_library(
    lines: str, delay: float | None, rate: tuple[float, float] | None
) -> None:
    """Whole numbers stay whole; of several the slowest counts."""
    parser = parsed(f"User-agent: *\n{lines}\nDisallow: /private")
    asked = parser.request_rate("mybot")
    assert (parser.crawl_delay("mybot"), asked) == (delay, rate)
    assert asked is None or asked.requests == asked[0]
    assert type(parser.crawl_delay("mybot")) is type(delay)
    assert RequestRate is urllib.robotparser.RequestRate


def test_a_crawler_is_asked_to_keep_the_pace_of_its_own_group() -> None:
    """A group of its own without a pace has none."""
    parser = parsed("User-agent: *\nCrawl-delay: 9\nDisallow: /y\n\nUser-agent: mybot\nDisallow: /x")
    assert parser.crawl_delay("mybot") is None
    assert parser.crawl_delay("other/1.0") == parser.crawl_delay("") == 9


def test_it_can_be_copied_and_pickled() -> None:
    """As that of the standard library; the copy can read again."""
    with Loopback(says={"/robots.txt": reply(200, FILE)}) as server:
        parser = read(server)
        for again in (copy.deepcopy(parser), pickle.loads(pickle.dumps(parser))):
            assert not again.can_fetch("mybot", "/private")
            assert again.can_fetch("mybot", "/public")
            assert again.mtime() == parser.mtime()
            again.read()
            assert not again.can_fetch("mybot", "/private")


def test_answers_are_kept_where_the_user_says(tmp_path: Path) -> None:
    """A file lets another process have the copy."""
    path = tmp_path / "answers.sqlite3"
    with Loopback(says={"/robots.txt": reply(200, FILE)}) as server:
        read(server, cache=path)
        server.says["/robots.txt"] = reply(503)
        parser = read(server, cache=path)
        assert not parser.disallow_all
        assert not parser.can_fetch("mybot", "/private")


def test_as_text_it_is_the_file() -> None:
    """With comments and lines that the standard library does not know."""
    text = "# hello\nUser-agent: *\nDisallow: /private # keep out\nACAP-crawler: *"
    assert str(parsed(text)) == text


@pytest.mark.parametrize(
    "agent", [f"Foo/1.0 ({'; '.join(one.name for one in known_crawlers())})", " ", "\t\n", "bot\ud800/1.0"]
)
@pytest.mark.parametrize("text", ["User-agent: *\nAllow: /\nCrawl-delay: 3\nRequest-rate: 1/5", ""])
def test_a_string_that_names_too_many_crawlers_or_none_is_refused_and_never_an_error(agent: str, text: str) -> None:
    parser = RobotFileParser("https://e.example/robots.txt")
    parser.parse(text)
    assert not parser.can_fetch(agent, "https://e.example/a")
    assert (parser.crawl_delay(agent), parser.request_rate(agent)) == (None, None)
    parser.allow_all = True
    assert not parser.can_fetch(agent, "https://e.example/a")
