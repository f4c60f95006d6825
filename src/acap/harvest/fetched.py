"""A response that was fetched, or read from an archive, and is to be judged."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from acap.archives.capture import Digest
from acap.decision import Decision
from acap.dialects.well_known import brings_document
from acap.harvest.task import Task
from acap.harvest.uses import Exemption
from acap.retrieval.answers import PARTIAL, Headers
from acap.robots import RobotsPolicy


@dataclass(frozen=True, slots=True)
class Fetched:
    """A response for a URL, from a crawl or an archive: `octets` are decoded, `decision` is that on crawling it.

    `opened`: the uses for which it was fetched though closed to crawling.
    `chosen`: why it counts as permitted where no policy of the time is known, by the operator's choice.
    `unread`: why its body could not be read as a whole; then there are no octets, and its status may be 0, unknown.
    `at` is when it is judged. `task` is its place in the schedule, None if it was not scheduled; `origin` names the
    archive it came from, `captured_at` is the time of its capture, `payload` the digest of its octets: that of its
    record, or else one that was computed.
    """

    url: str
    at: datetime
    status: int
    headers: Headers
    octets: bytes
    robots: RobotsPolicy
    decision: Decision
    address: str | None = None
    task: Task | None = None
    origin: str | None = None
    captured_at: datetime | None = None
    opened: Exemption | None = None
    unread: str = ""
    payload: Digest | None = None
    chosen: str = ""

    @property
    def speaks(self) -> bool:
        """Whether it has a body that is the resource's, and that was read as a whole."""
        return brings_document(self.status) and not self.unread

    @property
    def doubt(self) -> str:
        """Why its statements are unknown: the body is the resource's, but could not be read; else empty."""
        return doubt_of(self.status, self.unread)

    @property
    def taken_at(self) -> datetime:
        """When the response was received."""
        return self.captured_at or self.at


def doubt_of(status: int, unread: str) -> str:
    """As `Fetched.doubt`."""
    if status == PARTIAL:
        return unread or "a part of it came (status 206)"
    return unread if brings_document(status) or not status else ""
