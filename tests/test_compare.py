"""What `acap.compare` tells of two policies: changes of decisions, never of lines; doubt is no equality."""

from __future__ import annotations

import itertools
import time
from datetime import UTC, datetime
from typing import Any

import pytest

import acap
from acap import RobotsPolicy, compare, parse_robots
from acap.publish.compare import PATIENT_STEPS, Change, Comparison, Paths
from acap.publish.crawlers import everyone, stranger
from acap.robots import DIALECTS, READINGS
from acap.usages import COMPOSITES, PARENTS

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
RULES = "User-agent: *\nDisallow: /a\nAllow: /a/b\n"


def of(old: str, new: str, dialect: str = "auto", **asked: object) -> Comparison:
    """The two texts compared."""
    return compare(parse_robots(old, dialect=dialect), parse_robots(new, dialect=dialect), **asked)  # type: ignore[arg-type]  # options of several types


def only(found: Comparison) -> Change:
    """The one change of a comparison."""
    (change,) = found.changes
    return change


def test_a_change_has_its_paths_its_lines_and_a_shortest_witness() -> None:
    """A longer Allow that goes away prohibits what it permitted, and nothing else."""
    change = only(of(RULES, "User-agent: *\nDisallow: /a\n"))
    assert (change.before.outcome, change.before.line, change.before.kind) == ("permitted", 3, "statement")
    assert (change.after.outcome, change.after.line, change.after.text) == ("prohibited", 2, "Disallow: /a")
    assert (change.witness, str(change.paths)) == ("/a/b", "/a/b")
    assert "/a/bc?x" in change.paths
    assert "/a/c" not in change.paths


def test_what_nothing_speaks_of_changes_for_every_usage_in_one() -> None:
    """A conventional line prohibits crawling and what needs it; one change of every usage that is no composite."""
    change = only(of("", RULES))
    assert change.usages == tuple(PARENTS)
    assert (change.crawlers, change.purposes) == (("*",), ("",))


@pytest.mark.parametrize(
    "other",
    [
        "# note\n\nuser-agent:*\r\nDISALLOW : /a # here\nAllow: /a/b\n",
        "User-agent: *\nAllow: /a/b\nDisallow: /a\nDisallow: /a\n",
        "User-agent: *\nDisallow: /a*\nAllow: /a/b\nDisallow: /a/c\n",
        "User-agent: *\nDisallow: /%61\nAllow: /a/%62\n",
        "User-agent: *\nAllow: /a/b\n\nUser-agent: *\nDisallow: /a\n",
        "\ufeffUser-agent: *\nDisallow: /a\nAllow: /a/b\nSitemap: https://example.com/s.xml\n",
    ],
)
def test_other_lines_that_decide_the_same_are_equal(other: str) -> None:
    """Layout, order and lines that add nothing change no decision."""
    assert of(RULES, other).verdict == "equal"


def test_lines_that_decide_nothing_are_told_and_do_not_count() -> None:
    """Sitemap and Crawl-delay come and go beside an equal verdict."""
    found = of(RULES + "Crawl-delay: 3\nSitemap: /a\n", RULES + "Sitemap: /a\nSitemap: /b\n")
    assert (found.verdict, found.removed, found.added) == ("equal", ("Crawl-delay: 3",), ("Sitemap: /b",))


LICENSED = "License: https://e.com/a.xml\nUser-agent: *\nAllow: /\n"


