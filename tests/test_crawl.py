"""`acap crawl`: what it fetches of a site and what not, and what of that is in the store."""

from __future__ import annotations

import gzip
import ssl
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import trustme

from tests.command_line import environment, process
from tests.crawling import Crawled, acts, arguments, crawl, ended, entries, opened, page, pages_asked, robots, site
from tests.loopback import Loopback, redirect, reply

if TYPE_CHECKING:
    from collections.abc import Iterator

PURPOSE_LINES = "ACAP-crawler: *\nACAP-usage-purpose: training\nACAP-disallow-crawl: /"
XML = ("Content-Type", "application/xml")


def sitemap(*urls: str, root: str = "urlset", entry: str = "url") -> bytes:
    """A sitemap, or an index of sitemaps."""
    inner = "".join(f"<{entry}><loc>{url}</loc></{entry}>" for url in urls)
    return f'<{root} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{inner}</{root}>'.encode()


@dataclass(frozen=True)
class News:
    """One crawl of a site that has something of everything, and another site that pages refer to."""

    site: Loopback
    other: Loopback
    store: Path
    crawled: Crawled


def fill(news: Loopback, other: Loopback) -> None:
    """What both sites say."""
    news.says |= {
        "/robots.txt": robots(
            "User-agent: *",
            "Disallow: /private",
            f"Sitemap: {news.url('/map.xml')}",
            "Sitemap: /index.xml.gz",
            f"Sitemap: {other.url('/foreign.xml')}",
        ),
        "/map.xml": reply(body=sitemap(news.url("/mapped"), other.url("/foreign")), headers=[XML]),
        "/index.xml.gz": reply(
            body=gzip.compress(sitemap(news.url("/second.xml"), root="sitemapindex", entry="sitemap"))
        ),
        "/second.xml": reply(body=sitemap(news.url("/mapped-too")), headers=[XML]),
        "/": page("/a", "/b", "/private/x", "/moved", "/stern", "/käse?q=ü#part", "/quoted", "/broken", "mailto:x@y.z"),
        "/a": page("/deep", other.url("/elsewhere")),
        "/b": page("/deep", head='<meta name="robots" content="noindex">'),
        "/deep": page("/", text="deepwords"),
        "/stern": page(
            "/never",
            head='<meta name="robots" content="nofollow"><meta name="robots" content="ACAP disallow-preserve">',
        ),
        "/moved": redirect("/goal"),
        "/goal": page(),
        "/k%C3%A4se?q=%C3%BC": page(text="cheese"),
        "/mapped": page(),
        "/mapped-too": page(),
        "/quoted": page(
            head=f'<meta name="robots" content="ACAP allow-index must-use-resource={other.url("/words.txt")}">'
        ),
        "/broken": reply(body=gzip.compress(b"<p>half</p>" * 50)[:-9], headers=[("Content-Encoding", "gzip")]),
    }
    other.says["/words.txt"] = reply(body=b"substitute", headers=[("Content-Type", "text/plain")])


@pytest.fixture(scope="module")
def news(tmp_path_factory: pytest.TempPathFactory) -> Iterator[News]:
    """The crawl that most tests look at."""
    store = tmp_path_factory.mktemp("news") / "news.db"
    with site() as loopback, site() as other:
        fill(loopback, other)
        yield News(loopback, other, store, crawl(store, loopback.url("/")))


def test_a_crawl_that_is_over_ends_with_0(news: News) -> None:
    """A run that has nothing left is done, and the command ends with 0."""
    assert (news.crawled.code, news.crawled.report["ended"], news.crawled.report["reason"]) == (0, True, "done")
    assert news.crawled.err == ""


def test_every_url_is_fetched_once(news: News) -> None:
    """Whatever links there, each URL is asked for once, the broken one as often as is tried."""
    asked = pages_asked(news.site)
    assert [target for target in asked if asked.count(target) > 1 and target != "/broken"] == []
    assert asked.count("/broken") == 3


def test_robots_txt_is_asked_for_once(news: News) -> None:
    """The policy of a site is retrieved once in a call."""
    assert news.site.targets.count("/robots.txt") == 1


def test_what_is_near_comes_first(news: News) -> None:
    """Pages come in the order of their distance from the given URLs."""
    asked = pages_asked(news.site)
    assert asked.index("/") < asked.index("/a") < asked.index("/deep")


