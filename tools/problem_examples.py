"""A file for each code of `acap.problems.CATALOGUE`: the page on problems shows what it gives.

It is the example of the rule of lint with that name; here stand files that lint does not read, or not as a file: with
embedded metadata, of a site that is known, not retrieved.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import md5
from io import BytesIO
from typing import Literal, cast
from zipfile import ZipFile, ZipInfo

import acap
from acap.pages.embedded.limits import MAX_OCTETS, MAX_PARTS
from acap.problems import CATALOGUE, DocumentKind, Long, problem
from acap.publish.lint.catalogue import rules
from acap.publish.lint.document import Document
from acap.publish.lint.rule import Rule, legible, octets_of

SITE = "https://www.example.com"


@dataclass(frozen=True, slots=True)
class Example:
    """A file with the problem; `shown` is what the page shows of it where the octets themselves would not do.

    `kind` is what it is: what lint reads, a file with embedded metadata, or a name of `READERS`.
    """

    octets: bytes
    shown: str = ""
    kind: DocumentKind | Literal["file", "tdmrep-of-site", "c2pa"] = "robots"

    def problem(self, code: str) -> acap.Problem:
        """The problem as the readers report it. Raises LookupError if they don't."""
        for found in self.problems():
            if found.code == code:
                return found
        raise LookupError(f"the example of `{code}` does not have that problem, but {self.problems()}")

    def problems(self) -> tuple[acap.Problem, ...]:
        """All that the readers report."""
        if self.kind == "file":
            return acap.parse_embedded(self.octets, url=f"{SITE}/news/a.jpg").problems
        if self.kind in READERS:
            return READERS[self.kind](self.octets)
        name = "robots.txt" if self.kind == "robots" else "news/a"
        found = Document(self.octets, name, cast("DocumentKind", self.kind), url=f"{SITE}/{name}").problems
        return tuple(problem for each in found.values() for problem in each)

    def text(self) -> str:
        """The file as the page shows it, without the last line end."""
        return self.shown or self.octets.decode().removesuffix("\n")

    def place(self, problem: acap.Problem) -> str:
        """Where the problem is, in words."""
        if problem.line:
            return f"Line {problem.line}"
        return "The page" if self.kind == "page" else "The file"


def _in_tdmrep(octets: bytes) -> tuple[acap.Problem, ...]:
    return acap.parse_tdmrep(octets or None, url=f"{SITE}/.well-known/tdmrep.json").problems


def _in_file_with_manifest(octets: bytes) -> tuple[acap.Problem, ...]:
    found = acap.parse_embedded(octets)
    return (*found.problems, problem("cawg-missing-package", 0, 0, ("c2pa",), ""))


READERS = {
    "c2pa": _in_file_with_manifest,
    "tdmrep-of-site": _in_tdmrep,
}
"""The readers of what lint does not read, by the kind of an example."""


def _rule(rule: str, *others: str) -> Example:
    """A tdmrep.json of some rules."""
    return Example(("[" + ",\n ".join((rule, *others)) + "]\n").encode(), kind="tdmrep-of-site")


def _file(octets: bytes, shown: str) -> Example:
    return Example(octets, shown, "file")


_RESERVATION = '<meta property="tdm:reservation">1</meta>'
_PLUS = "http://ns.useplus.org/ldf/xmp/1.0/"
_CODES = "http://ns.useplus.org/ldf/vocab/"


def _packet(properties: str, *, plus: str = _PLUS) -> bytes:
    """An XMP packet by itself."""
    return (
        '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"\n'
        f'  xmlns:plus="{plus}" xmlns:tdm="http://www.w3.org/ns/tdmrep/">\n'
        f' <rdf:Description rdf:about="">\n  {properties}\n </rdf:Description>\n</rdf:RDF>\n'
    ).encode()


def _property(properties: str, *, plus: str = _PLUS) -> Example:
    """A packet of which the properties are shown."""
    declared = "" if plus == _PLUS else f'xmlns:plus="{plus}"\n'
    return _file(_packet(properties, plus=plus), declared + properties)


