"""Reading and deciding: how long."""

from __future__ import annotations

import dataclasses
import statistics
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from operator import eq

import acap
from benchmarks import corpus
from benchmarks.clock import Spread, in_turns, now
from benchmarks.contestants import Contestant, Policy
from benchmarks.corpus import CRAWLER, File

MICRO = 1e6  # seconds to microseconds
TIMES = 5  # so often the URLs of a file are asked in one measurement, which is then some 20 µs or more
RULES = (4, 645, 10_000)
URLS = 300  # asked of generated files
ACAP_FILES = 500

MANY = "acap, many at once"

Work = Callable[[], float]
"""Does something and gives the microseconds that a unit of it took."""

Ask = Callable[[Policy, str, Sequence[str]], object]
"""Asks a policy for a crawler about URLs."""


@dataclasses.dataclass(frozen=True, slots=True)
class Measure:
    """One table: who took how long, in microseconds of processor time a unit.

    `octets` is the mean size of what is read, where speed is better told as octets a second. `goal` is the greatest
    median that acap means to keep, `times` how many times the first row the second may take. Where `cold`, caches were
    filled by nobody before the measurement; else everything ran once before.
    """

    title: str
    note: str
    unit: str
    rows: dict[str, Spread]
    octets: float | None = None
    goal: float | None = None
    times: float | None = None
    cold: bool = False


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

    def within(self) -> Field:
        """Without programs of other languages, which are not asked by calls."""
        return dataclasses.replace(self, contestants=[one for one in self.contestants if one.in_process])


def measures(field: Field) -> Iterator[Measure]:
    """Everything, in the order of the page."""
    yield reading(field)
    if octets := corpus.given():
        yield reading_given(field, octets)
    yield reading_and_asking(field)
    yield reading_beside_asking(field)
    yield first_decision(field.within())
    yield decision(field)
    yield bare_answer(field.within())
    yield decisions_in_passing(field)
    yield batch_of_a_file(field)
    yield batch_of_all(field)
    for rules in RULES:
        yield decision_among(field, rules)
    yield building_the_index(field)
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

    def work(one: Contestant) -> float:
        return one.seconds_reading(octets, kept[one.name]) * MICRO / len(octets)

    works = {one.name: partial(work, one) for one in field.contestants if one.reads}
    note = (
        "From octets to a policy that is kept; each takes the place of an older one, as in a cache that is full. "
        "google keeps nothing: its reader with a handler that does nothing. fast-robotstxt has no reader of its own. "
        "crawler-commons and texting_robots read for one crawler, and keep its rules alone."
    )
    goal = field.mean_octets / 450  # 450 MB/s
    return Measure("Reading", note, "a file", in_turns(works, field.rounds), field.mean_octets, goal)


def reading_given(field: Field, octets: list[bytes]) -> Measure:
    """Reading files that the runner has beside ours."""
    kept: dict[str, list[Policy]] = {one.name: [None] * len(octets) for one in field.contestants}

    def work(one: Contestant) -> float:
        return one.seconds_reading(octets, kept[one.name]) * MICRO / len(octets)

    works = {one.name: partial(work, one) for one in field.contestants if one.reads}
    note = (
        f"The same of the {len(octets):,} files in the folder that {corpus.VARIABLE} named. {agreeing(field, octets)}"
    )
    mean = statistics.fmean(map(len, octets))
    return Measure("Reading another corpus", note, "a file", in_turns(works, field.rounds), mean)


def agreeing(field: Field, octets: Sequence[bytes]) -> str:
    """How often each answers as Google's matcher on paths of the files themselves; nothing where that is not there."""
    judge = next((one for one in field.contestants if one.name == "google"), None)
    if judge is None:
        return ""
    urls = [corpus.urls_of(one) for one in octets]
    answers = {
        one.name: [
            answer
            for policy, asked in zip(one.policies(octets), urls, strict=True)
            for answer in one.answers(policy, CRAWLER, one.asked(asked))
        ]
        for one in field.contestants
    }
    right = answers.pop(judge.name)
    shares = {name: sum(map(eq, told, right)) / len(right) for name, told in answers.items()}
    told = ", ".join(f"{name} {share:.2%}" for name, share in shares.items())
    return f"Of {len(right):,} questions on paths of the files they answer as Google's matcher: {told}."


