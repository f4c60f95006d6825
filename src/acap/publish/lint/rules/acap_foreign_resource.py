"""A resource of another site."""

from __future__ import annotations

from acap.publish.lint.rule import Example, of_problem

RULE = of_problem(
    "acap-foreign-resource",
    summary="a field speaks of a resource that is not on this site",
    why=(
        "A robots.txt speaks for the host and port that it lies on, and for no other, not even another name of the "
        "same site. What the field permits or prohibits elsewhere does not count there. Put the line into the "
        "robots.txt of that host; here, write paths."
    ),
    examples=(
        Example(
            bad="ACAP-crawler: *\nACAP-request-re-crawl: http:///news/mistake.html\n",
            good="ACAP-crawler: *\nACAP-request-re-crawl: /news/mistake.html\n",
        ),
    ),
)
