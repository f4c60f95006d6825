"""The decision service: what a batch of questions is answered, and that no doubt and no failure permits."""

from __future__ import annotations

import json
import socket
import struct
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.ipc
import pytest
from httpx2 import Response
from jsonschema import Draft202012Validator, ValidationError
from openapi_spec_validator import OpenAPIV31SpecValidator
from prometheus_client.parser import text_string_to_metric_families
from starlette.requests import Request
from starlette.testclient import TestClient

import acap
from acap.clock import Clock, FixedClock
from acap.retrieval import CacheError, MemoryCache, SqliteCache, guard
from acap.web.decisions import answers, bounds, columns
from acap.web.decisions.app import decisions_app
from acap.web.decisions.bounds import OctetBudget
from acap.web.decisions.openapi import document
from acap.web.decisions.questions import IN_QUERY, MEMBERS, NotAnsweredError, Questions, from_json
from acap.web.decisions.service import Service, _reader
from acap.web.decisions.sites import ReadyPolicy, Sites
from tests.loopback import Asked, Loopback, redirect, reply

AT = datetime(2026, 11, 24, 12, tzinfo=UTC)
POLICY = b"""User-agent: *
Disallow: /private/
ACAP-crawler: *
ACAP-allow-index: / time-limit=5-days
ACAP-disallow-preserve: /
"""
ARROW = {"content-type": columns.MEDIA_TYPE}


class Asking:
    """A service that answers in the tests' own process, and the one site it knows."""

    def __init__(self, client: TestClient, site: Loopback, service: Service) -> None:
        self.client = client
        self.site = site
        self.service = service

    def post(self, body: bytes | str, **headers: str) -> Response:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        found: Response = self.client.post("/v1/decisions", content=body, headers={"content-type": JSON, **named})
        return found

    def ask(self, *urls: Any, **question: Any) -> list[dict[str, Any]]:
        response = self.post(json.dumps({"crawler": "bot", "urls": urls, **question}))
        assert response.status_code == 200, response.text
        rows: list[dict[str, Any]] = response.json()["answers"]
        assert_sound(rows)
        return rows

    def told(self, name: str) -> float:
        """A number of the metrics."""
        lines = self.client.get("/metrics").text.splitlines()
        return sum(float(line.rpartition(" ")[2]) for line in lines if line.startswith(f"acap_{name}"))


JSON = "application/json"


def assert_sound(rows: list[dict[str, Any]]) -> None:
    """A row with an error prohibits, and its error is one that is documented."""
    for row in rows:
        assert row["error"] is None or (row["outcome"] == "prohibited" and row["error"] in answers.ERRORS), row


@contextmanager
def asking(**options: Any) -> Iterator[Asking]:
    """A service of its own, with what `decisions_app` takes."""
    with Loopback(says={"/robots.txt": reply(body=POLICY)}) as site:
        app = decisions_app(**{"hosts": frozenset({"testserver"}), "allow_private": True, **options})
        with TestClient(app, raise_server_exceptions=False) as client:
            yield Asking(client, site, app.state.service)


@pytest.fixture(scope="module")
def service() -> Iterator[Asking]:
    with asking(clock=FixedClock(AT)) as made:
        yield made


def test_each_url_is_answered_for_each_usage(service: Asking) -> None:
    """Rows come URL by URL and usage by usage, with the line that decided, its text, and the restrictions."""
    urls = [service.site.url("/private/a"), service.site.url("/b")]
    rows = service.ask(*urls, usages=["crawl", "index", "preserve"])
    assert [(row["url"], row["usage"]) for row in rows] == [
        (u, x) for u in urls for x in ("crawl", "index", "preserve")
    ]
    assert [row["outcome"] for row in rows] == ["prohibited"] * 3 + ["permitted"] * 2 + ["prohibited"]
    assert rows[0] == {
        "url": urls[0], "usage": "crawl", "outcome": "prohibited", "kind": "statement", "line": 2,
        "rule": "Disallow: /private/", "restrictions": [], "age": 0, "stale": False, "error": None, "retry_after": None,
    }  # fmt: skip
    assert (rows[4]["line"], rows[4]["restrictions"]) == (4, ["time-limit=5-days"])
    assert (rows[3]["kind"], rows[3]["line"], rows[3]["rule"]) == ("silence", None, None)


def test_answers_are_those_of_the_policy_itself(service: Asking) -> None:
    """The service decides as `RobotsPolicy.decide` does, for every usage that there is."""
    url = service.site.url("/b/c?d=e")
    policy = acap.parse_robots(POLICY, url=url)
    usages = [*acap.usages.PARENTS]
    found = [row for start in range(0, len(usages), 16) for row in service.ask(url, usages=usages[start : start + 16])]
    own = [policy.decide(url, crawler="bot", usage=usage) for usage in usages]
    assert [row["outcome"] for row in found] == [str(one.outcome) for one in own]
    assert [row["kind"] for row in found] == [str(one.reason.kind) for one in own]
    assert [row["restrictions"] for row in found] == [[str(one) for one in decision.restrictions] for decision in own]


def test_a_composite_usage_stands_as_its_parts(service: Asking) -> None:
    """`search` has a row for each of its parts, once, and the head of the answer names them."""
    body = {"crawler": "bot", "usages": ["search", "index"], "urls": [service.site.url("/a")]}
    found = service.post(json.dumps(body)).json()
    assert found["usages"] == [*acap.usages.COMPOSITES["search"]] == [row["usage"] for row in found["answers"]]
    assert (found["crawler"], found["source"], found["semantics"]) == (["bot"], "robots.txt", acap.SEMANTICS)


