"""Retrieving for a command: one cache, one User-Agent, and a plain word for each failure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from types import TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from acap.cli.io.asking import CrawlerOption
from acap.cli.io.failures import CallError
from acap.cli.io.options import Access
from acap.cli.io.terminal import Terminal
from acap.explain import failure_text
from acap.robots import Asker, Limits, RobotsPolicy

if TYPE_CHECKING:
    # The client of HTTP takes 0.13 s to import, and with what asks whole sites 0.23 s: longer than all else together.
    # A call about files needs none of it, so each method imports what it retrieves with.
    from acap.carriers import Carriers
    from acap.retrieval import Retrieved, Retriever, SqliteCache
    from acap.sites.policy import SitePolicy


class FetchedPage(NamedTuple):
    """A page's response as it came: its own URL, after redirects; its octets; headers; status; the way to it.

    An answer without a page is one too if it says what fetching takes: a payment, a licence.
    """

    url: str
    octets: bytes
    headers: tuple[tuple[str, str], ...]
    status: int
    way: tuple[str, ...]


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
        self._retrievers: dict[CrawlerOption | None, Retriever] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._opened.close()

    def policy(self, url: str, asker: CrawlerOption | None = None, *, found: bool = False) -> RobotsPolicy:
        """The policy of the URL's site, with the documents that it refers the crawler to; a failure is printed once.

        `found`: the URL is not the user's own, so its host may not be private. Raises `CallError`.
        """
        retriever = self._retriever(asker)
        try:
            with self._terminal.progress(f"retrieving the policy for {url}"):
                policy = retriever.robots(
                    url, refresh=self._access.refresh, found=found and not self._access.allow_private
                )
        except ValueError as error:
            raise CallError(str(error)) from error
        for about in (policy.evidence, *(policy.evidence.get("references") or {}).values()):
            if about is not None:
                report(about, self._terminal)
        return policy

    def beside(
        self, robots: RobotsPolicy, asker: CrawlerOption, response: Carriers | None, *, found: bool
    ) -> SitePolicy:
        """What a site says beside the robots.txt that `policy` gave; a document that is not known is printed.

        `response` names licences that are asked for too; `found` as for `policy`. Raises `CallError`.
        """
        from acap.sites.gathering import gather

        url, retriever = robots.url or "", self._retriever(asker)
        refresh, found = self._access.refresh, found and not self._access.allow_private
        try:
            with self._terminal.progress(f"retrieving what is beside {url}"):
                policy = retriever.gather(
                    gather(retriever, url, response=response, beside=True, refresh=refresh, found=found)
                )
        except ValueError as error:
            raise CallError(str(error)) from error
        for document in policy.documents:
            if document.kind == "robots.txt":  # `policy` has told
                continue
            if document.doubt:
                self._terminal.error(f"{document.url} is not known: {failure_text(document.why)}; {document.doubt}")
            elif document.retrieved is not None and document.retrieved.stale:
                report(document.retrieved.evidence, self._terminal)
        if policy.left_out:
            first, number = policy.left_out[0], len(policy.left_out)
            self._terminal.error(f"{number} more documents are referred to, and were not asked for, {first} first")
        return policy

    def page(self, url: str, may: Callable[[str], bool]) -> FetchedPage | str:
        """The page at a URL, or why there is none, as the rest of a sentence about its URL. Raises `CallError`.

        `may` is asked about the URL of each request first.
        """
        from acap.sites.page import page_answer, page_missing, page_wanted

        with self._made() as retriever, self._terminal.progress(f"retrieving {url}"):
            answer = page_answer(retriever, page_wanted(self.canonical(url), may))
        if why := page_missing(answer):
            return why
        way = (*(hop.url for hop in answer.chain), answer.source)
        return FetchedPage(answer.source, answer.octets, answer.headers, answer.status or 0, way)

    def site(self, url: str, page: str | None, crawlers: Sequence[Asker]) -> SitePolicy:
        """Everything that the site of a URL says, and a page of it if one is named. Raises `CallError`."""
        from acap.sites.site import Site

        try:
            with self._terminal.progress(f"retrieving what {url} says"):
                site = Site(url, page=page, crawlers=crawlers, retriever=self._retriever(None))
                return site.policy(refresh=self._access.refresh)
        except ValueError as error:
            raise CallError(str(error)) from error

    @staticmethod
    def canonical(url: str) -> str:
        """The URL as it is sent. Raises `CallError`."""
        from acap.retrieval import canonical

        try:
            return canonical(url)
        except ValueError as error:
            raise CallError(str(error)) from error

    def document(self, url: str, *, found: bool = False) -> Retrieved:
        """The document at exactly that URL; `found` as for `policy`. Raises `CallError`."""
        retriever = self._retriever(None)
        try:
            with self._terminal.progress(f"retrieving {url}"):
                return retriever.fetch(
                    url, refresh=self._access.refresh, found=found and not self._access.allow_private
                )
        except ValueError as error:
            raise CallError(str(error)) from error

    def _retriever(self, asker: CrawlerOption | None) -> Retriever:
        if asker not in self._retrievers:
            retriever = self._made(
                crawler=asker.names if asker else None,
                cache=self._kept(),
                dialect=self._dialect,
                forbidden=self._access.forbidden,
                limits=self._limits,
            )
            self._retrievers[asker] = self._opened.enter_context(retriever)
        return self._retrievers[asker]

    def _made(self, **settings: Any) -> Retriever:
        """A retriever that is to be closed. Raises `CallError`."""
        from acap.retrieval import Retriever, user_agent

        access = self._access
        try:
            agent = user_agent(contact=access.contact) if access.user_agent is None else access.user_agent
            return Retriever(user_agent=agent, timeout=access.timeout, allow_private=access.allow_private, **settings)
        except ValueError as error:
            raise CallError(str(error)) from error

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
                raise CallError(f"{error}; name another directory, or use --no-cache") from error
            self._terminal.note(f"{error}; continuing without it (--cache-dir names another place)")
            self._access = self._access.without_cache()
            return None
        self._opened.callback(self._cache.close)
        return self._cache


def is_out_of_reach(policy: RobotsPolicy) -> bool:
    """Whether a site's policy is unknown: its answer counts as unreachable or as restricted."""
    return policy.evidence.get("meaning") in ("unreachable", "restricted")


def report(evidence: Mapping[str, Any], terminal: Terminal) -> bool:
    """Prints why a retrieval failed, what that means and what to do; whether it failed."""
    failure = evidence.get("failure")
    if failure is None and evidence.get("meaning") == "restricted":
        failure = {"kind": "restricted", "text": f"the answer was {evidence['status']}"}
    if failure is None:
        return False
    text = f"{evidence['url']} cannot be retrieved: {failure_text(failure['text'])}"
    if failure["kind"] == "no-robots-txt" and evidence["final_url"] != evidence["url"]:
        text += f"; a redirect led to {evidence['final_url']}"  # to a login, most often
    if evidence["stale"]:
        terminal.note(f"{text}; using the copy of {evidence['confirmed_at'] or evidence['fetched_at']}")
    elif evidence["meaning"] == "absent":
        terminal.note(f"{text}; that counts as no policy")
    else:
        advice = (
            "--allow-private" if failure["kind"] == "address-refused" else "try again later, or use a copy of the file"
        )
        terminal.error(f"{text}; what depends on it is prohibited until it can be retrieved ({advice})")
    return True
