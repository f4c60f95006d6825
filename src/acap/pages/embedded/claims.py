"""What embedded metadata says of usages: PLUS Data Mining (IPTC 2023.1) and the W3C's TDM reservation (TDMRep 4).

A reservation is weighed as in every carrier of TDMRep, of which this is the last (`acap.dialects.tdmrep`). That of a
picture is read as a PDF's, but the text names no pictures: what it permits takes no reservation back (our choice).

A plus:DataMining that cannot be understood prohibits (our choice, after P2 2.2.6): seven of its nine values do, and it
was written for a reason. So does a tdm:reservation that is not 0, and one whose name is almost that (our choice). What
is not written exactly takes the place of no other carrier.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from acap.conditions import Condition
from acap.dialects.tdmrep import reservation_of, reserves
from acap.pages.embedded.findings import Findings, quoted
from acap.pages.embedded.limits import MAX_ALIKE
from acap.pages.embedded.xmp import IPTC, NEARLY_TDM, PLUS, TDM, Property

VOCABULARY = "http://ns.useplus.org/ldf/vocab/"
_UNSPECIFIED, _ALLOWED, _PROHIBITED = "DMI-UNSPECIFIED", "DMI-ALLOWED", "DMI-PROHIBITED"

_PROHIBITS: dict[str, tuple[str, ...]] = {
    "DMI-PROHIBITED-AIMLTRAINING": ("ai-train",),
    "DMI-PROHIBITED-GENAIMLTRAINING": ("ai-train-generative",),
    "DMI-PROHIBITED-EXCEPTSEARCHENGINEINDEXING": ("tdm",),
    _PROHIBITED: ("tdm", "index"),
}
SPOKEN_OF = ("tdm", "index")
"""All that the metadata of a file can prohibit, usages below them included."""

_REFERS: dict[str, tuple[str, str, str]] = {
    "DMI-PROHIBITED-SEECONSTRAINT": (PLUS, "OtherConstraints", "plus:OtherConstraints"),
    "DMI-PROHIBITED-SEEEMBEDDEDRIGHTSEXPR": (IPTC, "EmbdEncRightsExpr", "Iptc4xmpExt:EmbdEncRightsExpr"),
    "DMI-PROHIBITED-SEELINKEDRIGHTSEXPR": (IPTC, "LinkedEncRightsExpr", "Iptc4xmpExt:LinkedEncRightsExpr"),
}
_KNOWN = frozenset({_UNSPECIFIED, _ALLOWED, *_PROHIBITS, *_REFERS})
_SEPARATOR = re.compile("[/#:]")


@dataclass(frozen=True, slots=True)
class Claim:
    """One thing that the metadata says of a usage, and the property and value it says it with.

    Where there is doubt about it, `lifts` is false: it takes back nothing of another carrier.
    """

    dialect: Literal["plus", "tdmrep", "c2pa"]
    usage: str
    outcome: Literal["permitted", "conditional", "prohibited"]
    text: str
    condition: Condition | None = None
    firm: bool = False
    lifts: bool = True


def claims(packets: Iterable[Sequence[Property]], findings: Findings) -> tuple[Claim, ...]:
    """What each packet says, nothing twice. In doubt about the file its permissions are left out.

    Beside a reservation that is neither 0 nor 1, an empty one too, none is lifted.
    """
    unclear = False
    distinct: dict[Claim, None] = {}
    alike: Counter[tuple[str, str, str]] = Counter()
    for properties in packets:
        reservations = (one for name in (TDM, NEARLY_TDM) for one in _texts(properties, name, "reservation"))
        unclear |= not {"0", "1"}.issuperset(reservations)
        for claim in (*_data_mining(properties, findings), *_reservation(properties, findings)):
            kind = (claim.dialect, claim.usage, claim.outcome)
            if claim not in distinct and alike[kind] < MAX_ALIKE:
                alike[kind] += 1
                distinct[claim] = None
    doubted = ("plus", "tdmrep") if findings.doubtful else ("tdmrep",) if unclear else ()
    return tuple(claim for claim in distinct if claim.outcome != "permitted" or claim.dialect not in doubted)


def _texts(properties: Iterable[Property], namespace: str, name: str) -> list[str]:
    """The values of a property, each once."""
    named = (found for found in properties if (found.namespace, found.name) == (namespace, name))
    return list(dict.fromkeys(str(value) for found in named for value in found.values))


def _data_mining(properties: Sequence[Property], findings: Findings) -> Iterator[Claim]:
    terms: dict[str, str] = {}
    for written in _texts(properties, PLUS, "DataMining"):
        if not written:
            findings.add("embedded-empty-value")
            continue
        text = f"plus:DataMining {quoted(written)}"
        code = _code(written, findings)
        if code == _ALLOWED:
            yield Claim("plus", "tdm", "permitted", text)
        elif code in _REFERS:
            namespace, name, shown = _REFERS[code]
            if code not in terms:
                terms[code] = quoted("; ".join(filter(None, _texts(properties, namespace, name))))
            if terms[code]:
                yield Claim("plus", "tdm", "conditional", f"{text}; {shown} {terms[code]}")
            else:  # terms that cannot be met (our choice)
                findings.add("embedded-nothing-to-see", code, shown)
                yield Claim("plus", "tdm", "prohibited", text)
        elif code != _UNSPECIFIED:
            # What names a prohibition may be any, so the widest; what does not is about data mining all the same.
            usages = _PROHIBITS.get(code or "", ("tdm", "index") if "PROHIBIT" in written.upper() else ("tdm",))
            if code is None:
                findings.add("embedded-unknown-value", written, " and ".join(usages))
            for usage in usages:
                yield Claim("plus", usage, "prohibited", text)


def _code(written: str, findings: Findings) -> str | None:
    """The code that a value means; none if it is unknown."""
    code = _SEPARATOR.split(written)[-1]
    vocabulary = written[: len(written) - len(code)]
    if code.upper() not in _KNOWN:
        return None
    near = vocabulary.lower().replace("https://", "http://", 1) == VOCABULARY
    if vocabulary and not near and code.upper() in (_ALLOWED, _UNSPECIFIED):
        return None  # whatever another vocabulary allows, it isn't this
    if not vocabulary:
        findings.add("embedded-bare-code", written, VOCABULARY + code.upper())
    elif vocabulary != VOCABULARY:
        findings.add("embedded-vocabulary-uri", written, VOCABULARY + code.upper())
    if code != code.upper():
        findings.add("embedded-code-case", written, VOCABULARY + code.upper())
    return code.upper()


def _reservation(properties: Sequence[Property], findings: Findings) -> Iterator[Claim]:
    """tdm:reservation and tdm:policy of one packet (TDMRep 4; in a picture's XMP as in a PDF's, our choice)."""
    exact, nearly = (_texts(properties, name, "reservation") for name in (TDM, NEARLY_TDM))
    policies = [one for name in (TDM, NEARLY_TDM) for one in _texts(properties, name, "policy") if one]
    for value in sorted({*exact, *nearly} - {"0", "1"}):
        findings.add("embedded-tdm-value", value)
    if reserving := [value for value in (*exact, *nearly) if reserves(value)]:
        reservation = reservation_of(reserving, policies)
        if reservation.unread:
            findings.add("embedded-tdm-policy", " ".join(policies))
        value = "1" if "1" in reserving else reserving[0]
        text = f"tdm:reservation {quoted(value)}"
        text += f"; tdm:policy {quoted(' '.join(policies))}" if policies else ""
        for outcome, condition in reservation.verdicts:
            yield Claim("tdmrep", "tdm", outcome, text, condition, reservation.unread, lifts="1" in exact)
    elif policies and "0" not in exact:
        findings.add("embedded-tdm-policy-alone")
    if "0" in exact:
        yield Claim("tdmrep", "tdm", "permitted", "tdm:reservation 0")
