"""Texts and URLs written to do harm: nothing raises, time and room stay linear, and doubt never permits."""

from __future__ import annotations

import functools
import math
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

import acap
from acap.robots import DIALECTS, RobotsPolicy
from tests.hostile import CONVENTIONAL, LINES, MISTAKES, OCTETS, PEAK, TEXTS, URLS, globs, lines, numbered

LETTERS = "abcdefghijkl"
SITE = "http://host.example/robots.txt"
WIDE = acap.Limits(file_octets=10**9, line_octets=65_535)
PATHS = ("/", "/a", "/a/b?c=d", "/" + "a" * 300, "/" + "ab" * 200)
USAGES = ("crawl", "search", "present", "other")


def look(policy: RobotsPolicy) -> None:
    """Looks at everything a policy has to say."""
    for path in PATHS:
        for usage in USAGES:
            decision = policy.decide(path, crawler="bot", usage=usage)
            assert decision.reason.kind
            assert decision.outcome == "permitted" or not decision.restrictions
        policy.decide(path, crawler=["news-bot", "bot"], purpose="news", usage="index")
    rows = policy.decide_many(PATHS, crawler="bot", usages=("crawl", "index"))
    asked = [(path, usage) for path in PATHS for usage in ("crawl", "index")]
    for number, (path, usage) in enumerate(asked):
        assert rows[number][2] == policy.decide(path, crawler="bot", usage=usage).outcome
    assert len(policy.problems) >= policy.truncated
    assert policy.statements is not None
    assert b"".join(line.octets for line in policy.lines) == policy.text
    policy.politeness("bot")
    for found in (policy.crawlers, policy.purposes, policy.extensions, policy.sitemaps, policy.unknown_usages):
        assert len(set(found)) <= len(found)
    assert set(policy.missing_references("bot")) <= set(policy.references("bot"))
    policy.action_requests("bot")


@pytest.mark.parametrize("name", TEXTS)
def test_any_text_is_read_and_answers(name: str) -> None:
    """Whatever the octets, there is a policy in each dialect, and it can be asked for everything."""
    text = TEXTS[name](100 if name in LINES else 3_000)
    for dialect in DIALECTS:
        look(acap.parse_robots(text, url=SITE, dialect=dialect))


@pytest.mark.parametrize("name", OCTETS)
def test_a_large_text_is_read_and_answers(name: str) -> None:
    """A text of a megabyte, read under the limits and without them."""
    for limits in (None, WIDE):
        policy = acap.parse_robots(OCTETS[name](1_000_000), url=SITE, limits=limits)
        assert policy.decide("/a", crawler="bot").reason.kind


@pytest.mark.parametrize("octets", [b"\n", b"a"], ids=["LF", "a"])
def test_ten_megabytes_are_read(octets: bytes) -> None:
    """Ten megabytes of one octet hold no rule in the dialect without limits, and prohibit everything under limits."""
    for dialect in ("google", "auto"):
        policy = acap.parse_robots(octets * 10_000_000, dialect=dialect)
        assert policy.decide("/", crawler="bot").permitted == (dialect == "google")
        assert policy.truncated == (dialect == "auto")


def test_a_thousand_wildcards_need_no_backtracking() -> None:
    """A pattern is matched in one pass, also when it fails at its very end."""
    policy = acap.parse_robots(lines("User-agent: *", "Disallow: /" + "*a" * 1_000 + "b"))
    assert policy.decide("/" + "a" * 60_000, crawler="bot").permitted
    assert not policy.decide("/" + "a" * 60_000 + "b", crawler="bot").permitted


@pytest.mark.parametrize("name", URLS)
def test_any_url_of_the_site_can_be_asked_for(name: str) -> None:
    """However odd, and long up to the bound, a URL of the policy's site has an answer, in every dialect."""
    text = lines("User-agent: *", "Disallow: /*x*y*z", "ACAP-crawler: *", "ACAP-disallow-index: /*x*y*z$")
    for dialect in DIALECTS:
        policy = acap.parse_robots(text, url=SITE, dialect=dialect)
        decision = policy.decide(URLS[name], crawler="bot", usage="index")
        assert decision.url == URLS[name]
        assert decision.permitted
        assert policy.decide_many([URLS[name]], crawler="bot").permitted == [True]


