"""The smallest file for each code of `acap.problems.CATALOGUE`: the page on problems shows what it gives."""

from __future__ import annotations

from dataclasses import dataclass
from gzip import compress
from hashlib import md5
from typing import Literal

import acap
from acap.carriers import carriers
from acap.pages.embedded.limits import MAX_OCTETS, MAX_PARTS
from acap.pages.html import MAX_CHARACTERS, MAX_TAGS

SITE = "https://www.example.com"


@dataclass(frozen=True, slots=True)
class Example:
    """A file with the problem; `shown` is what the page shows of it where the octets themselves would not do.

    `kind` is what it is: a robots.txt, a page, the value of an X-Robots-Tag header, a file with embedded metadata, or a
    response of which nothing is known.
    """

    octets: bytes
    shown: str = ""
    kind: Literal["robots", "page", "header", "file", "response"] = "robots"

    def problem(self, code: str) -> acap.Problem:
        """The problem as the readers report it. Raises LookupError if they don't."""
        for problem in self.problems():
            if problem.code == code:
                return problem
        raise LookupError(f"the example of `{code}` does not have that problem, but {self.problems()}")

    def problems(self) -> tuple[acap.Problem, ...]:
        """All that the readers report."""
        match self.kind:
            case "robots":
                return acap.parse_robots(self.octets, url=f"{SITE}/robots.txt").problems
            case "page":
                return acap.parse_page(self.octets, url=f"{SITE}/news/a.html").problems
            case "header":
                value = self.octets.decode()
                return acap.parse_page(None, url=f"{SITE}/news/a.pdf", headers={"X-Robots-Tag": value}).problems
            case "file":
                return acap.parse_embedded(self.octets, url=f"{SITE}/news/a.jpg").problems
            case "response":
                return carriers(self.octets, url=f"{SITE}/news/a").problems

    def text(self) -> str:
        """The file as the page shows it, without the last line end."""
        text = self.shown or self.octets.decode().removesuffix("\n")
        return f"X-Robots-Tag: {text}" if self.kind == "header" else text

    def place(self, problem: acap.Problem) -> str:
        """Where the problem is, in words."""
        if problem.line:
            return f"Line {problem.line}"
        return {"robots": "The file", "page": "The page", "header": "A header"}.get(self.kind, "The file")


def _acap(*lines: str) -> Example:
    """Lines of a record for any crawler."""
    return Example("".join(f"{line}\n" for line in ("ACAP-crawler: *", *lines)).encode())


def _lines(*lines: str) -> Example:
    return Example("".join(f"{line}\n" for line in lines).encode())


def _page(*lines: str, shown: str = "") -> Example:
    return Example("".join(f"{line}\n" for line in lines).encode(), shown, "page")


def _tag(content: str) -> Example:
    """A page with one META tag for any crawler."""
    return _page(f'<meta name="robots" content="{content}">')


def _xhtml(body: str) -> Example:
    return _page('<?xml version="1.0"?>', f'<html xmlns="http://www.w3.org/1999/xhtml"><body>{body}</body></html>')


def _header(value: str) -> Example:
    return Example(value.encode(), kind="header")


def _file(octets: bytes, shown: str) -> Example:
    return Example(octets, shown, "file")


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


