"""Reading and deciding: how long."""

from __future__ import annotations

import dataclasses
import statistics
from collections.abc import Callable, Iterator, Sequence
from functools import partial

import acap
from benchmarks import corpus
from benchmarks.clock import Spread, in_turns, now
from benchmarks.contestants import Contestant, Policy
from benchmarks.corpus import CRAWLER, File

MICRO = 1e6  # seconds to microseconds
TIMES = 5  # so often the URLs of a file are asked in one measurement, which is then some 20 µs or more
RULES = (4, 645, 10_000)
URLS = 1_000  # asked of generated files
ACAP_FILES = 500

Work = Callable[[], float]
"""Does something and gives the microseconds a unit of it took."""


@dataclasses.dataclass(frozen=True, slots=True)
class Measure:
    """One table: who took how long, in microseconds of processor time a unit.

    `octets` is the mean size of what is read, where speed is better told as octets a second. `goal` is the greatest
    median that acap means to keep.
    """

    key: str
    title: str
    unit: str
    rows: dict[str, Spread]
    octets: float | None = None
    goal: float | None = None


@dataclasses.dataclass(frozen=True, slots=True)
class Field:
    """Who takes part, with what, how often."""

    contestants: Sequence[Contestant]
    files: Sequence[File]
    rounds: int

    @property
    def octets(self) -> list[bytes]:
        return [file.octets for file in self.files]

    @property
    def mean_octets(self) -> float:
        return statistics.fmean(len(file.octets) for file in self.files)

    def in_turns(self, work: Callable[[Contestant], float], *, only_keepers: bool = False) -> dict[str, Spread]:
        """The same work for each contestant."""
        works = {one.name: partial(work, one) for one in self.contestants if one.keeps or not only_keepers}
        return in_turns(works, self.rounds)


def measures(field: Field) -> Iterator[Measure]:
    """Everything, in the order of the page."""
    yield reading(field)
    yield reading_and_asking(field)
    yield first_decision(field)
    yield decision(field)
    yield decisions_in_passing(field)
    yield batch_of_a_file(field)
    yield batch_of_all(field)
    for rules in RULES:
        yield from generated_rules(field, rules)
    yield seeing_every_line(field)
    yield from acap_records(field)


def seconds(work: Callable[..., object], *arguments: object) -> float:
    """The processor time of a call."""
    start = now()
    work(*arguments)
    return now() - start


def reading(field: Field) -> Measure:
    octets = field.octets
    kept: dict[str, list[Policy]] = {one.name: [None] * len(octets) for one in field.contestants}
    works = {
        one.name: lambda one=one: one.seconds_reading(octets, kept[one.name]) * MICRO / len(octets)
        for one in field.contestants
        if one.reads
    }
    goal = field.mean_octets / 450  # 450 MB/s
    return Measure("read", "Reading", "a file", in_turns(works, field.rounds), field.mean_octets, goal)


def reading_and_asking(field: Field) -> Measure:
    octets, firsts = field.octets, [file.urls[0] for file in field.files]
    kept: dict[str, list[Policy]] = {one.name: [None] * len(octets) for one in field.contestants}

    def work(one: Contestant) -> float:
        return one.seconds_of_one_each(octets, CRAWLER, firsts, kept[one.name]) * MICRO / len(octets)

    return Measure("read-ask", "Reading and one question", "a file", field.in_turns(work), field.mean_octets)


def first_decision(field: Field) -> Measure:
    """Of a policy that no one has asked yet; for acap the rules for the crawler are selected in it."""
    octets, firsts = field.octets, [file.urls[0] for file in field.files]

    def work(one: Contestant) -> float:
        policies = one.policies(octets)
        start = now()
        for policy, url in zip(policies, firsts, strict=True):
            one.ask(policy, CRAWLER, (url,))
        return (now() - start) * MICRO / len(octets)

    return Measure("first", "The first question to a policy", "a decision", field.in_turns(work, only_keepers=True))


def decision(field: Field) -> Measure:
    """The median over the files of the mean over their URLs; each file is asked once before."""
    policies = {one.name: one.policies(field.octets) for one in field.contestants}

    def work(one: Contestant) -> float:
        times = []
        for policy, file in zip(policies[one.name], field.files, strict=True):
            one.ask(policy, CRAWLER, file.urls)
            times.append(one.seconds_asking(policy, CRAWLER, file.urls, TIMES) / TIMES / len(file.urls))
        return statistics.median(times) * MICRO

    return Measure("decide", "One question, the median file", "a decision", field.in_turns(work), goal=0.4)


def decisions_in_passing(field: Field) -> Measure:
    """One pass over all files and URLs: each policy comes back to the processor from memory."""
    policies = {one.name: one.policies(field.octets) for one in field.contestants}
    count = sum(len(file.urls) for file in field.files)

    def work(one: Contestant) -> float:
        pairs = zip(policies[one.name], field.files, strict=True)
        return sum(one.seconds_asking(policy, CRAWLER, file.urls) for policy, file in pairs) * MICRO / count

    return Measure("pass", "One pass over all files, the mean", "a decision", field.in_turns(work))


