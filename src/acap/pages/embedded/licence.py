"""The licence facts of a file: what PLUS, IPTC, XMP Rights, Dublin Core and Creative Commons properties say.

ACAP has policies that depend on such metadata (G 1.3), so the facts are given as they stand; they decide nothing here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from acap.pages.embedded.findings import Findings
from acap.pages.embedded.limits import MAX_FACTS
from acap.pages.embedded.xmp import CC, DC, IPTC, NEARLY_TDM, PHOTOSHOP, PLUS, RIGHTS, TDM, Property, Value


@dataclass(frozen=True, slots=True)
class Localised:
    """A text, and its language as RFC 3066 has it; `x-default` for readers of other languages, none if unstated."""

    language: str | None
    text: str


@dataclass(frozen=True, slots=True)
class Party:
    """Somebody with a part in the licence; `id` is the PLUS identifier."""

    name: str | None = None
    id: str | None = None


@dataclass(frozen=True, slots=True)
class Licensor(Party):
    """Whom to ask for a licence (PLUS LDF Licensor)."""

    url: str | None = None
    email: str | None = None
    phones: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RightsExpression:
    """A rights expression in another language: itself, or the URL of it, its media type, and the language's id."""

    expression: str | None = None
    media_type: str | None = None
    language_id: str | None = None


@dataclass(frozen=True, slots=True)
class Licence:
    """What the metadata of a file says of its licence; dates and codes as written, and empty where it says nothing.

    `others` has every further value of the namespaces PLUS, XMP Rights and TDM, fields of structures among them, and
    the further values of what has one only: (namespace, name, value).
    """

    licensors: tuple[Licensor, ...] = ()
    copyright_owners: tuple[Party, ...] = ()
    creators: tuple[Party, ...] = ()
    suppliers: tuple[Party, ...] = ()
    licensees: tuple[Party, ...] = ()
    end_users: tuple[Party, ...] = ()
    rights: tuple[Localised, ...] = ()
    marked: bool | None = None
    web_statement: str | None = None
    usage_terms: tuple[Localised, ...] = ()
    owners: tuple[str, ...] = ()
    credit: str | None = None
    copyright_status: str | None = None
    credit_line_required: str | None = None
    image_alteration_constraints: tuple[str, ...] = ()
    image_duplication_constraints: str | None = None
    image_file_constraints: tuple[str, ...] = ()
    media_constraints: tuple[Localised, ...] = ()
    region_constraints: tuple[Localised, ...] = ()
    product_or_service_constraints: tuple[Localised, ...] = ()
    other_constraints: tuple[Localised, ...] = ()
    other_licence_requirements: tuple[Localised, ...] = ()
    other_licence_documents: tuple[str, ...] = ()
    other_licence_info: tuple[Localised, ...] = ()
    other_licence_conditions: tuple[Localised, ...] = ()
    reuse: str | None = None
    adult_content_warning: str | None = None
    licence_start_date: str | None = None
    licence_end_date: str | None = None
    terms_and_conditions_text: tuple[Localised, ...] = ()
    terms_and_conditions_url: str | None = None
    licence_id: str | None = None
    licensor_transaction_ids: tuple[str, ...] = ()
    media_summary_code: str | None = None
    data_mining: tuple[str, ...] = ()
    embedded_rights_expressions: tuple[RightsExpression, ...] = ()
    linked_rights_expressions: tuple[RightsExpression, ...] = ()
    licences: tuple[str, ...] = ()
    others: tuple[tuple[str, str, str], ...] = ()


Read = tuple[Any, frozenset[str]]
"""What a value is for its field, none if nothing; and the names of the value's fields that it takes up."""


def _text(value: Value) -> Read:
    return value.text or None, frozenset()


def _localised(value: Value) -> Read:
    return Localised(value.language, value.text) if value.text else None, frozenset()


def _flag(value: Value) -> Read:
    return {"true": True, "1": True, "false": False, "0": False}.get(value.text.lower()), frozenset()


def _party(prefix: str) -> Callable[[Value], Read]:
    def read(value: Value) -> Read:
        party = Party(value.field(f"{prefix}Name") or value.text or None, value.field(f"{prefix}ID"))
        return party if party != Party() else None, frozenset({f"{prefix}Name", f"{prefix}ID"})

    return read


def _licensor(value: Value) -> Read:
    phones = tuple(text for _, name, text in value.fields if name in _PHONES and text)
    licensor = Licensor(
        value.field("LicensorName") or value.text or None,
        value.field("LicensorID"),
        value.field("LicensorURL"),
        value.field("LicensorEmail"),
        phones,
    )
    taken = {"LicensorName", "LicensorID", "LicensorURL", "LicensorEmail"}
    return licensor if licensor != Licensor() else None, frozenset(taken | _PHONES)


def _expression(name: str) -> Callable[[Value], Read]:
    def read(value: Value) -> Read:
        expression = RightsExpression(
            value.field(name) or value.text or None,
            value.field("RightsExprEncType"),
            value.field("RightsExprLangId"),
        )
        return expression if expression != RightsExpression() else None, frozenset()

    return read


