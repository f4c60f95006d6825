"""The JSON form is what its schema and its documentation say, for every kind of decision and problem."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, get_args

import pytest
from jsonschema import Draft202012Validator

import acap
from acap import _native
from acap.decision import Key, Kind
from acap.explain import KINDS as SENTENCES
from acap.json_types import DecisionJson
from acap.robots import Dialect
from acap.schema import (
    COMPARISON_SCHEMA,
    DECISION_SCHEMA,
    EFFECTIVE_SCHEMA,
    PROBLEM_SCHEMA,
    SCHEMA,
    SITE_SCHEMA,
    comparison_to_json,
    decision_to_json,
    problem_to_json,
)
from acap.usages import COMPOSITES, PARENTS, Usage
from tools import json_types

DOCUMENT = Path(__file__).resolve().parent.parent / "docs/reference/json.md"
TEXT = b"""\
User-agent: *
Disallow: /private/

ACAP-crawler: *
ACAP-usage-purpose: news
ACAP-disallow-index: /
ACAP-crawler: *
ACAP-allow-preserve: / time-limit=30-days
ACAP-allow-present: /
ACAP-disallow-present-snippet: /old/
Dissalow: /x
"""
POLICY = acap.parse_robots(TEXT, url="https://example.com/robots.txt")


def decision(path: str = "/", **asked: Any) -> DecisionJson:
    found = decision_to_json(POLICY.decide(f"https://example.com{path}", **{"crawler": "examplebot"} | asked))
    Draft202012Validator(DECISION_SCHEMA).validate(found)
    again: dict[str, Any] = json.loads(json.dumps(found))
    assert again == found, "what JSON carries is what was built"
    return found


@pytest.mark.parametrize("schema", [DECISION_SCHEMA, PROBLEM_SCHEMA, COMPARISON_SCHEMA])
def test_the_schemas_are_schemas(schema: dict[str, Any]) -> None:
    Draft202012Validator.check_schema(schema)


@pytest.mark.parametrize("usage", ["crawl", "follow", "index", "preserve", "present", "search", "ai-train"])
@pytest.mark.parametrize("path", ["/", "/private/x", "/old/x"])
def test_a_decision_fits_the_schema(usage: str, path: str) -> None:
    found = decision(path, usage=usage)
    assert (found["schema"], found["url"], found["usage"]) == (SCHEMA, f"https://example.com{path}", usage)


def test_a_restriction_has_its_name_and_value_as_written() -> None:
    (restriction,) = [item for item in decision(usage="preserve")["restrictions"] if item["name"] == "time-limit"]
    assert restriction["value"] == "30-days"


def test_a_restriction_of_a_composite_usage_names_its_part() -> None:
    policy = acap.parse_robots(b"ACAP-crawler: *\nACAP-allow-present-snippet: / max-length=20-words\n")
    found = decision_to_json(policy.decide("/", crawler="examplebot", usage="search"))
    assert [(item["name"], item["usage"]) for item in found["restrictions"]] == [("max-length", "present-snippet")]


def test_the_reason_cites_source_line_column_and_text() -> None:
    (cited,) = decision("/private/x")["reason"]["decided_by"]
    assert (cited["source"], cited["line"], cited["column"]) == ("https://example.com/robots.txt", 2, 1)
    assert (cited["text"], cited["element"], cited["header"]) == ("Disallow: /private/", None, None)


def test_what_lost_carries_the_key_it_lost_by() -> None:
    (lost,) = decision("/old/x", usage="present-snippet")["reason"]["lost"]
    assert lost["line"] == 9
    assert lost["key"] == "resources"


def test_several_names_of_a_crawler_are_one_text() -> None:
    assert decision(crawler=["examplebot-news", "examplebot"])["crawler"] == "examplebot-news,examplebot"


def test_no_purpose_is_null_one_is_a_text_several_are_a_list() -> None:
    assert decision()["purpose"] is None
    assert decision(purpose="news")["purpose"] == "news"
    assert decision(purpose=["news", "search"])["purpose"] == ["news", "search"]


def test_the_instant_is_iso_8601() -> None:
    assert decision(at=datetime(2026, 11, 20, 18, 30, tzinfo=UTC))["at"] == "2026-11-20T18:30:00+00:00"


@pytest.mark.parametrize("policy", [acap.RobotsPolicy.unreachable, acap.RobotsPolicy.absent])
def test_a_decision_without_a_file_fits_the_schema(policy: Any) -> None:
    found = decision_to_json(policy("https://example.com/robots.txt").decide("/", crawler="examplebot"))
    Draft202012Validator(DECISION_SCHEMA).validate(found)


def test_every_problem_fits_the_schema() -> None:
    assert POLICY.problems
    for problem in POLICY.problems:
        found = problem_to_json(problem, source="robots.txt")
        Draft202012Validator(PROBLEM_SCHEMA).validate(found)
        assert found["source"] == "robots.txt"


def test_octets_that_are_no_text_still_make_json() -> None:
    policy = acap.parse_robots(b"User-agent: *\nDisallow: /\xff\xfe\n\x00\x1b: \x80\n")
    found: list[Any] = [decision_to_json(policy.decide("/%FF%FEx", crawler="examplebot"))]
    found += [problem_to_json(problem) for problem in policy.problems]
    assert json.dumps(found).isascii()


@pytest.mark.parametrize(
    ("old", "verdict"),
    [
        (TEXT, "equal"),
        (b"", "different"),
        (b"User-agent: *\nDisallow: /caf\xe9/*\nSitemap: /a\nDisallow: /\xff$\n", "different"),
        (b"#" * 10_000_000, "different"),
    ],
)
def test_a_comparison_fits_the_schema(old: bytes, verdict: str) -> None:
    found = comparison_to_json(acap.compare(acap.parse_robots(old), acap.parse_robots(TEXT)), old="a", new="b")
    Draft202012Validator(COMPARISON_SCHEMA).validate(found)
    assert (found["schema"], found["verdict"], bool(found["changes"])) == (SCHEMA, verdict, verdict == "different")
    assert json.loads(json.dumps(found)) == found


def test_a_comparison_tells_what_is_undecided_and_why() -> None:
    octets, limits = b"User-agent: *\nDisallow: /a\n" + b"# note\n" * 1_000, acap.Limits(file_octets=1_000)
    old, new = (acap.parse_robots(octets + rule, limits=limits) for rule in (b"Disallow: /b\n", b"Disallow: /c\n"))
    found = comparison_to_json(acap.compare(old, new))
    Draft202012Validator(COMPARISON_SCHEMA).validate(found)
    (one,) = found["undecided"]
    assert (one["crawler"], one["because"]) == ("*", "a limit of reading cut one of the files")


@pytest.mark.parametrize(
    ("title", "schema"),
    [
        ("decision", DECISION_SCHEMA),
        ("problem", PROBLEM_SCHEMA),
        ("comparison", COMPARISON_SCHEMA),
        ("site", SITE_SCHEMA),
    ],
)
def test_the_documentation_shows_the_schema_as_it_is(title: str, schema: dict[str, Any]) -> None:
    blocks = re.findall(r"^```json\n(.*?)^```$", DOCUMENT.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    shown = [json.loads(block) for block in blocks]
    assert [block for block in shown if block.get("title") == f"acap {title}"] == [schema]


def test_the_documentation_explains_every_key_of_a_decision() -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    reason = DECISION_SCHEMA["properties"]["reason"]["properties"]
    keys = [
        *DECISION_SCHEMA["properties"],
        *reason,
        *reason["lost"]["items"]["properties"],
        *PROBLEM_SCHEMA["properties"],
        *COMPARISON_SCHEMA["properties"],
        *EFFECTIVE_SCHEMA["properties"],
        *EFFECTIVE_SCHEMA["properties"]["undone"]["items"]["properties"],
        *COMPARISON_SCHEMA["properties"]["changes"]["items"]["properties"],
        *COMPARISON_SCHEMA["properties"]["undecided"]["items"]["properties"],
        *SITE_SCHEMA["properties"],
        *SITE_SCHEMA["properties"]["documents"]["items"]["properties"],
        *SITE_SCHEMA["properties"]["matrices"]["items"]["properties"]["rows"]["items"]["properties"],
    ]
    assert [key for key in keys if f"`{key}`" not in text] == []


def test_the_types_of_the_forms_are_those_of_the_schemas() -> None:
    kept = json_types.FILE.read_text(encoding="utf-8")
    assert kept == json_types.written(), "`python -m tools.json_types` writes them"


def test_the_words_of_types_are_those_of_the_core() -> None:
    assert get_args(Key) == tuple(_native.keys())
    assert get_args(Dialect) == tuple(_native.DIALECTS)
    assert sorted(get_args(Usage)) == sorted((*PARENTS, *COMPOSITES))
    assert set(get_args(Kind)) == set(SENTENCES)
