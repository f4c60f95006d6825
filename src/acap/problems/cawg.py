"""Problems of assertions on training and mining (CAWG, C2PA). A table: an entry a problem."""

from __future__ import annotations

from acap.problems.kind import ProblemKind

CAWG = {
    "cawg-unread": ProblemKind(
        "error",
        "the manifest could not be read ({0}), so mining is prohibited",
        "sign the file again",
        "CAWG 1.1",
        why="What it says of mining is unknown, and it may have refused.",
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
        "the manifest's validation is `{0}`; it permits nothing",
        "sign the file again",
        "C2PA 2.1",
        why="The file or the manifest was changed after it was signed, so its permissions do not count.",
    ),
    "cawg-unknown-entry": ProblemKind(
        "info",
        "the entry `{0}` is not known and says nothing",
        "write one of the four known entries",
        "CAWG 1.1",
        why="Entries of one's own are allowed, and readers know no usage for them.",
    ),
    "cawg-reserved-entry": ProblemKind(
        "warning",
        "the entry `{0}` is not known; unless it allows, mining is prohibited or constrained as it says",
        "write one of the four known entries, or put a domain before it",
        "CAWG 1.1 2.1",
        why="Only later versions may have new names of this kind. It is one of theirs, or a slip.",
    ),
    "cawg-entry-name": ProblemKind(
        "warning",
        "the entry `{0}` is read as `{1}` where it does not allow; others ignore it",
        "write `{1}`",
        "CAWG 1.1",
        why="A reader that compares names exactly does not see it.",
    ),
    "cawg-unknown-use": ProblemKind(
        "warning",
        "the use of `{0}` is `{1}`, which is not known; it counts as notAllowed",
        "write allowed, notAllowed or constrained",
        "CAWG 1.1",
        why="The three values are all there are. A misspelt one was written to say something.",
    ),
    "cawg-allowed-beside": ProblemKind(
        "warning",
        "`{0}` is allowed beside `{1}`, which may constrain it; it does not count as allowed",
        "write constrained, or remove `{1}`",
        "CAWG 1.1 2.2",
        why="Whoever writes a constraint does not allow everything. An entry has no other members.",
    ),
    "cawg-no-constraint": ProblemKind(
        "warning",
        "`{0}` is constrained and does not say how; it counts as notAllowed",
        "write constraint_info",
        "CAWG 1.1",
        why="A constraint that is not told cannot be met.",
    ),
}
