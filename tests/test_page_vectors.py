"""Both engines answer every vector about pages; what may be used of a page is the package's to say."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.page_engines import PAGE_ENGINES, NativePage, PageAnswer, arguments
from tests.page_vectors import PageQuestion, PageVector, page_vectors
from tests.vector_files import Table

USES = {"content", "contains", "lacks", "elsewhere", "links", "snippet"}


def of_native(*keys: str) -> list[Any]:
    """The pages that have one of the keys."""
    return [pytest.param(vector, id=vector.name) for vector in page_vectors() if set(keys) & set(vector.table)]


EVERY_PAGE_OF_BOTH = [
    pytest.param(engine, vector, id=f"{engine}: {vector.name}") for engine in PAGE_ENGINES for vector in page_vectors()
]
PAGES_IN_USE = [
    pytest.param(vector, id=vector.name)
    for vector in page_vectors()
    if any(USES & set(case) for case in vector.table["case"])
]


def differences(question: PageQuestion, answer: PageAnswer, expected: Table) -> Iterator[str]:
    """How an answer differs from what a case expects."""

    def compare(what: str, found: Any, wanted: Any) -> Iterator[str]:
        if found != wanted:
            yield f"{question}: {what} is {found}, not {wanted}; {answer}"

    yield from compare("outcome", answer.outcome, expected["outcome"])
    for what in ("kind", "stated"):
        if what in expected:
            yield from compare(what, getattr(answer, what), expected[what])
    if "excluded" in expected:
        yield from compare("excluded", set(answer.excluded), set(expected["excluded"]))
    wanted = expected.get("restrictions", [])
    depth = max(map(len, wanted), default=2)
    found = {(name.lower(), *rest)[:depth] for name, *rest in answer.restrictions}
    yield from compare("restrictions", found, {(name.lower(), *rest) for name, *rest in wanted})
    if answer.decided is not None:
        for text in expected.get("decided", []):
            yield from compare(f"{text!r} decided", any(text in cited for cited in answer.decided), True)
    if answer.lost is not None:
        for one in expected.get("lost", []):
            lost = any(one["text"] in text and one["key"] == key for text, key in answer.lost)
            yield from compare(f"{one} lost", lost, True)


@pytest.mark.parametrize(("engine", "vector"), EVERY_PAGE_OF_BOTH)
def test_every_question_about_a_page_is_answered_as_the_vector_says(engine: str, vector: PageVector) -> None:
    """Outcome, kind, restrictions and excluded elements are those the texts ask for."""
    read = PAGE_ENGINES[engine](vector)
    wrong = [
        difference
        for question, expected in vector.cases
        for difference in differences(question, read.ask(question), expected)
    ]
    assert wrong == []


@pytest.mark.parametrize("vector", of_native("problem", "clean", "version"))
def test_a_page_is_described_as_the_vector_says(vector: PageVector) -> None:
    """Version and problems are those the vector names."""
    page = NativePage(vector).page
    assert (page.version or "") == vector.table.get("version", page.version or "")
    problems = [(problem.code, problem.severity) for problem in page.problems]
    if vector.table.get("clean") is True:
        assert [problem for problem in problems if problem[1] != "info"] == []
    if vector.table.get("clean") is False:
        assert problems != []
    for wanted in vector.table.get("problem", []):
        assert any(
            wanted.get("code", code) == code and wanted.get("severity", severity) == severity
            for code, severity in problems
        ), f"{wanted} is none of {problems}"


@pytest.mark.parametrize("vector", PAGES_IN_USE)
def test_what_may_be_used_of_a_page_is_what_the_vector_says(vector: PageVector) -> None:
    """Content, links and snippets are those the statements leave."""
    native = NativePage(vector)
    wrong = [
        difference
        for question, expected in vector.cases
        for difference in differences_in_use(native, question, expected)
    ]
    assert wrong == []


def differences_in_use(native: NativePage, question: PageQuestion, expected: Table) -> Iterator[str]:
    """How what may be used differs from what a case expects."""
    asked = {**arguments(question), "robots": native.robots}

    def compare(what: str, found: Any, wanted: Any) -> Iterator[str]:
        if found != wanted:
            yield f"{question}: {what} is {found!r}, not {wanted!r}"

    if {"content", "contains", "lacks", "elsewhere"} & set(expected):
        content = native.page.content_for(str(question.usage), **asked)
        text, html = collapsed(content.text), collapsed(content.html)
        yield from compare("content", text, expected.get("content", text))
        yield from compare("elsewhere", content.uri, expected.get("elsewhere", content.uri))
        for part in expected.get("contains", []):
            yield from compare(f"{part!r} in {text!r} and {html!r}", (part in text, part in html), (True, True))
        for part in expected.get("lacks", []):
            yield from compare(f"{part!r} in {text!r} and {html!r}", (part in text, part in html), (False, False))
    if "links" in expected:
        found = [(link.url, str(link.decision.outcome)) for link in native.page.links(**asked)]
        yield from compare("links", found, [tuple(link) for link in expected["links"]])
    if "snippet" in expected:
        wanted = expected["snippet"]
        shown = native.page.snippet(wanted.get("query", ""), usage=str(question.usage), **without_times(asked))
        shown_text: str | None = shown.text
        text_of_it = None if shown_text is None else collapsed(shown_text)
        yield from compare("snippet", text_of_it, None if "nothing" in wanted else wanted.get("text", text_of_it))
        for what in {"origin", "uri", "complete"} & set(wanted):
            yield from compare(f"{what} of the snippet", getattr(shown, what), wanted[what])
        if "most_words" in wanted:
            yield from compare("few words", len((text_of_it or "").split()) <= wanted["most_words"], True)
        if "most_chars" in wanted:
            yield from compare("few characters", len(text_of_it or "") <= wanted["most_chars"], True)


def without_times(asked: dict[str, Any]) -> dict[str, Any]:
    """What `snippet` takes of a question: it is asked for now."""
    return {name: value for name, value in asked.items() if name not in {"at", "facts"}}


def collapsed(text: str) -> str:
    """The text with each run of white space one blank, and none around it."""
    return " ".join(text.split())
