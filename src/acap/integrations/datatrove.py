"""Steps for pipelines of datatrove: documents that policies do not permit are dropped; media are asked for before.

    PolicyFilter(robots, crawler="examplebot", usage="ai-train")     # in place of a list of URLs
    AskingHTTPFetchReader(custom_agent="examplebot/1.0")                # in place of HTTPFetchReader

The laws of this module:

1. A document stays if each usage that is asked about is permitted by every policy that speaks for it, as `acap.audit`
   has it. A fault of ours drops the document that it befell.
2. A medium is requested if the robots.txt of its site permits it; so is the target of each redirect, and the URL by
   another scheme. A site that does not answer permits nothing.
3. A site is asked for its robots.txt once, by however many threads.
"""

from __future__ import annotations

from acap.integrations.hosts import check_host

check_host("datatrove")

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any, Final

import pyarrow as pa
from datatrove.data import Document, Media
from datatrove.pipeline.filters.base_filter import BaseFilter
from datatrove.pipeline.media.readers.http_fetch import HTTPFetchReader
from loguru import logger
from requests import PreparedRequest, RequestException, Response, Session
from requests.adapters import BaseAdapter

from acap.audits.columns import values_of
from acap.audits.kept_policies import KeptPolicies
from acap.audits.policies import SpeakingPolicies, TablePolicies
from acap.audits.retrieved_policies import RetrievedPolicies
from acap.audits.rows import (
    INTERNAL,
    AuditCell,
    AuditedResource,
    Auditor,
    AuditRow,
    Missing,
    evidence_columns,
    resource_of,
)
from acap.crawlers import as_crawler
from acap.decision import Outcome
from acap.explain import headline, summary
from acap.keywords import check_keywords, keywords_of
from acap.retrieval.locations import canonical
from acap.robots import Asker
from acap.usages import asked_usages

__all__ = ["AskingHTTPFetchReader", "KeptPolicies", "PolicyFilter", "RetrievedPolicies"]

_READ: Final = ("url", "at", "status", "headers", "content")
_REFUSED: Final = "robots_txt_disallowed"
"""What datatrove's reader calls a refusal, and counts."""


class PolicyFilter(BaseFilter):
    """Drops the documents of which a usage is not permitted, and says in their metadata why.

    A document is asked about by its metadata: `url`, and where they are there its `fetch_time` or `date`, `status`,
    `headers` and `html`, by any of the names of `acap.column_names.NAMES`.

    One that is dropped gets `acap_usage`, `acap_outcome`, `acap_kind`, `acap_carrier`, `acap_dialect` and `acap_line`
    of what refused it, or `acap_error`; `acap_policy_time`, `acap_policy_digest` and `acap_evidence`. One that is kept
    under restrictions gets them as `acap_restrictions`, each `usage:name=value`. Statistics count refusals as
    `dropped_USAGE_KIND`, or by the error.
    """

    name = "🤝 acap"

    def __init__(
        self,
        policies: SpeakingPolicies | Any,
        *,
        crawler: Asker,
        usage: str | Iterable[str] | None = None,
        purpose: str | Iterable[str] | None = None,
        at: datetime | None = None,
        missing: Missing = "prohibited",
        text_is_page: bool = False,
        exclusion_writer: Any = None,
        usages: str | Iterable[str] | None = None,
    ) -> None:
        """Asks policies the same question about each document.

        Args:
            policies: a table as `TablePolicies` takes it, `RetrievedPolicies`, a `KeptPolicies`, or another of
                `SpeakingPolicies` that can be pickled.
            crawler: who asks, as `acap.decide` takes it.
            usage: one, by default crawl, or several, all of which have to be permitted.
            purpose: one purpose, or several, all of which must permit.
            at: the instant asked about; without it, that at which each document was fetched, or now.
            missing: what decides where no policy of a site is known.
            text_is_page: the text of a document is its HTML, as readers of WARC give it.
            exclusion_writer: takes the documents that are dropped.
            usages: the same as `usage`, by its earlier name.

        Raises:
            ValueError: as `acap.audit`.
        """
        super().__init__(exclusion_writer)
        now = datetime.now(UTC)
        known = policies if hasattr(policies, "speaking") else TablePolicies(pa.table(policies), now=now)
        named = asked_usages(usage, usages, ("crawl",))
        self._auditor = Auditor(known, crawler=crawler, usages=named, purpose=purpose, at=at, missing=missing, now=now)
        self._text_is_page = text_is_page

    def filter(self, doc: Document) -> bool | tuple[bool, str]:
        """Whether a document stays, and what refused it."""
        try:
            row = self._auditor.row(self._resource(doc))
        except Exception as error:  # noqa: BLE001 - a fault of ours is one document, which is dropped
            logger.error(f"acap failed on {doc.id}: {type(error).__name__}: {error}")
            row = self._auditor.refused(AuditedResource("", None), INTERNAL)
        for usage, cell in zip(self._auditor.usages, row.cells, strict=True):
            if cell.outcome != Outcome.PERMITTED:
                doc.metadata.update(_refusal(usage, cell, row))
                return False, f"{usage}_{row.error or cell.kind}"
        cells = zip(self._auditor.usages, row.cells, strict=True)
        if found := [f"{usage}:{one}" for usage, cell in cells for one in cell.restrictions]:
            doc.metadata["acap_restrictions"] = found
        return True

    def _resource(self, doc: Document) -> AuditedResource:
        row = values_of(doc.metadata, _READ)
        if self._text_is_page:
            row["content"] = doc.text
        return resource_of(row)


