"""Drafts: what is read of a robots.txt and written again means the same; what is written is what was meant."""

from __future__ import annotations

import json
import re
import tomllib
from collections import Counter
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx2
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from acap import _native
from acap.explain import USAGES as SENTENCES
from acap.pages.page import parse_page
from acap.publish.compare import compare
from acap.publish.compose import (
    SERVERS,
    Draft,
    DraftError,
    PageRule,
    Record,
    ResourceSet,
    Rule,
    SubRecord,
    added,
    complaints,
    draft_from_json,
    draft_from_robots,
    draft_from_toml,
    draft_to_json,
    draft_to_toml,
    header_snippet,
    header_snippets,
    header_values,
    meta_tags,
    pattern_of,
    preview,
    robots_octets,
    robots_text,
    rule_problem,
    sentence,
    without,
)
from acap.publish.compose.conventional import conventional_lines
from acap.publish.compose.headers import expression
from acap.publish.compose.pages import matches
from acap.publish.compose.preview import BASIC
from acap.publish.compose.text import is_name
from acap.robots import PolicyStatement, RobotsPolicy, parse_robots
from acap.usages import PARENTS
from tests.nginx import Nginx
from tests.vector_files import VECTORS, tables

# A misspelt definition permits nothing and prohibits everything, which no definition of a draft says.
UNDEFINABLE = {
    (
        b"ACAP-resorce-set: news /news/\nACAP-resource-set: news /old/\n"
        b"ACAP-qualified-usge: brief present-snippet max-length=30-words\n"
        b"ACAP-composite-usage: all-of-it preserve (brief)\n"
        b"ACAP-crawler: alpha\nACAP-disallow-index: the-acap:resource-set:news\nACAP-disallow-(brief): /b\n"
        b"ACAP-crawler: beta\nACAP-disallow-(all-of-it): /c\nACAP-crawler: gamma\nACAP-allow-(brief): /d\n"
    )
}


def texts(file: str) -> list[bytes]:
    """Every robots.txt of a file of test vectors that a draft can say."""
    return [text for text in octets_in(file) if not is_refused(text)]


def octets_in(file: str) -> list[bytes]:
    """Every robots.txt of a file of test vectors."""
    found = tables(VECTORS / file).get("policy", [])
    return [one["robots"].encode() for one in found if isinstance(one.get("robots"), str)]


def is_refused(text: bytes) -> bool:
    """Whether no draft can say it; how many of the vectors may be so is a test of its own."""
    try:
        draft_from_robots(text)
    except DraftError:
        return True
    return False


def only_restricts(text: bytes) -> bool:
    """Whether a permission in it lifts nothing as it is read, or a line names nothing, which no draft can say."""
    codes = {problem.code for problem in parse_robots(text).problems}
    return not codes.isdisjoint(
        {"acap-later-version", "acap-nearly-permission", "acap-no-crawler", "acap-empty-purpose"}
    )


# A group is found by the letters of its name: that of `Bot_2.x-y` is heard by `Bot_` too (RFC 9309 2.2.1).
STRICTER = {
    (
        b"ACAP-crawler: MSNPTC/1.0\nACAP-disallow-crawl: /a\nACAP-crawler: Search Bot\nACAP-disallow-crawl: /b\n"
        b"ACAP-crawler: Bot_2.x-y\nACAP-disallow-crawl: /c\n"
    )
}
FILES = [
    name
    for file in VECTORS.rglob("*.toml")
    if not all(map(is_refused, octets_in(name := file.relative_to(VECTORS).as_posix())))
]


def draft(*rules: Rule, crawlers: tuple[str, ...] = ("*",), purposes: tuple[str, ...] = (), **more: Any) -> Draft:
    return Draft(records=(Record(crawlers, (SubRecord(purposes, rules),)),), **more)


def statements(policy: RobotsPolicy) -> Counter[object]:
    """What each ACAP statement that is addressed to somebody says; permissions beside a reference are void."""
    void = {one.line for one in policy.problems if one.code == "acap-permission-beside-reference"}
    return Counter(
        (
            one.cited.effect,
            one.cited.usage,
            one.pattern,
            tuple(sorted(one.restrictions)),
            tuple(sorted(name.lower() for name in one.crawlers)),
            tuple(sorted(one.purposes)),
        )
        for one in policy.statements
        if one.cited.dialect == "acap"
        and one.crawlers
        and is_name(one.cited.usage)
        and not is_turned(one)
        and not (one.cited.line in void and one.cited.effect == "permits")
    )


def is_turned(one: PolicyStatement) -> bool:
    """Whether it is a permission of a usage that nobody knows, which prohibits because nobody can interpret it."""
    permission = re.match(r"acap[^a-z]+allow", one.cited.text, re.IGNORECASE)
    return one.cited.usage not in PARENTS and one.cited.effect == "prohibits" and permission is not None


def conventional(policy: RobotsPolicy) -> list[object]:
    kept = [(one.cited.effect, one.pattern, one.crawlers) for one in policy.statements if one.cited.dialect != "acap"]
    others = [(one.field, one.value, one.group) for one in policy.extensions]
    return [kept, others, policy.ignores_conventional is not None]


