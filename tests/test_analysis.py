"""What follows from the lines of one robots.txt together: idle lines, doubts, disagreements."""

from __future__ import annotations

import pytest

from acap import RobotsPolicy, _native, parse_robots
from acap.publish.analysis import Doubt, Redundant, analysis, without_lines


def idle(text: str) -> list[tuple[int, str, tuple[int, ...]]]:
    """The idle lines of a text."""
    return [(one.line, one.because, one.by) for one in analysis(parse_robots(text)).redundant]


@pytest.mark.parametrize(
    ("rules", "found"),
    [
        ("Disallow: /a\nDisallow: /a/b\n", [(3, "covered", (2,))]),
        ("Disallow: /a/b\nDisallow: /a\n", [(2, "covered", (3,))]),
        ("Disallow: /a\nAllow: /a/b\n", []),
        ("Allow: /b\nDisallow: /a\n", [(2, "covered", ())]),
        ("Allow: /a\nDisallow: /a\n", [(3, "overridden", (2,))]),
        ("Disallow: /a/../b\nDisallow: /c\n", [(2, "unmatchable", ())]),
        ("Disallow:\n", []),
    ],
)
def test_an_idle_line_has_its_reason_and_the_lines_that_make_it_so(
    rules: str, found: list[tuple[int, str, tuple[int, ...]]]
) -> None:
    """Covered by another line, overridden by one, or of a form that no URL's path has."""
    assert idle("User-agent: *\n" + rules)[: len(found)] == found
    assert len(idle("User-agent: *\n" + rules)) >= len(found)
    assert found or not idle("User-agent: *\n" + rules)


def test_a_field_that_a_broader_one_says_already_is_idle() -> None:
    """Of ACAP fields too, what is said anyway is idle; what restricts is not."""
    text = (
        "ACAP-crawler: *\nACAP-disallow-index: /\nACAP-disallow-index: /a\nACAP-allow-preserve: / time-limit=3-days\n"
    )
    assert [line for line, *_ in idle(text)] == [3]


def test_what_the_other_vocabulary_says_makes_no_line_idle() -> None:
    """A field and a rule that say the same stand for crawlers that read but one of them."""
    assert idle("User-agent: *\nDisallow: /a\nACAP-crawler: *\nACAP-disallow-crawl: /a\n") == []


def test_a_permission_and_a_prohibition_that_cross_are_a_doubt() -> None:
    """Where neither is narrower the prohibition stands, and a path shows it (P1 4.3)."""
    policy = parse_robots("ACAP-crawler: *\nACAP-allow-index: /*b\nACAP-disallow-index: /a*\n")
    (doubt,) = analysis(policy).doubts
    assert doubt == Doubt(2, 3, "index", doubt.witness)
    decision = policy.decide(doubt.witness, crawler="x", usage="index")
    assert [cited.line for cited in decision.reason.decided_by] == [3]


@pytest.mark.parametrize(("written", "purpose"), [("news", "news"), ("news-*", "news-x"), ("*", "")])
def test_a_doubt_for_a_purpose_names_one_that_hears_both(written: str, purpose: str) -> None:
    """What is prohibited for some purposes alone is asked about, and told, for one of these."""
    fields = "ACAP-allow-index: /*b\nACAP-disallow-index: /a*\n"
    policy = parse_robots(f"ACAP-crawler: *\nACAP-allow-index: /\nACAP-usage-purpose: {written}\n{fields}")
    (doubt,) = analysis(policy).doubts
    assert doubt.purpose == purpose
    decision = policy.decide(doubt.witness, crawler="x", usage="index", purpose=purpose or None)
    assert not decision.permitted


def test_vocabularies_that_decide_otherwise_disagree() -> None:
    """What conventional lines prohibit and ACAP fields permit to the same crawler is a disagreement."""
    text = "User-agent: *\nDisallow: /a\nACAP-crawler: *\nACAP-allow-crawl: /\n"
    (one,) = analysis(parse_robots(text)).disagreements
    assert (one.crawler, one.conventional, one.permits, one.witness) == ("*", 2, "acap", "/a")


@pytest.mark.parametrize("crawlers", ["(bot)", "*bot", "bot, *"])
def test_a_record_for_nobody_is_analysed_too(crawlers: str) -> None:
    """A crawler line without a name that can be read leaves fields that nobody is told: they are idle."""
    text = f"ACAP-crawler: {crawlers}\nACAP-disallow-index: /a\nACAP-allow-index: /*b\n"
    assert {one.line for one in analysis(parse_robots(text)).redundant} <= {2, 3}


def test_a_reference_does_not_make_the_other_lines_idle() -> None:
    """While a referenced document is missing all is prohibited; nothing follows from that of other lines."""
    text = b"ACAP-crawler: *\nACAP-permissions-reference: /t.txt\nACAP-disallow-index: /a\n"
    policy = parse_robots(text)
    assert analysis(policy).redundant == ()
    assert analysis(policy.with_reference("/t.txt", b"ACAP-crawler: *\nACAP-disallow-index: /\n")).redundant == ()


def test_lines_that_are_left_out_keep_the_numbers_of_the_others() -> None:
    """A line that is left out becomes an empty comment, with its own end."""
    policy = parse_robots(b"User-agent: *\r\nDisallow: /a\r\nDisallow: /b")
    assert without_lines(policy, {2}).octets == b"User-agent: *\r\n#\r\nDisallow: /b"
    assert isinstance(analysis(parse_robots("User-agent: *\nDisallow: /a\nDisallow: /a/b\n")).redundant[0], Redundant)


def test_fields_that_take_too_long_are_counted_and_not_called_idle() -> None:
    """More fields than are looked at are undecided."""
    text = "ACAP-crawler: *\n" + "".join(f"ACAP-disallow-index: /{number}/\n" for number in range(300))
    found = analysis(parse_robots(text))
    assert (found.redundant, found.undecided) == ((), 300)


def test_the_conventional_lines_alone_are_not_analysed_after_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are where a line must change nothing either; an editor waits for neither. What is left out is counted."""
    text = "User-agent: *\nDisallow: /a\nDisallow: /a/b\nACAP-crawler: *\nACAP-disallow-crawl: /a\n"
    native = _native.redundant_lines
    asked: list[RobotsPolicy] = []

    def redundant_lines(policy: RobotsPolicy, names: list[list[str]]) -> tuple[list[tuple[int, str, list[int]]], int]:
        asked.append(policy)
        return native(policy, names)

    monkeypatch.setattr(_native, "redundant_lines", redundant_lines)
    assert [one.line for one in analysis(parse_robots(text)).redundant] == [3]
    assert len(asked) == 2
    found = analysis(parse_robots(text), seconds=0)
    assert (found.redundant, len(asked)) == ((), 3)
    assert found.undecided
