"""The usages, their tree, and what an unknown name of one is read as.

`other` is no ancestor of any usage: it is the remainder, and resolution asks for it last.
"""

from __future__ import annotations

import re

from .slips import fold, slipped
from .text import ascii_lower

PRESENTATIONS = (
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
)  # P1 4.5.2.5.1

EXTENSIONS = ("tdm", "ai-train", "ai-train-generative", "ai-input", "ai-index")

USAGES = ("crawl", "follow", "index", "preserve", "present", "other", *PRESENTATIONS, *EXTENSIONS)

PARENT = {
    **dict.fromkeys(PRESENTATIONS, "present"),
    "ai-train-generative": "ai-train",
    "ai-train": "tdm",
    "ai-input": "tdm",
    "ai-index": "tdm",
}

COMPOSITES = {"search": ("index", "present-link", "present-snippet")}

EVERY_USE = ("crawl", "follow", "index", "preserve", "present", "other", "tdm")  # with all below them
SEVERAL = {
    **COMPOSITES,
    **dict.fromkeys(("", "all", "any", "everything", "use", "*"), EVERY_USE),
    **dict.fromkeys(("ai", "train"), ("ai-train", "ai-input", "ai-index")),
}  # our choice: no source has words for these

NO_LENGTH = {
    "present-currentcopy",
    "present-oldcopy",
    "present-thumbnail",
    "present-oldthumbnail",
}  # our choice: a length on `present` cannot be kept in them

NEEDS_PRESERVE = {
    "present-currentcopy",
    "present-oldcopy",
    "present-oldsnippet",
    "present-oldextract",
    "present-oldthumbnail",
}  # our choice: none of them can be presented unless it was kept

ACTS_OF_THE_CRAWLER = {"crawl", "follow"}  # `other` does not reach them


def and_above(usage: str) -> list[str]:
    """The usage and those above it, nearest first."""
    chain = [usage]
    while chain[-1] in PARENT:
        chain.append(PARENT[chain[-1]])
    return chain


EVERY = "*"  # every usage, where a limit cut the name of one


def hears(usage: str) -> set[str]:
    """The usages whose statements speak of a usage."""
    return {*and_above(usage), EVERY}


def to_others(usage: str) -> str:
    """What a usage is to a vocabulary without a word for it: one of the other uses."""
    return usage if usage in USAGES else "other"


def covers(broad: str, narrow: str) -> bool:
    """Whether a statement on `broad` speaks of `narrow` (G 4.10)."""
    return broad in and_above(narrow)


def below(usage: str) -> list[str]:
    """The usages strictly below one."""
    return [other for other in USAGES if other != usage and covers(usage, other)]


def dependencies(usage: str) -> list[str]:
    """The usages without which this one is nothing (G 2.4)."""
    if usage == "crawl":
        return []
    return ["crawl", "preserve"] if usage in NEEDS_PRESERVE else ["crawl"]


def singular(name: str) -> str:
    """A present type with its plural ending dropped (G 4.10); any other name as it is. Lower case."""
    name = ascii_lower(name)
    if name.startswith("present-"):
        if name.endswith("copies"):
            return name.removesuffix("copies") + "copy"
        return name.removesuffix("s")
    return name


def read_permitted(name: str) -> str:
    """The usage a permission names; a permission of an unknown usage permits nothing else."""
    return singular(name)


def read_prohibited(name: str) -> tuple[str, ...]:
    """The usages a prohibition names.

    Words for several, and a composite, are these; an unknown one is what a slip can have made it, or its parent, or
    itself, and then `other` and every extension as well.
    """
    name = ascii_lower(name[1:-1] if re.fullmatch(r"\([^()]*\)", name) else name)
    if singular(name) in USAGES:
        return (singular(name),)
    for spelt in (name, fold(name)):
        if spelt in SEVERAL:
            return SEVERAL[spelt]
    near = near_usages(name)
    if near:
        return tuple(near)
    parents = [usage for usage in USAGES if name.startswith(usage + "-")]
    return (max(parents, key=len),) if parents else (name, "other", "tdm")


def nearly_known(name: str) -> list[str]:
    """The known usages that an unknown one may be by a slip: what restricts it in a permission restricts these."""
    if not name or singular(name) in USAGES or {name, fold(name)} & set(SEVERAL) or re.fullmatch(r"\([^()]*\)", name):
        return []
    return [usage for usage in USAGES if any(slipped(fold(name), fold(form)) for form in (usage, *plurals(usage)))]


def near_usages(name: str) -> list[str]:
    """The usages within one slip of a name."""
    near = [usage for usage in USAGES if any(slipped(fold(name), fold(form)) for form in (usage, *plurals(usage)))]
    return near + [part for whole, parts in COMPOSITES.items() if slipped(fold(name), whole) for part in parts]


def divided(one: str, other: str) -> tuple[str, ...]:
    """The usages of which a blank has made two words, within the name or for a letter of it."""
    whole = fold(one + other)
    forms: list[tuple[str, tuple[str, ...]]] = [(fold(name), parts) for name, parts in COMPOSITES.items()]
    forms += [(fold(form), (usage,)) for usage in USAGES for form in (usage, *plurals(usage))]
    return tuple(part for form, parts in forms if whole == form or is_left_of(whole, form) for part in parts)


def is_left_of(text: str, form: str) -> bool:
    """Whether a text is a form without one of its letters."""
    return any(text == form[:at] + form[at + 1 :] for at in range(len(form)))


def plurals(usage: str) -> list[str]:
    """The plural of a representation."""
    if usage not in PRESENTATIONS:
        return []
    return [usage.removesuffix("y") + "ies" if usage.endswith("copy") else usage + "s"]
