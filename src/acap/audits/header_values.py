"""The headers of a response in a table: pairs, structs, a mapping, JSON or Python's text of these, or its own lines.

Where it cannot be told where a header ends, or which is its name, what stands there may have been another header, which
prohibited: that cannot be read.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from acap import _native
from acap.audits.written import UnreadableValueError, brief, from_repr
from acap.column_names import HEADER_COLUMNS, NAMES, folded
from acap.json_members import Repeated, members
from acap.pages.declarations import speaks_in_header
from acap.pages.headers import pairs, why_not_all
from acap.pages.words import WordEffect, read_header
from acap.remembered import remembered
from acap.retrieval.answers import Headers

_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")  # RFC 9110 5.6.2
_FOLDED_STATUS = re.compile(r"[\r\n]*HTTP/[^\r\n]*\r?\n[ \t]+[^ \t\r\n]")
_STATUS_LINE = re.compile(r"HTTP/\d(?:\.\d)?[ \t]+(\d{3})(?:[ \t][^:\\\x00-\x08\x0a-\x1f\x7f]*)?", re.ASCII)
_STATUS = re.compile(r"[1-9]\d\d", re.ASCII)
_PSEUDO = ":status"  # RFC 9113 8.3.2: what HTTP/2 has in the place of that line
# RFC 9110 5.5: no value has these.
_NO_VALUE = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
# Ends of lines to some readers and none to HTTP, with what would be a header behind.
_SPLIT_BY_SOME = re.compile(r"[\x85\u2028\u2029][ \t]*+[!#$%&'*+.^_`|~0-9A-Za-z-]*+[ \t]*+:")
# The end of a line as files of Excel have it.
_OF_EXCEL = re.compile(r"_x000[AD]_", re.IGNORECASE)
_NAME_WITHIN = re.compile(r"""(?<![A-Za-z0-9_-])([A-Za-z][A-Za-z0-9_-]*+)\\?["']?[ \t]*+[:=]++[ \t]*+(<?)""")
# Such a name wherever it begins: behind `%0A`, `_x000D_`, or where nothing was left of the end of a line.
_GLUED = re.compile(rf"(?:{'|'.join(name.replace('-', '[-_]') for name in HEADER_COLUMNS)})[ \t]*+:", re.IGNORECASE)
_BARE = tuple(name.replace("-", "") for name in HEADER_COLUMNS)
# How values of languages begin that are none of a header; what no word to crawlers has, and what is a blank beside one.
_SHOWN_VALUE = re.compile(r"\s*[\[{(]")
_NO_WORDS = re.compile(r"[\[\]{}|\\<>]")
_NO_WORD = re.compile(r"[^\w:\s,;-]")
_SHOWN = re.compile(r"[A-Za-z_][A-Za-z0-9_.]*\(([\[({].*[\])}])\)|([\[({].*[\])}])", re.DOTALL)

_NAMES_OF_PAIRS = (("name", "value"), ("key", "value"), ("k", "v"), ("names", "values"), ("keys", "values"))
_NO_NAMES = frozenset({*NAMES["headers"], *(name for pair in _NAMES_OF_PAIRS for name in pair if len(name) > 1)})
"""Names of what holds headers, and of no header."""

_ESCAPED = frozenset("\\'\"nrtxuU")
"""What Python writes behind `\\`. Its parser warns of most others."""

_MOST_SHOWN = 2**20
"""Characters of Python's text of headers, of which its parser makes a hundred times as many octets."""


class HeaderBlock(NamedTuple):
    """Headers, and the status of the line that leads them."""

    status: int | None
    headers: Headers

    def why_not_all(self, size: int) -> str:
        """Why so many octets are not the whole body, in words; empty if nothing says so."""
        return why_not_all(size, pairs(self.headers))


def header_block(value: Any) -> HeaderBlock:
    """Headers: of pairs, structs, a mapping, JSON of these, or lines `Name: value`; none of null and an empty text.

    Raises:
        UnreadableValueError: it is none of these, or a part of it is not.
    """
    try:
        fields = () if value is None else tuple(_headers(value))
        statuses = {stated for name, stated in fields if name == _PSEUDO}
        headers = _with_dashes([field for field in fields if field[0] != _PSEUDO])
        if len(statuses) > 1 or not all(map(_STATUS.fullmatch, statuses)) or not all(map(_is_header, headers)):
            raise ValueError("a part of it is not a header")
    except (TypeError, ValueError, RecursionError) as error:
        raise UnreadableValueError(f"headers cannot be read: {brief(value)}") from error
    return HeaderBlock(next(map(int, statuses), None), headers)


