"""The results as tables: on the terminal and as a page of Markdown. One module, as each table is a function of it."""

from __future__ import annotations

import dataclasses
import statistics
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from benchmarks import audit, decisions, harvest, memory, pages, peers, publisher, survey, threads
from benchmarks.hostile import CASES, LIMIT

Results = Mapping[str, Any]
"""What a run found, as it stands in the JSON file."""

HEAD = """# Benchmarks

How fast acap reads and decides, beside other implementations. `make bench` measures again and writes this page and
[results.json](../benchmarks/results.json). Google's matcher takes part where `ACAP_BENCH_GOOGLE` names a program that
speaks for it, as [programs.py](../benchmarks/programs.py) says; so do the peers of other languages.

What is compared was measured in one run, in turns, on one processor, in processor time: of {rounds} rounds the median,
the least and the greatest. "Times acap" is the median of the ratios within the rounds; a greater one is slower. Figures
are warm, the second of two runs in a turn, but where a table is called cold. {shared}The corpus
has {files:,} real files of {mean:,.0f} octets in the mean and {questions:,} questions.
"""
SHARED = "Others used the machine meanwhile, which processor time shows too, as caches are shared. "


@dataclasses.dataclass(frozen=True, slots=True)
class Table:
    """The first column is text, the others are numbers."""

    title: str
    note: str
    head: list[str]
    rows: list[list[str]]


def page(results: Results) -> str:
    """The page of Markdown."""
    settings = results["settings"]
    shared = SHARED if settings.get("shared") else ""
    head = {**settings, "mean": settings["octets"] / settings["files"], "shared": shared}
    parts = [HEAD.format(**head)]
    for table in tables(results):
        lines = [table.head, ["---", *["---:"] * (len(table.head) - 1)], *table.rows]
        parts += [f"## {table.title}", "", *([table.note, ""] if table.note else [])]
        parts += [*(f"| {' | '.join(line)} |" for line in lines), ""]
    return "\n".join(parts)


def text(results: Results) -> str:
    """The same tables for a terminal."""
    parts = []
    for table in tables(results):
        lines = [table.head, *table.rows]
        widths = [max(len(line[column]) for line in lines) for column in range(len(table.head))]
        cells = ([cell.ljust(width) for cell, width in zip(line, widths, strict=True)] for line in lines)
        parts.append("\n".join([table.title, *(f"  {'  '.join(line).rstrip()}" for line in cells)]))
    return "\n\n".join(parts)


def tables(results: Results) -> Iterator[Table]:
    """Every table, in the order of the page."""
    yield Table("Goals", "", ["", "goal", "measured", ""], list(goals(results)))
    there = {**results["machine"], **results["versions"], **results["missing"]}
    yield Table("Who, and on what", "", ["", "version"], [[name, what] for name, what in there.items()])
    note = "Answers of the corpus that are those of Google's matcher. acap departs from it where RFC 9309 does."
    shares = [[name, f"{share:.2%}"] for name, share in results["agreement"].items()]
    yield Table("Agreement", note, ["", "agrees"], shares)
    yield of_peers()
    for measure in results["measures"]:
        yield timing(measure)
        if measure["title"] == "Reading" and results.get("limits"):
            yield bars(measure, results["limits"])
    if found := results.get("threads"):
        yield of_threads(found)
    if memories := results["memory"]:
        note = (
            "By how much the resident set of a fresh process grows that holds the policies of all files. "
            f"acap itself tells of {ratio(memories['acap'], 'told')} times the text when they are read."
        )
        head = ["", "read, MB", "times the text", "asked once, MB", "times the text"]
        rows = [
            [name, *(cell for key in ("kept", "asked") for cell in (f"{one[key] / 1e6:.1f}", ratio(one, key)))]
            for name, one in memories.items()
        ]
        yield Table("Memory", note, head, rows)
    yield of_page(results["pages"])
    yield of_dialects(results["pages"])
    if results["pages"].get("content"):
        yield of_content(results["pages"])
    if found := results.get("harvest"):
        yield of_harvest(found)
    if found := results.get("publisher"):
        yield from of_publisher(found)
    if found := results.get("decisions"):
        yield of_decisions(found)
    if found := results.get("survey"):
        yield of_survey(found)
    if found := results.get("audit"):
        yield of_audit(found)
    names = list(results["versions"])
    note = (
        f"Milliseconds to read the file and answer one question; given up after {LIMIT} s. "
        "acap reads 8 MiB of a file by default; here it reads all of it."
    )
    rows = [
        [CASES[case][0], *(took(found.get(name, "not tried")) for name in names)]
        for case, found in results["hostile"].items()
    ]
    yield Table("Hostile files", note, ["", *names], rows)


