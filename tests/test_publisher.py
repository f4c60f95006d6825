"""The bundled publisher is what its page says: every feature is there, and every answer is as it is written."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urldefrag, urljoin, urlsplit
from xml.etree import ElementTree

import html5lib
import httpx2
import pytest
from examples.publisher.serve import HERE, Publisher
from selectolax.lexbor import LexborHTMLParser

import acap
from acap.usages import COMPOSITES, USAGES
from tests.courier import CRAWLERS, MINEBOT, PURPOSES, TODAY, Courier, canaries, courier
from tests.portions import portion

if TYPE_CHECKING:
    from playwright.sync_api import Page

PAGE = (HERE / "README.md").read_text(encoding="utf-8")
ROW = re.compile(
    r"^\| (?P<feature>[^|]+) \| (?P<clause>[^|]+) \| \[[^]]+\]\((?P<file>[^)]+)\): `(?P<said>[^|]+)` "
    r"\| `(?P<usage>[^`]+)` of `(?P<path>[^`]+)`(?: for (?P<purpose>\w+))? \| (?P<cells>.+) \|$",
    re.MULTILINE,
)
GONE = {"/news/never-written.html": 404, "/news/retracted.html": 410}
UNMARKED = {"/robots.txt", "/sitemap.xml", "/style.css", "/press/mark.svg", "/photos/regatta.png", MINEBOT}
OF_ACAP = {usage for usage in USAGES if usage not in COMPOSITES and not re.match("tdm|ai-", usage)}
RESTRICTIONS = {
    ("time-limit", r"until-recrawled"),
    ("time-limit", r"until-\d{4}-\d\d-\d\d"),
    ("time-limit", r"\d+-days"),
    ("max-length", r"\d+-chars"),
    ("max-length", r"\d+-words"),
    ("must-use-resource", r"/.+"),
    *(("must-use-resource", rf"the-acap:extract:{kind}:.+") for kind in ("id", "class", "meta")),
    *(("must-use-resource", rf"the-acap:{kind}:.+, .+") for kind in ("idlist", "classlist", "taglist")),
    *(("must-include-resource", rf"the-acap:{role}:.+") for role in ("credit", "link", "icon", "text")),
    *(("must-include-resource", rf"the-acap:\w+:{kind}:.+") for kind in ("id", "class", "meta")),
    *(("prohibited-modification", word) for word in ("any", "format", "style", "translation", "annotation")),
    ("prohibited-context", "within-user-frame"),
    ("required-context", "within-original-frame"),
}


class Row(NamedTuple):
    """A row of the page's tables."""

    file: str
    said: str
    usage: str
    path: str
    purpose: str | None
    cells: list[str]


ROWS = [
    Row(found["file"], found["said"], found["usage"], found["path"], found["purpose"], found["cells"].split(" | "))
    for found in ROW.finditer(PAGE)
]


@pytest.fixture(scope="module")
def site() -> Iterator[Courier]:
    """The site as it is kept."""
    with courier() as found:
        yield found


@pytest.fixture
def publisher() -> Iterator[Publisher]:
    """A publisher of the test's own."""
    with Publisher() as publisher:
        yield publisher


@pytest.fixture
def client(publisher: Publisher) -> Iterator[httpx2.Client]:
    """Asks that publisher, and follows no redirect."""
    with httpx2.Client(base_url=publisher.url) as client:
        yield client


def cell(courier: Courier, usage: str, path: str, purpose: str | None, crawler: str) -> str:
    """What the page says of a question: `no`, `yes`, or `yes` with the restrictions."""
    decision = courier.decide(path, crawler=crawler, usage=usage, purpose=purpose)
    if not decision.permitted:
        return "no"
    words = []
    for name, value, *_ in decision.restrictions:
        shown = value.replace(courier.url, "{site}")
        if name == "excluded-element":
            words.append(f"without `{shown}`")
        elif name == "excluded-purpose":
            words.append(f"not for `{shown.removeprefix(PURPOSES['search'].removesuffix('search'))}`")
        else:
            words.append(f"`{name}={shown}`")
    return "yes" if not words else f"yes: {', '.join(words)}"


