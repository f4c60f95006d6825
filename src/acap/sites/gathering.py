"""Gathering what a site says: which documents are asked for, in which order, and what is made of the answers.

The laws of this module:

1. Nothing is retrieved here: a generator wants URLs and is sent what was retrieved, by threads or by tasks.
2. What a site refers to is bounded in number, on other hosts above all, in octets and in time. What is beyond a bound
   is told, and counts as a document that could not be retrieved.
3. A reference is followed one level: what a licence document refers to is not asked for.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from typing import Any, NamedTuple
from urllib.parse import urljoin

from acap.carriers import NOT_READ, Carriers, carriers
from acap.dialects.ai_txt import parse_ai_txt
from acap.dialects.rsl.associations import RslLicences, joined, named_documents
from acap.dialects.rsl.policy import RslDocument, parse_rsl, whole_documents
from acap.dialects.tdmrep import TdmrepFile, parse_tdmrep
from acap.dialects.well_known import ABSENT, AI_TXT_PATH, TDMREP_PATH
from acap.problems import Problem
from acap.retrieval.addresses import is_private
from acap.retrieval.answers import ACCEPTED, Meaning
from acap.retrieval.foreign import Kind
from acap.retrieval.locations import canonical, resolve, robots_url, site, site_of
from acap.retrieval.plan import WantedUrl
from acap.retrieval.policies import MAX_REFERENCES, BaseRetriever
from acap.retrieval.retrieved import Retrieved
from acap.robots import Asker, RobotsPolicy, is_reference, licence_lines, permission_references
from acap.sites.documents import SiteDocument, State, came_from, octets_of, why_not
from acap.sites.licences import LostLicences
from acap.sites.page import page_wanted
from acap.sites.policy import SitePolicy

MAX_DOCUMENTS = 16
"""Documents that a site, with its page, may refer to; real ones refer to one or two."""
MAX_ELSEWHERE = 4
"""Of them those on other hosts: no site can make us ask many others."""
MAX_NAMED = 1_000
"""References in one document that are looked at, be they asked for or not."""
DOCUMENT_OCTETS = 2 * 1024 * 1024
"""Of each of them, and of the site's own beside robots.txt: what their readers take at most."""

Steps = Generator[Sequence[WantedUrl], Sequence[Retrieved], SitePolicy]


class _Reference(NamedTuple):
    """A document that is referred to: `key` is its URL as its reader wants it, `target` as it is written.

    `at` is the URL to ask for; None if it cannot be asked for.
    """

    kind: Kind
    key: str
    target: str
    base: str
    at: str | None


def gather(
    retriever: BaseRetriever[Any],
    url: str,
    *,
    page: str | None = None,
    crawlers: Iterable[Asker] = (),
    response: Carriers | None = None,
    beside: bool = False,
    refresh: bool = False,
    found: bool = False,
) -> Steps:
    """The steps that lead to everything that the site of a URL says.

    Args:
        retriever: whose rules, bounds and cache count.
        url: any URL of the site.
        page: the URL of one of its pages, which is read too. It is asked for only if one of the crawlers may crawl it,
            and so each URL of the site to which it is redirected; it is not kept.
        crawlers: who asks; nobody in particular if none are named.
        response: what one of its resources says, retrieved elsewhere: the licences that it names are asked for too.
        beside: robots.txt was asked for just now, with what it refers crawlers to: the one is not refreshed, and the
            others are not asked for.
        refresh: ask the site even if a copy is fresh.
        found: the URL is not the user's own, as of `Retriever.robots`.

    Raises:
        ValueError: a URL that cannot be retrieved; a page of another site.
    """
    asking = tuple(crawlers) or ("*",)
    return _Gatherer(retriever, url, page, asking, response, beside=beside, refresh=refresh, found=found).steps()


