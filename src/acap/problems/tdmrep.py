"""Problems of TDMRep: a site's tdmrep.json, and the policies it names. A table: an entry a problem."""

from __future__ import annotations

from acap.problems.kind import ProblemKind

TDMREP = {
    "tdmrep-not-had": ProblemKind(
        "error",
        "tdmrep.json could not be retrieved ({0}), so rights count as reserved everywhere",
        "serve the file, or answer 404",
        "TDMRep 6.1",
    ),
    "tdmrep-not-json": ProblemKind(
        "error",
        "tdmrep.json is not JSON ({0}), so rights count as reserved everywhere",
        "write a JSON array in UTF-8",
        "TDMRep 6.1",
    ),
    "tdmrep-not-array": ProblemKind(
        "error",
        "tdmrep.json is {0}, so rights count as reserved everywhere",
        "put brackets around the rules",
        "TDMRep 6.1",
    ),
    "tdmrep-too-much": ProblemKind(
        "error",
        "tdmrep.json has {0}, more than {1} are not read, so rights count as reserved everywhere",
        "write fewer rules",
        "Semantics, TDMRep",
    ),
    "tdmrep-html": ProblemKind(
        "warning",
        "an HTML page stands in place of tdmrep.json; it is read as no file",
        "answer 404",
        "Semantics, TDMRep",
    ),
    "tdmrep-byte-order-mark": ProblemKind(
        "info",
        "the file begins with a byte order mark, which some readers refuse",
        "write the file without it",
        "RFC 8259 8.1",
    ),
    "tdmrep-rule": ProblemKind(
        "warning",
        "a rule is not an object; nothing behind it permits",
        "write {{}} with location and tdm-reservation",
        "TDMRep 6.1",
    ),
    "tdmrep-key": ProblemKind(
        "warning",
        "`{0}` is read as `{1}` where it reserves; others ignore it",
        "write `{1}`",
        "TDMRep 6.1",
    ),
    "tdmrep-key-again": ProblemKind(
        "warning",
        "`{0}` stands there more than once; the rule permits nothing",
        "write it once",
        "RFC 8259 4",
    ),
    "tdmrep-no-reservation": ProblemKind(
        "warning",
        "the rule has no tdm-reservation and says nothing",
        'write "tdm-reservation": 1',
        "TDMRep 6.1",
    ),
    "tdmrep-value": ProblemKind(
        "warning",
        "tdm-reservation is `{0}`, neither 0 nor 1, so the rule says nothing",
        "write 1 or 0",
        "TDMRep 5.1",
    ),
    "tdmrep-value-type": ProblemKind(
        "info",
        "tdm-reservation is `{0}` and read as 1; others ignore it",
        "write 1",
        "TDMRep 5.1",
    ),
    "tdmrep-location": ProblemKind(
        "warning",
        "the location is not understood ({0}): a reservation counts all the same, a permission does not",
        "write a path that begins with /",
        "TDMRep 6.1",
    ),
    "tdmrep-other-site": ProblemKind(
        "warning",
        "`{0}` is of another site; the rule has no effect",
        "write a path that begins with /",
        "TDMRep 6.1",
    ),
    "tdmrep-policy": ProblemKind(
        "warning",
        "tdm-policy `{0}` is not a URL, so rights are reserved without a way to obtain them",
        "write an absolute URL",
        "TDMRep 5.2",
    ),
    "tdmrep-order": ProblemKind(
        "warning",
        "`{0}` is longer than `{1}` before it, which decides for `{2}`; readers that go by length differ",
        "write the narrower rule first",
        "TDMRep 6.1",
    ),
    "tdmrep-terms-unread": ProblemKind(
        "error",
        "{0} could not be read ({1}), so its terms are unknown",
        "serve the policy as JSON-LD",
        "TDMRep 5.2",
    ),
    "tdmrep-terms": ProblemKind(
        "warning",
        "the policy's {0} is not as the profile has it; nothing is permitted by it",
        None,
        "TDMRep 7.1.5",
    ),
}
