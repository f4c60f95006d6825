"""A rule: its code, its doc, its examples, and what finds.

    RULE = Rule(code="trailing-star", …, check=check)         a rule of its own
    RULE = of_problem("acap-plural", …, mend=mend)            what the readers find, with a doc and a fix
    of_problem("acap-stray-text", **doc._asdict())            what the readers find, with the doc of the catalogue

A code reads well after "allow": `allow spent-time-limit`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from acap.outline import Field, Span
from acap.problems import CATALOGUE, DocumentKind, Example, Long, Problem, Severity
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Edit, Finding, Fix, Related

Check = Callable[[Document], Iterable[Finding]]
Mend = Callable[[Document, Problem], Fix | None]


def octets_of(text: str | bytes | Long) -> bytes:
    """The document of an example."""
    if isinstance(text, Long):
        text = text.beginning + text.piece * text.times
    return text.encode() if isinstance(text, str) else text


def legible(text: str | bytes | Long) -> str:
    """The document of an example, to be read: octets that are no UTF-8 as escapes, of a long one how it goes on."""
    if isinstance(text, Long):
        return f"{text.beginning}{text.piece}{text.piece}… and so on, {text.times:,} times\n"
    return octets_of(text).decode("utf-8", "backslashreplace")


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule.

    `summary` is one line, lower case, without a full stop; `why` is a paragraph or two for people who have not read a
    specification; `clause` is where it stands. `fix` says whether there is one, and whether it is safe. A rule that is
    not `default` must be selected. `worst` is set where a finding may be worse than `severity` says. A rule that
    `weighs` makes mere information of a finding whose correction is proved to change no decision.
    """

    code: str
    summary: str
    severity: Severity
    why: str
    clause: str
    examples: tuple[Example, ...]
    check: Check
    kinds: tuple[DocumentKind, ...] = ("robots",)
    fix: Literal["safe", "unsafe"] | None = None
    default: bool = True
    worst: Severity | None = None
    weighs: bool = False

    def finding(
        self, document: Document, start: int, end: int, message: str, *, help: str | None = None,  # noqa: A002  as the field of a finding
        fix: Fix | None = None, related: tuple[Related, ...] = (), witness: str | None = None,
    ) -> Finding:  # fmt: skip
        """A finding of this rule at octets of the text."""
        line, column = document.place(start)
        return Finding(
            self.code, self.severity, message, line, column, start, max(end, start), help, fix, related, witness
        )

    def at_line(
        self, document: Document, line: int, message: str, *, help: str | None = None,  # noqa: A002  as the field of a finding
        fix: Fix | None = None, related: tuple[Related, ...] = (), witness: str | None = None,
    ) -> Finding:  # fmt: skip
        """A finding of this rule on a whole line; its blanks and its comment are not underlined."""
        start, end = field_span(document, line)
        return self.finding(document, start, end, message, help=help, fix=fix, related=related, witness=witness)

    def corrected(
        self, document: Document, rule: Field, written: str, message: str, *, help: str | None = None,  # noqa: A002  as the field of a finding
        edits: tuple[Edit, ...] | None = None, safe: bool = True,
    ) -> Finding:  # fmt: skip
        """A finding on an Allow or Disallow line whose pattern should be written otherwise; its fix writes it so.

        `help` says that, if nothing else is given. `edits` are those of the fix, where they are not the pattern alone;
        without any there is none.
        """
        title = f"write `{written}`"
        edits = replaced(document, rule.value_span, written) if edits is None else edits
        fix = Fix(title, edits, safe) if edits else None
        return self.at_line(document, rule.line, message, help=help or title, fix=fix)


def field_span(document: Document, line: int) -> Span:
    """The octets of a line's field; of a line without one those of its text, or of the comment if that is all."""
    if field := document.outline.by_line.get(line):
        return field.span
    span = document.spans.get(line)
    if span is None:
        octets = document.line_octets(line)
        start = document.starts[line - 1]
        # Pages and headers have no comments that begin so.
        body = (document.lines[line - 1].body.rstrip() if document.kind == "robots" else b"") or octets.rstrip()
        left = len(body) - len(body.lstrip())
        span = document.spans[line] = Span(start + left, start + len(body))
    return span


def of_problem(
    code: str,
    *,
    summary: str,
    why: str,
    examples: tuple[Example, ...],
    mend: Mend | None = None,
    kinds: tuple[DocumentKind, ...] = ("robots",),
    mends: tuple[DocumentKind, ...] | None = None,
    fix: Literal["safe", "unsafe"] | None = None,
) -> Rule:
    """A rule for what the readers find: severity, message, help and clause are the catalogue's.

    `kinds` are the documents in which they find it, and `mends` those in which `mend` mends it: the same, if not given.
    """
    kind = CATALOGUE[code]

    def check(document: Document) -> Iterator[Finding]:
        for problem in document.problems.get(code, ()):
            if problem.span in document.completing:
                continue
            mended = mend(document, problem) if mend and document.kind in (mends or kinds) else None
            yield from_problem(document, problem, mended)

    return Rule(code, summary, kind.severity, why, kind.clause, examples, check, kinds, fix)


def from_problem(document: Document, problem: Problem, fix: Fix | None = None) -> Finding:
    """A problem as a finding: it underlines its field; of what has no fields its line from the column on."""
    line = min(problem.line, len(document.starts))
    if line < 1:
        start = end = 0
    else:
        start, end = field_span(document, line)
        if document.kind not in ("robots", "headers"):
            start = document.octet(line, problem.column)
            end = max(end, start)
    return Finding(
        problem.code, problem.severity, problem.message, problem.line, problem.column, start, end, problem.fix, fix
    )


def shortened(document: Document, rule: Field, shorter: str) -> tuple[Edit, ...]:
    """The edit that leaves out the end of a pattern that does nothing.

    None for a Disallow beside an Allow, to which it might lose as the shorter one.
    """
    harmless = rule.kind == "Allow" or not document.kinds["Allow"]
    return replaced(document, rule.value_span, shorter) if harmless else ()


def replaced(document: Document, span: Span, new: str) -> tuple[Edit, ...]:
    """The edit that writes something else at a place; none if no one knows what stands there, for it is not UTF-8."""
    try:
        document.outline.octets(span).decode()
    except UnicodeDecodeError:
        return ()
    return (Edit(*span, new.encode()),)