# --- reading and writing ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("file", FILES)
def test_a_file_read_and_written_again_says_the_same(file: str) -> None:
    """Every statement stays, and no other comes in; conventional lines and other vocabularies stay as they are."""
    for text in texts(file):
        before = parse_robots(text)
        after = parse_robots(robots_octets(replace(draft_from_robots(text), conventional=False)))
        assert set(statements(after)) == set(statements(before)), text
        assert conventional(after) == conventional(before), text
        written = parse_robots(robots_octets(draft_from_robots(text)))
        compared = compare(before, written)
        # Lines for crawlers that do not read ACAP are heard for control tokens, from which nothing lifts them.
        changes = [change for change in compared.changes if change.after.kind != "control-token"]
        assert {change.after.outcome for change in compared.changes} <= {"prohibited"}, text
        assert compared.verdict in {"equal", "different"}, text
        assert (changes != []) == (text in STRICTER), text
        for who in before.crawlers:
            assert set(after.references(who)) == set(before.references(who)), text
            asked = {(one.action, one.path) for one in before.action_requests(who)}
            assert {(one.action, one.path) for one in after.action_requests(who)} == asked, text


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("ACAP-allow-preserve: / time-limit=7 days", "write `time-limit=7-days`"),
        ("ACAP-allow-preserve: / time-limit = until 2030-01-01", "write `time-limit=until-2030-01-01`"),
        ("ACAP-allow-present: / prohibited-context=within user frame", "write `prohibited-context=within-user-frame`"),
        ("ACAP-allow-present: / max-length=20 Words /b", "write `max-length=20-words`"),
        ("ACAP-disallow-crawl: /my news/", "write `/my%20news/` for one path, or `/my /news/` for two"),
        ("ACAP-allow-crawl: /a /my news/", "write `/my%20news/` for one path, or `/my /news/` for two"),
        ("ACAP-request-take-down: /my news/", "write `/my%20news/` for one path, or `/my /news/` for two"),
    ],
)
def test_a_blank_that_ends_a_value_or_divides_a_path_is_asked_about(line: str, message: str) -> None:
    with pytest.raises(DraftError, match=re.escape(message)) as raised:
        draft_from_robots(f"ACAP-crawler: *\n{line}\n".encode())
    assert raised.value.origin == "line 2"


def test_blanks_that_divide_whole_paths_are_no_matter() -> None:
    """The reader and the author mean the same; a relative path by itself is one too."""
    found = draft_from_robots(b"ACAP-crawler: *\nACAP-disallow-crawl: /a /b\nACAP-disallow-index: news/\n")
    assert [rule.resources for _, _, rule in found.rules()] == [("/a", "/b"), ("/news/",)]


@pytest.mark.parametrize("file", FILES)
def test_what_was_written_is_read_as_the_draft_that_it_was(file: str) -> None:
    """Our own comments and lines for other crawlers are not kept beside those that are written anew."""
    for given_text in texts(file):
        text = robots_text(draft_from_robots(given_text))
        assert robots_text(draft_from_robots(text.encode("utf-8", "surrogateescape"))) == text


@pytest.mark.parametrize("file", FILES)
def test_a_draft_survives_json(file: str) -> None:
    """What the form of the workshop gets and gives back is the same draft."""
    for text in texts(file):
        found = draft_from_robots(text)
        assert draft_from_json(json.loads(json.dumps(draft_to_json(found)))) == found


def test_names_and_comments_of_the_author_stay() -> None:
    """Resource sets, local usages, patterns as written and comments outlive the round."""
    text = """\
# Ours

User-agent: *
Disallow: /tmp/ # scratch

##ACAP version=1.1
# pictures
ACAP-resource-set: images /*.gif$ /Bilder/größe/
ACAP-qualified-usage: short preserve time-limit=7-days

# the press
ACAP-crawler: PressBot
ACAP-allow-(short): the-acap:resource-set:images # by contract
"""
    found = draft_from_robots(text.encode())
    assert found.kept == "# Ours\n\nUser-agent: *\nDisallow: /tmp/ # scratch\n"
    (record,) = found.records
    (rule,) = record.rules
    assert (rule.usage, rule.resources) == ("(short)", ("the-acap:resource-set:images",))
    written = robots_text(found)
    for line in ("# pictures", "# the press", "# by contract", "ACAP-resource-set: images /*.gif$ /Bilder/größe/"):
        assert line in written.splitlines()


def test_a_line_that_is_read_otherwise_is_written_as_it_is_read() -> None:
    """A permission that nobody can interpret prohibits, and so it stands as the prohibition that it is."""
    found = draft_from_robots(b"ACAP-crawler: *\nACAP-allow-index: /a time-limit=soon\nACAP-allow preserve: /b\n")
    assert [(rule.permits, rule.usage, rule.resources) for _, _, rule in found.rules()] == [
        (False, "index", ("/a",)),
        (True, "preserve", ("/b",)),
    ]
    assert complaints(found) == ()


def test_a_file_that_a_limit_cut_is_refused() -> None:
    """Nobody could tell what its end would have said."""
    with pytest.raises(DraftError, match="only part of it is read"):
        draft_from_robots(b"ACAP-crawler: *\nACAP-disallow-crawl: /\n" + b"# long\n" * 1_300_000)


@pytest.mark.parametrize(
    "line", ["ACAP-allow-index: /a/b must-use-resource=the-acap:idlist:one", "ACAP-alow-index: /a/b"]
)
def test_a_permission_that_lifts_nothing_is_refused(line: str) -> None:
    """Written again it would lift what it does not lift now."""
    text = f"##ACAP version=1.0\nACAP-crawler: *\nACAP-disallow-index: /a\n{line}\n".encode()
    assert only_restricts(text)
    with pytest.raises(DraftError, match="line 4: the permission has no effect as it stands"):
        draft_from_robots(text)


