"""ACAP lines to fields: the name, however it is spelt, and the value.

    permission-field = "ACAP-allow-" ((ACAP-usage-name ["-" used-resource-type-name]) / local-usage-name) ":" …
    prohibition-field = "ACAP-disallow-" …                                                              P1 4.5.6

A name counts in any case, with blanks and Unicode dashes for hyphens, and without its colon. One that is no name is
read as what a slip may have made it, but never as a permission that permits.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache

from .acap_values import begins_resource, is_marked
from .lines import Line
from .slips import MARKS, PROHIBITING, fold, may_permit, slipped, verb
from .text import BLANKS, CONTROLS, SEPARATOR_RUN, ascii_lower, before_control, hyphened, tokens, without_controls
from .usages import EVERY, PRESENTATIONS, SEVERAL, USAGES, near_usages, read_prohibited

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
REQUESTS = {"acap-request-take-down", "acap-request-re-crawl"}
NEAR = 1  # a name at most this far from a known one is read as that
DIVIDED = re.compile(f"[\udc80-\udcff][{re.escape(CONTROLS)}]+[\udc80-\udcff]")  # octets of one character
VERSION_COMMENT = re.compile(
    r"##[ \t\v\f]*ACAP[ \t\v\f]+version[ \t\v\f]*=[ \t\v\f]*([0-9]+)\.([0-9]+)(?:\.[0-9]+)*(?![^ \t\v\f#])",
    re.IGNORECASE | re.ASCII,
)
BEGUN_VERSION = re.compile(r"##[ \t\v\f]*ACAP[ \t\v\f]+version[ \t\v\f]*=", re.IGNORECASE | re.ASCII)
VERSION = re.compile(r"([0-9]+)\.([0-9]+)(?:\.[0-9]+)*(?![^ \t\v\f])")


@dataclass(frozen=True)
class AcapField:
    """A line the ACAP reader knows: its normal name with `acap-`, and its value.

    A guessed name is one that a slip may have changed. A vague field is one that need not name a resource. `others` are
    further values that a prohibition may have, whose name may end elsewhere; it is of several if there it names another
    usage. A control character ends the value; of a
    permission or prohibition the value has it still, for it ends each word (`is_controlled`).
    """

    line: Line
    name: str
    value: str
    guessed: bool = False
    vague: bool = False
    is_controlled: bool = False
    others: tuple[str, ...] = ()
    is_of_several: bool = False

    @property
    def is_cut(self) -> bool:
        """Whether what is left of it may not be all: a limit cut it, or a control character where all of it matters.

        Nobody can tell which of its words a reference is to.
        """
        needs_all = {"acap-usage-purpose", "acap-permissions-reference", *REQUESTS, *DEFINITIONS}
        is_divided = self.name == "acap-permissions-reference" and len(tokens(self.value)) > 1
        return self.line.cut or is_divided or (self.is_controlled and self.name in needs_all)

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
        is_whole = not self.guessed and is_known(self.name) and (":" in self.line.text or begins_resource(self.value))
        if not is_whole:
            return (EVERY,)
        return None if self.usage_name.startswith("(") else read_prohibited(self.usage_name)

    @property
    def usage_name(self) -> str:
        """What a permission or prohibition names, parentheses included."""
        return self.name.split("-", 2)[2]


@dataclass(frozen=True)
class Reading:
    """What a line states if its name ends at a place, and how far that name is from a known one."""

    end: int
    name: str
    distance: int

    @property
    def effect(self) -> str | None:
        """`allow` or `disallow` of a permission or prohibition, else None."""
        return self.name.split("-")[1] if STATEMENT.match(self.name) else None


@lru_cache(2_000)
def read_acap_field(line: Line) -> AcapField | None:
    """The field of a line; None if the line is no ACAP line, or one that we do not know."""
    written = line.text.partition("#")[0].strip(BLANKS + CONTROLS)
    text = without_controls(written).strip(BLANKS)
    before_colon, colon, value = text.partition(":")
    name = hyphened(before_colon.strip(BLANKS))
    if is_known(name):
        value = value.strip(BLANKS)
        guessed = value.startswith(":")  # one colon too many
        found = field_of(line, name, without_colons(value), written, guessed=guessed, vague=not colon)
        return going_on(found, text, written)
    if name.startswith("acap-"):
        for spelling in SPELLINGS:
            start = spelling.match(text)
            rest = text[start.end() :] if start else ""
            if start and starts_value(hyphened(start[0]), rest):
                return field_of(line, hyphened(start[0]), without_colons(rest), written, vague=not rest)
    elif not (colon or len(tokens(text)) == 2):
        return None  # no field at all, to any reader
    return misread(line, text, written)


def without_colons(rest: str) -> str:
    """The value after a name."""
    return rest.strip(BLANKS).lstrip(BLANKS + ":")


def going_on(found: AcapField, text: str, written: str) -> AcapField:
    """A field whose name may go on behind its colon: it prohibits what follows too, and a permission lifts nothing."""
    value = without_controls(found.value)
    if found.effect is None or found.guessed or not value or begins_resource(value) or is_marked(value):
        return found
    end = ends_of_name(text)[0][1:2]
    if end and text[end[0] : end[0] + 1] == ":":
        longer = reading(text, end[0])
        near = longer is not None and longer.distance <= NEAR
        others = (as_written(written, without_colons(text[end[0] :])),) if near else ()
        of_several = near and found.effect == "disallow" and longer is not None and longer.name != found.name
        if near or found.effect == "allow":
            return replace(found, guessed=True, others=others, is_of_several=of_several)
    elif distance_of(hyphened(f"{found.usage_name}-{tokens(value)[0]}")) <= NEAR:
        return replace(found, guessed=found.effect == "allow", is_of_several=found.effect == "disallow")
    return found


def misread(line: Line, text: str, written_line: str) -> AcapField | None:
    """The field of a line whose name is no known one (P2 2.2.6): where its name may end, the nearest to one counts."""
    ends, early = ends_of_name(text)
    places = [*ends, *ends_at_blank(text[: ends[-1]])]
    readings = [found for found in (reading(text, end) for end in ends) if found]
    readings += [found for found in (reading(text, end) for end in places[len(ends) :]) if found and not found.effect]
    best = min(readings, key=lambda found: found.distance, default=None)
    last_resort = reading(text, early) if early is not None else None
    if last_resort:
        has_value = best is not None and best.distance <= NEAR and without_colons(text[best.end :])
        if best is None or not (has_value or best.distance <= last_resort.distance):
            best = last_resort
        readings.append(last_resort)

    written = hyphened(text[: ends[0]].strip(BLANKS))
    usage = written.removeprefix("acap-allow-")
    is_near = best is not None and best.distance <= (0 if best.end == ends[0] else NEAR)
    known = best and best.effect == "allow" and (is_near or is_known_usage(best.name.removeprefix("acap-allow-")))
    if usage and written != usage and not known:
        near = [one for one in readings if one.effect == "allow" and one.end != ends[0] and one.distance <= NEAR]
        others = [as_written(written_line, without_colons(text[one.end :])) for one in near]
        value = without_colons(text[ends[0] :])
        found = field_of(line, written, value, written_line, guessed=bool(others), vague=ends[0] == len(text))
        return replace(found, others=tuple(others))
    if best:
        value = without_colons(text[best.end :])
        others = [
            as_written(written_line, without_colons(text[found.end :]))
            for found in readings
            if found.effect and found.effect == best.effect and found.end != best.end
        ]
        near_names = {found.name for found in readings if found.effect == "disallow" and found.distance <= NEAR}
        marked = after_mark(words_of_name(text[: best.end]))
        of_several = bool(near_names - {best.name}) or (marked is not None and is_either_verb(marked[0]))
        of_several &= best.effect == "disallow"
        vague = best.end == len(text) or (best.name == "acap-disallow-*" and not value)
        found = field_of(line, best.name, value, written_line, guessed=True, vague=vague)
        # without a resource a `*` may be one
        others = [] if found.vague and best.end < len(text) else others
        return replace(found, others=tuple(others), is_of_several=of_several)
    marked = after_mark(words_of_name(text[: ends[-1]]))
    name = somewhere(marked[0]) if marked and marked[1] else None
    value = without_colons(text[ends[-1] :])
    return field_of(line, name, value, written_line, guessed=True, vague=True) if name else None


def reading(text: str, end: int) -> Reading | None:
    """What a line states if its name ends there; None if nothing."""
    marked = after_mark(words_of_name(text[:end]))
    name = stated(marked[0]) if marked else None
    if marked is None or name is None:
        return None
    if STATEMENT.match(name):
        return Reading(end, name, distance_of(name.split("-", 2)[2]))
    return Reading(end, name, int("".join(marked[0]) != fold(name.removeprefix("acap-"))))


@lru_cache(2_000)
def distance_of(usage: str) -> int:
    """How far a usage is from a known one: known, by a slip, below a known one or missing, further."""
    if is_known_usage(usage):
        return 0
    if usage and {usage, fold(usage)} & set(SEVERAL):
        return 0
    if usage and near_usages(usage):
        return 1
    return 2 if not usage or read_prohibited(usage)[0] in USAGES else 3


def is_known_usage(usage: str) -> bool:
    """Whether a usage is known, or a local one."""
    return is_local(usage) or usage in USAGES or usage in PLURALS


def ends_of_name(text: str) -> tuple[list[int], int | None]:
    """Where a misspelt name may end: at one of the first two colons, at a resource, at the end of the line.

    And if all else fails where a `/` or `*` stands within it.
    """
    ends: list[int] = []
    early = None
    for place, letter in enumerate(text):
        is_next_word = text[:place].strip(BLANKS + ":") and text[place - 1] in BLANKS + ":"
        if is_next_word and begins_resource(text[place:]):
            return [*ends, place], early
        if place and letter in "/*" and early is None:
            early = place
        if letter == ":" and len(ends) < 2:
            ends.append(place)
    return [*ends, len(text)], early


def ends_at_blank(head: str) -> list[int]:
    """Where the name of a line without a colon may end: at one of its first blanks."""
    return [] if ":" in head else [place for place, letter in enumerate(head) if letter in BLANKS][:6]


def words_of_name(written: str) -> list[str]:
    """The words of a name, divided by blanks, dashes, `_` and colons; a name in parentheses is one.

    What is left of a character that was cut is one letter, whatever octets it has.
    """
    whole = written.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    text = hyphened(whole.strip(BLANKS))
    local = re.search(r"\([^()]*\)", text)
    words = [word for word in re.split("[-_:]+", text[: local.start()] if local else text) if word]
    return [*words, text[local.start() :].rstrip("-")] if local else words


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


def is_either_verb(words: list[str]) -> bool:
    """Whether what begins as a prohibition may be a permission that has slipped: `sallow`."""
    return any(may_permit("".join(words[:count])) for count in (1, 2, 3) if count <= len(words))


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
    value = as_written(written, value)
    # a dash that comes about only by leaving a control character out is guessed
    guessed = guessed or bool(DIVIDED.search(written.removesuffix(value)))
    read = before_control(value)
    whole = value if STATEMENT.match(name) else read
    if name == "acap-crawler" and read != value:
        line = replace(line, cut=True)  # it may have been any name
    return AcapField(line, name, whole, guessed, vague, read != value)


def as_written(line: str, value: str) -> str:
    """The value at the end of a line, with the control characters in it."""
    value = value.strip(BLANKS)
    if without_controls(line) == line:
        return value
    start = next(at for at in range(len(line), -1, -1) if without_controls(line[at:]).strip(BLANKS) == value)
    return line[start:].strip(BLANKS + CONTROLS)


def is_known(name: str) -> bool:
    """Whether a normal name is that of a field."""
    return name in KNOWN_FIELDS or bool(LOCAL_FIELD.fullmatch(name))


def starts_value(name: str, rest: str) -> bool:
    """Whether what follows a name at the start of a line shows that the name ends there."""
    value = rest.strip(BLANKS)
    if not value or value.startswith(":"):
        return True
    return rest[0] in BLANKS and (name in OPEN_FIELDS or begins_resource(value))


def is_nearly_version(text: str) -> bool:
    """Whether a line is by its letters, one slip aside, the one of a version: `#ACAP version=1.0`."""
    body = text.lstrip("#" + BLANKS)
    number = re.search(r"[0-9]+\.[0-9]", body[:66], re.ASCII)
    if number is None or number.start() > 63:
        return False
    letters = "".join(letter for letter in body[: number.start()] if letter.isalnum())
    return slipped(ascii_lower(letters), "acapversion")


def read_version(line: Line) -> tuple[int, int] | None:
    """The version a line states, as `##ACAP version=n.m` or `ACAP-version: n.m`; of a line that a limit cut, 1.0."""
    text = without_controls(line.text).strip()
    stated = VERSION_COMMENT.match(text)  # a line of its own (P1 4.5.4)
    found = read_acap_field(line)
    if line.cut and (text.startswith("#") or (found and found.name == "acap-version")):
        return 1, 0
    if stated:
        return int(stated[1]), int(stated[2])
    if found and found.name == "acap-version" and not (found.guessed or found.is_controlled):
        stated = VERSION.match(found.value)
    if stated:
        return int(stated[1]), int(stated[2])
    is_version = BEGUN_VERSION.match(text) or (found and found.name == "acap-version")
    if not is_version and (text.startswith("#") or (found is None and hyphened(text).startswith("acap-"))):
        is_version = is_nearly_version(text)
    return (1, 0) if is_version else None  # one that cannot be read is the least there is
