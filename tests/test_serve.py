"""`acap serve` over HTTP: every page, its headers, what it enters in the ledger, and the command itself."""

from __future__ import annotations

import re
import signal
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from starlette.testclient import TestClient

from acap.harvest.proof import verify
from acap.harvest.store import open_store
from acap.harvest.thumbnails import Picture, Thumbnails, UnavailableError, find_browser
from acap.web.app import search_app, sweep_once
from acap.web.guard import hosts_of
from acap.web.loopback import LOOPBACK
from tests.command_line import acap as command
from tests.command_line import process
from tests.postgres import PostgresServer
from tests.searched import SITE, Searchable, acap, article, searchable

TEXT = "The fog lay over the harbour. The ferries waited until noon. Nobody saw the lighthouse that day."
PNG = b"\x89PNG\r\n\x1a\n" + bytes(64)
HERE = "http://127.0.0.1"
OURS = {"Origin": HERE}


@pytest.fixture
def harvested(tmp_path: Path) -> Iterator[Searchable]:
    with searchable(tmp_path / "news.acap") as made:
        yield made


@pytest.fixture
def client(harvested: Searchable) -> Iterator[TestClient]:
    with TestClient(search_app(harvested.store), base_url=HERE, follow_redirects=False) as made:
        yield made


def presented(harvested: Searchable) -> list[tuple[str, str, str]]:
    """What the ledger says was presented: path, usage, and where."""
    entries = harvested.store.ledger.entries(acts=("presented",))
    acts = [act for entry in entries for act in harvested.store.acts_of(entry.act)]
    return [(urlsplit(act.url).path, act.usage, act.detail["where"]) for act in acts]


def keep(harvested: Searchable, *policy: str, url: str = "/a.html", content: str = "") -> int:
    harvested.says(acap(*policy))
    return harvested.keep(url, content or article("Fog in the harbour", TEXT))


def test_results_have_what_is_permitted_and_name_what_is_not(harvested: Searchable, client: TestClient) -> None:
    """A result shows title, link and snippet; what is withheld is named with its reason and a link to all reasons."""
    version = keep(harvested, "ACAP-disallow-present-currentcopy: /")
    text = client.get("/?q=fog").text
    assert f'<a href="{SITE}/a.html" rel="noreferrer noopener" dir="auto">Fog in the harbour</a>' in text
    assert "The <mark>fog</mark> lay over the harbour." in text
    assert "1 withheld" in text
    assert "robots.txt:3:1 ACAP-disallow-present-currentcopy: /" in text
    assert f'href="/why/{version}/present-currentcopy"' in text
    assert f'href="/copies/{version}' not in text
    assert presented(harvested) == [("/a.html", "present-link", "results"), ("/a.html", "present-snippet", "results")]


def test_words_are_not_marked_where_annotation_is_prohibited(harvested: Searchable, client: TestClient) -> None:
    """Marks are ours, so a site that prohibits annotation of what is presented gets none."""
    keep(harvested, "ACAP-allow-present: / prohibited-modification=annotation")
    assert "<mark>" not in client.get("/?q=fog").text


def test_a_result_that_may_not_be_indexed_any_more_is_held_back(harvested: Searchable, client: TestClient) -> None:
    """Before the sweep has come, what the index should not hold is found, and not shown; the ledger has nothing."""
    keep(harvested)
    harvested.says(acap("ACAP-disallow-index: /"))
    text = client.get("/?q=fog").text
    assert "is withheld" in text
    assert "a.html" not in text
    assert "harbour" not in text
    reason = re.search(r'href="(/why/\d+/index)"', text)
    assert reason is not None
    assert "ACAP-disallow-index: /" in client.get(reason[1]).text
    assert presented(harvested) == []
    sweep_once(client.app.state.serving)  # type: ignore[attr-defined]  # `state` has what the application puts there
    assert "Nothing found" in client.get("/?q=fog").text


def test_a_withheld_link_tells_no_url_anywhere(harvested: Searchable, client: TestClient) -> None:
    """Where the link is prohibited, neither results nor reasons nor the page of the item tell the URL."""
    version = keep(harvested, "ACAP-disallow-present-link: /hidden*", url="/hidden-place.html")
    pages = ("/?q=fog", f"/items/{version}", f"/why/{version}/present-link", f"/copies/{version}")
    for path in pages:
        assert "hidden-place" not in client.get(path).text, path


