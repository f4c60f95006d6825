"""`--json` of the commands that write: convert, compose, format."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from acap.schema import COMPARISON_SCHEMA, COMPOSITION_SCHEMA, CONVERSION_SCHEMA, LAYOUT_SCHEMA
from tests.command_line import ROOT, acap

_JSON = (ROOT / "docs/reference/json.md").read_text(encoding="utf-8")
_SCHEMAS = {"convert": CONVERSION_SCHEMA, "compose": COMPOSITION_SCHEMA, "format": LAYOUT_SCHEMA}


def printed(*arguments: str | Path, code: int = 0) -> dict[str, Any]:
    """The one object that a command prints, which fits its schema."""
    result = acap(*arguments, "--json")
    assert result.code == code, result.err
    (line,) = result.lines
    found: dict[str, Any] = json.loads(line)
    Draft202012Validator(_SCHEMAS[str(arguments[0])]).validate(found)
    return found


@pytest.fixture
def plain(tmp_path: Path) -> Path:
    file = tmp_path / "robots.txt"
    file.write_bytes(b"User-agent: *\nDisallow: /a/\nCrawl-delay: 3\n")
    return file


def test_every_key_is_documented() -> None:
    for schema in _SCHEMAS.values():
        Draft202012Validator.check_schema(schema)
        assert [key for key in schema["properties"] if f"`{key}`" not in _JSON] == []


def test_a_conversion_tells_its_text_its_losses_and_its_proof(plain: Path) -> None:
    """The text is that which is printed without it, and a file is written all the same."""
    whole = acap("convert", plain, "--to", "acap").out
    found = printed("convert", plain, "--to", "acap")
    assert (found["text"], found["proved"], found["comparison"], found["written"]) == (whole, True, None, None)
    assert [note["line"] for note in found["notes"]] == [3]
    out = plain.with_name("out.txt")
    found = printed("convert", plain, "--to", "acap", "--verify", "-o", out)
    Draft202012Validator(COMPARISON_SCHEMA).validate(found["comparison"])
    assert (found["comparison"]["verdict"], found["written"]) == ("equal", str(out))
    assert out.read_text(encoding="utf-8") == whole
    found = printed("convert", plain, "--to", "meta", "--url", "/a/")
    assert "<meta" in found["text"] or found["text"] == ""
    assert acap("convert", plain, "--to", "acap", "--json", "--diff").code == 2


def test_octets_that_are_no_text_are_in_base64(plain: Path) -> None:
    plain.write_bytes(b"User-agent: *\nDisallow: /\xe9\n")
    found = printed("format", plain, "--check")
    assert (found["text"], bool(found["text_base64"])) == (None, True)


def test_another_dialect_is_an_object_too(tmp_path: Path) -> None:
    file = tmp_path / "robots.txt"
    file.write_bytes(b"User-agent: *\nContent-Signal: search=no\nAllow: /\n")
    found = printed("convert", file, "--to", "content-usage")
    assert "search=n" in found["text"]


def test_a_composition_tells_its_text_and_where_its_mistakes_are(tmp_path: Path) -> None:
    file = tmp_path / "acap.toml"
    file.write_text('[[policy.record]]\ncrawlers = ["Googelbot"]\nprohibit = ["crawl"]\n', encoding="utf-8")
    found = printed("compose", "--from", file)
    assert found["text"] == acap("compose", "--from", file).out
    assert [one["field"] for one in found["warnings"]] == ["policy.record[0].crawlers[0]"]
    assert (found["rows"], found["mistakes"]) == ([], [])
    rows = printed("compose", "--from", file, "--preview", "--sample", "/x")["rows"]
    assert {(row["url"], row["outcome"]) for row in rows if row["usage"] == "crawl" and row["crawler"] == "*"} == {
        ("/x", "permitted")
    }
    file.write_text('[[policy.record]]\ncrawlers = ["A/1"]\nprohibit = ["crawl"]\n', encoding="utf-8")
    found = printed("compose", "--from", file, code=2)
    assert (found["text"], [one["field"] for one in found["mistakes"]]) == (None, ["policy.record[0].crawlers[0]"])
    assert "write `A`" in found["mistakes"][0]["message"]


def test_nothing_is_written_where_the_preview_fails(tmp_path: Path) -> None:
    file, out = tmp_path / "acap.toml", tmp_path / "robots.txt"
    file.write_text('[[policy.record]]\ncrawlers = ["a"]\nprohibit = ["crawl"]\n', encoding="utf-8")
    call = ("compose", "--from", file, "--preview", "--json", "-o", out, "--sample")
    done = acap(*call, "http://[")
    assert (done.code, done.out, out.exists()) == (2, "", False)
    assert (acap(*call, "/x").code, out.exists()) == (0, True)


def test_a_preset_is_an_object_with_what_changes_and_what_stands_against_it(plain: Path) -> None:
    plain.write_bytes(b"ACAP-crawler: Googlebot\nACAP-allow-preserve: /\n")
    found = printed("compose", "--preset", "quote", plain)
    assert found["preset"] == "quote"
    assert any(note.startswith("line 2, ") for note in found["notes"])
    found = printed("compose", "--preset", "licence", code=2)
    assert "whole URL" in found["mistakes"][0]["message"]
    assert acap("compose", "--preset", "no-ai-training", "--json").code == 2
    assert acap("compose", "--json").code == 2


def test_a_layout_is_an_object_per_file_and_is_written(plain: Path) -> None:
    plain.write_bytes(b"user-agent:*\ndisallow: /a/\n")
    found = printed("format", plain, "--check", code=1)
    assert (found["changed"], found["written"]) == (True, None)
    found = printed("format", plain)
    assert (found["changed"], found["written"]) == (True, str(plain))
    assert plain.read_text(encoding="utf-8") == found["text"]
    assert printed("format", plain)["changed"] is False