@pytest.mark.parametrize(
    ("new", "crawlers"),
    [
        (LICENSED.replace("a.xml", "b.xml"), ["*"]),
        (LICENSED.replace("https://e.com", ""), ["*"]),
        (LICENSED + "\nUser-agent: Bot\nLicense: https://e.com/b.xml\n", ["Bot"]),
        (LICENSED + "\nUser-agent: Google-Extended\nLicense: https://e.com/b.xml\nAllow: /\n", ["Google-Extended"]),
        ("License: https://e.com/a.xml\n" + LICENSED, []),
    ],
)
def test_what_other_licences_say_is_never_equal(new: str, crawlers: list[str]) -> None:
    """Their documents are not read; who is referred to them is told, and to which."""
    for found in (of(LICENSED, new), of(new, LICENSED)):
        named = [one.crawler for one in found.undecided if "https://e.com/a.xml" in one.because]
        assert set(crawlers) <= set(named)
        assert (found.verdict == "equal") is not bool(crawlers)
        assert (found.removed, found.added) == ((), ())
    assert of(LICENSED, new, usages=["crawl"]).undecided == ()


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("pattern", ["/a", "/a*b", "/a$", "/a%2ab", "/%61b", "/é", "//", "/a%2fb", "/a?b", "/.b"])
def test_every_dialect_finds_every_short_path_at_which_a_line_shows(dialect: str, pattern: str) -> None:
    """One line more, in each dialect: every path of few letters that is decided otherwise lies in the change."""
    old = parse_robots("User-agent: *\nDisallow: /zz\n", dialect=dialect)
    new = parse_robots(f"User-agent: *\nDisallow: /zz\nDisallow: {pattern}\n", dialect=dialect)
    found = compare(old, new)
    assert not found.undecided
    paths = ["/" + "".join(rest) for length in range(4) for rest in itertools.product("/ab.$*?", repeat=length)]
    for path in (*paths, "/a%2ab", "/a%2Fb", "/%C3%A9", "/%61b"):
        asked = f"http://site.invalid{path}"
        differs = old.decide(asked, crawler="x").outcome != new.decide(asked, crawler="x").outcome
        assert differs == any(path in change.paths for change in found.changes), path
    for change in found.changes:
        assert change.witness in change.paths


def test_in_a_dialect_without_wildcards_a_star_is_a_letter() -> None:
    """The memo of 1996 has no wildcards: `*` and `$` of a pattern stand for themselves in its paths."""
    paths = only(of("User-agent: *\nDisallow: /a*b$\n", "", "norobots-1996")).paths
    assert "/a*b$" in paths
    assert "/a%2Ab%24c" in paths
    assert "/axb" not in paths


def test_dialects_that_compare_paths_otherwise_are_not_compared() -> None:
    """Google's paths and the decoded ones of 1996 are no canonical paths."""
    with pytest.raises(ValueError, match="dialects"):
        compare(parse_robots(RULES), parse_robots(RULES, dialect="google"))
    assert (
        compare(parse_robots(RULES), parse_robots(RULES, dialect="rfc9309"), crawlers=["*"]).changes[0].witness
        == "/ai.txt"
    )


def test_a_resource_that_carries_policy_is_named_where_its_dialect_asks_for_it() -> None:
    """`/ai.txt` carries policy for `auto` alone: elsewhere an exception for it is one as any other."""
    old, new = "User-agent: *\nDisallow:\n", "User-agent: *\nDisallow: /\nAllow: /ai.txt$\nAllow: /b\n"
    assert str(only(of(old, new)).paths) == "/ but not /b"
    assert str(only(of(old, new, "rfc9309")).paths) == "/ but not /ai.txt$, /b"


def test_records_of_robot_version_2_are_compared_by_their_own_rules() -> None:
    """In a record of version 2.0.0 a path without `*` is that path alone, and what matches nothing is refused."""
    change = only(of("User-agent: bot\nAllow: /a\n", "User-agent: bot\nRobot-version: 2.0.0\nAllow: /a\n"))
    assert (change.crawlers, change.after.outcome) == (("bot",), "prohibited")
    assert "/ab" in change.paths
    assert "/a" not in change.paths


def test_a_name_is_told_apart_from_the_token_it_begins_with() -> None:
    """`SearchBot1` is found by its own line, and `SearchBot` is another crawler (RFC 9309 2.2.1)."""
    change = only(of("User-agent: SearchBot1\nDisallow: /\n", "User-agent: SearchBot\nDisallow: /\n", "rfc9309"))
    assert "SearchBot" in everyone(parse_robots("User-agent: SearchBot1\nDisallow: /\n"))
    for name in change.crawlers:
        assert (change.before.outcome, change.after.outcome) == tuple(
            str(parse_robots(f"User-agent: {line}\nDisallow: /\n", dialect="rfc9309").decide("/", crawler=name).outcome)
            for line in ("SearchBot1", "SearchBot")
        )


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("name", ["stranger", "STRANGERqq", "strange", "anger", "r", "strangerq/1.0", "stran*", "q"])
def test_a_stranger_is_addressed_by_no_line(dialect: str, name: str) -> None:
    """Whatever names a file has, the name that stands for any other is none that it addresses."""
    policy = parse_robots(f"User-agent: {name}\nDisallow: /\n", dialect=dialect)
    assert policy.decide("/", crawler=stranger(policy)).permitted
    assert "*" in everyone(policy)


