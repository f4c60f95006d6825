"""Laws of the outline: it is what the reader found, at the places where it found it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from acap.robots import DIALECTS, Limits, RobotsPolicy, parse_robots
from tests.property import strategies
from tests.property.strategies import Case

WORDS = st.lists(
    st.sampled_from(
        [
            *(b"ACAP-crawler: a, *", b"ACAP-crawler b/1", b"ACAP-disallow-index: /a,/b; c=d the-acap:resource-set:s"),
            *(b"ACAP-resource-set s /a/ *.b$", b"ACAP-qualified-usage: q present a = b, c=d"),
            *(b"ACAP-usage-purpose: http://p", b"ACAP-allow-(q) /x", b"ACAP-alow-index: / time-limit=1-days"),
            *(
                b"User-agent: a/1 # x",
                b"user agent: *",
                b"Disallow /x",
                b"Allow:\x01/y",
                b"Sitemap:x",
                b"\x01ACAP-x: y",
            ),
            *(b"", b"#", b"text", b"\xef\xbb\xbf", b"ACAP-request-take-down: /a b", b"acap-composite-usage q x"),
            *(b"ACAP-permissions-reference: x", b"##ACAP version=1.1"),
        ]
    ),
    max_size=12,
)


def held(policy: RobotsPolicy) -> None:
    """Every name, value and word lies in its line, in order, and says what stands there."""
    last = 0
    outline, lines = policy.outline, policy.lines
    for field in outline.fields:
        first = lines.starts[field.line - 1]
        assert first <= field.span.start <= field.span.end <= first + len(lines[field.line - 1].octets)
        assert field.line > last
        last = field.line
        assert outline.octets(field.value_span).decode("utf-8", "replace") == field.value
        assert field.span.start <= field.name_span.start <= field.name_span.end <= field.span.end
        starts = [word.span.start for word in field.words]
        assert starts == sorted(starts)
        for word in field.words:
            # A name may end in two places, and what stands between them be a resource.
            assert field.span.start <= word.span.start <= word.span.end <= field.span.end
            assert outline.octets(word.span).decode("utf-8", "replace") == word.text


def located(policy: RobotsPolicy) -> None:
    """What a problem is about lies in its line, or it is about the whole file."""
    lines = policy.lines
    for problem in policy.problems:
        if problem.span is None or problem.code == "cut-file":
            continue
        first = lines.starts[problem.line - 1]
        assert first <= problem.span.start < problem.span.end <= first + len(lines[problem.line - 1].octets)


def agrees(policy: RobotsPolicy) -> None:
    """Each statement stands in a group or record with its crawlers, and of a record also with its purposes."""
    outline = policy.outline
    groups = {field.line: group for group in outline.groups for field in group.body}
    records = {field.line: record for record in outline.records for field in record.fields}
    parts = {field.line: part for record in outline.records for part in record.parts for field in part.fields}
    lines = policy.lines
    for one in policy.statements:
        line = one.cited.line or 0
        assert outline.by_line[line].kind == lines.kind(line)
        if one.cited.dialect == "acap":
            named = {name for crawler in records[line].crawlers for name in crawler.texts("crawler")}
            assert all(any(word.startswith(name) for word in named) for name in one.crawlers if name != "*")
            said = {text.strip() for purpose in parts[line].purposes for text in purpose.texts("purpose")}
            assert said >= set(one.purposes)
        else:
            agents = groups[line].agents
            assert one.crawlers == tuple("*" if agent.cut else agent.value for agent in agents)


@given(strategies.cases(), st.sampled_from(DIALECTS))
def test_the_outline_holds_what_the_statements_say(case: Case, dialect: str) -> None:
    """Of generated files and all dialects: places hold, and groups, records and parts are those of the statements."""
    limits = None if case.limits is None else Limits(**case.limits)
    policy = parse_robots(case.octets, dialect=dialect, limits=limits)
    held(policy)
    located(policy)
    agrees(policy)


@given(WORDS, st.sampled_from([b"\n", b"\r", b"\r\n"]), st.sampled_from(DIALECTS))
def test_places_hold_in_odd_files(lines: list[bytes], end: bytes, dialect: str) -> None:
    """Of lines that are badly spelt, cut, or none at all."""
    policy = parse_robots(end.join(lines), dialect=dialect)
    held(policy)
    located(policy)
    agrees(policy)


@given(st.binary(max_size=400))
def test_any_octets_have_an_outline(octets: bytes) -> None:
    """Reading never raises, and the outline of it neither."""
    policy = parse_robots(octets)
    held(policy)
    located(policy)
