"""The judgement of a crawled version: what may be done with it, by its site's policy, its own words and the facts.

The laws of this module:

1. What may be kept is derived from the content that may be used, part by part, and from nothing else.
2. A version is judged by the same words whether its octets are kept or not: its skeleton replaces missing octets.
3. Three sources judge it: its site's current policy, the version itself, and the latest response of the resource,
   which can only restrict. The link and the original belong to the resource, not to a version: only the latest response
   decides on them.
4. A copy of a resource that is closed to crawling, but fetched for the use of others (`harvest.uses`), may be kept if
   one is needed. Nothing else is permitted of it by itself.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property, lru_cache
from typing import Any

from acap.carriers import carriers
from acap.crawlers import Crawler
from acap.decision import Cited, Decision, Outcome, Reason
from acap.harvest.latest import Latest, of_whole, page_of_headers, page_without_content
from acap.harvest.passages import UNTOLD, Letters, Passages, letters_of, passages_of
from acap.harvest.resource import Resource, Version
from acap.harvest.uses import Naming, Opened, namings, refusal
from acap.pages.asking import Asking
from acap.pages.extraction import Content, content_for
from acap.pages.headers import PAGES, media_type
from acap.pages.links import Targets, targets
from acap.pages.page import PagePolicy
from acap.restrictions import Facts, ResourceRestriction, Restriction, TimeLimit
from acap.retrieval.answers import Headers
from acap.retrieval.locations import resolve
from acap.robots import RobotsPolicy, parse_robots
from acap.statement import Source
from acap.usages import WORDS

PRESENT = tuple(usage for usage in WORDS if usage.startswith("present-"))
USAGES = ("crawl", "follow", "index", "preserve", *PRESENT)
OF_RESOURCE = ("present-link", "present-original")
"""Usages of the resource as a whole: the answer is the same for every version of it."""

KEPT = ("index", "preserve")
"""Usages for which something is held."""

_TEXTS = (*PAGES, "text/plain")
_CITED = 8  # statements that are kept with a decision
_REMEMBERED = 1024  # policies
_TOLD_OF_VERSIONS = frozenset({"crawl", "preserve", "other", "present", *PRESENT})


@dataclass
class Judgement:
    """The decisions on one version, each made once.

    `page` is its own policy or skeleton, `others` are further sources. `skeleton` is that of the whole page where
    `page` is a partial copy. `latest` is the resource's latest response, None where this version is that response.
    `is_older`: the latest response is another version. `is_bare`: the octets are missing, so that `page` has no
    content. `heard` are headers received after this response, where it comes from an archive.

    `opened` are the uses for which the resource is fetched though closed to crawling; `in_use` is the judgement for
    them.
    """

    url: str
    crawler: Crawler
    at: datetime
    facts: Facts
    robots: RobotsPolicy
    page: PagePolicy
    others: tuple[Source, ...] = ()
    media: str = ""
    text: str | None = None
    skeleton: PagePolicy | None = None
    latest: Latest | None = None
    is_older: bool = False
    is_bare: bool = False
    heard: PagePolicy | None = None
    opened: Opened | None = None
    in_use: Judgement | None = None
    _contents: dict[str, Content] = field(default_factory=dict)
    _records: dict[str, dict[str, Any]] = field(default_factory=dict)
    _restrictions: dict[str, tuple[Restriction, ...]] = field(default_factory=dict)

    @cached_property
    def decisions(self) -> dict[str, Decision]:
        """The decision for each of `USAGES`."""
        found = self.asking.decide_each(USAGES)
        for asking in self._beside:
            for usage in _SPOKEN:
                found[usage] = stricter(found[usage], asking.decide_on(None, usage))
        if self.is_older and self.latest is not None:
            for usage in _OF_VERSIONS:
                if found[usage].outcome != Outcome.PROHIBITED:
                    found[usage] = self._by_elements(self.latest, usage, found[usage])
            found |= {usage: self._of_resource.decisions[usage] for usage in OF_RESOURCE}
        if self._of("preserve") is not self:
            found["preserve"] = self._of("preserve").decisions["preserve"]
        return found

    def for_use(self, resource: Resource | None) -> Judgement:
        """The same judgement for the use by pages of its site that name it: a prohibition of crawling does not count.

        A resource that was never indexed by itself counts as indexed, for others, since it was first fetched.
        """
        facts = self.facts
        if resource is not None and resource.first_indexed is None and resource.first_crawled is not None:
            facts = replace(facts, first_indexed=resource.first_crawled)
        return replace(
            self, robots=self.robots.for_use(), facts=facts, opened=None, in_use=None, _contents={}, _records={},
            _restrictions={},
        )  # fmt: skip

    def _of(self, usage: str) -> Judgement:
        """The judgement that decides a usage: `in_use` decides on a copy that others need."""
        needs_copy = usage == "preserve" and self.opened is not None and self.opened.needs_copy
        return self.in_use if needs_copy and self.in_use is not None else self

    def namings(self, usage: str) -> list[Naming]:
        """Other resources of its site that the site's statements name for a usage."""
        return list(namings(self.url, self.decisions[usage], usage))

    def names(self, url: str, usage: str) -> bool:
        """Whether those include another resource."""
        return any(one.url == url for one in self.namings(usage))

    @cached_property
    def _beside(self) -> list[Asking]:
        """The questions to the latest response, where this version is not it: as a whole, not by elements."""
        latest = self.latest
        asked = {**self.asked, "others": ()}
        pages = [self.heard]
        if latest is not None:
            pages += [latest.page if self.is_older else None, latest.headers]
        return [page.asking(**asked) for page in pages if page is not None]

    @cached_property
    def _of_resource(self) -> Judgement:
        """The judgement of the latest response itself."""
        latest = self.latest
        assert latest is not None
        return Judgement(
            self.url, self.crawler, self.at, latest.facts, self.robots, latest.page, media=latest.version.media,
            latest=latest,
        )  # fmt: skip

    def _by_elements(self, latest: Latest, usage: str, own: Decision) -> Decision:
        """The decision on an earlier version that may contain a text which an element of the latest response prohibits.

        DEVIATION: a version with such a text is prohibited as a whole. The surroundings of a text in one version do not
        tell what belongs to it in another.
        """
        if latest.lacks_passages:
            return _prohibited(own, ())
        asking = self._of_resource.asking
        regions = asking.regions
        if regions is None or not regions.matter_to(usage):
            return own
        known: dict[object, Decision] = {}
        prohibiting: list[Decision] = []
        passages: list[Passages] = []
        for number, region in enumerate(regions.list):
            signature = region.signature(usage)
            if signature not in known:
                known[signature] = asking.decide_on(region, usage)
            if known[signature].outcome == Outcome.PROHIBITED:
                of_it = latest.passages(number)
                if of_it is None:
                    return known[signature]
                prohibiting.append(known[signature])
                passages.append(of_it)
        if not passages:
            return own
        letters = self._letters(usage)
        found = 0 if letters is None else letters.first(passages)
        return own if found is None else prohibiting[found]

    def _letters(self, usage: str) -> Letters | None:
        """The letters of this version's usable content; None if they cannot be told, as from a skeleton."""
        if self.is_bare:
            return None
        if self.text is not None:
            return Letters((self.text,))
        document = self.asking.carried.document
        # The content without the parts that its own page prohibits, unless another resource must be used.
        return None if document is None or not self.page.is_page else letters_of(self.asking, usage)

    @cached_property
    def asking(self) -> Asking:
        """The question, without the usage."""
        return self.page.asking(**self.asked)

    def permits(self, usage: str) -> bool:
        """Whether a usage is permitted, under whatever restrictions."""
        return self.decisions[usage].permitted

    @property
    def asked(self) -> dict[str, Any]:
        """The question, without the usage, as arguments for the page's methods."""
        return {
            "crawler": self.crawler,
            "at": self.at,
            "facts": self.facts,
            "robots": self.robots,
            "others": self.others,
            "url": self.url,
        }

    def content(self, usage: str) -> Content:
        """The content that may be used for a usage."""
        if usage not in self._contents:
            self._contents[usage] = content_for(self._of(usage).asking, usage)
        return self._contents[usage]

    def targets(self) -> Targets:
        """Where the links of the page lead."""
        found = targets(self.asking)
        if all(asking.decide_on(None, "follow").permitted for asking in self._beside):
            return found
        return Targets([], found.refused + len(found.permitted), [])

    def index_text(self) -> tuple[str, str] | None:
        """Title and text for the index; None if there is no text, or none that may be indexed."""
        if not self.permits("index"):
            return None
        if self.text is not None:
            return ("", self.text) if self.text.strip() and not self._is_replaced("index") else None
        if self.media not in _TEXTS and self.media:
            return None
        text = self.content("index").text
        if not text.strip():
            return None
        first, _, rest = text.partition("\n")
        return (first, rest) if rest else ("", text)

    def copy_octets(self, octets: bytes) -> tuple[bytes, bool] | None:
        """The octets that may be preserved, and whether they are all of them; None if none may be."""
        if not self.permits("preserve"):
            return None
        if not json.loads(self.parts("preserve") or "[]"):
            return octets, True
        content = self.content("preserve")
        if not content.text.strip():
            return None
        # With a byte order mark, as the charset of the headers is that of the original octets.
        reduced = content.html_with_statements.encode("utf-8-sig")
        # The copy will be read in place of the page: it is kept only if it has the same statements.
        said = carriers(reduced, url=self.url, headers=of_whole(self.page.headers), length=len(reduced)).page
        return (reduced, False) if said.skeleton().html == self.page.skeleton().html else None

    def restrictions(self, usage: str) -> tuple[Restriction, ...]:
        """The restrictions of a usage; none where it is not permitted."""
        if usage not in self._restrictions:
            self._restrictions[usage] = self.decisions[usage].restrictions if self.permits(usage) else ()
        return self._restrictions[usage]

    def parts(self, usage: str) -> str:
        """The parts of it that may be used, as a text to compare: empty for all of it.

        Elements with statements are given by their numbers, which are the same in the skeleton.
        """
        whole = _required(self.restrictions(usage)) if self.page.is_page or self._is_replaced(usage) else []
        told = list(whole)
        if self.permits(usage):
            for number, decision in self._elements(usage):
                if not decision.permitted:
                    told.append(f"{number}: {decision.outcome}")
                elif (own := _required(decision.restrictions)) != whole:
                    told.append(f"{number}: {', '.join(own)}")
        return json.dumps(told) if told else ""

    def _elements(self, usage: str) -> Iterator[tuple[int, Decision]]:
        """The elements of the whole page with statements, by number, each with the decision on it."""
        of = self._of(usage)
        asking = of.asking if self.skeleton is None else self.skeleton.asking(**of.asked)
        regions = asking.regions
        if regions is None or not regions.matter_to(usage):
            return
        known: dict[object, Decision] = {}
        for number, region in enumerate(regions.list):
            signature = region.signature(usage)
            if signature not in known:
                known[signature] = asking.decide_on(region, usage)
            yield number, known[signature]

    def has_more(self, usage: str, held: str) -> bool:
        """Whether the available content, of which the parts `held` were kept, has a part that may not be used now."""
        return self.parts(usage) != held.partition("\n")[0] and (not held or self.leaves_out(usage))

    def leaves_out(self, usage: str) -> bool:
        """Whether a part of the available content may not be used."""
        return bool(_parts(self.restrictions(usage)))

    def _is_replaced(self, usage: str) -> bool:
        """Whether a permission requires another resource in place of this one."""
        for restriction in self.restrictions(usage):
            if isinstance(restriction, ResourceRestriction) and restriction.name == "must-use-resource":
                try:
                    if restriction.uri is None or resolve(self.url, restriction.uri) != self.url:
                        return True
                except ValueError:
                    return True
        return False

    def required(self, usage: str) -> list[tuple[str, str]]:
        """Other resources that a permission requires: the restriction that does, and the URL.

        A resource that requires itself meets that requirement.
        """
        found = []
        for restriction in self.restrictions(usage):
            if isinstance(restriction, ResourceRestriction) and restriction.uri is not None:
                try:
                    url = resolve(self.url, restriction.uri)
                except ValueError:
                    continue
                if url != self.url:
                    found.append((restriction.name, url))
        return found

    def requirements(self) -> list[tuple[str, str, str]]:
        """Usage, restriction and URL of every other resource that is required."""
        usages = ("index", *PRESENT)
        return list(dict.fromkeys((usage, *one) for usage in usages for one in self.required(usage)))

    def expires(self, usages: Iterable[str] = KEPT) -> datetime | None:
        """When the first permission for a held usage ends, of the page or of a part; None if none ends by itself."""
        ends = [
            end
            for usage in usages
            for restriction in self._limits(usage)
            if isinstance(restriction, TimeLimit)
            and (end := restriction.expires(usage, self.facts)) is not None
            and end > self.at
        ]
        if self.opened is not None and self.in_use is not None:
            own = [usage for use in self.opened.uses for usage in use.naming.own]
            ends += [end for use in self.opened.uses if (end := use.end) is not None]
            ends += [end for end in (self.in_use.expires(own),) if end is not None]
        return min(ends, default=None)

    def _limits(self, usage: str) -> Iterator[Restriction]:
        yield from self.restrictions(usage)
        if self.permits(usage):
            for _, decision in self._elements(usage):
                if decision.permitted:
                    yield from decision.restrictions
        if self.is_older:
            yield from self._of_resource._limits(usage)

    def leads(self) -> Leads:
        """Where the response leads."""
        permitted, refused, named = self.targets()
        requirements = self.requirements() if self._may_require() else []
        usages = dict.fromkeys(usage for usage, _, _ in requirements)
        wanted = (naming.url for usage in usages for naming in self.namings(usage) if naming.own)
        return Leads(tuple(permitted), refused, tuple(named), tuple(requirements), frozenset(wanted))

    def _may_require(self) -> bool:
        """Whether the policy, the page or its headers may say that another resource must be used or included."""
        page = self.page
        if not page.is_silent or any("resource" in value.lower() for _, value in page.headers):
            return True
        return _names_resources(self.robots)

    def passages(self, *, is_known: bool) -> str:
        """The passages of the elements with statements, as earlier versions of a known resource may contain them."""
        beside = {statement.usage for source in self.others for statement in source.statements(self.url)}
        if not beside.isdisjoint(_TOLD_OF_VERSIONS):
            return UNTOLD
        return passages_of(self.asking) if is_known and self.page.has_parts else ""

    @cached_property
    def record(self) -> dict[str, Any]:
        """The decisions as a store keeps them with the version: those on follow and on held usages in full."""
        record: dict[str, Any] = {usage: self.recorded(usage) for usage in ("follow", *KEPT)}
        record["present"] = {usage: str(self.decisions[usage].outcome) for usage in PRESENT}
        return record

    def recorded(self, usage: str) -> dict[str, Any]:
        """The decision in the form of the ledger."""
        if usage not in self._records:
            record = self._records[usage] = record_of(self.decisions[usage])
            if self._of(usage)._known:
                record["facts"] = self._of(usage)._known
        return self._records[usage]

    @cached_property
    def _known(self) -> dict[str, str]:
        """The known facts in the form of the ledger."""
        return {name: at.isoformat() for name in _FACTS if (at := getattr(self.facts, name)) is not None}


