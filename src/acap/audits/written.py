"""Values as writers of tables leave them: Python's text of octets, a word for no value, one line of many.

A value that is there and cannot be read is no absent one: it may have prohibited. `UnreadableValueError` says so.
"""

from __future__ import annotations

import ast
import re
from typing import Any, Final

BRIEF: Final = 80
"""Characters of a value that are told."""


class UnreadableValueError(ValueError):
    """A value is there, and cannot be read. One line: which, and why."""


def brief(value: Any) -> str:
    """The beginning of a value, to be told."""
    return ascii(value)[:BRIEF]


_ESCAPE = r"""\\(?:[\\'"nrt]|x[0-9a-f]{2})"""
_REPR = re.compile(rf"""\s*b(?:'[^'\\\r\n]*(?:{_ESCAPE}[^'\\\r\n]*)*'|"[^"\\\r\n]*(?:{_ESCAPE}[^"\\\r\n]*)*")\s*""")
# Python's texts of octets, of texts as its second version has them, and of objects that hold octets.
_LIKE_REPR = re.compile(
    r"\s*(?:(?:b|u|br|rb|ur|r)['\"]"
    r"|(?:bytes|bytearray|memoryview|array|Binary)\("
    r"|<[\w.]+[^<>\r\n]* at 0x[0-9a-f]+>\s*\Z)",
    re.IGNORECASE,
)


def from_repr(value: Any) -> Any:
    """Octets that somebody's writer of CSV turned into Python's text of them: `b'…'`; anything else as it is.

    Raises:
        UnreadableValueError: it looks like such a text of a value and is none that is read, as one that was cut.
    """
    if not isinstance(value, str) or _LIKE_REPR.match(value) is None:
        return value
    try:
        octets = ast.literal_eval(value.strip()) if _REPR.fullmatch(value) is not None else None
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        octets = None
    if octets is None or _LIKE_REPR.match(octets.decode("latin-1")) is not None:
        raise UnreadableValueError(f"octets cannot be read: {brief(value)}")
    return octets


_MISSING = frozenset({"none", "null", "nan", "nat", "<na>", "n/a", "na", "undefined", "\\n", "nil"})


def is_missing_word(text: str) -> bool:
    """Whether a text is what writers of tables put where there is no value."""
    return len(text) < 16 and text.strip().lower() in _MISSING


def is_on_one_line(text: str) -> bool:
    r"""Whether the ends of the lines of a text were written as two characters each, `\n`."""
    return not any(end in text.strip() for end in "\r\n") and ("\\n" in text or "\\r" in text)