def test_names_and_purposes_of_referenced_documents_count() -> None:
    """What a document that the policy refers to says to a crawler it names, for a purpose, is compared."""
    text = "ACAP-crawler: *\nACAP-permissions-reference: /terms.txt\n"
    old, new = (
        parse_robots(text).with_reference("/terms.txt", terms.encode())
        for terms in ("", "ACAP-crawler: refbot\nACAP-usage-purpose: news\nACAP-disallow-crawl: /\n")
    )
    assert {"refbot", "*"} <= set(everyone(old, new))
    changes = compare(parse_robots("ACAP-crawler: *\n"), new, usages=["crawl"]).changes
    assert [(one.crawlers, one.purposes) for one in changes] == [(("refbot",), ("news",))]


def test_a_missing_reference_prohibits() -> None:
    """While a referenced document is missing everything is prohibited, and that is a change."""
    text = "ACAP-crawler: *\nACAP-permissions-reference: /terms.txt\n"
    missing, there = parse_robots(text), parse_robots(text).with_reference("/terms.txt", b"ACAP-crawler: *\n")
    change = only(compare(missing, there, usages=["crawl"]))
    assert (change.before.kind, change.after.outcome) == ("reference-missing", "permitted")
    assert compare(missing, missing.with_reference("/terms.txt", None)).verdict == "equal"


def test_a_policy_that_cannot_be_had_prohibits_and_one_that_is_not_there_permits() -> None:
    """Absent and unreachable policies are compared as they decide."""
    absent, unreachable = RobotsPolicy.absent(None), RobotsPolicy.unreachable(None)
    assert compare(absent, parse_robots("")).verdict == "equal"
    assert compare(unreachable, unreachable).verdict == "equal"
    crawl, others = compare(absent, unreachable).changes
    assert (crawl.before.kind, crawl.after.kind) == ("absent", "unreachable")
    assert (crawl.usages, "/robots.txt" in crawl.paths) == (("crawl",), False)
    assert ("index" in others.usages, "/robots.txt" in others.paths) == (True, True)


def test_a_policy_that_cannot_be_had_refuses_more_than_one_that_refuses_all() -> None:
    """What may always be crawled may be used as well under a policy that was read, and not under one that was not."""
    unreachable, closed = RobotsPolicy.unreachable(None), parse_robots("User-agent: *\nDisallow: /\n")
    assert not unreachable.decide("/robots.txt", crawler="x", usage="index").permitted
    assert closed.decide("/robots.txt", crawler="x", usage="index").permitted
    change = only(compare(unreachable, closed))
    assert "crawl" not in change.usages
    assert all(path in change.paths for path in ("/robots.txt", "/robots.txt?x"))
    assert "/a" not in change.paths


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ("news", "news"),
        ("NEWS", "news"),
        ("http: *", "http: x"),
        ("http://a.b", "http://a.b/"),
        ("* press", "x press"),
        ("é*", "é"),
        ("news$", "news"),
        ("* press$", "x press"),
    ],
)
def test_a_purpose_of_its_own_is_found(written: str, told: str) -> None:
    """A field for a purpose changes what is asked for that purpose, in the form in which purposes are compared."""
    new = f"ACAP-crawler: *\nACAP-usage-purpose: {written}\nACAP-disallow-index: /a\n"
    change = only(of("ACAP-crawler: *\nACAP-allow-index: /\n", "ACAP-crawler: *\nACAP-allow-index: /\n" + new))
    assert change.purposes == (told,)
    assert not parse_robots(new).decide("/a", crawler="x", usage="index", purpose=told).permitted


