"""A resource set or a local usage that nothing in the file refers to."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from acap.publish.lint.finding import Finding
from acap.publish.lint.rule import Example, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from acap.publish.lint.document import Document


_NAMED = re.compile(r"\(([^()\s]+)\)")
_PARENTHESIS = re.compile(r"[()]")


def check(document: Document) -> Iterator[Finding]:
    """A finding for each definition without use."""
    defined = [
        field for field in document.fields if field.name in ("resource-set", "qualified-usage", "composite-usage")
    ]
    if not defined:
        return
    said = " ".join(
        f"{field.name} {field.value.partition(' ')[2] if field.name.endswith('-usage') else field.value}".lower()
        for field in document.fields
        if field.name != "resource-set"
    )
    sets = {word.rpartition("acap:resource-set:")[2] for word in said.replace(",", " ").split()}
    usages = set(_NAMED.findall(said))
    for field in defined:
        name = field.value.split(None, 1)[0] if field.value else ""
        lower = name.lower().strip("()")
        if not lower:
            continue
        if field.name == "resource-set":
            if lower not in sets:
                yield RULE.at_line(document, field.line, f"no field refers to the resource set `{name}`")
        elif lower not in usages and not _PARENTHESIS.search(lower):
            yield RULE.at_line(
                document,
                field.line,
                f"no field of this file refers to the usage `({lower})`",
                help="keep it if pages of the site refer to it",
            )


RULE = Rule(
    code="unused-definition",
    summary="something is defined and not used in the file",
    severity="info",
    why=(
        "A definition says nothing by itself. One that no field refers to is left over, or its name is misspelt "
        "where it is used. Usages that a file defines may also be named by the pages of its site, which cannot be "
        "seen from here."
    ),
    clause="P1 4.5.3",
    examples=(
        Example(
            bad=("ACAP-resource-set: images /*.gif$ /*.png$\nACAP-crawler: *\nACAP-disallow-index: /private/\n"),
            good=(
                "ACAP-resource-set: images /*.gif$ /*.png$\n"
                "ACAP-crawler: *\nACAP-disallow-index: the-acap:resource-set:images\n"
            ),
        ),
    ),
    check=check,
)
