"""What licences come to for a resource, a use and an asker (RSL 1.0 3; our choices are in docs/dialects/rsl.md).

Among the `content` elements of a document whose patterns match, the narrowest that says something on a use decides.
Within it every licence that names the use must permit it, and a use that its closed lists leave out is prohibited. The
steps of one answer are one module.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from acap import _native
from acap._native import Statement
from acap.conditions import Condition
from acap.dialects.rsl.document import USAGES as TOKENS
from acap.dialects.rsl.document import RslContent, RslLicence, RslPayment
from acap.dialects.well_known import site
from acap.licensee import USERS, Licensee
from acap.problems import legible
from acap.usages import COMPOSITES, PARENTS, below

# Which tokens name a use. RSL speaks of content, never of crawl and follow. It has no other name for uses by AI beside
# the three than `ai-all`, and we none but `tdm`: what prohibits all of them prohibits `tdm` (our choice).
_AI = ("ai-train", "ai-input", "ai-index")
_CLASSES: dict[str, tuple[tuple[str, ...], frozenset[str], frozenset[str]]] = {
    "search": (COMPOSITES["search"], frozenset({"search", "all"}), frozenset({"search", "all"})),
    **{
        name: ((name, *below(name)), frozenset({name, "ai-all", "all"}), frozenset({name, "ai-all", "all"}))
        for name in _AI
    },
    "tdm": (("tdm",), frozenset({"all"}), frozenset({"ai-all", "all"})),
}
_NAMED = {usage for usages, _, _ in _CLASSES.values() for usage in usages}
_CLASSES["all"] = (
    tuple(usage for usage in PARENTS if usage not in _NAMED and usage not in ("crawl", "follow")),
    frozenset({"all"}),
    frozenset({"all"}),
)
MINING = ("tdm", *_AI)
"""The classes of uses that terms are for where they name none."""

# Names of other vocabularies, read where they restrict; where they would permit, they do not.
ALIASES = {
    "train-ai": "ai-train",
    "train-genai": "ai-train",
    "ai-use": "ai-input",
    "ai-summarize": "ai-input",
}

EXTENSION = re.compile(r"[^\W\d][\w.-]*:[^\W\d][\w.-]*")
"""A token of somebody's own: a name with a prefix (Namespaces in XML 4)."""

PAID = frozenset({"purchase", "subscription", "training", "crawl", "use"})
"""Payments that are made before the use."""

_RESTRICTIONS = {"attribution": ("attribution", "credit-and-link"), "contribution": ("contribution", "in-good-faith")}
_EU = frozenset(
    "AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK".split()  # noqa: SIM905  short
)
# Places of a state with codes of their own (ISO reserves those of Spain's): in the Union (TFEU 355), and beyond.
_REGIONS = {
    **dict.fromkeys(("GF", "GP", "MF", "MQ", "RE", "YT"), "FR"),
    "AX": "FI",
    **dict.fromkeys(("EA", "IC"), "ES"),
}
_TERRITORIES = {
    place: state
    for state, places in {
        "AU": ("CC", "CX", "HM", "NF"),
        "CN": ("HK", "MO"),
        "DK": ("FO", "GL"),
        "FR": ("BL", "NC", "PF", "PM", "TF", "WF"),
        "GB": ("AI", "BM", "FK", "GG", "GI", "GS", "IM", "IO", "JE", "KY", "MS", "PN", "SH", "TC", "VG"),
        "NL": ("AW", "BQ", "CW", "SX"),
        "NO": ("BV", "SJ"),
        "NZ": ("CK", "NU", "TK"),
        "US": ("AS", "GU", "MP", "PR", "UM", "VI"),
    }.items()
    for place in places
}
# Everybody is the one or the other, whatever else.
_COMMERCE = frozenset({"commercial", "non-commercial"})
# Whoever writes so many patterns for one path must not make us compare each with each; all of them count then.
_MOST_PATTERNS = 64
# Nobody can agree to more terms for one use; they prohibit.
_MOST_TERMS = 64
_MOST_PROHIBITIONS = 4