def test_a_refusal_is_in_the_ledger_with_its_rule(news: News) -> None:
    """A URL that robots.txt prohibits is never asked for, and the ledger names the line."""
    assert "/private/x" not in news.site.targets
    [refused] = entries(news.store, news.site.url("/private/x"))
    assert (refused.act, refused.usage) == ("refused", "crawl")
    assert refused.decision is not None
    assert [(one["text"], one["line"]) for one in refused.decision["statements"]] == [("Disallow: /private", 2)]
    assert refused.detail["found_in"] == news.site.url("/")
    assert news.crawled.report["rules"][0]["rule"].startswith("Disallow: /private")


def test_links_of_a_page_that_refuses_are_not_followed(news: News) -> None:
    """The links of a page that says nofollow are not on the schedule at all."""
    assert "/never" not in news.site.targets
    assert acts(news.store, news.site.url("/never")) == []
    assert "refused follow" in acts(news.store, news.site.url("/stern"))


def test_index_and_preserve_are_decided_by_the_page(news: News) -> None:
    """A page that says noindex is preserved only, one that prohibits to preserve it indexed only, others both."""
    expected = {"/a": (True, True), "/b": (False, True), "/stern": (True, False)}
    with opened(news.store) as store:
        for path, held in expected.items():
            resource = store.resources.find(news.site.url(path))
            assert resource is not None
            assert resource.current is not None
            version = store.resources.version(resource.current)
            assert version is not None
            assert (version.is_indexed, version.place is not None) == held, path


def test_redirects_are_recorded_and_followed_by_the_schedule(news: News) -> None:
    """A redirect is a response of its own; where it leads is fetched like any page, under its own policy."""
    assert "/goal" in news.site.targets
    assert acts(news.store, news.site.url("/moved")) == ["crawled crawl"]
    assert entries(news.store, news.site.url("/goal"))[0].detail["found_in"] == news.site.url("/moved")


def test_other_hosts_are_left_alone(news: News) -> None:
    """Without --span only the given hosts are asked, and the report counts what was left out."""
    assert not {"/elsewhere", "/foreign", "/foreign.xml"} & set(news.other.targets)
    assert news.crawled.report["left_out"] >= 1


def test_sitemaps_are_read(news: News) -> None:
    """Sitemaps that robots.txt names are fetched, an index and a packed one too; entries of other hosts are dropped."""
    assert {"/map.xml", "/index.xml.gz", "/second.xml", "/mapped", "/mapped-too"} <= set(news.site.targets)


def test_urls_outside_ascii_are_asked_for_in_one_form(news: News) -> None:
    """A link with letters outside ASCII is percent-encoded, and its fragment is dropped."""
    assert "/k%C3%A4se?q=%C3%BC" in news.site.targets
    assert "indexed index" in acts(news.store, news.site.url("/k%C3%A4se?q=%C3%BC"))


def test_a_required_resource_is_fetched_wherever_it_is(news: News) -> None:
    """A page that must be indexed by another resource's words has that fetched, under the policy of its own site."""
    assert news.other.targets == ["/robots.txt", "/words.txt"]
    with opened(news.store) as store:
        found = {number for number, _ in store.database.search(["substitute"], 10, 0)}
        urls = {version.url for version in store.resources.by_versions(sorted(found)).values()}
    assert news.site.url("/quoted") in urls


def test_a_required_resource_that_its_own_site_prohibits_is_not_fetched(tmp_path: Path) -> None:
    """No page opens what another site closes: the refusal tells the line and the page, which is not indexed without."""
    store = tmp_path / "s.db"
    with site() as loopback, site() as other:
        words = other.url("/words.txt")
        head = f'<meta name="robots" content="ACAP allow-index must-use-resource={words}">'
        loopback.says |= {"/robots.txt": robots(), "/": page(head=head)}
        other.says |= {"/robots.txt": robots("User-agent: *", "Disallow: /words"), "/words.txt": reply(body=b"words")}
        assert crawl(store, loopback.url("/")).code == 0
        assert other.targets == ["/robots.txt"]
        [refused] = entries(store, words)
        assert (refused.act, refused.usage, refused.detail["found_in"]) == ("refused", "crawl", loopback.url("/"))
        assert refused.decision is not None
        assert [one["text"] for one in refused.decision["statements"]] == ["Disallow: /words"]
        assert "indexed index" not in acts(store, loopback.url("/"))


def test_a_body_that_was_cut_is_no_page(news: News) -> None:
    """A packed body that ends too early is tried again and then counts as failed; of it its headers alone are heard."""
    assert acts(news.store, news.site.url("/broken")) == ["crawled crawl"]
    assert {"state": "failed", "why": "the coded body is not complete", "urls": 1} in news.crawled.report["reasons"]


