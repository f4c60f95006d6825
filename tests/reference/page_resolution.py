"""The answer to a question about a page: its own statements, its elements', its site's, and the conventional words.

ACAP resolves as in robots.txt, with one more key: within a tier the inner part counts first (P2 2.2.8). Words, headers
and `data-nosnippet` are dialects of their own; of all verdicts the strictest stands.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime
from functools import cached_property
from typing import Any

from .canonical import canonical_path, check_asked, origin
from .crawler import Crawler, as_crawler, askers, names_of, others_of
from .decision import Decision, above_statements, beside_tokens, breaks_silence, parts_asked, silence_prohibits
from .decision import decide_part as decide_by_site
from .page import Page, mining_of
from .page_hearing import ELEMENT_LEVEL, Site, element_statements, header_statements, page_statements
from .page_html import Element
from .page_words import ANSWERS, TEXTS, Effect, effects, names_among, verdicts
from .policy import Policy
from .resolution import Question, Ruling, heeded, rule
from .restrictions import Facts, Restriction
from .statements import Statement
from .usages import EVERY, USAGES, covers, dependencies, to_others

ALWAYS_HONOURED = {"excluded-purpose", "excluded-element"}

Source = Callable[[str], str]
"""A dialect beside the page: its word for a usage, or `silent`."""


@dataclass(frozen=True)
class PageCrawler(Crawler):
    """A crawler, whether it can work on parts of a page, and whose reading of words it follows."""

    elements: bool = True
    profile: str = "generic"


@dataclass(frozen=True)
class Heard(Policy):
    """A site's policy with what a page adds for one crawler: statements, each with whether it names the crawler."""

    added: tuple[tuple[Statement, bool], ...] = ()

    def statements(self, crawler: Crawler) -> list[tuple[Statement, bool]]:
        return [*super().statements(crawler), *self.added]

    def purposes(self, crawler: Crawler) -> list[str]:
        written = [*super().purposes(crawler), *(each for statement, _ in self.added for each in statement.purposes)]
        return list(dict.fromkeys(written))


@dataclass(frozen=True)
class Setting:
    """A page as one crawler hears it, for one question: page, site, the words that count."""

    page: Page
    site: Site
    crawler: PageCrawler
    path: str
    at: datetime
    facts: Facts
    words: tuple[Effect, ...]
    others: tuple[Source, ...] = ()
    mining_file: str = "silent"

    @cached_property
    def added(self) -> list[tuple[Statement, bool]]:
        """What tags and headers of the page add to the site's statements, each with whether it names the crawler."""
        names, others = names_of(self.crawler), others_of(self.crawler)
        of_tags = page_statements(self.page, self.site, names, others, self.path)
        of_headers = header_statements(self.page, self.site, [*names, *others], self.path)
        return [*((statement, addressee is not None) for statement, addressee in of_tags), *of_headers]


def decide_page(
    page: Page,
    url: str,
    *,
    crawler: str | Sequence[str] | Crawler,
    usage: str | Sequence[str] = "crawl",
    purpose: str | Sequence[str] | None = None,
    at: datetime | None = None,
    facts: Any = None,
    site: Site | None = None,
    others: Sequence[Source] = (),
    mining_file: str = "silent",
) -> Decision:
    """The decision on a page as a whole. ValueError for the asker's mistakes, as `decide` has them.

    `others` are dialects beside it, each of which has a word for every usage; `mining_file` is TDMRep's for the site.
    """
    setting = setting_of(page, url, crawler, at, facts, site)
    setting = replace(setting, others=tuple(others), mining_file=mining_file)
    usages = [usage] if isinstance(usage, str) else list(usage)
    parts = [part for name in usages for part in parts_asked(setting.site.policy, name)]
    for part in parts:
        if part not in {*USAGES, EVERY} and part not in known_usages(setting):
            raise ValueError(f"unknown usage `{part}`")
    purposes = [purpose] if purpose is None or isinstance(purpose, str) else list(purpose)
    rulings = []
    for part in parts:
        rulings += [(part, decide_part(setting, part, each)) for each in purposes]
        rulings += [(part, ruling) for each in purposes for ruling in by_other_names(setting, part, each)]
    refused = [ruling for _, ruling in rulings if not ruling.permitted]
    conditional = [ruling for _, ruling in rulings if ruling.conditional]
    deciding = refused or conditional or [ruling for _, ruling in rulings]
    stated = [ruling for ruling in deciding if ruling.kind != "silence"]
    restrictions: list[tuple[str, ...]] = []
    for part, ruling in rulings if not refused else ():
        restrictions += [(each.name, each.value, *([part] if len(parts) != 1 else [])) for each in ruling.restrictions]
    return Decision(
        outcome=deciding[0].outcome,
        kind=(stated or deciding)[0].kind,
        stated=any(ruling.stated for _, ruling in rulings),
        restrictions=tuple(dict.fromkeys(restrictions)),
    )