def test_a_usage_that_only_one_file_knows_is_compared() -> None:
    """A usage of the newer file's own is, to the older, one of those that remain, and prohibits these too."""
    found = of("ACAP-crawler: *\n", "ACAP-crawler: *\nACAP-disallow-print: /\n")
    changed = {usage for change in found.changes for usage in change.usages}
    assert changed >= {"print", "other", "ai-train"}
    assert changed.isdisjoint({"crawl", "follow"})
    assert of("ACAP-crawler: *\nACAP-disallow-other: /\n", "", usages=["other"]).verdict == "different"


def test_a_usage_that_is_defined_in_another_way_is_open() -> None:
    """Pages may name what robots.txt defines (P2 3): of two definitions of a name nobody knows what they change."""
    lines = "ACAP-crawler: *\nACAP-disallow-index: /\nACAP-qualified-usage: q1 "
    old, new = parse_robots(lines + "index\n"), parse_robots(lines + "preserve\n")
    assert compare(old, old).verdict == "equal"
    assert [one.usage for one in compare(old, new).undecided] == ["(q1)"]
    assert compare(old, new, usages=["index"]).verdict == "equal"


def test_a_definition_needs_no_colon() -> None:
    """A definition whose colon was forgotten is one, so that two of them are open as well."""
    lines = "ACAP-crawler: *\nACAP-disallow-index: /\nACAP-qualified-usage q1 "
    old, new = parse_robots(lines + "index\n"), parse_robots(lines + "preserve\n")
    assert compare(old, old).verdict == "equal"
    assert [one.usage for one in compare(old, new).undecided] == ["(q1)"]


def test_definitions_count_as_what_they_stand_for() -> None:
    """Resource sets and usages of the file's own are equal to what they are short for."""
    short = "ACAP-resource-set: s /a /b\nACAP-composite-usage: c index follow\nACAP-crawler: *\n"
    long = "ACAP-crawler: *\n"
    short += "ACAP-disallow-(c): the-acap:resource-set:s\n"
    long += "".join(f"ACAP-disallow-{usage}: {path}\n" for usage in ("index", "follow") for path in ("/a", "/b"))
    assert of(short, long).verdict == "equal"
    assert of(short, long.replace("follow: /b", "follow: /c")).verdict == "different"


def test_a_composite_usage_is_compared_as_its_parts() -> None:
    """`search` changes as index, links and snippets do."""
    new = "ACAP-crawler: *\nACAP-disallow-present-snippet: /\n"
    assert only(of("", new, usages=["search"])).usages == ("present-snippet",)
    assert not set(only(of("", new)).usages) & set(COMPOSITES)


def test_ignoring_conventional_lines_is_a_change() -> None:
    """`ACAP-ignore-conventional-records` beside a permission lets what only they prohibited."""
    acap = "ACAP-crawler: *\nACAP-allow-preserve: /\nACAP-disallow-index: /\n"
    change = only(of(RULES + acap, "ACAP-ignore-conventional-records\n" + RULES + acap, usages=["crawl"]))
    assert (change.before.outcome, change.after.outcome) == ("prohibited", "permitted")


def test_a_take_down_is_a_change_of_one_resource() -> None:
    """A request to take a resource down prohibits its uses and not its crawling (P1 4.5.2.3)."""
    change = only(of("ACAP-crawler: *\n", "ACAP-crawler: *\nACAP-request-take-down: /a\n"))
    assert (change.after.kind, change.witness, "crawl" in change.usages) == ("take-down", "/a", False)
    assert "/ab" not in change.paths


def test_restrictions_are_changes_and_told_with_their_values() -> None:
    """A permission that becomes shorter stays a permission, and changes."""
    change = only(
        of(
            "ACAP-crawler: *\nACAP-allow-present-snippet: / max-length=20-words\n",
            "ACAP-crawler: *\nACAP-allow-present-snippet: / max-length=10-words\n",
        )
    )
    assert (change.before.outcome, change.after.outcome) == ("permitted", "permitted")
    assert (change.before.restrictions, change.after.restrictions) == (
        ("max-length=20-words",),
        ("max-length=10-words",),
    )