@pytest.mark.parametrize("line", ['ACAP-crawler: "bot"', "ACAP-crawler:", "ACAP-usage-purpose:"])
def test_a_line_that_does_not_tell_whom_or_what_others_are_for_is_refused(line: str) -> None:
    """Written again what is below it would be for somebody, and permit."""
    text = f"ACAP-crawler: *\nACAP-disallow-index: /\n{line}\nACAP-allow-index: /a\n".encode()
    assert only_restricts(text)
    with pytest.raises(DraftError, match="line 3: it is unclear which crawlers or purposes"):
        draft_from_robots(text)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("ACAP-crawler: *\nACAP-allow-index: /a charge=5-euros\nACAP-allow-index: /a/b\n", 2),
        ("ACAP-crawler: *\nACAP-allow-index: /a\nACAP-disallow-index: the-acap:resource-set:none\n", 3),
    ],
)
def test_a_doubt_that_a_permission_would_lift_in_a_draft_is_refused(text: str, line: int) -> None:
    """What stands for a doubt is lifted by nothing, and no field of a draft is so firm."""
    with pytest.raises(DraftError, match=f"line {line}: no permission overrides the doubtful prohibition in this line"):
        draft_from_robots(text.encode())


def test_few_vectors_are_refused() -> None:
    """What no draft can say has a doubt in it, or a definition that nothing uses; all others become drafts."""
    found = [
        one["robots"].encode()
        for file in VECTORS.rglob("*.toml")
        for one in tomllib.loads(file.read_text(encoding="utf-8")).get("policy", [])
        if isinstance(one.get("robots"), str)
    ]
    refused = [text for text in found if is_refused(text)]
    assert all(parse_robots(text).problems or b"-usage:" in text for text in refused)
    assert len(refused) < len(found) / 8


@pytest.mark.parametrize("text", sorted(UNDEFINABLE))
def test_a_misspelt_definition_is_refused(text: bytes) -> None:
    """A draft without it would say less of the pages that name it, and of the composite usages that it is a part of."""
    with pytest.raises(DraftError, match="line 3: a draft cannot express how the definition of `brief` is read"):
        draft_from_robots(text)


DEFINITIONS = (
    "ACAP-qualified-usage: brief present-snippet max-length=30-words",
    "ACAP-qualified-usge: brief present-snippet max-length=30-words",
    "ACAP qualified usage brief present-snippets max-length=soon",
    "ACAP-qualified-usage: Brief present used-resource=stored-copy context=within-frame # older words",
    "ACAP-qualified-usage: brief present-snippet nonsense=1",
    "ACAP-qualified-usage: brief hold",
    "ACAP-composite-usage: all preserve (brief)",
    "ACAP-composite-usage: all (other-one) (brief)",
    "ACAP-composit-usage: all preserve index",
    "ACAP-qualified-usage: other-one preserve time-limit=7-days",
)


@given(st.lists(st.sampled_from(DEFINITIONS), max_size=4))
def test_a_draft_says_of_every_name_what_the_file_says(lines: list[str]) -> None:
    """Pages may name what only robots.txt defines: no definition is lost on the way, or the file is refused."""
    text = "".join(f"{line}\n" for line in (*lines, "ACAP-crawler: *", "ACAP-disallow-crawl: /a/")).encode()
    found = None
    with suppress(DraftError):
        found = draft_from_robots(text)
    if found is None:
        assert any("usge" in line or "composit-" in line for line in lines)
        return
    asked = [(name, permits) for name in ("brief", "all", "other-one") for permits in (True, False)]
    again = draft_from_toml(tomllib.loads(draft_to_toml(found))["policy"], strict=False)
    for draft in (found, again):
        assert parse_robots(robots_octets(draft))._locals(asked) == parse_robots(text)._locals(asked)


def test_a_reference_to_nothing_is_refused() -> None:
    """It prohibits everything, and no draft can say so."""
    with pytest.raises(DraftError, match="line 2: the line refers to nothing"):
        draft_from_robots(b"ACAP-crawler: *\nACAP-permissions-reference:\nACAP-allow-crawl: /\n")


def test_octets_that_are_no_utf_8_stay_as_they_are() -> None:
    """Conventional lines are kept octet by octet; a table of TOML cannot hold them and says so."""
    found = draft_from_robots(b"User-agent: *\nDisallow: /\xe9t\xe9/\n")
    assert b"Disallow: /\xe9t\xe9/\n" in robots_octets(found)
    with pytest.raises(DraftError, match="not UTF-8"):
        draft_to_toml(found)


PIECES = st.text(st.sampled_from("/a*$#%= \t\n\r:;,()\"'\\é<>{}|.-_\x00\x85\u2028"), max_size=12)


@given(PIECES, PIECES, PIECES, PIECES)
def test_whatever_is_written_is_read_as_it_was_meant(pattern: str, value: str, purpose: str, note: str) -> None:
    """No text of a draft can begin a line, a field or a comment of its own; what cannot be written is refused."""
    rule = Rule(True, "index", (pattern, "/z"), (("must-use-resource", f"/{value}"),), (note,))
    made = draft(rule, Rule(False, "crawl", ("/",)), purposes=(purpose,), comments=False, conventional=False)
    try:
        octets = robots_octets(made)
    except DraftError:
        return
    policy = parse_robots(octets)
    assert [line.kind for line in policy.lines if line.kind not in ("blank", "comment")] == ["##ACAP", *["ACAP"] * 5]
    assert policy.purposes == (purpose.strip(),)
    found = [(one.cited.effect, one.cited.usage) for one in policy.statements]
    assume(not any(one.code == "acap-bad-value" for one in policy.problems))
    assert found == [("permits", "index"), ("permits", "index"), ("prohibits", "crawl")]
    ((_, said),) = policy.statements[0].restrictions
    plain = re.sub("%[xX]([0-9A-Fa-f]{4})", lambda code: chr(int(code[1], 16)), said)
    assert re.sub(r",\s+", ",", plain) == re.sub(r",\s+", ",", f"/{value}") or "%x" in value


