"""Writes what the core knows of each character to tell characters and words apart: `rust/markup/src/segments/table.rs`.

The properties are those that `regex` has of the Unicode Character Database. For a new version of Unicode: a `regex`
that knows it, its break tests in `tests/vectors/text`, and `python -m tools.characters`.
"""

from __future__ import annotations

import sys
from itertools import groupby
from typing import NamedTuple

import regex  # type: ignore[import-untyped]  # it has no types

from tools.links import ROOT

VERSION = "18.0"
TABLE = ROOT / "rust/markup/src/segments/table.rs"
_CHARACTERS = "".join(map(chr, range(sys.maxunicode + 1)))
# Syllables of Hangul, of which each 28th ends in a vowel: the core computes these, which saves it 800 runs.
_SYLLABLES = range(0xAC00, 0xD7A4)
_CLUSTER = (
    *("CR", "LF", "Control", "Extend", "ZWJ", "Regional_Indicator", "Prepend", "SpacingMark"),
    *("L", "V", "T"),
)
_WORD = (
    *("CR", "LF", "Newline", "Extend", "ZWJ", "Regional_Indicator", "Format", "Katakana", "Hebrew_Letter", "ALetter"),
    *("Single_Quote", "Double_Quote", "MidNumLet", "MidLetter", "MidNum", "Numeric", "ExtendNumLet", "WSegSpace"),
)
_CONJUNCT = ("Consonant", "Extend", "Linker")
_NAMES = {"CR": "Cr", "LF": "Lf", "ZWJ": "Joiner"}


class Class(NamedTuple):
    """What characters have in common, as the core names it."""

    cluster: str
    conjunct: str
    word: str
    pictograph: bool
    letter: bool

    def __str__(self) -> str:
        flags = f"{self.pictograph}, {self.letter}".lower()
        return f"class(Cluster::{self.cluster}, Conjunct::{self.conjunct}, Word::{self.word}, {flags})"


def _values(name: str, values: tuple[str, ...]) -> list[str]:
    found = ["Other"] * len(_CHARACTERS)
    for value in values:
        for match in regex.finditer(rf"\p{{{name}={value}}}+", _CHARACTERS):
            found[match.start() : match.end()] = [_NAMES.get(value, value.replace("_", ""))] * len(match[0])
    return found


def _holds(pattern: str) -> list[bool]:
    found = [False] * len(_CHARACTERS)
    for match in regex.finditer(f"{pattern}+", _CHARACTERS):
        found[match.start() : match.end()] = [True] * len(match[0])
    return found


def classes() -> list[Class]:
    """The class of each code point."""
    clusters = _values("GCB", _CLUSTER)
    clusters[_SYLLABLES.start : _SYLLABLES.stop] = ["Syllable"] * len(_SYLLABLES)
    conjuncts, words = _values("InCB", _CONJUNCT), _values("WB", _WORD)
    pictographs, letters = _holds(r"\p{Extended_Pictographic}"), _holds(r"[\p{L}\p{N}]")
    return [Class(*one) for one in zip(clusters, conjuncts, words, pictographs, letters, strict=True)]


def table() -> str:
    """The module, as it should stand."""
    each = classes()
    distinct = sorted(set(each))
    runs = [next(run)[0] for _, run in groupby(enumerate(each), key=lambda one: one[1])]
    lines = [
        "//! What is known of each character. `python -m tools.characters` writes this file.",
        "//!",
        f"//! Derived from the Unicode Character Database {VERSION}. © Unicode, Inc.; licence: Unicode-3.0.",
        "",
        "use super::class::{Class, Cluster, Conjunct, Word, class};",
        "",
        "/// The version of Unicode.",
        f'pub const UNICODE: &str = "{VERSION}";',
        "",
        "/// What sets of characters have in common.",
        f"pub(super) static CLASSES: [Class; {len(distinct)}] = [",
        *(f"    {one}," for one in distinct),
        "];",
        "",
        "/// The first character of each run of one class, above eight bits that hold its place in `CLASSES`.",
        "#[rustfmt::skip]",
        f"pub(super) static RUNS: [u32; {len(runs)}] = [",
    ]
    numbers = [f"{start << 8 | distinct.index(each[start]):#010x}," for start in runs]
    lines += ["    " + " ".join(numbers[at : at + 9]) for at in range(0, len(numbers), 9)]
    return "\n".join([*lines, "];", ""])


if __name__ == "__main__":
    TABLE.write_text(table(), encoding="utf-8")
