"""Why a decision came out as it did: a tree of plain sentences.

The laws of this module:

1. Every word comes from the decision. Nothing is read, retrieved or decided again.
2. The tree is data (`Node`); plain text and the terminal's tree are two renderings of it.
3. What files and pages say is hostile: `visible` shows control characters, and no terminal ever receives one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from http import HTTPStatus
from itertools import groupby
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from acap.conditions import Condition
from acap.decision import Cited, Decision, Lost, Reason, crawler_text, purposes_asked
from acap.problems.visible import unseen as unseen
from acap.problems.visible import visible as visible
from acap.restrictions import Restriction
from acap.usages import WORDS

if TYPE_CHECKING:  # Rich takes as long to import as half of a short command
    from rich.tree import Tree

_BRIEF = 120  # characters of a URL, and of a reason, that a `repr` shows

# Sources keep the names they have.
NO_NAMES: Mapping[str, str] = MappingProxyType({})

# Why a decision has its outcome, a sentence for each kind of reason.
KINDS: dict[str, str] = {
    "statement": "a statement decides",
    "silence": "no statement covers it, and the default permits",
    "crawl-prohibited": "it needs crawling, and crawling is prohibited",
    "preserve-prohibited": "it needs a preserved copy, and preserving is prohibited",
    "unreachable": "the policy could not be retrieved; until it is, everything is prohibited",
    "reference-missing": "the permissions are in another document; while that is missing, everything is prohibited",
    "policy-resource": "the resource carries policy, and crawlers may always fetch policy",
    "expired": "the permission's time limit has expired",
    "not-honoured": "the permission has a restriction that this crawler does not honour",
    "take-down": "the site asks for this resource to be taken down",
    "truncated": "a limit cut the policy, and the missing part may prohibit anything",
    "unreadable": "the file is compressed or binary, not text, and may prohibit anything",
    "control-token": "a control token of the crawler's operator decides",
    "element-level": "parts of the page have statements of their own, and this crawler cannot work on parts",
    "absent": "the site has no robots.txt, so nothing is forbidden",
}

_REFUSALS = (
    HTTPStatus.UNAUTHORIZED,
    HTTPStatus.PAYMENT_REQUIRED,
    HTTPStatus.FORBIDDEN,
    HTTPStatus.UNAVAILABLE_FOR_LEGAL_REASONS,
)

# What silence means where the operator has it so.
_SILENCE_REFUSES = "no statement covers it, and this crawler treats silence as a refusal"

# Why a statement lost, a sentence for each key of the comparison.
KEYS: dict[str, str] = {
    "crawler-named": "the winner names the crawler; this one is for any crawler",
    "purpose": "the winner is for the purpose asked for; this one is for any purpose",
    "usage": "the winner is about a narrower usage",
    "resources": "the winner covers the same resources, or fewer of them",
    "draft-comparison": "neither pattern contains the other; compared character by character, the winner is narrower",
    "tie": "neither is narrower than the other, so the prohibition wins",
    "length": "the winner has the longer pattern",
    "allow-on-tie": "both patterns are equally long, so Allow wins",
    "order": "the winner comes first in the order of this dialect",
    "explicit-allow": "an Allow of exactly this path comes before all others",
    "part": "the winner is on an inner part: element before page, page before the whole site",
    "dialect": "the two vocabularies disagree, and the stricter answer wins",
    "carrier": "two carriers disagree in one vocabulary: the stricter one wins, in TDMRep the later one",
    "acap": "an ACAP statement on the same usage in the same page takes the place of this one",
    "cut": "the prohibition was cut or not understood, and nothing lifts such a prohibition",
}

# What each usage is, as the rest of "may …" or "must not …"; {0} is the resource.
USAGES: dict[str, str] = {usage: words.act for usage, words in WORDS.items() if words.act is not None}

# What a restriction asks for.
RESTRICTIONS: dict[str, str] = {
    "time-limit": "the permission ends at this time",
    "max-length": "no more than this may be shown",
    "must-use-resource": "use this resource in its place",
    "must-include-resource": "show this resource with it",
    "prohibited-modification": "it must not be changed in this way",
    "prohibited-context": "it must not be shown in this context",
    "required-context": "it may only be shown in this context",
    "location": "only at this address",
    "excluded-purpose": "not for this purpose",
    "excluded-media": "media of this kind must be left out",
    "max-image-preview": "previews of images may be no larger",
    "max-video-preview": "no more seconds of a video may be shown",
    "content-limit": "no more of it than this may be used",
    "attribution": "its source must be credited, with a link that works",
    "contribution": "something must be given back in good faith",
}

_ASKS = {
    "licence": "a licence",
    "payment": "a payment",
    "consent": "the consent of its owner",
    "terms": "consent to terms",
}


class Role(StrEnum):
    """What a node of the tree is; a rendering picks colours by it."""

    PERMITTED = "permitted"
    CONDITIONAL = "conditional"
    PROHIBITED = "prohibited"
    STAGE = "stage"
    SOURCE = "source"
    STATEMENT = "statement"
    WHY = "why"
    RESTRICTION = "restriction"
    NOTE = "note"


class Node(NamedTuple):
    """One line of an explanation, and the nodes below it.

    `quoted` are further lines that belong to it and stay aligned with each other, as an excerpt with its caret.
    """

    role: Role
    text: str
    children: tuple[Node, ...] = ()
    quoted: tuple[str, ...] = ()

    def walk(self, depth: int = 0) -> Iterator[tuple[int, Node]]:
        """Every node with its depth, the node itself first."""
        yield depth, self
        for child in self.children:
            yield from child.walk(depth + 1)


def place(cited: Cited, names: Mapping[str, str] = NO_NAMES) -> str:
    """Where a statement stands: `robots.txt:12:1`, or the source with its element or header."""
    where = _source(cited, names)
    if cited.line:
        where += f":{cited.line}"
        if cited.column:
            where += f":{cited.column}"
    if cited.element:
        where += f" {cited.element}"
    if cited.header:
        where += f" {cited.header}"
    return visible(where)


def quotation(cited: Cited, names: Mapping[str, str] = NO_NAMES) -> str:
    """Where a statement stands and what it says: `robots.txt:12:1 Disallow: /news/`."""
    return f"{place(cited, names)} {visible(cited.text)}"


def brief(decision: Decision) -> str:
    """The `repr` of a decision: `<Decision prohibited: crawl /a, robots.txt:3 Disallow: /a>`."""
    reason = decision.reason
    first = reason.decided_by[0] if reason.decided_by else None
    why: str = reason.kind
    if first is not None and first.text:
        where = _source(first, NO_NAMES).rpartition("/")[2] if first.line else place(first)
        why = f"{where}:{first.line} {first.text}" if first.line else f"{where} {first.text}"
    url, reason_text = (text if len(text) <= _BRIEF else f"{text[:_BRIEF]}…" for text in (decision.url, why))
    return visible(f"<Decision {decision.outcome}: {_listed(decision.usage)} {url}, {reason_text}>")


def headline(decision: Decision, usages: Sequence[str] = ()) -> str:
    """The answer in one line.

    `usages` names all usages that share the decision, when several do.
    """
    asked = ", ".join(usages) or _listed(decision.usage)
    purposes = _listed(purposes_asked(decision))
    purpose = f" for {purposes}" if purposes else ""
    return visible(f"{decision.outcome}: {asked} of {decision.url} by {crawler_text(decision)}{purpose}")


def kind(decision: Decision) -> str:
    """The sentence for the decision's kind of reason."""
    if decision.reason.kind == "silence" and not decision.permitted:
        return _SILENCE_REFUSES
    if decision.reason.kind == "absent" and (refusal := _refusal(decision)):
        return f"the site refuses its robots.txt ({refusal}), which counts as none, so nothing is forbidden"
    return KINDS.get(decision.reason.kind, visible(decision.reason.kind))


