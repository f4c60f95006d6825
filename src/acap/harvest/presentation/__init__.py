"""Presenting what was crawled, one representation after the other, as each site's policy permits now (G 2.4.4).

    presentation = Presentation(store)
    judged = presentation.judged(version)
    shown = snippet(presentation, judged, "the words of the query")
    presentation.note(shown)
    presentation.enter()

- judged: a version with the decisions of now and its copy.
- representation: the result of a usage: shown, withheld with the reason, or missing.
- included: what has to be shown with it.
- parts: links, snippets, extracts, thumbnails, the original.
- copies: preserved copies, and how each may be shown.
- presentation: one instant of presenting, and its entries in the ledger.
"""

from __future__ import annotations

from acap.harvest.presentation.copies import Copy, copy
from acap.harvest.presentation.judged import Judged
from acap.harvest.presentation.parts import extract, link, original, snippet, thumbnail
from acap.harvest.presentation.presentation import ChangedError, Presentation
from acap.harvest.presentation.representation import Included, Representation, State

__all__ = [
    "ChangedError",
    "Copy",
    "Included",
    "Judged",
    "Presentation",
    "Representation",
    "State",
    "copy",
    "extract",
    "link",
    "original",
    "snippet",
    "thumbnail",
]