def reading_and_asking(field: Field) -> Measure:
    octets, firsts = field.octets, [file.urls[0] for file in field.files]
    kept: dict[str, list[Policy]] = {one.name: [None] * len(octets) for one in field.contestants}

    def work(one: Contestant) -> float:
        asked = one.asked(firsts)
        return one.seconds_of_one_each(octets, CRAWLER, asked, kept[one.name]) * MICRO / len(octets)

    note = "What a file costs that is asked once. Those that keep no policy read the file with every question."
    return Measure("Reading and one question", note, "a file", field.in_turns(work), field.mean_octets)


def reading_beside_asking(field: Field) -> Measure:
    """What the first question adds to reading, of acap."""
    octets, firsts = field.octets, [file.urls[0] for file in field.files]
    one = field.contestants[0]
    kept: list[Policy] = [None] * len(octets)
    works: dict[str, Work] = {
        "acap, reading": lambda: one.seconds_reading(octets, kept) * MICRO / len(octets),
        "acap, reading and one question": (
            lambda: one.seconds_of_one_each(octets, CRAWLER, firsts, kept) * MICRO / len(octets)
        ),
    }
    note = "What the first question adds to reading, each in the same round."
    title = "Reading and one question, beside reading"
    return Measure(title, note, "a file", in_turns(works, field.rounds), field.mean_octets, times=1.6)


def first_decision(field: Field) -> Measure:
    octets, firsts = field.octets, [file.urls[0] for file in field.files]

    def work(one: Contestant) -> float:
        policies, asked = one.policies(octets), one.asked(firsts)
        start = now()
        for policy, url in zip(policies, asked, strict=True):
            one.ask(policy, CRAWLER, (url,))
        return (now() - start) * MICRO / len(octets)

    note = "To a policy that is there and was not asked before; acap answers it by the lines, and keeps nothing of it."
    return Measure("The first question", note, "a decision", field.in_turns(work, only_keepers=True), cold=True)


def decision(field: Field) -> Measure:
    policies = {one.name: one.policies(field.octets) for one in field.contestants}

    def work(one: Contestant) -> float:
        times = []
        for policy, file in zip(policies[one.name], field.files, strict=True):
            asked = one.asked(file.urls)
            one.ask(policy, CRAWLER, asked)
            times.append(one.seconds_asking(policy, CRAWLER, asked, TIMES) / TIMES / len(asked))
        return statistics.median(times) * MICRO

    note = "One at a time from Python, policies kept and asked before: the median over the files."
    return Measure("One question", note, "a decision", field.in_turns(work), goal=0.4)


def bare_answer(field: Field) -> Measure:
    there = [one for one in field.contestants if one.keeps]
    policies = {one.name: one.policies(field.octets) for one in there}

    def work(one: Contestant) -> float:
        times = []
        for policy, file in zip(policies[one.name], field.files, strict=True):
            asked = one.asked(file.urls)
            one.yes_or_no(policy, CRAWLER, asked)
            times.append(seconds(repeated, one, policy, asked) / TIMES / len(asked))
        return statistics.median(times) * MICRO

    rows = in_turns({one.name: partial(work, one) for one in there}, field.rounds)
    note = "Yes or no and no object: `RobotsPolicy.allows`, and what the others have; the median over the files."
    return Measure("A bare yes or no", note, "a decision", rows, goal=0.08)


def repeated(one: Contestant, policy: Policy, urls: Sequence[str]) -> None:
    for _ in range(TIMES):
        one.yes_or_no(policy, CRAWLER, urls)


def decisions_in_passing(field: Field) -> Measure:
    policies = {one.name: one.policies(field.octets) for one in field.contestants}
    count = sum(len(file.urls) for file in field.files)

    def work(one: Contestant) -> float:
        pairs = [*zip(policies[one.name], (one.asked(file.urls) for file in field.files), strict=True)]
        return sum(one.seconds_asking(policy, CRAWLER, urls) for policy, urls in pairs) * MICRO / count

    note = "The mean of one pass over all files, for which each policy comes back to the processor from memory."
    return Measure("One question, in passing", note, "a decision", field.in_turns(work), cold=True)