def _refusal(decision: Decision) -> str:
    """The status by which the site refused its robots.txt; empty if it just has none."""
    evidence: Mapping[str, object] = getattr(decision.policy, "evidence", NO_NAMES)
    status = evidence.get("status")
    return next((f"{code.value} {code.phrase}" for code in _REFUSALS if code == status), "")


def summary(decision: Decision, names: Mapping[str, str] = NO_NAMES, *, short: bool = False) -> str:
    """Why, in a few words: the first statement that decided, else the kind of reason.

    `short` is for a row among others: the line of a robots.txt without its document, and no line for what another row's
    line decides. `names` as for `tree`.
    """
    reason = decision.reason
    if not reason.decided_by or (short and reason.kind in ("crawl-prohibited", "preserve-prohibited")):
        return kind(decision)
    first, more = reason.decided_by[0], len(reason.decided_by) - 1
    of_site = first.line and first.element is None
    text = f"line {first.line}: {visible(first.text)}" if short and of_site else quotation(first, names)
    if more:
        text += f" (and {more} more)"
    return text if reason.kind == "statement" else f"{kind(decision)}: {text}"


def condition_text(condition: Condition) -> str:
    """What a condition asks for, in one line: `a payment: purchase 10 USD, server https://example.com/olp`."""
    price = " ".join(part for part in (condition.payment, condition.amount, condition.currency) if part)
    places = {
        "" if condition.asks == "licence" else "licence ": condition.licence,
        "server ": condition.server,
        "policy ": condition.policy,
        "contact ": " ".join(condition.contact),
    }
    named = (f"{name}{where}" for name, where in places.items() if where)
    asked = ", ".join(part for part in (price, *named, condition.text) if part)
    return visible(f"{_ASKS[condition.asks]}: {asked}" if asked else _ASKS[condition.asks])


def restriction_text(restriction: Restriction, usages: Iterable[str | None] = ()) -> str:
    """A restriction and what it asks for, in one line; `usages` are the parts of the question that it is for."""
    text = str(restriction)
    if parts := ", ".join(filter(None, usages)):
        text += f" (for {parts})"
    meaning = RESTRICTIONS.get(restriction.name)
    return visible(text) + (f": {meaning}" if meaning else "")


