"""`acap verify` of a folder: each document of it beside what the site serves at its path, and what every page says."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from acap.pages.headers import fields
from tests.command_line import Result, acap
from tests.loopback import Loopback, redirect, reply

PATHS = ("robots.txt", "ai.txt", ".well-known/tdmrep.json", "license.xml")


@pytest.fixture
def site() -> Iterator[Loopback]:
    with Loopback() as server:
        yield server


@pytest.fixture
def folder(site: Loopback, tmp_path: Path) -> Path:
    """What a preset writes, which the site serves."""
    folder = tmp_path / "public"
    assert acap("compose", "--preset", "no-ai-training", "--site", site.url(""), "-o", folder).code == 0
    site.says |= {f"/{path}": reply(body=(folder / path).read_bytes()) for path in PATHS}
    site.says["/"] = page(folder)
    return folder


def page(folder: Path, head: bytes | None = None) -> bytes:
    """A page that says what the folder has for pages, or has another head."""
    said = fields((folder / "response.headers").read_bytes())
    headers = [("Content-Type", "text/html"), *((one.name, one.value) for one in said)]
    return reply(
        body=b"<title>x</title>" + ((folder / "head.html").read_bytes() if head is None else head), headers=headers
    )


def verified(site: Loopback, folder: Path, *options: str) -> Result:
    return acap("verify", "--no-cache", "--timeout", "5", *options, site.url("/"), folder)


def test_a_site_that_serves_the_folder_is_equal(site: Loopback, folder: Path) -> None:
    """Each document is asked for once, and what lies beside them in the folder is nobody's."""
    (folder / "index.html").write_text("<p>x")
    result = verified(site, folder)
    assert (result.code, result.err) == (0, "")
    assert sorted(site.targets) == ["/", "/.well-known/tdmrep.json", "/ai.txt", "/license.xml", "/robots.txt"]
    assert result.lines[0] == f"{folder / 'robots.txt'} → {site.url()}: no decision changes"
    assert result.lines[-1] == f"{site.url('/')}: says what you mean"


def test_a_page_that_redirects_is_the_one_that_it_leads_to(site: Loopback, folder: Path) -> None:
    """A home page that leads to a language, say; each page speaks of itself alone."""
    site.says |= {"/": redirect("/en/"), "/en/": page(folder)}
    result = verified(site, folder)
    assert (result.code, result.lines[-1]) == (0, f"{site.url('/')}: says what you mean")
    site.says["/en/"] = reply(body=b"<title>x</title>", headers=[("Content-Type", "text/html")])
    result = verified(site, folder)
    assert result.code == 1
    assert f"{site.url('/')}: says less than you mean" in result.lines


def test_a_page_of_another_host_is_to_be_named(site: Loopback, folder: Path) -> None:
    """Its robots.txt was not asked, so the redirect is not followed."""
    elsewhere = site.url("/", host="localhost")
    site.says["/"] = redirect(elsewhere)
    result = verified(site, folder, "--allow-private")
    assert result.code == 3
    assert f"{site.url('/')} is not known: {elsewhere} may not be crawled; name the page that it leads to" in result.err


def test_what_counts_is_what_documents_say(site: Loopback, folder: Path) -> None:
    """Comments, order and spelling do not matter."""
    site.says["/ai.txt"] = reply(body=b"# ours\nuser-agent: *\ndisallow: /\n")
    site.says["/.well-known/tdmrep.json"] = reply(body=b'[ {"tdm-reservation": 1, "location": "/"} ]')
    site.says["/license.xml"] = reply(body=b"<!-- ours -->" + (folder / "license.xml").read_bytes().split(b"?>\n")[1])
    assert verified(site, folder).code == 0


@pytest.mark.parametrize(
    ("path", "live", "line"),
    [
        ("ai.txt", b"User-Agent: *\nDisallow: /images/\n", "  prohibited → permitted: / but not /images/"),
        (".well-known/tdmrep.json", b"[]", "  prohibited → permitted: /"),
        (
            "license.xml",
            b'<rsl xmlns="https://rslstandard.org/rsl"><content url="/"/></rsl>',
            "  permitted → prohibited: /",
        ),
    ],
)
def test_a_document_that_says_something_else_is_told(
    site: Loopback, folder: Path, path: str, live: bytes, line: str
) -> None:
    """With the paths for which it does, as for robots.txt."""
    site.says[f"/{path}"] = reply(body=live)
    result = verified(site, folder)
    assert result.code == 1
    assert f"{folder / path} → {site.url('/' + path)}: 1 change" in result.lines
    assert line in result.lines


