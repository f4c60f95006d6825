"""A resource set or a local usage that nothing in the file refers to."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from acap.outline import Field
from acap.problems import Example
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Finding
from acap.publish.lint.rule import Rule
from acap.usages import USAGES

_RUN = re.compile(r"[^\W_]+")
_RUNS = 4  # of letters and digits, by which a name is known


def check(document: Document) -> Iterator[Finding]:
    """A finding for each definition that no other field mentions, in whatever place and with whatever typo.

    Where something refers to a name that is not defined, a name next to it may be meant: then there is none.
    """
    defined = document.outline.definitions
    if not defined:
        return
    others = [field for field in document.acap_fields if field.name != "resource-set"]
    # The name of a usage of ACAP is that usage, unless it stands in parentheses.
    with_parentheses = [field for field in others if b"(" in _written(document, field)]
    anywhere, in_parentheses = _mentions(document, others), _mentions(document, with_parentheses)
    for field in defined:
        name = field.defines or ""
        is_set = field.name == "resource-set"
        if ("acap-undefined-set" if is_set else "acap-undefined-usage") in document.problems:
            continue
        key = "".join(_RUN.findall(name.casefold())[:_RUNS])
        mentioned, fields = (in_parentheses, with_parentheses) if name in USAGES and not is_set else (anywhere, others)
        if not key or mentioned[key] > (_mentions(document, [field])[key] if field in fields else 0):
            continue
        if is_set:
            written = field.texts("name")[0]
            yield RULE.at_line(document, field.line, f"no field refers to the resource set `{written}`")
        else:
            yield RULE.at_line(
                document,
                field.line,
                f"no field of this file refers to the usage `({name.strip('()')})`",
                help="keep it if pages of the site refer to it",
            )


def _mentions(document: Document, fields: Iterable[Field]) -> Counter[str]:
    """How often fields have so many runs of letters and digits beside each other, whatever stands between them."""
    mentions: Counter[str] = Counter()
    for field in fields:
        runs = _RUN.findall(_written(document, field).decode("utf-8", "replace").casefold())
        for at in range(len(runs)):
            mentions.update("".join(runs[at : at + count]) for count in range(1, min(_RUNS, len(runs) - at) + 1))
    return mentions


def _written(document: Document, field: Field) -> bytes:
    return document.text[field.span.start : field.span.end]


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
