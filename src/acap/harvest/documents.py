"""The documents of a site beside its robots.txt, as they were retrieved: tdmrep.json, ai.txt, licences, policies.

The laws of this module:

1. A policy carries them in its evidence, and the store keeps them with it. So whatever judges by a policy hears them
   too, and no way leads from a store to a judgement without them.
2. What could not be had or read never permits what it may prohibit. A licence may prohibit every use of content, so
   one that is named and unknown prohibits them all; its dialect alone (`acap.dialects.rsl`) prohibits mining then.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from typing import Any, Literal, NamedTuple, TypeAlias
from urllib.parse import urljoin

from acap.crawlers import Crawler, as_crawler
from acap.dialects.ai_txt import parse_ai_txt
from acap.dialects.rsl.associations import RslLicences
from acap.dialects.rsl.policy import RslDocument, parse_rsl
from acap.dialects.tdmrep import parse_tdmrep
from acap.dialects.well_known import is_page
from acap.harvest.operator import Operator
from acap.pages.tags import EVERY_USE
from acap.problems import Problem
from acap.retrieval.answers import TRANSIENT
from acap.retrieval.locations import resolve
from acap.robots import RobotsPolicy
from acap.sites.documents import octets_of
from acap.sites.policy import SitePolicy
from acap.statement import Source, Statement

Kind: TypeAlias = Literal["tdmrep.json", "ai.txt", "licence", "tdm-policy"]

DOCUMENTS = "documents"
"""The name in the evidence of a policy."""

STALE = timedelta(days=30)
"""How long a document stands in for one that cannot be retrieved (RFC 9309 2.3.1.4)."""

_REFERRED: tuple[Kind, ...] = ("licence", "tdm-policy")
_KINDS: tuple[Kind, ...] = ("tdmrep.json", "ai.txt", *_REFERRED)
_GONE = (404, 410)  # there is no such document
_USES = tuple(usage for usage in EVERY_USE if usage not in ("crawl", "follow"))  # of content, of which RSL speaks


class KeptDocument(NamedTuple):
    """One document: `octets` are the whole of it, None where it could not be had; `status` is None without an answer.

    `evidence` is of types that `json.dumps` takes, as `Retrieved.evidence` has it.
    """

    kind: Kind
    url: str
    status: int | None
    octets: bytes | None
    evidence: Mapping[str, Any]


@dataclass(frozen=True)
class SiteDocuments:
    """The documents of a site, each read once. One that could not be had is a doubt, as its reader has it."""

    documents: tuple[KeptDocument, ...] = ()

    def sources(self, robots: RobotsPolicy) -> tuple[Source, ...]:
        """What they say, beside a robots.txt that may refer to some of them."""
        licences = self._licences
        if not licences:
            return self._own
        named = {
            _joined(robots.url, line.value): licences[at]
            for line in robots.extensions
            if line.field == "License" and (at := _target(robots.url, line.value)) in licences
        }
        unknown = frozenset(one.url for one in self.documents if one.kind == "licence" and _is_unknown(one, licences))
        rsl = RslLicences(robots=robots, documents={**licences, **named})
        return (*self._own, rsl, *([UnknownLicences(robots, unknown)] if unknown else []))

    @cached_property
    def _own(self) -> tuple[Source, ...]:
        """What tdmrep.json and ai.txt say."""
        policies = {one.url: one.octets for one in self.documents if one.kind == "tdm-policy"}
        found: list[Source] = []
        for one in self.documents:
            if one.kind == "tdmrep.json":
                file = parse_tdmrep(one.octets, url=one.url, status=one.status or 200)
                named = dict.fromkeys(rule.policy for rule in file.rules if rule.policy is not None)
                at_hand = {name: policies[at] for name in named if (at := _target(one.url, name)) in policies}
                found.append(file.with_policies(at_hand) if at_hand else file)
            elif one.kind == "ai.txt":
                found.append(parse_ai_txt(one.octets, url=one.url, status=one.status or 200))
        return tuple(found)

    @cached_property
    def _licences(self) -> dict[str, RslDocument | None]:
        """The licence documents by their URLs."""
        return {
            one.url: None if one.octets is None else parse_rsl(one.octets, url=one.url)
            for one in self.documents
            if one.kind == "licence"
        }

    @classmethod
    def of_site(cls, said: SitePolicy) -> SiteDocuments:
        """The documents that were gathered with a site's policy; those beyond its limits could not be had."""
        found: list[KeptDocument] = []
        for one in said.documents:
            if one.kind in _KINDS:
                came = one.retrieved
                answer = None if came is None or came.answer.failure is not None else came
                status = None if answer is None else answer.status
                octets, evidence = (None, {}) if came is None else (octets_of(came), came.evidence)
                found.append(KeptDocument(one.kind, one.url, status, octets, evidence))
        for url in said.left_out:
            found += (KeptDocument(kind, url, None, None, {}) for kind in _REFERRED)
        return cls(tuple(found))

    def after(self, before: SiteDocuments | None, now: datetime) -> SiteDocuments:
        """These, which came after others. A file that was known stands where its site failed since, for 30 days.

        So it does where something else stands in its place, as of a robots.txt; then it is unknown.
        """
        known = {one.url: one for one in (before.documents if before is not None else ()) if _is_file(one)}
        found: list[KeptDocument] = []
        for one in self.documents:
            failed = one.status is not None and (one.status >= 500 or one.status in TRANSIENT)
            file = known.get(one.url) if failed or is_foreign(one.kind, one.octets) else None
            if file is None:
                found.append(one)
            else:
                at = told_at(file)
                is_stale = at is None or now - at > STALE
                found.append(one._replace(octets=None, status=None) if is_stale else file)
        return SiteDocuments(tuple(found))

    def told(self) -> list[list[Any]]:
        """What it is made of, but for the evidence; of types that `json.dumps` takes."""
        return [
            [one.kind, one.url, one.status, None if one.octets is None else base64.b64encode(one.octets).decode()]
            for one in self.documents
        ]

    @classmethod
    def of_told(cls, told: Iterable[list[Any]], evidence: Mapping[str, Any]) -> SiteDocuments:
        """What `told` gave, with the evidence of each by its URL."""
        return cls(
            tuple(
                KeptDocument(
                    kind, url, status, None if octets is None else base64.b64decode(octets), evidence.get(url, {})
                )
                for kind, url, status, octets in told
            )
        )


