"""Paths that match a pattern: its literal form, and paths below it."""

from __future__ import annotations

from acap import _native

# Texts that `*` stands for in a path.
_FILLINGS = ("x", "", "a/b")
# Texts that follow a pattern without an anchor.
_TAILS = ("", "x", "x.html", "a/b.html")


def paths_of(pattern: str) -> tuple[str, ...]:
    """Paths that the engine matches with a pattern, the nearest to its literal form first; none for the empty one."""
    if not pattern:
        return ()
    anchored = pattern.endswith("$")
    literal = pattern.removesuffix("$")
    paths: dict[str, None] = {}
    for filling in _FILLINGS if "*" in literal else ("",):
        for tail in ("",) if anchored else _TAILS:
            path = literal.replace("*", filling) + tail
            if not path.startswith("/"):
                path = f"/{path}"
            if _matches(pattern, path):
                paths[path] = None
    return tuple(paths)


def _matches(pattern: str, path: str) -> bool:
    canonical = _native.canonical_pattern(pattern.encode("utf-8", "surrogateescape"))
    return _native.matches(canonical, _native.canonical_path(path.encode("utf-8", "surrogateescape")))
