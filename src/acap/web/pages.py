"""Templates, and what they write dates, words and numbers with. What they get is text, and they escape all of it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import cache
from typing import Any
from urllib.parse import unquote, urlsplit

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape
from starlette.responses import HTMLResponse

from acap.explain import visible


@cache
def environment() -> Environment:
    """The templates of this package."""
    made = Environment(
        loader=PackageLoader("acap.web"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters.update(
        day=day,
        minute=minute,
        http=http,
        crumbs=crumbs,
        host=host,
        number=number,
        visible=visible,
        iso=iso,
        ticked=ticked,
    )
    return made


def page(template: str, status: int = 200, headers: Mapping[str, str] | None = None, **values: Any) -> HTMLResponse:
    """A page of ours."""
    text = environment().get_template(template).render(**values)
    return HTMLResponse(text, status_code=status, headers=headers)


def day(at: datetime) -> str:
    """12 November 2026."""
    return f"{at.day} {at:%B %Y}"


def minute(at: datetime) -> str:
    """12 November 2026, 14:03 UTC."""
    return f"{day(at)}, {at:%H:%M} UTC"


def ticked(text: str) -> Markup:
    """A message, with what it has in backticks as code."""
    pieces = visible(text).split("`")
    if len(pieces) % 2 == 0:
        return escape("`".join(pieces))
    return Markup("").join(
        Markup("<code>{}</code>").format(piece) if place % 2 else escape(piece) for place, piece in enumerate(pieces)
    )


def iso(at: datetime) -> str:
    """What the `datetime` of a `time` element has."""
    return at.isoformat(timespec="seconds")


def number(value: int) -> str:
    """12 345, with thin blanks."""
    return f"{value:,}".replace(",", "\N{NARROW NO-BREAK SPACE}")


def http(url: str) -> str:
    """The URL if it is one of http or https, otherwise nothing that leads anywhere."""
    return url if re.match(r"https?://", url, re.IGNORECASE) else "about:invalid"


def host(url: str) -> str:
    """The site of a URL, as people name it."""
    return visible(urlsplit(url).netloc.rpartition("@")[2] or url)


def crumbs(url: str) -> list[str]:
    """The site and path of a URL, a step each."""
    parts = urlsplit(url)
    steps = [visible(unquote(step, errors="replace")) for step in parts.path.split("/") if step]
    return [host(url), *(step if len(step) <= _STEP else f"{step[:_STEP]}…" for step in steps[:_STEPS])]


_STEP, _STEPS = 40, 6


def segments(text: str, words: Sequence[str]) -> list[tuple[str, bool]]:
    """The text in pieces, each with whether it is one of the words."""
    if not words:
        return [(text, False)]
    wanted = "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))
    pieces = re.split(rf"(?<![^\W_])({wanted})(?![^\W_])", text, flags=re.IGNORECASE)
    return [(piece, place % 2 == 1) for place, piece in enumerate(pieces) if piece]