def goals(results: Results) -> Iterator[list[str]]:
    for measure in results["measures"]:
        if goal := measure["goal"]:
            found = next(iter(measure["rows"].values()))["median"]
            cells = [f"at most {goal:g} µs {measure['unit']}", f"{found:.3g} µs"]
            if octets := measure["octets"]:
                cells = [f"at least {octets / goal:,.0f} MB/s", f"{octets / found:,.0f} MB/s"]
            yield [measure["title"], *cells, "met" if found <= goal else "missed"]
        if times := measure.get("times"):
            first, second = measure["rows"]
            found = measure["rows"][second]["ratio"]
            met = "met" if found <= times else "missed"
            yield [measure["title"], f"at most {times:g} times {first}", f"{found:.2f}", met]
    spread = list(results["pages"]["works"].values())[-1]
    met = "met" if spread["ratio"] <= pages.GOAL else "missed"
    yield ["A page", f"at most {pages.GOAL:g} times its parse", f"{spread['ratio']:.2f}", met]
    spread = list(results["pages"]["dialects"].values())[-1]
    met = "met" if spread["ratio"] <= pages.GOAL_OF_DIALECTS else "missed"
    yield [
        "Headers in six dialects", f"at most {pages.GOAL_OF_DIALECTS:g} times the page", f"{spread['ratio']:.2f}", met
    ]  # fmt: skip
    yield from content_goals(results["pages"])
    if found := results.get("harvest"):
        ratio_found = harvest.ratio(found["governed"], found["free"])
        met = "met" if ratio_found >= harvest.GOAL else "missed"
        yield ["A crawl", f"at least {harvest.GOAL:.0%} of its speed without policy", f"{ratio_found:.1%}", met]
    if found := results.get("publisher"):
        for title, goal, taken in publisher_goals(found):
            yield [title, f"at most {goal:g} s", f"{taken:.3g} s", "met" if taken <= goal else "missed"]
    if found := results.get("decisions"):
        yield from decision_goals(found)
    if found := results.get("survey"):
        speed = statistics.median(found["files"] / clock for _, clock in found["counted"])
        met = "met" if speed >= survey.GOAL else "missed"
        yield ["A survey", f"at least {survey.GOAL:,.0f} files a second on the machine", f"{speed:,.0f}", met]
    if found := results.get("audit"):
        yield from audit_goals(found)
    if one := results["memory"].get("acap"):
        for title, key, goal in (
            ("Memory of what was read", "kept", memory.GOAL),
            ("Memory, each asked once", "asked", memory.GOAL_ASKED),
        ):
            met = "met" if one[key] <= one["text"] * goal else "missed"
            yield [title, f"at most {goal:g} times the text", ratio(one, key), met]
    if found := results.get("threads"):
        yield from threads_goals(found)


def of_peers() -> Table:
    """What others use, by the manifest."""
    note = (
        "By [peers.toml](../benchmarks/peers.toml); `python -m benchmarks --peers` asks for newer releases. "
        "Those in other languages are programs that measure themselves; one that is missing is left out and told above."
    )
    head = ["", "language", "version", "what it can do", "measured"]
    rows = [
        [one.name, one.language, one.version, one.abilities, "yes" if one.measured else "no"] for one in peers.peers()
    ]
    return Table("Peers", note, head, rows)


