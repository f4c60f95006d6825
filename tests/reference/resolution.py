"""Who wins: tiers, REP beside ACAP, narrower over broader, and the restrictions that hold.

A question is prohibited iff an applicable prohibition is not overcome. Laws: one more prohibition never permits more,
nor takes a restriction away; the order of the fields in a record does not matter.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache, cached_property

from .controls import controlled
from .conventional import Refusal, Verdict
from .crawler import Crawler, names_of
from .pattern import contains, draft_says_narrower, matches, matches_in_full
from .policy import Policy
from .restrictions import Facts, Restriction, bears, cannot_be_met, distinct, is_over, swallowed
from .signals import STRICTNESS, Heeded, verdicts
from .statements import SITE, Statement
from .usages import ACTS_OF_THE_CRAWLER, NO_LENGTH, covers, hears

PURPOSE_AND_NAME, PURPOSE, NAME, ANYBODY = range(4)  # the tiers, first first


@dataclass(frozen=True)
class Question:
    """A crawler asks for a resource, for a purpose or none, at an instant."""

    policy: Policy
    crawler: Crawler
    url: str
    path: str
    purpose: str | None
    at: datetime
    facts: Facts

    @cached_property
    def rep(self) -> Verdict:
        """What the conventional lines say of crawling."""
        return self.policy.rep(self.crawler, self.path, self.url)

    @cached_property
    def applicable(self) -> list[Applicable]:
        """The statements that apply, whatever their usages."""
        tiers = (
            (place, statement, tier_of(statement, named, self.purpose))
            for place, (statement, named) in enumerate(self.policy.statements(self.crawler))
        )
        return [
            Applicable(statement, tier, place)
            for place, statement, tier in tiers
            if tier is not None and matches(statement.pattern, self.path)
        ]

    @cached_property
    def signalled(self) -> dict[str, list[Heeded]]:
        """The verdicts of `signalled` by usage: each is found once."""
        return {}


@dataclass(frozen=True)
class Ruling:
    """What the statements on a usage come to, its dependencies aside."""

    permitted: bool
    kind: str
    stated: bool
    restrictions: tuple[Restriction, ...] = ()
    lines: frozenset[int] = frozenset()
    conditional: bool = False
    restricting: frozenset[int] = frozenset()  # the lines that lift nothing, and restrict

    @property
    def outcome(self) -> str:
        """The outcome by its name."""
        return "prohibited" if not self.permitted else "conditional" if self.conditional else "permitted"


@dataclass(frozen=True)
class Applicable:
    """A statement that applies to the question, its tier, and its place among those that address the crawler."""

    statement: Statement
    tier: int
    place: int


def rule(question: Question, usage: str) -> Ruling:
    """The ruling on one usage by its own statements."""
    aside = question.policy.for_use and usage == "crawl"
    heard = speaking_on(question, usage)
    if aside:  # what must be used or included: the site's own prohibitions of crawling do not count (section 5)
        heard = [found for found in heard if found.statement.permits or found.statement.depth != SITE]
    speaking = [found for found in heard if found.statement.speaks]
    beyond = [found for found in heard if not found.statement.speaks]
    permissions = [found for found in speaking if found.statement.permits]
    prohibitions = [found for found in speaking if not found.statement.permits]
    rep = question.rep if usage == "crawl" else Verdict()
    rep = replace(rep, refusals=()) if aside else rep

    standing = [found.statement.line for found in prohibitions if not is_overcome(found, permissions)]
    refusals = [refusal for refusal in rep.refusals if not is_refusal_overcome(refusal, permissions)]
    if standing or refusals:
        # REP speaks once: of its refusals the strongest that stands is cited
        cited = [*standing, *(refusal.line for refusal in refusals[:1] if refusal.line is not None)]
        return Ruling(False, "statement", True, lines=frozenset(cited))
    if speaking:
        return permit(question, usage, permissions, beyond)
    if rep.allowed_by is not None:
        ruling = Ruling(True, "statement", True, lines=frozenset({rep.allowed_by}))
    else:
        ruling = Ruling(True, "silence", False)
    return only_restricted(question, usage, ruling, [], beyond, permissions)


def heeded(question: Question, usage: str, ruling: Ruling) -> Ruling:
    """A ruling beside those of other dialects: the strictest stands, equal ones together (section 8)."""
    for one in signalled(question, usage):
        stricter = STRICTNESS.index(one.outcome) - STRICTNESS.index(ruling.outcome)
        kind = one.kind if stricter > 0 else "statement" if ruling.kind == "silence" else ruling.kind
        if stricter > 0:
            prohibits = one.outcome == "prohibited"
            restrictions = () if prohibits else ruling.restrictions
            ruling = Ruling(not prohibits, kind, True, restrictions, one.lines, conditional=not prohibits)
        else:
            lines = ruling.lines | one.lines if stricter == 0 else ruling.lines
            ruling = replace(ruling, kind=kind if stricter == 0 else ruling.kind, stated=True, lines=lines)
    return ruling


def signalled(question: Question, usage: str) -> list[Heeded]:
    """The verdicts of control tokens, signals and licences."""
    if usage not in question.signalled:
        is_refused = bool(question.rep.refusals)
        names = names_of(question.crawler)
        of_tokens = controlled(question.policy, question.crawler, usage, question.path, question.url)
        of_lines = verdicts(question.policy.signals, names, usage, question.path, is_refused=is_refused)
        question.signalled[usage] = [*of_tokens, *of_lines]
    return question.signalled[usage]


def speaking_on(question: Question, usage: str) -> list[Applicable]:
    """The applicable statements on the usage or above; and those on `other`, the remainder (G 1.3), in whose part and
    within it no such statement speaks."""
    heard = [found for found in question.applicable if found.statement.usage in hears(usage)]
    if usage in ACTS_OF_THE_CRAWLER:
        return heard
    spoken = [found.statement.depth for found in heard if found.statement.speaks]
    remainder = [found for found in question.applicable if found.statement.usage == "other" != usage]
    return [*heard, *(found for found in remainder if not any(depth >= found.statement.depth for depth in spoken))]


def tier_of(statement: Statement, named: bool, purpose: str | None) -> int | None:
    """The tier a statement speaks in; None if it is for other purposes. A question without purpose sees two tiers."""
    if statement.every_purpose:
        return PURPOSE_AND_NAME if named else PURPOSE
    if not statement.purposes:
        return NAME if named else ANYBODY
    if purpose is None or not any(purpose_matches(pattern, purpose) for pattern in statement.purposes):
        return None
    return PURPOSE_AND_NAME if named else PURPOSE


def purpose_matches(pattern: str, purpose: str) -> bool:
    """Whether a pattern stands for the whole purpose, without case; a URI's empty path is `/` (P1 4.5.2.4.1)."""
    return matches_in_full(with_path(without_case(without_end(pattern))), with_path(without_case(purpose)))