@pytest.mark.parametrize(
    ("url", "error"),
    [
        (None, "no-url"),
        (5, "no-url"),
        (["https://a.example/"], "no-url"),
        ("\ud800", "no-url"),
        ("", "no-url"),
        ("/a", "no-url"),
        ("ftp://a.example/", "no-http"),
        ("http://", "no-url"),
        ("http://a b/", "host"),
        ("http://a.example:99999/", "port"),
        ("http://a.example/\n", "control-character"),
        ("http://a.example/" + "x" * 70_000, "too-long"),
        ("http://good.example\\@127.0.0.1/", "host"),
    ],
)
def test_what_is_no_url_is_a_row_with_its_error(service: Asking, url: Any, error: str) -> None:
    """The rows beside it are answered, and stand where their URLs stand."""
    good = service.site.url("/b")
    rows = service.ask(good, url, good)
    assert [row["outcome"] for row in rows] == ["permitted", "prohibited", "permitted"]
    assert rows[1]["error"] == error
    assert rows[1]["url"] == (url if isinstance(url, str) and url != "\ud800" else None)


def test_spellings_of_one_site_are_one_question_to_it() -> None:
    """Case, default ports, paths and queries make no other site; a site is asked once for all that ask of it."""
    with asking() as service:
        host = f"127.0.0.1:{service.site.port}"
        urls = [f"http://{host}/a", f"HTTP://{host}/b", f"http://{host}?c/d", f"http://{host}#e", f"http://u@{host}/f"]
        rows = service.ask(*urls, service.site.url("/private/"))
        assert [row["outcome"] for row in rows] == ["permitted"] * 5 + ["prohibited"]
        assert service.site.targets == ["/robots.txt"]


@pytest.mark.parametrize(
    ("body", "status", "words"),
    [
        (b"", 400, "not JSON"),
        (b"{", 400, "not JSON"),
        (b'{"crawler": "\xff"}', 400, "not UTF-8"),
        ('{"crawler": "bot"}'.encode("utf-16"), 400, "not UTF-8"),
        (b"[" * 100_000, 400, "nested too deeply"),
        (b'{"crawler": "bot", "urls": ' + b"[" * 50_000 + b"]" * 50_000 + b"}", 400, "nested too deeply"),
        (b"[]", 400, "not a JSON object"),
        (b'"urls"', 400, "not a JSON object"),
        (b'{"urls": []}', 400, "`crawler` is missing"),
        (b'{"crawler": [], "urls": []}', 400, "`crawler` is missing"),
        (b'{"crawler": "", "urls": []}', 400, "crawler is empty"),
        (b'{"crawler": 5, "urls": []}', 400, "`crawler` must be a text"),
        (b'{"crawler": "\\ud800", "urls": []}', 400, ""),
        (b'{"crawler": "bot"}', 400, "`urls` must be a list"),
        (b'{"crawler": "bot", "urls": "https://a.example/"}', 400, "`urls` must be a list"),
        (b'{"crawler": "bot", "usage": "index", "urls": []}', 400, "unknown member 'usage'"),
        (
            b'{"crawler": "bot", "crawler": "other", "urls": []}',
            400,
            "'crawler' stands twice, again at line 1, column 20",
        ),
        (
            b'{\n"urls": [],\n "crawler": "b",\n "\\u0075rls": []}',
            400,
            "'urls' stands twice, again at line 4, column 2",
        ),
        (
            b'{"crawler": "b", "urls": [{"x": 1, "y": [{}], "x": {}}]}',
            400,
            "'x' stands twice, again at line 1, column 47",
        ),
        (
            b'{"crawler": "b", "urls": [' + b"0," * 50_000 + b'{"x": 1, "x": 2}]}',
            400,
            "'x' stands twice; write it once",
        ),
        (b'{"crawler": "bot", "usages": "indx", "urls": []}', 400, "did you mean `index`"),
        (b'{"crawler": "bot", "usages": [], "urls": []}', 400, "`usages` is empty"),
        (b'{"crawler": "bot", "usages": "", "urls": []}', 400, "`usages` is empty"),
        (b'{"crawler": "bot", "usages": ["crawl", ""], "urls": []}', 400, "`usages` is empty, or one of them"),
        (b'{"crawler": "bot", "purpose": [5], "urls": []}', 400, "`purpose` must be"),
        (b'{"crawler": "bot", "urls": [], "deadline_ms": 0}', 400, "`deadline_ms`"),
        (b'{"crawler": "bot", "urls": [], "deadline_ms": true}', 400, "`deadline_ms`"),
        (b'{"crawler": "bot", "urls": [], "deadline_ms": NaN}', 400, "NaN is not a number"),
        (b'{"crawler": "bot", "urls": [], "deadline_ms": ' + b"9" * 5_000 + b"}", 400, "not JSON"),
        (json.dumps({"crawler": ["b"] * 17, "urls": []}), 400, "too long"),
        (json.dumps({"crawler": "b" * 2_000, "urls": []}), 400, "too long"),
        (json.dumps({"crawler": "b", "urls": ["https://a.example/"] * 20_001}), 413, "20000 are given at most"),
        (json.dumps({"crawler": "b", "usages": ["crawl", "index"], "urls": [""] * 10_001}), 413, "at most"),
        (b" " * (bounds.BODY_OCTETS + 1), 413, "ask in parts"),
    ],
)
def test_what_is_not_understood_is_refused_as_a_whole(service: Asking, body: bytes, status: int, words: str) -> None:
    """One line says why; no row is answered of a question that was misread."""
    response = service.post(body)
    assert (response.status_code, list(response.json())) == (status, ["error"])
    assert words in response.json()["error"]
    assert "\n" not in response.json()["error"]


@pytest.mark.parametrize(
    ("headers", "status", "words"),
    [
        ({"content-type": "text/plain"}, 415, "must be application/json"),
        ({"content-type": ""}, 415, "must be application/json"),
        ({"content-encoding": "gzip"}, 415, "Content-Encoding"),
        ({"accept": "text/html"}, 406, "accept one of them"),
        ({"accept": "application/json;q=0"}, 406, "accept one of them"),
        ({"acap-deadline-ms": "soon"}, 400, "acap-deadline-ms"),
        ({"acap-deadline-ms": "0"}, 400, "deadline_ms"),
    ],
)
def test_other_types_and_headers_are_refused_in_one_line(
    service: Asking, headers: dict[str, str], status: int, words: str
) -> None:
    """What is neither read nor written is said so, with the types that are."""
    response = service.client.post(
        "/v1/decisions", content=b'{"crawler": "b", "urls": []}', headers={"content-type": JSON, **headers}
    )
    assert (response.status_code, words in response.json()["error"]) == (status, True)


