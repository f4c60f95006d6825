"""A policy is shared: threads and processes see the same answers, whoever asks first."""

from __future__ import annotations

import multiprocessing
import pickle
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import Any

import pytest

import acap
from acap import _native
from acap.robots import DIALECTS, RobotsPolicy
from tests.hostile import LINES, lines, numbered

SITE = "http://host.example/robots.txt"
THREADS = 8
NOON = datetime(2025, 6, 30, 12, tzinfo=UTC)
CRAWLERS: tuple[str | tuple[str, ...], ...] = (
    *numbered("bot{}", 20),
    "nobody",
    ("news-bot", "bot3"),
    "Mozilla/5.0 (compatible; bot7/1.0)",
)
PATHS = ("/", "/a/b", "/private/1", "/37/x", "/search?q=a", "/archive/2020/a.html")
USAGES = ("crawl", "index", "present-snippet", "search")

CONVENTIONAL = lines(
    numbered("User-agent: bot{0}\nDisallow: /{0}/\nDisallow: /*/private\nAllow: /{0}/open\n", 20),
    "User-agent: *",
    numbered("Disallow: /{}/", 200),
    numbered("Disallow: /*/{}.html$", 200),
)
ACAP = lines(
    "ACAP-resource-set: archive /archive/ /old/",
    "ACAP-qualified-usage: brief present-snippet max-length=20-words",
    numbered("ACAP-crawler: bot{0}\nACAP-disallow-crawl: /{0}/\nACAP-allow-(brief): acap:resource-set:archive", 20),
    "ACAP-crawler: *",
    "ACAP-allow-index: / time-limit=30-days",
    "ACAP-disallow-index: acap:resource-set:archive",
    "ACAP-usage-purpose: news",
    "ACAP-disallow-present: /",
)


def fresh() -> RobotsPolicy:
    """A policy that nobody has asked yet."""
    return acap.parse_robots(CONVENTIONAL + ACAP, url=SITE)


def answers(policy: RobotsPolicy, crawler: str | tuple[str, ...]) -> list[Any]:
    """Everything a crawler is told."""
    found: list[Any] = []
    for path in PATHS:
        for usage in USAGES:
            decision = policy.decide(path, crawler=crawler, usage=usage, at=NOON)
            found.append((decision.outcome, decision.stated, decision.restrictions, decision.reason))
        found.append(policy.decide(path, crawler=crawler, purpose="news", usage="present", at=NOON).reason)
        found.append(policy.decide(path, crawler=crawler).outcome)
    rows = policy.decide_many(PATHS, crawler=crawler, usages=("crawl", "index"), at=NOON)
    return [*found, rows.outcomes, rows.lines.tolist(), policy.politeness(crawler)]


def at_once(work: Callable[[int], Any]) -> list[Any]:
    """What the work gives in eight threads that begin together."""
    start = threading.Barrier(THREADS)

    def begin(number: int) -> Any:
        start.wait(timeout=60)
        return work(number)

    with ThreadPoolExecutor(THREADS) as pool:
        return [future.result() for future in [pool.submit(begin, number) for number in range(THREADS)]]


def test_threads_share_a_policy() -> None:
    """Eight threads ask one policy for more crawlers than it remembers, each in another order."""
    alone = {crawler: answers(fresh(), crawler) for crawler in CRAWLERS}
    shared = fresh()

    def ask(number: int) -> bool:
        turned = [*CRAWLERS[number * 3 :], *CRAWLERS[: number * 3]]
        return all(answers(shared, crawler) == alone[crawler] for crawler in turned * 3)

    assert at_once(ask) == [True] * THREADS


def test_threads_share_the_first_question() -> None:
    """What is worked out when first asked for is worked out once, or to the same end: rules, index, problems."""
    for _ in range(20):
        shared = fresh()

        def ask(number: int, shared: RobotsPolicy = shared) -> Any:
            if number % 2:
                shared._build_index("nobody")
            return answers(shared, "nobody"), shared.problems, shared.statements

        assert at_once(ask) == [ask(0)] * THREADS


def test_threads_share_a_decision() -> None:
    """A decision works out its reason once, in whatever thread asks first, and keeps it."""
    for crawler, usage in (("bot3", "search"), ("nobody", "crawl")):
        decision = fresh().decide("/archive/x", crawler=crawler, usage=usage, at=NOON)
        reasons = at_once(lambda _, decision=decision: (decision.reason, decision.restrictions))  # type: ignore[misc]  # mypy cannot infer it
        assert reasons == [(decision.reason, decision.restrictions)] * THREADS
        assert all(reason is decision.reason and held is decision.restrictions for reason, held in reasons)


COUNTED_WHILE_GARBAGE_IS_COLLECTED = """
import gc, threading, time
import pyarrow as pa
from acap import _native

panel = _native.Panel([("bot", "bot")], [], ["crawl"], [0] * 200, [0] * 600)
tally = _native.Tally(panel, 1)
months = pa.array([month * 31 * 86_400_000_000 for month in range(60)], pa.int64())
sites = pa.table({"site": ["a.example"] * 60, "robots": pa.array([b"User-agent: *"] * 60, pa.binary()), "at": months})
tally.add(panel.judge(sites, 0))
gc.callbacks.append(lambda *_: time.sleep(0.001))
gc.set_threshold(20)
threads = [threading.Thread(target=tally.counts) for _ in range(4)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
"""


def test_threads_that_count_a_survey_do_not_wait_for_each_other_for_ever() -> None:
    """Python may run another thread while the objects of the first are made: nothing is locked then."""
    subprocess.run([sys.executable, "-c", COUNTED_WHILE_GARBAGE_IS_COLLECTED], check=True, timeout=60)


