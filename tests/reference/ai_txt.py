"""Spawning's ai.txt, interpreted again from the text: slowly, and without the package.

Groups and rules are those of RFC 9309, section 2. The choices: an extension is the end of the last segment, a rule
before every group refuses, and a file with a line of another form permits nothing.
"""

from __future__ import annotations

import re

from tests.reference.tdmrep import is_match

FIELD = re.compile(r"\s*(user-agent|allow|disallow|sitemap|crawl-delay)\s*:\s*(.*?)\s*", re.IGNORECASE)
EXTENSION = re.compile(r"/?\*((?:\.[A-Za-z0-9]{1,20}){1,3})\$?")


def verdict(octets: bytes | None, status: int, names: list[str], path: str) -> str:
    """What a file says of training on a path to who has these names: permitted, prohibited or silent."""
    if 400 <= status <= 499 and status not in (408, 421, 425, 429):
        return "silent"
    if octets is None or not 200 <= status <= 299:
        return "prohibited"
    text = octets.decode("utf-8").removeprefix("\ufeff")
    if re.match(r"\s*<(!doctype\s+html|html)[\s>]", text, re.IGNORECASE):
        return "silent"
    groups, before, sure = read(text)
    addressed = {name for group, _ in groups for name in group}
    mine = next((name.lower() for name in names if name.lower() in addressed), "*")
    rules = [rule for group, own in groups if mine in group for rule in own] + [rule for rule in before if not rule[0]]
    found = sorted((len(pattern), permits) for permits, pattern in rules if pattern and matches(pattern, path))
    if not found:
        return "silent"
    permits = found[-1][1]
    return "prohibited" if not permits else "permitted" if sure else "silent"


Rule = tuple[bool, str]


def read(text: str) -> tuple[list[tuple[set[str], list[Rule]]], list[Rule], bool]:
    """The groups with their rules; the rules before every group; and whether all lines are of this form."""
    groups: list[tuple[set[str], list[Rule]]] = []
    before: list[Rule] = []
    sure = True
    for line in re.split(r"\r\n|\r|\n", text):
        plain = line.split("#")[0]
        if not plain.strip():
            continue
        found = FIELD.fullmatch(plain)
        if found is None:
            sure = False
            continue
        kind, value = found[1].lower(), found[2]
        if kind == "user-agent":
            if not groups or groups[-1][1]:
                groups.append((set(), []))
            groups[-1][0].add(value.lower())
        elif kind in ("allow", "disallow"):
            (groups[-1][1] if groups else before).append((kind == "allow", value))
    return groups, before, sure


def matches(pattern: str, path: str) -> bool:
    """Whether a rule is about a path."""
    found = EXTENSION.fullmatch(pattern)
    if found is not None:
        return path.split("?")[0].split("/")[-1].lower().endswith(found[1].lower())
    return is_match(pattern if pattern[0] in "/*" else "/" + pattern, path)


__all__ = ["verdict"]
