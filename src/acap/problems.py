"""What readers find wrong: a catalogue of codes, and the sentences for them.

The native core names a code, a place and the words that matter; the sentence is made here.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Literal

Severity = Literal["error", "warning", "info"]


@dataclasses.dataclass(frozen=True, slots=True)
class Problem:
    """Something wrong, and where; `line` and `column` count from 1 (0: the file as a whole).

    `words` are what the message is about, in the order of its numbers: a reader's word is `""` where it has none.
    """

    code: str
    severity: Severity
    line: int
    column: int
    message: str
    fix: str | None = None
    text: str = ""
    words: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.line}:{self.column}: {self.severity}: {self.message} [{self.code}]"


@dataclasses.dataclass(frozen=True, slots=True)
class Kind:
    """One entry of the catalogue: how bad, what it says, what to do about it.

    `{0}`, `{1}` are the words that the reader names; a sentence with an empty word is left out where it is a fix.
    """

    severity: Severity
    message: str
    fix: str | None = None
    clause: str = ""


CATALOGUE: Mapping[str, Kind] = MappingProxyType(
    {
        "more-of-this": Kind(
            "info", "{1} more problems `{0}` are not told one by one", "mend the first, and look again"
        ),
        "missing-colon": Kind("warning", "`{0}` has no colon", "write `{0}:`", "RFC 9309 2.2"),
        "misspelt-field": Kind("warning", "`{0}` is read as `{1}`", "write `{1}`", "RFC 9309 2.2"),
        "unknown-field": Kind("warning", "nobody here knows the field `{0}`", None, "RFC 9309 2.2.4"),
        "unreadable-value": Kind("warning", "`{1}` cannot be read as {0}, and asks nothing", None, "R2 Request-rate"),
        "no-field": Kind("warning", "`{0}` is no field and is ignored", "put `#` before a comment", "RFC 9309 2.2"),
        "rule-before-agent": Kind(
            "error",
            "`{0}` before the first User-agent line says nothing to anybody",
            "put `User-agent: *` above it",
            "RFC 9309 2.2.1",
        ),
        "empty-agent": Kind("error", "the User-agent line names nobody", "name a crawler, or `*`", "RFC 9309 2.2.1"),
        "relative-pattern": Kind("error", "`{0}` matches no path", "start it with `/`: `/{0}`", "RFC 9309 2.2.2"),
        "absolute-rule": Kind(
            "warning", "`{0}` is a URL and matches no path", "write the path alone", "RFC 9309 2.2.2"
        ),
        "no-robots-txt": Kind(
            "error",
            "this is no robots.txt: none of its lines is a field of one",
            "answer with 404 if there is no robots.txt, or with the file itself",
            "RFC 9309 2.3",
        ),
        "packed-file": Kind(
            "error",
            "the file cannot be read, for it is {0}, and so prohibits everything",
            "serve it as text, and name the coding that it is sent in (Content-Encoding)",
            "RFC 9309 2.3",
        ),
        "cut-file": Kind(
            "error",
            "the file has {0} octets, more than {1}, and so prohibits everything",
            "make the file smaller",
            "RFC 9309 2.5",
        ),
        "overlong-line": Kind(
            "error",
            "the line has {0} octets, of which {1} are read; the rest counts as the strictest that it may be",
            "make it shorter",
            "P1 4.6",
        ),
        "partial-byte-order-mark": Kind(
            "warning", "the file begins with a part of a byte order mark", "save it as UTF-8", "RFC 9309 2.3"
        ),
        "decoded-utf-16": Kind(
            "warning", "the file is UTF-16; many crawlers read nothing of it", "save it as UTF-8", "RFC 9309 2.3"
        ),
        "invalid-utf-8": Kind(
            "info", "the line is not UTF-8; its octets are compared as they are", "save it as UTF-8", "RFC 9309 2.2"
        ),
        "nul-octet": Kind(
            "warning", "the line holds a NUL, at which some crawlers stop reading it", "remove it", "RFC 9309 2.2"
        ),
        "bad-content-usage": Kind(
            "error",
            "`{0}` cannot be read; of it only what plainly refuses counts",
            "write names in lower case, `=y` or `=n`, commas between them and no blank around `=`",
            "RFC 9651 3.2",
        ),
        "guessed-signal": Kind(
            "error",
            "`{0}` is not what the vocabulary has; it is read as a refusal",
            "write `{1}`",
            "Semantics, Signals",
        ),
        "unknown-signal": Kind("warning", "`{0}` means nothing in {1}, and says nothing", None, "contentsignals.org"),
        "control-character": Kind(
            "warning",
            "the line holds a control character, which ends a value and voids a permission",
            "remove it",
            "RFC 9309 2.2",
        ),
        "false-utf-16-mark": Kind(
            "warning",
            "the file begins with a byte order mark of UTF-16 and is none; the mark is skipped",
            "save it as UTF-8",
            "RFC 9309 2.3",
        ),
        "acap-hyphen": Kind(
            "warning",
            "the field name was understood, but is not written as ACAP writes it",
            "write hyphens and a colon",
            "P1 4.5.6",
        ),
        "acap-unknown-field": Kind(
            "error", "`{0}` is no ACAP field, and is ignored", "did you mean `{1}`?", "P1 4.5.6"
        ),
        "acap-before-crawler": Kind(
            "error",
            "the field stands before the first ACAP-crawler line and is void",
            "put `ACAP-crawler: *` above it",
            "P1 4.5.2",
        ),
        "acap-crawler-name": Kind("warning", "`{0}` is no crawler name; `{1}` is read", "write `{1}`", "P1 4.5.6"),
        "acap-no-crawler": Kind(
            "error",
            "the line names no crawler, or one that cannot be read: what its record prohibits is for every crawler, and it "
            "permits nothing",
            "name one with letters, digits, `.`, `_` and `-`, or write `*`",
            "P1 4.5.2.1",
        ),
        "acap-several-crawlers": Kind(
            "warning", "several crawlers on one line", "give each a line of its own", "P1 4.5.2.1"
        ),
        "acap-any-beside-names": Kind(
            "warning", "`*` stands beside named crawlers", "give `*` a record of its own", "P1 4.5.2.1"
        ),
        "acap-several-any-records": Kind(
            "info", "a second record is addressed to any crawler; the two are merged", None, "P1 4.2"
        ),
        "acap-misplaced-definition": Kind(
            "info", "a definition after the first record", "move it above the records", "P1 4.1"
        ),
        "acap-bad-definition": Kind(
            "error", "the definition names nothing, or defines it as nothing, and is void", None, "P1 4.5.3"
        ),
        "acap-duplicate-definition": Kind(
            "error", "`{0}` is already defined; the first definition stands", "give it another name", "P1 4.5.6"
        ),
        "acap-undefined-usage": Kind(
            "error",
            "the usage `({0})` is defined nowhere; every other use is prohibited instead",
            "did you mean `({1})`?",
            "P1 4.5.3",
        ),
        "acap-undefined-set": Kind(
            "error",
            "the resource set `{0}` is defined nowhere; a prohibition is one of `{2}`, a permission lifts nothing",
            "did you mean `{1}`?",
            "P1 4.5.3.3",
        ),
        "acap-void-constituent": Kind(
            "error", "`({0})` in `{1}` is no defined qualified usage, and is left out", None, "P1 4.5.3.2"
        ),
        "acap-plural": Kind("info", "the plural is read as `{0}`", "write `{0}`", "G 4.10"),
        "acap-unknown-usage": Kind(
            "error",
            "nobody knows the usage `{0}`; the permission is of no other",
            "did you mean `{1}`?",
            "P1 4.5.2.5.1",
        ),
        "acap-guessed-usage": Kind(
            "error", "nobody knows the usage `{0}`; its prohibition is read as one of `{1}`", "write `{1}`", "P2 2.2.6"
        ),
        "acap-empty-purpose": Kind(
            "error",
            "the line names no purpose: what follows prohibits for every purpose, and permits nothing",
            "name a purpose, or remove the line",
            "P1 4.5.2.4.1",
        ),
        "acap-empty-resource": Kind(
            "error", "the field names no resource and is void", "name a path, `/` for all", "P1 4.5.2.5.1"
        ),
        "acap-foreign-resource": Kind(
            "error", "`{0}` is not of this site; the field says nothing about it", None, "P1 4.5.2.5.1"
        ),
        "acap-unreadable-host": Kind(
            "error",
            "nobody can read the host of `{0}`: what is prohibited there is prohibited here, and nothing permitted",
            "write the path alone",
            "P1 4.5.2.5.1",
        ),
        "acap-relative-pattern": Kind(
            "warning", "`{0}` is read relative to the root", "start it with `/`: `/{0}`", "P1 4.5.2.5.1"
        ),
        "acap-qualifier-on-prohibition": Kind(
            "warning", "a prohibition cannot be qualified; the qualifier is ignored", "remove it", "P1 4.5.2.5.2"
        ),
        "acap-unknown-qualifier": Kind(
            "error", "nobody knows the qualifier `{0}`, so the permission is read as a prohibition", None, "P2 2.2.6"
        ),
        "acap-bad-value": Kind(
            "error", "`{1}` is no value of `{0}`, so the permission is read as a prohibition", None, "P2 2.2.6"
        ),
        "acap-misplaced-qualifier": Kind(
            "warning", "`{0}` is not for `{1}`; it is kept as a restriction", None, "P1 4.5.3.1"
        ),
        "acap-older-word": Kind("warning", "`{0}` is an older word for `{1}`", "write `{1}`", "P1 4.5.3.1"),
        "acap-later-version": Kind(
            "error",
            "a feature of a later version than is declared: the permission lifts nothing, and what it restricts holds",
            "declare `##ACAP version=1.1`",
            "P2 2.2.7",
        ),
        "acap-stray-text": Kind(
            "error",
            "`{0}` is no qualifier, so the permission is read as a prohibition",
            "put `#` before a comment",
            "P2 2.2.6",
        ),
        "acap-prohibited-local-usage": Kind(
            "warning",
            "a prohibition cannot name `({0})`; it is read as one of what the name stands for",
            None,
            "P1 4.5.2.5.2",
        ),
        "acap-permission-beside-reference": Kind(
            "warning", "the record refers to another resource, so this permission is void", None, "P1 4.5.2"
        ),
        "acap-reference-of-words": Kind(
            "error",
            "`{0}` is not one URI, so it names no document, and everything is prohibited",
            "write one URI, with `%20` for a blank",
            "P1 4.5.2.2",
        ),
        "acap-request-in-sub-record": Kind(
            "warning", "an action request belongs before the purposes", None, "P1 4.5.2.4"
        ),
        "acap-request-wildcard": Kind(
            "warning", "`{0}` is taken for one resource; wildcards mean nothing here", None, "P1 4.5.2.3"
        ),
        "acap-too-much": Kind(
            "error", "a limit was reached: prohibitions still count, permissions do not", None, "P1 4.6"
        ),
        "acap-second-version": Kind("warning", "version {0} is ignored; the first stands", None, "P1 4.5.4"),
        "acap-several-statements": Kind(
            "info", "one tag holds several statements; each is read", "give each a tag of its own", "P2 3"
        ),
        "acap-empty-tag": Kind(
            "error",
            "the tag is marked as ACAP and states nothing that is understood",
            "write `ACAP allow-…` or `ACAP disallow-…`",
            "P2 2.2",
        ),
        "acap-class-token": Kind(
            "error", "`{0}` neither allows nor disallows, and says nothing", "write `the-acap:disallow-…`", "P2 2.2.5"
        ),
        "acap-guessed-field": Kind("error", "`{0}` is no ACAP field; it is read as `{1}`", "write `{1}`", "P2 2.2.6"),
        "acap-nearly-permission": Kind(
            "error", "`{0}` is misspelt, so it permits nothing; what it restricts holds", None, "P2 2.2.6"
        ),
        "acap-nearly-tag": Kind(
            "error", "the mark of ACAP is misspelt; prohibitions count, permissions do not", "write `ACAP`", "P2 2.2.6"
        ),
        "acap-unknown-prohibition": Kind(
            "error",
            "nobody knows the usage `{0}`; its prohibition is one of `other` and of every extension too",
            None,
            "P2 2.2.6",
        ),
        "acap-broad-usage": Kind(
            "error", "`{0}` is no usage; its prohibition is read as one of {1}", "name the usages", "P1 4.5.2.5.1"
        ),
        "acap-ignore-alone": Kind(
            "error",
            "no ACAP permission stands in place of the conventional records; they count",
            "write the ACAP permissions, or remove the line",
            "P1 4.5.5",
        ),
        "acap-unknown-version": Kind(
            "warning", "`{0}` is no version of ACAP that is known here", "write `1.0` or `1.1`", "P2 2.2.7"
        ),
        "acap-empty-record": Kind(
            "warning", "the record says nothing to the crawlers it names", "add its fields, or remove it", "P1 4.5.6"
        ),
        "acap-idle-purpose": Kind(
            "warning",
            "nothing is permitted or prohibited for this purpose",
            "add it, or remove the line",
            "P1 4.5.2.4.1",
        ),
        "acap-odd-name": Kind(
            "warning",
            "`{0}` is no name that the specification allows, and may never be found",
            "use letters, digits, `.`, `_` and `-`",
            "P1 4.5.6",
        ),
        "acap-swallowed-modification": Kind(
            "warning",
            "`any` prohibits every modification; naming another adds nothing",
            "keep `any` alone",
            "P1 4.5.3.1",
        ),
        "second-visit-time": Kind("warning", "the group has a Visit-time already", "keep one of them", "R2 Visit-time"),
        "second-robot-version": Kind(
            "warning", "the group has a Robot-version already", "keep one of them", "R2 Robot-version"
        ),
        "page-local-usage": Kind(
            "info",
            "`({0})` means what the site's robots.txt defines; where that defines no such name, this prohibits",
            "define it there",
            "P2 3",
        ),
        "page-unknown-word": Kind("info", "nobody here knows the word `{0}`", None, "Google, robots meta tag"),
        "page-bad-value": Kind(
            "warning", "`{1}` has no value that can be read for {0}, and asks nothing", None, "Google, robots meta tag"
        ),
        "page-value-unasked": Kind(
            "warning",
            "`{0}` takes no value; what follows the colon is read as a word of its own",
            "write `{0}` alone",
            "Google, robots meta tag",
        ),
        "page-tdm-value": Kind(
            "warning", "`{0}` is neither 0 nor 1; rights are taken to be reserved", "write 1 or 0", "TDMRep 6.2"
        ),
        "page-semicolon": Kind(
            "warning", "`;` divides no words for most crawlers", "put commas between words", "Google, robots meta tag"
        ),
        "page-unknown-zone": Kind(
            "warning",
            "nobody here knows the time zone `{0}`; the earliest possible instant counts",
            "write the time in UTC",
            "RFC 9110 5.6.7",
        ),
        "page-undocumented-word": Kind(
            "info", "`{0}` is read as `noai`; nobody has documented it", "add `noai`", "DeviantArt, noai"
        ),
        "page-tag-name": Kind(
            "error",
            "`{0}` names no crawler: what the tag prohibits is for every crawler, and it permits nothing",
            "write `robots` for every crawler, or the name of one",
            "P2 2.2.1",
        ),
        "page-acap-header": Kind(
            "warning",
            "ACAP has no form for headers: what is prohibited here holds, what is permitted does not",
            "say it in a META tag of the page",
            "P2 2.2",
        ),
        "page-ill-formed": Kind(
            "error",
            "the page is XML up to here: {0}; what it prohibits holds, what it permits does not",
            "close what is open, and write `&amp;` for `&`",
            "Semantics, XHTML",
        ),
        "page-two-readings": Kind(
            "warning",
            "read as XML its elements hold other text than read as HTML; what is said of one holds for the whole page",
            "write `<p></p>` for `<p/>`, and nest elements as HTML does",
            "Semantics, XHTML",
        ),
        "page-cut": Kind(
            "error",
            "only {1} of {0} characters were read; every use is prohibited",
            "make the page smaller",
            "Semantics, What cannot be read",
        ),
        "page-entangled": Kind(
            "error",
            "the markup is so entangled that its tree cannot be built; every use is prohibited",
            "close elements where they end",
            "Semantics, What cannot be read",
        ),
        "page-not-read": Kind(
            "error",
            "the page was not read: {0}; every use is prohibited",
            "give the page as a browser gets it, and install what reads it",
            "Semantics, What cannot be read",
        ),
        "page-too-much": Kind(
            "error",
            "there are more than {0} {1}; every use is prohibited",
            "state once what holds for many",
            "Semantics, What cannot be read",
        ),
        "embedded-unknown-format": Kind(
            "error",
            "the file is none of the formats read here ({0}); only packets that stand in it openly were looked for",
            "give a JPEG, PNG, WebP, TIFF or PDF file, or the XMP itself",
            "XMP 3",
        ),
        "embedded-damaged-file": Kind(
            "error", "the {0} file is damaged: {1}; its permissions do not count", "write the file anew", "XMP 3"
        ),
        "embedded-cut-file": Kind(
            "error", "only {1} of {0} octets were read; the file's permissions do not count", None, "XMP 3"
        ),
        "embedded-limit": Kind(
            "error", "{0}, more than is read; the file's permissions do not count", "write less metadata", "XMP 3"
        ),
        "embedded-encrypted": Kind(
            "error",
            "the PDF cannot be decrypted without a password, so its metadata is unknown",
            "leave the metadata in the clear",
            "ISO 32000-2 7.6",
        ),
        "embedded-missing-package": Kind(
            "error",
            "reading the metadata needs what is not installed ({0}); it is unknown",
            "pip install 'acap[images]'",
            "ISO 32000-2 7.4",
        ),
        "embedded-damaged-xmp": Kind(
            "error",
            "the XMP is no well-formed XML ({0}); its prohibitions count as far as they can be read",
            "write the metadata anew",
            "XMP 1 7.1",
        ),
        "embedded-bad-encoding": Kind(
            "error", "the XMP is not {0} as it seems to be", "write the metadata in UTF-8", "XMP 1 7.1"
        ),
        "embedded-document-type": Kind(
            "error", "the XMP declares a document type, so nothing of it was read", "remove the DOCTYPE", "XMP 1 7.1"
        ),
        "embedded-no-rdf": Kind("warning", "the XMP has no rdf:RDF, and says nothing", None, "XMP 1 7.4"),
        "embedded-unread-rdf": Kind(
            "error",
            "the XMP has elements and no rdf:RDF, so that nobody can tell what they say",
            "write the metadata anew",
            "XMP 1 7.4",
        ),
        "embedded-extension-incomplete": Kind(
            "error", "extended XMP is missing or not what it was when it was written: {0}", None, "XMP 3 1.1.3.1"
        ),
        "embedded-extension-unreferenced": Kind(
            "error",
            "the file holds extended XMP that no packet refers to; only its prohibitions count",
            "remove it",
            "XMP 3 1.1.3.1",
        ),
        "embedded-namespace": Kind("info", "the namespace `{0}` is read as `{1}`", "write `{1}`", "XMP 1 7.5"),
        "embedded-property-case": Kind("info", "the property `{0}` is read as `{1}`", "write `{1}`", "XMP 1 6.2"),
        "embedded-bare-code": Kind("info", "`{0}` is read as `{1}`", "write `{1}`", "IPTC 2023.1 Data Mining"),
        "embedded-code-case": Kind(
            "info", "`{0}` is read as `{1}` in spite of its case", "write `{1}`", "IPTC 2023.1 Data Mining"
        ),
        "embedded-vocabulary-uri": Kind("info", "`{0}` is read as `{1}`", "write `{1}`", "IPTC 2023.1 Data Mining"),
        "embedded-unknown-value": Kind(
            "error",
            "`{0}` is no value of plus:DataMining; it is read as a prohibition of {1}",
            "write one of the PLUS codes, such as http://ns.useplus.org/ldf/vocab/DMI-PROHIBITED",
            "P2 2.2.6",
        ),
        "embedded-empty-value": Kind(
            "warning", "plus:DataMining is empty, and says nothing", "write a value", "IPTC 2023.1 Data Mining"
        ),
        "embedded-nothing-to-see": Kind(
            "warning",
            "`{0}` refers to {1}, which is not there; it is read as a prohibition",
            "add {1}",
            "IPTC 2023.1 Data Mining",
        ),
        "embedded-stray-packet": Kind(
            "warning",
            "nothing in the file leads to the XMP that stands in it; it may be of a part, and prohibits all the same",
            "write the file again, so that its own metadata is found",
            "Semantics, Embedded metadata",
        ),
        "embedded-manifest": Kind(
            "warning",
            "there is a C2PA manifest, which is not read; what it says of mining may be a condition",
            "look into it with a tool for C2PA",
            "C2PA 2.1",
        ),
        "embedded-tdm-value": Kind(
            "warning", "`{0}` is neither 0 nor 1, so tdm:reservation says nothing", "write 1 or 0", "TDMRep 4"
        ),
        "embedded-tdm-policy-alone": Kind(
            "warning",
            "tdm:policy stands without a tdm:reservation of 1, and is ignored",
            "add tdm:reservation 1",
            "TDMRep 4",
        ),
    }
)
"""Every code with its sentence."""


def problem(code: str, line: int, column: int, words: Iterable[str], text: str) -> Problem:
    """The problem of a code found at a place."""
    kind = CATALOGUE[code]
    words = tuple(words)
    fix = kind.fix
    if fix is not None:
        used = [number for number in range(len(words)) if f"{{{number}}}" in fix]
        fix = None if any(not words[number] for number in used) else fix.format(*words)
    return Problem(code, kind.severity, line, column, kind.message.format(*words), fix, text, words)
