"""A Dictionary of RFC 9651, parsed as its section 4.2.2 says: keys with the token that is their value, if it is one."""

from __future__ import annotations

import re

KEY = r"[a-z*][a-z0-9_.*-]*"
BARE = "|".join(
    (
        r"-?[0-9]{1,12}\.[0-9]{1,3}",  # 4.2.4, a decimal
        r"-?[0-9]{1,15}(?![0-9.])",  # 4.2.4
        r'"(?:[ !#-\[\]-~]|\\["\\])*"',  # 4.2.5
        r"(?P<token>[A-Za-z*][A-Za-z0-9!#$%&'*+.^_`|~:/-]*)",  # 4.2.6
        r":[A-Za-z0-9+/=]*:",  # 4.2.7
        r"\?[01]",  # 4.2.8
        r"@-?[0-9]{1,15}(?![0-9.])",  # 4.2.9
        r'%"(?P<display>(?:[ !#$&-~]|%[0-9a-f]{2})*)"',  # 4.2.10
    )
)
BARE_ITEM = re.compile(BARE)
PARAMETER = re.compile(rf"; *{KEY}(?P<equals>=)?")
MEMBER_KEY = re.compile(KEY)
COMMA = re.compile(r"[ \t]*,[ \t]*")


class NoDictionaryError(ValueError):
    """The text cannot be parsed."""


def parse(text: str) -> dict[str, str | None]:
    """The keys, each with the token that is its last value, None for a value of another type."""
    text = text.strip(" ")
    found: dict[str, str | None] = {}
    at = 0
    while at < len(text):
        key = MEMBER_KEY.match(text, at)
        if key is None:
            raise NoDictionaryError(text)
        at = key.end()
        token = None
        if text[at : at + 2] == "=(":
            at = inner_list(text, at + 2)
        elif text[at : at + 1] == "=":
            token, at = bare_item(text, at + 1)
        at = parameters(text, at)
        found[key[0]] = token
        rest = text[at:].strip(" \t")
        comma = COMMA.match(text, at)
        if rest and (comma is None or comma.end() == len(text)):
            raise NoDictionaryError(text)
        at = comma.end() if comma else len(text)
    return found


def bare_item(text: str, at: int) -> tuple[str | None, int]:
    """The token at a place, or None for a value of another type, and where it ends."""
    found = BARE_ITEM.match(text, at)
    if found is None:
        raise NoDictionaryError(text)
    if found["display"] is not None:
        escaped = re.sub("%(..)", lambda escape: chr(int(escape[1], 16)), found["display"])
        try:
            escaped.encode("latin-1").decode("utf-8")
        except UnicodeError:
            raise NoDictionaryError(text) from None
    return found["token"], found.end()


def inner_list(text: str, at: int) -> int:
    """Where an inner list ends, its parenthesis included."""
    while True:
        at += len(text[at:]) - len(text[at:].lstrip(" "))
        if text[at : at + 1] == ")":
            return at + 1
        at = parameters(text, bare_item(text, at)[1])
        if text[at : at + 1] not in {" ", ")"}:
            raise NoDictionaryError(text)


def parameters(text: str, at: int) -> int:
    """Where the parameters at a place end."""
    while text[at : at + 1] == ";":
        found = PARAMETER.match(text, at)
        if found is None:
            raise NoDictionaryError(text)
        at = bare_item(text, found.end())[1] if found["equals"] else found.end()
    return at
