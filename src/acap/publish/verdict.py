"""The verdict on a robots.txt: what is wrong with it, who may use the site for what, and which rules do nothing.

    found = verdict(Document(octets, "robots.txt"))
    print(found.text)                   # "2 mistakes. GPTBot may train AI models on everything; …"
    for row in found.grid.rows:
        print(row.name, [cell.text for cell in row.cells])

How much of the site each crawler may use is proved by `acap.publish.overview`; nothing is told of it where no rule of a
robots.txt was found, or where a part of the file was not read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Final, NamedTuple

from acap.crawler_list import FIRST, known
from acap.plurals import plural
from acap.publish.change_words import usages_text
from acap.publish.crawlers import ANY
from acap.publish.lint.catalogue import chosen
from acap.publish.lint.causes import causes
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Finding
from acap.publish.lint.rules.idle_statement import idle_lines
from acap.publish.lint.run import INSTEAD, run
from acap.publish.overview import Extent, OverviewRow, in_short, overview
from acap.publish.prepended import served
from acap.robots import RobotsPolicy, parse_robots
from acap.usages import WORDS

COLUMNS: Mapping[str, str] = MappingProxyType(
    {
        "crawl": "crawl",
        "index": "index",
        "present-snippet": "snippet",
        "preserve": "keep",
        "ai-train": "train",
        "ai-input": "AI input",
    }
)
"""The usages that a grid shows in any case, with the heads of their columns (our choice)."""

EXTENTS: Mapping[Extent, str] = MappingProxyType(
    {"all": "all", "some": "part", "none": "none", "conditional": "limited", "undecided": "unknown"}
)
"""How much may be used, in a word."""

EVERY: Final = "every crawler"
SECONDS: Final = 2.0
"""Time for the proofs; what is left then is not told."""
_NAMED = 3  # crawlers that a clause names, or one more; of others the number


class GridCell(NamedTuple):
    """How much of the site a crawler may have for the usages of a column; `note` counts from 1, 0 for none."""

    extent: Extent
    note: int = 0

    @property
    def text(self) -> str:
        """The word, with the number of its note."""
        return f"{EXTENTS[self.extent]} {self.note}" if self.note else EXTENTS[self.extent]


class GridRow(NamedTuple):
    """A crawler, or crawlers that are told the same, and a cell for each column."""

    name: str
    cells: tuple[GridCell, ...]


class GridColumn(NamedTuple):
    """Usages that every crawler is answered alike, and the head of their column."""

    head: str
    usages: tuple[str, ...]


class Grid(NamedTuple):
    """Crawlers and usages: those that matter first, the others by what they are told. `notes` say what a part is."""

    columns: tuple[GridColumn, ...]
    rows: tuple[GridRow, ...]
    notes: tuple[str, ...]

    @property
    def lines(self) -> tuple[str, ...]:
        """The grid as text, in columns: its head, a line for each row, and its notes."""
        first = max([len(row.name) for row in self.rows if len(row.name) <= _NAME], default=0)
        cells = [[cell.text for cell in row.cells] for row in self.rows]
        widths = [max(map(len, (column.head, *texts))) for column, *texts in zip(self.columns, *cells, strict=True)]

        def line(name: str, texts: Iterable[str]) -> str:
            columns = (text.ljust(width) for text, width in zip(texts, widths, strict=True))
            return f"{name.ljust(first)}  {'  '.join(columns)}".rstrip()

        lines = [line("", (column.head for column in self.columns))]
        for row, texts in zip(self.rows, cells, strict=True):
            lines += [line(row.name, texts)] if len(row.name) <= first else [row.name, line("", texts)]
        notes = [f"{number}: {text}" for number, text in enumerate(self.notes, 1)]
        more = [f"{one.head}: {usages_text(one.usages)}" for one in self.columns if len(one.usages) > 1]
        return (*lines, *notes, *more)


_NAME = 40  # columns of a name in a grid; a longer one has a line of its own


class PolicyVerdict(NamedTuple):
    """What is to be known first: `instead` is what stands there, if it is no robots.txt.

    `mistakes` are errors and warnings, `remarks` are findings that change no more than the reader's mind; each cause is
    counted once. `idle` is the number of rules that change no decision, and `uses` are clauses on who may use the site
    for what. `rows` are what the grid is made of.
    """

    instead: str
    mistakes: int
    remarks: int
    uses: tuple[str, ...]
    idle: int
    grid: Grid | None = None
    rows: tuple[OverviewRow, ...] = ()

    @property
    def text(self) -> str:
        """All of it in one paragraph."""
        number = plural(self.mistakes, "mistake") if self.mistakes else "no mistakes"
        also = f" and {plural(self.remarks, 'remark')}" if self.remarks else ""
        idle = (f"{plural(self.idle, 'rule')} {'changes' if self.idle == 1 else 'change'} no decision",)
        clauses = "; ".join((*self.uses, *(idle if self.idle else ())))
        sentences = [self.instead or number + also, *([clauses] if clauses else [])]
        return " ".join(f"{_begun(sentence)}." for sentence in sentences)


def verdict(
    document: Document, *, findings: Sequence[Finding] | None = None, policy: RobotsPolicy | None = None,
    crawlers: Sequence[str] | None = None, seconds: float = SECONDS,
) -> PolicyVerdict:  # fmt: skip
    """The verdict on a robots.txt.

    Args:
        document: the robots.txt. With a block before it, crawlers go by the whole.
        findings: what lint found in it; by default what the rules find that are on by default.
        policy: the policy, where it has more than the document, as references that were supplied.
        crawlers: whom the grid shows; by default those of `overview`.
        seconds: how long proofs may take.
    """
    if policy is None:
        block = document.prepended
        policy = document.policy if block is None else parse_robots(served(block, document.octets))
    findings = run(document, chosen()) if findings is None else findings
    counts: Counter[str] = Counter()
    for finding, *_ in causes(findings):
        counts[finding.severity] += finding.counted[1]
    instead = not_robots(document)
    mistakes, remarks = counts["error"] + counts["warning"], counts["info"]
    if policy.truncated:
        return PolicyVerdict(
            instead, mistakes, remarks, ("a part of the file was not read and may prohibit anything",), 0
        )
    if instead and _without_rules(document):
        return PolicyVerdict(instead, mistakes, remarks, (), 0)
    rows = overview(policy, crawlers=crawlers, seconds=seconds)
    uses = _uses(rows, asked=crawlers is not None)
    grid = _grid(rows, every=crawlers is None)
    return PolicyVerdict(instead, mistakes, remarks, uses, idle_lines(document), grid, rows)


def not_robots(document: Document) -> str:
    """What stands where a robots.txt should be, and what follows; empty if it is one."""
    finding = next((one for code in INSTEAD for one in run(document, (code,))), None)
    if finding is None:
        return ""
    return f"{finding.message}; {WITHOUT_RULES}" if _without_rules(document) else finding.message


WITHOUT_RULES: Final = "it has no rules, so it forbids nothing, whatever its author meant"
"""What follows from something else in the place of a robots.txt."""


def _without_rules(document: Document) -> bool:
    return not any(document.kinds[kind] for kind in ("User-agent", "Allow", "Disallow", "ACAP"))


def _begun(text: str) -> str:
    """A sentence with its capital, unless it begins with the name of a crawler."""
    named = " may " in text or " must not " in text
    return text if named and not text.startswith(("every ", "no ", "a part ", "how ")) else text[:1].upper() + text[1:]


# --- who may use the site for what ------------------------------------------------------------------------------------


def _uses(rows: Sequence[OverviewRow], *, asked: bool) -> tuple[str, ...]:
    """Clauses on what crawlers that matter, or those that were `asked` for, may do: what each is run for."""
    of = {name: row for row in rows for name in row.crawlers}
    if len(rows) == 1 and len(rows[0].parts) == 1 and ANY in of:
        part = rows[0].parts[0]
        return (_clause("use", (EVERY,), part.extent, in_short(part.text)),)
    by_use: dict[tuple[str, Extent, str], list[str]] = {}
    for name, row in of.items():
        usage = _main_use(name) or ("crawl" if asked else None)
        if name != ANY and usage is not None:
            part = row.of(usage)
            by_use.setdefault((usage, part.extent, part.text), []).append(name)
    # Trainers and search engines that are told the same of what they do are one clause each. The paths are said once.
    first: dict[str, str] = {}
    clauses = []
    for (usage, extent, text), names in by_use.items():
        short = in_short(text)
        is_known = extent == "some" and text in first and not text.endswith("conditions")
        clauses.append(_clause(usage, names, extent, f"the same part as {first[text]}" if is_known else short))
        first.setdefault(text, names[0])
    return tuple(clauses)


def _main_use(name: str) -> str | None:
    """The usage that decides for the operator of a crawler that matters; None for others."""
    crawler = known(name) if name in FIRST else None
    if crawler is None:
        return None
    return "ai-train" if "ai-train" in crawler.purposes else "index" if "search" in crawler.purposes else "crawl"


def _clause(usage: str, names: Sequence[str], extent: Extent, text: str) -> str:
    act = (WORDS[usage].act if usage in WORDS else None) or "use {0}"
    *others, last = names if len(names) <= _NAMED + 1 else (*names[:_NAMED], f"{len(names) - _NAMED} more")
    who = f"{', '.join(others)} and {last}" if others else last
    if extent == "none":
        if names[0] == EVERY:
            return f"no crawler may {act.format('anything')}"
        return f"{who} must not {act.format('anything')}"
    if extent == "undecided":
        return f"how much {who} may use is not worked out"
    return f"{who} may {act.format('everything under conditions' if extent == 'conditional' else text)}"


# --- the grid ---------------------------------------------------------------------------------------------------------


def _grid(rows: Sequence[OverviewRow], *, every: bool) -> Grid:
    """The grid of rows of `overview`; of `every` crawler those that matter have a row each, if any are told apart."""
    every = every and len(rows) > 1
    shown = [(name, row) for name in FIRST for row in rows if name in row.crawlers] if every else []
    shown += [(row.text, row) for row in (map(_rest, rows) if every else rows) if row.crawlers]
    answers_of: dict[str, tuple[tuple[Extent, str], ...]] = {}
    for usage in (usage for part in rows[0].parts for usage in part.usages):
        of_row = (row.of(usage) for _, row in shown)
        answers_of[usage] = tuple((part.extent, part.text) for part in of_row)
    columns = [(GridColumn(head, (usage,)), answers_of[usage]) for usage, head in COLUMNS.items()]
    more: dict[tuple[tuple[Extent, str], ...], list[str]] = {}
    for usage, answers in answers_of.items():
        if all(answers != known_ for _, known_ in columns):
            more.setdefault(answers, []).append(usage)
    for answers, alike in more.items():
        head = alike[0] if len(alike) == 1 else f"{alike[0]} +{len(alike) - 1}"
        columns.append((GridColumn(head, tuple(alike)), answers))
    notes: dict[str, int] = {}

    def cell(extent: Extent, text: str) -> GridCell:
        if extent not in ("some", "conditional"):
            return GridCell(extent)
        note = f"everything {text}" if extent == "conditional" else text
        return GridCell(extent, notes.setdefault(note, len(notes) + 1))

    made = [
        GridRow(name, tuple(cell(*answers[number]) for _, answers in columns)) for number, (name, _) in enumerate(shown)
    ]
    return Grid(tuple(column for column, _ in columns), tuple(made), tuple(notes))


def _rest(row: OverviewRow) -> OverviewRow:
    """A row without the crawlers that have one of their own."""
    crawlers, named = (tuple(name for name in names if name not in FIRST) for names in (row.crawlers, row.named))
    return row._replace(crawlers=crawlers, named=named)
