"""Problems of licence documents of RSL. A table: an entry a problem."""

from __future__ import annotations

from acap.problems.kind import ProblemKind

RSL = {
    "rsl-not-xml": ProblemKind(
        "error",
        "the licence document is not well-formed XML ({0}); it prohibits mining, and nothing in it permits",
        "check it with an XML parser",
        "RSL 1.0 3",
    ),
    "rsl-document-type": ProblemKind(
        "error",
        "the licence document declares a document type and is not read; it prohibits mining",
        "remove the DOCTYPE",
        "RSL 1.0 3",
    ),
    "rsl-limit": ProblemKind(
        "error",
        "{0}, more than the limit; the licence document prohibits mining, and nothing in it permits",
        "split the document",
        "RSL 1.0 3",
    ),
    "rsl-namespace": ProblemKind(
        "error",
        "the root `{0}` in namespace `{1}` is not RSL; the document prohibits mining",
        'write <rsl xmlns="https://rslstandard.org/rsl">',
        "RSL 1.0 2.2",
    ),
    "rsl-no-content": ProblemKind(
        "error",
        "the licence document has no content element; nothing is licensed, and mining is prohibited",
        'add <content url="/"> with a license',
        "RSL 1.0 3.2",
    ),
    "rsl-no-licence": ProblemKind(
        "warning",
        "the content `{0}` has no license, so nothing is licensed but by its server",
        "add a license",
        "RSL 1.0 3.3",
    ),
    "rsl-unknown-element": ProblemKind(
        "error",
        "`{0}` in `{1}` is not an element of RSL; nothing in this `{1}` is permitted",
        "remove it, or give it a namespace of its own",
        "RSL 1.0 2.2",
    ),
    "rsl-unknown-attribute": ProblemKind(
        "info",
        "`{0}` is not an attribute of `{1}` and is ignored",
        None,
        "RSL 1.0 3",
    ),
    "rsl-url": ProblemKind(
        "error",
        "`{0}` is not a pattern of paths; the content counts for the whole site and permits nothing",
        "write a path that begins with a slash",
        "RSL 1.0 3.3",
    ),
    "rsl-absolute-url": ProblemKind(
        "info",
        "`{0}` is read as a path of its own site, and says nothing of others",
        "write the path alone",
        "RSL 1.0 3.3",
    ),
    "rsl-max-age": ProblemKind(
        "warning",
        "`{0}` is not a number of days; the document holds for {1}",
        "write a number of days",
        "RSL 1.0 3.1",
    ),
    "rsl-list-type": ProblemKind(
        "error",
        "`{0}` has the type `{1}`, not usage, user or geo; its license permits nothing",
        "write usage, user or geo",
        "RSL 1.0 3.5",
    ),
    "rsl-repeated": ProblemKind(
        "warning",
        "`{0}` stands twice in one element; lists are read as one, and every payment is asked for",
        "write one",
        "RSL 1.0 3.5",
    ),
    "rsl-comma-list": ProblemKind(
        "info",
        "the list `{0}` has commas, as in RSL 0.9; it is read as if they were blanks",
        "write blanks",
        "RSL 1.0 3.5",
    ),
    "rsl-empty-list": ProblemKind(
        "warning",
        "`{0}` is empty: an empty list permits nothing and prohibits nothing",
        "name what is meant",
        "RSL 1.0 3.5",
    ),
    "rsl-unknown-token": ProblemKind(
        "warning",
        "unknown {1} `{0}`: it permits nothing, and prohibits everything where it prohibits",
        None,
        "RSL 1.0 3.5",
    ),
    "rsl-foreign-token": ProblemKind(
        "warning",
        "`{0}` belongs to another vocabulary: it permits nothing, and prohibits as `{1}` where it prohibits",
        "write `{1}`",
        "RSL 1.0 3.5",
    ),
    "rsl-extension": ProblemKind(
        "info",
        "the extension `{0}` is unknown and ignored as a {1}; whom it may prohibit is prohibited",
        None,
        "RSL 1.0 3.5",
    ),
    "rsl-contradiction": ProblemKind(
        "warning",
        "the license permits `{0}` and prohibits `{1}`; the prohibition stands",
        "remove one of them",
        "RSL 1.0 3.6",
    ),
    "rsl-unknown-payment": ProblemKind(
        "warning",
        "unknown payment `{0}`, so that nothing is permitted for it",
        "write one of the payments of RSL, such as purchase",
        "RSL 1.0 3.7",
    ),
    "rsl-old-payment": ProblemKind(
        "info",
        "the payment `inference` of RSL 0.9 is read as `use`",
        "write `use`",
        "RSL 1.0 3.7",
    ),
    "rsl-unknown-type": ProblemKind(
        "info",
        "`{0}` has the unknown type `{1}` and decides nothing",
        None,
        "RSL 1.0 3.9",
    ),
    "rsl-reporting": ProblemKind(
        "warning",
        "the profile `{0}` of reporting is unknown, so that nothing is permitted by this license",
        None,
        "RSL 1.0 3.8",
    ),
}
