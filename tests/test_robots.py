"""The public face of a policy: questions, mistakes, views, batches, pickles."""

from __future__ import annotations

import gzip
import pickle
from datetime import UTC, datetime, timedelta
from typing import Any, cast

import pyarrow
import pytest

import acap
from acap import _native
from acap.problems.acap_fields import ACAP_FIELDS
from acap.problems.robots_txt import ROBOTS_TXT
from acap.publish.compare import compare
from acap.publish.compose.reading import draft_from_robots
from acap.publish.convert import convert
from acap.publish.format import format_robots
from acap.restrictions import MaxLength, ResourceRestriction, TimeLimit
from acap.robots import READINGS

SITE = "https://www.example.com/robots.txt"
NOON = datetime(2026, 1, 31, 12, tzinfo=UTC)


def acap_policy(*lines: str) -> acap.RobotsPolicy:
    return acap.parse_robots("\n".join(("ACAP-crawler: *", *lines)), url=SITE)


def test_a_decision_has_no_truth_value() -> None:
    """`if policy.decide(...)` would always be true, so it raises."""
    with pytest.raises(TypeError, match="permitted"):
        bool(acap_policy().decide("/", crawler="a"))


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ({"crawler": ""}, "crawler is empty"),
        ({"crawler": []}, "crawler is empty"),
        ({"crawler": "a", "usage": "indx"}, "did you mean `index`"),
        ({"crawler": "a", "usage": []}, "no usage"),
        ({"crawler": "a", "purpose": ""}, "purpose is empty"),
        ({"crawler": "a", "at": datetime(2026, 1, 1)}, "no time zone"),  # noqa: DTZ001
    ],
)
def test_the_callers_mistakes_are_value_errors(question: dict[str, object], words: str) -> None:
    """A wrong question is refused in words, never answered by silence."""
    with pytest.raises(ValueError, match=words):
        acap_policy().decide("/", **question)  # type: ignore[arg-type]  # options of several types


@pytest.mark.parametrize(
    "url",
    [
        "http://www.example.com/",
        "https://example.com/",
        "https://www.example.com:8443/",
        "news/a.html",
        "mailto:a",
        "?q",
        "",
    ],
)
def test_a_policy_answers_for_its_own_site_alone(url: str) -> None:
    """RFC 9309 2.3: scheme, host and port are the policy's, or the question is a mistake."""
    with pytest.raises(ValueError, match="`"):
        acap_policy().decide(url, crawler="a")


@pytest.mark.parametrize("url", ["https://WWW.EXAMPLE.com:443/a", "https://u:p@www.example.com/a", "/a"])
def test_one_site_may_be_written_in_several_ways(url: str) -> None:
    """Case, the scheme's own port and user information do not matter, and a path is of that site."""
    assert acap_policy("ACAP-disallow-crawl: /").decide(url, crawler="a").outcome == "prohibited"


def test_a_usage_of_the_file_alone_can_be_asked_about() -> None:
    """An unknown usage is kept under its name; its permission is of no other, its prohibition of `other` as well."""
    policy = acap_policy("ACAP-disallow-print: /", "ACAP-allow-scan: /")
    assert policy.decide("/", crawler="a", usage="scan").permitted
    assert not any(policy.decide("/", crawler="a", usage=usage).permitted for usage in ("print", "index", "tdm"))
    assert policy.decide("/", crawler="a", usage="crawl").permitted


def test_a_crawler_may_be_an_ordered_list_or_a_user_agent() -> None:
    """The first name that a group names counts; of a browser's string the crawler it puts forward."""
    policy = acap.parse_robots("User-agent: googlebot\nDisallow: /\nUser-agent: googlebot-news\nDisallow: /b")
    assert policy.decide("/a", crawler=["googlebot-news", "googlebot"]).permitted
    assert not policy.decide("/a", crawler=["googlebot-image", "googlebot"]).permitted
    agent = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"
    assert not policy.decide("/a", crawler=agent).permitted