def by_other_names(setting: Setting, usage: str, purpose: str | None) -> list[Ruling]:
    """What the site's robots.txt says to the further names of the crawler's User-Agent string."""
    policy = setting.site.policy
    _, *others = askers(setting.crawler, policy.names_crawler)
    return [
        decide_by_site(Question(policy, asker, setting.path, setting.path, purpose, setting.at, setting.facts), usage)
        for asker in others
    ]


def permitted_elements(
    page: Page,
    url: str,
    *,
    crawler: str | Sequence[str] | Crawler,
    usage: str,
    purpose: str | None = None,
    at: datetime | None = None,
    facts: Any = None,
    site: Site | None = None,
) -> list[Element]:
    """The elements whose own content may be used, in document order; of a prohibited page those that permit it.

    What is permitted under a licence alone, which nobody has shown here, may not be used.
    """
    setting = setting_of(page, url, crawler, at, facts, site)
    parts = parts_asked(setting.site.policy, usage)

    def is_permitted(element: Element | None) -> bool:
        return all(ruling_on(setting, part, purpose, element).outcome == "permitted" for part in parts)

    return [element for element in page.elements if is_permitted(element if setting.crawler.elements else None)]


def setting_of(
    page: Page, url: str, crawler: str | Sequence[str] | Crawler, at: datetime | None, facts: Any, site: Site | None
) -> Setting:
    """What a question is asked of. ValueError for another origin, an instant without zone, a crawler without name."""
    site = site or Site.read(b"", None)
    check_asked(url, site.policy.dialect)
    if site.policy.url is not None and origin(url) not in {None, origin(site.policy.url)}:
        raise ValueError(f"`{url}` is of another origin")
    if at is not None and at.tzinfo is None:
        raise ValueError("the instant has no time zone")
    asker = as_page_crawler(crawler)
    return Setting(
        page=page,
        site=site,
        crawler=asker,
        path=canonical_path(url),
        at=at or datetime.now(UTC),
        facts=Facts() if facts is None else Facts.of(facts),
        words=tuple(words_heard(page, site, asker)),
    )


def as_page_crawler(crawler: str | Sequence[str] | Crawler) -> PageCrawler:
    """The crawler somebody means."""
    found = as_crawler(crawler)
    return found if isinstance(found, PageCrawler) else PageCrawler(found.names, found.honours, found.silence)


def known_usages(setting: Setting) -> set[str]:
    """The usages that the site or the page names, whomever it speaks to."""
    said = [*setting.page.tags, *setting.page.in_headers, *setting.page.classes]
    named = {usage for each in said for _, usage, *_ in setting.site.parts_of(each, setting.page.version_number)}
    return setting.site.policy.known_usages() | named


def words_heard(page: Page, site: Site, crawler: PageCrawler) -> list[Effect]:
    """What the words come to, those of META tags aside in whose place one of ACAP speaks, in the same tier (P2 2.1)."""
    names, others = names_of(crawler), others_of(crawler)
    acap = {
        (statement.usage, addressee is None)
        for statement, addressee in page_statements(page, site, names, others, "/")
        if statement.permits and statement.lifts and not statement.purposes
    }
    own = [word for word in page.words if word.addresses(names)]
    to_others = [word for word in page.words if word not in own and word.addresses(others)]
    heard = effects([*own, *to_others], names_among(own), crawler.profile, is_image=page.is_image)
    return [
        effect
        for effect in heard
        if effect.word.is_header
        or effect.word in to_others
        or (effect.usage, effect.word.addressee is None) not in acap
    ]


def decide_part(setting: Setting, usage: str, purpose: str | None) -> Ruling:
    """The ruling on the page for one usage and purpose; of XHTML the stricter of both readings' rulings."""
    page = setting.page
    if page.xml is None:
        return decide_reading(setting, usage, purpose)
    told = any(one.classes or one.nosnippet for one in (page, page.xml))
    whole = told and not (page.well_formed and page.divided)
    crawler = replace(setting.crawler, elements=setting.crawler.elements and not whole)
    readings = [replace(setting, page=one, crawler=crawler) for one in (page, page.xml)]
    heard = [replace(one, words=tuple(words_heard(one.page, one.site, one.crawler))) for one in readings]
    rulings = [decide_reading(one, usage, purpose) for one in heard]
    refused = [ruling for ruling in rulings if not ruling.permitted]
    if refused:
        return refused[0]
    held = [each for ruling in rulings for each in ruling.restrictions]
    spoken = [ruling for ruling in rulings if ruling.stated]
    return replace((spoken or rulings)[0], restrictions=tuple(dict.fromkeys(held)))