class Verdict(NamedTuple):
    """What one licence, or its absence, comes to, and where it stands."""

    outcome: str
    text: str
    line: int | None = None
    column: int | None = None
    restrictions: tuple[tuple[str, str], ...] = ()
    condition: Condition | None = None
    source: str | None = None
    header: str | None = None
    element: str | None = None
    lifts: bool = True


Verdicts = dict[str, tuple[Verdict, ...]]
"""The verdicts by class of uses; nothing is said on a class that is missing."""


def statements(verdicts: Verdicts) -> Iterator[Statement]:
    """Statements of verdicts, each exactly on its usage: a usage below it has its own."""
    for name, found in verdicts.items():
        for usage in _CLASSES[name][0]:
            for verdict in found:
                yield Statement(
                    dialect="rsl",
                    usage=usage,
                    outcome=verdict.outcome,
                    restrictions=verdict.restrictions,
                    source=verdict.source,
                    line=verdict.line,
                    column=verdict.column,
                    header=verdict.header,
                    element=verdict.element,
                    text=verdict.text,
                    condition=verdict.condition,
                    lifts=verdict.lifts,
                    exact=True,
                )


def on_mining(verdict: Verdict) -> Verdicts:
    """One verdict on mining and everything below it."""
    return dict.fromkeys(MINING, (verdict,))


def unknown(verdict: Verdict) -> Verdicts:
    """What may stand in a document that could not be retrieved or read: a prohibition of every use of content."""
    return dict.fromkeys(_CLASSES, (verdict._replace(outcome="prohibited"),))


def not_given(verdict: Verdict, document: str | None) -> Verdicts:
    """What holds while a document is referred to and not given: mining needs it, and it may prohibit all other uses.

    Whoever holds that licence for mining is known to it; of other uses nobody says that it permits any (our choice).
    Of a document that can license nothing there is no licence to hold: None.
    """
    return {**unknown(verdict), **on_mining(verdict._replace(condition=Condition("licence", licence=document)))}


def together(parts: Iterable[Verdicts]) -> Verdicts:
    """Verdicts of which every one must permit."""
    by_use: dict[str, list[Verdict]] = {}
    for part in parts:
        for name, verdicts in part.items():
            by_use.setdefault(name, []).extend(verdicts)
    return {name: _strictest(verdicts) for name, verdicts in by_use.items()}


def licensing_nothing(by_use: Verdicts, why: str) -> Verdicts:
    """What a document says that may restrict alone: what it would license, on whatever terms, is prohibited."""

    def restricting(verdict: Verdict) -> Verdict:
        is_one = verdict.outcome == "prohibited"
        return verdict if is_one else verdict._replace(outcome="prohibited", restrictions=(), condition=None, text=why)

    return {name: _strictest([*map(restricting, verdicts)]) for name, verdicts in by_use.items()}


def _strictest(verdicts: Sequence[Verdict]) -> tuple[Verdict, ...]:
    """The prohibitions if there are any; otherwise all, for restrictions add up and each condition must be met."""
    if prohibited := [verdict for verdict in verdicts if verdict.outcome == "prohibited"]:
        return tuple(dict.fromkeys(prohibited))[:_MOST_PROHIBITIONS]
    # One of each is enough.
    distinct = {
        (one.outcome, one.restrictions, one.condition, one.source, one.lifts): one for one in reversed(verdicts)
    }
    terms = tuple(reversed(distinct.values()))
    if len(terms) > _MOST_TERMS:
        return (terms[0]._replace(outcome="prohibited", text=f"more than {_MOST_TERMS} different terms for one use"),)
    return terms


def inner_first(inner: Verdicts, outer: Verdicts) -> Verdicts:
    """The verdicts of an inner part, and of the outer one where the inner says nothing."""
    return {**outer, **inner}


