"""The vectors about pages keep to their schema, so that any implementation in any language can read them."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tests.page_vectors import PAGES, page_tables, page_vectors
from tests.test_vector_schema import HEADINGS, neutral
from tests.vector_files import VECTORS

SCHEMA = json.loads((PAGES / "schema.json").read_text(encoding="utf-8"))
VALIDATOR = Draft202012Validator(SCHEMA)
FILES = page_tables()
EVERY_FILE = pytest.mark.parametrize("path", [pytest.param(path, id=path.name) for path in FILES])


@EVERY_FILE
def test_a_file_of_vectors_about_pages_keeps_to_the_schema(path: Path) -> None:
    """Every key and value is one the schema knows."""
    assert [f"{error.json_path}: {error.message}" for error in VALIDATOR.iter_errors(neutral(FILES[path]))] == []


def test_a_chapter_that_a_vector_about_pages_cites_is_in_the_semantics() -> None:
    """A clause `Semantics, …` names a heading of the documentation."""
    for vector in page_vectors():
        cited = [clause for clause in vector.table["source"].split("; ") if clause.startswith("Semantics, ")]
        assert {clause.removeprefix("Semantics, ") for clause in cited} <= HEADINGS, vector.name


def test_what_a_case_cites_is_in_the_vector() -> None:
    """A text that decides or loses stands in the page, in a header or in the robots.txt."""
    for vector in page_vectors():
        table = vector.table
        texts = [table.get("html", ""), table.get("robots", ""), *(value for _, value in vector.headers)]
        known = " ".join("\n".join(texts).split())
        cited = [text for case in table["case"] for text in case.get("decided", [])]
        cited += [one["text"] for case in table["case"] for one in case.get("lost", [])]
        assert [text for text in cited if text not in known] == [], vector.name


def test_only_a_permitted_page_has_restrictions() -> None:
    """What is prohibited is subject to nothing."""
    for vector in page_vectors():
        restricted = [case for case in vector.table["case"] if case.get("restrictions") or case.get("excluded")]
        assert [case for case in restricted if case["outcome"] == "prohibited"] == [], vector.name


def test_the_schema_of_pages_is_one() -> None:
    """The schema is a schema of its draft."""
    Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize(
    "case",
    [
        {"usage": "index", "outcome": "allowed"},
        {"usage": "index", "outcome": "permitted", "restrictions": [["time-limit"]]},
        {"usage": "index", "outcome": "permitted", "at": "yesterday"},
        {"usage": "index", "outcome": "permitted", "usgae": "index"},
        {"usage": "index", "usages": ["index"], "outcome": "permitted"},
        {"usage": "index", "crawler": "a", "crawlers": ["a"], "outcome": "permitted"},
        {"usage": "index", "outcome": "permitted", "elements": True},
        {"usage": "follow", "outcome": "permitted", "links": [["https://www.example.com/"]]},
        {"usage": "present-snippet", "outcome": "permitted", "snippet": {"text": "a", "nothing": True}},
        {"outcome": "permitted"},
        {"usage": "index"},
    ],
)
def test_what_is_misspelt_about_a_page_violates_the_schema(case: dict[str, Any]) -> None:
    """A case that would not be asked as it was meant is found."""
    page = {"source": "P2 2.2.1", "title": "A claim.", "html": "", "case": [case]}
    assert not VALIDATOR.is_valid({"schema": 1, "topic": "a topic", "page": [page]})


@pytest.mark.parametrize("without", [{"html"}, {"case"}, {"title"}, {"source"}])
def test_a_page_has_a_text_a_claim_a_source_and_a_case(without: set[str]) -> None:
    """A page that lacks one of them violates the schema, and one that has them does not."""
    case = {"usage": "index", "outcome": "permitted"}
    page = {"source": "P2 2.2.1", "title": "A claim.", "html": "", "case": [case]}
    cut = {name: value for name, value in page.items() if name not in without}
    found = [VALIDATOR.is_valid({"schema": 1, "topic": "a topic", "page": [each]}) for each in (page, cut)]
    assert found == [True, False]


def test_the_readme_explains_every_key_about_pages() -> None:
    """No key is left to be guessed."""
    readme = (VECTORS / "README.md").read_text(encoding="utf-8").partition("## Pages")[2]
    keys = {key for table in [SCHEMA, *SCHEMA["$defs"].values()] for key in table.get("properties", {})}
    assert {key for key in keys if not re.search(rf"`{key}\b", readme)} == set()


def test_titles_of_pages_are_claims_each_made_once() -> None:
    """No two pages claim the same."""
    titles = Counter(vector.table["title"] for vector in page_vectors())
    assert [title for title, times in titles.items() if times > 1] == []