def policy_of(site: Courier) -> acap.RobotsPolicy:
    """The site's policy as the package reads it, with what it refers to."""
    robots = site.served["/robots.txt"]
    policy = acap.parse_robots(robots.octets, url=robots.url)
    return policy.with_reference(MINEBOT, site.served[MINEBOT].octets)


def pages_of(site: Courier) -> dict[str, acap.PagePolicy]:
    """Each resource's own statements as the package reads them."""
    return {
        path: acap.parse_page(one.octets if one.is_page else None, url=one.url, headers=one.headers)
        for path, one in site.served.items()
    }


def understood(octets: bytes, url: str) -> set[str]:
    """The lines of a policy that its reader understands, without what is wrong."""
    policy = acap.parse_robots(octets, url=url)
    wrong = {problem.line for problem in policy.problems}
    kinds = {"blank", "comment"}
    return {
        line.octets.decode().strip() for line in policy.lines if line.kind not in kinds and line.number not in wrong
    }


def words_of(page: acap.PagePolicy) -> set[str]:
    """All that a page states, as it is written there, without headers and without what a reader adds in brackets."""
    said = {statement.text.partition(" [")[0] for statement in page.statements() if statement.dialect != "x-robots-tag"}
    return said | {f"ACAP Version {page.version}"} if page.version else said


def test_the_policies_have_no_problems(site: Courier) -> None:
    """Nothing is wrong with robots.txt, its variant, and what it refers to."""
    files = [*sorted(HERE.glob("robots*.txt")), HERE / "site/policy/minebot.txt"]
    assert len(files) == 3
    found = [acap.parse_robots(file.read_bytes(), url=f"{site.url}/robots.txt").problems for file in files]
    assert found == [(), (), ()]
    assert policy_of(site).problems == ()


def test_the_pages_have_no_problems(site: Courier) -> None:
    """Nothing is wrong with the statements of any page or header beside the robots.txt of the site."""
    robots = policy_of(site)
    problems = {path: page.problems_beside(robots) for path, page in pages_of(site).items()}
    assert {path: found for path, found in problems.items() if found} == {}


def test_the_pages_are_valid_html(site: Courier) -> None:
    """No page makes a parser of HTML5 guess."""
    pages = [one.octets for one in site.served.values() if one.is_page and one.status == 200]
    pages.append((HERE / "results.html").read_bytes())
    assert len(pages) > 30
    for octets in pages:
        html5lib.HTMLParser(strict=True).parse(octets)


def test_the_page_has_every_row() -> None:
    """Each row of the tables is read by these tests."""
    rows = [line for line in PAGE.splitlines() if line.count(" | ") >= 7 and not line.startswith("| feature ")]
    assert len(rows) == len(ROWS) > 80


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.file}:{row.said}")
def test_a_feature_is_where_the_page_says(row: Row, site: Courier) -> None:
    """The statement that a row shows stands in the file that it names, and is understood."""
    said = row.said.replace("{site}", site.url)
    path = f"/{row.file.removeprefix('site/').removesuffix('index.html')}"
    served = site.served.get(path)
    if row.file == "headers.toml":
        answers = tomllib.loads((HERE / row.file).read_text("utf-8"))["answer"]
        headers = {f"{name}: {value}" for one in answers for name, value in one.get("headers", ())}
        assert row.said in headers | {str(one["status"]) for one in answers if "status" in one}
    elif served is None:
        raise AssertionError(f"{row.file} is not served")
    elif not served.is_page:
        assert said in understood(served.octets, served.url)
    elif row.said.startswith("rel="):
        assert said.encode() in served.octets
    else:
        words = [said] if said.startswith("ACAP") else said.split(", ")
        assert set(words) <= words_of(acap.parse_page(served.octets, url=served.url))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.usage}:{row.path}")