def test_an_operator_who_cannot_keep_a_restriction_may_not_use_the_permission() -> None:
    """`honours` names what can be kept; another restriction prohibits."""
    policy = acap_policy("ACAP-allow-present: / prohibited-modification=translation")
    able = acap.Crawler("a", honours=["prohibited-modification"])
    unable = acap.Crawler("a", honours=["time-limit"])
    assert policy.decide("/", crawler=able, usage="present").permitted
    decision = policy.decide("/", crawler=unable, usage="present")
    assert (decision.outcome, decision.reason.kind) == ("prohibited", "not-honoured")


def test_an_operator_may_take_silence_for_a_prohibition() -> None:
    """Silence on a usage, or on one above it, can be configured to prohibit; a statement still counts."""
    careful = acap.Crawler("a", silence={"tdm": "prohibited"})
    assert not acap_policy().decide("/", crawler=careful, usage="ai-train").permitted
    assert acap_policy("ACAP-allow-tdm: /").decide("/", crawler=careful, usage="ai-train").permitted
    assert acap_policy().decide("/", crawler=careful, usage="index").permitted
    finer = acap.Crawler("a", silence={"other": "prohibited", "index": "permitted"})
    allowed = {
        usage
        for usage in ("crawl", "index", "preserve", "ai-train")
        if acap_policy().decide("/", crawler=finer, usage=usage).permitted
    }
    assert allowed == {"crawl", "index"}


def test_a_question_without_purpose_is_one_question() -> None:
    """An empty list of purposes asks without purpose, in every form of question: it is no question that nobody put."""
    prohibits = acap.parse_robots("User-agent: *\nDisallow: /\n", url=SITE)
    kinds = {"crawl": "statement", "index": "crawl-prohibited"}
    urls = ["https://www.example.com/x"]
    asked: list[dict[str, Any]] = [
        {"crawler": "a"},
        {"crawler": "a", "purpose": []},
        {"crawler": acap.Crawler("a", purposes=[])},
    ]
    for question in asked:
        for usage, kind in kinds.items():
            decision = prohibits.decide(urls[0], usage=usage, **question)
            assert (str(decision.outcome), decision.reason.kind) == ("prohibited", kind)
            assert str(acap.decide(urls[0], usage=usage, robots=prohibits, **question).outcome) == "prohibited"
        rows = prohibits.decide_many(urls, usages=list(kinds), **question)
        assert list(rows.outcomes) == [2, 2]
        table = pyarrow.table(acap.decide_table(urls, [prohibits], usages=list(kinds), **question))
        assert table["outcome"].to_pylist() == ["prohibited"] * 2
        assert table["kind"].to_pylist() == list(kinds.values())


def test_a_crawlers_purposes_are_asked_when_none_is_given() -> None:
    """All purposes of a crawler must permit; a purpose that is given counts alone."""
    policy = acap_policy("ACAP-usage-purpose: images", "ACAP-disallow-crawl: /")
    crawler = acap.Crawler("a", purposes=["news", "images"])
    assert not policy.decide("/", crawler=crawler).permitted
    assert policy.decide("/", crawler=crawler, purpose="news").permitted


def test_restrictions_are_typed() -> None:
    """Each restriction keeps its written value and reads it."""
    policy = acap_policy(
        "ACAP-allow-index: / time-limit=14-days must-use-resource=the-acap:classlist:a, b",
        "ACAP-allow-present-snippet: / max-length=20-Words",
    )
    limit, resource = policy.decide("/", crawler="a", usage="index").restrictions
    assert isinstance(limit, TimeLimit)
    assert limit.days == 14
    assert isinstance(resource, ResourceRestriction)
    assert (resource.kind, resource.names, resource.uri) == ("classlist", ("a", "b"), None)
    (length,) = policy.decide("/", crawler="a", usage="present-snippet").restrictions
    assert isinstance(length, MaxLength)
    assert (length.amount, length.unit, length.value) == (20, "words", "20-Words")


def test_python_and_the_core_agree_when_a_time_limit_is_over() -> None:
    """`TimeLimit.expired` answers as a decision does, to the microsecond."""
    for value in ("14-days", "until-2026-01-31", "until-recrawled"):
        policy = acap_policy(f"ACAP-allow-index: / time-limit={value}")
        facts = acap.Facts(first_indexed=NOON, last_crawled=NOON + timedelta(days=3))
        limit = TimeLimit("time-limit", value)
        end = limit.expires("index", facts)
        assert end is not None
        for at in (end - timedelta(microseconds=1), end, end + timedelta(days=1)):
            decision = policy.decide("/", crawler="a", usage="index", at=at, facts=facts)
            if value == "until-recrawled":
                continue
            assert decision.permitted is not limit.expired(at, "index", facts), (value, at)