def _required(restrictions: Iterable[Restriction]) -> list[str]:
    return sorted(str(one) for one in restrictions if one.name == "must-use-resource")


def _parts(restrictions: Iterable[Restriction]) -> list[str]:
    return sorted(str(one) for one in restrictions if one.name in ("must-use-resource", "excluded-element"))


@dataclass(frozen=True, slots=True)
class Response:
    """A response to be judged: one that just came, or one that is held, which is a `version`.

    `octets`: None where no copy is held. The skeleton of the version stands for them then.
    """

    url: str
    at: datetime
    crawler: Crawler
    robots: RobotsPolicy
    headers: Headers
    octets: bytes | None
    version: Version | None = None


@dataclass(frozen=True, slots=True)
class Held:
    """What is held of the resource of a response; `facts` are those of the response.

    `latest` is the latest response, None where the one to be judged is new. `is_current`: no version succeeded it.
    `after` are headers that were received after it, where it comes from an archive. `may_serve`: some page requires
    another resource, perhaps this one. `opened` are the uses for which it is fetched though closed to crawling.
    """

    facts: Facts
    resource: Resource | None = None
    latest: Latest | None = None
    is_current: bool = True
    after: Headers = ()
    may_serve: bool = False
    opened: Opened | None = None


@dataclass(frozen=True, slots=True)
class Leads:
    """Where a response leads: to links that may be followed, and to resources that it requires.

    `refused` is how many links may not be followed; of those, `named` are the ones that a statement names, each with
    that statement. `requirements` are usage, restriction and URL of each required resource; `wanted` are those that the
    site itself names for a use that needs more than their URL.
    """

    links: tuple[str, ...]
    refused: int
    named: tuple[tuple[str, str], ...]
    requirements: tuple[tuple[str, str, str], ...]
    wanted: frozenset[str]


