"""What stands beside ACAP and words: Content-Signal and Content-Usage, and what reserves mining or licenses it.

Headers of Content-Signal and Content-Usage decide, each as a dialect of its own, about the content of their response.
TDMRep and RSL do not decide here yet: what they say of mining is a condition, and its line is told.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from acap import _native

if TYPE_CHECKING:
    from acap.pages.html import Document, Meta

FIELDS = {"content-signal": "Content-Signal", "content-usage": "Content-Usage"}
"""The headers that decide, by their names in lower case, which are those of their dialects."""

Doubt = tuple[str, tuple[str, ...], str]
"""A code of the catalogue, its words, and the text that has the problem."""

RESERVATION = "tdm-reservation"
"""The header, and the META element, that reserves mining (TDMRep)."""

_RSL = "application/rsl+xml"
_LINK = re.compile(r'<([^<>]*)>((?:[^<>,"]|"[^"]*")*)')
_PARAMETER = re.compile(r';\s*(rel|type)\s*=\s*(?:"([^"]*)"|([^\s;,"]*))', re.IGNORECASE)


class Said(NamedTuple):
    """One statement: its dialect, usage and outcome, and where it stands: in a header, or in a META or LINK element."""

    dialect: str
    usage: str
    outcome: str
    header: str | None
    text: str
    meta: Meta | None = None
    element: str | None = None


def in_headers(headers: Iterable[tuple[str, str]], doubts: list[Doubt]) -> Iterator[Said]:
    """What headers say; what is wrong with them is added to `doubts`, each code with its words and the text."""
    lines: dict[str, list[str]] = {}
    for name, value in headers:
        if name in FIELDS:
            lines.setdefault(name, []).append(value)
        elif name == RESERVATION and is_reserved(value):
            yield Said("tdmrep", "tdm", "conditional", RESERVATION, value)
        elif name == "link" and licences(value):
            yield Said("rsl", "tdm", "conditional", "Link", value)
    for dialect, values in lines.items():
        text = ", ".join(values)
        said, problems = _native.read_signals(dialect, [value.encode("utf-8", "replace") for value in values])
        doubts += [(code, tuple(words), text) for code, words in problems]
        for usage, permits in said:
            outcome = "permitted" if permits else "prohibited"
            yield Said(dialect, usage, outcome, FIELDS[dialect], text)


def in_page(document: Document) -> Iterator[Said]:
    """What META and LINK elements of a page reserve or license."""
    for meta in document.metas:
        if meta.name.lower() == RESERVATION and is_reserved(meta.content):
            yield Said("tdmrep", "tdm", "conditional", None, meta.content, meta)
    for target in document.licences():
        yield Said("rsl", "tdm", "conditional", None, target, element='link[rel="license"]')


def is_reserved(value: str) -> bool:
    """Whether rights are reserved: `1`, or `true`, which the letter of TDMRep has not (our choice)."""
    return value.strip().lower() in ("1", "true")


def licences(value: str) -> list[str]:
    """The targets of a Link header that are documents of RSL (RFC 8288, RSL 1.0)."""
    return [target for target, parameters in _LINK.findall(value) if _is_licence(parameters)]


def _is_licence(parameters: str) -> bool:
    found = {name.lower(): (quoted or plain).lower() for name, quoted, plain in _PARAMETER.findall(parameters)}
    return "license" in found.get("rel", "").split() and found.get("type", "").partition(";")[0].strip() == _RSL


def decides(header: tuple[str, str]) -> bool:
    """Whether a header, its name in lower case, says something here."""
    name, value = header
    return name in FIELDS or (name == RESERVATION and is_reserved(value)) or (name == "link" and bool(licences(value)))