def test_the_page_tells_what_each_crawler_may_do(row: Row, site: Courier) -> None:
    """The answers of a row are those of the reference interpreter."""
    answers = [cell(site, row.usage, row.path, row.purpose, crawler) for crawler in CRAWLERS]
    assert row.cells == answers


@pytest.mark.portion
def test_both_engines_agree_on_the_whole_site(site: Courier) -> None:
    """The package answers as the reference interpreter does, for every resource, crawler and usage.

    Of each resource every third pair of crawler and purpose is asked for, which third goes around; in `make soak` all.
    """
    policy, pages = policy_of(site), pages_of(site)
    different = []
    for number, path in enumerate(sorted(site.served)):
        for crawler, purpose in portion(product(CRAWLERS, (None, "research")), 3, first=number % 3):
            full = None if purpose is None else PURPOSES[purpose]
            answers = acap.decide_each(
                site.url + path, crawler=crawler, purpose=full, at=TODAY, robots=policy, page=pages[path]
            )
            for usage, answer in answers.items():
                other = site.decide(path, crawler=crawler, usage=usage, purpose=purpose)
                restrictions = {(one.name, one.value) for one in answer.restrictions}
                if (str(answer.outcome), restrictions) != (other.outcome, set(other.restrictions)):
                    different.append((path, crawler, purpose, usage))
    assert different == []


@pytest.mark.parametrize("effect", ["permits", "prohibits"])
def test_every_usage_is_permitted_and_prohibited_somewhere(effect: str, site: Courier) -> None:
    """robots.txt permits and prohibits each of the six usages and each of the ten representations by its own name."""
    word = {"permits": "allow", "prohibits": "disallow"}[effect]
    stated = {
        one.cited.usage
        for one in policy_of(site).statements
        if one.cited.effect == effect and one.cited.text.startswith(f"ACAP-{word}-{one.cited.usage}:")
    }
    assert len(OF_ACAP) == 16
    assert stated >= OF_ACAP


def test_every_restriction_is_used_somewhere(site: Courier) -> None:
    """Each qualifier is used in each form of its values, and each form of time limit on each usage that has one."""
    held = {(one.cited.usage, *pair) for one in policy_of(site).statements for pair in one.restrictions}
    for page in pages_of(site).values():
        for one in page.statements():
            if one.dialect == "acap":
                held |= {(one.usage, *pair) for pair in one.restrictions}
    wanted = {("", name, form) for name, form in RESTRICTIONS}
    wanted |= {
        (usage, name, form)
        for usage in ("index", "preserve", "present")
        for name, form in RESTRICTIONS
        if name == "time-limit"
    }
    unused = {
        (usage, name, form)
        for usage, name, form in wanted
        if not any(a.startswith(usage) and b == name and re.fullmatch(form, c) for a, b, c in held)
    }
    assert unused == set()
    located = [path for path, one in site.served.items() if b" location=" in one.octets and one.is_page]
    assert located == ["/news/election-night.html", "/press/copies/election-night.html"]


def test_the_other_requests_and_groups_are_there(site: Courier) -> None:
    """Action requests, a delay, a sitemap, purposes and local names are all read from robots.txt."""
    policy = policy_of(site)
    assert [one.action for one in policy.action_requests("archivebot")] == ["take-down", "re-crawl"]
    assert policy.politeness("minebot").delays == (0.2,)
    assert policy.sitemaps == (f"{site.url}/sitemap.xml",)
    assert {purpose for one in policy.statements for purpose in one.purposes} >= set(PURPOSES.values())
    assert policy.references("minebot") == (MINEBOT,)


