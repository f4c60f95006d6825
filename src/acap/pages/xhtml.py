"""XHTML read as XML, as browsers do where the media type says so (HTML standard 14.2; XML 1.0; Namespaces in XML).

The laws of this module:

1. Nothing outside the text is loaded: XHTML's public identifiers stand for the character entities of HTML, every other
   external entity for nothing.
2. The text before a fault counts. A limit that was hit is no fault: the text after it is unknown.
3. Nothing raises on content; time and memory are linear in the text, whatever its entities expand to.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from html import escape
from html.entities import html5
from typing import Any, NamedTuple
from xml.parsers import expat

from acap import _native
from acap.pages.decoders import encoding_of, text_of

NAMESPACE = "http://www.w3.org/1999/xhtml"

PUBLIC = frozenset(
    {
        "-//W3C//DTD XHTML 1.0 Transitional//EN",
        "-//W3C//DTD XHTML 1.1//EN",
        "-//W3C//DTD XHTML 1.0 Strict//EN",
        "-//W3C//DTD XHTML 1.0 Frameset//EN",
        "-//W3C//DTD XHTML Basic 1.0//EN",
        "-//W3C//DTD XHTML 1.1 plus MathML 2.0//EN",
        "-//W3C//DTD XHTML 1.1 plus MathML 2.0 plus SVG 1.1//EN",
        "-//W3C//DTD MathML 2.0//EN",
        "-//WAPFORUM//DTD XHTML Mobile 1.0//EN",
    }
)
"""Public identifiers for which browsers know the entities of HTML (HTML standard 14.2)."""

MAX_ENTITIES = 100
"""Most entities that a page may declare itself; real pages declare none. Beyond that everything is prohibited."""

MAX_SUBSET = 65_536
"""Most characters of these declarations."""

MAX_EXPANDED = 64 * 1024 * 1024
"""Most characters that entities may expand to, twice as many as a page may have."""

_CHUNK = 32_768

Tokens = tuple[str, ...]


class Fault(NamedTuple):
    """The place where a text is no longer XML, and why."""

    line: int
    column: int
    message: str


class Event(NamedTuple):
    """A piece of the content of elements with statements: where one begins (its tokens, and whether it has
    `data-nosnippet`), where it ends (neither), or text without white space."""

    tokens: Tokens | None = None
    nosnippet: bool = False
    text: str = ""


class LimitError(Exception):
    """A limit was hit: its number, and what it counts."""


class _RootError(Exception):
    """The root was read, which is enough."""


def decode(octets: bytes, charset: str | None) -> tuple[str, bool]:
    """The text of an XML document, and whether some octets are invalid in its encoding (XML 1.0 4.3.3; RFC 7303 3)."""
    for mark, name in ((b"\xef\xbb\xbf", "UTF-8"), (b"\xfe\xff", "UTF-16BE"), (b"\xff\xfe", "UTF-16LE")):
        if octets.startswith(mark):
            return text_of(octets[len(mark) :], name)
    label = charset or _declared(octets)
    found = encoding_of(label) if label else "UTF-8"
    text, replaced = text_of(octets, found or "UTF-8")
    return text, replaced or found is None


_DECLARED = re.compile(rb"""<\?xml[^>]*?[ \t\r\n]encoding[ \t\r\n]*=[ \t\r\n]*["']([^"'<>]*)["']""")


def _declared(octets: bytes) -> str | None:
    for head, name in ((b"<\0?\0", "UTF-16LE"), (b"\0<\0?", "UTF-16BE")):
        if octets.startswith(head):
            return name
    match = _DECLARED.match(octets[:1024])
    return match[1].decode("latin-1") if match else None


def is_xhtml(text: str) -> bool | None:
    """Whether the root of a document is `html` in XHTML's namespace; None if no root can be read."""
    reader = _XhtmlReader(text, root_alone=True)
    try:
        reader.read()
    except LimitError:
        return None
    return reader.is_xhtml


class Xhtml:
    """The result of the XML reading of a page.

    `metas` are the names and contents of META elements outside templates. `carriers` are the tokens of elements with
    statements, `events` their content. `html` is the same tree written as HTML. `fault` is where reading had to stop.
    """

    __slots__ = ("carriers", "events", "fault", "html", "metas")

    def __init__(self, reader: _XhtmlReader, fault: Fault | None) -> None:
        self.metas = tuple(reader.metas)
        self.events = tuple(reader.events())
        self.carriers = tuple(one for one in self.events if one.tokens is not None)
        self.html = "".join(reader.html)
        self.fault = fault


