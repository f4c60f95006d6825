"""`any` beside another modification."""

from __future__ import annotations

from acap.publish.lint.rule import Example, of_problem

RULE = of_problem(
    "acap-swallowed-modification",
    summary="`prohibited-modification=any` stands beside another modification",
    why=(
        "`any` prohibits every modification of what is presented, so `format` or `style` beside it adds nothing; "
        "perhaps you meant only these. Keep `any` alone, or name those that you mean."
    ),
    examples=(
        Example(
            bad="ACAP-crawler: *\nACAP-allow-present: / prohibited-modification=any prohibited-modification=style\n",
            good="ACAP-crawler: *\nACAP-allow-present: / prohibited-modification=any\n",
        ),
        Example(
            bad=(
                '<meta name="robots" content="ACAP allow-present prohibited-modification=any '
                'prohibited-modification=style">\n'
            ),
            good='<meta name="robots" content="ACAP allow-present prohibited-modification=any">\n',
            kind="page",
        ),
    ),
    kinds=("robots", "page", "headers"),
)
