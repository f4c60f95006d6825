"""A table says the same to all of its readers, and no page or robots.txt in it permits more for how it was written."""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Callable
from pathlib import Path
from random import Random

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import acap

CASES = int(os.environ.get("ACAP_CASES", "300")) // 30
SEED = int(os.environ.get("ACAP_SEED", "1"))
SITES = 200
ALLOW, DENY = "User-agent: *\nAllow: /\n", "User-agent: *\nDisallow: /\n"

FILES = (
    ALLOW,
    DENY,
    "",
    "<p>Not found",
    "None",
    "nan",
    "-",
    "b'",
    "bytearray(b'')",
    "[B@1f",
    "<a at 0x1>",
    "# none",
    "unknown",
    "404",
    "[]",
    "<empty>",
    "/robots.txt",
)
STATUSES = (
    "",
    "-",
    "200",
    "404",
    "403",
    "503",
    "200.0",
    "2e2",
    "NaN",
    "2OO",
    "+404",
    "0200",
    "inf",
    "401",
    "429",
    "206",
)
STATES = ("", "present", "absent", "unreachable", "Present", "gone", "none")
CUTS = ("", "true", "false", "0", "1", "F", "no", "1.0")
HEADERS = (
    "", "A: b", "Content-Length: 5", "Content-Length: 900", "HTTP/1.1 404 No", "HTTP/1.1 200 OK\nA: b", "{}", "[]",
    '{"Content-Length": "900"}', "{'content_length': 900}", '[["Content-Range", "bytes 0-9/10"]]', "no", "b'A: b'",
    "X: Content-Usage: train-ai=n",
)  # fmt: skip
BLANKS = ("", "", "", " ", "\n", "\u00a0", "\ufeff", "\x1c", "\t")
WRITERS: tuple[Callable[[str], str], ...] = (
    str,
    str,
    str,
    lambda text: repr(text.encode()),
    lambda text: repr(text.encode())[:-1],
    lambda text: text.replace("\n", "\\n"),
    lambda text: text.replace("\n", "\\x0A"),
    lambda text: base64.b64encode(text.encode()).decode(),
    lambda text: base64.encodebytes(text.encode()).decode().replace("\n", " "),
    lambda text: base64.b32encode(text.encode()).decode(),
    lambda text: base64.a85encode(text.encode()).decode(),
    lambda text: text.encode().hex(),
    str.upper,
)


def value_of(random: Random, values: tuple[str, ...]) -> str | None:
    if random.random() < 0.2:
        return None
    text = random.choice(values)
    if random.random() < 0.1:
        place = random.randrange(len(text) + 1)
        text = text[:place] + random.choice(("\\", "'", '"', "\x00", "\r", "\u00e9", "n")) + text[place:]
    return random.choice(BLANKS) + random.choice(WRITERS)(text) + random.choice(BLANKS)


def table_of(random: Random) -> pa.Table:
    beside = {"status": STATUSES, "state": STATES, "cut": CUTS, "headers": HEADERS}
    columns = {"robots": FILES} | {name: values for name, values in beside.items() if random.random() < 0.5}
    urls = [f"https://s{number}.example/" for number in range(SITES)]
    return pa.table({
        "url": urls,
        **{name: pa.array([value_of(random, values) for _ in urls], pa.string()) for name, values in columns.items()},
    })  # fmt: skip


def audited(table: pa.Table) -> list[str]:
    found: list[str] = acap.audit(table.select(["url"]), table, crawler="bot")["crawl_outcome"].to_pylist()
    return found


def decided(table: pa.Table) -> list[str]:
    found: list[str] = pa.table(acap.decide_table(table["url"], table, crawler="bot"))["outcome"].to_pylist()
    return found


def surveyed(table: pa.Table, rows: Path) -> list[str]:
    acap.survey(table, crawlers=["bot"], rows=rows)
    found: list[str] = pq.read_table(rows)["outcome"].to_pylist()
    return found


@pytest.mark.parametrize("case", range(CASES))
def test_a_table_is_one_to_all_of_its_readers(case: int, tmp_path: Path) -> None:
    table = table_of(Random(f"{SEED}/{case}"))
    told = list(zip(audited(table), decided(table), surveyed(table, tmp_path / "rows.parquet"), strict=True))
    differing = [(row, answers) for row, answers in zip(table.to_pylist(), told, strict=True) if len(set(answers)) > 1]
    assert differing == []
    if table.num_columns < 4:  # beside more values few files are beyond doubt
        assert {answers[0] for answers in told} == {"permitted", "prohibited"}