def _mining(code: str) -> Example:
    return _property(f"<plus:DataMining>{code}</plus:DataMining>")


def _book(meta: str) -> bytes:
    """An EPUB with one META element in its package, to which no prefix is bound."""
    octets = BytesIO()
    with ZipFile(octets, "w") as archive:
        archive.writestr(ZipInfo("META-INF/container.xml"), '<container><rootfile full-path="a.opf"/></container>')
        opf = f'<package xmlns="http://www.idpf.org/2007/opf"><metadata>{meta}</metadata></package>'
        archive.writestr(ZipInfo("a.opf"), opf)
    return octets.getvalue()


def _jpeg(body: bytes) -> bytes:
    """A JPEG with one APP1 segment, and without pixels."""
    return b"\xff\xd8\xff\xe1" + (len(body) + 2).to_bytes(2, "big") + body + b"\xff\xda\0\2\xff\xd9"


_OPEN = b"<x:xmpmeta>" + _packet("<tdm:reservation>1</tdm:reservation>") + b"</x:xmpmeta>"
_EXTENSION = b"http://ns.adobe.com/xmp/extension/\0"
_HEAD = b"%PDF-1.7\n"
_ENCRYPTED = b"/Encrypt<</Filter/Standard/V 1/R 2/P -4/O<%b>/U<%b>>>/ID[<00><00>]" % (b"00" * 32, b"00" * 32)


def _pdf(filters: bytes, more: bytes = b"") -> bytes:
    """A PDF of metadata alone, which has a filter; `more` stands in its trailer."""
    catalogue = b"1 0 obj<</Type/Catalog/Metadata 2 0 R>>endobj\n"
    metadata = b"2 0 obj<</Length 1%b>>stream\nx\nendstream endobj\n" % filters
    first = len(_HEAD)
    second = first + len(catalogue)
    table = second + len(metadata)
    places = b"0000000000 65535 f \n%010d 00000 n \n%010d 00000 n \n" % (first, second)
    trailer = b"trailer<</Size 3/Root 1 0 R%b>>\nstartxref\n%d\n%%%%EOF\n" % (more, table)
    return _HEAD + catalogue + metadata + b"xref\n0 3\n" + places + trailer


# Octets that a page of text cannot show, and how they are written there.
SHOWN = {
    "partial-byte-order-mark": "<EF BB>User-agent: *\nDisallow: /private/",
    "decoded-utf-16": "<FF FE>User-agent: *\nDisallow: /private/\n(two octets a character)",
    "invalid-utf-8": "User-agent: *\nDisallow: /caf<E9>/",
    "nul-octet": "User-agent: *\nDisallow: /a<00>b",
    "control-character": "User-agent: *\nDisallow: /private<01>/a",
    "false-utf-16-mark": "<FF FE>User-agent: *\nDisallow: /private/",
    "packed-file": "<1F 8B 08 00> and so on",
    "page-entangled": "<p>\n<b id=0>\n<b id=1>\n… up to <b id=999>\n<p>x<p>x<p>x… 1,000 times",
}


def _of_rule(rule: Rule) -> Example:
    """The first example of the rule of lint that bears the name of a problem."""
    first = rule.examples[0]
    shown = SHOWN.get(rule.code, "") or (legible(first.bad).removesuffix("\n") if isinstance(first.bad, Long) else "")
    return Example(octets_of(first.bad), shown, first.kind)


