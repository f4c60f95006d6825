"""Lint one document: every rule once, its findings in the order of the document.

for finding in lint(Document(octets, "robots.txt")):
    print(finding.line, finding.code, finding.message)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from acap.problems import CATALOGUE
from acap.publish.lint.catalogue import chosen, rule
from acap.publish.lint.ignoring import heard

if TYPE_CHECKING:
    from collections.abc import Iterable

    from acap.publish.lint.document import Document
    from acap.publish.lint.finding import Finding
    from acap.publish.lint.rule import Rule


class RuleError(RuntimeError):
    """A rule failed: our fault, whatever the document holds."""


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
    found = [finding for code in wanted for finding in found_by(rule(code), document)]
    found.sort(key=lambda finding: (finding.line, finding.column, finding.code))
    return heard(document, found)


def found_by(rule: Rule, document: Document) -> tuple[Finding, ...]:
    """What one rule finds, ignored or not. It runs once a document."""
    found = document.found.get(rule.code)
    if found is None:
        try:
            found = tuple(rule.check(document)) if document.kind in rule.kinds else ()
        except ImportError:
            raise
        except Exception as error:
            raise RuleError(f"rule `{rule.code}` fails on `{document.name}`: {error!r}") from error
        document.found[rule.code] = found
    return found
