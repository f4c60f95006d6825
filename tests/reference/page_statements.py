"""ACAP statements in META tags and class attributes, read.

    ACAP-meta-tag-content = "ACAP" 1*WSP (version / permission / prohibition)                              P2 3
    class-attribute-permission = "the-acap:allow-" (ACAP-usage-name / local-usage-name)                    P2 3

Names stay as written: what a local usage stands for only the site's robots.txt can tell. What a slip has changed never
permits; under a mark that has slipped there are only prohibitions.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile
from unicodedata import category

from .acap_fields import PLURALS, after_mark, is_either_verb, somewhere, stated, words_of_name
from .acap_records import is_every
from .acap_values import Value, divides
from .letters import begins, letters_of, spelt_after_mark, spelt_as_token, spelt_in, untold
from .page_html import Element
from .restrictions import GRAMMAR, is_of_version_1_1, read_qualifier
from .slips import MARKS, PROHIBITING, fold, slipped, verb
from .text import DASHES, ascii_lower, hyphened, leading_name
from .usages import USAGES, nearly_known, read_prohibited

BLANKS = " \t\n\f\r\xa0"
WHITE_SPACE = re.compile("[ \t\n\f\r\xa0]+")
MARK = re.compile(r"[ \t\n\f\r\xa0]*ACAP(?:[ \t\n\f\r\xa0:]|-(?=(?:dis)?allow)|$)", re.IGNORECASE)
CLASS_PREFIX = re.compile(r"(?:the-)?acap:", re.IGNORECASE)
NEARLY = "~allow"  # a permission that is misspelt: it lifts nothing
EITHER = "~disallow"  # a prohibition that may be one
EFFECT = re.compile(r"(~?allow)-(?![,;]+$)(.+)|(~?disallow)-(.*)", re.DOTALL)
QUOTES = "\"'\u00ab\u00bb\u2018\u2019\u201a\u201b\u201c\u201d\u201e\u201f"
QUOTED_MARK = re.compile(
    f"[ \t\n\f\r\xa0]*[{QUOTES}][ \t\n\f\r\xa0{QUOTES}]*ACAP(?=[ \t\n\f\r\xa0:{re.escape(DASHES)}-]|$)", re.IGNORECASE
)
VERSION = re.compile(r"[0-9]+(?:\.[0-9]+)+", re.ASCII)


@dataclass(frozen=True)
class Said:
    """A permission or prohibition as written. No purposes: for every purpose; no addressee: for any crawler."""

    effect: str
    usage_name: str
    value: Value = field(default_factory=Value)
    purposes: tuple[str, ...] = ()
    addressee: str | None = None
    element: Element | None = None
    lifts: bool = True
    doubtful: bool = False  # it may be a permission that has slipped
    is_for_any: bool = (
        False  # nobody can tell for which purpose, or whom: for each, and nothing lifts what it prohibits
    )


@dataclass(frozen=True)
class Tag:
    """What a META tag says and to whom: permissions and prohibitions, and a version if it states one."""

    addressee: str | None = None
    said: tuple[Said, ...] = ()
    version: str | None = None
    is_sure: bool = True  # otherwise other words it holds count as well


def read_tag(name: str, content: str) -> Tag | None:
    """The ACAP statements of a META tag; None if it has none of ACAP.

    What nobody sees may have come in, or stand for a blank: the tag says whatever either reading of it prohibits or
    restricts, to all for every purpose, and permits nothing.
    """
    tag = read_as_written(name, content)
    if not hides(content):
        return tag
    text = content.replace("\ufeff".encode().decode("latin-1"), "\ufeff")
    readings = [read_as_written(name, "".join(by if hides(one) else one for one in text)) for by in ("", " ")]
    if tag is None and not any(readings):
        return None
    said = [each for reading in (tag, *readings) if reading for each in reading.said]
    kept = tuple(
        replace(each, lifts=False, purposes=(), is_for_any=True)
        for each in said
        if each.effect == "disallow" or restricts(each)
    )
    return Tag(addressee_of(name), kept, tag.version if tag else None, tag.is_sure if tag else False)


def read_as_written(name: str, content: str) -> Tag | None:
    """The same, of what stands there."""
    mark = MARK.match(content)
    addressee = addressee_of(name)
    if mark is None:
        return nearly_tag(addressee, content)
    rest = content[mark.end() :].lstrip(" \t\n\f\r\xa0:-" + DASHES)
    words = words_of(rest)
    version = None
    if len(words) > 1 and ascii_lower(words[0]) == "version" and VERSION.fullmatch(words[1]):
        version, words = words[1], words[2:]
    found = list(read_statements(words))
    begun = any(map(starts_statement, words))
    others = sorted(set(listed(rest)))
    found += [Said("disallow", usage) for usage in others if begun]
    if words and not begun:
        found = [by_letters(usage) for usage in [*others, *untold(spelt_in(rest), others)]]
        hidden = None if found else somewhere(words_of_name(in_line(rest)))
        found += [by_letters(hidden.removeprefix("acap-disallow-"))] if hidden else []
    elif begun:
        before = takewhile(lambda word: not starts_statement(word), words)
        odd = somewhere(words_of_name(" ".join(word for word in before if not is_purpose(word))))
        found += [by_letters(odd.removeprefix("acap-disallow-"))] if odd else []
        own, pieces = unread(rest)
        for texts, told in ((pieces, [said for said in found if not said.purposes]), ([own, *misspelt(rest)], found)):
            hidden_ones = {usage for piece in texts for usage in spelt_in(piece)}
            found += [by_letters(usage) for usage in untold(hidden_ones, names(told))]
    found += [by_letters("")] if is_garbled(rest) else []
    lifts = is_addressed(name)
    for_any = hides(name)
    whole = (
        replace(said, addressee=addressee, lifts=lifts and said.lifts, is_for_any=said.is_for_any or for_any)
        for said in found
    )
    return Tag(addressee, tuple(whole), version)


def is_garbled(rest: str) -> bool:
    """Whether what follows a mark has several slips: then nobody can tell what it prohibits (our choice)."""
    words = [word for word in WHITE_SPACE.split(rest) if word]
    slips = int(any(re.match("[,;]+[^,;:]", word) for word in words))
    for word, after in zip(words, [*words[1:], ""], strict=False):
        if after[:1] in ("", ",", ";") or ascii_lower(word) not in {"allow", "disallow"}:  # a blank for a hyphen
            slips += slips_of_word(word.rstrip(",;:"))
    return slips > 1


def slips_of_word(word: str) -> int:
    """The slips of a word without the marks behind it."""
    name, equals, _ = word.partition("=")
    if equals and hyphened(name) in GRAMMAR:
        return 0
    pieces = [piece for piece in re.split("[,;]", word) if piece]
    marks = len(re.findall("[,;]", word.lstrip(",;")))
    odd = sum(is_odd(piece) or bool(marks and not any(map(str.isalnum, piece))) for piece in pieces)
    is_list = all(is_known_usage(hyphened(piece)) or is_statement(piece) for piece in pieces)
    values = sum(is_statement(piece.partition("=")[0]) for piece in pieces if "=" in piece)
    is_led = word[:1] in (",", ";") and bool(equals)
    return odd + (0 if is_list else marks) + values + is_led if pieces else 1


def is_statement(word: str) -> bool:
    """Whether a word is a statement as it should be, of whatever usage."""
    found = re.fullmatch("(?:dis)?allow-(.+)", hyphened(word), re.DOTALL)
    return found is not None and all(letter.isalnum() or letter in "-()" for letter in found[1])


def is_odd(word: str) -> bool:
    """Whether a word is near to a statement and none, or may be a part of one."""
    name, equals, _ = word.partition("=")
    text = hyphened(name)
    if text in GRAMMAR:
        return False
    if text.startswith(("allow-", "disallow-")):
        return bool(equals) or not is_statement(name)
    letters = re.sub("[^a-z0-9]", "", text)
    field_named = stated(words_of_name(name)) or ""
    is_quoted = any(quote in name for quote in QUOTES)
    is_part = bool(letters and letters in "disallow")
    return is_quoted or is_part or field_named.startswith(("acap-allow-", "acap-disallow-"))


def is_purpose(word: str) -> bool:
    """Whether a word before a statement may be a purpose, and is no slip."""
    bare = word.removeprefix("~").rstrip(",;") or word
    return not (is_odd(bare) or "allow" in ascii_lower(bare) or any(sign in bare for sign in "=,;("))


def by_letters(usage: str) -> Said:
    """A prohibition of which it is doubtful how it is written: it may be for some purpose."""
    return Said("disallow", usage, is_for_any=True)


def hides(name: str) -> bool:
    """Whether a name or a purpose has a character that nobody sees, so that it may be any other."""
    unseen = {"\xad", "\u2060", "\ufeff", "\ufffd", *map(chr, range(0x200B, 0x2010))}
    is_octets = "\ufeff".encode().decode("latin-1") in name  # of a header
    return is_octets or any(one in unseen or (category(one) == "Cc" and one not in BLANKS) for one in name)


def names(found: Sequence[Said]) -> list[str]:
    """The usages that are prohibited, as they are written."""
    return [said.usage_name for said in found if said.effect == "disallow"]


def unread(rest: str) -> tuple[str, list[str]]:
    """What stands after a mark without the qualifiers that can be interpreted: the piece with the first statement,
    which alone may be a prohibition for a purpose, and the other pieces.

    A statement begins a piece: with the word before it it spells nothing, unless the two divide a verb of prohibition.
    """
    words = words_of(rest)
    first = next((at for at, word in enumerate(words) if starts_statement(word)), len(words))
    pieces = [words[:first]]
    own, strange = 0, ""
    while first < len(words):
        end = next((at for at in range(first + 1, len(words)) if starts_statement(words[at])), len(words))
        value = read_value(words[first + 1 : end])
        odd = [f"{name}={written}" for name, written in value.qualifiers if not is_interpreted(name, written)]
        before = pieces[-1][-1] if pieces[-1] else ""
        if not divides("disallow", letters_of(before), letters_of(words[first])):
            pieces.append([])
        if not any(map(starts_statement, words[:first])):
            own, strange = len(pieces) - 1, " ".join([*value.strange, *odd])
        pieces[-1] += [words[first], *value.strange, *odd]
        first = end
    texts = [" ".join(piece) for piece in pieces]
    return texts[own], [*texts[:own], *texts[own + 1 :], strange]


def misspelt(rest: str) -> list[str]:
    """The prohibitions with a slip as they are written: with a second slip their letters may spell another usage."""
    words = [word for word in WHITE_SPACE.split(rest) if word]
    found = []
    for place, word in enumerate(words):
        usage, used = prohibited_usage(word, words[place + 1 :], due=True)
        if usage is not None:
            found.append("".join(words[place : place + 1 + used]))
    return found


def is_interpreted(name: str, value: str) -> bool:
    """Whether a qualifier is one that we understand."""
    if ascii_lower(name) == "location":
        return is_location(value)
    return is_of_version_1_1(name, value) or read_qualifier(name, value, 0) is not None


def is_location(value: str) -> bool:
    """Whether the value of `location` names a place. After a further `=` nobody can tell where it begins."""
    return bool(value) and not value.startswith("=")


def nearly_tag(addressee: str | None, content: str) -> Tag | None:
    """What a META tag prohibits whose mark has slipped, or is quoted (G 5.10); None if it has nothing of ACAP."""
    usages = nearly_prohibited(in_line(content))
    quoted = QUOTED_MARK.match(content)
    usages += untold(spelt_after_mark(content), usages)
    if quoted:
        hidden = somewhere(words_of_name(in_line(without_quotes(content[quoted.end() :])))) or ""
        usage = hidden.removeprefix("acap-disallow-")
        told = {each for name in usages for each in meant(name)}
        usages += [usage] if hidden and (not usages or not meant(usage) <= told) else []
    usages += sorted(set(listed(content))) if usages else []
    permissions = permissions_behind(content)
    if not usages and not quoted and permissions is None:
        return None
    found = [by_letters(usage) for usage in usages]
    # what is permitted is not, and yet what it is restricted by holds
    read = read_statements(words_of(without_quotes(permissions or "")))
    found += [replace(said, lifts=False, purposes=(), is_for_any=True) for said in read if said.effect == "allow"]
    found = [said for said in found if said.effect == "disallow" or restricts(said)]
    return Tag(addressee, tuple(replace(said, addressee=addressee) for said in found), is_sure=False)


def restricts(said: Said) -> bool:
    """Whether something is left of a permission that lifts nothing."""
    is_local = said.usage_name.startswith("(") or said.usage_name.endswith(")")
    return bool(said.value.qualifiers or said.value.strange or is_local)


PERMISSION = re.compile(r"(?<![^\W_])allow-", re.IGNORECASE)


def permissions_behind(content: str) -> str | None:
    """What follows a mark that has slipped, from the first permission on; None if no permission does."""
    found = PERMISSION.search(content)
    if not found or not found.start() or found.start() > 990:
        return None
    words = re.findall(r"[^\W_]+", content[: found.start()].lower())
    marks = ["".join(words[:count]) for count in (1, 2, 3)]
    is_marked = any(mark == right or slipped(mark, right) for mark in marks for right in MARKS)
    return content[found.start() :] if is_marked else None


def without_quotes(text: str) -> str:
    """A text with a blank for each quotation mark."""
    return re.sub(f"[{QUOTES}]", " ", text)


def read_meta(attributes: Mapping[str, str]) -> tuple[str, str, Tag | None]:
    """Name, content and ACAP statements of a META element.

    In quotation marks other than HTML's (G 5.10, G 5.11) name and content are cut into attributes at each blank: then
    what these say together prohibits. A name of which a quotation mark is left says to nobody that others aren't meant.
    """
    name, content = attributes.get("name", ""), attributes.get("content", "")
    is_cut = any(quote in name for quote in QUOTES) or (content.strip()[:1] in tuple(QUOTES) and len(attributes) > 2)
    if is_cut:
        pieces = [key + "=" + value if value else key for key, value in attributes.items()]
        if not any(quote in name for quote in QUOTES):
            pieces = [piece for piece in pieces if not piece.startswith("name=")]
        _, begun, rest = partitioned(without_quotes(" ".join(pieces)))
        label = name.strip(QUOTES + " \t\n\f\r")
        label = "robots" if not label or any(quote in label for quote in QUOTES) else label
        quoted = QUOTES[0] + rest.rstrip()
        tag = read_tag(label, quoted) if begun else None
        if tag:
            return label, quoted, tag
    return name, content, read_tag(name, content) if name and content else None


def partitioned(text: str) -> tuple[str, str, str]:
    """What stands before a content of ACAP, its `content=`, and the content."""
    found = re.search(r"content\s*=\s*(?=acap)", text, re.IGNORECASE)
    return (text[: found.start()], found[0], text[found.end() :]) if found else (text, "", "")


def nearly_prohibited(text: str) -> list[str]:
    """The usages that are prohibited under a mark that has slipped."""
    marked = after_mark(words_of_name(text))
    return prohibited_among(marked[0] if marked else [])


def prohibited_among(words: Sequence[str]) -> list[str]:
    """The usages that verbs of prohibition among words name."""
    usages = []
    for place, word in enumerate(words):
        if is_verb(word):
            usages.append(first_usage(words[place + 1 :]))
        elif is_verb(word + "".join(words[place + 1 : place + 2])):
            usages.append(first_usage(words[place + 2 :]))
        elif word.startswith("disallow"):
            usages.append(first_usage([word.removeprefix("disallow"), *words[place + 1 :]]))
    return usages


def is_verb(word: str) -> bool:
    """Whether a word is `disallow`, or one slip from it."""
    return word not in PROHIBITING[1:] and verb(word) in {("disallow", 0), ("disallow", 1)}


def first_usage(words: Sequence[str]) -> str:
    """The usage that the first words name: the longest known one, else the first word."""
    for count in (3, 2, 1):
        name = "-".join(words[:count]).rstrip(",;:")
        if count <= len(words) and is_known_usage(name):
            return name
    return words[0].rstrip(",;:") if words else ""


def is_known_usage(name: str) -> bool:
    """Whether a name is one that needs no guess: of a usage, its plural, or a local one."""
    return name in USAGES or name in PLURALS or bool(re.fullmatch(r"\([^()]*\)", name))


def is_usage(name: str) -> bool:
    """Whether a prohibition of this name is one of usages we know, if only by a guess."""
    return is_known_usage(name) or read_prohibited(name)[0] in USAGES


def in_line(text: str) -> str:
    """A text with HTML's white space as blanks."""
    return re.sub("[ \t\n\f\r\xa0]", " ", text)


