"""Laws of RSL: both readings agree; nothing loosens that should not; any octets give a value.

`ACAP_EXAMPLES` says how many documents are tried, `ACAP_SEED` where to begin.
"""

from __future__ import annotations

import os
import re
from random import Random

import pytest

import acap
from tests.reference.rsl import ORDER, Asker, answer

EXAMPLES = int(os.environ.get("ACAP_EXAMPLES", "120"))
SEED = os.environ.get("ACAP_SEED", "1")
SITE = "https://www.example.com"
USED = ("index", "present-link", "preserve", "ai-train", "ai-train-generative", "ai-input", "ai-index", "tdm", "other")
PATHS = ("/", "/a", "/a/b")
TOKENS = (
    "all",
    "ai-all",
    "ai-train",
    "ai-input",
    "ai-index",
    "search",
    "train-ai",
    "AI-Train",
    "x:y",
    "x:ai-train",
    "all!x:y",
    "nothing",
)
USERS = ("commercial", "non-commercial", "education", "startup")
PLACES = ("EU", "DE", "US", "CN", "FR", "RE")
PAYMENTS = ("free", "attribution", "contribution", "purchase", "crawl", "use", "inference", "barter", "")
ASKERS = (
    Asker(),
    Asker(users=frozenset({"education"}), country="DE"),
    Asker(users=frozenset({"education", "non-commercial"}), country="RE"),
    Asker(users=frozenset({"commercial", "education"}), country="US", payments=frozenset({"crawl"})),
)
LENIENCE = {word: place for place, word in enumerate((*ORDER, "silent"))}


def some(random: Random, words: tuple[str, ...]) -> str:
    return random.choice((" ", ",")).join(random.sample(words, random.choice((1, 1, 2))))


def a_licence(random: Random) -> str:
    parts = []
    for name, chance in (("permits", 0.7), ("prohibits", 0.4)):
        if random.random() < chance:
            parts.append(f'<{name} type="usage">{some(random, TOKENS)}</{name}>')
        for kind, words in (("user", USERS), ("geo", PLACES)):
            if random.random() < 0.15:
                parts.append(f'<{name} type="{kind}">{some(random, words)}</{name}>')
    if random.random() < 0.4:
        amount = random.choice(("", "", "<amount>0</amount>", '<amount currency="USD">2.5</amount>'))
        parts.append(f'<payment type="{random.choice(PAYMENTS)}">{amount}</payment>')
    if random.random() < 0.05:
        parts.append(random.choice(('<reporting type="audit"/>', "<only/>", '<permits type="when">all</permits>')))
    random.shuffle(parts)
    return f"<license>{''.join(parts)}</license>"


def a_content(random: Random) -> str:
    server = ' server="https://olp.example/"' if random.random() < 0.15 else ""
    path = random.choice(("/", "/*", "/a", "/a$", "/a#x", "/a/", "/a/b", "/c"))
    url = f' url="{path}"' if random.random() < 0.95 else ""
    licences = "".join(a_licence(random) for _ in range(random.choice((0, 1, 1, 1, 2, 2, 3))))
    return f"<content{url}{server}>{licences}</content>"


def a_document(random: Random) -> str:
    contents = "".join(a_content(random) for _ in range(random.choice((0, 1, 1, 2, 3, 4))))
    extra = random.choice(("<meta/>", '<x:x xmlns:x="urn:x"><content url="/c"/></x:x>', '<terms xmlns=""/>'))
    extra = extra if random.random() < 0.06 else ""
    return f'<rsl xmlns="https://rslstandard.org/rsl">{extra}{contents}</rsl>'


def answers(document: acap.RslDocument, asker: Asker) -> dict[tuple[str, str], str]:
    licensee = acap.Licensee(users=asker.users, country=asker.country, payments=asker.payments)
    crawler = acap.Crawler("bot", licensee=licensee)
    found = {}
    for path in PATHS:
        for usage, decision in acap.decide_each(SITE + path, crawler=crawler, usages=USED, others=[document]).items():
            found[path, usage] = str(decision.outcome) if decision.stated else "silent"
    return found


