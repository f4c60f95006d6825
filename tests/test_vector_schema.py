"""The vectors keep to their schema, so that any implementation in any language can read them."""

from __future__ import annotations

import json
import re
from collections import Counter
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

import acap.robots
from tests.vector_files import VECTORS, policies, tables

SCHEMA = json.loads((VECTORS / "schema.json").read_text(encoding="utf-8"))
VALIDATOR = Draft202012Validator(SCHEMA)
TEXTS = {"robots", "robots_file", "robots_parts", "state"}
SEMANTICS = VECTORS.parent.parent / "docs/semantics.md"
HEADINGS = set(re.findall(r"^##+ (.+)$", SEMANTICS.read_text(encoding="utf-8"), re.MULTILINE))
PLURALS = ("dialect", "url", "crawler", "usage", "purpose")
VECTOR_FILES = [path for path in sorted(VECTORS.glob("*/*.toml")) if path.parent.name not in {"pages", "rep"}]

POLICIES = policies()


def neutral(value: Any) -> Any:
    """TOML's dates and times as RFC 3339 strings, as the schema sees them."""
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, dict):
        return {name: neutral(part) for name, part in value.items()}
    return [neutral(part) for part in value] if isinstance(value, list) else value


@pytest.mark.parametrize("path", VECTOR_FILES, ids=[path.relative_to(VECTORS).as_posix() for path in VECTOR_FILES])
def test_a_file_of_vectors_keeps_to_the_schema(path: Path) -> None:
    table = neutral(tables(path))
    assert [f"{error.json_path}: {error.message}" for error in VALIDATOR.iter_errors(table)] == []


def test_a_policy_has_one_text_and_a_question_one_of_each() -> None:
    for policy in POLICIES:
        table = policy.table
        assert len(TEXTS & set(table)) == 1, policy.name
        assert not {"dialect", "dialects"} <= set(table), policy.name
        for reference in table.get("references", []):
            assert ("robots" in reference) != ("failed" in reference), policy.name
        for case in table["case"]:
            assert len({"url", "urls", "url_parts"} & set(case)) == 1, policy.name
            assert len({"crawler", "crawlers"} & set(case)) == 1, policy.name
            for name in PLURALS:
                assert not {name, f"{name}s"} <= set(case), policy.name


def test_a_policy_asks_something() -> None:
    assert POLICIES
    assert [policy.name for policy in POLICIES if not (policy.cases or "politeness" in policy.table)] == []


def test_a_chapter_a_vector_cites_is_in_the_semantics() -> None:
    for policy in POLICIES:
        cited = [clause for clause in policy.table["source"].split("; ") if clause.startswith("Semantics, ")]
        assert {clause.removeprefix("Semantics, ") for clause in cited} <= HEADINGS, policy.name


def test_a_line_a_vector_cites_is_in_its_text() -> None:
    for policy in POLICIES:
        texts = [policy.octets or b"", *(target or b"" for _, target in policy.supplied)]
        number = max(len(text.splitlines()) for text in texts)
        cited = [line for case in policy.table["case"] for line in case.get("line", [])]
        assert [line for line in cited if line > number] == [], policy.name


def test_the_schema_is_one() -> None:
    Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize(
    "case",
    [
        {"outcome": "allowed"},
        {"outcome": "permitted", "restrictions": [["time-limit"]]},
        {"outcome": "permitted", "at": "yesterday"},
        {"outcome": "permitted", "line": [0]},
        {"outcome": "permitted", "usgae": "index"},
        {"url": "/"},
    ],
)
def test_what_is_misspelt_violates_the_schema(case: dict[str, Any]) -> None:
    policy = {"source": "G 2.4", "title": "A claim.", "robots": "", "case": [case]}
    assert not VALIDATOR.is_valid({"schema": 1, "topic": "a topic", "policy": [policy]})


def test_the_readme_explains_every_key() -> None:
    readme = (VECTORS / "README.md").read_text(encoding="utf-8")
    keys = {key for table in [SCHEMA, *SCHEMA["$defs"].values()] for key in table.get("properties", {})}
    assert {key for key in keys if not re.search(rf"`{key}\b", readme)} == set()


def test_the_readme_names_every_folder() -> None:
    readme = (VECTORS / "README.md").read_text(encoding="utf-8")
    assert [path.name for path in VECTORS.iterdir() if path.is_dir() and f"`{path.name}/`" not in readme] == []


@pytest.mark.parametrize("dialect", acap.robots.DIALECTS)
def test_every_dialect_has_a_folder_of_vectors(dialect: str) -> None:
    assert any((VECTORS / dialect).glob("*.toml"))


def test_titles_are_claims_each_made_once() -> None:
    titles = Counter(policy.table["title"] for policy in policies())
    assert [title for title, times in titles.items() if times > 1] == []


def test_ids_are_given_once_and_those_referred_to_exist() -> None:
    ids = Counter(policy.table["id"] for policy in policies() if "id" in policy.table)
    assert set(ids.values()) <= {1}
    assert {policy.table["same_as"] for policy in policies() if "same_as" in policy.table} <= set(ids)