def headers_of(value: Any) -> Headers:
    """The headers alone, as `header_block` has them."""
    return header_block(value).headers


def robots_evidence(value: Any, size: int) -> tuple[int | None, str]:
    """What the headers of a robots.txt tell of it, for the core: the status that leads them, and why it is not whole.

    Raises:
        UnreadableValueError: as `header_block`.
    """
    block = header_block(value)
    return block.status, block.why_not_all(size)


@remembered
def _is_name(text: str) -> bool:
    """Whether a text is the name of a header, and none of a header to crawlers that was written in another way."""
    if _TOKEN.fullmatch(text) is None or "'" in text or "`" in text or folded(text) in _NO_NAMES:
        return False
    bare = re.sub(r"[^a-z0-9]", "", text.lower())
    return speaks_in_header(text.lower()) or not bare.endswith(_BARE)


def _is_header(header: tuple[str, str]) -> bool:
    name, value = header
    if not _is_name(name) or _STATUS_LINE.fullmatch(value) or _native.has_written_header(value):
        return False
    if speaks_in_header(name.lower()) and _is_in_other_form(name.lower(), value):
        return False
    is_odd = any(odd.search(value) is not None for odd in (_NO_VALUE, _SPLIT_BY_SOME, _OF_EXCEL))
    return not is_odd and not _has_another(name, value)


def _is_in_other_form(name: str, value: str) -> bool:
    """Whether the value of a header to crawlers is a list, a set or a text of somebody's language, or has its name.

    Of TDM-Reservation whatever is not 0 reserves, and TDM-Policy only says more of that.
    """
    if name.startswith("tdm-"):
        return False
    if _SHOWN_VALUE.match(value) or _named(name).match(value):
        return True
    if name != "x-robots-tag":
        return value.startswith(("'", '"'))
    return _NO_WORDS.search(value) is not None or _restricting(value) != _restricting(_NO_WORD.sub(" ", value))


@remembered
def _named(name: str) -> re.Pattern[str]:
    return re.compile(rf"\W*{'[-_]'.join(map(re.escape, re.split('[-_]', name)))}\W*[:=]", re.IGNORECASE)


def _restricting(value: str) -> set[tuple[WordEffect, ...]]:
    return {word.rules for word in read_header(value)[0] if word.rules}


def _has_another(name: str, value: str) -> bool:
    """Whether a value has another header in it, one to crawlers: then several became one."""
    if ":" not in value and "=" not in value:
        return False
    if name.lower().replace("_", "-") not in HEADER_COLUMNS and _GLUED.search(value):
        return True
    for within, begins_url in _NAME_WITHIN.findall(value):
        known = within.lower().replace("_", "-")
        if speaks_in_header(known) and known != name.lower() and (known != "link" or begins_url):
            return True
    return False


def _with_dashes(headers: list[tuple[str, str]]) -> Headers:
    """Headers by their names, which somebody made those of columns, `X_Robots_Tag`: then no name has a dash.

    Raises ValueError where others have one, and nobody knows who wrote the name of a header to crawlers so.
    """
    if not any("_" in name for name, _ in headers):
        return tuple(headers)
    dashed = tuple((name.lower().replace("_", "-"), value) for name, value in headers)
    if not any("-" in name for name, _ in headers):
        return dashed
    for (name, _), (dashed_name, _) in zip(headers, dashed, strict=True):
        if speaks_in_header(dashed_name) and not speaks_in_header(name.lower()):
            raise ValueError("a name has `_` in the place of `-`, and others have not")
    return tuple(headers)


