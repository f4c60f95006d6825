"""The JSON form of decisions, problems, and what pages say and yield, with its version and its JSON Schemas.

`SCHEMA` rises when a key changes its meaning or goes away; a new key does not raise it, so a reader must accept keys
it does not know. Every object carries the number under `schema`.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Sequence
from typing import Any

from acap.decision import Cited, Decision, Lost
from acap.problems import Problem
from acap.statement import Statement

SCHEMA = 1
_QUOTED = 1_000  # characters of what is wrong in a page
_DRAFT = "https://json-schema.org/draft/2020-12/schema"


def decision_to_json(decision: Decision) -> dict[str, Any]:
    """The decision with its restrictions and reason, of types that `json.dumps` takes.

    `crawler` is one text also for an ordered list of names; `purpose` and `usage` are a list where several were asked
    for together; `at` is the instant asked about in ISO 8601, null for the moment of asking.
    """
    reason = decision.reason
    at = decision.at
    return {
        "schema": SCHEMA,
        "url": decision.url,
        "crawler": crawler_text(decision),
        "purpose": _one_or_list(purposes_asked(decision)),
        "usage": _one_or_list(decision.usage),
        "at": None if at is None else at.isoformat(),
        "outcome": str(decision.outcome),
        "restrictions": [
            {"name": restriction.name, "value": restriction.value, "usage": restriction.usage}
            for restriction in decision.restrictions
        ],
        "stated": decision.stated,
        "reason": {
            "kind": str(reason.kind),
            "decided_by": [_cited(cited) for cited in reason.decided_by],
            "lost": [_lost(lost) for lost in reason.lost],
            "prohibited_below": list(reason.prohibited_below),
            "truncated": reason.truncated,
        },
    }


def problem_to_json(problem: Problem, *, source: str | None = None) -> dict[str, Any]:
    """The problem, of types that `json.dumps` takes; `source` is the file's name or the URL it was read from."""
    return {
        "schema": SCHEMA,
        "source": source,
        "code": str(problem.code),
        "severity": str(problem.severity),
        "line": problem.line or None,
        "column": problem.column or None,
        "message": problem.message,
        "fix": problem.fix,
        "text": problem.text,
    }


def finding_to_json(finding: Any, *, source: str | None, end: tuple[int, int]) -> dict[str, Any]:
    """A finding of `acap.publish.lint`, of types that `json.dumps` takes.

    `source` is the file's name or the URL it was read from; `end` are line and column after what is underlined.
    """
    line, column = end if finding.line else (None, None)
    fix = finding.fix
    return {
        "schema": SCHEMA,
        "source": source,
        "code": finding.code,
        "severity": finding.severity,
        "line": finding.line or None,
        "column": finding.column if finding.line else None,
        "end_line": line,
        "end_column": column,
        "message": finding.message,
        "help": finding.help,
        "fix": None
        if fix is None
        else {"title": fix.title, "safe": fix.safe, "edits": [_edit(edit) for edit in fix.edits]},
        "related": [{"line": related.line or None, "message": related.message} for related in finding.related],
        "witness": finding.witness,
    }


def _edit(edit: Any) -> dict[str, Any]:
    try:
        text, encoded = edit.octets.decode(), None
    except UnicodeDecodeError:
        text, encoded = None, b64encode(edit.octets).decode()
    return {"start": edit.start, "end": edit.end, "text": text, "text_base64": encoded}


def comparison_to_json(comparison: Any, *, old: str | None = None, new: str | None = None) -> dict[str, Any]:
    """How two policies differ (`acap.compare`), of types that `json.dumps` takes; `old` and `new` are their names.

    A set of paths is `{"within": [pattern, …], "without": [set, …]}`: what matches all patterns and is in no other set.
    """

    def paths(one: Any) -> dict[str, Any]:
        return {"within": list(map(_text, one.within)), "without": [paths(less) for less in one.without]}

    def side(one: Any) -> dict[str, Any]:
        return {
            "outcome": one.outcome,
            "restrictions": list(one.restrictions),
            "kind": one.kind,
            "line": one.line or None,
            "text": one.text,
        }

    return {
        "schema": SCHEMA,
        "old": old,
        "new": new,
        "verdict": comparison.verdict,
        "changes": [
            {
                "crawlers": list(change.crawlers),
                "purposes": list(change.purposes),
                "usages": list(change.usages),
                "paths": paths(change.paths),
                "before": side(change.before),
                "after": side(change.after),
                "witness": change.witness,
            }
            for change in comparison.changes
        ],
        "undecided": [
            {"crawler": one.crawler, "purpose": one.purpose, "usage": one.usage, "because": one.because}
            for one in comparison.undecided
        ],
        "removed": list(comparison.removed),
        "added": list(comparison.added),
    }


