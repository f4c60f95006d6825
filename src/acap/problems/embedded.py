"""Problems of files with embedded metadata. A table: an entry a problem."""

from __future__ import annotations

from acap.problems.kind import ProblemKind

EMBEDDED = {
    "embedded-unknown-format": ProblemKind(
        "error",
        "the file is not in a supported format ({0}); only plain XMP packets were searched for",
        "give a JPEG, PNG, WebP, TIFF or PDF file, or the XMP itself",
        "XMP 3",
    ),
    "embedded-damaged-file": ProblemKind(
        "error",
        "the {0} file is damaged: {1}; its permissions do not count",
        "save the file again",
        "XMP 3",
    ),
    "embedded-cut-file": ProblemKind(
        "error",
        "only {1} of {0} octets were read; the file's permissions do not count",
        None,
        "XMP 3",
    ),
    "embedded-limit": ProblemKind(
        "error",
        "{0}, more than the limit; the file's permissions do not count",
        "write less metadata",
        "XMP 3",
    ),
    "embedded-encrypted": ProblemKind(
        "error",
        "the PDF cannot be decrypted without a password, so its metadata is unknown",
        "leave the metadata unencrypted",
        "ISO 32000-2 7.6",
    ),
    "embedded-missing-package": ProblemKind(
        "error",
        "the metadata is unknown: reading it needs a package that is not installed ({0})",
        "pip install 'acap[images]'",
        "ISO 32000-2 7.4",
    ),
    "embedded-damaged-xmp": ProblemKind(
        "error",
        "the XMP is not well-formed XML ({0}); its prohibitions count as far as they can be read",
        "write the metadata again",
        "XMP 1 7.1",
    ),
    "embedded-bad-encoding": ProblemKind(
        "error",
        "the XMP looks like {0} but is not",
        "write the metadata in UTF-8",
        "XMP 1 7.1",
    ),
    "embedded-document-type": ProblemKind(
        "error",
        "the XMP declares a document type, so none of it was read",
        "remove the DOCTYPE",
        "XMP 1 7.1",
    ),
    "embedded-no-rdf": ProblemKind(
        "warning",
        "the XMP has no rdf:RDF and says nothing",
        None,
        "XMP 1 7.4",
    ),
    "embedded-unread-rdf": ProblemKind(
        "error",
        "the XMP has elements but no rdf:RDF, so their meaning is unknown",
        "write the metadata again",
        "XMP 1 7.4",
    ),
    "embedded-extension-incomplete": ProblemKind(
        "error",
        "extended XMP is missing or has changed since it was written: {0}",
        None,
        "XMP 3 1.1.3.1",
    ),
    "embedded-extension-unreferenced": ProblemKind(
        "error",
        "no packet refers to the extended XMP in the file; only its prohibitions count",
        "remove it",
        "XMP 3 1.1.3.1",
    ),
    "embedded-namespace": ProblemKind(
        "info",
        "the namespace `{0}` is read as `{1}`",
        "write `{1}`",
        "XMP 1 7.5",
    ),
    "embedded-property-case": ProblemKind(
        "info",
        "the property `{0}` is read as `{1}`",
        "write `{1}`",
        "XMP 1 6.2",
    ),
    "embedded-bare-code": ProblemKind(
        "info",
        "`{0}` is read as `{1}`",
        "write `{1}`",
        "IPTC 2023.1 Data Mining",
    ),
    "embedded-code-case": ProblemKind(
        "info",
        "`{0}` is read as `{1}` despite its case",
        "write `{1}`",
        "IPTC 2023.1 Data Mining",
    ),
    "embedded-vocabulary-uri": ProblemKind(
        "info",
        "`{0}` is read as `{1}`",
        "write `{1}`",
        "IPTC 2023.1 Data Mining",
    ),
    "embedded-unknown-value": ProblemKind(
        "error",
        "`{0}` is not a value of plus:DataMining; it is read as a prohibition of {1}",
        "write one of the PLUS codes, such as http://ns.useplus.org/ldf/vocab/DMI-PROHIBITED",
        "P2 2.2.6",
    ),
    "embedded-empty-value": ProblemKind(
        "warning",
        "plus:DataMining is empty and says nothing",
        "write a value",
        "IPTC 2023.1 Data Mining",
    ),
    "embedded-nothing-to-see": ProblemKind(
        "warning",
        "`{0}` refers to {1}, which is not there; it is read as a prohibition",
        "add {1}",
        "IPTC 2023.1 Data Mining",
    ),
    "embedded-stray-packet": ProblemKind(
        "warning",
        "nothing in the file refers to this XMP packet; it may describe only a part, but its prohibitions count",
        "save the file again, so that its own metadata is found",
        "Semantics, Embedded metadata",
    ),
    "embedded-manifest": ProblemKind(
        "warning",
        "the C2PA manifest is not read; what it says about mining may be a condition",
        "inspect it with a C2PA tool",
        "C2PA 2.1",
    ),
    "embedded-tdm-value": ProblemKind(
        "warning",
        "`{0}` is neither 0 nor 1, so tdm:reservation says nothing",
        "write 1 or 0",
        "TDMRep 4",
    ),
    "embedded-tdm-policy-alone": ProblemKind(
        "warning",
        "tdm:policy stands without a tdm:reservation of 1 and is ignored",
        "add tdm:reservation 1",
        "TDMRep 4",
    ),
}
