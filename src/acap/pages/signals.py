"""What stands beside ACAP and words: Content-Signal and Content-Usage, and what reserves mining or licenses it.

Headers of Content-Signal and Content-Usage decide, each as a dialect of its own, about the content of their response.
TDMRep and RSL do not decide here yet: what they say of mining is a condition, and its line is told.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from acap import _native
from acap.pages.html import Meta, PageTree

FIELDS = {"content-signal": "Content-Signal", "content-usage": "Content-Usage"}
"""The headers that decide, by their names in lower case, which are those of their dialects."""

Doubt = tuple[str, tuple[str, ...], str]
"""A code of the catalogue, its words, and the text that has the problem."""

RESERVATION = "tdm-reservation"
"""The header, and the META element, that reserves mining (TDMRep)."""

_RSL = "application/rsl+xml"
# RFC 8288 3; in quotes anything may stand behind a backslash (RFC 9110 5.6.4).
_QUOTED = r'"(?:[^"\\]|\\.)*+"'
_LINK = re.compile(rf'<([^<>]*)>((?:[^<>,"]|{_QUOTED})*+)')
_PARAMETER = re.compile(rf';\s*([^\s=;,"]+)\s*(?:=\s*({_QUOTED}|[^\s;,"]*))?')
_PAIR = re.compile(r"\\(.)")


class PageSignal(NamedTuple):
    """One statement: its dialect, usage and outcome, and where it stands: in a header, or in a META or LINK element."""

    dialect: str
    usage: str
    outcome: str
    header: str | None
    text: str
    meta: Meta | None = None
    element: str | None = None


def in_headers(headers: Iterable[tuple[str, str]], doubts: list[Doubt]) -> Iterator[PageSignal]:
    """The statements of headers; their problems are added to `doubts`, each a code with its words and the text."""
    lines: dict[str, list[str]] = {}
    for name, value in headers:
        if name in FIELDS:
            lines.setdefault(name, []).append(value)
        elif name == RESERVATION and is_reserved(value):
            doubts += odd_reservation(value)
            yield PageSignal("tdmrep", "tdm", "conditional", RESERVATION, value)
        elif name == "link" and licences(value):
            yield PageSignal("rsl", "tdm", "conditional", "Link", value)
    for dialect, values in lines.items():
        text = ", ".join(values)
        said, problems = _native.read_signals(dialect, [value.encode("utf-8", "replace") for value in values])
        doubts += [(code, tuple(words), text) for code, words in problems]
        for usage, permits in said:
            outcome = "permitted" if permits else "prohibited"
            yield PageSignal(dialect, usage, outcome, FIELDS[dialect], text)


def in_page(document: PageTree, doubts: list[Doubt]) -> Iterator[PageSignal]:
    """The reservations and licences in META, LINK and SCRIPT elements of a page; `doubts` as of `in_headers`."""
    for meta in document.metas:
        if meta.name.lower() == RESERVATION and is_reserved(meta.content):
            doubts += odd_reservation(meta.content)
            yield PageSignal("tdmrep", "tdm", "conditional", None, meta.content, meta)
    for target in document.licences():
        yield PageSignal("rsl", "tdm", "conditional", None, target, element='link[rel="license"]')


def is_reserved(value: str) -> bool:
    """Whether rights are reserved: by any value except `0`, however often written (our choice).

    TDMRep knows `0` and `1`. A proxy may have joined two lines by a comma, and any other value is meant to reserve.
    """
    return any(member != "0" for member in _members(value))


def odd_reservation(value: str) -> list[Doubt]:
    """The problem of a reservation that is not `1`."""
    odd = [member for member in _members(value) if member not in ("0", "1")]
    return [("page-tdm-value", (odd[0],), value)] if odd else []


def _members(value: str) -> list[str]:
    return [member.strip() for member in value.split(",") if member.strip()]


def licences(value: str) -> list[str]:
    """The targets of a Link header that are documents of RSL (RFC 8288, RSL 1.0)."""
    found = [target for target, parameters in _LINK.findall(value) if _is_licence(parameters)]
    if not found and '"' in _LINK.sub("", value) and _RSL in (lowered := value.lower()) and "license" in lowered:
        # Its quotes do not end: the meaning is unknown, so it counts as one.
        return [value]
    return found


def _is_licence(parameters: str) -> bool:
    found: dict[str, list[str]] = {"rel": [], "type": []}
    for name, value in _PARAMETER.findall(parameters):
        plain = _PAIR.sub(r"\1", value[1:-1]) if value.startswith('"') else value
        found.setdefault(name.lower().rstrip("*"), []).append(plain.lower())
    types = (each.partition(";")[0].strip() for each in found["type"])
    return any("license" in each.split() for each in found["rel"]) and _RSL in types


def decides(header: tuple[str, str]) -> bool:
    """Whether a header, its name in lower case, is a statement here."""
    name, value = header
    return name in FIELDS or (name == RESERVATION and is_reserved(value)) or (name == "link" and bool(licences(value)))