def test_a_policy_derived_in_one_thread_leaves_the_others_alone() -> None:
    """Supplying a reference makes another policy; whoever holds the first sees what it said before."""
    policy = acap.parse_robots(lines("ACAP-crawler: *", "ACAP-permissions-reference: /r"), url=SITE)

    def ask(number: int) -> tuple[str, str]:
        octets = lines("ACAP-crawler: *", f"ACAP-disallow-index: /{number}/")
        supplied = policy.with_reference("/r", octets)
        asked = [each.decide(f"/{number}/", crawler="bot", usage="follow") for each in (policy, supplied)]
        return asked[0].reason.kind, asked[1].reason.kind

    assert at_once(ask) == [("reference-missing", "silence")] * THREADS


@pytest.mark.parametrize("dialect", DIALECTS)
def test_many_files_are_read_as_one_by_one(dialect: str) -> None:
    """On all processors or on one: the same policies, in their order, and nobody's fault is another's."""
    texts = [b"", b"\xff\xfe\n", CONVENTIONAL, ACAP, *(make(20) for make in LINES.values())] * 5
    items: list[bytes | tuple[bytes, str | None]] = [
        text if number % 2 else (text, f"http://host{number}.example/") for number, text in enumerate(texts)
    ]
    limits = acap.Limits(fields_per_record=7, line_octets=500)
    many = acap.parse_robots_many(items, dialect=dialect, limits=limits)
    single = [
        acap.parse_robots(
            text, url=None if number % 2 else f"http://host{number}.example/", dialect=dialect, limits=limits
        )
        for number, text in enumerate(texts)
    ]
    assert many == single
    for one, other in zip(many, single, strict=True):
        assert (one.problems, one.truncated, one.url) == (other.problems, other.truncated, other.url)
        asked = [policy.decide("/a", crawler="bot", usage="index") for policy in (one, other)]
        assert asked[0].reason == asked[1].reason


def test_many_files_are_read_by_many_threads() -> None:
    """Batches that read and decide without the GIL do so side by side."""
    texts = [CONVENTIONAL + ACAP + b"#" * number for number in range(200)]

    def work(number: int) -> list[bytes]:
        policies = acap.parse_robots_many(texts)
        return [policy.decide_many(PATHS, crawler=CRAWLERS[number]).outcomes for policy in policies]

    assert at_once(work) == [work(number) for number in range(THREADS)]


def test_whoever_makes_the_objects_of_many_files_can_stop_it() -> None:
    """What fails while objects are made comes out, whole, and nobody waits for the files that are left; as Ctrl-C
    does."""
    made: list[RobotsPolicy] = []

    def fail(reading: _native.Reading) -> RobotsPolicy:
        if len(made) == 700:
            raise KeyboardInterrupt
        made.append(RobotsPolicy(reading))
        return made[-1]

    files = [CONVENTIONAL + b"#" * number for number in range(5_000)]
    with pytest.raises(KeyboardInterrupt):
        _native.read_many(files, fail, "auto", None)
    assert len(made) == 700
    assert {policy.text for policy in made} <= set(files)


def in_a_process(policy: RobotsPolicy) -> tuple[RobotsPolicy, list[Any], acap.Decision]:
    """What another process makes of a policy."""
    decision = policy.decide("/archive/x", crawler="bot3", usage="index", at=NOON)
    return policy, [answers(policy, crawler) for crawler in CRAWLERS[:3]], decision


def test_processes_share_what_they_pickle() -> None:
    """A policy goes to a new process and answers there as here; it and its decisions come back."""
    limited = acap.parse_robots(ACAP, url=SITE, limits=acap.Limits(records=3))
    referring = acap.parse_robots(lines("ACAP-crawler: *", "ACAP-permissions-reference: /r"), url=SITE)
    policies = [
        fresh(),
        limited,
        referring.with_reference("/r", ACAP),
        referring.with_reference("/r", None),
        RobotsPolicy.unreachable(SITE),
        RobotsPolicy.absent(SITE, dialect="rfc9309"),
        fresh().with_evidence({"status": 200}),
    ]
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        found = pool.map(in_a_process, policies)
    for policy, (back, told, decision) in zip(policies, found, strict=True):
        here = in_a_process(policy)
        assert (back, back.evidence, back.truncated) == (policy, policy.evidence, policy.truncated)
        assert told == here[1]
        assert decision == here[2]
        assert decision.reason == here[2].reason


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
@pytest.mark.parametrize("usage", [None, *USAGES, ("index", "follow")])
def test_a_pickled_decision_is_whole(protocol: int, usage: str | tuple[str, ...] | None) -> None:
    """It keeps its reason, its restrictions, its question and the version of the semantics, without its policy."""
    crawler = acap.Crawler("bot3", purposes=("news",), honours=("time-limit",))
    asked: dict[str, Any] = {} if usage is None else {"usage": usage, "at": NOON}
    for path in PATHS:
        decision = fresh().decide(path, crawler="bot3" if usage is None else crawler, **asked)
        again = pickle.loads(pickle.dumps(decision, protocol))
        assert again == decision
        assert hash(again) == hash(decision)
        for name in ("outcome", "permitted", "stated", "kind", "restrictions", "reason", "url", "crawler", "at"):
            assert getattr(again, name) == getattr(decision, name), name
        assert (again.usage, again.purpose) == (decision.usage, decision.purpose)
        assert again.semantics == decision.semantics == acap.SEMANTICS
        assert decision.policy is not None
        assert again.policy is None
        assert pickle.loads(pickle.dumps(again, protocol)) == decision


def test_a_decision_of_other_semantics_says_so() -> None:
    """What was decided under an earlier version keeps that version."""
    restore, (fields,) = fresh().decide("/", crawler="bot3").__reduce__()
    assert restore(fields | {"semantics": "0"}).semantics == "0"
