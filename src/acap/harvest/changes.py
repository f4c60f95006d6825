"""Changes to a store, and the acts that the ledger enters for them, as values.

A plan (`plan`) is made of changes to policies, versions, copies, index, schedule and requests. `commit` carries it out.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from acap.harvest.act import Act
from acap.harvest.copies.place import Place
from acap.harvest.resource import Version
from acap.harvest.task import Wanted
from acap.retrieval.answers import Headers
from acap.robots import RobotsPolicy

Requirement = tuple[str, str, str]
"""Usage, restriction and URL of a required resource."""

NEW = 0
"""Stands for the number of the version that a plan adds: only the store gives numbers."""


@dataclass(frozen=True, slots=True)
class PolicyReceived:
    """A robots.txt was received, or its site was out of reach."""

    policy: RobotsPolicy
    at: datetime


@dataclass(frozen=True, slots=True)
class Received:
    """A response was received; `later_headers` and `passages` are the resource's from now on.

    `version` is the one that it brought, which is `NEW`, or the one that it confirmed. `is_current`: no earlier version
    is current any more. `speaks`: it has a body, whose statements are the resource's now.
    """

    version: Version
    at: datetime
    later_headers: Headers
    passages: str
    is_current: bool = True
    speaks: bool = True


@dataclass(frozen=True, slots=True)
class Required:
    """A version requires these resources beside others."""

    version: int
    requirements: tuple[Requirement, ...]


@dataclass(frozen=True, slots=True)
class Indexed:
    """The index has title and text of a version, which are `parts` of it; without `words` nothing any more."""

    version: int
    words: tuple[str, str] | None
    parts: str = ""


class WrittenCopy(NamedTuple):
    """The place of a copy that was written, and its digest. It counts once the change that has it is carried out."""

    place: Place
    digest: str


@dataclass(frozen=True, slots=True)
class Preserved:
    """A version has this copy, with `parts` of it, in place of the one before; None if no copy of it is kept."""

    version: int
    before: Place | None
    copy: WrittenCopy | None
    parts: str = ""


@dataclass(frozen=True, slots=True)
class Due:
    """A resource has to be judged again by an instant; None if only an event makes that necessary.

    `firsts` took place `at` that time, perhaps for the first time.
    """

    resource: int
    at: datetime
    due: datetime | None
    firsts: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class SiteDue:
    """Everything that is kept of a site has to be judged again."""

    site: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Requested:
    """A publisher or the operator requests something of a URL; `stated_in` names the document, or the reason.

    `again`: the request counts anew if it was carried out before.
    """

    action: str
    url: str
    stated_in: str
    at: datetime
    again: bool = False


@dataclass(frozen=True, slots=True)
class RequestDone:
    """A request was carried out."""

    action: str
    url: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Closed:
    """A URL of the schedule is finished."""

    task: int
    state: str
    why: str | None = None


@dataclass(frozen=True, slots=True)
class Postponed:
    """A URL of the schedule gets another turn; `attempt`: this one counts as an attempt."""

    task: int
    due: datetime
    why: str
    attempt: bool


@dataclass(frozen=True, slots=True)
class Scheduled:
    """URLs come on the schedule of a run; `again`: also those that were refused before a page required them."""

    run: int
    wanted: tuple[Wanted, ...]
    at: datetime
    again: bool


@dataclass(frozen=True, slots=True)
class Spent:
    """Time and octets that a run took since the last such change."""

    run: int
    seconds: float
    octets: int


Change = (
    PolicyReceived | Received | Required | Indexed | Preserved | Due | SiteDue | Requested | RequestDone
    | Closed | Postponed | Scheduled | Spent
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class ChangeSet:
    """Changes, in order, and the acts that the ledger enters for them.

    `firsts` takes place for the resource, perhaps for the first time, and `end` is when a permission ends: a change
    `Due` comes of them once all versions of the resource are judged.
    """

    changes: tuple[Change, ...] = ()
    acts: tuple[Act, ...] = ()
    firsts: frozenset[str] = frozenset()
    end: datetime | None = None

    def __add__(self, other: ChangeSet) -> ChangeSet:
        ends = [end for end in (self.end, other.end) if end is not None]
        return ChangeSet(
            self.changes + other.changes, self.acts + other.acts, self.firsts | other.firsts, min(ends, default=None)
        )
