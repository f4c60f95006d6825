"""Lines that state preferences by name: Content-Signal and Content-Usage, divided into path, names and values.

What they mean is not decided here; these are the words, for saying which of them nobody knows.
"""

from __future__ import annotations

import re
from typing import NamedTuple

SIGNALS: dict[str, tuple[str, ...]] = {
    "search": ("yes", "no"),
    "ai-input": ("yes", "no"),
    "ai-train": ("yes", "no"),
    "use": ("immediate", "reference", "full"),
}
"""Names of Content-Signal with their values (contentsignals.org)."""

PREFERENCES = frozenset({"train-ai", "ai-use", "search", "ai-output", "bots", "train-genai", "all"})
"""Names of Content-Usage in any revision of draft-ietf-aipref-vocab; their values are `y` and `n`."""


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
    found = []
    for part in text.split(","):
        name, equals, value = part.partition("=")
        found.append(Signal(name.strip(), value.strip() if equals else None))
    return found


_BARE = (
    r"""(?:[A-Za-z*][\w:/!#$%&'*+.^`|~-]*|-?\d+(?:\.\d{1,3})?|"(?:[\x20-\x21\x23-\x5b\x5d-\x7e]|\\["\\])*"|\?[01])"""
)
_KEY = r"[a-z*][a-z0-9_.*-]*"
_PARAMETERS = rf"(?: *; *{_KEY}(?:={_BARE})?)*"
_MEMBER = rf"{_KEY}(?:={_BARE})?{_PARAMETERS}"
_DICTIONARY = rf"(?:{_MEMBER}(?:[ \t]*,[ \t]*{_MEMBER})*)?"


def is_dictionary(text: str) -> bool:
    """Whether a text is a Dictionary of RFC 9651, inner lists and byte sequences left out."""
    return re.fullmatch(_DICTIONARY, text) is not None