def test_hostile_words_are_text(harvested: Searchable, client: TestClient) -> None:
    """Markup in titles, texts, credits, statements and questions is shown as text."""
    evil = '<img src=x onerror="alert(1)">'
    harvested.says(acap("ACAP-allow-present-snippet: / must-include-resource=the-acap:credit:id:by"))
    content = (
        f"<!doctype html><title>&lt;script&gt;alert(1)&lt;/script&gt; fog</title><p>{TEXT} &lt;b onclick=x&gt;</p>"
        f'<p id=by>{evil.replace("<", "&lt;")}</p><meta name="robots" content="ACAP disallow-present-extract">'
    )
    version = harvested.keep("/a.html?x=<script>&y='\"", content)
    for path in ("/?q=fog", f"/?q={evil}", f"/items/{version}?q=fog", f"/why/{version}/present-extract", "/operator"):
        text = client.get(path).text
        assert "<script" not in text
        assert not re.search(r"<[^>]*\son\w+=[\"']", text), path
        assert "<b onclick" not in text


def test_every_answer_is_guarded(harvested: Searchable, client: TestClient) -> None:
    """No page may load or run anything from elsewhere, be framed, cached or indexed."""
    version = keep(harvested)
    for path in ("/", "/?q=fog", f"/items/{version}", "/operator", "/nothing", "/static/acap.css", "/robots.txt"):
        headers = client.get(path).headers
        assert "default-src 'none'" in headers["content-security-policy"]
        assert "script-src" not in headers["content-security-policy"]
        assert headers["x-frame-options"] == "DENY"
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "same-origin"
        assert headers["cache-control"] == "no-store"
        assert headers["x-robots-tag"] == "noindex, nofollow"


def test_a_copy_is_sandboxed_in_a_frame_of_ours(harvested: Searchable, client: TestClient) -> None:
    """The content of a copy comes as it was received, with its charset and without any right."""
    harvested.says(acap())
    octets = article("Föhn", TEXT).encode("latin-1").replace(b"<meta charset=utf-8>", b"")
    headers = (("Content-Language", "de"), ("Refresh", "0;url=https://evil.example/"), ("Set-Cookie", "a=b"))
    version = harvested.keep("/a.html", octets, media="text/html; charset=iso-8859-1", headers=headers)
    outer = client.get(f"/copies/{version}?q=fog")
    assert f'src="/copies/{version}/content" sandbox=""' in outer.text
    inner = client.get(f"/copies/{version}/content", headers={"Sec-Fetch-Dest": "iframe"})
    assert inner.content == octets
    assert inner.headers["content-type"] == "text/html; charset=windows-1252"
    assert inner.headers["content-language"] == "de"
    policy = inner.headers["content-security-policy"]
    assert policy.startswith("sandbox; default-src 'none'; ")
    assert "frame-ancestors 'self'" in policy
    assert not {"refresh", "set-cookie"} & set(inner.headers)
    assert presented(harvested) == [
        ("/a.html", "present-link", "copy"),
        ("/a.html", "present-currentcopy", "copy"),
    ]


def test_what_a_link_must_have_beside_it_is_there_wherever_the_link_is(
    harvested: Searchable, client: TestClient
) -> None:
    """The credit of a link stands in the results, with the item, and above the copy and the original."""
    version = keep(
        harvested, "ACAP-allow-present-link: / must-include-resource=the-acap:credit:id:by",
        content=article("Fog", f"{TEXT}<p id=by>By Ada</p>"),
    )  # fmt: skip
    for path in ("/?q=fog", f"/items/{version}", f"/copies/{version}", f"/original/{version}"):
        text = client.get(path).text
        assert f'href="{SITE}/a.html"' in text
        assert re.search(r"<li dir=\"auto\">\s*By Ada\s*</li>", text), path


def test_a_copy_does_not_leave_its_frame(harvested: Searchable, client: TestClient) -> None:
    """Whoever asks for the content of a framed copy as a page of its own is sent to the frame."""
    version = keep(harvested)
    sent = client.get(f"/copies/{version}/content", headers={"Sec-Fetch-Dest": "document"})
    assert (sent.status_code, sent.headers["location"]) == (303, f"/copies/{version}")
    assert presented(harvested) == []