def addressee_of(name: str) -> str | None:
    """The crawler a META tag names, in lower case; None for any, and for a name that is nobody's."""
    crawler = "" if hides(name) else leading_name(name.strip(BLANKS))
    return None if crawler in {"", "robots"} else crawler


def is_addressed(name: str) -> bool:
    """Whether a META tag names `robots` or a crawler; else all hear it, and it permits nothing (our choice)."""
    return addressee_of(name) is not None or ascii_lower(name.strip(BLANKS)) == "robots"


def words_of(text: str) -> list[str]:
    """The words of a content: `allow index` is one, `name = value` too, and commas after a statement are none.

    Before the first statement there are purposes, which have no values.
    """
    words: list[str] = []
    begun = False
    text = re.sub("(?<=[,;])(?=(?:dis)?allow)", " ", text, flags=re.IGNORECASE)
    for token in corrected([token for token in WHITE_SPACE.split(text) if token]):
        if words and hyphened(words[-1]) == "allow":
            words[-1] += "-" + token
        elif begun and belong_together(words[-1], token):
            words[-1] += token
        else:
            words.append(token)
        begun = begun or starts_statement(words[-1])
    return [part for word in words for part in parted(word)]


def corrected(tokens: Sequence[str]) -> list[str]:
    """The words with each prohibition that has slipped as it should be; `allow` alone permits."""
    out: list[str] = []
    left = [part for token in tokens for part in parted(token)]
    due = True
    permits = False
    while left:
        word = left.pop(0)
        count = nearly_qualifier([word, *left]) if permits else 0
        if count:
            out += [word, *left[: count - 1]]
            left = left[count - 1 :]
            continue
        is_divided = bool(left) and divides("allow", hyphened(word), left[0])
        if left and (is_divided or divides("disallow", hyphened(word), left[0])):
            word += left.pop(0)
        usage, used = prohibited_usage(word, left, due=due)
        permitted, words_used = nearly_permitted(word, left, is_divided=is_divided, due=due)
        if usage is not None:
            either = is_either_verb(words_of_name(word.rstrip(",;:").strip(QUOTES)))
            word, left = f"{EITHER if either else 'disallow'}-{usage}", left[used:]
        elif permitted is not None:
            word, left = f"{NEARLY}-{permitted}", left[words_used:]
        elif left and is_exact(word):
            effect, usage = effect_of(word)
            whole = usage + hyphened(left[0].rstrip(",;:"))
            if effect == "disallow" and not is_usage(usage) and is_usage(whole):
                word, left = f"disallow-{whole}", left[1:]
        due = due and not (starts_statement(word) or (left and hyphened(word) == "allow"))
        if starts_statement(word) or hyphened(word) == "allow":
            permits = hyphened(word).startswith(("allow", NEARLY))
        out.append(word)
    return out


