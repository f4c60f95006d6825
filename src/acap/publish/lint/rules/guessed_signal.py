"""A preference that its vocabulary does not have, and that plainly refuses."""

from __future__ import annotations

from acap.publish.lint.rule import Example, of_problem

RULE = of_problem(
    "guessed-signal",
    summary="a refusal is not written in the words of its vocabulary",
    why=(
        "Content-Usage has the values `y` and `n`, Content-Signal `yes` and `no`, and each has its own names; earlier "
        "drafts had others. Strictly, any other word states no preference. A plain refusal still counts here, but most "
        "crawlers will ignore it."
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
