"""The judgement of a response: what may be done with it, by its site's policy, its own statements and the facts.

The laws of this module:

1. What may be kept is derived from the content that may be used, part by part, and from nothing else.
2. A version is judged by the same statements whether its octets are kept or not: its skeleton replaces missing octets.
3. Three sources judge it: what its site says now (robots.txt and the documents beside it), the version itself, and the
   latest response of the resource, which can only restrict. The link and the original belong to the resource, not to a
   version: only the latest response decides on them.
4. A copy of a resource that is closed to crawling, but exempt for the use of others (`harvest.uses`), may be kept if
   one is needed. Nothing else is permitted of it by itself.
5. What is kept is kept for every usage that the operator names besides: what is not permitted for one of them is not
   kept. A usage that an element prohibits is prohibited for the whole, as nobody could leave the element out.

The module is one class, because each of its answers rests on the same decisions.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from typing import Any

from acap.archives.site_documents import sources_of
from acap.carriers import carriers
from acap.crawlers import Crawler
from acap.decision import Decision, Outcome
from acap.harvest.act import record_of
from acap.harvest.latest import Latest, of_whole, page_of_headers, page_without_content, prohibited, stricter
from acap.harvest.passages import Letters, Passages, letters_of
from acap.harvest.resource import Extent, Resource, Version
from acap.harvest.uses import Exemption, Naming, namings
from acap.pages.asking import Asking
from acap.pages.extraction import content_for
from acap.pages.headers import PAGES, media_type
from acap.pages.links import Targets, targets
from acap.pages.page import PagePolicy
from acap.restrictions import Facts, ResourceRestriction, Restriction, TimeLimit
from acap.retrieval.answers import Headers
from acap.retrieval.locations import resolve
from acap.robots import RobotsPolicy
from acap.statement import Source
from acap.usages import WORDS

PRESENT = tuple(usage for usage in WORDS if usage.startswith("present-"))
USAGES = ("crawl", "follow", "index", "preserve", *PRESENT)
OF_RESOURCE = ("present-link", "present-original")
"""Usages of the resource as a whole: the answer is the same for every version of it."""

KEPT = ("index", "preserve")
"""Usages for which something is kept."""

_TEXTS = (*PAGES, "text/plain")
_OF_HEADERS = ("follow", *KEPT, *PRESENT)
_OF_VERSIONS = tuple(usage for usage in (*KEPT, *PRESENT) if usage not in OF_RESOURCE)
_FACTS = ("first_indexed", "first_preserved", "first_available", "last_crawled")


@dataclass(frozen=True, slots=True)
class Response:
    """A response to judge: one that just came, or one that a store keeps as a `version`.

    Args:
        url: of the resource, canonical.
        at: the instant of the judgement.
        crawler: who asks.
        robots: the policy of its site. Documents of the site that it carries (`harvest.documents`) count too.
        headers: as received.
        octets: the body, decoded; None for a version without a copy. The skeleton of the version replaces it.
        version: the version as the store keeps it; None for a response that just came.
        usages: what is kept is kept for these, beside the usages of the harvest.
        site: what else its site says: tdmrep.json, ai.txt, licence documents. A licence that robots.txt or the response
            names, and that is not among them nor carried by the policy, prohibits every use.
    """

    url: str
    at: datetime
    crawler: Crawler
    robots: RobotsPolicy
    headers: Headers
    octets: bytes | None
    version: Version | None = None
    usages: tuple[str, ...] = ()
    site: tuple[Source, ...] = ()


@dataclass(frozen=True, slots=True)
class ResourceState:
    """What is known of the resource of a response.

    Args:
        facts: first times and the last crawl, for the limits of permissions (P1 4.5.3.1).
        resource: as the store keeps it; None for one that is new.
        latest: its latest response; None if that is the one to judge.
        is_current: whether no other version came after this one.
        after: headers that were received after a response from an archive.
        may_serve: whether any page requires another resource, perhaps this one.
        exemption: the uses for which it is fetched though closed to crawling.
    """

    facts: Facts
    resource: Resource | None = None
    latest: Latest | None = None
    is_current: bool = True
    after: Headers = ()
    may_serve: bool = False
    exemption: Exemption | None = None


def response_of(
    version: Version,
    octets: bytes | None,
    *,
    at: datetime,
    crawler: Crawler,
    robots: RobotsPolicy,
    usages: tuple[str, ...] = (),
) -> Response:
    """A version with the octets of its copy, as a response to judge."""
    return Response(version.url, at, crawler, robots, of_whole(version.headers), octets, version, usages)


@dataclass
class Judgement:
    """The decisions on a response, each made once.

    `page` is its policy or skeleton, `others` are further sources that the response carries.
    """

    response: Response
    state: ResourceState
    page: PagePolicy
    others: tuple[Source, ...] = ()
    media: str = ""

    @classmethod
    def of(cls, response: Response, state: ResourceState) -> Judgement:
        """The judgement of a response, with the sources that it carries."""
        version, octets = response.version, response.octets
        if octets is not None:
            carried = carriers(octets, url=response.url, headers=response.headers, length=len(octets))
            page, others = carried.page, carried.others
        else:
            assert version is not None
            page, others = page_without_content(version), ()
        media = version.media if version is not None else media_type(response.headers)
        return cls(response, state, page, others, media or (PAGES[0] if version is None and page.is_page else ""))

    @classmethod
    def of_latest(
        cls, latest: Latest, *, at: datetime, crawler: Crawler, robots: RobotsPolicy, site: tuple[Source, ...] = ()
    ) -> Judgement:
        """The judgement of the latest response of a resource, without its content; `site` as of `Response`."""
        response = replace(response_of(latest.version, None, at=at, crawler=crawler, robots=robots), site=site)
        return cls(response, ResourceState(latest.facts, latest=latest), latest.page, media=latest.version.media)

    @cached_property
    def decisions(self) -> dict[str, Decision]:
        """The decision for each of `USAGES`, and for each that the operator names."""
        aims = self.response.usages
        decisions, latest = self.asking.decide_each(tuple(dict.fromkeys((*USAGES, *aims)))), self._later
        for asking in self._of_headers:
            for usage in dict.fromkeys((*_OF_HEADERS, *aims)):
                decisions[usage] = stricter(decisions[usage], asking.decide_on(None, usage))
        if latest is not None:
            for usage in _OF_VERSIONS:
                if decisions[usage].outcome != Outcome.PROHIBITED:
                    decisions[usage] = self._by_elements(latest, usage, decisions[usage])
            for usage in aims:
                if not _is_of_all(self._of_latest.asking.decide(usage)):
                    decisions[usage] = prohibited(decisions[usage])
            decisions |= {usage: self._of_latest.decisions[usage] for usage in OF_RESOURCE}
        if self._of("preserve") is not self:
            decisions["preserve"] = self._of("preserve").decisions["preserve"]
        for usage in aims:
            aim = decisions[usage] if _is_of_all(decisions[usage]) else prohibited(decisions[usage])
            for kept in KEPT:
                decisions[kept] = stricter(decisions[kept], aim)
        return decisions

    @cached_property
    def in_use(self) -> Judgement | None:
        """The judgement for the uses for which the resource is exempt."""
        return None if self.state.exemption is None else self.for_use()

    def for_use(self) -> Judgement:
        """The judgement for the use by pages of its site that name it: a prohibition of crawling does not count.

        A resource that was never indexed by itself counts as indexed, for others, since it was first fetched.
        """
        facts, resource = self.state.facts, self.state.resource
        if resource is not None and resource.first_indexed is None and resource.first_crawled is not None:
            facts = replace(facts, first_indexed=resource.first_crawled)
        response = replace(self.response, robots=self.response.robots.for_use())
        return replace(self, response=response, state=replace(self.state, facts=facts, exemption=None))

    def _of(self, usage: str) -> Judgement:
        """The judgement that decides a usage: `in_use` decides on a copy that others need."""
        exemption = self.state.exemption
        needs_copy = usage == "preserve" and exemption is not None and exemption.needs_copy
        return self.in_use if needs_copy and self.in_use is not None else self

    def namings(self, usage: str) -> list[Naming]:
        """Other resources of its site that the site's statements name for a usage."""
        return list(namings(self.response.url, self.decisions[usage], usage))

    @property
    def _later(self) -> Latest | None:
        """The latest response of the resource, if it brought a later version."""
        latest, version = self.state.latest, self.response.version
        return None if latest is None or version is None or latest.version.id == version.id else latest

    @cached_property
    def _of_headers(self) -> list[Asking]:
        """The questions to the latest response and to headers received without a body, which have no elements here."""
        response, latest = self.response, self.state.latest
        pages = [page_of_headers(response.url, response.headers, self.state.after)]
        if latest is not None:
            pages += [None if self._later is None else latest.page, latest.headers]
        return [page.asking(**{**self.question, "others": self.site}) for page in pages if page is not None]

    @cached_property
    def _of_latest(self) -> Judgement:
        response, latest = self.response, self.state.latest
        assert latest is not None
        return Judgement.of_latest(
            latest, at=response.at, crawler=response.crawler, robots=response.robots, site=response.site
        )

    def _by_elements(self, latest: Latest, usage: str, own: Decision) -> Decision:
        """The decision on an earlier version that may contain a text which an element of the latest response prohibits.

        DEVIATION: a version with such a text is prohibited as a whole. The surroundings of a text in one version do not
        tell what belongs to it in another.
        """
        if latest.lacks_passages:
            return prohibited(own)
        prohibiting: list[Decision] = []
        passages: list[Passages] = []
        for number, decision in _elements(self._of_latest.asking, usage):
            if decision.outcome == Outcome.PROHIBITED:
                of_element = latest.passages(number)
                if of_element is None:
                    return decision
                prohibiting.append(decision)
                passages.append(of_element)
        if not passages:
            return own
        letters = self._letters(usage)
        place = 0 if letters is None else letters.first(passages)
        return own if place is None else prohibiting[place]

    def _letters(self, usage: str) -> Letters | None:
        """The letters of this version's usable content; None if they are unknown, as from a skeleton."""
        if self.response.octets is None:
            return None
        if self.text is not None:
            return Letters((self.text,))
        document = self.asking.carried.document
        # The content without the parts that its own page prohibits, unless another resource must be used.
        return None if document is None or not self.page.is_page else letters_of(self.asking, usage)

    @cached_property
    def text(self) -> str | None:
        """The body of a plain text; None for other media, or without a body."""
        octets = self.response.octets
        return octets.decode("utf-8", "replace") if octets is not None and self.media == "text/plain" else None

    @cached_property
    def asking(self) -> Asking:
        """The question, without the usage."""
        return self.page.asking(**self.question)

    @cached_property
    def site(self) -> tuple[Source, ...]:
        """What the documents of the site say."""
        return (*self.response.site, *sources_of(self.response.robots, self.response.site))

    @property
    def question(self) -> dict[str, Any]:
        """The question, without the usage, as arguments for the page's methods."""
        return {
            "crawler": self.response.crawler,
            "at": self.response.at,
            "facts": self.state.facts,
            "robots": self.response.robots,
            "others": (*self.others, *self.site),
            "url": self.response.url,
        }

    def permits(self, usage: str) -> bool:
        """Whether a usage is permitted, under whatever restrictions."""
        return self.decisions[usage].permitted

    def restrictions(self, usage: str) -> tuple[Restriction, ...]:
        """The restrictions of a usage; none where it is not permitted."""
        return self.decisions[usage].restrictions if self.permits(usage) else ()

    def targets(self) -> Targets:
        """Where the links of the page lead."""
        links = targets(self.asking)
        if all(asking.decide_on(None, "follow").permitted for asking in self._of_headers):
            return links
        return Targets([], links.refused + len(links.permitted), [])

    def index_text(self) -> tuple[str, str] | None:
        """Title and text for the index; None if there is no text, or none that may be indexed."""
        if not self.permits("index"):
            return None
        if self.text is not None:
            return ("", self.text) if self.text.strip() and not self._is_replaced("index") else None
        if self.media not in _TEXTS and self.media:
            return None
        text = content_for(self.asking, "index").text
        if not text.strip():
            return None
        first, _, rest = text.partition("\n")
        return (first, rest) if rest else ("", text)

    def copy_octets(self) -> tuple[bytes, bool] | None:
        """The octets that may be preserved, and whether they are all of them; None if none may be."""
        octets = self.response.octets
        if octets is None or not self.permits("preserve"):
            return None
        if not json.loads(self.parts("preserve") or "[]"):
            return octets, True
        content = content_for(self._of("preserve").asking, "preserve")
        if not content.text.strip():
            return None
        # With a byte order mark, as the charset of the headers is that of the original octets.
        reduced = content.html_with_statements.encode("utf-8-sig")
        # The copy will be read in place of the page: it is kept only if it has the same statements.
        headers = of_whole(self.page.headers)
        reread = carriers(reduced, url=self.response.url, headers=headers, length=len(reduced)).page
        return (reduced, False) if reread.skeleton().html == self.page.skeleton().html else None

    def parts(self, usage: str) -> str:
        """The parts of it that may be used, as a text to compare: empty for all of it.

        Elements with statements are given by their numbers, which are the same in the skeleton.
        """
        whole = _replacements(self.restrictions(usage)) if self.page.is_page or self._is_replaced(usage) else []
        parts = list(whole)
        for number, decision in self._elements(usage):
            if not decision.permitted:
                parts.append(f"{number}: {decision.outcome}")
            elif (own := _replacements(decision.restrictions)) != whole:
                parts.append(f"{number}: {', '.join(own)}")
        return json.dumps(parts) if parts else ""

    def _elements(self, usage: str) -> Iterator[tuple[int, Decision]]:
        """The elements of the whole page with statements, if the usage is permitted, each with the decision on it."""
        if self.permits(usage):
            of = self._of(usage)
            yield from _elements(of.asking if self._whole is None else self._whole.asking(**of.question), usage)

    @cached_property
    def _whole(self) -> PagePolicy | None:
        """The skeleton of the whole page, if the octets are a part of it."""
        version = self.response.version
        is_part = self.response.octets is not None and version is not None and version.parts and version.is_html
        return page_without_content(version) if is_part and version is not None else None

    def exceeds(self, usage: str, parts: str) -> bool:
        """Whether the content, of which `parts` were kept, has a part that may not be used now."""
        if self.parts(usage) == Extent.read(parts).parts:
            return False
        return not parts or any(
            restriction.name in ("must-use-resource", "excluded-element") for restriction in self.restrictions(usage)
        )

    def _is_replaced(self, usage: str) -> bool:
        """Whether a permission requires another resource in place of this one."""
        for restriction in self.restrictions(usage):
            if isinstance(restriction, ResourceRestriction) and restriction.name == "must-use-resource":
                try:
                    if restriction.uri is None or resolve(self.response.url, restriction.uri) != self.response.url:
                        return True
                except ValueError:
                    return True
        return False

    def required(self, usage: str) -> list[tuple[str, str]]:
        """Other resources that a permission requires: the restriction that does, and the URL.

        A resource that requires itself meets that requirement.
        """
        required = []
        for restriction in self.restrictions(usage):
            if isinstance(restriction, ResourceRestriction) and restriction.uri is not None:
                try:
                    url = resolve(self.response.url, restriction.uri)
                except ValueError:
                    continue
                if url != self.response.url:
                    required.append((restriction.name, url))
        return required

    def expires(self, usages: Iterable[str] = KEPT) -> datetime | None:
        """When the first permission for a kept usage ends, of the page or of a part; None if none ends by itself."""
        ends = [
            end
            for usage in usages
            for restriction in self._limits(usage)
            if isinstance(restriction, TimeLimit)
            and (end := restriction.expires(usage, self.state.facts)) is not None
            and end > self.response.at
        ]
        if self.state.exemption is not None and self.in_use is not None:
            uses = self.state.exemption.uses
            own = self.in_use.expires([usage for use in uses for usage in use.naming.own])
            ends += [end for end in (own, *(use.end for use in uses)) if end is not None]
        return min(ends, default=None)

    def _limits(self, usage: str) -> Iterator[Restriction]:
        yield from self.restrictions(usage)
        for _, decision in self._elements(usage):
            if decision.permitted:
                yield from decision.restrictions
        if self._later is not None:
            yield from self._of_latest._limits(usage)

    def recorded(self, usage: str) -> dict[str, Any]:
        """The decision in the form of the ledger, with the known facts."""
        record, known = record_of(self.decisions[usage]), self._of(usage).state.facts
        facts = {name: at.isoformat() for name in _FACTS if (at := getattr(known, name)) is not None}
        return {**record, "facts": facts} if facts else record


def _is_of_all(decision: Decision) -> bool:
    """Whether a decision is on the whole of a page, without an element to leave out."""
    return all(restriction.name != "excluded-element" for restriction in decision.restrictions)


def _elements(asking: Asking, usage: str) -> Iterator[tuple[int, Decision]]:
    """The elements of a page with statements, by number, each with the decision on it."""
    regions = asking.regions
    if regions is None or not regions.matter_to(usage):
        return
    known: dict[object, Decision] = {}
    for number, region in enumerate(regions.list):
        signature = region.signature(usage)
        if signature not in known:
            known[signature] = asking.decide_on(region, usage)
        yield number, known[signature]


def _replacements(restrictions: Iterable[Restriction]) -> list[str]:
    return sorted(str(restriction) for restriction in restrictions if restriction.name == "must-use-resource")
