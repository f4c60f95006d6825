"""A file that is longer than what crawlers read."""

from __future__ import annotations

from acap.publish.lint.rule import Example, Long, of_problem

RULE = of_problem(
    "cut-file",
    summary="the file is longer than it may be",
    why=(
        "RFC 9309 asks crawlers to read at least the first 500 kibibytes of a robots.txt; Google reads that much and "
        "ignores the rest. Here 8 MiB are read, and a larger file prohibits everything: its end could say so. "
        "Lists of single pages make files so long: prohibit their directories, use `*`, or keep pages out with a META "
        "tag. Put what matters most at the top."
    ),
    examples=(
        Example(
            bad=Long("User-agent: *\n", "Disallow: /archive/page-of-one-year.html\n", 210_000),
            good="User-agent: *\nDisallow: /archive/\n",
        ),
    ),
)
