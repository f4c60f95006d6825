"""Usages: what a statement can be about, and what lies above what (P1 4.5.2.5.1, G 2.4).

The list is the native core's. A new usage is a row there and a row of `WORDS` here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Literal, NamedTuple, TypeAlias, TypeVar, get_args

from acap import _native

D = TypeVar("D")

Usage: TypeAlias = Literal[
    "crawl",
    "follow",
    "index",
    "preserve",
    "present",
    "present-original",
    "present-currentcopy",
    "present-oldcopy",
    "present-snippet",
    "present-extract",
    "present-thumbnail",
    "present-oldsnippet",
    "present-oldextract",
    "present-oldthumbnail",
    "present-link",
    "other",
    "tdm",
    "ai-train",
    "ai-train-generative",
    "ai-input",
    "ai-index",
    "search",
]
"""A usage that can be asked about without a file that names more."""

PARENTS: Mapping[str, str | None] = MappingProxyType(dict(_native.usages()))
"""Each known usage, and the usage directly above it."""

COMPOSITES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {name: tuple(parts) for name, parts in _native.composites()}
)
"""Each composite usage, and its parts; `search` is `index`, `present-link` and `present-snippet`."""

USAGES: tuple[str, ...] = get_args(Usage)
"""Every usage that can be asked about without a file that names more."""


class Words(NamedTuple):
    """A usage in words.

    `act` is the rest of "may …" or "must not …", where {0} is the resource; a composite usage has none. `question` is
    the same as webmasters ask it, and `shown` what people call that which is shown.
    """

    act: str | None
    question: str
    shown: str | None = None


WORDS: Mapping[str, Words] = MappingProxyType({
    "crawl": Words("crawl {0}", "fetch it at all"),
    "follow": Words("follow links in {0}", "follow its links"),
    "index": Words("index {0}", "put it into a search index", "entry in the index"),
    "preserve": Words("preserve copies of {0}", "keep a copy of it"),
    "present": Words("present {0} in any way", "show it in any form"),
    "present-link": Words("present links to {0}", "show a link to it", "link"),
    "present-original": Words("present the original of {0}", "show the original from your site", "preview"),
    "present-currentcopy": Words("present the current copy of {0}", "show the copy that is kept", "copy"),
    "present-oldcopy": Words("present old copies of {0}", "show an older copy", "older copy"),
    "present-snippet": Words("present snippets of {0}", "show a snippet", "snippet"),
    "present-extract": Words("present extracts of {0}", "show an extract", "extract"),
    "present-thumbnail": Words("present thumbnails of {0}", "show a small picture", "thumbnail"),
    "present-oldsnippet": Words(
        "present snippets of old versions of {0}", "show a snippet of an older copy", "snippet of an older copy"
    ),
    "present-oldextract": Words(
        "present extracts of old versions of {0}", "show an extract of an older copy", "extract of an older copy"
    ),
    "present-oldthumbnail": Words(
        "present thumbnails of old versions of {0}", "show an older small picture", "thumbnail of an older copy"
    ),
    "other": Words("use {0} in any other way", "use it in any other way"),
    "tdm": Words("mine text and data of {0}", "mine its text and data"),
    "ai-train": Words("train AI models on {0}", "train AI models"),
    "ai-train-generative": Words("train generative AI models on {0}", "train generative AI models"),
    "ai-input": Words("give {0} to AI models as input", "give it to AI models as input"),
    "ai-index": Words("index {0} for AI", "index it for AI"),
    "search": Words(None, "find it, with link and snippet"),
})  # fmt: skip
"""Every usage of `USAGES` in words, those that show something in the order of a list of results."""


def asked_usages(
    usage: str | Iterable[str] | None, usages: str | Iterable[str] | None, default: D
) -> tuple[str, ...] | D:
    """The usages that a call is about, by the one or the other of the two words for them.

    Raises:
        TypeError: both words are given.
    """
    if usage is not None and usages is not None:
        raise TypeError("`usage` and `usages` are the same argument; give one of them")
    given = usages if usage is None else usage
    if given is None:
        return default
    return (given,) if isinstance(given, str) else tuple(given)


def above(usage: str) -> tuple[str, ...]:
    """The usages above a known one, nearest first; statements on them speak for it too (G 4.10).

    Raises:
        KeyError: the usage is not a known one.
    """
    wider: list[str] = []
    parent = PARENTS[usage]
    while parent is not None:
        wider.append(parent)
        parent = PARENTS[parent]
    return tuple(wider)


def below(usage: str) -> tuple[str, ...]:
    """The known usages below one, in the order of the list."""
    return tuple(name for name in PARENTS if usage in above(name))
