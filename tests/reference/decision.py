"""The answer to a question: what stands above the statements, the statements, and what every usage depends on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from .canonical import canonical_path, check_asked, origin
from .controls import beside_rules, speaking
from .crawler import Crawler, as_crawler, askers
from .definitions import Guess
from .policy import ANY_PATH, Policy
from .resolution import Question, Ruling, heeded, rule, signalled, with_restricting
from .restrictions import Facts, Restriction
from .signals import STRICTNESS
from .statements import restrictions_of
from .usages import ACTS_OF_THE_CRAWLER, COMPOSITES, EVERY, USAGES, and_above, below, dependencies, singular


@dataclass(frozen=True)
class Decision:
    """Outcome and its reason.

    `restrictions` are (name, value as written), or (name, value, part) for a question of several usages.
    `decided_by` are the numbers of the lines that decided: of the prohibitions that stand, or of the narrowest
    permissions of the deciding tier, or REP's line.
    """

    outcome: str
    kind: str
    stated: bool
    restrictions: tuple[tuple[str, ...], ...] = ()
    decided_by: frozenset[int] = frozenset()
    prohibited_below: frozenset[str] = frozenset()

    @property
    def permitted(self) -> bool:
        """Whether the usage is permitted, under the restrictions if there are any."""
        return self.outcome == "permitted"


def decide(
    policy: Policy,
    url: str,
    *,
    crawler: str | Sequence[str] | Crawler,
    usage: str | Sequence[str] = "crawl",
    purpose: str | Sequence[str] | None = None,
    at: datetime | None = None,
    facts: Any = None,
    with_below: bool = False,
) -> Decision:
    """The decision on a URL, absolute or a path. `at` is an aware datetime, None for now; `facts` a mapping or object.

    What is `prohibited_below` is told `with_below` alone: it takes a ruling on each of those usages.

    ValueError for the asker's mistakes: another origin's URL, a naive datetime, a crawler without a name, a usage
    that neither a dialect nor the policy knows.
    """
    check_asked(url, policy.dialect)
    if not url.startswith(("/", "?", "#")) and url and origin(url) is None:
        raise ValueError(f"`{url}` is no URL")
    if policy.url is not None and origin(url) not in {None, origin(policy.url)}:
        raise ValueError(f"`{url}` is of another origin")
    if at is not None and at.tzinfo is None:
        raise ValueError("the instant has no time zone")
    usages = [usage] if isinstance(usage, str) else list(usage)
    parts = [part for name in usages for part in parts_asked(policy, name)]
    for part in parts:
        if part not in {*USAGES, EVERY} and part not in policy.known_usages():
            raise ValueError(f"unknown usage `{part}`")
    purposes = [purpose] if purpose is None or isinstance(purpose, str) else list(purpose)
    question = Question(
        policy=policy,
        crawler=as_crawler(crawler),
        url=url,
        path=canonical_path(url),
        purpose=None,
        at=at or datetime.now(UTC),
        facts=Facts() if facts is None else Facts.of(facts),
    )
    composite = len(parts) != 1
    asked = [
        replace(question, purpose=each, crawler=asker)
        for asker in askers(question.crawler, policy.names_crawler)
        for each in purposes
    ]
    rulings = [(part, decide_part(each, part)) for part in parts for each in asked]
    refused = [ruling for _, ruling in rulings if not ruling.permitted]
    conditional = [ruling for _, ruling in rulings if ruling.conditional]
    deciding = refused or conditional or [ruling for _, ruling in rulings]
    stated = [ruling for ruling in deciding if ruling.kind != "silence"]
    restrictions = []
    if not refused:
        for part, ruling in rulings:
            written = ((each.name, each.value, *([part] if composite else [])) for each in ruling.restrictions)
            restrictions += [each for each in written if each not in restrictions]
    return Decision(
        outcome=deciding[0].outcome,
        kind=(stated or deciding)[0].kind,
        stated=any(ruling.stated for _, ruling in rulings),
        restrictions=tuple(dict.fromkeys(restrictions)),
        decided_by=frozenset(line for ruling in deciding for line in ruling.lines),
        prohibited_below=frozenset(
            under
            for part in (parts if with_below else ())
            for under in below(part)
            for each in asked
            if not decide_part(each, under).permitted
        ),
    )


def parts_asked(policy: Policy, usage: str) -> list[str]:
    """The usages that a question names: those of a composite, or what the file defines, each once; else itself.

    What the file defines is asked beside what statements say of the name itself. A constituent that nobody knows is one
    of the other uses (P1 4.5.3.2, our choice). `EVERY` if a limit cut what would tell. ValueError if somebody asks for
    that.
    """
    name = singular(usage)
    if name in COMPOSITES:
        return list(COMPOSITES[name])
    local = name[1:-1] if name.startswith("(") and name.endswith(")") else name
    definitions = policy.acap.definitions
    if name == EVERY:
        raise ValueError("unknown usage `*`")
    defined = None if name in USAGES else definitions.parts_of(local, permits=True)
    is_defined = name not in USAGES and not isinstance(definitions.usages.get(local, Guess()), Guess)
    doubt = definitions.doubt_of(local) if is_defined else ()
    if not doubt and (not defined or definitions.is_later(local)):
        return [name]
    found: list[str] = []
    for cut in doubt:
        found += [cut, *below(cut)]
        defined = []
    for each in defined or ():
        part = singular(each.usage_name)
        if part in COMPOSITES:
            found += COMPOSITES[part]
            continue
        part = part if part in {*USAGES, *policy.known_usages()} else "other"
        # What cannot be interpreted may be any use below it.
        found += [part] if restrictions_of([each.qualifiers], 0, None) is not None else [part, *below(part)]
    return list(dict.fromkeys([*found, *([name] if name in policy.known_usages() else [])]))


def decide_part(question: Question, usage: str) -> Ruling:
    """The ruling on one usage for one purpose, and whether the crawler can keep its restrictions."""
    ruling = with_dependencies(question, usage)
    honours = question.crawler.honours
    if not ruling.permitted or honours is None:
        return ruling
    beyond = [each for each in ruling.restrictions if each.name not in {*honours, "excluded-purpose"}]
    if not beyond:
        return ruling
    return Ruling(False, "not-honoured", ruling.stated, lines=frozenset(each.line for each in beyond))


def with_dependencies(question: Question, usage: str) -> Ruling:
    """The ruling on one usage, what it depends on included (G 2.4)."""
    above = above_statements(question, usage)
    if above:
        return above
    needed = {each: with_dependencies(question, each) for each in dependencies(usage)}
    for name, other in needed.items():
        if not other.permitted:
            return Ruling(False, f"{name}-prohibited", other.stated, lines=other.lines)
    own = rule(question, usage)
    ruling = beside_tokens(question, usage, heeded(question, usage, own))
    if not ruling.permitted:
        return ruling
    if not breaks_silence(question, usage, own) and silence_prohibits(question.crawler, usage):
        return Ruling(False, "silence", False)
    ruling = with_restricting(ruling)
    restrictions: list[Restriction] = list(ruling.restrictions)
    for other in needed.values():
        known = {(each.name, each.value) for each in restrictions}
        restrictions += [each for each in other.restrictions if (each.name, each.value) not in known]
    return replace(ruling, restrictions=tuple(restrictions))


def beside_tokens(question: Question, usage: str, ruling: Ruling) -> Ruling:
    """A ruling beside what the file tells the control tokens of the crawler's operator."""
    for token in speaking(question.policy, question.crawler, usage, question.path):
        policy = beside_rules(question.policy, token, question.crawler)
        asked = replace(question, policy=policy, crawler=Crawler([token.name]))
        ruling = beside_told(ruling, with_dependencies(asked, usage))
    return ruling


