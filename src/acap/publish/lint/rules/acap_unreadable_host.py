"""A resource of a host that cannot be read."""

from __future__ import annotations

from acap.publish.lint.rule import Example, of_problem

RULE = of_problem(
    "acap-unreadable-host",
    summary="a field names a resource whose host cannot be read",
    why=(
        "A host has no wildcard, no empty label and no escape, and a port is a number below 65,536. The author may "
        "have meant this host, so a prohibition applies to the path here; a permission has no effect. A robots.txt "
        "speaks only for its own host and port: write paths."
    ),
    examples=(
        Example(
            bad="ACAP-crawler: *\nACAP-disallow-crawl: http://*.example.com/private/\n",
            good="ACAP-crawler: *\nACAP-disallow-crawl: /private/\n",
        ),
    ),
)
