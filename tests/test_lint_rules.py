"""Every rule of lint is what it says of itself: examples, fix and words; and a safe fix permits nothing more."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

import pytest

from acap.pages.page import parse_page
from acap.problems import CATALOGUE, DocumentKind, Example, Long
from acap.publish.lint import catalogue
from acap.publish.lint.catalogue import rules
from acap.publish.lint.document import Document
from acap.publish.lint.fixing import applied, fix
from acap.publish.lint.rule import Rule, octets_of
from acap.publish.lint.run import findings_of, lint, run
from acap.publish.lint.strictness import looser, looser_page
from acap.robots import RobotsPolicy, parse_robots, url_at
from acap.usages import USAGES
from tests.test_rep_corpus import corpus, corpus_in_part

TODAY = datetime(2026, 11, 20, tzinfo=UTC)
EXAMPLES = [
    pytest.param(rule, example, id=f"{code}-{number}")
    for code, rule in rules().items()
    for number, example in enumerate(rule.examples, 1)
]
RANK = {"prohibited": 0, "conditional": 1, "permitted": 2}


def each() -> Iterator[tuple[Rule, Example]]:
    """Every example of every rule, for what is looked at so quickly that it is no test of its own."""
    for rule in rules().values():
        for example in rule.examples:
            yield rule, example


@cache
def document(text: str | bytes | Long, kind: DocumentKind) -> Document:
    """A document, read once for all tests."""
    return Document(octets_of(text), "example", kind, today=TODAY)


@cache
def fixed(text: str | bytes | Long, rule: Rule, kind: DocumentKind) -> bytes:
    """The text after the fixes of one rule alone, the unsafe ones too."""
    done = fix(document(text, kind), [rule.code], unsafe=True)
    assert not done.refused, "a safe fix permits more"
    return done.document.octets


@pytest.mark.parametrize(("rule", "example"), EXAMPLES)
def test_the_bad_example_of_a_rule_has_its_finding(rule: Rule, example: Example) -> None:
    found = run(document(example.bad, example.kind), [rule.code])
    assert {finding.code for finding in found} == {rule.code}


def test_the_good_example_of_a_rule_has_it_not() -> None:
    assert [rule.code for rule, example in each() if findings_of(rule, document(example.good, example.kind))] == []


def test_the_fix_makes_of_the_bad_example_what_the_rule_says() -> None:
    for rule, example in each():
        wanted = octets_of(example.bad if example.fixed is None else example.fixed)
        assert fixed(example.bad, rule, example.kind) == wanted, (rule.code, example.bad)


@cache
def documents() -> list[Document]:
    """The examples of every rule, each read once."""
    examples = [one for held in rules().values() for one in held.examples]
    return [document(text, one.kind) for one in examples for text in (one.bad, one.good)]


def test_a_rule_of_a_problem_is_on_and_finds_only_where_readers_report_it() -> None:
    for rule in (rule for code, rule in rules().items() if code in CATALOGUE):
        assert rule.default, rule.code
        without = [one for one in documents() if one.kind in rule.kinds and rule.code not in one.problems]
        assert without, rule.code
        assert [finding for one in without for finding in rule.check(one)] == [], rule.code


def test_a_second_fix_changes_nothing() -> None:
    for rule, example in each():
        once = fixed(example.bad, rule, example.kind)
        assert fixed(once, rule, example.kind) == once, (rule.code, example.bad)


def test_findings_lie_in_their_document() -> None:
    for rule, example in each():
        given = document(example.bad, example.kind)
        for finding in findings_of(rule, given):
            assert 0 <= finding.line <= len(given.starts), finding
            assert 0 <= finding.start <= finding.end <= len(given.text), finding
            assert all(0 <= related.line <= len(given.starts) for related in finding.related), finding
            assert finding.line == 0 or given.place(finding.start)[0] == finding.line, finding


def test_a_message_is_one_line_without_a_full_stop() -> None:
    for rule, example in each():
        for finding in findings_of(rule, document(example.bad, example.kind)):
            for text in (finding.message, finding.help or "x", *(related.message for related in finding.related)):
                assert text == text.strip()
                assert "\n" not in text
                assert not text.endswith(".")


def test_a_rule_says_what_people_need() -> None:
    for rule in rules().values():
        assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", rule.code)
        assert rule.examples, rule.code
        assert rule.severity in ("error", "warning", "info"), rule.code
        assert rule.summary == rule.summary.strip()
        assert not rule.summary.endswith(".")
        assert not rule.summary[:1].isupper() or re.match(r"[A-Z]\S*[A-Z-]", rule.summary), "lower case but for a name"
        assert "\n" not in rule.summary
        assert rule.why.strip().endswith((".", ")"))
        assert {example.kind for example in rule.examples} <= set(rule.kinds), rule.code


def test_a_rule_with_a_fix_shows_it() -> None:
    for code, rule in rules().items():
        assert (rule.fix is not None) == any(example.fixed is not None for example in rule.examples), code


def test_the_module_of_a_rule_says_what_it_is() -> None:
    """A rule stands in a file of its own or in the catalogue of problems, never in both."""
    for code in rules():
        name = f"acap.publish.lint.rules.{code.replace('-', '_')}"
        if code in CATALOGUE and CATALOGUE[code].doc is not None:
            assert find_spec(name) is None
        else:
            assert (import_module(name).__doc__ or "").strip(), name


def grid(policy: RobotsPolicy) -> Iterator[tuple[str, str]]:
    """Crawlers and paths of a file: for each pattern a path that it matches, one below it, one beside it."""
    paths = {"/", "/a/b.html?q=1"}
    for statement in policy.statements[:60]:
        path = statement.pattern.replace("*", "z").removesuffix("$")
        if path.startswith("/"):
            paths |= {path, f"{path}z", f"{path}/z.html", path[:-1] or "/"}
    crawlers = ["nobody-names-this", *(name for name in policy.crawlers[:12] if name != "*")]
    for crawler in crawlers:
        for path in sorted(paths):
            yield crawler, path


def loosened(before: bytes, after: bytes) -> list[tuple[str, str, str]]:
    """Questions of the grid that a second robots.txt answers more loosely than the first."""
    old, new = parse_robots(before), parse_robots(after)
    found = []
    for crawler, path in {*grid(old), *grid(new)}:
        for usage in USAGES:
            for purpose in (None, *old.purposes[:2]):
                one, other = (
                    policy.decide(url_at(policy, path), crawler=crawler, usage=usage, purpose=purpose, at=TODAY)
                    for policy in (old, new)
                )
                lost = set(one.restrictions) - set(other.restrictions)
                if RANK[other.outcome] > RANK[one.outcome] or (one.outcome == other.outcome != "prohibited" and lost):
                    found.append((crawler, usage, path))
    return found


@pytest.mark.parametrize(("rule", "example"), [one for one in EXAMPLES if one.values[1].kind == "robots"])  # type: ignore[union-attr]  # pytest does not know what it holds
def test_a_safe_fix_of_an_example_permits_nothing_more(rule: Rule, example: Example) -> None:
    given = document(example.bad, "robots")
    safe = [finding for finding in findings_of(rule, given) if finding.fix is not None and finding.fix.safe]
    after, _ = applied(given, safe)
    assert loosened(given.octets, after) == []


@pytest.mark.parametrize(("rule", "example"), [one for one in EXAMPLES if one.values[1].kind == "page"])  # type: ignore[union-attr]  # pytest does not know what it holds
def test_a_safe_fix_of_a_page_permits_nothing_more(rule: Rule, example: Example) -> None:
    given = document(example.bad, "page")
    safe = [finding for finding in findings_of(rule, given) if finding.fix is not None and finding.fix.safe]
    after, _ = applied(given, safe)
    old, new = (parse_page(text, url="https://example.com/") for text in (given.octets, after))
    for usage in USAGES:
        one, other = (page.decide(usage, crawler="examplebot", at=TODAY).outcome for page in (old, new))
        assert RANK[other] <= RANK[one], usage


def test_the_grid_sees_what_is_looser() -> None:
    before, after = b"User-agent: *\nDisallow: /a\n", b"User-agent: *\nDisallow: /a/\n"
    assert ("nobody-names-this", "crawl", "/a") in loosened(before, after)
    assert looser(parse_robots(before), parse_robots(after), TODAY) is not None
    assert loosened(after, before) == []
    assert looser(parse_robots(after), parse_robots(before), TODAY) is None


def test_a_restriction_that_goes_is_seen_as_looser() -> None:
    before = parse_robots(b"ACAP-crawler: *\nACAP-allow-index: / time-limit=30-days\n")
    after = parse_robots(b"ACAP-crawler: *\nACAP-allow-index: /\n")
    found = looser(before, after, TODAY)
    assert found is not None
    assert found.usage == "index"
    assert looser(after, before, TODAY) is None


@pytest.mark.parametrize(
    ("strict", "loose"),
    [
        ('<meta name="robots" content="noindex">', '<meta name="robots" content="index">'),
        ('<meta name="googlebot" content="noindex">', '<meta name="googlebot" content="">'),
        ('<meta name="robots" content="max-snippet:20">', '<meta name="robots" content="">'),
    ],
)
def test_a_page_that_permits_more_is_seen_as_looser(strict: str, loose: str) -> None:
    one, other = (parse_page(text, url="https://example.com/") for text in (strict, loose))
    assert looser_page(one, other, TODAY) is not None
    assert looser_page(other, one, TODAY) is None
    assert looser_page(one, one, TODAY) is None


@pytest.mark.portion
def test_no_rule_fails_on_any_file_of_the_corpus() -> None:
    """Real files are linted with all rules, in the order of their lines: each fifth of 2,500, all in `make soak`."""
    for file in corpus_in_part(5):
        found = lint(Document(file["robots"].encode("latin-1"), file["id"], today=TODAY), select=["ALL"])
        assert [finding.line for finding in found] == sorted(finding.line for finding in found)


def test_fixes_of_the_corpus_permit_nothing_more_and_come_to_an_end() -> None:
    """After the safe fixes of a real file none is left, none had to be refused, and no answer is looser."""
    codes = catalogue.chosen(["ALL"])
    for file in corpus()[::20]:
        given = Document(file["robots"].encode("latin-1"), file["id"], today=TODAY)
        done = fix(given, codes)
        assert not done.refused, file["id"]
        left = [finding.code for finding in done.findings if finding.fix is not None and finding.fix.safe]
        assert (
            applied(done.document, [one for one in done.findings if one.fix is not None and one.fix.safe])[1] == []
        ), (
            file["id"],
            left,
        )
        if done.mended:
            assert looser(given.policy, done.document.policy, TODAY) is None, file["id"]


@pytest.mark.parametrize(
    "text", [b"", b"\n", b"\0" * 50, b"\xff\xfe", b"\xff" * 300, b"#", b":", b"a" * 70_000, b"<" * 5_000]
)
@pytest.mark.parametrize("kind", ["robots", "page", "headers"])
def test_no_rule_fails_on_what_is_no_document(text: bytes, kind: DocumentKind) -> None:
    given = Document(text, "hostile", kind, today=TODAY)
    for finding in lint(given, select=["ALL"]):
        assert 0 <= finding.start <= finding.end <= len(given.text)


@pytest.mark.parametrize(("name", "holds"), [("no_rule", None), ("other_name", rules()["unused-ignore"])])
def test_a_file_without_its_rule_fails_loudly(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str, holds: Rule | None
) -> None:
    """A file that holds no rule, or one of another code, stops everything."""
    (tmp_path / f"{name}.py").touch()
    (tmp_path / "__init__.py").touch()
    monkeypatch.setattr("acap.publish.lint.rules.__path__", [str(tmp_path)])
    monkeypatch.setattr("acap.publish.lint.catalogue.codes", catalogue.codes.__wrapped__)
    module = ModuleType(name)
    vars(module)["RULE"] = holds
    monkeypatch.setattr("acap.publish.lint.catalogue.import_module", lambda _: module)
    with pytest.raises(TypeError, match=f"rules/{name}.py holds"):
        rules.__wrapped__()


def test_the_first_page_counts_the_rules() -> None:
    """The README says how many rules there are, and each of them has a reason."""
    text = Path(__file__).parents[1].joinpath("README.md").read_text(encoding="utf-8")
    assert re.findall(r"(\d+) rules, each with a reason", text) == [str(len(rules()))]
    assert all(rule.why for rule in rules().values())
