"""Octets to a small tree of elements: strict XML, without document types, entities and anything external.

Expat keeps no stack of its own on the way, so depth costs nothing but what is counted here.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from xml.parsers import expat

from acap.dialects.rsl.document import NAMESPACE

# A licence has less than 1 KiB; a site with a thousand of them is far beyond any that is known.
MAX_OCTETS = 1 << 20
# RSL has five levels; feeds add some of their own.
MAX_DEPTH = 64
MAX_ELEMENTS = 20_000
MAX_ATTRIBUTES = 64
# XML readers must know the first two; a name more would be looked for among Python's codecs, and kept there.
ENCODINGS = ("utf-8", "utf-16", "us-ascii", "iso-8859-1")


@dataclass(slots=True)
class XmlNode:
    """An element with its namespace, name, attributes without a namespace, text, and place."""

    space: str
    name: str
    attributes: dict[str, str]
    line: int
    column: int
    text: str = ""
    children: list[XmlNode] = field(default_factory=list)

    @property
    def is_ours(self) -> bool:
        """Whether it is in the namespace of RSL."""
        return self.space == NAMESPACE

    def named(self, name: str) -> list[XmlNode]:
        """Its children of a name in the namespace of RSL."""
        return [child for child in self.children if child.is_ours and child.name == name]


class _Refused(Exception):  # noqa: N818  it ends a reading, and is not an error of a program
    def __init__(self, code: str, *words: str) -> None:
        super().__init__(code)
        self.code = code
        self.words = words


class Tree:
    """The root as far as the octets could be read, and why that is not to the end, as a code, its words and a place."""

    def __init__(self, octets: bytes | str, elements: int = MAX_ELEMENTS) -> None:
        """Reads no further than to so many elements."""
        self.root: XmlNode | None = None
        self.failure: tuple[str, tuple[str, ...], int, int] | None = None
        self._open: list[XmlNode] = []
        self._texts: list[list[str]] = []
        self._elements, self._most = 0, elements
        encoding = "utf-8" if isinstance(octets, str) else None
        data = octets.encode("utf-8", "replace") if isinstance(octets, str) else octets
        parser = expat.ParserCreate(encoding, namespace_separator=" ")
        parser.buffer_text = True
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._characters
        parser.StartDoctypeDeclHandler = self._refuse_type
        parser.XmlDeclHandler = self._declared
        parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
        self._parser = parser
        if len(data) > MAX_OCTETS:
            self.failure = ("rsl-limit", (f"the document has {len(data)} octets",), 0, 0)
            data = data[:MAX_OCTETS]
        try:
            parser.Parse(data, True)
        except _Refused as refused:
            self._fail(refused.code, refused.words, parser.CurrentLineNumber, parser.CurrentColumnNumber + 1)
        except expat.ExpatError as error:
            why = expat.ErrorString(error.code) or ""
            why = why if b"<" in data else "it has no tag; the name of a file is not its text"
            self._fail("rsl-not-xml", (why,), error.lineno, error.offset + 1)
        except (ValueError, LookupError) as error:  # an encoding that Python or expat do not know
            self._fail("rsl-not-xml", (" ".join(str(error).split())[:80],), 0, 0)
        while self._open:
            self._end("")
        # The parser and its handlers would keep each other.
        parser.StartElementHandler = parser.EndElementHandler = parser.CharacterDataHandler = None
        parser.StartDoctypeDeclHandler = parser.XmlDeclHandler = None
        del self._parser

    def _fail(self, code: str, words: tuple[str, ...], line: int, column: int) -> None:
        self.failure = self.failure or (code, words, line, column)

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        self._elements += 1
        if self._elements > self._most:
            raise _Refused("rsl-limit", f"the document has over {self._most} elements")
        if len(attributes) > MAX_ATTRIBUTES:
            raise _Refused("rsl-limit", f"an element has {len(attributes)} attributes")
        if len(self._open) >= MAX_DEPTH:
            raise _Refused("rsl-limit", f"elements are more than {MAX_DEPTH} deep")
        space, _, name = tag.rpartition(" ")
        own = {key: value for key, value in attributes.items() if " " not in key or key.startswith(f"{NAMESPACE} ")}
        parser = self._parser
        node = XmlNode(space, name, own, parser.CurrentLineNumber, parser.CurrentColumnNumber + 1)
        if self._open:
            self._open[-1].children.append(node)
        else:
            self.root = node
        self._open.append(node)
        self._texts.append([])

    def _end(self, tag: str) -> None:  # noqa: ARG002  expat names it
        self._open.pop().text = "".join(self._texts.pop()).strip()

    def _characters(self, text: str) -> None:
        if self._texts:
            self._texts[-1].append(text)

    def _declared(self, version: str, encoding: str | None, standalone: int) -> None:  # noqa: ARG002  expat names them
        if encoding is not None and encoding.lower() not in ENCODINGS:
            raise _Refused("rsl-not-xml", f"the encoding {encoding[:40]} is not read")

    def _refuse_type(self, *declared: object) -> None:  # noqa: ARG002  whatever it declares
        raise _Refused("rsl-document-type")
