"""On real files dialect `google` answers as Google's matcher does, and `auto` differs only where it is listed."""

from __future__ import annotations

import gzip
import json
import tomllib
from collections.abc import Iterator
from functools import cache
from typing import Any

import acap
from tests.portions import portion
from tests.vector_files import VECTORS

Answer = tuple[bool, tuple[int, ...]]
CLAUSES = {"RFC 9309 2.2.2", "P1 4.1", "Semantics, One form", "Semantics, Control characters"}


@cache
def corpus() -> list[dict[str, Any]]:
    """The files, with 20 URLs each and the answers of Google's matcher to three crawlers."""
    with gzip.open(VECTORS / "rep/corpus.jsonl.gz", "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def corpus_in_part(every: int) -> list[dict[str, Any]]:
    """Every so-many-th file of each source, one at least; at length, all files."""
    sources: dict[str, list[dict[str, Any]]] = {}
    for file in corpus():
        sources.setdefault(file["id"].partition("__")[0], []).append(file)
    return [file for files in sources.values() for file in portion(files, every, first=min(3, len(files) - 1))]


def answers(file: dict[str, Any], dialect: str) -> Iterator[tuple[tuple[str, str, str], Answer, Answer]]:
    """File, crawler and URL; Google's verdict and deciding line; those of a dialect."""
    policy = acap.parse_robots(file["robots"].encode("latin-1"), dialect=dialect)
    for crawler, verdicts, lines in zip(file["agents"], file["allowed"], file["line"], strict=True):
        for url, verdict, line in zip(file["urls"], verdicts, lines, strict=True):
            decision = policy.decide(url, crawler=crawler)
            cited = sorted({one.line for one in decision.reason.decided_by if one.line})
            yield (
                (file["id"], crawler, url),
                (verdict == "1", (line,) if line else ()),
                (decision.permitted, tuple(cited)),
            )


def differing(dialect: str) -> dict[tuple[str, str, str], Answer]:
    """The questions a dialect answers otherwise than Google's matcher."""
    return {
        question: found
        for file in corpus()
        for question, recorded, found in answers(file, dialect)
        if found != recorded
    }


def test_google_agrees_in_every_verdict_and_deciding_line() -> None:
    assert differing("google") == {}


def test_auto_differs_where_it_is_listed_and_nowhere_else() -> None:
    listed = tomllib.loads((VECTORS / "rep/corpus-differences.toml").read_text(encoding="utf-8"))["difference"]
    assert {one["clause"] for one in listed} <= CLAUSES
    assert differing("auto") == {
        (one["id"], crawler, answer["url"]): (answer["allowed"], tuple(answer["line"]))
        for one in listed
        for answer in one["answers"]
        for crawler in answer["agents"]
    }
