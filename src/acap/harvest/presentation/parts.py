"""Links, snippets, extracts, thumbnails and the original: what of a version is shown beside a copy (G 4.10–4.14).

The laws of this module:

1. Texts come from preserved copies alone, or are the publisher's own in them. The index gives numbers, never text.
2. What must be used is used, or nothing is shown. Another resource is used as its own policy permits, and only if that
   does not send us further.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from acap.harvest.presentation.included import IMAGES, included, may_use, text_of
from acap.harvest.presentation.judged import Judged, WithheldError
from acap.harvest.presentation.presentation import Presentation
from acap.harvest.presentation.representation import (
    MissingError,
    Representation,
    Shown,
    State,
    missing,
    refusal,
    withheld,
)
from acap.harvest.store.database import words_of
from acap.pages import measure
from acap.pages.headers import PAGES
from acap.restrictions import MaxLength

Make = Callable[[Presentation, Judged, str], Representation]

SNIPPET, EXTRACT = 220, 1_200
"""Characters of a snippet and of an extract, where the permission allows as many."""

_TITLE = 150
_SEARCHED, _NEAR, _PASSAGE = 200_000, 120, 3_000  # characters
_STYLING = frozenset({"any", "annotation", "style"})
RENDERED = frozenset({*PAGES, "text/plain", "image/png", "image/jpeg", "image/gif", "image/webp", "image/avif"})
"""Types of content of which thumbnails are made."""


def link(presentation: Presentation, judged: Judged) -> Representation:
    """The link to the original: its URL, and as its words the title of the page, if there is a copy that has it."""
    return _represented(presentation, judged, "present-link", _link)


def snippet(presentation: Presentation, judged: Judged, query: str = "") -> Representation:
    """A passage with words of the query, or what the publisher wants shown (G 5.8–5.10)."""
    return _represented(presentation, judged, judged.usage("snippet"), _texts(query, SNIPPET))


def extract(presentation: Presentation, judged: Judged, query: str = "") -> Representation:
    """A longer passage."""
    return _represented(presentation, judged, judged.usage("extract"), _texts(query, EXTRACT))


def thumbnail(presentation: Presentation, judged: Judged, unable: str | None = None) -> Representation:
    """A small picture: `image` names the publisher's own; otherwise it is rendered from the copy.

    `unable` says why no picture can be rendered here.
    """

    def make(presentation: Presentation, judged: Judged, usage: str) -> Representation:
        return _thumbnail(presentation, judged, usage, unable)

    return _represented(presentation, judged, judged.usage("thumbnail"), make)


def original(presentation: Presentation, judged: Judged) -> Representation:
    """The live original, shown within our page.

    Where that must not be, it is withheld, and a link alone leads there, which is another usage.
    """
    return _represented(presentation, judged, "present-original", _original)


def _represented(presentation: Presentation, judged: Judged, usage: str, make: Make) -> Representation:
    """What `make` gives, with all that must be shown with it, or why there is nothing."""
    if not judged.permits(usage):
        return withheld(judged, usage)
    try:
        made = make(presentation, judged, usage)
        with_it, uses = included(presentation, judged, usage)
    except WithheldError as error:
        return withheld(judged, usage, str(error))
    except MissingError as error:
        return missing(judged, usage, str(error))
    own = (Shown(judged, usage), *made.uses, *uses)
    return Representation(
        usage, State.SHOWN, made.decision, text=made.text, url=made.url, image=made.image,
        is_publishers=made.is_publishers, is_cut=made.is_cut,
        may_annotate=made.may_annotate and not judged.modifications(usage) & _STYLING, included=with_it, uses=own,
    )  # fmt: skip


def _shown(judged: Judged, usage: str, text: str = "", url: str | None = None) -> Representation:
    return Representation(usage, State.SHOWN, judged.decision(usage), text=text, url=url)


def _link(presentation: Presentation, judged: Judged, usage: str) -> Representation:
    if not judged.is_current:
        # It is the resource's: its words are those of the current version, or its URL stands for them.
        current = presentation.of_url(judged.version.url)
        if current is not None:
            return _link(presentation, current, usage)
    required = judged.must_use(usage)
    if required is not None and required.uri is not None:
        url = judged.resolved(required.uri)
        if url is None:
            raise WithheldError(f"the link that must be used leads nowhere ({required})")
        if not presentation.may_lead(url, usage, (judged, usage)):
            raise WithheldError("the link that must be used leads to a resource that may not be linked")
        return _shown(judged, usage, "", url)
    if required is not None:
        text = judged.content(usage).text if judged.page is not None and judged.is_current else ""
        if not text.strip():
            raise WithheldError(f"the words that must be used for the link are missing ({required})")
        return _shown(judged, usage, _short(text), judged.version.url)
    return _shown(judged, usage, _title(judged, usage), judged.version.url)


def _title(judged: Judged, usage: str) -> str:
    """The title of the page, if it is at hand and may be used.

    It is content, not a part of the link: some text of the page may be shown too, and the title in that.
    """
    if judged.page is None or not judged.is_html or not judged.is_current:
        return ""
    texts = [text for one in ("snippet", "extract", "copy") if judged.permits(text := judged.usage(one))]
    asking = judged.page.asking(**judged.judgement.question)
    document = asking.carried.document
    node = None if document is None else document.parser.css_first("head > title")
    if node is None or not may_use(asking, node, usage) or not any(may_use(asking, node, text) for text in texts):
        return ""
    return _short(text_of(asking, node, usage))


def _short(text: str) -> str:
    flat = " ".join(text.split())
    cut = measure.cut_chars(flat, _TITLE)
    return cut if cut == flat else f"{cut}…"


def _texts(query: str, length: int) -> Make:
    def make(presentation: Presentation, judged: Judged, usage: str) -> Representation:
        return _text(presentation, judged, usage, query, length)

    return make


def _text(presentation: Presentation, judged: Judged, usage: str, query: str, length: int) -> Representation:
    if judged.page is None:
        raise _no_text(judged)
    asked = judged.judgement.question
    limits = [restriction for restriction in judged.restrictions(usage) if isinstance(restriction, MaxLength)]
    # Asked for as many characters as are permitted, so that the text ends with a word.
    length = min([length, *(limit.amount for limit in limits if limit.unit == "chars")])
    snippet = judged.page.snippet(query, usage=usage, length=length, **asked)
    if snippet.text is not None and snippet.origin == "page" and (body := _body(judged, usage, snippet.text, query)):
        snippet = judged.page.snippet(body, usage=usage, length=length, **asked)
    if snippet.uri is not None:
        return _text_of_other(presentation, judged, usage, snippet.uri, length)
    if snippet.text is None:
        if snippet.origin == "publisher":
            raise WithheldError(f"the text that must be used is missing ({judged.must_use(usage)})")
        if any(restriction.name == "excluded-element" for restriction in judged.decision(usage).restrictions):
            raise WithheldError("the parts of it that have text may not be used")
        raise MissingError("it has no text")
    # The page itself keeps its own limits; the resource's latest response may have others.
    text = cut(snippet.text, limits)
    if not text:
        raise WithheldError("no text is short enough")
    return Representation(
        usage, State.SHOWN, judged.decision(usage), text=text, is_publishers=snippet.origin == "publisher",
        # Three dots are a character more.
        is_cut=not snippet.complete and not limits,
    )  # fmt: skip


def _body(judged: Judged, usage: str, text: str, query: str) -> str:
    """A passage behind the title where a text begins with that, for the title is the words of the link."""
    title = _title(judged, "present-link").rstrip("…")
    if not title or not text.startswith(title):
        return ""
    flat = " ".join(judged.content(usage).text.split())
    while flat.startswith(title):  # a heading often repeats it
        flat = flat.removeprefix(title).strip()
    words = "|".join(re.escape(word) for word in words_of(query))
    hit = re.search(rf"(?<![^\W_])(?:{words})(?![^\W_])", flat[:_SEARCHED], re.IGNORECASE) if words else None
    at = 0 if hit is None else hit.start()
    near = max(0, at - _NEAR)
    begins = [match.end() for match in re.finditer(r"[.!?…]\s+", flat[near:at])]
    return flat[near + begins[-1] if begins else at if near else 0 :][:_PASSAGE]


def _text_of_other(presentation: Presentation, judged: Judged, usage: str, uri: str, length: int) -> Representation:
    other, url = _required(presentation, judged, usage, uri)
    own = other.usage("snippet" if "snippet" in usage else "extract")
    if other.page is None or not other.permits(own) or other.must_include(own):
        raise WithheldError(f"the text that must be used is in {url}, which may not be shown so")
    snippet = other.page.snippet("", usage=own, length=length, **other.judgement.question)
    text = snippet.text or ""
    text = cut(text, [restriction for restriction in judged.restrictions(usage) if isinstance(restriction, MaxLength)])
    if not text:
        raise WithheldError(f"the text that must be used is in {url}, and nothing of it may be shown")
    return Representation(
        usage, State.SHOWN, judged.decision(usage), text=text, is_publishers=True,
        may_annotate=not other.modifications(own) & _STYLING, uses=(Shown(other, own, judged.version.url),),
    )  # fmt: skip


def cut(text: str, limits: Iterable[MaxLength]) -> str:
    """A text that keeps every limit."""
    for limit in limits:
        text = measure.cut_words(text, limit.amount) if limit.unit == "words" else measure.cut_chars(text, limit.amount)
    return text


def _required(presentation: Presentation, judged: Judged, usage: str, uri: str) -> tuple[Judged, str]:
    """Another resource that must be used, of which a copy is kept."""
    url = judged.resolved(uri)
    other = None if url is None else presentation.of_url(url, (judged, usage))
    if url is None or other is None:
        raise WithheldError(f"another resource must be used, and the store has no copy of it ({uri})")
    return other, url


def _thumbnail(presentation: Presentation, judged: Judged, usage: str, unable: str | None) -> Representation:
    required = judged.must_use(usage)
    if required is not None and required.uri is not None:
        other, url = _required(presentation, judged, usage, required.uri)
        if not other.version.media.startswith(IMAGES):
            raise WithheldError(f"the picture that must be used is not an image ({url})")
        own = other.usage("thumbnail")
        if not other.permits(own) or other.must_include(own) or other.must_use(own) is not None:
            raise WithheldError(f"the picture that must be used is {url}, which may not be shown")
        return Representation(
            usage, State.SHOWN, judged.decision(usage), image=other.version.id, is_publishers=True,
            uses=(Shown(other, own, judged.version.url),),
        )  # fmt: skip
    if judged.capture is None:
        raise _no_text(judged)
    if judged.version.media not in RENDERED:
        raise MissingError(f"no thumbnails are made of {judged.version.media or 'this type'}")
    # Only a page has parts.
    usable = required is None if judged.page is None else judged.content(usage).html.strip()
    if not usable:
        raise WithheldError("nothing of it may be shown in a thumbnail")
    if unable is not None:
        raise MissingError(unable)
    return _shown(judged, usage)


def _original(presentation: Presentation, judged: Judged, usage: str) -> Representation:
    contexts, modifications = judged.contexts(usage), judged.modifications(usage)
    if "within-user-frame" in contexts:
        raise WithheldError("it must not be shown in another site's frame (prohibited-context=within-user-frame)")
    if "within-original-frame" in contexts:
        raise WithheldError("only its publisher may show it (required-context=within-original-frame)")
    if modifications & {"any", "annotation"}:
        raise WithheldError("nothing may be put beside it, and a frame here would be")
    required = judged.must_use(usage)
    if required is None:
        return _shown(judged, usage, url=judged.version.url)
    url = None if required.uri is None else judged.resolved(required.uri)
    if url is None:
        raise WithheldError(f"only a part of it may be shown, and the live page cannot be reduced to that ({required})")
    if not presentation.may_lead(url, usage, (judged, usage)):
        raise WithheldError("the original that must be used is a resource that may not be shown")
    return _shown(judged, usage, url=url)


def _no_text(judged: Judged) -> WithheldError | MissingError:
    """Why there is no copy to show."""
    if judged.copy_fault is not None:
        return MissingError("the copy of it cannot be read")
    if judged.version.place is not None:
        return MissingError(f"the copy of it is not text ({judged.version.media or 'of an unknown type'})")
    if not judged.permits("preserve"):
        return WithheldError(f"no copy is kept: {refusal(judged, 'preserve')}")
    return MissingError("no copy of it is kept")
