"""Content signals of one group that contradict each other."""

from __future__ import annotations

from collections.abc import Iterator

from acap.problems import Example
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Finding, Related
from acap.publish.lint.rule import Rule
from acap.publish.lint.signals import divided, signals


def check(document: Document) -> Iterator[Finding]:
    """A finding for each signal that is stated again, for the same group and path, with another value."""
    if not document.kinds["Content-Signal"]:
        return
    first_values: dict[tuple[int | None, str, str], tuple[str, int]] = {}
    for extension in document.extensions:
        if extension.field != "Content-Signal":
            continue
        path, rest = divided(extension.value)
        for name, value in signals(rest):
            if not name or value is None:
                continue
            first, line = first_values.setdefault(
                (extension.group, path, name.lower()), (value.lower(), extension.line)
            )
            if first != value.lower():
                yield RULE.at_line(
                    document,
                    extension.line,
                    f"`{name}={value}` contradicts `{name}={first}`"
                    + (f" of line {line}" if line != extension.line else ""),
                    help="state each signal once for a group and a path",
                    related=(Related(line, "the other value"),) if line != extension.line else (),
                )


RULE = Rule(
    code="contradicting-signals",
    summary="a content signal is stated twice with different values",
    severity="error",
    why=(
        "No standard says which of two values of one signal counts. A careful crawler takes the stricter; another may "
        "take the last, or the one it likes."
    ),
    clause="contentsignals.org",
    examples=(
        Example(
            bad="User-agent: *\nContent-Signal: ai-train=no\nContent-Signal: ai-train=yes\nAllow: /\n",
            good="User-agent: *\nContent-Signal: ai-train=no\nAllow: /\n",
        ),
    ),
    check=check,
)
