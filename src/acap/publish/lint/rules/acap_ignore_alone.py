"""`ACAP-ignore-conventional-records` without a permission."""

from __future__ import annotations

from acap.publish.lint.rule import Example, of_problem

RULE = of_problem(
    "acap-ignore-alone",
    summary="conventional records are to be ignored, and no ACAP permission stands in their place",
    why=(
        "`ACAP-ignore-conventional-records` says that Allow and Disallow do not count for a crawler that reads "
        "ACAP. Where no ACAP permission stands in the file nothing takes their place, and a typo must not open "
        "the site: they count. Write the permissions, or remove the line."
    ),
    examples=(
        Example(
            bad="ACAP-ignore-conventional-records\nACAP-crawler: *\nACAP-disallow-index: /drafts/\n",
            good=(
                "ACAP-ignore-conventional-records\nACAP-crawler: *\n"
                "ACAP-disallow-index: /drafts/\nACAP-allow-crawl: /\n"
            ),
        ),
    ),
)