@cache
def without_case(purpose: str) -> str:
    """A purpose with every letter folded to one letter, so that `É` and `é` are one; the dotless i has no capital."""
    return "".join(one if one == "\u0131" else lower_of(capital_of(one)) for one in purpose)


def capital_of(letter: str) -> str:
    """The capital of a letter, if that is one letter."""
    return letter.upper() if len(letter.upper()) == 1 else letter


def lower_of(letter: str) -> str:
    """The small letter of a capital, if that is one letter."""
    return letter.lower() if len(letter.lower()) == 1 else letter


def without_end(pattern: str) -> str:
    """A purpose pattern without its final `$`: the whole purpose is matched all the same (P1 4.5.1)."""
    return pattern.removesuffix("$")


def with_path(purpose: str) -> str:
    """A purpose that is a URI with at least `/` for a path."""
    scheme, separator, rest = purpose.partition("://")
    end = min((rest.index(mark) for mark in "/?" if mark in rest), default=len(rest))
    if not separator or rest[end:].startswith("/"):
        return purpose
    return scheme + separator + rest[:end] + "/" + rest[end:]


def is_overcome(prohibition: Applicable, permissions: Sequence[Applicable]) -> bool:
    """Whether a permission lifts a prohibition: an earlier tier's, or a narrower one of the same tier."""
    return any(lifts(permission, prohibition) for permission in permissions)


def lifts(permission: Applicable, prohibition: Applicable) -> bool:
    """The one rule of conflict (P1 4.1, 4.3; G 2.2): the inner part first (P2 2.2.8), in a part the tier."""
    one, other = permission.statement, prohibition.statement
    if other.firm:
        return False  # a limit cut it
    if other.doubtful and not (one.depth == other.depth and permission.tier < prohibition.tier):
        return False  # what it stands for might not be lifted
    if one.depth > other.depth == SITE and other.usage == "crawl":
        return False  # no page lifts what kept it from being read
    if one.depth < other.depth:
        return False  # nothing outside lifts what an inner part prohibits
    if (permission.tier, prohibition.tier) == (PURPOSE, NAME):
        return False  # a crawler declares its purposes itself
    if one.depth == other.depth and permission.tier == prohibition.tier:
        return is_narrower(one, other)
    return permission.tier <= prohibition.tier and covers(other.usage, one.usage)


def is_refusal_overcome(refusal: Refusal, permissions: Sequence[Applicable]) -> bool:
    """Whether a permission lifts a refusal of REP: as ACAP's own, but the same resources do (G 2.1, P1 4.3)."""
    if refusal.firm:
        return False
    tier = NAME if refusal.named else ANYBODY
    for permission in (found for found in permissions if found.statement.depth == SITE):
        if permission.tier == tier and contains(refusal.pattern, permission.statement.pattern):
            return True
        if permission.tier < tier and (permission.tier, tier) != (PURPOSE, NAME):
            return True
    return False


def is_narrower(one: Statement, other: Statement) -> bool:
    """Usage equal or below and resources a subset, one of them strictly; else what the draft says (P1 4.5.2.5.3)."""
    within = contains(other.pattern, one.pattern)
    around = contains(one.pattern, other.pattern)
    if covers(other.usage, one.usage) and within:
        return one.usage != other.usage or not around
    incomparable = not within and not around
    return one.usage == other.usage and incomparable and draft_says_narrower(one.pattern, other.pattern)


