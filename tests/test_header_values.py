"""Headers as crawls leave them in tables: a prohibition among them is heard in every form, or the row is in doubt."""

from __future__ import annotations

import csv
import json
from email.message import Message
from pathlib import Path
from typing import Any

import httpx2
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import acap
from acap.audits.header_values import header_block, headers_of
from acap.audits.written import UnreadableValueError
from acap.column_names import HEADER_COLUMNS
from acap.pages.declarations import _SPEAKING
from tests import command_line

TAG, OTHER = ("X-Robots-Tag", "noindex"), ("Server", "a: b, c; d=e")
BOTH = (OTHER, TAG)
MESSAGE = Message()
MESSAGE["Server"], MESSAGE["X-Robots-Tag"] = OTHER[1], TAG[1]

HEARD: dict[str, Any] = {
    "a header block with folded lines, as Heritrix keeps it": (
        "HTTP/1.1 200 OK\r\nServer: a: b,\r\n\tc; d=e\r\nX-Robots-Tag:\r\n noindex\r\n\r\n"
    ),
    "the same with line feeds, as curl -D prints it": "HTTP/2 200 \nserver: a: b, c; d=e\nx-robots-tag: noindex\n\n",
    "the headers of a WAT record": '{"Server": "a: b, c; d=e", "X-Robots-Tag": "noindex"}',
    "those with several values": '{"Server": ["a: b, c; d=e"], "X-Robots-Tag": ["noindex"]}',
    "JSON that repeats a name": '{"Server": "a: b, c; d=e", "X-Robots-Tag": "noindex", "X-Robots-Tag": "noindex"}',
    "pairs, as Nutch dumps them": '[["Server", "a: b, c; d=e"], ["X-Robots-Tag", "noindex"]]',
    "Scrapy's to_unicode_dict": {"Server": "a: b, c; d=e", "X-Robots-Tag": "noindex"},
    "Scrapy's headers in Python's text": "{b'Server': [b'a: b, c; d=e'], b'X-Robots-Tag': [b'noindex']}",
    "requests in Python's text": "{'Server': 'a: b, c; d=e', 'X-Robots-Tag': 'noindex'}",
    "requests in repr": "CaseInsensitiveDict({'Server': 'a: b, c; d=e', 'X-Robots-Tag': 'noindex'})",
    "httpx in repr": repr(httpx2.Headers([OTHER, TAG])),
    "httpx in repr, with a name twice": repr(httpx2.Headers([OTHER, TAG, TAG])),
    "httpx's multi_items": httpx2.Headers([OTHER, TAG]).multi_items(),
    "httpx's multi_items in Python's text": str(httpx2.Headers([OTHER, TAG]).multi_items()),
    "httpx's raw": httpx2.Headers([OTHER, TAG]).raw,
    "aiohttp's raw_headers in Python's text": "((b'Server', b'a: b, c; d=e'), (b'X-Robots-Tag', b'noindex'))",
    "urllib's headers": str(MESSAGE),
    "HAR": [{"name": "Server", "value": "a: b, c; d=e"}, {"name": "X-Robots-Tag", "value": "noindex"}],
    "HTTP/2 by its frames": [[":status", "200"], ["server", "a: b, c; d=e"], ["x-robots-tag", "noindex"]],
    "names of columns": {"server": "a: b, c; d=e", "x_robots_tag": "noindex"},
    "names of columns, as BigQuery has them": [
        {"name": "Server", "value": "a: b, c; d=e"},
        {"name": "X_Robots_Tag", "value": "noindex"},
    ],
    "a struct with a member of other rows": {"Server": "a: b, c; d=e", "Age": None, "X-Robots-Tag": "noindex"},
    "a struct of two lists": {"key": ["Server", "X-Robots-Tag"], "value": ["a: b, c; d=e", "noindex"]},
    "PHP's get_headers": ["HTTP/1.1 200 OK", "Server: a: b, c; d=e", "X-Robots-Tag: noindex"],
}  # fmt: skip


@pytest.mark.parametrize("value", HEARD.values(), ids=HEARD)
def test_a_header_is_heard_in_every_form_of_crawls(value: Any) -> None:
    found = dict.fromkeys((name.lower(), said) for name, said in headers_of(value))
    assert list(found) == [(name.lower(), said) for name, said in BOTH]


