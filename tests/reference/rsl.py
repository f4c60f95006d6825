"""RSL 1.0 read a second time, from the text: slow and obvious. One document, a path, a use, an asker; one word.

The tree is that of the standard library's parser; nothing is shared with the package.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from xml.etree import ElementTree

SPACE = "{https://rslstandard.org/rsl}"
WITHIN = {
    "rsl": {"content"},
    "content": {"license", "alternate", "schema", "copyright", "terms"},
    "license": {"permits", "prohibits", "payment", "reporting", "legal"},
    "payment": {"standard", "custom", "amount", "accepts"},
}
MINING = {"tdm", "ai-train", "ai-train-generative", "ai-input", "ai-index"}
FOREIGN = {"train-ai": "ai-train", "train-genai": "ai-train", "ai-use": "ai-input", "ai-summarize": "ai-input"}
EU = set("AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK".split(" "))  # noqa: SIM905  short
CLASSES = {"commercial", "non-commercial", "education", "government", "personal"}
ORDER = ("prohibited", "conditional", "permitted")


@dataclass(frozen=True)
class Asker:
    """Who asks; empty and None are unknown."""

    users: frozenset[str] = frozenset()
    country: str | None = None
    payments: frozenset[str] | None = None


def covering(usage: str, *, refusing: bool) -> set[str]:
    """The tokens that name a use."""
    if usage in ("index", "present-link", "present-snippet"):
        return {"search", "all"}
    if usage in ("ai-train", "ai-train-generative"):
        return {"ai-train", "ai-all", "all"}
    if usage in ("ai-input", "ai-index"):
        return {usage, "ai-all", "all"}
    return {"ai-all", "all"} if usage == "tdm" and refusing else {"all"}


def answer(text: str, path: str, usage: str, asker: Asker) -> str:
    """`permitted`, `conditional`, `prohibited` or `silent`, for a document that is well-formed."""
    root = ElementTree.fromstring(text)
    contents = root.findall(f"{SPACE}content")
    if not contents:
        return "prohibited"
    doubted = unknown(root)
    if doubted:
        return "prohibited"
    if any("url" not in one.attrib for one in contents):
        return "prohibited"
    matching = [one for one in contents if matches(pattern(one), path)]
    said = {}
    for written in {pattern(one) for one in matching}:
        found = of_path([one for one in matching if pattern(one) == written], usage, asker, doubted)
        if found != "silent":
            said[written] = found
    narrowest = [said[one] for one in said if not any(narrower(other, one) for other in said)]
    return next((word for word in ORDER if word in narrowest), "silent")


def unknown(element: ElementTree.Element) -> bool:
    """Whether a child is of RSL's namespace and not of RSL."""
    known = WITHIN.get(element.tag.removeprefix(SPACE), set())
    if any(astray(child) for child in element if not child.tag.startswith(SPACE)):
        return True
    return any(child.tag.startswith(SPACE) and child.tag.removeprefix(SPACE) not in known for child in element)


def astray(element: ElementTree.Element) -> bool:
    """Whether something of RSL stands in an element of others, or is without a namespace."""
    names = {name for names in WITHIN.values() for name in names}
    return any(
        one.tag.startswith(SPACE) or one.tag.split("}")[-1] == "prohibits" or one.tag in names for one in element.iter()
    )


def pattern(content: ElementTree.Element) -> str:
    """Its pattern without a fragment, and without wildcards at the end."""
    return content.get("url", "").strip().split("#")[0].rstrip("*") or "/"


def matches(written: str, path: str) -> bool:
    """RFC 9309 2.2.3."""
    body, end = (written[:-1], "$") if written.endswith("$") else (written, "")
    return re.match("".join(".*" if mark == "*" else re.escape(mark) for mark in body) + end, path) is not None


def narrower(one: str, other: str) -> bool:
    """Whether a pattern without wildcards, but perhaps an end, is strictly within another."""
    if one == other or other.endswith("$"):
        return False
    return one.rstrip("$").startswith(other)


def of_path(contents: list[ElementTree.Element], usage: str, asker: Asker, doubted: bool) -> str:
    """What the contents of one pattern come to."""
    found = set()
    for content in contents:
        unclear = doubted or unknown(content) or "#" in content.get("url", "#")
        server = "server" in content.attrib
        licences = content.findall(f"{SPACE}license")
        if not licences and unclear:
            found.add("refused")
        elif not licences and usage in MINING:
            found.add("offered" if server else "closed")
        found |= {of_licence(one, usage, asker, unclear, server) for one in licences}
    if "refused" in found:
        return "prohibited"
    if granted := found & {"permitted", "conditional"}:
        return "conditional" if "conditional" in granted else "permitted"
    if found & {"closed", "offered-in-vain"}:
        return "prohibited"
    return "conditional" if "offered" in found else "silent"