@dataclass(frozen=True, slots=True)
class Conclusion:
    """What a response comes to: plain values, which any process can make and any other can plan by.

    `record` has the decisions in the form of the ledger, by usage. `parts` and `required` are by usage, for what is
    kept; `named` are required resources that the site itself names for the index. `words` are what the index may hold,
    `supply` what it may hold for other pages, `copy` what may be preserved, and whether that is all of it; each is None
    if nothing is. `leaves_out`: a part of it may not be preserved. `end` is when the first permission ends.
    `usable` are the usages that are permitted apart from robots.txt, where that closes the resource to crawling.
    `leads` and `passages` are of a response that just came.
    """

    url: str
    media: str
    sha256: str
    skeleton: str
    permitted: frozenset[str]
    record: dict[str, Any]
    parts: dict[str, str]
    required: dict[str, list[tuple[str, str]]]
    named: frozenset[str]
    words: tuple[str, str] | None
    supply: tuple[str, str] | None
    copy: tuple[bytes, bool] | None
    leaves_out: bool
    end: datetime | None
    opened: Opened | None
    usable: frozenset[str] | None
    leads: Leads | None
    passages: str

    def permits(self, usage: str) -> bool:
        """Whether a usage is permitted, under whatever restrictions."""
        return usage in self.permitted

    def has_more(self, held: str) -> bool:
        """Whether a copy with the parts `held` has a part that may not be preserved now."""
        return self.parts["preserve"] != held.partition("\n")[0] and (not held or self.leaves_out)


