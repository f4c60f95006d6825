"""Findings of lint with the lines that they are about, and their fixes put into effect."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from math import inf

from acap.explain import visible
from acap.publish.lint.catalogue import chosen, rules
from acap.publish.lint.causes import causes
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Finding
from acap.publish.lint.fixing import applied, fix, stands
from acap.publish.lint.preview import FixPreview, preview
from acap.publish.lint.run import all_findings
from acap.publish.verdict import PolicyVerdict, verdict
from acap.web.workshop.recognising import FILES
from acap.web.workshop.workspace import Workspace

MOST = 300
"""At most this many findings are shown."""

_EXCERPT = 160
_LINES = 12
"""At most this many lines that a fix takes away, and as many that it puts in their place, are shown."""

_SECONDS = 0.3
"""For the proofs of who may use how much of the site."""
_PATIENT = 2.0
"""For the same where nothing else waits for the answer; what is open then stays open."""
_TYPING = 0.05
"""For each of these while somebody is typing: the proofs, and the comparison of lines with each other."""
_SEVERITIES = ("error", "warning", "info")


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A part of a line in three pieces, of which the one in the middle is what is meant."""

    before: str
    marked: str
    after: str


@dataclass(frozen=True, slots=True)
class ShownFinding:
    """A finding, its place in the text, and what names it in a form. `why` is the rule's; `number` counts from 1."""

    finding: Finding
    excerpt: Excerpt | None
    key: str
    summary: str
    why: str
    clause: str
    number: int
    preview: FixPreview | None = None


@dataclass(frozen=True, slots=True)
class Linted:
    """What was found: the first findings, how many causes there are of each severity, and how many fixes are safe.

    `failed` says which rules could not be asked. Of a robots.txt `verdict` is what is to be known first. `partial`: not
    all was worked out in the time that there was, and is worth to be asked for again.
    """

    listed: tuple[ShownFinding, ...]
    total: int
    counts: tuple[tuple[str, int], ...]
    safe: int
    failed: tuple[str, ...]
    verdict: PolicyVerdict | None = None
    partial: bool = False

    @property
    def groups(self) -> tuple[tuple[tuple[ShownFinding, ...], ...], ...]:
        """The causes of each rule together, those of the worst rule first; a cause has the findings at its places."""
        by_rule: dict[tuple[str, str], list[tuple[ShownFinding, ...]]] = {}
        shown = {id(one.finding): one for one in self.listed}
        for cause in causes(one.finding for one in self.listed):
            alike = tuple(shown[id(finding)] for finding in cause)
            by_rule.setdefault((cause[0].severity, cause[0].code), []).append(alike)
        ranked = sorted(by_rule.items(), key=lambda pair: _SEVERITIES.index(pair[0][0]))
        return tuple(tuple(group) for _, group in ranked)


def linted(space: Workspace) -> Linted:
    """What lint finds in the text."""
    document = document_of(space)
    findings, failed = all_findings(document, chosen())
    known = rules()
    # As the verdict counts: a cause is one, at however many places.
    counts: Counter[str] = Counter()
    for finding, *_ in causes(findings):
        counts[finding.severity] += finding.counted[1]
    shown = tuple(
        ShownFinding(
            one,
            _excerpt(document, one, space.encoding),
            key_of(one),
            known[one.code].summary,
            known[one.code].why,
            known[one.code].clause,
            number,
            None if one.fix is None else preview(document, one.fix, space.encoding, most=_LINES),
        )
        for number, one in enumerate(findings[:MOST], 1)
    )
    safe = sum(1 for finding in findings if finding.fix is not None and finding.fix.safe)
    total = sum(finding.counted[1] for finding in findings)
    first = _verdict(space, document, findings) if document.kind == "robots" else None
    given = tuple((level, counts[level]) for level in _SEVERITIES if counts[level])
    partial = is_partial(space, document) or (first is not None and _is_open(space, first))
    return Linted(shown, total, given, safe, failed, first, partial)


