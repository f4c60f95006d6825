"""ACAP lines to fields: the name, however it is spelt, and the value.

    permission-field = "ACAP-allow-" ((ACAP-usage-name ["-" used-resource-type-name]) / local-usage-name) ":" …
    prohibition-field = "ACAP-disallow-" …                                                              P1 4.5.6

A name counts in any case, with blanks and Unicode dashes for hyphens, and without its colon.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from .acap_values import RESOURCE
from .lines import Line
from .text import BLANKS, SEPARATOR_RUN, hyphened
from .usages import PRESENTATIONS, USAGES

PLURALS = {usage + "s" for usage in PRESENTATIONS} | {
    usage.removesuffix("y") + "ies" for usage in PRESENTATIONS if usage.endswith("copy")
}
EFFECTS = ("allow", "disallow")
STANDARD_FIELDS = {f"acap-{effect}-{usage}" for effect in EFFECTS for usage in {*USAGES, *PLURALS}}
OPEN_FIELDS = {
    "acap-crawler",
    "acap-usage-purpose",
    "acap-qualified-usage",
    "acap-composite-usage",
    "acap-resource-set",
    "acap-permissions-reference",
    "acap-request-take-down",
    "acap-request-re-crawl",
    "acap-version",
}  # any value may follow their name without a colon
IGNORE_CONVENTIONAL = "acap-ignore-conventional-records"
KNOWN_FIELDS = {*STANDARD_FIELDS, *OPEN_FIELDS, IGNORE_CONVENTIONAL}
LOCAL_FIELD = re.compile(r"acap-(?:dis)?allow-\([^()]*\)")
SPELLINGS = [
    re.compile(name.replace("-", SEPARATOR_RUN.pattern), re.IGNORECASE | re.ASCII)
    for name in [*sorted(KNOWN_FIELDS, key=len, reverse=True), LOCAL_FIELD.pattern]
]  # longest first
VERSION_COMMENT = re.compile(
    r"##[ \t\v\f]*ACAP[ \t\v\f]+version[ \t\v\f]*=[ \t\v\f]*([0-9]+)\.([0-9]+)(?:\.[0-9]+)*(?![^ \t\v\f#])",
    re.IGNORECASE | re.ASCII,
)
VERSION = re.compile(r"([0-9]+)\.([0-9]+)(?:\.[0-9]+)*(?![^ \t\v\f])")


@dataclass(frozen=True)
class AcapField:
    """A line the ACAP reader knows: its normal name with `acap-`, and its value."""

    line: Line
    name: str
    value: str

    @property
    def effect(self) -> str | None:
        """`allow` or `disallow` of a permission or prohibition, else None."""
        words = self.name.split("-", 2)
        return words[1] if words[1] in EFFECTS and len(words) == 3 else None

    @property
    def usage_name(self) -> str:
        """What a permission or prohibition names, parentheses included."""
        return self.name.split("-", 2)[2]


def read_acap_field(line: Line) -> AcapField | None:
    """The field of a line; None if the line is no ACAP line, or one that we do not know."""
    text = line.text.partition("#")[0].strip(BLANKS)
    before_colon, _, value = text.partition(":")
    name = hyphened(before_colon.strip(BLANKS))
    if not name.startswith("acap-"):
        return None
    if is_known(name):
        return AcapField(line, name, value.strip(BLANKS))
    for spelling in SPELLINGS:
        start = spelling.match(text)
        rest = text[start.end() :] if start else ""
        if start and starts_value(hyphened(start[0]), rest):
            return AcapField(line, hyphened(start[0]), rest.strip(BLANKS).removeprefix(":").strip(BLANKS))
    if name.startswith(("acap-allow-", "acap-disallow-")):
        return AcapField(line, name, value.strip(BLANKS))
    return None


def is_known(name: str) -> bool:
    """Whether a normal name is that of a field."""
    return name in KNOWN_FIELDS or bool(LOCAL_FIELD.fullmatch(name))


def starts_value(name: str, rest: str) -> bool:
    """Whether what follows a name at the start of a line shows that the name ends there."""
    value = rest.strip(BLANKS)
    if not value or value.startswith(":"):
        return True
    ends = rest[0] in BLANKS or rest[0] in "/*"
    return ends and (name in OPEN_FIELDS or bool(RESOURCE.match(value)))


def read_version(line: Line) -> tuple[int, int] | None:
    """The version a line states, as `##ACAP version=n.m` or `ACAP-version: n.m`."""
    stated = VERSION_COMMENT.match(line.text.strip())  # a line of its own (P1 4.5.4)
    found = read_acap_field(line)
    if not stated and found and found.name == "acap-version":
        stated = VERSION.match(found.value)
    return (int(stated[1]), int(stated[2])) if stated else None