def of_contents(
    contents: Iterable[RslContent],
    url: str,
    licensee: Licensee | None,
    *,
    document: str | None,
    has_scope: bool = False,
) -> Verdicts:
    """The verdicts of a document's contents on a resource.

    Args:
        contents: all of the document.
        url: of the resource, absolute or a path.
        licensee: who asks; what is unknown of it counts against it.
        document: the document's own URL.
        has_scope: whether what refers to it says what it is about, as a page does.
    """
    path = _native.canonical_path(url.encode("utf-8", "replace"))
    by_pattern: dict[bytes, list[RslContent]] = {}
    anywhere: list[RslContent] = []
    for written in contents:
        is_elsewhere = written.item is not None and not _is_item(written.item, path, url, document)
        content = replace(written, doubted=True) if is_elsewhere else written
        if not says_where(content.url) and (content.url or not has_scope):
            anywhere.append(content)
            continue
        pattern = pattern_of(content.url, url, document)
        if pattern is not None and _native.matches(pattern, path):
            by_pattern.setdefault(pattern, []).append(content)
    asker = Licensee() if licensee is None else licensee
    by_use: Verdicts = {}
    for name in _CLASSES:
        of_pattern = {
            pattern: verdicts
            for pattern, within in by_pattern.items()
            if (verdicts := _of_path(within, name, asker, document, has_scope=has_scope))
        }
        narrowest = [verdict for pattern in _narrowest([*of_pattern]) for verdict in of_pattern[pattern]]
        # What does not say where it is may be narrower than any.
        if decisive := [*narrowest, *_of_path(anywhere, name, asker, document, has_scope=has_scope)]:
            by_use[name] = _strictest(decisive)
    return by_use


def pattern_of(written: str, url: str, document: str | None) -> bytes | None:
    """The pattern of a content for a resource; None if it is about another site (RFC 9309 2.2.3)."""
    written = without_fragment(written.strip())
    if (there := _site(written)) is not None:
        here = _site(url) or _site(document or "")
        if here not in (None, there):
            return None
        rest = written.partition("://")[2]
        places = [place for mark in "/?" if (place := rest.find(mark)) >= 0]
        written = rest[min(places) :] if places else "/"
        written = written if written.startswith("/") else f"/{written}"
    return _native.canonical_pattern(written.encode("utf-8", "replace")).rstrip(b"*") or b"/"


def _is_item(item: str, path: bytes, url: str, document: str | None) -> bool:
    """Whether a resource is what an item of a feed is about, on the site of the feed."""
    pattern = pattern_of(item, url, document) if item else None
    here, there = _site(url), _site(document or "")
    return pattern is not None and _native.matches(pattern, path) and (None in (here, there) or here == there)


def says_where(written: str) -> bool:
    """Whether the url of a content is a pattern of paths, or a URL."""
    written = written.strip()
    return is_path(written) or _site(written) is not None


def is_path(written: str) -> bool:
    """Whether the url of a content is a pattern of paths."""
    return written.startswith(("/", "*")) and not written.startswith("//")


def without_fragment(url: str) -> str:
    """What of a URL is about a resource as a whole."""
    return url.partition("#")[0]


def is_absolute(url: str) -> bool:
    """Whether a URL begins with the scheme of the web."""
    return url[:8].lower().startswith(("http://", "https://"))


def _site(url: str) -> str | None:
    """Host and port: the same site is meant with either scheme (our choice)."""
    found = site(url) if is_absolute(url) else None
    return None if found is None else found[1]


def _narrowest(patterns: list[bytes]) -> list[bytes]:
    """The patterns that contain no other one."""
    if len(patterns) > _MOST_PATTERNS:
        return patterns
    return [
        pattern
        for pattern in patterns
        if not any(_native.contains(other, pattern) and not _native.contains(pattern, other) for other in patterns)
    ]


def _of_path(
    contents: Sequence[RslContent], name: str, asker: Licensee, document: str | None, *, has_scope: bool
) -> tuple[Verdict, ...]:
    """What the licences of one path come to for a class of uses; empty: nothing."""
    verdicts: dict[str, list[Verdict]] = {}
    for content in contents:
        for kind, verdict in _of_content(content, name, asker, document, has_scope=has_scope):
            verdicts.setdefault(kind, []).append(verdict._replace(source=document))
    # A closed list leaves the use to another licence of the path; one that offers nothing in particular comes last.
    kinds = (verdicts[kind] for kind in ("refused", "granted", "closed", "offered") if kind in verdicts)
    return _strictest(next(kinds, []))


