"""Something else where a robots.txt should be."""

from __future__ import annotations

from acap.publish.lint.rule import Example, of_problem

RULE = of_problem(
    "no-robots-txt",
    summary="the file has text, but no line is a field of a robots.txt",
    why=(
        "Some servers answer a request for robots.txt with status 200 and an error page, a login page, JSON or a "
        "gateway message. Most crawlers find no rules in it and treat everything as allowed; others keep using the "
        "previous file, for a month at most. A 404 says plainly that there is no file."
    ),
    examples=(
        Example(bad="Unauthorized\n", good="User-agent: *\nDisallow:\n"),
        Example(bad='{"error": "not found"}\n', good="# nothing is prohibited here\n"),
    ),
)
