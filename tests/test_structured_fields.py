"""The HTTP working group's tests of structured fields: of the core's reader of dictionaries, and of its reference.

Content-Usage is a dictionary (RFC 9651 3.2). Items, and lists of one member, are tried as the value of one. What else
there is has its reason in `NOT_TRIED`.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from acap import _native
from tests.reference.dictionary import NoDictionaryError, parse

FOLDER = Path(__file__).parent / "vectors" / "structured-fields"
Case = dict[str, Any]
CASES: list[tuple[str, Case]] = [
    (file.stem, case) for file in sorted(FOLDER.glob("*.json")) for case in json.loads(file.read_text(encoding="utf-8"))
]
NOT_TRIED = {
    "list": (18, "of several members, or of none: no field that is read here is a list"),
    "item": (2, "with a tab behind it, or on several lines: as a value it is a dictionary that may be read"),
}


def as_dictionary(case: Case) -> list[str] | None:
    """The lines of a case as lines of a dictionary; None where they can be none."""
    raw: list[str] = case["raw"]
    if case["header_type"] == "dictionary":
        return raw
    (line, *more) = raw
    if more or line.endswith("\t ") or (case["header_type"] == "list" and ("," in line or not line)):
        return None
    return [f"a={line.strip(' ')}"]


def tokens(case: Case) -> dict[str, str | None]:
    """The members that are expected, each with the token that it is, if it is one."""
    if case["header_type"] == "dictionary":
        members = case["expected"]
    else:
        members = [["a", case["expected"] if case["header_type"] == "item" else case["expected"][0]]]
    values = ((key, member[0]) for key, member in members)
    return {key: value["value"] if is_token(value) else None for key, value in values}


def is_token(value: object) -> bool:
    return isinstance(value, dict) and value["__type"] == "token"


@pytest.mark.parametrize("file", sorted({name for name, _ in CASES}))
def test_a_dictionary_is_read_as_the_working_group_expects(file: str) -> None:
    for case in (case for name, case in CASES if name == file):
        lines = as_dictionary(case)
        if lines is None:
            continue
        octets = [line.encode() for line in lines]
        _, problems = _native.read_signals("content-usage", octets, by_letter=True)
        fails = any(code == "bad-content-usage" for code, _ in problems)
        assert fails == case.get("must_fail", False), (case["name"], lines)
        try:
            found = parse(", ".join(lines))
        except NoDictionaryError:
            assert fails, (case["name"], lines)
        else:
            assert not fails, (case["name"], lines)
            assert found == tokens(case), (case["name"], lines)


@pytest.mark.parametrize("dialect", ["content-usage", "content-signal"])
@pytest.mark.parametrize("by_letter", [False, True])
def test_a_control_character_never_stands_within_a_permission(dialect: str, by_letter: bool) -> None:
    """HTTP sends none but the tab (RFC 9110 5.5)."""
    yes, no, name = ("y", "n", "train-ai") if dialect == "content-usage" else ("yes", "no", "ai-train")
    for control in [chr(octet) for octet in (*range(9), *range(10, 32), 127)]:
        for at in range(len(f"{name}={yes}") + 1):
            permission = f"{name}={yes}"[:at] + control + f"{name}={yes}"[at:]
            said, problems = _native.read_signals(dialect, [permission.encode()], by_letter)
            assert [usage for usage, permits in said if permits] == [], permission
            assert problems != [], permission
        if not by_letter:
            joined = f"{name}={no}{control}search={yes}"
            said, _ = _native.read_signals(dialect, [joined.encode()], by_letter)
            assert said != [], joined


def test_a_field_that_has_to_fail_for_a_control_character_permits_nothing() -> None:
    for _, case in CASES:
        lines = as_dictionary(case) or []
        if not any((letter < " " and letter != "\t") or letter == "\x7f" for line in lines for letter in line):
            continue
        usage = [line.replace("a=", "train-ai=") for line in lines]
        said, _ = _native.read_signals("content-usage", [line.encode() for line in [*usage, "train-ai=y"]])
        assert not any(permits for _, permits in said), case["name"]


def test_what_is_not_tried_is_known() -> None:
    left = [case["header_type"] for _, case in CASES if as_dictionary(case) is None]
    assert len(CASES) == 749
    assert {kind: left.count(kind) for kind in left} == {kind: count for kind, (count, _) in NOT_TRIED.items()}
