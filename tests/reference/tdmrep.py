"""TDMRep's file, interpreted again from the text: slowly, and without the package.

W3C Community Group Report 2024-05-10, sections 5.1, 5.2, 6.1. A reservation is `1` (the choices: also whatever does not
resemble 0), the first rule in sequence that matches decides, and what cannot be had or read is reserved.
"""

from __future__ import annotations

import json
import re
from typing import Any
from urllib.parse import unquote_to_bytes, urlsplit

from .slips import slips

UNRESERVED = re.compile(rb"[A-Za-z0-9._~-]")

NEAR = {
    "location": "location",
    "tdm-reservation": "tdmreservation reservation tdmreserved tdmreserve reserved",
    "tdm-policy": "tdmpolicy tdmpolicies policy",
}


class Pairs(list[tuple[str, Any]]):
    """The members of an object, in order."""


class BrokenError(Exception):
    """The file is no array of JSON."""


def no_number(written: str) -> float:
    raise BrokenError(written)


def verdict(octets: bytes | None, status: int, site: str, path: str) -> tuple[str, str | None]:
    """What a file at a site says of a path of it: permitted, conditional with its policy, prohibited or silent."""
    if status in (404, 410):
        return "silent", None
    if octets is None or not 200 <= status <= 299:
        return "prohibited", None
    try:
        text = octets.decode("utf-8")
        text = text.removeprefix("\ufeff")
        if re.match(r"\s*<(!doctype\s+html|html)[\s>]", text, re.IGNORECASE):
            return "silent", None
        rules = json.loads(text, object_pairs_hook=Pairs, parse_constant=no_number)
    except (ValueError, RecursionError, BrokenError):
        return "prohibited", None
    is_array = text.strip(" \t\r\n").startswith("[")
    if not is_array or not all(is_object(rule) for rule in rules):
        return "prohibited", None
    permits = True
    for written in rules:
        where, says, policy, sure = read(written, site)
        if where == "void" or (where != "everything" and not is_match(where, path)):
            continue
        if says == 1:
            return ("prohibited", None) if policy is None else ("conditional", policy)
        if says == 0 and sure and permits:
            return "permitted", None
        permits = False
    return "silent", None


def is_object(rule: Any) -> bool:
    return isinstance(rule, Pairs)


def read(rule: list[tuple[str, Any]], site: str) -> tuple[str, int | None, str | None, bool]:
    """The pattern of a rule, what it says, its policy, and whether nothing in it is odd."""
    members: dict[str, list[Any]] = {"location": [], "tdm-reservation": [], "tdm-policy": []}
    sure = True
    for name, value in rule:
        key = name.strip().lower().replace("_", "-").replace(":", "-").replace(" ", "-")
        if key in members:
            sure = sure and key == name and not members[key]
            members[key].append(value)
        elif (meant := near(key)) is not None:
            sure = False
            if meant == "tdm-reservation":
                members[meant].append(value)
    values = members["tdm-reservation"]
    zeros = [value for value in values if type(value) is int and value == 0]
    unset = [value for value in values if value is None or is_like_zero(value)]
    says = 1 if len(unset) < len(values) else 0 if zeros and len(zeros) == len(values) else None
    where = pattern(members["location"], site, says)
    urls = {address(value, site) for value in members["tdm-policy"]}
    return where, says, urls.pop() if len(urls) == 1 else None, sure


def near(key: str) -> str | None:
    """The member whose name a key is within one slip of, or of another form of it: by its letters and digits."""
    letters = "".join(char for char in key if char.isalnum())
    for member, forms in NEAR.items():
        if len(letters) < 20 and any(slips(letters, form) <= 1 for form in forms.split()):
            return member
    return None


def is_nearly_reservation(name: str) -> bool:
    """Whether a header, META element or property is almost `tdm-reservation`; in its namespace `tdm:` is before it."""
    letters = "".join(char for char in name.lower() if char.isalnum())
    forms = [form for form in NEAR["tdm-reservation"].split() if form.startswith("tdm")]
    return len(name) <= 64 and any(slips(letters, form) <= 1 for form in forms)


def is_like_zero(value: Any) -> bool:
    return value.strip() == "0" if isinstance(value, str) else isinstance(value, (bool, int, float)) and value == 0


def address(value: Any, site: str) -> str | None:
    """The URL of a policy."""
    if not isinstance(value, str):
        return None
    value = value.strip()
    if value.startswith("/") and not value.startswith("//"):
        value = site + value
    for beginning, base in (("./", "/.well-known/"), ("../", "/"), ("?", "/.well-known/tdmrep.json?")):
        if value.startswith(beginning):
            value = site + base + value.removeprefix(beginning)
    return value if re.fullmatch(r"https?://[A-Za-z0-9.-]+(?::\d+)?(?:[/?#][!#-;=?-\[\]_a-z~]*)?", value) else None


def pattern(locations: list[Any], site: str, says: int | None) -> str:
    """The pattern of a rule; `everything` where it is not understood, `void` where the rule counts for nothing."""
    odd = "void" if says == 0 else "everything"
    if not locations or any(value != locations[0] for value in locations) or not isinstance(locations[0], str):
        return odd
    where = locations[0].strip()
    try:
        where.encode()
    except UnicodeEncodeError:
        return odd
    if re.match(r"[A-Za-z][A-Za-z0-9+.-]*:|//", where):
        found = re.fullmatch(
            r"(?:([a-z+.-]+):)?//([a-z0-9.-]+)(:[0-9]{1,5})?([/?#].*)?", where, re.IGNORECASE | re.DOTALL
        )
        if found is None:
            return odd
        scheme, host, port, rest = (part or "" for part in found.groups())
        own, there = urlsplit(site), f"{host.rstrip('.')}{'' if port in (':443', ':80') else port}".lower()
        if there != own.netloc or (says == 0 and scheme.lower() not in ("", own.scheme)):
            return "void"
        where = rest or "/"
    if says != 0:
        where = where.partition("#")[0]
    if where[:1] in ("/", "*"):
        return where
    return "void" if says == 0 else "/" + where


def octets_of(text: str) -> list[bytes]:
    """A path as characters, escapes of unreserved ones decoded, all others encoded."""
    found = []
    for part in re.findall(r"%[0-9A-Fa-f]{2}|.", text, re.DOTALL):
        if re.fullmatch(r"%[0-9A-Fa-f]{2}", part):
            plain = unquote_to_bytes(part)
            found.append(plain if UNRESERVED.fullmatch(plain) else part.upper().encode())
        elif part.isascii():
            found.append(part.encode())
        else:
            found += [f"%{octet:02X}".encode() for octet in part.encode()]
    return found


def is_match(where: str, path: str) -> bool:
    """Whether a pattern matches from the beginning of a path: `*` is anything, a last `$` the end (6.1.1)."""
    anchored = where.endswith("$")
    wanted = octets_of(where[:-1] if anchored else where)
    there = octets_of(path)
    ends = {0}
    for part in wanted:
        if part == b"*":
            ends = set(range(min(ends), len(there) + 1)) if ends else set()
        else:
            ends = {end + 1 for end in ends if end < len(there) and there[end] == part}
    return len(there) in ends if anchored else bool(ends)


__all__ = ["is_nearly_reservation", "verdict"]