def tokens(licence: ElementTree.Element, name: str, kind: str) -> list[str] | None:
    """The tokens of a list, None where there is none."""
    lists = [one for one in licence.findall(f"{SPACE}{name}") if one.get("type") == kind]
    return [token for one in lists for token in (one.text or "").replace(",", " ").split()] if lists else None


def refused_by(token: str) -> str:
    """What a prohibited token stands for."""
    plain = token.lower().split(":")[-1]
    plain = FOREIGN.get(plain, plain)
    if plain in {"all", "ai-all", "ai-train", "ai-input", "ai-index", "search"}:
        return plain
    return "" if re.fullmatch(r"[A-Za-z_][A-Za-z0-9_.-]*:[A-Za-z_][A-Za-z0-9_.-]*", token) else "all"


def of_licence(licence: ElementTree.Element, usage: str, asker: Asker, doubted: bool, server: bool) -> str:
    """What one licence says of a use."""
    listed = tokens(licence, "permits", "usage")
    names_it = listed is None or bool(covering(usage, refusing=False) & set(listed))
    refused = {refused_by(token) for token in tokens(licence, "prohibits", "usage") or []}
    if refused & covering(usage, refusing=True):
        return "refused"
    lists = [one for name in ("permits", "prohibits") for one in licence.findall(f"{SPACE}{name}")]
    unclear = any(one.get("type") not in ("usage", "user", "geo") for one in lists)
    if doubted or unclear or any(unknown(one) for one in licence.iter() if one.tag.startswith(SPACE)):
        return "refused"
    users = [token.lower() for token in tokens(licence, "prohibits", "user") or []]
    places = [token.upper() for token in tokens(licence, "prohibits", "geo") or []]
    maybe = set(asker.users)
    if not maybe & {"commercial", "non-commercial"}:
        maybe |= {"commercial", "non-commercial"}
    if users and (not asker.users or maybe & set(users) or set(users) - CLASSES):
        return "refused" if names_it else "closed"
    if places and (asker.country is None or any(overlap(asker.country, place) for place in places)):
        return "refused" if names_it else "closed"
    users_only, places_only = tokens(licence, "permits", "user"), tokens(licence, "permits", "geo")
    needed = set(asker.users)
    if "commercial" not in needed and needed != {"non-commercial"}:
        needed.discard("non-commercial")
    if users_only is not None and not (needed and needed <= set(users_only)):
        return "closed"
    if places_only is not None and not (asker.country in places_only or ("EU" in places_only and asker.country in EU)):
        return "closed"
    if not names_it:
        return "closed"
    terms = of_terms(licence, asker, server)
    if listed is not None:
        return "refused" if terms == "prohibited" else terms
    if terms == "permitted" or usage not in MINING:
        return "silent"
    return "offered" if terms == "conditional" else "offered-in-vain"


def overlap(one: str, other: str) -> bool:
    """Whether somebody in the one place may be in the other."""
    regions = {"FR": "GF GP MF MQ RE YT", "FI": "AX", "ES": "EA IC"}
    beyond = {
        "AU": "CC CX HM NF",
        "CN": "HK MO",
        "DK": "FO GL",
        "FR": "BL NC PF PM TF WF",
        "NL": "AW BQ CW SX",
        "GB": "AI BM FK GG GI GS IM IO JE KY MS PN SH TC VG",
        "NO": "BV SJ",
        "NZ": "CK NU TK",
        "US": "AS GU MP PR UM VI",
    }
    for wide, narrow in ((one, other), (other, one)):
        within = {*regions.get(wide, "").split(" "), *beyond.get(wide, "").split(" ")}
        if wide == "EU":
            within = EU | {region for codes in regions.values() for region in codes.split(" ")}
        if narrow in within - {""} or narrow == wide:
            return True
    return False


def of_terms(licence: ElementTree.Element, asker: Asker, server: bool) -> str:
    """What has to be done for a use that is granted."""
    if licence.find(f"{SPACE}reporting") is not None:
        return "prohibited"
    found = "conditional" if server else "permitted"
    for payment in licence.findall(f"{SPACE}payment"):
        kind = payment.get("type", "")
        kind = "use" if kind == "inference" else kind
        amount = payment.findtext(f"{SPACE}amount")
        is_paid = kind in {"purchase", "subscription", "training", "crawl", "use"}
        if is_paid or (kind in {"free", "attribution", "contribution"} and amount is not None and float(amount) != 0):
            if asker.payments is not None and kind not in asker.payments:
                return "prohibited"
            found = "conditional"
        elif kind not in {"free", "attribution", "contribution"}:
            return "prohibited"
    return found
