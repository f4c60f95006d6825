"""The account of a ledger: what is kept and known by its entries, by which evidence, and since when.

Entry by entry it adds up to the state that the store must have. `acap.harvest.proof` compares it with what the store
keeps beside the ledger: versions, first times, policies, index, copies, requests.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any

from acap.dialects.well_known import brings_document
from acap.harvest.act import Act
from acap.harvest.values import microseconds
from acap.retrieval.answers import ACCEPTED
from acap.retrieval.exchange import REDIRECTS

GONE = frozenset({401, 403, 404, 410, 451})
"""Statuses that end a page: its versions are no longer current."""

LEGAL = 451
"""The status by which a site says that it may not show a resource; so it is not shown here either (RFC 7725)."""

State = dict[str, Any]
"""What is known of one thing: a version, a resource, a policy, a ground or a request."""


def text_digest(text: str) -> str:
    """SHA-256 of a text; empty for an empty text."""
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest() if text else ""


def terms_digest(terms: str, parts: str) -> str:
    """SHA-256 of the index entry of a version: the digest of its terms, and the parts that they are from."""
    return text_digest(f"{terms} {parts}")


def requirements_digest(requirements: Iterable[tuple[str, str, str]]) -> str:
    """SHA-256 of the requirements of a version: usage, restriction and URL of each; empty without any."""
    ordered = sorted(requirements)
    return text_digest(json.dumps(ordered)) if ordered else ""


class Account:
    """The state that entries add up to, by names: `version 3`, `resource URL`, `policy 2`, `request …`."""

    def __init__(self, states: dict[str, State] | None = None) -> None:
        self.states: dict[str, State] = {} if states is None else states
        self._requests: dict[tuple[str, str], set[str]] = {}
        for name, _ in self.named("request"):
            self._requests.setdefault(_about(name), set()).add(name)

    def version(self, number: int) -> State | None:
        """The state of a version: `said`, `copy` and `parts`, `terms`, `succeeded`, `requires`."""
        return self.states.get(f"version {number}")

    def resource(self, url: str) -> State | None:
        """The state of a resource: first times, `current`, `speaking`, `heard`, `passages`.

        `lasting` are its versions that no other version succeeded.
        """
        return self.states.get(f"resource {url}")

    def named(self, kind: str) -> Iterator[tuple[str, State]]:
        """The states of a kind, by the rest of their names."""
        start = f"{kind} "
        return ((name[len(start) :], state) for name, state in self.states.items() if name.startswith(start))

    def enter(self, act: Act) -> None:
        """Adds an entry."""
        made = getattr(self, f"_on_{act.act}", None)
        if made is not None:
            made(act)

    def _of(self, kind: str, name: object) -> State:
        return self.states.setdefault(f"{kind} {name}", {})

    def _first(self, url: str, fact: str, act: Act) -> None:
        self._of("resource", url).setdefault(fact, microseconds(act.at))

    def _document(self, act: Act) -> None:
        if act.policy is not None and "document" in act.detail:
            self._of("policy", act.policy).setdefault("document", act.detail["document"])

    def _on_crawled(self, act: Act) -> None:
        self._document(act)
        self._first(act.url, "first_crawled", act)
        resource = self._of("resource", act.url)
        resource["last_crawled"] = max(resource.get("last_crawled", 0), microseconds(act.at))
        number, status = act.version, act.detail.get("status")
        if number is None or not isinstance(status, int):
            return
        is_new = f"version {number}" not in self.states
        version = self._of("version", number)
        version["url"], version["said"] = act.url, act.detail.get("said")
        resource["heard"] = act.detail.get("heard", "")
        # Earlier entries have a 202 that was taken for an answer.
        is_read = (brings_document(status) or status == ACCEPTED) and "unread" not in act.detail
        if is_read:
            resource["speaking"], resource["passages"] = number, act.detail.get("passages", "")
        if is_read or status in GONE or status in REDIRECTS:
            if is_new and resource.get("current") is not None:
                taken = act.detail.get("captured_at")
                at = act.at if taken is None else datetime.fromisoformat(taken)
                for before in resource.pop("lasting", ()):
                    self._of("version", before)["succeeded"] = microseconds(at)
            resource["current"] = number
        if is_new:
            version["succeeded"] = None
            resource.setdefault("lasting", []).append(number)

    def _on_required(self, act: Act) -> None:
        if act.version is not None:
            self._of("version", act.version)["requires"] = act.detail.get("requires")

    def _on_refused(self, act: Act) -> None:
        self._document(act)

    def _on_heard(self, act: Act) -> None:
        self._document(act)

    def _on_indexed(self, act: Act) -> None:
        self._first(act.url, "first_indexed", act)
        if act.version is not None:
            self._of("version", act.version).setdefault("url", act.url)
            self._of("version", act.version)["terms"] = act.detail.get("terms")

    def _on_preserved(self, act: Act) -> None:
        self._first(act.url, "first_preserved", act)
        if act.version is not None:
            version = self._of("version", act.version)
            version.setdefault("url", act.url)
            version["copy"], version["parts"] = act.detail.get("copy"), act.detail.get("parts", "")

    def _on_removed(self, act: Act) -> None:
        for name in {"index": ("terms",), "preserve": ("copy", "parts")}.get(act.usage, ()):
            if act.version is not None:
                self._of("version", act.version).pop(name, None)

    def _on_presented(self, act: Act) -> None:
        urls = [act.url] if act.version is not None else []
        for number, *_ in act.detail.get("shown", ()):
            state = self.version(number)
            urls += [state["url"]] if state is not None and "url" in state else []
        for url in urls:
            self._first(url, "first_presented", act)
        for number, digest in act.detail.get("new", {}).items():
            self._of("ground", number).setdefault("told", digest)

    def _on_requested(self, act: Act) -> None:
        name = self.request(act.usage, act.url, str(act.detail.get("said_in", "")))
        self._of("request", name).update(made_at=microseconds(act.at), done_at=None)
        self._requests.setdefault(_about(name), set()).add(name)

    def _on_settled(self, act: Act) -> None:
        names = self._requests.get((act.usage, act.url), set())
        if act.detail.get("withdrawn"):
            for name in names:
                self.states.pop(f"request {name}")
            names.clear()
        for name in names:
            state = self._of("request", name)
            if state["done_at"] is None:
                state["done_at"] = microseconds(act.at)

    @staticmethod
    def request(action: str, url: str, stated_in: str) -> str:
        """The name of a request."""
        return json.dumps([action, url, stated_in])


def _about(request: str) -> tuple[str, str]:
    """Action and URL of the name of a request."""
    action, url, _ = json.loads(request)
    return action, url