def test_a_policy_pickles_as_its_octets_and_options() -> None:
    """What comes back decides the same, with references, limits and evidence."""
    policy = acap.parse_robots(
        "ACAP-crawler: a\nACAP-permissions-reference: /p.txt", url=SITE, limits=acap.Limits(file_octets=1000)
    ).with_reference("/p.txt", b"ACAP-crawler: *\nACAP-disallow-index: /x")
    policy = policy.with_evidence({"status": 200})
    again = pickle.loads(pickle.dumps(policy))
    assert again == policy
    assert again.evidence == {"status": 200}
    assert not again.decide("/x", crawler="a", usage="index").permitted
    for gone in (acap.RobotsPolicy.absent(SITE), acap.RobotsPolicy.unreachable(SITE)):
        assert pickle.loads(pickle.dumps(gone)).decide("/", crawler="a") == gone.decide("/", crawler="a")


def test_a_decision_pickles_with_its_reason() -> None:
    """Without its policy a decision still says why."""
    decision = acap_policy("ACAP-disallow-crawl: /").decide("/", crawler="a", at=NOON)
    again = pickle.loads(pickle.dumps(decision))
    assert again == decision
    assert again.reason.decided_by[0].line == 2
    assert (again.at, again.policy) == (NOON, None)


def test_a_batch_answers_as_single_questions_do() -> None:
    """decide_many gives outcome and line of decide, URL by URL and usage by usage."""
    policy = acap_policy("ACAP-disallow-index: /a", "ACAP-disallow-crawl: /b")
    urls = ["/a", "/b", "https://www.example.com/c"]
    batch = policy.decide_many(urls, crawler="x", usages=("crawl", "index"))
    rows = [batch[place] for place in range(len(batch))]
    for (url, usage, outcome, kind, line), (asked, of) in zip(
        rows, [(url, usage) for url in urls for usage in ("crawl", "index")], strict=True
    ):
        single = policy.decide(asked, crawler="x", usage=of)
        lines = [cited.line for cited in single.reason.decided_by]
        assert (url, usage) == (asked, of)
        assert (outcome, kind, line) == (single.outcome, single.reason.kind, lines[0] if lines else 0)
    assert list(batch.lines) == [row[4] for row in rows]
    assert batch.permitted == [row[2] == "permitted" for row in rows]
    with pytest.raises(IndexError):
        batch[6]


def test_a_batch_is_an_arrow_stream() -> None:
    """Anything that reads the Arrow protocol reads a batch."""
    policy = acap_policy("ACAP-disallow-index: /a")
    table = pyarrow.table(policy.decide_many(["/a", "/b"], crawler="x", usages=["index"]))
    assert table.column("outcome").to_pylist() == ["prohibited", "permitted"]
    assert table.column("line").to_pylist() == [2, 0]
    assert table.column("url").to_pylist() == ["/a", "/b"]


def test_a_batch_refuses_what_a_single_question_refuses() -> None:
    """One URL that cannot be asked about is an error that names it."""
    with pytest.raises(ValueError, match=r"other\.example"):
        acap_policy().decide_many(["/a", "https://other.example/"], crawler="x")
    with pytest.raises(TypeError, match="not one URL"):
        acap_policy().decide_many("/a", crawler="x")


def test_lines_are_lossless() -> None:
    """Every octet is in one line, whatever ends it."""
    octets = b"\xef\xbb\xbfUser-agent: *\r\nDisallow: /\r# a\n\nwhat\x00\xff"
    policy = acap.parse_robots(octets)
    assert b"".join(line.octets for line in policy.lines) == octets
    assert [line.kind for line in policy.lines] == ["User-agent", "Disallow", "comment", "blank", "text"]