def bars(measure: Mapping[str, Any], limits: Mapping[str, float]) -> Table:
    """The speed of each as a bar, beside what the processor can do at most."""
    found = {name: measure["octets"] * 1e6 / row["median"] for name, row in measure["rows"].items()}
    most = max(found.values())
    rows = [[name, f"{speed / 1e6:,.0f}", "█" * max(1, round(40 * speed / most))] for name, speed in found.items()]
    rows += [
        [f"limit: {name}", f"{speed / 1e6:,.0f}", f"{speed / most:.0f} times the longest"]
        for name, speed in limits.items()
    ]
    note = (
        "A bar is as long as the speed; no reader is faster than this processor copies memory, or looks for line ends."
    )
    return Table("Reading, beside the limits of the machine", note, ["", "MB/s", ""], rows)


def timing(measure: Mapping[str, Any]) -> Table:
    octets, compared = measure["octets"], len(measure["rows"]) > 1
    first = next(iter(measure["rows"]))
    head = ["", f"µs {measure['unit']}", "least", "greatest"]
    head += ["MB/s"] * bool(octets) + [f"times {first}"] * compared
    rows = []
    for name, row in measure["rows"].items():
        cells = [number(row[key]) for key in ("median", "least", "most")]
        cells += [f"{octets / row['median']:,.0f}"] if octets else []
        cells += [f"{row['ratio']:,.2f}"] if compared else []
        rows.append([name, *cells])
    note = measure["note"] + " Cold: each policy comes from memory." * measure.get("cold", False)
    return Table(measure["title"], note, head, rows)


def of_threads(found: Mapping[str, Any]) -> Table:
    """Reading many files on one processor and on two."""
    others = max(found["others"], default=0.0)
    busy = f" Others used up to {others:.0%} of the processors meanwhile: the clock tells of them too."
    note = (
        f"Milliseconds of `acap.parse_robots_many` for {found['files']:,} files, in processes of their own. "
        "By processor time alone two are as fast as the thread that works longest: "
        f"{threads.speedup_alone(found['one'], found['two']):.2f} times as fast as one."
        f"{busy if others > threads.BUSY else ''}"
    )
    rows = [
        [f"{name}, {what}", *_spread([1_000 * sample[place] for sample in found[key]], "{:,.0f}")]
        for name, key in (("one processor", "one"), ("two processors", "two"))
        for place, what in enumerate(("by the clock", "processor time", "processor time of the calling thread"))
    ]
    return Table("Many files at once", note, ["", "median", "least", "greatest"], rows)


def threads_goals(found: Mapping[str, Any]) -> Iterator[list[str]]:
    """What was aimed at, and what came of it; by the clock only where nobody else used the machine."""
    by_clock = max(found["others"], default=0.0) <= threads.BUSY
    way, speedup = ("by the clock", threads.speedup) if by_clock else ("by processor time", threads.speedup_alone)
    times = speedup(found["one"], found["two"])
    met = "met" if times >= threads.GOAL else "missed"
    yield [f"Many files on two processors, {way}", f"at least {threads.GOAL:g} times one", f"{times:.2f}", met]


def of_page(found: Mapping[str, Any]) -> Table:
    """Reading a page and deciding all usages, beside the parse alone."""
    note = (
        f"A page of {found['octets']:,} octets and {found['elements']:,} elements, given as text: the parse that every "
        "reader of pages needs, and what acap adds to it. Links and elements are looked at when someone asks for them."
    )
    keys = ("median", "least", "most")
    rows = [
        [name, *(number(spread[key]) for key in keys), f"{spread['ratio']:.2f}"]
        for name, spread in found["works"].items()
    ]
    return Table("A page", note, ["", "µs", "least", "greatest", "times the parse"], rows)


def of_dialects(found: Mapping[str, Any]) -> Table:
    """A response with headers in six dialects, beside one without."""
    note = (
        "The same page as a response, read with all its carriers and every usage decided, without headers that say "
        "anything and with robots words, AIPREF, Content-Signal, TDMRep, RSL and a price. The headers are those of the "
        "response before, as on most sites: what a short value says is remembered."
    )
    keys = ("median", "least", "most")
    rows = [
        [name, *(number(spread[key]) for key in keys), f"{spread['ratio']:.2f}"]
        for name, spread in found["dialects"].items()
    ]
    return Table("Headers in six dialects", note, ["", "µs", "least", "greatest", "times the page"], rows)


