"""The file begins with a mark of UTF-16 that it is not written in."""

from __future__ import annotations

from acap.publish.lint.rule import Example, of_problem

RULE = of_problem(
    "false-utf-16-mark",
    summary="the file begins with the byte order mark of UTF-16 but is not UTF-16",
    why=(
        "A crawler that trusts the mark reads only meaningless characters and treats everything as permitted. The mark "
        "is skipped here. Save the file as UTF-8, without a mark."
    ),
    examples=(
        Example(
            bad=b"\xff\xfeUser-agent: *\nDisallow: /private/\n",
            good="User-agent: *\nDisallow: /private/\n",
        ),
    ),
)