@pytest.mark.parametrize("restriction", ["prohibited-modification=any", "prohibited-context=within-user-frame"])
def test_a_copy_that_may_not_be_framed_stands_alone(
    harvested: Searchable, client: TestClient, restriction: str
) -> None:
    """There is nothing of ours around such a copy, and no site can frame it; it is sandboxed all the same."""
    version = keep(harvested, f"ACAP-allow-present-currentcopy: / {restriction}")
    answer = client.get(f"/copies/{version}")
    assert answer.content == article("Fog in the harbour", TEXT).encode()
    assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]
    assert answer.headers["content-security-policy"].startswith("sandbox; ")
    assert answer.headers["x-frame-options"] == "DENY"


def test_a_withheld_copy_leads_to_its_reason(harvested: Searchable, client: TestClient) -> None:
    """The address of a copy that may not be shown answers with the reason, and enters nothing."""
    version = keep(harvested, "ACAP-disallow-present-currentcopy: /")
    for path in (f"/copies/{version}", f"/copies/{version}/content"):
        answer = client.get(path)
        assert (answer.status_code, answer.headers["location"]) == (303, f"/why/{version}/present-currentcopy")
    reason = client.get(f"/why/{version}/present-currentcopy").text
    assert "The copy is withheld" in reason
    assert "robots.txt:3:1  ACAP-disallow-present-currentcopy: /" in reason
    assert presented(harvested) == []


def test_marks_in_a_copy_are_asked_for(harvested: Searchable, client: TestClient) -> None:
    """The frame offers to mark the words that were looked for, and the content marks them when asked."""
    version = keep(harvested)
    assert f'href="/copies/{version}?q=fog&amp;marked=1"' in client.get(f"/copies/{version}?q=fog").text
    assert f'src="/copies/{version}/content?q=fog&amp;marked=1"' in client.get(f"/copies/{version}?q=fog&marked=1").text
    assert "The <mark>fog</mark> lay" in client.get(f"/copies/{version}/content?q=fog&marked=1").text
    styled = keep(harvested, "ACAP-allow-present: /b.html prohibited-modification=style", url="/b.html")
    assert "marked=1" not in client.get(f"/copies/{styled}?q=fog").text
    assert "<mark>" not in client.get(f"/copies/{styled}/content?q=fog&marked=1").text


def test_a_translation_is_offered_where_it_may_be(harvested: Searchable) -> None:
    """The link to a translation is there if the operator names one, and no site prohibits it."""
    app = search_app(harvested.store, translate_url="https://translate.example/?u={url}")
    allowed = keep(harvested)
    prohibited = keep(harvested, "ACAP-allow-present: / prohibited-modification=translation", url="/b.html")
    harvested.says(acap("ACAP-allow-present: /b.html prohibited-modification=translation"))
    with TestClient(app, base_url=HERE) as client:
        text = client.get(f"/copies/{allowed}").text
        assert 'href="https://translate.example/?u=https%3A%2F%2Fwww.example.com%2Fa.html"' in text
        text = client.get(f"/copies/{prohibited}").text
        assert "translate.example" not in text
        assert 'translate="no"' in text


@pytest.mark.parametrize(
    ("media", "inline"),
    [
        ("image/png", True),
        ("image/svg+xml", True),
        ("application/pdf", False),
        ("video/mp4", False),
        ("text/x-sh", False),
    ],
)
def test_a_file_that_a_browser_would_run_is_saved(
    harvested: Searchable, client: TestClient, media: str, inline: bool
) -> None:
    """Types on the list are shown within the sandbox; all others are attachments with a harmless name."""
    harvested.says(acap())
    version = harvested.keep("/files/a%22b%0d%0a.bin", b"octets", media=media)
    answer = client.get(f"/copies/{version}/content")
    assert answer.content == b"octets"
    assert answer.headers["content-type"] == media
    assert ("content-disposition" in answer.headers) is not inline
    if not inline:
        assert answer.headers["content-disposition"] == "attachment; filename*=UTF-8''a_b_.bin"
        assert "Save it" in client.get(f"/copies/{version}").text


def test_the_original_is_framed_where_it_may_be(harvested: Searchable, client: TestClient) -> None:
    """The live page stands in a frame of ours; where that is prohibited, the reason comes instead."""
    version = keep(harvested)
    answer = client.get(f"/original/{version}")
    assert f'src="{SITE}/a.html"' in answer.text
    assert "frame-src http: https:" in answer.headers["content-security-policy"]
    assert ("/a.html", "present-original", "original") in presented(harvested)
    harvested.says(acap("ACAP-allow-present-original: / prohibited-context=within-user-frame"))
    assert client.get(f"/original/{version}").headers["location"] == f"/why/{version}/present-original"