@pytest.mark.parametrize("query", ["usages=index", "usage=index", "crawler=bot", "deadline_ms=9000", "x", "=", "x=%FF"])
def test_nothing_in_the_url_is_ignored_beside_json(service: Asking, query: str) -> None:
    """Who writes a usage into the URL would be answered about `crawl`; the refusal says where members stand."""
    body = json.dumps({"crawler": "bot", "urls": [service.site.url("/b")]})
    response = service.client.post(f"/v1/decisions?{query}", content=body, headers={"content-type": JSON})
    assert (response.status_code, list(response.json())) == (400, ["error"])
    if "%FF" not in query:
        assert response.json()["error"] == (
            f"the query parameter '{query.partition('=')[0]}' is not read beside JSON; "
            "the members crawler, usages, purpose, urls, deadline_ms stand in the body"
        )
    bare = service.client.post("/v1/decisions?", content=body, headers={"content-type": JSON})
    assert bare.status_code == 200


# --- Arrow ------------------------------------------------------------------------------------------------------------


def stream(urls: Any, *, compression: str | None = None, **more: Any) -> bytes:
    table = pyarrow.table({"url": urls, **more})
    sink = pyarrow.BufferOutputStream()
    with pyarrow.ipc.new_stream(
        sink, table.schema, options=pyarrow.ipc.IpcWriteOptions(compression=compression)
    ) as out:
        out.write_table(table)
    octets: bytes = sink.getvalue().to_pybytes()
    return octets


def test_arrow_is_read_and_written(service: Asking) -> None:
    """A stream of URLs is answered by a stream with the columns that the rows of JSON have."""
    urls = [service.site.url("/private/a"), None, service.site.url("/b"), "nothing"]
    where = "/v1/decisions?crawler=bot&usages=crawl&usages=index&deadline_ms=2000"
    for type_ in (pyarrow.string(), pyarrow.large_string()):
        body = stream(pyarrow.array(urls, type_), id=list(range(4)))
        response = service.client.post(where, content=body, headers={**ARROW, "accept": columns.MEDIA_TYPE})
        assert (response.status_code, response.headers["content-type"]) == (200, columns.MEDIA_TYPE)
        rows = pyarrow.ipc.open_stream(response.content).read_all().to_pylist()
        assert rows == service.ask(*urls, usages=["crawl", "index"])
        as_json = service.client.post(where, content=body, headers=ARROW)
        assert as_json.json()["answers"] == rows


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("usage=index", "unknown query parameter 'usage'; known are crawler, usages, purpose, deadline_ms"),
        ("Usages=index", "unknown query parameter 'Usages'"),
        ("usages%20=index", "unknown query parameter 'usages '"),
        ("usages%0A=index", r"unknown query parameter 'usages\n'"),
        ("index", "unknown query parameter 'index'"),
        ("=index", "unknown query parameter ''"),
        ("urls=https://a.example/", "the column `url`"),
        ("deadline_ms=1&deadline_ms=9000", "`deadline_ms` stands twice"),
        ("deadline_ms=9000&deadline_ms=", "`deadline_ms` stands twice"),
        ("usages=", "`usages` is empty"),
        ("usages", "`usages` is empty"),
        ("usages=crawl&usages=", "`usages` is empty, or one of them"),
        ("usages=crawl;usages=index", "knows the usage"),
        ("purpose=", "purpose is empty"),
        ("purpose=%FF", "not UTF-8"),
        ("&".join(["purpose=p"] * 100), "more than 100 parameters"),
    ],
)
def test_a_query_that_is_not_understood_is_refused(service: Asking, query: str, words: str) -> None:
    """A parameter that is not read would leave another question than the one that was meant."""
    body = stream([service.site.url("/b")])
    response = service.client.post(f"/v1/decisions?crawler=bot&{query}", content=body, headers=ARROW)
    assert (response.status_code, list(response.json())) == (400, ["error"]), response.text
    assert words in response.json()["error"]
    assert "\n" not in response.json()["error"]


def test_nothing_in_the_url_is_cut_off_by_a_fragment() -> None:
    """What follows a `#` in a request is a part of its query: fragments are not sent."""
    scope = {"type": "http", "method": "POST", "headers": [(b"content-type", columns.MEDIA_TYPE.encode())]}
    query = b"crawler=bot&usages=crawl#&usage=index"
    with pytest.raises(NotAnsweredError, match="unknown query parameter 'usage'"):
        _reader(Request({**scope, "path": "/v1/decisions", "query_string": query}))


def test_too_many_urls_are_refused_before_one_is_looked_at(service: Asking) -> None:
    body = json.dumps({"crawler": 5, "urls": [0] * 20_001}).encode()
    response = service.client.post("/v1/decisions", content=body, headers={"content-type": "application/json"})
    assert (response.status_code, response.json()["error"]) == (
        413,
        "20001 or more answers are asked for, and 20000 are given at most; ask in parts",
    )


def stream_of_arrow_017(text: str) -> bytes:
    """A stream whose record batch names its codec in the custom metadata of its message, and nowhere else."""
    batch = pyarrow.record_batch([pyarrow.array([text])], ["url"])
    options = pyarrow.ipc.IpcWriteOptions(metadata_version=pyarrow.ipc.MetadataVersion.V4, compression="zstd")
    sink = pyarrow.BufferOutputStream()
    with pyarrow.ipc.new_stream(sink, batch.schema, options=options) as out:
        out.write_batch(batch, custom_metadata={"ARROW:experimental_compression": "zstd"})
    body = bytearray(sink.getvalue().to_pybytes())
    _, message = pyarrow.ipc.MessageReader.open_stream(bytes(body))
    metadata = message.metadata.to_pybytes()
    header = columns._field(metadata, struct.unpack_from("<I", metadata)[0], 2)
    assert header is not None
    table = header + struct.unpack_from("<I", metadata, header)[0]
    fields = table - struct.unpack_from("<i", metadata, table)[0]
    struct.pack_into("<H", body, bytes(body).index(metadata) + fields + 10, 0)  # field 3 is not there
    return bytes(body)


