"""Findings as SARIF 2.1.0, which code scanning takes; every rule is declared with its help.

https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html; numbers in brackets are its sections.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Iterator, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any
from urllib.parse import quote

from acap.publish.lint.baseline import fingerprint
from acap.publish.lint.catalogue import rules
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Edit, Finding
from acap.publish.lint.formats import Style, end_of, start_of
from acap.publish.lint.rule import Rule

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
LEVELS = {"error": "error", "warning": "warning", "info": "note"}


def part(document: Document, findings: Sequence[Finding], _style: Style) -> str:
    """The results of one document."""
    places = {code: place for place, code in enumerate(rules())}
    # A line may have megabytes and thousands of findings.
    prints = {
        finding.line: fingerprint(document, finding)
        for finding in {finding.line: finding for finding in findings}.values()
    }
    return ",\n".join(json.dumps(_result(document, finding, places, prints)) for finding in findings)


def whole(parts: Iterable[str], style: Style) -> Iterator[str]:
    """The log: one run with all rules and the results of every document (3.13, 3.14)."""
    driver: dict[str, Any] = {
        "name": "acap",
        "semanticVersion": version("acap"),
        "rules": [_rule(rule, style.rules_url) for rule in rules().values()],
    }
    if style.rules_url is not None:
        driver["informationUri"] = style.rules_url
    head = json.dumps({"tool": {"driver": driver}, "columnKind": "unicodeCodePoints"})
    yield f'{{"$schema": {json.dumps(SCHEMA)}, "version": "2.1.0", "runs": [{head[:-1]}, "results": ['
    first = True
    for results in parts:
        if results:
            yield f"\n{results}" if first else f",\n{results}"
            first = False
    yield "\n]}]}\n"


def _rule(rule: Rule, page: str | None) -> dict[str, Any]:
    """A reporting descriptor (3.49), with its place on the page of rules, where that is known (3.49.12)."""
    help_ = f"{rule.why}\n\nClause: {rule.clause}." if rule.clause else rule.why
    return {
        "id": rule.code,
        "shortDescription": {"text": f"{rule.summary[:1].upper()}{rule.summary[1:]}."},
        "fullDescription": {"text": rule.why},
        "help": {"text": help_, "markdown": help_},
        **({} if page is None else {"helpUri": f"{page}#{rule.code}"}),
        "defaultConfiguration": {"level": LEVELS[rule.severity], "enabled": rule.default},
        "properties": {"tags": list(rule.kinds), "fix": rule.fix},
    }


def _result(document: Document, finding: Finding, places: dict[str, int], prints: dict[int, str]) -> dict[str, Any]:
    """A result (3.27)."""
    message = f"{finding.message}; {finding.help}" if finding.help else finding.message
    result: dict[str, Any] = {
        "ruleId": finding.code,
        "ruleIndex": places[finding.code],
        "level": LEVELS[finding.severity],
        "message": {"text": message},
        "locations": [_location(document, _region(document, finding))],
        "partialFingerprints": {"acapLine/v1": prints[finding.line]},
    }
    related = [
        _location(document, {"startLine": one.line}) | {"id": number, "message": {"text": one.message}}
        for number, one in enumerate(finding.related, 1)
        if one.line > 0
    ]
    if related:
        result["relatedLocations"] = related
    if finding.fix is not None and finding.fix.edits:
        change = {
            "artifactLocation": {"uri": uri(document.name)},
            "replacements": [_replacement(edit) for edit in finding.fix.edits],
        }
        result["fixes"] = [{"description": {"text": finding.fix.title}, "artifactChanges": [change]}]
    if finding.witness is not None:
        result["properties"] = {"witness": finding.witness}
    return result


def _location(document: Document, region: dict[str, int]) -> dict[str, Any]:
    return {"physicalLocation": {"artifactLocation": {"uri": uri(document.name)}, "region": region}}


def _region(document: Document, finding: Finding) -> dict[str, int]:
    """A region by lines and columns from 1; its end is the column after it (3.30.8)."""
    line, column = start_of(finding)
    end_line, end_column = end_of(document, finding)
    return {"startLine": line, "startColumn": column, "endLine": end_line, "endColumn": end_column}


def _replacement(edit: Edit) -> dict[str, Any]:
    """A replacement (3.57); content is text if it is UTF-8, else in base64 (3.3)."""
    try:
        content = {"text": edit.octets.decode()}
    except UnicodeDecodeError:
        content = {"binary": base64.b64encode(edit.octets).decode()}
    return {
        "deletedRegion": {"byteOffset": edit.start, "byteLength": edit.end - edit.start},
        "insertedContent": content,
    }


def uri(name: str) -> str:
    """The URI of a document: a relative one for a relative path (3.4.3)."""
    if "://" in name:
        return name
    path = Path(name)
    return path.as_uri() if path.is_absolute() else quote(path.as_posix())
