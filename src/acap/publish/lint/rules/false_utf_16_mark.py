"""The file begins with a mark of UTF-16 that it is not written in."""

from __future__ import annotations

from acap.publish.lint.rule import Example, of_problem

RULE = of_problem(
    "false-utf-16-mark",
    summary="the file begins with a byte order mark of UTF-16 and is no UTF-16",
    why=(
        "A crawler that believes the mark reads nothing but signs without meaning, and takes everything for permitted. "
        "The mark is skipped here. Save the file as UTF-8, without a mark."
    ),
    examples=(
        Example(
            bad=b"\xff\xfeUser-agent: *\nDisallow: /private/\n",
            good="User-agent: *\nDisallow: /private/\n",
        ),
    ),
)