@pytest.mark.parametrize("octets", [b"", b"\n", b"\r\n\r", b"Host: a\n\nHost: b", b"\xef\xbb\xbfAllow: /\rHost: c\n#"])
def test_lines_are_made_when_they_are_asked_for_and_are_as_those_of_a_list(octets: bytes) -> None:
    """Number, slice, iteration and kind tell of the same lines; so do the octets at which they begin."""
    lines = acap.parse_robots(octets).lines
    each = list(lines)
    assert [line.number for line in each] == list(range(1, len(lines) + 1))
    assert [lines[number] for number in range(len(lines))] == each == [*lines[:1], *lines[1:]]
    assert lines[-1] == each[-1]
    assert lines == acap.parse_robots(octets).lines
    assert [octets[start:][: len(line.octets)] for start, line in zip(lines.starts, each, strict=True)] == [
        line.octets for line in each
    ]
    for kind in ("Host", "blank", "Allow"):
        wanted = [line for line in each if line.kind == kind]
        assert list(lines.of(kind)) == wanted
        assert list(lines.numbers(kind)) == [line.number for line in wanted]
        assert lines.kinds[kind] == len(wanted)
    assert [lines.kind(line.number) for line in each] == [line.kind for line in each]
    with pytest.raises(IndexError):
        lines[len(lines)]


def test_lines_of_other_vocabularies_are_kept_with_their_group() -> None:
    """Content-Signal, Content-Usage, License and Sitemap disturb no group and are kept."""
    policy = acap.parse_robots(
        "License: /l.xml\nUser-agent: a\nContent-Signal: ai-train=no\nUser-agent: b\nDisallow: /\n"
        "User-agent: *\nContent-Usage: /x train-ai=n\nSitemap: https://www.example.com/s.xml",
        url=SITE,
    )
    kept = [(one.field, one.value, one.line, one.group) for one in policy.extensions]
    assert kept == [
        ("License", "/l.xml", 1, None),
        ("Content-Signal", "ai-train=no", 3, 0),
        ("Content-Usage", "/x train-ai=n", 7, 1),
        ("Sitemap", "https://www.example.com/s.xml", 8, 1),
    ]
    assert policy.sitemaps == ("https://www.example.com/s.xml",)
    assert not policy.decide("/", crawler="a").permitted
    assert policy.decide("/l.xml", crawler="a").reason.kind == "policy-resource"


def test_what_is_missing_and_what_cannot_be_reached() -> None:
    """RFC 9309 2.3.1: a 404 permits and a 503 prohibits, robots.txt itself excepted."""
    gone = acap.RobotsPolicy.absent(SITE).decide("/a", crawler="x")
    assert (gone.outcome, gone.reason.kind, gone.stated) == ("permitted", "absent", False)
    failing = acap.RobotsPolicy.unreachable(SITE)
    assert failing.decide("/a", crawler="x", usage="index").reason.kind == "unreachable"
    assert failing.decide("/robots.txt", crawler="x").permitted


def test_every_code_of_a_problem_has_its_sentence() -> None:
    """The core's codes and the catalogue are one list."""
    assert set(_native.problem_codes()) == {*ROBOTS_TXT, *ACAP_FIELDS}


def test_problems_are_located() -> None:
    """A problem names its line and column and says what to write."""
    policy = acap.parse_robots("User-agent: *\n  Disalow: /a\nDisallow: b\n")
    assert [(one.code, one.line, one.column, one.fix) for one in policy.problems] == [
        ("misspelt-field", 2, 3, "write `Disallow`"),
        ("relative-pattern", 3, 1, "start it with `/`: `/b`"),
    ]


