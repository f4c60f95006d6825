"""The usages, their tree, and what an unknown name of one is read as.

`other` is no ancestor of any usage: it is the remainder, and resolution asks for it last.
"""

from __future__ import annotations

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
    """The usages a prohibition names: a composite's parts; of an unknown one what it can have meant, or its parent."""
    name = singular(name)
    if name in COMPOSITES:
        return COMPOSITES[name]
    if name in USAGES:
        return (name,)
    near = [usage for usage in USAGES if one_edit_apart(name, usage)]
    if len(near) == 1:
        return (near[0],)
    parents = [usage for usage in USAGES if name.startswith(usage + "-")]
    return (max(parents, key=len, default=name),)


def one_edit_apart(one: str, other: str) -> bool:
    """Whether one insertion, deletion or substitution of a character turns one name into the other."""
    if abs(len(one) - len(other)) > 1:
        return False
    letters = set(one + other)
    edits = {one[:at] + one[at + 1 :] for at in range(len(one))}
    edits |= {one[:at] + letter + one[at + 1 :] for at in range(len(one)) for letter in letters}
    edits |= {one[:at] + letter + one[at:] for at in range(len(one) + 1) for letter in letters}
    return other in edits and one != other
