"""What a project says of its lint: `[lint]` in acap.toml, else `[tool.acap.lint]` in pyproject.toml.

The nearest file upward from a document counts, and of two in one directory acap.toml. Files are not merged.

    [lint]
    select = ["ALL"]                    # the rules to run; without it those that are on by default
    ignore = ["acap-plural"]            # and those not to run
    unsafe-fixes = true                 # `--fix` makes also the fixes that may change what is permitted
    baseline = "acap-baseline.json"     # findings that are known, and not told of again
    crawlers = ["ourbot"]               # names of crawlers that are not typos

    [lint.per-file-ignores]
    "staging/**" = ["blocks-everyone"]  # rules not to run for files whose path fits
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from acap.publish.lint.catalogue import UnknownRule, codes_of

FILES = ("acap.toml", "pyproject.toml")


class ConfigError(ValueError):
    """A configuration that cannot be read or understood; it names the file and the key."""


class Config(NamedTuple):
    """What was configured; `path` is None where nothing was."""

    path: Path | None = None
    select: tuple[str, ...] | None = None
    ignore: tuple[str, ...] = ()
    unsafe_fixes: bool = False
    baseline: Path | None = None
    crawlers: frozenset[str] = frozenset()
    per_file_ignores: tuple[tuple[str, tuple[str, ...]], ...] = ()

    def ignored_in(self, file: Path) -> tuple[str, ...]:
        """The words of `per-file-ignores` for a file; patterns are relative to the configuration's directory."""
        if self.path is None or not self.per_file_ignores:
            return ()
        home = self.path.parent.resolve()
        resolved = file.resolve()
        if not resolved.is_relative_to(home):
            return ()
        relative = resolved.relative_to(home).as_posix()
        return tuple(word for pattern, words in self.per_file_ignores if fits(relative, pattern) for word in words)


def fits(path: str, pattern: str) -> bool:
    """Whether a path with `/` fits a pattern: `*` within a name, `**` across directories, a bare name at any depth."""

    if "/" not in pattern:
        pattern = f"**/{pattern}"
    parts = re.split(r"(\*\*/|\*\*|\*|\?)", pattern)
    forms = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    return re.fullmatch("".join(forms.get(part) or re.escape(part) for part in parts), path) is not None


def nearest(directory: Path) -> Config:
    """The configuration that counts for a directory; an empty one if there is none. Raises ConfigError."""
    return _nearest(directory.resolve())


@cache
def _nearest(directory: Path) -> Config:
    for name in FILES:
        file = directory / name
        if file.is_file() and (found := _of(file, must=name == "acap.toml")) is not None:
            return found
    return Config() if directory.parent == directory else _nearest(directory.parent)


def read(file: Path) -> Config:
    """The configuration in a file that was named. Raises ConfigError."""
    config = _of(file, must=True)
    assert config is not None
    return config


def forget() -> None:
    """Reads files anew when they are next asked for."""
    _nearest.cache_clear()


def _of(file: Path, *, must: bool) -> Config | None:
    """What a file configures; None where it says nothing of lint and it need not."""
    import tomllib

    try:
        with file.open("rb") as opened:
            content: Any = tomllib.load(opened)
    except OSError as error:
        raise ConfigError(f"`{file}` cannot be read: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"`{file}` is not TOML: {error}") from error
    where = "tool.acap.lint" if file.name == "pyproject.toml" else "lint"
    table = content
    for key in where.split("."):
        table = table.get(key) if isinstance(table, dict) else None
    if table is None:
        return Config(file) if must else None
    if not isinstance(table, dict):
        raise ConfigError(f"`{file}`: `{where}` is not a table; write [{where}]")
    return _Reader(file, where, table).config()


class _Reader:
    """One table, taken key by key."""

    def __init__(self, file: Path, where: str, table: Mapping[str, Any]) -> None:
        self.file = file
        self.where = where
        self.table = table

    def config(self) -> Config:
        known = ("select", "ignore", "unsafe-fixes", "baseline", "crawlers", "per-file-ignores")
        for key in self.table:
            if key not in known:
                from difflib import get_close_matches

                close = get_close_matches(key, known, n=1)
                advice = f"did you mean `{close[0]}`?" if close else f"known are {', '.join(known)}"
                raise self.wrong(key, f"unknown key; {advice}")
        unsafe, baseline = self.table.get("unsafe-fixes", False), self.table.get("baseline")
        if not isinstance(unsafe, bool):
            raise self.wrong("unsafe-fixes", "write true or false")
        if baseline is not None and not isinstance(baseline, str):
            raise self.wrong("baseline", "write the name of a file")
        ignores = self.table.get("per-file-ignores", {})
        if not isinstance(ignores, dict):
            raise self.wrong("per-file-ignores", "write a table of patterns, each with a list of rules")
        return Config(
            self.file,
            self.rules("select", self.table["select"]) if "select" in self.table else None,
            self.rules("ignore", self.table.get("ignore", [])),
            unsafe,
            None if baseline is None else self.file.parent / baseline,
            frozenset(self.texts("crawlers", self.table.get("crawlers", []))),
            tuple((pattern, self.rules(f"per-file-ignores.{pattern}", words)) for pattern, words in ignores.items()),
        )

    def texts(self, key: str, value: Any) -> tuple[str, ...]:
        if not isinstance(value, list) or not all(isinstance(word, str) for word in value):
            raise self.wrong(key, "write a list of texts")
        return tuple(value)

    def rules(self, key: str, value: Any) -> tuple[str, ...]:
        words = self.texts(key, value)
        for word in words:
            try:
                codes_of(word)
            except UnknownRule as error:
                raise self.wrong(key, str(error)) from error
        return words

    def wrong(self, key: str, what: str) -> ConfigError:
        return ConfigError(f"`{self.file}`: `{self.where}.{key}`: {what}")
