"""What a line says, to whom, and what is wrong with it, in Markdown."""

from __future__ import annotations

import re

from acap.explain import visible
from acap.lsp.opened import OpenDocument
from acap.plurals import plural
from acap.publish.line_words import line_sentences
from acap.publish.lint.catalogue import rule
from acap.publish.lint.finding import Fix
from acap.publish.lint.preview import preview

_MOST = 12  # sentences of a line; of more the number


def hover_text(opened: OpenDocument, line: int) -> str:
    """What a line says, from 0; empty where it says nothing and nothing is wrong with it."""
    sentences = line_sentences(opened.document, line + 1) if opened.kind == "robots" else ()
    lines = list(dict.fromkeys(f"**{_plain(one.who)}** {_plain(one.what)}" for one in sentences))
    more = [f"and {len(lines) - _MOST} more"] if len(lines) > _MOST else []
    parts = ["\n".join(f"- {one}" for one in [*lines[:_MOST], *more])] if lines else []
    for finding in opened.findings:
        if finding.line == line + 1:
            help_ = f"; {finding.help}" if finding.help else ""
            wrong = f"**{finding.severity}**: {_plain(finding.message + help_)} `{finding.code}`"
            fix = "" if finding.fix is None else _fix_text(opened, finding.fix)
            parts.append(f"{wrong}\n\n{fix}{rule(finding.code).why}")
    return "\n\n---\n\n".join(parts)


def _fix_text(opened: OpenDocument, fix: Fix) -> str:
    """What a fix makes of each of its places, before an editor makes it; empty where that is not known."""
    shown = preview(opened.document, fix)
    if shown is None:
        return ""
    lines = [
        f"{sign} {line}"
        for hunk in shown.hunks
        for sign, those in (("-", hunk.before), ("+", hunk.after))
        for line in those
    ]
    more = f"\n\nand {plural(shown.more, 'more line')}" if shown.more else ""
    doubt = "" if fix.safe else " (may change what is permitted)"
    # A stranger's text does not end the block in which it stands.
    fence = "`" * max(3, 1 + max((len(run) for line in lines for run in re.findall("`+", line)), default=0))
    block = "\n".join([f"{fence}diff", *lines, fence])
    return f"**fix**: {_plain(fix.title)}{doubt}\n\n{block}{more}\n\n"


def _plain(text: str) -> str:
    """A stranger's text, in which Markdown finds no marks of its own."""
    return "".join(f"\\{sign}" if sign in "\\`*_{}[]<>()#+!|" else sign for sign in visible(text))