def of_content(found: Mapping[str, Any]) -> Table:
    """The text of a page that a usage may use, beside extractors of text."""
    note = (
        f"A page of {found['content_octets']:,} octets, given as text, is read, and its text comes out; speed is pages "
        "a second of processor time. acap gives all text that the usage may use, a line for each block, after every "
        "decision on it. resiliparse's plain text is that of the whole page, with marks of lists. Main content leaves "
        "out what looks like navigation and teasers."
    )
    rows = [
        [
            name, *(number(spread[key]) for key in ("median", "least", "most")), f"{spread['ratio']:.2f}",
            f"{1e6 / spread['median']:,.0f}", f"{found['characters'][name]:,}",
        ]
        for name, spread in found["content"].items()
    ]  # fmt: skip
    head = ["", "µs", "least", "greatest", f"times {next(iter(found['content']))}", "pages a second", "characters"]
    return Table("The text of a page", note, head, rows)


def content_goals(found: Mapping[str, Any]) -> Iterator[list[str]]:
    """What was aimed at in the text of a page, and what came of it; beside extractors only if there are some."""
    if not (content := found.get("content")):
        return
    spread = content[pages.CONTENT]
    if len(content) > 1:
        met = "met" if spread["ratio"] <= pages.GOAL_OF_CONTENT else "missed"
        goal = f"at most {pages.GOAL_OF_CONTENT:g} times {next(iter(content))}"
        yield ["The text of a page", goal, f"{spread['ratio']:.2f}", met]
    speed = 1e6 / spread["median"]
    met = "met" if speed >= pages.GOAL_OF_SPEED else "missed"
    yield ["Pages read for their text", f"at least {pages.GOAL_OF_SPEED:,} a second", f"{speed:,.0f}", met]


def of_harvest(found: Mapping[str, Any]) -> Table:
    """Crawls with policy and without."""
    governed, free = found["governed"], found["free"]
    ratios = [one / other for one, other in zip(governed, free, strict=True)]
    note = (
        f"{found['pages']} pages of {found['octets']:,} octets over the loopback interface, without delays: fetched, "
        "their links followed, indexed, and kept in WARC files; with everything that policy asks for (robots.txt, "
        "statements of the page, decisions with reasons, skeleton, ledger), and the same without. Pages a second by "
        f"the clock, in {len(free)} rounds that take turns; policy costs {harvest.cost(governed, free):.2f} ms a page. "
        f"The ratios within the rounds range from {min(ratios):.0%} to {max(ratios):.0%}: others use the machine."
    )
    rows = [
        [name, *(f"{value:.1f}" for value in (statistics.median(values), min(values), max(values)))]
        for name, values in (("without policy", free), ("with policy", governed))
    ]
    rows[0].append("")
    rows[1].append(f"{harvest.ratio(governed, free):.1%}")
    return Table("A crawl", note, ["", "pages a second", "least", "greatest", "of that without"], rows)


def of_decisions(found: Mapping[str, Any]) -> Table:
    """The decision service under load."""
    kills = found["kills"]
    note = (
        f"`acap serve --decisions`, asked over the loopback interface in batches of {found['urls']:,} URLs of fifty "
        f"of {found['sites']} sites, which serve real files. {found['agreement']:.2%} of the answers are those of "
        "Google's matcher. Processor time is that of the server, and others use the machine. At half load "
        f"requests of {found['small']} URLs come at random, {found['offered']:,.0f} questions a second, half of what "
        "the server answers in a second of processor time; times are from when a request was due to the last octet of "
        f"its answer, and the program that asks takes {found['asking']:.0%} of a processor beside the server. What the "
        "machine itself adds to the slowest requests shows a loop of Python that reads as many objects as a request: "
        f"it takes {found['stalls'][0]:.1f} ms, and one time in a hundred {found['stalls'][1]:.1f}. Then the "
        f"same for {found['minutes']:.1f} minutes, {found['decided']:,} answers. At last the server was killed "
        f"{kills['times']} times under load and started again: {kills['whole']:,} requests were answered whole, "
        f"{kills['failed']:,} failed, which their clients saw, and {kills['wrong']} lost a row or permitted "
        "too much."
    )
    took = list(zip(*found["took"], strict=True))
    memory = found["memory"]
    rows = [
        ["answers a second of processor time", *_spread(found["speeds"], "{:,.0f}")],
        ["answers a second by the clock, two connections", *_spread(found["by_clock"], "{:,.0f}")],
        ["at half load, ms", *_spread(took[0], "{:.1f}")],
        ["at half load, 99 of 100 requests, ms", *_spread(took[1], "{:.1f}")],
        [f"in {found['minutes']:.1f} minutes, ms", f"{found['took_long'][0]:.1f}", "", ""],
        [f"in {found['minutes']:.1f} minutes, 99 of 100 requests, ms", f"{found['took_long'][1]:.1f}", "", ""],
        ["memory after a minute, MB", f"{memory['after a minute'] / 1e6:.1f}", "", ""],
        [
            f"memory after {found['minutes']:.1f} minutes, MB",
            *(f"{memory[name] / 1e6:.1f}" for name in ("in the end", "least", "greatest")),
        ],
    ]
    return Table("The decision service", note, ["", "median", "least", "greatest"], rows)


