"""The package and the reference interpreter decide alike on whole sites: robots.txt, a page, and what stands beside it.

Beside it stand a TDMRep file, an ai.txt, licences of RSL and a manifest of content credentials. `ACAP_CASES` says how
many sites are tried, `ACAP_SEED` where to begin.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from random import Random
from typing import Any

import acap
from tests.page_engines import INVALID, PageAnswer
from tests.property import test_rsl_laws as rsl_strategies
from tests.property.page_strategies import PageAsked, PageCase, generate_page, shrunk_page
from tests.property.rounds import agree
from tests.property.test_cawg_laws import a_manifest
from tests.property.test_pages_agree import comparable, described
from tests.property.test_rsl_laws import ASKERS
from tests.property.vocabulary import SITE
from tests.reference import ai_txt, cawg, rsl, tdmrep
from tests.reference.canonical import canonical_path
from tests.reference.crawler import product_name
from tests.reference.page import read_page
from tests.reference.page_hearing import Site
from tests.reference.page_resolution import PageCrawler, decide_page
from tests.reference.usages import ACTS_OF_THE_CRAWLER

CASES = int(os.environ.get("ACAP_CASES", "180"))
SEED = int(os.environ.get("ACAP_SEED", "1"))
ROBOTS = f"{SITE}/robots.txt"
FILE = f"{SITE}/.well-known/tdmrep.json"
RULES = (
    '{"location": "/", "tdm-reservation": 1}',
    '{"location": "/", "tdm-reservation": 0}',
    '{"location": "/a", "tdm-reservation": 1, "tdm-policy": "/terms"}',
    '{"location": "/a*b", "tdm-reservation": 0}',
    '{"location": "*.x$", "tdm-reservation": 1, "tdm-policy": "ask us"}',
    '{"location": "/b", "tdm-reservation": "yes"}',
)
MINING = (("tdm-reservation", "1"), ("tdm-reservation", "0"), ("tdm-policy", "/p"), ("tdm-policy", f"{SITE}/q"))
TRAINING = (
    "User-agent: *",
    "User-Agent: SearchBot",
    "user-agent: bot",
    "Disallow: /",
    "Disallow: *.jpg",
    "Disallow: /a",
    "Allow: /a",
    "Allow: /*.x",
    "Allow: *",
    "training: no",
)
TERMS = ("attribution", "contribution")
"""Restrictions of RSL, of which its reference does not speak."""


@dataclass(frozen=True)
class SiteCase:
    """A page with its robots.txt, and what stands beside it; the questions are the page's."""

    page: PageCase
    file: str | None = None
    ai_txt: str | None = None
    licences: tuple[str, ...] = ()
    manifest: Any = None
    asker: rsl.Asker = field(default_factory=rsl.Asker)

    @property
    def questions(self) -> tuple[PageAsked, ...]:
        """The questions."""
        return self.page.questions


def generate_site(random: Random) -> SiteCase:
    """One site; the same for the same state of `random`."""
    page = generate_page(random)
    said = random.choices(MINING, k=random.choice((0, 0, 1, 2)))
    page = replace(page, headers=(*page.headers, *said))
    return SiteCase(
        page=replace(page, tags=(*page.tags, *random.choices(MINING, k=random.choice((0, 0, 0, 1, 2))))),
        file=f"[{','.join(random.choices(RULES, k=random.randint(0, 3)))}]" if random.random() < 0.5 else None,
        ai_txt="\n".join(random.choices(TRAINING, k=random.randint(0, 5))) if random.random() < 0.4 else None,
        licences=tuple(rsl_strategies.a_document(random) for _ in range(random.choice((0, 0, 1, 1, 2)))),
        asker=random.choice(ASKERS),
        manifest=a_manifest(random) if random.random() < 0.3 else None,
    )


def octets(text: str | None) -> bytes | None:
    """The octets of a document, if the site has it."""
    return None if text is None else text.encode()


def status(text: str | None) -> int:
    """What the site answers to a request for it."""
    return 404 if text is None else 200


