"""A META element that is meant for crawlers and written so that none looks at it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from acap.dialects.spelling import one_slip
from acap.problems import Example
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Edit, Finding, Fix
from acap.publish.lint.rule import Rule

if TYPE_CHECKING:
    from acap.publish.lint.markup import Attribute  # of pages alone, as `document` says

_MISNAMED = ("property", "http-equiv", "itemprop")
_HEADERS = ("robots", "x-robots-tag")


def check(document: Document) -> Iterator[Finding]:
    """A finding for each META element that names `robots` nearly, or in an attribute that nobody reads for it."""
    for tag in document.tags:
        if tag.name != "meta":
            continue
        attributes = {attribute.name: attribute for attribute in tag.attributes(document.text)}
        wrong = _wrong(attributes)
        if wrong is None or not attributes.get("content", wrong).value.strip():
            continue
        written = wrong.value.strip()
        # Unsafe: what it permits counts from then on.
        edit = Edit(wrong.name_start, wrong.end, b'name="robots"')
        fix = Fix('write `name="robots"`', (edit,), safe=False)
        if wrong.name == "name":
            message = f"`{written}` is not a name that crawlers look for"
            yield RULE.finding(document, tag.start, tag.end, message, help="did you mean `robots`?", fix=fix)
        else:
            message = f'no crawler reads `{wrong.name}="{written}"`'
            yield RULE.finding(document, tag.start, tag.end, message, help='write `name="robots"`', fix=fix)


def _wrong(attributes: dict[str, Attribute]) -> Attribute | None:
    """The attribute by which nobody is addressed, in an element that was meant for crawlers."""
    if (name := attributes.get("name")) is not None:
        bare = name.value.strip().lower()
        return name if bare != "robots" and one_slip(bare, "robots") else None
    misnamed = (attributes[name] for name in _MISNAMED if name in attributes)
    return next((attribute for attribute in misnamed if _names_header(attribute.value.strip().lower())), None)


def _names_header(value: str) -> bool:
    return any(value == name or one_slip(value, name) for name in _HEADERS)


RULE = Rule(
    code="unheard-meta",
    summary="a META element for crawlers has a name that no crawler reads",
    severity="warning",
    why=(
        'Crawlers look for `<meta name="robots">`, or for their own name in its place. `robot` names no crawler; '
        "`property` is an attribute of RDFa, for sharing buttons; and an `http-equiv` of `X-Robots-Tag` is not a "
        "header, because crawlers read headers only as servers send them. The page looks protected but is not."
    ),
    clause="P2 2.2.1",
    examples=(
        Example(
            bad='<meta name="robot" content="noindex">\n',
            good='<meta name="robots" content="noindex">\n',
            fixed='<meta name="robots" content="noindex">\n',
            kind="page",
        ),
        Example(
            bad='<meta property="robots" content="noindex">\n',
            good='<meta property="og:title" content="noindex">\n',
            fixed='<meta name="robots" content="noindex">\n',
            kind="page",
        ),
        Example(
            bad='<meta http-equiv="X-Robots-Tag" content="ACAP disallow-index">\n',
            good='<!-- <meta http-equiv="X-Robots-Tag" content="ACAP disallow-index"> -->\n',
            fixed='<meta name="robots" content="ACAP disallow-index">\n',
            kind="page",
        ),
    ),
    check=check,
    kinds=("page",),
    fix="unsafe",
)
