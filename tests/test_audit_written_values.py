"""Values as writers of tables leave them: what may have prohibited, and cannot be read, prohibits."""

from __future__ import annotations

import base64
import decimal
import gzip
from codecs import BOM_UTF8
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import acap
from acap.audits.columns import instant_of
from acap.audits.written import UnreadableValueError, octets_of
from tests.test_rep_corpus import corpus

URL, SITE = "https://a.example/x", "https://a.example/"
ALLOW = "User-agent: *\nAllow: /\n"
NOINDEX = "X-Robots-Tag: noindex"


def of_page(**values: Any) -> str:
    """Whether a page of such a row may be indexed, where its robots.txt allows everything."""
    robots = pa.table({"url": [SITE], "robots": [ALLOW]})
    row = pa.table({name: [value] for name, value in {"url": URL, **values}.items()})
    outcome: str = acap.audit(row, robots, crawler="bot", usage="index").to_pylist()[0]["index_outcome"]
    return outcome


def of_site(missing: Any = "prohibited", **values: Any) -> str:
    """Whether the page may be crawled, where a table has such a row for its site."""
    robots = pa.table({name: [value] for name, value in {"url": SITE, **values}.items()})
    outcome: str = acap.audit(pa.table({"url": [URL]}), robots, crawler="bot", missing=missing).to_pylist()[0][
        "crawl_outcome"
    ]
    return outcome


@pytest.mark.parametrize("headers", [
    '[["b\'X-Robots-Tag\'", "b\'noindex\'"]]',
    '{"X-Robots-Tag": "b\'noindex\'"}',
    '{"X-Robots-Tag": "b\'noindex"}',
    "X-Robots-Tag: b'noindex'",
    f"b'{NOINDEX}",
    f"B'{NOINDEX}'",
    f"u'A: b\\r\\n{NOINDEX}'",
    f"bytearray(b'{NOINDEX}')",
    f"b'A: b' # '{NOINDEX}'",
    f"b'A: b' if 1 else b'{NOINDEX}'",
    f"b'A: b\\r\\n\\\n{NOINDEX}'",
    f"b'b\\'{NOINDEX}\\''",
    f"A: b\x85{NOINDEX}",
    f"A: \x85{NOINDEX}",
    f"A: b\u2028{NOINDEX}",
    f"A: b\r{NOINDEX}",
    f"A: b\x0b{NOINDEX}",
    "X-Robots-Tag: all,\x85bot: noindex",
    "X-Robots-Tag: bot\x85: noindex",
    f"HTTP/1.1 200 OK {NOINDEX}",
    f"HTTP/1.1 200 OK\t{NOINDEX}",
    f"HTTP/1.1 200 OK\r{NOINDEX}",
    f"HTTP/{NOINDEX}",
    f"HTTP/1.1 200 OK\\r\\n{NOINDEX}",
    f"A: b\\r\\n{NOINDEX}",
    f'[["A", "b\\r\\n{NOINDEX}"]]',
    f"A: b\\x0D\\x0A{NOINDEX}",
    f"A: b\\015\\012{NOINDEX}",
    f"A: b\\u000a{NOINDEX}",
    f"A: b\\u{{a}}{NOINDEX}",
    f'[["A", "b\\\\x0A{NOINDEX}"]]',
    f"A: b%0D%0A{NOINDEX}",
    f"A: b_x000D_{NOINDEX}",
    f"'{NOINDEX}'",
    f"'A: b', '{NOINDEX}'",
    f"`{NOINDEX}`",
    '{"http_x_robots_tag": "noindex"}',
    '{"xRobotsTag": "noindex"}',
    '{"X-Robots-Tag": "[\\"noindex\\"]"}',
    "X-Robots-Tag: {noindex}",
    "X-Robots-Tag: nofollow|noindex",
    "X-Robots-Tag: nofollow/noindex",
    f"X-Robots-Tag: {NOINDEX}",
])  # fmt: skip
def test_headers_that_are_not_known_to_be_whole_prohibit(headers: str) -> None:
    assert of_page(headers=headers) == "prohibited"


