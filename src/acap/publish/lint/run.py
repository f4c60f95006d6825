"""Lint one document: every rule once, its findings in the order of the document.

    for finding in lint(Document(octets, "robots.txt")):
        print(finding.line, finding.code, finding.message)

Laws:

1. Of one rule no more than `MOST` findings are listed. One more has the number of the others; it is as bad as the worst
   of them, and no comment on its line silences it. So what fails without the bound fails with it.
2. Where a finding says that the file is not a robots.txt at all, nothing is said of its lines, and no fix is offered.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from heapq import nsmallest
from itertools import chain
from typing import get_args

from acap import _native
from acap.problems import CATALOGUE, Severity, problem
from acap.publish.lint.catalogue import chosen, rule
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Finding, RuleFindings
from acap.publish.lint.rule import Rule, from_problem

MOST = _native.PROBLEMS
"""Findings per rule that are reported one by one; the same number as problems per kind."""

MORE = "more-of-this"
"""The rule whose findings stand for those of others."""

INSTEAD = ("html-instead-of-robots", "rich-text", "packed-file", "no-robots-txt")
"""The rules that say that something else stands where a robots.txt should be; the first that does is enough."""

_NOTHING = RuleFindings()
"""One for all: a document has many rules that find nothing."""

_WORST_FIRST: tuple[Severity, ...] = get_args(Severity)


class RuleError(RuntimeError):
    """A rule failed: an internal error in acap, whatever the document holds."""


def lint(document: Document, *, select: Iterable[str] | None = None, ignore: Iterable[str] = ()) -> tuple[Finding, ...]:
    """What rules find in a document, in the order of lines.

    Args:
        document: what is linted.
        select: codes, beginnings of codes that end with `-`, or `ALL`; by default the rules that are on by default.
        ignore: the same; these do not run.

    Raises:
        UnknownRule: a word stands for no rule.
        RuleError: a rule failed.
    """
    return run(document, chosen(select, ignore))


def run(document: Document, codes: Iterable[str]) -> tuple[Finding, ...]:
    """What the rules of these codes find, less what the document's own comments ignore."""
    wanted = [code for code in codes if code not in CATALOGUE or code in document.problems]
    for code in INSTEAD:
        if code in wanted and (instead := of_rule(rule(code), document).reported):
            return instead
    findings: list[Finding] = []
    for code in wanted:
        rule_findings = of_rule(rule(code), document)
        if rule_findings is _NOTHING:
            continue  # as most rules find in most documents
        # What the readers did not tell one by one is told with the rule that it is about.
        findings += (each for each in rule_findings.reported if code != MORE or each.counted[0] not in wanted)
        findings += () if rule_findings.more is None else (rule_findings.more,)
    findings.sort(key=lambda finding: (finding.line, finding.column, finding.code))
    return tuple(findings)


def all_findings(document: Document, codes: Iterable[str]) -> tuple[tuple[Finding, ...], tuple[str, ...]]:
    """What the rules of these codes find, and in a sentence each what failed: our fault, which keeps no other back."""
    good: list[str] = []
    failed: list[str] = []
    for code in codes:
        try:
            of_rule(rule(code), document)
        except RuleError as error:
            failed.append(f"{error}; this is an error in acap, please report it")
        else:
            good.append(code)
    return run(document, good), tuple(failed)


def findings_of(rule: Rule, document: Document) -> tuple[Finding, ...]:
    """What one rule finds and no comment ignores, without what stands for more."""
    return of_rule(rule, document).reported


def of_rule(rule: Rule, document: Document) -> RuleFindings:
    """The findings of one rule. It runs once a document."""
    rule_findings = document.of_rules.get(rule.code)
    if rule_findings is None:
        try:
            # A problem of the readers is reported in a document of any kind.
            speaks = document.kind in rule.kinds or rule.code in document.problems
            rule_findings = _bounded(rule, document) if speaks else _NOTHING
        except ImportError:
            raise
        except Exception as error:
            raise RuleError(f"rule `{rule.code}` fails on `{document.name}`: {error!r}") from error
        document.of_rules[rule.code] = rule_findings
    return rule_findings


def _bounded(rule: Rule, document: Document) -> RuleFindings:
    findings = iter(rule.check(document))
    begun = next(findings, None)
    if begun is None and MORE not in document.problems:
        return _NOTHING
    ignoring = document.ignoring
    anywhere = False
    marked: set[int] = set()
    severities: Counter[Severity] = Counter()

    def not_ignored() -> Iterator[Finding]:
        nonlocal anywhere
        for finding in findings if begun is None else chain([begun], findings):
            anywhere = True
            if ignoring.marks_line(finding.line):
                marked.add(finding.line)
            if not ignoring.ignores(finding):
                severities[finding.severity] += 1
                yield finding

    first = nsmallest(MOST + 1, not_ignored(), key=lambda finding: (finding.line, finding.column))
    reported, beyond = tuple(first[:MOST]), first[MOST:]
    severities.subtract(finding.severity for finding in reported)
    return RuleFindings(reported, _more(rule, document, beyond, severities), anywhere, frozenset(marked))


def left_out(document: Document, code: str) -> Iterator[Finding]:
    """The finding that stands for problems of a code that the readers did not list."""
    if code != MORE and MORE in document.problems:
        yield from (finding for finding in of_rule(rule(MORE), document).reported if finding.counted[0] == code)


def _more(rule: Rule, document: Document, beyond: list[Finding], severities: Counter[Severity]) -> Finding | None:
    """The finding that stands for those that are not listed; `beyond` has the first of them."""
    unread = [] if document.ignoring.silences(rule.code) else list(left_out(document, rule.code))
    if not beyond and not unread:
        return None
    number = severities.total() + sum(one.counted[1] for one in unread)
    # What the readers left out is unknown: it may be as bad as any finding of its rule.
    worst = min([*(+severities), *(rule.worst or rule.severity for _ in unread)], key=_WORST_FIRST.index)
    first = min([*beyond, *unread], key=lambda finding: (finding.line, finding.column))
    words = [rule.code, str(number)]
    stands = from_problem(document, problem(MORE, first.line, first.column, words, ""))
    return replace(stands, severity=worst, start=first.start, end=first.end, stands_for=(rule.code, number))
