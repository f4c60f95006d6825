"""Doubt is firm: what stands beside a damaged line never lifts what the undamaged one said.

A misspelt keyword, or a control character, is replaced by the strictest that it may have been: by a broader usage, more
resources, a refusal in place of a condition. Beside a permission that is narrower than that, and not than what was
written, nothing may come of it. `ACAP_EXAMPLES` says how many texts are tried, `ACAP_SEED` where to begin.
"""

from __future__ import annotations

import html
import os
from collections.abc import Callable
from random import Random
from typing import NamedTuple

import pytest

import acap
from tests import reference
from tests.property.test_slip_laws import PRINTABLE, SITE, is_looser, slips_of
from tests.reference.page import read_page
from tests.reference.page_hearing import Site
from tests.reference.page_resolution import PageCrawler, decide_page

EXAMPLES = int(os.environ.get("ACAP_EXAMPLES", "200"))
SEED = os.environ.get("ACAP_SEED", "1")
Answers = dict[object, tuple[bool, frozenset[tuple[str, str]]]]
ASKED = ("crawl", "index", "present", "present-snippet", "preserve", "ai-train-generative", "other")
PATHS = ("/a", "/ab", "/a/b", "/c")


def by_native(text: bytes, crawler: str = "bot") -> Answers:
    """What a robots.txt says on some usages, of some paths, with a purpose and without."""
    policy = acap.parse_robots(text, url=f"{SITE}/robots.txt")
    found: Answers = {}
    for usage in ASKED:
        for path in PATHS:
            for purpose in (None, "news"):
                decision = policy.decide(path, crawler=crawler, usage=usage, purpose=purpose)
                held = frozenset((each.name, each.value) for each in decision.restrictions)
                found[usage, path, purpose] = decision.permitted, held
    return found


def by_reference(text: bytes, crawler: str = "bot") -> Answers:
    """The same of the other engine."""
    policy = reference.read(text, url=f"{SITE}/robots.txt")
    found: Answers = {}
    for usage in ("crawl", "index", "present-snippet", "preserve"):
        for path in PATHS:
            decision = reference.decide(policy, path, crawler=crawler, usage=usage, purpose="news")
            held = frozenset((each[0], each[1]) for each in decision.restrictions)
            found[usage, path, "news"] = decision.outcome == "permitted", held
    return found


ENGINES = pytest.mark.parametrize(("engine", "share"), [(by_native, 1), (by_reference, 8)])
Engine = Callable[[bytes], Answers]

PATTERNS = ("/", "/a", "/a/b", "/a*", "*b$")
RESOURCES = (*PATTERNS, "acap:resource-set:s")
ODD_RESOURCES = ("acap:resource-set:nowhere", f"{SITE}/a", f"/c {SITE}/a", f"/c,{SITE}/a", "/c acap:resource-set:s")
CONDITIONS = (
    "time-limit=5-days",
    "time-limit=until-2001-01-01",
    "max-length=5-words",
    "must-use-resource=/sum",
    "must-use-resource=the-acap:idlist:a",
)
USAGES = ("index", "present", "present-snippet", "ai-train", "ai-train-generative", "other")


class Said:
    """What the line says that is damaged."""

    def __init__(self, chosen: Random) -> None:
        self.verb = chosen.choice(("allow", "disallow"))
        self.usage = chosen.choice(USAGES)
        self.path = chosen.choice(PATTERNS)
        self.resource = chosen.choice((*RESOURCES, *ODD_RESOURCES))
        self.condition = chosen.choice(CONDITIONS)
        self.purpose = chosen.choice(("", "news "))

    def of_local(self, name: str) -> str:
        """A line of a local usage; as a permission it has a condition."""
        condition = f" {self.condition}" if self.verb == "allow" else ""
        return f"ACAP-{self.verb}-({name}): {self.resource}{condition}"

    def of_part(self, verb: str) -> str:
        """A line of the local usage `q`, or of a composite that it is a part of."""
        name = "q" if self.path == "/" else "c"
        return f"ACAP-composite-usage: c preserve (q)\nACAP-{verb}-({name}): {self.resource}"


