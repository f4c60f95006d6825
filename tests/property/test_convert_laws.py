"""Laws of conversion: every crawler gets the same answer for every short path, both ways.

`ACAP_CASES` says how many files are tried, `ACAP_SEED` where to begin.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import time
from random import Random

import pytest

from acap import Decision, RobotsPolicy
from acap.pages.page import PagePolicy, parse_page
from acap.publish.compare import compare
from acap.publish.convert import Conversion, OutOfTimeError, Target, convert, verify
from acap.robots import parse_robots
from acap.usages import PARENTS
from tests.property.test_format_laws import ENDS, LINES

CASES = int(os.environ.get("ACAP_CASES", "30"))
SEED = os.environ.get("ACAP_SEED", "1")

PATHS = ["http://h.example/" + "".join(word) for size in range(6) for word in itertools.product("ab/", repeat=size)]
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
    """No conversion of any octets permits more; where no note tells of a loss, all answers are the same.

    What is cut when it is read is not converted.
    """
    for number in range(CASES):
        random = Random(f"{SEED}.hostile.{number}")
        octets = b"".join(random.choice(LINES) + random.choice(ENDS) for _ in range(random.randint(1, 14)))
        if parse_robots(octets).truncated:
            with pytest.raises(ValueError, match=r"only part of the file is read|cannot be read"):
                convert(octets, "acap")
            continue
        conversions = [convert(octets, to) for to in ("acap", "acap-1.0", "acap-1.1")]
        for conversion in (*conversions, robots(octets), convert(octets, "acap", only=True)):
            before, after = answers(octets), answers(conversion.text)
            if not any(note.loss for note in conversion.notes):
                assert before == after, (conversion.to, octets)
            for asked, answered in zip(before, after, strict=True):
                assert all(old or not new for old, new in zip(asked, answered, strict=True)), (conversion.to, octets)


def robots(octets: bytes) -> Conversion:
    """The conventional form; where not all can be said there, of crawling alone."""
    return sayable(octets, "robots") or convert(octets, "robots", crawl_only=True)


def sayable(octets: bytes, to: Target, *, only: bool = False) -> Conversion | None:
    """The conversion, if the policy can be said so without permitting more."""
    try:
        return convert(octets, to, only=only)
    except ValueError as error:
        if f"cannot be expressed as `{to}` without permitting more" not in str(error):
            raise
        return None


FOUND = (
    # Stars make the second prohibition the narrower of two on the same paths, and no permission overcomes it.
    b"ACAP-crawler: y\nACAP-allow-crawl: */$\nACAP-disallow-crawl: ***b\nACAP-disallow-crawl: *b\n",
    # Of two rules on the same paths the longer one decides.
    b"User-agent: y\nDisallow: /*\nDisallow: /****\nAllow: /a\nACAP-crawler: x\nACAP-disallow-crawl: /a\n",
    # Who has the purpose hears its prohibition before what names him.
    b"ACAP-crawler: *\nACAP-usage-purpose: news\nACAP-disallow-crawl: *\nACAP-crawler: x\nACAP-allow-crawl: /b\n",
    # What restricts goes on restricting beside a narrower permission.
    b"ACAP-crawler: *\nACAP-allow-crawl: /a$\nACAP-allow-crawl: * max-length=20-words\n",
    # A group for `bot1` is one for `bot` too, who is told otherwise.
    (
        b"User-agent: Bot\nUser-agent: *\nDisallow: *a\nDisallow: /$\nUser-agent: bot1\nDisallow: /$\n"
        b"ACAP-crawler: x\nACAP-disallow-crawl: /\n"
    ),
    b"ACAP-crawler: *\nACAP-disallow-crawl: /\nACAP-crawler: bot1\nACAP-allow-crawl: /a\n",
    # Robot-version 2 refuses what no line names.
    b"ACAP-crawler: a\nACAP-disallow-crawl: /ab\nUser-agent: a\nRobot-version: 2.0.0\nAllow: /a*b$\n",
)


@pytest.mark.parametrize("octets", FOUND)
def test_orders_that_differ_never_permit_more(octets: bytes) -> None:
    """Conventional lines permit nothing more, to any crawler or purpose, where ACAP's order differs from theirs."""
    conversion = convert(octets, "robots", crawl_only=True)
    before, after = parse_robots(octets), parse_robots(conversion.text)
    for crawler, purpose in itertools.product((*CRAWLERS, "a", "news"), (None, "news")):
        for path in ("/", "/a", "/ab", "/b", "/a/b/c", "/b/", "/aab"):
            old, new = (one.decide(path, crawler=crawler, purpose=purpose) for one in (before, after))
            assert not is_looser(new, old), (crawler, purpose, path)


