"""Pipelines of datatrove keep what policies permit, and request nothing that they do not."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from datatrove.data import Document, Media
from datatrove.pipeline.media.readers.http_fetch import HTTPFetchReader

import acap
from acap.audits.rows import Auditor
from acap.integrations.datatrove import AskingHTTPFetchReader, KeptPolicies, PolicyFilter, RetrievedPolicies
from tests.crawled import Came, crawl, pages_of, robots_table, table_of, write_warc
from tests.loopback import Loopback, redirect, reply

SCRIPT = Path(__file__).parent.parent / "examples/engines/datatrove_filter.py"
USAGES = ["crawl", "ai-train"]
# A session would send the next request over the connection, which the server closes.
OCTETS = reply(body=b"octets", headers=[("Connection", "close")])

pytestmark = pytest.mark.filterwarnings("ignore:ssl.:DeprecationWarning")  # what datatrove asks of TLS


def document(came: Came) -> Document:
    """A page as a reader gives it."""
    metadata = {"url": came.url, "date": came.at.isoformat(), "status": came.status, "headers": dict(came.pairs)}
    return Document(text="Words", id=came.url, metadata={**metadata, "html": came.body.decode()})


def passed(step: PolicyFilter, documents: list[Document]) -> list[str]:
    """What a filter keeps."""
    return [one.id for one in step.run(iter(documents))]


def test_the_example_keeps_the_rows_that_an_audit_permits(tmp_path: Path) -> None:
    """In two processes and four tasks, with the reason of each refusal beside what was dropped."""
    crawled = crawl(13, 400)
    came = pages_of(crawled)
    (tmp_path / "pages").mkdir()
    for part in range(4):
        lines = [json.dumps({"text": "Words", "id": one.id, **one.metadata}) for one in map(document, came[part::4])]
        (tmp_path / f"pages/{part}.jsonl").write_text("\n".join(lines) + "\n")
    robots = robots_table(crawled)
    pq.write_table(robots, tmp_path / "robots.parquet")
    call = [sys.executable, SCRIPT, tmp_path / "pages", tmp_path / "robots.parquet", tmp_path / "out"]
    done = subprocess.run(list(map(str, call)), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]

    def rows(folder: str) -> list[dict[str, Any]]:
        files = sorted((tmp_path / "out" / folder).glob("*.jsonl"))
        return [json.loads(line) for file in files for line in file.read_text().splitlines()]

    audited = acap.audit(table_of(came), robots, crawler="examplebot", usages=USAGES).to_pylist()
    by_url = {row["url"]: row for row in audited}
    permitted = {url for url, row in by_url.items() if {row["crawl_outcome"], row["ai_train_outcome"]} == {"permitted"}}
    assert {row["id"] for row in rows("kept")} == permitted
    dropped = rows("dropped")
    assert {row["id"] for row in dropped} == by_url.keys() - permitted
    assert 0 < len(permitted) < len(by_url)
    for row in dropped:
        told, found = row["metadata"], by_url[row["id"]]
        column = told["acap_usage"].replace("-", "_")
        assert (told["acap_outcome"], told["acap_kind"]) == (found[f"{column}_outcome"], found[f"{column}_kind"])
        assert (told["acap_line"], told["acap_error"]) == (found[f"{column}_line"], found["error"])
        assert told["filter_reason"] == f"{told['acap_usage']}_{told['acap_error'] or told['acap_kind']}"
    stats = json.loads((tmp_path / "out/logs/stats.json").read_text())[1]["stats"]
    counted = {name.removeprefix("dropped_"): many for name, many in stats.items() if name.startswith("dropped_")}
    assert counted == Counter(row["metadata"]["filter_reason"] for row in dropped)


def test_policies_of_tables_archives_and_shelves_give_the_same(tmp_path: Path) -> None:
    """Whatever they are read from, and after a pickle."""
    crawled = crawl(9, 60)
    documents = [document(one) for one in pages_of(crawled)]
    robots = robots_table(crawled)
    pq.write_table(robots, tmp_path / "robots.parquet")
    archive = write_warc(tmp_path / "robots.warc.gz", (one for one in crawled if one.url.endswith("/robots.txt")))
    kept = passed(PolicyFilter(robots, crawler="examplebot", usages=USAGES), documents)
    assert 0 < len(kept) < len(documents)
    for source in (archive, tmp_path / "robots.parquet"):
        step = PolicyFilter(KeptPolicies.make(tmp_path / "shelf", [source]), crawler="examplebot", usages=USAGES)
        assert passed(pickle.loads(pickle.dumps(step)), documents) == kept
    with pytest.raises(ValueError, match="there is no shelf"):
        KeptPolicies(tmp_path / "nothing")


def test_restrictions_stay_with_what_is_kept_and_the_text_may_be_the_page() -> None:
    policy = "ACAP-crawler: *\nACAP-allow-crawl: /\nACAP-allow-present-snippet: / max-length=50-chars\n"
    robots = pa.table({"url": ["https://a.example/"], "robots": [policy]})
    step = PolicyFilter(robots, crawler="examplebot", usages=["present-snippet"], text_is_page=True)
    free = Document(text="<p>Words", id="0", metadata={"url": "https://a.example/0"})
    refused = Document(text="<meta name=robots content=nosnippet>", id="1", metadata={"url": "https://a.example/1"})
    assert passed(step, [free, refused]) == ["0"]
    assert free.metadata["acap_restrictions"] == ["present-snippet:max-length=50-chars"]
    assert refused.metadata["acap_carrier"] == "page"


@pytest.mark.parametrize(
    "metadata", [{}, {"url": None}, {"url": 5}, {"url": "mailto:a"}, {"url": "https://b.example/"}]
)
def test_a_document_that_nothing_can_be_decided_of_is_dropped(metadata: dict[str, Any]) -> None:
    step = PolicyFilter(pa.table({"url": ["https://a.example/"], "robots": [""]}), crawler="examplebot")
    assert step.filter(Document("Words", "0", metadata=metadata)) is not True
    assert metadata["acap_error"] in ("no-url", "no-policy")


@pytest.mark.parametrize(
    "url", ["https://a.example/page", "https://a.example/?robots.txt", "https://A.example./a/robots.txt"]
)
def test_a_table_of_pages_is_no_table_of_policies(url: str) -> None:
    """What stands beside a page may be its META tag, of which nothing would be read, and its site were permitted."""
    table = pa.table({"url": [url], "robots": ["noindex, nofollow"]})
    with pytest.raises(
        ValueError, match=r"row 1: `.+` is neither a site nor its robots.txt; write https://a.example/r"
    ):
        PolicyFilter(table, crawler="examplebot", missing="permitted")


@pytest.mark.parametrize("url", ["https://a.example", "HTTPS://A.example.:443/", "https://a.example/%72obots.txt#a"])
def test_a_policy_stands_beside_its_own_url_or_that_of_its_site(url: str) -> None:
    table = pa.table({"url": [url], "robots": ["User-agent: *\nDisallow: /\n"]})
    step = PolicyFilter(table, crawler="examplebot", missing="permitted")
    assert step.filter(Document("Words", "0", metadata={"url": "https://a.example./page"})) is not True
    assert step.filter(Document("Words", "1", metadata={"url": "https://b.example/page"})) is True


def test_a_value_that_cannot_be_read_and_a_fault_of_ours_drop_the_document(monkeypatch: pytest.MonkeyPatch) -> None:
    step = PolicyFilter(pa.table({"url": ["https://a.example/"], "robots": [""]}), crawler="examplebot")
    url = "https://a.example/"
    assert step.filter(Document("Words", "0", metadata={"url": url})) is True
    assert step.filter(Document("Words", "0", metadata={"url": url, "headers": 7})) == (False, "crawl_unreadable")

    def fails(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr(Auditor, "row", fails)
    assert step.filter(Document("Words", "0", metadata={"url": url})) == (False, "crawl_internal")


def fetched(reader: HTTPFetchReader, urls: list[str]) -> list[Media]:
    """What a reader makes of media."""
    documents = [Document("Words", str(number), [Media(str(number), 0, url)]) for number, url in enumerate(urls)]
    done = sorted(reader.run(iter(documents)), key=lambda one: int(one.id))
    return [one.media[0] for one in done]


def asking(**options: Any) -> AskingHTTPFetchReader:
    """A reader that may ask the loopback interface, and does not try again for long."""
    policies = RetrievedPolicies(crawler="examplebot", allow_private=True, **options)
    return AskingHTTPFetchReader(
        custom_agent="examplebot/1.0", policies=policies, max_retries=1, retry_delay=0, timeout=(9, 9)
    )


def test_a_site_is_asked_once_and_nothing_is_requested_that_it_refuses() -> None:
    """datatrove's own reader asks for robots.txt before each medium."""
    with Loopback() as server:
        server.says["/robots.txt"] = reply(body=b"User-agent: *\nDisallow: /private\n")
        for number in range(8):
            server.says[f"/{number}.png"] = OCTETS
        urls = [server.url(f"/{number}.png") for number in range(8)] + [server.url("/private/a.png")]
        reader = pickle.loads(pickle.dumps(asking()))
        media = fetched(reader, urls)
        targets = Counter(one.target for one in server.asked)
        assert targets["/robots.txt"] == 1
        assert targets["/private/a.png"] == 0
        assert [one.media_bytes for one in media] == [b"octets"] * 8 + [None], [one.metadata for one in media]
        told = media[-1].metadata["fetch_response"]
        assert told["reason"] == "robots_txt_disallowed"
        assert "/robots.txt:2:1 Disallow: /private" in told["acap"]
        assert reader.stats["media_fetch_robots_disallowed"].total == 1
        theirs = HTTPFetchReader(custom_agent="examplebot/1.0", max_retries=1, retry_delay=0)
        fetched(theirs, urls)
        assert Counter(one.target for one in server.asked)["/robots.txt"] == 1 + len(urls)


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_site_that_does_not_answer_permits_nothing(status: int) -> None:
    """datatrove's own reader requests where the check fails."""
    with Loopback() as server:
        server.says |= {"/robots.txt": reply(status), "/a.png": OCTETS}
        (medium,) = fetched(asking(), [server.url("/a.png")])
        assert medium.media_bytes is None
        assert [one.target for one in server.asked] == ["/robots.txt"]


