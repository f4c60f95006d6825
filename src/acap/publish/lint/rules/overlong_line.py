"""A line that is longer than what is read of one."""

from __future__ import annotations

from acap.publish.lint.rule import Example, Long, of_problem

RULE = of_problem(
    "overlong-line",
    summary="a line is longer than readers keep",
    why=(
        "Readers bound how much of a line they keep: 16,664 octets here, as in Google's matcher. A rule cut short is "
        "another rule: a shorter path matches more. So a prohibition that is cut prohibits more than was written, a "
        "permission permits nothing, and one of ACAP prohibits. No URL is so long; such a line has usually lost its "
        "line ends, or holds many rules "
        "that belong on lines of their own."
    ),
    examples=(
        Example(
            bad=Long("User-agent: *\nDisallow: /\nAllow: /", "a", 20_000),
            good="User-agent: *\nDisallow: /\nAllow: /aaa\n",
        ),
    ),
)