@pytest.mark.parametrize(
    ("body", "status", "words"),
    [
        (b"", 400, "not an Arrow IPC stream"),
        (b"\xff" * 100, 400, "not an Arrow IPC stream"),
        (stream(["https://a.example/"])[:-40], 400, "not an Arrow IPC stream"),
        (stream([1, 2]), 400, "no column `url`"),
        (stream(pyarrow.array(["a"]).dictionary_encode()), 400, "only texts are read"),
        (stream(pyarrow.array(["a"], pyarrow.string_view())), 400, "no column `url`"),
        (stream(["a" * 1_000_000], compression="zstd"), 400, "compressed"),
        (stream(["a" * 1_000_000], compression="lz4"), 400, "compressed"),
        (stream_of_arrow_017("a" * 1_000_000), 400, "compressed"),
        (stream(["a"] * 20_001), 413, "ask in parts"),
    ],
)
def test_a_stream_that_is_none_is_refused(service: Asking, body: bytes, status: int, words: str) -> None:
    """Broken, compressed and amplifying streams are refused before a text is taken out of them."""
    response = service.client.post("/v1/decisions?crawler=bot", content=body, headers=ARROW)
    assert (response.status_code, words in response.json()["error"]) == (status, True), response.text


def test_no_damage_of_a_stream_ends_in_a_permission_or_a_failure(service: Asking) -> None:
    """Whatever octet is changed, the stream is refused, or answered by rows that are sound."""
    body = stream([service.site.url("/private/a"), service.site.url("/private/b")])
    for place in range(0, len(body), 3):
        damaged = bytearray(body)
        damaged[place] ^= 0xFF
        response = service.client.post("/v1/decisions?crawler=bot", content=bytes(damaged), headers=ARROW)
        assert response.status_code in (200, 400, 413), (place, response.text)
        if response.status_code == 200:
            assert {row["outcome"] for row in response.json()["answers"]} <= {"prohibited"}


def test_without_pyarrow_arrow_is_refused_in_one_line(service: Asking, monkeypatch: pytest.MonkeyPatch) -> None:
    """A server without the library says 415 to a stream, and 406 to who accepts nothing else."""
    monkeypatch.setattr(columns, "pyarrow", lambda: None)
    response = service.client.post("/v1/decisions?crawler=bot", content=stream(["a"]), headers=ARROW)
    assert (response.status_code, "pyarrow" in response.json()["error"]) == (415, True)
    response = service.post('{"crawler": "bot", "urls": []}', accept=columns.MEDIA_TYPE)
    assert (response.status_code, "pyarrow" in response.json()["error"]) == (406, True)


# --- Sites that do not answer -----------------------------------------------------------------------------------------


def silent(connection: socket.socket, _: Asked) -> None:
    """Takes the request, and says nothing until the other end goes."""
    connection.recv(1)


def test_a_site_that_never_answers_is_prohibited_by_the_deadline() -> None:
    """What is known is answered beside it, in time; who asks again is told the same until the site has spoken."""
    with asking() as service, Loopback(says={"/robots.txt": silent}) as other:
        began = time.monotonic()
        rows = service.ask(other.url("/a"), service.site.url("/b"), deadline_ms=400)
        assert time.monotonic() - began < 3
        assert [row["outcome"] for row in rows] == ["prohibited", "permitted"]
        assert (rows[0]["error"], rows[0]["kind"], rows[0]["retry_after"]) == ("deadline", None, 1)
        (row,) = service.ask(other.url("/a"), deadline_ms=200)
        assert row["error"] == "deadline"
        assert other.targets == ["/robots.txt"]


def test_the_header_bounds_the_deadline_too() -> None:
    """The shorter of both counts, so that a proxy before the service can shorten it."""
    with asking() as service, Loopback(says={"/robots.txt": silent}) as other:
        began = time.monotonic()
        body = json.dumps({"crawler": "bot", "urls": [other.url("/")], "deadline_ms": 20_000})
        response = service.post(body, acap_deadline_ms="300")
        assert time.monotonic() - began < 5
        assert response.json()["answers"][0]["error"] == "deadline"


def test_a_late_policy_answers_who_asks_again() -> None:
    """A retrieval goes on after the deadline of who asked first."""
    go = threading.Event()

    def late(connection: socket.socket, _: Asked) -> None:
        go.wait(20)
        connection.sendall(reply(body=POLICY))

    with asking() as service, Loopback(says={"/robots.txt": late}) as other:
        (row,) = service.ask(other.url("/b"), deadline_ms=200)
        assert row["error"] == "deadline"
        go.set()
        (row,) = service.ask(other.url("/b"), deadline_ms=10_000)
        assert (row["outcome"], other.targets) == ("permitted", ["/robots.txt"])


@pytest.mark.parametrize(
    ("said", "outcome"),
    [
        (reply(500), "prohibited"),
        (reply(503, headers=[("Retry-After", "7200")]), "prohibited"),
        (reply(429), "prohibited"),
        (b"nonsense\r\n\r\n", "prohibited"),
        (reply(body=POLICY, length=10_000), "prohibited"),
        (reply(404), "permitted"),
    ],
)
def test_a_failing_site_is_prohibited_and_says_when_to_come_again(said: bytes, outcome: str) -> None:
    """A row of a site out of reach has the error `unreachable`, and the time after which it is asked again."""
    with asking(clock=FixedClock(AT)) as service:
        service.site.says["/robots.txt"] = said
        (row,) = service.ask(service.site.url("/b"))
        assert row["outcome"] == outcome
        if outcome == "prohibited":
            assert (row["error"], row["kind"], row["age"]) == ("unreachable", "unreachable", None)
            assert row["retry_after"] == (7_200 if b"7200" in said else 300)


