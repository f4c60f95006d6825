"""The words for a change, the same in a terminal and in a browser."""

from __future__ import annotations

from collections.abc import Sequence

from acap.usages import PARENTS

_USAGES = 6  # usages that are named; of more the number
_BUT = 3  # usages that are named as exceptions of all


def usages_text(usages: Sequence[str]) -> str:
    """What a change is about: one usage, several, all, or all but a few."""
    others = [name for name in PARENTS if name not in usages]
    if not others:
        return "every usage"
    if len(others) <= _BUT < len(usages):
        return f"every usage except {', '.join(others)}"
    if len(usages) <= _USAGES + 1:
        return ", ".join(usages)
    return f"{', '.join(usages[:_USAGES])} and {len(usages) - _USAGES} more usages"