@pytest.mark.parametrize("name", MISTAKES)
def test_a_url_of_no_site_or_another_is_a_mistake(name: str) -> None:
    """What is no URL, or not of the policy's site, is never answered."""
    policy = acap.parse_robots(b"", url=SITE)
    with pytest.raises(ValueError):
        policy.decide(MISTAKES[name], crawler="bot")
    with pytest.raises(ValueError):
        policy.decide_many(["/", MISTAKES[name]], crawler="bot")


def seconds(work: Callable[[], object], enough: float = 0.0) -> float:
    """Processor time of some work, the least of three times, or the first that is short enough."""
    times = [math.inf]
    while len(times) < 4 and min(times) > enough:
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


@pytest.mark.parametrize("name", TEXTS)
def test_four_times_the_text_takes_not_much_more_than_four_times_as_long(name: str) -> None:
    """Reading, deciding and reporting are linear: of a square the time would be sixteen times as long."""
    sizes = (1_000, 4_000) if name in LINES else (25_000, 100_000)
    policies = [acap.parse_robots(TEXTS[name](size), url=SITE, limits=WIDE) for size in sizes]
    work: dict[str, Callable[[RobotsPolicy], object]] = {
        "reading": lambda policy: acap.parse_robots(policy.octets, url=SITE, limits=WIDE),
        "deciding": lambda policy: (
            acap.RobotsPolicy(policy._reading)
            .decide(PATHS[3], crawler=f"bot{time.perf_counter_ns()}", usage="search")
            .reason
        ),
        "problems": lambda policy: policy.problems,
        "statements": lambda policy: policy.statements,
    }
    for what, does in work.items():
        small = seconds(functools.partial(does, policies[0]))
        large = seconds(functools.partial(does, policies[1]), enough=10 * small + 0.03)
        assert large <= 10 * small + 0.03, f"{what}: {small * 1000:.1f} ms, then {large * 1000:.1f} ms"


def test_ten_times_the_usages_of_a_definition_take_not_much_more_than_ten_times_as_long() -> None:
    """What a question by the name of a definition asks for is looked up once, however many fields use the name."""

    def ask(parts: int) -> float:
        named = " ".join(numbered("u{}", parts))
        text = lines(f"ACAP-composite-usage: c {named}", "ACAP-crawler: *", ["ACAP-allow-(c): /"] * 1_000)
        return seconds(lambda: acap.parse_robots(text, url=SITE).decide("/", crawler="bot", usage="(c)"))

    assert ask(900) < 25 * ask(90) + 0.03


MEASURED = """
import os

def measure(dialect, path):
    octets = Path(path).read_bytes()
    # A new process has none of the code in its memory yet.
    acap.parse_robots(b"User-agent: *\\nACAP-crawler: *\\nACAP-allow-crawl: /\\n" * 9, dialect=dialect)
    limits = None if dialect == "google" else acap.Limits(file_octets=len(octets) + 1, line_octets=65_535)
    before = peak()
    policy = acap.parse_robots(octets, dialect=dialect, limits=limits)
    print(peak() - before, flush=True)

for line in sys.stdin:
    child = os.fork()
    if child == 0:
        measure(*line.rstrip("\\n").split(" ", 1))
        os._exit(0)
    os.waitpid(child, 0)
"""
"""Reads each file that it is told of in a process of its own, which begins with nothing but the package."""