@pytest.mark.parametrize("headers", [
    "b'A: b\\r\\nC: d\\r\\n'",
    "HTTP/1.1 200 OK\r\nA: b\r\n\r\n",
    "HTTP/2 200 \nA: b\n",
    "A: b\n c\nC: caf\u00c3\u0085 au lait\n",
    '[["b\'A\'", "b\'c\'"]]',
    'A: "b"',
    "X-Path: D:\\new\\012\\robots; v=1\nServer: nginx",
])  # fmt: skip
def test_headers_that_are_whole_permit(headers: str) -> None:
    assert of_page(headers=headers) == "permitted"


@pytest.mark.parametrize("content", [
    "b'<p>x",
    "bytearray(b'<meta name=robots content=no\\x69ndex>')",
    "b'' if 1 else b'<meta name=robots content=no\\x69ndex>'",
    "<memory at 0x7f01>",
    base64.b64encode(b"<p>x<meta name=robots content=noindex>").decode(),
    b"<p>x<meta name=robots content=noindex>".hex(),
    r'<!doctype html>\n<meta name=\"robots\" content=\"noindex\">\n<p>x',
    r'"<meta name=\"robots\" content=\"noindex\"><p>x"',
    '<p>x\n<meta name=\\"robots\\" content=\\"noindex\\">',
    '<p>x\n<meta name=""robots"" content=""noindex"">',
    base64.b64encode(gzip.compress(b"<p>x<meta name=robots content=noindex>", mtime=0)).decode(),
    f"X'{b'<p>x<meta name=robots content=noindex>'.hex()}'",
    repr(base64.b64encode(b"<p>x<meta name=robots content=noindex>")),
    '<html lang=en>\n<meta name=\\"robots\\" content=\\"noindex\\">',
    '<script>f(1)</script>\n<meta name=""robots"" content=""noindex"">',
    r'{"html": "<meta name=\"robots\" content=\"noindex\">"}',
    r'["a", "\u003cmeta name=\"robots\" content=\"noindex\"\u003e"]',
    '{"url": "a",\n "html": "<html lang=\\"en\\"><p>x"}',
    r'<head>\n<meta name="robots"\ncontent="noindex">\n</head>',
    '<p>x<meta\\tname="robots"\\tcontent="noindex">\n',
    '<p>x<meta_x000D_\n name="robots" content="noindex">',
    '<p>x<meta name=robots\\x0Acontent=noindex>\n',
    r"""{"html": "<meta\nname='robots'\ncontent='noindex'>"}""",
])  # fmt: skip
def test_a_page_that_is_pythons_text_of_something_prohibits(content: str) -> None:
    assert of_page(content=content) == of_page(content=content.encode()) == "prohibited"


@pytest.mark.parametrize("content", [
    "<p>b'x'",
    "b'<p>x'",
    r"<html><title>How a=\"b\" is written</title><body class=a>",
    "Texts begin with &lt;title&gt;.",
    r'{"a": "\u003cbody class=\"b\"\u003e"}',
    "[85, 115, 101, 114, 45]",
    r"""<html lang=en><script>f('<meta name=\"robots\" content=\"noindex\">')</script><p title="a">""",
    "lorem ipsum dolor sit amet consectetur",
    r"""<p>x\n<script>f("<meta\nname='robots'\ncontent='noindex'>")</script><img src=images\new.gif alt="a\nb=c">""",
])  # fmt: skip
def test_a_page_that_speaks_of_codings_is_one(content: str) -> None:
    assert of_page(content=content) == of_page(content=content.encode()) == "permitted"


def test_json_that_is_served_as_such_is_no_page() -> None:
    content = r'{"head": "<meta name=\"robots\" content=\"noindex\">"}'
    for declared in ("application/json", "application/ld+json; charset=utf-8", "text/plain"):
        assert of_page(content=content, headers=f"Content-Type: {declared}") == "permitted"
    for declared in ("text/html", "application/octet-stream", "no"):
        assert of_page(content=content, headers=f"Content-Type: {declared}") == "prohibited"


def test_a_robots_txt_that_was_read_in_latin_1_is_read_by_its_mark() -> None:
    file = "\ufeffUser-agent: *\nDisallow: /caf\u00e9\n".encode()
    assert octets_of(file.decode("latin-1")) == file
    assert of_site(robots=file.decode("latin-1")) == "permitted"
    assert of_site(robots=f"\u00ef\u00bb\u00bf{ALLOW}# \u2019\n") == "prohibited"  # it is no Latin-1


