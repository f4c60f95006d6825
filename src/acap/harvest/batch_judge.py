"""What a harvest would do with the responses of archives, on any engine: splits of WARC files in, rows out.

    judging = BatchJudge(policies, crawler="examplebot", usage=["ai-train"])
    frame.mapInArrow(judging.over, judging.spark_schema)          # PySpark: path, and perhaps offset and length
    splits.mapPartitions(lambda some: map(judging.rows, some))    # or any worker

The laws of this module:

1. A row is what `judge` concludes of one response, by the policies that speak for it. There is no store, so each
   response is the first of its resource. Of several policies the strictest counts, and what they differ on is not kept.
2. A response that may not be crawled is not judged: nothing of it is kept. What could not be read has a row that says
   so, and nothing of it is permitted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, Final, Protocol

import pyarrow as pa

from acap.archives.archive import Damage, Revisit, read_warc
from acap.archives.capture import Capture
from acap.archives.page_licences import licences_in
from acap.archives.splits import WarcSplit
from acap.crawlers import as_crawler
from acap.decision import STRICTNESS, Outcome
from acap.dialects.well_known import brings_document
from acap.harvest.conclusion import Conclusion, judge
from acap.harvest.judgement import ResourceState, Response
from acap.restrictions import Facts
from acap.retrieval.locations import canonical, is_robots_url
from acap.robots import Asker, RobotsPolicy
from acap.usages import USAGES, asked_usages

_ROWS = 1024
_HELD = 32 * 2**20  # octets of copies and texts in a batch
_TIME = pa.timestamp("us", tz="UTC")
_LINKS = pa.list_(pa.string())

_COLUMNS: tuple[tuple[str, pa.DataType, str], ...] = (
    ("url", pa.string(), "string"),
    ("fetch_time", _TIME, "timestamp"),
    ("status", pa.int32(), "int"),
    ("media", pa.string(), "string"),
    ("sha256", pa.string(), "string"),
    ("crawl_outcome", pa.string(), "string"),
    ("follow_outcome", pa.string(), "string"),
    ("index_outcome", pa.string(), "string"),
    ("preserve_outcome", pa.string(), "string"),
    ("title", pa.string(), "string"),
    ("text", pa.string(), "string"),
    ("copy", pa.binary(), "binary"),
    ("copy_is_whole", pa.bool_(), "boolean"),
    ("links", _LINKS, "array<string>"),
    ("links_refused", pa.int64(), "bigint"),
    ("expires", _TIME, "timestamp"),
    ("error", pa.string(), "string"),
)

NO_POLICY: Final = "no-policy"
NO_DOCUMENT: Final = "no-document"
UNREADABLE: Final = "unreadable"
INTERNAL: Final = "internal"
"""Why a response was not judged: no policy of its site is known; its status brings no document; it could not be read;
acap failed on it."""


class PoliciesByTime(Protocol):
    """Which policies speak for a URL, such as `acap.audits.policies.TablePolicies`."""

    def speaking(self, url: str, at: datetime, licences: Sequence[str] = ()) -> tuple[RobotsPolicy, ...]:
        """The policies of the URL's site at an instant, each of which has to permit; empty if none is known."""
        ...