DOUBTED: dict[str, Any] = {
    "one header as a mapping of its parts, cut": {"name": "X-Robots-Tag"},
    "headers within a response": {"status": 200, "headers": "X-Robots-Tag: noindex"},
    "headers within headers": {"headers": {"X-Robots-Tag": "noindex"}},
    "JSON within JSON": '{"response_headers": "{\\"X-Robots-Tag\\": \\"noindex\\"}"}',
    "JSON in the value of another header": '{"X-Meta": "{\\"x-robots-tag\\": \\"noindex\\"}"}',
    "several in one line": "Server: nginx; X-Robots-Tag: noindex",
    "several in one line, with commas": "Server: nginx, X_Robots_Tag=noindex",
    "a licence in the line of another header": 'Server: nginx | Link: <https://a.example/l>; rel="license"',
    "a name with `_` among those with `-`": {"Content-Type": "text/html", "X_Robots_Tag": "noindex"},
    "what Java shows of a map": "{Server=nginx, X-Robots-Tag=noindex}",
    "what Nutch shows of its metadata": "Server=nginx X-Robots-Tag=noindex Date=Mon, 01 Jan 2026 00:00:00 GMT ",
    "what aiohttp shows": "<CIMultiDictProxy('Server': 'nginx', 'X-Robots-Tag': 'noindex')>",
    "names and values by turns, as Node has them": ["Server", "nginx", "X-Robots-Tag", "noindex"],
    "two lists of other lengths": {"key": ["Server", "X-Robots-Tag"], "value": ["nginx"]},
    "a pair of null": [["X-Robots-Tag", None]],
    "the headers of two responses": "HTTP/1.1 301 Moved\r\nA: b\r\n\r\nHTTP/1.1 200 OK\r\nC: d\r\n",
    "two statuses": [":status: 200", "HTTP/1.1 403 Forbidden"],
    "a status that is none": [[":status", "2000"]],
    "a line of a status as a header": {"0": "HTTP/1.1 403 Forbidden", "Server": "nginx"},
    "HAR with more members": [{"name": "X-Robots-Tag", "value": "noindex", "comment": ""}],
    "Python's text of a mapping within a list": "[{'X-Robots-Tag': 'all', 'x-robots-tag': 'noindex'}]",
    "Python's text that computes": "{'X-Robots-Tag': 'no' + 'index'}",
    "Python's text, cut": "{'Server': 'nginx', 'X-Robots-Tag': 'noind",
    "Python's text with other escapes": r"{'X-Robots-Tag': 'no\index'}",
    "a name in which a hyphen is none": {"X\u2011Robots\u2011Tag": "noindex"},
    "a name with blanks": {"X Robots Tag": "noindex"},
}  # fmt: skip


@pytest.mark.parametrize("value", DOUBTED.values(), ids=DOUBTED)
def test_what_may_be_a_header_and_is_not_heard_is_a_doubt(value: Any) -> None:
    with pytest.raises(UnreadableValueError, match="headers cannot be read: "):
        headers_of(value)


@pytest.mark.parametrize("value", [
    {"Vary": "X-Robots-Tag, Accept", "Access-Control-Expose-Headers": "Link, X-Robots-Tag"},
    {"Set-Cookie": "link=1; Path=/", "Content-Security-Policy": "default-src https://a.example:8443"},
    {"X-Robots-Tag": 'googlebot: noindex, "nofollow"; max-snippet:-1', "X-SourceFiles": "C:\\new\\robots\\x0a1\\"},
    {"Content-Usage": "train-ai=n;exp=(a b)", "Location": "https://a.example/?a=%0A&b={c}|d", "X-Filename": "a'b"},
    {"X-Robots-Tag": "otherbot: noindex, unavailable_after: 1 Jan 2030", "Via": "HTTP/1.1 proxy"},
    {"Content-Type": "text/html", "Some_Thing": "1", "content_length": "5"},
    {"Report-To": '{"group": "default", "max_age": 1}'},
    {"A": "a" * 100_000 + "_" * 100_000},
])  # fmt: skip
def test_what_only_names_a_header_is_no_doubt(value: dict[str, str]) -> None:
    assert headers_of(value) == tuple(value.items())


def test_the_status_stands_beside_the_headers() -> None:
    assert header_block(["HTTP/1.1 403 Forbidden", "A: b"]) == (403, (("A", "b"),))
    assert header_block([[":status", "404"]]) == (404, ())
    assert header_block("A: b") == (None, (("A", "b"),))


