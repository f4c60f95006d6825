"""Problems of TDMRep: a site's tdmrep.json, and the policies it names. A table: an entry a problem."""

from __future__ import annotations

from acap.problems.kind import Doc, Example, Long, ProblemKind

_RESERVED = '[{"location": "/", "tdm-reservation": 1}]\n'
_OFFER = (
    '{"profile": "http://www.w3.org/ns/tdmrep", "@type": "Offer",\n'
    ' "permission": [{"action": "tdm:mine", "duty": [{"action": "obtainConsent"}]}]}\n'
)


def _of_file(summary: str, why: str, bad: str | Long, good: str) -> Doc:
    return Doc(summary, why, (Example(bad, good, kind="tdmrep"),), ("tdmrep",))


def _of_policy(summary: str, why: str, bad: str, good: str) -> Doc:
    return Doc(summary, why, (Example(bad, good, kind="tdm-policy"),), ("tdm-policy",))


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
        doc=_of_file(
            "tdmrep.json is not JSON",
            "What cannot be read may have reserved rights. Other readers take the file for none, and reserve nothing.",
            '[{"location": "/", "tdm-reservation": 1},]\n',
            _RESERVED,
        ),
    ),
    "tdmrep-not-array": ProblemKind(
        "error",
        "tdmrep.json is {0}, so rights count as reserved everywhere",
        "put brackets around the rules",
        "TDMRep 6.1",
        doc=_of_file(
            "tdmrep.json is not an array",
            "The brackets are mandatory, even around one rule. Other readers take the file for none.",
            '{"location": "/", "tdm-reservation": 1}\n',
            _RESERVED,
        ),
    ),
    "tdmrep-too-much": ProblemKind(
        "error",
        "tdmrep.json has {0}, more than {1} are not read, so rights count as reserved everywhere",
        "write fewer rules",
        "Semantics, TDMRep",
        doc=_of_file(
            "tdmrep.json has more than is read",
            "Reading is bounded, and what was not read may have reserved rights.",
            Long("[", " ", 2 * 1024 * 1024),
            _RESERVED,
        ),
    ),
    "tdmrep-html": ProblemKind(
        "warning",
        "an HTML page stands in place of tdmrep.json; it is read as no file",
        "answer 404",
        "Semantics, TDMRep",
        doc=_of_file(
            "an HTML page stands in place of tdmrep.json",
            "Servers answer with a page of their own for what they do not have. It says nothing of mining.",
            "<!DOCTYPE html><html></html>\n",
            _RESERVED,
        ),
    ),
    "tdmrep-byte-order-mark": ProblemKind(
        "info",
        "the file begins with a byte order mark, which some readers refuse",
        "write the file without it",
        "RFC 8259 8.1",
        doc=_of_file(
            "tdmrep.json begins with a byte order mark",
            "JSON has no such mark, and a reader may refuse the whole file for it.",
            "\ufeff" + _RESERVED,
            _RESERVED,
        ),
    ),
    "tdmrep-rule": ProblemKind(
        "error",
        "a rule is not an object, so rights count as reserved everywhere",
        "write {{}} with location and tdm-reservation",
        "TDMRep 6.1",
        doc=_of_file(
            "a rule of tdmrep.json is not an object",
            "A rule is an object with members. What something else was meant to say is unknown: it may hold the rules.",
            '[[{"location": "/", "tdm-reservation": 1}]]\n',
            _RESERVED,
        ),
    ),
    "tdmrep-key": ProblemKind(
        "warning",
        "`{0}` is read as `{1}` where it reserves; others ignore it",
        "write `{1}`",
        "TDMRep 6.1",
        doc=_of_file(
            "a member is almost one of TDMRep",
            "A reader that compares names exactly does not see it, and takes the rule for one without it.",
            '[{"location": "/", "tdm_reservation": 1}]\n',
            _RESERVED,
        ),
    ),
    "tdmrep-key-near": ProblemKind(
        "warning",
        "`{0}` is almost `{1}`: it counts where it reserves, and names no place and no terms; others ignore it",
        "write `{1}`",
        "TDMRep 6.1",
        doc=_of_file(
            "a member resembles one of TDMRep",
            "Other readers do not see it. A guess may reserve, but it makes no reservation narrower or milder.",
            '[{"location": "/", "tdm-reservations": 1}]\n',
            _RESERVED,
        ),
    ),
    "tdmrep-key-again": ProblemKind(
        "warning",
        "`{0}` stands there more than once; the rule permits nothing",
        "write it once",
        "RFC 8259 4",
        doc=_of_file(
            "a rule has a member twice",
            "Readers differ in which of them they take: most the last one.",
            '[{"location": "/", "tdm-reservation": 0, "tdm-reservation": 1}]\n',
            _RESERVED,
        ),
    ),
    "tdmrep-no-reservation": ProblemKind(
        "warning",
        "the rule has no tdm-reservation and says nothing",
        'write "tdm-reservation": 1',
        "TDMRep 6.1",
        doc=_of_file(
            "a rule does not say whether rights are reserved",
            "Without it nothing is reserved, whatever policy is named.",
            '[{"location": "/"}]\n',
            _RESERVED,
        ),
    ),
    "tdmrep-value": ProblemKind(
        "warning",
        "tdm-reservation is `{0}`, neither 0 nor 1, so the rule says nothing",
        "write 1 or 0",
        "TDMRep 5.1",
        doc=_of_file(
            "tdm-reservation is almost 0",
            "Other values are protocol errors, and the reservation counts as unset. Nothing is permitted either.",
            '[{"location": "/", "tdm-reservation": "0"}]\n',
            _RESERVED,
        ),
    ),
    "tdmrep-value-type": ProblemKind(
        "info",
        "tdm-reservation is `{0}` and read as 1; others ignore it",
        "write 1",
        "TDMRep 5.1",
        doc=_of_file(
            "tdm-reservation is neither 0 nor 1",
            "A reader that goes by the letter takes such a value for unset. acap takes it for 1, as in headers.",
            '[{"location": "/", "tdm-reservation": true}]\n',
            _RESERVED,
        ),
    ),
    "tdmrep-location": ProblemKind(
        "warning",
        "the location is not understood ({0}): a reservation counts all the same, a permission does not",
        "write a path that begins with /",
        "TDMRep 6.1",
        doc=_of_file(
            "a location is not a path",
            "A location is a path from the root of the site. Other readers find no resource for this rule.",
            '[{"location": "images/", "tdm-reservation": 1}]\n',
            '[{"location": "/images/", "tdm-reservation": 1}]\n',
        ),
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
        doc=_of_file(
            "a tdm-policy is not a URL",
            "The policy is where a licence can be obtained. Without one the reservation is a plain no.",
            '[{"location": "/", "tdm-reservation": 1, "tdm-policy": "ask us"}]\n',
            '[{"location": "/", "tdm-reservation": 1, "tdm-policy": "https://www.example.com/policy.json"}]\n',
        ),
    ),
    "tdmrep-order": ProblemKind(
        "warning",
        "`{0}` is longer than `{1}` before it, which decides for `{2}`; readers that go by length differ",
        "write the narrower rule first",
        "TDMRep 6.1",
        doc=_of_file(
            "a broader rule stands before a narrower one",
            "The text lets the first match decide, and points to Google's rules, where the longest does.",
            '[{"location": "/", "tdm-reservation": 1},\n {"location": "/a/", "tdm-reservation": 0}]\n',
            '[{"location": "/a/", "tdm-reservation": 0},\n {"location": "/", "tdm-reservation": 1}]\n',
        ),
    ),
    "tdmrep-terms-unread": ProblemKind(
        "error",
        "{0} could not be read ({1}), so its terms are unknown",
        "serve the policy as JSON-LD",
        "TDMRep 5.2",
        doc=_of_policy(
            "a policy of TDMRep cannot be read",
            "Without its policy it is unknown under which conditions rights can be obtained.",
            "{\n",
            _OFFER,
        ),
    ),
    "tdmrep-terms": ProblemKind(
        "warning",
        "the policy's {0} is not as the profile has it; nothing is permitted by it",
        "write what the profile has",
        "TDMRep 7.1.5",
        doc=_of_policy(
            "a policy has something that its profile does not have",
            "What is not of the profile may be a condition, so the policy grants nothing outright.",
            _OFFER.replace("Offer", "Set"),
            _OFFER,
        ),
    ),
}