def _text(pattern: str) -> str:
    """A pattern whose octets are no UTF-8 as text."""
    return pattern.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def page_to_json(
    page: Any,
    said: Iterable[tuple[Statement, Cited]],
    local_usages: Iterable[tuple[str, bool]],
    *,
    source: str | None,
    problems: Iterable[Problem] | None = None,
) -> dict[str, Any]:
    """What an `acap.PagePolicy` says, of types that `json.dumps` takes.

    `said` are its statements, each with how it is cited; `local_usages` those that only the site's robots.txt can
    define, each with whether the page permits it; `source` is the file's name or the URL it was read from. `problems`
    are those of all that was read, by default those of the page.
    """
    return {
        "schema": SCHEMA,
        "url": page.url,
        "source": source,
        "version": page.version,
        "encoding": page.encoding,
        "headers": [[name, value] for name, value in page.headers],
        "statements": [_said(statement, cited) for statement, cited in said],
        "local_usages": [{"name": name, "permits": permits} for name, permits in local_usages],
        # Each of the many problems of one tag quotes the tag.
        "problems": [
            problem_to_json(problem, source=source) | {"text": problem.text[:_QUOTED]}
            for problem in (page.problems if problems is None else problems)
        ],
    }


def content_to_json(content: Any) -> dict[str, Any]:
    """What may be used of a page (`PagePolicy.content_for`), piece by piece, of types that `json.dumps` takes."""
    return {
        "schema": SCHEMA,
        "decision": decision_to_json(content.decision),
        "uri": content.uri,
        "text": content.text,
        "html": content.html,
        "pieces": [
            {"element": piece.element, "text": piece.text, "decision": decision_to_json(piece.decision)}
            for piece in content.pieces
        ],
    }


def link_to_json(link: Any) -> dict[str, Any]:
    """A link of a page (`PagePolicy.links`) with the decision on following it, of types that `json.dumps` takes."""
    return {
        "schema": SCHEMA,
        "url": link.url,
        "tag": link.tag,
        "rel": list(link.rel),
        "element": link.element,
        "hint": link.hint,
        "decision": decision_to_json(link.decision),
    }


def snippet_to_json(snippet: Any) -> dict[str, Any]:
    """A snippet of a page (`PagePolicy.snippet`) with the decision on showing it, of types that `json.dumps` takes."""
    return {
        "schema": SCHEMA,
        "text": snippet.text,
        "origin": snippet.origin,
        "uri": snippet.uri,
        "complete": snippet.complete,
        "decision": decision_to_json(snippet.decision),
    }


def crawler_text(decision: Decision) -> str:
    """Who was asked for, as one text: a name, or several in order with commas between."""
    crawler: Any = decision.crawler
    return crawler if isinstance(crawler, str) else ",".join(getattr(crawler, "names", crawler))


def purposes_asked(decision: Decision) -> str | Sequence[str] | None:
    """The purposes of the question, else those that the crawler brings along."""
    if decision.purpose is not None:
        return decision.purpose
    found: Sequence[str] | None = getattr(decision.crawler, "purposes", None)
    return found


def _one_or_list(value: str | Sequence[str] | None) -> str | list[str] | None:
    """A name as itself, several as a list, none as None."""
    if value is None or isinstance(value, str):
        return value
    if len(value) > 1:
        return list(value)
    return value[0] if value else None


def _cited(cited: Cited) -> dict[str, Any]:
    return {
        "source": cited.source,
        "line": cited.line or None,
        "column": cited.column or None,
        "element": cited.element,
        "header": cited.header,
        "text": cited.text,
        "effect": cited.effect,
        "usage": cited.usage,
        "dialect": cited.dialect,
    }


def _said(statement: Statement, cited: Cited) -> dict[str, Any]:
    return {
        **_cited(cited),
        "part": statement.part,
        "crawler": statement.crawler,
        "purpose": statement.purpose,
        "restrictions": [{"name": name, "value": value, "usage": None} for name, value in statement.restrictions],
    }