def test_every_real_robots_txt_can_be_read_as_octets_and_as_text() -> None:
    for file in corpus():
        octets = file["robots"].encode("latin-1")
        assert octets_of(octets) == octets
        assert octets_of(octets.decode("utf-8", "replace")) is not None
        latin = octets_of(octets.decode("latin-1"))
        assert latin == octets if octets.startswith(BOM_UTF8) else latin is not None


@pytest.mark.parametrize("robots", [
    "b'User-agent: *\\nDisallow: /\\n",
    "bytearray(b'User-agent: *\\nDisallow: /\\n')",
    "u'User-agent: *\\nDisallow: /'",
    "User-agent: *\\nDisallow: /\\n",
    "'User-agent: *\\r\\nDisallow: /'",
    "<memory at 0x7f01c8b2a040>",
    "<_io.BytesIO object at 0x7f01c8b2a040>",
    "None", "nan", "NaN", " null\n", "<NA>", "\\N", "",
])  # fmt: skip
def test_a_text_that_says_there_is_no_value_is_no_empty_robots_txt(robots: str) -> None:
    assert of_site(robots=robots) == ("prohibited" if robots else "permitted")
    assert of_site(robots=f"{ALLOW}#{robots}") == "permitted"


@pytest.mark.parametrize("word", [
    "unknown", "404", "Forbidden", "Not found", "True", "0", "[]", "<empty>", "/robots.txt", "s3://a/robots.txt",
    "error", "timeout", "ERR", "<class 'requests.exceptions.ReadTimeout'>",
])  # fmt: skip
def test_a_line_without_a_field_is_no_robots_txt(word: str) -> None:
    """Who wrote the table may have put it there; beside a status or a state that says that there is none, none is."""
    assert of_site(robots=word) == of_site(robots=word, status=200) == "prohibited"
    assert of_site(robots=word, status=404) == of_site(robots=word, state="absent") == "permitted"
    assert of_site(robots=word.encode()) == "permitted"
    assert (
        of_site(robots=f"# {word}") == of_site(robots=f"<p>{word}</p>") == of_site(robots=f"a\n{word}") == "permitted"
    )


def test_octets_are_taken_as_they_are() -> None:
    assert octets_of(b"None") == b"None"
    assert octets_of("b'a\\n'") == b"a\n"
    with pytest.raises(UnreadableValueError, match=r"the lines of a text cannot be read: 'a: b\\\\nc: d'"):
        octets_of("a: b\\nc: d")


@pytest.mark.parametrize("value", ["202605011100", 202605011100, 199999999999, 100000000, "500000000"])
def test_a_number_of_an_unknown_unit_is_no_time(value: object) -> None:
    """Twelve digits may be a date with hours and minutes; nothing was crawled in 1976."""
    with pytest.raises(UnreadableValueError, match="a time cannot be read"):
        instant_of(value)
    assert instant_of(999999999) == datetime(2001, 9, 9, 1, 46, 39, tzinfo=UTC)


def test_the_line_of_a_status_is_the_status() -> None:
    led = "HTTP/1.1 403 Forbidden\r\nA: b\r\n"
    assert of_page(headers=led) == of_page(headers="A: b", status=403) == "prohibited"
    assert of_page(headers=led, status=200) == "prohibited"
    assert of_page(headers=led.replace("403", "200"), status=200) == "permitted"
    assert of_site(robots=ALLOW, headers=repr(led.replace("403", "503").encode())) == "prohibited"
    assert of_site(robots=ALLOW, headers=led.replace("403", "200"), status=404) == "prohibited"


@pytest.mark.parametrize("said", ["Content-Length: 900", "Content-Range: bytes 0-20/900", "Transfer-Encoding: foo"])
def test_a_robots_txt_that_is_cut_by_its_headers_is_no_answer(said: str) -> None:
    for robots in (ALLOW, ALLOW.encode()):
        assert of_site(robots=robots, headers=said) == "prohibited"
        assert of_site(robots=robots, headers=said, missing="permitted") == "prohibited"
        assert of_site(robots=robots, headers=f"Content-Length: {len(ALLOW)}") == "permitted"
    assert of_site(robots="", headers="Content-Length: 900", status=404) == "permitted"