def rounds(name: str, share: int = 1) -> list[Random]:
    return [Random(f"{name} {SEED} {number}") for number in range(max(1, EXAMPLES // share))]


def test_both_readings_of_a_document_agree() -> None:
    for random in rounds("agree"):
        text = a_document(random)
        document = acap.parse_rsl(text, url=f"{SITE}/licence.xml")
        for asker in ASKERS:
            expected = {(path, usage): answer(text, path, usage, asker) for path in PATHS for usage in USED}
            assert answers(document, asker) == expected, text


def test_a_prohibition_more_never_loosens() -> None:
    for random in rounds("more"):
        text = a_document(random)
        places = [place for place in range(len(text)) if text.startswith("</license>", place)]
        if not places:
            continue
        place = random.choice(places)
        more = f"{text[:place]}<prohibits type='usage'>{some(random, TOKENS)}</prohibits>{text[place:]}"
        asker = random.choice(ASKERS)
        assert_not_looser(text, more, asker)


@pytest.mark.parametrize("what", ["<only/>", "<license><prohibits type='usage'>search</prohibits></license>"])
def test_what_stands_beside_a_licence_never_loosens(what: str) -> None:
    for random in rounds("beside", 2):
        text = a_document(random)
        more = text.replace("</license></content>", f"</license>{what}</content>", 1)
        assert_not_looser(text, more, random.choice(ASKERS))


def assert_not_looser(text: str, more: str, asker: Asker) -> None:
    before, after = (answers(acap.parse_rsl(each), asker) for each in (text, more))
    assert {key: (before[key], after[key]) for key in before if LENIENCE[after[key]] > LENIENCE[before[key]]} == {}, (
        more
    )


def test_what_comes_by_plain_http_licenses_nothing_and_prohibits_the_same() -> None:
    for random in rounds("plain", 2):
        text, asker = a_document(random), random.choice(ASKERS)
        secure, plain = (answers(acap.parse_rsl(text, url=f"{way}://a.example/l"), asker) for way in ("https", "http"))
        assert plain == {key: "silent" if word == "silent" else "prohibited" for key, word in secure.items()}, text


def test_of_a_cut_document_nothing_is_granted() -> None:
    for random in rounds("cut"):
        text = a_document(random)
        cut = acap.parse_rsl(text[: random.randrange(len(text))])
        assert set(answers(cut, random.choice(ASKERS)).values()) == {"prohibited"}


MINING = ("tdm", "ai-train", "ai-train-generative", "ai-input", "ai-index")
# What a list has, and the path of a content, mean another thing when they change.
MEANT = re.compile(r'url="[^"]*"|>[^<>]+<|xmlns="[^"]*"')


def test_one_octet_changed_in_the_markup_takes_back_nothing_of_mining() -> None:
    for random in rounds("octet"):
        text = a_document(random)
        octets = bytearray(text.encode())
        free = set(range(len(octets))) - {at for found in MEANT.finditer(text) for at in range(*found.span())}
        at = random.choice(sorted(free))
        octets[at] = random.choice((random.randrange(256), octets[at] ^ 1, octets[at] ^ 32, *b'<>/"= a'))
        asker = random.choice(ASKERS)
        before, after = (answers(acap.parse_rsl(each), asker) for each in (text, bytes(octets)))
        looser = {key for key in before if before[key] != "permitted" and LENIENCE[after[key]] > LENIENCE[before[key]]}
        assert {key for key in looser if key[1] in MINING} == set(), (text, bytes(octets))


def test_any_octets_give_a_value_and_problems_with_places() -> None:
    for random in rounds("octets"):
        octets = bytearray(a_document(random).encode())
        for _ in range(random.choice((1, 1, 3, 20))):
            octets[random.randrange(len(octets))] = random.randrange(256)
        document = acap.parse_rsl(bytes(octets))
        answers(document, ASKERS[0])
        assert all(problem.line >= 0 and problem.column >= 0 and str(problem) for problem in document.problems)


def test_what_is_written_is_read_again() -> None:
    written = 0
    for random in rounds("written"):
        document = acap.parse_rsl(a_document(random))
        try:
            octets = acap.write_rsl(document)
        except ValueError:
            continue
        written += 1
        assert acap.parse_rsl(octets) == document
    assert written


def test_two_documents_are_no_looser_than_one() -> None:
    for random in rounds("two", 2):
        one, other = acap.parse_rsl(a_document(random)), acap.parse_rsl(a_document(random))
        for usage in USED:
            asked = [
                acap.decide(f"{SITE}/a", crawler="bot", usage=usage, others=others)
                for others in ([one], [other], [one, other])
            ]
            ranks = [LENIENCE[str(each.outcome)] if each.stated else LENIENCE["silent"] for each in asked]
            assert ranks[2] == min(ranks[:2])