def test_a_copy_stands_in_for_thirty_days_and_says_so() -> None:
    """Fresh for a day; then the site is asked again; while it fails its copy answers as `stale`, and then nothing."""
    clock = FixedClock(AT)
    with asking(clock=clock) as service:
        url = service.site.url("/b")
        service.ask(url)
        service.site.says["/robots.txt"] = reply(500)
        clock.advance(timedelta(hours=23))
        (row,) = service.ask(url)
        assert (row["outcome"], row["age"], row["stale"]) == ("permitted", 23 * 3_600, False)
        clock.advance(timedelta(hours=2))
        (row,) = service.ask(url)
        assert (row["outcome"], row["age"], row["stale"]) == ("permitted", 25 * 3_600, True)
        clock.advance(timedelta(days=30))
        (row,) = service.ask(url)
        assert (row["outcome"], row["error"]) == ("prohibited", "unreachable")


def test_private_networks_are_not_asked() -> None:
    """Neither by address, nor by a spelling of one, nor by a name that leads there: no such request is sent."""
    with Loopback(says={"/robots.txt": reply(body=b"User-agent: *\nAllow: /\n")}) as inner:
        with asking(allow_private=False, resolver=lambda _, __: ["127.0.0.1"], timeout=2.0) as service:
            hosts = ("127.0.0.1", "inner.example", "0x7f.1", "127.1", "2130706433", "[::1]", "[::ffff:127.0.0.1]")
            rows = service.ask(*(f"http://{host}:{inner.port}/" for host in hosts), "http://169.254.169.254/latest/")
            assert {(row["outcome"], row["error"]) for row in rows} == {("prohibited", "unreachable")}
            assert service.told('retrievals_total{result="address-refused"}') == len(rows)
        assert inner.targets == []


def test_a_redirect_into_a_private_network_is_not_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A public site that sends the service to a private one counts as out of reach, and prohibits."""
    monkeypatch.setattr(guard, "refusal", lambda address: None if address == "127.0.0.2" else "private")
    with Loopback("127.0.0.2") as outer, asking(allow_private=False) as service:
        outer.says["/robots.txt"] = redirect(service.site.url())
        (row,) = service.ask(outer.url("/a"))
        assert (row["outcome"], row["error"]) == ("prohibited", "unreachable")
        assert (outer.targets, service.site.targets) == (["/robots.txt"], [])


def test_references_are_retrieved_for_the_crawler_that_asks() -> None:
    """A policy that refers one crawler to a document is asked with it for that crawler, and without for others."""
    with asking() as service:
        service.site.says["/robots.txt"] = reply(
            body=b"ACAP-crawler: bot\nACAP-permissions-reference: /terms.txt\nACAP-crawler: *\nACAP-disallow-index: /\n"
        )
        service.site.says["/terms.txt"] = reply(body=b"ACAP-crawler: bot\nACAP-allow-index: /\n")
        (row,) = service.ask(service.site.url("/b"), usages="index")
        assert row["outcome"] == "permitted"
        (row,) = service.ask(service.site.url("/b"), usages="index", crawler="other")
        assert row["outcome"] == "prohibited"
        assert service.site.targets.count("/robots.txt") == 1


def test_a_reference_that_cannot_be_had_prohibits() -> None:
    """What a policy refers to may prohibit, so nothing is permitted without it."""
    with asking() as service:
        service.site.says["/robots.txt"] = reply(body=b"ACAP-crawler: *\nACAP-permissions-reference: /gone.txt\n")
        rows = service.ask(service.site.url("/b"), usages=["crawl", "index"])
        assert {row["outcome"] for row in rows} == {"prohibited"}


# --- Faults of our own ------------------------------------------------------------------------------------------------


def test_a_fault_of_a_retrieval_prohibits() -> None:
    """An error that no site can cause is a row with the error `fault`; the others are answered."""
    with asking() as service:
        good = service.site.url("/b")
        service.ask(good)

        def broken(_: Any, __: float) -> ReadyPolicy:
            raise RuntimeError("a fault")

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(ReadyPolicy, "of", broken)
            rows = service.ask(good, "http://127.0.0.1:9/")
        assert [(row["outcome"], row["error"]) for row in rows] == [("permitted", None), ("prohibited", "fault")]
        assert service.told('retrievals_total{result="fault"}') == 1


@pytest.mark.parametrize("place", ["acap.web.decisions.answers.PolicyTable", "acap.web.decisions.service.Batch"])
def test_a_fault_while_deciding_is_no_answer(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The client gets a 500 with one line and no row; the next request is answered."""
    with asking() as service:

        def broken(*_: Any) -> Any:
            raise RuntimeError("a fault")

        with monkeypatch.context() as patch:
            patch.setattr(place, broken)
            response = service.post(json.dumps({"crawler": "bot", "urls": [service.site.url("/b")]}))
        assert (response.status_code, response.json()) == (500, {"error": "internal error (RuntimeError)"})
        assert service.ask(service.site.url("/b"))[0]["outcome"] == "permitted"


def test_what_is_not_decided_in_time_is_prohibited(monkeypatch: pytest.MonkeyPatch) -> None:
    """A policy that takes long for each URL takes the time of its own batch alone; the rest of it says `deadline`."""

    class Slow:
        def __init__(self, policies: list[acap.RobotsPolicy]) -> None:
            self._table = acap.PolicyTable(policies)

        def decide(self, *asked: Any) -> Any:
            time.sleep(0.2)
            return self._table.decide(*asked)

    monkeypatch.setattr(answers, "PolicyTable", Slow)
    monkeypatch.setattr(bounds, "CHUNK_ROWS", 20)
    policy = ReadyPolicy(acap.parse_robots("", url="https://a.example/"), 0, 1, 0, False, None, False, 1)
    asked = Questions(("bot",), ("crawl", "follow"), (), ["https://a.example/"] * 30)
    batch = answers.Batch(asked, ["https://a.example"] * 30, {"https://a.example": policy}, {}, 0.0)
    rows = [answer for _, answer in batch.rows(time.monotonic() + 0.1).each()]
    assert [row.outcome for row in rows] == ["permitted"] * 20 + ["prohibited"] * 40
    assert {row.error for row in rows[20:]} == {"deadline"}
    assert [row.usage for row in rows] == ["crawl", "follow"] * 30


