"""Plans: what a conclusion changes, and the acts that the ledger enters for it.

A plan is a `ChangeSet`. It is made from values and nothing else, and `commit` carries it out.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, NamedTuple

from acap.carriers import why_no_page
from acap.dialects.response import parse_response
from acap.harvest.account import requirements_digest, text_digest
from acap.harvest.act import RE_CRAWL, Act, record_of
from acap.harvest.changes import (
    Change,
    ChangeSet,
    Closed,
    Indexed,
    Preserved,
    Received,
    Requested,
    Required,
    Requirement,
    WrittenCopy,
)
from acap.harvest.conclusion import Conclusion, Leads
from acap.harvest.copies.place import Place
from acap.harvest.fetched import Fetched
from acap.harvest.judgement import KEPT
from acap.harvest.resource import Extent, Version, headers_text
from acap.harvest.task import Task
from acap.retrieval.answers import ACCEPTED

_LINKS = 20  # refused links that an entry lists


class Supply(NamedTuple):
    """The text of another resource, for the index entry of a page that requires it; `by` is the state it is from.

    `words` are None if none may be used, or they are missing.
    """

    words: tuple[str, str] | None
    by: str


def plan_removal(version: Version, at: datetime, why: str) -> ChangeSet:
    """The plan for a version that the operator removes."""
    detail = {"by": "operator", **({"why": why} if why else {})}
    changes: list[Change] = []
    usages: list[str] = []
    if version.is_indexed:
        changes.append(Indexed(version.id, None))
        usages.append("index")
    if version.place is not None:
        changes.append(Preserved(version.id, version.place, None))
        usages.append("preserve")
    return ChangeSet(
        tuple(changes), tuple(Act("removed", at, version.url, usage, version.id, detail=detail) for usage in usages)
    )


def closed(task: Task | None, state: str, why: str | None = None) -> ChangeSet:
    """A URL is finished, if it was on the schedule."""
    return ChangeSet() if task is None else ChangeSet((Closed(task.id, state, why),))


def plan_received(fetched: Fetched, change: Received, evidence: dict[str, str]) -> ChangeSet:
    """The plan for every response: the change, and the act, with digests of its statements and of the policy it cites.

    `evidence` is the digest of the policy, for the first entry that cites it.
    """
    detail: dict[str, Any] = {"status": fetched.status, **found_in(fetched.task)}
    if unread := fetched.doubt or (why_no_page(ACCEPTED) if fetched.status == ACCEPTED else ""):
        detail["unread"] = unread
    if answer := parse_response(fetched.status, headers=fetched.headers, url=fetched.url).found:
        detail["answer"] = answer[0].text
    if fetched.origin is not None:
        detail["origin"] = fetched.origin
    if fetched.captured_at is not None:
        detail["captured_at"] = fetched.captured_at.isoformat()
    if fetched.payload is not None:
        detail["payload"] = f"{fetched.payload[0]}:{fetched.payload[1].hex()}"
    detail["said"] = change.version.digest
    texts = {"heard": headers_text(change.later_headers), "passages": change.passages}
    detail |= {name: text_digest(text) for name, text in texts.items() if text}
    if fetched.chosen:
        detail |= {"by": "operator", "why": fetched.chosen}
    if fetched.opened is not None:
        detail |= {"for": fetched.opened.to_json(), "against": record_of(fetched.opened.refusal)}
    detail |= evidence
    version, crawled = change.version, record_of(fetched.decision)
    act = Act("crawled", change.at, version.url, "crawl", version.id, version.policy, crawled, detail)
    return ChangeSet((change,), (act,))


@dataclass(frozen=True, slots=True)
class Holding:
    """What a store keeps of a version when a plan for it is made.

    The number of `version` is `NEW` if it just came. `policy` is the number of the one that it was judged by. `known`
    are the resources that it required before. `supply` is the text of the resource that the index must use, None if it
    is unknown. `written` is a copy that was written for the conclusion. `is_read`: it was judged by its octets.
    """

    version: Version
    policy: int
    at: datetime
    is_current: bool = True
    is_read: bool = True
    known: tuple[Requirement, ...] = ()
    supply: Supply | None = None
    written: WrittenCopy | None = None


def plan_response(conclusion: Conclusion, holding: Holding) -> ChangeSet:
    """The plan for a response that just came."""
    planner, leads = _Planner(conclusion, holding), conclusion.leads
    assert leads is not None
    refused = (planner.act("refused", usage) for usage in KEPT if conclusion.record[usage]["outcome"] != "permitted")
    return (
        planner.required(leads.requirements)
        + planner.refused_links(leads)
        + planner.index()
        + planner.copy()
        + ChangeSet(acts=tuple(refused), end=conclusion.end)
    )


def plan_version(conclusion: Conclusion, holding: Holding) -> ChangeSet:
    """The plan for a version that was judged again."""
    planner, version = _Planner(conclusion, holding), holding.version
    index = ChangeSet()
    if not holding.is_current:
        index = planner.drop_terms(succeeded=True) if version.is_indexed else index
    elif holding.is_read or not version.is_indexed or not conclusion.permits("index") or conclusion.required["index"]:
        index = planner.index(of_copy=version.parts)
    # The text is missing. Its index entry may stay if the same parts may be indexed.
    elif Extent.read(version.terms).parts != conclusion.parts["index"]:
        request = Requested(RE_CRAWL, version.url, f"version {version.id}", holding.at)
        index = ChangeSet((request,)) + planner.drop_terms("another part may be indexed; no copy is kept")
    required = [("index", *one) for one in conclusion.required["index"]] if holding.is_current else ()
    return planner.required(required) + index + planner.smaller_copy() + ChangeSet(end=conclusion.end)


def plan_page(conclusion: Conclusion, holding: Holding) -> ChangeSet:
    """The plan for the index entry of a page whose required resource changed."""
    return _Planner(conclusion, holding).index() + ChangeSet(end=conclusion.end)


def plan_silent(conclusion: Conclusion, holding: Holding) -> ChangeSet:
    """The plan for a version whose site is out of reach: what its last policy no longer permits goes."""
    planner, version = _Planner(conclusion, holding), holding.version
    index = ChangeSet()
    if version.is_indexed and not conclusion.permits("index"):
        index = planner.drop_terms()
    elif version.is_indexed and Extent.read(version.terms).parts != conclusion.parts["index"]:
        index = planner.drop_terms("another part may be indexed")
    return index + planner.smaller_copy() + ChangeSet(end=conclusion.end)


@dataclass(frozen=True, slots=True)
class _Planner:
    conclusion: Conclusion
    holding: Holding

    def required(self, requirements: Iterable[Requirement]) -> ChangeSet:
        """The version requires resources."""
        version, requirements = self.holding.version, tuple(requirements)
        joint = {*self.holding.known, *requirements}
        if len(joint) == len(set(self.holding.known)):
            return ChangeSet()
        detail = {"resources": len({url for *_, url in joint}), "requires": requirements_digest(joint)}
        act = Act("required", self.holding.at, version.url, "resource", version.id, detail=detail)
        return ChangeSet((Required(version.id, requirements),), (act,))

    def refused_links(self, leads: Leads) -> ChangeSet:
        """Links may not be followed."""
        if not leads.refused:
            return ChangeSet()
        if not self.conclusion.permits("follow"):
            return ChangeSet(acts=(self.act("refused", "follow", {"links": leads.refused}),))
        act = self.act("refused", "follow", {"links": leads.refused, "to": dict(leads.named[:_LINKS])})
        return ChangeSet(acts=(replace(act, decision=None),))

    def index(self, *, of_copy: str = "") -> ChangeSet:
        """The index takes what it may have; `of_copy` are the parts in the copy that the words are from."""
        version, conclusion, supply = self.holding.version, self.conclusion, self.holding.supply
        words, extent = conclusion.words, Extent(conclusion.parts["index"])
        before = Extent.read(version.terms) if version.is_indexed else None
        same = before if before is not None and before.parts == extent.parts else None
        own = same if same is not None and not same.supply else None
        # The index entry may have more of the page than the copy, and the page crawled again more than either.
        if of_copy and words is not None:
            extent = own or extent._replace(of_copy=of_copy)
        elif of_copy and own and conclusion.permits("index") and not conclusion.required["index"]:
            return ChangeSet()
        if conclusion.needs_supply:
            if supply is None and same:
                return ChangeSet()  # the current permissions of the required resource are unknown
            if supply is not None:
                words, extent = supply.words, extent._replace(supply=supply.by)
                if before == extent:
                    return ChangeSet()  # that resource was indexed in its place
        if words is None:
            return self.drop_terms() if version.is_indexed else ChangeSet()
        if before == extent:
            return ChangeSet()
        dropped = self.drop_terms("another part may be indexed") if version.is_indexed else ChangeSet()
        change, act = Indexed(version.id, words, str(extent)), self.act("indexed", "index")
        return dropped + ChangeSet((change,), (act,), frozenset({"first_indexed"}))

    def copy(self) -> ChangeSet:
        """The response has a new copy, or keeps its former one if that has the same parts."""
        version, parts = self.holding.version, self.conclusion.parts["preserve"]
        if self.holding.written is not None:
            kept = self.preserved(self.holding.written, parts, version.place)
            return replace(kept, firsts=frozenset({"first_preserved"}))
        is_same = self.conclusion.permits("preserve") and version.parts == parts
        return ChangeSet() if version.place is None or is_same else self.drop_copy()

    def smaller_copy(self) -> ChangeSet:
        """The copy that is kept goes, or is reduced to fewer parts: it cannot be extended."""
        version, conclusion = self.holding.version, self.conclusion
        if version.place is None:
            return ChangeSet()
        if not conclusion.permits("preserve"):
            return self.drop_copy()
        if not conclusion.exceeds:
            return ChangeSet()
        dropped, parts = self.drop_copy("another part may be preserved"), conclusion.parts["preserve"]
        if self.holding.written is None:
            return dropped
        # The page crawled again may have more than this copy, if that was a part.
        extent = Extent(parts, of_copy=version.parts)
        return dropped + self.preserved(self.holding.written, str(extent), None)

    def drop_terms(self, reason: str = "", **detail: Any) -> ChangeSet:
        """The version goes from the index."""
        act = self.act("removed", "index", {"reason": reason} if reason else detail)
        return ChangeSet((Indexed(self.holding.version.id, None),), (act,))

    def drop_copy(self, reason: str = "") -> ChangeSet:
        """The copy of the version goes."""
        version = self.holding.version
        act = self.act("removed", "preserve", {"reason": reason} if reason else {})
        return ChangeSet((Preserved(version.id, version.place, None),), (act,))

    def preserved(self, written: WrittenCopy, parts: str, before: Place | None) -> ChangeSet:
        """A copy is kept in place of the one before; the act has the digests of its octets and of its parts."""
        detail: dict[str, Any] = {"copy": written.digest, **({"parts": text_digest(parts)} if parts else {})}
        if self.conclusion.exemption is not None:
            detail["for"] = self.conclusion.exemption.to_json()
        change = Preserved(self.holding.version.id, before, written, parts)
        return ChangeSet((change,), (self.act("preserved", "preserve", detail),))

    def act(self, act: str, usage: str, detail: dict[str, Any] | None = None) -> Act:
        """An act on the version, with the decision on a usage."""
        version, decision = self.holding.version, self.conclusion.record[usage]
        return Act(act, self.holding.at, version.url, usage, version.id, self.holding.policy, decision, detail or {})


def found_in(task: Task | None) -> dict[str, Any]:
    """The URL that led to a URL of the schedule, for an entry of the ledger."""
    return {} if task is None or task.found_in is None else {"found_in": task.found_in}