def replaces(one: Statement, other: Statement, statements: Sequence[Statement]) -> bool:
    """Whether `one` is narrower than `other`, and not, by way of further statements, broader as well.

    Inclusion and the draft's comparison together can run in a circle; then none replaces another.
    """
    if not is_narrower(one, other):
        return False
    reached = [other]
    for statement in reached:
        if statement == one:
            return False
        reached += [next_ for next_ in statements if next_ not in reached and is_narrower(statement, next_)]
    return True


def permit(question: Question, usage: str, permissions: Sequence[Applicable], beyond: Sequence[Applicable]) -> Ruling:
    """The ruling that permissions come to, of each part those of its first tier, and those that only restrict."""
    parts = {found.statement.depth: found.tier for found in sorted(permissions, key=lambda found: -found.tier)}
    first = [found for found in permissions if found.tier == parts[found.statement.depth]]
    maximal = []
    for depth in parts:
        own = [found.statement for found in first if found.statement.depth == depth]
        maximal += [one for one in own if not any(replaces(other, one, own) for other in own)]
    ruling = Ruling(True, "statement", True, lines=frozenset(statement.line for statement in maximal))
    return only_restricted(question, usage, ruling, first, beyond, permissions)


def only_restricted(
    question: Question,
    usage: str,
    ruling: Ruling,
    first: Sequence[Applicable],
    beyond: Sequence[Applicable],
    lifting: Sequence[Applicable],
) -> Ruling:
    """A permission as its own restrict it, and those that only restrict; a length that cannot be kept prohibits."""
    unkept = [
        one.statement.line
        for one in (*first, *beyond)
        if usage in NO_LENGTH
        and one.statement.usage == "present"
        and any(each.name == "max-length" for each in one.statement.restrictions)
        and (one in beyond or stands(one, "max-length", first))
        and not any(is_named(other, one, usage) for other in lifting)
    ]
    if unkept:
        return Ruling(False, "statement", True, lines=frozenset(unkept))
    held = [
        each
        for one in sorted((*first, *beyond), key=lambda found: found.place)
        for each in all_of([one.statement], usage)
        if one in beyond or stands(one, each.name, first)
    ]
    bearing = [one.statement.line for one in beyond if all_of([one.statement], usage)]
    return restricted(question, usage, replace(ruling, restricting=frozenset(bearing)), held)


def is_named(other: Applicable, one: Applicable, usage: str) -> bool:
    """Whether a permission of the same tier and part names a representation."""
    same = (other.tier, other.statement.depth) == (one.tier, one.statement.depth)
    return same and other.statement.usage == usage


def stands(found: Applicable, name: str, first: Sequence[Applicable]) -> bool:
    """Whether a permission's restrictions of a name hold: of its part a narrower one's replace them (P1 4.3), and of an
    inner part those of an equal or narrower usage whose tier is not later."""
    depth, usage = found.statement.depth, found.statement.usage
    own = [one.statement for one in first if one.statement.depth == depth]
    rivals = [one for one in own if any(each.name == name for each in one.restrictions)]
    if any(replaces(rival, found.statement, rivals) for rival in rivals):
        return False
    inner = [one for one in first if one.statement.depth > depth and one.tier <= found.tier]
    inside = [one.statement for one in inner if covers(usage, one.statement.usage)]
    return not any(each.name == name for one in inside for each in one.restrictions)


def restricted(question: Question, usage: str, ruling: Ruling, restrictions: Sequence[Restriction]) -> Ruling:
    """A permission as restricted, unless it is over or its restrictions cannot be met."""
    holding = swallowed(list(restrictions))
    exclusive = cannot_be_met(holding)
    if exclusive:
        return Ruling(False, "statement", True, lines=frozenset(each.line for each in exclusive))
    over = [each for each in holding if is_over(each, usage, question.at, question.facts)]
    if over:
        return Ruling(False, "expired", True, lines=frozenset(each.line for each in over))
    return with_excluded_purposes(question, usage, replace(ruling, restrictions=tuple(distinct(holding))))


def all_of(statements: Sequence[Statement], usage: str) -> list[Restriction]:
    """The restrictions of statements that bear on a usage."""
    return [each for one in statements for each in one.restrictions if bears(each, one.usage, usage)]


def with_excluded_purposes(question: Question, usage: str, ruling: Ruling) -> Ruling:
    """A permission without purpose, restricted by each purpose pattern that would prohibit."""
    if question.purpose is not None:
        return ruling
    excluded = [
        Restriction("excluded-purpose", pattern, 0)
        for pattern in question.policy.purposes(question.crawler)
        if not rule(replace(question, purpose=without_end(pattern)), usage).permitted
    ]
    return replace(ruling, restrictions=(*ruling.restrictions, *excluded))


def with_restricting(ruling: Ruling) -> Ruling:
    """A permission that cites also what only restricts it; that breaks no silence."""
    if not ruling.restricting or ruling.outcome != "permitted":
        return ruling
    kind = "statement" if ruling.kind == "silence" else ruling.kind
    return replace(ruling, kind=kind, stated=True, lines=ruling.lines | ruling.restricting)