def test_terms_that_differ_are_told(site: Loopback, tmp_path: Path) -> None:
    """A licence at another price is another licence."""
    folder = tmp_path / "public"
    terms = ["--terms", "https://example.com/terms"]
    assert acap("compose", "--preset", "licence-for-ai", "--site", site.url(""), *terms, "-o", folder).code == 0
    site.says |= {f"/{path}": reply(body=(folder / path).read_bytes()) for path in PATHS if (folder / path).exists()}
    live = (folder / "license.xml").read_bytes().replace(b"</custom>", b'</custom><amount currency="EUR">1</amount>')
    site.says["/license.xml"] = reply(body=live)
    (folder / "response.headers").unlink()
    (folder / "head.html").unlink()
    result = verified(site, folder)
    assert result.code == 1
    assert "  conditional, with other restrictions: /" in result.lines
    assert "says less than you mean" not in result.out


def test_missing_and_further_documents_are_named(site: Loopback, folder: Path) -> None:
    """What the site has not, and what it has besides."""
    del site.says["/license.xml"]
    (folder / "ai.txt").unlink()
    result = verified(site, folder)
    assert result.code == 1
    assert f"{folder / 'license.xml'} → {site.url('/license.xml')}: the site has none" in result.lines
    assert f"{folder / 'ai.txt'} → {site.url('/ai.txt')}: the folder has none" in result.lines


def test_a_page_in_the_place_of_a_document_is_none(site: Loopback, folder: Path) -> None:
    """Servers answer with one for whatever they do not have."""
    site.says["/ai.txt"] = site.says["/.well-known/tdmrep.json"] = reply(body=b"<!doctype html><p>Not found")
    site.says["/license.xml"] = reply(body=b"<!doctype html><p>Not found")
    result = verified(site, folder)
    assert result.code == 1
    assert sum("the site has none" in line for line in result.lines) == 2
    assert f"{folder / 'license.xml'} → {site.url('/license.xml')}: it is another document" in result.lines


@pytest.mark.parametrize("path", PATHS)
def test_a_document_that_cannot_be_had_is_undetermined(site: Loopback, folder: Path, path: str) -> None:
    """Neither equal nor different; the rest is told all the same."""
    site.says[f"/{path}"] = reply(503)
    result = verified(site, folder)
    assert result.code == 3
    assert site.url(f"/{path}") in result.err
    assert sum("no decision changes" in line for line in result.lines) == 3


def test_a_copy_at_hand_does_not_stand_in_for_a_document(site: Loopback, folder: Path, tmp_path: Path) -> None:
    """Whatever it would be kept for."""
    options = ["--cache-dir", str(tmp_path / "cache"), "--timeout", "5"]
    assert acap("verify", *options, site.url("/"), folder).code == 0
    acap("site", *options, site.url("/"))
    site.says["/ai.txt"] = reply(503)
    assert acap("verify", *options, site.url("/"), folder).code == 3


def test_what_the_page_does_not_say_is_told(site: Loopback, folder: Path) -> None:
    """Each in its own dialect: one that says more does not stand for another."""
    headers = [("Content-Type", "text/html"), ("TDM-Reservation", "1")]
    site.says["/"] = reply(body=b"<p>x", headers=headers)
    result = verified(site, folder)
    assert result.code == 1
    assert f"{site.url('/')}: says less than you mean" in result.lines
    missing = [line.removeprefix("  does not say: ") for line in result.lines if "does not say" in line]
    assert "prohibited ai-train in content-signal" in missing
    assert f"licence {site.url('/license.xml')}" in missing
    assert not any("tdmrep" in line for line in missing)