MEGABYTES = 5
LARGE: dict[str, Callable[[], bytes]] = {
    "LF": lambda: b"\n",
    "a": lambda: b"a",
    "agents": lambda: b"User-agent:a\n",
    "rules": lambda: b"Allow:\n",
    "other fields": lambda: b"Host:\n",
    "ACAP comments": lambda: b"##acap\n",
    "no ACAP fields": lambda: b"ACAP-\n",
    "prohibitions": lambda: b"ACAP-crawler:a\n" + b"ACAP-disallow-tdm:/\n" * 50_000,
    "permissions": lambda: b"ACAP-crawler:a\n" + b"ACAP-allow-tdm:/\n" * 9_999,
    "patterns": lambda: b"ACAP-crawler:a\nACAP-disallow-tdm:" + b"/ " * 32_000 + b"\n",
    "escapes": lambda: b"ACAP-crawler:a\nACAP-disallow-tdm:/" + b"\x80" * 60_000 + b"\n",
    "records": lambda: b"ACAP-crawler:a\nACAP-disallow-tdm:/\n",
    "crawlers": lambda: b"ACAP-crawler:" + b"a," * 32_000 + b"\n",
    "purposes": lambda: b"ACAP-crawler:a\n" + b"ACAP-usage-purpose:a\nACAP-disallow-tdm:/\n" * 50_000,
    "requests": lambda: b"ACAP-crawler:a\n" + b"ACAP-request-take-down:/\n" * 50_000,
    "references": lambda: b"ACAP-crawler:a\n" + b"ACAP-permissions-reference:a\n" * 50_000,
    "restrictions": lambda: b"ACAP-crawler:a\nACAP-allow-tdm:/" + b" used-resource=a" * 4_000 + b"\n",
    "UTF-16": lambda: b"\xff\xfe" + "ACAP-crawler:a\nACAP-disallow-tdm:/\n".encode("utf-16-le") * 100_000,
    "a false mark": lambda: b"\xff\xfe" + b"Disallow:/a\n" * 1_000_000,
    "control characters": lambda: b"ACAP-crawler:a\n" + b"ACAP-disallow-tdm:/\x01\n" * 50_000,
    "a later version": lambda: (
        b"##ACAP version=1.0\nACAP-crawler:a\n" + b"ACAP-allow-tdm:/ used-resource=acap:idlist:a\n" * 9_999
    ),
    "sets": lambda: lines(numbered("ACAP-resource-set:{} /", 450_000)),
    "qualified usages": lambda: lines(numbered("ACAP-qualified-usage:{} tdm", 350_000)),
    "a set often used": lambda: lines(
        "ACAP-resource-set: s " + " ".join(numbered("/{}", 5_000)),
        "ACAP-crawler: *",
        ["ACAP-allow-crawl: acap:resource-set:s", "ACAP-disallow-crawl: acap:resource-set:s"] * 100_000,
    ),
}


@pytest.fixture(scope="module")
def measuring() -> Iterator[subprocess.Popen[str]]:
    """What measures memory; it starts Python once for all."""
    command = [sys.executable, "-c", PEAK + MEASURED]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as running:
        yield running


