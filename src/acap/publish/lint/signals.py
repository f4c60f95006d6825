"""Lines that state preferences by name, divided into path, names and values as written.

What they mean is not decided here.
"""

from __future__ import annotations

from typing import NamedTuple


class Signal(NamedTuple):
    """A name with its value as written; no value is None."""

    name: str
    value: str | None


def divided(value: str) -> tuple[str, str]:
    """The path that a value begins with, or nothing, and the rest."""
    if not value.startswith("/"):
        return "", value
    path, _, rest = value.replace("\t", " ").partition(" ")
    return path, rest.strip()


def signals(text: str) -> list[Signal]:
    """The signals of a Content-Signal line, without its path."""
    parsed = []
    for part in text.split(","):
        name, equals, value = part.partition("=")
        parsed.append(Signal(name.strip(), value.strip() if equals else None))
    return parsed
