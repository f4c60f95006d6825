"""A decision and its reason, as Python sees them.

`Decision` is native: its outcome is there at once, its reason and restrictions are worked out when someone asks. This
module gives it the types it answers with.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

from acap import _native
from acap._native import Decision, Decisions
from acap.conditions import Condition
from acap.restrictions import Restriction, restriction

SEMANTICS: str = _native.SEMANTICS
"""The version of the semantics that decisions follow; it changes when an answer may."""

Kind: TypeAlias = Literal[
    "statement",
    "silence",
    "crawl-prohibited",
    "preserve-prohibited",
    "unreachable",
    "absent",
    "reference-missing",
    "policy-resource",
    "expired",
    "not-honoured",
    "take-down",
    "truncated",
    "unreadable",
    "element-level",
    "control-token",
]
"""The kind of a reason."""

KINDS: tuple[Kind, ...] = get_args(Kind)
"""Every kind of reason."""

Key: TypeAlias = Literal[
    "crawler-named",
    "purpose",
    "part",
    "usage",
    "resources",
    "draft-comparison",
    "tie",
    "length",
    "allow-on-tie",
    "order",
    "explicit-allow",
    "dialect",
    "acap",
    "carrier",
    "cut",
]
"""The comparison by which a statement lost."""

Effect: TypeAlias = Literal["permits", "prohibits", "conditional"]
"""What a statement does."""


class Outcome(StrEnum):
    """How a question is answered, the stricter answers later."""

    PERMITTED = "permitted"
    CONDITIONAL = "conditional"
    PROHIBITED = "prohibited"


STRICTNESS: Mapping[str, int] = {outcome: rank for rank, outcome in enumerate(Outcome)}
"""The rank of each outcome; the stricter one has the greater."""


class Cited(NamedTuple):
    """A statement as a reason cites it; `line` and `column` count from 1, and none where there is no line.

    `condition` is what would satisfy a conditional one, where its text says so.
    """

    source: str | None
    line: int | None
    column: int | None
    element: str | None
    header: str | None
    text: str
    effect: Effect
    usage: str
    dialect: str
    condition: Condition | None = None


class Lost(NamedTuple):
    """A statement that applied and lost, and the key on which it did."""

    statement: Cited
    key: Key


class Reason(NamedTuple):
    """Why a question was answered as it was.

    `kind` is one of `KINDS`. Of the statements that decided, and of those that lost, at most 256 are named.
    `prohibited_below` names the usages below the asked one that are prohibited. `truncated` says that a limit cut the
    policy, so that something may have been missed.
    """

    kind: Kind
    decided_by: tuple[Cited, ...] = ()
    lost: tuple[Lost, ...] = ()
    prohibited_below: tuple[str, ...] = ()
    truncated: bool = False


def crawler_text(decision: Decision) -> str:
    """Who was asked for, as one text: a name, or several in order with commas between."""
    crawler: Any = decision.crawler
    return crawler if isinstance(crawler, str) else ",".join(getattr(crawler, "names", crawler))


def purposes_asked(decision: Decision) -> str | Sequence[str] | None:
    """The purposes of the question, else those that the crawler brings along."""
    if decision.purpose is not None:
        return decision.purpose
    purposes: Sequence[str] | None = getattr(decision.crawler, "purposes", None)
    return purposes


_Cited = tuple[
    str | None, int | None, int | None, str | None, str | None, str, Effect, str, str, Condition | str | None
]


def cited(fields: _Cited) -> Cited:
    """A statement as the native core cites it; of a License line the condition is the URL of its document."""
    condition = fields[-1]
    return Cited(*fields[:-1], Condition("licence", licence=condition) if isinstance(condition, str) else condition)


def _reason(
    kind: Kind, decided: list[_Cited], lost: list[tuple[_Cited, Key]], below: list[str], truncated: bool
) -> Reason:
    """Called back by the native core."""
    return Reason(
        kind,
        tuple(map(cited, decided)),
        tuple(Lost(cited(one), key) for one, key in lost),
        tuple(below),
        truncated,
    )


def _restriction(name: str, value: str, usage: str | None = None) -> Restriction:
    """Called back by the native core; few answers hold any."""
    return restriction(name, value, usage)


def changed(decision: Decision, **fields: Any) -> Decision:
    """The decision with other values of some fields, without its policy."""
    return _native.Decision._kept({**decision._fields(), **fields})


def restriction_statements(decision: Decision) -> list[tuple[str, str, _Cited]]:
    """Name and value of each restriction, with the statement that makes it: the field `held` of `changed`."""
    return _native.Decision._held(decision)


StatementCarrier: TypeAlias = tuple[str, str | None, str | None, int | None]
"""Dialect, source, header and line of a statement."""


def first_statement(decision: Decision) -> tuple[StatementCarrier | None, bool, Sequence[str]]:
    """The first statement that decided, if one did, whether there may be restrictions, and `Reason.prohibited_below`.

    Of the statement it is what it is carried by: dialect, source, header and line. No reason is built for it.
    """
    known = _native.Decision._first(decision)
    first: _Cited | Cited | None
    below: Sequence[str]
    if known is None:
        first, *_ = (*decision.reason.decided_by, None)
        is_restricted, below = True, decision.reason.prohibited_below
    else:
        first, is_restricted, below = known
    if first is None:
        return None, is_restricted, below
    source, line, _, _, header, _, _, _, dialect, _ = first
    return (dialect, source, header, line), is_restricted, below


def _restore(fields: dict[str, Any]) -> Decision:
    """Makes a pickled decision again: with its reason, without its policy."""
    return _native.Decision._kept(fields)


def _bind() -> None:
    permitted, conditional, prohibited = Outcome
    _native.bind((permitted, conditional, prohibited), _reason, _restriction, _restore)


_bind()

__all__ = ["KINDS", "SEMANTICS", "Cited", "Decision", "Decisions", "Lost", "Outcome", "Reason"]