def nearly_qualifier(words: Sequence[str]) -> int:
    """How many of the first words are the name of a qualifier that begins as a verb of prohibition does."""
    if hyphened(words[0].rstrip(",;:")).startswith(("allow", "disallow")):
        return 0
    ends = [count for count in (1, 2) if "=" in "".join(words[:count])]
    count = min([*ends, 3, len(words)])
    text = letters_of("".join(words[:count]))
    return count if any(begins(text, fold(name)) for name in GRAMMAR if name.startswith("prohibit")) else 0


def prohibited_usage(word: str, after: Sequence[str], *, due: bool) -> tuple[str | None, int]:
    """The usage that a word prohibits, and how many words after it belong to it; None if it is no prohibition."""
    bare = word.rstrip(",;:")
    if ("=" in bare and not ascii_lower(bare).startswith("disallow=")) or is_exact(bare):
        return None, 0
    if hyphened(bare).rstrip("-") == "allow" and (bare == word or hyphened(bare) != "allow"):
        return None, 0
    name = stated(words_of_name(bare.strip(QUOTES)))
    if name is None or not name.startswith("acap-disallow-"):
        return None, 0
    usage = name.removeprefix("acap-disallow-")
    if usage or not after:
        named = (usage, 0)
    else:
        counts = [count for count in (3, 2, 1) if count <= len(after) and is_known_usage(joined(after[:count]))]
        count = max(counts, default=1)
        named = (joined(after[:count]), count)
    first = words_of_name(bare.strip(QUOTES))[0]
    if not usage and first in PROHIBITING[1:] and not is_known_usage(named[0]):
        return ("", 0) if due else (None, 0)  # what follows is prose; an id in a list may be `block`
    return named