EXAMPLES: dict[str, Example] = {
    **{code: _of_rule(rule) for code, rule in rules().items() if code in CATALOGUE},
    "embedded-unknown-format": _file(b"GIF89a", "GIF89a"),
    "embedded-damaged-file": _file(b"\xff\xd8\xff\xe1\0", "<a JPEG of five octets>"),
    "embedded-cut-file": _file(b"II*\0" + bytes(MAX_OCTETS), f"<a TIFF of {MAX_OCTETS + 4:,} octets>"),
    "embedded-limit": _file(
        b"\xff\xd8" + b"\xff\xe0\0\2" * (MAX_PARTS + 1), f"<a JPEG of {MAX_PARTS + 1:,} empty segments>"
    ),
    "embedded-encrypted": _file(_pdf(b"", _ENCRYPTED), "<a PDF that opens with a password only>"),
    "embedded-missing-package": _file(
        _pdf(b"/Filter/JBIG2Decode"), "<a PDF whose metadata is packed with a filter that needs another program>"
    ),
    "embedded-damaged-xmp": _property("<plus:DataMining>"),
    "embedded-bad-encoding": _file(
        _packet("<plus:DataMining>é</plus:DataMining>").replace("é".encode(), b"\xe9"),
        "<plus:DataMining><E9></plus:DataMining>",
    ),
    "embedded-document-type": _file(
        b"<!DOCTYPE x>\n" + _packet("<tdm:reservation>1</tdm:reservation>"),
        "<!DOCTYPE x>\n<tdm:reservation>1</tdm:reservation>",
    ),
    "embedded-no-rdf": _file(_jpeg(b"http://ns.adobe.com/xap/1.0/\0<x/>"), "<a JPEG with the XMP> <x/>"),
    "embedded-unread-rdf": _file(
        _jpeg(b"http://ns.adobe.com/xap/1.0/\0<x><y/></x>"), "<a JPEG with the XMP> <x><y/></x>"
    ),
    "embedded-extension-incomplete": _file(
        _jpeg(_EXTENSION + b"0" * 32 + bytes([0, 0, 0, 9]) + bytes(4) + b"<x/>"),
        "<a JPEG with 4 of 9 octets of extended XMP>",
    ),
    "embedded-extension-unreferenced": _file(
        _jpeg(_EXTENSION + md5(b"<x/>").hexdigest().encode() + bytes([0, 0, 0, 4]) + bytes(4) + b"<x/>"),
        "<a JPEG with extended XMP, and no packet that refers to it>",
    ),
    "embedded-namespace": _property(f"<plus:DataMining>{_CODES}DMI-PROHIBITED</plus:DataMining>", plus=_PLUS[:-1]),
    "embedded-property-case": _property(f"<plus:dataMining>{_CODES}DMI-PROHIBITED</plus:dataMining>"),
    "embedded-bare-code": _mining("DMI-PROHIBITED"),
    "embedded-code-case": _mining(f"{_CODES}dmi-prohibited"),
    "embedded-vocabulary-uri": _mining(f"{_CODES.replace('http:', 'https:')}DMI-PROHIBITED"),
    "embedded-unknown-value": _mining("All rights reserved"),
    "embedded-empty-value": _mining(""),
    "embedded-nothing-to-see": _mining(f"{_CODES}DMI-PROHIBITED-SEECONSTRAINT"),
    "embedded-stray-packet": _file(_jpeg(b"") + _OPEN, "<a JPEG with XMP behind its end>"),
    "embedded-manifest": _file(
        _jpeg(b"JP\0\1\0\0\0\1\0\0\0\x30jumb\0\0\0\x1ejumdc2pa\0\x11\0\x10\x80\0\0\xaa\0\x38\x9b\x71"),
        "<a JPEG with a C2PA manifest>",
    ),
    "embedded-tdm-value": _property("<tdm:reservation>yes</tdm:reservation>"),
    "embedded-property-near": _property("<tdm:reservations>1</tdm:reservations>"),
    "embedded-tdm-policy": _property("<tdm:reservation>1</tdm:reservation>\n<tdm:policy>ask us</tdm:policy>"),
    "cawg-missing-package": Example(b"\xff\xd8", "<a JPEG with a C2PA manifest, without the package c2pa>", "c2pa"),
    "tdmrep-not-had": Example(b"", "<status 503>", "tdmrep-of-site"),
    "tdmrep-other-site": _rule('{"location": "https://www.example.org/", "tdm-reservation": 1}'),
    "embedded-epub-meta": _file(_book(_RESERVATION), _RESERVATION),
    "embedded-tdm-policy-alone": _property("<tdm:policy>https://www.example.com/licences</tdm:policy>"),
}
"""An example for every code."""