def beside_told(ruling: Ruling, token: Ruling) -> Ruling:
    """A ruling beside what a control token is told: a refusal, a condition, or what is to be kept."""
    restrictions = (*ruling.restrictions, *(each for each in token.restrictions if each not in ruling.restrictions))
    if token.outcome == "permitted":
        bearing = token.lines if token.restrictions else frozenset()
        return replace(ruling, restrictions=restrictions, restricting=ruling.restricting | bearing)
    stricter = STRICTNESS.index(token.outcome) - STRICTNESS.index(ruling.outcome)
    if stricter > 0:
        return replace(token, kind="control-token", stated=True, restrictions=restrictions if token.permitted else ())
    return replace(
        ruling, restrictions=restrictions, lines=ruling.lines | (token.lines if stricter == 0 else frozenset())
    )


def breaks_silence(question: Question, usage: str, own: Ruling) -> bool:
    """Whether a statement of a usage's own, or a signal, permits; a licence and what only restricts do not."""
    return own.stated or any(one.outcome == "permitted" for one in signalled(question, usage))


def above_statements(question: Question, usage: str) -> Ruling | None:
    """What no statement can change: resources that carry policy, references not at hand, take-downs. Else None."""
    if usage == "crawl" and question.path.partition("?")[0] in question.policy.always_fetched:
        return Ruling(True, "policy-resource", False)
    if question.policy.is_no_text:
        return Ruling(False, "unreadable", False)
    if question.policy.is_beyond or question.policy.torn:
        torn = question.policy.torn
        return Ruling(False, "truncated", False, lines=frozenset() if torn is None else frozenset({torn}))
    if usage == EVERY:
        cut = question.policy.acap.definitions.first_cut_usage
        return Ruling(False, "truncated", False, lines=frozenset({cut} - {0}))
    missing = question.policy.missing(question.crawler)
    if missing:
        return Ruling(False, "reference-missing", True, lines=frozenset(line for _, line in missing))
    if usage not in ACTS_OF_THE_CRAWLER:
        requests = question.policy.action_requests(question.crawler)
        about = {("take-down", question.path), ("take-down", ANY_PATH)}
        taken_down = [line for action, path, line in requests if (action, path) in about]
        if taken_down:
            return Ruling(False, "take-down", True, lines=frozenset(taken_down))
    return None


def silence_prohibits(crawler: Crawler, usage: str) -> bool:
    """Whether the operator wants silence to prohibit: on the usage, the nearest above it, or the remainder `other`."""
    remainder = () if usage in ACTS_OF_THE_CRAWLER else ("other",)
    said = (crawler.silence[each] for each in (*and_above(usage), *remainder) if each in crawler.silence)
    return next(said, None) == "prohibited"
