"""Problems of TDMRep: a site's tdmrep.json, and the policies it names. A table: an entry a problem."""

from __future__ import annotations

from acap.problems.kind import ProblemKind

TDMREP = {
    "tdmrep-not-had": ProblemKind(
        "error",
        "tdmrep.json could not be retrieved ({0}), so rights count as reserved everywhere",
        "serve the file, or answer 404",
        "TDMRep 6.1",
        why="The file may have reserved rights, and a failure is not the answer that there is no file.",
    ),
    "tdmrep-not-json": ProblemKind(
        "error",
        "tdmrep.json is not JSON ({0}), so rights count as reserved everywhere",
        "write a JSON array in UTF-8",
        "TDMRep 6.1",
        why="What cannot be read may have reserved rights. Other readers take the file for none, and reserve nothing.",
    ),
    "tdmrep-not-array": ProblemKind(
        "error",
        "tdmrep.json is {0}, so rights count as reserved everywhere",
        "put brackets around the rules",
        "TDMRep 6.1",
        why="The brackets are mandatory, even around one rule. Other readers take the file for none.",
    ),
    "tdmrep-too-much": ProblemKind(
        "error",
        "tdmrep.json has {0}, more than {1} are not read, so rights count as reserved everywhere",
        "write fewer rules",
        "Semantics, TDMRep",
        why="Reading is bounded, and what was not read may have reserved rights.",
    ),
    "tdmrep-html": ProblemKind(
        "warning",
        "an HTML page stands in place of tdmrep.json; it is read as no file",
        "answer 404",
        "Semantics, TDMRep",
        why="Servers answer with a page of their own for what they do not have. It says nothing of mining.",
    ),
    "tdmrep-byte-order-mark": ProblemKind(
        "info",
        "the file begins with a byte order mark, which some readers refuse",
        "write the file without it",
        "RFC 8259 8.1",
        why="JSON has no such mark, and a reader may refuse the whole file for it.",
    ),
    "tdmrep-rule": ProblemKind(
        "warning",
        "a rule is not an object; nothing behind it permits",
        "write {{}} with location and tdm-reservation",
        "TDMRep 6.1",
        why="A rule is an object with members. What something else was meant to say is unknown.",
    ),
    "tdmrep-key": ProblemKind(
        "warning",
        "`{0}` is read as `{1}` where it reserves; others ignore it",
        "write `{1}`",
        "TDMRep 6.1",
        why="A reader that compares names exactly does not see it, and takes the rule for one without it.",
    ),
    "tdmrep-key-again": ProblemKind(
        "warning",
        "`{0}` stands there more than once; the rule permits nothing",
        "write it once",
        "RFC 8259 4",
        why="Readers differ in which of them they take: most the last one.",
    ),
    "tdmrep-no-reservation": ProblemKind(
        "warning",
        "the rule has no tdm-reservation and says nothing",
        'write "tdm-reservation": 1',
        "TDMRep 6.1",
        why="Without it nothing is reserved, whatever policy is named.",
    ),
    "tdmrep-value": ProblemKind(
        "warning",
        "tdm-reservation is `{0}`, neither 0 nor 1, so the rule says nothing",
        "write 1 or 0",
        "TDMRep 5.1",
        why="Other values are protocol errors, and the reservation counts as unset.",
    ),
    "tdmrep-value-type": ProblemKind(
        "info",
        "tdm-reservation is `{0}` and read as 1; others ignore it",
        "write 1",
        "TDMRep 5.1",
        why="The value is the number 1. A reader that goes by the letter takes anything else for unset.",
    ),
    "tdmrep-location": ProblemKind(
        "warning",
        "the location is not understood ({0}): a reservation counts all the same, a permission does not",
        "write a path that begins with /",
        "TDMRep 6.1",
        why="A location is a path from the root of the site. Other readers find no resource for this rule.",
    ),
    "tdmrep-other-site": ProblemKind(
        "warning",
        "`{0}` is of another site; the rule has no effect",
        "write a path that begins with /",
        "TDMRep 6.1",
        why="The file speaks for its own scheme, host and port.",
    ),
    "tdmrep-policy": ProblemKind(
        "warning",
        "tdm-policy `{0}` is not a URL, so rights are reserved without a way to obtain them",
        "write an absolute URL",
        "TDMRep 5.2",
        why="The policy is where a licence can be obtained. Without one the reservation is a plain no.",
    ),
    "tdmrep-order": ProblemKind(
        "warning",
        "`{0}` is longer than `{1}` before it, which decides for `{2}`; readers that go by length differ",
        "write the narrower rule first",
        "TDMRep 6.1",
        why="The text lets the first match decide, and points to Google's rules, where the longest does.",
    ),
    "tdmrep-terms-unread": ProblemKind(
        "error",
        "{0} could not be read ({1}), so its terms are unknown",
        "serve the policy as JSON-LD",
        "TDMRep 5.2",
        why="Without its policy it is unknown under which conditions rights can be obtained.",
    ),
    "tdmrep-terms": ProblemKind(
        "warning",
        "the policy's {0} is not as the profile has it; nothing is permitted by it",
        "write what the profile has",
        "TDMRep 7.1.5",
        why="What is not of the profile may be a condition, so the policy grants nothing outright.",
    ),
}