def nearly_permitted(word: str, after: Sequence[str], *, is_divided: bool, due: bool) -> tuple[str | None, int]:
    """The usage that a misspelt permission is of, known or near to one that is, and how many words after it belong to
    it."""
    bare = word.rstrip(",;:")
    if ("=" in bare and not (due or ascii_lower(bare).startswith("allow="))) or (is_exact(bare) and not is_divided):
        return None, 0
    if not is_divided and hyphened(bare) == "allow" and bare == word:
        return None, 0
    name = stated(words_of_name(bare.strip(QUOTES)))
    if name is None or not name.startswith("acap-allow-"):
        return None, 0
    usage, count = name.removeprefix("acap-allow-"), 0
    if not usage and after:
        counts = [count for count in (3, 2, 1) if count <= len(after) and is_known_usage(joined(after[:count]))]
        count = max(counts, default=1)
        usage = joined(after[:count])
    if bare == word and hyphened(bare) == "allow-":
        return (usage, count) if count else (None, 0)
    usage = usage.translate({ord(sign): None for sign in ",;="})
    return (usage, count) if is_known_usage(usage) or nearly_known(usage) else (None, 0)


def is_exact(word: str) -> bool:
    """Whether a word is a permission or prohibition as it should be."""
    return re.fullmatch(r"(?:disallow-|allow-(?![,;]+$)).+", hyphened(word), re.DOTALL) is not None