def test_a_directive_that_awakens_takes_no_refusal_away() -> None:
    """Where added ACAP lines let a directive ignore the conventional ones, what ACAP cannot say refuses everything."""
    octets = b"User-agent: a\nACAP-ignore-conventional-records\nRobot-version: 2.1\nDisallow: /b\nUser-agent: b\n"
    conversion = convert(octets, "acap")
    assert parse_robots(conversion.text).ignores_conventional
    assert not parse_robots(conversion.text).decide("/b", crawler="a").permitted
    assert parse_robots(conversion.text).decide("/b", crawler="b").permitted
    assert any(note.loss for note in conversion.notes)


def test_what_one_name_refuses_no_other_name_takes_back() -> None:
    """`use=reference` refuses training in ACAP terms as well, whatever `ai-train=yes` permits on a longer path."""
    octets = (
        b"User-agent: x\nContent-Signal: /a ai-train=yes\nContent-Signal: ai-train=no\nContent-Signal: use=reference\n"
    )
    conversion = convert(octets, "acap")
    assert conversion.alone is not None
    assert not conversion.omitted
    assert not parse_robots(conversion.alone).decide("/a", crawler="x", usage="ai-train").permitted
    assert verify(conversion).verdict == "equal"


def test_there_and_back() -> None:
    """A file that was converted to ACAP and back is the file."""
    for number in range(CASES):
        octets = conventional(Random(f"{SEED}.back.{number}"))
        there = convert(octets, "acap")
        back = convert(there.text, "robots")
        assert compare(parse_robots(octets), parse_robots(back.text), usages=["crawl"]).verdict == "equal"
        assert back.text in (octets, there.text)


CONTENT = (
    *("crawl", "follow", "index", "preserve", "present", "present-snippet", "present-original"),
    *("present-currentcopy", "present-oldcopy", "present-link", "other", "tdm", "ai-train"),
)
QUALIFIERS = (
    *("time-limit=until-2100-01-01", "time-limit=3-days", "max-length=20-words", "max-length=20-chars"),
    *("must-use-resource=/x", "prohibited-modification=any", "no-such-qualifier=1"),
)
HEADERLESS = {"preserve", "other", "tdm", "ai-input", "ai-index"}
"""Usages of which no conventional word takes anything; what robots.txt says of them stays there, and is noted."""
RANK = {"permitted": 0, "conditional": 1, "prohibited": 2}


def anything(random: Random) -> bytes:
    """A file of conventional groups and ACAP records about every usage, with purposes and restrictions."""
    lines = conventional(random).decode().splitlines() if random.random() < 0.5 else []
    for _ in range(random.randint(1, 3)):
        lines.append(f"ACAP-crawler: {random.choice('*xy')}")
        for _ in range(random.randint(1, 4)):
            if random.random() < 0.2:
                lines.append(f"ACAP-usage-purpose: {random.choice(('news', 'web*', '*'))}")
            usage, where = random.choice(CONTENT), random.choice(("/", "/a", "/a$", "/b", "*"))
            if random.random() < 0.5:
                lines.append(f"ACAP-disallow-{usage}: {where}")
            else:
                limit = random.choice(("", "", *QUALIFIERS))
                lines.append(f"ACAP-allow-{usage}: {where} {limit}")
    return "".join(f"{line}\n" for line in lines).encode()


SIGNALS = (
    *("Content-Signal: ai-train=no", "Content-Signal: search=no, ai-input=yes", "Content-Signal: /a ai-train=yes"),
    *("Content-Usage: train-ai=n, search=y", "Content-Usage: /b search=n", "Content-Signal: use=reference"),
    *("Content-Signal: /a* use=full", "License: https://h.example/l", "Content-Signal: /a$ ai-input=no"),
)


def signalled(random: Random) -> bytes:
    """A file of conventional groups with signals between their lines, now and then before the first."""
    lines = conventional(random).decode().splitlines()
    for _ in range(random.randint(1, 4)):
        lines.insert(random.randint(0 if random.random() < 0.2 else 1, len(lines)), random.choice(SIGNALS))
    if random.random() < 0.3:
        lines += ["ACAP-crawler: *", f"ACAP-disallow-{random.choice(('ai-train', 'index', 'preserve', 'crawl'))}: /a"]
    return "".join(f"{line}\n" for line in lines).encode()


def test_what_signals_refuse_is_refused_in_every_form() -> None:
    """Of a file with signals no form answers any usage looser, and all are the same where that is said to be proved."""
    for number in range(CASES):
        octets = signalled(Random(f"{SEED}.signals.{number}"))
        before = parse_robots(octets)
        alone = sayable(octets, "acap", only=True)
        for conversion in (convert(octets, "acap"), robots(octets), *([alone] if alone else [])):
            texts = [conversion.text]
            if conversion.alone is not None and not conversion.omitted:
                texts.append(conversion.alone)
            proved = verify(conversion).verdict == "equal"
            for after, crawler in itertools.product(map(parse_robots, texts), ("x", "y", "other")):
                for path, usage in itertools.product(("/", "/a", "/ab", "/b"), PARENTS):
                    if conversion.crawl_only and usage != "crawl":
                        continue
                    old = before.decide(path, crawler=crawler, usage=usage)
                    new = after.decide(path, crawler=crawler, usage=usage)
                    assert not is_looser(new, old), (conversion.to, crawler, usage, path, octets)
                    assert not proved or old.outcome == new.outcome, (conversion.to, crawler, usage, path, octets)


