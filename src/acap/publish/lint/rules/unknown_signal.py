"""A name or a value of a preference that its vocabulary does not have."""

from __future__ import annotations

from acap.publish.lint.rule import Example, of_problem

RULE = of_problem(
    "unknown-signal",
    summary="a content signal or its value is unknown",
    why=(
        "A Content-Signal line is a list of `search`, `ai-input` and `ai-train`, each `yes` or `no`, and lately `use`, "
        "which is `immediate`, `reference` or `full`. A Content-Usage line has `train-ai`, `ai-use` and `search`, each "
        "`y` or `n`. Any other name or value grants nothing. A plain refusal, such as `ai-train=false`, still counts "
        "as a refusal."
    ),
    examples=(
        Example(
            bad="User-agent: *\nContent-Signal: search=yes, ai-train=perhaps\nAllow: /\n",
            good="User-agent: *\nContent-Signal: search=yes, ai-train=no\nAllow: /\n",
        ),
        Example(
            bad="User-agent: *\nContent-Usage: flavour=y\nAllow: /\n",
            good="User-agent: *\nContent-Usage: train-ai=n\nAllow: /\n",
        ),
    ),
    kinds=("robots", "headers"),
)