def decide_reading(setting: Setting, usage: str, purpose: str | None) -> Ruling:
    """The ruling on one reading of the page, with the elements that are excluded."""
    ruling = ruling_on(setting, usage, purpose, None)
    if not ruling.permitted or not setting.crawler.elements:
        return ruling
    speaking = [said.element for said in setting.page.classes if said.element] + setting.page.nosnippet
    permitted: dict[Element, bool] = {}
    excluded = []
    for element in (element for element in setting.page.elements if element in speaking):
        around = next((permitted[each] for each in element.chain[1:] if each in permitted), True)
        permitted[element] = ruling_on(setting, usage, purpose, element).permitted
        if around and not permitted[element]:
            excluded.append(Restriction("excluded-element", element.locator, 0))
    return replace(ruling, restrictions=(*ruling.restrictions, *excluded))


def ruling_on(setting: Setting, usage: str, purpose: str | None, element: Element | None) -> Ruling:
    """The ruling on the page, or on one of its elements, and whether the crawler can keep its restrictions."""
    added = setting.added
    if element or not setting.crawler.elements:
        of_element = element_statements(setting.page, setting.site, setting.path, element)
        added = [*added, *((one, False) for one in of_element)]
    policy = setting.site.policy
    question = Question(
        policy=Heard(**{one.name: getattr(policy, one.name) for one in fields(policy)}, added=tuple(added)),
        crawler=setting.crawler,
        url=setting.path,
        path=setting.path,
        purpose=purpose,
        at=setting.at,
        facts=setting.facts,
    )
    ruling = with_dependencies(setting, question, usage, element)
    honours = setting.crawler.honours
    kept = honours is None or {each.name for each in ruling.restrictions} <= {*honours, *ALWAYS_HONOURED}
    return ruling if kept or not ruling.permitted else Ruling(False, "not-honoured", ruling.stated)


def with_dependencies(setting: Setting, question: Question, usage: str, element: Element | None) -> Ruling:
    """The ruling on one usage, what it depends on included (G 2.4)."""
    above = above_statements(question, usage)
    if above:
        return above
    needed = {each: with_dependencies(setting, question, each, element) for each in dependencies(usage)}
    for name, other in needed.items():
        if not other.permitted:
            return Ruling(False, f"{name}-prohibited", other.stated)
    own = rule(question, usage)
    if own.lines == {ELEMENT_LEVEL} and not own.permitted:
        own = replace(own, kind="element-level")
    is_spoken = breaks_silence(question, usage, own)
    of_site = replace(question, policy=setting.site.policy)
    own = beside_tokens(of_site, usage, heeded(question, usage, own))
    told = [each for each in (own, nosnippet(setting, usage, element), *signals(setting, usage)) if each]
    worded = [each for each in verdicts(setting.words, usage, setting.at) if each]
    speaking = [*told[:1], *worded, *told[1:]]
    for each in speaking:
        if not each.permitted:
            return each
    stated = any(each.stated for each in speaking)
    # A reservation, a licence and words that only take away break no silence.
    is_spoken |= any(each.stated and not each.conditional for each in told[1:])
    if not is_spoken and silence_prohibits(setting.crawler, usage):
        return Ruling(False, "silence", False)
    restrictions = [each for ruling in (*speaking, *needed.values()) for each in ruling.restrictions]
    conditional = any(each.conditional for each in speaking)
    stated |= bool(own.restricting)  # what only restricts is stated, and breaks no silence
    kind = own.kind if own.conditional else "statement" if stated else "silence"
    return Ruling(True, kind, stated, tuple(dict.fromkeys(restrictions)), conditional=conditional)


def signals(setting: Setting, usage: str) -> list[Ruling]:
    """What the headers' preferences come to, a ruling for each dialect, and what reserves or licenses mining."""
    found = []
    usage = to_others(usage)
    for dialect in ("content-signal", "content-usage"):
        heard = [
            one
            for one in setting.page.preferences
            if one.dialect == dialect and any(covers(each, usage) for each in one.usages)
        ]
        if any(one.says != "yes" for one in heard):
            found.append(Ruling(False, "statement", True))
        elif heard:
            found.append(Ruling(True, "statement", True))
    mining = mining_of(setting.page, setting.mining_file) if covers("tdm", usage) else None
    if mining is not None:
        found.append(Ruling(mining != "prohibited", "statement", True, conditional=mining == "conditional"))
    licensed = setting.page.licensed or (setting.page.xml is not None and setting.page.xml.licensed)
    if licensed and covers("tdm", usage):
        found.append(Ruling(True, "statement", True, conditional=True))
    for word in (says(usage) for says in setting.others):
        if word != "silent":
            found.append(Ruling(word != "prohibited", "statement", True, conditional=word == "conditional"))
    return found


def nosnippet(setting: Setting, usage: str, element: Element | None) -> Ruling | None:
    """What `data-nosnippet` says of an element; of the page, if the crawler cannot leave elements out."""
    if usage not in {*TEXTS, *ANSWERS.get(setting.crawler.profile, ())}:
        return None
    marked = setting.page.nosnippet
    if not setting.crawler.elements:
        return Ruling(False, "element-level", True) if marked else None
    inside = element is not None and any(each in marked for each in element.chain)
    return Ruling(False, "statement", True) if inside else None