def joined(words: Sequence[str]) -> str:
    """Words as the name of one usage."""
    return hyphened("-".join(words).rstrip(",;:"))


def belong_together(word: str, next_: str) -> bool:
    """Whether a blank between two words is one beside the `=` of a qualifier; a statement is no part of any."""
    return (next_.startswith("=") and not starts_statement(word)) or (
        word.endswith("=") and not starts_statement(next_)
    )


def starts_statement(word: str) -> bool:
    """Whether a word is the effect and usage with which a statement begins."""
    return EFFECT.fullmatch(hyphened(word)) is not None


def parted(word: str) -> list[str]:
    """A word without the commas and semicolons after a statement in it."""
    if starts_statement(word):
        parts = [part for part in re.split("[,;]", word) if part]
        if hyphened(parts[0]) == "allow-":
            parts[0] = word[: len(parts[0]) + 1]  # a mark is no usage, nor does it lead to one
        return parts
    return [word]


def listed(text: str) -> Iterator[str]:
    """The usages behind the first comma or semicolon of each prohibition, which are prohibited too (our choice).

    Words that are no usage end no list, a permission does.
    """
    prohibits = lists = False
    before = ""
    words: list[str] = []  # since a mark
    for piece in re.findall("[^ \t\n\f\r\xa0,;]+|[,;]", text):
        if piece in {",", ";"}:
            lists, words = prohibits, []
            continue
        word = hyphened(re.sub(r"\A(?:(?![()])[\W_])+|(?:(?![()])[\W_])+\Z", "", piece))
        if not word:
            continue
        name = stated(words_of_name(word)) or ""
        is_divided = any(divides(verb_, before, word) for verb_ in ("allow", "disallow"))
        begins_ = is_divided or "disallow" in word or name.startswith("acap-disallow-")
        if begins_ or word.startswith("allow") or name.startswith("acap-allow-"):
            prohibits, lists = begins_, False
        elif lists:
            words.append(word)
            runs = ("-".join(words[-count:]) for count in range(1, min(3, len(words)) + 1))
            yield from filter(is_usage, runs)
        before = word