@pytest.mark.parametrize(
    ("made", "message"),
    [
        (draft(Rule(True, "index"), crawlers=("two names",)), "not a valid name of a crawler"),
        (draft(Rule(True, "index"), crawlers=()), "a record addresses no crawler"),
        (draft(Rule(True, "in dex")), "not a valid name of a usage"),
        (draft(Rule(True, "(a) /\nACAP-allow-crawl: /")), "not a valid name of a usage"),
        (draft(Rule(False, "index", ("/",), (("time-limit", "7-days"),))), "a prohibition has no restrictions"),
        (draft(Rule(True, "index", ())), "names no resource"),
        (draft(Rule(True, "index"), purposes=("news # x",)), "not a valid purpose"),
        (draft(Rule(True, "index"), version="one"), "not a version"),
        (draft(Rule(True, "index"), kept="User-agent: *\nACAP-allow-crawl: /\n"), "is an ACAP field"),
        (draft(Rule(True, "index"), sitemaps=("https://a/ b",)), "URL of a sitemap"),
    ],
)
def test_what_cannot_be_written_is_refused(made: Draft, message: str) -> None:
    """Where the grammar has no escape there is a message in place of a text."""
    with pytest.raises(DraftError, match=message):
        robots_text(made)


def test_the_version_is_what_the_features_need() -> None:
    """A new policy is of version 1.1; one that is asked for stands, unless a feature needs a later one."""
    sets = Rule(True, "index", ("/",), (("must-use-resource", "the-acap:idlist:a, b"),))
    assert robots_text(draft(Rule(True, "index"))).startswith("##ACAP version=1.1\n")
    assert robots_text(draft(Rule(True, "index"), version="1.0")).startswith("##ACAP version=1.0\n")
    assert robots_text(draft(sets, version="1.0")).startswith("##ACAP version=1.1\n")
    assert robots_text(draft(Rule(True, "index"), version="1.1")).startswith("##ACAP version=1.1\n")
    assert complaints(draft(sets)) == ()


def test_a_complaint_names_its_place() -> None:
    """What the reader finds wrong is told of the rule, not of a line that nobody has seen yet."""
    wrong = Rule(True, "index", ("/",), (("time-limit", "soon"),), origin="policy.record[0].permit[0]")
    (complaint,) = complaints(draft(Rule(False, "crawl", ("/x",)), wrong))
    assert (complaint.origin, complaint.problem.code) == ("policy.record[0].permit[0]", "acap-bad-value")
    assert rule_problem(Draft(), wrong) is not None
    assert rule_problem(Draft(), replace(wrong, restrictions=(("time-limit", "7-days"),))) is None


def test_comments_say_what_each_record_does_in_plain_words() -> None:
    """They can be left out, and say the limits too."""
    made = draft(
        Rule(True, "index", ("/news/",), (("time-limit", "until-2027-03-01"),)),
        Rule(False, "present-snippet"),
        crawlers=("ABot", "BBot"),
        purposes=("news.*",),
    )
    assert robots_text(made).splitlines()[1:4] == [
        "# ABot and BBot, for news.*:",
        "#   may index /news/, until 1 March 2027",
        "#   must not present snippets of anything",
    ]
    assert "# " not in robots_text(replace(made, comments=False))


@pytest.mark.parametrize("usage", PARENTS)
def test_every_usage_has_a_sentence(usage: str) -> None:
    """Plain words for each usage, for what may and must not be done."""
    assert usage in SENTENCES
    assert sentence(Rule(True, usage)).startswith("may ")
    assert sentence(Rule(False, usage)).startswith("must not ")


def test_rules_come_to_the_record_of_the_same_crawlers() -> None:
    """So there is one record for any crawler (P1 4.2), and a rule stands once."""
    made = added(Draft(), ("*",), (), (Rule(False, "crawl", ("/a/",)),))
    made = added(made, ("*",), (), (Rule(False, "crawl", ("/a/",)), Rule(True, "index")))
    made = added(made, ("*",), ("news",), (Rule(True, "crawl"),))
    made = added(made, ("Bot",), (), (Rule(True, "crawl"),))
    assert [[len(part.rules) for part in record.sub_records] for record in made.records] == [[2, 1], [1]]
    assert [rule.usage for _, _, rule in without(made, [0, 3]).rules()] == ["index", "crawl"]
    assert len(without(made, [0, 3]).records) == 1


@pytest.mark.parametrize(
    ("kind", "text", "pattern"),
    [
        ("directory", "news", "/news/"),
        ("directory", "https://example.com/news", "/news/"),
        ("page", "/index.html", "/index.html$"),
        ("kind", ".pdf", "/*.pdf$"),
        ("kind", "*.pdf$", "/*.pdf$"),
        ("pattern", "/a*b$", "/a*b$"),
    ],
)
def test_a_part_of_the_site_becomes_a_pattern(kind: str, text: str, pattern: str) -> None:
    """Who names a directory, a page or a kind of file need not know what `*` and `$` are."""
    assert pattern_of(kind, text) == pattern


# --- lines for crawlers that do not read ACAP -------------------------------------------------------------------------

PATTERNS = st.sampled_from(["/", "/a", "/a/", "/a/b", "/*.b$", "*b", "/a*b", "/a$", "/ab", "*/a"])
RULES = st.lists(st.builds(Rule, st.booleans(), st.just("crawl"), st.tuples(PATTERNS)), min_size=1, max_size=4)
PATHS = ["/", "/a", "/a/", "/a/b", "/ab", "/b", "/c.b", "/a/c.b", "/aab", "/x/a", "/abx", "/a/bx"]


