"""Format for documents of other dialects: tdmrep.json, ai.txt, licence documents of RSL.

Laws, as of `acap.publish.format`: what is formatted is read as before, nothing in it is dropped, and what is formatted
twice is formatted once. Where that cannot be held the document is refused.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from types import MappingProxyType
from xml.parsers import expat
from xml.sax.saxutils import escape, quoteattr

from acap.dialects.ai_txt import AiTxt, parse_ai_txt
from acap.dialects.rsl.policy import parse_rsl
from acap.dialects.tdmrep import parse_tdmrep
from acap.problems import DocumentKind
from acap.publish.format import format_robots

_SITE = "https://site.invalid"


def format_source(octets: bytes, kind: DocumentKind) -> bytes:
    """A document of a dialect with one layout.

    Raises:
        ValueError: it cannot be read as such a document, or not be laid out without losing something.
    """
    if kind not in _LAYOUTS:
        raise ValueError(f"format lays out robots.txt, {', '.join(_LAYOUTS)}")
    layout, read = _LAYOUTS[kind]
    before, out = read(octets), layout(octets)
    if before != read(out) or layout(out) != out:
        raise ValueError("it would be read otherwise in another layout")
    return out


def _tdmrep(octets: bytes) -> bytes:
    """An array with a rule a line; members keep their order, and values stay as they are written."""
    file = parse_tdmrep(octets, url=_SITE)
    if file.state != "read":
        raise ValueError(file.problems[0].message)
    rules = json.loads(octets.decode("utf-8-sig"), object_pairs_hook=_object, parse_int=_Written, parse_float=_Written)
    lines = ",\n".join(f"  {_value(rule)}" for rule in rules)
    return (f"[\n{lines}\n]\n" if rules else "[]\n").encode()


class _Written(str):
    """A number as it is written."""

    __slots__ = ()


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    members = dict(pairs)
    if len(members) < len(pairs):
        raise ValueError("an object has a member twice")
    return members


def _value(value: object) -> str:
    """A JSON value in one line."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)}: {_value(each)}" for key, each in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_value, value)) + "]"
    return str(value) if isinstance(value, _Written) else json.dumps(value)


def _ai_txt(octets: bytes) -> bytes:
    """As a robots.txt, whose grammar it has."""
    file = parse_ai_txt(octets, url=_SITE)
    if file.state != "read":
        raise ValueError(file.problems[0].message)
    return format_robots(octets)


def _meaning(octets: bytes) -> object:
    """What an ai.txt says, without where it says it."""
    file: AiTxt = parse_ai_txt(octets, url=_SITE)
    rules = () if file.policy is None else tuple((field.kind, field.value) for field in file.policy.outline.fields)
    return file.state, file.sure, rules


def _rsl(octets: bytes) -> bytes:
    """An element a line, below those that it is in; attributes, comments and prefixes stay."""
    document = parse_rsl(octets)
    if not document.is_whole:
        raise ValueError(document.problems[0].message)
    written = _Xml()
    parser = expat.ParserCreate()
    parser.ordered_attributes = True
    parser.buffer_text = True
    parser.StartElementHandler = written.start
    parser.EndElementHandler = written.end
    parser.CharacterDataHandler = written.text
    parser.CommentHandler = written.comment
    parser.ProcessingInstructionHandler = written.refuse
    try:
        parser.Parse(octets, True)
    except expat.ExpatError as error:
        raise ValueError(f"it is not XML: {error}") from error
    return "\n".join(['<?xml version="1.0" encoding="UTF-8"?>', *written.lines, ""]).encode()


class _Xml:
    """Lines of XML, from what a parser tells. An element with a text alone is one line; one with both is refused."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._depth = 0
        self._open = ""
        self._text = ""

    def start(self, name: str, attributes: list[str]) -> None:
        self._children()
        pairs = zip(attributes[::2], attributes[1::2], strict=True)
        self._open = "".join([f"<{name}", *(f" {key}={quoteattr(value)}" for key, value in pairs)])
        self._depth += 1

    def end(self, name: str) -> None:
        self._depth -= 1
        text = escape(self._text.strip(), {"\r": "&#13;"})
        if self._open:
            self._line(f"{self._open}>{text}</{name}>" if text else f"{self._open}/>")
        elif text:
            self.refuse("text", "")
        else:
            self._line(f"</{name}>")
        self._open = self._text = ""

    def text(self, text: str) -> None:
        self._text += text

    def comment(self, text: str) -> None:
        self._children()
        self._line(f"<!--{text}-->")

    def refuse(self, _target: str, _data: str) -> None:
        raise ValueError("it has text beside elements, or processing instructions, which have no place in a layout")

    def _children(self) -> None:
        """Ends the tag that is open, for something is in its element."""
        if self._text.strip():
            self.refuse("text", "")
        if self._open:
            self._depth -= 1
            self._line(f"{self._open}>")
            self._depth += 1
        self._open = self._text = ""

    def _line(self, text: str) -> None:
        self.lines.append(f"{'  ' * self._depth}{text}")


_LAYOUTS: Mapping[DocumentKind, tuple[Callable[[bytes], bytes], Callable[[bytes], object]]] = MappingProxyType({
    "tdmrep": (_tdmrep, lambda octets: parse_tdmrep(octets, url=_SITE).rules),
    "ai-txt": (_ai_txt, _meaning),
    "rsl": (_rsl, parse_rsl),
})  # fmt: skip
