"""A Content-Usage line that cannot be read."""

from __future__ import annotations

from acap.publish.lint.rule import Example, of_problem

RULE = of_problem(
    "bad-content-usage",
    summary="a Content-Usage line is no dictionary",
    why=(
        "The value of Content-Usage is a dictionary of RFC 9651, whose syntax forgives nothing: after a slip the "
        "whole line counts as not there. Whoever reads with care still heeds what it plainly refuses, and nothing "
        "that it permits; others pass over the line."
    ),
    examples=(
        Example(
            bad="User-agent: *\nContent-Usage: Train-AI = n\nAllow: /\n",
            good="User-agent: *\nContent-Usage: train-ai=n\nAllow: /\n",
        ),
        Example(
            bad="User-agent: *\nContent-Usage: train-ai=n, search=y,\nAllow: /\n",
            good="User-agent: *\nContent-Usage: train-ai=n, search=y\nAllow: /\n",
        ),
    ),
    kinds=("robots", "headers"),
)