@given(RULES, RULES)
def test_lines_for_other_crawlers_never_permit_what_is_prohibited(anyone: list[Rule], named: list[Rule]) -> None:
    """A crawler that reads the conventional lines alone may crawl nothing that ACAP would refuse it."""
    made = Draft(
        records=(Record(("*",), (SubRecord((), tuple(anyone)),)), Record(("Bot",), (SubRecord((), tuple(named)),)))
    )
    acap = robots_text(replace(made, conventional=False))
    lines, _ = conventional_lines(acap)
    plain, ours = parse_robots("\n".join(lines), dialect="rfc9309"), parse_robots(acap)
    for path in PATHS:
        for who in ("Bot", "Other"):
            if plain.decide(path, crawler=who).permitted:
                assert ours.decide(path, crawler=who).permitted, (path, who, acap, lines)


@given(RULES, RULES)
def test_lines_for_other_crawlers_change_nothing_for_those_that_read_acap(
    anyone: list[Rule], named: list[Rule]
) -> None:
    """Where they would, crawlers that read ACAP are told to ignore them (G 2.1.3); control tokens hear them besides."""
    made = Draft(
        records=(Record(("*",), (SubRecord((), tuple(anyone)),)), Record(("Bot",), (SubRecord((), tuple(named)),)))
    )
    bare, whole = parse_robots(robots_text(replace(made, conventional=False))), parse_robots(robots_text(made))
    compared = compare(bare, whole)
    assert compared.verdict in {"equal", "different"}
    assert {(one.after.kind, one.after.outcome) for one in compared.changes} <= {("control-token", "prohibited")}


def test_crawlers_that_read_acap_are_told_to_ignore_only_what_is_stricter() -> None:
    """Where both say the same, nothing is to be ignored."""
    same = draft(Rule(False, "crawl"), Rule(True, "crawl", ("/public/",)))
    assert "ACAP-ignore-conventional-records" not in robots_text(same)
    assert "Allow: /public/" in robots_text(same)
    # `/*.html$` and `/a/` overlap: ACAP compares them by its rule, conventional lines by their length.
    stricter = Draft(
        records=(
            Record(("*",), (SubRecord((), (Rule(False, "crawl"), Rule(True, "crawl", ("/a/",)))),)),
            Record(("Bot",), (SubRecord((), (Rule(False, "crawl", ("*b",)),)),)),
        )
    )
    assert "ACAP-ignore-conventional-records" in robots_text(stricter)


def test_a_policy_that_prohibits_no_crawling_has_no_lines_for_other_crawlers() -> None:
    """They could say nothing of it."""
    assert "User-agent" not in robots_text(draft(Rule(False, "index"), Rule(True, "crawl")))
    assert "User-agent" not in robots_text(draft(Rule(False, "crawl"), purposes=("news",)))
    assert "Disallow: /" in robots_text(draft(Rule(False, "crawl")))


def test_conventional_lines_that_were_there_stay_alone() -> None:
    """Nothing is written beside the author's own groups."""
    kept = "User-agent: *\nDisallow: /old/\n"
    text = robots_text(draft(Rule(False, "crawl", ("/a/",)), kept=kept))
    assert text.count("User-agent") == 1
    assert "Disallow: /a/" not in text


# --- the preview ------------------------------------------------------------------------------------------------------


def test_a_preview_is_what_the_engine_decides_of_the_text() -> None:
    """Outcome, restrictions and the line that decides; `*` is a crawler that nothing names."""
    made = draft(Rule(True, "index", ("/news/",), (("time-limit", "7-days"),)), Rule(False, "crawl", ("/x/",)))
    rows = preview(replace(made, samples=("/news/a", "/x/y")), usages=["crawl", "index"])
    assert [(row.url, row.crawler, row.usage, row.outcome, row.restrictions) for row in rows] == [
        ("/news/a", "*", "crawl", "permitted", ()),
        ("/news/a", "*", "index", "permitted", ("time-limit=7-days",)),
        ("/x/y", "*", "crawl", "prohibited", ()),
        ("/x/y", "*", "index", "prohibited", ()),
    ]
    assert "ACAP-allow-index: /news/ time-limit=7-days" in rows[1].why


def test_a_preview_shows_every_usage_that_the_draft_names() -> None:
    """Who must not train is told so without asking for it; a usage that the draft defines cannot be asked about."""
    text = b"ACAP-qualified-usage: short present max-length=9-chars\nACAP-crawler: *\nACAP-disallow-ai-train: /\n"
    rows = preview(draft_from_robots(text + b"ACAP-allow-(short): /\n"))
    assert [row.usage for row in rows] == [*BASIC, "ai-train"]
    assert rows[-1].outcome == "prohibited"


@pytest.mark.parametrize("pattern", ["/news /a", "news a.html", "/a\tb"])
def test_a_blank_in_a_path_is_asked_about(pattern: str) -> None:
    """Two paths in one entry are not one path; whoever means a blank writes it as URLs have it."""
    record = Record(("*",), (SubRecord((), (Rule(False, "crawl", (pattern,)),)),))
    with pytest.raises(DraftError, match="has a blank; write each path by itself, and `%20` for a blank"):
        robots_octets(Draft(records=(record,)))
    assert rule_problem(Draft(), Rule(False, "crawl", (pattern,))) is not None
    assert rule_problem(Draft(), Rule(False, "crawl", ("/a%20b",))) is None


def test_a_preview_hears_what_pages_will_say() -> None:
    """Page rules count for the URLs of their pattern."""
    made = Draft(pages=(PageRule("/drafts/", words=("noindex",)),))
    rows = preview(made, ["/drafts/a", "/b"], usages=["index"])
    assert [row.outcome for row in rows] == ["prohibited", "permitted"]


