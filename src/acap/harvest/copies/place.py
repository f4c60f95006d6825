"""Where a copy is, and what may be wrong with it."""

from __future__ import annotations

from dataclasses import dataclass


class CopyMissingError(Exception):
    """A copy is not where it should be, or is damaged. One line: which, where, why."""


class CopyUnreadableError(CopyMissingError):
    """The disk failed to read a copy, which may still be there: a later attempt may succeed."""


class CopiesDamagedError(Exception):
    """Files have lost copies that count. One line: which files."""


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """Where a copy is: the name of a file, the offset of its first octet, and how many octets it has there."""

    file: str
    offset: int
    length: int
