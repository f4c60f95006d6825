"""Several paths on one Allow or Disallow line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from acap.outline import Field
from acap.problems import Example
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Edit, Finding, Fix
from acap.publish.lint.harmless import weighed
from acap.publish.lint.mending import eol
from acap.publish.lint.rule import Rule

_DIVIDED = re.compile(r"\s*[,;]\s*|\s+")
_FIELD = re.compile(r"\s*((?<![A-Za-z0-9-])(?i:(?:dis)?allow)|Disallow|Allow)\s*:\s*(?=[/*])")
"""A second field on the line, with or without a blank before it."""
_ENTITY = re.compile(r"&#?\w+;")
"""A letter as HTML writes it, whose semicolon divides nothing."""


def check(document: Document) -> Iterator[Finding]:
    """A finding for each line with several paths."""
    for rule in document.path_rules:
        pattern = rule.value
        if ":" in pattern and (finding := _several_fields(document, rule)) is not None:
            yield finding
            continue
        if " " not in pattern and "\t" not in pattern and "," not in pattern and ";" not in pattern:
            continue
        paths = [path for path in _DIVIDED.split(pattern) if path]
        if len(paths) < 2 or not all(path.startswith("/") and path.strip("/*$") for path in paths):
            continue
        if _ENTITY.search(pattern):
            continue
        head = document.outline.octets(rule.name_span)
        # A comma or a semicolon may be of a URL, a blank is of none.
        safe = rule.kind == "Disallow" and not re.search("[,;]", pattern)
        yield _divided(
            document,
            rule,
            [head + b": " + path.encode() for path in paths],
            f"`{pattern}` is read as one path, so it matches none of the {len(paths)}",
            Fix("give each path a line of its own", (), safe=safe),
        )


def _several_fields(document: Document, rule: Field) -> Finding | None:
    """A line on which another rule follows without an end of line between them; none if one of them has no path."""
    first, *rest = _FIELD.split(rule.value)
    others = zip(rest[::2], rest[1::2], strict=True)
    fields = [(rule.kind, first), *((name.capitalize(), path.strip()) for name, path in others)]
    if not rest or not all(path.startswith(("/", "*")) and " " not in path for _, path in fields):
        return None
    return _divided(
        document,
        rule,
        [f"{kind}: {path}".encode() for kind, path in fields],
        f"`{rule.value}` is read as one path; a second field stands in it",
        Fix("give each field a line of its own", (), safe=False),
        help=f"write {' and '.join(f'`{kind}: {path}`' for kind, path in fields)}, each on a line of its own",
    )


def _divided(
    document: Document, rule: Field, lines: Sequence[bytes], message: str, fix: Fix, *, help: str | None = None  # noqa: A002  as the field of a finding
) -> Finding:  # fmt: skip
    """The finding whose fix writes these lines for the one; without a fix if no one knows what stands there."""
    edits = () if "\ufffd" in rule.value else (Edit(*rule.span, eol(document).join(lines)),)
    mend = fix._replace(edits=edits) if edits else None
    return weighed(document, RULE.at_line(document, rule.line, message, help=help or fix.title, fix=mend))


RULE = Rule(
    code="several-paths-on-a-line",
    summary="a line has several paths",
    severity="error",
    why=(
        "An Allow or Disallow line has one pattern. `Disallow: /a/ /b/` disallows the one path `/a/ /b/`, which no "
        "URL has, and neither `/a/` nor `/b/`."
    ),
    clause="RFC 9309 2.2.2",
    examples=(
        Example(
            bad="User-agent: *\nDisallow: /cgi-bin/ /tmp/\n",
            good="User-agent: *\nDisallow: /cgi-bin/\nDisallow: /tmp/\n",
            fixed="User-agent: *\nDisallow: /cgi-bin/\nDisallow: /tmp/\n",
        ),
        Example(
            bad="User-agent: *\nDisallow: /cgi-bin/Disallow: /tmp/\n",
            good="User-agent: *\nDisallow: /cgi-bin/\nDisallow: /tmp/\n",
            fixed="User-agent: *\nDisallow: /cgi-bin/\nDisallow: /tmp/\n",
        ),
    ),
    check=check,
    fix="safe",
    weighs=True,
)
