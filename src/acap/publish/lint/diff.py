"""What fixes change, as a unified diff that `patch` takes."""

from __future__ import annotations

from difflib import unified_diff


def diff(before: bytes, after: bytes, name: str) -> str:
    """The change of a document; empty if there is none.

    Octets that are no UTF-8 are shown as escapes: such a diff is for reading.
    """
    if before == after:
        return ""
    lines = unified_diff(_lines(before), _lines(after), name, name)
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


def _lines(octets: bytes) -> list[str]:
    """The lines, divided at line feeds alone, as `patch` does."""
    lines = octets.decode("utf-8", "backslashreplace").split("\n")
    return [f"{line}\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])