# --- pages ------------------------------------------------------------------------------------------------------------


def test_tags_are_those_of_the_rules_that_match() -> None:
    """Conventional words and ACAP, for any crawler or one."""
    made = Draft(
        pages=(
            PageRule("/a/", words=("noarchive", "max-snippet:20")),
            PageRule("/a/b", ("ABot",), (Rule(False, "present-link", ()),)),
            PageRule("/c", words=("noindex",)),
        )
    )
    assert meta_tags(made, "https://example.com/a/b?x") == (
        '<meta name="robots" content="noarchive, max-snippet:20">',
        '<meta name="ABot" content="ACAP disallow-present-link">',
    )


def test_a_header_says_what_the_rules_say_or_nothing() -> None:
    """ACAP's usages become words where a word means just them; else the nearest is named."""
    both = PageRule("/", rules=(Rule(False, "index", ()), Rule(False, "present", ())))
    assert header_values(both) == ("noindex",)
    assert header_values(replace(both, crawlers=("ABot", "BBot"))) == ("ABot: noindex", "BBot: noindex")
    with pytest.raises(DraftError, match="`noindex` also prohibits present"):
        header_values(PageRule("/", rules=(Rule(False, "index", ()),)))
    with pytest.raises(DraftError, match="say it in META tags"):
        header_values(PageRule("/", rules=(Rule(False, "preserve", ()),)))


TARGETS = st.text(st.sampled_from("/ab.*$?=&%2AaF+~'()\";{}|^`\\<>é"), max_size=10).map(lambda text: f"/{text}")


def target(url: str) -> str:
    """A URL's path and query as clients send it: what may not stand in a URL is escaped."""
    return re.sub(r"[^!#$&-;=?-Z_a-z~%]", lambda found: "".join(f"%{one:02X}" for one in found[0].encode()), url)


@given(TARGETS, TARGETS, st.booleans())
def test_an_expression_matches_what_the_pattern_matches(pattern: str, url: str, own: bool) -> None:
    """On every target in the form that clients send, for any pattern."""
    asked = target(pattern.replace("*", "xy").rstrip("$") if own else url)
    # `%61` for `a` is the same to the reader, and clients do not send it.
    assume(
        _native.canonical_path(asked.encode()).decode().lower() == asked.lower().replace("$", "%24").replace("*", "%2a")
    )
    assert bool(re.match(expression(pattern), asked)) == matches(pattern, asked)


HOSTILE = [
    '/"; } location / { return 500; } #',
    "/$request_uri${x}",
    "/a b\\",
    "/`{env.SECRET}`",
    "/\n</If>\nErrorDocument 404 x",
    "/%{HTTP_HOST}#=~ m",
    '/\'"\\"',
    "/(a+)+$",
    "/é|ü^",
]


@pytest.mark.parametrize("server", SERVERS)
@pytest.mark.parametrize("pattern", HOSTILE)
def test_no_pattern_gets_out_of_its_string(server: str, pattern: str) -> None:
    """In the configuration a pattern is letters, digits, `/_~-`, escapes of octets, and the expression's own marks."""
    plain = header_snippet(server, Draft(pages=(PageRule("/x", words=("noindex",)),)))
    hostile = header_snippet(server, Draft(pages=(PageRule(pattern, words=("noindex",)),)))
    own = expression(
        pattern, end=" " if server == "apache" else "$", any_octets="[^ ]*" if server == "apache" else ".*"
    )
    assert re.fullmatch(
        r"(?:[A-Za-z0-9/_~%-]|\\x[0-9a-f]{2}|\\\.|\.\*|\[\^ \]\*|\(\?:|[|)]|\[[A-F][a-f]\]|[ $]$)*", own
    )
    if server != "apache":
        assert hostile.replace(own, "/x") == plain


@pytest.mark.parametrize("name", ["a b", "x, noindex", "", 'a"b', "a:b"])
def test_no_name_of_a_crawler_gets_into_a_tag_or_header_as_something_else(name: str) -> None:
    """It is refused where it is no name."""
    made = Draft(pages=(PageRule("/", (name,), words=("noindex",)),))
    for write in (lambda: header_snippet("nginx", made), lambda: meta_tags(made, "/")):
        with pytest.raises(DraftError, match="not a valid name of a crawler"):
            write()


@pytest.mark.parametrize("value", ['noindex" always; }', "max-snippet:20\r\nX: y", "noindex $http_cookie", "{env.X}"])
def test_no_word_gets_out_of_its_header(value: str) -> None:
    """What is no word of a header is refused, before any server sees it."""
    with pytest.raises(DraftError, match="cannot be sent"):
        header_snippet("nginx", Draft(pages=(PageRule("/", words=(value,)),)))


def test_an_unknown_server_is_refused() -> None:
    """With the names of those that are known."""
    with pytest.raises(DraftError, match="nginx, apache, caddy"):
        header_snippets("iis", Draft())
    assert header_snippets("caddy", Draft()) == ()


PAGES = (
    PageRule("/drafts/", words=("noindex", "noarchive")),
    PageRule("/*.txt$", ("ABot",), words=("nosnippet",)),
    PageRule('/q?a=*{"$', words=("nofollow",)),
    *(PageRule(pattern, words=("noai",)) for pattern in HOSTILE),
)


