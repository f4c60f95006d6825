"""What archives have of a robots.txt at an instant, and the ways from there to an answer, by redirects."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, NamedTuple, Self

from acap import _native
from acap.archives.capture import Capture, Digest, digest_of
from acap.outline import Field
from acap.retrieval.addresses import leads_inside
from acap.retrieval.answers import PARTIAL, Answer, Failure, FailureKind, Meaning, Rules, meaning, values
from acap.retrieval.exchange import MAX_REDIRECTS, REDIRECTS
from acap.retrieval.locations import normal, resolve
from acap.robots import RobotsPolicy, parse_robots

OLDEST = "oldest_at"
"""The name in the evidence of a policy: when the oldest capture was made on which it hangs, if redirects led to it."""


class PolicyAnswer(NamedTuple):
    """The answer to a request for a robots.txt; `state` is `present`, `absent` or `unreachable`, `policy` reads it."""

    at: datetime
    state: str
    octets: bytes
    evidence: Mapping[str, Any]
    policy: Callable[[], RobotsPolicy]


@dataclass(frozen=True, slots=True)
class ArchivedAnswer:
    """What an archive has of a robots.txt at an instant; `capture` is None if it cannot be read, for `why`."""

    at: datetime
    capture: Capture | None
    why: str = ""
    is_lost: bool = False  # its statements are unknown, so that no earlier ones count any longer
    is_dated: bool = True  # otherwise it is of this instant or later
    policy: Callable[[], RobotsPolicy] | None = None  # its policy as known before
    several: tuple[ArchivedAnswer, ...] = ()  # captures of the same instant that differ


@dataclass(frozen=True, slots=True, eq=False)
class Way:
    """What a capture leads to, redirects followed: `passed` has the captures on the way, and the one at its end.

    `means` is what the answer at its end means, `failure` why there is none. `is_other`: it is another document in the
    place of a file. `is_settled`: it stands until the site says something else. `is_lost`: what was said is unknown.
    `is_out`: the site counts as out of reach, whatever the answer is.
    """

    passed: tuple[ArchivedAnswer, ...]
    means: Meaning
    is_other: bool = False
    is_settled: bool = False
    failure: Failure | None = None
    is_lost: bool = False
    is_out: bool = False

    @classmethod
    def to(cls, archived: ArchivedAnswer, rules: Rules) -> Self:
        """The way to a capture that is no redirect."""
        if (capture := archived.capture) is None:
            return cls.failed(archived, FailureKind.CUT_BODY, archived.why, is_lost=archived.is_lost)
        if capture.status == PARTIAL:
            return cls.failed(archived, FailureKind.CUT_BODY, "a part of the document was sent (206)")
        answer = answer_of(capture.url, archived.at, capture)
        return cls((archived,), meaning(answer, rules), answer.is_other_document, answer.settled)

    @classmethod
    def failed(cls, archived: ArchivedAnswer, kind: FailureKind, why: str, *, is_lost: bool = False) -> Self:
        """The way that ends at a capture, for it leads nowhere."""
        # RFC 9309 2.3.1.2: beyond five hops the file may be taken as unavailable.
        is_beyond = kind is FailureKind.TOO_MANY_REDIRECTS
        means = Meaning.ABSENT if is_beyond else Meaning.UNREACHABLE
        return cls((archived,), means, is_settled=is_beyond, failure=Failure(kind, why), is_lost=is_lost)

    def behind(self, archived: ArchivedAnswer) -> Way:
        """The same, from the redirect on that leads to it."""
        return replace(self, passed=(archived, *self.passed))

    @property
    def out_of_reach(self) -> Way:
        """The same way, where the site counts as out of reach."""
        return replace(self, means=Meaning.UNREACHABLE, is_settled=False, is_out=True)

    @property
    def is_bridged(self) -> bool:
        """Whether an earlier answer speaks in its place, if there is one."""
        return not self.is_lost and (self.means is Meaning.UNREACHABLE or self.is_other)

    @property
    def oldest(self) -> datetime:
        """When the oldest of its captures was made."""
        return min(archived.at for archived in self.passed)

    def answer(self, url: str) -> Answer:
        """The answer to who asked for the URL at which it begins."""
        first, end = self.passed[0], self.passed[-1].capture
        if self.failure is not None or end is None:
            return Answer(url, "", url, first.at, failure=self.failure)
        return answer_of(url, first.at, end)

    def evidence(self, url: str) -> dict[str, Any]:
        """All that is known of how it was learned, of types that `json.dumps` takes."""
        answer, failure = self.answer(url), self.failure
        record = {
            "archive": True,
            "url": url,
            "meaning": str(self.means),
            "status": answer.status,
            "fetched_at": answer.fetched_at.isoformat(),
            "failure": None if failure is None else {"kind": str(failure.kind), "text": failure.text},
        }
        if len(self.passed) > 1:
            record[OLDEST] = self.oldest.isoformat()
        led = [archived.capture.url for archived in self.passed[:-1] if archived.capture is not None]
        end = self.passed[-1].capture
        beyond = () if end is None else came_by(end)
        if led or beyond:
            *chain, final = (*led, *(beyond or (answer.source,)))
            record |= {"final_url": final, "chain": [{"url": hop} for hop in chain]}
        return record


def came_by(capture: Capture) -> tuple[str, ...]:
    """The URLs by which a capture came, the last one that of the answer, by the evidence of its retrieval beside it.

    So `acap audit --fetch` writes what it asked for. Empty where it was not redirected, or nothing tells.
    """
    metadata = capture.metadata
    if not was_asked_for(capture):
        return ()
    chain, final = metadata.get("chain"), metadata.get("final_url")
    hops = [hop.get("url") for hop in chain if isinstance(hop, dict)] if isinstance(chain, list) else []
    urls = tuple(one for one in (*hops[:MAX_REDIRECTS], final) if isinstance(one, str))
    return () if set(urls) <= {capture.url} else urls


def was_asked_for(capture: Capture) -> bool:
    """Whether its metadata is the evidence of a document that was asked for as such, as an audit keeps it."""
    return capture.metadata.get("url") == capture.url and "meaning" in capture.metadata


def without_page(capture: Capture) -> Capture:
    """A capture of what a robots.txt redirects to; of a page, which is no robots.txt, not its body."""
    if not 200 <= capture.status < 300 or _native.is_robots(capture.body):
        return capture
    return replace(capture, body=b"<html>" if _native.unreadable(capture.body) is None else b"\x1f\x8b\x08")


def location_of(capture: Capture) -> str | None:
    """Where a capture redirects to; None if that is nowhere, unknown, or in a private network."""
    locations = set(values(capture.headers, "location"))
    try:
        target = normal(resolve(capture.url, locations.pop() if len(locations) == 1 else "\0"))
        return None if leads_inside(capture.url, target) else target
    except ValueError:
        return None


def is_same(one: Capture | None, other: Capture | None) -> bool:
    """Whether two captures say the same."""
    if one is None or other is None or (one.status, one.body) != (other.status, other.body):
        return False
    return values(one.headers, "location") == values(other.headers, "location")


def word_of(archived: ArchivedAnswer) -> tuple[int, Hashable]:
    """The parts of a capture in which captures may differ."""
    assert archived.capture is not None
    if archived.capture.status in REDIRECTS:
        return 3, values(archived.capture.headers, "location")
    return (2, archived.capture.body) if 200 <= archived.capture.status < 300 else (4, None)


def prohibits(archived: ArchivedAnswer) -> tuple[int, int, bool]:
    """A measure of how much a file prohibits, by its fields; of two equal ones the known one is greater."""
    fields = () if archived.capture is None else parse_robots(archived.capture.body).outline.fields
    paths = [path for field in fields for path in _prohibited(field)]
    return -min(map(len, paths), default=1 << 30), len(paths), archived.policy is not None


def _prohibited(field: Field) -> Sequence[str]:
    """What a field prohibits."""
    if field.kind == "Disallow":
        return (field.value,) if field.value else ()
    return field.texts("resource") if field.name.startswith("disallow") else ()


def is_from(known: PolicyAnswer, archived: ArchivedAnswer) -> bool:
    """Whether a known policy was learned from this capture; unknown for the target of a redirect."""
    if archived.capture is None:
        return known.state == "unreachable" and (archived.is_lost or not known.evidence.get("lost"))
    status = archived.capture.status
    if known.state == "unreachable":
        return status in REDIRECTS or (not known.evidence.get("lost") and not 200 <= status < 300)
    if known.state == "present":
        return status in REDIRECTS or (200 <= status < 300 and archived.capture.body == known.octets)
    return 300 <= status < 500


def answer_of(url: str, at: datetime, capture: Capture) -> Answer:
    """The answer to a request for a robots.txt that a capture is."""
    octets = capture.body if 200 <= capture.status < 300 else b""
    return Answer(url, "", capture.url, at, capture.status, capture.headers, octets, as_robots=True)


def is_of_others(digest: Digest | None, capture: Capture) -> bool:
    """Whether a digest is not known to be that of a capture: of the digest that it has, or else of its octets."""
    if digest is None:
        return False
    name, octets = digest
    if capture.digest is not None and capture.digest[0] == name:
        return capture.digest[1] != octets
    return digest_of(name, capture.body) != digest
