"""Problems of files with embedded metadata. A table: an entry a problem."""

from __future__ import annotations

from acap.problems.kind import ProblemKind

EMBEDDED = {
    "embedded-unknown-format": ProblemKind(
        "error",
        "the file is not in a supported format ({0}); only plain XMP packets were searched for",
        "give a JPEG, PNG, WebP, TIFF, PDF or EPUB file, or the XMP itself",
        "XMP 3",
        why=(
            "Metadata lies elsewhere in each format. In a format that is not read, only XMP that stands in the file "
            "as plain text is found, and packed metadata may say more."
        ),
    ),
    "embedded-damaged-file": ProblemKind(
        "error",
        "the {0} file is damaged: {1}; its permissions do not count",
        "save the file again",
        "XMP 3",
        why=(
            "Where the parts of a file do not fit together, a part with metadata may be lost. What was found of "
            "prohibitions counts; what was lost could only prohibit more, so permissions do not."
        ),
    ),
    "embedded-cut-file": ProblemKind(
        "error",
        "only {1} of {0} octets were read; the file's permissions do not count",
        "make the file smaller",
        "XMP 3",
        why="Metadata may stand at the end of a file. What lies beyond the limit is unknown and could prohibit.",
    ),
    "embedded-limit": ProblemKind(
        "error",
        "{0}, more than the limit; the file's permissions do not count",
        "write less metadata",
        "XMP 3",
        why=(
            "A hostile file can nest or repeat its metadata until a reader runs out of memory. Reading stops at a "
            "limit, and what was not read could prohibit."
        ),
    ),
    "embedded-encrypted": ProblemKind(
        "error",
        "the PDF cannot be decrypted without a password, so its metadata is unknown",
        "leave the metadata unencrypted",
        "ISO 32000-2 7.6",
        why=(
            "A PDF may encrypt its metadata along with its pages. Only those with the password can read what it says "
            "of mining."
        ),
    ),
    "embedded-missing-package": ProblemKind(
        "error",
        "the metadata is unknown: reading it needs a package that is not installed ({0})",
        "pip install 'acap[images]'",
        "ISO 32000-2 7.4",
        why=(
            "A PDF packs its objects, and the metadata is among them. Without the package that unpacks them it is "
            "unknown what it says."
        ),
    ),
    "embedded-damaged-xmp": ProblemKind(
        "error",
        "the XMP is not well-formed XML ({0}); its prohibitions count as far as they can be read",
        "write the metadata again",
        "XMP 1 7.1",
        why=(
            "XMP is XML. Past an error it is unknown what belongs to what, so a permission might be only half"
            " of a sentence."
        ),
    ),
    "embedded-bad-encoding": ProblemKind(
        "error",
        "the XMP looks like {0} but is not",
        "write the metadata in UTF-8",
        "XMP 1 7.1",
        why=(
            "The first octets of XMP tell its encoding. If the rest does not fit them, letters are read wrong or not "
            "at all."
        ),
    ),
    "embedded-document-type": ProblemKind(
        "error",
        "the XMP declares a document type, so none of it was read",
        "remove the DOCTYPE",
        "XMP 1 7.1",
        why=(
            "A document type can define what words in the text stand for, and make a small file grow without end. XMP"
            " needs none, so none is followed."
        ),
    ),
    "embedded-no-rdf": ProblemKind(
        "warning",
        "the XMP has no rdf:RDF and says nothing",
        "write the metadata again if it was to say something",
        "XMP 1 7.4",
        why="All that XMP says stands within `rdf:RDF`. An XMP packet without it is empty.",
    ),
    "embedded-unread-rdf": ProblemKind(
        "error",
        "the XMP has elements but no rdf:RDF, so their meaning is unknown",
        "write the metadata again",
        "XMP 1 7.4",
        why="All that XMP says stands within `rdf:RDF`. Elements outside it may have been meant as prohibitions.",
    ),
    "embedded-extension-incomplete": ProblemKind(
        "error",
        "extended XMP is missing or has changed since it was written: {0}",
        "save the file again",
        "XMP 3 1.1.3.1",
        why=(
            "A JPEG has room for 64 KB of XMP in one piece; the rest stands in further pieces, named by a digest. If "
            "one of them is missing, a prohibition may be missing."
        ),
    ),
    "embedded-extension-unreferenced": ProblemKind(
        "error",
        "no packet refers to the extended XMP in the file; only its prohibitions count",
        "remove it",
        "XMP 3 1.1.3.1",
        why=(
            "Extended XMP belongs to the packet that names its digest. Without such a packet it may be a remainder of"
            " an earlier version of the file."
        ),
    ),
    "embedded-namespace": ProblemKind(
        "info",
        "the namespace `{0}` is read as `{1}`",
        "write `{1}`",
        "XMP 1 7.5",
        why=(
            "XML tells properties apart by the exact letters of their namespace. Another reader may not see a "
            "property whose namespace is misspelt."
        ),
    ),
    "embedded-property-case": ProblemKind(
        "info",
        "the property `{0}` is read as `{1}`",
        "write `{1}`",
        "XMP 1 6.2",
        why=(
            "Names of XMP properties are compared with their case. Another reader may not see a property that is "
            "written differently."
        ),
    ),
    "embedded-property-near": ProblemKind(
        "warning",
        "the property `{0}` is almost `{1}`: it counts where it reserves; others ignore it",
        "write `{1}`",
        "TDMRep 4",
        why="Other readers do not see the property. A guess may reserve, but it takes nothing back.",
    ),
    "embedded-bare-code": ProblemKind(
        "info",
        "`{0}` is read as `{1}`",
        "write `{1}`",
        "IPTC 2023.1 Data Mining",
        why="The value of plus:DataMining is a URI. Another reader may not know its last part alone.",
    ),
    "embedded-code-case": ProblemKind(
        "info",
        "`{0}` is read as `{1}` despite its case",
        "write `{1}`",
        "IPTC 2023.1 Data Mining",
        why=(
            "The values of plus:DataMining are URIs, which are compared with their case. Another reader may not know "
            "this one."
        ),
    ),
    "embedded-vocabulary-uri": ProblemKind(
        "info",
        "`{0}` is read as `{1}`",
        "write `{1}`",
        "IPTC 2023.1 Data Mining",
        why=(
            "The values of plus:DataMining are URIs that begin with `http://ns.useplus.org/ldf/vocab/`, and are "
            "compared letter by letter. Another reader may not know this one."
        ),
    ),
    "embedded-unknown-value": ProblemKind(
        "error",
        "`{0}` is not a value of plus:DataMining; it is read as a prohibition of {1}",
        "write one of the PLUS codes, such as http://ns.useplus.org/ldf/vocab/DMI-PROHIBITED",
        "P2 2.2.6",
        why="A text in place of a code was meant to say something of mining, and what is unknown. Doubt prohibits.",
    ),
    "embedded-empty-value": ProblemKind(
        "warning",
        "plus:DataMining is empty and says nothing",
        "write a value",
        "IPTC 2023.1 Data Mining",
        why="An empty value neither permits nor prohibits; the program that wrote it probably kept an unused field.",
    ),
    "embedded-nothing-to-see": ProblemKind(
        "warning",
        "`{0}` refers to {1}, which is not there; it is read as a prohibition",
        "add {1}",
        "IPTC 2023.1 Data Mining",
        why=(
            "The value says that a condition stands in another property. If that is not there, nobody can keep the "
            "condition."
        ),
    ),
    "embedded-stray-packet": ProblemKind(
        "warning",
        "nothing in the file refers to this XMP packet; it may describe only a part, but its prohibitions count",
        "save the file again, so that its own metadata is found",
        "Semantics, Embedded metadata",
        why=(
            "A file may hold XMP of the pictures that were placed in it. Such a packet may describe only a part, so "
            "its permissions do not count for the whole."
        ),
    ),
    "embedded-manifest": ProblemKind(
        "warning",
        "the C2PA manifest is not read for want of a package; what it says about mining may be a condition",
        "pip install 'acap[c2pa]'",
        "C2PA 2.1",
        why=(
            "A C2PA manifest is signed and has assertions of its own, some on training and mining. Without the library "
            "of the C2PA project they are not read, and one of them may reserve mining."
        ),
    ),
    "embedded-tdm-value": ProblemKind(
        "warning",
        "the tdm:reservation `{0}` is neither 0 nor 1; unless it is empty, rights count as reserved",
        "write 1 or 0",
        "TDMRep 4",
        why=(
            "`tdm:reservation` is 1 where rights are reserved, and 0 where they are not. Any other value counts as 1 "
            "here; others ignore it."
        ),
    ),
    "embedded-tdm-policy": ProblemKind(
        "warning",
        "tdm:policy `{0}` is not a URL, so rights are reserved without a way to obtain them",
        "write an absolute URL",
        "TDMRep 5.2",
        why="The policy is where a licence can be obtained. Without one the reservation is a plain no.",
    ),
    "embedded-epub-meta": ProblemKind(
        "warning",
        "`{0}` stands where TDMRep does not have it; it may reserve, and permits nothing",
        'write it into `metadata` of the package, with `prefix="tdm: http://www.w3.org/ns/tdmrep#"`',
        "TDMRep 6.5",
        why=(
            "EPUB 3 wants the prefix declared, and a META element with `refines` is about a part of the book. Readers "
            "that go by the letter do not see such an element."
        ),
    ),
    "embedded-tdm-policy-alone": ProblemKind(
        "warning",
        "tdm:policy stands without a tdm:reservation of 1 and is ignored",
        "add tdm:reservation 1",
        "TDMRep 4",
        why=(
            "`tdm:policy` names terms for rights that are reserved. Without a reservation there is nothing to license."
        ),
    ),
}
