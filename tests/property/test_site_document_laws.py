"""Laws of the documents of a site: one that prohibits more, or fails, never lets more be held or shown.

`ACAP_CASES` says how many cases are tried, `ACAP_SEED` where to begin.
"""

from __future__ import annotations

import json
import os
from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING

from acap.archives.site_documents import KeptDocument, SiteDocuments, with_documents
from acap.harvest.conclusion import judge
from acap.harvest.judgement import ResourceState, Response, response_of
from acap.harvest.operator import Operator
from acap.harvest.presentation import Presentation, copy, link, snippet
from acap.licensee import Licensee
from acap.restrictions import Facts
from acap.robots import parse_robots
from tests.harvest import HTML, SITE, START, Harvest, documents

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from acap.harvest.conclusion import Conclusion

CASES = int(os.environ.get("ACAP_CASES", "20"))
SEED = os.environ.get("ACAP_SEED", "1")
PATHS = ("/a", "/a/b.html", "/c.jpg")
PAGE = b"<title>Tides</title><p>The ferry quorvanel sails."
USAGES = ((), ("ai-train",), ("tdm",), ("ai-input", "search"), ("ai-train-generative",))
WORDS = ("all", "ai-all", "ai-train", "ai-input", "ai-index", "search", "train-ai", "x")
STRICTNESS = ("permitted", "conditional", "prohibited")
POLICY = f"{SITE}/policy.json"
HEADERS = ((), (), (("tdm-reservation", "0"),), (("tdm-reservation", "1"),), (("content-usage", "train-ai=n"),))


def drawn_documents(random: Random) -> SiteDocuments:
    """Documents of a site, some of which fail, or are not known."""
    texts = {"tdmrep": drawn_tdmrep(random), "ai_txt": drawn_ai_txt(random), "licence": drawn_licence(random)}
    texts["policy"] = json.dumps({"@type": "Offer", "permission": [{"action": "tdm:mine"}]}).encode()
    said = {name: random.choice((text, text, text, text, 404, 503, None)) for name, text in texts.items()}
    return documents(**{name: said[name] for name in said if random.random() < 0.9})


def drawn_tdmrep(random: Random) -> bytes:
    """A tdmrep.json."""
    return json.dumps([drawn_rule(random) for _ in range(random.randint(0, 3))]).encode()


def drawn_rule(random: Random) -> dict[str, object]:
    """A rule of it."""
    rule: dict[str, object] = {"location": random.choice(("/", "/a", "/a/*", "*.jpg", "/c"))}
    rule["tdm-reservation"] = random.choice((0, 1, 1, "1", True))
    return rule | ({"tdm-policy": POLICY} if random.random() < 0.3 else {})


def drawn_ai_txt(random: Random) -> bytes:
    """An ai.txt."""
    rules = (f"{random.choice(('Allow', 'Disallow'))}: {random.choice(('/', '/a', '*.jpg'))}" for _ in range(3))
    return "\n".join(["User-Agent: *", *rules, ""]).encode()


def drawn_licence(random: Random) -> bytes:
    """A licence document."""
    contents = []
    for _ in range(random.choice((1, 1, 2))):
        kinds = (f'<{kind} type="usage">{random.choice(WORDS)}</{kind}>' for kind in ("permits", "prohibits"))
        inside = "".join(one for one in kinds if random.random() < 0.6)
        inside += '<payment type="purchase"/>' if random.random() < 0.2 else ""
        contents.append(f'<content url="{random.choice(("/", "/a", "/c"))}"><license>{inside}</license></content>')
    return f'<rsl xmlns="https://rslstandard.org/rsl">{"".join(contents)}</rsl>'.encode()


def stricter(random: Random, said: SiteDocuments) -> SiteDocuments:
    """The same with a prohibition more, or with a document that fails."""
    place = random.randrange(len(said.documents))
    one = said.documents[place]
    return SiteDocuments((*said.documents[:place], _stricter(random, one), *said.documents[place + 1 :]))


