"""A line that is longer than what is read of one."""

from __future__ import annotations

from acap.publish.lint.rule import Example, Long, of_problem

RULE = of_problem(
    "overlong-line",
    summary="a line is longer than readers keep",
    why=(
        "Readers limit how much of a line they keep: 16,664 octets here, as in Google's matcher. A rule cut short is "
        "another rule, because a shorter path matches more. So a cut prohibition prohibits more than you wrote, a cut "
        "Allow line permits nothing, and a cut ACAP permission prohibits. No URL is that long; usually the line ends "
        "are missing, or many rules stand on one line."
    ),
    examples=(
        Example(
            bad=Long("User-agent: *\nDisallow: /\nAllow: /", "a", 20_000),
            good="User-agent: *\nDisallow: /\nAllow: /aaa\n",
        ),
    ),
)
