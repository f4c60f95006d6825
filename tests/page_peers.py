"""The recorded answers of `vectors/pages/peers/`, read: see its README.md for what every key means."""

from __future__ import annotations

import gzip
import html
import json
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from tests.vector_files import VECTORS

PEERS = VECTORS / "pages/peers"
USAGES = {
    "lighthouse": ("index",),
    "robot-directives": ("index", "follow"),
    "followability": ("index", "follow"),
    "stormcrawler": ("index", "follow"),
    "datadiligence": ("ai-train",),
    "img2dataset": ("ai-train",),
}  # what each peer speaks of

Step = Mapping[str, Any]


@dataclass(frozen=True)
class Case:
    """What a crawler is told about a page or an image: headers in order, META as name and content."""

    image: bool
    crawler: str | None
    headers: tuple[str, ...]
    metas: tuple[tuple[str, str], ...]

    @property
    def html(self) -> str | None:
        """A page with these META; None of an image."""
        if self.image:
            return None
        metas = "".join(f'<meta name="{html.escape(name)}" content="{html.escape(text)}">' for name, text in self.metas)
        return f"<!doctype html><html><head><title>t</title>{metas}</head><body></body></html>"

    @property
    def lines(self) -> list[tuple[str, str]]:
        """The response's headers."""
        kind = "image/jpeg" if self.image else "text/html; charset=utf-8"
        return [("Content-Type", kind), *(("X-Robots-Tag", header) for header in self.headers)]


@dataclass(frozen=True)
class Recorded:
    """A case and, for each peer that answered it, the usages it prohibits."""

    case: Case
    prohibited: Mapping[str, frozenset[str]]


@dataclass(frozen=True, eq=False)
class Difference:
    """A difference of reading: how a peer sees a case, or the cases, from 1, that it answers otherwise.

    Equal to itself alone.
    """

    peer: str
    usages: tuple[str, ...]
    clause: str
    why: str
    steps: tuple[Step, ...] = ()
    cases: frozenset[int] = field(default_factory=frozenset)


@cache
def recorded() -> list[Recorded]:
    """Every case, in the order of its numbers."""
    with gzip.open(PEERS / "cases.jsonl.gz", "rt", encoding="utf-8") as lines:
        return [
            Recorded(
                Case(
                    one["type"] == "image",
                    one["crawler"],
                    tuple(one["headers"]),
                    tuple((name, text) for name, text in one["metas"]),
                ),
                {peer: frozenset(usages) for peer, usages in one["prohibited"].items()},
            )
            for one in map(json.loads, lines)
        ]


@cache
def differences() -> list[Difference]:
    """Every listed difference; those of a peer in the order in which their steps are taken."""
    table = tomllib.loads((PEERS / "differences.toml").read_text(encoding="utf-8"))["difference"]
    return [
        Difference(
            one["peer"],
            tuple(one["usages"]),
            one["clause"],
            one["why"],
            tuple(one.get("steps", ())),
            frozenset(one.get("cases", ())),
        )
        for one in table
    ]


def seen_by(case: Case, listed: Iterable[Difference]) -> Case:
    """A case as a peer sees it."""
    for difference in listed:
        case = seen_with(case, difference)
    return case


@cache
def seen_with(case: Case, difference: Difference) -> Case:
    """A case after the steps of one difference."""
    for step in difference.steps:
        case = stepped(case, step)
    return case


def stepped(case: Case, step: Step) -> Case:
    """A case after one step."""
    if step.get("type", kind := "image" if case.image else "html") != kind:
        return case
    if "several" in step and sum(not header.isspace() and header != "" for header in case.headers) < 2:
        return case
    if "headers" in step:
        split = tuple(item for header in case.headers for item in header.split(","))
        return replace(case, headers=split if step["headers"] == "split" else case.headers[:1])
    if "metas" in step:
        return replace(case, metas=kept(case, step))
    part = next(part for part in ("header", "meta", "value", "item", "name") if part in step)
    change = changer(pattern(step[part], case.crawler), step["as"], of_items=part == "item")
    if part == "name":
        return replace(case, metas=tuple((change(name), text) for name, text in case.metas))
    headers, metas = case.headers, case.metas
    if part != "meta":
        headers = tuple(map(change, headers))
    if part != "header":
        named = pattern(step.get("named", ""), case.crawler)
        metas = tuple((name, change(text) if named.search(name) else text) for name, text in metas)
    return replace(case, headers=headers, metas=metas)


def kept(case: Case, step: Step) -> tuple[tuple[str, str], ...]:
    """The META that are left when a peer reads one of those with a name."""
    named = pattern(step["named"], case.crawler)
    hits = [number for number, (name, _) in enumerate(case.metas) if named.search(name)]
    if not hits:
        return case.metas
    if step["metas"] == "alone":
        return tuple(case.metas[number] for number in hits)
    one = hits[0] if step["metas"] == "first" else hits[-1]
    return tuple(meta for number, meta in enumerate(case.metas) if number == one or number not in hits)


def changer(found: re.Pattern[str], text: str, *, of_items: bool) -> Callable[[str], str]:
    """Replaces what a pattern finds in a value or, of items, each part between commas that it is as a whole."""

    def item(part: str) -> str:
        whole = found.fullmatch(part.strip())
        return whole.expand(text) if whole else part

    def items(value: str) -> str:
        return ",".join(map(item, value.split(",")))

    def anywhere(value: str) -> str:
        return found.sub(text, value)

    return items if of_items else anywhere


@cache
def pattern(written: str, crawler: str | None) -> re.Pattern[str]:
    """A pattern of a step: `{crawler}` is the crawler's name, or nothing that can be found if it has none."""
    name = r"(?!)" if crawler is None else re.escape(crawler)
    return re.compile(written.replace("{crawler}", name), re.IGNORECASE | re.DOTALL)
