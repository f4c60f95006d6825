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
    *("Content-Signal: {}use=reference", "Content-Signal: {}use=reference, ai-train=“no”"),
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
        use=reference
        search=0, ai-input=deny
        ai-train=“no”
        „ai-train“ = ‚no‘.
        ai-train==no
        ai-train:=[no]
        ai-train=-no-
    """)),
    *(("Content-Usage", value) for value in words.lines("""
        train-ai=n
        train_ai=n
        train-ai=no
        Train-AI=n
        train-ai=?0
        train-ai=“n”
        train-ai==n
        train-ai=n.
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
    names = ("bot", "bot2", "searchbot1", "unnamed", "Googlebot", "Applebot")
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


NO_LICENCES = ("http://site.example/l.xml", "/l.xml", "CC BY 4.0", "https://a b", "ftp://a/l.xml")


@ENGINES
@given(value=st.sampled_from(NO_LICENCES), case=strategies.cases(), random=st.randoms(use_true_random=False))
def test_one_more_license_line_that_can_license_nothing_never_loosens(
    engine: Engine, value: str, case: Case, random: Random
) -> None:
    """Behind any rule or signal, so that it divides no group: what it cannot replace goes on to refuse."""
    case = asked(case, random)
    places = [at for at, line in enumerate(case.lines) if is_signal(line.octets)]
    assume(places)
    more = case.with_line(random.choice(places) + 1, plain(f"License: {value}"))
    for before, after in zip(engine(case), engine(more), strict=True):
        assert is_not_looser(before, after), (case, more, before, after)


@ENGINES
@given(case=strategies.cases(), random=st.randoms(use_true_random=False))
def test_what_lines_say_to_a_control_token_they_say_to_its_operator(engine: Engine, case: Case, random: Random) -> None:
    """Without ACAP no crawler may do more of what a token controls than a crawler of the token's name."""
    lines = tuple(line for line in case.lines if line.kind != "acap")
    path = random.choice(PATHS)
    of_token = [Question(path, "Google-Extended", usage) for usage in ("ai-train", "ai-train-generative", "ai-input")]
    of_operator = [replace(question, crawler="Googlebot") for question in of_token]
    asked = replace(case, lines=lines, limits=None)
    answers = [engine(replace(asked, questions=tuple(questions))) for questions in (of_token, of_operator)]
    for before, after in zip(*answers, strict=True):
        assert is_not_looser(before, after), (asked, before, after)


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


def all_of(lines: tuple[str, ...], path: str) -> Case:
    """Lines for every crawler, and a question on each usage of a path."""
    text = tuple(map(plain, ("User-agent: *", "Allow: /", *lines)))
    return Case(lines=text, questions=tuple(Question(path, "bot", usage) for usage in USAGES if usage != "crawl"))


LONG = "/a/b.x" + "b" * 30
OTHERS = {
    "Content-Signal": ("foo=yes", "", "search=yes", "use=full", "ai-train=“yes”"),
    "Content-Usage": ("foo=y", "", "search=y", "ai-use=“y”", "="),
}


@ENGINES
@pytest.mark.parametrize("field", OTHERS)
def test_a_longer_line_leaves_no_permission_that_it_does_not_give(engine: Engine, field: str) -> None:
    """Beside a longer line a shorter one of its vocabulary refuses what it refused, and permits nothing."""
    some = False
    for value in (value for name, value in VALUES if name == field):
        alone = engine(all_of((f"{field}: {value}",), LONG))
        some |= any(answer.outcome == "permitted" and answer.stated for answer in alone)
        for other in OTHERS[field]:
            line = f"{field}: {LONG} {other}"
            longest = engine(all_of((line,), LONG))
            together = engine(all_of((line, f"{field}: {value}"), LONG))
            for before, own, both in zip(alone, longest, together, strict=True):
                if before.outcome == "permitted":
                    assert both.outcome == "prohibited" or both.stated <= own.stated, (value, other)
                elif other != "use=full":
                    assert both.outcome == "prohibited" or own.stated, (value, other)
    assert some