def test_nginx_sends_the_headers_where_the_patterns_match_and_nowhere_else(tmp_path: Path) -> None:
    """A real nginx takes the configuration, hostile patterns too, and says what the page rules say."""
    made = Draft(pages=PAGES)
    (tmp_path / "drafts").mkdir()
    for name in ("drafts/a.html", "drafts/b.txt", "index.html", "q"):
        (tmp_path / name).write_text("x", encoding="utf-8")
    http, server = header_snippets("nginx", made)
    with Nginx(tmp_path, http=http.text, server=server.text) as nginx, httpx2.Client() as client:
        for asked in (
            "/",
            "/drafts/a.html",
            "/drafts/b.txt",
            "/drafts/b.txt?x",
            "/drafts/none",
            "/q?a=1%7b%22",
            "/q?a",
        ):
            got = client.get(nginx.url(asked)).headers.get_list("x-robots-tag")
            meant = [value for page in PAGES if matches(page.pattern, asked) for value in header_values(page)]
            assert got == meant, asked


APACHE = re.compile(
    r"# Apache: [^\n]*\n"
    r'(?:(?:<LocationMatch "\^[^"\n]*">\n(?: +Header always add X-Robots-Tag "[^"\n]*"\n)+</LocationMatch>\n)'
    r'|(?:<If "%\{THE_REQUEST\} =~ m#\^\[A-Z\]\+ [^"#\n]*#">\n'
    r'(?: +Header always add X-Robots-Tag "[^"\n]*"\n)+</If>\n))+'
)
CADDY = re.compile(
    r"# Caddy: [^\n]*\n"
    r'(?:@acap_\d+ vars_regexp \{http\.request\.orig_uri\} "\^[^"{}`\n]*"\n'
    r'(?:header @acap_\d+ \+X-Robots-Tag "[^"{}\n]*"\n)+)+'
)


@pytest.mark.parametrize(("server", "grammar"), [("apache", APACHE), ("caddy", CADDY)])
def test_other_servers_get_the_directives_of_their_grammar(server: str, grammar: re.Pattern[str]) -> None:
    """No such server is run here: each directive has the form that its manual gives."""
    assert grammar.fullmatch(header_snippet(server, Draft(pages=PAGES)))


def test_what_apache_matches_in_the_request_line_is_what_the_pattern_matches() -> None:
    """The expression is held against the whole request line, so that `$` ends where the target ends."""
    snippet = header_snippet("apache", Draft(pages=(PageRule("/*.pdf$", words=("noindex",)),)))
    found = re.search(r"m#(.*)#", snippet)
    assert found is not None
    for asked in ("/a.pdf", "/a.pdf?x", "/b/c.pdf", "/a.pdfx"):
        assert bool(re.search(found[1], f"GET {asked} HTTP/1.1")) == matches("/*.pdf$", asked)


# --- the table --------------------------------------------------------------------------------------------------------

TABLE = """
[policy]
version = "1.1"
ignore-conventional = true
conventional = false
comments = false
server = "caddy"
sitemaps = ["https://example.com/sitemap.xml"]
samples = ["/", "/news/a.html"]
lines = '''
User-agent: oldbot
Disallow: /
'''

[policy.resource-sets]
images = ["/*.png$", "/*.jpg$"]

[policy.usages]
short = { usage = "preserve", time-limit = "7-days" }
found = ["index", "present-link"]

[[policy.record]]
crawlers = ["*"]
comment = "all of them"
permit = [
  { usage = ["index", "(short)"], resources = ["/news/"], sets = ["images"], comment = "for now" },
  { usage = "present", prohibited-modification = ["format", "style"] },
]
prohibit = ["crawl"]
take-down = ["/mistake.html"]
re-crawl = ["/new.html"]

[[policy.record]]
crawlers = ["*"]
purposes = ["news.*"]
permit = [{ usage = "crawl" }]

[[policy.record]]
crawlers = ["refbot"]
reference = "/terms.txt"

[[policy.page]]
pattern = "/drafts/*.pdf$"
crawlers = ["ABot"]
words = ["noindex"]
prohibit = ["present-link"]
samples = ["/drafts/a.pdf"]
"""


def table(text: str) -> Draft:
    return draft_from_toml(tomllib.loads(text)["policy"])


def test_every_key_of_the_table_counts() -> None:
    """The text holds what each of them says, and the reader finds nothing wrong with it."""
    made = table(TABLE)
    assert complaints(made) == ()
    assert (
        robots_text(made)
        == """\
##ACAP version=1.1
User-agent: oldbot
Disallow: /

Sitemap: https://example.com/sitemap.xml

ACAP-ignore-conventional-records

ACAP-resource-set: images /*.png$ /*.jpg$
ACAP-qualified-usage: short preserve time-limit=7-days
ACAP-composite-usage: found index present-link

# all of them
ACAP-crawler: *
ACAP-request-take-down: /mistake.html
ACAP-request-re-crawl: /new.html
# for now
ACAP-allow-index: /news/
ACAP-allow-index: the-acap:resource-set:images
ACAP-allow-(short): /news/
ACAP-allow-(short): the-acap:resource-set:images
ACAP-allow-present: / prohibited-modification=format prohibited-modification=style
ACAP-disallow-crawl: /
ACAP-usage-purpose: news.*
ACAP-allow-crawl: /

ACAP-crawler: refbot
ACAP-permissions-reference: /terms.txt
"""
    )
    assert (made.server, made.samples, made.pages[0].samples) == ("caddy", ("/", "/news/a.html"), ("/drafts/a.pdf",))


def test_a_draft_written_as_a_table_is_the_same_draft() -> None:
    """Every key is written as it is read."""
    made = table(TABLE)
    assert table(draft_to_toml(made)) == made