def test_resources_that_must_both_be_used_are_told_by_the_paths_on_which_they_must() -> None:
    """A second permission with a resource to be used changes what the first does not decide, as decisions do."""
    old = "ACAP-crawler: *\nACAP-allow-present: /a* must-use-resource=/x\n"
    new = old + "ACAP-allow-present: /*b must-use-resource=/y\n"
    found = of(old, new, usages=["present"])
    for path in ("/", "/a", "/ab", "/b", "/cb"):
        before, after = (parse_robots(text).decide(path, crawler="x", usage="present") for text in (old, new))
        differs = (before.outcome, before.restrictions) != (after.outcome, after.restrictions)
        assert differs == any(path in change.paths for change in found.changes), path


def test_a_time_limit_that_is_over_prohibits_at_its_instant() -> None:
    """What is permitted until a day is equal to a permission before, and a prohibition after."""
    old = "ACAP-crawler: *\nACAP-allow-index: /\n"
    new = "ACAP-crawler: *\nACAP-allow-index: / time-limit=until-2026-11-20\n"
    before, after = (only(of(old, new, usages=["index"], at=at)) for at in (NOON, NOON.replace(day=23)))
    assert (before.after.outcome, after.after.outcome) == ("permitted", "prohibited")


def test_what_a_limit_cut_is_not_called_equal() -> None:
    """Files that differ only where a limit of reading has ended are undecided; one and the same file is equal."""
    head = RULES + "# note\n" * 1_200_000
    found = of(head + "Disallow: /x\n", head + "Disallow: /y\n")
    assert (found.verdict, found.undecided[0].because) == ("undecided", "a limit of reading cut one of the files")
    assert of(head, head).verdict == "equal"
    assert of(head + "Disallow: /x\n", "").verdict == "different"


def test_more_purposes_than_are_told_apart_leave_it_undecided() -> None:
    """Patterns that overlap in too many ways are not called equal."""
    text = "ACAP-crawler: *\n" + "".join(f"ACAP-usage-purpose: *p{number}*\n" for number in range(40))
    text += "ACAP-disallow-index: /\n"
    found = of(text, text.replace("*p0*\n", "*p0*\n# note\n"), usages=["index"])
    assert found.verdict == "undecided"
    assert "purposes" in found.undecided[0].because


@pytest.mark.parametrize(
    "asked",
    [{"usages": ["indx"]}, {"crawlers": [""]}, {"at": datetime(2026, 1, 1)}],  # noqa: DTZ001
)
def test_a_question_that_is_a_mistake_is_refused(asked: dict[str, Any]) -> None:
    """Unknown usages, empty names and instants without time zone are mistakes, not differences."""
    with pytest.raises(ValueError, match=r"\w"):
        compare(parse_robots(RULES), parse_robots(""), **asked)


def test_a_path_is_in_a_set_in_whatever_form_it_is_given() -> None:
    """Sets hold canonical paths; a path is brought into that form first."""
    paths = Paths(("/a*",), (Paths(("/a/b",), (Paths(("/a/b/c",)),)),))
    assert "/%61x" in paths
    assert "/a/b/d" not in paths
    assert "/a/b/c" in paths
    assert str(paths) == "/a* but not (/a/b but not /a/b/c)"


@pytest.mark.parametrize("asked", [["*"], ["bot"], ["bot", "BOT", "*"]])
def test_names_are_told_once_and_as_written(asked: list[str]) -> None:
    """Names given twice, in whatever case, are one."""
    found = of("", "User-agent: *\nDisallow: /\n", crawlers=asked)
    assert only(found).crawlers == tuple(dict.fromkeys(name.lower() for name in asked))


def test_octets_that_are_no_text_are_compared_as_they_are() -> None:
    """Patterns outside UTF-8 are told apart, and their paths can be asked for."""
    old, new = parse_robots(b"User-agent: *\nDisallow: /\xff\n"), parse_robots(b"User-agent: *\nDisallow: /\xfe\n")
    found = compare(old, new)
    assert {change.witness for change in found.changes} == {"/%FF", "/%FE"}
    assert all(change.witness in change.paths for change in found.changes)


