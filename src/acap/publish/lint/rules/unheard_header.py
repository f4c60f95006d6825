"""A header whose name is nearly that of one which crawlers read."""

from __future__ import annotations

from collections.abc import Iterator

from acap.dialects.spelling import one_slip
from acap.problems import Example
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Edit, Finding, Fix
from acap.publish.lint.rule import Rule

_NAMES = ("X-Robots-Tag", "Content-Usage", "Content-Signal", "TDM-Reservation", "TDM-Policy")
_MISTAKEN = {"robots": "X-Robots-Tag", "robots-tag": "X-Robots-Tag", "x-robots": "X-Robots-Tag"}
"""Names that are more than a slip away."""


def check(document: Document) -> Iterator[Finding]:
    """A finding for each header with such a name."""
    for header in document.headers:
        name = header.name.lower()
        if any(name == known.lower() for known in _NAMES):
            continue
        bare = name.replace("_", "-")
        near = (known for known in _NAMES if bare == known.lower() or one_slip(bare, known.lower()))
        suggested = _MISTAKEN.get(bare) or next(near, None)
        if suggested is None:
            continue
        start, _ = document.bounds(header.line)
        place = document.text.find(header.name.encode("latin-1", "replace"), start, header.start)
        edits = (Edit(place, place + len(header.name), suggested.encode()),) if place >= 0 else ()
        yield RULE.at_line(
            document,
            header.line,
            f"no crawler reads a header `{header.name}`",
            help=f"did you mean `{suggested}`?",
            fix=Fix(f"write `{suggested}`", edits, safe=False) if edits else None,
        )


RULE = Rule(
    code="unheard-header",
    summary="a header's name is nearly the name of one that crawlers read",
    severity="warning",
    why=(
        "Crawlers look for the exact name of a header. A site may send `X-Robot-Tag: noindex` with every response, and "
        "it looks right in every test, but no crawler reads it: the pages are indexed. Check the name in the "
        "configuration of the server."
    ),
    clause="Google, X-Robots-Tag",
    examples=(
        Example(
            bad="X-Robot-Tag: noindex\n",
            good="X-Robots-Tag: noindex\n",
            fixed="X-Robots-Tag: noindex\n",
            kind="headers",
        ),
        Example(
            bad="Content-Type: text/html\nContent_Usage: train-ai=n\n",
            good="Content-Type: text/html\nContent-Usage: train-ai=n\n",
            fixed="Content-Type: text/html\nContent-Usage: train-ai=n\n",
            kind="headers",
        ),
    ),
    check=check,
    kinds=("headers",),
    fix="unsafe",
)