@pytest.mark.parametrize("carrier", ["headers", "tags"])
def test_either_headers_or_tags_say_it(site: Loopback, folder: Path, carrier: str) -> None:
    """The fields that only headers have are asked for all the same, each with its line."""
    head, headers = (folder / "head.html").read_bytes(), fields((folder / "response.headers").read_bytes())
    html = ("Content-Type", "text/html")
    own = [html, *((one.name, one.value) for one in headers)]
    if carrier == "headers":
        site.says["/"] = reply(body=b"<p>x", headers=own)
        assert verified(site, folder).code == 0
    else:
        site.says["/"] = reply(body=b"<title>x</title>" + head, headers=[html])
        found = verified(site, folder)
        assert (found.code, found.lines[-4:]) == (
            1,
            [
                "  does not say: prohibited ai-train-generative in content-usage",
                "  does not say: prohibited ai-train in content-signal",
                "  to say so: `Content-Usage: train-ai=n`",
                "  to say so: `Content-Signal: ai-train=no`",
            ],
        )
        site.says["/"] = reply(body=b"<p>x", headers=[*own[:3], html])
        found = verified(site, folder)
        told = [
            [f"{name}: {value}", tag]
            for name, value, tag in (
                ("X-Robots-Tag", "noai, noimageai", '<meta name="robots" content="noai, noimageai">'),
                ("tdm-reservation", "1", '<meta name="tdm-reservation" content="1">'),
                ("Link", own[-1][1], head.decode().splitlines()[-1]),
            )
        ]
        (page,) = json.loads(verified(site, folder, "--json").out)["pages"]
        assert sorted(either for either in page["lines"] if len(either) > 1) == sorted(told)
        shown = [line for line in found.lines if "to say so" in line]
        assert f"  to say so: `{told[0][0]}` or `{told[0][1]}`" in shown
        assert len(shown) == len(page["lines"])


@pytest.mark.parametrize(
    ("live", "code"),
    [
        (b'[{"location": "/", "tdm_reservation": 1}]', "tdmrep-key"),
        (b'[{"location": "/", "tdm-reservation": true}]', "tdmrep-value-type"),
        (b'\xef\xbb\xbf[{"location": "/", "tdm-reservation": 1}]', "tdmrep-byte-order-mark"),
    ],
)
def test_what_other_readers_would_not_understand_is_told(site: Loopback, folder: Path, live: bytes, code: str) -> None:
    """No decision of acap's changes, but another reader may see no reservation; what is meant so is not told."""
    site.says["/.well-known/tdmrep.json"] = reply(body=live)
    result = verified(site, folder)
    path = folder / ".well-known/tdmrep.json"
    at = result.lines.index(f"{path} → {site.url('/.well-known/tdmrep.json')}: no decision changes")
    assert (result.code, result.lines[at + 1].endswith(f"[{code}]")) == (1, True)
    documents = json.loads(verified(site, folder, "--json").out)["documents"]
    assert [problem["code"] for one in documents for problem in one["problems"]] == [code]
    path.write_bytes(live)
    assert verified(site, folder).code == 0


def test_a_problem_of_a_live_robots_txt_is_told(site: Loopback, folder: Path) -> None:
    """Where the one in the folder has it not; how the file is written may differ."""
    robots = (folder / "robots.txt").read_bytes()
    site.says["/robots.txt"] = reply(body=b"\xef\xbb\xbf# ours\r\n" + robots)
    assert verified(site, folder).code == 0
    misspelt = robots.replace(b"\nDisallow: /\n", b"\nDisalow: /\n")
    site.says["/robots.txt"] = reply(body=misspelt)
    result = verified(site, folder)
    assert (result.code, result.lines[0].endswith("no decision changes")) == (1, True)
    assert result.lines[1].endswith("[misspelt-field]")
    (problem,) = json.loads(verified(site, folder, "--json").out)["problems"]
    assert (problem["code"], problem["line"]) == (
        "misspelt-field",
        misspelt[: misspelt.index(b"Disalow")].count(b"\n") + 1,
    )
    (folder / "robots.txt").write_bytes(misspelt)
    assert verified(site, folder).code == 0


def test_a_carrier_that_replaces_what_is_meant_is_told(site: Loopback, folder: Path) -> None:
    """The page says all that the folder has, and comes to something else: a META element replaces the header."""
    head = (folder / "head.html").read_bytes()
    site.says["/"] = page(folder, head.replace(b'reservation" content="1"', b'reservation" content="0"'))
    for name in ("head.html", ""):
        if name:
            (folder / name).unlink()
        result = verified(site, folder)
        assert result.code == 1
        assert result.lines[-2:] == [
            f"{site.url('/')}: says less than you mean",
            '  does not say: prohibited tdm in tdmrep, for `0` of meta[name="tdm-reservation"] decides there',
        ]
    (folder / "response.headers").write_bytes(b"X-Robots-Tag: noai\n")
    assert verified(site, folder).lines[-1].startswith("  does not say: prohibited tdm in tdmrep")


