"""A resource of a host that cannot be read."""

from __future__ import annotations

from acap.publish.lint.rule import Example, of_problem

RULE = of_problem(
    "acap-unreadable-host",
    summary="a field speaks of a resource whose host cannot be read",
    why=(
        "A host has no wildcard, no empty label and no escape, and a port is a number below 65,536. Such a host may "
        "have been meant for this one, so the path behind it is prohibited here where the field prohibits; a "
        "permission permits nothing. A robots.txt speaks for its own host and port alone: write paths."
    ),
    examples=(
        Example(
            bad="ACAP-crawler: *\nACAP-disallow-crawl: http://*.example.com/private/\n",
            good="ACAP-crawler: *\nACAP-disallow-crawl: /private/\n",
        ),
    ),
)
