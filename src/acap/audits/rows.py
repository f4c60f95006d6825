"""An audit: for each resource of a table what each usage of it comes to, by which policy, and on which evidence.

    acap.audit(batch, policies, crawler="examplebot", usages=["index", "ai-train"])

The laws of this module:

1. A row is decided as `acap.decide_each` decides it, by each policy that speaks for it and by everything that the row
   has of the response; of several answers the strictest counts.
2. Every row has an answer. One that nothing could be decided of is prohibited, and says why: `error`.
3. A row depends on itself and the policies alone. So any engine may move batches, in any order.

The columns and what fills them are one module, for they stand in one order.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import chain
from types import MappingProxyType
from typing import Any, Final, Literal, NamedTuple, Protocol, Self, TypeAlias

import pyarrow as pa

from acap.archives.archived_answers import OLDEST
from acap.archives.page_licences import licences_named
from acap.archives.shelf import sha256_of
from acap.archives.site_documents import documents_of, octets_carried, sources_of
from acap.audits.columns import (
    PAGE_TABLE,
    content_of,
    headers_beside,
    instant_of,
    pick,
    row_status,
    rows_of,
    table_of,
    url_of,
)
from acap.audits.header_values import header_block
from acap.audits.policies import DocumentedPolicies, SpeakingPolicies, TablePolicies
from acap.audits.references import REFERENCES
from acap.audits.surt import surt_key
from acap.audits.written import UnreadableValueError
from acap.carriers import Carriers, carriers
from acap.clock import SystemClock
from acap.column_names import HEADER_COLUMNS
from acap.combine import decide_each
from acap.crawlers import as_crawler
from acap.decision import STRICTNESS, Decision, Kind, Outcome, StatementCarrier, first_statement
from acap.dialects.rsl.associations import RefersToLicences
from acap.keywords import hint
from acap.pages.embedded.policy import UNREAD_DIALECT
from acap.remembered import KeptBeside
from acap.retrieval.answers import Headers
from acap.retrieval.locations import canonical
from acap.robots import Asker, RobotsPolicy
from acap.statement import Source
from acap.usages import USAGES, asked_usages

Missing: TypeAlias = Literal["prohibited", "permitted"]
"""What decides where no policy of a site is known (semantics, section 9)."""

NO_POLICY: Final = "no-policy"
NO_URL: Final = "no-url"
UNREADABLE: Final[Kind] = "unreadable"
INTERNAL: Final = "internal"
ERRORS: Mapping[str, str] = MappingProxyType(
    {
        NO_POLICY: "no robots.txt of its site is known at that time",
        NO_URL: "its URL is not an http or https URL with a host",
        UNREADABLE: "a value of its row cannot be read",
        INTERNAL: "acap failed on it; please report this",
    }
)
"""Why a row was answered without a policy of its site."""

_WORDS = pa.dictionary(pa.int32(), pa.string())
_TIME = pa.timestamp("us", tz="UTC")
_OF_ROW: tuple[tuple[str, pa.DataType], ...] = (
    ("url", pa.string()),
    ("url_surtkey", pa.string()),
    ("surt_host_name", pa.string()),
    ("crawl", pa.string()),
    ("fetch_time", _TIME),
    ("policy_time", _TIME),
    ("policy_age", pa.int64()),
    ("policy_digest", pa.string()),
    ("evidence", pa.string()),
    ("error", _WORDS),
)
_OF_USAGE: tuple[tuple[str, pa.DataType], ...] = (
    ("_outcome", _WORDS),
    ("_kind", _WORDS),
    ("_stated", pa.bool_()),
    ("_dialect", _WORDS),
    ("_carrier", _WORDS),
    ("_line", pa.int32()),
    ("_restrictions", pa.list_(pa.string())),
)
"""The columns of each usage, behind its name."""


class AuditCell(NamedTuple):
    """What one usage of a resource comes to; `restrictions` are `name=value`."""

    outcome: str
    kind: str | None
    stated: bool
    dialect: str | None
    carrier: str | None
    line: int | None
    restrictions: tuple[str, ...]


REFUSED: Final = AuditCell(Outcome.PROHIBITED, None, False, None, None, None, ())
"""The answer where nothing could be decided."""


class AskedPage(RefersToLicences, Source, Protocol):
    """What a response says of itself, whether it was just read or is kept."""


class AuditedResource(NamedTuple):
    """A row of what is audited: a URL, when it was fetched, and what came, as far as that is known.

    `unread` is why the octets are not known to be the whole body; `unreadable` which other value of its row is lost.
    """

    url: str
    at: datetime | None
    status: int | None = None
    headers: Headers = ()
    octets: bytes | None = None
    surtkey: str | None = None
    crawl: str | None = None
    unread: str = ""
    unreadable: str = ""


class ResponseEvidence(NamedTuple):
    """What came of a resource, as evidence: its headers as JSON without blanks, and SHA-256 of its octets."""

    headers: str
    content: str | None

    @classmethod
    def of(cls, resource: AuditedResource, digest_of: Callable[[bytes], str] = sha256_of) -> Self:
        """That of a resource that is at hand; `digest_of` gives SHA-256 of octets."""
        octets = resource.octets
        return cls(_json(resource.headers), None if octets is None else digest_of(octets))


class PolicyEvidence(NamedTuple):
    """What a policy is, as evidence: when its site was asked, SHA-256 of its robots.txt, and all of it as JSON.

    That is its state, its digest, when it was fetched, and the documents beside it. Where it came by redirects, or
    refers to other documents, `fetched_at` is that of the oldest of these, on which it hangs.
    """

    fetched_at: datetime | None
    digest: str | None
    text: str

    @classmethod
    def of(cls, policy: RobotsPolicy) -> Self:
        """That of a policy."""
        octets = policy.octets if policy.state == "present" else None
        digest, then = None if octets is None else sha256_of(octets), policy.evidence.get("fetched_at")
        documents, supplied = documents_of(policy), policy.evidence.get(REFERENCES)
        members = {
            "url": policy.url,
            "state": policy.state,
            "sha256": digest,
            "fetched_at": then,
            "documents": [
                [document.url, document.status, None if document.octets is None else sha256_of(document.octets)]
                for document in (() if documents is None else documents.documents)
            ],
            **({} if supplied is None else {REFERENCES: supplied}),
            **({} if (oldest := policy.evidence.get(OLDEST)) is None else {OLDEST: oldest}),
        }
        return cls(instant_of(oldest or then), digest, _json(members))


class _PolicyGrounds(NamedTuple):
    """A policy that was asked about before, and what is the same for each page of its site."""

    policy: RobotsPolicy
    evidence: PolicyEvidence
    sources: tuple[Source, ...]


_KNOWN = 1024
_KNOWN_OCTETS = 2**24
"""Of so many policies what is the same for each page is kept, and of so many octets of them; crawls have the pages of a
site near each other."""


class AuditRow(NamedTuple):
    """A resource with its answers, and with the policies that gave them.

    `response_evidence` is there where the resource has neither headers nor octets any more; `known` is the evidence of
    the policies, if that was made before. `answers` are the decisions of each policy, by usage. `lacking` are the
    extras without which not all of the response was read.
    """

    resource: AuditedResource
    at: datetime | None
    cells: tuple[AuditCell, ...]
    error: str | None
    policies: tuple[RobotsPolicy, ...]
    response_evidence: ResponseEvidence | None = None
    known: tuple[PolicyEvidence, ...] | None = None
    answers: tuple[Mapping[str, Decision], ...] = ()
    lacking: tuple[str, ...] = ()

    @property
    def evidence(self) -> tuple[PolicyEvidence, ...]:
        """That of its policies."""
        return tuple(map(PolicyEvidence.of, self.policies)) if self.known is None else self.known

    @property
    def fetched_at(self) -> datetime | None:
        """When its site was asked for the oldest of its policies."""
        return min([policy.fetched_at for policy in self.evidence if policy.fetched_at is not None], default=None)

    @property
    def age(self) -> int | None:
        """Seconds from then to the instant asked about."""
        return self.age_of(self.fetched_at)

    def age_of(self, then: datetime | None) -> int | None:
        """Seconds from an instant to the one asked about."""
        return None if then is None or self.at is None else int((self.at - then).total_seconds())


def column_of(usage: str) -> str:
    """How the columns of a usage begin."""
    return usage.replace("-", "_")


def schema_of(usages: Sequence[str]) -> pa.Schema:
    """The columns of an audit."""
    fields = [pa.field(name, kind) for name, kind in _OF_ROW]
    fields += [pa.field(column_of(usage) + name, kind) for usage in usages for name, kind in _OF_USAGE]
    return pa.schema(fields)


class Auditor:
    """Asks the same question about any resource.

    Args:
        policies: those that speak for the sites.
        crawler: as `acap.decide` takes it.
        usages: one or more that any policy knows.
        purpose: one purpose, or several, all of which must permit.
        at: the instant asked about, aware; without it, that at which each resource was fetched, or else `now`.
        missing: what decides where no policy of a site is known.
        now: the instant of the audit.

    Raises:
        ValueError: no usage, or an unknown one; an empty crawler; a time without zone; an unknown word.
    """

    def __init__(
        self,
        policies: SpeakingPolicies,
        *,
        crawler: Asker,
        usages: Sequence[str] = ("crawl",),
        purpose: str | Iterable[str] | None = None,
        at: datetime | None = None,
        missing: Missing = "prohibited",
        now: datetime | None = None,
    ) -> None:
        self.usages = (usages,) if isinstance(usages, str) else tuple(dict.fromkeys(usages))
        if not self.usages:
            raise ValueError("no usage was given; name one, such as `crawl`")
        if unknown := next((usage for usage in self.usages if usage not in USAGES), None):
            raise ValueError(f"`{unknown}` is not a usage; {hint(unknown, USAGES)}")
        if missing not in ("prohibited", "permitted"):
            raise ValueError(f"missing is `{missing}`; it may be prohibited or permitted")
        if at is not None and at.utcoffset() is None:
            raise ValueError(f"`{at.isoformat()}` has no time zone; add one, UTC for example")
        self.schema = schema_of(self.usages)
        self.policies = policies
        self.crawler = as_crawler(crawler)
        self.purpose = purpose if purpose is None or isinstance(purpose, str) else tuple(purpose)
        self.at = at
        self.now = now or SystemClock().now()
        self.missing = missing
        self._policies: KeptBeside[int, RobotsPolicy, _PolicyGrounds] = KeptBeside(_KNOWN, _KNOWN_OCTETS)

    def row(self, resource: AuditedResource) -> AuditRow:
        """What a resource comes to."""
        return self.judged(resource)[0]

    def judged(self, resource: AuditedResource) -> tuple[AuditRow, Carriers | None]:
        """The same, with what its response carries; None where there is nothing to decide on."""
        if resource.unreadable:
            return self.refused(resource, UNREADABLE), None
        if (url := url_asked(resource)) is None:
            return self.refused(resource, NO_URL), None
        response_carriers = carriers_of(resource, url)
        row = self._judged(resource, url, response_carriers.page, response_carriers.others, None)
        return (row._replace(lacking=lacking) if (lacking := response_carriers.lacking) else row), response_carriers

    def judged_as_kept(
        self,
        resource: AuditedResource,
        read: Callable[[str], tuple[AskedPage, Sequence[Source]]],
        response_evidence: ResponseEvidence,
    ) -> AuditRow:
        """What a resource comes to by its kept statements: a page and further sources, for its URL as it is asked."""
        if (url := url_asked(resource)) is None:
            return self.refused(resource, NO_URL)._replace(response_evidence=response_evidence)
        return self._judged(resource, url, *read(url), response_evidence)

    def _judged(
        self,
        resource: AuditedResource,
        url: str,
        page: AskedPage,
        others: Sequence[Source],
        response_evidence: ResponseEvidence | None,
    ) -> AuditRow:
        at = self.at or resource.at or self.now
        policies = self.policies.speaking(url, at, licences_named(url, page))
        error = None
        if not policies:
            error = NO_POLICY
            policies = self._without_robots(url, at, licences_named(url, page))
        known = [self._grounds_of(policy) for policy in policies]
        answers = tuple(self._answers(url, at, grounds.policy, page, (*others, *grounds.sources)) for grounds in known)
        cells = tuple(_cell([each[usage] for each in answers], url) for usage in self.usages)
        return AuditRow(
            resource,
            at,
            cells,
            error,
            policies,
            response_evidence,
            tuple(grounds.evidence for grounds in known),
            answers,
        )

    def _without_robots(self, url: str, at: datetime, licences: Sequence[str]) -> tuple[RobotsPolicy, ...]:
        """What decides where no robots.txt is known: of it alone the operator may say that there is none."""
        if self.missing != "permitted":
            return (RobotsPolicy.unreachable(url),)
        if isinstance(self.policies, DocumentedPolicies):
            return self.policies.without_robots(url, at, licences)
        return (RobotsPolicy.absent(url),)

    def _grounds_of(self, policy: RobotsPolicy) -> _PolicyGrounds:
        def made() -> _PolicyGrounds:
            return _PolicyGrounds(policy, PolicyEvidence.of(policy), sources_of(policy))

        return self._policies.of(id(policy), policy, made, lambda _: octets_carried(policy))

    def batch(self, rows: Iterable[AuditRow]) -> pa.RecordBatch:
        """Rows as a batch of Arrow."""
        return self.batch_of(map(self.values, rows))

    def values(self, row: AuditRow) -> tuple[Any, ...]:
        """A row as values of the columns."""
        return (*_of_row(row), *chain.from_iterable(row.cells))

    def batch_of(self, values: Iterable[tuple[Any, ...]]) -> pa.RecordBatch:
        """Such values as a batch of Arrow."""
        columns = list(zip(*values, strict=True)) or [()] * len(self.schema)
        arrays = [pa.array(column, kind) for column, kind in zip(columns, self.schema.types, strict=True)]
        return pa.RecordBatch.from_arrays(arrays, schema=self.schema)

    def refused(self, resource: AuditedResource, error: str) -> AuditRow:
        """The row of a resource of which nothing can be decided."""
        return AuditRow(resource, self.at or resource.at, (REFUSED,) * len(self.usages), error, ())

    def _answers(
        self, url: str, at: datetime, policy: RobotsPolicy, page: AskedPage, others: Sequence[Source]
    ) -> dict[str, Decision]:
        return decide_each(
            url,
            crawler=self.crawler,
            usages=self.usages,
            purpose=self.purpose,
            at=at,
            robots=policy,
            page=page,
            others=others,
        )


def url_asked(resource: AuditedResource) -> str | None:
    """The URL of a resource as it is sent; None if it is none."""
    try:
        return canonical(resource.url)
    except (ValueError, TypeError):
        return None


def carriers_of(resource: AuditedResource, url: str) -> Carriers:
    """What the response of a resource carries; `url` is as `url_asked` has it."""
    octets = resource.octets
    return carriers(
        octets,
        url=url,
        headers=resource.headers,
        status=resource.status,
        length=None if octets is None else len(octets),
        unread=resource.unread,
    )


def audit(
    batch: Any,
    policies: SpeakingPolicies | Any,
    *,
    crawler: Asker,
    usage: str | Iterable[str] | None = None,
    purpose: str | Iterable[str] | None = None,
    at: datetime | None = None,
    missing: Missing = "prohibited",
    usages: str | Iterable[str] | None = None,
) -> pa.RecordBatch:
    """What each resource of a batch may be used for: a row each, in their order. It reads and writes nothing else.

    Args:
        batch: of Arrow, or a frame of pandas or Polars: `url`, and where they are there `fetch_time`, `status`,
            `headers` and `content`, the octets of the response or the text of a page, without transfer and content
            coding. Other usual names count (`acap.column_names`); `url_surtkey` and `crawl` are handed on.
        policies: `TablePolicies`, another of `SpeakingPolicies`, or a table of Arrow as `TablePolicies` takes it.
        crawler: who asks, as `acap.decide` takes it.
        usage: one usage, by default crawl, or several.
        purpose: one purpose, or several, all of which must permit.
        at: the instant asked about; without it, the `fetch_time` of each row, or now.
        missing: what decides where no policy of a site is known (semantics, section 9).
        usages: the same as `usage`, by its earlier name.

    Returns:
        A batch with the columns of `schema_of(usages)`. For a usage `U`, with `_` for each `-`: `U_outcome`;
        `U_kind` of the reason; `U_stated`; `U_dialect` and `U_carrier` of the statement that decided, and its `U_line`;
        `U_restrictions`, as `name=value`. For all: `policy_time`, when its site was asked, or the oldest capture was
        made of what its robots.txt redirects or refers to; `policy_age`, seconds from then to the instant asked about;
        `policy_digest`, SHA-256 of the robots.txt; `evidence`, SHA-256 of all that was decided on; `error`, one of
        `ERRORS`.

    Raises:
        TypeError: the batch or the policies are no table.
        ValueError: a table without a column `url`, or what `Auditor` raises.
    """
    known = policies if hasattr(policies, "speaking") else TablePolicies(policies)
    named = asked_usages(usage, usages, ("crawl",))
    auditor = Auditor(known, crawler=crawler, usages=named, purpose=purpose, at=at, missing=missing)
    return auditor.batch(auditor.row(resource) for resource in resources_of(table_of(batch, PAGE_TABLE)))


WANTED = ("url", "at", "status", "headers", *HEADER_COLUMNS, "content", "surtkey", "crawl")
"""The columns that a table of resources may have, by the keys of `NAMES`."""


def resources_of(table: pa.Table) -> Iterator[AuditedResource]:
    """The resources that a table has, row by row.

    Raises:
        ValueError: it has no column of URLs.
    """
    names = pick(table.schema, *WANTED)
    return map(resource_of, rows_of(table, names))


def resource_of(row: Mapping[str, Any]) -> AuditedResource:
    """The resource of a row, by the keys of `NAMES`."""
    url = url_of(row.get("url")) or ""
    key, crawl = row.get("surtkey"), row.get("crawl")
    key = key if isinstance(key, str) else None
    crawl = None if crawl is None else str(crawl)
    try:
        block = header_block(row.get("headers"))
        status = row_status(row.get("status"), block.status)
        headers = (*block.headers, *headers_beside(row))
        content = content_of(row.get("content"), headers)
        return AuditedResource(url, instant_of(row.get("at")), status, headers, content, key, crawl)
    except UnreadableValueError as error:
        return AuditedResource(url, None, surtkey=key, crawl=crawl, unreadable=str(error))


_FILES = ("robots.txt", "tdmrep.json", "ai.txt")

EXCEPT = "except"
"""The name of a restriction in rows: a usage below the one asked for that is prohibited nevertheless."""


def _cell(decisions: Sequence[Decision], url: str) -> AuditCell:
    """What decisions come to that all have to permit: the first of the strictest, under the restrictions of all."""
    first_statements = list(map(first_statement, decisions))
    outcomes = [decision.outcome for decision in decisions]
    place = 0 if len(decisions) == 1 else max(range(len(decisions)), key=lambda at: STRICTNESS[outcomes[at]])
    decision, outcome, first = decisions[place], outcomes[place], first_statements[place][0]
    restrictions: tuple[str, ...] = ()
    if outcome != Outcome.PROHIBITED and any(is_restricted or below for _, is_restricted, below in first_statements):
        restrictions = _limits(decisions, first_statements)
    if first is None:
        return AuditCell(outcome, decision.kind, decision.stated, None, None, None, restrictions)
    kind, stated = decision.kind, decision.stated
    if first[0] == UNREAD_DIALECT and kind == "statement":
        first, kind, stated = _beside_doubt(decision, first)
    dialect, source, header, line = first
    if header is not None:
        carrier = f"header {header}".lower()
    elif source is None or source == url:
        carrier = "page"
    else:
        name = source.rpartition("/")[2]
        carrier = name if name in _FILES else "licence" if dialect == "rsl" else "document"
    return AuditCell(outcome, kind, stated, dialect, carrier, line, restrictions)


def _beside_doubt(decision: Decision, doubt: StatementCarrier) -> tuple[StatementCarrier, Kind, bool]:
    """What decides beside the doubt of a file that could not be read, its kind, and whether anything was stated.

    The doubt is no statement of anybody: where somebody states the same, that statement has the row.
    """
    reason = decision.reason
    for statement in reason.decided_by:
        if statement.dialect != UNREAD_DIALECT:
            return (statement.dialect, statement.source, statement.header, statement.line), "statement", True
    return doubt, UNREADABLE, any(statement.statement.dialect != UNREAD_DIALECT for statement in reason.lost)


def _limits(
    decisions: Sequence[Decision], first_statements: Iterable[tuple[object, bool, Sequence[str]]]
) -> tuple[str, ...]:
    """The restrictions of decisions, each once, and what is prohibited below, by what `first_statement` gives."""
    restrictions: dict[str, None] = {}
    for decision, (_, is_restricted, below) in zip(decisions, first_statements, strict=True):
        limits = decision.restrictions if is_restricted else ()
        texts = (f"{limit.name}={limit.value}" if limit.value else limit.name for limit in limits)
        restrictions |= dict.fromkeys(plain(text) or "" for text in texts)
        restrictions |= dict.fromkeys(f"{EXCEPT}={usage}" for usage in below)
    return tuple(restrictions)


def _of_row(row: AuditRow) -> tuple[Any, ...]:
    """The values of the columns that all usages share."""
    resource = row.resource
    key = resource.surtkey or (surt_key(resource.url) if resource.url else None)
    host = None if key is None else key.partition(")")[0].partition(":")[0]
    then = row.fetched_at
    beside = then, row.age_of(then), *evidence_columns(row), row.error
    return plain(resource.url), plain(key), plain(host), plain(resource.crawl), resource.at, *beside


def plain(text: str | None) -> str | None:
    """A text as Arrow takes it: half of a surrogate pair is a question mark."""
    return text if text is None or text.isascii() else text.encode("utf-8", "replace").decode()


def evidence_columns(row: AuditRow) -> tuple[str | None, str]:
    """SHA-256 of the robots.txt files that spoke, with commas between, and that of all that was decided on."""
    policies = row.evidence
    digests = ",".join(dict.fromkeys([policy.digest for policy in policies if policy.digest is not None]))
    return digests or None, _evidence(row, ",".join([policy.text for policy in policies]))


def _evidence(row: AuditRow, policies: str) -> str:
    """SHA-256 of all that was decided on: as JSON with sorted keys and without blanks."""
    resource = row.resource
    came = row.response_evidence or ResponseEvidence.of(resource)
    at = "null" if row.at is None else _json(row.at.isoformat())
    content = "null" if came.content is None else _json(came.content)
    status = "null" if resource.status is None else int.__repr__(resource.status)
    unread, url = _json(resource.unread), _json(resource.url)
    first = f'"at":{at},"content":{content},"headers":{came.headers},"policies":[{policies}],"status":{status}'
    return sha256_of(f'{{{first},"unread":{unread},"url":{url}}}'.encode())


_json = json.JSONEncoder(sort_keys=True, separators=(",", ":")).encode


__all__ = [
    "ERRORS",
    "AuditCell",
    "AuditRow",
    "AuditedResource",
    "Auditor",
    "Missing",
    "audit",
    "column_of",
    "resources_of",
    "schema_of",
]