def read_statements(words: Sequence[str]) -> Iterator[Said]:
    """The statements among the words. What stands before the first is its purposes."""
    starts = [at for at, word in enumerate(words) if starts_statement(word)]
    before = list(words[: (*starts, 0)[0]])
    for start, end in zip(starts, [*starts, len(words)][1:], strict=True):
        effect, usage = effect_of(words[start])
        lifts, doubtful = effect != NEARLY, effect == EITHER
        effect = effect.removeprefix("~")
        value = read_value(words[start + 1 : end])
        strays = value.strange
        permits = effect == "allow"
        # A stray word between statements is a purpose of the next only if that permits (our choice).
        written = before if permits or start == starts[0] else []
        is_odd_first = not permits and start == starts[0] and not all(map(is_purpose, written))
        is_between = not written and any(any(map(str.isalnum, word)) for word in before)
        is_for_any = is_odd_first or any(map(hides, written)) or is_between
        purposes = tuple(word.rstrip(",;") or word for word in written)
        odd = tuple(word for word in purposes if not is_every(word) and not any(map(str.isalnum, word)))
        if odd and permits:
            value = replace(value, strange=(*value.strange, *odd))
        every = is_for_any or any(map(is_every, purposes))
        lifts = lifts and not (permits and is_for_any)
        named = () if every else tuple(word for word in purposes if any(map(str.isalnum, word)))
        restricts = bool(value.qualifiers or value.strange or usage.startswith("(") or usage.endswith(")"))
        if lifts or doubtful or restricts:
            yield Said(effect, usage, value, named, lifts=lifts, doubtful=doubtful, is_for_any=is_for_any)
        if permits and value.strange and words[start + 1 : end]:  # a blank may divide the usage
            whole = usage + hyphened(words[start + 1].rstrip(",;:"))
            if not is_usage(usage) and is_usage(whole):
                yield Said(effect, whole, value, named, lifts=False, is_for_any=is_for_any)
        # what restricts a misspelt usage restricts the one that it may be
        for near in nearly_known(usage) if permits and restricts else []:
            yield Said(effect, near, value, named, lifts=False, is_for_any=is_for_any)
        before = list(strays)


