"""A line that is not UTF-8."""

from __future__ import annotations

from acap.publish.lint.rule import Example, of_problem

RULE = of_problem(
    "invalid-utf-8",
    summary="a line holds octets that are not UTF-8",
    why=(
        "Letters beyond ASCII were saved in an older encoding, such as Windows-1252. In a comment it does no harm. In "
        "a path it does: the rule is compared octet by octet, and URLs have such letters in UTF-8 (`/caf%C3%A9/`), so "
        "the rule matches nothing that visitors see. Which encoding it was cannot be told for certain, so there is no "
        "fix: save the file as UTF-8, or write the path as it stands in URLs, with `%` escapes."
    ),
    examples=(
        Example(
            bad=b"User-agent: *\nDisallow: /caf\xe9/\n",
            good="User-agent: *\nDisallow: /caf\u00e9/\n",
        ),
    ),
)
