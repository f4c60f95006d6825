"""What a line says, to whom, and what is wrong with it, in Markdown."""

from __future__ import annotations

from acap.explain import visible
from acap.lsp.opened import OpenDocument
from acap.publish.line_words import line_sentences
from acap.publish.lint.catalogue import rule

_MOST = 12  # sentences of a line; of more the number


def hover_text(opened: OpenDocument, line: int) -> str:
    """What a line says, from 0; empty where it says nothing and nothing is wrong with it."""
    sentences = line_sentences(opened.document, line + 1) if opened.kind == "robots" else ()
    said = list(dict.fromkeys(f"**{_plain(one.who)}** {_plain(one.what)}" for one in sentences))
    more = [f"and {len(said) - _MOST} more"] if len(said) > _MOST else []
    parts = ["\n".join(f"- {one}" for one in [*said[:_MOST], *more])] if said else []
    for finding in opened.findings:
        if finding.line == line + 1:
            help_ = f"; {finding.help}" if finding.help else ""
            wrong = f"**{finding.severity}**: {_plain(finding.message + help_)} `{finding.code}`"
            parts.append(f"{wrong}\n\n{rule(finding.code).why}")
    return "\n\n---\n\n".join(parts)


def _plain(text: str) -> str:
    """A stranger's text, in which Markdown finds no marks of its own."""
    return "".join(f"\\{sign}" if sign in "\\`*_{}[]<>()#+!|" else sign for sign in visible(text))
