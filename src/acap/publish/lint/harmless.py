"""Findings that harm nobody are mere information: what they ask for would change no decision.

    yield weighed(document, found)                              # the correction is its fix
    yield weighed(document, found, edits, crawlers=["Slurp"])   # one that its help describes, and whom it concerns

Law: a finding gets lighter by a proof alone. The file as it is and the file corrected are compared for every path,
crawler concerned and usage, and so is what is asked of the pace of visits. Where some crawlers skip lines (`unread`),
the correction of one must change nothing for those who read the others, and nothing for those who do not. What is too
large to be compared keeps its severity.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from acap.crawler_list import with_fallback
from acap.publish.analysis import without_lines
from acap.publish.compare import compare
from acap.publish.crawlers import ANY, everyone, stranger
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Edit, Finding
from acap.publish.lint.mending import edited
from acap.publish.lint.strictness import looser
from acap.robots import RobotsPolicy, parse_robots

PROOFS = 32
"""Corrections tried per file; a real file has a few."""
OCTETS = 1 << 22
"""Octets read again per file for all of them: of a file of 512 KiB four corrections are tried."""
UNREAD = 1_000
"""Lines that some crawlers skip; of more the readers do not list all."""
STEPS = 1 << 19
"""Steps of a comparison, some four milliseconds; real files take a tenth."""
_LOOKS = 1 << 24
"""Octets of names searched for, each on every line, per comparison."""
_NAME = 16  # octets of a name, which are seldom more
_PACE = 1_000  # most crawlers whose pace is compared, or whose permissions
_PACED = frozenset({"Crawl-delay", "Request-rate", "Visit-time", "Comment", "Robot-version"})

HARMLESS = "; correcting it changes no decision as the file stands"
"""What the message of such a finding ends with."""


def weighed(
    document: Document,
    finding: Finding,
    edits: Sequence[Edit] | None = None,
    *,
    unread: Collection[int] = (),
    crawlers: Sequence[str] | None = None,
) -> Finding:
    """The finding, as information if the correction (by default its fix) is proved to change no decision.

    `unread` are lines that some crawlers skip, its own among them. `crawlers` are those concerned: by default all.
    """
    if edits is None:
        edits = finding.fix.edits if finding.fix else ()
    if finding.severity == "info" or not edits or len(unread) > UNREAD:
        return finding
    if not _may_try(document, 1 + min(len(unread), 2)):
        return finding
    after = parse_robots(edited(document.text, edits), url=document.url)
    if not all(_same(document, *pair, crawlers) for pair in _readings(document.policy, after, finding.line, {*unread})):
        return finding
    return replace(finding, severity="info", message=finding.message + HARMLESS)


def skipped_lines(document: Document) -> frozenset[int]:
    """Lines with a field that is read here, and that many crawlers skip."""
    codes = ("missing-colon", "misspelt-field")
    return frozenset(problem.line for code in codes for problem in document.problems.get(code, ()))


def _readings(
    before: RobotsPolicy, after: RobotsPolicy, line: int, unread: set[int]
) -> Iterator[tuple[RobotsPolicy, RobotsPolicy]]:
    """The file and the corrected one, as each kind of reader takes them."""
    yield before, after
    if unread:
        yield without_lines(before, {line}), after
    if others := unread - {line}:
        yield without_lines(before, unread), without_lines(after, others)


def permits_no_more(document: Document, edits: Sequence[Edit], crawlers: Sequence[str]) -> bool:
    """Whether edits of a robots.txt are proved to permit nothing more to those concerned; in doubt they are not."""
    if len(crawlers) > _PACE or not _may_try(document, 1):
        return False
    after = parse_robots(edited(document.text, edits), url=document.url)
    try:
        found = looser(document.policy, after, document.today, crawlers=crawlers, steps=STEPS)
        return found is None and all(_asks_as_much(document.policy, after, name) for name in crawlers)
    except ValueError:  # a name that no crawler can bear
        return False


def _may_try(document: Document, times: int) -> bool:
    """Whether one more correction may be tried; it is counted."""
    if document.tried == PROOFS or document.policy.truncated:
        return False
    document.tried += 1
    document.tried_octets += times * len(document.text)
    return document.tried_octets <= OCTETS


def _same(document: Document, before: RobotsPolicy, after: RobotsPolicy, crawlers: Sequence[str] | None) -> bool:
    """Whether two policies are proved to decide alike, and to ask the same pace."""
    if before == after:
        return True
    number = len(document.policy.crawlers if crawlers is None else crawlers)
    if number * _NAME * len(document.lines) > _LOOKS:
        return False
    names = everyone(before, after) if crawlers is None else tuple(crawlers)
    try:
        comparison = compare(before, after, crawlers=names, at=document.today, steps=STEPS)
    except ValueError:  # a name that no crawler can bear
        return False
    return (
        comparison.verdict == "equal"
        and not (comparison.removed or comparison.added)
        and _same_pace(before, after, names)
    )


def _same_pace(before: RobotsPolicy, after: RobotsPolicy, names: Sequence[str]) -> bool:
    if not any(extension.field in _PACED for policy in (before, after) for extension in policy.extensions):
        return True
    asking = stranger(before, after)
    return len(names) <= _PACE and all(
        _pace(before, name) == _pace(after, name) for name in (asking if one == ANY else one for one in names)
    )


def _asks_as_much(before: RobotsPolicy, after: RobotsPolicy, crawler: str) -> bool:
    """Whether a second policy asks the pace of the first, if that asks one."""
    asked = _pace(before, with_fallback(crawler))
    return not any(asked) or asked == _pace(after, with_fallback(crawler))


def _pace(policy: RobotsPolicy, crawler: str | tuple[str, ...]) -> tuple[object, ...]:
    """What is asked of a crawler's pace, wherever it is written."""
    asked = policy.politeness(crawler)
    return asked.visit_times, tuple(rate._replace(line=None) for rate in asked.rates), asked.delays, asked.comments