KEYWORDS: dict[str, Callable[[Said], tuple[str, str]]] = {
    "prohibition": lambda said: (f"ACAP-disallow-{said.usage}", f"{{}}: {said.resource}"),
    "permission": lambda said: (f"allow-{said.usage}", f"ACAP-{{}}: {said.resource} {said.condition}"),
    "qualifier": lambda said: (
        said.condition.partition("=")[0],
        f"ACAP-allow-{said.usage}: {said.resource} {{}}={said.condition.partition('=')[2]}",
    ),
    "prefix": lambda said: ("acap:resource-set", f"ACAP-disallow-{said.usage}: {{}}:s"),
    "further": lambda said: ("acap:resource-set", f"ACAP-allow-{said.usage}: /c {{}}:s {said.condition}"),
    "set": lambda said: ("ACAP-resource-set", f"{{}}: r {said.path}\nACAP-disallow-{said.usage}: acap:resource-set:r"),
    "qualified": lambda said: (
        "ACAP-qualified-usage",
        f"{{}}: q {said.usage} {said.condition}\nACAP-{said.verb}-(q): {said.resource}",
    ),
    "composite": lambda said: (
        "ACAP-composite-usage",
        f"{{}}: c follow {said.usage}\nACAP-disallow-(c): {said.resource}",
    ),
    "usage of a qualified one": lambda said: (
        said.usage,
        f"ACAP-qualified-usage: q {{}} {said.condition}\nACAP-{said.verb}-(q): {said.resource}",
    ),
    "usage of a composite one": lambda said: (
        said.usage,
        f"ACAP-composite-usage: c follow {{}}\n{said.of_local('c')}",
    ),
    "part": lambda said: (
        "ACAP-qualified-usage",
        f"{{}}: q {said.usage} {said.condition}\n{said.of_part(said.verb)}",
    ),
    "condition": lambda said: (
        said.condition.partition("=")[0],
        f"ACAP-qualified-usage: q {said.usage} {{}}={said.condition.partition('=')[2]}\n{said.of_part('allow')}",
    ),
}
"""Each kind of keyword, and the line it stands in."""


def neighbours(chosen: Random) -> str:
    """Lines beside it: permissions and prohibitions, broader and narrower, in its record or for a purpose."""
    lines = ""
    for _ in range(chosen.randint(1, 3)):
        verb = chosen.choice(("allow", "allow", "disallow"))
        condition = f" {chosen.choice(CONDITIONS)}" if verb == "allow" and chosen.random() < 0.2 else ""
        lines += f"ACAP-{verb}-{chosen.choice(USAGES)}: {chosen.choice(RESOURCES)}{condition}\n"
    return ("ACAP-usage-purpose: news\n" if chosen.random() < 0.1 else "") + lines


def around(line: str, chosen: Random) -> str:
    """A text with a line, and what stands beside it."""
    record = chosen.choice(("*", "*", "bot"))
    before, after = (neighbours(chosen), "") if chosen.random() < 0.5 else ("", neighbours(chosen))
    more = f"ACAP-crawler: {chosen.choice('*b')}{'ot' if chosen.random() < 0.5 else ''}\n{neighbours(chosen)}"
    more = more.replace("*ot", "*").replace(" b\n", " bot\n") if chosen.random() < 0.3 else ""
    version = chosen.choice(("", "", "##ACAP version=1.0\n", "##ACAP version=1.1\n"))
    return f"{version}ACAP-resource-set: s /a /c\nACAP-crawler: {record}\n{before}{line}\n{after}{more}"


def assert_no_looser(engine: Engine, right: bytes, damaged: bytes) -> None:
    """What a text prohibits or restricts its damaged form prohibits, or restricts as much."""
    answers = engine(damaged)
    looser = [
        (asked, answer, answers[asked])
        for asked, answer in engine(right).items()
        if answer != (True, frozenset()) and is_looser(answers[asked], answer)
    ]
    assert not looser, f"{looser[:2]}\n--- right\n{right.decode()}\n--- damaged\n{damaged.decode()!r}\n{damaged!r}"


