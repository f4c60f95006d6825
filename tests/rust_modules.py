"""Which module of a Rust crate names which, outside tests."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

_PATH = re.compile(r"\b((?:crate|super|self)(?:::\w+)*)(::\{)?")
_FIRST = re.compile(r"[\s:{].*", re.DOTALL)
_COMMENT = re.compile(r"//[^\n]*")
_TESTS = re.compile(r"#\[cfg\(test\)\]\s*mod tests \{")

Graph = dict[str, set[str]]


def graph(source: Path) -> Graph:
    """Each module of a crate with the modules whose items it names; `lib` and files of tests aside."""
    files = {file for file in source.rglob("*.rs") if file.stem not in ("lib", "tests")}
    modules = {"::".join(file.relative_to(source).with_suffix("").parts): file for file in sorted(files)}
    found: Graph = {}
    for name, file in modules.items():
        text = _COMMENT.sub("", _TESTS.split(file.read_text("utf-8"))[0]).replace("pub(super)", "pub")
        named = {_module(path, name, modules) for path in _paths(text)}
        found[name] = {other for other in named if other is not None} - {name}
    return found


def circles(modules: Graph) -> list[set[str]]:
    """The sets of modules that lead to each other."""
    leads = {name: _reached(name, modules) for name in modules}
    found: list[set[str]] = []
    for name in modules:
        circle = {other for other in leads[name] if name in leads[other]}
        if circle and circle not in found:
            found.append(circle)
    return found


def _reached(start: str, modules: Graph) -> set[str]:
    reached: set[str] = set()
    open_ = [start]
    while open_:
        further = modules[open_.pop()] - reached
        reached |= further
        open_ += further
    return reached


def _paths(text: str) -> Iterator[str]:
    """The paths in a text, those of a list in braces one by one, each as far as its first name."""
    for match in _PATH.finditer(text):
        if match[2] is None:
            yield match[1]
            continue
        depth, item = 1, ""
        for letter in text[match.end() :]:
            depth += {"{": 1, "}": -1}.get(letter, 0)
            if depth == 0 or (depth == 1 and letter == ","):
                yield f"{match[1]}::{_FIRST.sub('', item.strip())}"
                item = ""
            else:
                item += letter
            if depth == 0:
                break


def _module(path: str, at: str, modules: dict[str, Path]) -> str | None:
    first, *rest = path.split("::")
    base = [] if first == "crate" else at.split("::")
    if first == "super":
        base.pop()
    while rest and rest[0] == "super":
        base.pop()
        del rest[0]
    names = [*base, *rest]
    prefixes = ("::".join(names[:length]) for length in range(len(names), 0, -1))
    return next((prefix for prefix in prefixes if prefix in modules), None)
