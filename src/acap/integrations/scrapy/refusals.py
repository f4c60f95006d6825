"""Why a request is not sent: exceptions that Scrapy hands to the request's errback as `failure.value`.

All are `IgnoreRequest`, so that a project without an errback goes on in silence.
"""

from __future__ import annotations

from datetime import datetime

from scrapy.exceptions import IgnoreRequest

from acap.decision import Decision
from acap.explain import summary
from acap.robots import RobotsPolicy


class Refused(IgnoreRequest):
    """The site's policy prohibits crawling the URL: `decision` and its reason, and the `policy` itself."""

    def __init__(self, decision: Decision, policy: RobotsPolicy) -> None:
        super().__init__(f"{decision.url} may not be crawled: {summary(decision)}")
        self.decision = decision
        self.policy = policy


class NotNow(IgnoreRequest):
    """The URL may be crawled, but not at this time.

    `cause` is `visit-time` or `delay`. `until` is the aware instant from which it may be asked for again, none where no
    such time is known. `decision` and `policy` are those by which it may be crawled then.
    """

    def __init__(self, cause: str, until: datetime | None, decision: Decision, policy: RobotsPolicy) -> None:
        when = "at no time of the day" if until is None else f"not before {until.isoformat(timespec='seconds')}"
        super().__init__(f"{decision.url} may be crawled {when}: the site asks for it ({cause})")
        self.cause = cause
        self.until = until
        self.decision = decision
        self.policy = policy


class AddressRefused(IgnoreRequest):
    """The URL leads, or may lead, into a private network."""


class NoPolicy(IgnoreRequest):
    """The URL has no host that a policy could speak for, or the request names another host than its URL."""
