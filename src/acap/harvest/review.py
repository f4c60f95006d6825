"""The review of kept versions: each is judged again, and stays, changes or is deleted; the ledger says why.

The review reads the store and gives plans. `commit` carries out each before it asks for the next.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import islice

from acap.archives import Capture
from acap.archives.site_documents import documents_of
from acap.harvest.changes import ChangeSet, Due, Requirement
from acap.harvest.commit import write_copies
from acap.harvest.conclusion import Conclusion, judge
from acap.harvest.copies import CopyMissingError, CopyUnreadableError
from acap.harvest.judgement import OF_RESOURCE, PRESENT, Judgement, ResourceState, Response, response_of
from acap.harvest.latest import statements_of, withheld
from acap.harvest.plan import Holding, Supply, plan_page, plan_silent, plan_version
from acap.harvest.resource import Resource, Version
from acap.harvest.store import Store
from acap.harvest.uses import Exemption, ResourceUse, may, refusal
from acap.retrieval.locations import site_of
from acap.robots import RobotsPolicy

ASKED = 200
"""At most this many pages, the newest first, are judged for a use of a resource; if none uses it, it is not needed."""

_AGAIN = timedelta(days=1)  # when a site cannot be reached, or a copy not be read

Words = tuple[str, str] | None
"""Title and text for the index, if there are any."""


class Review:
    """The review of one resource at an instant."""

    def __init__(self, store: Store, at: datetime) -> None:
        self._store = store
        self._crawler = store.operator.crawler
        self._at = at
        self._ends: list[datetime] = []
        self._firsts: frozenset[str] = frozenset()

    def conclude(self, response: Response, state: ResourceState) -> Conclusion:
        """Judges a response, with the uses for which it is fetched though closed to crawling."""
        conclusion = judge(response, state)
        if conclusion.usable is None:
            return conclusion
        exemption = self.exemption(response.url, response.robots, conclusion.usable.__contains__)
        return conclusion if exemption is None else judge(response, replace(state, exemption=exemption))

    def is_closed(self, url: str, robots: RobotsPolicy) -> bool:
        """Whether a robots.txt closes a URL to crawling by a statement."""
        return refusal(robots, url, self._crawler, self._at) is not None

    def exemption(
        self, url: str, robots: RobotsPolicy, permits: Callable[[str], bool] | None = None
    ) -> Exemption | None:
        """The uses for which a resource may be fetched though robots.txt closes it; None if it is open, or without any.

        `permits` answers whether a usage is permitted apart from that, as far as is known. Without it, the resource is
        about to be fetched, and robots.txt decides. At most one use by the index and one by a presentation is given.
        """
        if not self._store.resources.any_requires or self._store.requests.is_removed(url):
            return None
        refused = refusal(robots, url, self._crawler, self._at)
        if refused is None:
            return None
        aside = robots.for_use()

        def permits_aside(usage: str) -> bool:
            return aside.decide(url, crawler=self._crawler, usage=usage, at=self._at).permitted

        is_asked = permits is None
        uses = (
            self._use(url, robots, permits or permits_aside, index=index, is_asked=is_asked) for index in (True, False)
        )
        needed = tuple(use for use in uses if use is not None)
        return Exemption(refused, needed) if needed else None

    def _use(
        self, url: str, robots: RobotsPolicy, permits: Callable[[str], bool], *, index: bool, is_asked: bool
    ) -> ResourceUse | None:
        """A use of the resource by a page of its site that is kept, or that only waits for the resource."""
        if not permits("crawl") or not permits("index" if index else "preserve"):
            return None
        for version in islice(self._store.resources.using(url, site_of(url), index=index), ASKED):
            resource = self._store.resources.get(version.resource)
            # Nothing is fetched for a page that is hidden now; what it already uses stays as long as it does.
            if self._store.requests.is_removed(resource.url) or (is_asked and withheld(resource)):
                continue
            page = self.judgement(resource, version, robots)
            is_current = resource.current == version.id
            may_index = is_current and page.permits("index")
            waits = may_index and bool(page.required("index"))
            is_kept = (version.is_indexed and may_index) or (version.place is not None and page.permits("preserve"))
            if not (waits if index else waits or is_kept):
                continue
            for usage in ("index",) if index else PRESENT:
                # Old versions are presented by usages of their own, except for the link and the original.
                if index or usage in OF_RESOURCE or usage.startswith("present-old") is not is_current:
                    for naming in page.namings(usage):
                        if naming.url == url and may(naming, permits):
                            return ResourceUse(version.url, naming, page.expires((usage,)))
        return None

    def judgement(self, resource: Resource, version: Version, robots: RobotsPolicy) -> Judgement:
        """The judgement of a version that is kept."""
        return Judgement.of(self._response(version, robots), self._state(resource, version))

    def _response(self, version: Version, robots: RobotsPolicy) -> Response:
        """A version that is kept, with the octets of its copy if it has one that can be read."""
        octets, usages = self._octets(version), self._store.operator.usages
        return response_of(version, octets, at=self._at, crawler=self._crawler, robots=robots, usages=usages)

    def _state(self, resource: Resource, version: Version, *, is_current: bool = True) -> ResourceState:
        """What is known of the resource of a version."""
        resources = self._store.resources
        latest = resources.latest(resource, self._at)
        facts = resource.facts(version, self._at)
        return ResourceState(facts, resource, latest, is_current=is_current, may_serve=resources.any_requires)

    def release(self, resource: Resource, robots: RobotsPolicy) -> ChangeSet:
        """Makes resources due for review that are kept only for the use of this one: they may no longer be needed.

        For a resource that is itself closed this was done when its site closed it: all of the site was reviewed then.
        """
        used = self._store.resources.used_by(resource.id, resource.site)
        if not used or self.is_closed(resource.url, robots):
            return ChangeSet()
        return ChangeSet(
            tuple(
                Due(other.id, self._at, self._at)
                for other in used
                if (other.review_at is None or other.review_at > self._at) and self.is_closed(other.url, robots)
            )
        )

    def resource(self, resource: Resource) -> Iterator[ChangeSet]:
        """Judges all kept versions of a resource by the current policy."""
        speaking = self._speaking(resource.url)
        if speaking is None:
            yield from self._silent(resource)
            return
        policy, robots = speaking
        for version in self._store.resources.versions(resource.id, held=True):
            yield self._version(resource, version, robots, policy)
        self._note_use(resource, robots)
        yield self.next(resource) + self.release(resource, robots)
        yield from self.supply(resource.url)

    def _silent(self, resource: Resource) -> Iterator[ChangeSet]:
        """Judges by the last policy, as the current one is unknown: only limits that were set before end anything."""
        last = self._store.policies.last(resource.url)
        if last is not None:
            policy, robots = last
            for version in self._store.resources.versions(resource.id, held=True):
                is_current = resource.current == version.id
                response = self._response(version, robots)
                conclusion = self.conclude(response, self._state(resource, version, is_current=is_current))
                yield self.noted(plan_silent(conclusion, self._holding(response, conclusion, version, policy)))
        self._ends.append(self._at + _AGAIN)
        yield self.next(resource) + (ChangeSet() if last is None else self.release(resource, last[1]))

    def _version(
        self, resource: Resource, version: Version, robots: RobotsPolicy, policy: int, current: int | None = None
    ) -> ChangeSet:
        """Judges a version again, by its kept octets or skeleton."""
        is_current = version.id == (current or resource.current)
        response = self._response(version, robots)
        conclusion = self.conclude(response, self._state(resource, version, is_current=is_current))
        holding = replace(self._holding(response, conclusion, version, policy), is_current=is_current)
        if is_current:
            known = self.known(version) if conclusion.required["index"] else ()
            holding = replace(holding, known=known, supply=self.supplied(conclusion))
        return self.noted(plan_version(conclusion, holding))

    def _holding(self, response: Response, conclusion: Conclusion, version: Version, policy: int) -> Holding:
        """What is kept of a version; if only a part of its copy may be kept, that part is written."""
        written = None
        if conclusion.copy is not None:
            capture, (octets, is_whole) = self._store.read(version), conclusion.copy
            smaller = Capture(
                url=capture.url, at=capture.at, status=capture.status, headers=capture.headers, body=octets,
                address=capture.address, metadata={**capture.metadata, "whole": is_whole},
            )  # fmt: skip
            [written] = write_copies(self._store, [smaller])
        return Holding(version, policy, self._at, is_read=response.octets is not None, written=written)

    def known(self, version: Version) -> tuple[Requirement, ...]:
        """The resources that a version required when it was judged before."""
        return tuple(self._store.resources.requirements(version.id).get(version.id, ()))

    def noted(self, plan: ChangeSet) -> ChangeSet:
        """A plan for a version, whose ends and first times are the resource's."""
        self._ends += [] if plan.end is None else [plan.end]
        self._firsts |= plan.firsts
        return plan

    def _note_use(self, resource: Resource, robots: RobotsPolicy) -> None:
        """Notes the end of a use by the index of other pages, for a resource of which no copy is kept."""
        version = self._store.resources.current_of(resource)
        if (
            version is not None and version.place is None and self._store.resources.any_requires
            and self.is_closed(resource.url, robots)
        ):  # fmt: skip
            conclusion = self.conclude(self._response(version, robots), self._state(resource, version))
            if conclusion.exemption is not None:
                self._ends += [] if conclusion.end is None else [conclusion.end]

    def is_settled(self, before: Resource, last: Version | None, resource: Resource, version: Version) -> bool:
        """Whether everything that earlier versions depend on is as it was when the last version came.

        They were judged by it then, and stay as they are until their review is due.
        """
        if last is None or not last.id == before.current == before.speaking:
            return False
        if resource.review_at is not None and resource.review_at <= self._at:
            return False
        if (before.later_headers, before.passages) != (resource.later_headers, resource.passages):
            return False
        then, now = ((known.skeleton, known.media, statements_of(known.headers)) for known in (last, version))
        return then == now and self._store.policies.is_confirmed(version.policy, last.policy)

    def succeeded(
        self, resource: Resource, current: int, robots: RobotsPolicy, policy: int, *, settled: Version | None = None
    ) -> Iterator[ChangeSet]:
        """Judges versions that are no longer current, by the latest response of the resource.

        `settled`: the version that was current, if those before it stay as they are.
        """
        if settled is None:
            versions = self._store.resources.versions(resource.id, held=True)
        else:
            last = self._store.resources.version(settled.id)
            versions = [last] if last is not None and (last.is_indexed or last.place is not None) else []
            self._ends += [] if resource.review_at is None else [resource.review_at]
        for version in versions:
            if version.id != current:
                yield self._version(resource, version, robots, policy, current)

    def supply(self, url: str, words: Words = None) -> Iterator[ChangeSet]:
        """Adapts the index entries of pages for which this resource must be used to what it permits now.

        `words` are those of the resource that may be indexed, if they are available.
        """
        for version in self._store.resources.requiring(url, "index", "must-use-resource"):
            resource = self._store.resources.get(version.resource)
            speaking = self._speaking(version.url)
            if speaking is None or self._store.requests.is_removed(version.url):
                continue
            policy, robots = speaking
            conclusion = self.conclude(self._response(version, robots), self._state(resource, version))
            if ("must-use-resource", url) not in conclusion.required["index"]:
                continue
            supply = self.supplied(conclusion, {url: words})
            plan = plan_page(conclusion, Holding(version, policy, self._at, supply=supply))
            known = resource.review_at
            is_sooner = plan.end is not None and (known is None or plan.end < known)
            if plan.firsts or is_sooner:
                plan += ChangeSet((Due(resource.id, self._at, plan.end if is_sooner else known, plan.firsts),))
            yield plan
            yield self.release(resource, robots)

    def next(self, resource: Resource, policy: int | None = None) -> ChangeSet:
        """When the resource has to be judged again, and what happened to it for the first time.

        `policy`: the one it was judged by; if its site has another one since, it is due at once.
        """
        if policy is not None and not self._store.policies.is_last(policy, resource.url):
            self._ends.append(self._at)
        return ChangeSet((Due(resource.id, self._at, min(self._ends, default=None), self._firsts),))

    def supplied(self, conclusion: Conclusion, at_hand: dict[str, Words] | None = None) -> Supply | None:
        """The text of another resource that must be used for the index, as its own policy permits.

        None if none must be, or if it is unknown, or its site is out of reach. `at_hand` has words of resources by URL.
        """
        if not conclusion.needs_supply:
            return None
        for name, url in conclusion.required["index"]:
            resource = self._store.resources.find(url) if name == "must-use-resource" else None
            speaking = self._speaking(url)
            if resource is None or resource.current is None or speaking is None:
                continue
            version = self._store.resources.version(resource.current)
            if version is None or self._store.requests.is_removed(url):
                return Supply(None, "nothing")
            own = self.judgement(resource, version, speaking[1])
            if url in conclusion.named and self.is_closed(url, speaking[1]):
                own = own.for_use()
            if not own.permits("index"):
                return Supply(None, "nothing")
            words = own.index_text() if version.place is not None else None
            return Supply((at_hand or {}).get(url) or words, f"{version.id} {own.parts('index')}")
        return None

    def _speaking(self, url: str) -> tuple[int, RobotsPolicy] | None:
        """The current policy for a URL; None if none is known, its site is out of reach, or a licence has ended."""
        speaking = self._store.policies.speaking(url, self._at)
        if speaking is None or speaking[1].state == "unreachable":
            return None
        documents = documents_of(speaking[1])
        return speaking if documents is None or documents.at(self._at) is documents else None

    def _octets(self, version: Version) -> bytes | None:
        """The octets of the copy; None if there is none, or it cannot be read."""
        if version.place is None:
            return None
        try:
            return self._store.read(version).body
        except CopyUnreadableError:
            self._ends.append(self._at + _AGAIN)  # it may be readable then, and be judged by itself
            return None
        except CopyMissingError:
            return None