def test_ten_thousand_rules_that_all_differ_are_worked_out() -> None:
    """Every one of many plain rules is found to differ; as many in another order are equal."""
    rules = [f"Disallow: /a{number}/\n" for number in range(1_000)]
    old = "User-agent: *\n" + "".join(rules)
    assert of(old, "User-agent: *\n" + "".join(reversed(rules))).verdict == "equal"
    found = of(old, old.replace("/a", "/b"))
    assert len(found.changes) == 2_000
    assert not found.undecided


def test_wildcards_made_to_explode_are_never_called_equal() -> None:
    """Patterns that would take for ever end as undecided, or as a difference that shows."""
    lines = [f"{'Allow' if number % 2 else 'Disallow'}: /" + "*a*b" * (number + 2) for number in range(20)]
    old = "User-agent: *\n" + "\n".join(lines)
    found = of(old, old.replace("*a*b*a", "*b*a*b"))
    assert found.verdict != "equal"
    for change in found.changes:
        assert (change.before.outcome, change.after.outcome) in {
            ("permitted", "prohibited"),
            ("prohibited", "permitted"),
        }
        assert change.witness in change.paths


def test_a_comparison_is_a_value() -> None:
    """The same two policies give the same comparison."""
    assert of(RULES, "", at=NOON) == of(RULES, "", at=NOON)
    assert of(RULES, "", at=NOON)._replace(changes=()).verdict == "equal"
    assert acap.compare is compare


def test_a_set_of_many_paths_is_told_in_few_words() -> None:
    """Of more sets that are not meant than are wanted the number is told, and of sets within them."""
    less = tuple(Paths((f"/{name}",), (Paths((f"/{name}/x",)),)) for name in "abc")
    assert str(Paths(("/",), less)) == "/ but not (/a but not /a/x), (/b but not /b/x), (/c but not /c/x)"
    assert Paths(("/",), less).text(1) == "/ but not (/a but not /a/x) and 2 more"
    assert str(Paths(("/",), (Paths(("/",), (Paths(("/a",)), Paths(("/b$",)))),))) == "only /a, /b$"


def test_files_that_everybody_may_fetch_are_named_where_they_are_meant_alone() -> None:
    """They lie outside of what is excluded, or they are all there is."""
    assert (
        str(only(of("User-agent: *\nDisallow: /a/\n", "User-agent: *\nDisallow: /\n", "auto")).paths) == "/ but not /a/"
    )
    wall, usage = "User-agent: *\nDisallow: /\n", "ACAP-crawler: *\nACAP-disallow-index: /\n"
    told = {str(change.paths) for change in compare(parse_robots(wall), parse_robots(wall + usage)).changes}
    assert told == {"only /robots.txt, /ai.txt, /.well-known/tdmrep.json"}


MANY: dict[str, tuple[str, ...]] = {
    "each crawler its own purpose": (
        "User-agent: *\nDisallow: /x\n" + "".join(f"User-agent: bot{i}\nDisallow: /{i}\n\n" for i in range(200)),
        "ACAP-crawler: *\nACAP-allow-index: /\n"
        + "".join(
            f"ACAP-crawler: bot{i}\nACAP-usage-purpose: p{i}\nACAP-allow-index: /*a*{i} time-limit={i}-days\n"
            f"ACAP-disallow-present: /*{i}*b\n"
            for i in range(200)
        ),
    ),
    "crawlers here, purposes there": (
        "".join(f"ACAP-crawler: b{i}\nACAP-disallow-crawl: /{i}\n" for i in range(80)),
        "".join(f"ACAP-crawler: *\nACAP-usage-purpose: p{i}\nACAP-disallow-present: /{i}\n" for i in range(80)),
    ),
    "more purposes than are told apart by pattern": (
        "ACAP-crawler: *\nACAP-allow-index: /\n",
        "".join(f"ACAP-crawler: *\nACAP-usage-purpose: p{i}\nACAP-disallow-index: /{i}\n" for i in range(400)),
    ),
    "purposes of one record": (
        "ACAP-crawler: *\n" + "".join(f"ACAP-usage-purpose: {i}\nACAP-disallow-index: /{i % 9}\n" for i in range(500)),
        "ACAP-crawler: *\n" + "".join(f"ACAP-usage-purpose: {i}\nACAP-allow-index: /{i % 8}\n" for i in range(500)),
    ),
    "crawlers and purposes of one record": tuple(
        "".join(f"ACAP-crawler: b{i}\n" for i in range(200))
        + "".join(f"ACAP-usage-purpose: http://p/{i}\nACAP-disallow-index: /q{(3 * i + n) % 99}\n" for i in range(200))
        for n in range(2)
    ),
    "rules of one crawler": (
        "User-agent: *\n" + "".join(f"Disallow: /{i}\n" for i in range(1_400)),
        "User-agent: *\n" + "".join(f"Disallow: /{i}/\nAllow: /{i}/a\n" for i in range(800)),
    ),
}
"""Pairs of up to 24 KB with more questions than can be worked out one by one."""


