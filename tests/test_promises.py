"""What the pages promise is held: each sentence names tests, and each test named is there."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import pytest

from tools import promises
from tools.links import ROOT


@cache
def names(file: Path) -> frozenset[str]:
    """The tests of a file: functions of Python, with their classes, or of Rust."""
    text = file.read_text(encoding="utf-8")
    if file.suffix == ".rs":
        return frozenset(re.findall(r"^\s*fn (\w+)\(", text, re.MULTILINE))
    found = set[str]()
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef):
            found.add(node.name)
        if isinstance(node, ast.ClassDef):
            found |= {f"{node.name}::{inner.name}" for inner in node.body if isinstance(inner, ast.FunctionDef)}
    return frozenset(found)


@pytest.mark.parametrize("page", promises.PAGES)
def test_every_sentence_that_promises_something_names_its_tests(page: str) -> None:
    """A sentence that is new or was changed has to be put into the list, with what holds it."""
    said = list(promises.sentences(page, (ROOT / page).read_text(encoding="utf-8")))
    listed = {one.sentence for one in promises.promises() if one.page == page}
    listed |= {sentence for where, sentence in promises.no_promises() if where == page}
    assert [sentence for sentence in said if sentence not in listed] == [], f"put it into {promises.LIST.name}"
    assert sorted(listed - set(said)) == [], "no page says so any more"


def check(tests: Iterable[str]) -> None:
    """Each is a test of a file, or a file whose whole content is what enforces it."""
    for test in tests:
        name, _, function = test.partition("::")
        file = ROOT / name
        assert file.is_file(), test
        if function:
            assert function in names(file), test
            assert file.suffix == ".rs" or function.rpartition("::")[2].startswith("test_")


@pytest.mark.parametrize("promise", promises.promises(), ids=lambda one: one.sentence[:50])
def test_what_holds_a_promise_is_there(promise: promises.Promise) -> None:
    """A promise names tests that there are."""
    assert promise.tests
    check(promise.tests)


def test_every_law_names_its_tests() -> None:
    """Each row of the laws of ARCHITECTURE names tests that there are."""
    _, _, rest = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8").partition("| law | held by |\n|---|---|\n")
    laws = rest.partition("\n\n")[0].splitlines()
    assert len(laws) > 10
    for law in laws:
        tests = re.findall(r"`([^`]+)`", law.rpartition(" | ")[2])
        assert tests, law
        check(tests)
