"""The result of a retrieval: the answer that counts, fresh or standing in, and the evidence of it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from acap.retrieval.addresses import is_private
from acap.retrieval.answers import Answer, Failure, FailureKind, Headers, Hop, Meaning, Rules, meaning
from acap.retrieval.cache import CacheEntry
from acap.retrieval.foreign import Kind, counts_as_failure, kind_at
from acap.retrieval.freshness import expires_at, is_fresh, may_serve_stale, rules_for
from acap.retrieval.locations import site


@dataclass(frozen=True, slots=True)
class Retrieved:
    """The answer that counts for a URL, its meaning, and until when.

    `stale`: it is a copy that stands in while the site cannot be reached. `failure` is the attempt that failed since
    the answer was given, or None. `cache_failure` says why the cache could not be used, or None.
    """

    answer: Answer
    meaning: Meaning
    expires_at: datetime
    stale: bool = False
    failure: Answer | None = None
    cache_failure: str | None = None

    @property
    def url(self) -> str:
        """The URL that was asked for."""
        return self.answer.url

    @property
    def status(self) -> int | None:
        """The HTTP status, or None without a response."""
        return self.answer.status

    @property
    def headers(self) -> Headers:
        """Every field of the answer, in order."""
        return self.answer.headers

    @property
    def chain(self) -> tuple[Hop, ...]:
        """The redirects that led to the answer."""
        return self.answer.chain

    @property
    def octets(self) -> bytes:
        """The document; empty unless the status is 2xx and it came whole."""
        return self.answer.octets

    @property
    def fetched_at(self) -> datetime:
        """When the retrieval began, in UTC."""
        return self.answer.fetched_at

    @property
    def evidence(self) -> dict[str, Any]:
        """Everything that was received, of types that `json.dumps` takes, so that a decision can be proven later.

        Instants are ISO 8601 in UTC. `sha256` is of the document's octets, null if there is no document. `failure` says
        why nothing was read, or what failed since.
        """
        answer = self.answer
        return {
            "url": answer.url,
            "final_url": answer.source,
            "meaning": str(self.meaning),
            "status": answer.status,
            "headers": _pairs(answer.headers),
            "chain": [
                {"url": hop.url, "status": hop.status, "headers": _pairs(hop.headers), "address": hop.address}
                for hop in answer.chain
            ],
            "address": answer.address,
            "user_agent": answer.agent,
            "fetched_at": answer.fetched_at.isoformat(),
            "confirmed_at": answer.confirmed_at.isoformat() if answer.confirmed_at else None,
            "expires_at": self.expires_at.isoformat(),
            "stale": self.stale,
            "failure": _trouble(self.failure or answer),
            "sha256": hashlib.sha256(answer.octets).hexdigest() if self.meaning is Meaning.READ else None,
            "cut_at": answer.cut_at,
            "cache_failure": self.cache_failure,
        }


def choose(entry: CacheEntry, rules: Rules, now: datetime, kind: Kind | None = None) -> Retrieved | None:
    """The answer that counts now to a question for a document of a kind, or None if the site has to be asked.

    With a failure since, only a copy of a file may still count, not its absence: doubt never permits.
    """
    settled, passing = entry.settled, entry.passing
    if settled is not None:
        rules = rules_for(kind, settled.octets, rules)
    if settled is not None and passing is not None and passing.checked_at < settled.checked_at <= now:
        passing = None  # two processes: the other one's success came after this one's failure
    copy = settled is not None and meaning(settled, rules) is Meaning.READ
    if settled is not None and is_fresh(settled, rules, now) and (copy or passing is None):
        return Retrieved(settled, meaning(settled, rules), expires_at(settled, rules), failure=passing)
    if passing is None or not is_fresh(passing, rules, now):
        return None
    passing_meaning = meaning(passing, rules)
    until = expires_at(passing, rules)
    spare = settled if copy else None
    if settled is None and passing.is_other_document:
        spare = entry.older
    if spare is not None and (passing_meaning is Meaning.UNREACHABLE or passing.is_other_document):
        if may_serve_stale(spare, rules, now):
            until = min(until, spare.checked_at + rules.stale)
            return Retrieved(spare, Meaning.READ, until, stale=True, failure=passing)
        passing_meaning = Meaning.UNREACHABLE
    return Retrieved(passing, passing_meaning, until)


def usable(entry: CacheEntry, *, typed: bool, octets: int) -> CacheEntry:
    """The entry without the answers that this question cannot go by.

    Those are an answer that was cut at fewer octets than are read now; and, for a host that the user `typed`, a refusal
    by the guard, which is for hosts from other sources.
    """
    settled, passing = entry.settled, entry.passing
    if settled is not None and settled.cut_at is not None and settled.cut_at < octets:
        settled = None
    if typed and passing is not None and was_refused_outright(passing):
        passing = None
    return CacheEntry(settled, passing, entry.older)


def public(entry: CacheEntry, trusted: str | None) -> CacheEntry:
    """The entry for a site that refers to the URL: without what came by a private address, but for a `trusted` site."""

    def speaks(answer: Answer) -> bool:
        places = [*((hop.url, hop.address) for hop in answer.chain), (answer.source, answer.address)]
        return all(not is_private(at) or site(url) == trusted for url, at in places)

    settled, passing = (one if one is None or speaks(one) else None for one in entry.answers)
    return CacheEntry(settled, passing, entry.older)


def kept(answer: Answer, entry: CacheEntry) -> Answer:
    """The answer as it is kept: another document never displaces a robots.txt, even where any document was wanted."""
    copy = entry.settled
    if copy is None or not copy.octets or not replace(copy, as_robots=True).settled:
        return answer
    as_robots = replace(answer, as_robots=True)
    return as_robots if answer.settled and not as_robots.settled else answer


def beside(answer: Answer, copy: Answer | None, kind: Kind) -> Answer:
    """The answer to a question for a document of a kind, beside the copy that is known of it.

    What counts as a failure is one from then on: as such it is kept, and the copy stands in for it.
    """
    kind = kind_at(answer.url) or kind
    if kind == "robots.txt" or copy is None or not (copy.is_success and answer.is_success):
        return answer  # of a robots.txt its meaning tells
    if not counts_as_failure(kind, answer.octets, copy.octets):
        return answer
    text = "what came is something else than the document that is known"
    return replace(answer, octets=b"", failure=Failure(FailureKind.ANOTHER_DOCUMENT, text))


def was_refused_outright(answer: Answer) -> bool:
    """Whether the guard refused the very first address, so that no request was sent."""
    return answer.failure is not None and answer.failure.kind is FailureKind.ADDRESS_REFUSED and not answer.chain


def stated_at(evidence: Mapping[str, Any]) -> datetime | None:
    """When a site last said what an evidence is of, be it by a 304; None if that is not known."""
    text = evidence.get("confirmed_at") or evidence.get("fetched_at")
    return datetime.fromisoformat(str(text)) if text else None


def _trouble(answer: Answer) -> dict[str, Any] | None:
    if answer.failure is not None:
        kind, text = str(answer.failure.kind), answer.failure.text
    elif (what := answer.unreadable) is not None:
        kind, text = "coding", f"what came cannot be read, for it is {what}"
    elif answer.octets and answer.is_other_document:
        kind, text = "no-robots-txt", "what came is not a robots.txt: none of its lines is a field of one"
    elif not answer.settled:
        kind, text = "status", f"the answer was {answer.status}"
    else:
        return None
    return {"kind": kind, "text": text, "status": answer.status, "at": answer.fetched_at.isoformat()}


def failure_in(evidence: Mapping[str, Any]) -> dict[str, Any] | None:
    """Why a document is out of reach, by the evidence of its retrieval: `kind`, `text`, `status`; None if it is not."""
    failure = evidence.get("failure")
    if failure is None and evidence.get("meaning") in ("restricted", "unreachable"):
        return {"kind": "status", "text": f"the answer was {evidence['status']}", "status": evidence["status"]}
    return None if failure is None else {name: failure[name] for name in ("kind", "text", "status")}


def _pairs(headers: Headers) -> list[list[str]]:
    return [[name, value] for name, value in headers]