def read_value(words: Sequence[str]) -> Value:
    """The qualifiers after a statement, and the words that are none. After a comma a value goes on."""
    qualifiers: list[tuple[str, str]] = []
    strange: list[str] = []
    left = list(words)
    while left:
        name, equals, value = left.pop(0).partition("=")
        if not equals or not name:
            strange += [word for word in [name + equals + value] if word.strip(",;")]
            continue
        while value.endswith(",") and left:
            value += " " + left.pop(0)
        qualifiers.append((name, value.rstrip(",;")))
    return Value((), tuple(qualifiers), tuple(strange))


def effect_of(word: str) -> tuple[str, str]:
    """The effect of a statement's first word, and what it names."""
    found = EFFECT.fullmatch(hyphened(word))
    assert found is not None
    return (found[1], found[2]) if found[1] else (found[3], found[4])


def read_classes(element: Element) -> Iterator[Said]:
    """The statements in an element's class attribute: basic ones, for any crawler and every purpose (P2 2.2.5)."""
    tokens = [token for token in re.split("[ \t\n\f\r]+", element.attributes.get("class", "")) if token]
    for before, token in zip(["", *tokens], tokens, strict=False):
        if before and not is_whole(token):
            divided = [said.usage_name for said in read_token(before + token)] if is_whole(before + token) else []
            known = spelt_as_token(before) if is_whole(before) else set()
            if letters_of(before) in MARKS or spelt_as_token(before + token) - known:
                divided += untold(spelt_as_token(before + " " + token), divided)
                yield from (Said("disallow", usage, element=element) for usage in divided)
            is_mark = letters_of(before) in MARKS
            if is_mark and permits_known(before + token):
                yield replace(next(read_token(before + token)), element=element, lifts=False)
            else:
                joined_usages = spelt_as_token(before + token, "allow") - spelt_as_token(before, "allow")
                yield from (Said("allow", usage, element=element, lifts=False) for usage in sorted(joined_usages))
        found = list(read_token(token))
        is_free = all(said.effect == "allow" for said in found) and not spelt_as_token(token)
        known = {usage for name in names(found) for usage in meant(name)} | spelt_as_token(token)
        found += [Said("disallow", usage) for usage in behind_mark(token) if is_free or not meant(usage) <= known]
        yield from (replace(said, element=element) for said in found)
        told = [said.usage_name for said in found if said.effect == "disallow"]
        yield from (Said("disallow", usage, element=element) for usage in untold(spelt_as_token(token), told))
        permitted = spelt_as_token(token, "allow").difference(said.usage_name for said in found)
        yield from (Said("allow", usage, element=element, lifts=False) for usage in sorted(permitted))


