"""Where a name is defined that a line of a robots.txt uses: a resource set, or a local usage (P1 4.5.3)."""

from __future__ import annotations

import re

from acap import _native
from acap.lsp.opened import OpenDocument
from acap.outline import Span
from acap.publish.compose.draft import set_name

_LOCAL = re.compile(r"\(([^()]*)\)")


def definition_of(opened: OpenDocument, octet: int) -> Span | None:
    """The definition of the name at an octet of the text; None where no name is, or none defines it."""
    if opened.kind != "robots":
        return None
    outline = opened.document.outline
    line, _ = opened.document.place(octet)
    field = outline.by_line.get(line)
    if field is None:
        return None
    names: list[str] = []
    start, end = field.name_span
    if start <= octet <= end:
        names += _LOCAL.findall(field.name)
    for word in field.words:
        if word.span.start <= octet <= word.span.end:
            if (name := set_name(word.text)) is not None:
                names.append(name)
            elif word.role == "usage":
                names.append(word.text.strip("()"))
    wanted = {_native.folded_name(name) for name in names}
    return next((one.span for one in outline.definitions if one.defines in wanted and one.line != line), None)
