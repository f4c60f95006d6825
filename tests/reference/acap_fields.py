"""ACAP lines to fields: the name, however it is spelt, and the value.

    permission-field = "ACAP-allow-" ((ACAP-usage-name ["-" used-resource-type-name]) / local-usage-name) ":" …
    prohibition-field = "ACAP-disallow-" …                                                              P1 4.5.6

A name counts in any case, with blanks and Unicode dashes for hyphens, and without its colon. One that is no name is
read as what a slip may have made it, but never as a permission that permits.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from .acap_values import begins_resource
from .lines import Line
from .slips import MARKS, PROHIBITING, fold, slipped, verb
from .text import BLANKS, CONTROLS, SEPARATOR_RUN, before_control, hyphened, tokens, without_controls
from .usages import EVERY, PRESENTATIONS, USAGES, read_prohibited

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
STATEMENT = re.compile(r"acap-(?:dis)?allow-")
DEFINITIONS = {"acap-qualified-usage", "acap-composite-usage", "acap-resource-set"}
VERSION_COMMENT = re.compile(
    r"##[ \t\v\f]*ACAP[ \t\v\f]+version[ \t\v\f]*=[ \t\v\f]*([0-9]+)\.([0-9]+)(?:\.[0-9]+)*(?![^ \t\v\f#])",
    re.IGNORECASE | re.ASCII,
)
VERSION = re.compile(r"([0-9]+)\.([0-9]+)(?:\.[0-9]+)*(?![^ \t\v\f])")


@dataclass(frozen=True)
class AcapField:
    """A line the ACAP reader knows: its normal name with `acap-`, and its value.

    A guessed name is one that a slip may have changed. A vague field is one that need not name a resource.
    A control character ends the value, but for a permission's, where it ends each word (`is_controlled`).
    """

    line: Line
    name: str
    value: str
    guessed: bool = False
    vague: bool = False
    is_controlled: bool = False

    @property
    def is_cut(self) -> bool:
        """Whether what is left of it may not be all: a limit cut it, or a control character where all of it matters."""
        needs_all = {"acap-usage-purpose", "acap-permissions-reference", *DEFINITIONS}
        return self.line.cut or (self.is_controlled and self.name in needs_all)

    @property
    def effect(self) -> str | None:
        """`allow` or `disallow` of a permission or prohibition, else None."""
        words = self.name.split("-", 2)
        return words[1] if words[1] in EFFECTS and len(words) == 3 else None

    @property
    def usages_read(self) -> tuple[str, ...] | None:
        """The usages that it would prohibit, as far as a cut line tells: every usage if the name was not read whole.

        None for a local usage, which definitions tell.
        """
        is_whole = is_known(self.name) and (":" in self.line.text or begins_resource(self.value))
        if not is_whole:
            return (EVERY,)
        return None if self.usage_name.startswith("(") else read_prohibited(self.usage_name)

    @property
    def usage_name(self) -> str:
        """What a permission or prohibition names, parentheses included."""
        return self.name.split("-", 2)[2]


def read_acap_field(line: Line) -> AcapField | None:
    """The field of a line; None if the line is no ACAP line, or one that we do not know."""
    written = line.text.partition("#")[0].strip(BLANKS + CONTROLS)
    text = without_controls(written).strip(BLANKS)
    before_colon, colon, value = text.partition(":")
    name = hyphened(before_colon.strip(BLANKS))
    if is_known(name):
        return field_of(line, name, value, written, vague=not colon)
    if name.startswith("acap-"):
        for spelling in SPELLINGS:
            start = spelling.match(text)
            rest = text[start.end() :] if start else ""
            if start and starts_value(hyphened(start[0]), rest):
                return field_of(line, hyphened(start[0]), without_colon(rest), written, vague=not rest)
    elif not before_colon.strip(BLANKS) or not (colon or len(tokens(text)) == 2):
        return None  # no field at all, to any reader
    return misread(line, text, written)


def without_colon(rest: str) -> str:
    """The value after a name."""
    return rest.strip(BLANKS).removeprefix(":").strip(BLANKS)


def misread(line: Line, text: str, written_line: str) -> AcapField | None:
    """The field of a line whose name is no known one (P2 2.2.6)."""
    ends = ends_of_name(text)
    written = text[: ends[0]].strip(BLANKS)
    value = without_colon(text[ends[0] :])
    usage = hyphened(written).removeprefix("acap-allow-")
    if usage and hyphened(written) != usage:
        return field_of(line, hyphened(written), value, written_line, vague=ends[0] == len(text))
    for end in ends:
        marked = after_mark(words_of_name(text[:end]))
        name = stated(marked[0]) if marked else None
        if name:
            vague = end == len(text)
            return field_of(line, name, without_colon(text[end:]), written_line, guessed=True, vague=vague)
    marked = after_mark(words_of_name(text[: ends[-1]]))
    name = somewhere(marked[0]) if marked and marked[1] else None
    value = without_colon(text[ends[-1] :])
    return field_of(line, name, value, written_line, guessed=True, vague=True) if name else None


def ends_of_name(text: str) -> list[int]:
    """Where a misspelt name may end: at one of the first two colons, at a resource, at the end of the line."""
    ends: list[int] = []
    for place, letter in enumerate(text):
        if letter in "/*" or ((place and text[place - 1] in BLANKS + ":") and begins_resource(text[place:])):
            return [*ends, place]
        if letter == ":" and len(ends) < 2:
            ends.append(place)
    return [*ends, len(text)]


def words_of_name(written: str) -> list[str]:
    """The words of a name, divided by blanks, dashes, `_` and colons; a name in parentheses is one.

    What is left of a character that was cut is one letter, whatever octets it has.
    """
    whole = written.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    plain, parenthesis, local = hyphened(whole.strip(BLANKS)).partition("(")
    words = [word for word in re.split("[-_:]+", plain) if word]
    return [*words, (parenthesis + local).rstrip("-")] if parenthesis else words


def after_mark(words: list[str]) -> tuple[list[str], bool] | None:
    """The words after the mark, and whether that is the right one; None without anything like it."""
    if words[:1] == ["acap"]:
        return words[1:], True
    counts = [count for count in (1, 2, 3) if count <= len(words)]
    exact = [count for count in counts if "".join(words[:count]) in MARKS]
    near = [count for count in counts if any(slipped("".join(words[:count]), mark) for mark in MARKS)]
    for count in exact + near:
        return words[count:], False
    for count in counts:
        for mark in MARKS:
            if "".join(words[:count]).startswith(mark):
                return ["".join(words[:count]).removeprefix(mark), *words[count:]], False
    return None


def stated(words: list[str]) -> str | None:
    """The normal name of the field that words after a mark are; None if they are none."""
    whole = "".join(words)
    for field in sorted(OPEN_FIELDS | {IGNORE_CONVENTIONAL}):
        if slipped(whole, fold(field.removeprefix("acap-"))):
            return field
    undivided = [
        (begin, "-".join([words[0].removeprefix(begin), *words[1:]]))
        for begin in (*PROHIBITING, "allow")
        if words and words[0].startswith(begin) and words[0] != begin
    ]
    for begin, usage in undivided:
        if begin != "allow" and (is_local(usage) or read_prohibited(usage)[0] in USAGES):
            return f"acap-disallow-{usage}"
    verbs = {count: verb("".join(words[:count])) for count in (1, 2, 3) if count <= len(words)}
    found = [(one[1], count, one[0]) for count, one in verbs.items() if one]
    if found:
        _, count, effect = min(found)
        return f"acap-{'disallow' if effect == 'disallow' else 'allow'}-{'-'.join(words[count:])}"
    for begin, usage in undivided:
        return f"acap-{'allow' if begin == 'allow' else 'disallow'}-{usage}"
    return None


def is_local(name: str) -> bool:
    """Whether a name is that of a local usage."""
    return bool(re.fullmatch(r"\([^()]*\)", name))


def somewhere(words: list[str]) -> str | None:
    """The prohibition that a verb of prohibition somewhere is: of what follows, if that is known, or of everything."""
    for place, word in enumerate(words):
        found = verb(fold(word))
        if found and found[0] == "disallow":
            after = words[place + 1 :]
            for count in (3, 2, 1):
                usage = "-".join(after[:count])
                if count <= len(after) and (usage in USAGES or usage in PLURALS or is_local(usage)):
                    return f"acap-disallow-{usage}"
            return "acap-disallow-"
    return None


def field_of(
    line: Line, name: str, value: str, written: str, *, guessed: bool = False, vague: bool = False
) -> AcapField:
    """The field of a name and a value, which has its control characters only as it is written."""
    value = value.strip(BLANKS)
    start = next(at for at in range(len(written), -1, -1) if without_controls(written[at:]).strip(BLANKS) == value)
    value = written[start:].strip(BLANKS + CONTROLS)
    read = before_control(value)
    if name.startswith("acap-allow-"):
        words = [before_control(word) for word in re.split(f"[{BLANKS}]", value)]
        read, is_controlled = " ".join(word for word in words if word), read != value
        return AcapField(line, name, read, guessed, vague, is_controlled)
    return AcapField(line, name, read, guessed, vague, read != value)


def is_known(name: str) -> bool:
    """Whether a normal name is that of a field."""
    return name in KNOWN_FIELDS or bool(LOCAL_FIELD.fullmatch(name))


def starts_value(name: str, rest: str) -> bool:
    """Whether what follows a name at the start of a line shows that the name ends there."""
    value = rest.strip(BLANKS)
    if not value or value.startswith(":"):
        return True
    ends = rest[0] in BLANKS or rest[0] in "/*"
    return ends and (name in OPEN_FIELDS or begins_resource(value))


def read_version(line: Line) -> tuple[int, int] | None:
    """The version a line states, as `##ACAP version=n.m` or `ACAP-version: n.m`; of a line that a limit cut, 1.0."""
    text = without_controls(line.text).strip()
    stated = VERSION_COMMENT.match(text)  # a line of its own (P1 4.5.4)
    found = read_acap_field(line)
    if line.cut and (text.startswith("#") or (found and found.name == "acap-version")):
        return 1, 0
    if not stated and found and found.name == "acap-version":
        if found.guessed:
            return (1, 0)  # the least there is
        stated = VERSION.match(found.value)
    return (int(stated[1]), int(stated[2])) if stated else None
