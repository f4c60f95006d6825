"""The lines of a robots.txt that a draft keeps as they are, without those that compose wrote itself."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import dropwhile

from acap.publish.compose.conventional import HEADING
from acap.publish.compose.draft import Draft
from acap.publish.compose.sentences import described
from acap.publish.compose.text import lines_of
from acap.publish.convert.conversion import TITLE
from acap.robots import Limits, Line, Lines, RobotsPolicy, parse_robots

_MOST = 2**30
# A text that is read a second time was within the limits before.
_UNLIMITED = Limits(
    file_octets=_MOST, records=_MOST, sub_records=_MOST, fields_per_record=_MOST, fields_per_sub_record=_MOST
)


def read_lines(lines: Iterable[str]) -> RobotsPolicy:
    """The policy of a text that a draft wrote."""
    octets = "".join(f"{line}\n" for line in lines).encode("utf-8", "surrogateescape")
    return parse_robots(octets, limits=_UNLIMITED)


def divided(lines: Lines, directive: int | None) -> tuple[dict[int, tuple[str, ...]], str]:
    """The comments above and on each ACAP line by its number, and the text of all other lines."""
    comments: dict[int, tuple[str, ...]] = {}
    kept: list[str] = []
    pending: list[str] = []
    for line in lines:
        text = _text(line)
        if line.kind == "comment":
            pending.append(text)
            continue
        if line.kind == "##ACAP" or line.number == directive:
            kept += [comment for comment in pending if comment != TITLE]
        elif line.kind == "ACAP":
            trailing = line.comment.decode("utf-8", "surrogateescape").removeprefix("#").strip()
            notes = [comment.strip().removeprefix("#").removeprefix(" ") for comment in pending]
            comments[line.number] = (*notes, *([trailing] if trailing else []))
        else:
            kept += pending
            # Two blank lines around removed ACAP lines become one.
            if text.strip() or (kept and kept[-1].strip()):
                kept.append(text)
        pending = []
    text = "\n".join([*kept, *pending]).strip("\n")
    return comments, f"{text}\n".removeprefix("\ufeff") if text else ""


def _text(line: Line) -> str:
    return line.octets.decode("utf-8", "surrogateescape").strip("\r\n")


def without_generated(draft: Draft, policy: RobotsPolicy) -> Draft:
    """The draft without generated text: sentences on records, lines for other crawlers."""
    sentences = {line.strip() for record in draft.records for line in described(replace(record, notes=()))}
    records = tuple(
        replace(record, notes=tuple(note for note in record.notes if note.strip() not in sentences))
        for record in draft.records
    )
    bare = replace(draft, records=records, kept="", ignore_conventional=False)
    without = replace(bare, kept=_without_groups(draft.kept))
    if without.kept != draft.kept:
        written = read_lines([line for line, _ in lines_of(without)])
        same = _conventional(written) == _conventional(policy)
        if same and (written.ignores_conventional is not None) == (policy.ignores_conventional is not None):
            return without
    return replace(draft, records=records)


def _without_groups(kept: str) -> str:
    """The kept lines before the generated heading, and after the groups below it."""
    before, heading, below = kept.partition(f"{HEADING}\n")
    if not heading:
        return kept
    group = ("blank", "User-agent", "Allow", "Disallow")
    lines = parse_robots(below.encode("utf-8", "surrogateescape")).lines
    after = dropwhile(lambda line: line.kind in group, lines)
    rest = b"".join(line.octets for line in after).decode("utf-8", "surrogateescape").strip("\n")
    return f"{before.rstrip(chr(10))}\n{rest}".strip("\n") + "\n" if before.strip() or rest else ""


def _conventional(policy: RobotsPolicy) -> list[tuple[object, ...]]:
    return [
        (rule.cited.effect, rule.pattern, rule.crawlers) for rule in policy.statements if rule.cited.dialect != "acap"
    ]
