"""A file that is longer than what crawlers read."""

from __future__ import annotations

from acap.publish.lint.rule import Example, Long, of_problem

RULE = of_problem(
    "cut-file",
    summary="the file is longer than the limit",
    why=(
        "RFC 9309 asks crawlers to read at least the first 500 kibibytes of a robots.txt; Google reads that much and "
        "ignores the rest. Here the limit is 8 MiB, and a larger file prohibits everything, because its end might. "
        "Lists of single pages make files that long: prohibit directories, use `*`, or keep pages out with a META tag. "
        "Put the most important rules at the top."
    ),
    examples=(
        Example(
            bad=Long("User-agent: *\n", "Disallow: /archive/page-of-one-year.html\n", 210_000),
            good="User-agent: *\nDisallow: /archive/\n",
        ),
    ),
)
