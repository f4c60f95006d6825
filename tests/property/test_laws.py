"""Laws that hold for any policy and any question, asked of both engines."""

from __future__ import annotations

import itertools
import pickle
from dataclasses import replace
from random import Random

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import acap
from tests import reference
from tests.property import strategies
from tests.property.engines import (
    REFUSED,
    Answer,
    Engine,
    by_native,
    by_reference,
    native_contains,
    native_matches,
    native_path,
    native_pattern,
)
from tests.property.strategies import Case, Line, Palette, Question, acap_rule, plain

ENGINES = pytest.mark.parametrize("engine", [by_native, by_reference])
MATCHES = pytest.mark.parametrize("matches", [native_matches, reference.matches])
CONTAINS = pytest.mark.parametrize("contains", [native_contains, reference.contains])
CANONICAL_PATHS = pytest.mark.parametrize("canonical", [native_path, reference.canonical_path])
CANONICAL_PATTERNS = pytest.mark.parametrize("canonical", [native_pattern, reference.canonical_pattern])

# Every path over `/`, two letters that patterns have and one that none has: `c` is what a `*` stands for.
LONGEST_PATH = 6
PATHS = [
    "/" + "".join(letters) for length in range(LONGEST_PATH) for letters in itertools.product("/abc", repeat=length)
]


def spelt_out(pattern: str, path: str) -> bool:
    """Whether a pattern matches, by its definition: a `*` is nothing, or one character more."""
    if not pattern:
        return True
    if pattern == "$":
        return not path
    if pattern[0] == "*":
        return spelt_out(pattern[1:], path) or (bool(path) and spelt_out(pattern, path[1:]))
    return path[:1] == pattern[0] and spelt_out(pattern[1:], path[1:])


def one_more_prohibition(case: Case, random: Random) -> Case | None:
    """The case with a prohibition after one of its rules, in the same record; None if there is no place for one."""
    places = [index for index, line in enumerate(case.lines) if line.kind]
    if case.dialect == "auto" and any(b"obot-version" in line.octets for line in case.lines):
        # A record of Robot-version 2 is no place for this law: there a Disallow can open what Allow lines alone closed.
        places = [index for index in places if case.lines[index].kind == "acap"]
    if case.dialect == "robots-2.0" or not places:
        return None
    index = random.choice(places)
    palette = Palette.drawn(random)
    written = [word.decode() for line in case.lines if line.kind for word in line.octets.split()[1:]]
    patterns = [word for word in written if word.startswith(("/", "*"))]
    palette = replace(palette, patterns=[*palette.patterns, *patterns])
    rule = acap_rule(random, palette, ["disallow"])
    if case.lines[index].kind == "rep":
        rule = plain(f"Disallow: {random.choice(palette.patterns)}")
    return case.with_line(index + 1, rule)


def is_not_looser(before: Answer, after: Answer) -> bool:
    """Whether an answer is at least as strict as another."""
    if before == REFUSED or after.outcome == "prohibited":
        return True
    order = ("permitted", "conditional", "prohibited")
    return order.index(before.outcome) <= order.index(after.outcome) and before.restrictions <= after.restrictions


@ENGINES
@given(case=strategies.cases(), random=st.randoms(use_true_random=False))
def test_one_more_prohibition_never_permits_more(engine: Engine, case: Case, random: Random) -> None:
    """Adding a prohibition to a record never turns a prohibition into a permission, nor drops a restriction."""
    case = replace(case, limits=None)
    stricter = one_more_prohibition(case, random)
    assume(stricter is not None)
    assert stricter is not None
    for before, after in zip(engine(case), engine(stricter), strict=True):
        assert is_not_looser(before, after), (case, stricter, before, after)


@ENGINES
def test_a_longer_disallow_does_not_lift_a_shorter_one(engine: Engine) -> None:
    """A permission on `/a/b` overrides `Disallow: /a/b`, and not for that the `Disallow: /*.x$` beside it."""
    conventional = ("User-agent: *", "Disallow: /*.x$", "Disallow: /a/b")
    lines = tuple(plain(line) for line in (*conventional, "ACAP-crawler: *", "ACAP-allow-crawl: /a/b"))
    case = Case(lines=lines, questions=(Question("/a/b.x", "bot"), Question("/a/b", "bot")))
    for longer in (case, case.without_line(2)):
        assert [answer.outcome for answer in engine(longer)] == ["prohibited", "permitted"]


def reordered(case: Case, random: Random) -> tuple[Case, dict[int, int]]:
    """The case with neighbouring ACAP rules in another order, and where each line number went."""
    order = list(range(len(case.lines)))
    for run in case.runs("acap"):
        order[run.start : run.stop] = random.sample(run, len(run))
    first = 1 + case.prefix.count(b"\n")
    went = {first + old: first + new for new, old in enumerate(order)}
    return replace(case, lines=tuple(case.lines[old] for old in order)), went


