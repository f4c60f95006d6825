"""A second Visit-time."""

from __future__ import annotations

from acap.publish.lint.rule import Example, of_problem

RULE = of_problem(
    "second-visit-time",
    summary="a group has a second Visit-time",
    why=(
        "A group asks crawlers to come at one time of the day. Readers differ on which of two lines counts. Keep one."
    ),
    examples=(
        Example(
            bad="User-agent: *\nVisit-time: 0000-0600\nVisit-time: 1200-1300\nDisallow:\n",
            good="User-agent: *\nVisit-time: 0000-0600\nDisallow:\n",
        ),
    ),
)
