"""A definition of nothing."""

from __future__ import annotations

from acap.publish.lint.rule import Example, of_problem

RULE = of_problem(
    "acap-bad-definition",
    summary="a definition has no name, or nothing that it stands for",
    why=(
        "A definition is a name and what it stands for: `ACAP-resource-set: images /*.gif$`. Without either it is "
        "void, and so are the lines that use the name: a permission of an undefined usage even prohibits other uses, "
        "because nobody can tell what it was to be limited to. Complete it, or remove it with the lines that use it."
    ),
    examples=(
        Example(
            bad="ACAP-resource-set: open\nACAP-crawler: *\nACAP-allow-crawl: /\n",
            good="ACAP-resource-set: open /news/\nACAP-crawler: *\nACAP-allow-crawl: /\n",
        ),
    ),
)
