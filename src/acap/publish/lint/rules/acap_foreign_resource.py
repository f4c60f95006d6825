"""A resource of another site."""

from __future__ import annotations

from acap.publish.lint.rule import Example, of_problem

RULE = of_problem(
    "acap-foreign-resource",
    summary="a field names a resource that is not on this site",
    why=(
        "A robots.txt speaks only for its own host and port, not even for another name of the same site. A permission "
        "or prohibition for another host has no effect there. Put the line into the robots.txt of that host; here, "
        "write paths."
    ),
    examples=(
        Example(
            bad="ACAP-crawler: *\nACAP-request-re-crawl: http:///news/mistake.html\n",
            good="ACAP-crawler: *\nACAP-request-re-crawl: /news/mistake.html\n",
        ),
    ),
)