def test_the_report_counts_what_the_store_has(news: News) -> None:
    """The report's numbers for each site are those of the schedule and of what is held."""
    [own] = [one for one in news.crawled.report["sites"] if one["site"] == news.site.url("")]
    with opened(news.store) as store:
        _, indexed, preserved = store.resources.by_site()[news.site.url("")]
        assert store.ledger.verify().wrong == ()
    assert (own["indexed"], own["preserved"]) == (indexed, preserved)
    assert (own["refused"], own["failed"], own["waiting"]) == (1, 1, 0)
    assert own["crawled"] == len(set(pages_asked(news.site))) - 1


def test_a_crawler_says_who_it_is(news: News) -> None:
    """Every request carries the crawler's name, the contact and acap's own name."""
    agents = {asked.headers["user-agent"] for asked in news.site.asked}
    assert len(agents) == 1
    assert next(iter(agents)).startswith("examplebot (+ops@bot.example) acap/")


def test_a_crawl_again_asks_whether_copies_still_stand(tmp_path: Path) -> None:
    """The next run sends conditions where a copy is held; 304 confirms it, and what is gone leaves the index."""
    store = tmp_path / "s.db"
    tagged = ("ETag", '"one"')
    with site() as loopback:
        loopback.says |= {"/": page("/same", "/gone", "/lost"), "/gone": page(text="vanishing"), "/lost": page()}
        loopback.says["/same"] = page("/behind", headers=(tagged,))
        loopback.says["/behind"] = page()
        assert crawl(store, loopback.url("/")).code == 0
        loopback.says["/"] = page("/same", "/gone")
        loopback.says["/same"] = lambda connection, asked: connection.sendall(
            reply(304, headers=[tagged]) if asked.headers.get("if-none-match") == '"one"' else page()
        )
        loopback.says["/gone"] = reply(410)
        del loopback.asked[:]
        again = crawl(store, loopback.url("/"))
        assert (again.code, again.report["run"], again.report["resumed"]) == (0, 2, False)
        # The links of a confirmed page are followed, and what no page links to any more is looked at too.
        assert sorted(pages_asked(loopback)) == ["/", "/behind", "/gone", "/lost", "/same"]
        assert [one.headers.get("if-none-match") for one in loopback.asked if one.target == "/same"] == ['"one"']
        assert acts(store, loopback.url("/gone"))[-1].startswith("removed")
    with opened(store) as held:
        assert held.database.search(["vanishing"], 10, 0) == []


def test_a_given_url_that_leads_elsewhere_is_told_of(tmp_path: Path) -> None:
    """If a given URL redirects to another host nothing is fetched there, and a note says what to do."""
    with site() as given, site() as other:
        given.says["/"] = redirect(other.url("/new"))
        crawled = crawl(tmp_path / "s.db", given.url("/"))
        assert (crawled.code, other.targets) == (3, [])
        assert crawled.report["notes"] == [
            f"{given.url('/')} redirects to {other.url('/new')}, which is another host; give that URL or --span"
        ]


def test_span_follows_to_other_hosts_under_their_own_policies(tmp_path: Path) -> None:
    """With --span links lead to other hosts, to so many as --hosts says, each asked by its own robots.txt."""
    with site() as first, site() as second, site() as third:
        first.says["/"] = page(second.url("/"), second.url("/no"), third.url("/"))
        second.says |= {"/robots.txt": robots("User-agent: *", "Disallow: /no"), "/": page()}
        crawled = crawl(tmp_path / "s.db", first.url("/"), "--span", "--hosts", "2")
        assert crawled.code == 0
        assert second.targets == ["/robots.txt", "/"]
        assert third.targets == []
        assert (crawled.counts["done"], crawled.counts["refused"]) == (2, 1)


def test_links_do_not_lead_into_private_networks(tmp_path: Path) -> None:
    """A private address is asked for if the user gave it; one that only a page or redirect gives is not."""
    with site() as given, site(address="127.0.0.2") as inner:
        inner.says["/"] = page()
        given.says |= {"/": page(inner.url("/"), "/hop"), "/hop": redirect(inner.url("/secret"))}
        crawled = crawl(tmp_path / "s.db", given.url("/"), "--span")
        assert inner.targets == []
        assert crawled.counts["dropped"] == 2
        allowed = crawl(tmp_path / "t.db", given.url("/"), "--span", "--allow-private")
        assert "/" in inner.targets
        assert allowed.counts["dropped"] == 0


