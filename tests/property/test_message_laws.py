"""No message holds what a terminal obeys, whatever stands in the text that it is about: of every reader."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import acap
from acap.explain import to_text, tree
from acap.problems import Problem
from tests import embedded_files as files

EXAMPLES = int(os.environ.get("ACAP_EXAMPLES", "60"))
SITE = "https://www.example.com"
HERE = f"{SITE}/a"
VECTORS = Path(__file__).parents[2] / "vectors"
HOSTILE = (
    "\x1b[31m",
    "\x9b31m",
    "\u202e",
    "\u2066",
    "\u2028",
    "\x00",
    "\x07",
    "\x7f",
    "\r",
    "\u061c",
    "\ud800",
    "\ufeff",
)


def rsl(octets: bytes) -> acap.Source:
    return acap.parse_rsl(octets, url=f"{SITE}/l.xml")


def tdmrep(octets: bytes) -> acap.Source:
    file = acap.parse_tdmrep(octets, url=f"{SITE}/.well-known/tdmrep.json")
    return file.with_policies({f"{SITE}/p": octets})


def ai_txt(octets: bytes) -> acap.Source:
    return acap.parse_ai_txt(octets, url=f"{SITE}/ai.txt", content_type=octets.decode("latin-1"))


def xmp(octets: bytes) -> acap.Source:
    return acap.parse_embedded(octets, url=HERE, media_type=octets.decode("latin-1"))


def answer(octets: bytes) -> acap.Source:
    text = octets.decode("latin-1")
    names = ("crawler-price", "WWW-Authenticate", "tdm-reservation", "tdm-policy", "X-Robots-Tag", "Content-Usage")
    return acap.parse_response(402, headers=[(name, text) for name in names], url=HERE)


def page(octets: bytes) -> acap.Source:
    text = octets.decode("utf-8", "surrogateescape")
    return acap.parse_page(text, url=HERE, headers=[("Content-Usage", text[:40]), ("X-Robots-Tag", text[-40:])])


LICENCE = """<rsl xmlns="https://rslstandard.org/rsl"><content url="~"><license><permits type="~">~</permits>
<payment type="~"><amount currency="~">~</amount></payment><~/></license></content></rsl>"""
MANIFEST = """{"entries": {"cawg.data_mining": {"use": "~"}, "~": {"use": "constrained", "constraint_info": "~"}}}"""


def robots(octets: bytes) -> acap.RobotsPolicy:
    return acap.parse_robots(octets, url=f"{SITE}/robots.txt")


READERS: dict[str, tuple[Callable[[bytes], acap.Source | acap.RobotsPolicy], str]] = {
    "robots.txt": (robots, "User-agent: ~\nAllow: ~\nContent-Signal: ~\nACAP-crawler: *\nACAP-allow-~: /\n~\n"),
    "rsl": (rsl, LICENCE),
    "tdmrep": (tdmrep, '[{"location": "~", "tdm-reservation": "~", "tdm-policy": "~", "~": 1}]'),
    "tdm policy": (tdmrep, '{"@type": "~", "profile": "~", "~": 1, "permission": [{"action": "~", "~": 1}]}'),
    "ai.txt": (ai_txt, "User-agent: ~\nDisallow: *.~\nAllow: /~\n~\n"),
    "cawg": (acap.parse_training_mining, MANIFEST),
    "xmp": (xmp, files.packet("<plus:DataMining>~</plus:DataMining><tdm:reservation>~</tdm:reservation>").decode()),
    "answer": (answer, "~=~, USD ~"),
    "page": (
        page,
        '<meta name="tdm-reservation" content="~"><meta name="robots" content="ACAP ~"><p class="the-acap:~">',
    ),
}


def problems_of(read: acap.Source | acap.RobotsPolicy) -> Iterable[Problem]:
    yield from read.problems
    if isinstance(read, acap.RobotsPolicy):
        decision = acap.decide(HERE, crawler="examplebot", usage="ai-train", robots=read)
    else:
        decision = acap.decide(HERE, crawler="examplebot", usage="ai-train", others=[read])
    shown = to_text(tree(decision))
    assert all(line.isprintable() for line in shown.split("\n")), ascii(shown)
    json.dumps([condition._asdict() for condition in decision.conditions])


@pytest.mark.parametrize("name", READERS)
@settings(max_examples=EXAMPLES)
@given(st.lists(st.sampled_from(HOSTILE), min_size=1, max_size=4), st.booleans())
def test_no_message_holds_a_control_character(name: str, signs: list[str], escaped: bool) -> None:
    """As the sign itself, and as JSON and XML may name it."""
    read, text = READERS[name]
    for place in range(text.count("~")):
        pieces = text.split("~")
        sign = "".join(signs)
        if escaped:
            sign = json.dumps(sign)[1:-1] if text.startswith(("{", "[")) else "".join(f"&#{ord(one)};" for one in sign)
        whole = "x".join(pieces[: place + 1]) + sign + "x".join(pieces[place + 1 :])
        for problem in problems_of(read(whole.encode("utf-8", "surrogatepass"))):
            assert problem.message.isprintable(), ascii(problem.message)
            assert problem.fix is None or problem.fix.isprintable(), ascii(problem.fix)


def test_the_words_of_a_problem_are_as_they_were_read() -> None:
    """JSON has the values; only sentences are for eyes."""
    file = acap.parse_tdmrep('[{"tdm_reservation": 1, "location": "/"}]'.replace("_", "\u202e-").encode(), url=HERE)
    (problem, *_) = file.problems
    assert "\u202e" not in problem.message
    file = acap.parse_tdmrep(b'[{"location": "//\\u202e", "tdm-reservation": 1}]', url=HERE)
    (problem,) = file.problems
    assert (problem.words[0], "\\u202e" in problem.message) == ("//\u202e", True)