def by_native(case: SiteCase) -> list[PageAnswer]:
    """The package's answers."""
    page = acap.parse_page(case.page.page, url=case.page.url, headers=case.page.headers)
    robots = None if case.page.robots is None else acap.parse_robots(b"\n".join(case.page.robots), url=ROBOTS)
    file = acap.parse_tdmrep(octets(case.file), url=FILE, status=status(case.file))
    licences = [
        acap.parse_rsl(text, url=f"https://licences.example/l{number}.xml") for number, text in enumerate(case.licences)
    ]
    training = acap.parse_ai_txt(octets(case.ai_txt), url=f"{SITE}/ai.txt", status=status(case.ai_txt))
    others: list[acap.Source] = [file, training, *licences]
    if case.manifest is not None:
        others.append(acap.parse_training_mining(json.dumps(case.manifest).encode()))
    licensee = acap.Licensee(users=case.asker.users, country=case.asker.country, payments=case.asker.payments)

    def answer(asked: PageAsked) -> PageAnswer:
        names = [asked.crawler] if isinstance(asked.crawler, str) else list(asked.crawler)
        try:
            decision = acap.decide(
                case.page.asked_url,
                crawler=acap.Crawler(
                    *names,
                    honours=None if asked.honours is None else [*asked.honours, *TERMS],
                    silence=asked.silence,
                    elements=asked.elements,
                    profile=asked.profile,
                    licensee=licensee,
                ),
                usage=asked.usage,
                purpose=asked.purpose,
                at=asked.at,
                facts=acap.Facts(**asked.facts) if asked.facts is not None else None,
                page=page,
                robots=robots,
                others=others,
            )
        except ValueError:
            return INVALID
        restrictions = ((each.name, each.value, each.usage) for each in decision.restrictions if each.name not in TERMS)
        return comparable(PageAnswer.of(str(decision.outcome), decision.reason.kind, decision.stated, restrictions))

    return [answer(asked) for asked in case.questions]


def by_reference(case: SiteCase) -> list[PageAnswer]:
    """The reference's answers."""
    page = read_page(case.page.page, url=case.page.url, headers=case.page.headers)
    site = None if case.page.robots is None else Site.read(b"\n".join(case.page.robots), ROBOTS)
    path = canonical_path(case.page.asked_url)
    mined, _ = tdmrep.verdict(octets(case.file), status(case.file), SITE, path)

    def answer(asked: PageAsked) -> PageAnswer:
        names = [asked.crawler] if isinstance(asked.crawler, str) else list(asked.crawler)
        try:
            decision = decide_page(
                page,
                case.page.asked_url,
                crawler=PageCrawler(names, asked.honours, asked.silence, asked.elements, asked.profile),
                usage=asked.usage,
                purpose=asked.purpose,
                at=asked.at,
                facts=asked.facts,
                site=site,
                others=[
                    licences_of(case, path),
                    training_of(case, names, path),
                    *([] if case.manifest is None else [partial(cawg.answer, case.manifest)]),
                ],
                mining_file=mined,
            )
        except ValueError:
            return INVALID
        restrictions = ((name, value, part[0] if part else None) for name, value, *part in decision.restrictions)
        return comparable(PageAnswer.of(decision.outcome, decision.kind, decision.stated, restrictions))

    return [answer(asked) for asked in case.questions]


def licences_of(case: SiteCase, path: str) -> Callable[[str], str]:
    """RSL's word for a usage, the strictest of the documents; of fetching and following links it does not speak."""

    def says(usage: str) -> str:
        if usage in ACTS_OF_THE_CRAWLER:
            return "silent"
        found = {rsl.answer(text, path, usage, case.asker) for text in case.licences}
        return next((word for word in rsl.ORDER if word in found), "silent")

    return says


def training_of(case: SiteCase, names: list[str], path: str) -> Callable[[str], str]:
    """The word of ai.txt, which speaks of training alone."""
    said = ai_txt.verdict(octets(case.ai_txt), status(case.ai_txt), [product_name(name) for name in names], path)
    return lambda usage: said if usage in ("ai-train", "ai-train-generative") else "silent"


def shrunk_site(case: SiteCase, fails: Callable[[SiteCase], bool]) -> SiteCase:
    """A smaller site that fails as well."""
    for smaller in (
        replace(case, file=None),
        replace(case, ai_txt=None),
        replace(case, manifest=None),
        *(replace(case, licences=(one,)) for one in case.licences),
    ):
        case = smaller if fails(smaller) else case
    smaller = replace(case, licences=())
    case = smaller if fails(smaller) else case
    return replace(case, page=shrunk_page(case.page, lambda page: fails(replace(case, page=page))))


def test_both_engines_decide_on_sites_alike() -> None:
    """Outcome, kind, stated, restrictions and excluded elements are the same for every question of every site."""
    agree(
        CASES, SEED, generate_site, (by_native, by_reference), shrunk_site,
        lambda case: [
            *described(case.page), f"{case.file}", f"{case.ai_txt}", *case.licences, f"{case.manifest}", f"{case.asker}"
        ],
    )  # fmt: skip
