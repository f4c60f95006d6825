"""`ACAP-ignore-conventional-records` without a permission."""

from __future__ import annotations

from acap.publish.lint.rule import Example, of_problem

RULE = of_problem(
    "acap-ignore-alone",
    summary="conventional records are to be ignored, but no ACAP permission takes their place",
    why=(
        "`ACAP-ignore-conventional-records` says that Allow and Disallow do not count for a crawler that reads ACAP. "
        "If the file has no ACAP permission, nothing takes their place. A typo must not open the site, so they count. "
        "Write the permissions, or remove the line."
    ),
    examples=(
        Example(
            bad="ACAP-ignore-conventional-records\nACAP-crawler: *\nACAP-disallow-index: /drafts/\n",
            good=(
                "ACAP-ignore-conventional-records\nACAP-crawler: *\nACAP-disallow-index: /drafts/\nACAP-allow-crawl: "
                "/\n"
            ),
        ),
    ),
)