@pytest.mark.parametrize("file", FILES)
def test_a_file_becomes_a_table_that_says_the_same(file: str) -> None:
    """So a site can begin to keep its policy in version control with the file that it has."""
    for text in texts(file):
        found = replace(draft_from_robots(text), conventional=False)
        again = draft_from_toml(tomllib.loads(draft_to_toml(found))["policy"], strict=False)
        assert statements(parse_robots(robots_text(again))) == statements(parse_robots(robots_text(found))), text
        assert conventional(parse_robots(robots_text(again))) == conventional(parse_robots(robots_text(found))), text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("policy = 1", "policy: this is not a table"),
        ("[policy]\nrecords = []", "policy: unknown key `records`; did you mean `record`?"),
        ("[policy]\nserver = 'iis'", "policy.server: unknown server `iis`"),
        ("[policy]\nsitemaps = 'x'", "policy.sitemaps: this is not a list of texts"),
        ("[policy]\ncomments = 'no'", "policy.comments: this is neither true nor false"),
        ("[policy]\nversion = 1.1", "policy.version: this is not a text"),
        ("[policy]\nlines = 'ACAP-crawler: *'", "policy.lines: `ACAP-crawler: \\*` is an ACAP field"),
        ("[policy.record]\ncrawlers = ['*']", "policy.record: this is not a list of tables"),
        ("[[policy.record]]\npermit = ['index']", r"policy.record\[0\]: the key `crawlers` is missing"),
        ("[[policy.record]]\ncrawlers = ['*']", r"policy.record\[0\]: the record says nothing"),
        ("[[policy.record]]\ncrawlers = ['*']\npermit = 'index'", r"record\[0\].permit: this is not a list"),
        (
            "[[policy.record]]\ncrawlers = ['a b']\npermit = ['index']",
            r"record\[0\]\.crawlers\[0\]: `a b` is not a valid name of a crawler",
        ),
        (
            "[[policy.record]]\ncrawlers = ['*']\npermit = [{ usage = 'index', timelimit = '7-days' }]",
            r"record\[0\].permit\[0\]: unknown key `timelimit`; did you mean `time-limit`?",
        ),
        (
            "[[policy.record]]\ncrawlers = ['*']\npermit = [{ usage = 'index', time-limit = 'until-2009-02-30' }]",
            r"record\[0\].permit\[0\]: `until-2009-02-30` is not a valid value of `time-limit`",
        ),
        (
            "[[policy.record]]\ncrawlers = ['*']\nprohibit = [{ usage = 'index', time-limit = '7-days' }]",
            r"record\[0\].prohibit\[0\]: a prohibition has no restrictions",
        ),
        (
            "[[policy.record]]\ncrawlers = ['*']\npermit = [{ usage = 'index', resources = ['news/'] }]",
            r"record\[0\].permit\[0\]: `news/` is not a pattern",
        ),
        (
            "[[policy.record]]\ncrawlers = ['*']\npermit = [{ usage = 'indx' }]",
            r"record\[0\].permit\[0\]: `ACAP-allow-indx` is misspelt, so it permits nothing",
        ),
        (
            "[[policy.record]]\ncrawlers = ['*']\npermit = [{ usage = 'index', sets = ['images'] }]",
            r"record\[0\].permit\[0\]: the resource set `images` is not defined",
        ),
        (
            "[[policy.record]]\ncrawlers = ['*']\npermit = ['(short)']",
            r"record\[0\].permit\[0\]: the usage `\(short\)` is not defined",
        ),
        (
            "[[policy.record]]\ncrawlers = ['*']\nreference = '/x'\npermit = ['index']",
            r"record\[0\]: a record with a reference permits nothing itself",
        ),
        ("[policy.usages]\nshort = { time-limit = '7-days' }", "policy.usages.short: the key `usage` is missing"),
        ("[[policy.page]]\nwords = ['noindex']", r"policy.page\[0\].pattern: `` is not a pattern"),
        ("[[policy.page]]\npattern = '/'", r"policy.page\[0\]: the page rule says nothing"),
        (
            "[[policy.page]]\npattern = '/'\nwords = ['noidex']",
            r"policy.page\[0\].words: unknown word `noidex`",
        ),
    ],
)
def test_a_mistake_in_the_table_is_told_with_its_place(text: str, message: str) -> None:
    """An unknown key, a wrong type or a wrong value is refused, never guessed."""
    with pytest.raises(DraftError, match=message):
        table(text)


@pytest.mark.parametrize(
    ("found", "message"),
    [
        ([], "draft: this is not an object"),
        ({"record": []}, "draft: unknown key `record`"),
        ({"records": [{}]}, r"draft.records\[0\]: the key `crawlers` is missing"),
        ({"records": {}}, "draft.records: this is not a list"),
        ({"comments": 1}, "draft.comments: this is not true or false"),
        ({"kept": None}, "draft.kept: this is not a text"),
        ({"records": [{"crawlers": [1]}]}, r"draft.records\[0\].crawlers: this is not a list of texts"),
        ({"records": [{"crawlers": ["*"], "requests": [["a"]]}]}, "requests: this is not a list of pairs of texts"),
    ],
)
def test_a_mistake_in_json_is_told_with_its_place(found: Any, message: str) -> None:
    """What a browser sends is looked at before it is a draft."""
    with pytest.raises(DraftError, match=message):
        draft_from_json(found)


def test_sets_of_the_model_are_written_by_their_names() -> None:
    """A set is defined once and named where it is meant."""
    made = draft(
        Rule(False, "index", ("the-acap:resource-set:images",)), resource_sets=(ResourceSet("images", ("/*.png$",)),)
    )
    assert not parse_robots(robots_text(made)).decide("/a.png", crawler="a", usage="index").permitted
    assert parse_page(None, url=None).statements() == ()
