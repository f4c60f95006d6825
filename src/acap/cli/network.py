"""Retrieving for a command: one cache, one User-Agent, and a plain word for what stands in the way."""

from __future__ import annotations

import re
from contextlib import ExitStack
from typing import TYPE_CHECKING, Self

from acap.cli.failures import Failure

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from types import TracebackType
    from typing import Any

    from acap.cli.options import Access, Asker
    from acap.cli.terminal import Terminal
    from acap.retrieval import Retrieved, Retriever, SqliteCache
    from acap.robots import Limits, RobotsPolicy

_ERRNO = re.compile(r"\[Errno -?\d+\] ")


class Network:
    """A context manager: leaving it closes what was opened. Nothing is imported or opened before it is needed.

    The User-Agent is acap's own, whoever is asked about: asking what a crawler may do is not being that crawler.
    """

    def __init__(self, access: Access, terminal: Terminal, dialect: str = "auto", limits: Limits | None = None) -> None:
        self._access = access
        self._terminal = terminal
        self._dialect = dialect
        self._limits = limits
        self._opened = ExitStack()
        self._cache: SqliteCache | None = None
        self._retrievers: dict[Asker | None, Retriever] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._opened.close()

    def policy(self, url: str, asker: Asker | None = None, *, found: bool = False) -> RobotsPolicy:
        """The policy of the URL's site, with the documents that it refers the asker to; what failed is said once.

        `found`: the URL is not the user's own, so its host may not be private. Raises `Failure`.
        """
        retriever = self._retriever(asker)
        try:
            with self._terminal.progress(f"retrieving the policy for {url}"):
                policy = retriever.robots(
                    url, refresh=self._access.refresh, found=found and not self._access.allow_private
                )
        except ValueError as error:
            raise Failure(str(error)) from error
        for about in (policy.evidence, *(policy.evidence.get("references") or {}).values()):
            if about is not None:
                report(about, self._terminal)
        return policy

    def page(self, url: str, may: Callable[[str], bool]) -> Retrieved:
        """What is said at a page's URL; `may` is asked about the URL of each request first. Raises `Failure`."""
        from acap.cli.page_fetch import ACCEPT, PAGE_OCTETS
        from acap.retrieval import Retriever

        access = self._access
        # Nothing of pages is kept: they change when they like, and a policy must be theirs of now.
        try:
            with (
                Retriever(
                    may=may,
                    user_agent=self._agent(),
                    timeout=access.timeout,
                    allow_private=access.allow_private,
                    octets=PAGE_OCTETS,
                    accept=ACCEPT,
                ) as retriever,
                self._terminal.progress(f"retrieving {url}"),
            ):
                return retriever.fetch(url)
        except ValueError as error:
            raise Failure(str(error)) from error

    def _agent(self) -> str:
        """The User-Agent that is sent."""
        from acap.retrieval import user_agent

        access = self._access
        return access.user_agent if access.user_agent is not None else user_agent(contact=access.contact)

    def document(self, url: str) -> Retrieved:
        """What is said at that very URL. Raises `Failure`."""
        retriever = self._retriever(None)
        try:
            with self._terminal.progress(f"retrieving {url}"):
                return retriever.fetch(url, refresh=self._access.refresh)
        except ValueError as error:
            raise Failure(str(error)) from error

    def _retriever(self, asker: Asker | None) -> Retriever:
        found = self._retrievers.get(asker)
        if found is None:
            from acap.retrieval import Retriever

            access = self._access
            try:
                found = Retriever(
                    crawler=asker.names if asker else None,
                    user_agent=self._agent(),
                    cache=self._kept(),
                    timeout=access.timeout,
                    dialect=self._dialect,
                    forbidden=access.forbidden,
                    limits=self._limits,
                    allow_private=access.allow_private,
                )
            except ValueError as error:
                raise Failure(str(error)) from error
            self._retrievers[asker] = self._opened.enter_context(found)
        return found

    def _kept(self) -> SqliteCache | None:
        """The cache file, or None to keep copies in memory only."""
        if not self._access.cache or self._cache is not None:
            return self._cache
        from acap.retrieval import CacheError, SqliteCache

        directory = self._access.cache_dir
        try:
            self._cache = SqliteCache(directory / "answers.sqlite3" if directory else None)
        except CacheError as error:
            if directory is not None:
                raise Failure(f"{error}; name another directory, or use --no-cache") from error
            self._terminal.note(f"{error}; going on without it (--cache-dir names another place)")
            self._access = self._access.without_cache()
            return None
        self._opened.callback(self._cache.close)
        return self._cache


def is_out_of_reach(policy: RobotsPolicy) -> bool:
    """Whether nobody knows what a site says: its answer counts as out of reach, or as keeping the file to itself."""
    return policy.evidence.get("meaning") in ("unreachable", "restricted")


def plain_reason(text: str) -> str:
    """Why something could not be had, without what only programmers read."""
    return _ERRNO.sub("", text)


def report(evidence: Mapping[str, Any], terminal: Terminal) -> bool:
    """Says what stood in the way of a retrieval, what that means and what to do; whether there was anything to say."""
    failure = evidence.get("failure")
    if failure is None and evidence.get("meaning") == "restricted":
        failure = {"kind": "restricted", "text": f"the answer was {evidence['status']}"}
    if failure is None:
        return False
    text = f"{evidence['url']} cannot be had: {plain_reason(failure['text'])}"
    if evidence["stale"]:
        terminal.note(f"{text}; going by the copy of {evidence['confirmed_at'] or evidence['fetched_at']}")
    elif evidence["meaning"] == "absent":
        terminal.note(f"{text}; that counts as no policy")
    else:
        advice = (
            "--allow-private" if failure["kind"] == "address-refused" else "try again later, or use a copy of the file"
        )
        terminal.error(f"{text}; what depends on it is prohibited until it can be had ({advice})")
    return True