def test_an_item_shows_its_extract_and_older_versions(harvested: Searchable, client: TestClient) -> None:
    """One page has everything of a version with the state of each representation, and the versions before it."""
    harvested.says(acap("ACAP-disallow-present-oldcopy: /"))
    old = harvested.keep("/a.html", article("Fog", TEXT))
    harvested.clock.advance(timedelta(days=1))
    new = harvested.keep("/a.html", article("Fog lifts", f"{TEXT} It lifted."))
    text = client.get(f"/items/{new}?q=lighthouse").text
    assert "It lifted." in text
    assert "12 November 2026, 14:03 UTC" in text
    assert f"/why/{old}/present-oldcopy" in text
    assert f'href="/copies/{old}' not in text
    assert [usage for _, usage, _ in presented(harvested)] == [
        "present-link", "present-extract", "present-oldsnippet",
    ]  # fmt: skip


def test_what_is_closed_but_for_its_use_is_at_no_address_of_its_own(harvested: Searchable, client: TestClient) -> None:
    """An icon that its own site names is served for the page that must have it; by itself nothing of it is."""
    said = (
        "ACAP-disallow-crawl: /priv/",
        "ACAP-allow-present-link: /a must-include-resource=the-acap:icon:/priv/l.png",
    )
    version = keep(harvested, *said)
    icon = harvested.keep("/priv/l.png", PNG, media="image/png")
    answer = client.get(f"/included/{version}/present-link/{icon}")
    assert (answer.content, answer.headers["content-type"]) == (PNG, "image/png")
    for path in ("copies", "content", "thumbnails", "items", "original"):
        answer = client.get(f"/{path}/{icon}", headers={"sec-fetch-dest": "iframe"})
        assert PNG not in answer.content
        assert "l.png" not in answer.text
    with harvested.store.writing():
        assert verify(harvested.store).wrong == ()


def test_a_required_icon_is_served_for_what_requires_it(harvested: Searchable, client: TestClient) -> None:
    """An image that must be shown comes from its copy, is entered for it, and is at no other address."""
    harvested.says(acap(), "https://courier.example")
    icon = harvested.keep("https://courier.example/logo.png", PNG, media="image/png")
    version = keep(
        harvested, "ACAP-allow-present-link: / must-include-resource=the-acap:icon:https://courier.example/logo.png"
    )
    path = f"/included/{version}/present-link/{icon}"
    assert f'src="{path}"' in client.get("/?q=fog").text
    answer = client.get(path)
    assert (answer.content, answer.headers["content-type"]) == (PNG, "image/png")
    assert presented(harvested)[-1] == ("/logo.png", "present-thumbnail", "included")
    for other in (f"/included/{version}/present-snippet/{icon}", f"/included/{version}/present-link/{version}"):
        assert client.get(other).status_code == 404


class OnePicture(Thumbnails):
    """Renders nothing, and remembers what it should have."""

    def __init__(self) -> None:
        self.asked: list[tuple[bytes, str]] = []

    def render(self, octets: bytes, content_type: str) -> Picture:
        self.asked.append((octets, content_type))
        if b"fails" in octets:
            raise UnavailableError("the browser failed")
        return Picture(PNG)


def test_a_thumbnail_is_made_of_what_may_be_shown_in_it(harvested: Searchable) -> None:
    """The browser gets the octets, or where parts may not be shown the rest; where it fails nothing is entered."""
    pictures = OnePicture()
    whole = keep(harvested)
    partly = keep(
        harvested, url="/b.html",
        content=article("Fog", f'{TEXT}<p class="the-acap:disallow-present-thumbnail">secret</p>'),
    )  # fmt: skip
    fails = keep(harvested, url="/c.html", content=article("Fog", "fails"))
    with TestClient(search_app(harvested.store, thumbnails=pictures), base_url=HERE) as client:
        [shown] = re.findall(f'src="(/thumbnails/{whole}[^"]*)"', client.get("/?q=fog").text)
        entered = presented(harvested)
        assert ("/a.html", "present-thumbnail", "results") in entered
        assert client.get(shown).content == PNG
        assert presented(harvested) == entered
        for other in (f"/thumbnails/{whole}", shown[:-1], shown.replace(str(whole), str(partly), 1)):
            if other != shown:
                client.get(other)
        harvested.clock.advance(timedelta(hours=1))
        client.get(shown)
        later = presented(harvested)[len(entered) :]
        assert [where for _, _, where in later] == ["thumbnail"] * len(later)
        assert len(later) >= 3
        assert client.get(f"/thumbnails/{whole}").content == PNG
        assert pictures.asked[-1] == (article("Fog in the harbour", TEXT).encode(), "text/html; charset=utf-8")
        assert client.get(f"/thumbnails/{partly}").status_code == 200
        assert b"secret" not in pictures.asked[-1][0]
        assert client.get(f"/thumbnails/{fails}").status_code == 404
    thumbnails = {path for path, _, where in presented(harvested) if where == "thumbnail"}
    assert thumbnails == {"/a.html", "/b.html"}


