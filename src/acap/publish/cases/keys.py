"""The keys of a file of cases: each with its type, and a message for a wrong value."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import fields
from datetime import UTC, date, datetime
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from acap.crawler_list import crawler_names
from acap.crawlers import PROFILES
from acap.decision import KINDS, Outcome
from acap.publish.cases.case import Case, CasesError, Expectation, Values
from acap.restrictions import TABLE, Facts
from acap.robots import DIALECTS

# The possible restrictions of a decision: the qualifiers, and those that the engine adds.
_RESTRICTIONS = (*TABLE, "excluded-purpose", "excluded-element")
_FACTS = tuple(field.name.replace("_", "-") for field in fields(Facts))
_OUTCOMES = tuple(map(str, Outcome))
# Keys with the same meaning, in the singular and the plural; a file or case has one of them.
_PAIRS = (("path", "paths", "url", "urls"), ("crawler", "crawlers"), ("usage", "usages"), ("purpose", "purposes"))
_OF_CASE = (
    "name",
    *(key for pair in _PAIRS for key in pair),
    "at",
    "facts",
    "dialect",
    "page",
    "headers",
    "profile",
    "elements",
    "expect",
    "restrictions",
    "restrictions-include",
    "line",
    "statement",
    "kind",
)
_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")  # RFC 9110 5.6.2


class Keys:
    """A table, and its place for the beginning of messages."""

    def __init__(self, table: Mapping[str, Any], place: str) -> None:
        self._table = table
        self._place = place

    def __contains__(self, key: str) -> bool:
        return key in self._table

    def error(self, key: str, text: str) -> CasesError:
        """What is wrong with the value of a key."""
        return CasesError(f"{self._place}: `{key}` {text}")

    def only(self, known: tuple[str, ...]) -> None:
        """Raises CasesError for a key that is not known."""
        for key in self._table:
            if key not in known:
                raise CasesError(f"{self._place}: unknown key `{key}`{nearest(key, known)}")

    def one_of(self, names: tuple[str, ...]) -> str | None:
        """The one of several equivalent keys that is present; they exclude each other."""
        given = [name for name in names if name in self._table]
        if len(given) > 1:
            raise self.error(given[1], f"stands beside `{given[0]}`; keep one of the two")
        return given[0] if given else None

    def text(self, key: str) -> str | None:
        """A text that is not empty."""
        value = self._table.get(key)
        if value is None:
            return None
        if not isinstance(value, str):
            raise self.error(key, f"is {_kind(value)}; it must be a text")
        if not value.strip():
            raise self.error(key, "is empty")
        return value

    def texts(self, key: str, *, empty: bool = False) -> tuple[str, ...]:
        """One text, or a list of them, each once; `empty`: a text may be."""
        value = self._table.get(key)
        if value is None:
            return ()
        values = value if isinstance(value, list) else [value]
        for one in values:
            if not isinstance(one, str):
                raise self.error(key, f"has {_kind(one)}; it must be a text, or a list of texts")
            if not one.strip() and not empty:
                raise self.error(key, "has an empty text")
        if not values:
            raise self.error(key, "is an empty list, so nothing would be checked")
        return tuple(dict.fromkeys(one.strip() for one in values))

    def word(self, key: str, known: tuple[str, ...]) -> str | None:
        """A text that is one of several."""
        value = self.text(key)
        if value is not None and value not in known:
            raise self.error(key, f"is `{value}`{nearest(value, known)}")
        return value

    def flag(self, key: str, *, default: bool) -> bool:
        """True or false."""
        value = self._table.get(key, default)
        if not isinstance(value, bool):
            raise self.error(key, f"is {_kind(value)}; it must be true or false")
        return value

    def numbers(self, key: str) -> tuple[int, ...]:
        """A number of a line, or a list of them."""
        value = self._table.get(key, [])
        values = value if isinstance(value, list) else [value]
        for one in values:
            if not isinstance(one, int) or isinstance(one, bool) or one < 1:
                raise self.error(key, "must be the number of a line of the robots.txt, from 1, or a list of them")
        return tuple(values)

    def instant(self, key: str) -> datetime | None:
        """A date, a date with a time, or either as a text; UTC where it has no offset."""
        value = self._table.get(key)
        if isinstance(value, str):
            try:
                value = datetime.fromisoformat(value.strip())
            except ValueError as error:
                text = f"is `{value}`, which is not a date or time; write 2026-11-20 or 2026-11-20T18:30:00Z"
                raise self.error(key, text) from error
        if isinstance(value, datetime):
            return value if value.tzinfo else value.replace(tzinfo=UTC)
        if isinstance(value, date):
            return datetime(value.year, value.month, value.day, tzinfo=UTC)
        if value is not None:
            raise self.error(key, f"is {_kind(value)}; write a date such as 2026-11-20")
        return None

    def table(self, key: str) -> Keys | None:
        """A table of its own."""
        value = self._table.get(key)
        if value is None:
            return None
        if not isinstance(value, dict):
            raise self.error(key, f'is {_kind(value)}; it must be a table, {{ name = "value" }}')
        return Keys(value, f"{self._place}: `{key}`")

    def texts_by_name(self, key: str) -> dict[str, str]:
        """A table of texts."""
        inner = self.table(key)
        return {} if inner is None else {name: inner.text(name) or "" for name in inner._table}

    def values_by_name(self, key: str) -> Values | None:
        """A table of restrictions, each with one value or several."""
        inner = self.table(key)
        if inner is None:
            return None
        inner.only(_RESTRICTIONS)
        return {name: inner.texts(name) for name in inner._table}


def case_of(
    table: Mapping[str, Any],
    defaults: Mapping[str, Any],
    *,
    file: str,
    number: int,
    line: int,
    folder: Path,
    site: str | None,
) -> Case:
    """One case, the `number`-th of a file that lies in `folder`. Raises `CasesError`."""
    name = table.get("name")
    called = f"case `{name}`" if isinstance(name, str) and name.strip() else f"case {number}"
    place = f"{file}:{line}: {called}" if line else f"{file}: {called}"
    Keys(table, place).only(_OF_CASE)
    keys = Keys(_with_defaults(table, defaults), place)
    if not (keys.text("name") or " ").isprintable():
        raise keys.error("name", "has a line break or a control character; keep it to one line")
    expected = _expectation(keys)
    page = keys.text("page")
    headers = tuple(_header(keys, text) for text in keys.texts("headers"))
    urls = _urls(keys, site)
    if page is not None and len(urls) > 1:
        raise keys.error("page", f"is one page, and the case has {len(urls)} URLs; give it the page's own")
    if "crawler" not in keys and "crawlers" not in keys:
        raise keys.error("crawler", 'is missing; name who asks, for example crawler = "Googlebot"')
    key = keys.one_of(("crawler", "crawlers")) or ""
    crawlers = keys.texts(key)
    if empty := next((crawler for crawler in crawlers if not crawler_names(crawler)), None):
        raise keys.error(key, f"has `{empty}`, which names no crawler")
    return Case(
        name=keys.text("name") or f"case {number}",
        line=line,
        urls=urls,
        crawlers=crawlers,
        usages=tuple(text.lower() for text in keys.texts(keys.one_of(("usage", "usages")) or "")) or ("crawl",),
        purposes=keys.texts(keys.one_of(("purpose", "purposes")) or "", empty=True) or ("",),
        expected=expected,
        at=keys.instant("at"),
        facts=_facts(keys),
        page=None if page is None else folder / page,
        headers=headers,
        dialect=keys.word("dialect", DIALECTS) or DIALECTS[0],
        profile=keys.word("profile", PROFILES) or PROFILES[0],
        elements=keys.flag("elements", default=True),
    )


def _with_defaults(table: Mapping[str, Any], defaults: Mapping[str, Any]) -> dict[str, Any]:
    """The case's own keys, and the file's keys that the case has in no form."""
    taken = {name for pair in _PAIRS for name in pair if any(key in table for key in pair)}
    return {key: value for key, value in defaults.items() if key not in taken} | dict(table)


def _urls(keys: Keys, site: str | None) -> tuple[str, ...]:
    key = keys.one_of(_PAIRS[0])
    if key is None:
        raise keys.error("path", 'is missing; name what is asked for, for example path = "/news/"')
    urls = keys.texts(key)
    for url in urls:
        if key.startswith("path") and not url.startswith("/"):
            raise keys.error(key, f"has `{url}`, which does not start with `/`; whole URLs are `url` or `urls`")
        if key.startswith("url") and not re.match("https?://[^/?#]", url, re.IGNORECASE):
            raise keys.error(key, f"has `{url}`, which is not a URL https://…; paths are `path` or `paths`")
    base = re.match("https?://[^/?#]+", site, re.IGNORECASE) if site else None
    return tuple(f"{base[0]}{url}" if base and url.startswith("/") else url for url in urls)


def _expectation(keys: Keys) -> Expectation:
    outcome = keys.word("expect", _OUTCOMES)
    if outcome is None:
        raise keys.error("expect", f"is missing; it is one of {', '.join(_OUTCOMES)}")
    keys.one_of(("restrictions", "restrictions-include"))
    return Expectation(
        outcome=outcome,
        restrictions=keys.values_by_name("restrictions"),
        restrictions_include=keys.values_by_name("restrictions-include"),
        lines=keys.numbers("line"),
        statements=tuple(" ".join(text.split()) for text in keys.texts("statement")),
        kind=keys.word("kind", KINDS),
    )


def _facts(keys: Keys) -> Facts | None:
    inner = keys.table("facts")
    if inner is None:
        return None
    inner.only(_FACTS)
    return Facts(**{name.replace("-", "_"): inner.instant(name) for name in _FACTS})


def _header(keys: Keys, text: str) -> tuple[str, str]:
    name, colon, value = text.partition(":")
    name, value = name.strip(), value.strip()
    if not colon or not _HEADER_NAME.fullmatch(name) or any(letter in value for letter in "\0\r\n"):
        raise keys.error("headers", f'has `{text}`, which is not a header; write it as "X-Robots-Tag: noindex"')
    return name, value


def nearest(word: str, known: Iterable[str]) -> str:
    """The end of a message about an unknown word: the nearest known one, else all of them."""
    words = list(known)
    close = get_close_matches(word.lower(), words, n=1, cutoff=0.6)
    return f"; did you mean `{close[0]}`?" if close else f"; known are {', '.join(words)}"


def _kind(value: object) -> str:
    names = {bool: "true or false", int: "a number", float: "a number", str: "a text", list: "a list", dict: "a table"}
    return names.get(type(value), "a date or time")