def test_a_site_that_refuses_everything_ends_with_1(tmp_path: Path) -> None:
    """If every URL is refused by a statement the command ends with 1."""
    with site() as loopback:
        loopback.says["/robots.txt"] = robots("User-agent: examplebot", "Disallow: /")
        crawled = crawl(tmp_path / "s.db", loopback.url("/"))
        assert (crawled.code, crawled.counts["refused"]) == (1, 1)
        assert pages_asked(loopback) == []


def test_a_policy_that_cannot_be_had_is_asked_for_again_and_then_refuses(tmp_path: Path) -> None:
    """A robots.txt that answers 503 is tried as often as a page; then all is refused, and the command ends with 3."""
    with site() as loopback:
        loopback.says["/robots.txt"] = reply(503)
        crawled = crawl(tmp_path / "s.db", loopback.url("/"), loopback.url("/b"))
        assert (crawled.code, crawled.counts["refused"]) == (3, 2)
        assert set(loopback.targets) == {"/robots.txt"}
        # Three times, and once more each time that the answer is older than a moment when the next page asks.
        assert 3 <= loopback.targets.count("/robots.txt") <= 6


def test_a_policy_that_comes_back_is_gone_by(tmp_path: Path) -> None:
    """A robots.txt that fails once costs a little time, and nothing else."""
    with site() as loopback:
        answers = [reply(503), robots("User-agent: *", "Disallow: /no")]
        loopback.says["/robots.txt"] = lambda connection, _: connection.sendall(answers.pop(0))
        loopback.says["/"] = page("/no")
        crawled = crawl(tmp_path / "s.db", loopback.url("/"))
        assert (crawled.code, crawled.counts["done"], crawled.counts["refused"]) == (0, 1, 1)


def test_a_crawl_is_for_its_purposes(tmp_path: Path) -> None:
    """A site that prohibits a purpose is not crawled for it, and is crawled without it."""
    with site() as loopback:
        loopback.says["/robots.txt"] = robots("User-agent: *", "Allow: /", "", PURPOSE_LINES)
        loopback.says["/"] = page()
        assert crawl(tmp_path / "a.db", loopback.url("/"), "--purpose", "training").code == 1
        assert crawl(tmp_path / "b.db", loopback.url("/")).code == 0


def test_certificates_are_verified(tmp_path: Path, tls_site: tuple[Loopback, Path]) -> None:
    """A server whose certificate nobody vouches for has no policy that could permit anything; else it is crawled."""
    loopback, authority = tls_site
    loopback.says["/"] = page()
    url = loopback.url("/", host="localhost")
    distrusted = crawl(tmp_path / "a.db", url, "--retry-delay", "0.01s")
    assert (distrusted.code, distrusted.counts["refused"]) == (3, 1)
    assert loopback.targets == []
    trusting = process(*arguments(tmp_path / "b.db", url), env=environment(SSL_CERT_FILE=str(authority)))
    assert ended(trusting).counts["done"] == 1


@pytest.fixture
def tls_site(tmp_path: Path) -> Iterator[tuple[Loopback, Path]]:
    """A site with TLS, and the file of the authority that vouches for it."""
    authority = trustme.CA()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("localhost").configure_cert(context)
    file = tmp_path / "authority.pem"
    authority.cert_pem.write_to_path(str(file))
    with site(tls=context) as loopback:
        yield loopback, file


def test_a_login_page_in_place_of_robots_txt_opens_nothing(tmp_path: Path) -> None:
    """What one crawl was refused the next one is refused too, by the file that the store has."""
    where = tmp_path / "s.db"
    with site() as loopback:
        loopback.says["/robots.txt"] = robots("User-agent: *", "Disallow: /priv")
        loopback.says["/"] = page("/priv/a", "/open")
        loopback.says["/open"] = page()
        assert crawl(where, loopback.url("/")).code == 0
        assert "/priv/a" not in pages_asked(loopback)
        loopback.says["/robots.txt"] = reply(body=b"<!DOCTYPE html><title>Please log in</title>")
        loopback.says["/"] = page("/priv/a", "/priv/b", "/open", "/new")
        loopback.says["/new"] = page()
        assert crawl(where, loopback.url("/")).code == 0
        assert "/new" in pages_asked(loopback)
        assert not [asked for asked in pages_asked(loopback) if asked.startswith("/priv")]