@pytest.mark.parametrize(
    ("line", "about"),
    [
        ("Dissallow: /x", {"misspelt-field": b"Dissallow"}),
        ("User-agent: *\nDisallow: x # x", {"relative-pattern": b"x"}),
        ("ACAP-crawler: b/1 a/1", {"acap-crawler-name": b"b/1"}),
        ("ACAP-crawler: *\nACAP-allow-index: / a time-limit = 7days", {"acap-bad-value": b"time-limit = 7days"}),
        ("ACAP-crawler: *\nACAP-allow-crawl: a /a a", {"acap-relative-pattern": b"a"}),
        ("ACAP-crawler: *\nACAP-alow-index: /", {"acap-nearly-permission": b"ACAP-alow-index"}),
        (
            "ACAP-qualified-usage: q present-thumbnails max-length=2-words\nACAP-crawler: *\nACAP-allow-(q): /",
            {"acap-plural": b"present-thumbnails"},
        ),
        ("ACAP-crawler: *\nACAP-allow-index:", {"acap-empty-resource": b"ACAP-allow-index:"}),
    ],
)
def test_a_problem_has_the_octets_that_it_is_about(line: str, about: dict[str, bytes]) -> None:
    policy = acap.parse_robots(f"# é\n{line}\n")
    first = {one.code: one.span for one in reversed(policy.problems)}
    spans = {code: first[code] for code in about}
    assert {code: None if span is None else policy.outline.octets(span) for code, span in spans.items()} == about


def test_many_files_read_as_one_by_one() -> None:
    """parse_robots_many gives what parse_robots gives, in order."""
    items = [(f"User-agent: *\nDisallow: /{number}\n".encode(), SITE) for number in range(50)]
    assert acap.parse_robots_many(items) == [acap.parse_robots(octets, url=url) for octets, url in items]
    guessed = b"User-agent: *\nContent-Signal: ai-train=false\n"
    (strict,) = acap.parse_robots_many([guessed], reading="strict")
    assert (strict.reading, strict) == ("strict", acap.parse_robots(guessed, reading="strict"))


def test_a_truncated_policy_says_so_in_every_reason() -> None:
    """P1 4.6: what a limit cut is a problem, and named in the reason; a file beyond the limit prohibits everything."""
    policy = acap.parse_robots("User-agent: *\nDisallow: /a\nDisallow: /b\n", limits=acap.Limits(file_octets=30))
    assert policy.truncated
    assert "cut-file" in {one.code for one in policy.problems}
    decision = policy.decide("/c", crawler="x")
    assert (decision.permitted, decision.reason.kind, decision.reason.truncated) == (False, "truncated", True)
    assert policy.decide("/robots.txt", crawler="x").permitted


PACKED = gzip.compress(b"User-agent: *\nDisallow: /\n")


@pytest.mark.parametrize(("octets", "what"), [(PACKED, "packed with gzip"), (b"%PDF-1.7\n", "in format pdf")])
def test_a_file_that_is_no_text_permits_nothing_and_is_neither_converted_nor_laid_out(octets: bytes, what: str) -> None:
    """RFC 9309 2.3.1.4: nobody can tell what it says; the reason says so, and what writes files anew refuses it."""
    policy = acap.parse_robots(octets)
    assert [(one.code, one.line) for one in policy.problems] == [("packed-file", 1)]
    decision = policy.decide("/", crawler="x")
    assert (decision.permitted, decision.reason.kind, decision.reason.truncated) == (False, "unreadable", False)
    assert policy.truncated
    assert policy.decide("/robots.txt", crawler="x").permitted
    assert acap.parse_robots(octets, dialect="google").decide("/", crawler="x").permitted
    for writes in (lambda: convert(octets, "acap"), lambda: format_robots(octets), lambda: draft_from_robots(octets)):
        with pytest.raises(ValueError, match=what):
            writes()
    (told,) = compare(policy, acap.parse_robots("")).undecided
    assert told.because == "one of the files is compressed or binary"


@pytest.mark.parametrize(
    "cut", ["User-agent: bot\0x\nContent-Signal: search=yes", "User-agent: *\nDisallow:" + 60 * " "]
)
def test_a_line_that_was_cut_is_cited_as_prohibiting(cut: str) -> None:
    """What stands for the strictest that a line may have been prohibits, though nothing of its value is left."""
    policy = acap.parse_robots(f"{cut}/b", url=SITE, limits=acap.Limits(line_octets=40))
    decision = policy.decide("/a", crawler="other")
    assert not decision.permitted
    assert [one.effect for one in decision.reason.decided_by] == ["prohibits"]