def test_a_licence_of_the_page_that_replaces_the_site_s_is_told(site: Loopback, folder: Path) -> None:
    """The reference of a page comes before that of robots.txt."""
    for name in ("head.html", "response.headers"):
        kept = [line for line in (folder / name).read_bytes().splitlines() if b"license.xml" not in line]
        (folder / name).write_bytes(b"\n".join(kept) + b"\n")
    (folder / "robots.txt").write_bytes((folder / "robots.txt").read_bytes() + b"License: /license.xml\n")
    site.says["/robots.txt"] = reply(body=(folder / "robots.txt").read_bytes())
    opened = b'<rsl xmlns="https://rslstandard.org/rsl"><content url="/"><license><permits type="usage">all</permits>'
    site.says["/open.xml"] = reply(body=opened + b"</license></content></rsl>")
    assert verified(site, folder).code == 0
    head = (folder / "head.html").read_bytes()
    site.says["/"] = page(folder, head + b'<link rel="license" type="application/rsl+xml" href="/open.xml">')
    result = verified(site, folder)
    assert (result.code, "  does not say: prohibited ai-train in rsl" in result.lines[-1]) == (1, True)


@pytest.mark.parametrize(
    ("written", "asked", "file"),
    [
        ("/license.xml?v=2", "/license.xml?v=2", "license.xml"),
        ("/my%20l.xml", "/my%20l.xml", "my l.xml"),
        ("/licences/l.xml#ours", "/licences/l.xml", "licences/l.xml"),
    ],
)
def test_a_licence_is_asked_for_as_it_is_named(
    site: Loopback, folder: Path, written: str, asked: str, file: str
) -> None:
    """And held against the file of its path."""
    licence = (folder / "license.xml").read_bytes()
    robots = (folder / "robots.txt").read_text().replace(site.url("/license.xml"), site.url(written))
    assert written in robots
    (folder / "robots.txt").write_text(robots)
    (folder / "response.headers").unlink()
    (folder / "head.html").unlink()
    (folder / "license.xml").unlink()
    (folder / file).parent.mkdir(exist_ok=True)
    (folder / file).write_bytes(licence)
    site.says |= {"/robots.txt": reply(body=robots.encode()), asked: reply(body=licence)}
    assert verified(site, folder).code == 0
    site.says[asked] = reply(body=licence.replace(b"<prohibits", b"<permits").replace(b"</prohibits", b"</permits"))
    result = verified(site, folder)
    assert result.code == 1
    assert any(line.startswith(f"{folder / file} → {site.url(asked)}: ") and "change" in line for line in result.lines)
    assert not any(line.endswith("license.xml: no decision changes") for line in result.lines)


@pytest.mark.parametrize(
    ("status", "code", "line"), [(200, 1, "the folder has none"), (404, 1, "the site has none"), (503, 3, "")]
)
def test_a_licence_that_the_folder_names_and_has_not_is_told(
    site: Loopback, folder: Path, status: int, code: int, line: str
) -> None:
    """Nobody can say that it is what is meant."""
    site.says["/license.xml"] = reply(status, body=(folder / "license.xml").read_bytes())
    (folder / "license.xml").unlink()
    result = verified(site, folder)
    assert result.code == code
    assert any(f"license.xml: {line}" in each for each in result.lines) is bool(line)


def licence(terms: str) -> bytes:
    """A licence document with one licence for the whole site."""
    text = f'<content url="/"><license>{terms}</license></content>'
    return f'<rsl xmlns="https://rslstandard.org/rsl">{text}</rsl>'.encode()


CLOSED = licence('<prohibits type="usage">all</prohibits>')
OPEN = licence('<permits type="usage">all</permits>')
PAID = b"\nUser-agent: Bot\nLicense: SITE/closed.xml\nAllow: /\n"
BOTH = b"License: SITE/open.xml\nUser-agent: *\nAllow: /\n"