def test_chunks_take_in_each_url_once_and_weigh_policies() -> None:
    """However heavy the policies are, every URL is in one chunk, and a heavy one has few of them."""
    heavy = ReadyPolicy(acap.parse_robots("", url="https://a.example/"), 0, 1, 0, False, None, False, 10 * 2**20)
    policies = {"https://a.example": heavy, "https://b.example": heavy._replace(octets=100)}
    asked = Questions(("bot",), ("crawl",), (), [""] * 100)
    sites = ["https://a.example"] * 50 + ["https://b.example"] * 45 + [None] * 5
    chunks = list(answers.Batch(asked, sites, policies, {}, 0.0)._chunks())
    assert (chunks[0], chunks[-1][1]) == ((0, 3), 100)
    assert all(before[1] == after[0] and after[0] < after[1] for before, after in pairwise(chunks))
    assert len(chunks) == 17


def test_a_heavy_batch_is_decided_aside_and_alike() -> None:
    """More rows than are decided between two requests give what they give in parts, one after the other."""
    with asking() as service:
        urls = [service.site.url(f"/{'private' if n % 3 else 'open'}/{n}") for n in range(bounds.LIGHT_ROWS)]
        service.ask(urls[0])
        policies = {"": ReadyPolicy(acap.parse_robots("", url=urls[0]), 0, 1, 0, False, None, False, 1)}
        for usages in (("crawl",), ("crawl", "index")):
            batch = answers.Batch(Questions(("bot",), usages, (), urls), [""] * len(urls), policies, {}, 0)
            assert batch.is_light == (len(usages) == 1)
        found = service.ask(*urls, usages=usages)
        parts = [urls[begin : begin + 512] for begin in range(0, len(urls), 512)]
        apart = [row for part in parts for row in service.ask(*part, usages=usages)]
        assert [{**row, "age": 0} for row in found] == [{**row, "age": 0} for row in apart]


def test_what_cannot_be_sent_prohibits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Restrictions are never cut: a permission whose restrictions are too long is none. The text of a rule is cut."""
    monkeypatch.setattr(bounds, "RESTRICTION_CHARACTERS", 60)
    monkeypatch.setattr(bounds, "RULE_CHARACTERS", 30)
    long = f"ACAP-allow-index: /long must-use-resource=/{'x' * 70}\n"
    with asking() as service:
        service.site.says["/robots.txt"] = reply(
            body=f"ACAP-crawler: *\n{long}ACAP-allow-index: /short time-limit=5-days {'#' * 90}\n".encode()
        )
        rows = service.ask(service.site.url("/long"), service.site.url("/short"), usages="index")
    assert [(row["outcome"], row["error"]) for row in rows] == [
        ("prohibited", "restrictions-too-long"),
        ("permitted", None),
    ]
    assert rows[1]["rule"] == "ACAP-allow-index: /short time-…"


# --- Bounds -----------------------------------------------------------------------------------------------------------


def test_sites_beyond_the_queue_are_prohibited_and_told_to_come_again() -> None:
    """A batch of many hosts starts no more retrievals than there is room for."""
    with Loopback(says={"/robots.txt": silent}) as other:

        def narrow(sites: Sites, clock: Clock) -> Service:
            return Service(Sites(sites._retriever_of, clock, at_once=2, waiting=5), clock)

        with asking(service_of=narrow, resolver=lambda _, __: ["127.0.0.1"]) as service:
            hosts = [f"http://h{number}.example:{other.port}/" for number in range(1_000)]
            rows = service.ask(*hosts, deadline_ms=300)
            assert [row["error"] for row in rows] == ["deadline"] * 5 + ["overloaded"] * 995
            assert {row["outcome"] for row in rows} == {"prohibited"}
            assert service.told("retrievals_under_way") == 5
            assert len(other.targets) <= 2


def test_one_domain_does_not_fill_the_queue(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hosts of one owner that never answer take a part of the room; others are asked all the same."""
    monkeypatch.setattr(bounds, "FETCHES_WAITING_OF_ONE", 6)
    with Loopback(says={"/robots.txt": silent}) as other, asking(resolver=lambda _, __: ["127.0.0.1"]) as service:
        hosts = [f"http://h{number}.one.example:{other.port}/" for number in range(100)]
        rows = service.ask(*hosts, f"http://two.example:{service.site.port}/b", deadline_ms=400)
        assert [row["error"] for row in rows] == ["deadline"] * 6 + ["overloaded"] * 94 + [None]
        assert rows[-1]["outcome"] == "permitted"
        assert len(other.targets) <= bounds.FETCHES_OF_ONE


def test_who_waits_too_long_for_its_turn_makes_room(monkeypatch: pytest.MonkeyPatch) -> None:
    """A retrieval that was not begun is given up when nobody can wait for it any more."""
    monkeypatch.setattr(bounds, "TURN_SECONDS", 0.2)
    with Loopback(says={"/robots.txt": silent}) as other, asking(resolver=lambda _, __: ["127.0.0.1"]) as service:
        hosts = [f"http://h{number}.one.example:{other.port}/" for number in range(20)]
        rows = service.ask(*hosts, deadline_ms=1_000)
        assert Counter(row["error"] for row in rows) == {"deadline": 4, "overloaded": 16}
        assert service.told("retrievals_under_way") == 4


def test_hosts_of_one_domain_are_asked_a_few_at_a_time() -> None:
    """A thousand names that lead to one machine are a few connections to it at once."""
    now, most = 0, 0
    lock = threading.Lock()

    def slow(connection: socket.socket, _: Asked) -> None:
        nonlocal now, most
        with lock:
            now += 1
            most = max(most, now)
        time.sleep(0.01)
        with lock:
            now -= 1
        connection.sendall(reply(body=POLICY))

    with asking(resolver=lambda _, __: ["127.0.0.1"]) as service:
        service.site.says["/robots.txt"] = slow
        rows = service.ask(*(f"http://h{number}.one.example:{service.site.port}/b" for number in range(40)))
        assert {row["outcome"] for row in rows} == {"permitted"}
        assert 1 <= most <= bounds.FETCHES_OF_ONE