@ENGINES
@pytest.mark.parametrize("bound", ["use=reference", "use=immediate", "use=“none”"])
def test_a_bound_takes_no_stricter_one_back(engine: Engine, bound: str) -> None:
    """A line with a bound that refuses makes no answer looser, whatever stands on shorter paths."""
    for value in (value for name, value in VALUES if name == "Content-Signal"):
        alone = engine(all_of((f"Content-Signal: {value}",), LONG))
        together = engine(all_of((f"Content-Signal: /a {bound}", f"Content-Signal: {value}"), LONG))
        for before, after in zip(alone, together, strict=True):
            assert is_not_looser(before, after), value


@ENGINES
@pytest.mark.parametrize(("field", "value"), VALUES)
def test_no_permission_counts_where_disallow_refuses(engine: Engine, field: str, value: str) -> None:
    """On a path that Disallow refuses and ACAP opens a line refuses as elsewhere, and states nothing else."""
    opened = ("Disallow: /a/b", "ACAP-crawler: *", "ACAP-allow-crawl: /a/b")
    alone = engine(all_of((f"{field}: {value}",), LONG))
    for before, after in zip(alone, engine(all_of((f"{field}: {value}", *opened), LONG)), strict=True):
        assert after.outcome == before.outcome, value
        assert after.stated == (before.outcome == "prohibited"), value


QUOTES = (
    '"{}"',
    "'{}'",
    "“{}”",
    "„{}“",
    "«{}»",
    "`{}´",
    "[{}]",
    "={}",
    ":{}",
    "{}.",
    "{};",
    "-{}-",
    "\u00a0{}",
    "{}!",
    "<{}>",
)


@ENGINES
@pytest.mark.parametrize("around", QUOTES)
def test_marks_around_a_value_take_no_refusal_and_give_no_permission(engine: Engine, around: str) -> None:
    """A value that refuses does so in marks of any kind; one that permits says nothing in them, or the same."""
    for name, word in (
        ("ai-train", "no"),
        ("search", "never"),
        ("use", "immediate"),
        ("ai-input", "yes"),
        ("use", "full"),
    ):
        bare = engine(all_of((f"Content-Signal: {name}={word}",), "/a"))
        marked = engine(all_of((f"Content-Signal: {name}={around.format(word)}",), "/a"))
        for one, other in zip(bare, marked, strict=True):
            assert one.outcome == other.outcome, word
            assert one.stated >= other.stated, word


AROUND_NAMES = (
    *("{};", "*{}", ".{}", "{}.", "{}*", "-{}", "_{}", "{}-", "{} -", "{} _", "{} .", "{} *", "{} ;", "{};-;"),
    *('"{}"', "“{}”", "({})", "{}\u00a0", "[{}]", "/{}", "{}/", "{}\t!", "--{}--", "*.{}.*"),
)


@ENGINES
@pytest.mark.parametrize("around", AROUND_NAMES)
def test_marks_around_a_name_take_no_refusal(engine: Engine, around: str) -> None:
    """A name in signs of any kind refuses what it refuses alone, beside a permission of its name too."""
    for field, name, no, yes in (
        ("Content-Signal", "ai-train", "no", "yes"),
        ("Content-Signal", "use", "immediate", "full"),
        ("Content-Usage", "train-ai", "n", "y"),
        ("Content-Usage", "ai-use", "no", "y"),
    ):
        bare = engine(all_of((f"{field}: {name}={no}",), "/a"))
        assert any(answer.outcome == "prohibited" for answer in bare)
        marked = f"{around.format(name)}={no}"
        # A line that begins with `/` has a path.
        for value in (f"foo=bar, {marked}", f"{name}={yes}, {marked}", *([] if marked[0] == "/" else [marked])):
            for one, other in zip(bare, engine(all_of((f"{field}: {value}",), "/a")), strict=True):
                assert one.outcome != "prohibited" or other.outcome == "prohibited", value


@given(case=strategies.cases(), random=st.randoms(use_true_random=False))
def test_both_engines_read_signals_alike(case: Case, random: Random) -> None:
    """Native core and reference answer alike where signals speak."""
    case = asked(case, random)
    assert by_native(case) == by_reference(case), case