def _of_content(
    content: RslContent, name: str, asker: Licensee, document: str | None, *, has_scope: bool
) -> Iterator[tuple[str, Verdict]]:
    doubted = content.doubted or (not content.url.strip() and not has_scope)
    here = Verdict("prohibited", "content", content.line, content.column)
    if not content.licences and not doubted:
        if name in MINING:
            licensed = _needs_server(content)
            condition = Condition("licence", licence=document, server=content.server, contact=content.contacts)
            yield (
                ("offered", here._replace(outcome="conditional", condition=condition))
                if licensed
                else ("closed", here._replace(text="content without a license"))
            )
    elif not content.licences:
        yield "refused", here._replace(text="content that could not be interpreted")
    for licence in content.licences:
        yield from _of_licence(licence, content, name, asker, document, doubted=doubted or licence.doubted)


def _of_licence(
    licence: RslLicence, content: RslContent, name: str, asker: Licensee, document: str | None, *, doubted: bool
) -> Iterator[tuple[str, Verdict]]:
    """What one licence says of a class of uses: `refused`, `granted`, `closed` or `offered`; of terms, each."""
    here = Verdict("prohibited", "license", licence.line, licence.column)
    _, granting, refusing = _CLASSES[name]
    listed = licence.permits.usage
    names_it = listed is None or not granting.isdisjoint(listed)
    if token := next((token for token in licence.prohibits.usage or () if _refused(token) in refusing), None):
        yield "refused", here._replace(text=f"prohibits usage {_short(token)}")
    elif doubted:
        yield "refused", here._replace(text="a license that could not be interpreted grants nothing")
    elif why := _refuses_asker(licence, asker):
        yield ("refused" if names_it else "closed"), here._replace(text=why)
    elif why := _leaves_out(licence, asker):
        yield "closed", here._replace(text=why)
    elif not names_it:
        yield "closed", here._replace(text=f"permits usage {_short(' '.join(listed or ()))} and no other")
    elif listed is not None:
        text = f"permits usage {_short(' '.join(listed))}"
        for term in _terms(licence, content, asker, document, here):
            if term.outcome == "prohibited":
                yield "refused", term
            else:
                yield "granted", term._replace(text=text)
    elif name in MINING:
        # It names no use: its terms are for mining, as those of a document that was not read (our choice).
        for term in _terms(licence, content, asker, document, here):
            if term.outcome != "permitted":
                yield "offered", term


def _refused(token: str) -> str:
    """What a token of `prohibits` comes to: an unknown one may be anything, an extension is ignored (RSL 1.0 3.5).

    An extension with the name of a token refuses what that refuses (our choice).
    """
    plain = re.sub(r".*:", "", token.lower())
    plain = ALIASES.get(plain, plain)
    return plain if plain in TOKENS else "" if EXTENSION.fullmatch(token) else "all"


def _refuses_asker(licence: RslLicence, asker: Licensee) -> str | None:
    """Why the asker is among those whom a licence prohibits; what is unknown may be (RSL 1.0 3.5.2)."""
    users, places = licence.prohibits.user or (), licence.prohibits.geo or ()
    classes = {token.lower() for token in users}
    own = asker.users if asker.users & _COMMERCE else asker.users | _COMMERCE
    if users and (not asker.users or own & classes or classes - set(USERS)):
        return f"prohibits user {_short(' '.join(users))}"
    if places and (asker.country is None or any(_may_be_in(asker.country, token) for token in places)):
        return f"prohibits geo {_short(' '.join(places))}"
    return None