def test_what_cannot_be_entered_is_not_shown(harvested: Searchable, client: TestClient) -> None:
    """While the ledger takes no entry the answer is 503 with a time to come back, and has nothing of what was found."""
    version = keep(harvested)
    harvested.store.database.run("PRAGMA query_only = ON")
    for path in ("/?q=fog", f"/copies/{version}/content", f"/items/{version}"):
        answer = client.get(path)
        assert (answer.status_code, answer.headers["retry-after"]) == (503, "10")
        assert "harbour" not in answer.text
    harvested.store.database.run("PRAGMA query_only = OFF")
    assert client.get("/?q=fog").status_code == 200


def test_what_nobody_looks_at_is_not_entered(harvested: Searchable, client: TestClient) -> None:
    """HEAD gets no content, a prefetch is refused, and the ledger has neither."""
    version = keep(harvested)
    for path in ("/?q=fog", f"/copies/{version}/content"):
        head = client.head(path)
        assert (head.status_code, head.content) == (200, b"")
        early = client.get(path, headers={"Sec-Purpose": "prefetch;prerender"})
        assert (early.status_code, early.content) == (503, b"")
    assert presented(harvested) == []


def test_another_host_name_is_refused(client: TestClient) -> None:
    """A name that was made to lead here is not answered to."""
    assert client.get("/", headers={"Host": "evil.example:8080"}).status_code == 421
    for name in ("localhost:8080", "127.0.0.1", "[::1]:9", "localhost."):
        assert client.get("/", headers={"Host": name}).status_code == 200


@pytest.mark.parametrize(
    "address", ["127.0.0.1", "localhost", "::1", "127.0.0.9", "0.0.0.0", "::", "192.0.2.7", "box.example"]
)
def test_no_address_lets_every_name_in(address: str) -> None:
    """Whatever address is listened on, names that nobody allowed are not answered to; this machine's own always are."""
    names = hosts_of(address)
    assert names >= LOOPBACK
    assert "evil.example" not in names
    assert hosts_of(address, ["Proxy.example."]) == names | {"proxy.example"}


def test_the_address_a_connection_came_in_on_is_answered_to(harvested: Searchable) -> None:
    """Its literal is no name that somebody else could make lead here; a name beside it is refused all the same."""
    with TestClient(
        search_app(harvested.store, hosts=hosts_of("0.0.0.0")), base_url="http://192.0.2.7:8080"
    ) as reached:
        assert reached.get("/").status_code == 200
        assert reached.get("/", headers={"Host": "192.0.2.8:8080"}).status_code == 421
        assert reached.get("/", headers={"Host": "evil.example:8080"}).status_code == 421