def _refusal(usage: str, cell: AuditCell, row: AuditRow) -> dict[str, Any]:
    digest, evidence = evidence_columns(row)
    then = row.fetched_at
    return {
        "acap_usage": usage,
        "acap_outcome": str(cell.outcome),
        "acap_kind": None if cell.kind is None else str(cell.kind),
        "acap_carrier": cell.carrier,
        "acap_dialect": cell.dialect,
        "acap_line": cell.line,
        "acap_error": row.error,
        "acap_policy_time": None if then is None else then.isoformat(),
        "acap_policy_digest": digest,
        "acap_evidence": evidence,
    }


class AskingHTTPFetchReader(HTTPFetchReader):
    """`HTTPFetchReader` that asks the robots.txt of each site once, and requests only what it permits.

    What was refused has datatrove's own `robots_txt_disallowed` as the reason in `fetch_response`, and as `acap` beside
    it the line that decided.
    """

    name = "🤝 acap HTTP Fetch Reader"

    def __init__(
        self, *arguments: Any, crawler: Asker | None = None, policies: RetrievedPolicies | None = None, **options: Any
    ) -> None:
        """Takes what `HTTPFetchReader` takes.

        Args:
            *arguments: its arguments.
            crawler: who asks; None: the `custom_agent` of the reader.
            policies: how robots.txt is retrieved; None: as that crawler, kept in memory.
            **options: its options.

        Raises:
            ValueError: a crawler that cannot be.
            TypeError: an option that does not exist.
        """
        check_keywords(
            "AskingHTTPFetchReader", options, keywords_of(AskingHTTPFetchReader) + keywords_of(HTTPFetchReader)
        )
        super().__init__(*arguments, **options)
        self._crawler = as_crawler(self.custom_agent if crawler is None else crawler)
        self._policies = policies or RetrievedPolicies(crawler=self._crawler, user_agent=self.custom_agent)

    def check_robots_txt(self, url: str) -> bool:
        """Whether the robots.txt of the URL's site permits to request it; doubt does not."""
        return self._why_not(url) is None

    def fetch_media(self, media: Media) -> tuple[bytes | None, dict[str, Any] | None]:
        """What `HTTPFetchReader` gives; of what was refused the line that decided, too."""
        content, metadata = super().fetch_media(media)
        reason = (metadata or {}).get("reason")
        if content is None and isinstance(reason, str) and reason.startswith(_REFUSED):
            # A redirect's target was refused by its own site's file, of which the reason tells.
            why = reason.removeprefix(_REFUSED).lstrip(": ") or self._why_not(media.url)
            metadata = {**(metadata or {}), "reason": _REFUSED, "acap": why}
        return content, metadata

    @property
    def scraper(self) -> Session:
        """The session of a thread, each request of which is asked about."""
        session: Session = super().scraper
        for prefix, adapter in list(session.adapters.items()):
            if not isinstance(adapter, _AskingAdapter):
                session.mount(prefix, _AskingAdapter(adapter, self._why_not))
        return session

    def _why_not(self, url: str) -> str | None:
        """Why a URL may not be requested, in one line; None if it may be."""
        try:
            (policy,) = self._policies.speaking(url, datetime.now(UTC))
            decision = policy.decide(canonical(url), crawler=self._crawler, usage="crawl")
        except ValueError as error:
            return str(error)
        except Exception as error:  # noqa: BLE001 - a fault of ours refuses
            logger.error(f"acap failed on {url}: {type(error).__name__}: {error}")
            return INTERNAL
        return None if decision.permitted else f"{headline(decision)}: {summary(decision)}"


class _AskingAdapter(BaseAdapter):
    """An adapter of requests that sends what may be sent, redirects too."""

    def __init__(self, inner: BaseAdapter, why_not: Any) -> None:
        super().__init__()
        self._inner = inner
        self._why_not = why_not

    def send(self, request: PreparedRequest, *arguments: Any, **options: Any) -> Response:
        """Raises RequestException for what may not be sent."""
        if (why := self._why_not(request.url or "")) is not None:
            raise RequestException(f"{_REFUSED}: {why}", request=request)
        return self._inner.send(request, *arguments, **options)

    def close(self) -> None:
        """Closes the inner one."""
        self._inner.close()