@pytest.mark.parametrize("name", ["X_Robots_Tag", "x_robots_tag", "X-ROBOTS-TAG"])
@pytest.mark.parametrize("kind", ["struct", "map", "structs", "pairs"])
def test_a_page_is_prohibited_by_a_header_of_any_type(kind: str, name: str) -> None:
    text = pa.string()
    headers = {
        "struct": pa.array([{name: "noindex"}]),
        "map": pa.array([[(name, "noindex")]], pa.map_(text, text)),
        "structs": pa.array([[{"key": name, "value": "noindex"}]]),
        "pairs": pa.array([[[name, "noindex"]]]),
    }[kind]
    robots = pa.table({"site": ["a.example"], "robots": [""]})
    pages = pa.table({"url": ["https://a.example/x"], "headers": headers})
    (row,) = acap.audit(pages, robots, crawler="bot", usage="index").to_pylist()
    assert (row["index_outcome"], row["error"]) == ("prohibited", None)


def page(column: str, value: Any, tmp_path: Path) -> set[tuple[str, str | None]]:
    """What a page with such a column comes to, and why: in memory, in CSV, JSONL and Parquet."""
    table = pa.table({"url": ["https://a.example/x"], column: [value]})
    robots = pa.table({"site": ["a.example"], "robots": [""]})
    found = acap.audit(table, robots, crawler="bot", usage=["index", "ai-train-generative"]).to_pylist()
    pq.write_table(robots, tmp_path / "robots.parquet")
    pq.write_table(table, tmp_path / "pages.parquet")
    (tmp_path / "pages.jsonl").write_text(json.dumps(table.to_pylist()[0]) + "\n")
    with (tmp_path / "pages.csv").open("w", newline="") as file:
        csv.writer(file).writerows([["url", column], ["https://a.example/x", value]])
    asked = (
        "--robots",
        tmp_path / "robots.parquet",
        "-c",
        "bot",
        "-u",
        "index,ai-train-generative",
        "--processes",
        "1",
    )
    for name in ("pages.parquet", "pages.jsonl", *(["pages.csv"] if isinstance(value, str) else [])):
        command_line.acap("audit", tmp_path / name, *asked, "-o", tmp_path / "o.parquet").ended(1)
        found += pq.read_table(tmp_path / "o.parquet").to_pylist()
        (tmp_path / "o.parquet").unlink()
    outcomes = {f"{row['index_outcome']} {row['ai_train_generative_outcome']}" for row in found}
    return {(outcome, row["error"]) for outcome in outcomes for row in found}


@pytest.mark.parametrize(("column", "value", "outcomes", "error"), [
    ("x_robots_tag", "noindex", "prohibited permitted", None),
    ("X-Robots-Tag", ["all", "noindex"], "prohibited permitted", None),
    ("content_usage", "train-ai=n", "permitted prohibited", None),
    ("Content Signal", "ai-train=no", "permitted prohibited", None),
    ("tdm_reservation", "1", "permitted prohibited", None),
    ("TDM-Reservation", 1.0, "permitted prohibited", None),
    ("x_robots_tag", "b'noindex", "prohibited prohibited", "unreadable"),
    ("x_robots_tag", [0.5], "prohibited prohibited", "unreadable"),
    ("x_robots_tag", "['noindex']", "prohibited prohibited", "unreadable"),
    ("x_robots_tag", "{noindex}", "prohibited prohibited", "unreadable"),
    ("x_robots_tag", "nofollow|noindex", "prohibited prohibited", "unreadable"),
    ("x_robots_tag", r"nofollow\nnoindex", "prohibited prohibited", "unreadable"),
    ("x_robots_tag", "X-Robots-Tag: noindex", "prohibited prohibited", "unreadable"),
    ("content_usage", "['train-ai=n']", "prohibited prohibited", "unreadable"),
    ("Content Signal", '"ai-train=no"', "prohibited prohibited", "unreadable"),
    ("TDM-Reservation", '"1"', "permitted prohibited", None),
])  # fmt: skip
def test_a_header_may_have_a_column_of_its_own(
    column: str, value: Any, outcomes: str, error: str | None, tmp_path: Path
) -> None:
    assert page(column, value, tmp_path) == {(outcomes, error)}


def test_headers_to_crawlers_have_columns() -> None:
    assert {*HEADER_COLUMNS, "link"} == _SPEAKING
