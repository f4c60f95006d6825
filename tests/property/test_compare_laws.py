"""A comparison of policies against every question: what it calls equal is equal, and what differs lies in a change.

`ACAP_PAIRS` says how many pairs of policies are tried, `ACAP_SEED` where to begin.
"""

from __future__ import annotations

import os
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import acap
from acap import Comparison, compare
from acap.publish.compare import Change
from acap.publish.crawlers import everyone
from acap.usages import PARENTS, USAGES
from tests import reference
from tests.property.engines import by_native, by_reference
from tests.property.pairs import INSTANTS, Pair, askers, generate_pair, paths, purposes, read, said
from tests.property.strategies import Question

PAIRS = int(os.environ.get("ACAP_PAIRS", "150"))
SEED = os.environ.get("ACAP_SEED", "1")
ASKED = 24  # paths of a pair


def pairs() -> st.SearchStrategy[Pair]:
    """Pairs, for hypothesis."""
    return st.integers(0, 2**32).map(lambda seed: generate_pair(Random(seed)))


def is_cut(found: Comparison) -> bool:
    """Whether everything was worked out, of what was read."""
    unread = ("a limit of reading", "one of the files is compressed or binary")
    return all(one.because.startswith(unread) for one in found.undecided)


def url(pair: Pair, path: str) -> str:
    """The path as it can be asked for in any dialect."""
    site = (pair.old.url or "http://site.invalid/").split("/", 3)
    return "/".join(site[:3]) + path if path.startswith("//") else path


def faults(pair: Pair, random: Random) -> list[str]:
    """Everything that a comparison of the pair says wrongly, or leaves out."""
    at = random.choice(INSTANTS)
    old, new = pair.policies()
    found = compare(old, new, at=at)
    wrong = [fault for change in found.changes for fault in wrong_of(pair, change, at)]
    if not is_cut(found):
        return wrong
    asking, wanted = askers(old, new), purposes(old, new)
    told = {purpose for change in found.changes for purpose in change.purposes}
    usages = list(dict.fromkeys([*USAGES, *old.unknown_usages, *new.unknown_usages]))
    for path in paths(random, pair, ASKED):
        (name, asker), purpose = random.choice(asking), random.choice(("", *wanted))
        for usage in ("crawl", *random.sample(usages, 3)):
            asked = {"crawler": asker, "usage": usage, "purpose": purpose or None, "at": at}
            before, after = said(old, url(pair, path), **asked), said(new, url(pair, path), **asked)
            if before[:2] == after[:2] or usage == "search":
                if before[:2] != after[:2] and not any(path in change.paths for change in found.changes):
                    wrong.append(f"not told: {path} {asked}: {before} {after}")
                continue
            inside = [
                one for one in found.changes if name in one.crawlers and usage in one.usages and path in one.paths
            ]
            if purpose in told:
                inside = [one for one in inside if purpose in one.purposes and sides(one) == (before[:2], after[:2])]
            if not inside:
                wrong.append(f"not told: {path} {asked}: {before} {after}")
    return wrong


def sides(change: Change) -> tuple[tuple[str, tuple[str, ...]], tuple[str, tuple[str, ...]]]:
    """Outcome and restrictions, before and after."""
    before, after = change.before, change.after
    return (before.outcome, before.restrictions), (after.outcome, after.restrictions)


def wrong_of(pair: Pair, change: Change, at: object) -> list[str]:
    """What a change says of its witness, and what both policies decide there."""
    if change.witness not in change.paths:
        return [f"the witness is not in the paths: {change}"]
    old, new = pair.policies()
    name, purpose, usage = change.crawlers[-1], change.purposes[-1], change.usages[-1]
    asker = dict(askers(old, new))[name]
    asked = {"crawler": asker, "usage": usage, "purpose": purpose or None, "at": at}
    where = url(pair, change.witness)
    shown = said(old, where, **asked)[:2], said(new, where, **asked)[:2]
    return [] if shown == sides(change) and shown[0] != shown[1] else [f"the witness shows {shown}: {change}"]


def test_every_difference_lies_in_a_change_and_every_change_shows_itself() -> None:
    """Of many pairs no difference is left out, and each change's witness is decided as it says."""
    for number in range(PAIRS):
        random = Random(f"{SEED}.{number}")
        pair = generate_pair(random)
        if wrong := faults(pair, random):
            pytest.fail(f"seed {SEED}.{number}\n{pair.described()}\n" + "\n".join(wrong[:4]), pytrace=False)


@given(pair=pairs(), random=st.randoms(use_true_random=False))
def test_nothing_differs_where_policies_are_equal(pair: Pair, random: Random) -> None:
    """What is called equal is decided alike by the native core and by the interpreter written from the text."""
    old, new = pair.policies()
    at = random.choice(INSTANTS)
    if compare(old, new, at=at).verdict != "equal":
        return
    asking, wanted = askers(old, new), purposes(old, new)
    questions = tuple(
        Question(url(pair, path), random.choice(asking)[1], usage, random.choice((None, *wanted)) or None, at)
        for path in paths(random, pair, 6)
        for usage in ("crawl", random.choice(USAGES))
    )
    for engine in (by_native, by_reference):
        before, after = (engine(replace(case, questions=questions)) for case in (pair.old, pair.new))
        for asked, one, other in zip(questions, before, after, strict=True):
            held = [{each for each in answer.restrictions if each[0] != "excluded-purpose"} for answer in (one, other)]
            assert (one.outcome, held[0]) == (other.outcome, held[1]), f"{asked}\n{pair.described()}"
            excluded = [{each[1] for each in answer.restrictions} for answer in (one, other)]
            both = set(old.purposes) & set(new.purposes)
            assert excluded[0] & both == excluded[1] & both, f"{asked}\n{pair.described()}"


