"""The description of the service: OpenAPI 3.1, with the words and bounds of the code; a test holds both together."""

from __future__ import annotations

from typing import Any

import acap
from acap._native import SEMANTICS
from acap.decision import Outcome
from acap.usages import USAGES
from acap.web.decisions import bounds, columns, metrics
from acap.web.decisions.answers import ERRORS
from acap.web.decisions.questions import LISTS, MEMBERS

_JSON = "application/json"


def document() -> dict[str, Any]:
    """The whole document."""
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "acap decisions",
            "version": acap.__version__,
            "summary": "May a crawler use these URLs, and in which ways?",
            "description": _ABOUT,
            "license": {"name": "Apache License 2.0", "identifier": "Apache-2.0"},
        },
        "security": [{"token": []}, {}],
        "paths": {
            "/v1/decisions": {"post": _decisions()},
            "/openapi.json": {"get": _get("describe", "This document.", _JSON)},
            "/metrics": {"get": _get("metrics", "What was counted, for Prometheus.", metrics.MEDIA_TYPE)},
            "/healthz": {"get": _get("isAlive", "The process lives.", "text/plain", is_open=True)},
            "/readyz": {"get": _readyz()},
        },
        "components": {
            "schemas": {"Questions": _questions(), "Answers": _answers(), "Answer": _answer(), "Refusal": _refusal()},
            "responses": {str(status): _refused(status, meaning) for status, meaning in REFUSALS.items()},
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


_ABOUT = (
    "Each answer is one URL for one usage, decided by the robots.txt of its site: what pages and other documents say "
    "beside it is not heard. Only `permitted` permits, under the restrictions that stand beside it; a client that gets "
    "no answer, or one that it does not understand, has no permission."
)

REFUSALS = {
    400: "The questions are not understood.",
    401: "A token is wanted.",
    406: "No type of answer that is accepted can be given.",
    408: "The body did not come in time.",
    413: "The body, or the number of answers that it asks for, is too large.",
    415: "The type or coding of the body is not read.",
    421: "The server does not answer for that host name.",
    500: "An internal error.",
    503: "The server is busy, or ends; `Retry-After` says when to come again.",
}
"""Each status but 200 of `/v1/decisions`, and what it means."""


def _decisions() -> dict[str, Any]:
    arrow = {"schema": {"type": "string", "format": "binary", "description": "An Arrow IPC stream."}}
    milliseconds = {"type": "integer", "minimum": 1, "maximum": 999_999_999}
    most = f"{bounds.MOST_DEADLINE_SECONDS * 1000:,.0f}"
    names = {"type": "array", "items": {"type": "string", "minLength": 1}, "minItems": 1, "maxItems": bounds.NAMES}
    of_arrow = "For an Arrow stream, which has the URLs alone; beside JSON it is refused, as any other name is."
    return {
        "operationId": "decide",
        "summary": "Answers a batch of questions.",
        "parameters": [
            {
                "name": "Acap-Deadline-Ms", "in": "header", "schema": milliseconds,
                "description": "As `deadline_ms`; the shorter of both counts.",
            },
            *(
                {"name": name, "in": "query", "schema": names, "explode": True, "description": of_arrow}
                for name in LISTS
            ),
            {
                "name": "deadline_ms", "in": "query", "schema": milliseconds,
                "description": f"{of_arrow} Once, {most} at most: more counts as that.",
            },
        ],
        "requestBody": {
            "required": True,
            "content": {
                _JSON: {"schema": _ref("schemas/Questions"), "example": _EXAMPLE},
                columns.MEDIA_TYPE: arrow,
            },
        },
        "responses": {
            "200": {
                "description": "An answer for each URL and usage, in their order.",
                "content": {_JSON: {"schema": _ref("schemas/Answers")}, columns.MEDIA_TYPE: arrow},
            },
            **{str(status): _ref(f"responses/{status}") for status in REFUSALS},
        },
    }  # fmt: skip


_EXAMPLE = {"crawler": "examplebot", "usages": ["crawl", "index"], "urls": ["https://www.example.com/a"]}


def _questions() -> dict[str, Any]:
    text = {"type": "string", "minLength": 1, "maxLength": bounds.NAME_CHARACTERS}
    texts = {"type": "array", "items": text, "maxItems": bounds.NAMES}
    some = {**texts, "minItems": 1}
    members = {
        "crawler": {
            "oneOf": [text, some],
            "description": "A name, a User-Agent string, or an ordered list of names.",
        },
        "usages": {
            "oneOf": [text, some, {"type": "null"}],
            "description": f"`crawl` if it is left out or null. Known are {', '.join(USAGES)}.",
        },
        "purpose": {
            "oneOf": [text, texts, {"type": "null"}],
            "description": "A purpose, or several, all of which must permit.",
        },
        "urls": {
            "type": "array",
            "maxItems": bounds.ROWS,
            "items": {"description": "A URL; anything else is answered with an error of its own."},
        },
        "deadline_ms": {
            "type": ["number", "null"],
            "exclusiveMinimum": 0,
            "description": f"How long to wait for policies that are not known: {bounds.DEADLINE_SECONDS:g} seconds if "
            f"nothing is said, {bounds.MOST_DEADLINE_SECONDS:g} at most; more counts as that.",
        },
    }
    return {
        "type": "object",
        "required": ["crawler", "urls"],
        "additionalProperties": False,
        "properties": {name: members[name] for name in MEMBERS},
    }


def _answers() -> dict[str, Any]:
    texts = {"type": "array", "items": {"type": "string"}}
    return {
        "type": "object",
        "required": ["semantics", "source", "crawler", "usages", "answers"],
        "properties": {
            "semantics": {"const": SEMANTICS},
            "source": {"const": "robots.txt"},
            "crawler": texts,
            "usages": {**texts, "description": "One by one, a composite one as its parts."},
            "answers": {"type": "array", "maxItems": bounds.ROWS, "items": _ref("schemas/Answer")},
        },
    }


def _answer() -> dict[str, Any]:
    members: dict[str, Any] = {
        "url": {"type": ["string", "null"], "description": "As it was given; null for what is not a text."},
        "usage": {"type": "string"},
        "outcome": {"enum": [str(outcome) for outcome in Outcome]},
        "kind": {"type": ["string", "null"], "description": "Of the reason; null where no policy was asked."},
        "line": {"type": ["integer", "null"], "minimum": 1, "description": "The line that decided."},
        "rule": {"type": ["string", "null"], "description": "Its text, perhaps cut."},
        "restrictions": {
            "type": "array",
            "items": {"type": "string"},
            "description": "What a permission is subject to, each as `name=value`.",
        },
        "age": {"type": ["integer", "null"], "minimum": 0, "description": "Seconds since the site last said so."},
        "stale": {"type": "boolean", "description": "A copy stands in while the site is out of reach."},
        "error": {"enum": [*ERRORS, None], "description": "Why nothing else is known; such a row prohibits."},
        "retry_after": {
            "type": ["integer", "null"],
            "minimum": 1,
            "description": "Ask again after so many seconds.",
        },
    }
    return {
        "type": "object",
        "required": list(members),
        "properties": members,
        "if": {"properties": {"error": {"type": "string"}}},
        "then": {"properties": {"outcome": {"const": str(Outcome.PROHIBITED)}}},
    }


def _refusal() -> dict[str, Any]:
    return {"type": "object", "required": ["error"], "properties": {"error": {"type": "string"}}}


def _refused(status: int, meaning: str) -> dict[str, Any]:
    content = {_JSON: {"schema": _ref("schemas/Refusal")}}
    if status == 421:
        content = {"text/plain": {"schema": {"type": "string"}}}
    retry = {"Retry-After": {"schema": {"type": "integer"}}} if status == 503 else {}
    return {"description": meaning, "headers": retry, "content": content}


def _get(name: str, summary: str, media_type: str, *, is_open: bool = False) -> dict[str, Any]:
    schema = {"type": "object" if media_type == _JSON else "string"}
    answers = {"200": {"description": summary, "content": {media_type: {"schema": schema}}}}
    if is_open:
        return {"operationId": name, "summary": summary, "security": [], "responses": answers}
    return {"operationId": name, "summary": summary, "responses": {**answers, "401": _ref("responses/401")}}


def _readyz() -> dict[str, Any]:
    members = _get("isReady", "The server takes requests.", "text/plain", is_open=True)
    text = {"text/plain": {"schema": {"type": "string"}}}
    members["responses"]["503"] = {"description": "The server is full, or ends.", "content": text}
    return members


def _ref(place: str) -> dict[str, str]:
    return {"$ref": f"#/components/{place}"}
