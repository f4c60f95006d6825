"""A reference of several words, or none."""

from __future__ import annotations

from acap.publish.lint.rule import Example, of_problem

RULE = of_problem(
    "acap-reference-of-words",
    summary="a reference to another file has several words, or none",
    why=(
        "`ACAP-permissions-reference` names one file, by its URI. With several words, or none, it is unknown which "
        "file is meant. So no file is read, and everything stays prohibited to the crawlers of the record. Write a "
        "line for each file, and `%20` where a blank belongs to a name."
    ),
    examples=(
        Example(
            bad="ACAP-crawler: partnerbot\nACAP-permissions-reference: /partner/robots.txt /partner/more.txt\n",
            good=(
                "ACAP-crawler: partnerbot\nACAP-permissions-reference: "
                "/partner/robots.txt\nACAP-permissions-reference: /partner/more.txt\n"
            ),
        ),
    ),
)
