"""What an analysis says of lines holds for every question: redundant lines can go together, doubts show themselves."""

from __future__ import annotations

import os
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import acap
from acap import compare
from acap.publish.analysis import analysis, without_lines
from acap.publish.crawlers import stranger
from acap.robots import DIALECTS, RobotsPolicy, url_at
from tests import reference
from tests.property.pairs import INSTANTS, Pair, askers, paths, purposes, read, said
from tests.property.strategies import Case, generate

FILES = int(os.environ.get("ACAP_PAIRS", "160")) // 8
SEED = os.environ.get("ACAP_SEED", "1")


def cases() -> st.SearchStrategy[Case]:
    """Whole policies; what a limit cut is not analysed line by line."""
    return st.integers(0, 2**32).map(lambda seed: whole(Random(seed)))


def whole(random: Random) -> Case:
    """A policy as it stands alone, without lines that refer to others."""
    case = generate(random)
    lines = tuple(line for line in case.lines if b"ref" not in line.octets.lower())
    return replace(case, lines=lines, limits=None, supplied={}, questions=())


def loose(policy: RobotsPolicy) -> RobotsPolicy:
    """The policy without the lines that are redundant."""
    return without_lines(policy, {one.line for one in analysis(policy, at=INSTANTS[0]).redundant})


def test_idle_lines_can_all_go_together() -> None:
    """Without all its redundant lines a file decides every question as with them, then and at every later instant."""
    for number in range(FILES):
        random = Random(f"{SEED}.{number}")
        case = whole(random)
        old = read(case)
        if old.truncated:
            continue
        new = loose(old)
        for at in INSTANTS:
            if (found := compare(old, new, at=at)).changes:
                pytest.fail(f"seed {SEED}.{number}: {found.changes[0]}\n{Pair(case, case).described()}", pytrace=False)
        asking, wanted = askers(old), purposes(old)
        for path in paths(random, Pair(case, case), 12):
            (_, asker), purpose = random.choice(asking), random.choice(("", *wanted))
            asked: dict[str, object] = {
                "crawler": asker,
                "usage": random.choice(("crawl", "index", "present-snippet", "search")),
            }
            asked |= {"purpose": purpose or None, "at": random.choice(INSTANTS)}
            where = f"http://site.invalid{path}" if path.startswith("//") and old.url is None else path
            assert said(old, where, **asked)[:2] == said(new, where, **asked)[:2], (SEED, number, path, asked)


@given(case=cases())
def test_every_idle_line_is_a_line_that_says_something(case: Case) -> None:
    """Redundant lines are lines of the file, each once and in order, made so by others than themselves."""
    policy = read(case)
    redundant = analysis(policy).redundant
    assert [one.line for one in redundant] == sorted({one.line for one in redundant})
    stated = {one.cited.line for one in policy.statements}
    for one in redundant:
        assert one.line in stated
        assert one.line not in one.by


@given(case=cases())
def test_the_interpreter_too_decides_alike_without_idle_lines(case: Case) -> None:
    """The interpreter written from the text finds no question of these at which redundant lines count."""
    policy = read(case)
    less = loose(policy)
    before = reference.read(policy.octets, url=case.url, dialect=case.dialect)
    after = reference.read(less.octets, url=case.url, dialect=case.dialect)
    random = Random(case.octets)
    for path in paths(random, Pair(case, case), 4):
        if path.startswith("//"):
            continue
        crawler, usage = random.choice(askers(policy))[1], random.choice(("crawl", "index", "present-snippet"))
        at = random.choice(INSTANTS)
        one, other = (reference.decide(each, path, crawler=crawler, usage=usage, at=at) for each in (before, after))
        assert one.outcome == other.outcome, (path, crawler, usage, at)


@given(case=cases())
def test_a_doubt_is_decided_by_its_prohibition(case: Case) -> None:
    """At its witness the prohibition decides, and the permission is among those that lost."""
    policy = read(case)
    for doubt in analysis(policy).doubts:
        names = {one for each in policy.statements if each.cited.line == doubt.permission for one in each.crawlers}
        wanted = {one for each in policy.statements if each.cited.line == doubt.permission for one in each.purposes}
        decisions = [
            policy.decide(
                url_at(policy, doubt.witness),
                crawler=stranger(policy) if name == "*" else name,
                usage=usage,
                purpose=purpose,
            )
            for name in names
            for usage in {
                each.cited.usage
                for each in policy.statements
                if each.cited.line == doubt.permission and each.cited.usage
            }
            # A final `$` says nothing more of a purpose (P1 4.5.1).
            for purpose in (None, *(one.strip().removesuffix("$") or None for one in wanted), *wanted)
        ]
        assert any(
            doubt.prohibition in {cited.line for cited in one.reason.decided_by}
            and doubt.permission in {lost.statement.line for lost in one.reason.lost}
            for one in decisions
        ), doubt


@given(case=cases())
def test_the_vocabularies_alone_disagree_where_it_is_said(case: Case) -> None:
    """At the witness conventional lines alone and ACAP fields alone decide otherwise about crawling."""
    policy = read(case)
    fields = {one.number for one in policy.lines if one.kind == "ACAP"}
    rules = {one.number for one in policy.lines if one.kind in ("User-agent", "Allow", "Disallow")}
    for one in analysis(policy).disagreements:
        crawler = stranger(policy) if one.crawler == "*" else one.crawler
        alone = [without_lines(policy, gone) for gone in (fields, rules)]
        found = {
            tuple(
                each.decide(url_at(each, one.witness), crawler=crawler, purpose=purpose or None).permitted
                for each in alone
            )
            for purpose in purposes(policy)
        }
        assert (one.permits == "conventional", one.permits == "acap") in found, one


def test_an_analysis_reads_a_file_in_each_dialect() -> None:
    """Every dialect has an analysis, and none finds redundant what is needed."""
    text = "User-agent: *\nDisallow: /a\nAllow: /b\n"
    for dialect in DIALECTS:
        policy = acap.parse_robots(text, dialect=dialect)
        assert 2 not in {one.line for one in analysis(policy).redundant}, dialect
