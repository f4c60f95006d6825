"""A response that was saved with its headers says what it said: one function reads it, wherever a file is named."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acap import decide_each, parse_page
from acap.carriers import Carriers, carriers, file_carriers
from acap.explain import kind
from acap.pages.saved import saved
from acap.publish.convert import convert
from acap.publish.saved_robots import robots_in
from acap.usages import USAGES
from tests.command_line import NO_RULES, acap

URL = "https://www.example.com/a"
META = b'<!doctype html><html><head><title>x</title><meta name="robots" content="ACAP disallow-preserve"></head></html>'
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nX-Robots-Tag: noindex\r\n"
PAIRS = [("Content-Type", "text/html; charset=utf-8"), ("X-Robots-Tag", "noindex")]
WHOLE = HEAD + b"Content-Length: %d\r\n\r\n" % len(META) + META
LIVE = carriers(META, url=URL, headers=PAIRS)


def answers(said: Carriers) -> dict[str, str]:
    """What is decided of each usage, without a robots.txt."""
    found = decide_each(URL, crawler="a", usages=list(USAGES), page=said.page, others=said.others)
    return {usage: str(decision.outcome) for usage, decision in found.items()}


def at_a_command_line(octets: bytes, *options: str) -> dict[str, str]:
    """The same from `acap check --page -`."""
    usages = ",".join(USAGES)
    result = acap(
        "check", "--robots", NO_RULES, "-c", "a", "-u", usages, "--page", "-", "--json", *options, URL, given=octets
    )
    return {one["usage"]: one["outcome"] for one in map(json.loads, result.lines)}


ALIKE = {
    "as it came": WHOLE,
    "lines that end with LF": WHOLE.replace(b"\r\n", b"\n"),
    "a folded line": WHOLE.replace(b"X-Robots-Tag: noindex", b"X-Robots-Tag:\r\n\tnoindex"),
    "HTTP/2": WHOLE.replace(b"HTTP/1.1 200 OK", b"HTTP/2 200 "),
    "no phrase": WHOLE.replace(b"HTTP/1.1 200 OK", b"HTTP/1.1 200"),
    "an interim response": b"HTTP/1.1 103 Early Hints\r\nX-Robots-Tag: all\r\n\r\n" + WHOLE,
    "a redirect": b"HTTP/1.1 301 Moved\r\nLocation: /a\r\nX-Robots-Tag: noarchive\r\n\r\n" + WHOLE,
    "a mark of UTF-8 and blanks": b"\xef\xbb\xbf\r\n " + WHOLE,
    "no length": HEAD + b"\r\n" + META,
    "chunks that the client took apart": HEAD + b"Transfer-Encoding: chunked\r\n\r\n" + META,
}


@pytest.mark.parametrize("before", [b"\xef\xef", b"\xbf\xbb\xef", b"\xbf" * 3 + b"\xef", b"\xef" * 60, b"x"])
def test_other_octets_before_a_response_make_it_none(before: bytes) -> None:
    assert saved(before + WHOLE) is None


@pytest.mark.parametrize("name", ALIKE)
def test_a_saved_response_says_what_it_said_when_it_came(name: str) -> None:
    """Headers and page both, from a file, from standard input, as the API and as the command line reads it."""
    assert answers(LIVE)["index"] == answers(LIVE)["preserve"] == "prohibited"
    assert answers(file_carriers(ALIKE[name], url=URL)) == answers(LIVE)
    assert at_a_command_line(ALIKE[name]) == answers(LIVE)


DOUBTS = {
    "no status": WHOLE.replace(b"200 OK", b"2OO OK"),
    "no colon": WHOLE.replace(b"X-Robots-Tag: ", b"X-Robots-Tag "),
    "a blank before the colon": WHOLE.replace(b"X-Robots-Tag:", b"X-Robots-Tag :"),
    "a bare CR": WHOLE.replace(b"X-Robots-Tag: noindex", b"X: y\rX-Robots-Tag: noindex"),
    "a failure": WHOLE.replace(b"200 OK", b"503 Service Unavailable"),
    "a request that is not completed": WHOLE.replace(b"200 OK", b"202 Accepted"),
    "a redirect that was not followed": b"HTTP/1.1 302 Found\r\nLocation: /b\r\n\r\n",
    "a part by its status": WHOLE.replace(b"200 OK", b"206 Partial Content"),
    "a part by its status, which is the whole": WHOLE.replace(b"200 OK", b"206 Partial Content").replace(
        b"X-Robots", b"Content-Range: bytes 0-%d/%d\r\nX-Robots" % (len(META) - 1, len(META))
    ),
    "a part": WHOLE.replace(b"X-Robots", b"Content-Range: bytes 0-5/9\r\nX-Robots"),
    "several answers": HEAD.replace(b"noindex", b"all") + b"\r\n" + WHOLE,
    "chunks": HEAD + b"Transfer-Encoding: chunked\r\n\r\n%x\r\n" % len(META) + META + b"\r\n0\r\n\r\n",
    "no end of the head": HEAD,
    "a text about responses": b"HTTP/2 is a protocol.\n",
    "very many redirects": b"HTTP/1.1 302 Found\r\n\r\n" * 1_000 + WHOLE,
}


@pytest.mark.parametrize("name", DOUBTS)
def test_what_a_client_would_refuse_prohibits_every_use(name: str) -> None:
    """A line that is lost may have prohibited, and a body that came in place of the page says nothing of it."""
    said = file_carriers(DOUBTS[name], url=URL)
    assert said.form == "unread"
    assert set(answers(said).values()) == {"prohibited"} | {answers(said)["crawl"]}
    assert answers(said)["index"] == answers(said)["preserve"] == answers(said)["ai-train"] == "prohibited"


@given(st.integers(0, len(WHOLE)))
def test_a_saved_response_that_is_cut_is_never_looser(end: int) -> None:
    """Wherever it ends, from the octet on that tells what it is."""
    said = answers(file_carriers(WHOLE[:end], url=URL))
    if end >= len(b"HTTP/1"):
        assert all(said[usage] == "prohibited" for usage, outcome in answers(LIVE).items() if outcome == "prohibited")


@pytest.mark.parametrize(
    "octets",
    [HEAD + b"\r\n", HEAD.partition(b"\r\n")[2], b"# what nginx adds\n\nX-Robots-Tag: noindex\n", WHOLE],
)
def test_a_file_of_headers_is_read_by_its_name(octets: bytes, tmp_path: Path) -> None:
    """With and without a status line; what lint and convert read as headers the other commands do too."""
    file = tmp_path / "h.headers"
    file.write_bytes(octets)
    said = file_carriers(octets, file.name, url=URL)
    assert answers(said)["index"] == "prohibited"
    assert (said.form == "page") == (octets == WHOLE)
    for command in ("check", "explain"):
        result = acap(command, "--robots", NO_RULES, "-c", "a", "-u", "index", "--page", file, URL)
        assert (result.code, result.out.startswith("prohibited")) == (1, True)
    assert "must not index the page (noindex)" in acap("show", "--page", file).out


@given(st.integers(0, len(HEAD)), st.booleans())
def test_a_file_of_headers_that_is_cut_is_never_looser(end: int, has_status: bool) -> None:
    """With a status line up to the blank line, without one up to the end of the last line."""
    whole = HEAD + b"\r\n" if has_status else HEAD.partition(b"\r\n")[2]
    cut = whole[: min(end, len(whole) - 1)]
    said = answers(file_carriers(cut, "a.headers", url=URL))
    assert answers(file_carriers(whole, "a.headers", url=URL))["index"] == "prohibited"
    # Between two lines without a blank line behind them nobody can tell, nor before the octet that tells a response.
    if not (has_status and end < len(b"HTTP/1")) and (has_status or not cut.endswith(b"\n")) and cut:
        assert said["index"] == said["preserve"] == "prohibited"


def test_a_line_of_a_file_of_headers_that_is_no_header_prohibits() -> None:
    """It may have been one."""
    assert answers(file_carriers(b"X-Robots-Tag noindex\n", "a.headers", url=URL))["index"] == "prohibited"
    assert answers(file_carriers(b"X-Robots-Tag: noai\n", "a.headers", url=URL))["index"] == "permitted"


def test_headers_of_the_call_are_added_to_those_that_were_saved() -> None:
    """A line is never taken out by giving another one."""
    told = at_a_command_line(WHOLE, "--header", "X-Robots-Tag: all", "--header", "X-Robots-Tag: noai")
    assert (told["index"], told["ai-train"]) == ("prohibited", "prohibited")


@pytest.mark.parametrize(("name", "octets"), [("a.txt", WHOLE), ("a.headers", HEAD + b"\r\n")])
def test_cases_read_what_was_saved(tmp_path: Path, name: str, octets: bytes) -> None:
    """`page` of a case names a file as `--page` does."""
    (tmp_path / name).write_bytes(octets)
    (tmp_path / "robots.txt").write_bytes(b"User-agent: *\nAllow: /\n")
    cases = tmp_path / "a.acap.toml"
    cases.write_text(
        f'robots = "robots.txt"\n[[case]]\nurl = "{URL}"\ncrawler = "a"\npage = "{name}"\nusage = "index"\n'
        'expect = "prohibited"\nkind = "statement"\n'
    )
    result = acap("test", cases)
    assert (result.code, result.err) == (0, ""), result


def test_no_statement_of_a_body_behind_headers_is_lost_in_a_conversion() -> None:
    """What is converted are headers alone; a body is refused, and not read as more headers."""
    with pytest.raises(ValueError, match="a body follows these headers"):
        convert(WHOLE, "acap", kind="headers", url="/a")
    text = convert(HEAD + b"\r\n", "acap", kind="headers", url="/a").text
    assert b"ACAP-disallow-index: /a$" in text


UNREAD = {
    "a failure": b"HTTP/1.1 503 Service Unavailable\r\nX-Robots-Tag: noindex\r\n\r\n",
    "a part by its status": b"HTTP/1.1 206 Partial Content\r\nX-Robots-Tag: noindex\r\n\r\n",
    "a part by its range": HEAD + b"Content-Range: bytes 0-4/9999\r\n\r\n",
    "a body that is cut": HEAD + b"Content-Length: 100\r\n\r\n<html",
    "a head that is cut": HEAD,
    "a line that is no header": b"HTTP/1.1 200 OK\r\nX-Robots-Tag noindex\r\n\r\n",
}


@pytest.mark.parametrize("name", [*UNREAD, "a last line that is cut"])
@pytest.mark.parametrize("file", ["a.headers", "curl.txt"])
def test_what_is_not_read_is_not_converted_and_a_finding_of_lint(name: str, file: str, tmp_path: Path) -> None:
    """What is written would permit what was not read, and what was not read was not checked."""
    octets = UNREAD.get(name, b"X-Robots-Tag: noi")
    with pytest.raises(ValueError, match="was not read"):
        convert(octets, "acap", kind="headers", url="/a")
    path = tmp_path / file
    path.write_bytes(octets)
    output = tmp_path / "out.txt"
    converted = acap("convert", path, "--to", "acap", "--url", URL, "-o", output)
    assert (converted.code, output.exists()) == (2, False)
    found = acap("lint", "--kind", "headers", path)
    assert (found.code, "page-not-read" in found.out) == (1, True)


def test_packed_octets_are_no_page_to_convert() -> None:
    """Nothing that they say could be written."""
    for octets in (gzip.compress(META), UNREAD["a failure"], WHOLE):
        with pytest.raises(ValueError, match=r"was not read|a body follows"):
            convert(octets, "acap", kind="page", url="/a")


def test_a_live_body_that_looks_like_a_response_is_text() -> None:
    """Only of a file nobody else knows the headers."""
    plain = [("Content-Type", "text/plain")]
    said = carriers(WHOLE, url=URL, headers=plain)
    assert (said.form, said.page.headers) == ("text", parse_page(None, url=URL, headers=plain).headers)


# --- robots.txt -------------------------------------------------------------------------------------------------------

RULES = b"User-agent: *\nDisallow: /private\n"
ROBOTS_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: %d\r\n\r\n" % len(RULES)
ROBOTS = {
    "whole": (ROBOTS_HEAD + RULES, "read"),
    "no length": (b"HTTP/2 200\n\n" + RULES, "read"),
    "behind a redirect": (b"HTTP/1.1 301 Moved\r\nLocation: /\r\n\r\n" + ROBOTS_HEAD + RULES, "read"),
    "empty": (b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", "absent"),
    "a coding that the client took off": (b"HTTP/1.1 200 OK\r\nContent-Encoding: br\r\n\r\n" + RULES, "read"),
    "404": (b"HTTP/1.1 404 Not Found\r\n\r\nUser-agent: *\nDisallow: /\n", "absent"),
    "403": (b"HTTP/1.1 403 Forbidden\r\n\r\n", "absent"),
    "503": (b"HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/plain\r\n\r\n", "unreachable"),
    "202": (b"HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n", "unreachable"),
    "202 with rules": (b"HTTP/1.1 202 Accepted\r\n\r\nUser-agent: *\nAllow: /\n", "unreachable"),
    "204": (b"HTTP/1.1 204 No Content\r\n\r\n", "absent"),
    "205": (b"HTTP/1.1 205 Reset Content\r\n\r\n", "absent"),
    "429": (b"HTTP/1.1 429 Too Many Requests\r\n\r\n", "unreachable"),
    "408": (b"HTTP/1.1 408 Request Timeout\r\n\r\n", "unreachable"),
    "a redirect that was not followed": (b"HTTP/1.1 302 Found\r\nLocation: /b\r\n\r\n", "unreachable"),
    "a part": (b"HTTP/1.1 206 Partial Content\r\n\r\n" + RULES, "unreachable"),
    "a part by its range": (b"HTTP/1.1 200 OK\r\nContent-Range: bytes 0-4/9\r\n\r\n" + RULES, "unreachable"),
    "cut": (b"HTTP/1.1 200 OK\r\nContent-Length: 300\r\n\r\n" + RULES, "unreachable"),
    "behind a mark that is cut": (b"\xef\xbb" + ROBOTS_HEAD + RULES, "read"),
    "behind two marks": (b"\xef\xbb\xbf" * 2 + b"HTTP/1.1 503 Service Unavailable\r\n\r\n", "unreachable"),
    "headers alone": (ROBOTS_HEAD, "unreachable"),
    "headers alone, of a body in chunks": (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "unreachable"),
    "packed": (b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n" + gzip.compress(RULES), "unreachable"),
    "chunks": (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nUser-\r\n0\r\n\r\n", "unreachable"),
    "a head that broke off": (b"HTTP/1.1 200 OK\r\nContent-Ty", "unreachable"),
    "a line that is no header": (b"HTTP/1.1 200 OK\r\nUser-agent *\r\n\r\n" + RULES, "unreachable"),
    "no status": (b"HTTP/1.1 2oo OK\r\n\r\n" + RULES, "unreachable"),
}


@pytest.mark.parametrize("name", ROBOTS)
def test_a_saved_robots_txt_means_what_it_meant_when_it_came(name: str, tmp_path: Path) -> None:
    """By the table of the retrieval, to every command that reads one."""
    octets, meaning = ROBOTS[name]
    policy = robots_in(octets)
    private, public = (policy.decide(path, crawler="b", usage="crawl").outcome for path in ("/private", "/"))
    assert (str(private), str(public)) == {
        "read": ("prohibited", "permitted"), "absent": ("permitted", "permitted"),
        "unreachable": ("prohibited", "prohibited"),
    }[meaning]  # fmt: skip
    assert (policy.evidence.get("meaning") == "unreachable") == bool(policy.evidence.get("doubt"))
    file = tmp_path / "saved.txt"
    file.write_bytes(octets)
    code = {"read": 1, "absent": 0, "unreachable": 3}[meaning]
    for source in (file, "-"):
        asked = ["--robots", source, "-c", "b", "-u", "crawl", "/private"]
        assert (acap("check", *asked, given=octets).code, acap("explain", *asked, given=octets).code) == (code, code)
    bare = tmp_path / "bare.txt"
    bare.write_bytes(RULES if meaning == "read" else b"")
    other = 3 if meaning == "unreachable" else 0
    assert [acap("show", file).code, acap("compare", file, bare).code] == [other, other]
    assert acap("format", file).code == 2
    assert file.read_bytes() == octets
    cases = tmp_path / "a.acap.toml"
    cases.write_text(
        'robots = "saved.txt"\n[[case]]\npath = "/private"\ncrawler = "b"\nusage = "crawl"\n'
        f'expect = "{"prohibited" if meaning == "read" else "permitted"}"\n'
    )
    assert (acap("test", cases).code == 0) == (meaning != "unreachable")
    written = acap("test", "--init", file, tmp_path / "new.acap.toml")
    assert (written.code == 0) == (meaning != "unreachable") == (tmp_path / "new.acap.toml").exists()


@given(st.integers(0, len(ROBOTS_HEAD + RULES) - 1))
def test_a_saved_robots_txt_that_is_cut_prohibits(end: int) -> None:
    """Wherever it ends, from the octet on that tells what it is."""
    if end >= len(b"HTTP/1"):
        assert not robots_in((ROBOTS_HEAD + RULES)[:end]).decide("/", crawler="b", usage="crawl").permitted


# --- answers that say what fetching takes -----------------------------------------------------------------------------

TERMS = (
    b'<rsl xmlns="https://rslstandard.org/rsl"><content url="/"><license><prohibits type="usage">ai-train</prohibits>'
    b"</license></content></rsl>"
)
ANSWERS = {
    "a payment wall": (402, b"crawler-price: USD 0.01\r\n", "conditional"),
    "a demand for a licence": (401, b'WWW-Authenticate: License error="invalid_request"\r\n', "conditional"),
    "a demand for a signature": (403, b'Accept-Signature: sig1=("@authority");tag="web-bot-auth"\r\n', "conditional"),
    "a refusal": (403, b"", "prohibited"),
    "a refusal for legal reasons": (451, b"", "prohibited"),
    "a challenge": (503, b"cf-mitigated: challenge\r\n", "prohibited"),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_an_answer_that_says_what_fetching_takes_decides_in_place_of_the_page(name: str) -> None:
    """Its body is not the resource: neither what it permits nor what it prohibits counts."""
    status, fields, outcome = ANSWERS[name]
    octets = b"HTTP/1.1 %d Said\r\nContent-Type: text/html\r\n%s\r\n%s" % (status, fields, META)
    said = file_carriers(octets, url=URL)
    assert set(answers(said).values()) == {outcome} == set(at_a_command_line(octets).values())
    assert [one.code for one in said.problems] == ["response-no-page"]
    with pytest.raises(ValueError, match=f"the answer was {status}"):
        convert(octets, "acap", kind="headers", url="/a")


def test_a_condition_of_crawling_does_not_lift_what_is_cut() -> None:
    """A head that is broken may have lost a line that prohibits."""
    octets = b"HTTP/1.1 402 Payment Required\r\nX-Robots-Tag noindex\r\n\r\n"
    assert answers(file_carriers(octets, url=URL))["index"] == "prohibited"


def test_headers_of_an_answer_without_a_page_count_beside_it() -> None:
    octets = b"HTTP/1.1 402 Payment Required\r\nX-Robots-Tag: noindex\r\n\r\n"
    said = answers(file_carriers(octets, url=URL))
    assert (said["index"], said["preserve"]) == ("prohibited", "conditional")


def test_terms_in_the_body_of_a_payment_wall_are_read() -> None:
    """RSL 1.0 4.10; nothing is licensed by a document that is cut."""
    for body in (TERMS, TERMS.decode().encode("utf-16")):
        said = answers(carriers(body, url=URL, status=402))
        assert (said["ai-train"], said["index"]) == ("prohibited", "conditional")
    assert answers(carriers(TERMS[:-9], url=URL, status=402))["ai-train"] == "prohibited"


@pytest.mark.parametrize("status", [206, 301, 304, 404, 410, 429, 500])
def test_an_answer_that_says_nothing_of_fetching_leaves_a_doubt(status: int) -> None:
    for octets in (META, b"", None):
        said = carriers(octets, url=URL, headers=PAIRS, status=status)
        assert answers(said)["index"] == answers(said)["ai-train"] == "prohibited"
    assert answers(carriers(META, url=URL, headers=PAIRS, status=200)) == answers(LIVE)


@pytest.mark.parametrize("status", [401, 402, 403, 451, 404])
def test_a_robots_txt_that_is_refused_permits_and_the_reason_names_the_refusal(status: int) -> None:
    """RFC 9309 2.3.1.3."""
    decision = robots_in(b"HTTP/1.1 %d Said\r\n\r\n" % status).decide("/a", crawler="b")
    assert decision.permitted
    assert (f"({status} " in kind(decision)) is (status != 404)