def of_survey(found: Mapping[str, Any]) -> Table:
    """Surveys of robots.txt files."""
    note = (
        f"`acap.survey` of {found['files']:,} files of the corpus in memory, each judged for {found['crawlers']} "
        f"crawlers and proved to refuse none, some or all of its site, on {found['processors']} processors, which "
        "others use too. Rows are written as Parquet, one for each file and crawler."
    )
    works = {
        "counts": found["counted"],
        "counts for crawl and ai-train": found["for_training"],
        "counts, and rows": found["with_rows"],
    }
    ways = ((1, "files a second"), (0, "files a second of processor time"))
    rows = [
        [f"{name}: {way}", *_spread([found["files"] / one[place] for one in took], "{:,.0f}")]
        for name, took in works.items()
        for place, way in ways
    ]
    return Table("A survey", note, ["", "median", "least", "greatest"], rows)


_ALONE = (
    "The last two works know no policies and keep nothing: an audit reads what pages carry, and the usable text takes "
    "the text of pages, so that neither can be faster than that is on this machine. "
)


def of_audit(found: Mapping[str, Any]) -> Table:
    """An audit beside reading and parsing alone, and tables of URLs."""
    alone = _ALONE if len(found["works"]) > 3 else ""
    peaks = ", ".join(f"{peak / 1e6:.0f} MB ({count}×)" for count, peak in found["peaks"].items())
    note = (
        f"{found['pages']:,} pages of about {found['octets']:,} octets and the robots.txt files of {found['sites']} "
        "sites in a WARC file as Common Crawl writes it, on one processor: pages read and parsed, by the reader and "
        f"parser of acap; audited for {found['usages']} usages, from the file to the rows; and the text that may be "
        f"indexed written. {alone}A process that audits a crawl with so many times its pages and sites takes {peaks}. "
        f"Tables: {found['urls']:,} URLs against {found['policies']:,} real policies, read before; on all processors "
        "by the clock."
    )
    on_all = f"on {found['processors']} processors"
    works = {**found["works"], **found["rates"]}
    works |= {f"{name}, {on_all}": one for name, one in found["clocked"].items()}
    units = dict.fromkeys(found["works"], "pages")
    first = next(iter(found["works"]))
    rows = [
        [
            f"{name}: {units[name]} a second" if name in found["works"] else f"URLs {name}: rows a second",
            *(f"{1e6 / one[key]:,.0f}" for key in ("median", "most", "least")),
            f"{1 / one['ratio']:.0%}" if name in found["works"] and name != first else "",
        ]
        for name, one in works.items()
    ]
    return Table("An audit", note, ["", "median", "least", "greatest", "of the speed of the first"], rows)


