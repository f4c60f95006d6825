"""Names that are almost a known one."""

from __future__ import annotations


def one_slip(a: str, b: str) -> bool:
    """Whether a name is another, or becomes it by one letter more, less or other, or by two exchanged."""
    if a == b or abs(len(a) - len(b)) > 1:
        return a == b
    same = next((place for place, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
    a, b = a[same:], b[same:]
    return a[1:] == b or a == b[1:] or a[1:] == b[1:] or (a[:2] == b[1::-1] and a[2:] == b[2:])