def _lost(lost: Lost) -> dict[str, Any]:
    return {**_cited(lost.statement), "key": str(lost.key)}


_TEXT: dict[str, Any] = {"type": "string"}
_TEXT_OR_NULL: dict[str, Any] = {"type": ["string", "null"]}
_NUMBER_FROM_1: dict[str, Any] = {"type": ["integer", "null"], "minimum": 1}
_TEXT_OR_LIST: dict[str, Any] = {"type": ["string", "array"], "items": _TEXT}


def _object(description: str, properties: dict[str, Any]) -> dict[str, Any]:
    """A schema of an object whose keys are all written, null where there is nothing to say."""
    return {
        "type": "object",
        "description": description,
        "properties": properties,
        "required": list(properties),
    }


_CITED_KEYS: dict[str, Any] = {
    "source": _TEXT_OR_NULL | {"description": "the file, page or document the statement is in"},
    "line": _NUMBER_FROM_1 | {"description": "counted from 1; null where the source has no lines"},
    "column": _NUMBER_FROM_1 | {"description": "counted from 1, in characters"},
    "element": _TEXT_OR_NULL | {"description": "the element of a page that carries the statement"},
    "header": _TEXT_OR_NULL | {"description": "the HTTP header that carries the statement"},
    "text": _TEXT | {"description": "the statement as it is written"},
    "effect": {"enum": ["permits", "prohibits", "conditional", None]},
    "usage": _TEXT_OR_NULL | {"description": "the usage the statement is about"},
    "dialect": _TEXT_OR_NULL | {"description": "the vocabulary the statement belongs to"},
}

_RESTRICTIONS: dict[str, Any] = {
    "type": "array",
    "description": "what the permission is subject to; empty when it is unrestricted",
    "items": _object(
        "One restriction.",
        {
            "name": _TEXT,
            "value": _TEXT | {"description": "as it is written"},
            "usage": _TEXT_OR_NULL | {"description": "the part of a composite usage it belongs to"},
        },
    ),
}

DECISION_SCHEMA: dict[str, Any] = {
    "$schema": _DRAFT,
    "title": "acap decision",
    **_object(
        "The answer to one question: may this crawler use this URL in this way?",
        {
            "schema": {"const": SCHEMA},
            "url": _TEXT | {"description": "the URL asked about, as it was given"},
            "crawler": _TEXT | {"description": "the crawler's name, or several in order, separated by commas"},
            "purpose": _TEXT_OR_LIST | {"type": ["string", "array", "null"]},
            "usage": _TEXT_OR_LIST,
            "at": _TEXT_OR_NULL | {"description": "the instant asked about, ISO 8601; null for the moment of asking"},
            "outcome": {"enum": ["permitted", "conditional", "prohibited"]},
            "restrictions": _RESTRICTIONS,
            "stated": {"type": "boolean", "description": "whether any statement spoke; false when silence decided"},
            "reason": _object(
                "Why.",
                {
                    "kind": _TEXT | {"description": "the kind of reason, for example `statement` or `silence`"},
                    "decided_by": {"type": "array", "items": _object("A statement that decided.", _CITED_KEYS)},
                    "lost": {
                        "type": "array",
                        "items": _object(
                            "A statement that lost.",
                            _CITED_KEYS | {"key": _TEXT | {"description": "the comparison it lost by"}},
                        ),
                    },
                    "prohibited_below": {
                        "type": "array",
                        "items": _TEXT,
                        "description": "usages below the one asked for that are prohibited all the same",
                    },
                    "truncated": {"type": "boolean", "description": "whether a limit cut the policy"},
                },
            ),
        },
    ),
}

PROBLEM_SCHEMA: dict[str, Any] = {
    "$schema": _DRAFT,
    "title": "acap problem",
    **_object(
        "One thing that is wrong, doubtful or worth knowing in a policy.",
        {
            "schema": {"const": SCHEMA},
            "source": _TEXT_OR_NULL | {"description": "the file's name or the URL it was read from"},
            "code": _TEXT | {"description": "the stable code of the problem"},
            "severity": {"enum": ["error", "warning", "info"]},
            "line": _NUMBER_FROM_1 | {"description": "counted from 1; null where the problem is of the whole file"},
            "column": _NUMBER_FROM_1 | {"description": "counted from 1, in characters"},
            "message": _TEXT,
            "fix": _TEXT_OR_NULL | {"description": "what to do about it"},
            "text": _TEXT | {"description": "the line as it is written; empty where the problem is of the whole file"},
        },
    ),
}

