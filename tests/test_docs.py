"""The documentation cannot lie: generated pages are current, links lead somewhere, examples give what they show."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

import acap
from tools import api, docs, examples, links

PYTHON = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
TEXTS = {page.relative_to(links.ROOT).as_posix(): page.read_text(encoding="utf-8") for page in links.markdown_files()}


@pytest.mark.parametrize("name", docs.GENERATED)
def test_a_generated_page_is_current(name: str) -> None:
    assert (links.ROOT / name).read_text(encoding="utf-8") == docs.GENERATED[name](), "`make docs` writes it"


def test_every_relative_link_leads_somewhere() -> None:
    assert list(links.broken_links(links.markdown_files())) == []


def test_every_page_of_docs_is_reached_from_its_index() -> None:
    reached, waiting = set[Path](), [links.ROOT / "docs/README.md"]
    while waiting:
        page = waiting.pop()
        if page not in reached:
            reached.add(page)
            waiting += [file for _, file in links.links(page) if file.suffix == ".md" and file.is_file()]
    assert [page for page in TEXTS if page.startswith("docs/") and links.ROOT / page not in reached] == []


@pytest.mark.parametrize("name", acap.__all__)
def test_a_public_name_says_what_it_is(name: str) -> None:
    thing = getattr(acap, name)
    assert not callable(thing) or api.docstring(thing)


def test_every_public_name_is_there_and_listed_once() -> None:
    assert len(set(acap.__all__)) == len(acap.__all__)
    assert [name for name in acap.__all__ if not hasattr(acap, name)] == []


@pytest.mark.parametrize("page", [page for page, text in TEXTS.items() if ">>>" in "".join(PYTHON.findall(text))])
def test_the_python_examples_of_a_page_give_what_they_show(page: str) -> None:
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    names: dict[str, object] = {}
    report: list[str] = []
    for block in PYTHON.finditer(TEXTS[page]):
        line = TEXTS[page].count("\n", 0, block.start(1))
        test = doctest.DocTestParser().get_doctest(block[1], names, page, page, line)
        runner.run(test, out=report.append, clear_globs=False)
        names = test.globs
    assert not report, "".join(report)


@pytest.mark.parametrize("page", [page for page, text in TEXTS.items() if examples.CONSOLE.search(text)])
def test_the_console_examples_of_a_page_print_what_they_show(page: str) -> None:
    assert examples.refreshed(TEXTS[page]) == TEXTS[page], "`make docs` writes what they print"