@ENGINES
@given(case=strategies.cases(), random=st.randoms(use_true_random=False))
def test_the_order_of_acap_fields_in_a_record_does_not_matter(engine: Engine, case: Case, random: Random) -> None:
    """Permissions and prohibitions of a sub-record may stand in any order, and the same ones decide (P1 4.1)."""
    case = replace(case, limits=None, supplied={})
    other, went = reordered(case, random)
    for before, after in zip(engine(case), engine(other), strict=True):
        moved = frozenset(went[line] for line in before.lines)
        assert replace(before, lines=moved) == after, (case, other)


@MATCHES
@given(pattern=strategies.patterns(), path=st.sampled_from(PATHS))
def test_matching_is_what_its_definition_says(matches: reference.Matcher, pattern: str, path: str) -> None:
    """A pattern matches from the start of the path, `*` any run, `$` its end."""
    assert matches(pattern, path) == spelt_out(pattern, path)


@CONTAINS
@given(broad=strategies.patterns(), narrow=strategies.patterns(longest=LONGEST_PATH - 2))
def test_containment_is_inclusion_of_the_paths(contains: reference.Matcher, broad: str, narrow: str) -> None:
    """One pattern contains another exactly if it matches every path the other matches."""
    # If there is a witness, there is one as long as the pattern with a first `/` and a last letter of its own.
    assert contains(broad, narrow) == all(spelt_out(broad, path) for path in PATHS if spelt_out(narrow, path))


@CANONICAL_PATHS
@given(url=strategies.urls())
def test_the_canonical_form_of_a_url_is_its_own(canonical: reference.Canonical, url: str) -> None:
    """A canonical path is its own canonical form, begins with `/`, and is ASCII."""
    path = canonical(url)
    assert path.startswith("/")
    assert path.isascii()
    assert canonical(path) == path


@CANONICAL_PATTERNS
@given(pattern=strategies.raw_patterns())
def test_the_canonical_form_of_a_pattern_is_its_own(canonical: reference.Canonical, pattern: str) -> None:
    """A canonical pattern is its own canonical form and ASCII."""
    form = canonical(pattern)
    assert form.isascii()
    assert canonical(form) == form


@given(url=strategies.urls(), pattern=strategies.raw_patterns())
def test_both_engines_have_one_canonical_form(url: str, pattern: str) -> None:
    """Native core and reference write every path and every pattern alike."""
    assert native_path(url) == reference.canonical_path(url)
    assert native_pattern(pattern) == reference.canonical_pattern(pattern)


@given(case=strategies.cases())
def test_a_pickled_decision_is_the_same_decision(case: Case) -> None:
    """A decision and its reason come back from a pickle as they were."""
    policy = acap.parse_robots(case.octets, url=case.url, dialect=case.dialect)
    for asked in case.questions:
        try:
            decision = policy.decide(
                asked.url, crawler=asked.crawler, usage=asked.usage, purpose=asked.purpose, at=asked.at
            )
        except ValueError:
            continue
        again = pickle.loads(pickle.dumps(decision))
        for name in ("outcome", "permitted", "stated", "restrictions", "url", "crawler", "usage", "purpose", "at"):
            assert getattr(again, name) == getattr(decision, name)
        for name in ("kind", "decided_by", "lost", "prohibited_below", "truncated"):
            assert getattr(again.reason, name) == getattr(decision.reason, name)


def test_a_case_is_the_same_for_the_same_seed() -> None:
    """What a failure prints as its seed brings the case back."""
    assert strategies.generate(Random("1.1")) == strategies.generate(Random("1.1"))
    assert strategies.generate(Random("1.1")).lines != (Line(b""),)


@ENGINES
@given(case=strategies.cases(), every=st.sampled_from((b"*$", b"**", b"**$")))
def test_every_purpose_is_every_purpose_however_it_is_written(engine: Engine, case: Case, every: bytes) -> None:
    """A purpose line of `*` says the same with more stars, and with a final `$`, which says nothing more."""
    name = b"ACAP-usage-purpose:"
    lines = [
        replace(line, octets=name + b" *") if line.octets.startswith(name) and index % 2 else line
        for index, line in enumerate(case.lines)
    ]
    other = [replace(line, octets=name + b" " + every) if line.octets == name + b" *" else line for line in lines]
    assert engine(replace(case, lines=tuple(lines), limits=None)) == engine(
        replace(case, lines=tuple(other), limits=None)
    )


@ENGINES
@given(case=strategies.cases(), host=st.sampled_from(("*.site.example", "", "site.example:0", "s..example", "s%69te")))
def test_a_prohibition_on_a_host_that_nobody_can_read_prohibits_as_much(engine: Engine, case: Case, host: str) -> None:
    """What a field prohibits, or takes down, on a path it prohibits with an unreadable host before the path as well."""
    prohibiting = (b"ACAP-disallow-", b"ACAP-request-take-down")

    def moved(line: Line) -> Line:
        begins = line.octets.startswith(prohibiting) and line.octets.count(b": /") == 1 and b"//" not in line.octets
        return replace(line, octets=line.octets.replace(b": /", f": http://{host}/".encode())) if begins else line

    case = replace(case, limits=None, encoding="", dialect="auto")
    for before, after in zip(engine(case), engine(replace(case, lines=tuple(map(moved, case.lines)))), strict=True):
        assert is_not_looser(before, after), (case, host, before, after)