FINDING_SCHEMA: dict[str, Any] = {
    "$schema": _DRAFT,
    "title": "acap finding",
    **_object(
        "One thing in a document that does not do what its author meant.",
        {
            "schema": {"const": SCHEMA},
            "source": _TEXT_OR_NULL | {"description": "the file's name or the URL it was read from"},
            "code": _TEXT | {"description": "the stable code of the rule"},
            "severity": {"enum": ["error", "warning", "info"]},
            "line": _NUMBER_FROM_1 | {"description": "counted from 1; null where it is of the whole document"},
            "column": _NUMBER_FROM_1 | {"description": "counted from 1, in characters"},
            "end_line": _NUMBER_FROM_1 | {"description": "the line on which it ends"},
            "end_column": _NUMBER_FROM_1 | {"description": "the column after its last character"},
            "message": _TEXT,
            "help": _TEXT_OR_NULL | {"description": "what to do about it"},
            "fix": {
                "description": "what --fix does; null if it has to be mended by hand",
                "anyOf": [
                    {"type": "null"},
                    _object(
                        "Edits that mend it.",
                        {
                            "title": _TEXT,
                            "safe": {"type": "boolean", "description": "false if it may change what is permitted"},
                            "edits": {
                                "type": "array",
                                "items": _object(
                                    "Octets to be replaced.",
                                    {
                                        "start": {"type": "integer", "minimum": 0},
                                        "end": {"type": "integer", "minimum": 0},
                                        "text": _TEXT_OR_NULL | {"description": "null where it is no UTF-8"},
                                        "text_base64": _TEXT_OR_NULL | {"description": "the octets, if text is null"},
                                    },
                                ),
                            },
                        },
                    ),
                ],
            },
            "related": {
                "type": "array",
                "description": "other places that belong to it",
                "items": _object("A place.", {"line": _NUMBER_FROM_1, "message": _TEXT}),
            },
            "witness": _TEXT_OR_NULL | {"description": "a path at which it shows"},
        },
    ),
}

_NAMES: dict[str, Any] = {"type": "array", "items": _TEXT, "minItems": 1}

_SIDE: dict[str, Any] = _object(
    "What one policy decides at the witness.",
    {
        "outcome": {"enum": ["permitted", "conditional", "prohibited"]},
        "restrictions": {"type": "array", "items": _TEXT, "description": "each as `name=value`"},
        "kind": _TEXT | {"description": "the kind of reason"},
        "line": _NUMBER_FROM_1 | {"description": "the line that decides; null where none does"},
        "text": _TEXT | {"description": "the line as it is written"},
    },
)

_PATHS: dict[str, Any] = _object(
    "A set of paths: those that match every pattern of `within` and are in no set of `without`.",
    {
        "within": _NAMES,
        "without": {"type": "array", "items": {"$ref": "#/$defs/paths"}},
    },
)

COMPARISON_SCHEMA: dict[str, Any] = {
    "$schema": _DRAFT,
    "title": "acap comparison",
    **_object(
        "Which decisions change from one policy to another.",
        {
            "schema": {"const": SCHEMA},
            "old": _TEXT_OR_NULL | {"description": "the name of the old policy"},
            "new": _TEXT_OR_NULL | {"description": "the name of the new policy"},
            "verdict": {"enum": ["equal", "different", "undecided"]},
            "changes": {
                "type": "array",
                "items": _object(
                    "Decisions that change alike.",
                    {
                        "crawlers": _NAMES | {"description": "names; `*` is any that neither policy names"},
                        "purposes": _NAMES | {"description": "purposes asked for; an empty text is none"},
                        "usages": _NAMES,
                        "paths": {"$ref": "#/$defs/paths"},
                        "before": _SIDE,
                        "after": _SIDE,
                        "witness": _TEXT | {"description": "a shortest path at which it shows"},
                    },
                ),
            },
            "undecided": {
                "type": "array",
                "items": _object(
                    "A question that is open; `*` three times is any.",
                    {"crawler": _TEXT, "purpose": _TEXT, "usage": _TEXT, "because": _TEXT},
                ),
            },
            "removed": {"type": "array", "items": _TEXT, "description": "lines that decide nothing, no longer there"},
            "added": {"type": "array", "items": _TEXT, "description": "lines that decide nothing, now there"},
        },
    ),
    "$defs": {"paths": _PATHS},
}

