"""A problem as a line of a tree: where it is, what is wrong, what to do about it."""

from __future__ import annotations

from collections.abc import Sequence

from acap.explain import Node, Role, visible
from acap.problems import Problem

_EXCERPT = 72  # columns of a line that a problem quotes


def problem_node(problem: Problem, whole: str, lines: Sequence[str] = ()) -> Node:
    """What is wrong and where: its place, or `whole`; of `lines`, if given, an excerpt is quoted."""
    where = f"{problem.line}:{problem.column}" if problem.line else whole
    fix = f"; {problem.fix}" if problem.fix else ""
    role = Role.PROHIBITED if problem.severity == "error" else Role.NOTE
    text = visible(f"{where}: {problem.severity}: {problem.message}{fix} [{problem.code}]")
    there = 0 < problem.line <= len(lines)
    return Node(role, text, quoted=_excerpt(lines[problem.line - 1], problem.column - 1) if there else ())


def _excerpt(line: str, at: int) -> tuple[str, str]:
    """What stands around a place of the line, counted from 0, and a caret under the place."""
    start = max(at - _EXCERPT // 2, 0) if len(line) > _EXCERPT else 0
    end = start + _EXCERPT
    before = ("…" if start else "") + visible(line[start:at])
    after = visible(line[at:end]) + ("…" if len(line) > end else "")
    return before + after, " " * len(before) + "^"