@pytest.mark.parametrize(
    ("meant", "live", "who", "code"),
    [
        (BOTH.replace(b"open", b"closed"), BOTH, "any other crawler", 1),
        (BOTH + PAID, BOTH + PAID.replace(b"License", b"#"), "Bot", 1),
        (BOTH, BOTH.replace(b"open", b"again"), "undecided: any use by *", 3),
        (BOTH, BOTH.replace(b"open", b"gone"), "undecided: any use by *", 3),
        (BOTH + PAID, BOTH.replace(b"User-agent: *\nAllow: /\n", PAID) + b"\nUser-agent: *\nAllow: /\n", "", 0),
    ],
)
def test_other_licences_of_the_live_robots_txt_are_decided(
    site: Loopback, tmp_path: Path, meant: bytes, live: bytes, who: str, code: int
) -> None:
    """Each side with its own documents, whether or not the folder has anything for pages; a file has none."""
    meant, live = (text.replace(b"SITE", site.url("").rstrip("/").encode()) for text in (meant, live))
    documents = {"closed.xml": CLOSED, "open.xml": OPEN}
    for name, octets in documents.items():
        (tmp_path / name).write_bytes(octets)
    (tmp_path / "robots.txt").write_bytes(meant)
    site.says |= {f"/{name}": reply(body=octets) for name, octets in documents.items()}
    site.says |= {"/robots.txt": reply(body=live), "/again.xml": reply(body=OPEN)}
    result = verified(site, tmp_path)
    assert (result.code, who in result.out) == (code, True)
    assert "decides nothing" not in result.out
    alone = acap("verify", "--no-cache", site.url("/"), tmp_path / "robots.txt")
    assert alone.code == (3 if code else 0)


@pytest.mark.parametrize(
    ("meant", "live", "code", "line"),
    [
        ('<payment type="attribution"/>', "", 1, "does not say: permitted index attribution=credit-and-link in rsl"),
        ('<prohibits type="geo">CN</prohibits>', '<prohibits type="geo">US</prohibits>', 3, "users or countries"),
        (
            '<permits type="user">education</permits>',
            '<permits type="user">personal</permits>',
            3,
            "users or countries",
        ),
        ('<permits type="user">education</permits>', '<permits type="user">education</permits>', 0, "what you mean"),
    ],
)
def test_a_page_whose_licence_asks_less_of_some_is_not_what_is_meant(
    site: Loopback, tmp_path: Path, meant: str, live: str, code: int, line: str
) -> None:
    """Restrictions count, and terms that show only for some askers."""
    terms = '<permits type="usage">all</permits>'
    robots = f"License: {site.url('/license.xml')}\nUser-agent: *\nAllow: /\n".encode()
    for name, octets in (("robots.txt", robots), ("license.xml", licence(terms + meant))):
        (tmp_path / name).write_bytes(octets)
        site.says[f"/{name}"] = reply(body=octets)
    (tmp_path / "response.headers").write_bytes(b"TDM-Reservation: 1\n")
    site.says["/other.xml"] = reply(body=licence(terms + live))
    link = ("Link", '</other.xml>; rel="license"; type="application/rsl+xml"')
    headers = [("Content-Type", "text/html"), ("TDM-Reservation", "1"), link]
    site.says["/"] = reply(body=b"<title>x</title>", headers=headers)
    result = verified(site, tmp_path)
    assert (result.code, line in result.out) == (code, True)


@pytest.mark.parametrize(
    ("named", "told", "code"),
    [
        ("/x/..%2fl.xml", "not looked at", 3),
        ("http://localhost:1/l.xml", "not looked at", 3),
        ("https://127.0.0.1/l.xml", "not looked at", 3),
        (f"/{'a' * 300}.xml", "the site has none", 1),
    ],
)
def test_a_licence_that_is_not_looked_at_is_told(
    site: Loopback, folder: Path, named: str, told: str, code: int
) -> None:
    """What is named and cannot be a file of the folder is not called the same."""
    robots = (folder / "robots.txt").read_bytes() + f"License: {named}\n".encode()
    (folder / "robots.txt").write_bytes(robots)
    (folder / "head.html").unlink()
    (folder / "response.headers").unlink()
    site.says["/robots.txt"] = reply(body=robots)
    result = verified(site, folder)
    assert result.code == code
    assert any(named in one and told in one for one in result.lines)


def test_a_licence_that_is_not_looked_at_is_told_with_the_file_that_names_it(site: Loopback, folder: Path) -> None:
    link = 'Link: <https://127.0.0.1/{}.xml>; rel="license"; type="application/rsl+xml"\n'
    headers, head = folder / "response.headers", folder / "head.html"
    headers.write_text(headers.read_text() + link.format("a"))
    head.write_text(
        head.read_text() + '<link rel="license" type="application/rsl+xml" href="https://127.0.0.1/b.xml">\n'
    )
    lines = verified(site, folder).lines
    for path, name in ((headers, "a"), (head, "b")):
        assert any(line.startswith(f"{path} → https://127.0.0.1/{name}.xml: not looked at") for line in lines)


