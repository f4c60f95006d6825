"""Problems of assertions on training and mining (CAWG, C2PA). A table: an entry a problem."""

from __future__ import annotations

from acap.problems.kind import ProblemKind

CAWG = {
    "cawg-unread": ProblemKind(
        "error",
        "the manifest could not be read ({0}), so mining is prohibited",
        "sign the file again",
        "CAWG 1.1",
    ),
    "cawg-missing-package": ProblemKind(
        "error",
        "what the C2PA manifest says of mining is unknown: reading it needs a package that is not installed ({0})",
        "pip install 'acap[c2pa]'",
        "C2PA 2.1",
    ),
    "cawg-invalid": ProblemKind(
        "warning",
        "the manifest's validation is `{0}`; it permits nothing",
        "sign the file again",
        "C2PA 2.1",
    ),
    "cawg-unknown-entry": ProblemKind(
        "info",
        "the entry `{0}` is not known and says nothing",
        None,
        "CAWG 1.1",
    ),
    "cawg-entry-name": ProblemKind(
        "warning",
        "the entry `{0}` is read as `{1}` where it does not allow; others ignore it",
        "write `{1}`",
        "CAWG 1.1",
    ),
    "cawg-unknown-use": ProblemKind(
        "warning",
        "the use of `{0}` is `{1}`, which is not known; it counts as notAllowed",
        "write allowed, notAllowed or constrained",
        "CAWG 1.1",
    ),
    "cawg-no-constraint": ProblemKind(
        "warning",
        "`{0}` is constrained and does not say how; it counts as notAllowed",
        "write constraint_info",
        "CAWG 1.1",
    ),
}