def judge(response: Response, held: Held) -> Conclusion:
    """What may be done with a response. A function of its arguments alone: it needs no store, and any process can."""
    judgement = question(response, held)
    is_new, page = response.version is None, judgement.page
    may_serve = held.is_current and held.may_serve
    is_closed = may_serve and refusal(response.robots, response.url, response.crawler, response.at) is not None
    in_use = judgement.in_use or (judgement.for_use(held.resource) if is_closed else None)
    words = judgement.index_text() if held.is_current and response.octets is not None else None
    copied = response.octets is not None and (
        response.version is None or judgement.has_more("preserve", response.version.parts)
    )
    return Conclusion(
        response.url,
        judgement.media,
        hashlib.sha256(response.octets).hexdigest() if is_new and response.octets is not None else "",
        str(page.skeleton().html) if is_new and page.is_page and not page.is_silent else "",
        frozenset(usage for usage in ("follow", *KEPT) if judgement.permits(usage)),
        judgement.record,
        {usage: judgement.parts(usage) for usage in KEPT},
        {usage: judgement.required(usage) for usage in KEPT},
        frozenset(naming.url for naming in judgement.namings("index")) if judgement.required("index") else frozenset(),
        words,
        words if judgement.in_use is None or not is_new else judgement.in_use.index_text(),
        judgement.copy_octets(response.octets) if copied and response.octets is not None else None,
        judgement.leaves_out("preserve"),
        judgement.expires(),
        held.opened,
        None if in_use is None else frozenset(usage for usage in USAGES if in_use.permits(usage)),
        judgement.leads() if is_new else None,
        judgement.passages(is_known=held.resource is not None) if is_new else "",
    )