@given(pair=pairs(), random=st.randoms(use_true_random=False))
def test_no_path_shorter_than_a_witness_shows_the_change(pair: Pair, random: Random) -> None:
    """A witness is a shortest path of its set: every shorter path of few letters lies outside it."""
    from tests.property.pairs import SHORT

    old, new = pair.policies()
    for change in compare(old, new, at=random.choice(INSTANTS)).changes[:3]:
        shorter = [path for path in SHORT if len(path) < len(change.witness) and path in change.paths]
        forms = {reference.canonical_path(path) for path in shorter} if change.paths.form == "canonical" else set()
        assert not [path for path in forms if len(path) < len(change.witness) and path in change.paths], change


@given(pair=pairs())
def test_a_policy_equals_itself(pair: Pair) -> None:
    """Compared with itself no policy differs, whatever a limit cut of it."""
    for case in (pair.old, pair.new):
        assert compare(read(case), read(case)).verdict == "equal"


def turned(found: Comparison) -> set[tuple[object, ...]]:
    """The outcomes of all changes, for each crawler, purpose and usage."""
    return {
        (crawler, purpose, usage, *sides(one))
        for one in found.changes
        for crawler in one.crawlers
        for purpose in one.purposes
        for usage in one.usages
    }


@given(pair=pairs())
def test_a_comparison_read_backwards_is_the_comparison_the_other_way_round(pair: Pair) -> None:
    """What one way is before is after the other way."""
    old, new = pair.policies()
    one, other = compare(old, new, at=INSTANTS[0]), compare(new, old, at=INSTANTS[0])
    assert one.verdict == other.verdict
    back = {(*asked, after, before) for (*asked, before, after) in turned(other)}
    known = {name.lower() for name, _ in askers(old, new)}
    assert {(str(name).lower() in known, *rest) for name, *rest in turned(one)} == {
        (str(name).lower() in known, *rest) for name, *rest in back
    }
    assert (one.removed, one.added) == (other.added, other.removed)


@given(pair=pairs(), random=st.randoms(use_true_random=False))
def test_asked_for_less_the_same_is_told_of_it(pair: Pair, random: Random) -> None:
    """Crawler, usage and purpose as arguments tell of these what the whole comparison tells."""
    old, new = pair.policies()
    at = INSTANTS[0]
    whole = compare(old, new, at=at)
    crawler = random.choice(everyone(old, new))
    usage = random.choice(tuple(PARENTS))
    part = compare(old, new, at=at, crawlers=[crawler], usages=[usage])
    assert turned(part) == {one for one in turned(whole) if one[0] == crawler and one[2] == usage}
    if is_cut(whole):
        alone = compare(old, new, at=at, crawlers=[crawler], usages=[usage], purposes=[""])
        assert turned(alone) == {one for one in turned(part) if one[1] == ""}


@given(pair=pairs(), random=st.randoms(use_true_random=False))
def test_layout_changes_no_decision(pair: Pair, random: Random) -> None:
    """Comments and other ends of lines are equal."""
    case = replace(pair.old, limits=None, line_end=b"\n")
    lines = [line.octets for line in case.lines]
    if any(b"#" in line or b"\r" in line for line in lines):
        return
    # What stands before the first line, a torn mark say, is a part of it.
    noted = b"".join(
        (b"# note\n" if number and random.random() < 0.3 else b"") + line + b" # note" * bool(line.strip()) + b"\r\n"
        for number, line in enumerate(lines)
    )
    if any(len(line) > 2_000 for line in lines):
        return
    old = acap.parse_robots(case.prefix + b"".join(line + b"\n" for line in lines), url=case.url, dialect=case.dialect)
    new = acap.parse_robots(case.prefix + noted, url=case.url, dialect=case.dialect)
    if any(problem.code == "packed-file" for problem in (*old.problems, *new.problems)):
        return  # what is no text has no comments, and how much of it is letters decides whether it is one
    assert compare(old, new).verdict == "equal", pair.described()


@given(pair=pairs(), random=st.randoms(use_true_random=False))
def test_the_order_of_fields_of_a_record_changes_no_decision(pair: Pair, random: Random) -> None:
    """Permissions and prohibitions that follow each other may stand in any order (P1 4.1)."""
    case = replace(pair.old, limits=None, supplied={})
    order = list(range(len(case.lines)))
    for run in case.runs("acap"):
        order[run.start : run.stop] = random.sample(run, len(run))
    other = replace(case, lines=tuple(case.lines[place] for place in order))
    found = compare(read(case), read(other))
    assert not found.changes
    assert is_cut(found)


@given(pair=pairs(), random=st.randoms(use_true_random=False))
def test_questions_asked_together_are_answered_as_alone(pair: Pair, random: Random) -> None:
    """Crawlers, purposes and usages that are put together have the changes that each has by itself."""
    old, new = pair.policies()
    at = random.choice(INSTANTS)
    wanted, names = purposes(old, new)[:6], everyone(old, new)
    whole = compare(old, new, purposes=wanted, at=at)
    for name, purpose, usage in zip(
        random.choices(names, k=3), random.choices(wanted, k=3), random.choices(list(PARENTS), k=3), strict=True
    ):
        alone = compare(old, new, crawlers=[name], purposes=[purpose], usages=[usage], at=at)
        if not (is_cut(whole) and is_cut(alone)):
            continue
        among = (
            one for one in whole.changes if name in one.crawlers and purpose in one.purposes and usage in one.usages
        )
        assert {(one.witness, one.before, one.after) for one in alone.changes} == {
            (one.witness, one.before, one.after) for one in among
        }, (name, purpose, usage)
