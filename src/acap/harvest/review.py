"""The review of held versions: each is judged again, and stays, changes or is deleted; the ledger says why.

Everything here happens within a transaction of the caller's. Deleted content is hidden at once; `Store.erase` deletes
its octets.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from itertools import islice
from typing import Any

from acap.crawlers import Crawler
from acap.harvest.account import terms_digest, text_digest
from acap.harvest.act import Act
from acap.harvest.copies import Capture, CopyMissingError, CopyUnreadableError, Place
from acap.harvest.judgement import KEPT, OF_RESOURCE, PRESENT, Conclusion, Judgement, judge_version
from acap.harvest.latest import latest_of, statements_of, withheld
from acap.harvest.resource import Resource, Version
from acap.harvest.store import Store
from acap.harvest.store.requests import RE_CRAWL
from acap.harvest.uses import Opened, Use, may, refusal
from acap.retrieval.locations import site_of
from acap.robots import RobotsPolicy

ASKED = 200
"""At most this many pages, the newest first, are asked whether they need a resource; if none does, it is not needed."""

_AGAIN = timedelta(days=1)  # when a site cannot be reached, or a copy not be read


class Review:
    """The review of one resource at an instant."""

    def __init__(self, store: Store, crawler: Crawler, at: datetime) -> None:
        self._store = store
        self._crawler = crawler
        self._at = at
        self._ends: list[datetime] = []
        self._firsts: set[str] = set()

    def judge(self, resource: Resource, version: Version, robots: RobotsPolicy) -> Judgement:
        """The judgement of a version that is held."""
        judgement = self._by_itself(resource, version, robots)
        return self.open(judgement, resource) if resource.current == version.id else judgement

    def open(self, judgement: Judgement, resource: Resource | None) -> Judgement:
        """The judgement of a current version, with the uses for which it is fetched though closed to crawling."""
        if self._store.resources.any_requires and self.is_closed(judgement.url, judgement.robots):
            in_use = judgement.for_use(resource)
            opened = self.opened(judgement.url, judgement.robots, in_use.permits)
            if opened is not None:
                judgement.opened, judgement.in_use = opened, in_use
        return judgement

    def is_closed(self, url: str, robots: RobotsPolicy) -> bool:
        """Whether a robots.txt closes a URL to crawling by a statement."""
        return refusal(robots, url, self._crawler, self._at) is not None

    def opened(self, url: str, robots: RobotsPolicy, permits: Callable[[str], bool] | None = None) -> Opened | None:
        """The uses for which a resource may be fetched though robots.txt closes it; None if it is open, or without any.

        `permits` tells whether a usage is permitted apart from that, as far as is known. Without it, the resource is
        about to be fetched, and robots.txt decides. At most one use by the index and one by a presentation is given.
        """
        if not self._store.resources.any_requires or self._store.requests.is_removed(url):
            return None
        refused = refusal(robots, url, self._crawler, self._at)
        if refused is None:
            return None
        aside = robots.for_use()

        def said(usage: str) -> bool:
            return aside.decide(url, crawler=self._crawler, usage=usage, at=self._at).permitted

        is_asked = permits is None
        found = (self._use(url, robots, permits or said, index=index, is_asked=is_asked) for index in (True, False))
        uses = tuple(use for use in found if use is not None)
        return Opened(refused, uses) if uses else None

    def _use(
        self, url: str, robots: RobotsPolicy, permits: Callable[[str], bool], *, index: bool, is_asked: bool
    ) -> Use | None:
        """A use of the resource by a page of its site that is held, or that only waits for the resource."""
        if not permits("crawl") or not permits("index" if index else "preserve"):
            return None
        for version in islice(self._store.resources.using(url, site_of(url), index=index), ASKED):
            resource = self._store.resources.get(version.resource)
            # Nothing is fetched for a page that is hidden now; what it already uses stays as long as it does.
            if self._store.requests.is_removed(resource.url) or (is_asked and withheld(resource)):
                continue
            own = self._by_itself(resource, version, robots)
            is_current = resource.current == version.id
            may_index = is_current and own.permits("index")
            waits = may_index and bool(own.required("index"))
            is_held = (version.is_indexed and may_index) or (version.place is not None and own.permits("preserve"))
            if not (waits if index else waits or is_held):
                continue
            for usage in ("index",) if index else PRESENT:
                # Old versions are presented by usages of their own, except for the link and the original.
                if index or usage in OF_RESOURCE or usage.startswith("present-old") is not is_current:
                    for naming in own.namings(usage):
                        if naming.url == url and may(naming, permits):
                            return Use(version.url, naming, own.expires((usage,)))
        return None

    def _by_itself(self, resource: Resource, version: Version, robots: RobotsPolicy) -> Judgement:
        return self._judged(resource, version, robots, self._octets(version))

    def _judged(self, resource: Resource, version: Version, robots: RobotsPolicy, octets: bytes | None) -> Judgement:
        return judge_version(
            version, crawler=self._crawler, at=self._at, facts=resource.facts(version, self._at),
            robots=robots, octets=octets, latest=latest_of(self._store.resources, resource, self._at),
        )  # fmt: skip

    def release(self, resource: Resource, robots: RobotsPolicy) -> None:
        """Makes resources due for review that are held only for the use of this one: they may no longer be needed.

        For a resource that is itself closed this was done when its site closed it: all of the site was reviewed then.
        """
        used = self._store.resources.used_by(resource.id, resource.site)
        if not used or self.is_closed(resource.url, robots):
            return
        for one in used:
            if (one.review_at is None or one.review_at > self._at) and self.is_closed(one.url, robots):
                self._store.resources.review(one.id, self._at)

    def resource(self, resource: Resource) -> list[Act]:
        """Judges all held versions of a resource by the current policy."""
        speaking = self._speaking(resource.url)
        if speaking is None:
            # The current policy is unknown: nothing is presented, and only limits that were set before end anything.
            acts = self._ended(resource)
            self._ends.append(self._at + _AGAIN)
            self.set_next(resource)
            if (last := self._store.policies.last(resource.url)) is not None:
                self.release(resource, last[1])
            return acts
        policy, robots = speaking
        acts = []
        for version in self._store.resources.versions(resource.id, held=True):
            acts += self._rejudge(resource, version, robots, policy)
        self._note_use(resource, robots)
        self.set_next(resource)
        self.release(resource, robots)
        return acts + self.supply(resource.url)

    def _note_use(self, resource: Resource, robots: RobotsPolicy) -> None:
        """Notes the end of a use by the index of other pages, for a resource of which no copy is held."""
        version = None if resource.current is None else self._store.resources.version(resource.current)
        if (
            version is not None and version.place is None and self._store.resources.any_requires
            and self.is_closed(resource.url, robots)
        ):  # fmt: skip
            judgement = self.judge(resource, version, robots)
            if judgement.opened is not None:
                self._note_end(judgement)

    def settle(
        self,
        version: Version,
        judgement: Judgement | Conclusion,
        policy: int,
        words: tuple[str, str] | None,
        place: Place | None,
    ) -> list[Act]:
        """Adapts index and copy of the current version to what is permitted; `place` is that of a new copy."""
        acts = self._settle_index(version, judgement, policy, words)
        if place is not None:
            if version.place is not None:
                self._store.hide_copy(version.id, version.place)
            self._store.resources.set_place(version.id, place, judgement.parts("preserve"))
            self._firsts.add("first_preserved")
            acts.append(self._preserved(version, place, judgement.parts("preserve"), policy, judgement))
        elif version.place is not None and (
            not judgement.permits("preserve") or version.parts != judgement.parts("preserve")
        ):
            acts += self._drop_copy(version, judgement, policy)
        self._note_end(judgement)
        return acts

    def refusals(self, url: str, version: int, policy: int, record: dict[str, Any]) -> list[Act]:
        """The usages that are not permitted for a new response: an act for each."""
        return [
            Act("refused", self._at, url, usage, version, policy, record[usage])
            for usage in KEPT
            if record[usage]["outcome"] != "permitted"
        ]

    def is_settled(self, before: Resource, last: Version | None, resource: Resource, version: Version) -> bool:
        """Whether everything that earlier versions depend on is as it was when the last version came.

        They were judged by it then, and stay as they are until their review is due.
        """
        if last is None or not last.id == before.current == before.speaking:
            return False
        if before.review_at is not None and before.review_at <= self._at:
            return False
        if (before.heard, before.passages) != (resource.heard, resource.passages):
            return False
        said_then, said_now = ((one.skeleton, one.media, statements_of(one.headers)) for one in (last, version))
        return said_then == said_now and self._store.policies.is_confirmed(version.policy, last.policy)

    def succeeded(
        self, resource: Resource, current: int, robots: RobotsPolicy, policy: int, *, settled: Version | None = None
    ) -> list[Act]:
        """Judges versions that are no longer current, by the latest response of the resource.

        `settled`: the version that was current, if those before it stay as they are.
        """
        acts: list[Act] = []
        if settled is None:
            versions = self._store.resources.versions(resource.id, held=True)
        else:
            last = self._store.resources.version(settled.id)
            versions = [last] if last is not None and (last.is_indexed or last.place is not None) else []
            self._ends += [] if resource.review_at is None else [resource.review_at]
        for version in versions:
            if version.id != current:
                acts += self._rejudge(resource, version, robots, policy, current=current)
        return acts

    def supply(self, url: str, words: tuple[str, str] | None = None) -> list[Act]:
        """Adapts the index entries of pages for which this resource must be used to what it permits now.

        `words` are those of the resource that may be indexed, if they are available.
        """
        acts: list[Act] = []
        for version in self._store.resources.requiring(url, "index", "must-use-resource"):
            resource = self._store.resources.get(version.resource)
            speaking = self._speaking(version.url)
            if speaking is None or self._store.requests.is_removed(version.url):
                continue
            own = self.judge(resource, version, speaking[1])
            if ("must-use-resource", url) not in own.required("index"):
                continue
            review = Review(self._store, self._crawler, self._at)
            acts += review._settle_index(version, own, speaking[0], own.index_text(), at_hand={url: words})
            if review._firsts:
                self._store.resources.first(resource.id, "first_indexed", self._at)
            end = own.expires()
            if end is not None and (resource.review_at is None or end < resource.review_at):
                self._store.resources.review(resource.id, end)
            self.release(resource, speaking[1])
        return acts

    def set_next(self, resource: Resource, policy: int | None = None) -> None:
        """Notes when the resource has to be judged again, and what happened to it for the first time.

        `policy`: the one it was judged by; if its site has another one since, it is due at once.
        """
        if policy is not None and not self._store.policies.is_last(policy, resource.url):
            self._ends.append(self._at)
        self._store.resources.reviewed(resource.id, self._at, self._firsts, min(self._ends, default=None))

    def _ended(self, resource: Resource) -> list[Act]:
        """Ends what the last policy of an unreachable site no longer permits; nothing new is held."""
        last = self._store.policies.last(resource.url)
        acts: list[Act] = []
        for version in self._store.resources.versions(resource.id, held=True) if last is not None else ():
            assert last is not None
            policy, robots = last
            judgement = self.judge(resource, version, robots)
            if version.is_indexed and not judgement.permits("index"):
                acts += self._drop_terms(version, judgement, policy)
            elif version.is_indexed and _first_line(version.terms) != judgement.parts("index"):
                acts += self._drop_terms(version, judgement, policy, {"reason": "another part may be indexed"})
            if version.place is not None:
                acts += self._copy_again(version, judgement, policy, self._octets(version))
            self._note_end(judgement)
        return acts

    def _rejudge(
        self, resource: Resource, version: Version, robots: RobotsPolicy, policy: int, current: int | None = None
    ) -> list[Act]:
        """Judges a version again, by its kept octets or skeleton."""
        is_current = version.id == (current or resource.current)
        octets = self._octets(version)
        judgement = self._judged(resource, version, robots, octets)
        if is_current:
            self.open(judgement, resource)
        words = judgement.index_text() if is_current and octets is not None else None
        requirements = [("index", *one) for one in judgement.required("index")] if is_current else []
        required = self._store.require(version, requirements, self._at)
        if (
            is_current and octets is None and version.is_indexed and judgement.permits("index")
            and not judgement.required("index")
        ):  # fmt: skip
            # The text is missing. Its index entry may stay if the same parts may be indexed.
            same = _first_line(version.terms) == judgement.parts("index")
            acts = [] if same else self._recrawl(version, judgement, policy)
        elif is_current:
            acts = self._settle_index(version, judgement, policy, words, of_copy=version.parts)
        else:
            acts = self._drop_terms(version, judgement, policy, {"succeeded": True}) if version.is_indexed else []
        if version.place is not None:
            acts += self._copy_again(version, judgement, policy, octets)
        self._note_end(judgement)
        return [*required, *acts]

    def _settle_index(
        self,
        version: Version,
        judgement: Judgement | Conclusion,
        policy: int,
        words: tuple[str, str] | None,
        *,
        at_hand: dict[str, tuple[str, str] | None] | None = None,
        of_copy: str = "",
    ) -> list[Act]:
        """`at_hand`: words of required resources; `of_copy`: the parts in the copy with the words, if not all."""
        parts = judgement.parts("index")
        if of_copy:
            # The index entry may have more of the page than the copy, and the page crawled again more than either.
            is_same = version.is_indexed and _first_line(version.terms) == parts and "\nby " not in version.terms
            if words is not None:
                parts = version.terms if is_same else f"{parts}\nof {of_copy}"
            elif is_same and judgement.permits("index") and not judgement.required("index"):
                return []
        if words is None and judgement.permits("index") and judgement.required("index"):
            supplied = self._supplied(judgement, at_hand or {})
            if supplied is None and version.is_indexed and _first_line(version.terms) == parts:
                return []  # the current permissions of the required resource are unknown
            if supplied is not None:
                words, by = supplied
                parts = f"{parts}\nby {by}"
                if version.is_indexed and version.terms == parts:
                    return []  # that resource was indexed in its place
        if words is None:
            return self._drop_terms(version, judgement, policy) if version.is_indexed else []
        acts: list[Act] = []
        if version.is_indexed:
            if version.terms == parts:
                return []
            acts += self._drop_terms(version, judgement, policy, {"reason": "another part may be indexed"})
        digest = self._store.database.put_terms(version.id, *words)
        self._store.resources.set_indexed(version.id, parts)
        self._firsts.add("first_indexed")
        detail = {"terms": terms_digest(digest, parts)}
        return [*acts, self._act("indexed", version, "index", policy, judgement, detail)]

    def _supplied(
        self, judgement: Judgement | Conclusion, at_hand: dict[str, tuple[str, str] | None]
    ) -> tuple[tuple[str, str] | None, str] | None:
        """The text of another resource that must be used, as its own policy permits, and a mark of its state.

        None if it is unknown, or its site is out of reach. Without words if none may be used, or they are missing.
        """
        for name, url in judgement.required("index"):
            found = self._store.resources.find(url) if name == "must-use-resource" else None
            speaking = self._speaking(url)
            if found is None or found.current is None or speaking is None:
                continue
            version = self._store.resources.version(found.current)
            if version is None or self._store.requests.is_removed(url):
                return None, "nothing"
            own = self._by_itself(found, version, speaking[1])
            if judgement.names(url, "index") and self.is_closed(url, speaking[1]):
                own = own.for_use(found)
            words = own.index_text() if version.place is not None else None
            if not own.permits("index"):
                return None, "nothing"
            return at_hand.get(url) or words, f"{version.id} {own.parts('index')}"
        return None

    def _speaking(self, url: str) -> tuple[int, RobotsPolicy] | None:
        """The current policy for a held URL; None if none is known, or its site is out of reach."""
        speaking = self._store.policies.speaking(url, self._at)
        return None if speaking is None or speaking[1].state == "unreachable" else speaking

    def _copy_again(self, version: Version, judgement: Judgement, policy: int, octets: bytes | None) -> list[Act]:
        assert version.place is not None
        if not judgement.permits("preserve"):
            return self._drop_copy(version, judgement, policy)
        parts = judgement.parts("preserve")
        if octets is None or not judgement.has_more("preserve", version.parts):
            return []
        # The copy can be reduced to fewer parts, but not extended.
        acts = self._drop_copy(version, judgement, policy, {"reason": "another part may be preserved"})
        smaller = judgement.copy_octets(octets)
        if smaller is None:
            return acts
        held = self._store.read(version)
        places = self._store.append(
            [
                Capture(
                    url=held.url, at=held.at, status=held.status, headers=held.headers, body=smaller[0],
                    address=held.address, metadata={**held.metadata, "whole": smaller[1]},
                )
            ]
        )  # fmt: skip
        self._store.commit_copies(places)
        # The page crawled again may have more than this copy, if that was a part.
        known = f"{parts}\nof {version.parts}" if version.parts else parts
        self._store.resources.set_place(version.id, places[0], known)
        return [*acts, self._preserved(version, places[0], known, policy, judgement)]

    def _preserved(
        self, version: Version, place: Place, parts: str, policy: int, judgement: Judgement | Conclusion
    ) -> Act:
        """The act of keeping a copy, with the digests of its octets and of its parts."""
        detail: dict[str, Any] = {
            "copy": self._store.copies.digest(place),
            **({"parts": text_digest(parts)} if parts else {}),
        }
        if judgement.opened is not None:
            detail |= {"for": judgement.opened.to_json()}
        self._store.tell_of_copy(version.id, detail)  # others may use it before the entry is written
        return self._act("preserved", version, "preserve", policy, judgement, detail)

    def _recrawl(self, version: Version, judgement: Judgement, policy: int) -> list[Act]:
        self._store.requests.make(RE_CRAWL, version.url, f"version {version.id}", self._at)
        return self._drop_terms(version, judgement, policy, {"reason": "another part may be indexed; no copy is kept"})

    def _drop_terms(
        self, version: Version, judgement: Judgement | Conclusion, policy: int, detail: dict[str, Any] | None = None
    ) -> list[Act]:
        self._store.hide_terms(version.id)
        return [self._act("removed", version, "index", policy, judgement, detail)]

    def _drop_copy(
        self, version: Version, judgement: Judgement | Conclusion, policy: int, detail: dict[str, Any] | None = None
    ) -> list[Act]:
        assert version.place is not None
        self._store.hide_copy(version.id, version.place)
        return [self._act("removed", version, "preserve", policy, judgement, detail)]

    def _act(
        self,
        act: str,
        version: Version,
        usage: str,
        policy: int,
        judgement: Judgement | Conclusion,
        detail: dict[str, Any] | None = None,
    ) -> Act:
        return Act(act, self._at, version.url, usage, version.id, policy, judgement.told(usage), detail or {})

    def _note_end(self, judgement: Judgement | Conclusion) -> None:
        end = judgement.expires()
        if end is not None:
            self._ends.append(end)

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


def _first_line(parts: str) -> str:
    """The permitted parts, without the notes on their origin."""
    return parts.partition("\n")[0]
