"""The documents of a site beside its robots.txt, as they were retrieved: tdmrep.json, ai.txt, licences, policies.

The laws of this module:

1. A policy carries them in its evidence, and the store keeps them with it. So whatever judges by a policy hears them
   too, and no way leads from a store to a judgement without them.
2. What could not be retrieved or read never permits what it may prohibit. A licence may prohibit every use of content,
   so one that is named and unknown prohibits them all. One that nobody asked for, where only a robots.txt was asked
   for, is unknown as well; if robots.txt names it, mining is conditional on it.
3. What a site refers to is bounded in number. Beyond that one doubt is kept and none of its licences is heard.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property
from itertools import islice
from typing import Any, Literal, NamedTuple, TypeAlias

from acap.crawlers import Crawler, as_crawler
from acap.dialects.ai_txt import parse_ai_txt
from acap.dialects.rsl.associations import RefersToLicences, RslLicences, joined, named_documents
from acap.dialects.rsl.policy import RslDocument, parse_rsl, whole_documents
from acap.dialects.rsl.reading import max_age_of
from acap.dialects.tdmrep import TdmrepFile, parse_tdmrep
from acap.problems import Problem
from acap.retrieval import foreign
from acap.retrieval.answers import ACCEPTED, TRANSIENT
from acap.retrieval.locations import resolve
from acap.retrieval.retrieved import Retrieved, stated_at
from acap.robots import NO_ROBOTS, RobotsPolicy, is_reference, licence_lines
from acap.sites.documents import came_from, octets_of
from acap.sites.gathering import MAX_DOCUMENTS
from acap.sites.licences import LostLicences
from acap.sites.policy import SitePolicy
from acap.statement import Source, Statement

Kind: TypeAlias = Literal["tdmrep.json", "ai.txt", "licence", "page-licence", "tdm-policy"]
"""A `licence` is named by robots.txt, a `page-licence` by pages alone."""

DOCUMENTS = "documents"
"""The name in the evidence of a policy."""

STALE = timedelta(days=30)
"""How long a document stands in for one that cannot be retrieved (RFC 9309 2.3.1.4)."""

LATER = timedelta(hours=24)
"""How much later a capture may be that counts as before; a file is fresh as long (RFC 9309 2.4)."""

LEFT_OUT = "*"
"""The URL of the one document that stands for all that a site refers to and that are too many."""

LICENCES: tuple[Kind, ...] = ("licence", "page-licence")
_KINDS: tuple[Kind, ...] = ("tdmrep.json", "ai.txt", "licence", "tdm-policy")
_NEVER = datetime.min.replace(tzinfo=UTC)
_POLICIES = 4 * MAX_DOCUMENTS  # of a tdmrep.json that are looked for
_VARIANTS = 2  # of a policy: as it is, and for use


class KeptDocument(NamedTuple):
    """One document: `octets` are the whole of it, None if it could not be retrieved; `status`: None without an answer.

    `evidence` is of types that `json.dumps` takes, as `Retrieved.evidence` has it.
    """

    kind: Kind
    url: str
    status: int | None
    octets: bytes | None
    evidence: Mapping[str, Any]

    @property
    def last_stated_at(self) -> datetime | None:
        """When its site last said so; None if that is not known."""
        return stated_at(self.evidence)

    @property
    def base_url(self) -> str:
        """The URL that relative references in it are of: where it came from in the end (RFC 3986 5.1.3)."""
        return str(self.evidence.get("final_url") or self.url)

    @property
    def as_tdmrep(self) -> TdmrepFile:
        """It, read as a tdmrep.json."""
        return parse_tdmrep(self.octets, url=self.url, status=self.status or 200, base_url=self.base_url)

    def after(self, before: KeptDocument | None, now: datetime) -> KeptDocument:
        """What counts of it where another one was known before: that stands in where the site failed since.

        It does for 30 days, a licence for as many days as it says, if they are fewer (RSL 1.0 3.1). So it does where
        something else stands in its place, as of a robots.txt. Then it is unknown. `now` is the time of an answer that
        tells none.
        """
        if before is None or before.octets is None or is_foreign(before.kind, before.octets):
            return self
        has_failed = self.status is not None and passes(self.status)
        if not has_failed and not is_foreign(self.kind, self.octets):
            return self
        if (self.last_stated_at or now) <= before.counts_until:
            return before._replace(kind=self.kind)
        return self if has_failed else self._replace(octets=None, status=None)

    @property
    def counts_until(self) -> datetime:
        """Until when it counts if its site does not say it again."""
        if (stated := self.last_stated_at) is None:
            return _NEVER
        is_licence = self.kind in LICENCES and self.octets is not None
        return stated + (min(STALE, timedelta(days=max_age_of(self.octets or b""))) if is_licence else STALE)


@dataclass(frozen=True)
class SiteDocuments:
    """The documents of a site, each read once. One that could not be retrieved is a doubt, as its reader has it."""

    documents: tuple[KeptDocument, ...] = ()

    def sources(self, robots: RobotsPolicy) -> tuple[Source, ...]:
        """What they say, beside a robots.txt and pages that may refer to some of them."""
        known = next((beside for asked, beside in self._known if asked is robots or asked == robots), None)
        if known is None:
            is_cut = any(one.url == LEFT_OUT for one in self.documents)
            known = (*self._own, SiteLicences(robots, licences_of(robots), self._licences, is_cut))
            self._known[_VARIANTS - 1 :] = []
            self._known.insert(0, (robots, known))
        return known

    @cached_property
    def _known(self) -> list[tuple[RobotsPolicy, tuple[Source, ...]]]:
        """The sources beside the policies that were asked about last."""
        return []

    def __reduce__(self) -> tuple[object, ...]:
        return SiteDocuments, (self.documents,)

    @cached_property
    def _own(self) -> tuple[Source, ...]:
        """What tdmrep.json and ai.txt say."""
        policies = {document.url: document.octets for document in self.documents if document.kind == "tdm-policy"}
        sources: list[Source] = []
        for document in self.documents:
            if document.kind == "tdmrep.json":
                file = document.as_tdmrep
                named = dict.fromkeys(rule.policy for rule in file.rules if rule.policy is not None)
                if LEFT_OUT in policies:
                    at_hand = {name: policies.get(referred_url(document.url, name)) for name in named}
                else:
                    at_hand = {
                        name: policies[at] for name in named if (at := referred_url(document.url, name)) in policies
                    }
                sources.append(file.with_policies(at_hand) if at_hand else file)
            elif document.kind == "ai.txt":
                sources.append(parse_ai_txt(document.octets, url=document.url, status=document.status or 200))
        return tuple(sources)

    @cached_property
    def _licences(self) -> dict[str, RslDocument | None]:
        """The licence documents by their URLs."""
        return {
            one.url: None if one.octets is None else parse_rsl(one.octets, url=came_from(one.url, one.evidence))
            for one in self.documents
            if one.kind in LICENCES
        }

    @classmethod
    def of_site(cls, site_policy: SitePolicy) -> SiteDocuments:
        """The documents that were gathered with a site's policy; those beyond its limits could not be retrieved."""
        documents = [
            kept_document(one.kind, one.url, one.retrieved) for one in site_policy.documents if one.kind in _KINDS
        ]
        if site_policy.left_out:
            documents.append(KeptDocument("tdm-policy", LEFT_OUT, None, None, {}))
        return cls(tuple(documents))

    def after(self, before: SiteDocuments | None, now: datetime) -> SiteDocuments:
        """These, which came after others; each as of `KeptDocument.after`."""
        known = {one.url: one for one in (before.documents if before is not None else ())}
        return SiteDocuments(tuple(one.after(known.get(one.url), now) for one in self.documents))

    def at(self, now: datetime) -> SiteDocuments:
        """These, as far as they count at an instant: a licence that is older than it says is unknown (RSL 1.0 3.1)."""
        past = {url for url, until in self._licences_until.items() if until < now}
        if not past:
            return self
        return SiteDocuments(tuple(one._replace(octets=None) if one.url in past else one for one in self.documents))

    @cached_property
    def _licences_until(self) -> dict[str, datetime]:
        return {one.url: one.counts_until for one in self.documents if one.kind in LICENCES}

    def with_pages(self, licences: Iterable[KeptDocument]) -> SiteDocuments:
        """These, with licence documents that pages name; those of the same URLs go."""
        others = {one.url: one for one in licences}
        named = {one.url for one in self.documents if one.kind == "licence"}
        own = (one for one in self.documents if one.url not in others or one.kind != "page-licence")
        return SiteDocuments((*own, *(one for url, one in others.items() if url not in named)))

    @property
    def size(self) -> int:
        """How many octets they have."""
        return sum(len(one.octets or b"") for one in self.documents)

    @property
    def of_pages(self) -> tuple[KeptDocument, ...]:
        """The licence documents that pages name, and robots.txt does not."""
        return tuple(one for one in self.documents if one.kind == "page-licence")

    @property
    def policies(self) -> tuple[str, ...]:
        """The URLs of the policies that the tdmrep.json names, as `policies_of` has them."""
        return tuple(url for one in self.documents if one.kind == "tdmrep.json" for url in policies_of(one))

    def knows(self, licence: str) -> bool:
        """Whether a licence document was asked for."""
        return licence in self._licences

    def to_json(self) -> list[list[Any]]:
        """What it is made of, but for the evidence; of types that `json.dumps` takes."""
        return [
            [one.kind, one.url, one.status, None if one.octets is None else base64.b64encode(one.octets).decode()]
            for one in self.documents
        ]

    @classmethod
    def from_json(cls, members: Iterable[list[Any]], evidence: Mapping[str, Any]) -> SiteDocuments:
        """What `to_json` gave, with the evidence of each by its URL."""
        return cls(
            tuple(
                KeptDocument(
                    kind, url, status, None if octets is None else base64.b64decode(octets), evidence.get(url, {})
                )
                for kind, url, status, octets in members
            )
        )