def failure_text(text: str) -> str:
    """Why a retrieval failed, in one line, without what only programmers read."""
    return visible(_OF_PROGRAMMERS.sub("", text)).rstrip(".")


_OF_PROGRAMMERS = re.compile(r"^\w+Error: |\[Errno -?\d+\] ")


def tree(decision: Decision, usages: Sequence[str] = (), names: Mapping[str, str] = NO_NAMES) -> Node:
    """The explanation: answer, then what decided by source, what lost and why, conditions, restrictions and notes.

    `usages` names all usages that share the decision, when several do. `names` are what sources are called here, such
    as the file that a page was read from; others keep the name they have in the decision.
    """
    reason = decision.reason
    parts = [Node(Role.STAGE, kind(decision), (*_decided(reason, names), *_lost(reason, names)))]
    parts += [Node(Role.RESTRICTION, f"needs {condition_text(one)}") for one in decision.conditions]
    if decision.restrictions:
        parts.append(Node(Role.STAGE, "with these restrictions", tuple(_restrictions(decision))))
    if reason.prohibited_below:
        parts.append(Node(Role.NOTE, visible(f"still prohibited below it: {', '.join(reason.prohibited_below)}")))
    if reason.truncated and reason.kind != "truncated":
        parts.append(Node(Role.NOTE, "a limit cut the policy; the missing part counts as the strictest it could be"))
    return Node(Role(decision.outcome), headline(decision, usages), tuple(parts))


def _source(cited: Cited, names: Mapping[str, str]) -> str:
    source = cited.source or "a source without a name"
    return names.get(source, source)


def _listed(value: str | Sequence[str] | None) -> str:
    return value if isinstance(value, str) else ", ".join(value or ())


def _statement(cited: Cited, names: Mapping[str, str]) -> str:
    meaning = f"  ({cited.effect} {cited.usage})" if cited.usage else ""
    return f"{place(cited, names)}  {visible(cited.text)}{visible(meaning)}"


def _decided(reason: Reason, names: Mapping[str, str]) -> Iterator[Node]:
    for source, group in groupby(reason.decided_by, lambda cited: _source(cited, names)):
        statements = tuple(Node(Role.STATEMENT, _statement(cited, names)) for cited in group)
        yield Node(Role.SOURCE, f"decided by {visible(source)}", statements)


def _lost(reason: Reason, names: Mapping[str, str]) -> Iterator[Node]:
    for source, group in groupby(reason.lost, lambda lost: _source(lost.statement, names)):
        yield Node(Role.SOURCE, f"over these in {visible(source)}", tuple(_loser(lost, names) for lost in group))


def _loser(lost: Lost, names: Mapping[str, str]) -> Node:
    why = Node(Role.WHY, KEYS.get(lost.key, visible(lost.key)))
    return Node(Role.STATEMENT, _statement(lost.statement, names), (why,))


def left_out(decision: Decision) -> tuple[Restriction, ...]:
    """The restrictions that each name a part of the page to be left out."""
    return tuple(restriction for restriction in decision.restrictions if restriction.name == "excluded-element")


def _restrictions(decision: Decision) -> Iterator[Node]:
    parts = left_out(decision)
    for restriction in decision.restrictions:
        if restriction.name == "excluded-element":
            continue
        yield Node(Role.RESTRICTION, restriction_text(restriction, [restriction.usage]))
    if parts:
        yield Node(
            Role.RESTRICTION,
            "excluded-element: leave these parts of the page out",
            tuple(Node(Role.STATEMENT, visible(_part(part))) for part in parts),
        )


def _part(restriction: Restriction) -> str:
    return f"{restriction.value} (for {restriction.usage})" if restriction.usage else restriction.value


def to_text(node: Node) -> str:
    """The tree as plain lines, two blanks of indent a level, without a final newline."""
    return "\n".join(
        f"{'  ' * place}{line}"
        for depth, item in node.walk()
        for place, line in ((depth, item.text), *((depth + 1, quoted) for quoted in item.quoted))
    )


# The terminal's styles, in rich's words.
STYLES: dict[Role, str] = {
    Role.PERMITTED: "bold green",
    Role.CONDITIONAL: "bold yellow",
    Role.PROHIBITED: "bold red",
    Role.STAGE: "",
    Role.SOURCE: "bold",
    Role.STATEMENT: "cyan",
    Role.WHY: "dim",
    Role.RESTRICTION: "yellow",
    Role.NOTE: "yellow",
}


def to_rich(node: Node) -> Tree:
    """The same tree for rich's console; rich, which takes longer to import than all that decides, is imported here."""
    from rich.text import Text
    from rich.tree import Tree

    def words(item: Node) -> Text:
        text = Text(item.text, STYLES[item.role])
        for line in item.quoted:
            text.append(f"\n  {line}", "not bold dim")
        return text

    def grow(item: Node, branch: Tree) -> Tree:
        for child in item.children:
            grow(child, branch.add(words(child)))
        return branch

    return grow(node, Tree(words(node), guide_style="dim"))
