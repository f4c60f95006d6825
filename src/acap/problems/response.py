"""Problems of what servers answer. A table: an entry a problem."""

from __future__ import annotations

from acap.problems.kind import Doc, Example, ProblemKind

RESPONSE = {
    "response-no-page": ProblemKind(
        "error",
        "the page was not read: {0}, which says what fetching it takes",
        "give the page as whoever may have it gets it",
        "RFC 9110 15.5",
        Doc(
            summary="the saved response has no page, but says what fetching it takes",
            why=(
                "The server demands a payment, a licence or a signature, or it refuses. That decides every use, and "
                "what the page itself says is not known. Save the response that whoever may have the page gets."
            ),
            examples=(
                Example(
                    bad="HTTP/1.1 402 Payment Required\ncrawler-price: USD 0.01\n\n",
                    good="HTTP/1.1 200 OK\nX-Robots-Tag: noindex\n\n",
                    kind="headers",
                ),
            ),
            kinds=("page", "headers"),
        ),
    ),
    "response-price": ProblemKind(
        "warning",
        "`{0}` is no price of crawling; how much has to be paid is unknown",
        "write a currency and a number: crawler-price: USD 0.01",
        "Cloudflare, pay per crawl",
        Doc(
            "a response names a price that cannot be read",
            "A crawler pays only what it knows, and stays away if it cannot read how much that is.",
            (
                Example(
                    "HTTP/1.1 402 Payment Required\ncrawler-price: much\n\n",
                    "HTTP/1.1 402 Payment Required\ncrawler-price: USD 0.01\n\n",
                    kind="headers",
                ),
            ),
            ("headers",),
        ),
    ),
}
