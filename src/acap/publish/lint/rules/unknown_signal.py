"""A content signal or value that is not one of those defined."""

from __future__ import annotations

from typing import TYPE_CHECKING

from acap.publish.lint.finding import Finding
from acap.publish.lint.rule import Example, Rule
from acap.publish.lint.signals import SIGNALS, divided, signals

if TYPE_CHECKING:
    from collections.abc import Iterator

    from acap.publish.lint.document import Document


def check(document: Document) -> Iterator[Finding]:
    """A finding for each such word of a Content-Signal line."""
    if not document.kinds["Content-Signal"]:
        return
    for extension in document.extensions:
        if extension.field != "Content-Signal":
            continue
        for name, value in signals(divided(extension.value)[1]):
            known = SIGNALS.get(name.lower())
            if not name and value is None:
                if extension.value.strip():
                    yield RULE.at_line(document, extension.line, "a comma too many", help="remove it")
                else:
                    yield RULE.at_line(document, extension.line, "the line states nothing", help="state a signal")
            elif known is None:
                yield RULE.at_line(
                    document, extension.line, f"`{name}` is no content signal",
                    help=f"known are {', '.join(f'`{one}`' for one in SIGNALS)}",
                )  # fmt: skip
            elif value is None or value.lower() not in known:
                yield RULE.at_line(
                    document, extension.line, f"`{value or ''}` is no value of `{name}`, which so says nothing",
                    help=f"write one of {', '.join(f'`{name}={one}`' for one in known)}",
                )  # fmt: skip


RULE = Rule(
    code="unknown-signal",
    summary="a content signal or its value is unknown",
    severity="warning",
    why=(
        "A Content-Signal line is a list of `search`, `ai-input` and `ai-train`, each `yes` or `no`, and lately "
        "`use`. A signal of another name, or with another value, neither grants nor reserves anything: what was to "
        "be refused is left open."
    ),
    clause="contentsignals.org",
    examples=(
        Example(
            bad="User-agent: *\nContent-Signal: search=yes, ai-train=false\nAllow: /\n",
            good="User-agent: *\nContent-Signal: search=yes, ai-train=no\nAllow: /\n",
        ),
        Example(
            bad="User-agent: *\nContent-Signal: train-ai=no\nAllow: /\n",
            good="User-agent: *\nContent-Signal: ai-train=no\nAllow: /\n",
        ),
    ),
    check=check,
)
