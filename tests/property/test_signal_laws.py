"""Laws of Content-Signal, Content-Usage and License lines, asked of both engines."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from random import Random

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import acap
from tests.property import strategies
from tests.property import vocabulary as words
from tests.property.engines import Engine, by_native, by_reference
from tests.property.strategies import Case, Palette, Question, plain
from tests.property.test_laws import is_not_looser

ENGINES = pytest.mark.parametrize("engine", [by_native, by_reference])
USAGES = (
    *("ai-train", "ai-train-generative", "ai-input", "ai-index", "tdm", "index", "preserve", "present-link", "search"),
    *("other", "present", "present-oldsnippet", "crawl"),
)
PATHS = ("/", "/a", "/a/", "/a/b", "/a/b.x", "/b")
REFUSALS = (
    *("Content-Signal: {}ai-train=no", "Content-Signal: {}search=no, ai-input=no", "Content-Signal: {}use=immediate"),
    *("Content-Usage: {}train-ai=n", "Content-Usage: {}ai-use=n, search=n", "Content-Usage: {}train-ai=no"),
    *("Content-Usage: {}Train-AI = n", "Content-Usage: {}tdm=n", "Content-Signal: {}train-ai=n"),
)

VALUES = tuple(
    (name, value)
    for name, _, value in (line.replace("{}", "").partition(": ") for line in (*words.SIGNALS, *REFUSALS))
    if name in {"Content-Signal", "Content-Usage"} and not value.startswith("/")
)
PLAIN_REFUSALS = (
    *(("Content-Signal", value) for value in words.lines("""
        ai-train=no
        ai-train=false
        ai_train=no
        AI-Train: NO
        train-ai=n
        use=none
        use="immediate"
        search=0, ai-input=deny
    """)),
    *(("Content-Usage", value) for value in words.lines("""
        train-ai=n
        train_ai=n
        train-ai=no
        Train-AI=n
        train-ai=?0
        ai-use = false
        ai-train=no
        search: n
    """)),
)  # fmt: skip


def is_signal(octets: bytes) -> bool:
    """Whether a line is one of a signal, however it is spelt."""
    return octets.strip().lower().startswith((b"content-", b"licen"))


def asked(case: Case, random: Random) -> Case:
    """The case with questions that signals answer."""
    names = ("bot", "bot2", "searchbot1", "unnamed")
    questions = [Question(random.choice(PATHS), random.choice(names), random.choice(USAGES)) for _ in range(8)]
    return replace(case, questions=tuple(questions), limits=None)


@ENGINES
@given(case=strategies.cases(), random=st.randoms(use_true_random=False))
def test_signals_never_loosen_an_answer(engine: Engine, case: Case, random: Random) -> None:
    """A file answers no question looser than it would if its signals were lines that nobody knows."""
    case = asked(case, random)
    lines = tuple(plain("x") if is_signal(line.octets) else line for line in case.lines)
    for before, after in zip(engine(replace(case, lines=lines)), engine(case), strict=True):
        assert is_not_looser(before, after), (case, before, after)


@ENGINES
@given(case=strategies.cases(), random=st.randoms(use_true_random=False))
def test_one_more_refusal_of_a_signal_never_permits_more(engine: Engine, case: Case, random: Random) -> None:
    """A line that refuses a use, put after any rule or signal, makes no answer looser, whatever its path."""
    case = asked(case, random)
    places = [at for at, line in enumerate(case.lines) if line.kind == "rep" or is_signal(line.octets)]
    assume(places)
    path = random.choice(("", "", *words.PATTERNS[:20], *Palette.drawn(random).patterns))
    line = plain(random.choice(REFUSALS).format(f"{path} " if path.startswith("/") else ""))
    stricter = case.with_line(random.choice(places) + 1, line)
    for before, after in zip(engine(case), engine(stricter), strict=True):
        assert is_not_looser(before, after), (case, stricter, before, after)


@ENGINES
@given(case=strategies.cases(), limit=st.integers(17, 60), random=st.randoms(use_true_random=False))
def test_a_signal_that_is_cut_is_not_looser(engine: Engine, case: Case, limit: int, random: Random) -> None:
    """What a limit cuts off behind the name of a signal never makes an answer looser."""
    case = asked(case, random)
    lines = tuple(line for line in case.lines if is_signal(line.octets))
    case = replace(case, lines=(plain("User-agent: *"), *lines))
    cut = replace(case, limits={"line_octets": limit})
    for before, after in zip(engine(case), engine(cut), strict=True):
        assert is_not_looser(before, after), (case, cut, before, after)


@pytest.mark.parametrize(("name", "value"), VALUES)
def test_a_header_says_what_the_same_line_of_robots_txt_says(name: str, value: str) -> None:
    """A value without a path comes to the same as a header and as a line, for usages that only one file knows too."""
    known = "ACAP-crawler: *\nACAP-allow-print: /\n"
    line = acap.parse_robots(f"{name}: {value}\n{known}", url=f"{words.SITE}/robots.txt")
    robots = acap.parse_robots(known, url=line.url)
    page = acap.parse_page("<p>", url=f"{words.SITE}/a", headers=[(name, value)])
    for usage in (*USAGES, "print"):
        by_line = line.decide("/a", crawler="bot", usage=usage).outcome
        by_header = acap.decide(f"{words.SITE}/a", crawler="bot", usage=usage, page=page, robots=robots).outcome
        assert by_line == by_header, usage


@ENGINES
@pytest.mark.parametrize(("field", "refusal"), PLAIN_REFUSALS)
def test_a_plain_refusal_refuses_behind_whatever_stands_before_it(engine: Engine, field: str, refusal: str) -> None:
    """What a refusal refuses alone, however it is spelt, it refuses at the end of any list of its vocabulary."""
    questions = tuple(Question("/a", "bot", usage) for usage in USAGES)
    before = [value for name, value in VALUES if name == field]
    case = Case(lines=(), questions=questions)
    alone = engine(case.with_line(0, plain(f"{field}: {refusal}")))
    assert any(answer.outcome == "prohibited" for answer in alone)
    for value in before:
        together = engine(case.with_line(0, plain(f"{field}: {value}, {refusal}")))
        for one, both in zip(alone, together, strict=True):
            assert one.outcome != "prohibited" or both.outcome == "prohibited", value


@pytest.mark.parametrize(("field", "refusal"), PLAIN_REFUSALS)
def test_what_one_line_of_a_header_refuses_no_other_takes_back(field: str, refusal: str) -> None:
    """A header that comes twice refuses what either of its lines refuses alone, in whatever order they come."""

    def answers(*values: str) -> list[str]:
        page = acap.parse_page("<p>", url=f"{words.SITE}/a", headers=[(field, value) for value in values])
        asked = partial(acap.decide, f"{words.SITE}/a", crawler="bot", page=page)
        return [asked(usage=usage).outcome for usage in USAGES]

    alone = answers(refusal)
    assert "prohibited" in alone
    for value in (value for name, value in VALUES if name == field):
        for together in (answers(refusal, value), answers(value, refusal)):
            for one, both in zip(alone, together, strict=True):
                assert one != "prohibited" or both == "prohibited", value


@given(case=strategies.cases(), random=st.randoms(use_true_random=False))
def test_both_engines_read_signals_alike(case: Case, random: Random) -> None:
    """Native core and reference answer alike where signals speak."""
    case = asked(case, random)
    assert by_native(case) == by_reference(case), case
