"""The properties of an XMP packet (ISO 16684-1): octets to XML to RDF, with every form that RDF/XML has for them.

Only the namespaces that speak of rights are kept. The XML is read without entities, document types and the network, and
every walk goes by a list of what waits, so that no depth of nesting matters.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from acap.dialects.spelling import one_slip
from acap.dialects.tdmrep import is_nearly_reservation
from acap.pages.embedded.findings import Findings
from acap.pages.embedded.limits import MAX_MARKUP

try:
    from lxml import etree  # type: ignore[import-untyped]  # it has no types
except ImportError:
    etree = None

PLUS = "http://ns.useplus.org/ldf/xmp/1.0/"
RIGHTS = "http://ns.adobe.com/xap/1.0/rights/"
DC = "http://purl.org/dc/elements/1.1/"
CC = "http://creativecommons.org/ns#"
IPTC = "http://iptc.org/std/Iptc4xmpExt/2008-02-29/"
PHOTOSHOP = "http://ns.adobe.com/photoshop/1.0/"
TDM = "http://www.w3.org/ns/tdmrep/"
NEARLY_TDM = "http://www.w3.org/ns/tdmrep"
"""Stands for every other spelling of that namespace, and of `reservation` in it: it reserves, and lifts nothing."""

NOTE = "http://ns.adobe.com/xmp/note/"

_RDF = "{http://www.w3.org/1999/02/22-rdf-syntax-ns#}"
_XML = "{http://www.w3.org/XML/1998/namespace}"
_ARRAYS = frozenset({f"{_RDF}Bag", f"{_RDF}Seq", f"{_RDF}Alt"})
# Steps of the syntax between a property and its value; they are no properties themselves.
_SYNTAX = frozenset({*_ARRAYS, f"{_RDF}li", f"{_RDF}Description", f"{_RDF}value"})
_MARKUP = re.compile("[<=]")
# In this order: the mark of UTF-32-LE begins like that of UTF-16-LE.
_MARKS = {b"\xff\xfe\0\0": "utf-32", b"\0\0\xfe\xff": "utf-32", b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}
# A reference to half a character: whoever recovers from it gives octets that are no text.
_HALF = re.compile(
    r"&#(?:x0*d[89a-f][0-9a-f]{2}|0*5(?:529[6-9]|5[3-9]\d\d|6\d{3}|7[0-2]\d\d|73[0-3]\d|734[0-3]));", re.IGNORECASE
)
_FEW = 50


def folded(namespace: str) -> str:
    """A namespace without what people write wrongly in it."""
    return namespace.strip().lower().replace("https://", "http://", 1).rstrip("/#")


def means_reservation(name: str) -> bool:
    """Whether a name in the namespace of TDMRep can only be meant for `reservation`."""
    return is_nearly_reservation(name) or is_nearly_reservation(f"tdm:{name}")


def means_tdm(namespace: str) -> bool:
    """Whether a namespace is that of TDMRep, or one slip away."""
    return one_slip(folded(namespace), folded(TDM))


_NAMESPACES = {folded(name): name for name in (PLUS, RIGHTS, DC, CC, IPTC, PHOTOSHOP, TDM, NOTE)}
# Properties that are statements: a slip of case must not make them say nothing.
_NAMES = {(PLUS, "datamining"): "DataMining", (TDM, "reservation"): "reservation", (TDM, "policy"): "policy"}


@dataclass(frozen=True, slots=True)
class Value:
    """One value of a property: a text, perhaps in a language, or a structure of fields (namespace, name, text)."""

    text: str
    language: str | None = None
    fields: tuple[tuple[str, str, str], ...] = ()

    def field(self, name: str) -> str | None:
        """The first field of a name, whatever its namespace."""
        return next((text for _, found, text in self.fields if found == name and text), None)

    def __str__(self) -> str:
        return self.text or ", ".join(text for _, _, text in self.fields if text)


@dataclass(frozen=True, slots=True)
class Property:
    """A property of the resource itself, and its values in order."""

    namespace: str
    name: str
    values: tuple[Value, ...]


def _decoded(octets: bytes, findings: Findings) -> str:
    """The text of a packet in UTF-8, UTF-16 or UTF-32, with or without a byte order mark (ISO 16684-1 7.1)."""
    first = max(octets.find(b"<"), 0)
    mark = next((mark for mark in _MARKS if octets.startswith(mark)), None)
    if mark is not None:
        encoding = _MARKS[mark]
    elif first % 4 == 3 and octets[first - 3 : first] == b"\0\0\0":
        encoding = "utf-32-be"
    elif first % 4 == 0 and octets[first + 1 : first + 4] == b"\0\0\0":
        encoding = "utf-32-le"
    elif first % 2 == 1 and octets[first - 1] == 0:
        encoding = "utf-16-be"
    elif first % 2 == 0 and octets[first + 1 : first + 2] == b"\0":
        encoding = "utf-16-le"
    else:
        encoding = "utf-8"
    try:
        text = octets.decode(encoding)
    except UnicodeDecodeError:
        findings.add("embedded-bad-encoding", encoding.upper())
        text = octets.decode(encoding, "replace")
    return text.strip("\ufeff\0\t\n\r ")


def _parsed(text: str, findings: Findings) -> Any:
    """The root element, as much of it as can be read; none where there is none, and where nothing here reads XML."""
    if etree is None:
        findings.add("embedded-missing-package", "lxml")
        return None
    for recover in (False, True):
        octets = (_HALF.sub("\ufffd", text) if recover else text).encode("utf-8", "replace")
        parser = etree.XMLParser(
            encoding="utf-8",  # whatever the XML declaration says
            resolve_entities=False,
            no_network=True,
            load_dtd=False,
            huge_tree=False,
            remove_comments=True,
            remove_pis=True,
            recover=recover,
        )
        try:
            return etree.fromstring(octets, parser)
        except etree.LxmlError as failure:
            findings.add("embedded-damaged-xmp", str(failure).partition(" (<")[0])
    return None


def _split(tag: str) -> tuple[str, str]:
    namespace, _, name = tag.rpartition("}")
    return namespace[1:], name


def _children(element: Any) -> list[Any]:
    # What is no element (an entity that was not resolved) has no text for a tag.
    return [child for child in element if isinstance(child.tag, str)]


class Reader:
    """Reads packets of one file; `room` is how much markup there may still be in them."""

    def __init__(self, findings: Findings) -> None:
        self.findings = findings
        self.room = MAX_MARKUP
        self._names: dict[str, tuple[str, str] | None] = {}

    def properties(self, octets: bytes) -> tuple[Property, ...]:
        """The properties of one packet."""
        text = _decoded(octets, self.findings)
        text = self._within(text)
        if "<!DOCTYPE" in text or "<!ENTITY" in text:
            self.findings.add("embedded-document-type")
            return ()
        if not text:
            return ()
        root = _parsed(text, self.findings)
        descriptions = [] if root is None else list(_descriptions(root))
        if root is not None and not descriptions and next(root.iter(f"{_RDF}RDF"), None) is None:
            # With elements one octet may hide what they say (our choice).
            self.findings.add("embedded-unread-rdf" if len(root) else "embedded-no-rdf")
        return tuple(found for description in descriptions for found in self._described(description))

    def _within(self, text: str) -> str:
        """The text as far as there is room for its markup."""
        markup = text.count("<") + text.count("=")
        if markup > self.room:
            self.findings.add("embedded-limit", f"the XMP has over {MAX_MARKUP} elements and attributes")
            last = next(islice(_MARKUP.finditer(text), self.room, None))
            text, markup = text[: last.start()], self.room
        self.room -= markup
        return text

    def _described(self, description: Any) -> Iterator[Property]:
        for tag, text in _attributes(description):
            if (name := self._name(tag)) is not None:
                yield Property(*name, (Value(text.strip()),))
        for element in _children(description):
            if (name := self._name(element.tag)) is not None:
                yield Property(*name, tuple(_values(element)))

    def _name(self, tag: str) -> tuple[str, str] | None:
        """The property's namespace, as it should be written, and its name; none if it isn't about rights."""
        if tag not in self._names:
            self._names[tag] = self._named(tag)
        return self._names[tag]

    def _named(self, tag: str) -> tuple[str, str] | None:
        written, name = _split(tag)
        namespace = _NAMESPACES.get(folded(written), TDM if means_tdm(written) else None)
        if namespace is None:
            return None
        if namespace != written:
            self.findings.add("embedded-namespace", written, namespace)
        known = _NAMES.get((namespace, name.lower()))
        if known is None and namespace == TDM and means_reservation(name):
            known = "reservation"
            self.findings.add("embedded-property-near", name, known)
        elif known not in (None, name):
            self.findings.add("embedded-property-case", name, known)
        known = known or name
        return (NEARLY_TDM if namespace == TDM and (written, name) != (TDM, known) else namespace), known


def _attributes(element: Any) -> list[tuple[str, str]]:
    if len(element.attrib) <= _FEW:
        return list(element.attrib.items())
    # lxml looks each value up from the first attribute on; this walks them once.
    return [(text.attrname, str(text)) for text in element.xpath("@*")]


def _descriptions(root: Any) -> Iterator[Any]:
    """The nodes within each rdf:RDF; whatever they are about, XMP knows one subject only (ISO 16684-1 7.4)."""
    waiting = [root]
    while waiting:
        element = waiting.pop()
        if element.tag == f"{_RDF}RDF":
            nodes = _children(element)[::-1]
            while nodes:
                node = nodes.pop()
                yield node
                # A description within a description, without a property between them, can only go on with it.
                nodes += [child for child in _children(node) if child.tag == f"{_RDF}Description"][::-1]
        else:
            waiting += _children(element)[::-1]


def _values(element: Any) -> Iterator[Value]:
    """The values of a property element: one, or those of an array."""
    if not len(element) and not len(element.attrib):  # most are a text and nothing else
        yield Value((element.text or "").strip())
        return
    waiting = [(element, element.get(f"{_XML}lang"))]
    while waiting:
        node, language = waiting.pop()
        arrays = [child for child in _children(node) if child.tag in _ARRAYS]
        if arrays:
            items = [(item, item.get(f"{_XML}lang", language)) for array in arrays for item in _children(array)]
            waiting += items[::-1]
        else:
            texts, fields = _fields(node)
            yield Value(texts[0] if texts else "", language, tuple(fields))
            # What has several texts may contradict itself: each counts.
            yield from (Value(text, language) for text in texts[1:])


def _fields(value: Any) -> tuple[list[str], list[tuple[str, str, str]]]:
    """The texts of a value, and its fields in order; a field of a field stands by its own name."""
    texts: dict[str, None] = {}
    fields: list[tuple[str, str, str]] = []
    waiting: list[tuple[Any, tuple[str, str] | None]] = [(value, None)]
    while waiting:
        element, name = waiting.pop()
        children = [] if element.get(f"{_RDF}parseType") == "Literal" else _children(element)
        for tag, written in _attributes(element):
            if tag.startswith("{") and not tag.startswith((_RDF, _XML)):
                fields.append((*_split(tag), written.strip()))
        found = [element.get(f"{_RDF}{place}") for place in ("resource", "value", "about")]
        if not children:
            found.append("".join(element.itertext()))
        own = dict.fromkeys(text.strip() for text in found if text and text.strip())
        if name is not None:
            fields += [(*name, text) for text in own or ([] if children else [""])]
        else:
            texts |= own
        waiting += [(child, name if child.tag in _SYNTAX else _split(child.tag)) for child in reversed(children)]
    return list(texts), fields