def _stricter(random: Random, one: KeptDocument) -> KeptDocument:
    octets = one.octets
    if octets is None or one.kind == "tdm-policy" or random.random() < 0.4:
        return one._replace(octets=None, status=random.choice((None, 500, 503, 429)))
    if one.kind == "tdmrep.json":
        rule = {"location": random.choice(("/", "/a", "*.jpg")), "tdm-reservation": 1}
        more = json.dumps([rule, *json.loads(octets)]).encode()
        return one._replace(octets=more[: random.choice((None, None, -1, len(more) // 2))])
    if one.kind == "ai.txt":
        return one._replace(octets=octets + random.choice((b"Disallow: /a\n", b"Disallow: /\n", b"\xff\xff: /\n")))
    more = f'<prohibits type="usage">{random.choice(WORDS)}</prohibits></license>'.encode()
    return one._replace(octets=random.choice((octets.replace(b"</license>", more), octets[: len(octets) * 2 // 3])))


def loosened(before: Conclusion, after: Conclusion) -> Iterator[str]:
    """What the second permits, and the first does not."""
    for usage in ("follow", "index", "preserve"):
        outcomes = [STRICTNESS.index(one.record[usage]["outcome"]) for one in (before, after)]
        if outcomes[1] < outcomes[0]:
            yield usage
    for usage, outcome in after.record["present"].items():
        if STRICTNESS.index(outcome) < STRICTNESS.index(before.record["present"][usage]):
            yield usage
    for name in ("words", "copy", "supply"):
        if getattr(after, name) is not None and getattr(before, name) is None:
            yield name


def test_a_prohibition_more_and_a_failure_never_loosen() -> None:
    """Of a response that comes, and of what is held of it, for every operator."""
    for number in range(10 * CASES):
        random = Random(f"{SEED}.documents.{number}")
        said = drawn_documents(random)
        if not said.documents:
            continue
        more = stricter(random, said)
        lines = random.choice((b"", b"License: /licence.xml\n", b"License: https://news.example/licence.xml\n"))
        robots = parse_robots(b"User-agent: *\nAllow: /\n" + lines, url=f"{SITE}/robots.txt")
        licensee = random.choice((None, Licensee(users="education", research=True), Licensee(licences=POLICY)))
        operator = Operator(("searchbot",), usages=random.choice(USAGES), licensee=licensee)
        headers, facts = (*HTML, *random.choice(HEADERS)), Facts(START, START, START)
        url = SITE + random.choice(PATHS)
        concluded = []
        for found in (said, more):
            policy = with_documents(robots, found)
            response = Response(url, START, operator.crawler, policy, headers, PAGE, usages=operator.usages)
            concluded.append(judge(response, ResourceState(facts)))
        wrong = list(loosened(*concluded))
        assert not wrong, f"{number}: {wrong} of {url} for {operator}: {said} and {more}"


def test_what_is_held_and_shown_is_what_the_documents_of_now_permit(tmp_path: Path) -> None:
    """A site says one thing after the other, and a harvest crawls and sweeps."""
    for number in range(max(1, CASES // 8)):
        random = Random(f"{SEED}.held.{number}")
        directory = tmp_path / str(number)
        directory.mkdir()
        with Harvest(directory / "store", directory, usages=random.choice(USAGES)) as harvest:
            harvest.robots[SITE] = b"User-agent: *\nLicense: /licence.xml\n"
            for _ in range(6):
                harvest.pass_days(1)
                now = {"fetched_at": harvest.clock.now().isoformat()}
                said = drawn_documents(random)
                harvest.documents[SITE] = SiteDocuments(tuple(one._replace(evidence=now) for one in said.documents))
                harvest.crawl(random.choice(PATHS), PAGE)
                check(harvest, f"{number}: {said}")
                harvest.sweep()
                check(harvest, f"{number}: {said}", swept=True)


def check(harvest: Harvest, told: str, *, swept: bool = False) -> None:
    """What is shown, and after a sweep what is held, may be."""
    operator, now = harvest.store.operator, harvest.clock.now()
    presentation = Presentation(harvest.store)
    for resource in harvest.store.resources.every():
        for version in harvest.store.resources.versions(resource.id, held=True):
            response = response_of(
                replace(version, skeleton=""),
                PAGE,
                at=now,
                crawler=operator.crawler,
                robots=harvest.policy(),
                usages=operator.usages,
            )
            is_current = resource.current == version.id
            conclusion = judge(response, ResourceState(resource.facts(version), is_current=is_current))
            if swept:
                assert not version.is_indexed or conclusion.permits("index"), told
                assert version.place is None or conclusion.permits("preserve"), told
            judged = presentation.judged(version.id)
            assert judged is not None
            shown = [make(presentation, judged) for make in (link, snippet)] + [
                copy(presentation, judged).representation
            ]
            for one in shown:
                assert not one.is_shown or conclusion.record["present"][one.usage] == "permitted", (told, one)
