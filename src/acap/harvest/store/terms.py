"""Words of texts and queries, as the index of either database has them: so both find the same.

A term is a word without case and marks, and each ideograph or kana by itself: a text in those has no spaces. What an
index cannot take is left out of both: terms of more than `TERM_OCTETS`, and of a text those beyond `TEXT_OCTETS`.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable
from functools import cache
from itertools import chain

MOST_WORDS = 32  # of a query
TERM_OCTETS = 2_046  # PostgreSQL takes 2,047 in a lexeme
TEXT_OCTETS = 900_000  # PostgreSQL takes 1 MiB in a vector, with what it needs for itself
_TITLE_OCTETS = 50_000
_OWN_OCTETS = 8  # that a term needs in a vector, beside its own

_ASCII = re.compile(r"[a-z0-9]+")
_WORD = re.compile(r"[^\W_]+")
# Kana, Han and what extends them; Hangul is written with spaces.
_ALONE = (
    "\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fd-\u30ff\u31f0-\u31ff"
    "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
_HAS_ALONE = re.compile(f"[{_ALONE}]")
_MARK = re.compile("[\u0300-\u036f]+")  # by far the most


def words_in(text: str) -> list[str]:
    """The words of a text as it has them, in its order."""
    return _WORD.findall(text)


def words_of(query: str) -> list[str]:
    """The different terms of a query, in its order; at most `MOST_WORDS`."""
    return terms_of(query)[:MOST_WORDS]


def terms_of(text: str, octets: int = TEXT_OCTETS) -> list[str]:
    """The different terms of a text in its order, as many as fit into `octets`."""
    terms = list(dict.fromkeys(_terms(text)))
    lengths = [len(term) for term in terms]
    if 4 * max(lengths, default=0) <= TERM_OCTETS and 4 * sum(lengths) + _OWN_OCTETS * len(terms) <= octets:
        return terms  # of at most four octets a character, so there is room for all
    kept: list[str] = []
    for term in terms:
        size = len(term) if term.isascii() else len(term.encode())
        if size > TERM_OCTETS:
            continue
        octets -= size + _OWN_OCTETS
        if octets < 0:
            break
        kept.append(term)
    return kept


def indexed_terms(title: str, body: str) -> tuple[list[str], list[str]]:
    """The terms of a title and of a body that have room in an index together."""
    return terms_of(title, _TITLE_OCTETS), terms_of(body)


def digest_of(title: Iterable[str], body: Iterable[str]) -> str:
    """SHA-256 of the terms of a text as an index has them: those of its title, and those of its body beside them."""
    in_title = set(title)
    text = "\n".join(("\0".join(sorted(in_title)), "\0".join(sorted(set(body) - in_title))))
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()


def _terms(text: str) -> list[str]:
    if text.isascii():
        return _ASCII.findall(text.lower())
    plain = _MARK.sub("", unicodedata.normalize("NFKD", text.casefold()))
    # NFKD may bring capitals again (of letters in circles), and folding may bring marks.
    plain = "".join(one for one in plain.casefold() if one.isascii() or not unicodedata.combining(one))
    return (_word_or_alone() if _HAS_ALONE.search(plain) else _marked_word()).findall(plain)


@cache
def _marks() -> str:
    """Marks that are letters by themselves, such as vowel signs: they end no word."""
    return "".join(
        chr(one)
        for one in chain(range(0x300, 0xD800), range(0xF900, 0x10000))
        if unicodedata.category(chr(one))[0] == "M" and not unicodedata.combining(chr(one))
    )


@cache
def _marked_word() -> re.Pattern[str]:
    return re.compile(f"(?:[^\\W_]|[{_marks()}])+")


@cache
def _word_or_alone() -> re.Pattern[str]:
    return re.compile(f"[{_ALONE}]|(?:(?![{_ALONE}])[^\\W_]|[{_marks()}])+")