def verdict_of(space: Workspace) -> tuple[PolicyVerdict, bool]:
    """What is to be known first of a robots.txt; and whether more would be found in more time."""
    document = document_of(space)
    policy_verdict = _verdict(space, document, all_findings(document, chosen())[0])
    return policy_verdict, is_partial(space, document) or _is_open(space, policy_verdict)


def _is_open(space: Workspace, policy_verdict: PolicyVerdict) -> bool:
    """Whether something was not worked out for want of time, and a patient question would have more of it."""
    if space.form["patient"] == "on":
        return False
    return any(part.extent == "undecided" for row in policy_verdict.rows for part in row.parts)


def _verdict(space: Workspace, document: Document, findings: tuple[Finding, ...]) -> PolicyVerdict:
    seconds = _TYPING if space.typing else _PATIENT if space.form["patient"] == "on" else _SECONDS
    return verdict(document, findings=findings, seconds=seconds)


def document_of(space: Workspace) -> Document:
    """The text as lint takes it."""
    return Document(
        space.octets, FILES[space.kind], space.kind, url=space.document_url, today=space.instant,
        seconds=_TYPING if space.typing else inf,
    )  # fmt: skip


def is_partial(space: Workspace, document: Document) -> bool:
    """Whether lines were not all compared with each other, because somebody is typing."""
    return space.typing and document.kind == "robots" and document.analysis.undecided > 0


def key_of(finding: Finding) -> str:
    """What names a finding among those of one text."""
    return f"{finding.code}@{finding.start}-{finding.end}"


def mended(space: Workspace, key: str) -> Workspace:
    """The workspace with the fix of one finding."""
    document = document_of(space)
    finding = next(
        (one for one in all_findings(document, chosen())[0] if key_of(one) == key and one.fix is not None), None
    )
    if finding is None or finding.fix is None:
        return space.noted("error", "that finding no longer exists; the list is up to date now")
    octets, taken = applied(document, [finding])
    if not taken:
        return space.noted("error", f"this fix cannot be made here: {visible(finding.fix.title)}")
    what = f"line {finding.line}: {finding.fix.title}" if finding.line else finding.fix.title
    after = space.changed(text_of(octets, space.encoding), visible(what))
    if not stands(document, octets):
        after = after.noted("warning", "this fix permits more than before; Compare shows what")
    return after.noted("done", visible(what))


def all_mended(space: Workspace) -> Workspace:
    """The workspace with every safe fix."""
    document = document_of(space)
    codes = tuple(dict.fromkeys(finding.code for finding in all_findings(document, chosen())[0]))
    done = fix(document, codes)
    number = done.mended.total()
    if not number:
        return space.noted("done", "there is nothing that can be fixed safely")
    what = f"{number} safe fix{'' if number == 1 else 'es'}"
    after = space.changed(text_of(done.document.octets, space.encoding), what).noted("done", what)
    if refused := done.refused.total():
        after = after.noted("warning", f"{refused} skipped, because they would have permitted more")
    return after


def text_of(octets: bytes, encoding: str) -> str:
    """The text of octets that were made from a text of the workspace."""
    text = octets.decode(encoding, "replace")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _excerpt(document: Document, finding: Finding, encoding: str) -> Excerpt | None:
    if not finding.line or finding.line > len(document.starts):
        return None
    line = document.line_octets(finding.line)
    begin = finding.start - document.starts[finding.line - 1]
    end = min(max(finding.end - document.starts[finding.line - 1], begin), len(line))
    before, marked, after = (piece.decode(encoding, "replace") for piece in (line[:begin], line[begin:end], line[end:]))
    cut = "…" if len(before) > _EXCERPT else ""
    more = "…" if len(after) > _EXCERPT else ""
    shown = marked if len(marked) <= _EXCERPT else f"{marked[:_EXCERPT]}…"
    return Excerpt(cut + visible(before[-_EXCERPT:]), visible(shown), visible(after[:_EXCERPT]) + more)