def test_the_variant_is_to_be_read_without_its_conventional_records(site: Courier) -> None:
    """With the directive a Disallow counts for those who know no ACAP only."""
    octets = (HERE / "robots-without-rep.txt").read_bytes()
    answers = [
        acap.parse_robots(octets, url=f"{site.url}/robots.txt", dialect=dialect)
        .decide("/news/harbour-wall.html", crawler="otherbot", at=TODAY)
        .permitted
        for dialect in ("auto", "rfc9309")
    ]
    assert answers == [True, False]


def test_the_snippet_of_a_page_is_a_resource_with_its_own_policy(site: Courier) -> None:
    """What has to be shown in place of a snippet is served, and has a statement of its own."""
    path = "/press/snippets/fish-market.txt"
    (text,) = [one for one in policy_of(site).statements if ("must-use-resource", path) in one.restrictions]
    assert text.pattern == "/news/fish-market.html"
    assert site.served[path].status == 200
    assert cell(site, "present-snippet", path, None, "otherbot") == "yes: `max-length=10-words`"


def test_a_canary_stands_once_and_where_it_is_said_to_stand(site: Courier) -> None:
    """Each canary word is on the site once, in the element that its entry names."""
    everything = {path: one.octets.decode("utf-8", "replace").casefold() for path, one in site.served.items()}
    listed: dict[str, set[str]] = {}
    for canary in canaries():
        listed.setdefault(canary.path, set()).add(canary.element)
    for canary in canaries():
        assert {path: text.count(canary.word) for path, text in everything.items() if canary.word in text} == {
            canary.path: 1
        }
        if canary.element == "file":
            assert not site.served[canary.path].is_page
            continue
        tree = LexborHTMLParser(site.served[canary.path].octets)
        holding = {
            element
            for element in listed[canary.path] - {"page"}
            for node in tree.css(element)
            if canary.word in (node.html or "").casefold()
        }
        assert holding if canary.element != "page" else not holding, canary
        assert canary.element in {*holding, "page"}
        assert canary.word in (tree.html or "").casefold()


def test_canaries_are_single_new_words() -> None:
    """A canary is one word of letters, unlike any other, and says why it is there."""
    words = [canary.word for canary in canaries()]
    assert len(set(words)) == len(words) > 60
    assert [word for word in words if not re.fullmatch("[a-z]{7,}", word)] == []
    assert [(one, other) for one in words for other in words if one != other and one in other] == []
    assert all(canary.why for canary in canaries())


def test_every_text_has_a_canary(site: Courier) -> None:
    """Each resource that is a text of the newspaper has a canary; each page has one outside of its marked parts."""
    redirects = {path for path, one in site.served.items() if one.status in {301, 302}}
    texts = set(site.served) - UNMARKED - redirects
    assert {canary.path for canary in canaries()} == texts
    pages = {path for path in texts if site.served[path].is_page}
    assert {canary.path for canary in canaries() if canary.element == "page"} == pages


def test_parts_with_statements_have_canaries(site: Courier) -> None:
    """Each element with a statement of its own is listed with a canary."""
    listed = {(canary.path, canary.element) for canary in canaries()}
    for path, one in site.served.items():
        if one.is_page:
            for node in LexborHTMLParser(one.octets).css('[class*="the-acap:"], [data-nosnippet]'):
                assert (path, f"#{node.attributes['id']}") in listed


def test_links_lead_somewhere(site: Courier) -> None:
    """Every link and image of every page is served, but for those that are known to be gone."""
    broken = set()
    for one in site.served.values():
        if not one.is_page:
            continue
        for node in LexborHTMLParser(one.octets).css("[href], [src]"):
            target = urldefrag(urljoin(one.url, node.attributes.get("href") or node.attributes.get("src") or ""))[0]
            assert target.startswith(site.url + "/")
            path = urlsplit(target).path
            found = site.served.get(path)
            if found is None or found.status >= 400:
                broken.add((path, found.status if found else 404))
    assert broken == set(GONE.items())


