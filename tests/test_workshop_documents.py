"""The workshop with texts of other dialects: what it takes a text for, and what each view does with it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from pathlib import Path
from urllib.parse import urlencode

import pytest
from starlette.testclient import TestClient

from acap.carriers import carriers, file_carriers
from acap.combine import decide_each
from acap.problems import DocumentKind
from acap.publish.lint.kinds import kind_of_text
from acap.usages import PARENTS
from acap.web.workshop.app import workshop_app
from acap.web.workshop.fetching import fetched_page
from acap.web.workshop.recognising import KINDS, kind_of_file
from acap.web.workshop.views import VIEWS
from acap.web.workshop.workspace import Workspace
from tests.command_line import acap
from tests.loopback import Loopback, redirect, reply
from tests.portions import portion
from tests.workshop_form import HERE, OURS, Visitor

TDMREP = """[
  {"location": "/news/open/", "tdm-reservation": 0},
  {"location": "/news/", "tdm-reservation": 1, "tdm-policy": "https://www.example.com/terms"}
]
"""
AI_TXT = "User-Agent: GPTBot\nDisallow: /\nUser-Agent: *\nDisallow: *.jpg\n"
RSL = (
    '<rsl xmlns="https://rslstandard.org/rsl"><content url="/">'
    '<license><prohibits type="usage">ai-train</prohibits></license></content></rsl>\n'
)
PAGE = '<!doctype html>\n<meta name="robots" content="noindex; noai">\n<p>Text\n'
HEADERS = "HTTP/1.1 200 OK\nX-Robots-Tag: noai\n\n"
ROBOTS = "User-agent: *\nDisallow: /\n"
TEXTS: dict[DocumentKind, str] = {"tdmrep": TDMREP, "ai-txt": AI_TXT, "rsl": RSL, "page": PAGE, "headers": HEADERS}


SENT = {**OURS, "Content-Type": "application/x-www-form-urlencoded"}


@pytest.fixture
def visitor() -> Iterator[Visitor]:
    with TestClient(workshop_app(), base_url=HERE) as client:
        yield Visitor(client)


@pytest.mark.parametrize(
    ("name", "text", "kind"),
    [
        ("tdmrep.json", "[]", "tdmrep"),
        ("x.json", TDMREP, "tdmrep"),
        ("ai.txt", ROBOTS, "ai-txt"),
        ("license.xml", RSL, "rsl"),
        ("a.headers", "X-Robots-Tag: noai\n", "headers"),
        ("index.html", "<p>no word of its use", "page"),
        ("response", HEADERS, "headers"),
        ("", PAGE, "page"),
        ("https://www.example.com/.well-known/tdmrep.json", "[]", "tdmrep"),
        # What may be a robots.txt, by its name or because nothing says otherwise.
        ("robots.txt", PAGE, "robots"),
        ("www.robots.txt", TDMREP, "robots"),
        ("", "<!doctype html><title>404 Not Found</title><h1>Not Found</h1>", "robots"),
        ("", '<?xml version="1.0"?><rss><channel/></rss>', "robots"),
        ("", f"HTTP/1.1 200 OK\ncontent-type: text/plain\n\n{ROBOTS}", "robots"),
        ("", '{"name": "an app"}', "robots"),
        ("", "X-Robots-Tag: noai\n", "robots"),
        ("", "\x89PNG\r\n\x1a\n", "robots"),
        ("page.html", "%PDF-1.7\n", "robots"),
        ("", "", "robots"),
    ],
)
def test_a_text_is_what_its_name_or_its_beginning_says(name: str, text: str, kind: str) -> None:
    assert kind_of_file(name, text.encode("latin-1")) == kind


def test_a_page_with_a_licence_in_it_is_a_page() -> None:
    page = f'<!doctype html>\n<script type="application/rsl+xml">{RSL}</script>\n'.encode()
    assert kind_of_text(page) == "page"


@pytest.mark.parametrize("kind", TEXTS)
def test_a_pasted_text_is_recognised_and_can_be_said_to_be_another(visitor: Visitor, kind: DocumentKind) -> None:
    """One line says what it is, in every view; the choice goes from view to view."""
    visitor.press("#update", text=TEXTS[kind])
    if kind == "ai-txt":  # which looks like a robots.txt
        assert visitor.words("#text-name") == ["robots.txt"]
        visitor.press("#update", named_kind=kind)
    else:
        assert visitor.words("#kind option")[0] == f"{KINDS[kind]}, as it looks"
    for name in VIEWS:
        visitor.press(f"#tab-{name}")
        assert visitor.status == 200
        assert visitor.fields["shown_kind"] == kind
        assert visitor.words("#text-name") == [KINDS[kind]]
    visitor.press("#tab-policy", named_kind="robots")
    assert visitor.page.css(".states")
    visitor.press("#update", named_kind="sudo")
    assert visitor.status == 200


@pytest.mark.parametrize(
    ("name", "text"),
    [("tdmrep.json", TDMREP), ("ai.txt", AI_TXT), ("l.xml", RSL), ("p.html", PAGE), ("r.headers", HEADERS)],
)
def test_a_document_is_told_as_the_command_tells_it(visitor: Visitor, tmp_path: Path, name: str, text: str) -> None:
    """Read shows what `acap show` shows, with its problems; Mistakes finds what `acap lint` finds."""
    file = tmp_path / name
    file.write_text(text, encoding="utf-8")
    visitor.press("#open", (name, text.encode()))
    assert "read as" in visitor.notes
    shown = [line.strip().replace(str(file), name) for line in acap("show", file).lines]
    assert visitor.words("#result .tree span") == [" ".join(line.split()) for line in shown]
    visitor.press("#tab-lint")
    codes = sorted(one["code"] for one in acap("lint", "--no-config", "--output-format", "json", file).objects())
    assert sorted(words.split(" · ")[1].split()[0] for words in visitor.words(".findings .place")) == codes


def test_a_page_is_mended(visitor: Visitor) -> None:
    visitor.press("#tab-lint", text=PAGE)
    visitor.press("#fix-all")
    assert 'content="noindex, noai"' in visitor.text
    visitor.press("#undo")
    assert visitor.text == PAGE


def test_a_tdmrep_file_is_tried(visitor: Visitor) -> None:
    """Each answer has the place that decided, and what would satisfy a condition; it is asked on the site it is of."""
    visitor.press("#tab-try", text=TDMREP)
    visitor.press("#take-urls")
    assert visitor.fields["urls"].split() == ["/", "/news/open/", "/news/"]
    urls = "/\n/news/a\nhttps://a.example/news/open/b\nno url"
    visitor.press("#update", urls=urls, usage="ai-train")
    assert [words.split()[1] for words in visitor.words(".answers .answer")] == [
        "permitted", "conditional", "permitted", "cannot",
    ]  # fmt: skip
    assert visitor.words(".held") == ["needs consent to terms: policy https://www.example.com/terms"]
    assert visitor.words(".why")[1].startswith('line 3: {"location": "/news/"')
    assert "site.invalid" not in visitor.html
    visitor.press("#update", site="https://www.example.com/")
    assert "is not of the site https://www.example.com" in visitor.words(".answers > li")[2]
    assert visitor.page.css_first("#keep-cases") is None


def test_a_licence_is_tried_on_the_site_that_it_names(visitor: Visitor) -> None:
    text = RSL.replace('url="/"', 'url="https://www.example.com/a/"')
    visitor.press("#tab-try", text=text)
    urls = "/a/x\n/b\nhttps://www.example.com/a/x\nhttps://www.example.com/b"
    visitor.press("#update", urls=urls, usage="ai-train")
    found = [words.split()[1] for words in visitor.words(".answers .answer")]
    assert found == ["prohibited", "permitted", "prohibited", "permitted"]


@pytest.mark.parametrize("kind", ["page", "headers"])
def test_a_page_and_headers_are_tried_at_one_url(visitor: Visitor, kind: DocumentKind) -> None:
    """They speak of the one resource that they came with."""
    visitor.press("#tab-try", text=TEXTS[kind])
    assert "robots.txt decides" in visitor.words("#result .note")[0]
    visitor.press("#update", urls="https://www.example.com/a\n/b", usage="ai-train")
    assert len(visitor.words(".answers > li")) == 1
    assert "prohibited" in visitor.words(".answers .answer")[0]
    assert "noai" in visitor.words(".why")[0]
    assert "only the first URL" in visitor.words("#result .message")[0]


def test_two_versions_are_compared_by_their_decisions(visitor: Visitor) -> None:
    visitor.press("#open", ("ai.txt", AI_TXT.encode()))
    visitor.press("#tab-compare")
    assert "Equal" in visitor.words("#result .message")[0]
    visitor.press("#update", text=AI_TXT.replace("*.jpg", "/a/"))
    assert "Different" in visitor.words("#result .message")[0]
    assert {words.split()[0] for words in visitor.words(".changes h3")} == {"looser", "stricter"}
    visitor.press("#update", text="<!doctype html><title>404</title>")
    assert "the text cannot be read as ai.txt" in visitor.words("#result .message")[0]
    assert visitor.words("#result .word")[0] == "? Not compared by meaning"
    visitor.press("#update", text=PAGE, old=PAGE + "<p>more", named_kind="")
    assert "Equal" in visitor.words("#result .message")[0]
    assert visitor.words("tr.old code") == ["<p>more"]


OFFER = (
    '{"@context": ["http://www.w3.org/ns/odrl.jsonld", "http://www.w3.org/ns/tdmrep.jsonld"], "@type": "Offer", '
    '"profile": "http://www.w3.org/ns/tdmrep", '
    '"permission": [{"action": "tdm:mine", "duty": [{"action": "obtainConsent"}]}]}\n'
)
CAWG = '{"label": "cawg.training-mining", "data": {"entries": {"cawg.ai_training": {"use": "notAllowed"}}}}\n'


@pytest.mark.parametrize(
    ("old", "new", "usages", "now"),
    [
        (PAGE, PAGE.replace("; noai", ""), "ai-train, ai-train-generative", "no statement covers it"),
        (PAGE, PAGE + '<meta name="otherbot" content="nofollow">\n', "follow", "line 4: nofollow Go to line 4"),
        (HEADERS, HEADERS.replace("noai", "nofollow"), "follow", "X-Robots-Tag: nofollow"),
        (OFFER, OFFER.replace("obtainConsent", "compensate"), "tdm, ai-train", "a statement decides"),
        (CAWG, CAWG.replace("ai_training", "ai_inference"), "ai-input", "cawg.ai_inference: notAllowed"),
    ],
    ids=["page", "crawler", "headers", "policy", "assertion"],
)
def test_each_kind_is_compared_by_what_it_decides(visitor: Visitor, old: str, new: str, usages: str, now: str) -> None:
    """A change has its usages, its crawlers, and what decides on both sides."""
    visitor.press("#tab-compare", text=new, old=old)
    assert "Different" in visitor.words("#result .message")[0]
    told = dict(zip(visitor.words(".changes h3"), visitor.words(".changes dl"), strict=True))
    (facts,) = (words for heading, words in told.items() if usages in heading)
    assert now in facts
    assert ("otherbot" in facts) == ("otherbot" in new)
    assert ("For example" in facts) == (old not in (PAGE, HEADERS))


def test_what_is_written_otherwise_is_not_called_equal(visitor: Visitor) -> None:
    """Where no question shows a difference, the reason is said."""
    visitor.press("#tab-compare", text=PAGE.replace("noindex; noai", "noai; noindex"), old=PAGE)
    assert visitor.words("#result .word")[0] == "? Undecided"
    assert "the two are written differently" in visitor.words("#result .message")[0]


@pytest.mark.parametrize("name", ["convert", "compose", "test"])
def test_what_is_for_robots_txt_says_so(visitor: Visitor, name: str) -> None:
    """It offers nothing for another text, and what stands in its fields is kept."""
    visitor.press("#tab-test", text=ROBOTS)
    visitor.press("#case-add", t_where="/a")
    cases = visitor.fields["cases"]
    visitor.press(f"#tab-{name}", text=TDMREP)
    assert visitor.words("#result") == [
        f"Note {VIEWS[name].title} is for robots.txt, and this text is read as tdmrep.json (TDMRep)."
    ]
    assert visitor.fields["cases"] == cases
    for action in ("convert-use", "compose-use", "preset-use", "cases-begin"):
        answer = visitor.client.post(f"/do/{action}", data={**visitor.fields, "preset": "no-ai-training"}, headers=OURS)
        assert "this is for robots.txt" in answer.text


def test_a_document_is_laid_out(visitor: Visitor) -> None:
    visitor.press("#format", text=TDMREP.replace("\n", ""))
    assert visitor.text == TDMREP
    visitor.press("#format", text=PAGE)
    assert "format lays out" in visitor.notes


def test_undoing_an_opened_file_undoes_what_its_name_said(visitor: Visitor) -> None:
    visitor.press("#update", text=ROBOTS)
    visitor.press("#open", ("ai.txt", AI_TXT.encode()))
    assert visitor.fields["shown_kind"] == "ai-txt"
    visitor.press("#undo")
    assert (visitor.text, visitor.fields["shown_kind"]) == (ROBOTS, "robots")


def test_a_document_is_downloaded_under_its_name(visitor: Visitor) -> None:
    for text, name in ((TDMREP, "tdmrep.json"), (PAGE, "page.html"), (ROBOTS, "robots.txt")):
        answer = visitor.client.post("/download", data={"text": text}, headers=OURS)
        assert answer.headers["content-disposition"] == f'attachment; filename="{name}"'


def test_a_document_is_fetched_by_its_address() -> None:
    """What is fetched is what the name in its address says."""
    with Loopback() as there, TestClient(workshop_app(allow_private=True), base_url=HERE) as client:
        there.says["/.well-known/tdmrep.json"] = reply(body=TDMREP.encode())
        there.says["/robots.txt"] = reply(body=ROBOTS.encode())
        visitor = Visitor(client)
        visitor.press("#fetch", where=there.url("/.well-known/tdmrep.json"))
        assert (visitor.text, visitor.fields["shown_kind"]) == (TDMREP, "tdmrep")
        visitor.press("#fetch", where=there.url("/"))
        assert (visitor.text, visitor.fields["shown_kind"]) == (ROBOTS, "robots")
        visitor.press("#fetch", where=there.url("/license.xml"))
        assert "answered 404; there is no document there" in visitor.notes


def test_a_page_is_fetched_with_its_headers() -> None:
    """For a crawler that may crawl it, and so each page that it leads to; what is of the transfer is not kept."""
    with Loopback() as there, TestClient(workshop_app(allow_private=True), base_url=HERE) as client:
        headers = [("Content-Type", "text/html"), ("X-Robots-Tag", "noimageindex"), ("Set-Cookie", "a=b")]
        there.says["/robots.txt"] = reply(body=b"User-agent: GPTBot\nDisallow: /\n\nUser-agent: *\nDisallow: /p/\n")
        there.says["/a"] = redirect("/b")
        there.says["/b"] = reply(body=PAGE.encode(), headers=headers)
        there.says["/c"] = redirect("/p/")
        there.says["/d"] = reply(body=b"%PDF-1.7\n")
        there.says["/e"] = reply(body=b"<p>" * 400_000, headers=headers)
        visitor = Visitor(client)
        visitor.press("#fetch-page", where=there.url("/a"))
        head, _, body = visitor.text.partition("\n\n")
        assert (body, visitor.fields["shown_kind"], visitor.fields["urls"]) == (PAGE, "page", there.url("/b"))
        assert head.splitlines()[0] == "HTTP/1.1 200"
        assert "x-robots-tag: noimageindex" in head.lower()
        assert not {"set-cookie", "content-length"} & {line.partition(":")[0].lower() for line in head.splitlines()}
        visitor.press("#tab-try", usage="ai-train")
        assert "noai" in visitor.words(".why")[0]
        text = visitor.text
        for path, crawler, said in (
            ("/b", "GPTBot", "/b was not fetched: GPTBot may not crawl it"),
            ("/c", "otherbot", "/p/ was not fetched: otherbot may not crawl it"),
            ("/d", "otherbot", "is a PDF file"),
            ("/e", "otherbot", "is larger than 1 MiB"),
            ("/f", "otherbot", "answered 404: there is no page"),
        ):
            visitor.press("#fetch-page", where=there.url(path), crawler=crawler)
            assert said in visitor.notes
            assert visitor.text == text
        assert "/p/" not in there.targets


UNREAD = '<html><head><meta name="robots" content="noindex, nosnippet"><meta name="tdm-reservation" content="1"></head>'
XHTML = '<html xmlns="http://www.w3.org/1999/xhtml"'
TYPES = (
    None, "text/html", "text/plain", "application/xhtml+xml", "application/octet-stream", "*/*",
    "text/html; charset=utf-16", "text/html; charset=utf-16le", "text/html; charset=utf-16be",
    "text/html; charset=utf-8", "text/html; charset=shift_jis", "text/html; charset=iso-2022-kr",
    "application/xhtml+xml; charset=utf-16", "text/html; charset=windows-1252",
)  # fmt: skip


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
@pytest.mark.parametrize(
    "codec", ["utf-16", "utf-16-le", "utf-16-be", "utf-8", "utf-8-sig", "latin-1", "shift_jis", "iso2022_jp", "nul"]
)
def test_a_fetched_page_decides_in_the_workshop_as_on_its_site(codec: str, ends: str) -> None:
    """In every encoding, with and without its mark, and whatever its header says; else it is refused."""
    letter = {"shift_jis": "\u65e5", "iso2022_jp": "\u65e5", "nul": "\0"}.get(codec, "\xe9")
    closed = UNREAD.replace('"><meta', '"/><meta').replace('1"></head', '1"/></head').replace("<html", XHTML)
    xhtml = f'<?xml version="1.0"?>{ends}{closed}<body><p>{letter}</p></body></html>'
    pages = [f"{start}{UNREAD}{ends}<p>{letter}{ends}" for start in ("", "\ufeff<!doctype html>")] + [xhtml]
    fetched = 0
    with Loopback() as there:
        there.says["/robots.txt"] = reply(404)
        for page, declared in product(pages, TYPES):
            octets = page.encode("utf-8" if codec == "nul" else codec, "ignore")
            headers = [] if declared is None else [("Content-Type", declared)]
            headers.append(("X-Note", "caf\xe9"))
            there.says["/a"] = reply(body=octets, headers=headers)
            found = fetched_page(there.url("/a"), "bot", None, allow_private=True)
            if found.octets is None:
                assert "cannot be shown as a text" in found.text
                continue
            fetched += 1
            space = Workspace().loaded(found.octets, found.url, site=found.url, kind="page")
            ours = file_carriers(space.octets, "page.html", url=found.url).policy
            theirs = carriers(octets, url=found.url, headers=headers, status=200).policy
            here, there_ = (
                {
                    usage: (one.outcome, one.restrictions)
                    for usage, one in decide_each(found.url, crawler="bot", usages=tuple(PARENTS), page=page).items()
                }
                for page in (ours, theirs)
            )
            assert here == there_, (page, declared)
    assert fetched > len(TYPES)


def test_a_page_in_utf_16_is_shown_in_utf_8() -> None:
    """Its statements are there to be read, and its header names the encoding that it has now."""
    with Loopback() as there, TestClient(workshop_app(allow_private=True), base_url=HERE) as client:
        there.says["/robots.txt"] = reply(404)
        there.says["/a"] = reply(
            body=f"{UNREAD}<p>\xe9".encode("utf-16"), headers=[("Content-Type", "text/html; charset=utf-16")]
        )
        visitor = Visitor(client)
        visitor.press("#fetch-page", where=there.url("/a"))
        assert visitor.text.endswith(f"\n\n{UNREAD}<p>\xe9")
        assert "Content-Type: text/html; charset=utf-8\n" in visitor.text
        assert "in UTF-8 here" in visitor.notes
        visitor.press("#tab-try", usage="ai-train")
        assert "tdm-reservation" in visitor.words(".why")[0]


def test_a_page_is_not_fetched_from_a_private_address(visitor: Visitor) -> None:
    """Nothing is asked there, nor where a page is the very robots.txt."""
    with Loopback() as there:
        for path in ("/a.html", "/robots.txt"):
            visitor.press("#fetch-page", where=there.url(path))
            assert "acap serve --allow-private" in visitor.notes
        visitor.press("#fetch-page", where=" ")
        assert "no address given" in visitor.notes
        assert there.asked == []


def test_typing_another_kind_of_text_brings_its_view(visitor: Visitor) -> None:
    """A script gets the whole view where the text became one of another kind, else the result alone."""
    headers = {**OURS, "HX-Request": "true", "HX-Target": "result"}
    for shown, retarget in (("robots", "#view"), ("tdmrep", None)):
        answer = visitor.client.post("/try", data={"text": TDMREP, "shown_kind": shown}, headers=headers)
        assert answer.headers.get("hx-retarget") == retarget
        assert answer.headers.get("hx-reselect") == retarget


@pytest.mark.portion
@pytest.mark.parametrize(
    "text",
    [
        "[" * 100_000,
        '[{"tdm-reservation": 1, "x": ' + "[" * 100_000,
        '{"tdm-reservation":' * 15_000,
        '{"active_manifest": ' + "[" * 100_000,
        '<rsl xmlns="https://rslstandard.org/rsl">' + "<content>" * 20_000,
        "<!doctype html><meta name=robots content=noai>" + "<div>" * 50_000,
        "HTTP/1.1 200 OK\n" + "X-Robots-Tag: noai\n" * 2_000,
        "[" + ",".join(f'{{"location": "/a{n}*b", "tdm-reservation": {n % 2}}}' for n in range(2_000)) + "]",
    ],
    ids=["json", "tdmrep", "objects", "cawg", "rsl", "page", "headers", "patterns"],
)
def test_a_hostile_document_gives_a_page(visitor: Visitor, text: str) -> None:
    """However deep it is nested, each view answers, whatever the text is said to be; of all pairs, every third here."""
    for kind, path in portion(product(("", "tdmrep", "rsl"), ("/", "/try", "/lint", "/compare")), 3, len(text) % 3):
        form = urlencode({"text": text, "old": text[:-9], "named_kind": kind, "usage": "ai-train", "sure": "on"})
        assert visitor.client.post(path, content=form, headers=SENT).status_code == 200, (kind, path)


def test_a_document_that_is_too_large_is_refused(visitor: Visitor) -> None:
    assert visitor.client.post("/", data={"text": "[" * 2**23}, headers=OURS).status_code == 413