_PHONES = frozenset({"LicensorTelephone1", "LicensorTelephone2"})

_MANY: dict[tuple[str, str], tuple[str, Callable[[Value], Read]]] = {
    (PLUS, "Licensor"): ("licensors", _licensor),
    (PLUS, "CopyrightOwner"): ("copyright_owners", _party("CopyrightOwner")),
    (PLUS, "ImageCreator"): ("creators", _party("ImageCreator")),
    (DC, "creator"): ("creators", _party("creator")),
    (PLUS, "ImageSupplier"): ("suppliers", _party("ImageSupplier")),
    (PLUS, "Licensee"): ("licensees", _party("Licensee")),
    (PLUS, "EndUser"): ("end_users", _party("EndUser")),
    (DC, "rights"): ("rights", _localised),
    (RIGHTS, "UsageTerms"): ("usage_terms", _localised),
    (RIGHTS, "Owner"): ("owners", _text),
    (PLUS, "ImageAlterationConstraints"): ("image_alteration_constraints", _text),
    (PLUS, "ImageFileConstraints"): ("image_file_constraints", _text),
    (PLUS, "MediaConstraints"): ("media_constraints", _localised),
    (PLUS, "RegionConstraints"): ("region_constraints", _localised),
    (PLUS, "ProductOrServiceConstraints"): ("product_or_service_constraints", _localised),
    (PLUS, "OtherConstraints"): ("other_constraints", _localised),
    (PLUS, "OtherLicenseRequirements"): ("other_licence_requirements", _localised),
    (PLUS, "OtherLicenseDocuments"): ("other_licence_documents", _text),
    (PLUS, "OtherLicenseInfo"): ("other_licence_info", _localised),
    (PLUS, "OtherLicenseConditions"): ("other_licence_conditions", _localised),
    (PLUS, "TermsAndConditionsText"): ("terms_and_conditions_text", _localised),
    (PLUS, "LicensorTransactionID"): ("licensor_transaction_ids", _text),
    (PLUS, "DataMining"): ("data_mining", _text),
    (IPTC, "EmbdEncRightsExpr"): ("embedded_rights_expressions", _expression("EncRightsExpr")),
    (IPTC, "LinkedEncRightsExpr"): ("linked_rights_expressions", _expression("LinkedRightsExpr")),
    (CC, "license"): ("licences", _text),
}
"""Properties with any number of values."""

_ONE: dict[tuple[str, str], tuple[str, Callable[[Value], Read]]] = {
    (RIGHTS, "Marked"): ("marked", _flag),
    (RIGHTS, "WebStatement"): ("web_statement", _text),
    (PHOTOSHOP, "Credit"): ("credit", _text),
    (PLUS, "CopyrightStatus"): ("copyright_status", _text),
    (PLUS, "CreditLineRequired"): ("credit_line_required", _text),
    (PLUS, "ImageDuplicationConstraints"): ("image_duplication_constraints", _text),
    (PLUS, "Reuse"): ("reuse", _text),
    (PLUS, "AdultContentWarning"): ("adult_content_warning", _text),
    (PLUS, "LicenseStartDate"): ("licence_start_date", _text),
    (PLUS, "LicenseEndDate"): ("licence_end_date", _text),
    (PLUS, "TermsAndConditionsURL"): ("terms_and_conditions_url", _text),
    (PLUS, "LicenseID"): ("licence_id", _text),
    (PLUS, "MediaSummaryCode"): ("media_summary_code", _text),
}
"""Properties with one value."""

_KEPT = frozenset({PLUS, RIGHTS, TDM, NEARLY_TDM})


def licence(properties: Iterable[Property], findings: Findings) -> Licence:
    """The facts that the properties of a file give, each once."""
    single: dict[str, object] = {}
    many: dict[str, dict[object, None]] = {}
    others: dict[tuple[str, str, str], None] = {}
    facts = 0
    for field in properties:
        key = (field.namespace, field.name)
        if key not in _MANY and key not in _ONE and field.namespace not in _KEPT:
            continue
        for value in field.values:
            facts += 1 + len(value.fields)
            if facts > MAX_FACTS:
                findings.add("embedded-limit", f"there are over {MAX_FACTS} licence facts")
                return _licence(single, many, others)
            name, read = _MANY.get(key) or _ONE.get(key) or ("", _text)
            fact, taken = read(value)
            if not name or fact is None or single.get(name, fact) != fact:
                others.update({(*key, value.text): None} if value.text else {})
            elif key in _ONE:
                single[name] = fact
            else:
                many.setdefault(name, {})[fact] = None
            rest = [field for field in value.fields if field[1] not in taken and field[0] in _KEPT and field[2]]
            others.update(dict.fromkeys(rest))
    return _licence(single, many, others)


def _licence(single: dict[str, Any], many: dict[str, Any], others: dict[tuple[str, str, str], None]) -> Licence:
    fields: dict[str, Any] = single | {name: tuple(facts) for name, facts in many.items()}
    return Licence(**fields, others=tuple(others))