EXAMPLES: dict[str, Example] = {
    "more-of-this": Example(
        b"User-agent: *\n" + b"Disalow: /a\n" * 5_001, shown="User-agent: *\nDisalow: /a\n… 5,000 times more"
    ),
    "missing-colon": _lines("User-agent: *", "Disallow /private/"),
    "misspelt-field": _lines("User-agent: *", "Dissallow: /private/"),
    "unknown-field": _lines("User-agent: *", "Disallow: /private/", "Deny: /drafts/"),
    "no-field": _lines("User-agent: *", "Please be polite to our server", "Disallow: /private/"),
    "rule-before-agent": _lines("Disallow: /private/", "User-agent: *", "Disallow: /drafts/"),
    "empty-agent": _lines("User-agent:", "Disallow: /private/"),
    "relative-pattern": _lines("User-agent: *", "Disallow: private/"),
    "absolute-rule": _lines("User-agent: *", "Disallow: https://www.example.com/private/"),
    "unreadable-value": _lines("User-agent: *", "Crawl-delay: ten"),
    "no-robots-txt": _lines("Unauthorized"),
    "packed-file": Example(b"\x1f\x8b\x08\0 and so on", shown="<1F 8B 08 00> and so on"),
    "cut-file": Example(
        b"User-agent: *\nDisallow: /a\n" + b"Disallow: /b\n" * 650_000,
        shown="User-agent: *\nDisallow: /a\nDisallow: /b\n… 649,999 times more",
    ),
    "overlong-line": Example(
        b"User-agent: *\nAllow: /" + b"a" * 20_000 + b"\n",
        shown="User-agent: *\nAllow: /aaaaaaaaaaaaaaaa… 20,000 letters",
    ),
    "partial-byte-order-mark": Example(
        b"\xef\xbbUser-agent: *\nDisallow: /private/\n", shown="<EF BB>User-agent: *\nDisallow: /private/"
    ),
    "decoded-utf-16": Example(
        "\ufeffUser-agent: *\nDisallow: /private/\n".encode("utf-16-le"),
        shown="<FF FE>User-agent: *\nDisallow: /private/\n(two octets a character)",
    ),
    "invalid-utf-8": Example(
        "User-agent: *\nDisallow: /café/\n".encode("latin-1"), shown="User-agent: *\nDisallow: /caf<E9>/"
    ),
    "nul-octet": Example(b"User-agent: *\nDisallow: /a\0b\n", shown="User-agent: *\nDisallow: /a<00>b"),
    "bad-content-usage": _lines("User-agent: *", "Content-Usage: Train-AI = n"),
    "guessed-signal": _lines("User-agent: *", "Content-Usage: train-ai=no"),
    "unknown-signal": _lines("User-agent: *", "Content-Signal: ai-train=perhaps"),
    "control-character": Example(b"User-agent: *\nAllow: /a\x01b\n", shown="User-agent: *\nAllow: /a<01>b"),
    "false-utf-16-mark": Example(
        b"\xff\xfeUser-agent: *\nDisallow: /private/\n", shown="<FF FE>User-agent: *\nDisallow: /private/"
    ),
    "acap-hyphen": _acap("ACAP-allow preserve: /"),
    "acap-unknown-field": _acap("ACAP-permit-crawl: /"),
    "acap-before-crawler": _lines("ACAP-disallow-crawl: /private/", "ACAP-crawler: *", "ACAP-allow-crawl: /"),
    "acap-no-crawler": _lines("ACAP-crawler:", "ACAP-allow-crawl: /"),
    "acap-crawler-name": _lines("ACAP-crawler: ExampleBot/1.0", "ACAP-allow-crawl: /"),
    "acap-several-crawlers": _lines("ACAP-crawler: SearchBot1, SearchBot2", "ACAP-allow-crawl: /"),
    "acap-any-beside-names": _lines("ACAP-crawler: *", "ACAP-crawler: SearchBot1", "ACAP-allow-crawl: /"),
    "acap-several-any-records": _acap("ACAP-allow-crawl: /", "ACAP-crawler: *", "ACAP-disallow-index: /drafts/"),
    "acap-misplaced-definition": _acap(
        "ACAP-allow-crawl: the-acap:resource-set:open", "ACAP-resource-set: open /news/ /sport/"
    ),
    "acap-bad-definition": _lines("ACAP-resource-set: open", "ACAP-crawler: *", "ACAP-allow-crawl: /"),
    "acap-duplicate-definition": _lines(
        "ACAP-resource-set: open /news/",
        "ACAP-resource-set: open /sport/",
        "ACAP-crawler: *",
        "ACAP-allow-crawl: the-acap:resource-set:open",
    ),
    "acap-undefined-usage": _lines(
        "ACAP-qualified-usage: short-copy preserve time-limit=7-days", "ACAP-crawler: *", "ACAP-allow-(shortcopy): /"
    ),
    "acap-undefined-set": _lines(
        "ACAP-resource-set: images /*.gif$ /*.png$",
        "ACAP-crawler: *",
        "ACAP-disallow-index: the-acap:resource-set:image",
    ),
    "acap-void-constituent": _lines(
        "ACAP-composite-usage: archive index (short-copy)", "ACAP-crawler: *", "ACAP-allow-(archive): /"
    ),
    "acap-plural": _acap("ACAP-allow-present-links: /news/"),
    "acap-unknown-usage": _acap("ACAP-allow-presnt: /"),
    "acap-guessed-usage": _acap("ACAP-disallow-presnt: /"),
    "acap-empty-purpose": _acap("ACAP-usage-purpose:", "ACAP-allow-crawl: /"),
    "acap-empty-resource": _acap("ACAP-allow-index:"),
    "acap-foreign-resource": _acap("ACAP-allow-index: https://www.example.org/news/"),
    "acap-unreadable-host": _acap("ACAP-disallow-crawl: http://*.example.com/private/"),
    "acap-relative-pattern": _acap("ACAP-disallow-crawl: private/"),
    "acap-qualifier-on-prohibition": _acap("ACAP-disallow-preserve: /news/ time-limit=30-days"),
    "acap-unknown-qualifier": _acap("ACAP-allow-index: / max-age=7-days"),
    "acap-bad-value": _acap("ACAP-allow-index: / time-limit=until-2009-02-30"),
    "acap-misplaced-qualifier": _acap("ACAP-allow-crawl: / time-limit=7-days"),
    "acap-older-word": _acap("ACAP-allow-index: / used-resource=/news/summary.txt"),
    "acap-later-version": _lines(
        "##ACAP version=1.0", "ACAP-crawler: *", "ACAP-allow-index: / must-use-resource=the-acap:idlist:lead,body"
    ),
    "acap-stray-text": _acap("ACAP-allow-index: / except images"),
    "acap-prohibited-local-usage": _lines(
        "ACAP-qualified-usage: short-copy preserve time-limit=7-days",
        "ACAP-crawler: *",
        "ACAP-disallow-(short-copy): /",
    ),
    "acap-permission-beside-reference": _lines(
        "ACAP-crawler: partnerbot", "ACAP-permissions-reference: /partner/robots.txt", "ACAP-allow-crawl: /"
    ),
    "acap-reference-of-words": _lines(
        "ACAP-crawler: partnerbot", "ACAP-permissions-reference: /partner/robots.txt and /partner/more.txt"
    ),
    "acap-request-in-sub-record": _acap(
        "ACAP-usage-purpose: news", "ACAP-allow-crawl: /", "ACAP-request-take-down: /news/mistake.html"
    ),
    "acap-request-wildcard": _acap("ACAP-request-re-crawl: /news/*"),
    "acap-too-much": Example(
        b"ACAP-crawler: *\n" + b"ACAP-allow-index: /a\n" * 10_001,
        shown="ACAP-crawler: *\nACAP-allow-index: /a\n… 10,000 times more",
    ),
    "acap-second-version": _lines("##ACAP version=1.1", "##ACAP version=1.0", "ACAP-crawler: *", "ACAP-allow-crawl: /"),
    "acap-several-statements": _tag("ACAP allow-index disallow-follow"),
    "acap-empty-tag": _tag("ACAP no-index"),
    "acap-guessed-field": _acap("ACAP-dissallow-index: /drafts/"),
    "acap-nearly-permission": _acap("ACAP-alow-index: /"),
    "acap-nearly-tag": _tag("ACP disallow-index"),
    "acap-unknown-prohibition": _acap("ACAP-disallow-screenshots: /"),
    "acap-broad-usage": _acap("ACAP-disallow-everything: /drafts/"),
    "acap-ignore-alone": _lines("ACAP-ignore-conventional-records", "ACAP-crawler: *", "ACAP-disallow-index: /drafts/"),
    "acap-unknown-version": _lines("ACAP-version: 3.0", "ACAP-crawler: *", "ACAP-allow-crawl: /"),
    "acap-empty-record": _acap("ACAP-allow-crawl: /", "ACAP-crawler: SearchBot1"),
    "acap-idle-purpose": _acap("ACAP-allow-crawl: /", "ACAP-usage-purpose: news"),
    "acap-odd-name": _lines("ACAP-resource-set: news+sport /news/ /sport/", "ACAP-crawler: *", "ACAP-allow-crawl: /"),
    "acap-swallowed-modification": _acap(
        "ACAP-allow-present: / prohibited-modification=any prohibited-modification=style"
    ),
    "second-visit-time": _lines("User-agent: *", "Visit-time: 0000-0600", "Visit-time: 1200-1300", "Disallow:"),
    "second-robot-version": _lines("User-agent: *", "Robot-version: 1.0", "Robot-version: 2.0", "Disallow:"),
    "acap-class-token": _page('<p class="the-acap:noindex">'),
    "page-local-usage": _page('<p class="the-acap:allow-(quotation)">'),
    "page-unknown-word": _tag("noindx, nofollow"),
    "page-bad-value": _tag("max-snippet:short"),
    "page-value-unasked": _header("noindex: nofollow"),
    "page-tdm-value": _page('<meta name="tdm-reservation" content="yes">'),
    "page-semicolon": _tag("noindex; nofollow"),
    "page-unknown-zone": _header("unavailable_after: 25 Jun 2030 15:00:00 BRT"),
    "page-undocumented-word": _tag("noml"),
    "page-ill-formed": _xhtml("<p>a<br></p>"),
    "page-two-readings": _xhtml('<p class="the-acap:disallow-index"/>a'),
    "page-tag-name": _page('<meta name="*" content="ACAP disallow-preserve">'),
    "page-acap-header": _header("ACAP disallow-preserve"),
    "page-cut": _page("<p>" + "a" * MAX_CHARACTERS, shown=f"<p>aaaaaaaaaaaaaaaa… {MAX_CHARACTERS:,} letters"),
    "page-too-much": _page(
        *(f'<meta name="bot{number}" content="noindex">' for number in range(MAX_TAGS + 1)),
        shown=f'<meta name="bot0" content="noindex">\n<meta name="bot1" content="noindex">\n… up to bot{MAX_TAGS}',
    ),
    "page-not-read": Example(compress(b"<p>"), "<a page as gzip packs it>", "response"),
    "page-entangled": _page(
        "<p>",
        *(f"<b id={number}>" for number in range(1_000)),
        "<p>x" * 1_000,
        shown="<p>\n<b id=0>\n<b id=1>\n… up to <b id=999>\n<p>x<p>x<p>x… 1,000 times",
    ),
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
    "embedded-tdm-policy-alone": _property("<tdm:policy>https://www.example.com/licences</tdm:policy>"),
}
"""An example for every code."""
