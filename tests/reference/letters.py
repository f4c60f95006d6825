"""Prohibitions as their letters and digits spell them, whatever signs and blanks a slip has put between.

A mark, a verb and a usage that are one slip from right ones prohibit what the right ones do.
"""

from __future__ import annotations

import re
from functools import lru_cache

from .slips import MARKS, fold, slipped
from .usages import COMPOSITES, USAGES, plurals, read_prohibited

VERB = "disallow"
USAGE_FORMS = {
    fold(form): COMPOSITES.get(usage, (usage,)) for usage in (*USAGES, *COMPOSITES) for form in (usage, *plurals(usage))
}
FORMS = {VERB + form: usages for form, usages in USAGE_FORMS.items()}


def letters_of(text: str) -> str:
    """The letters and digits of a text; those beyond ASCII are alike, for no keyword has any."""
    return "".join(one.lower() if one.isascii() else "?" for one in text if one.isalnum())


@lru_cache(50_000)
def begins(text: str, word: str) -> bool:
    """Whether a text begins with a word, by one slip at most."""
    return any(slipped(text[:count], word) for count in (len(word) - 1, len(word), len(word) + 1))


def spelt(text: str) -> set[str]:
    """The usages that letters prohibit, the longest that each verb can be about."""
    found: set[str] = set()
    at = 0
    while at < len(text):
        if not text.startswith(VERB, at) and text.startswith(VERB, at + 1):
            at += 1
        if not begins(text[at : at + 9], VERB):
            at += 1
            continue
        near = [form for form in FORMS if begins(text[at : at + len(form) + 1], form)]
        for form in near:
            if not any(other != form and other.startswith(form) for other in near):
                found.update(FORMS[form])
        at += len(VERB) - 1
    return found


def spelt_in(text: str) -> set[str]:
    """The usages that a text prohibits."""
    return spelt(letters_of(text))


def spelt_after_mark(text: str) -> set[str]:
    """The usages that a text prohibits from the first word on that begins as a mark does."""
    words = [word for word in re.split(r"[\W_]+", text) if letters_of(word)]
    for place in range(len(words)):
        rest = letters_of("".join(words[place:]))
        if any(begins(rest, mark) for mark in MARKS):
            return spelt(rest)
    return set()


@lru_cache(20_000)
def spelt_as_token(token: str, verb: str = VERB) -> frozenset[str]:
    """The usages that a token of a class prohibits, or permits, one slip in all counted, in a letter or a sign."""
    text = letters_of(token)
    signs = sum(not one.isalnum() and one not in "-:_ " for one in token)
    found: set[str] = set()
    for mark in MARKS:
        for form, usages in USAGE_FORMS.items():
            whole = mark + verb + form
            allowed = 1 if len(text) < len(whole) else 0
            if text == whole or (signs <= allowed and slipped(text, whole)):
                found.update(usages)
    return frozenset(found)


def untold(spelt_usages: set[str] | frozenset[str], told: list[str]) -> list[str]:
    """Those usages that no prohibition of these names is of itself; one of a usage above is lifted more easily."""
    known = [usage for name in told if not name.startswith("(") for usage in read_prohibited(name)]
    return sorted(spelt_usages.difference(known))