def question(response: Response, held: Held) -> Judgement:
    """The questions to a response, each answered when it is asked."""
    version, octets, headers = response.version, response.octets, response.headers
    if octets is not None:
        carried = carriers(octets, url=response.url, headers=headers, length=len(octets))
        page, others = carried.page, carried.others
    else:
        assert version is not None
        page, others = page_without_content(version), ()
    media = version.media if version is not None else media_type(headers) or (PAGES[0] if page.is_page else "")
    is_part = version is not None and octets is not None and bool(version.parts) and version.is_html
    judgement = Judgement(
        response.url, response.crawler, response.at, held.facts, response.robots, page, others, media,
        octets.decode("utf-8", "replace") if octets is not None and media == "text/plain" else None,
        page_without_content(version) if is_part and version is not None else None,
        held.latest, version is not None and held.latest is not None and held.latest.version.id != version.id,
        octets is None, page_of_headers(response.url, headers, held.after), held.opened,
    )  # fmt: skip
    if held.opened is not None:
        judgement.in_use = judgement.for_use(held.resource)
    return judgement


def response_of(
    version: Version, octets: bytes | None, *, at: datetime, crawler: Crawler, robots: RobotsPolicy
) -> Response:
    """A version that is held, as a response."""
    return Response(version.url, at, crawler, robots, of_whole(version.headers), octets, version)