@dataclass(frozen=True, slots=True)
class UnknownLicences:
    """Licence documents that robots.txt names, and that could not be had or read: they may have prohibited any use."""

    robots: RobotsPolicy
    unknown: frozenset[str]

    @property
    def dialect(self) -> str:
        """As of the documents."""
        return "rsl"

    @property
    def problems(self) -> tuple[Problem, ...]:
        """None beside those of the documents."""
        return ()

    def statements(self, url: str) -> tuple[Statement, ...]:
        """What they may have said to anybody."""
        return self.statements_for(url, as_crawler("*"))

    def statements_for(self, url: str, crawler: Crawler) -> tuple[Statement, ...]:  # noqa: ARG002  they may be of any
        """A prohibition of every use, for those that are named to who asks."""
        at_site = self.robots.url
        return tuple(
            Statement(
                dialect=self.dialect,
                usage=usage,
                outcome="prohibited",
                source=at_site,
                line=line,
                text=f"License: {target}: the document could not be had or read",
            )
            for target, line in self.robots.licences(crawler)
            if _target(at_site, target) in self.unknown
            for usage in _USES
        )


def with_documents(robots: RobotsPolicy, documents: SiteDocuments) -> RobotsPolicy:
    """A policy that carries the documents of its site."""
    return robots.with_evidence({**robots.evidence, DOCUMENTS: documents})


def documents_of(robots: RobotsPolicy) -> SiteDocuments | None:
    """The documents that a policy carries; None where nothing is known of them."""
    found = robots.evidence.get(DOCUMENTS)
    return found if isinstance(found, SiteDocuments) else None


def licences_of(robots: RobotsPolicy) -> tuple[str, ...]:
    """The URLs of the licences that a robots.txt names, to whomever."""
    named = (line.value for line in robots.extensions if line.field == "License" and line.value)
    return tuple(dict.fromkeys(_target(robots.url, target) for target in named))


def may_decide(robots: RobotsPolicy, operator: Operator) -> bool:
    """Whether documents beside a robots.txt could decide: for the usages of the operator, or as licences it names."""
    return robots.state != "unreachable" and bool(operator.usages or licences_of(robots))


def sources_of(robots: RobotsPolicy) -> tuple[Source, ...]:
    """What the documents say that a policy carries."""
    documents = documents_of(robots)
    return () if documents is None else documents.sources(robots)


def is_foreign(kind: Kind, octets: bytes | None) -> bool:
    """Whether something else stands in the place of a site's file."""
    if octets is None or kind in _REFERRED:
        return False
    return is_page(octets) or (
        kind == "ai.txt" and parse_ai_txt(octets, url="https://site.invalid/ai.txt").state == "foreign"
    )


def told_at(document: KeptDocument) -> datetime | None:
    """When a document was last told; None if that is not known."""
    told = document.evidence.get("confirmed_at") or document.evidence.get("fetched_at")
    return None if told is None else datetime.fromisoformat(str(told))


def _is_file(document: KeptDocument) -> bool:
    """Whether a document is a file that came whole."""
    return document.octets is not None and not is_foreign(document.kind, document.octets)


def _is_unknown(document: KeptDocument, licences: Mapping[str, RslDocument | None]) -> bool:
    """Whether a licence may say more than is known of it."""
    read = licences[document.url]
    return not read.is_whole if read is not None else document.status not in _GONE


def _target(base: str | None, reference: str) -> str:
    """The URL of a reference in the form in which it is asked for; as it is written if it cannot be."""
    try:
        return resolve(base or "", reference)
    except ValueError:
        return reference


def _joined(base: str | None, reference: str) -> str:
    """The same as `RslLicences` has it."""
    try:
        return urljoin(base or "", reference)
    except ValueError:
        return reference
