"""A task: a URL that a run has to fetch."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Task:
    """A URL to fetch: `kind` is `page`, `sitemap` or `resource` (another one that a page requires).

    `found_in` is the URL that led to it, None for a URL that the user gave.
    """

    id: int
    url: str
    site: str
    depth: int
    kind: str
    attempts: int
    found_in: str | None


@dataclass(frozen=True, slots=True)
class Wanted:
    """A URL that shall be fetched; as of `Task`."""

    url: str
    site: str
    depth: int = 0
    kind: str = "page"
    found_in: str | None = None
