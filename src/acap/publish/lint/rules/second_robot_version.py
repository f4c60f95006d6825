"""A second Robot-version."""

from __future__ import annotations

from acap.publish.lint.rule import Example, of_problem

RULE = of_problem(
    "second-robot-version",
    summary="a group has a second Robot-version",
    why=(
        "`Robot-version` says by which proposal of 1996 a group is to be read, and directly follows its User- "
        "agent lines. A second one has no effect. Keep one."
    ),
    examples=(
        Example(
            bad="User-agent: *\nRobot-version: 1.0\nRobot-version: 2.0\nDisallow:\n",
            good="User-agent: *\nRobot-version: 1.0\nDisallow:\n",
        ),
    ),
)
