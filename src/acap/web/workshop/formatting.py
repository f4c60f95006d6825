"""One layout for the text, without a change of any decision."""

from __future__ import annotations

from dataclasses import replace

from acap.publish.format import format_robots
from acap.publish.format_sources import format_source
from acap.web.workshop.encoding import opened
from acap.web.workshop.workspace import Workspace


def formatted(space: Workspace) -> Workspace:
    """The workspace with its text in one layout."""
    try:
        octets = format_robots(space.octets) if space.kind == "robots" else format_source(space.octets, space.kind)
    except ValueError as error:
        return space.noted("error", str(error))
    if octets == space.octets:
        return space.noted("done", "the layout is already right")
    found = opened(octets)
    after = replace(space.changed(found.text, "format"), encoding=found.encoding, ends=found.ends)
    return after.noted("done", "format; no decision changes")