@ENGINES
@pytest.mark.parametrize("kind", KEYWORDS)
def test_what_stands_beside_a_misspelt_keyword_lifts_no_more_than_beside_the_right_one(
    engine: Engine, share: int, kind: str
) -> None:
    """What a text prohibits or restricts, it does with a slip in any keyword, whatever permissions stand beside it."""
    for number in range(EXAMPLES // share // len(KEYWORDS)):
        chosen = Random(f"{SEED} {kind} {number}")
        keyword, line = KEYWORDS[kind](Said(chosen))
        text = around(line, chosen)
        slips = [one for one in slips_of(keyword, PRINTABLE) if "#" not in one]
        blanks = [one for one in slips if " " in one.strip()]
        slipped = chosen.choice(blanks if blanks and chosen.random() < 0.2 else slips)
        assert_no_looser(engine, text.format(keyword).encode(), text.format(slipped).encode())


def conventional(chosen: Random) -> str:
    """A group of conventional lines."""
    rules = "".join(
        f"{chosen.choice(('Allow', 'Allow', 'Disallow'))}: {chosen.choice(('/', '/a', '/ab', '/a/b', '/a*', '/*b$'))}\n"
        for _ in range(chosen.randint(1, 4))
    )
    return f"User-agent: {chosen.choice(('*', 'bot', 'other'))}\n{rules}"


@ENGINES
def test_a_control_character_anywhere_lifts_nothing(engine: Engine, share: int) -> None:
    """What a text prohibits or restricts, it does with a control character more, wherever that stands."""
    for number in range(EXAMPLES // share):
        chosen = Random(f"{SEED} control {number}")
        line = chosen.choice(list(KEYWORDS.values()))(Said(chosen))
        text = around(line[1].format(line[0]), chosen) if chosen.random() < 0.6 else ""
        text = f"{conventional(chosen)}{conventional(chosen)}{text}" if not text or chosen.random() < 0.3 else text
        at = chosen.randrange(len(text))
        damaged = text[:at] + chosen.choice("\0\x01\x1f\x7f") + text[at:]
        assert_no_looser(engine, text.encode(), damaged.encode())


def test_a_control_character_ends_no_refusal_of_the_dialect_that_has_none() -> None:
    """Google's matcher knows no control characters: there a pattern is what it says."""
    policy = acap.parse_robots(b"User-agent: *\nAllow: /ab\nDisallow: /ab\x01c\n", dialect="google")
    assert policy.decide("/abc", crawler="bot").permitted


class Page(NamedTuple):
    """Names and contents of META tags, classes of nested elements, robots.txt, values of X-Robots-Tag."""

    metas: list[tuple[str, str]]
    classes: list[str]
    robots: str
    headers: tuple[str, ...] = ()

    @property
    def html(self) -> str:
        """The page as HTML."""
        metas = "".join(f'<meta name="{html.escape(one)}" content="{html.escape(said)}">' for one, said in self.metas)
        elements = "".join(f'<div class="{html.escape(each)}">' for each in self.classes)
        return f"<!doctype html>{metas}<body>{elements}x"

    @property
    def fields(self) -> list[tuple[str, str]]:
        """The headers of the response."""
        return [("X-Robots-Tag", value) for value in self.headers]


NAMES = ("newsbot", "bot")
"""The names of the crawler that asks."""


def of_page(page: Page) -> Answers:
    """What a page says on some usages, for a purpose and for none, of itself and of the text of its innermost
    element; a condition that may be over or not counts as one. To one that cannot work on elements too."""
    policy = acap.parse_page(page.html, url=f"{SITE}/a", headers=page.fields)
    robots = acap.parse_robots(page.robots, url=f"{SITE}/robots.txt")
    whole = acap.Crawler(*NAMES, elements=False)
    found: Answers = {}
    for usage in ASKED[1:]:
        for purpose in (None, "news"):
            for crawler in (NAMES, whole) if page.classes else (NAMES,):
                decision = acap.decide(
                    f"{SITE}/a", crawler=crawler, usage=usage, purpose=purpose, page=policy, robots=robots
                )
                held = {(each.name, each.value) for each in decision.restrictions if each.name != "excluded-element"}
                found[usage, purpose, crawler is whole] = decision.permitted, frozenset(held)
        text = policy.content_for(usage, crawler=NAMES, purpose="news", robots=robots).text if page.classes else "x"
        found[usage, "text"] = "x" in text, frozenset()
    return found


def of_page_by_reference(page: Page) -> Answers:
    """The same of the other engine, of the page."""
    policy = read_page(page.html, url=f"{SITE}/a", headers=page.fields)
    site = Site.read(page.robots.encode(), f"{SITE}/robots.txt")
    found: Answers = {}
    for usage in ("index", "present-snippet"):
        for elements in (True, False) if page.classes else (True,):
            crawler = PageCrawler(NAMES, elements=elements)
            decision = decide_page(policy, f"{SITE}/a", crawler=crawler, usage=usage, purpose="news", site=site)
            held = {(each[0], each[1]) for each in decision.restrictions if each[0] != "excluded-element"}
            found[usage, elements] = decision.outcome == "permitted", frozenset(held)
    return found


META_KEYWORDS: dict[str, Callable[[Said], tuple[str, str]]] = {
    "mark": lambda said: (
        "ACAP",
        f"{{}} {said.purpose}{said.verb}-{said.usage}{' ' + said.condition if said.verb == 'allow' else ''}",
    ),
    "prohibition": lambda said: (f"disallow-{said.usage}", f"ACAP {said.purpose}{{}}"),
    "permission": lambda said: (f"allow-{said.usage}", f"ACAP {said.purpose}{{}} {said.condition}"),
    "qualifier": lambda said: (
        said.condition.partition("=")[0],
        f"ACAP allow-{said.usage} {{}}={said.condition.partition('=')[2]}",
    ),
}
PAGE_ENGINES = pytest.mark.parametrize(("ask", "share"), [(of_page, 1), (of_page_by_reference, 8)])


def assert_page_is_no_looser(ask: Callable[[Page], Answers], right: Page, damaged: Page) -> None:
    """What a page prohibits or restricts its damaged form prohibits, or restricts as much."""
    answers = ask(damaged)
    looser = [
        (asked, answer, answers[asked])
        for asked, answer in ask(right).items()
        if answer != (True, frozenset()) and is_looser(answers[asked], answer)
    ]
    assert not looser, (looser[:2], right, damaged)


def of_meta(chosen: Random) -> tuple[str, str]:
    """A META tag, for some purpose and to somebody, or for every one and to all."""
    name = chosen.choice(("robots", "robots", "robots", "bot", "newsbot"))
    verb, usage = chosen.choice(("allow", "allow", "disallow")), chosen.choice(USAGES)
    return name, f"ACAP {chosen.choice(('', 'news '))}{verb}-{usage}"


@PAGE_ENGINES
@pytest.mark.parametrize("kind", [*META_KEYWORDS, "class"])
def test_what_stands_beside_a_misspelt_keyword_of_a_page_lifts_no_more(
    ask: Callable[[Page], Answers], share: int, kind: str
) -> None:
    """What a page prohibits or restricts, it does with a slip in a keyword, whatever else it and its site permit."""
    for number in range(EXAMPLES // share // len(META_KEYWORDS)):
        chosen = Random(f"{SEED} page {kind} {number}")
        said = Said(chosen)
        beside = [of_meta(chosen) for _ in range(2)]
        robots = f"ACAP-crawler: *\n{neighbours(chosen)}"
        classes = [f"the-acap:{chosen.choice(('allow', 'disallow'))}-{chosen.choice(USAGES)}"]
        if kind == "class":
            keyword, line = f"the-acap:{said.verb}-{said.usage}", "{}"
        else:
            keyword, line = META_KEYWORDS[kind](said)
        # A `=` more is the value's.
        slipped = chosen.choice([one for one in slips_of(keyword, PRINTABLE) if not one.endswith("=")])

        def page(word: str) -> Page:
            if kind == "class":
                return Page(beside[:1], [line.format(word), *classes], robots)  # noqa: B023
            return Page([("robots", line.format(word)), *beside], [], robots)  # noqa: B023

        assert_page_is_no_looser(ask, page(keyword), page(slipped))


UNSEEN = "\x01\x1c\x7f\xad\u200b\u2060\ufeff\ufffd"
CONVENTIONAL = (
    "noindex",
    "max-snippet: 20",
    "unavailable_after: 2001-01-01",
    "unavailable_after: 25 Nov 2005 15:00 GMT",
)


@PAGE_ENGINES
def test_a_character_that_nobody_sees_lifts_nothing_in_a_page(ask: Callable[[Page], Answers], share: int) -> None:
    """What a page and its headers prohibit or restrict, they do with a character more that nobody sees: in a name, a
    purpose, a date, in the place of a blank, or anywhere else."""
    for number in range(EXAMPLES // share):
        chosen = Random(f"{SEED} unseen {number}")
        said = Said(chosen)
        # A URI with such a character is another one, and as good a condition.
        condition = f" {chosen.choice(CONDITIONS[:-1])}" if said.verb == "allow" else ""
        name = chosen.choice(("robots", "robots", "bot", "newsbot"))
        text = chosen.choice((f"ACAP {said.purpose}{said.verb}-{said.usage}{condition}", chosen.choice(CONVENTIONAL)))
        beside = [of_meta(chosen) for _ in range(2)]
        odd = chosen.choice(UNSEEN)
        if chosen.random() < 0.3:
            text = text if name == "robots" else f"{name}: {text}"
            # U+FFFD stands for octets of a page that are no text; U+2060 has one of a blank in it.
            odd = odd.translate({0xFFFD: 1, 0x2060: 1}).encode().decode("latin-1")
            at = chosen.randrange(len(text))
            values = [text, text[:at] + odd + text[at + (text[at] == " ") * chosen.randint(0, 1) :]]
            right, damaged = (Page(beside, [], "", (value,)) for value in values)
        elif chosen.random() < 0.5:
            at = chosen.randrange(len(name))
            right, damaged = (Page([(one, text), *beside], [], "") for one in (name, name[:at] + odd + name[at:]))
        else:
            at = chosen.randrange(len(text))
            odd_text = text[:at] + odd + text[at + (text[at] == " ") * chosen.randint(0, 1) :]
            right, damaged = (Page([(name, one), *beside], [], "") for one in (text, odd_text))
        assert_page_is_no_looser(ask, right, damaged)