def test_a_connection_that_breaks_off_permits_nothing() -> None:
    """Where datatrove's own reader says that it skips the check, and requests."""
    with Loopback() as server:
        server.says |= {"/robots.txt": b"", "/a.png": OCTETS}
        (medium,) = fetched(asking(), [server.url("/a.png")])
        assert medium.media_bytes is None
        assert "/a.png" not in {one.target for one in server.asked}
        theirs = HTTPFetchReader(custom_agent="examplebot/1.0", max_retries=1, retry_delay=0)
        (medium,) = fetched(theirs, [server.url("/a.png")])
        assert medium.media_bytes == b"octets"


def test_the_target_of_a_redirect_is_asked_about() -> None:
    with Loopback() as site, Loopback() as other:
        site.says |= {"/robots.txt": reply(), "/a.png": redirect(other.url("/b.png"))}
        other.says |= {"/robots.txt": reply(body=b"User-agent: *\nDisallow: /\n"), "/b.png": OCTETS}
        (medium,) = fetched(asking(), [site.url("/a.png")])
        assert medium.media_bytes is None
        assert medium.metadata["fetch_response"]["reason"] == "robots_txt_disallowed"
        assert [one.target for one in other.asked] == ["/robots.txt"]


def test_a_fault_of_ours_requests_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr(RetrievedPolicies, "speaking", fails)
    with Loopback() as server:
        server.says["/a.png"] = OCTETS
        (medium,) = fetched(asking(), [server.url("/a.png")])
        assert medium.media_bytes is None
        assert server.asked == []


def test_processes_share_what_they_retrieved_by_a_file(tmp_path: Path) -> None:
    with Loopback() as server:
        server.says |= {"/robots.txt": reply(), "/a.png": OCTETS}
        for _ in range(2):  # as two processes have it: each makes its own
            reader = pickle.loads(pickle.dumps(asking(cache=str(tmp_path / "answers.sqlite3"))))
            (medium,) = fetched(reader, [server.url("/a.png")])
            assert medium.media_bytes == b"octets"
        assert Counter(one.target for one in server.asked)["/robots.txt"] == 1
