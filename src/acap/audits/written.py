"""Values as writers of tables leave them, read by the core: alike for audits, tables of policies, and surveys.

A value that is there and cannot be read is no absent one: it may have prohibited. `UnreadableValueError` says so.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeVar

from acap import _native

BRIEF: Final = 80
"""Characters of a value that are told."""

_T = TypeVar("_T")


class UnreadableValueError(ValueError):
    """A value is there, and cannot be read. One line: which, and why."""


def brief(value: Any) -> str:
    """The beginning of a value, to be told."""
    return ascii(value)[:BRIEF]


def read_by(reader: Callable[[Any], _T], value: Any) -> _T:
    """What a reader of the core says of a value.

    Raises:
        UnreadableValueError: it cannot be read.
    """
    try:
        return reader(value)
    except ValueError as error:
        raise UnreadableValueError(f"{error}: {brief(value)}") from error


def from_repr(value: Any) -> Any:
    """Octets that somebody's writer turned into Python's text of them: `b'…'`; anything else as it is.

    Raises:
        UnreadableValueError: it looks like such a text of a value and is none that is read, as one that was cut.
    """
    octets = read_by(_native.octets_of_repr, value) if isinstance(value, (str, bytes)) else None
    return value if octets is None else octets


def status_of(value: Any) -> int | None:
    """A status of HTTP: a whole number from 100 to 999, or the text of one; None of null, and of `-`, as CDX has it.

    Raises:
        UnreadableValueError: it is none.
    """
    try:
        return read_by(_native.written_status, value)
    except UnreadableValueError as error:
        raise UnreadableValueError(f"{error}; write a number, such as 200") from error


def state_of(value: Any) -> int | None:
    """The status that stands for what is said of a file: present, absent, unreachable; None of null.

    Raises:
        UnreadableValueError: it is none of these.
    """
    return read_by(_native.written_state, value)


def truth_of(value: Any) -> bool:
    """Whether something is so: a truth value, 0 or 1, or a text of one; not so if it is null.

    Raises:
        UnreadableValueError: it is none of these.
    """
    return read_by(_native.written_truth, value)


def octets_of(value: Any) -> bytes | None:
    """The octets of a robots.txt, or the UTF-8 of its text; None of null, and of a text that says there is no value.

    Raises:
        UnreadableValueError: it is neither, or a text in which octets or ends of lines were written as others.
    """
    return read_by(_native.written_robots, value)
