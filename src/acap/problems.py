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
        "more-of-this": Kind("info", "{1} more problems `{0}` are not listed", "fix the first ones, then check again"),
        "missing-colon": Kind("warning", "`{0}` has no colon", "write `{0}:`", "RFC 9309 2.2"),
        "misspelt-field": Kind("warning", "`{0}` is read as `{1}`", "write `{1}`", "RFC 9309 2.2"),
        "unknown-field": Kind("warning", "unknown field `{0}`", None, "RFC 9309 2.2.4"),
        "unreadable-value": Kind("warning", "`{1}` cannot be read as {0} and is ignored", None, "R2 Request-rate"),
        "no-field": Kind("warning", "`{0}` is not a field and is ignored", "put `#` before a comment", "RFC 9309 2.2"),
        "rule-before-agent": Kind(
            "error",
            "`{0}` stands before the first User-agent line and applies to no crawler",
            "put `User-agent: *` above it",
            "RFC 9309 2.2.1",
        ),
        "empty-agent": Kind(
            "error", "the User-agent line names no crawler", "name a crawler, or `*`", "RFC 9309 2.2.1"
        ),
        "relative-pattern": Kind("error", "`{0}` matches no path", "start it with `/`: `/{0}`", "RFC 9309 2.2.2"),
        "absolute-rule": Kind(
            "warning", "`{0}` is a URL and matches no path", "write the path alone", "RFC 9309 2.2.2"
        ),
        "no-robots-txt": Kind(
            "error",
            "this is not a robots.txt: none of its lines is a field",
            "serve the robots.txt itself, or answer with 404 if there is none",
            "RFC 9309 2.3",
        ),
        "packed-file": Kind(
            "error",
            "the file is {0} and cannot be read, so everything is prohibited",
            "serve it as text, and declare any compression in Content-Encoding",
            "RFC 9309 2.3",
        ),
        "cut-file": Kind(
            "error",
            "the file has {0} octets, more than the limit of {1}, so everything is prohibited",
            "make the file smaller",
            "RFC 9309 2.5",
        ),
        "overlong-line": Kind(
            "error",
            "only {1} of the line's {0} octets are read; the rest counts as the strictest it could be",
            "shorten it",
            "P1 4.6",
        ),
        "partial-byte-order-mark": Kind(
            "warning", "the file begins with part of a byte order mark", "save it as UTF-8", "RFC 9309 2.3"
        ),
        "decoded-utf-16": Kind(
            "warning", "the file is UTF-16, which many crawlers cannot read", "save it as UTF-8", "RFC 9309 2.3"
        ),
        "invalid-utf-8": Kind(
            "info", "the line is not UTF-8; its octets are compared as they are", "save it as UTF-8", "RFC 9309 2.2"
        ),
        "nul-octet": Kind(
            "warning", "the line contains a NUL, where some crawlers stop reading it", "remove it", "RFC 9309 2.2"
        ),
        "bad-content-usage": Kind(
            "error",
            "`{0}` cannot be read; only what plainly refuses counts",
            "write names in lower case, each with `=y` or `=n`, commas between them and no blank around `=`",
            "RFC 9651 3.2",
        ),
        "guessed-signal": Kind(
            "error",
            "`{0}` is not a word of its vocabulary; it is read as a refusal",
            "write `{1}`",
            "Semantics, Signals",
        ),
        "unknown-signal": Kind("warning", "`{0}` has no meaning in {1} and is ignored", None, "contentsignals.org"),
        "control-character": Kind(
            "warning",
            "the line contains a control character, which ends the value and cancels a permission",
            "remove it",
            "RFC 9309 2.2",
        ),
        "false-utf-16-mark": Kind(
            "warning",
            "the file begins with the byte order mark of UTF-16 but is not UTF-16; the mark is skipped",
            "save it as UTF-8",
            "RFC 9309 2.3",
        ),
        "acap-hyphen": Kind(
            "warning",
            "the field name is understood, but is not spelt as ACAP spells it",
            "write hyphens and a colon",
            "P1 4.5.6",
        ),
        "acap-unknown-field": Kind(
            "error", "`{0}` is not an ACAP field and is ignored", "did you mean `{1}`?", "P1 4.5.6"
        ),
        "acap-before-crawler": Kind(
            "error",
            "the field stands before the first ACAP-crawler line and has no effect",
            "put `ACAP-crawler: *` above it",
            "P1 4.5.2",
        ),
        "acap-crawler-name": Kind(
            "warning", "`{0}` is not a valid crawler name; it is read as `{1}`", "write `{1}`", "P1 4.5.6"
        ),
        "acap-no-crawler": Kind(
            "error",
            (
                "the line names no readable crawler: prohibitions of its record apply to every crawler, permissions to "
                "none"
            ),
            "name one with letters, digits, `.`, `_` and `-`, or write `*`",
            "P1 4.5.2.1",
        ),
        "acap-several-crawlers": Kind(
            "warning", "the line names several crawlers", "give each a line of its own", "P1 4.5.2.1"
        ),
        "acap-any-beside-names": Kind(
            "warning", "`*` stands beside named crawlers", "give `*` a record of its own", "P1 4.5.2.1"
        ),
        "acap-several-any-records": Kind(
            "info", "a second record addresses any crawler; the two are merged", None, "P1 4.2"
        ),
        "acap-misplaced-definition": Kind(
            "info", "the definition stands after the first record", "move it above the records", "P1 4.1"
        ),
        "acap-bad-definition": Kind(
            "error", "the definition has no name or no content, so it has no effect", None, "P1 4.5.3"
        ),
        "acap-duplicate-definition": Kind(
            "error", "`{0}` is already defined; the first definition counts", "give it another name", "P1 4.5.6"
        ),
        "acap-undefined-usage": Kind(
            "error",
            "the usage `({0})` is not defined; `other` is prohibited instead",
            "did you mean `({1})`?",
            "P1 4.5.3",
        ),
        "acap-undefined-set": Kind(
            "error",
            "the resource set `{0}` is not defined; a prohibition covers `{2}`, a permission has no effect",
            "did you mean `{1}`?",
            "P1 4.5.3.3",
        ),
        "acap-void-constituent": Kind(
            "error", "`({0})` in `{1}` is not a defined qualified usage and is left out", None, "P1 4.5.3.2"
        ),
        "acap-plural": Kind("info", "the plural is read as `{0}`", "write `{0}`", "G 4.10"),
        "acap-unknown-usage": Kind(
            "error",
            "unknown usage `{0}`; the permission permits no other usage",
            "did you mean `{1}`?",
            "P1 4.5.2.5.1",
        ),
        "acap-guessed-usage": Kind(
            "error", "unknown usage `{0}`; the prohibition is read as one of `{1}`", "write `{1}`", "P2 2.2.6"
        ),
        "acap-empty-purpose": Kind(
            "error",
            "the line names no purpose: prohibitions below it apply to every purpose, permissions to none",
            "name a purpose, or remove the line",
            "P1 4.5.2.4.1",
        ),
        "acap-empty-resource": Kind(
            "error", "the field names no resource, so it has no effect", "name a path, `/` for all", "P1 4.5.2.5.1"
        ),
        "acap-foreign-resource": Kind(
            "error", "`{0}` is not on this site, so the field has no effect on it", None, "P1 4.5.2.5.1"
        ),
        "acap-unreadable-host": Kind(
            "error",
            "the host of `{0}` cannot be read: a prohibition applies to this site, a permission has no effect",
            "write the path alone",
            "P1 4.5.2.5.1",
        ),
        "acap-relative-pattern": Kind(
            "warning", "`{0}` is read relative to the root", "start it with `/`: `/{0}`", "P1 4.5.2.5.1"
        ),
        "acap-qualifier-on-prohibition": Kind(
            "warning", "a prohibition takes no qualifier; the qualifier is ignored", "remove it", "P1 4.5.2.5.2"
        ),
        "acap-unknown-qualifier": Kind(
            "error", "unknown qualifier `{0}`; the permission is read as a prohibition", None, "P2 2.2.6"
        ),
        "acap-bad-value": Kind(
            "error", "`{1}` is not a valid value of `{0}`; the permission is read as a prohibition", None, "P2 2.2.6"
        ),
        "acap-misplaced-qualifier": Kind(
            "warning", "`{0}` does not apply to `{1}`; it is kept as a restriction", None, "P1 4.5.3.1"
        ),
        "acap-older-word": Kind("warning", "`{0}` is an older word for `{1}`", "write `{1}`", "P1 4.5.3.1"),
        "acap-later-version": Kind(
            "error",
            (
                "the line uses a feature of a later version than declared: its permission has no effect, its "
                "restrictions hold"
            ),
            "declare `##ACAP version=1.1`",
            "P2 2.2.7",
        ),
        "acap-stray-text": Kind(
            "error",
            "`{0}` is not a qualifier; the permission is read as a prohibition",
            "put `#` before a comment",
            "P2 2.2.6",
        ),
        "acap-prohibited-local-usage": Kind(
            "warning",
            "a prohibition cannot name `({0})`; it prohibits the usages that the name stands for",
            None,
            "P1 4.5.2.5.2",
        ),
        "acap-permission-beside-reference": Kind(
            "warning", "the record refers to another resource, so this permission has no effect", None, "P1 4.5.2"
        ),
        "acap-reference-of-words": Kind(
            "error",
            "`{0}` is not one URI, so it names no document and everything is prohibited",
            "write one URI, with `%20` for a blank",
            "P1 4.5.2.2",
        ),
        "acap-request-in-sub-record": Kind(
            "warning", "an action request belongs before the purposes", None, "P1 4.5.2.4"
        ),
        "acap-request-wildcard": Kind(
            "warning", "`{0}` is read as one resource; wildcards have no meaning here", None, "P1 4.5.2.3"
        ),
        "acap-too-much": Kind(
            "error", "a limit was reached: prohibitions still count, permissions do not", None, "P1 4.6"
        ),
        "acap-second-version": Kind("warning", "version {0} is ignored; the first one counts", None, "P1 4.5.4"),
        "acap-several-statements": Kind(
            "info", "the tag holds several statements; each is read", "give each a tag of its own", "P2 3"
        ),
        "acap-empty-tag": Kind(
            "error",
            "the tag is marked as ACAP, but nothing in it is understood",
            "write `ACAP allow-…` or `ACAP disallow-…`",
            "P2 2.2",
        ),
        "acap-class-token": Kind(
            "error", "`{0}` neither allows nor disallows and is ignored", "write `the-acap:disallow-…`", "P2 2.2.5"
        ),
        "acap-guessed-field": Kind(
            "error", "`{0}` is not an ACAP field; it is read as `{1}`", "write `{1}`", "P2 2.2.6"
        ),
        "acap-nearly-permission": Kind(
            "error", "`{0}` is misspelt, so it permits nothing; its restrictions hold", None, "P2 2.2.6"
        ),
        "acap-nearly-tag": Kind(
            "error", "the mark of ACAP is misspelt; prohibitions count, permissions do not", "write `ACAP`", "P2 2.2.6"
        ),
        "acap-unknown-prohibition": Kind(
            "error",
            "unknown usage `{0}`; the prohibition also covers `other` and every extension",
            None,
            "P2 2.2.6",
        ),
        "acap-broad-usage": Kind(
            "error", "`{0}` is not a usage; the prohibition is read as one of {1}", "name the usages", "P1 4.5.2.5.1"
        ),
        "acap-ignore-alone": Kind(
            "error",
            "no ACAP permission takes the place of the conventional records, so they count",
            "write the ACAP permissions, or remove the line",
            "P1 4.5.5",
        ),
        "acap-unknown-version": Kind(
            "warning", "`{0}` is not a known version of ACAP", "write `1.0` or `1.1`", "P2 2.2.7"
        ),
        "acap-empty-record": Kind(
            "warning", "the record names crawlers but says nothing to them", "add its fields, or remove it", "P1 4.5.6"
        ),
        "acap-idle-purpose": Kind(
            "warning",
            "nothing is permitted or prohibited for this purpose",
            "add it, or remove the line",
            "P1 4.5.2.4.1",
        ),
        "acap-odd-name": Kind(
            "warning",
            "`{0}` is not a valid name, so crawlers may not find it",
            "use letters, digits, `.`, `_` and `-`",
            "P1 4.5.6",
        ),
        "acap-swallowed-modification": Kind(
            "warning",
            "`any` already prohibits every modification; naming another adds nothing",
            "keep `any` alone",
            "P1 4.5.3.1",
        ),
        "second-visit-time": Kind("warning", "the group already has a Visit-time", "keep one of them", "R2 Visit-time"),
        "second-robot-version": Kind(
            "warning", "the group already has a Robot-version", "keep one of them", "R2 Robot-version"
        ),
        "page-local-usage": Kind(
            "info",
            "`({0})` means what the site's robots.txt defines; without a definition there, this prohibits",
            "define it there",
            "P2 3",
        ),
        "page-unknown-word": Kind("info", "unknown word `{0}`", None, "Google, robots meta tag"),
        "page-bad-value": Kind(
            "warning", "`{1}` has no readable value for {0} and is ignored", None, "Google, robots meta tag"
        ),
        "page-value-unasked": Kind(
            "warning",
            "`{0}` takes no value; the text after the colon is read as a separate word",
            "write `{0}` alone",
            "Google, robots meta tag",
        ),
        "page-tdm-value": Kind(
            "warning", "`{0}` is neither 0 nor 1; rights count as reserved", "write 1 or 0", "TDMRep 6.2"
        ),
        "page-semicolon": Kind(
            "warning",
            "most crawlers do not separate words at `;`",
            "put commas between words",
            "Google, robots meta tag",
        ),
        "page-unknown-zone": Kind(
            "warning",
            "unknown time zone `{0}`; the earliest possible instant counts",
            "write the time in UTC",
            "RFC 9110 5.6.7",
        ),
        "page-undocumented-word": Kind(
            "info", "`{0}` is read as `noai`, though nobody has documented it", "add `noai`", "DeviantArt, noai"
        ),
        "page-tag-name": Kind(
            "error",
            "`{0}` names no crawler: the tag's prohibitions apply to every crawler, its permissions to none",
            "write `robots` for every crawler, or the name of one",
            "P2 2.2.1",
        ),
        "page-acap-header": Kind(
            "warning",
            "ACAP is not defined for headers: prohibitions here count, permissions do not",
            "say it in a META tag of the page",
            "P2 2.2",
        ),
        "page-ill-formed": Kind(
            "error",
            "the page is well-formed XML only up to here: {0}; prohibitions count, permissions do not",
            "close every open element, and write `&amp;` for `&`",
            "Semantics, XHTML",
        ),
        "page-two-readings": Kind(
            "warning",
            "read as XML, the elements hold other text than read as HTML; a statement on one applies to the whole page",
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
            "the markup is too entangled to build its tree; every use is prohibited",
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
            "the file is in none of the supported formats ({0}); only plain XMP packets were searched for",
            "give a JPEG, PNG, WebP, TIFF or PDF file, or the XMP itself",
            "XMP 3",
        ),
        "embedded-damaged-file": Kind(
            "error", "the {0} file is damaged: {1}; its permissions do not count", "save the file again", "XMP 3"
        ),
        "embedded-cut-file": Kind(
            "error", "only {1} of {0} octets were read; the file's permissions do not count", None, "XMP 3"
        ),
        "embedded-limit": Kind(
            "error", "{0}, more than the limit; the file's permissions do not count", "write less metadata", "XMP 3"
        ),
        "embedded-encrypted": Kind(
            "error",
            "the PDF cannot be decrypted without a password, so its metadata is unknown",
            "leave the metadata unencrypted",
            "ISO 32000-2 7.6",
        ),
        "embedded-missing-package": Kind(
            "error",
            "the metadata is unknown: reading it needs a package that is not installed ({0})",
            "pip install 'acap[images]'",
            "ISO 32000-2 7.4",
        ),
        "embedded-damaged-xmp": Kind(
            "error",
            "the XMP is not well-formed XML ({0}); its prohibitions count as far as they can be read",
            "write the metadata again",
            "XMP 1 7.1",
        ),
        "embedded-bad-encoding": Kind(
            "error", "the XMP looks like {0} but is not", "write the metadata in UTF-8", "XMP 1 7.1"
        ),
        "embedded-document-type": Kind(
            "error", "the XMP declares a document type, so none of it was read", "remove the DOCTYPE", "XMP 1 7.1"
        ),
        "embedded-no-rdf": Kind("warning", "the XMP has no rdf:RDF and says nothing", None, "XMP 1 7.4"),
        "embedded-unread-rdf": Kind(
            "error",
            "the XMP has elements but no rdf:RDF, so their meaning is unknown",
            "write the metadata again",
            "XMP 1 7.4",
        ),
        "embedded-extension-incomplete": Kind(
            "error", "extended XMP is missing or has changed since it was written: {0}", None, "XMP 3 1.1.3.1"
        ),
        "embedded-extension-unreferenced": Kind(
            "error",
            "no packet refers to the extended XMP in the file; only its prohibitions count",
            "remove it",
            "XMP 3 1.1.3.1",
        ),
        "embedded-namespace": Kind("info", "the namespace `{0}` is read as `{1}`", "write `{1}`", "XMP 1 7.5"),
        "embedded-property-case": Kind("info", "the property `{0}` is read as `{1}`", "write `{1}`", "XMP 1 6.2"),
        "embedded-bare-code": Kind("info", "`{0}` is read as `{1}`", "write `{1}`", "IPTC 2023.1 Data Mining"),
        "embedded-code-case": Kind(
            "info", "`{0}` is read as `{1}` despite its case", "write `{1}`", "IPTC 2023.1 Data Mining"
        ),
        "embedded-vocabulary-uri": Kind("info", "`{0}` is read as `{1}`", "write `{1}`", "IPTC 2023.1 Data Mining"),
        "embedded-unknown-value": Kind(
            "error",
            "`{0}` is not a value of plus:DataMining; it is read as a prohibition of {1}",
            "write one of the PLUS codes, such as http://ns.useplus.org/ldf/vocab/DMI-PROHIBITED",
            "P2 2.2.6",
        ),
        "embedded-empty-value": Kind(
            "warning", "plus:DataMining is empty and says nothing", "write a value", "IPTC 2023.1 Data Mining"
        ),
        "embedded-nothing-to-see": Kind(
            "warning",
            "`{0}` refers to {1}, which is not there; it is read as a prohibition",
            "add {1}",
            "IPTC 2023.1 Data Mining",
        ),
        "embedded-stray-packet": Kind(
            "warning",
            "nothing in the file refers to this XMP packet; it may describe only a part, but its prohibitions count",
            "save the file again, so that its own metadata is found",
            "Semantics, Embedded metadata",
        ),
        "embedded-manifest": Kind(
            "warning",
            "the C2PA manifest is not read; what it says about mining may be a condition",
            "inspect it with a C2PA tool",
            "C2PA 2.1",
        ),
        "embedded-tdm-value": Kind(
            "warning", "`{0}` is neither 0 nor 1, so tdm:reservation says nothing", "write 1 or 0", "TDMRep 4"
        ),
        "embedded-tdm-policy-alone": Kind(
            "warning",
            "tdm:policy stands without a tdm:reservation of 1 and is ignored",
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
