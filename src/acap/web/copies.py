"""Copies, thumbnails, required images and the frame of the original: what is shown that others made."""

from __future__ import annotations

import re
from urllib.parse import quote, unquote, urlsplit

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from acap.harvest.presentation import (
    Copy,
    Judged,
    Presentation,
    Representation,
    copy,
    extract,
    link,
    original,
    snippet,
    thumbnail,
)
from acap.harvest.presentation.included import IMAGES
from acap.harvest.store.database import words_of
from acap.harvest.thumbnails import UnavailableError
from acap.web.guard import copy_headers, frame_headers
from acap.web.pages import page
from acap.web.serving import not_found, serving_of

_INLINE = frozenset(
    {
        "text/html", "application/xhtml+xml", "text/plain", "image/png", "image/jpeg", "image/gif", "image/webp",
        "image/avif", "image/svg+xml",
    }
)  # fmt: skip
"""Types that a browser shows itself and that can do nothing in a sandbox; all others are to be saved."""


def framed(request: Request, presentation: Presentation) -> Response:
    """The page around a copy; or, where nothing may be around it, the copy."""
    shown = _shown(request, presentation)
    if isinstance(shown, Response):
        return shown
    judged, copy = shown
    if not copy.is_framed:
        return _content(presentation, copy, ())
    serving = serving_of(request)
    query = request.query_params.get("q", "")[:300]
    marks = copy.may_annotate and copy.of.is_html and bool(words_of(query))
    is_marked = marks and request.query_params.get("marked") == "1"
    translation = None
    heading = link(presentation, judged)
    presentation.note(heading)
    if serving.translate_url is not None and copy.may_translate and heading.is_shown:
        translation = serving.translate_url.replace("{url}", quote(judged.version.url, safe=""))
    return page(
        "copy.html", 200, frame_headers("'self'"), query=query, here="search", one=copy, heading=heading,
        judged=judged, may_mark=marks, is_marked=is_marked, translation=translation, is_inline=copy.media in _INLINE,
    )  # fmt: skip


def _shown(request: Request, presentation: Presentation) -> tuple[Judged, Copy] | Response:
    """The version that is asked for, and its copy; or the answer that it is not there, or why it is not shown."""
    judged = presentation.judged(request.path_params["version"])
    if judged is None:
        return not_found(request)
    shown = copy(presentation, judged)
    if not shown.representation.is_shown:
        return RedirectResponse(_why(judged, shown.representation), 303)
    return judged, shown


def content(request: Request, presentation: Presentation) -> Response:
    """A copy itself, for our frame; a request from outside the frame is sent there."""
    shown = _shown(request, presentation)
    if isinstance(shown, Response):
        return shown
    judged, copy = shown
    destination = request.headers.get("sec-fetch-dest", "iframe")
    if not copy.is_framed or (copy.media in _INLINE and destination not in ("iframe", "frame")):
        return RedirectResponse(f"/copies/{judged.version.id}", 303)
    marked = request.query_params.get("marked") == "1"
    return _content(presentation, copy, words_of(request.query_params.get("q", "")[:300]) if marked else [])


def small(request: Request, presentation: Presentation) -> Response:
    """A thumbnail: the publisher's own picture, or one that is rendered from the copy."""
    serving = serving_of(request)
    judged = presentation.judged(request.path_params["version"])
    miniature = None if judged is None else thumbnail(presentation, judged, serving.no_thumbnails())
    if judged is None or miniature is None or not miniature.is_shown:
        return not_found(request)
    if miniature.image is not None:
        presentation.note(miniature)
        return _image(next(use.judged for use in miniature.uses if use.judged.version.id == miniature.image))
    assert serving.thumbnails is not None
    assert judged.capture is not None
    try:
        picture = serving.thumbnails.render(*_rendered(judged, miniature.usage))
    except UnavailableError:
        return not_found(request)
    if not serving.is_entered(
        request.query_params.get("entered", ""), judged.version.id, miniature.usage, presentation.at
    ):
        presentation.note(miniature)
    return Response(picture.octets, media_type=picture.media, headers=copy_headers(framed=False))


def included_image(request: Request, presentation: Presentation) -> Response:
    """An image that must be shown with a representation."""
    number, usage = request.path_params["image"], request.path_params["usage"]
    judged = presentation.judged(request.path_params["version"])
    if judged is None:
        return not_found(request)
    makers = (link, snippet, extract, thumbnail, original)
    made = (one for make in makers if (one := make(presentation, judged)).usage == usage)
    representation = next(made, copy(presentation, judged).representation)
    uses = [use for use in representation.uses if use.judged.version.id == number]
    if representation.usage != usage or not any(one.image == number for one in representation.included) or not uses:
        return not_found(request)
    presentation.use(*uses)
    return _image(uses[0].judged)


def live(request: Request, presentation: Presentation) -> Response:
    """The original, live, in a frame of ours, where it may be shown so."""
    judged = presentation.judged(request.path_params["version"])
    if judged is None:
        return not_found(request)
    representation = original(presentation, judged)
    if not representation.is_shown:
        return RedirectResponse(_why(judged, representation), 303)
    heading = link(presentation, judged)
    presentation.note(representation, heading)
    headers = frame_headers("http: https:")
    return page(
        "original.html", 200, headers, query="", here="search", one=representation, judged=judged, heading=heading
    )


def _why(judged: Judged, representation: Representation) -> str:
    return f"/why/{judged.version.id}/{representation.usage}"


def _content(presentation: Presentation, copy: Copy, words: list[str] | tuple[str, ...]) -> Response:
    presentation.note(copy.representation)
    headers = copy_headers(framed=copy.is_framed)
    media = copy.media if re.fullmatch(r"[\w.+-]+/[\w.+-]+", copy.media) else "application/octet-stream"
    octets = copy.octets(words)
    charset = copy.charset if octets is copy.of.capture.body else "utf-8"  # type: ignore[union-attr]  # a body is of a capture
    if charset is not None:
        media += f"; charset={charset}"
    if copy.media not in _INLINE:
        headers["content-disposition"] = f"attachment; filename*=UTF-8''{_file_name(copy.of.version.url)}"
    if copy.language is not None and copy.language.isascii() and copy.language.isprintable():
        headers["content-language"] = copy.language
    return Response(octets, headers={"content-type": media, **headers})


def _image(judged: Judged) -> Response:
    """The octets of an image of which a copy is kept."""
    assert judged.capture is not None
    assert judged.version.media.startswith(IMAGES)
    media = judged.version.media if judged.version.media in _INLINE else "application/octet-stream"
    return Response(judged.capture.body, headers={"content-type": media, **copy_headers(framed=False)})


def _rendered(judged: Judged, usage: str) -> tuple[bytes, str]:
    """What a thumbnail is made of: the octets, or where parts may not be shown the others."""
    assert judged.capture is not None
    if judged.page is None:
        return judged.capture.body, judged.version.media
    if judged.is_whole and not judged.judgement.parts(usage):
        charset = (judged.page.encoding or "utf-8").lower()
        return judged.capture.body, f"{judged.version.media or 'text/html'}; charset={charset}"
    return judged.content(usage).html.encode("utf-8-sig"), "text/html; charset=utf-8"


def _file_name(url: str) -> str:
    name = unquote(urlsplit(url).path.rpartition("/")[2], errors="replace")
    return quote(re.sub(r"[^\w.-]+", "_", name)[-80:].lstrip(".") or "copy", safe="")