def behind_mark(token: str) -> list[str]:
    """The usages that are prohibited behind a mark anywhere in a token of a class, whatever signs divide them."""
    found = re.search("acap:.*", token, re.IGNORECASE | re.DOTALL)
    rest = found[0] if found else ""
    if re.search(r"[ \t\n\f\r\xa0](?:[^\W_]|-)*\Z", token[: found.start()] if found else ""):
        return []  # a no-break space divides no tokens
    if len(rest.encode()) > 1_000:
        return [""] if "disallow" in ascii_lower(rest) else []
    words = words_of_name("".join(letter if letter.isalnum() or letter in "()" else " " for letter in rest))
    found_usages = prohibited_among(words)
    if found_usages:
        rest = "".join(letter if letter.isalnum() or letter in "()-" else "," for letter in rest)
        found_usages += sorted(set(listed(rest)))
    return found_usages


def meant(name: str) -> set[str]:
    """The known usages of a prohibition of this name; none of a local one, or of an unknown one."""
    return set() if name.startswith("(") or not is_usage(name) else set(read_prohibited(name))


def is_whole(token: str) -> bool:
    """Whether a token of a class is a permission or prohibition as it should be."""
    prefix = CLASS_PREFIX.match(token)
    return prefix is not None and is_exact(in_line(token[prefix.end() :]))


def permits_known(token: str) -> bool:
    """Whether a token of a class permits a usage, as it should."""
    prefix = CLASS_PREFIX.match(token)
    rest = hyphened(in_line(token[prefix.end() :])) if prefix else ""
    return rest.startswith("allow-") and is_known_usage(rest.removeprefix("allow-"))


def read_token(token: str) -> Iterator[Said]:
    """What one token of a class states."""
    prefix = CLASS_PREFIX.match(token)
    if prefix is None:
        yield from (Said("disallow", usage) for usage in nearly_prohibited(token))
        permitted = permissions_behind(token)
        if permitted and is_known_usage(hyphened(in_line(permitted)).removeprefix("allow-")):
            yield Said("allow", hyphened(in_line(permitted)).removeprefix("allow-"), lifts=False)
        return
    rest = in_line(token[prefix.end() :])
    words = words_of_name(rest)
    if is_exact(rest):
        yield Said(*effect_of(rest))
        return
    name = stated(words) or somewhere(words) or ""
    if name.startswith("acap-disallow-"):
        yield Said("disallow", name.removeprefix("acap-disallow-"))
    if name.startswith("acap-allow-") and is_known_usage(name.removeprefix("acap-allow-")):
        yield Said("allow", name.removeprefix("acap-allow-"), lifts=False)