@dataclass(frozen=True, slots=True)
class SiteLicences:
    """The licences that robots.txt and a page name: what the known ones say, and the doubt of the others.

    `lines` are as `licences_of` has them. `is_cut`: robots.txt named more than were asked for.
    """

    robots: RobotsPolicy
    lines: tuple[str, ...]
    documents: Mapping[str, RslDocument | None]
    is_cut: bool
    page: RefersToLicences | None = None

    @property
    def dialect(self) -> str:
        """As of the documents."""
        return "rsl"

    @property
    def reads_licence_lines(self) -> bool:
        """Whether it speaks in the place of the License lines of its `robots`, which then has some."""
        return 0 < len(self.lines) <= MAX_DOCUMENTS

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What is wrong in the documents."""
        return tuple(problem for one in self.documents.values() if one is not None for problem in one.problems)

    def with_page(self, page: RefersToLicences) -> SiteLicences:
        """The same with the references of a page."""
        return SiteLicences(self.robots, self.lines, self.documents, self.is_cut, page)

    def statements(self, url: str) -> tuple[Statement, ...]:
        """What they say to anybody."""
        return self.statements_for(url, as_crawler("*"))

    def statements_for(self, url: str, crawler: Crawler) -> tuple[Statement, ...]:
        """What they say of a resource to who asks."""
        robots, page, lines = self.robots, self.page, self.lines
        if not lines and (page is None or not page.licence_references()):
            return ()
        # Of too many none counts: each question would go through them all.
        is_crowded = len(lines) > MAX_DOCUMENTS
        lines = () if is_crowded else lines
        of_robots = self._named(robots.base_url, lines)
        targets = [] if page is None else named_documents(page)
        of_page = self._named(None if page is None else page.url, () if len(targets) > MAX_DOCUMENTS else targets)
        rsl = RslLicences(robots=None if is_crowded else robots, documents={**of_robots, **of_page}, page=page)
        known = whole_documents(of_robots)
        if not self.is_cut:  # one that nobody asked for is not lost
            known |= {joined(robots.base_url, line) for line in lines} - of_robots.keys()
        return (
            *rsl.statements_for(url, crawler),
            *LostLicences(robots, known).statements_for(url, crawler),
            *LostLicences(NO_ROBOTS, whole_documents(of_page), page).statements_for(url, crawler),
        )

    def _named(self, base: str | None, targets: Iterable[str]) -> dict[str, RslDocument | None]:
        """The documents of references that were asked for, by their URLs as readers have them."""
        asked = ((joined(base, target), referred_url(base, target)) for target in targets)
        return {name: self.documents[at] for name, at in asked if at in self.documents}


def with_documents(robots: RobotsPolicy, documents: SiteDocuments) -> RobotsPolicy:
    """A policy that carries the documents of its site."""
    return robots.with_evidence({**robots.evidence, DOCUMENTS: documents})


def documents_of(robots: RobotsPolicy) -> SiteDocuments | None:
    """The documents that a policy carries; None where nothing is known of them."""
    documents = robots.evidence.get(DOCUMENTS)
    return documents if isinstance(documents, SiteDocuments) else None


def octets_carried(robots: RobotsPolicy) -> int:
    """How many octets a policy and the documents that it carries have."""
    documents = documents_of(robots)
    return len(robots.octets) + (0 if documents is None else documents.size)


def licences_of(robots: RobotsPolicy) -> tuple[str, ...]:
    """What License lines name, to whomever, as it is written; of too many the first, and one more."""
    return tuple(islice(filter(is_reference, licence_lines(robots)), MAX_DOCUMENTS + 1))


def targets_of(robots: RobotsPolicy) -> tuple[str, ...]:
    """The URLs of the licences that a robots.txt names, to whomever; none of too many."""
    lines = licences_of(robots)
    if len(lines) > MAX_DOCUMENTS:
        return ()
    return tuple(dict.fromkeys(referred_url(robots.base_url, target) for target in lines))


def policies_of(tdmrep: KeptDocument) -> tuple[str, ...]:
    """The URLs of the policies that a tdmrep.json names; of too many the first, and `LEFT_OUT` for the others."""
    policies = (rule.policy for rule in (tdmrep.as_tdmrep.rules if tdmrep.octets is not None else ()))
    named = tuple(dict.fromkeys(referred_url(tdmrep.url, policy) for policy in policies if policy is not None))
    return named if len(named) <= _POLICIES else (*named[:_POLICIES], LEFT_OUT)


def may_decide(robots: RobotsPolicy, usages: Sequence[str]) -> bool:
    """Whether documents beside a robots.txt could decide: for some usages beside search, or as licences it names."""
    return robots.state != "unreachable" and bool(usages or licences_of(robots))


def sources_of(robots: RobotsPolicy, given: Sequence[Source] = ()) -> tuple[Source, ...]:
    """What the documents say that a policy carries, with the doubt of licences that are not among them.

    `given` are sources beside them, perhaps with licence documents where the policy carries none.
    """
    documents = documents_of(robots)
    if documents is None:
        for source in given:
            if isinstance(source, LostLicences):
                return ()
            if isinstance(source, RslLicences):
                return (LostLicences(robots, whole_documents(source.documents)),)
        return (SiteLicences(robots, licences_of(robots), {}, is_cut=False),)
    return documents.sources(robots)


def passes(status: int) -> bool:
    """Whether an answer says nothing that lasts."""
    return status >= 500 or status in TRANSIENT or status == ACCEPTED


def is_foreign(kind: Kind, octets: bytes | None) -> bool:
    """Whether something else stands in the place of a document."""
    return octets is not None and foreign.is_foreign("licence" if kind == "page-licence" else kind, octets)


def kept_document(kind: Kind, url: str, came: Retrieved | None) -> KeptDocument:
    """A document as it was retrieved; None: it was not asked for."""
    if came is None:
        return KeptDocument(kind, url, None, None, {})
    status = None if came.answer.failure is not None else came.status
    return KeptDocument(kind, url, status, octets_of(came), came.evidence)


def referred_url(base: str | None, reference: str) -> str:
    """The URL of a reference in the form in which it is asked for; as it is written if it cannot be."""
    try:
        return resolve(base or "", reference)
    except ValueError:
        return reference