OTHERS = ({"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "same-site"}, {"Referer": "http://evil.example/"})


@pytest.mark.parametrize("headers", OTHERS)
def test_what_another_site_asks_for_is_neither_shown_nor_entered(
    harvested: Searchable, client: TestClient, headers: dict[str, str]
) -> None:
    """A page elsewhere that embeds or links to what is held writes nothing into the ledger and shows nothing of it."""
    version = keep(harvested)
    paths = ("/?q=fog", *(path.format(version) for path in SHOWING))
    for path in paths:
        answer = client.get(path, headers=headers)
        assert answer.status_code == 403
        assert "Another site led here" in answer.text
        assert "harbour" not in answer.text
    assert f'href="/copies/{version}/content"' in client.get(f"/copies/{version}/content", headers=headers).text
    assert presented(harvested) == []
    assert client.get("/?q=fog", headers={"Referer": f"{HERE}/"}).status_code == 200


def rows(harvested: Searchable) -> dict[str, list[str]]:
    """Every row of every table of the store, but for when a resource was first presented."""
    read = harvested.store.database.rows
    found: dict[str, list[str]] = {}
    for (name,) in read("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY 1"):
        columns = [str(row[1]) for row in read(f'PRAGMA table_info("{name}")') if row[1] != "first_presented"]
        listed = ", ".join(f'"{column}"' for column in columns)
        found[str(name)] = sorted(map(repr, read(f'SELECT {listed} FROM "{name}"')))
    return found


def test_serving_writes_what_it_presented_and_nothing_else(harvested: Searchable, client: TestClient) -> None:
    """Whatever is looked at, only the ledger and the grounds that it cites grow, and by acts of presenting alone."""
    version = keep(harvested)
    harvested.says(acap("ACAP-disallow-present-snippet: /b"), "https://other.example")
    harvested.keep("https://other.example/b", article("Fog elsewhere", TEXT))
    before, entries = rows(harvested), len(list(harvested.store.ledger.entries()))
    for path in ("/?q=fog", "/", "/?q=nothing", *(path.format(version) for path in SHOWING), "/items/999"):
        client.get(path)
    after = rows(harvested)
    changed = {name for name in before if before[name] != after[name]}
    assert changed <= {"ledger", "grounds", "sqlite_sequence"}
    assert {one.act.act for one in list(harvested.store.ledger.entries())[entries:]} == {"presented"}


SHOWING = ("/items/{}", "/why/{}/index", "/copies/{}", "/copies/{}/content", "/thumbnails/{}", "/original/{}")


@pytest.mark.parametrize("number", [str(2**63), str(2**64), "9" * 30, "9" * 5_000, "-1"])
def test_a_number_beyond_any_database_leads_nowhere(client: TestClient, number: str) -> None:
    """It is not found, as any number that nothing has."""
    for path in (*SHOWING, "/included/{}/present-snippet/1", "/included/1/present-snippet/{}"):
        answer = client.get(path.format(number))
        assert (answer.status_code, "Nothing here" in answer.text) == (404, True)


def test_what_is_not_there_is_not_found(harvested: Searchable, client: TestClient) -> None:
    """Numbers of nothing, usages that do not fit the version, and odd pages are answered in order."""
    version = keep(harvested)
    missing = ("/items/999", "/copies/999", "/copies/999/content", "/thumbnails/999", f"/why/{version}/present-oldcopy")
    for path in (*missing, f"/thumbnails/{version}", "/original/999", "/why/999/present-link", "/included/9/x/9", "/x"):
        assert client.get(path).status_code == 404, path
    for odd in ("0", "-1", "x", "99999999999", "٣"):
        assert client.get("/", params={"q": "fog", "page": odd}).status_code == 200


def test_further_pages_go_on(harvested: Searchable, client: TestClient) -> None:
    """Ten results a page, and links to the page before and behind."""
    harvested.says(acap())
    for number in range(12):
        harvested.keep(f"/{number}.html", article(f"Fog {number}", TEXT))
    first, second = client.get("/?q=fog").text, client.get("/?q=fog&page=2").text
    assert (first.count("<article"), second.count("<article")) == (10, 2)
    assert 'href="/?q=fog&amp;page=2"' in first
    assert 'rel="next"' not in second


def test_the_operators_page_tells_what_is_held_refused_and_removed(harvested: Searchable, client: TestClient) -> None:
    """Counts, sites, states of policies, refusals by reason, removals and what goes next are on one page."""
    harvested.says(acap("ACAP-disallow-preserve: /x", "ACAP-allow-index: / time-limit=2-days"))
    harvested.keep("/x1.html", article("Fog", TEXT))
    harvested.keep("/x2.html", article("Fog", TEXT))
    harvested.says(None, "https://down.example")
    text = client.get("/operator").text
    assert "14 November 2026, 14:03 UTC" in text
    assert "ACAP-disallow-preserve: /x" in text
    assert re.search(r'<td class="n">2</td><th scope="row">preserve</th>', text)
    assert "nothing of this site is presented until it can be reached" in text
    harvested.clock.advance(timedelta(days=2))
    sweep_once(client.app.state.serving)  # type: ignore[attr-defined]  # `state` has what the application puts there
    text = client.get("/operator").text
    assert "time limit has expired" in text
    assert re.search(r"<td>terms</td><th scope=\"row\">https://www.example.com/x1.html", text)


def test_the_operators_page_says_that_a_silent_site_is_not_presented(harvested: Searchable, client: TestClient) -> None:
    """A robots.txt that was read so long ago that nothing is presented is not told as read and no more."""
    harvested.says(acap())
    harvested.keep("/x1.html", article("Fog", TEXT))
    assert "nothing of this site is presented" not in client.get("/operator").text
    harvested.clock.advance(timedelta(days=40))
    assert "nothing of this site is presented until it answers again" in client.get("/operator").text


def test_the_operator_verifies_the_ledger(harvested: Searchable, client: TestClient) -> None:
    """The button compares all, and names what is not as it was kept, and changes; no other site can press it."""
    version = keep(harvested)
    assert "are as they were written, and all that is kept is as they tell" in _verified(client)
    harvested.store.database.run("UPDATE versions SET sha256 = ? WHERE id = ?", ("0" * 64, version))
    assert "headers, skeleton or decisions are not those that were entered" in _verified(client)
    harvested.store.database.run("UPDATE ledger SET entry = replace(entry, 'examplebot', 'x') WHERE seq = 1")
    harvested.store.database.run("UPDATE ledger SET entry = replace(entry, 'www.', 'w.') WHERE seq = 1")
    assert "entry 1 does not continue the chain" in _verified(client)
    for foreign in ({"Sec-Fetch-Site": "cross-site"}, {"Origin": "http://evil.example"}, {"Origin": "null"}, {}):
        assert client.post("/operator/verify", headers=foreign).status_code == 403
    assert client.get("/operator/verify").status_code == 404


def test_a_large_store_is_verified_by_the_command_line_alone(
    harvested: Searchable, client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where comparing everything would take long, the button does nothing of it, and names the command that does."""
    keep(harvested)
    monkeypatch.setattr("acap.web.operator.VERIFIED_OCTETS", harvested.store.octets)
    assert "are as they were written" in _verified(client)
    monkeypatch.setattr("acap.web.operator.VERIFIED_OCTETS", harvested.store.octets - 1)
    told = _verified(client)
    assert "are as they were written" not in told
    assert "<code>acap ledger --verify</code> on the command line verifies it" in told


def _verified(client: TestClient) -> str:
    """The operator's page after its button was pressed."""
    return client.post("/operator/verify", headers=OURS).text


def test_the_sweep_beside_it_waits_while_another_writes(harvested: Searchable, tmp_path: Path) -> None:
    """A sweep takes its turn only if nobody writes, says so on the operator's page, and does its work later."""
    keep(harvested, "ACAP-allow-index: / time-limit=2-days")
    harvested.clock.advance(timedelta(days=2))
    app = search_app(harvested.store)
    serving = app.state.serving
    serving.sweeping.every = 60.0
    with open_store(tmp_path / "news.acap", clock=harvested.clock) as other, other.writing():
        sweep_once(serving)
    assert "another program is writing" in serving.sweeping.fault
    assert serving.sweeping.at is None
    sweep_once(serving)
    assert (serving.sweeping.fault, serving.sweeping.removed) == ("", 1)
    with TestClient(app, base_url=HERE) as client:
        told = re.search(r"Swept every 60 s, last on <time[^>]*>([^<]*)", client.get("/operator").text)
    assert told is not None
    assert told[1] == "14 November 2026, 14:03 UTC"


def test_the_application_sweeps_by_itself(harvested: Searchable) -> None:
    """Once it has begun, what may not be held any longer goes without anybody asking."""
    keep(harvested, "ACAP-allow-index: / time-limit=2-days")
    harvested.clock.advance(timedelta(days=2))
    app = search_app(harvested.store, sweep_every=0.05)
    with TestClient(app, base_url=HERE) as client:
        for _ in range(3_000):
            if app.state.serving.sweeping.removed:
                break
            time.sleep(0.01)
        assert "Nothing found" in client.get("/?q=fog").text
    assert app.state.serving.sweeping.removed == 1


def test_a_store_in_postgresql_is_searched_alike(postgres_server: PostgresServer, tmp_path: Path) -> None:
    """Results, copies, reasons, the operator's page and the ledger do not depend on the database."""
    with searchable(postgres_server.create_database(), tmp_path / "copies") as made:
        version = keep(made, "ACAP-disallow-present-thumbnail: /")
        with TestClient(search_app(made.store), base_url=HERE) as client:
            assert "The <mark>fog</mark> lay over the harbour." in client.get("/?q=fog").text
            assert client.get(f"/copies/{version}/content").content == article("Fog in the harbour", TEXT).encode()
            assert "ACAP-disallow-present-thumbnail" in client.get(f"/why/{version}/present-thumbnail").text
            assert "are as they were written" in client.post("/operator/verify", headers=OURS).text
        assert [usage for _, usage, _ in presented(made)] == ["present-link", "present-snippet", "present-currentcopy"]


def test_the_command_serves_until_it_is_interrupted(harvested: Searchable, tmp_path: Path) -> None:
    """It says where it listens, answers there, and ends quietly: 130 after Ctrl-C, 0 after SIGTERM."""
    keep(harvested)
    for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 0)):
        running = process("serve", "--store", tmp_path / "news.acap", "--port", "0", "--no-thumbnails")
        with running:
            assert running.stdout is not None
            assert running.stderr is not None
            line = running.stdout.readline().decode()
            found = re.search(r"at (http://127\.0\.0\.1:\d+/) \(Ctrl-C stops it\)", line)
            assert found is not None, line + running.stderr.read().decode()
            with urllib.request.urlopen(f"{found[1]}?q=fog") as answer:
                assert b"Fog in the harbour" in answer.read()
            with pytest.raises(urllib.error.HTTPError, match="421"):
                urllib.request.urlopen(urllib.request.Request(found[1], headers={"Host": "evil.example"}))
            running.send_signal(number)
            try:
                out, err = running.communicate(timeout=60)
            except subprocess.TimeoutExpired:
                running.kill()
                raise
        assert (running.returncode, out, err) == (code, b"", b"")


@pytest.mark.parametrize("name", ["", " ", "http://x/", "x:80", "x/y", "größe.example", "-", "a b", "[::1]:80", "x\n"])
def test_a_name_that_no_host_has_is_not_allowed(name: str) -> None:
    """What no Host header would ever match is a wrong call, told before anything is served."""
    result = command("serve", "--port", "0", "--allow-host", name)
    assert result.code == 2
    assert "is not a host name; give it without scheme, port and path" in result.err


@pytest.mark.parametrize("address", ["127.0.0.1", "localhost", "0.0.0.0"])
def test_naming_an_address_opens_no_door(harvested: Searchable, tmp_path: Path, address: str) -> None:
    """A page whose name is made to lead here is refused whatever --host says; a name of --allow-host is answered to."""
    keep(harvested)
    running = process(
        "serve", "--store", tmp_path / "news.acap", "--host", address, "--port", "0", "--allow-host", "news.example",
        "--no-thumbnails",
    )  # fmt: skip
    with running:
        assert running.stdout is not None
        found = re.search(r":(\d+)/", running.stdout.readline().decode())
        assert found is not None
        here = f"http://127.0.0.1:{found[1]}/"
        for name in (f"evil.example:{found[1]}", "evil.example", "169.254.169.254"):
            with pytest.raises(urllib.error.HTTPError, match="421"):
                urllib.request.urlopen(urllib.request.Request(f"{here}operator", headers={"Host": name}))
        for name in ("news.example", f"127.0.0.1:{found[1]}"):
            with urllib.request.urlopen(urllib.request.Request(here, headers={"Host": name})) as answer:
                assert answer.status == 200
        running.send_signal(signal.SIGTERM)
        running.communicate(timeout=60)


def test_the_command_says_what_is_wrong_in_one_line(tmp_path: Path, harvested: Searchable) -> None:
    """A store that is not there, an address that is taken, and a translation without a place for the URL."""
    store = tmp_path / "news.acap"
    for arguments, words in (
        (("--store", tmp_path / "none.acap"), "there is no store"),
        (("--store", store, "--host", "256.1.1.1"), "cannot listen on 256.1.1.1:8080"),
        (("--store", store, "--translate-url", "javascript:{url}"), "is not the URL of a translation"),
        (("--store", store, "--translate-url", "https://translate.example/"), "is not the URL of a translation"),
    ):
        result = command("serve", "--no-thumbnails", *arguments)
        assert (result.code, result.out, len(result.err.splitlines())) == (2, "", 1)
        assert words in result.err
    assert harvested.store.ledger.count("presented") == 0


def test_a_browser_that_is_not_there_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no Chromium is installed, or the one named is no program, it is said."""
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UnavailableError, match="no Chromium is installed"):
        find_browser()
    with pytest.raises(UnavailableError, match="no program"):
        find_browser(tmp_path / "chromium")


def test_a_browser_that_root_starts_is_not_trusted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without its sandbox the browser is used only if the operator says so."""
    program = tmp_path / "chromium"
    program.touch(0o755)
    monkeypatch.setattr("os.geteuid", lambda: 0)
    with pytest.raises(UnavailableError, match="sandbox"):
        Thumbnails(program)
    Thumbnails(program, sandbox=False).close()
