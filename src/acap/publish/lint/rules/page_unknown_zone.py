"""A date in a time zone that nobody knows."""

from __future__ import annotations

from acap.publish.lint.rule import Example, of_problem

RULE = of_problem(
    "page-unknown-zone",
    summary="a date has an ambiguous or unknown time zone",
    why=(
        "Abbreviations of time zones are ambiguous (BRT, IST and CST each mean several), and few programs know most of "
        "them. The earliest possible instant counts here, so a page may leave the index up to a day early; other "
        "readers may ignore the date. Write UTC, or an offset: 2030-06-25T15:00:00-03:00."
    ),
    examples=(
        Example(
            bad="X-Robots-Tag: unavailable_after: 25 Jun 2030 15:00:00 BRT\n",
            good="X-Robots-Tag: unavailable_after: 25 Jun 2030 18:00:00 UTC\n",
            kind="headers",
        ),
        Example(
            bad='<meta name="robots" content="unavailable_after: 25 Jun 2030 15:00:00 BRT">\n',
            good='<meta name="robots" content="unavailable_after: 2030-06-25T15:00:00-03:00">\n',
            kind="page",
        ),
    ),
    kinds=("page", "headers"),
)
