"""A number with what it counts: 1 page, 2 pages."""

from __future__ import annotations


def plural(number: int, thing: str) -> str:
    """The number, with the word for one thing or for several."""
    return f"{number:,} {thing}{'' if number == 1 else 's'}"