def _leaves_out(licence: RslLicence, asker: Licensee) -> str | None:
    """Why the asker is not, or not surely, among those for whom a licence is."""
    users, places = licence.permits.user, licence.permits.geo
    # Beside another class it says what the asker is not.
    own = asker.users if asker.users & _COMMERCE != {"non-commercial"} else asker.users - _COMMERCE or asker.users
    if users is not None and not (own and own <= set(users)):
        return f"permits user {_short(' '.join(users))} and no other"
    country = _country(asker.country or "")
    if places is not None and not (country in places or (country in _EU and "EU" in places)):
        return f"permits geo {_short(' '.join(places))} and no other"
    return None


def _country(code: str) -> str:
    """A code of ISO 3166-1; the European Union has its own for two countries."""
    return {"UK": "GB", "EL": "GR"}.get(code, code)


def _may_be_in(country: str, token: str) -> bool:
    place, country = _country(token.upper()), _country(country)
    if len(place) != 2 or not place.isalpha():
        return True
    return place in _around(country) or country in _around(place)


def _around(country: str) -> set[str]:
    """A country, the state that it belongs to, and the Union if it is in it."""
    state = _REGIONS.get(country, country)
    union = {"EU"} if state in _EU else set[str]()
    return {country, state, _TERRITORIES.get(country, country)} | union


def _terms(
    licence: RslLicence, content: RslContent, asker: Licensee, document: str | None, here: Verdict
) -> Sequence[Verdict]:
    """What has to be done for a use that a licence permits: reporting, every payment, a token of its server."""
    if licence.reporting:
        report = licence.reporting[0]
        text = f"reporting {_short(report.type)} by the unknown profile {_short(report.profile or 'none')}"
        return [here._replace(text=text)]
    contact = (*content.contacts, *(legal.text for legal in licence.legal if legal.type == "contact" and legal.text))
    restrictions = [_RESTRICTIONS[one.type] for one in licence.payments if one.type in _RESTRICTIONS]
    conditions: list[Condition] = []
    for payment in licence.payments:
        kind = payment.type.lower()
        if kind not in PAID and payment.type not in ("free", *_RESTRICTIONS):
            return [here._replace(text=f"unknown payment {_short(payment.type)}")]
        if kind in PAID or is_something(payment.amount):
            if not asker.pays(kind):
                return [here._replace(text=f"payment {_short(kind)}, for which the asker is not ready")]
            conditions.append(_payment(payment, kind, content, document, contact))
    # A server gives its token for the payment; a key without a server has to be had besides.
    if _needs_server(content) and (content.server is None or not conditions):
        conditions.append(Condition("licence", licence=document, server=content.server, contact=contact))
    granted = here._replace(outcome="permitted", restrictions=tuple(dict.fromkeys(restrictions)))
    return [granted._replace(outcome="conditional", condition=_legible(one)) for one in conditions] or [granted]


def _legible(condition: Condition) -> Condition:
    texts: dict[str, Any] = {
        name: legible(value) for name, value in condition._asdict().items() if isinstance(value, str)
    }
    return condition._replace(**texts, contact=tuple(map(legible, condition.contact)))


def _payment(
    payment: RslPayment, kind: str, content: RslContent, document: str | None, contact: tuple[str, ...]
) -> Condition:
    terms = (*payment.custom, *payment.standard)
    policy = next((one for one in terms if is_absolute(one)), None)
    words = (*(one for one in terms if one != policy), *(f"accepts {one}" for one in payment.accepts))
    return Condition(
        "payment",
        licence=document,
        server=content.server,
        policy=policy,
        payment=kind,
        amount=payment.amount,
        currency=payment.currency,
        contact=contact,
        text="; ".join(words),
    )


def _needs_server(content: RslContent) -> bool:
    """Whether a token or a key has to be obtained before the use, whatever it costs (RSL 1.0 3.3)."""
    return content.server is not None or content.encrypted


def is_something(amount: str | None) -> bool:
    """Whether an amount is not nothing; what is not a decimal number may be any."""
    return amount is not None and re.fullmatch(r"0+(?:\.0+)?", amount) is None


def _short(text: str) -> str:
    line = legible(text[:320])
    return line if len(line) <= 80 else f"{line[:79]}…"
