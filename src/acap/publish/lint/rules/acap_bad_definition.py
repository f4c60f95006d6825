"""A definition of nothing."""

from __future__ import annotations

from acap.publish.lint.rule import Example, of_problem

RULE = of_problem(
    "acap-bad-definition",
    summary="a definition has no name or no content",
    why=(
        "A definition is a name and what it stands for: `ACAP-resource-set: images /*.gif$`. Without either it has no "
        "effect, and neither have the lines that use the name. A permission of an undefined usage even prohibits other "
        "uses, because its limits are unknown. Complete the definition, or remove it with the lines that use it."
    ),
    examples=(
        Example(
            bad="ACAP-resource-set: open\nACAP-crawler: *\nACAP-allow-crawl: /\n",
            good="ACAP-resource-set: open /news/\nACAP-crawler: *\nACAP-allow-crawl: /\n",
        ),
    ),
)
