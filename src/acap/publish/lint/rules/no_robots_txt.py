"""Something else where a robots.txt should be."""

from __future__ import annotations

from acap.publish.lint.rule import Example, of_problem

RULE = of_problem(
    "no-robots-txt",
    summary="the file has text, and no line of it is a field of a robots.txt",
    why=(
        "Error pages, login pages, JSON and the words of a gateway come with status 200 where a robots.txt was asked "
        "for. Most crawlers find no rules in them and take everything for allowed; others go on with the file that "
        "they read before, for a month at most. A 404 says that there is no file, and says it plainly."
    ),
    examples=(
        Example(bad="Unauthorized\n", good="User-agent: *\nDisallow:\n"),
        Example(bad='{"error": "not found"}\n', good="# nothing is prohibited here\n"),
    ),
)