@pytest.mark.parametrize("name", MANY)
def test_questions_that_hear_the_same_are_asked_once(name: str) -> None:
    """Files of up to 24 KB are compared for all of hundreds of crawlers and purposes: nothing is left undecided."""
    one, other = MANY[name]
    found = compare(acap.parse_robots(one), acap.parse_robots(other), seconds=60, steps=PATIENT_STEPS)
    assert found.verdict == "different"
    assert found.undecided == ()


def test_a_comparison_is_over_when_its_time_is() -> None:
    """What there was no time for is undecided, whatever the number of steps."""
    one, other = MANY["each crawler its own purpose"]
    found = of(one, other, seconds=0, steps=PATIENT_STEPS)
    assert found.verdict == "undecided"
    assert [str(open_) for open_ in found.undecided][:1] == ["any question"]
    deep = "User-agent: *\n" + "".join(f"Disallow: /*{'a' * i}*b*{i}*c\n" for i in range(1, 400))
    begun = time.monotonic()
    of(deep, deep.replace("*c", "*d"), seconds=0.5, steps=PATIENT_STEPS)
    assert time.monotonic() - begun < 5


def test_purposes_of_many_wildcards_are_told_apart_in_linear_time() -> None:
    """Each purpose is set against each pattern without going back, and no more of them once the time is over."""
    wild = "*a" * 500
    purposes = "".join(f"ACAP-usage-purpose: {wild}{i}\nACAP-usage-purpose: {'a' * 2_000}{i}\n" for i in range(9))
    one, other = (f"ACAP-crawler: *\n{purposes}ACAP-disallow-index: /{name}\n" for name in "ab")
    assert of(one, other).verdict == "different"
    assert str(of(one, other, seconds=0).undecided[0]) == "any question"


def test_only_so_many_open_questions_are_told() -> None:
    """Of a hundred thousand that are open a thousand are told, and that there are more."""
    purposes = [f"p{number}" for number in range(5_000)]
    policies = [acap.parse_robots(f"ACAP-crawler: *\nACAP-disallow-index: /{name}\n") for name in "ab"]
    found = compare(*policies, crawlers=["a"], purposes=purposes, steps=200)
    assert found.verdict == "undecided"
    assert len(found.undecided) <= 1_002
    assert str(found.undecided[-1]) == "any question"


def test_no_exception_is_told_of_an_exception_that_it_does_not_touch() -> None:
    """Of `/a/` nothing is left out by `Allow: /b/c`, so that it is named beside `/b/` alone."""
    before = parse_robots("User-agent: *\nDisallow: /a/\nDisallow: /b/\nAllow: /b/c\nDisallow: /*.pdf\n")
    change = compare(before, parse_robots("User-agent: *\nDisallow: /\n"), usages=["crawl"]).changes[0]
    assert str(change.paths) == "/ but not /*.pdf, /a/, (/b/ but not /b/c)"
    assert change.paths.excluded(1) == (["/*.pdf"], 2)


