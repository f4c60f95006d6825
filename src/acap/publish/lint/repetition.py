"""Patterns that a group of a robots.txt has in another form too."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from acap.outline import Group


def repeated_beside(groups: Sequence[Group], forms: Mapping[int, Collection[str]]) -> set[int]:
    """Of lines, each with patterns by its number, those whose group has one of these on another line of that kind."""
    lines: set[int] = set()
    for group in groups if forms else ():
        own = {(rule.kind, rule.value) for rule in group.rules if rule.line not in forms}
        for rule in group.rules:
            if not own.isdisjoint((rule.kind, form) for form in forms.get(rule.line, ())):
                lines.add(rule.line)
    return lines