@pytest.mark.parametrize("robots", [
    repr(base64.b64encode(b"User-agent: *\nDisallow: /\n")),
    base64.b64encode(b"User-agent: *\nDisallow: /\n"),
    base64.b64encode(gzip.compress(b"User-agent: *\nDisallow: /\n", mtime=0)).decode(),
    f"X'{b'User-agent: *'.hex()}'",
    "java.nio.HeapByteBuffer[pos=0 lim=26 cap=26]",
    "\u00ef\u00bb\u00bfUser-agent: *\nDisallow: /\n",
    '"User-agent: *\nDisallow: /\n',
    "VXNl ci1h Z2Vu dDog KgpE aXNh bGxv dzog Lwo=",
    b"VXNlci1hZ2VudDogKgpE\n aXNhbGxvdzogLwo=\n",
    base64.b32encode(b"User-agent: *\nDisallow: /\n"),
    base64.a85encode(b"User-agent: *\nDisallow: /\n"),
    '{"robots": "VXNlci1hZ2VudDogKgpEaXNhbGxvdzogLwo="}',
])  # fmt: skip
def test_a_robots_txt_that_was_written_as_something_else_is_none(robots: str | bytes) -> None:
    assert of_site(robots=robots) == "prohibited"


@pytest.mark.parametrize("of_type", [pa.float16(), pa.float64(), pa.decimal128(5, 1), pa.decimal256(5, 0), pa.int16()])
def test_a_number_is_a_status_whatever_its_type(of_type: pa.DataType, tmp_path: Path) -> None:
    for number, outcome in ((404, "permitted"), (503, "prohibited")):
        given = decimal.Decimal(number) if pa.types.is_decimal(of_type) else float(number)
        status = pa.array([given]).cast(of_type)
        robots = pa.table({"url": [SITE], "robots": pa.array([None], pa.string()), "status": status})
        audited = acap.audit(pa.table({"url": [URL]}), robots, crawler="bot")["crawl_outcome"].to_pylist()
        assert audited == pa.table(acap.decide_table([URL], robots, crawler="bot"))["outcome"].to_pylist() == [outcome]
        acap.survey(robots, crawlers=["bot"], rows=tmp_path / f"{number}.parquet")
        assert pq.read_table(tmp_path / f"{number}.parquet")["outcome"].to_pylist() == [outcome]


@pytest.mark.parametrize(("name", "value"), [
    ("robots_status", 503), ("ROBOTS_STATUS", 503), ("Robots_Status", 503), (" robots_status", 503),
    ("robots-status", 503), ("robots_http_status", 503), ("robots_state", "unreachable"), ("robots_cut", True),
    ("robots_headers", "Content-Length: 900"), ("robots_http_headers", "Content-Length: 900"),
    ("robots_time", "2020-01-01"), ("ROBOTS_TIME", "2020-01-01"), ("robots_fetch_time", "2020-01-01"),
    ("Robots", "User-agent: *\nDisallow: /\n"), ("ROBOTS_TXT", "User-agent: *\nDisallow: /\n"),
])  # fmt: skip
def test_what_a_batch_has_beside_its_robots_txt_goes_by_every_name(name: str, value: Any) -> None:
    given = {"url": URL, **({} if name.lower() in ("robots", "robots_txt") else {"robots": ALLOW}), name: value}
    for names in (given, {"Target_URI" if key == "url" else key: one for key, one in given.items()}):
        found = acap.BatchAuditor(None, crawler="bot")(pa.table({key: [one] for key, one in names.items()}))
        assert found["crawl_outcome"].to_pylist() == ["prohibited"]


def test_a_batch_without_or_with_two_columns_of_policies_is_a_wrong_call() -> None:
    auditing = acap.BatchAuditor(None, crawler="bot")
    with pytest.raises(ValueError, match="has no column `robots`"):
        auditing(pa.table({"url": [URL], "robots_status": [200]}))
    with pytest.raises(ValueError, match="several columns `robots_status`"):
        auditing(pa.table({"url": [URL], "robots": [ALLOW], "robots_status": [200], "Robots_Status": [503]}))


@pytest.mark.parametrize("name", [
    "response-headers", "Http-Headers", "header", "Response Headers", ' "headers"', "'headers'", "\u200bheaders",
    "\ufeff\ufeffheaders", "\u00ef\u00bb\u00bfheaders", "\u201cheaders\u201d",
])  # fmt: skip
def test_headers_go_by_every_usual_name(name: str) -> None:
    assert of_page(**{name: NOINDEX}) == "prohibited"
