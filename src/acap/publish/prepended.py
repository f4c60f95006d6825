"""A block that stands before a site's own robots.txt as it is served, as the managed one of a CDN does.

    effective = prepended(block, origin)
    effective.comparison      # from the origin alone to the whole, proved
    effective.undone          # lines of the origin that no longer decide what they decided

What counts is the whole: groups of one crawler are one group, and a crawler with a group in the block no longer hears
the origin's group for any (RFC 9309 2.2.1). Lines of the origin are numbered as they are in its own file.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from acap.publish.compare import PATIENT_SECONDS, PATIENT_STEPS, Change, Comparison, Side, compare
from acap.robots import RobotsPolicy, parse_robots

# Cloudflare's, as it is served since 2025.
_END = re.compile(rb"^#[ \t]*END Cloudflare Managed Content[^\r\n]*(?:\r\n?|\n)", re.IGNORECASE | re.MULTILINE)


class Undone(NamedTuple):
    """A line of the origin, and what decides in its place: for whom, about which usages, with a path as example.

    `by` is what decides now, and `in_block` whether that stands in the block. Of several changes one is told.
    """

    line: int
    text: str
    change: Change
    in_block: bool

    @property
    def by(self) -> Side:
        """What decides in its place."""
        return self.change.after


class Effective(NamedTuple):
    """The policy that a site has with a block before its own.

    `lines` are those of the block. `joined` are crawlers with groups in both, which are one; `taken` those that have a
    group in the block alone, and heard the origin's group for any crawler before.
    """

    octets: bytes
    lines: int
    comparison: Comparison
    undone: tuple[Undone, ...]
    joined: tuple[str, ...]
    taken: tuple[str, ...]


def managed(served: bytes) -> tuple[bytes, bytes] | None:
    """The managed block of a robots.txt as it is served, and the origin's lines behind it; None without one."""
    match = _END.search(served)
    return None if match is None else (served[: match.end()], served[match.end() :])


def served(block: bytes, origin: bytes) -> bytes:
    """The robots.txt that a site has with a block before its own."""
    return _ended(block) + origin


def prepended(
    block: bytes, origin: bytes, *, dialect: str = "auto", steps: int = PATIENT_STEPS, seconds: float = PATIENT_SECONDS
) -> Effective:
    """What becomes of a robots.txt with a block before it, and which of its lines the block undoes.

    `steps` and `seconds` as of `compare`.
    """
    block = _ended(block)
    first, own, whole = (parse_robots(octets, dialect=dialect) for octets in (block, origin, block + origin))
    lines = len(parse_robots(block + b"#").lines) - 1
    comparison = compare(own, whole, steps=steps, seconds=seconds)
    changes = tuple(change._replace(after=_placed(change.after, lines)) for change in comparison.changes)
    undone: dict[int, Undone] = {}
    for raw, change in zip(comparison.changes, changes, strict=True):
        # A crawler that the block closes out may still fetch policy, to which no line was meant to apply.
        line = 0 if change.paths.is_policy else change.before.line
        # Of all that a line no longer decides, crawling says most.
        if line and (line not in undone or ("crawl" in change.usages and "crawl" not in undone[line].change.usages)):
            undone[line] = Undone(line, change.before.text, change, in_block=0 < raw.after.line <= lines)
    in_block, in_origin = (_named(policy) for policy in (first, own))
    rules_for_any = any("*" in group.names and group.rules for group in own.outline.groups)
    return Effective(
        block + origin,
        lines,
        comparison._replace(changes=changes),
        tuple(undone[line] for line in sorted(undone)),
        tuple(name for lower, name in in_block.items() if lower in in_origin),
        tuple(name for lower, name in in_block.items() if rules_for_any and lower not in in_origin),
    )


class Lifted(NamedTuple):
    """A line of the origin by which something is permitted that a line of the block prohibits, and an example.

    `text` is the line of the block. Where no line decides any more, `line` is that which names the crawler.
    """

    line: int
    text: str
    change: Change


def lifted(
    block: bytes, origin: bytes, *, dialect: str = "auto", steps: int = PATIENT_STEPS, seconds: float = PATIENT_SECONDS
) -> tuple[tuple[Lifted, ...], int]:
    """Which lines of a robots.txt permit what a block before it prohibits, each once; and the lines of the block."""
    block = _ended(block)
    first, whole = (parse_robots(octets, dialect=dialect) for octets in (block, block + origin))
    lines = len(parse_robots(block + b"#").lines) - 1
    naming = {
        name.lower(): agent.line - lines
        for group in whole.outline.groups
        for name in group.names
        for agent in group.agents
        if agent.line > lines and agent.value.lower().startswith(name.lower())
    }
    by_line: dict[tuple[tuple[str, ...], int], Lifted] = {}
    for change in compare(first, whole, steps=steps, seconds=seconds).changes:
        before, after = change.before, change.after
        if before.outcome != "prohibited" or after.outcome == "prohibited" or not before.line:
            continue
        named = (naming[name.lower()] for name in change.crawlers if name.lower() in naming)
        line = after.line - lines if after.line > lines else next(named, 0)
        # Of all that a line of the block no longer decides for a crawler, crawling says most.
        if line > 0 and ((change.crawlers, before.line) not in by_line or "crawl" in change.usages):
            by_line[change.crawlers, before.line] = Lifted(line, before.text, change)
    return tuple(sorted(by_line.values(), key=lambda one: one.line)), lines


def _ended(block: bytes) -> bytes:
    """A block with the end of its last line."""
    return block + b"\n" if block and not block.endswith((b"\n", b"\r")) else block


def _placed(side: Side, lines: int) -> Side:
    """What decides, by its line in the origin; of a line of the block its text says so."""
    if not side.line:
        return side
    if side.line > lines:
        return side._replace(line=side.line - lines)
    return side._replace(text=f"{side.text} (in the block)")


def _named(policy: RobotsPolicy) -> dict[str, str]:
    """The crawlers that have a group, by their names in lower case."""
    return {name.lower(): name for group in policy.outline.groups for name in group.names}
