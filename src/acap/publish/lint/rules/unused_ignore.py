"""A comment that ignores findings there are none of, or a code that is no rule's."""

from __future__ import annotations

from collections.abc import Iterator

from acap.problems import Example
from acap.publish.lint.catalogue import nearest, rules
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Edit, Finding, Fix
from acap.publish.lint.ignoring import IgnoreMark
from acap.publish.lint.rule import Rule
from acap.publish.lint.run import MORE, left_out, of_rule

CODE = "unused-ignore"
_SUGGESTED = 20  # unknown codes for which the nearest is looked up; it takes a millisecond each


def check(document: Document) -> Iterator[Finding]:
    """A finding for each mark with a code that ignores nothing; other rules run for it, if they have not yet."""
    lines = _Lines(document)
    slips = 0
    for mark in document.ignoring.marks:
        unknown = [code for code in mark.codes if code not in rules()]
        unused = [code for code in mark.codes if code not in unknown and code != CODE and not lines.used(mark, code)]
        fix = _fix(document, mark, [code for code in mark.codes if code not in (*unknown, *unused)])
        where = "in this file" if mark.whole_file else "on this line"
        for code in unknown:
            slips += 1
            suggested = nearest(code) if slips <= _SUGGESTED else ""
            yield RULE.finding(document, mark.start, mark.end, f"no rule `{code}` to ignore{suggested}", fix=fix)
        for code in unused:
            yield RULE.finding(document, mark.start, mark.end, f"nothing {where} to ignore for `{code}`", fix=fix)
        if not mark.bare and not mark.codes:
            yield RULE.finding(document, mark.start, mark.end, "the comment names no rule to ignore", fix=fix)
        if mark.bare and not lines.used(mark, None):
            yield RULE.finding(document, mark.start, mark.end, f"nothing {where} to ignore", fix=fix)


class _Lines:
    """The lines with a mark that each rule finds something on; each is asked once."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._known: dict[str | None, tuple[bool, frozenset[int]]] = {}

    def used(self, mark: IgnoreMark, code: str | None) -> bool:
        """Whether a mark is about any finding of a rule, or of any rule that is on by default."""
        anywhere, lines = self._of(code)
        return anywhere if mark.whole_file else mark.line in lines or self._unread(code)

    def _of(self, code: str | None) -> tuple[bool, frozenset[int]]:
        if code not in self._known:
            if code is None:
                each = [self._of(one) for one, rule in rules().items() if rule.default and one != CODE]
                self._known[None] = any(found for found, _ in each), frozenset().union(*(lines for _, lines in each))
            else:
                rule_findings = of_rule(rules()[code], self._document)
                self._known[code] = rule_findings.anywhere, rule_findings.marked
        return self._known[code]

    def _unread(self, code: str | None) -> bool:
        """Whether there may be more of a code than was looked at."""
        return MORE in self._document.problems if code is None else any(left_out(self._document, code))


def _fix(document: Document, mark: IgnoreMark, used: list[str]) -> Fix:
    """The mark without what is not used; the whole mark goes if nothing is left of it."""
    text = document.text
    written = text[mark.start : mark.end]
    if used:
        kept = written[: written.index(b"[") + 1] + ", ".join(used).encode() + _after_codes(written)
        return Fix("remove the unused codes", (Edit(mark.start, mark.end, kept),), safe=document.kind != "page")
    if document.kind == "page":
        # In a script or an attribute it is no comment, so this is for a person to judge.
        return Fix("remove the comment", (Edit(mark.start, mark.end, b""),), safe=False)
    first = document.starts[mark.line - 1]
    beyond = document.starts[mark.line] if mark.line < len(document.starts) else len(text)
    end = first + len(document.line_octets(mark.line))
    if text[mark.end : end].strip():
        # A reason follows, which stays a comment.
        return Fix("remove the mark", (Edit(mark.start, mark.end, b"#"),))
    before = text[first : mark.start]
    if not before.strip():
        # With its line end: an empty line would end a record of 1994.
        return Fix("remove the comment", (Edit(first, beyond, b""),))
    return Fix("remove the comment", (Edit(first + len(before.rstrip()), mark.end, b""),))


def _after_codes(written: bytes) -> bytes:
    """What follows the codes of a mark: its bracket, and in a page the rest of the comment."""
    return written[written.index(b"]") :] if b"]" in written else b"]"


RULE = Rule(
    code=CODE,
    summary="a comment ignores findings that do not exist",
    severity="warning",
    why=(
        "`# acap: ignore[code]` hides one finding. Once you fix the line, the comment hides nothing, and would hide "
        "the next mistake on that line. A code that is not the code of a rule is a typo and hides nothing either."
    ),
    clause="",
    examples=(
        Example(
            bad="User-agent: *\nDisallow: /private/  # acap: ignore[misspelt-field]\n",
            good="User-agent: *\nDissalow: /private/  # acap: ignore[misspelt-field]\n",
            fixed="User-agent: *\nDisallow: /private/\n",
        ),
        Example(
            bad="# acap: ignore-file[mispelt-field] our CMS writes it\nUser-agent: *\nDissalow: /private/\n",
            good="# acap: ignore-file[misspelt-field] our CMS writes it\nUser-agent: *\nDissalow: /private/\n",
            fixed="# our CMS writes it\nUser-agent: *\nDissalow: /private/\n",
        ),
    ),
    check=check,
    kinds=("robots", "page", "headers"),
    fix="safe",
)