def test_a_page_that_takes_back_what_the_documents_say_is_told(site: Loopback, folder: Path) -> None:
    """Though the folder has nothing for pages; one that cannot be had does not count then."""
    (folder / "robots.txt").write_bytes((folder / "robots.txt").read_bytes() + b"License: /license.xml\n")
    site.says["/robots.txt"] = reply(body=(folder / "robots.txt").read_bytes())
    site.says["/open.xml"] = reply(body=licence('<permits type="usage">all</permits>'))
    (folder / "head.html").unlink()
    (folder / "response.headers").unlink()
    for head, line in (
        (b"", None),
        (b'<link rel="license" type="application/rsl+xml" href="/license.xml">', None),
        (b'<link rel="license" type="application/rsl+xml" href="/open.xml">', "prohibited ai-train in rsl"),
        (b'<meta name="tdm-reservation" content="0">', "prohibited tdm in tdmrep"),
    ):
        site.says["/"] = reply(body=b"<title>x</title>" + head, headers=[("Content-Type", "text/html")])
        result = verified(site, folder)
        assert result.code == (0 if line is None else 1)
        assert (f"  does not say: {line}" in result.out) is (line is not None)
    for status in (404, 503):
        site.says["/"] = reply(status)
        assert (verified(site, folder).code, verified(site, folder).err) == (0, "")


def test_a_licence_outside_of_the_folder_is_none_of_its_files(site: Loopback, folder: Path) -> None:
    """Whatever its escapes lead to."""
    (folder.parent / "l.xml").write_bytes(b"<rsl")
    robots = (folder / "robots.txt").read_bytes() + b"License: /x/%2e%2e/%2e%2e%2fl.xml\n"
    (folder / "robots.txt").write_bytes(robots)
    site.says["/robots.txt"] = reply(body=robots)
    assert "cannot be read" not in verified(site, folder).err


def test_a_site_that_is_down_is_not_asked_for_another_page(folder: Path) -> None:
    """A crawler may not ask for a page there, but that is not for want of permission."""
    with Loopback() as gone:
        url = gone.url("/")
    result = acap("verify", "--no-cache", "--timeout", "2", url, folder)
    assert (result.code, "name a page" in result.err) == (3, False)
    assert f"{url} is not known" in result.err


@pytest.mark.parametrize(("status", "advice"), [(404, "name a page that is there"), (503, "try again later")])
def test_a_page_that_is_not_there_is_undetermined(site: Loopback, folder: Path, status: int, advice: str) -> None:
    site.says["/"] = reply(status)
    result = verified(site, folder)
    assert (result.code, result.err.strip().endswith(f"the answer was {status}; {advice}")) == (3, True)


def test_a_page_that_may_not_be_crawled_is_undetermined(site: Loopback, folder: Path) -> None:
    """Nor is it asked for."""
    text = b"User-agent: acap\nDisallow: /\n" + (folder / "robots.txt").read_bytes()
    (folder / "robots.txt").write_bytes(text)
    site.says["/robots.txt"] = reply(body=text)
    result = verified(site, folder)
    assert (result.code, "/" in site.targets) == (3, False)
    assert f"{site.url('/')} is not known" in result.err
    assert "name a page that crawlers may crawl" in result.err


def test_json_has_each_document(site: Loopback, folder: Path) -> None:
    """In the form of a comparison, with its verdict."""
    site.says["/ai.txt"] = reply(404)
    site.says["/.well-known/tdmrep.json"] = reply(body=b"[]")
    found = json.loads(verified(site, folder, "--json").out)
    assert found["verdict"] == "equal"
    by_url = {one["new"].removeprefix(site.url("")): one for one in found["documents"]}
    assert {url: one["verdict"] for url, one in by_url.items()} == {
        "/ai.txt": "missing",
        "/.well-known/tdmrep.json": "different",
        "/license.xml": "equal",
    }
    (change,) = by_url["/.well-known/tdmrep.json"]["changes"]
    assert (change["crawlers"], change["witness"]) == (["*"], "/")


def test_a_folder_without_a_document_is_a_wrong_call(tmp_path: Path) -> None:
    result = acap("verify", "https://example.com", tmp_path)
    assert "has none of robots.txt" in result.wrong_call


def test_a_document_of_the_folder_that_cannot_be_read_is_a_wrong_call(tmp_path: Path) -> None:
    """Before anything is asked of the site."""
    (tmp_path / "license.xml").write_text("<rsl")
    result = acap("verify", "https://example.com", tmp_path)
    assert "license.xml` cannot be read" in result.wrong_call