class _Gatherer:
    def __init__(
        self,
        retriever: BaseRetriever[Any],
        url: str,
        page: str | None,
        crawlers: tuple[Asker, ...],
        response: Carriers | None,
        *,
        beside: bool,
        refresh: bool,
        found: bool,
    ) -> None:
        self._retriever = retriever
        self._home = site_of(canonical(url))
        self._page = None if page is None else canonical(urljoin(f"{self._home}/", page))
        if self._page is not None and site_of(self._page) != self._home:
            raise ValueError(f"the page {self._page} is not of the site {self._home}")
        self._crawlers = crawlers
        self._response = response
        self._beside = beside
        self._refresh = refresh
        self._found = found
        self._documents: list[SiteDocument] = []
        self._left_out: dict[str, None] = {}
        self._had: dict[str, Retrieved] = {}
        self._odd: set[str] = set()
        self._is_crowded = False
        self._elsewhere: set[str] = set()
        self._lock = threading.Lock()
        self._deadline = 0.0
        self._trusted: str | None = None

    def steps(self) -> Steps:
        """All of it."""
        home = self._home
        at_robots = robots_url(f"{home}/")
        own: tuple[tuple[Kind, str, int | None], ...] = (
            ("robots.txt", at_robots, None),
            ("tdmrep.json", home + TDMREP_PATH, DOCUMENT_OCTETS),
            ("ai.txt", home + AI_TXT_PATH, DOCUMENT_OCTETS),
        )
        first, second, third = yield [
            WantedUrl(
                canonical(at),
                self._refresh and not (self._beside and kind == "robots.txt"),
                typed=not self._found,
                kind=kind,
                octets=octets,
            )
            for kind, at, octets in own
        ]
        self._deadline = time.monotonic() + self._retriever.patience  # for the page, and all that is referred to
        address = first.answer.first_address
        self._trusted = site(at_robots) if is_private(address) else None
        robots = self._retriever.read(at_robots, first)
        base = second.answer.source
        file = parse_tdmrep(octets_of(second), url=second.url, status=_status(second), base_url=base)
        ai_txt = parse_ai_txt(octets_of(third), url=third.url, status=_status(third))

        wanted = [*self._of_robots(robots, first.answer.source), *self._of_tdmrep(file)]
        page_wanted = self._page_wanted(robots)
        came = yield from self._retrieve(wanted, page_wanted)
        read = self._page_read(came)
        of_page = [one for each in (read, self._response) if each is not None for one in self._of_page(each)]
        yield from self._retrieve(of_page)

        robots = self._with_references(robots, first, wanted)
        policies: dict[str, bytes | None] = {rule.policy: None for rule in file.rules if rule.policy is not None}
        policies |= {reference.key: self._octets(reference) for reference in wanted if reference.kind == "tdm-policy"}
        tdmrep = file.with_policies(policies) if policies else file
        licences = self._licences((*wanted, *of_page))
        # Of too many none counts: each question would go through them all.
        rsl = RslLicences() if self._is_crowded else RslLicences(robots=robots, documents=licences)
        lost = LostLicences(robots, whole_documents(rsl.documents))
        self._tell_of_robots(robots, first)
        self._tell("tdmrep.json", second, file.state, file.problems)
        self._tell("ai.txt", third, ai_txt.state, ai_txt.problems)
        self._tell_of_references((*wanted, *of_page), rsl, tdmrep)
        if read is not None:
            self._tell_of_page(read, came)
        documents, left_out = tuple(self._documents), tuple(self._left_out)
        return SitePolicy(home, robots, tdmrep, ai_txt, rsl, lost, read, self._page, documents, left_out)

    def _retrieve(
        self, references: Sequence[_Reference], page: WantedUrl | None = None
    ) -> Generator[Sequence[WantedUrl], Sequence[Retrieved], Retrieved | None]:
        """Asks for the page, which is given back, and for what the references lead to and has not been asked for."""
        wanted: dict[str, WantedUrl] = {}
        for reference in references:
            at = reference.at
            if at in self._had or at in wanted or reference.target in self._odd:
                continue
            if len(self._had) + len(wanted) + len(self._odd) >= MAX_DOCUMENTS:
                self._left_out[at or reference.target] = None
                continue
            if at is None:
                self._odd.add(reference.target)
                continue
            if not self._may_ask(at):
                self._left_out[at] = None
                continue
            wanted[at] = WantedUrl(
                at,
                self._refresh,
                typed=False,
                trusted=self._trusted,
                deadline=self._deadline,
                kind=reference.kind,
                octets=DOCUMENT_OCTETS,
                may=self._may_ask,
                own=None if self._found else self._home,
            )
        asked = [*([] if page is None else [page]), *wanted.values()]
        came: Sequence[Retrieved] = (yield asked) if asked else []
        self._had.update(zip(wanted, came[len(asked) - len(wanted) :], strict=True))
        return None if page is None else came[0]

    def _may_ask(self, url: str) -> bool:
        """Whether a document may be asked for, and each URL that it is redirected to: few on other hosts."""
        with self._lock:
            if site(url) != site(f"{self._home}/") and url not in self._elsewhere:
                if len(self._elsewhere) >= MAX_ELSEWHERE:
                    return False
                self._elsewhere.add(url)
            return True

    def _octets(self, reference: _Reference) -> bytes | None:
        had = self._had.get(reference.at or "")
        return None if had is None else octets_of(had)

    def _licences(self, references: Iterable[_Reference]) -> dict[str, RslDocument | None]:
        """The licence documents by each of their names; one with a thousand names is read once."""
        read: dict[str, RslDocument] = {}
        documents: dict[str, RslDocument | None] = {}
        for reference in references:
            if reference.kind == "licence":
                octets = self._octets(reference)
                if octets is not None and reference.at is not None and reference.at not in read:
                    read[reference.at] = parse_rsl(
                        octets, url=came_from(reference.key, self._had[reference.at].evidence)
                    )
                documents[reference.key] = None if octets is None else read.get(reference.at or "")
        return documents

    def _of_robots(self, robots: RobotsPolicy, base: str) -> Iterator[_Reference]:
        """What its ACAP records and License lines refer any crawler to; `base` is where it came from in the end."""
        uris = () if self._beside else permission_references(robots)
        self._leave_out(uris[MAX_REFERENCES:])
        for uri in uris[:MAX_REFERENCES]:
            yield _reference("reference", uri, base, uri)
        yield from self._first("licence", list(filter(is_reference, licence_lines(robots))), base)

    def _of_tdmrep(self, tdmrep: TdmrepFile) -> Iterator[_Reference]:
        policies = (rule.policy for rule in tdmrep.rules if rule.policy is not None)
        for reference in self._first("tdm-policy", list(dict.fromkeys(policies)), tdmrep.url):
            yield reference._replace(key=reference.target)

    def _of_page(self, read: Carriers) -> Iterator[_Reference]:
        yield from self._first("licence", list(dict.fromkeys(named_documents(read.page))), read.page.url or "")

    def _first(self, kind: Kind, targets: Sequence[str], base: str) -> Iterator[_Reference]:
        """The references that are looked at; of licence documents beyond them none counts."""
        self._leave_out(targets[MAX_NAMED:])
        self._is_crowded |= kind == "licence" and len(targets) > MAX_NAMED
        for target in targets[:MAX_NAMED]:
            yield _reference(kind, target, base)

    def _leave_out(self, targets: Iterable[str]) -> None:
        for target in targets:
            is_path = target.startswith("/") and not target.startswith("//")
            self._left_out[self._home + target if is_path else target] = None

    def _page_wanted(self, robots: RobotsPolicy) -> WantedUrl | None:
        """The page, if somebody may crawl it; otherwise nobody may use it, whatever it says."""
        at = self._page
        may = self._may(robots)
        if at is None or not may(at):
            return None
        return page_wanted(at, may, typed=not self._found, deadline=self._deadline)

    def _may(self, robots: RobotsPolicy) -> Callable[[str], bool]:
        at = self._retriever.clock.now()

        def may(url: str) -> bool:
            if site_of(url) != self._home:
                return False
            return any(robots.decide(url, crawler=one, at=at).permitted for one in self._crawlers)

        return may

    def _page_read(self, came: Retrieved | None) -> Carriers | None:
        """What the page says; None if none is asked about."""
        if self._page is None:
            return None
        if came is None:
            return carriers(b"", url=self._page, unread="nobody who asks may crawl it")
        answer = came.answer
        if answer.failure is not None or answer.cut_at is not None or answer.status == ACCEPTED:
            return carriers(b"", url=self._page, headers=answer.headers, unread=why_not(came))
        return carriers(answer.octets, url=answer.source, headers=answer.headers, status=answer.status)

    def _with_references(
        self, robots: RobotsPolicy, first: Retrieved, references: Iterable[_Reference]
    ) -> RobotsPolicy:
        """The policy with the documents that it refers crawlers to; one that leads back to it is a loop (P1 4.7)."""
        answer = first.answer
        ours = {answer.url, answer.source, *(hop.url for hop in answer.chain)}
        evidence = first.evidence
        for reference in references:
            if reference.kind != "reference":
                continue
            had = self._had.get(reference.at or "")
            loops = had is None or not ours.isdisjoint((had.url, had.answer.source, *(hop.url for hop in had.chain)))
            robots = robots.with_reference(reference.key, None if loops else self._octets(reference))
            evidence.setdefault("references", {})[reference.key] = None if had is None else had.evidence
        return robots.with_evidence(evidence)

    def _tell(self, kind: Kind, came: Retrieved, state: State, problems: Sequence[Problem]) -> None:
        why = why_not(came) if came.status not in ABSENT else ""
        if state == "unknown":
            why = why or next((_cause(problem) for problem in problems if problem.severity == "error"), "")
        self._documents.append(SiteDocument(kind, came.url, state, why, None, came, tuple(problems)))

    def _tell_of_robots(self, robots: RobotsPolicy, first: Retrieved) -> None:
        state: State = "unknown"
        if first.meaning is Meaning.ABSENT:
            state = "foreign" if first.answer.is_other_document else "none"
        elif first.meaning is Meaning.READ and robots.state == "present":
            state = "read"
        self._tell("robots.txt", first, state, robots.problems)

    def _tell_of_references(self, references: Iterable[_Reference], rsl: RslLicences, tdmrep: TdmrepFile) -> None:
        reported: set[tuple[Kind, str]] = set()
        policies = dict(tdmrep.policies)
        for reference in references:
            at = reference.at
            if (reference.kind, reference.key) in reported or (at or reference.target) in self._left_out:
                continue
            reported.add((reference.kind, reference.key))
            had = self._had.get(at or "")
            problems: tuple[Problem, ...] = ()
            is_read = False
            if reference.kind == "licence" and (document := rsl.documents.get(reference.key)) is not None:
                is_read, problems = document.is_whole, document.problems
            elif reference.kind == "tdm-policy" and (policy := policies.get(reference.key)) is not None:
                is_read, problems = policy.state != "unknown", policy.problems
            elif reference.kind == "reference":
                is_read = self._octets(reference) is not None
            why = (
                f"`{reference.target}` cannot be asked for: give a URL of http or https"
                if had is None
                else why_not(had)
            )
            why = "" if is_read else why or next(map(_cause, problems), "")
            state: State = "read" if is_read else "unknown"
            self._documents.append(
                SiteDocument(reference.kind, at or reference.target, state, why, reference.base, had, tuple(problems))
            )

    def _tell_of_page(self, read: Carriers, came: Retrieved | None) -> None:
        # Of an answer without the page the first problem says what it takes, or why it is not known.
        first = next((problem for problem in read.problems if problem.code in NOT_READ), None)
        state: State = "unknown" if any(problem.code == "page-not-read" for problem in read.problems) else "read"
        why = "" if first is None else first.words[0] if state == "unknown" else first.message
        self._documents.append(SiteDocument("page", read.page.url or "", state, why, None, came, read.problems))


def _cause(problem: Problem) -> str:
    """What is wrong, without what follows of it: the doubt of the document says that."""
    return problem.message.partition("; ")[0]


def _status(came: Retrieved) -> int:
    """The status as readers of a site's own files take it; what failed has no octets, and no status that says so."""
    return 200 if came.answer.failure is not None else came.status or 200


def _reference(kind: Kind, target: str, base: str, key: str | None = None) -> _Reference:
    try:
        at = resolve(base, target)
    except ValueError:
        at = None
    return _Reference(kind, joined(base, target) if key is None else key, target, base, at)
