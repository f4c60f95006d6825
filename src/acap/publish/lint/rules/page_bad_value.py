"""A word for robots with a value that it cannot have."""

from __future__ import annotations

from acap.publish.lint.rule import Example, of_problem

RULE = of_problem(
    "page-bad-value",
    summary="a word for robots has no readable value",
    why=(
        "`max-snippet` and `max-video-preview` take a number (-1 for no limit), `max-image-preview` takes none, "
        "standard or large, `unavailable_after` a date such as 2030-06-25. With another value, or none, a search "
        "engine ignores the word and shows as much as it likes. Write a valid value."
    ),
    examples=(
        Example(
            bad='<meta name="robots" content="max-snippet:short">\n',
            good='<meta name="robots" content="max-snippet:50">\n',
            kind="page",
        ),
        Example(
            bad="X-Robots-Tag: unavailable_after: next summer\n",
            good="X-Robots-Tag: unavailable_after: 2030-06-25\n",
            kind="headers",
        ),
    ),
    kinds=("page", "headers"),
)