class BatchJudge:
    """`judge` with its question fixed, for the responses of archives; it can be pickled if its policies can.

    Args:
        policies: those that speak for the sites.
        crawler: who asks, as `acap.decide` takes it.
        usage: what is kept is kept for this one or these, beside the usages of a harvest.
        at: the instant of the judgement; without it, that of each capture.
        usages: the same as `usage`, by its earlier name.

    Raises:
        ValueError: an unknown usage, a time without a zone.
    """

    def __init__(
        self,
        policies: PoliciesByTime,
        *,
        crawler: Asker,
        usage: str | Iterable[str] | None = None,
        at: datetime | None = None,
        usages: str | Iterable[str] | None = None,
    ) -> None:
        named = asked_usages(usage, usages, ())
        if unknown := next((one for one in named if one not in USAGES), None):
            raise ValueError(f"`{unknown}` is not a usage; known are {', '.join(USAGES)}")
        if at is not None and at.utcoffset() is None:
            raise ValueError(f"`{at.isoformat()}` has no time zone; add one, UTC for example")
        self._policies = policies
        self._crawler = as_crawler(crawler)
        self._usages = named
        self._at = at

    @property
    def schema(self) -> pa.Schema:
        """The columns of its rows."""
        return pa.schema([pa.field(name, kind) for name, kind, _ in _COLUMNS])

    @property
    def spark_schema(self) -> str:
        """The columns of its rows as Spark writes them."""
        return ", ".join(f"`{name}` {kind}" for name, _, kind in _COLUMNS)

    def __call__(self, batch: pa.RecordBatch | pa.Table) -> pa.Table:
        """The rows of the splits in a batch: `path`, and where they are there `offset` and `length`."""
        return pa.Table.from_batches(self.over([batch]), schema=self.schema)

    def over(self, batches: Iterable[pa.RecordBatch | pa.Table]) -> Iterator[pa.RecordBatch]:
        """The rows of all splits in batches, in batches of bounded size."""
        for batch in batches:
            for row in batch.to_pylist():
                yield from self.batches(WarcSplit(row["path"], row.get("offset") or 0, row.get("length")))

    def batches(self, split: WarcSplit | Path | str) -> Iterator[pa.RecordBatch]:
        """The rows of a split, or of a file, in batches of bounded size. Raises OSError if it cannot be opened."""
        schema = self.schema
        held: list[dict[str, Any]] = []
        octets = 0
        for row in self.rows(split):
            held.append(row)
            octets += len(row["copy"] or b"") + len(row["text"] or "")
            if len(held) >= _ROWS or octets >= _HELD:
                yield pa.RecordBatch.from_pylist(held, schema)
                held, octets = [], 0
        if held:
            yield pa.RecordBatch.from_pylist(held, schema)

    def rows(self, split: WarcSplit | Path | str) -> Iterator[dict[str, Any]]:
        """The rows of a split, or of a file, each a value for each column. Raises OSError if it cannot be opened."""
        if not isinstance(split, WarcSplit):
            split = WarcSplit(str(split))
        if not split.begins:
            yield _refused(None, None, None, f"{UNREADABLE}: no record begins at octet {split.offset}")
            return
        waiting: list[dict[str, Any]] = []

        def damaged(damage: Damage) -> None:
            if not damage.is_other or damage.url is None:
                why = f"{UNREADABLE}: octet {damage.offset}: {damage.message}"
                waiting.append(_refused(damage.url, damage.at, damage.status or None, why))

        def revisited(revisit: Revisit) -> None:
            why = f"{UNREADABLE}: its octets are in another record"
            waiting.append(_refused(revisit.url, revisit.at, revisit.status or None, why))

        for capture in read_warc(Path(split.path), on_problem=damaged, on_revisit=revisited, part=split.part):
            yield from waiting
            waiting.clear()
            if not is_robots_url(capture.url):
                yield self.row(capture)
        yield from waiting

    def row(self, capture: Capture) -> dict[str, Any]:
        """What one response comes to."""
        try:
            return self._judged(capture)
        except Exception as error:  # noqa: BLE001 - a fault of ours is one row, which is prohibited
            return _refused(capture.url, capture.at, capture.status, f"{INTERNAL}: {type(error).__name__}")

    def _judged(self, capture: Capture) -> dict[str, Any]:
        at = self._at or capture.at
        try:
            url = canonical(capture.url)
        except ValueError:
            return _refused(capture.url, capture.at, capture.status, f"{UNREADABLE}: it has no URL")
        policies = self._policies.speaking(url, at, licences_in(url, capture.headers, capture.body))
        if not policies:
            return _refused(capture.url, capture.at, capture.status, NO_POLICY)
        crawl = _strictest([policy.decide(url, crawler=self._crawler, at=at).outcome for policy in policies])
        row = _refused(capture.url, capture.at, capture.status, None) | {"crawl_outcome": crawl}
        if crawl != Outcome.PERMITTED:
            return row
        if not brings_document(capture.status):
            return row | {"error": NO_DOCUMENT}
        state = ResourceState(Facts(at, at, at, at))
        return row | _columns([judge(self._response(url, at, capture, policy), state) for policy in policies])

    def _response(self, url: str, at: datetime, capture: Capture, robots: RobotsPolicy) -> Response:
        return Response(url, at, self._crawler, robots, capture.headers, capture.body, usages=self._usages)


def _columns(conclusions: Sequence[Conclusion]) -> dict[str, Any]:
    """What conclusions by several policies come to together."""

    def same(of: Callable[[Conclusion], Any], otherwise: Any = None) -> Any:
        values = [of(conclusion) for conclusion in conclusions]
        return values[0] if values.count(values[0]) == len(values) else otherwise

    first = conclusions[0]
    words = same(lambda one: one.words) or (None, None)
    copy = same(lambda one: one.copy) or (None, None)
    links = [set(conclusion.leads.links if conclusion.leads is not None else ()) for conclusion in conclusions]
    of_first = () if first.leads is None else first.leads.links
    return {
        "media": first.media,
        "sha256": first.sha256,
        **{
            f"{usage}_outcome": _strictest([one.record[usage]["outcome"] for one in conclusions]) for usage in _RECORDED
        },
        "title": words[0],
        "text": words[1],
        "copy": copy[0],
        "copy_is_whole": copy[1],
        "links": [one for one in of_first if all(one in each for each in links)],
        "links_refused": max(0 if conclusion.leads is None else conclusion.leads.refused for conclusion in conclusions),
        "expires": min((conclusion.end for conclusion in conclusions if conclusion.end is not None), default=None),
    }


_RECORDED = ("follow", "index", "preserve")


def _strictest(outcomes: Sequence[str]) -> str:
    return str(max(map(Outcome, outcomes), key=STRICTNESS.__getitem__))


def _refused(url: str | None, at: datetime | None, status: int | None, error: str | None) -> dict[str, Any]:
    """The row of a response of which nothing is permitted."""
    plain = None if url is None else url.encode("utf-8", "replace").decode()
    row: dict[str, Any] = dict.fromkeys(name for name, _, _ in _COLUMNS)
    refused = {f"{usage}_outcome": str(Outcome.PROHIBITED) for usage in ("crawl", *_RECORDED)}
    return row | refused | {"url": plain, "fetch_time": at, "status": status, "error": error}