_DECISION: dict[str, Any] = {"type": "object", "description": "a decision, as its own schema says"}

PAGE_SCHEMA: dict[str, Any] = {
    "$schema": _DRAFT,
    "title": "acap page",
    **_object(
        "What a page says to crawlers, without its site's robots.txt.",
        {
            "schema": {"const": SCHEMA},
            "url": _TEXT_OR_NULL | {"description": "the page's own URL; null if it is unknown"},
            "source": _TEXT_OR_NULL | {"description": "the file's name or the URL it was read from"},
            "version": _TEXT_OR_NULL | {"description": "the version of ACAP that the page names"},
            "encoding": _TEXT_OR_NULL | {"description": "how its octets were read; null where there is no HTML"},
            "headers": {
                "type": "array",
                "description": "the headers of the response: name in lower case, and value",
                "items": {"type": "array", "items": _TEXT, "minItems": 2, "maxItems": 2},
            },
            "statements": {
                "type": "array",
                "items": _object(
                    "One statement.",
                    _CITED_KEYS
                    | {
                        "effect": {"enum": ["permits", "prohibits", "conditional"]},
                        "part": {"enum": ["page", "element"]},
                        "crawler": _TEXT_OR_NULL | {"description": "whom it is addressed to; null for any crawler"},
                        "purpose": _TEXT_OR_NULL | {"description": "the purpose it is for; null for any"},
                        "restrictions": _RESTRICTIONS,
                    },
                ),
            },
            "local_usages": {
                "type": "array",
                "description": "usages that only the site's robots.txt can define",
                "items": _object("One local usage.", {"name": _TEXT, "permits": {"type": "boolean"}}),
            },
            "problems": {"type": "array", "items": {"type": "object", "description": "as the schema of problems says"}},
        },
    ),
}

CONTENT_SCHEMA: dict[str, Any] = {
    "$schema": _DRAFT,
    "title": "acap content",
    **_object(
        "What may be used of a page in one way.",
        {
            "schema": {"const": SCHEMA},
            "decision": _DECISION | {"description": "the decision on the page as a whole"},
            "uri": _TEXT_OR_NULL | {"description": "another resource that must be used instead of the page"},
            "text": _TEXT | {"description": "the usable text; empty if there is none"},
            "html": _TEXT | {"description": "the usable content as HTML"},
            "pieces": {
                "type": "array",
                "description": "the parts of the page in their order",
                "items": _object(
                    "One part.",
                    {
                        "element": _TEXT_OR_NULL | {"description": "the element it is; null for the page itself"},
                        "text": _TEXT | {"description": "empty if it may not be used"},
                        "decision": _DECISION,
                    },
                ),
            },
        },
    ),
}

LINK_SCHEMA: dict[str, Any] = {
    "$schema": _DRAFT,
    "title": "acap link",
    **_object(
        "A link of a page.",
        {
            "schema": {"const": SCHEMA},
            "url": _TEXT | {"description": "where it leads"},
            "tag": _TEXT,
            "rel": {"type": "array", "items": _TEXT},
            "element": _TEXT | {"description": "where it is"},
            "hint": {"type": "boolean", "description": "whether nothing refuses but `rel`"},
            "decision": _DECISION | {"description": "the decision on following it"},
        },
    ),
}

SNIPPET_SCHEMA: dict[str, Any] = {
    "$schema": _DRAFT,
    "title": "acap snippet",
    **_object(
        "A snippet of a page.",
        {
            "schema": {"const": SCHEMA},
            "text": _TEXT_OR_NULL | {"description": "null if none may be shown, or none is at hand"},
            "origin": {"enum": ["page", "publisher"]},
            "uri": _TEXT_OR_NULL | {"description": "another resource that must be shown instead"},
            "complete": {"type": "boolean", "description": "whether nothing was cut off its end"},
            "decision": _DECISION | {"description": "the decision on showing it"},
        },
    ),
}