def test_what_is_kept_ready_is_bounded() -> None:
    """Policies beyond the bound go, and are read again from the cache of answers when they are asked for."""

    def small(sites: Sites, clock: Clock) -> Service:
        return Service(Sites(sites._retriever_of, clock, octets=20_000), clock)

    with asking(service_of=small, resolver=lambda _, __: ["127.0.0.1"]) as service:
        hosts = [f"http://h{number}.example:{service.site.port}/b" for number in range(20)]
        found = [service.ask(host)[0]["outcome"] for host in hosts * 2]
        assert found == ["permitted"] * 40
        assert service.told("policies_octets") <= 20_000
        assert len(service.site.targets) == 20
        rows = service.ask(*hosts)
        assert {row["error"] for row in rows if row["outcome"] == "prohibited"} <= {"overloaded"}


def test_a_cache_on_disk_outlives_the_service(tmp_path: Path) -> None:
    """The next process asks no site whose answer is fresh."""
    clock = FixedClock(AT)
    with Loopback(says={"/robots.txt": reply(body=POLICY)}) as site:
        for _ in range(2):
            cache = SqliteCache(tmp_path / "answers.sqlite3")
            with asking(cache=cache, clock=clock) as service:
                assert service.ask(site.url("/b"))[0]["outcome"] == "permitted"
            cache.close()
            clock.advance(timedelta(hours=1))
        assert site.targets == ["/robots.txt"]


def test_a_cache_that_fails_permits_nothing_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """The policy comes from the site then."""

    def broken(*_: Any) -> Any:
        raise CacheError("the disk is full")

    cache = MemoryCache()
    monkeypatch.setattr(cache, "load", broken)
    monkeypatch.setattr(cache, "store", broken)
    with asking(cache=cache) as service:
        rows = service.ask(service.site.url("/private/"), service.site.url("/b"))
        assert [row["outcome"] for row in rows] == ["prohibited", "permitted"]


def test_too_many_requests_are_told_to_come_again() -> None:
    """Beyond the bound a request gets 503 with Retry-After; those that were taken are answered."""

    def two(sites: Sites, clock: Clock) -> Service:
        return Service(sites, clock, requests=2)

    with Loopback(says={"/robots.txt": silent}) as other, asking(service_of=two) as service:
        found: list[Response] = []
        body = json.dumps({"crawler": "bot", "urls": [other.url("/")], "deadline_ms": 1_500})
        threads = [threading.Thread(target=lambda: found.append(service.post(body))) for _ in range(2)]
        for thread in threads:
            thread.start()
        while service.told("requests_under_way") < 2:
            time.sleep(0.01)
        assert service.client.get("/readyz").status_code == 503
        refused = service.post(body)
        assert (refused.status_code, refused.headers["retry-after"]) == (503, "1")
        for thread in threads:
            thread.join()
        assert [response.status_code for response in found] == [200, 200]
        assert service.client.get("/readyz").status_code == 200


def test_octets_of_all_requests_are_bounded() -> None:
    """Bodies and answers beyond the bound are refused with 503, and what a request held is let go at its end."""
    budget = OctetBudget(20_000)
    with asking(service_of=lambda sites, clock: Service(sites, clock, budget=budget)) as service:
        assert service.post(b" " * 30_000).status_code == 503
        url = service.site.url("/b")
        assert service.ask(url)[0]["outcome"] == "permitted"
        many = service.post(json.dumps({"crawler": "bot", "urls": [url] * 500}))
        assert (many.status_code, "answers wait" in many.json()["error"]) == (503, True)
        assert budget.now == 0


class Held:
    """Reads a body no further until it may: `began` says that a reading began."""

    def __init__(self, read: Callable[[bytes], Questions]) -> None:
        self._read = read
        self.began, self.may = threading.Event(), threading.Event()

    def __call__(self, body: bytes) -> Questions:
        if len(body) > bounds.LIGHT_BODY_OCTETS:
            self.began.set()
            assert self.may.wait(60)
        return self._read(body)


