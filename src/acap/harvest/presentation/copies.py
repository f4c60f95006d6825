"""Preserved copies, and how each may be shown: framed or not, as it was received or without parts (G 5.11–5.15).

The laws of this module:

1. Where any change is prohibited, or a change of format or style, a copy is shown octet for octet or not at all.
2. Where nothing may be put beside it, or it may not be in a frame of ours, it is shown alone. What must be shown with
   it is then in it, or it is not shown.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from acap.harvest.presentation.included import included
from acap.harvest.presentation.judged import Judged, WithheldError
from acap.harvest.presentation.presentation import Presentation
from acap.harvest.presentation.representation import (
    MissingError,
    Representation,
    Shown,
    State,
    missing,
    withheld,
)
from acap.pages.headers import PAGES

_EXACT = frozenset({"any", "format", "style"})
_NOTHING_BESIDE = frozenset({"any", "annotation"})


@dataclass(frozen=True, slots=True)
class Copy:
    """A copy, as far as it may be shown.

    `is_framed`: with our own words around it. `is_exact`: as it was received. `may_annotate` and `may_translate`: words
    may be marked in it, a translation may be offered. `of` is the version that is shown, another one where another
    resource must be used.
    """

    representation: Representation
    of: Judged
    is_framed: bool = True
    is_exact: bool = True
    may_annotate: bool = True
    may_translate: bool = True

    @property
    def media(self) -> str:
        """The type of what is shown, without parameters."""
        return self.of.version.media or (PAGES[0] if self.of.is_html else "application/octet-stream")

    @property
    def charset(self) -> str | None:
        """The encoding of its octets, as it was read to decide about it; None if it is not text."""
        if not self.is_exact:
            return "utf-8"
        if self.of.page is None:
            return None
        if self.of.page.encoding is not None:
            return self.of.page.encoding.lower()
        declared = [value for name, value in self.of.version.headers if name.lower() == "content-type"]
        named = re.search(r"charset\s*=\s*\"?([\w-]+)", declared[-1], re.IGNORECASE) if declared else None
        return named[1] if named else "utf-8"

    @property
    def language(self) -> str | None:
        """The language that its publisher named."""
        found = [value for name, value in self.of.version.headers if name.lower() == "content-language"]
        return found[-1] if found else None

    def octets(self, words: Sequence[str] = ()) -> bytes:
        """What is shown; `words` are marked in it if they may be."""
        assert self.of.capture is not None
        wanted = words if self.may_annotate and self.of.is_html else ()
        if self.is_exact and not wanted:
            return self.of.capture.body
        html = self.of.content(self.of.usage("copy")).html
        return marked(html, wanted).encode("utf-8-sig")


def copy(presentation: Presentation, judged: Judged) -> Copy:
    """The copy of a version, and how it may be shown."""
    usage = judged.usage("copy")
    if not judged.permits(usage):
        return Copy(withheld(judged, usage), judged)
    try:
        return _copy(presentation, judged, usage)
    except WithheldError as error:
        return Copy(withheld(judged, usage, str(error)), judged)
    except MissingError as error:
        return Copy(missing(judged, usage, str(error)), judged)


def _copy(presentation: Presentation, judged: Judged, usage: str) -> Copy:
    of = _used(presentation, judged, usage)
    own = of.usage("copy")
    modifications = judged.modifications(usage) | of.modifications(own)
    contexts = judged.contexts(usage) | of.contexts(own)
    if "within-original-frame" in contexts:
        raise WithheldError("it may only be shown in its original frame, not as a copy")
    is_exact = of.is_whole and not of.judgement.parts(own)
    if not is_exact and modifications & _EXACT:
        raise WithheldError("parts of it are left out, and it may not be changed")
    if not is_exact and (of.judgement.parts(own) if of.page is None else not of.content(own).text.strip()):
        raise WithheldError("nothing of it may be shown")
    is_framed = not modifications & _NOTHING_BESIDE and "within-user-frame" not in contexts
    with_it, uses = included(presentation, judged, usage)
    if of is not judged:
        more, further = included(presentation, of, own)
        with_it, uses = (*with_it, *more), (*uses, *further)
    # A part of the page is in the copy of all of the page, and perhaps in no other.
    is_inside = of is judged and judged.must_use(usage) is None and all(one.is_in_page for one in with_it)
    if not is_framed and with_it and not is_inside:
        raise WithheldError("something must be shown with it, but nothing may be put beside it")
    representation = Representation(
        usage, State.SHOWN, judged.decision(usage), included=with_it,
        uses=(Shown(judged, usage), *((Shown(of, own, judged.version.url),) if of is not judged else ()), *uses),
    )  # fmt: skip
    return Copy(
        representation, of, is_framed=is_framed, is_exact=is_exact,
        # Marks are put into a copy that is written anew, and would take its own style for ours.
        may_annotate=is_framed and not modifications & (_EXACT | _NOTHING_BESIDE),
        may_translate=is_framed and not modifications & {"any", "translation"},
    )  # fmt: skip


def _used(presentation: Presentation, judged: Judged, usage: str) -> Judged:
    """The version whose copy is shown: this one, or the current one of a resource that must be used in its place."""
    required = judged.must_use(usage)
    if required is not None and required.uri is not None:
        url = judged.resolved(required.uri)
        other = None if url is None else presentation.of_url(url, (judged, usage))
        if other is None:
            raise WithheldError(f"another resource must be used, and the store has no copy of it ({required})")
        own = other.usage("copy")
        further = other.must_use(own)
        if not other.permits(own) or (further is not None and further.uri is not None):
            raise WithheldError(f"{url} must be used in its place, and no copy of that may be shown")
        return other
    if judged.capture is None:
        raise MissingError("the copy of it cannot be read" if judged.copy_fault else "no copy of it is kept")
    return judged


# What is not text, or text in which no element may stand.
_MARKUP = re.compile(r"<(style|title|textarea)\b.*?</\1>|<[^>]*>", re.DOTALL | re.IGNORECASE)
_ENTITY = re.compile(r"(&[a-z0-9#]+;)", re.IGNORECASE)


def marked(html: str, words: Sequence[str]) -> str:
    """HTML as `Content.html` writes it, with words marked in its text."""
    wanted = [re.escape(escape(word, quote=False)) for word in words if word]
    if not wanted:
        return html
    hit = re.compile(rf"(?<![^\W_])({'|'.join(sorted(wanted, key=len, reverse=True))})(?![^\W_])", re.IGNORECASE)
    out: list[str] = []
    at = 0
    for markup in _MARKUP.finditer(html):
        out += (_marked(html[at : markup.start()], hit), markup[0])
        at = markup.end()
    out.append(_marked(html[at:], hit))
    return "".join(out)


def _marked(text: str, hit: re.Pattern[str]) -> str:
    pieces = enumerate(_ENTITY.split(text))
    return "".join(one if place % 2 else hit.sub(r"<mark>\1</mark>", one) for place, one in pieces)