def audit_goals(found: Mapping[str, Any]) -> Iterator[list[str]]:
    """What was aimed at, and what came of it."""
    _, audited, text, *_ = found["works"].values()
    speed = 1 / audited["ratio"]
    met = "met" if speed >= audit.GOAL else "missed"
    yield ["An audit", f"at least {audit.GOAL:.0%} of the speed of reading and parsing", f"{speed:.0%}", met]
    speed = 1e6 / text["median"]
    met = "met" if speed >= audit.GOAL_OF_TEXT else "missed"
    yield ["Usable text", f"at least {audit.GOAL_OF_TEXT:,.0f} pages a second", f"{speed:,.0f}", met]
    least, *_, most = found["peaks"].values()
    met = "met" if most <= least * audit.GOAL_OF_MEMORY else "missed"
    title = f"Memory of an audit of {list(found['peaks'])[-1]} times the pages and sites"
    yield [title, f"at most {audit.GOAL_OF_MEMORY:g} times that of one", f"{most / least:.2f}", met]
    for name, one in found["clocked"].items():
        speed = 1e6 / one["median"]
        met = "met" if speed >= audit.GOAL_OF_TABLE else "missed"
        goal = f"at least {audit.GOAL_OF_TABLE:,.0f} rows a second on {found['processors']} processors"
        yield [f"A table of URLs {name}", goal, f"{speed:,.0f}", met]


def _spread(values: Sequence[float], form: str) -> list[str]:
    return [form.format(value) for value in (statistics.median(values), min(values), max(values))]


def decision_goals(found: Mapping[str, Any]) -> Iterator[list[str]]:
    """What was aimed at, and what came of it."""
    speed = statistics.median(found["speeds"])
    took = statistics.median(one[1] for one in found["took"])
    grown = found["memory"]["in the end"] / found["memory"]["after a minute"]
    for title, goal, measured, met in (
        (
            "The decision service", f"at least {decisions.GOAL:,.0f} answers a second of processor time",
            f"{speed:,.0f}", speed >= decisions.GOAL,
        ),
        (
            "Its requests at half load", f"99 of 100 in at most {decisions.GOAL_MILLISECONDS:g} ms",
            f"{took:.1f} ms", took <= decisions.GOAL_MILLISECONDS,
        ),
        (
            f"Its memory in {found['minutes']:.1f} minutes", f"at most {decisions.GOAL_GROWTH:g} times the first",
            f"{grown:.2f}", grown <= decisions.GOAL_GROWTH,
        ),
    ):  # fmt: skip
        yield [title, goal, measured, "met" if met else "missed"]


def publisher_goals(found: Mapping[str, Any]) -> Iterator[tuple[str, float, float]]:
    """What was aimed at, in seconds, and what came of it: medians of starts and of lint, the slowest comparison."""
    for name in ("acap check", "acap format", "acap lint"):
        yield f"Start of `{name}`", publisher.STARTED, statistics.median(found["started"][name])
    yield f"Lint of {found['files']:,} files", publisher.LINTED, statistics.median(found["linted"])
    yield "Compare of large files", publisher.COMPARED, max(found["compared"].values())


def of_publisher(found: Mapping[str, Any]) -> Iterator[Table]:
    """What a webmaster waits for."""
    head = ["", "ms", "least", "greatest"]
    waits = {**found["started"], f"acap lint, {found['files']:,} files": found["linted"]}
    rows = [
        [name, *(f"{1_000 * value:,.0f}" for value in (statistics.median(taken), min(taken), max(taken)))]
        for name, taken in waits.items()
    ]
    note = (
        f"By the clock, from a call to its end, on {found['processors']} processors: of one small file, and of the "
        "whole corpus, which takes them all."
    )
    yield Table("Commands of a webmaster", note, head, rows)
    note = (
        "The largest files of the corpus, each beside itself with one more line in its middle, `Allow: /*one-more`: "
        "everything that changes, for every crawler and usage, or the proof that nothing does."
    )
    rows = [[name, f"{1_000 * taken:,.0f}"] for name, taken in found["compared"].items()]
    yield Table("Comparing large files", note, ["", "ms"], rows)


def number(time: float) -> str:
    return f"{time:,.0f}" if time >= 100 else f"{time:.3g}"


def ratio(one: Mapping[str, int], key: str) -> str:
    return f"{one[key] / one['text']:.2f}"


def took(found: float | str) -> str:
    return found if isinstance(found, str) else number(found * 1e3)