@lru_cache(maxsize=_REMEMBERED)
def _names_resources(robots: RobotsPolicy) -> bool:
    """Whether a policy, with its references, names other resources."""
    # `must-use-resource`, `must-include-resource`, the older `used-resource`
    policies = (robots, *(parse_robots(data) for _, data in robots.supplied if data is not None))
    fields = (field for policy in policies for field in policy.outline.acap)
    return any("resource" in text.lower() for field in fields for text in field.texts("qualifier"))


_STRICTNESS = {Outcome.PERMITTED: 0, Outcome.CONDITIONAL: 1, Outcome.PROHIBITED: 2}
_SPOKEN = ("follow", *KEPT, *PRESENT)
_OF_VERSIONS = tuple(usage for usage in (*KEPT, *PRESENT) if usage not in OF_RESOURCE)


def stricter(own: Decision, more: Decision) -> Decision:
    """The joint decision of two sources: the stricter outcome, and the restrictions of both.

    DEVIATION: a resource that another response says must be used cannot be identified by this one, so the usage that
    requires it is prohibited.
    """
    difference = _STRICTNESS[more.outcome] - _STRICTNESS[own.outcome]
    if difference or own.outcome == Outcome.PROHIBITED:
        return more if difference > 0 else own
    held = set(map(str, own.restrictions))
    added = [one for one in more.restrictions if one.name != "excluded-element" and str(one) not in held]
    if not added:
        return own
    if any(one.name == "must-use-resource" for one in added):
        return _prohibited(own, more.reason.decided_by)
    reason = replace(own.reason, decided_by=(*own.reason.decided_by, *more.reason.decided_by))
    return Decision._kept(
        {
            **own._fields(),
            "held": [*own._held(), *more._held()],
            "stated": own.stated or more.stated,
            "restrictions": (*own.restrictions, *added),
            "reason": reason,
        }
    )


def _prohibited(own: Decision, cited: tuple[Cited, ...]) -> Decision:
    reason = Reason("statement" if cited else "element-level", cited)
    return Decision._kept(
        {**own._fields(), "outcome": Outcome.PROHIBITED, "stated": True, "restrictions": (), "reason": reason}
    )


_FACTS = ("first_indexed", "first_preserved", "first_available", "last_crawled")
_TOLD = ("source", "line", "element", "header", "text", "effect", "usage", "dialect")


def record_of(decision: Decision) -> dict[str, Any]:
    """A decision in the form of the ledger: outcome, kind, restrictions, and the statements that decided."""
    reason = decision.reason
    return {
        "outcome": str(decision.outcome),
        "kind": reason.kind,
        "restrictions": [str(one) for one in decision.restrictions],
        "statements": [
            {name: value for name in _TOLD if (value := getattr(one, name)) is not None}
            for one in reason.decided_by[:_CITED]
        ],
    }
