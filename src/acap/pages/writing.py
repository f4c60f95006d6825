"""Statements written as a page carries them: META tags, class tokens, X-Robots-Tag. Reading them back gives the same.

    written = acap.page_statements([acap.Statement(dialect="acap", usage="index", outcome="prohibited")])
    written.meta      # ('<meta name="robots" content="ACAP disallow-index">',)

A statement that the form cannot express is refused, never omitted, as the result would mean less.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from html import escape
from types import MappingProxyType

from acap import _native
from acap._native import Statement
from acap.pages import words
from acap.pages.page import PagePolicy
from acap.pages.statements import HEADER, META, NOSNIPPET
from acap.restrictions import TABLE, restriction

Meaning = tuple[str, tuple[str, str] | None]
"""A usage and its restriction; without one it is prohibited."""


@dataclass(frozen=True, slots=True)
class PageStatements:
    """Statements as a page carries them.

    `meta` are whole META tags; `elements` gives for each element, by its locator, the attributes to add to it;
    `headers` are names and values.
    """

    meta: tuple[str, ...]
    elements: Mapping[str, Mapping[str, str]]
    headers: tuple[tuple[str, str], ...]


def page_statements(statements: PagePolicy | Iterable[Statement]) -> PageStatements:
    """Writes statements in the form of their dialect: `acap`, `robots-meta`, `x-robots-tag`, `data-nosnippet`.

    Args:
        statements: statements about one page, or a page whose own are written.

    Raises:
        ValueError: a statement cannot be expressed: a dialect or an outcome without such a form, a restriction on an
            element, a name with blanks, a set of usages for which there is no conventional word.
    """
    given = statements.statements() if isinstance(statements, PagePolicy) else tuple(statements)
    acap = [one for one in given if one.dialect == "acap"]
    on_page = [one for one in acap if one.part == "page"]
    elements: dict[str, dict[str, str]] = {}
    for statement in given:
        if statement.part == "element":
            _add(elements, statement, given)
        elif statement.part != "page" or statement.dialect not in ("acap", META, HEADER):
            raise _cannot(statement, "pages have no form for it")
    meta = [_tag(one.crawler or "robots", _content(one)) for one in on_page]
    if any(_is_later(value) for one in on_page for _, value in one.restrictions):
        meta.insert(0, _tag("robots", "ACAP Version 1.1"))
    page_words = _by_crawler(one for one in given if one.dialect == META and one.part == "page")
    meta += [_tag(crawler or "robots", ", ".join(_words(list_))) for crawler, list_ in page_words]
    headers = []
    for crawler, list_ in _by_crawler(one for one in given if one.dialect == HEADER and one.part == "page"):
        prefix = f"{crawler}: " if crawler else ""
        headers.append(("X-Robots-Tag", prefix + ", ".join(_words(list_))))
    frozen = {element: MappingProxyType(attributes) for element, attributes in elements.items()}
    return PageStatements(tuple(meta), MappingProxyType(frozen), tuple(headers))


def _cannot(statement: Statement, why: str) -> ValueError:
    return ValueError(
        f"`{statement.outcome} {statement.usage}` of dialect `{statement.dialect}` cannot be written: {why}"
    )


def _tag(name: str, content: str) -> str:
    return f'<meta name="{escape(name)}" content="{escape(content)}">'


def _verb(statement: Statement) -> str:
    if statement.outcome == "conditional":
        raise _cannot(statement, "nothing says that a use is conditional")
    if not re.fullmatch(r"[a-z0-9][a-z0-9._-]*", statement.usage):
        raise _cannot(statement, "that is not the name of a usage")
    return f"{'allow' if statement.outcome == 'permitted' else 'disallow'}-{statement.usage}"


def _content(statement: Statement) -> str:
    if statement.crawler is not None and (
        statement.crawler.lower() == "robots" or not re.fullmatch(_NAME, statement.crawler)
    ):
        raise _cannot(statement, f"`{statement.crawler}` is not the name of a crawler")
    content = " ".join(
        ["ACAP", *([statement.purpose] if statement.purpose else []), _verb(statement), *_qualifiers(statement)]
    )
    version, read, problems = _native.read_tags([content, "ACAP Version 1.1"], [])
    understood = version == "1.1" and len(read) == 1 and not any(code in _MISREAD for code, _, _ in problems)
    if not understood or read[0][1:5] != (
        statement.outcome == "permitted",
        statement.usage,
        False,
        _purpose(statement.purpose),
    ):
        raise _cannot(statement, f"`{content}` would be read otherwise")
    return content


_NAME = r"[A-Za-z0-9._-]+"
_MISREAD = frozenset(
    {"acap-stray-text", "acap-several-statements", "acap-unknown-qualifier", "acap-bad-value", "acap-second-version"}
)
"""Problems which show that a content is not read as it was meant."""


def _purpose(purpose: str | None) -> str | None:
    return None if purpose in (None, "", "*") else purpose


def _qualifiers(statement: Statement) -> Iterator[str]:
    if statement.restrictions and statement.outcome != "permitted":
        raise _cannot(statement, "a prohibition is not qualified (P2 2.2.4)")
    for name, value in statement.restrictions:
        if name not in TABLE or not TABLE[name].acap:
            raise _cannot(statement, f"ACAP does not know the restriction `{name}`")
        yield f"{name}={_escaped(value)}"


def _escaped(value: str) -> str:
    """A value with white space written `%xnnnn`, except the blank after the comma of an element set (P1 4.5.6)."""
    kept = re.sub(r",\s+(?=\S)", ",", value)
    kept = re.sub(r"[\s\u00a0]", lambda found: f"%x{ord(found[0]):04X}", kept)
    return re.sub(r"[,;]$", lambda found: f"%x{ord(found[0]):04X}", kept)


def _is_later(value: str) -> bool:
    """Whether a value needs version 1.1."""
    plain = restriction("must-use-resource", value).plain.lower()
    return plain.removeprefix("the-").startswith(("acap:idlist:", "acap:classlist:", "acap:taglist:"))


def _add(elements: dict[str, dict[str, str]], statement: Statement, statements: tuple[Statement, ...]) -> None:
    if statement.element is None:
        raise _cannot(statement, "it names no element")
    attributes = elements.setdefault(statement.element, {})
    if statement.dialect == NOSNIPPET:
        hidden = {word.usage for word in statements if word.dialect == NOSNIPPET and word.element == statement.element}
        plain = statement.outcome == "prohibited" and not (statement.purpose or statement.crawler)
        if not plain or hidden != set(words.TEXTS):
            raise _cannot(statement, "data-nosnippet prohibits snippets and extracts, old ones too, and nothing else")
        attributes[NOSNIPPET] = ""
        return
    if statement.dialect != "acap":
        raise _cannot(statement, "elements have no form for it")
    if statement.restrictions or statement.purpose or statement.crawler:
        raise _cannot(statement, "a class attribute holds basic permissions alone, addressed to any crawler (P2 2.2.5)")
    token = f"the-acap:{_verb(statement)}"
    if token not in attributes.get("class", "").split():
        attributes["class"] = f"{attributes.get('class', '')} {token}".strip()


def _by_crawler(statements: Iterable[Statement]) -> list[tuple[str | None, list[Statement]]]:
    found: dict[str | None, list[Statement]] = {}
    for statement in statements:
        if statement.crawler is not None and not re.fullmatch(_NAME, statement.crawler):
            raise _cannot(statement, f"`{statement.crawler}` is not the name of a crawler")
        found.setdefault(statement.crawler, []).append(statement)
    return list(found.items())


def _words(statements: list[Statement]) -> list[str]:
    """The conventional words that mean exactly these statements."""
    left: dict[Meaning, Statement] = {}
    for statement in statements:
        if statement.outcome == "conditional" or (
            statement.outcome == "permitted" and len(statement.restrictions) != 1
        ):
            raise _cannot(statement, "conventional words only take away")
        left[(statement.usage, statement.restrictions[0] if statement.outcome == "permitted" else None)] = statement
    wanted = set(left)
    out: list[str] = []
    for word in (*_PLAIN, *_valued(wanted)):
        meaning = _meaning(word)
        if meaning <= wanted and meaning & set(left):
            out.append(word)
            for part in meaning:
                left.pop(part, None)
    for one in left.values():
        raise _cannot(one, "no conventional word means just that")
    return out


# Each word stands before those that mean a part of it.
_PLAIN = ("none", "noindex", "nofollow", "noarchive", "nosnippet", "noimageindex", "noimageai", "noai", "notranslate")


def _meaning(word: str) -> frozenset[Meaning]:
    (found,) = words.read(word, agents=False)
    return frozenset((usage, rule.restriction) for rule in found.rules_for("generic") for usage in rule.usages)


def _valued(wanted: set[Meaning]) -> list[str]:
    out = ["max-image-preview:none"]
    for _, found in sorted(wanted, key=repr):
        name, value = found or ("", "")
        if name == "max-length" and value.endswith("-chars"):
            out.append(f"max-snippet:{value.removesuffix('-chars')}")
        elif name in ("max-image-preview", "max-video-preview"):
            out.append(f"{name}:{value}")
        elif name == "time-limit" and value.startswith("until-"):
            out.append(f"unavailable_after: {value.removeprefix('until-')}")
    return list(dict.fromkeys(out))
