"""The part of JSON Schema (2020-12) that the schema of the vectors is written in.

A keyword that is not known here is an error of the schema, so that nothing it demands goes unchecked.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

ANNOTATIONS = {"$schema", "$defs", "title", "description"}
TYPES: dict[str, Callable[[Any], bool]] = {
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "number": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
}
KNOWN = ANNOTATIONS | {
    "$ref",
    "additionalProperties",
    "const",
    "enum",
    "items",
    "maxItems",
    "minItems",
    "minimum",
    "oneOf",
    "pattern",
    "properties",
    "required",
    "type",
}


def violations(value: Any, schema: Any, root: dict[str, Any], place: str = "") -> Iterator[str]:
    """Where and how a value violates a schema; `root` is the whole schema, in which `$ref` is resolved."""
    if isinstance(schema, bool):
        if not schema:
            yield f"{place}: not in the schema"
        return
    if unknown := set(schema) - KNOWN:
        raise ValueError(f"the schema uses {', '.join(sorted(unknown))}")
    if "$ref" in schema:
        yield from violations(value, root["$defs"][schema["$ref"].removeprefix("#/$defs/")], root, place)
    yield from of_scalar(value, schema, place)
    if isinstance(value, dict):
        yield from of_object(value, schema, root, place)
    if isinstance(value, list):
        yield from of_array(value, schema, root, place)
    if "oneOf" in schema:
        fitting = [one for one in schema["oneOf"] if not list(violations(value, one, root, place))]
        if len(fitting) != 1:
            yield f"{place}: fits {len(fitting)} of the alternatives"


def of_scalar(value: Any, schema: dict[str, Any], place: str) -> Iterator[str]:
    if "type" in schema and not TYPES[schema["type"]](value):
        yield f"{place}: not of type {schema['type']}"
    if "const" in schema and value != schema["const"]:
        yield f"{place}: not {schema['const']!r}"
    if "enum" in schema and value not in schema["enum"]:
        yield f"{place}: {value!r} is none of {schema['enum']}"
    if "pattern" in schema and isinstance(value, str) and not re.search(schema["pattern"], value):
        yield f"{place}: {value!r} does not match {schema['pattern']}"
    if "minimum" in schema and TYPES["number"](value) and value < schema["minimum"]:
        yield f"{place}: less than {schema['minimum']}"


def of_object(value: dict[str, Any], schema: dict[str, Any], root: dict[str, Any], place: str) -> Iterator[str]:
    for name in schema.get("required", ()):
        if name not in value:
            yield f"{place}: {name} is missing"
    properties = schema.get("properties", {})
    for name, part in value.items():
        yield from violations(
            part, properties.get(name, schema.get("additionalProperties", True)), root, f"{place}/{name}"
        )


def of_array(value: list[Any], schema: dict[str, Any], root: dict[str, Any], place: str) -> Iterator[str]:
    if len(value) < schema.get("minItems", 0) or len(value) > schema.get("maxItems", len(value)):
        yield f"{place}: {len(value)} items"
    for index, part in enumerate(value):
        yield from violations(part, schema.get("items", True), root, f"{place}/{index}")
