"""Counts of what was decided and retrieved, in the stats of the crawl.

`acap/crawl/permitted`, `acap/crawl/prohibited`, `acap/crawl/prohibited/KIND` (a kind of reason),
`acap/crawl/rule/URL:LINE` (a line that prohibited), likewise for `follow` and for the usages of gates;
`acap/retrieval/MEANING`, `acap/not-now/CAUSE`.
"""

from __future__ import annotations

from scrapy.statscollectors import StatsCollector

from acap.decision import Decision
from acap.robots import RobotsPolicy

MAX_RULES = 200
"""Distinct lines that are counted by themselves; all others are `acap/…/rule/others`."""


class Counts:
    """Counts into the stats of one crawl."""

    def __init__(self, stats: StatsCollector | None) -> None:
        self._stats = stats
        self._rules: set[str] = set()
        self._retrieved: dict[str, object] = {}

    def add(self, name: str) -> None:
        """One more of `acap/NAME`."""
        if self._stats is not None:
            self._stats.inc_value(f"acap/{name}")

    def decided(self, usage: str, decision: Decision) -> None:
        """One more decision on a usage; where it prohibits, by kind of reason and by rule."""
        self.add(f"{usage}/{decision.outcome}")
        if decision.permitted:
            return
        self.add(f"{usage}/{decision.outcome}/{decision.kind}")
        for cited in decision.reason.decided_by:
            if cited.source is not None and cited.line is not None:
                self._rule(f"{usage}/rule/{cited.source}:{cited.line}", usage)

    def retrieved(self, policy: RobotsPolicy) -> None:
        """A policy as it was handed out: one more retrieval if it is another than the last of its site."""
        evidence = policy.evidence
        this = (evidence.get("fetched_at"), evidence.get("confirmed_at"))
        site = str(policy.url)
        if self._retrieved.get(site) != this:
            self._retrieved[site] = this
            self.add(f"retrieval/{evidence.get('meaning', 'unknown')}")

    def _rule(self, name: str, usage: str) -> None:
        if name not in self._rules and len(self._rules) >= MAX_RULES:
            self.add(f"{usage}/rule/others")
            return
        self._rules.add(name)
        self.add(name)