def is_looser(after: Decision, before: Decision) -> bool:
    """Whether an answer permits what the other does not, or under fewer restrictions."""
    if after.outcome != before.outcome:
        return RANK[after.outcome] < RANK[before.outcome]
    kept, held = (
        {(one.name, one.value) for one in decision.restrictions if one.name != "excluded-purpose"}
        for decision in (after, before)
    )
    return after.permitted and not held <= kept


def page_of(conversion: Conversion) -> PagePolicy:
    """A page that carries what was written."""
    if conversion.to == "meta":
        return parse_page(conversion.text, url="https://h.example/a")
    pairs = (line.partition(": ") for line in conversion.text.decode().splitlines())
    return parse_page(None, url="https://h.example/a", headers=[(name, value) for name, _, value in pairs])


def test_what_cannot_be_said_is_not_permitted_and_told() -> None:
    """Of any policy and target no answer is looser to any crawler, purpose and usage; what is stricter is noted."""
    targets: tuple[Target, ...] = ("acap", "acap-1.0", "acap-1.1", "robots", "meta", "headers")
    for number in range(CASES // 3):
        octets = anything(Random(f"{SEED}.anything.{number}"))
        before = parse_robots(octets)
        for to in targets:
            if to == "robots":
                conversion = robots(octets)
            else:
                conversion = convert(octets, to, url="/a" if to in ("meta", "headers") else None)
            after: PagePolicy | RobotsPolicy = page_of(conversion) if conversion.url else parse_robots(conversion.text)
            noted = any(note.loss for note in conversion.notes)
            for crawler, purpose in itertools.product(("x", "y", "other"), (None, "news", "webx", "none")):
                for path in ("/a",) if conversion.url else ("/", "/a", "/ab", "/b"):
                    if conversion.url and not before.decide(path, crawler=crawler, purpose=purpose).permitted:
                        continue  # robots.txt alone can say that; nobody reads the page
                    for usage in (
                        ("crawl",) if conversion.crawl_only else (*list(PARENTS)[:: 1 if conversion.url else 3],)
                    ):
                        if to == "headers" and usage in HEADERLESS:
                            continue
                        if conversion.url and usage == "crawl":
                            continue
                        old = before.decide(path, crawler=crawler, usage=usage, purpose=purpose)
                        if isinstance(after, PagePolicy):
                            new = after.decide(usage, crawler=crawler, purpose=purpose)
                        else:
                            new = after.decide(path, crawler=crawler, usage=usage, purpose=purpose)
                        assert not is_looser(new, old), (to, crawler, purpose, usage, path, octets)
                        assert noted or not is_looser(old, new), (to, crawler, purpose, usage, path, octets)


def test_what_a_page_says_is_said_no_looser_in_robots() -> None:
    """What META tags say becomes fields of robots.txt that permit nothing more about the page."""
    for number in range(CASES // 3):
        octets = anything(Random(f"{SEED}.page.{number}"))
        tags = convert(octets, "meta", url="/a").text
        html = tags + b'<meta name="robots" content="noimageindex"><body><p class="the-acap:disallow-index">x</p>'
        page = parse_page(html, url="https://h.example/a")
        fields = parse_robots(convert(html, "acap", kind="page", url="/a").text)
        for crawler, purpose in itertools.product(("x", "y", "other"), (None, "news")):
            for usage in PARENTS:
                said = page.decide(usage, crawler=crawler, purpose=purpose)
                new = fields.decide("/a", crawler=crawler, usage=usage, purpose=purpose)
                assert not is_looser(new, said), (crawler, purpose, usage, html)


@pytest.mark.parametrize("to", ["acap", "robots"])
def test_a_conversion_is_over_in_its_time(to: Target) -> None:
    """Thousands of groups with signals, whose names have one token, keep a conversion no longer than it may take."""
    groups = (f"User-agent: b{n}a\nContent-Signal: use=reference\nDisallow: /a{n}\n" for n in range(15_000))
    octets = "".join((*groups, "ACAP-crawler: *\nACAP-disallow-index: /a\n")).encode()
    begin = time.monotonic()
    with contextlib.suppress(OutOfTimeError):
        convert(octets, to, seconds=1)
    assert time.monotonic() - begin < 20
