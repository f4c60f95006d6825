"""A preference that its vocabulary does not have, and that plainly refuses."""

from __future__ import annotations

from acap.publish.lint.rule import Example, of_problem

RULE = of_problem(
    "guessed-signal",
    summary="a refusal is not written as its vocabulary writes it",
    why=(
        "Content-Usage has the values `y` and `n`, Content-Signal `yes` and `no`, and each has its own names; earlier "
        "drafts had others. To the letter, any other word leaves the preference unstated. What plainly refuses is read "
        "as the refusal here; most crawlers will not be so kind."
    ),
    examples=(
        Example(
            bad="User-agent: *\nContent-Usage: train-ai=no\nAllow: /\n",
            good="User-agent: *\nContent-Usage: train-ai=n\nAllow: /\n",
        ),
        Example(
            bad="User-agent: *\nContent-Signal: search=yes, ai-train=false\nAllow: /\n",
            good="User-agent: *\nContent-Signal: search=yes, ai-train=no\nAllow: /\n",
        ),
        Example(
            bad="User-agent: *\nContent-Signal: train-ai=no\nAllow: /\n",
            good="User-agent: *\nContent-Signal: ai-train=no\nAllow: /\n",
        ),
    ),
    kinds=("robots", "headers"),
)
