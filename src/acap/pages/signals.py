"""What stands beside ACAP and words: Content-Signal and Content-Usage, and what reserves mining or licenses it.

Headers of Content-Signal and Content-Usage decide, each as a dialect of its own, about the content of their response.
So do reservations of TDMRep; of headers and META elements the later replace the earlier. RSL does not decide here yet:
what it says of mining is a condition, and its line is told.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from acap import _native
from acap.conditions import Condition
from acap.dialects.tdmrep import (
    RANKS,
    RESERVATION,
    Reservation,
    is_nearly_reservation,
    members,
    reservation_of,
    reserves,
)
from acap.pages.html import Meta, PageTree
from acap.remembered import remembered

FIELDS = {"content-signal": "Content-Signal", "content-usage": "Content-Usage"}
"""The headers that decide, by their names in lower case, which are those of their dialects."""

Doubt = tuple[str, tuple[str, ...], str]
"""A code of the catalogue, its words, and the text that has the problem."""

POLICY = "tdm-policy"
"""The header, and the META element, that names the terms of a reservation."""

_RSL = "application/rsl+xml"
# RFC 8288 3; in quotes anything may stand behind a backslash (RFC 9110 5.6.4).
_QUOTED = r'"(?:[^"\\]|\\.)*+"'
_LINK = re.compile(rf'<([^<>]*)>((?:[^<>,"]|{_QUOTED})*+)')
_PARAMETER = re.compile(rf';\s*([^\s=;,"]+)\s*(?:=\s*({_QUOTED}|[^\s;,"]*))?')
_PAIR = re.compile(r"\\(.)")


class PageSignal(NamedTuple):
    """One statement: its dialect, usage and outcome, and where it stands: in a header, or in a META or LINK element.

    `condition`, `rank` and `firm` are those of `acap.Statement`.
    """

    dialect: str
    usage: str
    outcome: str
    header: str | None
    text: str
    meta: Meta | None = None
    element: str | None = None
    condition: Condition | None = None
    rank: int = 0
    firm: bool = False


def in_headers(
    headers: Sequence[tuple[str, str]],
    doubts: list[Doubt],
    reserved: Reservation,
    url: str | None,
    *,
    by_letter: bool = False,
) -> Iterator[PageSignal]:
    """The statements of headers, of which `reserved` is what they say of mining; signals perhaps `by_letter`.

    Their problems are added to `doubts`, each a code with its words and the text.
    """
    lines: dict[str, list[str]] = {}
    reservations = [(name, value) for name, value in headers if is_reservation(name, value)]
    # Of several the exact name is cited.
    cited = min((name for name, _ in reservations), key=lambda name: name != RESERVATION, default=RESERVATION)
    yield from _reserved(reserved, cited, ", ".join(value for _, value in reservations), "header")
    for name, value in headers:
        doubts += odd_reservation(name, value)
        if name in FIELDS:
            lines.setdefault(name, []).append(value)
        elif name == POLICY:
            doubts += odd_policy(value, url)
        elif name == "link" and licences(value):
            yield PageSignal("rsl", "tdm", "conditional", "Link", value)
    for dialect, values in lines.items():
        signals, problems = _signals(dialect, *values, by_letter=by_letter)
        doubts += problems
        yield from signals


@remembered
def _signals(dialect: str, *values: str, by_letter: bool) -> tuple[Sequence[PageSignal], Sequence[Doubt]]:
    """What the lines of a header of a dialect say, and their problems."""
    text = ", ".join(values)
    stated, problems = _native.read_signals(dialect, [value.encode("utf-8", "replace") for value in values], by_letter)
    found = [
        PageSignal(dialect, usage, "permitted" if permits else "prohibited", FIELDS[dialect], text)
        for usage, permits in stated
    ]
    return found, [(code, tuple(words), text) for code, words in problems]


def reserved_in_headers(headers: Sequence[tuple[str, str]], url: str | None) -> Reservation:
    """What headers say of mining."""
    reservations = [value for name, value in headers if is_reservation(name, value)]
    return reservation_of(reservations, [value for name, value in headers if name == POLICY], url)


def is_reservation(name: str, value: str) -> bool:
    """Whether a header or META element, its name in lower case, says what is reserved: if only nearly, it does."""
    return name == RESERVATION or (is_nearly_reservation(name) and bool(reserves(value)))


def reserved_in_page(document: PageTree, url: str | None) -> tuple[Reservation, list[Meta]]:
    """What the META elements of a page say of mining, and those that say it.

    One that lifts nothing, or stands outside of the head, may only reserve: what is in the body may be of others.
    """
    metas = _of_mining(document)
    if not metas:
        return Reservation(), []
    stated = [meta for meta in metas if is_reservation(meta.name.lower(), meta.content) and meta.content.strip()]
    named = [meta for meta in metas if meta.name.lower() == POLICY and meta.content.strip()]

    def lifts(meta: Meta) -> bool:
        return meta.lifts and document.lifts and document.is_in_head(meta)

    reservations = [meta for meta in stated if reserves(meta.content) or lifts(meta)]
    policies = list(filter(lifts, named))
    own = reservation_of([meta.content for meta in reservations], [meta.content for meta in policies], url)
    return own, sorted(reservations, key=lambda meta: not reserves(meta.content)) + policies


def _of_mining(document: PageTree) -> list[Meta]:
    """The META elements whose names are of mining, or nearly."""
    return [meta for meta in document.metas if is_nearly_reservation(meta.name) or meta.name.lower() == POLICY]


def in_page(
    document: PageTree,
    doubts: list[Doubt],
    reserved: tuple[Reservation, list[Meta]],
    before: Reservation,
    url: str | None,
) -> Iterator[PageSignal]:
    """The reservations and licences in META, LINK and SCRIPT elements of a page; `doubts` as of `in_headers`.

    `reserved` is what META elements say of mining (`reserved_in_page`), and `before` what the headers do: META elements
    replace it, property by property (TDMRep 6.7).
    """
    for meta in _of_mining(document):
        doubts += odd_reservation(meta.name, meta.content)
        if meta.name.lower() == POLICY:
            doubts += odd_policy(meta.content, url)
    own, saying = reserved
    if own.reserved is not None or (before.reserved and (own.policies or own.unread)):
        yield from _reserved(own.over(before), None, saying[0].content, "meta", saying[0])
    for target in document.licences():
        yield PageSignal("rsl", "tdm", "conditional", None, target, element='link[rel="license"]')


def _reserved(
    reservation: Reservation, header: str | None, text: str, rank: str, meta: Meta | None = None
) -> Iterator[PageSignal]:
    for outcome, condition in reservation.verdicts:
        terms = "" if condition is None else f"; {POLICY}: {condition.policy}"
        firm = reservation.unread and outcome == "prohibited"
        yield PageSignal(
            "tdmrep", "tdm", outcome, header, text + terms, meta, condition=condition, rank=RANKS[rank], firm=firm
        )


def odd_reservation(name: str, value: str) -> Iterator[Doubt]:
    """The problems of a header or META element: a name that is almost that of a reservation, a value not 0 or 1."""
    is_exact = name.lower() == RESERVATION
    if not is_exact and not is_nearly_reservation(name):
        return
    if not is_exact:
        yield "page-tdm-name", (name,), name
    odd = [member for member in members(value) if member not in ("0", "1")]
    if odd:
        yield "page-tdm-value", (odd[0],), value


def odd_policy(value: str, url: str | None) -> list[Doubt]:
    """The problem of a policy that is no URL."""
    return [("page-tdm-policy", (value.strip(),), value)] if reservation_of((), [value], url).unread else []


def licences(value: str) -> list[str]:
    """The targets of a Link header that are documents of RSL (RFC 8288, RSL 1.0)."""
    return [target for target, _ in anchored_licences(value)]


@remembered
def anchored_licences(value: str) -> Sequence[tuple[str, str | None]]:
    """The same, each with its anchor, empty where it has none; None: it has several."""
    found = [
        (target, anchors[0] if len(anchors) == 1 else None)
        for target, parameters in _LINK.findall(value)
        if _is_licence(read := _parameters(parameters))
        for anchors in [read.get("anchor", [""])]
    ]
    lowered = value.lower()
    if _RSL not in lowered:
        return found
    if not found and '"' in _LINK.sub("", value) and "license" in lowered:
        # Its quotes do not end: the meaning is unknown, so it counts as one.
        return [(value, None)]
    # A slip in the relation, in a quote or a separator, must not hide a licence.
    nearly = sum(map(_is_nearly_licence, lowered.split("<")))
    return [*found, (value, None)] if nearly > len(found) else found


# A parameter that is neither relation nor type, and whose quotes end: what stands in them is no parameter.
_OTHER = re.compile(r';\s*(?!rel|type)[\w*-]+\s*=\s*"(?:[^"\\]|\\.)*"')


def _is_nearly_licence(link: str) -> bool:
    """Whether the parameters of a link have the type of RSL, and speak of a licence behind `rel`."""
    own = _OTHER.sub("", link.rpartition(">")[2])
    return _RSL in own and any("licen" in parameter.partition("rel")[2] for parameter in own.split(";"))


def _parameters(text: str) -> dict[str, list[str]]:
    parameters: dict[str, list[str]] = {}
    for name, value in _PARAMETER.findall(text):
        plain = _PAIR.sub(r"\1", value[1:-1]) if value.startswith('"') else value
        parameters.setdefault(name.lower().rstrip("*"), []).append(plain)
    return parameters


def _is_licence(parameters: dict[str, list[str]]) -> bool:
    types = (each.lower().partition(";")[0].strip() for each in parameters.get("type", ()))
    return any("license" in each.lower().split() for each in parameters.get("rel", ())) and _RSL in types


def decides(header: tuple[str, str]) -> bool:
    """Whether a header, its name in lower case, is a statement here."""
    name, value = header
    return name in FIELDS or name == POLICY or is_reservation(name, value) or (name == "link" and bool(licences(value)))
