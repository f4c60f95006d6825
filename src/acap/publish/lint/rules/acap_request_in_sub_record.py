"""An action request below a purpose."""

from __future__ import annotations

from acap.publish.lint.rule import Example, of_problem

RULE = of_problem(
    "acap-request-in-sub-record",
    summary="an action request stands below a purpose",
    why=(
        "Requests to take something down, or to crawl it again, are made to a crawler whatever it crawls for, and "
        "stand before the first ACAP-usage-purpose line of the record. Below one the request is heard here all the "
        "same, for every purpose; another crawler may take it as meant for that purpose, or skip it. Move it up."
    ),
    examples=(
        Example(
            bad=(
                "ACAP-crawler: *\nACAP-usage-purpose: news\nACAP-allow-crawl: /\n"
                "ACAP-request-take-down: /news/mistake.html\n"
            ),
            good=(
                "ACAP-crawler: *\nACAP-request-take-down: /news/mistake.html\n"
                "ACAP-usage-purpose: news\nACAP-allow-crawl: /\n"
            ),
        ),
    ),
)
