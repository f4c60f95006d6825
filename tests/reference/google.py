"""The dialect `google`: that matcher's own reading of rules and URLs, its departures from RFC 9309 included.

It encodes only octets of 0x80 and above and upper-cases escapes, of the rule alone; the URL counts as it is written.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from .conventional import ALLOW, DISALLOW, Group, Refusal, Verdict, directory_of_index
from .crawler import product_name, product_token
from .pattern import matches

ESCAPE = re.compile(r"%[0-9A-Fa-f]{2}")


def groups_for(groups: Sequence[Group], names: Sequence[str]) -> tuple[list[Group], bool]:
    """The groups that speak to the crawler, and whether they name it: by the RFC token alone, all names together."""

    def names_it(group: Group, name: str) -> bool:
        return any(product_token(agent.value) == name for agent in group.agents)

    chosen = [group for group in groups if any(names_it(group, name) for name in names)]
    return (chosen, True) if chosen else ([group for group in groups if group.is_default()], False)


def names_of(crawlers: Sequence[str]) -> list[str]:
    """The names to look for, each reduced to a name as in every other dialect."""
    return [name for name in map(product_name, crawlers) if name]


def decide(groups: Sequence[Group], named: bool, path: str) -> Verdict:
    """The verdict of the merged groups on a path: the longest pattern, the first of that length, Allow on ties."""
    best = {ALLOW: (-1, 0), DISALLOW: (-1, 0)}
    for rule in (rule for group in groups for rule in group.rules):
        pattern = escaped(rule.value)
        if rule.kind == ALLOW and not matches(pattern, path):
            pattern = directory_of_index(pattern)
        if matches(pattern, path) and len(pattern) > best[rule.kind][0]:
            best[rule.kind] = (len(pattern), rule.line.number)
    (allow, allowed_by), (disallow, refused_by) = best[ALLOW], best[DISALLOW]
    if disallow > 0 and disallow > allow:
        return Verdict(refusals=(Refusal("/", refused_by, named),))
    return Verdict(allowed_by=(refused_by if disallow > allow else allowed_by) or None)


def escaped(value: str) -> str:
    """A rule's value, a character an octet: non-ASCII octets percent-encoded, escapes upper-cased, nothing else."""
    octets = value.encode("utf-8", "surrogateescape")
    text = "".join(chr(octet) if octet < 0x80 else f"%{octet:02X}" for octet in octets)
    return ESCAPE.sub(lambda escape: escape[0].upper(), text)


def path_of(url: str) -> str:
    """Path, parameters and query of a URL, as the matcher cuts them out; one character an octet."""
    url = url.encode("utf-8", "surrogateescape").decode("latin-1")
    start = 2 if url.startswith("//") else 0
    early = first_of("/?;", url, start)
    protocol_end = url.find("://", start)
    if protocol_end < 0 or (0 <= early < protocol_end):
        protocol_end = start
    else:
        protocol_end += 3
    path_start = first_of("/?;", url, protocol_end)
    if path_start < 0:
        return "/"
    hash_position = url.find("#", start)
    if 0 <= hash_position < path_start:
        return "/"
    path = url[path_start : hash_position if hash_position >= 0 else len(url)]
    return path if path.startswith("/") else "/" + path


def first_of(characters: str, text: str, start: int) -> int:
    """Where the first of the characters stands from `start` on; -1 if nowhere."""
    found = re.compile(f"[{re.escape(characters)}]").search(text, start)
    return found.start() if found else -1
