"""Laws of conversion: every crawler gets the same answer for every short path, both ways.

`ACAP_CASES` says how many files are tried, `ACAP_SEED` where to begin.
"""

from __future__ import annotations

import itertools
import os
from random import Random

from acap.publish.compare import compare
from acap.publish.convert import convert, verify
from acap.robots import parse_robots
from tests.property.test_format_laws import ENDS, LINES

CASES = int(os.environ.get("ACAP_CASES", "60"))
SEED = os.environ.get("ACAP_SEED", "1")

PATHS = ["/" + "".join(word) for size in range(6) for word in itertools.product("ab/", repeat=size)]
CRAWLERS = ("x", "y", "bot1", "bot", "other")


def pattern(random: Random) -> str:
    """A short pattern; some have stars in a row, some are no pattern."""
    if random.random() < 0.1:
        return random.choice(("", "/a/index.html", "foo", "/a/index.htm"))
    body = "".join(random.choice("ab/**") for _ in range(random.randint(0, 4)))
    return random.choice("//*") + body + random.choice(("", "", "$"))


def conventional(random: Random) -> bytes:
    """A file of conventional groups."""
    lines = []
    for _ in range(random.randint(1, 4)):
        lines += [f"User-agent: {random.choice(('*', 'x', 'y', 'bot1', 'Bot'))}" for _ in range(random.randint(1, 2))]
        lines += [f"{random.choice(('Allow', 'Disallow'))}: {pattern(random)}" for _ in range(random.randint(0, 4))]
    return "".join(f"{line}\n" for line in lines).encode()


def acap(random: Random) -> bytes:
    """A file of ACAP records about crawling."""
    lines = []
    for _ in range(random.randint(1, 3)):
        lines.append(f"ACAP-crawler: {random.choice('*xy')}")
        lines += [
            f"ACAP-{random.choice(('allow', 'disallow'))}-crawl: {pattern(random) or '/'}"
            for _ in range(random.randint(1, 4))
        ]
    return "".join(f"{line}\n" for line in lines).encode()


def answers(octets: bytes) -> list[list[bool]]:
    """Who may crawl what."""
    policy = parse_robots(octets)
    return [policy.decide_many(PATHS, crawler=one).permitted for one in CRAWLERS]


def test_acap_says_what_conventional_lines_say() -> None:
    """The whole file, the added lines alone, and ACAP in place of the conventional lines answer as the original."""
    for number in range(CASES):
        octets = conventional(Random(f"{SEED}.{number}"))
        conversion = convert(octets, "acap")
        asked = answers(octets)
        assert answers(conversion.text) == asked, octets
        if conversion.alone is not None:
            assert answers(conversion.alone) == asked, octets
            assert answers(convert(octets, "acap", only=True).text) == asked, octets


def test_conversions_are_proved() -> None:
    """The proof finds no difference where asking for every short path finds none."""
    for number in range(CASES // 3):
        octets = conventional(Random(f"{SEED}.proof.{number}"))
        assert verify(convert(octets, "acap")).verdict == "equal", octets


def test_conventional_lines_say_what_acap_says() -> None:
    """A conversion to robots.txt answers alike; where a note tells of a loss, it permits nothing more."""
    for number in range(CASES):
        octets = acap(Random(f"{SEED}.{number}"))
        conversion = convert(octets, "robots")
        before, after = answers(octets), answers(conversion.text)
        if not any(note.loss for note in conversion.notes):
            assert before == after, octets
        for asked, answered in zip(before, after, strict=True):
            assert all(old or not new for old, new in zip(asked, answered, strict=True)), octets


def test_hostile_octets_never_get_looser() -> None:
    """No conversion of any octets permits more; where no note tells of a loss, all answers are the same."""
    for number in range(CASES):
        random = Random(f"{SEED}.hostile.{number}")
        octets = b"".join(random.choice(LINES) + random.choice(ENDS) for _ in range(random.randint(1, 14)))
        conversions = [convert(octets, to) for to in ("acap", "robots", "acap-1.0", "acap-1.1")]
        for conversion in (*conversions, convert(octets, "acap", only=True)):
            before, after = answers(octets), answers(conversion.text)
            if not any(note.loss for note in conversion.notes):
                assert before == after, (conversion.to, octets)
            for asked, answered in zip(before, after, strict=True):
                assert all(old or not new for old, new in zip(asked, answered, strict=True)), (conversion.to, octets)


def test_there_and_back() -> None:
    """A file that was converted to ACAP and back is the file."""
    for number in range(CASES):
        octets = conventional(Random(f"{SEED}.back.{number}"))
        there = convert(octets, "acap")
        back = convert(there.text, "robots")
        assert compare(parse_robots(octets), parse_robots(back.text), usages=["crawl"]).verdict == "equal"
        assert back.text in (octets, there.text)