def batch_of_a_file(field: Field) -> Measure:
    """The median over the files of `decide_many` with the URLs of the file, beside `decide` in a loop."""
    one = field.contestants[0]
    policies = one.policies(field.octets)

    def median(ask: Callable[[Policy, str, Sequence[str]], object]) -> float:
        times = []
        for policy, file in zip(policies, field.files, strict=True):
            ask(policy, CRAWLER, file.urls)
            start = now()
            for _ in range(TIMES):
                ask(policy, CRAWLER, file.urls)
            times.append((now() - start) / TIMES / len(file.urls))
        return statistics.median(times) * MICRO

    works = {"acap, many at once": partial(median, many), "acap, one by one": partial(median, one.ask)}
    return Measure("batch", "20 questions at once, the median file", "a decision", in_turns(works, field.rounds), goal=0.1)


def batch_of_all(field: Field) -> Measure:
    """All URLs of the corpus asked at once, of the file with the median number of rules."""
    one = field.contestants[0]
    by_rules = sorted(field.files, key=lambda file: (file.octets.lower().count(b"allow:"), file.octets))
    (policy,) = one.policies([by_rules[len(by_rules) // 2].octets])
    urls = [url for file in field.files for url in file.urls]
    works = {
        "acap, many at once": lambda: seconds(many, policy, CRAWLER, urls) * MICRO / len(urls),
        "acap, one by one": lambda: seconds(one.ask, policy, CRAWLER, urls) * MICRO / len(urls),
    }
    title = f"{len(urls):,} questions at once to one file"
    return Measure("batch-all", title, "a decision", in_turns(works, field.rounds), goal=0.1)


def many(policy: acap.RobotsPolicy, crawler: str, urls: Sequence[str]) -> object:
    return policy.decide_many(urls, crawler=crawler)


def generated_rules(field: Field, rules: int) -> Iterator[Measure]:
    """A file of so many rules: one question, many at once, and what building the index takes."""
    file = corpus.generated(rules, URLS)
    policies = {one.name: one.policies([file.octets])[0] for one in field.contestants}
    # The index comes with use; here it is there from the beginning.
    policy = policies["acap"]
    policy._build_index(CRAWLER)

    def work(one: Contestant) -> float:
        return one.seconds_asking(policies[one.name], CRAWLER, file.urls) * MICRO / len(file.urls)

    title = f"One question to {rules:,} rules"
    yield Measure(f"rules-{rules}", title, "a decision", field.in_turns(work), goal=1.0 if rules == max(RULES) else None)

    def build() -> float:
        fresh = acap.parse_robots(file.octets)
        fresh.decide("/", crawler=CRAWLER)
        return seconds(fresh._build_index, CRAWLER) * MICRO / rules

    works = {
        "acap, many at once": lambda: seconds(many, policy, CRAWLER, file.urls) * MICRO / len(file.urls),
    }
    title = f"{len(file.urls):,} questions at once to {rules:,} rules"
    yield Measure(f"batch-{rules}", title, "a decision", in_turns(works, field.rounds))
    title = f"Building the index over {rules:,} rules"
    yield Measure(f"index-{rules}", title, "a rule", in_turns({"acap": build}, field.rounds))


def seeing_every_line(field: Field) -> Measure:
    """Reading and a Python object for each line, as a linter wants them."""
    octets = field.octets

    def work() -> float:
        start = now()
        for one in octets:
            acap.parse_robots(one).lines  # noqa: B018  computed when asked for
        return (now() - start) * MICRO / len(octets)

    rows = in_turns({"acap": work}, field.rounds)
    return Measure("lines", "Reading, and an object for each line", "a file", rows, field.mean_octets)


def acap_records(field: Field) -> Iterator[Measure]:
    """Files with ACAP records, which no peer reads."""
    files = corpus.acap_files(ACAP_FILES)
    one = field.contestants[0]
    kept: list[Policy] = one.policies(files)
    urls = [url for file in field.files[:50] for url in file.urls]

    def read() -> float:
        return one.seconds_reading(files, kept) * MICRO / len(files)

    def ask(usage: str) -> float:
        start = now()
        for url in urls:
            kept[0].decide(url, crawler="examplebot", usage=usage).permitted  # noqa: B018  the answer is measured
        return (now() - start) * MICRO / len(urls)

    mean = statistics.fmean(map(len, files))
    yield Measure("acap-read", "Reading ACAP records", "a file", in_turns({"acap": read}, field.rounds), mean)
    works = {f"acap, {usage}": partial(ask, usage) for usage in ("index", "present-snippet")}
    yield Measure("acap-decide", "One question on ACAP records", "a decision", in_turns(works, field.rounds))
