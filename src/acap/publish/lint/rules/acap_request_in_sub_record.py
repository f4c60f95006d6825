"""An action request below a purpose."""

from __future__ import annotations

from acap.publish.lint.rule import Example, of_problem

RULE = of_problem(
    "acap-request-in-sub-record",
    summary="an action request stands below a purpose",
    why=(
        "Requests to take something down, or to crawl it again, address a crawler whatever its purpose, so they belong "
        "before the first ACAP-usage-purpose line of the record. Below one, the request still counts here for every "
        "purpose. Another crawler may apply it to that purpose only, or skip it. Move it up."
    ),
    examples=(
        Example(
            bad=(
                "ACAP-crawler: *\nACAP-usage-purpose: news\nACAP-allow-crawl: /\nACAP-request-take-down: "
                "/news/mistake.html\n"
            ),
            good=(
                "ACAP-crawler: *\nACAP-request-take-down: /news/mistake.html\nACAP-usage-purpose: "
                "news\nACAP-allow-crawl: /\n"
            ),
        ),
    ),
)
