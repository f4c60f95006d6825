"""Problems of what servers answer. A table: an entry a problem."""

from __future__ import annotations

from acap.problems.kind import ProblemKind

RESPONSE = {
    "response-price": ProblemKind(
        "warning",
        "`{0}` is no price of crawling; how much has to be paid is unknown",
        "write a currency and a number: crawler-price: USD 0.01",
        "Cloudflare, pay per crawl",
        why="A crawler pays only what it knows, and stays away if it cannot read how much that is.",
    ),
}
