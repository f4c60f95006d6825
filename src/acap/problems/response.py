"""Problems of what servers answer. A table: an entry a problem."""

from __future__ import annotations

from acap.problems.kind import ProblemKind

RESPONSE = {
    "response-no-page": ProblemKind(
        "error",
        "the page was not read: {0}, which says what fetching it takes",
        "give the page as whoever may have it gets it",
        "RFC 9110 15.5",
        why="Where a server demands a payment or a licence, or refuses, what the page itself says is not known.",
    ),
    "response-price": ProblemKind(
        "warning",
        "`{0}` is no price of crawling; how much has to be paid is unknown",
        "write a currency and a number: crawler-price: USD 0.01",
        "Cloudflare, pay per crawl",
        why="A crawler pays only what it knows, and stays away if it cannot read how much that is.",
    ),
}
