"""A permission beside a reference."""

from __future__ import annotations

from acap.publish.lint.rule import Example, of_problem

RULE = of_problem(
    "acap-permission-beside-reference",
    summary="a permission stands in a record that refers to another resource",
    why=(
        "`ACAP-permissions-reference` says that the record's permissions are in another file. Permissions beside it "
        "have no effect: until a crawler has read that file, everything is prohibited to it. Prohibitions beside it "
        "count. Move the permission into the other file, or remove the reference."
    ),
    examples=(
        Example(
            bad=("ACAP-crawler: partnerbot\nACAP-permissions-reference: /partner/robots.txt\nACAP-allow-crawl: /\n"),
            good="ACAP-crawler: partnerbot\nACAP-permissions-reference: /partner/robots.txt\n",
        ),
    ),
)