def test_while_a_large_body_is_read_others_are_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Health, metrics and small questions do not wait for what megabytes of JSON are."""
    held = Held(from_json)
    monkeypatch.setattr("acap.web.decisions.service.from_json", held)
    with asking() as service:
        url = service.site.url("/b")
        body = json.dumps({"crawler": "bot", "urls": [url] * 5_000})
        found: list[Response] = []
        thread = threading.Thread(target=lambda: found.append(service.post(body)))
        thread.start()
        try:
            assert held.began.wait(60)
            assert [service.client.get(path).status_code for path in ("/healthz", "/readyz", "/metrics")] == [200] * 3
            assert service.ask(url)[0]["outcome"] == "permitted"
            assert service.told("requests_under_way") == 1
            assert found == []
        finally:
            held.may.set()
            thread.join()
        assert [response.status_code for response in found] == [200]


def test_who_waits_too_long_for_its_body_to_be_read_is_told_to_come_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """One large body after the other is read, and nobody waits for all of them."""
    held = Held(from_json)
    monkeypatch.setattr("acap.web.decisions.service.from_json", held)
    monkeypatch.setattr(bounds, "READING_SECONDS", 0.2)
    with asking() as service:
        try:
            for _ in range(2):
                refused = service.post(" " * (bounds.LIGHT_BODY_OCTETS + 1))
                assert (refused.status_code, refused.headers["retry-after"]) == (503, "1")
        finally:
            held.may.set()
        assert service.told("held_octets") == 0


def test_when_it_ends_what_was_taken_is_answered_and_nothing_more_is_taken() -> None:
    """Whoever waits for a site is answered at once, with what is known; the next is told to ask another."""
    with asking() as service, Loopback(says={"/robots.txt": silent}) as other:
        good = service.site.url("/b")
        service.ask(good)
        found: list[Response] = []
        body = json.dumps({"crawler": "bot", "urls": [good, other.url("/")], "deadline_ms": 20_000})
        thread = threading.Thread(target=lambda: found.append(service.post(body)))
        began = time.monotonic()
        thread.start()
        while service.told("retrievals_under_way") < 1:
            time.sleep(0.01)
        assert service.client.portal is not None
        service.client.portal.call(service.service.end)
        thread.join()
        assert time.monotonic() - began < 10
        rows = found[0].json()["answers"]
        assert [(row["outcome"], row["error"]) for row in rows] == [("permitted", None), ("prohibited", "ending")]
        refused = service.post(body)
        assert (refused.status_code, refused.headers["retry-after"]) == (503, "1")
        assert service.client.get("/readyz").status_code == 503
        assert service.client.get("/healthz").status_code == 200


# --- Who may ask ------------------------------------------------------------------------------------------------------


def test_a_token_is_wanted_where_there_are_tokens() -> None:
    """Every path but those that watch the process wants one of them, whole and in one header."""
    tokens = ["a" * 24, "b" * 24]
    with asking(tokens=tokens) as service:
        for header in (
            "", "Bearer", "Bearer ", f"Bearer {'a' * 23}", f"Bearer {'a' * 25}", f"Basic {'a' * 24}", "a" * 24,
            f"Bearer {'a' * 24},{'b' * 24}", f"Bearer {'A' * 24}", "Bearer \xe4",
        ):  # fmt: skip
            for path in ("/v1/decisions", "/metrics", "/openapi.json", "/nothing", "//healthz", "/healthz/"):
                headers = {b"authorization": header.encode("latin-1")}
                response = service.client.get(path, headers=headers, follow_redirects=False)
                assert (response.status_code, response.headers["www-authenticate"]) == (401, "Bearer"), (header, path)
        two = [("authorization", f"Bearer {tokens[0]}"), ("authorization", "Bearer x")]
        assert service.client.get("/metrics", headers=two).status_code == 401
        for token in tokens:
            assert service.client.get("/metrics", headers={"authorization": f"bearer {token}"}).status_code == 200
        assert [service.client.get(path).status_code for path in ("/healthz", "/readyz")] == [200, 200]


@pytest.mark.parametrize(
    "host", ["evil.example", "testserver.evil.example", "testserver@evil.example", "", "127.0.0.2"]
)
def test_another_host_name_is_not_answered(service: Asking, host: str) -> None:
    """A page elsewhere whose name is made to lead here gets nothing."""
    response = service.client.post("/v1/decisions", content=b"{}", headers={"host": host, "content-type": JSON})
    assert response.status_code == 421
    assert response.json() == {"error": "this server does not answer for that host name"}
    assert service.client.get("/metrics", headers={"host": host}).status_code == 421


# --- What it tells of itself ------------------------------------------------------------------------------------------


def test_metrics_are_in_the_format_of_prometheus(service: Asking) -> None:
    """The maintained parser reads every line, and the counts are of what was answered."""
    before = service.told("decisions_total")
    service.ask(service.site.url("/b"), "nothing")
    response = service.client.get("/metrics")
    assert response.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    families = {one.name: one for one in text_string_to_metric_families(response.text)}
    assert all(one.documentation and one.type in ("counter", "gauge", "histogram") for one in families.values())
    assert sum(sample.value for sample in families["acap_decisions"].samples) == before + 2
    buckets = [one.value for one in families["acap_request_seconds"].samples if one.name.endswith("_bucket")]
    assert buckets == sorted(buckets)
    assert families["acap_policies_ready"].samples[0].value >= 1


def test_the_description_is_valid_and_names_every_path(service: Asking) -> None:
    """OpenAPI 3.1, by the maintained validator; each route is in it with its methods, and nothing else."""
    found = service.client.get("/openapi.json").json()
    OpenAPIV31SpecValidator(found).validate()
    routes = decisions_app().routes
    there = {route.path: {method.lower() for method in route.methods or ()} - {"head"} for route in routes}  # type: ignore[attr-defined]
    assert {path: set(item) for path, item in found["paths"].items()} == there


def test_answers_and_questions_are_as_described(service: Asking) -> None:
    """Whatever is answered fits the schemas; what is refused as not understood does not fit that of questions."""
    found = document()
    schemas = found["components"]["schemas"]

    def check(name: str, value: Any) -> None:
        schema = {"$ref": f"#/components/schemas/{name}", "components": found["components"]}
        Draft202012Validator(schema).validate(value)

    urls = [service.site.url("/private/"), service.site.url("/b"), 5, "nothing", "http://127.0.0.1:9/"]
    question = {"crawler": ["bot", "b"], "usages": "search", "purpose": None, "urls": urls, "deadline_ms": 2_000.5}
    check("Questions", question)
    check("Answers", service.post(json.dumps(question)).json())
    check("Refusal", service.post("{}").json())
    for wrong in (
        {"crawler": "bot"}, {**question, "usage": "index"}, {**question, "deadline_ms": 0}, {**question, "usages": []},
        {**question, "usages": ""}, {**question, "crawler": []}, {**question, "purpose": ""},
    ):  # fmt: skip
        with pytest.raises(ValidationError):
            check("Questions", wrong)
        assert service.post(json.dumps(wrong)).status_code == 400
    permitted = service.ask(urls[1])[0]
    with pytest.raises(ValidationError):
        check("Answer", {**permitted, "error": "deadline"})
    assert set(schemas["Answer"]["properties"]) == {"url", *answers.RowAnswer._fields}
    assert set(schemas["Questions"]["properties"]) == set(MEMBERS)
    parameters = found["paths"]["/v1/decisions"]["post"]["parameters"]
    assert [one["name"] for one in parameters if one["in"] == "query"] == [*IN_QUERY]
    assert set(permitted) == set(schemas["Answer"]["required"])