def _headers(value: Any) -> Iterator[tuple[str, str]]:
    value = from_repr(value)
    if isinstance(value, bytes):
        value = value.decode("latin-1")
    if isinstance(value, str):
        if _SHOWN.fullmatch(value.strip()) is None:
            yield from _header_lines(value)
            return
        value = _parsed(value.strip())
    if isinstance(value, (Mapping, Repeated)):
        value = _members(list(value.items() if isinstance(value, Mapping) else value))
    if not isinstance(value, (list, tuple)):
        raise ValueError("it is not a list")
    for header in value:
        name, stated = _pair(header)
        for text in stated if isinstance(stated, (list, tuple)) else (stated,):
            yield _text(name), _text(text)


def _parsed(text: str) -> Any:
    """The value of a text: of JSON, or of what Python shows of mappings and lists, `Headers({'a': 'b'})`.

    Raises ValueError for what is neither, and for a mapping in Python's text within another value.
    """
    with_json = _json(text)
    if with_json is not None:
        return with_json
    if len(text) > _MOST_SHOWN or not _ESCAPED.issuperset(re.findall(r"\\(.?)", text, re.DOTALL)):
        raise ValueError("it is neither JSON nor a text of Python's")
    shown = _SHOWN.fullmatch(text)
    try:
        tree = ast.parse("" if shown is None else shown[1] or shown[2], mode="eval").body
        if sum(isinstance(node, ast.Dict) for node in ast.walk(tree)) > isinstance(tree, ast.Dict):
            raise ValueError("a mapping is within another value")
        if isinstance(tree, ast.Dict):
            names = [ast.literal_eval(name) for name in tree.keys if name is not None]  # none: `**other`
            return Repeated(zip(names, map(ast.literal_eval, tree.values), strict=True))
        return ast.literal_eval(tree)
    except (SyntaxError, MemoryError) as error:
        raise ValueError("it is neither JSON nor a text of Python's") from error


def _json(text: str) -> Any:
    try:
        return json.loads(text, object_pairs_hook=members)
    except ValueError:
        return None


def _members(given: list[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
    """The headers of a mapping or struct: by their names, or as one column of names and one of values.

    A struct has a member for each header that any row has, which is null in the others.
    """
    known = {str(_text(name)).lower(): value for name, value in given}
    if len(given) == 2:
        for name, value in _NAMES_OF_PAIRS:
            if known.keys() == {name, value}:
                names, values = known[name], known[value]
                is_of_lists = isinstance(names, (list, tuple)) and isinstance(values, (list, tuple))
                return list(zip(names, values, strict=True)) if is_of_lists else [(names, values)]
    return [(name, value) for name, value in given if value is not None]


def _pair(header: Any) -> tuple[Any, Any]:
    """Name and value of one header."""
    if isinstance(header, (str, bytes)):
        (pair,) = _header_lines(_text(header))
        return pair
    if isinstance(header, (Mapping, Repeated)):
        given = list(header.items() if isinstance(header, Mapping) else header)
        known = {str(name).lower(): value for name, value in given}
        if len(known) < len(given):
            raise ValueError("a member is there twice")
        for name, value in _NAMES_OF_PAIRS:
            if known.keys() == {name, value}:
                return known[name], known[value]
        (pair,) = given
        return pair
    name, value = header
    return name, value


def _header_lines(text: str) -> Iterator[tuple[str, str]]:
    """Lines of headers, with those that are folded as one (RFC 9112 5.2); a status line may lead them.

    Raises ValueError for a line without a name, and for one that would be a part of the status line (RFC 9112 2.2).
    """
    if _FOLDED_STATUS.match(text):
        raise ValueError("a blank leads the first header")
    unfolded = re.sub(r"\r?\n[ \t]+", " ", text.strip("\r\n"))
    for number, line in enumerate(re.split(r"\r?\n", unfolded)):
        if not line.strip():
            continue
        if number == 0 and line.startswith("HTTP/"):
            led = _STATUS_LINE.fullmatch(line)
            if led is None:
                raise ValueError("what leads them is no line of a status alone")
            yield _PSEUDO, led[1]
            continue
        name, colon, value = line.partition(":")
        if not colon:
            raise ValueError("a line has no name")
        yield _text(name.strip()), _text(value.strip(" \t\r"))


def _text(value: Any) -> str:
    value = from_repr(value)
    if isinstance(value, bytes):
        return value.decode("latin-1")
    if isinstance(value, bool) or not isinstance(value, (str, int)):
        raise ValueError("it is not a text")
    return str(value)
