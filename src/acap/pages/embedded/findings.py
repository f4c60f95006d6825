"""What can be wrong with embedded metadata: the codes, their sentences, and where they are gathered.

A problem of severity `error` means that something could not be read or understood. From then on the file's permissions
do not stand, while its prohibitions do: doubt never permits (P2 2.2.6).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from types import MappingProxyType

from acap.pages.embedded.limits import MAX_ALIKE, MAX_QUOTED
from acap.problems import Kind, Problem

FINDINGS: Mapping[str, Kind] = MappingProxyType(
    {
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
"""Every code of this package with its sentence."""


def quoted(text: str) -> str:
    """A value for a sentence: on one line, and not too long."""
    line = " ".join(text[: 4 * MAX_QUOTED].split())
    return line if len(line) <= MAX_QUOTED and len(text) <= 4 * MAX_QUOTED else line[:MAX_QUOTED] + "…"


class Findings:
    """The problems of one file, each once."""

    def __init__(self) -> None:
        self._problems: dict[Problem, None] = {}
        self._alike: Counter[str] = Counter()

    def add(self, code: str, *words: str) -> None:
        """Adds a problem; the words are quoted."""
        kind = FINDINGS[code]
        shown = [quoted(word) for word in words]
        fix = None if kind.fix is None else kind.fix.format(*shown)
        problem = Problem(code, kind.severity, 0, 0, kind.message.format(*shown), fix)
        if problem not in self._problems and self._alike[code] < MAX_ALIKE:
            self._alike[code] += 1
            self._problems[problem] = None

    @property
    def doubtful(self) -> bool:
        """Whether something could not be read or understood."""
        return any(problem.severity == "error" for problem in self._problems)

    @property
    def problems(self) -> tuple[Problem, ...]:
        """The problems in the order they were found."""
        return tuple(self._problems)
