"""A resource set or a local usage that nothing in the file refers to."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from acap.outline import Field
from acap.problems import Example
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Finding
from acap.publish.lint.rule import Rule
from acap.usages import USAGES

_LOCAL = re.compile(r"\(([^()]+)")
"""The name of a local usage, also where its parentheses are not all there."""
_PARENTHESIS = re.compile(r"[()]")


def check(document: Document) -> Iterator[Finding]:
    """A finding for each definition without use.

    Where something refers to a name that is not defined, a name next to it may be meant: then there is none.
    """
    defined = document.outline.definitions
    if not defined:
        return
    sets = set(_sets(document.acap_fields))
    usages = set(_usages(document.acap_fields))
    for field in defined:
        name = (field.defines or "").strip("()")
        is_set = field.name == "resource-set"
        if not name or ("acap-undefined-set" if is_set else "acap-undefined-usage") in document.problems:
            continue
        if is_set:
            if name not in sets:
                written = field.texts("name")[0]
                yield RULE.at_line(document, field.line, f"no field refers to the resource set `{written}`")
        elif name not in usages and not _PARENTHESIS.search(name):
            yield RULE.at_line(
                document,
                field.line,
                f"no field of this file refers to the usage `({name})`",
                help="keep it if pages of the site refer to it",
            )


def _sets(fields: Sequence[Field]) -> Iterator[str]:
    """The names of the resource sets that permissions, prohibitions and requests may refer to: what ends a resource."""
    for field in fields:
        for resource in field.names("resource") if field.name != "resource-set" else ():
            for part in resource.split(","):
                name = part.rpartition(":")[2]
                yield from (name, name.strip("-()"))


def _usages(fields: Sequence[Field]) -> Iterator[str]:
    """The names of the local usages that permissions, prohibitions and definitions refer to."""
    for field in fields:
        for name in _LOCAL.findall(field.name):
            yield from (name, name.strip("-"))
        yield from (name.strip(",()") for name in field.names("usage") if name not in USAGES)


RULE = Rule(
    code="unused-definition",
    summary="a definition is not used in the file",
    severity="info",
    why=(
        "A definition alone has no effect. One that no field refers to is left over, or its name is misspelt where it "
        "is used. Pages of the site may also use a usage that the file defines; lint cannot see that here."
    ),
    clause="P1 4.5.3",
    examples=(
        Example(
            bad=("ACAP-resource-set: images /*.gif$ /*.png$\nACAP-crawler: *\nACAP-disallow-index: /private/\n"),
            good=(
                "ACAP-resource-set: images /*.gif$ /*.png$\nACAP-crawler: *\nACAP-disallow-index: "
                "the-acap:resource-set:images\n"
            ),
        ),
    ),
    check=check,
)
