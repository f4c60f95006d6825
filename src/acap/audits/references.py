"""What ACAP records refer crawlers to (`ACAP-permissions-reference`), supplied from archives as retrieval supplies it.

The laws of this module:

1. A document that a policy refers to is read as a robots.txt of the time asked about is: the capture nearest before,
   and one of the day after, and so for each redirect. Where two count, there is a policy with each, and both have to
   permit.
2. What the archives do not have stays missing, and prohibits; so does a reference that leads back to its policy, be it
   by redirects, and one that leads from a public site into a private network.
3. One level, and as many as are retrieved: others are missing. So are those that may have been too many documents.
"""

from __future__ import annotations

import hashlib
from datetime import datetime
from itertools import product
from math import prod
from typing import TypeAlias

from acap.archives.archived import document_name
from acap.archives.archived_answers import OLDEST
from acap.archives.timeline import Timelines
from acap.remembered import KeptBeside
from acap.retrieval.addresses import leads_inside
from acap.retrieval.locations import normal, resolve
from acap.retrieval.policies import MAX_REFERENCES
from acap.robots import RobotsPolicy, permission_references

REFERENCES = "references"
"""The name in the evidence of a policy: for each reference SHA-256 and time of what was supplied, or None."""

_COMBINED = 16
"""At most so many policies come of one by what its references may have been: redirects lead to many captures."""

_KEPT = 1024
_KEPT_OCTETS = 2**24
"""Policies of which it is known what they refer to, and with what they were supplied; and octets of them."""

_Supply: TypeAlias = tuple[bytes | None, str | None]
"""The octets of a document, None if it is missing, and when it was fetched."""

_MISSING: tuple[_Supply, ...] = ((None, None),)


class ShelvedReferences:
    """Supplies policies with what they refer to."""

    def __init__(self, timelines: Timelines) -> None:
        """`timelines` are those of the archives."""
        self._timelines = timelines
        self._named: KeptBeside[int, RobotsPolicy, tuple[str, ...]] = KeptBeside(_KEPT, _KEPT_OCTETS)
        self._supplied: KeptBeside[tuple[int, tuple[_Supply, ...]], RobotsPolicy, RobotsPolicy]
        self._supplied = KeptBeside(_KEPT, _KEPT_OCTETS)

    def supplied(self, policy: RobotsPolicy, at: datetime) -> tuple[RobotsPolicy, ...]:
        """A policy with the documents of an instant, as often as these may have been others."""
        named = self._references(policy)
        if not named:
            return (policy,)
        supplies: list[tuple[_Supply, ...]] = []
        for uri in named[:MAX_REFERENCES]:
            possible = self._supplies(policy, uri, at)
            supplies.append(possible if prod(map(len, supplies)) * len(possible) <= _COMBINED else _MISSING)
        return tuple(self._with(policy, named, supply) for supply in product(*supplies))

    def _references(self, policy: RobotsPolicy) -> tuple[str, ...]:
        octets = len(policy.octets)
        return self._named.of(id(policy), policy, lambda: permission_references(policy), lambda _: octets)

    def _supplies(self, policy: RobotsPolicy, uri: str, at: datetime) -> tuple[_Supply, ...]:
        """What a document may have been at an instant."""
        base = policy.base_url or ""
        try:
            target = normal(resolve(base, uri))
            is_inside = leads_inside(base, target)
        except ValueError:
            return _MISSING
        ours = _passed(policy)
        if is_inside or target in ours:
            return _MISSING
        supplies: list[_Supply] = []
        for captured in self._timelines.target(target).speaking(at):
            speaks = captured.state == "present" and ours.isdisjoint(_passed(captured))
            supplies.append((captured.octets if speaks else None, _made_at(captured)))
        return tuple(dict.fromkeys(supplies)) or _MISSING

    def _with(self, policy: RobotsPolicy, named: tuple[str, ...], supply: tuple[_Supply, ...]) -> RobotsPolicy:
        def made() -> RobotsPolicy:
            filled = policy
            supplied: dict[str, tuple[str, str | None] | None] = dict.fromkeys(named)
            for uri, (octets, fetched_at) in zip(named, supply, strict=False):
                filled = filled.with_reference(uri, octets)
                supplied[uri] = None if octets is None else (hashlib.sha256(octets).hexdigest(), fetched_at)
            instants = [_made_at(policy), *(at for octets, at in supply if octets is not None)]
            oldest = min(filter(None, instants), key=datetime.fromisoformat, default=None)
            return filled.with_evidence({**policy.evidence, REFERENCES: supplied, OLDEST: oldest})

        octets = len(policy.octets) + sum(len(document or b"") for document, _ in supply)
        return self._supplied.of((id(policy), supply), policy, made, lambda _: octets)


def _passed(policy: RobotsPolicy) -> set[str]:
    """The URLs by which a policy came, redirects included."""
    hops = (hop["url"] for hop in policy.evidence.get("chain") or ())
    return {document_name(url) for url in (policy.url, policy.base_url, *hops) if url}


def _made_at(policy: RobotsPolicy) -> str | None:
    """When the oldest capture was made on which a policy hangs; None if that is not known."""
    instant = policy.evidence.get(OLDEST) or policy.evidence.get("fetched_at")
    return None if instant is None else str(instant)