def test_every_page_is_reached(site: Courier) -> None:
    """A reader gets from the front page to every page by links, redirects included."""
    reached, todo = {"/"}, ["/"]
    while todo:
        one = site.served[todo.pop()]
        follows = [value for name, value in one.headers if name == "location"]
        if one.is_page:
            follows += [node.attributes["href"] or "" for node in LexborHTMLParser(one.octets).css("a[href]")]
        for target in follows:
            path = urlsplit(urljoin(one.url, target)).path
            if path in site.served and path not in reached:
                reached.add(path)
                todo.append(path)
    assert {path for path, one in site.served.items() if one.is_page} - reached == set()


def test_the_sitemap_names_pages_that_are_there(site: Courier) -> None:
    """Every entry of the sitemap is a page of this origin, and none is what nobody may fetch."""
    tree = ElementTree.fromstring(site.served["/sitemap.xml"].octets)
    named = [entry.text or "" for entry in tree.iter("{http://www.sitemaps.org/schemas/sitemap/0.9}loc")]
    assert len(named) > 30
    assert {site.served[name.removeprefix(site.url)].status for name in named} == {200}
    assert [name for name in named if "/embargo/" in name] == []


def test_the_own_origin_stands_where_absolute_urls_do(publisher: Publisher, client: httpx2.Client) -> None:
    """What is served names the host and port that were asked, and no placeholder is left."""
    for path in publisher.paths:
        assert b"{" + b"site}" not in client.get(path).content
    named = client.get("/robots.txt", headers={"Host": "www.courier.example:8080"})
    assert "Sitemap: http://www.courier.example:8080/sitemap.xml" in named.text
    wrong = client.get("/robots.txt", headers={"Host": "a b<>"})
    assert f"Sitemap: {publisher.url}/sitemap.xml" in wrong.text


def test_a_client_that_has_it_is_told_so(client: httpx2.Client) -> None:
    """ETag and Last-Modified are sent, and conditional requests are answered with 304 and nothing else."""
    first = client.get("/news/harbour-wall.html")
    tag, modified = first.headers["etag"], first.headers["last-modified"]
    assert modified == "Sun, 01 Nov 2026 06:00:00 GMT"
    for known in ({"If-None-Match": tag}, {"If-None-Match": f'"x", W/{tag}'}, {"If-Modified-Since": modified}):
        again = client.get("/news/harbour-wall.html", headers=known)
        assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", tag)
    for unknown in (
        {"If-None-Match": '"x"', "If-Modified-Since": modified},
        {"If-Modified-Since": "Sat, 31 Oct 2026 06:00:00 GMT"},
        {"If-Modified-Since": "yesterday"},
    ):
        assert client.get("/news/harbour-wall.html", headers=unknown).status_code == 200


def test_head_is_get_without_a_body(client: httpx2.Client) -> None:
    """HEAD is answered with the same headers."""
    whole, bare = client.get("/"), client.head("/")
    assert (bare.status_code, bare.content) == (200, b"")
    assert {**bare.headers, "date": ""} == {**whole.headers, "date": ""}


def test_redirects_and_failures_are_as_they_are_said(publisher: Publisher, client: httpx2.Client) -> None:
    """Redirects lead on, what is gone is gone, and what is busy is busy once."""
    old, leaked = client.get("/news/old-pier.html"), client.get("/news/leaked-minutes.html")
    assert (old.status_code, old.headers["location"]) == (301, f"{publisher.url}/archive/2019/pier.html")
    assert (leaked.status_code, leaked.headers["location"]) == (302, "/subscribers/minutes.html")
    assert client.get("/news").headers["location"] == f"{publisher.url}/news/"
    assert {path: client.get(path).status_code for path in GONE} == GONE
    busy, then = client.get("/news/tides.html"), client.get("/news/tides.html")
    assert (busy.status_code, busy.headers["retry-after"]) == (503, "1")
    assert (then.status_code, "retry-after" in then.headers) == (200, False)
    assert "High water" in then.text
    assert "High water" not in busy.text


