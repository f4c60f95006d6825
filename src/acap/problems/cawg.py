"""Problems of assertions on training and mining (CAWG, C2PA). A table: an entry a problem."""

from __future__ import annotations

from acap.problems.kind import Doc, Example, ProblemKind


def _of_assertion(summary: str, why: str, bad: str, good: str) -> Doc:
    return Doc(summary, why, (Example(bad, good, kind="cawg"),), ("cawg",))


CAWG = {
    "cawg-unread": ProblemKind(
        "error",
        "the manifest could not be read ({0}), so mining is prohibited",
        "sign the file again",
        "CAWG 1.1",
        doc=_of_assertion(
            "what a manifest says of mining cannot be read",
            "What it says of mining is unknown, and it may have refused.",
            "{\n",
            '{"entries": {"cawg.ai_training": {"use": "notAllowed"}}}\n',
        ),
    ),
    "cawg-missing-package": ProblemKind(
        "error",
        "what the C2PA manifest says of mining is unknown: reading it needs a package that is not installed ({0})",
        "pip install 'acap[c2pa]'",
        "C2PA 2.1",
        why="Manifests are signed binary data; they are read by the library of the C2PA project.",
    ),
    "cawg-invalid": ProblemKind(
        "warning",
        "validation of the manifest found `{0}`; it permits nothing",
        "sign the file again",
        "C2PA 2.1",
        doc=_of_assertion(
            "a manifest is not valid",
            "The file or the manifest was changed after it was signed, so its permissions do not count. A reader may "
            "call a manifest valid and still tell a failure beside it.",
            '{"active_manifest": "a", "manifests": {"a": {"assertions": []}}, "validation_state": "Invalid"}\n',
            '{"active_manifest": "a", "manifests": {"a": {"assertions": []}}, "validation_state": "Valid"}\n',
        ),
    ),
    "cawg-unknown-entry": ProblemKind(
        "info",
        "the entry `{0}` is not known and says nothing",
        "write one of the four known entries",
        "CAWG 1.1",
        doc=_of_assertion(
            "an entry is not one of the four",
            "Entries of one's own are allowed, and readers know no usage for them.",
            '{"entries": {"com.example.dreams": {"use": "notAllowed"}}}\n',
            '{"entries": {"cawg.ai_training": {"use": "notAllowed"}}}\n',
        ),
    ),
    "cawg-reserved-entry": ProblemKind(
        "warning",
        "the entry `{0}` is not known; unless it allows, mining is prohibited or constrained as it says",
        "write one of the four known entries, or put a domain before it",
        "CAWG 1.1 2.1",
        doc=_of_assertion(
            "an entry has a name that is kept for later versions",
            "Only later versions may have new names of this kind. It is one of theirs, or a typo.",
            '{"entries": {"cawg.ai_dreams": {"use": "notAllowed"}}}\n',
            '{"entries": {"com.example.dreams": {"use": "notAllowed"}}}\n',
        ),
    ),
    "cawg-entry-name": ProblemKind(
        "warning",
        "the entry `{0}` is read as `{1}` where it does not allow; others ignore it",
        "write `{1}`",
        "CAWG 1.1",
        doc=_of_assertion(
            "an entry has another prefix than its label",
            "A reader that compares names exactly does not see it.",
            '{"entries": {"ai_training": {"use": "notAllowed"}}}\n',
            '{"entries": {"cawg.ai_training": {"use": "notAllowed"}}}\n',
        ),
    ),
    "cawg-unknown-use": ProblemKind(
        "warning",
        "the use of `{0}` is `{1}`, which is not known; it counts as notAllowed",
        "write allowed, notAllowed or constrained",
        "CAWG 1.1",
        doc=_of_assertion(
            "a use is none of the three",
            "The three values are all there are. A misspelt one was written to say something.",
            '{"entries": {"cawg.ai_training": {"use": "no"}}}\n',
            '{"entries": {"cawg.ai_training": {"use": "notAllowed"}}}\n',
        ),
    ),
    "cawg-allowed-beside": ProblemKind(
        "warning",
        "`{0}` is allowed beside `{1}`, which may constrain it; it does not count as allowed",
        "write constrained, or remove `{1}`",
        "CAWG 1.1 2.2",
        doc=_of_assertion(
            "an entry is allowed and constrained at once",
            "Whoever writes a constraint does not allow everything. An entry has no other members.",
            '{"entries": {"cawg.ai_training": {"use": "allowed", "constraint_info": "ask"}}}\n',
            '{"entries": {"cawg.ai_training": {"use": "constrained", "constraint_info": "ask"}}}\n',
        ),
    ),
    "cawg-no-constraint": ProblemKind(
        "warning",
        "`{0}` is constrained and does not say how; it counts as notAllowed",
        "write constraint_info",
        "CAWG 1.1",
        doc=_of_assertion(
            "an entry is constrained and does not say how",
            "A constraint that is not told cannot be met.",
            '{"entries": {"cawg.ai_training": {"use": "constrained"}}}\n',
            '{"entries": {"cawg.ai_training": {"use": "constrained", "constraint_info": "https://www.example.com/terms"}}}\n',
        ),
    ),
}