TAGS = (
    '<meta name="robots" content="noindex">',
    '<meta content="noindex, nofollow" name="robots">',
    '<META NAME="bot" CONTENT="none" />',
    '<meta name=robots content="noindex">',
    '<meta name="robots" content=noindex>',
)
BEFORE = (
    "<!doctype html>", "\n", "<html lang=en>", "<html lang='en'>", "<script>var a=1;</script>",
    "<script src=a.js></script>", "<style>a{}</style>", "<title>It's <b</title>", "<!-- a -->",
    "<meta charset=utf-8>", "<p>", "\ufeff", "words",
    """<script>f("a='b'", 'c="d"', "</p>")</script>""", '<link rel="a" href="b">', '<a title="it\'s">',
)  # fmt: skip
PAGE_WRITERS: tuple[Callable[[str], str], ...] = (
    json.dumps,
    lambda page: json.dumps(page)[1:-1],
    lambda page: json.dumps(json.dumps(page)),
    lambda page: json.dumps({"url": "a", "html": page}),
    lambda page: json.dumps({"html": page, "status": 200}, indent=1, ensure_ascii=False),
    lambda page: json.dumps(["a", page]),
    lambda page: json.dumps(json.dumps({"html": page})),
    lambda page: json.dumps(page)[1:-1].replace("<", "\\u003c").replace(">", "\\u003e"),
    lambda page: json.dumps(page)[1:-1].replace("/", "\\/"),
    lambda page: page.replace('"', '\\"'),
    lambda page: page.replace('"', '""'),
    lambda page: f'"{page.replace(chr(34), chr(34) * 2)}"',
    lambda page: base64.encodebytes(page.encode()).decode().replace("\n", " "),
    lambda page: base64.b32encode(page.encode()).decode(),
    lambda page: base64.a85encode(page.encode()).decode(),
    lambda page: base64.b85encode(page.encode()).decode(),
    lambda page: repr({"html": page}),
    repr,
)


@pytest.mark.parametrize("case", range(CASES))
def test_a_page_that_prohibits_does_so_however_it_was_written(case: int) -> None:
    random = Random(f"{SEED}/pages/{case}")
    pages = []
    for writer in PAGE_WRITERS:
        for _ in range(20):
            before = "".join(random.choice(BEFORE) for _ in range(random.randrange(4)))
            pages.append(writer(f"{before}{random.choice(TAGS)}<p>x"))
    table = pa.table({"url": ["https://a.example/x"] * len(pages), "content": pages})
    robots = pa.table({"url": ["https://a.example/"], "robots": [ALLOW]})
    found = acap.audit(table, robots, crawler="bot", usage="index")["index_outcome"].to_pylist()
    assert [page for page, outcome in zip(pages, found, strict=True) if outcome != "prohibited"] == []


CODINGS: tuple[Callable[[bytes], bytes], ...] = (
    base64.b64encode, base64.urlsafe_b64encode, base64.b32encode, base64.b32hexencode, base64.b16encode,
    base64.a85encode, base64.b85encode,
    lambda octets: base64.a85encode(octets, adobe=True),
)  # fmt: skip


@pytest.mark.parametrize("coding", CODINGS)
def test_a_robots_txt_in_a_coding_is_none_whatever_its_lines(coding: Callable[[bytes], bytes]) -> None:
    files = [DENY * count + "".join(f"Allow: /?{name}\n" for name in range(count)) for count in (1, 2, 30)]
    values = []
    for file in files:
        coded = coding(file.encode()).decode()
        for end in ("", " ", "\n", "\r\n", "\t", " \n"):
            for width in (20, 60, 76):
                values.append(end.join(coded[at : at + width] for at in range(0, len(coded), width)) + end)
    for given in (values, [value.encode() for value in values]):
        urls = [f"https://s{number}.example/" for number in range(len(given))]
        table = pa.table({"url": urls, "robots": given})
        assert set(audited(table)) == set(decided(table)) == {"prohibited"}