def test_a_control_token_is_a_difference_to_its_operators_crawlers() -> None:
    """Google's crawlers are asked about what Google-Extended is refused; where nothing lifts it, nobody else is."""
    old, new = parse_robots("User-agent: *\nAllow: /\n"), parse_robots("User-agent: Google-Extended\nDisallow: /a\n")
    changes = [one for one in compare(old, new).changes if one.crawlers != ("Google-Extended",)]
    assert [(one.crawlers, one.usages, one.before.outcome, one.after.outcome) for one in changes] == [
        (("Googlebot",), ("ai-train", "ai-train-generative", "ai-input"), "permitted", "prohibited"),
    ]
    assert set(everyone(old)) == {"*"}


def test_what_everybody_is_refused_reaches_the_uses_of_an_operator_whose_crawler_may_fetch() -> None:
    """Only Google's training and answers change when a group for `*` is closed beside an open one for Googlebot."""
    group = "User-agent: Googlebot\nAllow: /\n\nUser-agent: *\n"
    old, new = (parse_robots(f"{group}{rule}: /\n") for rule in ("Allow", "Disallow"))
    changed = [one for one in compare(old, new).changes if "Googlebot" in one.crawlers]
    assert [one.usages for one in changed] == [("ai-train", "ai-train-generative", "ai-input")]


def test_signals_by_the_letter_are_compared_as_they_decide() -> None:
    """The longest path selects one line for all names, so a signal of another name lifts the refusal there."""
    lines = "User-agent: *\nContent-Usage: train-ai=n\nContent-Usage: /a search=y\nAllow: /\n"
    careful, strict = (parse_robots(lines, reading=reading) for reading in READINGS)
    (change,) = compare(careful, strict, usages=["ai-train-generative"]).changes
    assert (change.before.outcome, change.after.outcome, change.witness) == ("prohibited", "permitted", "/a")


def test_a_licence_document_carries_policy_too() -> None:
    """Whom a file closes out may fetch it, and that is told apart from what the site's pages are told."""
    old = parse_robots("User-agent: *\nDisallow: /*/talk/*\nDisallow: /cart\n\nUser-agent: x\nDisallow: /\n")
    names = "User-agent: *\nUser-agent: x\nLicense: /license.xml\nDisallow:\n"
    new = parse_robots(old.octets + names.encode())
    found = compare(old, new, usage="crawl", licences=False)
    assert all(change.paths.is_policy for change in found.changes)
    assert {(change.crawlers, str(change.paths)) for change in found.changes} == {
        (("x",), "only /license.xml"),
        (("*",), "/*/talk/* of /license.xml"),
    }
    assert {path for change in found.changes for path in change.paths.policy_resources} == {"/license.xml"}
    training = compare(old, new, crawlers="x", usage="ai-train", licences=False)
    assert {str(change.paths) for change in training.changes} == {
        "only /license.xml",
        "only /robots.txt, /ai.txt, /.well-known/tdmrep.json",
    }


def test_a_path_that_no_line_names_as_a_licence_is_a_page() -> None:
    """`Disallow: /list?` and `Disallow: /list$` look like the patterns of a resource that carries policy."""
    octets = (
        b"User-agent: *\nDisallow: /\nAllow: /list$\nAllow: /list?\nAllow: *.x$\nAllow: /*.y?\nLicense: /license.xml\n"
    )
    [change] = compare(parse_robots(b""), parse_robots(octets), usage="crawl", licences=False).changes
    assert not change.paths.is_policy
    assert "/list" not in change.paths
    assert {"/list$", "/list?"} <= {*change.paths.excluded()[0]}


def test_a_crawler_is_compared_by_the_group_that_it_obeys() -> None:
    """Googlebot-Image hears what changes for Googlebot, where it has no group of its own."""
    old = parse_robots("User-agent: Googlebot\nDisallow: /a\nUser-agent: *\nDisallow: /\n")
    new = parse_robots("User-agent: Googlebot\nDisallow: /\nUser-agent: *\nDisallow: /\n")
    for name in ("Googlebot", "Googlebot-Image"):
        (change,) = compare(old, new, crawlers=[name], usage="crawl").changes
        assert change.after.text == "Disallow: /", name
    assert not compare(old, new, crawlers=["CCBot"], usage="crawl").changes
