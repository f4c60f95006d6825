"""Statements, and what makes them: the one form in which every reader says what it found."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol, runtime_checkable

from acap._native import Statement
from acap.problems import Problem


@runtime_checkable
class Source(Protocol):
    """Something that makes statements about resources: a page, a header, a licence, a file of another dialect."""

    @property
    def dialect(self) -> str:
        """The name of its dialect."""

    @property
    def problems(self) -> Sequence[Problem]:
        """What its reader found wrong."""

    def statements(self, url: str) -> Iterable[Statement]:
        """The statements that apply to a resource."""


__all__ = ["Source", "Statement"]