def read(text: str) -> Xhtml | None:
    """Reads a page as XML; None if its root is not that of XHTML.

    Raises:
        LimitError: the entities it declares expand to too much text.
    """
    reader = _XhtmlReader(text)
    fault = reader.read()
    return None if reader.is_xhtml is False else Xhtml(reader, fault)


_VOID = frozenset(
    {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr"}
)
_TEXTLESS = frozenset({"script", "style", "xmp", "iframe", "noembed", "noframes", "plaintext"})
"""Elements whose content HTML reads as text; it is not text of the page."""

_KNOWN_SPACES = {
    "http://www.w3.org/2000/svg": "",
    "http://www.w3.org/1998/Math/MathML": "",
    "http://www.w3.org/XML/1998/namespace": "xml:",
    "http://www.w3.org/1999/xlink": "xlink:",
}
_SPACE = re.compile(r"\s+")
_REFERENCE = re.compile(r"&([A-Za-z_:][\w.:-]*);")
_LITERAL = re.compile(r"<!--.*?(?:-->|\Z)|<!\[CDATA\[.*?(?:\]\]>|\Z)|<\?.*?(?:\?>|\Z)", re.DOTALL)
_OWN = frozenset({"amp", "lt", "gt", "quot", "apos"})


class _XhtmlReader:
    def __init__(self, text: str, *, root_alone: bool = False) -> None:
        self.text = text
        self.is_xhtml: bool | None = None
        self.metas: list[tuple[str, str]] = []
        self.html: list[str] = []
        self._root_alone = root_alone
        self._events: list[Event | str] = []
        self._carries: list[bool] = []  # for each open element
        self._tags: list[str] = []
        self._templates = 0
        self._textless = 0
        self._declared: dict[str, str] = {}
        self._in_doctype = False
        self._loading = False
        # There are external declarations, which are not loaded, or an entity was skipped.
        self._unloaded = False
        self._skipped = False
        self._parser = parser = expat.ParserCreate("utf-8", " ")
        parser.buffer_text = True
        parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_ALWAYS)
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._characters
        parser.StartDoctypeDeclHandler = self._doctype
        parser.EndDoctypeDeclHandler = self._doctype_ends
        parser.EntityDeclHandler = self._declares
        parser.ExternalEntityRefHandler = self._external
        parser.SkippedEntityHandler = self._skips

    def read(self) -> Fault | None:
        """Reads the text up to its end, or to where it is not XML.

        Raises:
            LimitError: a limit was hit.
        """
        octets = self.text.encode("utf-8", "replace")
        began = 0
        try:
            for start in range(0, len(octets), _CHUNK):
                self._parser.Parse(octets[start : start + _CHUNK], False)
                began = began or (start if self._in_doctype else 0)
                if self._in_doctype and start - began > MAX_SUBSET:
                    raise LimitError(MAX_SUBSET, "characters of declarations")
            self._parser.Parse(b"", True)
        except _RootError:
            return None
        except expat.ExpatError as error:
            if error.code == _AMPLIFIED:
                raise LimitError(MAX_EXPANDED, "characters that entities stand for") from None
            return Fault(error.lineno, error.offset + 1, expat.errors.messages.get(error.code, "no XML"))
        if self._skipped or (self._unloaded and self._refers_outside()):
            return Fault(self._parser.CurrentLineNumber, 1, "an entity is declared where no reader looks")
        return None

    def events(self) -> Iterator[Event]:
        """The content of elements with statements, with the texts between two of their tags as one."""
        text: list[str] = []
        for one in self._events:
            if isinstance(one, str):
                text.append(one)
                continue
            if text:
                yield from text_event(text)
                text = []
            yield one
        yield from text_event(text)

    def _refers_outside(self) -> bool:
        known = self._declared.keys() | _OWN
        return any(name not in known for name in _REFERENCE.findall(_LITERAL.sub(" ", self.text)))

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        space, _, local = name.rpartition(" ")
        if self.is_xhtml is None:
            self.is_xhtml = (space, local) == (NAMESPACE, "html")
            if self._root_alone or not self.is_xhtml:
                raise _RootError
        ours = space == NAMESPACE
        classes = attributes.get("class", "")
        tokens = tuple(_native.class_tokens(classes)) if classes else ()
        nosnippet = "data-nosnippet" in attributes
        carries = bool(tokens) or nosnippet
        if carries:
            self._events.append(Event(tokens, nosnippet))
        self._carries.append(carries)
        if ours and local == "meta" and not self._templates:
            self.metas.append((attributes.get("name", "").strip(), attributes.get("content", "")))
        tag = local if ours or space in _KNOWN_SPACES else f"x-{local}"
        tag = "pre" if tag == "plaintext" else tag
        self._tags.append(tag)
        self._templates += ours and local == "template"
        self._textless += ours and local in _TEXTLESS
        self.html.append(f"<{tag}{''.join(_attributes(attributes))}>")

    def _end(self, name: str) -> None:
        space, _, local = name.rpartition(" ")
        ours = space == NAMESPACE
        self._templates -= ours and local == "template"
        self._textless -= ours and local in _TEXTLESS
        if self._carries.pop():
            self._events.append(Event())
        tag = self._tags.pop()
        if tag not in _VOID:
            self.html.append(f"</{tag}>")

    def _characters(self, text: str) -> None:
        if not self._textless:
            self._events.append(text)
            self.html.append(escape(text, quote=False))

    def _doctype(self, *named: Any) -> None:
        _, system, public, _ = named
        self._in_doctype = True
        self._unloaded = (system is not None or public is not None) and public not in PUBLIC

    def _doctype_ends(self) -> None:
        self._in_doctype = False
        if self._declared and _longest(self._declared) * self.text.count("&") > MAX_EXPANDED:
            raise LimitError(MAX_EXPANDED, "characters that entities stand for")

    def _declares(self, name: str, parameter: int, value: str | None, *_: str | None) -> None:
        if parameter or self._loading:
            return
        self._declared.setdefault(name, value or "")
        if len(self._declared) > MAX_ENTITIES:
            raise LimitError(MAX_ENTITIES, "entities of its own")

    def _external(self, *named: str | None) -> int:
        context, _, _, public = named
        if public in PUBLIC and self._in_doctype:
            self._loading = True
            self._parser.ExternalEntityParserCreate(context, "utf-8").Parse(_entities(), True)
            self._loading = False
        else:
            self._skipped = self._skipped or not self._in_doctype
            self._unloaded = True
        return 1

    def _skips(self, *named: Any) -> None:
        _, is_parameter = named
        self._skipped = self._skipped or not is_parameter


