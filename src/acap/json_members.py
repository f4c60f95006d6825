"""JSON of others: of two members of one name readers take either, so that nothing is decided by such an object."""

from __future__ import annotations

import json
import re
from typing import Any

_SEARCHED = 65_536  # characters in which the place of a member is looked for, in Python's own steps
_SHOWN = 100  # characters of a name that are shown
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]')


class RepeatedMemberError(ValueError):
    """An object has two members of one name. One line: which, and where the second one stands."""


class Repeated(list[tuple[str, Any]]):
    """The members of an object that has two of one name, each as it is written."""


def read_json(text: str, **options: Any) -> Any:
    """The value of a text, as `json.loads` gives it with its `options`.

    Raises ValueError for what is not JSON, RepeatedMemberError for an object with two members of one name, and
    RecursionError.
    """

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        table = dict(pairs)
        if len(table) < len(pairs):
            raise RepeatedMemberError(_message(text, pairs))
        return table

    return json.loads(text, object_pairs_hook=once, **options)


def members(pairs: list[tuple[str, Any]]) -> dict[str, Any] | Repeated:
    """An object, for the `object_pairs_hook` of `json.loads`; of one that repeats a name all members."""
    table = dict(pairs)
    return table if len(table) == len(pairs) else Repeated(pairs)


def repeated_name(pairs: list[tuple[str, Any]]) -> str:
    """The first name that stands twice."""
    seen: set[str] = set()
    return next(name for name, _ in pairs if name in seen or seen.add(name))  # type: ignore[func-returns-value]


def _message(text: str, pairs: list[tuple[str, Any]]) -> str:
    repeated = _repetition(text) if len(text) <= _SEARCHED else None
    if repeated is None:
        return f"the member {repeated_name(pairs)[:_SHOWN]!a} stands twice; write it once"
    name, place = repeated
    at = json.JSONDecodeError("", text, place)
    return f"the member {name[:_SHOWN]!a} stands twice, again at line {at.lineno}, column {at.colno}; write it once"


def _repetition(text: str) -> tuple[str, int] | None:
    """The first name of a text that repeats one of its object, and where it stands; the text is JSON up to there."""
    open_ones: list[set[str] | None] = []  # of each object and array that is open: the names so far, None of an array
    is_name = False
    for token in _TOKEN.finditer(text):
        sign = token[0]
        if sign == "{":
            open_ones.append(set())
        elif sign == "[":
            open_ones.append(None)
        elif not open_ones:
            return None
        elif sign in ("}", "]"):
            open_ones.pop()
        elif is_name and (names := open_ones[-1]) is not None and sign[0] == '"':
            name = json.loads(sign)
            if name in names:
                return name, token.start()
            names.add(name)
        is_name = sign == "{" or (sign == "," and bool(open_ones) and open_ones[-1] is not None)
    return None