def batch_of_a_file(field: Field) -> Measure:
    one = field.contestants[0]
    policies = one.policies(field.octets)

    def median(ask: Ask) -> float:
        times = []
        for policy, file in zip(policies, field.files, strict=True):
            ask(policy, CRAWLER, file.urls)
            start = now()
            for _ in range(TIMES):
                ask(policy, CRAWLER, file.urls)
            times.append((now() - start) / TIMES / len(file.urls))
        return statistics.median(times) * MICRO

    works = {MANY: partial(median, many), "acap, one by one": partial(median, one.ask)}
    note = "The URLs of each file by `decide_many`: the median over the files."
    return Measure("20 questions at once", note, "a decision", in_turns(works, field.rounds), goal=0.1)


def batch_of_all(field: Field) -> Measure:
    one = field.contestants[0]
    by_rules = sorted(field.files, key=lambda file: (file.octets.lower().count(b"allow:"), file.octets))
    (policy,) = one.policies([by_rules[len(by_rules) // 2].octets])
    urls = [url for file in field.files for url in file.urls]

    def work(ask: Ask) -> float:
        return seconds(ask, policy, CRAWLER, urls) * MICRO / len(urls)

    works = {MANY: partial(work, many), "acap, one by one": partial(work, one.ask)}
    note = "All URLs of the corpus, to the file with the median number of rules."
    title = f"{len(urls):,} questions at once"
    return Measure(title, note, "a decision", in_turns(works, field.rounds), goal=0.1)


def many(policy: acap.RobotsPolicy, crawler: str, urls: Sequence[str]) -> object:
    return policy.decide_many(urls, crawler=crawler)


def decision_among(field: Field, rules: int) -> Measure:
    file = corpus.generated(rules, URLS)
    policies = {one.name: one.policies([file.octets])[0] for one in field.contestants}
    # The index comes with use; here it is there from the beginning.
    policies["acap"]._build_index(CRAWLER)

    def work(one: Contestant) -> float:
        return one.seconds_asking(policies[one.name], CRAWLER, one.asked(file.urls)) * MICRO / len(file.urls)

    def at_once() -> float:
        return seconds(many, policies["acap"], CRAWLER, file.urls) * MICRO / len(file.urls)

    works: dict[str, Work] = {one.name: partial(work, one) for one in field.contestants}
    rows = in_turns({**works, MANY: at_once}, field.rounds)
    note = "Half of the rules prefixes, half with a leading `*`; two thirds of the URLs are refused."
    goal = 1.0 if rules == max(RULES) else None
    return Measure(f"One question among {rules:,} rules", note, "a decision", rows, goal=goal)


def building_the_index(field: Field) -> Measure:
    def work(rules: int) -> float:
        policy = acap.parse_robots(corpus.generated(rules, 3).octets)
        policy.decide("/", crawler=CRAWLER)
        return seconds(policy._build_index, CRAWLER) * MICRO / rules

    works = {f"{rules:,} rules": partial(work, rules) for rules in RULES[1:]}
    note = "Once for a file and crawler, when so many questions were asked that it pays."
    return Measure("Building the index of acap", note, "a rule", in_turns(works, field.rounds))


def seeing_every_line(field: Field) -> Measure:
    octets = field.octets

    def work() -> float:
        start = now()
        for one in octets:
            acap.parse_robots(one).lines  # noqa: B018  computed when asked for
        return (now() - start) * MICRO / len(octets)

    rows = in_turns({"acap": work}, field.rounds)
    note = "`parse_robots(…).lines`: what a linter or a formatter looks at."
    return Measure("Reading, and an object for every line", note, "a file", rows, field.mean_octets)


def acap_records(field: Field) -> Iterator[Measure]:
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

    note = "Generated files with groups and ACAP records."
    mean = statistics.fmean(map(len, files))
    yield Measure("Reading ACAP records", note, "a file", in_turns({"acap": read}, field.rounds), mean)
    works = {f"acap, {usage}": partial(ask, usage) for usage in ("index", "present-snippet")}
    note = "One at a time from Python, to one of these files; crawl is decided along the way."
    yield Measure("One question on ACAP records", note, "a decision", in_turns(works, field.rounds))