_AMPLIFIED = 43
"""Expat's own limit on the expansion of entities (XML_ERROR_AMPLIFICATION_LIMIT_BREACH)."""


def text_event(parts: list[str]) -> Iterator[Event]:
    """The event of a text, if it is more than white space."""
    if text := _SPACE.sub("", "".join(parts)):
        yield Event(text=text)


def _attributes(attributes: dict[str, str]) -> Iterator[str]:
    for name, value in attributes.items():
        space, _, local = name.rpartition(" ")
        if not space or space in _KNOWN_SPACES:
            yield f' {_KNOWN_SPACES.get(space, "")}{local}="{escape(value)}"'


def _longest(declared: dict[str, str]) -> int:
    """Most characters that any of these entities expands to; more than the limit if one contains itself."""
    known: dict[str, int] = {}

    def length(name: str, around: frozenset[str]) -> int:
        if name in around:
            return MAX_EXPANDED + 1
        if name not in known:
            value = declared.get(name, "")
            within = sum(length(other, around | {name}) for other in _REFERENCE.findall(value))
            known[name] = min(len(value) + within, MAX_EXPANDED + 1)
        return known[name]

    return max(length(name, frozenset()) for name in declared)


@cache
def _entities() -> bytes:
    """The declarations of HTML's character entities, without those of XML (HTML standard 13.5)."""

    def written(text: str) -> str:
        # A character that would be markup after expansion is escaped twice.
        return "".join(f"&#38;#{ord(one)};" if one in "&<" else f"&#{ord(one)};" for one in text)

    named = ((name[:-1], text) for name, text in html5.items() if name.endswith(";") and name[:-1] not in _OWN)
    return "".join(f'<!ENTITY {name} "{written(text)}">' for name, text in named).encode()
