"""Fixes put into effect: rounds of edits that do not touch each other, until nothing is left to fix.

A safe fix is not believed, it is tried: those of a rule after which any decision would be looser are left out.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from acap.publish.lint.document import Document
from acap.publish.lint.finding import Edit, Finding, Fix
from acap.publish.lint.run import run
from acap.publish.lint.strictness import looser, looser_page

ROUNDS = 10  # a fix may uncover another finding; a chain this long is two rules that undo each other


@dataclass(slots=True)
class Mended:
    """What came of fixing: the document as it is then, what is still found, and how many of each code were fixed.

    `refused` are codes of safe fixes that would have permitted more.
    """

    document: Document
    findings: tuple[Finding, ...]
    mended: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)


def fix(document: Document, codes: Sequence[str], *, unsafe: bool = False) -> Mended:
    """Mends what the rules of these codes find; `unsafe`: with fixes too that may change what is permitted."""
    done = Mended(document, run(document, codes))
    for _ in range(ROUNDS):
        if not _round(done, codes, safe=True) and not (unsafe and _round(done, codes, safe=False)):
            break
    return done


def _round(done: Mended, codes: Sequence[str], *, safe: bool) -> bool:
    """One round of safe or of unsafe fixes; whether anything changed."""
    wanted = [finding for finding in done.findings if finding.fix is not None and finding.fix.safe == safe]
    octets, taken = applied(done.document, wanted)
    if not taken:
        return False
    if safe and not stands(done.document, octets):
        done.refused.clear()
        octets, taken = _tried(done, wanted)
        if not taken:
            return False
    done.mended.update(finding.code for finding in taken)
    done.document = with_octets(done.document, octets)
    done.findings = run(done.document, codes)
    return True


def _tried(done: Mended, wanted: Sequence[Finding]) -> tuple[bytes, list[Finding]]:
    """The octets after the fixes that stand, those of each code tried with those before; others are refused."""
    taken: list[Finding] = []
    octets = done.document.octets
    for code in dict.fromkeys(finding.code for finding in wanted):
        more = [finding for finding in wanted if finding.code == code]
        after, used = applied(done.document, [*taken, *more])
        if stands(done.document, after):
            octets, taken = after, used
        else:
            done.refused[code] += len(more)
    return octets, taken


def stands(document: Document, octets: bytes) -> bool:
    """Whether a document permits no more with other octets."""
    after = with_octets(document, octets)
    if document.kind == "robots":
        return looser(document.policy, after.policy, document.today) is None
    return looser_page(document.page, after.page, document.today) is None


def with_octets(document: Document, octets: bytes) -> Document:
    """The same document with other octets."""
    return Document(
        octets, document.name, document.kind, url=document.url, today=document.today,
        known_crawlers=document.known_crawlers, site=document.site, beside=document.beside, path=document.path,
        prepended=document.prepended,
    )  # fmt: skip


def applied(document: Document, findings: Iterable[Finding]) -> tuple[bytes, list[Finding]]:
    """The octets after all fixes that do not touch each other, and the findings that are mended by it.

    Of fixes that touch each other the first in the document counts; fixes that are the same are one. Where lines are
    not what the octets are (UTF-16), only a fix that replaces all octets can be put into effect.
    """
    mends = [(finding, finding.fix) for finding in findings if finding.fix and _possible(document, finding.fix)]
    mends.sort(key=lambda one: min((edit.start, edit.end) for edit in one[1].edits))
    edits: list[Edit] = []  # in order, none touching another
    taken: list[Finding] = []
    for finding, wanted in mends:
        own = sorted(wanted.edits, key=_start)
        new = [edit for edit in own if not _there(edit, edits)]
        if any(_touches(edit, edits) for edit in new) or any(_touch(*pair) for pair in pairwise(own)):
            continue
        for edit in new:
            insort(edits, edit, key=_start)
        taken.append(finding)
    pieces, at = [], 0
    for edit in edits:
        pieces += [document.octets[at : edit.start], edit.octets]
        at = edit.end
    octets = b"".join([*pieces, document.octets[at:]])
    return (octets, taken) if octets != document.octets else (octets, [])


def _start(edit: Edit) -> int:
    return edit.start


def _there(edit: Edit, edits: list[Edit]) -> bool:
    """Whether an edit is already among those in order."""
    at = bisect_left(edits, edit.start, key=_start)
    return at < len(edits) and edits[at] == edit


def _touches(edit: Edit, edits: list[Edit]) -> bool:
    """Whether an edit touches any of those in order, of which only its neighbours can be."""
    at = bisect_left(edits, edit.start, key=_start)
    return any(_touch(edit, other) for other in edits[max(at - 1, 0) : at + 1])


def _possible(document: Document, fix: Fix) -> bool:
    end = len(document.octets)
    if not fix.edits or any(not 0 <= edit.start <= edit.end <= end for edit in fix.edits):
        return False
    return document.editable or (len(fix.edits) == 1 and (fix.edits[0].start, fix.edits[0].end) == (0, end))


def _touch(edit: Edit, other: Edit) -> bool:
    """Whether two edits share an octet, or insert at the same place."""
    if edit.start == other.start:
        return True
    return edit.start < other.end and other.start < edit.end
