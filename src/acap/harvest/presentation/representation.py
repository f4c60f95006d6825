"""A representation: the result of one usage of one version at one instant.

The laws of this module:

1. Only what is permitted now, with everything that the permission asks for, is shown.
2. A representation that is not shown says why: a statement prohibits it, a required resource is missing, or there is
   nothing to show.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from acap.decision import Decision
from acap.explain import summary
from acap.harvest.presentation.judged import Judged
from acap.usages import WORDS


class State(StrEnum):
    """The result of a usage; `missing`: it would be permitted, or needs no permission, but there is nothing to show."""

    SHOWN = "shown"
    WITHHELD = "withheld"
    MISSING = "missing"


@dataclass(frozen=True, slots=True)
class Shown:
    """A use of a version that showing something makes, for the ledger; `of` is the URL of the page it is shown with."""

    judged: Judged
    usage: str
    of: str | None = None


@dataclass(frozen=True, slots=True)
class Included:
    """Something that is shown with it: a text, an image of a version, a link, or a text that is a link.

    `is_in_page`: it is an element of the page, and so of every copy of the whole page.
    """

    role: str
    text: str = ""
    url: str | None = None
    image: int | None = None
    is_in_page: bool = False


@dataclass(frozen=True, slots=True)
class Representation:
    """The result of a usage; `why` says in one sentence why nothing is shown.

    `text` is what is shown, or the words of a link to `url`. `image` is the number of a version whose copy is an image
    that the publisher wants shown. `included` has to be shown with it. `is_cut`: more would follow, and it is
    permitted to say so. `may_annotate`: words may be marked in it. `uses` are for the ledger.
    """

    usage: str
    state: State
    decision: Decision
    why: str = ""
    text: str = ""
    url: str | None = None
    image: int | None = None
    is_publishers: bool = False
    is_cut: bool = False
    may_annotate: bool = True
    included: tuple[Included, ...] = ()
    uses: tuple[Shown, ...] = ()

    @property
    def is_shown(self) -> bool:
        """Whether it may be shown, and can be."""
        return self.state is State.SHOWN

    @property
    def is_withheld(self) -> bool:
        """Whether its publisher prohibits it."""
        return self.state is State.WITHHELD

    @property
    def name(self) -> str:
        """What people call it."""
        return WORDS[self.usage].shown or self.usage


class MissingError(Exception):
    """There is nothing to show; the message says why."""


def withheld(judged: Judged, usage: str, why: str = "") -> Representation:
    """A representation that is not shown: by the decision, or for another reason that is given."""
    decision = judged.decision(usage)
    return Representation(usage, State.WITHHELD, decision, why or refusal(judged, usage))


def missing(judged: Judged, usage: str, why: str) -> Representation:
    """A representation of which there is nothing."""
    return Representation(usage, State.MISSING, judged.decision(usage), why)


def refusal(judged: Judged, usage: str) -> str:
    """Why a usage is not permitted, in a sentence without the URL of the page, which may be withheld too."""
    if judged.hidden:
        return judged.hidden
    return summary(judged.decision(usage), judged.names)
