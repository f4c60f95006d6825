"""A Content-Usage line that cannot be read, or a value that says nothing."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from acap.publish.lint.finding import Finding
from acap.publish.lint.regex import late
from acap.publish.lint.rule import Example, Rule
from acap.publish.lint.signals import PREFERENCES, divided, is_dictionary

if TYPE_CHECKING:
    from collections.abc import Iterator

    from acap.publish.lint.document import Document

_MEMBER = late(r"(?:^|,)\s*([a-z*][a-z0-9_.*-]*)(?:=([^,;\s]*))?")


def check(document: Document) -> Iterator[Finding]:
    """A finding for each line that is no dictionary, and for each known name with another value than `y` or `n`."""
    if not document.kinds["Content-Usage"]:
        return
    for extension in document.extensions:
        if extension.field != "Content-Usage":
            continue
        rest = divided(extension.value)[1]
        if not is_dictionary(rest) and not re.search(r"[(:]", rest):
            yield RULE.at_line(
                document,
                extension.line,
                f"`{rest}` cannot be read, so nothing of it counts",
                help="write names in lower case, `=y` or `=n`, commas between them and no blank around `=`",
            )
            continue
        for found in _MEMBER.finditer(rest):
            if found[1] in PREFERENCES and found[2] not in ("y", "n"):
                yield RULE.at_line(
                    document,
                    extension.line,
                    f"`{found[1]}` says nothing: its value is `{found[2] or ''}`, and only `y` and `n` count",
                    help=f"write `{found[1]}=y` or `{found[1]}=n`",
                )


RULE = Rule(
    code="bad-content-usage",
    summary="a Content-Usage line says nothing",
    severity="error",
    why=(
        "The value of Content-Usage is a dictionary of RFC 9651, whose syntax forgives nothing: after a slip the "
        "whole line counts as not there. Its values are `y` and `n`; `yes`, `no` or `false` leave the preference "
        "unstated."
    ),
    clause="draft-ietf-aipref-attach, RFC 9651 3.2",
    examples=(
        Example(
            bad="User-agent: *\nContent-Usage: train-ai=no\nAllow: /\n",
            good="User-agent: *\nContent-Usage: train-ai=n\nAllow: /\n",
        ),
        Example(
            bad="User-agent: *\nContent-Usage: Train-AI = n\nAllow: /\n",
            good="User-agent: *\nContent-Usage: train-ai=n\nAllow: /\n",
        ),
    ),
    check=check,
)
