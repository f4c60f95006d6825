"""An audit of a crawl as large as Common Crawl's, on paper: from what pages, URLs and policies cost here.

`python -m benchmarks` writes the page `docs/how-to/common-crawl-on-paper.md`, whose numbers follow the results.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

PAGE = Path(__file__).parent.parent / "docs/how-to/common-crawl-on-paper.md"

PAGES = 3_000_000_000
SITES = 50_000_000
CORES = 1_000
ASSUMED: Mapping[str, tuple[float, str]] = {
    "packed": (30_000, "octets of a page in a WARC file, packed, with its request and metadata"),
    "row": (120, "octets of a URL with its time in a table, packed"),
    "robots": (1_000, "octets of what a site says, packed"),
    "large": (0.6, "of the pages are of sites so large that their policies are broadcast"),
    "moving": (10, "seconds of a core for a GB that moves between machines: packing, writing, reading"),
    "slowdown": (1.5, "times as slow is a rented core, of which two share one, as the one that was measured"),
    "working": (0.7, "of its time a core works; in the rest it waits for storage, and for the last task"),
    "core": (0.04, "US dollars for an hour of a core with 4 GB"),
}
"""What was not measured: value, and what it is."""

_TEXT = """\
# Common Crawl on paper

What an audit of {pages} billion pages of {sites} million sites would take. Nobody ran it: it is worked out from what
[the benchmarks](../benchmarks.md) measured, and from assumptions. Put your own in their place (`ASSUMED` in
`benchmarks/paper.py`).

| measured | µs of a core |
|---|---|
{measured}

A page is one of {octets} octets, audited for {usages} usages from the WARC file to the row. A policy is a real
robots.txt. The processor was {processor}.

| assumed | |
|---|---|
{assumed}

## What it comes to

| way | hours of a core | hours on {cores} cores | read | moved between machines | US dollars |
|---|---|---|---|---|---|
{ways}

Storage and traffic within a region are not in the sum. Traffic out of it would be most of it.

- **URLs alone** (`acap.decide_table`) hear robots.txt, and nothing that pages and headers say.
- **A file on each machine** is `KeptPolicies`; pages stay where they are read. They are read twice: a policy
  may stand behind its page. The audit of one machine reads an archive once, and keeps what it heard until then.
- **A join** is [spark_join.py](../../examples/engines/spark_join.py): the policies of large sites are broadcast, other
  pages go to the policies of their site.

## What breaks first

1. **A broadcast of all policies.** {policies} packed, and several times that once read, is more than a worker has.
   Broadcast those of large sites and join the rest, or keep them in a file.
2. **The one writer of that file.** `KeptPolicies.make` has one process. Beyond some million sites make a file for each
   range of sites, and send pages to the file of their range.
3. **The traffic of a join.** Pages move with their octets, {moved}. On a narrow network let policies go to pages: join
   the URLs ({rows}) with policies first, and give each file of pages those that it needs.
4. **Sites that have most pages.** A task holds all pages of its bucket. Without the broadcast, a site of a million
   pages needs {million} there.
5. **Small files.** Each part of an audit has its own rows; of {parts} parts many are to be written as one file.
"""


class Way(NamedTuple):
    """One way to audit: seconds of a core here, octets that are read, and that go from machine to machine."""

    name: str
    seconds: float
    read: float
    moved: float


def costs(results: Mapping[str, Any]) -> dict[str, float]:
    """Microseconds of a core."""
    found = results["audit"]
    _, audited, text, *_ = found["works"].values()
    reading = next(one for one in results["measures"] if one["title"] == "Reading")
    return {
        "a page": audited["median"],
        "a page for its usable text": text["median"],
        "a URL": found["rates"]["sorted by site"]["median"],
        "a policy": reading["rows"]["acap"]["median"],
    }


def ways(results: Mapping[str, Any]) -> list[Way]:
    """The ways, from what was measured."""
    page, text, url, policy = costs(results).values()
    policies, rows, pages = SITES * _assumed("robots"), PAGES * _assumed("row"), PAGES * _assumed("packed")
    moved = (1 - _assumed("large")) * pages + policies
    reading = SITES * policy / 1e6
    return [
        Way("URLs alone, sorted by site", reading + PAGES * url / 1e6, rows + policies, rows + policies),
        Way("pages, with the policies in a file on each machine", reading + PAGES * page / 1e6, 2 * pages, policies),
        Way("pages, joined with their policies by site", reading + PAGES * page / 1e6, pages + policies, moved),
        Way("the usable text of pages, likewise", reading + PAGES * text / 1e6, pages + policies, moved),
    ]


def page(results: Mapping[str, Any]) -> str:
    """The page of these results."""
    pages = PAGES * _assumed("packed")
    return _TEXT.format(
        pages=f"{PAGES / 1e9:g}",
        sites=f"{SITES / 1e6:g}",
        measured="\n".join(f"| {name} | {_number(value)} |" for name, value in costs(results).items()),
        octets=f"{results['audit']['octets']:,}",
        usages=results["audit"]["usages"],
        processor=results["machine"]["processor"],
        assumed="\n".join(f"| {value:,g} | {what} |" for value, what in ASSUMED.values()),
        cores=f"{CORES:,}",
        ways="\n".join(map(_row, ways(results))),
        policies=_size(SITES * _assumed("robots")),
        moved=_size((1 - _assumed("large")) * pages),
        rows=_size(PAGES * _assumed("row")),
        million=_size(1e6 * results["audit"]["octets"]),
        parts=f"{pages / 2**26:,.0f}",
    )


def _row(way: Way) -> str:
    hours = (way.seconds * _assumed("slowdown") + way.moved / 1e9 * _assumed("moving")) / 3600
    paid = hours / _assumed("working")
    cells = (way.name, _number(hours), _number(paid / CORES), _size(way.read), _size(way.moved))
    return f"| {' | '.join(cells)} | {_number(paid * _assumed('core'))} |"


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 10 else f"{value:.2g}"


def _assumed(name: str) -> float:
    return ASSUMED[name][0]


def _size(octets: float) -> str:
    unit, size = next(one for one in (("TB", 1e12), ("GB", 1e9)) if octets >= one[1])
    return f"{octets / size:,.0f} {unit}"