def test_headers_are_sent_apart(client: httpx2.Client) -> None:
    """Several X-Robots-Tag headers stay several."""
    said = client.get("/press/media-kit.txt").headers.get_list("x-robots-tag")
    assert said == ["noindex", "minebot: none", "archivebot: noarchive"]


def test_a_search_never_ends(client: httpx2.Client) -> None:
    """An answer to a search leads to the next, and shows what was asked as text."""
    page = client.get("/search", params={"q": 'a<b "&', "page": "7"})
    tree = LexborHTMLParser(page.text)
    assert [node.text() for node in tree.css("h1")] == ['Search: a<b "&']
    assert [node.attributes["href"] for node in tree.css("main a")] == ["/search?q=a%3Cb%20%22%26&page=8"]


def test_what_is_served_can_be_replaced(publisher: Publisher, client: httpx2.Client) -> None:
    """A policy or a page is replaced for good or for some requests, and is newer then."""
    before = client.get("/robots.txt")
    publisher.replace("/robots.txt", b"User-agent: *\nDisallow: /\n", headers=[("Cache-Control", "no-store")])
    after = client.get("/robots.txt", headers={"If-None-Match": before.headers["etag"]})
    assert (after.status_code, after.text) == (200, "User-agent: *\nDisallow: /\n")
    assert after.headers["last-modified"] == "Sun, 01 Nov 2026 06:01:00 GMT"
    assert after.headers["content-type"] == "text/plain; charset=utf-8"
    assert after.headers["cache-control"] == "no-store"
    publisher.replace("/about.html", b"", status=500, times=2)
    assert [client.get("/about.html").status_code for _ in range(3)] == [500, 500, 200]
    publisher.remove("/about.html")
    assert client.get("/about.html").status_code == 404


def test_requests_are_remembered(publisher: Publisher, client: httpx2.Client) -> None:
    """The log has method, target, crawler and status of every request, in order."""
    client.get("/news/?a=b", headers={"User-Agent": "minebot/1.0"})
    client.head("/never")
    said = [(one.method, one.target, one.status) for one in publisher.requests]
    assert said == [("GET", "/news/?a=b", 200), ("HEAD", "/never", 404)]
    assert publisher.requests[0].crawler == "minebot/1.0"


def test_the_server_runs_as_a_program_until_it_is_interrupted() -> None:
    """Started as a program it prints its address, serves, and ends at Ctrl-C without complaint."""
    command = [sys.executable, str(HERE / "serve.py")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout
        assert process.stderr
        try:
            found = re.search(r"http://127\.0\.0\.1:\d+", process.stdout.readline())
            assert found
            assert "Today in Saltmere" in httpx2.get(f"{found[0]}/").text
        finally:
            process.send_signal(signal.SIGINT)
        assert (process.wait(30), process.stderr.read()) == (0, "")


def test_the_pages_fit_a_phone(page: Page, publisher: Publisher) -> None:
    """No page is wider than a small phone, every image loads, and no script or file fails."""
    page.set_viewport_size({"width": 360, "height": 740})
    for path in publisher.paths:
        if path.endswith(("/", ".html")) and path not in {*GONE, "/news/tides.html"}:
            page.goto(publisher.url + path)
            assert page.evaluate("document.documentElement.scrollWidth") <= 360, path
            assert page.evaluate("[...document.images].every(image => image.naturalWidth > 0)"), path


def test_the_folder_is_complete() -> None:
    """Every file of the folder is named on its page, or lies in the site."""
    named = set(re.findall(r"\]\(([^)]+)\)", PAGE))
    files = {file.name for file in HERE.iterdir() if file.is_file() and file.suffix != ".pyc"}
    assert files - {"README.md"} <= {Path(name).name for name in named}
    assert f" {len(list((HERE / 'site').rglob('*.html')))} pages, " in PAGE
