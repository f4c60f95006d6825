"""What blanks and commas do in what a person writes: one rule for crawlers, purposes, paths and words.

The rule: blanks, line ends and commas divide; a path, a pattern and a web address keep a comma within them. What begins
with no `/` behind a blank may be the rest of a path: that is asked about, and no blank becomes `%20` by itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from acap.outline import Field, Span
from acap.publish.compose.draft import ANY, set_name
from acap.publish.loose_words import loose_words
from acap.robots import RobotsPolicy

_REQUESTS = ("request-take-down", "request-re-crawl")


def listed(text: str) -> tuple[str, ...]:
    """The words of a text, each once."""
    words: list[str] = []
    for piece in text.split():
        bare = piece.strip(",")
        words += [bare] if is_path(bare) or "://" in bare else bare.split(",")
    return tuple(dict.fromkeys(filter(None, words)))


def is_path(word: str) -> bool:
    """Whether a word is a path, a pattern, a resource set or a URL by how it begins."""
    return word.startswith(("/", ANY, "http://", "https://")) or set_name(word) is not None


def blank_problem(text: str) -> str | None:
    """What is to be asked about paths: whether a blank divides them or stands in one; none if that is clear."""
    for line in text.splitlines():
        words = listed(line)
        for before, after in pairwise(words):
            if not is_path(before):
                return _both_ways(f"/{before}", after, f"{before} {after}")
            if not is_path(after):
                return _both_ways(before, after)
    return None


def _both_ways(before: str, after: str, written: str = "") -> str:
    two = after if is_path(after) else f"/{after}"
    return (
        f"`{written or f'{before} {after}'}` has a blank; write `{before}%20{after}` for one path, or `{before} {two}` "
        "for two"
    )


def several_problem(text: str) -> str | None:
    """What is wrong with several patterns where one is asked for."""
    words = listed(text)
    return f"these are {len(words)} patterns; write `{words[0]}`, and the others after it" if len(words) > 1 else None


def blank_mistakes(policy: RobotsPolicy) -> Iterator[tuple[int, str]]:
    """Lines of a file whose blanks a reader takes otherwise than their author, with what to write."""
    relative = {(problem.line, problem.span) for problem in policy.problems if problem.code == "acap-relative-pattern"}
    bad = {problem.line for problem in policy.problems if problem.code == "acap-bad-value"}
    for line in sorted({*bad, *(line for line, _ in relative)}):
        field = policy.outline.by_line[line]
        loose = loose_words(field)
        if loose:
            yield line, f"{loose[0].mistake}; {loose[0].fix}"
        elif (asked := _in_path(field, relative)) is not None:
            yield line, asked
    for field in policy.outline.acap:
        if field.name in _REQUESTS and blank_problem(field.value) is not None:
            yield field.line, str(blank_problem(field.value))


def _in_path(field: Field, relative: set[tuple[int, Span | None]]) -> str | None:
    """What is to be asked about a relative path that stands behind another path."""
    words = sorted((word for word in field.words if word.role in ("resource", "qualifier")), key=lambda one: one.span)
    for before, word in pairwise(words):
        if (field.line, word.span) in relative and "=" not in before.text and set_name(before.text) is None:
            return _both_ways(before.text, word.text)
    return None