def test_a_usage_that_nobody_knows_is_the_same_in_a_referenced_file() -> None:
    """A name that two files make up is one usage, and names that differ are two, whichever is read first."""
    text = b"ACAP-crawler: *\nACAP-permissions-reference: /r\nACAP-permissions-reference: /s\nACAP-disallow-own: /\n"
    policy = acap.parse_robots(text, url="http://host.example/")
    policy = policy.with_reference("/r", b"ACAP-crawler: *\nACAP-allow-theirs: /a\n")
    policy = policy.with_reference("/s", b"ACAP-crawler: *\nACAP-disallow-shared: /\nACAP-allow-own: /b\n")
    policy = policy.with_reference("/r", b"ACAP-crawler: *\nACAP-disallow-theirs: /a\n")
    assert set(policy.unknown_usages) == {"own", "theirs", "shared"}
    outcomes = {
        (path, usage): str(policy.decide(path, crawler="bot", usage=usage).outcome)
        for path in ("/a", "/b")
        for usage in ("own", "theirs", "shared")
    }
    # What nobody knows may be any other use, `theirs` among them.
    prohibited = {("/a", "own"), ("/a", "theirs"), ("/a", "shared"), ("/b", "shared"), ("/b", "theirs")}
    assert outcomes == {asked: "prohibited" if asked in prohibited else "permitted" for asked in outcomes}


def test_a_signal_is_shown_for_whom_it_decides() -> None:
    """What `signals` says of the audience is what decides: a License line that stands apart is every crawler's."""
    text = "User-agent: bot\nUser-agent: b2\nDisallow: /x\nContent-Signal: ai-train=no\n\nLicense: https://l.example/l.xml\n"
    policy = acap.parse_robots(text, url=SITE)
    assert [(one.cited.line, one.crawlers) for one in policy.signals] == [(4, ("bot", "b2")), (6, ("*",))]
    asked = {name: policy.decide("/", crawler=name, usage="tdm").outcome for name in ("bot", "other")}
    assert asked == {"bot": "conditional", "other": "conditional"}


@pytest.mark.parametrize("limit", ["file_octets", "line_octets", "records"])
def test_no_limit_is_larger_than_what_is_kept(limit: str) -> None:
    """A limit that could not be kept to is the caller's mistake."""
    most = 65_535 if limit == "line_octets" else 2**30
    acap.Limits(**{limit: most})
    for number in (most + 1, 10**30, -1):
        with pytest.raises(ValueError, match=f"{limit} must be from 0 to {most}"):
            acap.Limits(**{limit: number})


def test_signals_are_read_with_care_or_by_the_letter() -> None:
    """What plainly refuses is a refusal and a problem; by the letter it is a problem alone."""
    octets = b"User-agent: *\nContent-Usage: Train-AI=n\nDisallow: /a\n"
    careful, strict = (acap.parse_robots(octets, reading=reading) for reading in READINGS)
    refused = [not one.decide("/b", crawler="x", usage="ai-train-generative").permitted for one in (careful, strict)]
    assert refused == [True, False]
    assert [one.decide("/a", crawler="examplebot").permitted for one in (careful, strict)] == [False, False]
    assert all(one.problems for one in (careful, strict))
    assert strict == careful.with_reading("strict") != careful == strict.with_reading("careful")
    assert pickle.loads(pickle.dumps(strict)) == strict
    with pytest.raises(ValueError, match="reading `loose` is none of careful, strict"):
        careful.with_reading(cast("Any", "loose"))


def test_a_dialect_without_signals_has_one_reading() -> None:
    policy = acap.parse_robots(b"User-agent: *\nAllow: /\n", dialect="rfc9309", reading="strict")
    assert policy.reading == "careful"


def test_headers_of_signals_are_read_by_the_letter_too() -> None:
    """By the letter the lines of a header are one value, of which the last counts."""
    headers = [("Content-Usage", "train-ai=n"), ("Content-Usage", "train-ai=y")]
    careful, strict = (acap.parse_page(None, url=None, headers=headers, reading=reading) for reading in READINGS)
    url, usage = "https://www.example.com/", "ai-train-generative"
    found = [acap.decide(url, crawler="x", usage=usage, page=page).permitted for page in (careful, strict)]
    assert found == [False, True]
    assert strict == careful.with_reading("strict") == pickle.loads(pickle.dumps(strict)) != careful