@pytest.mark.parametrize("name", LARGE)
def test_a_policy_takes_at_most_four_times_its_text(
    tmp_path: Path, name: str, measuring: subprocess.Popen[str]
) -> None:
    """Of five megabytes, without limits: the peak of memory while reading, the copy of the text included."""
    text = LARGE[name]()
    text = (text * (MEGABYTES * 1_000_000 // len(text) + 1))[: MEGABYTES * 1_000_000]
    file = tmp_path / "robots.txt"
    file.write_bytes(text)
    assert measuring.stdin is not None
    assert measuring.stdout is not None
    for dialect in ("google", "auto"):
        measuring.stdin.write(f"{dialect} {file}\n")
        measuring.stdin.flush()
        taken = int(measuring.stdout.readline())
        assert len(text) / 2 < taken <= 4 * len(text) + 1_000_000, dialect


def test_a_question_that_too_many_statements_answer_is_prohibited() -> None:
    """20,000 permissions and 20,000 prohibitions of one URL: what cannot be weighed any more prohibits."""
    above = [f"ACAP-disallow-crawl: {glob}a*a*a" for glob in globs(20_000)]
    within = [f"ACAP-allow-crawl: /a{'*a' * (i % 150)}{i}" for i in range(20_000)]
    policy = acap.parse_robots(lines("ACAP-crawler: *", above, within), limits=WIDE)
    decision = policy.decide("/" + "a" * 300, crawler="bot")
    assert decision.outcome == "prohibited"
    assert 1 <= len(decision.reason.decided_by) <= 256
    assert len(decision.reason.lost) <= 256


def test_a_question_that_too_many_restrictions_answer_is_prohibited() -> None:
    """Of restrictions that cannot all be looked at none may be lost."""
    permissions = [f"ACAP-allow-crawl: {glob} must-include-resource=/{i}" for i, glob in enumerate(globs(9_000))]
    policy = acap.parse_robots(lines("ACAP-crawler: *", permissions), limits=WIDE)
    assert policy.decide("/b", crawler="bot").permitted
    assert policy.decide("/" + "a" * 300, crawler="bot").outcome == "prohibited"


def test_a_few_hundred_statements_are_weighed_exactly() -> None:
    """Far more than any real file has on one URL, and not yet at the bound."""
    pairs = [f"ACAP-{verb}-crawl: /{'a' * i}" for i in range(200) for verb in ("allow", "disallow")]
    policy = acap.parse_robots(lines("ACAP-crawler: *", pairs, "ACAP-allow-crawl: /" + "a" * 200))
    assert policy.decide("/" + "a" * 200, crawler="bot").permitted
    assert not policy.decide("/" + "a" * 199, crawler="bot").permitted


def test_a_set_used_often_is_read_exactly() -> None:
    """A set of 2,500 patterns in 5,000 prohibitions: none is lost, also beyond the number of fields."""
    fields = ["ACAP-disallow-crawl: acap:resource-set:s"] * 5_000
    late = "ACAP-disallow-index: acap:resource-set:s"
    text = lines("ACAP-resource-set: s " + " ".join(numbered("/{}/", 2_500)), "ACAP-crawler: *", fields, late)
    policy = acap.parse_robots(text, limits=acap.Limits(fields_per_record=10))
    assert policy.truncated
    for number in (0, 1_234, 2_499):
        assert policy.decide(f"/{number}/a", crawler="bot").outcome == "prohibited"
    assert policy.decide("/2500/a", crawler="bot").permitted
    policy = acap.parse_robots(text.replace(b"-crawl:", b"-follow:"), limits=acap.Limits(fields_per_record=10))
    assert policy.decide("/7/", crawler="bot", usage="index").reason.kind == "statement"


def test_composites_that_name_each_other_come_to_their_own_parts() -> None:
    """5,000 composites in a circle: a composite in a composite is void, its other parts stand."""
    names = [f"ACAP-composite-usage: c{i} (c{(i + 1) % 5_000}) preserve" for i in range(5_000)]
    policy = acap.parse_robots(lines(names, "ACAP-crawler: *", numbered("ACAP-disallow-(c{0}): /{0}/", 5_000)))
    assert policy.decide("/4999/", crawler="bot", usage="preserve").outcome == "prohibited"
    assert policy.decide("/4999/", crawler="bot", usage="index").permitted


@pytest.mark.parametrize("number", [1_000, 1_001, 20_000])
def test_a_prohibition_of_one_usage_too_many_prohibits_the_remainder(number: int) -> None:
    """A file makes up so many usages; a prohibition of one more is kept as one of `other`."""
    policy = acap.parse_robots(lines("ACAP-crawler: *", numbered("ACAP-disallow-u{}: /", number)))
    assert len(policy.unknown_usages) == min(number, 1_000)
    assert policy.truncated == (number > 1_000)
    # One that is kept under its own name prohibits the remainder too (P2 2.2.6).
    assert policy.decide("/", crawler="bot", usage="index").outcome == "prohibited"
    assert policy.decide("/", crawler="bot", usage="u999").outcome == "prohibited"


@pytest.mark.parametrize("number", [256, 257, 5_000])
def test_of_too_many_purposes_any_may_be_refused(number: int) -> None:
    """So many purposes are tried for a question without one; beyond them any counts as excluded."""
    records = [f"ACAP-crawler: *\nACAP-usage-purpose: p{i}\nACAP-disallow-crawl: /" for i in range(number)]
    policy = acap.parse_robots(lines(records))
    excluded = [each.value for each in policy.decide("/", crawler="bot").restrictions]
    assert excluded[:256] == numbered("p{}", 256)
    assert excluded[256:] == ["*"] * (number > 256)
    assert policy.decide("/", crawler="bot", purpose=f"p{number - 1}").outcome == "prohibited"


def test_a_permission_beyond_a_limit_still_restricts() -> None:
    """It lifts no prohibition any more, and what it restricts stays restricted: silence would permit more."""
    text = lines(
        "ACAP-crawler: *",
        "ACAP-disallow-preserve: /a",
        "ACAP-allow-preserve: /a/b",
        "ACAP-allow-index: / max-length=20-words",
        "ACAP-allow-present: / time-limit=until-2000-01-01",
        "ACAP-allow-present: /a",
    )
    whole, cut = (acap.parse_robots(text, limits=limits) for limits in (None, acap.Limits(fields_per_record=1)))
    assert whole.decide("/a/b", crawler="bot", usage="preserve").permitted
    assert cut.decide("/a/b", crawler="bot", usage="preserve").outcome == "prohibited"
    for policy in (whole, cut):
        index = policy.decide("/", crawler="bot", usage="index")
        assert [str(each) for each in index.restrictions] == ["max-length=20-words"]
        present = policy.decide("/a", crawler="bot", usage="present", at=datetime(2025, 6, 30, tzinfo=UTC))
        assert (present.outcome, present.reason.kind) == ("prohibited", "expired")


def test_a_reference_named_often_is_read_once() -> None:
    """What a thousand records refer to counts once, and still counts."""
    records = [["ACAP-crawler: *", "ACAP-permissions-reference: /r"]] * 1_000
    policy = acap.parse_robots(lines(*records), url=SITE)
    referenced = lines("ACAP-crawler: *", numbered("ACAP-disallow-index: /{}/", 5_000))
    policy = policy.with_reference("/r", referenced)
    assert policy.missing_references("bot") == ()
    assert policy.decide("/4999/", crawler="bot", usage="index").outcome == "prohibited"
    assert policy.decide("/5000/", crawler="bot", usage="index").permitted


@pytest.mark.parametrize(
    ("rules", "path"),
    [
        ([f"Disallow: /*{'a' * i}*b" for i in range(1, 1_000)], "/" + "a" * 5_000),
        ([f"Disallow: /*{a}{a}*{b}{c}*d" for a in LETTERS for b in LETTERS for c in "ab"], "/aabbccddee" * 200),
        ([f"Disallow: /*{i}{'ab' * 500}*" for i in range(1_000)], "/7" + "ab" * 500 + "/"),
        ([f"Disallow: /{'a' * i}" for i in range(1_000)], "/" + "a" * 500 + "b"),
    ],
    ids=["nested", "in turns", "long", "prefixes"],
)
def test_an_index_finds_what_looking_at_every_rule_finds(rules: list[str], path: str) -> None:
    """Rules that overlap in any way: the same line decides, and it is not found much more slowly."""
    text = lines("User-agent: *", rules)
    plain, indexed = acap.parse_robots(text), acap.parse_robots(text)
    indexed._build_index("bot")
    for url in (path, path + "b", path[:50], path + "d/aad"):
        found = [policy.decide(url, crawler="bot").reason.decided_by for policy in (plain, indexed)]
        assert found[0] == found[1]
    slow = seconds(lambda: plain.decide(path, crawler="bot"))
    enough = 10 * slow + 0.03
    assert seconds(lambda: indexed.decide(path, crawler="bot"), enough) <= enough


def test_an_address_of_ipv6_is_a_host_like_another() -> None:
    """Its colons are no port, its brackets no pattern."""
    policy = acap.parse_robots(lines("User-agent: *", "Disallow: /a"), url="http://[2001:db8::1]:8080/robots.txt")
    assert policy.decide("HTTP://user@[2001:DB8::1]:08080/a", crawler="bot").outcome == "prohibited"
    for other in ("http://[2001:db8::1]/a", "http://[2001:db8::2]:8080/a", "http://[2001:db8::1:8080/a"):
        with pytest.raises(ValueError):
            policy.decide(other, crawler="bot")


def test_statements_from_elsewhere_may_be_many() -> None:
    """100,000 statements of a page, each on a usage of its own: none is taken for one on another usage."""
    policy = acap.parse_robots(lines("ACAP-crawler: *", "ACAP-disallow-crawl: /a"))
    statement = functools.partial(acap._native.Statement, dialect="acap", named=True)
    permitting = [statement(usage=f"u{i}", outcome="permitted", part="page") for i in range(50_000)]
    prohibiting = [statement(usage=f"v{i}", outcome="prohibited") for i in range(50_000)]
    said = acap._native.Statements([*permitting, *prohibiting])

    def ask(path: str, usage: str) -> acap.Decision:
        return acap._native.decide_with(policy, path, usage, acap._native.Question("bot"), said)

    assert ask("/a", "crawl").outcome == "prohibited"
    assert ask("/b", "crawl").permitted
    assert ask("/b", "u7").permitted
    assert ask("/b", "u7").reason.decided_by
    assert ask("/b", "index").outcome == "prohibited", "prohibitions that have no number are of the remainder"
    with pytest.raises(ValueError):
        ask("/b", "v49999")


def test_dialects_from_elsewhere_may_be_many() -> None:
    """Thousands of statements and restrictions of other dialects are weighed in linear time, and cited in part."""
    policy = acap.parse_robots(b"")
    restrictions = [("must-include-resource", f"/{i}") for i in range(20_000)]
    statement = functools.partial(acap._native.Statement, usage="index")
    statements = [statement(dialect=f"d{i % 10}", outcome="permitted") for i in range(20_000)]
    statements.append(statement(dialect="d", outcome="permitted", restrictions=restrictions))
    said = acap._native.Statements(statements)
    decision = acap._native.decide_with(policy, "/", "index", acap._native.Question("bot"), said)
    assert len(decision.restrictions) == 20_000
    assert len(decision.reason.decided_by) == 256


def test_lines_of_the_2_0_0_proposal_look_at_a_long_url_once() -> None:
    """Four times the lines take not four times as long where the URL is what is long."""
    url = "/" + "ab" * 30_000
    times = []
    for count in (4_000, 16_000):
        text = lines(numbered("User-agent: bot\nRobot-version: 2.0\nDisallow: /*b{0}a*b\nAllow: /c{0}\n", count))
        policy = acap.parse_robots(text, url=SITE, limits=WIDE)
        policy.decide("/", crawler="bot")
        times.append(seconds(functools.partial(policy.decide, url, crawler="bot")))
    assert times[1] < 2 * times[0] + 0.05


def test_a_crawler_asks_by_few_names() -> None:
    """Each name is looked for in every record, so too many of them are the caller's mistake."""
    policy = acap.parse_robots(CONVENTIONAL, url=SITE)
    names = numbered("bot{}", 65)
    assert policy.decide("/b", crawler=names[:64]).permitted
    for crawler in (names, acap.Crawler(*names)):
        with pytest.raises(ValueError, match="64 names at most, not by 65"):
            policy.decide("/b", crawler=crawler)
        with pytest.raises(ValueError, match="64 names at most, not by 65"):
            policy.decide_many(["/b"], crawler=crawler)


def test_a_problem_of_a_definition_is_told_once_where_it_is() -> None:
    """Whoever uses a definition does not repeat what is wrong with it: a thousand parts, a thousand uses, one each."""
    text = lines(
        numbered("ACAP-qualified-usage: q{} index max-length=20-words", 1_000),
        "ACAP-composite-usage: c " + " ".join(numbered("(q{})", 1_000)),
        "ACAP-crawler: *",
        numbered("ACAP-allow-(c): /{}", 1_000),
    )
    problems = acap.parse_robots(text).problems
    assert [(one.code, one.line) for one in problems] == [
        ("acap-misplaced-qualifier", line) for line in range(1, 1_001)
    ]


@pytest.mark.parametrize("name", LINES)
def test_problems_are_few_whatever_is_wrong(name: str) -> None:
    """Of one code five thousand are told, and the number of the others."""
    problems = acap.parse_robots(LINES[name](6_000), url=SITE).problems
    codes = [one.code for one in problems]
    assert max((codes.count(code) for code in set(codes)), default=0) <= 5_000


def test_the_number_of_further_problems_is_told() -> None:
    """What is left out stands where the first of it is."""
    problems = acap.parse_robots(lines("User-agent: *", ["Disalow: /a"] * 6_000)).problems
    (more,) = (one for one in problems if one.code == "more-of-this")
    assert more.line == 5_002
    assert more.message == "1000 more problems `misspelt-field` are not listed"
    assert sum(one.code == "misspelt-field" for one in problems) == 5_000
