"""The result of a conversion: the new text, and notes on what it could not express."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

Target = Literal["acap", "acap-1.0", "acap-1.1", "robots", "meta", "headers"]
"""What a policy can be converted to."""

TARGETS: tuple[Target, ...] = get_args(Target)

TITLE = "# The records above in ACAP terms"
"""The comment above ACAP lines that were added to conventional ones."""


class OutOfTimeError(ValueError):
    """The time was up before a policy was converted."""


@dataclass(frozen=True, slots=True)
class Note:
    """Something that a conversion changed, left out or could not say; line 0 is the document as a whole.

    `loss`: the result does not have it. Otherwise the result expresses it in another way, or elsewhere.
    """

    line: int
    message: str
    loss: bool = False


@dataclass(frozen=True, slots=True)
class Conversion:
    """A converted document.

    `text` are its octets and `original` those it was made from. `alone`, if it is not the same, is the part of `text`
    that is new: the ACAP lines that a crawler reads which leaves out conventional ones. `added` counts the statements
    that no line of the original says, needed where two orders of precedence differ. `url` is the page's, for META tags
    and headers. `proved`: that no answer is looser was proved, not merely not refuted in the time for it. `omitted` are
    usages of which `alone` does not say all that the original says. `crawl_only`: what is answered about crawling alone
    was compared, and notes tell every statement that the result has no words for.
    """

    text: bytes
    notes: tuple[Note, ...]
    to: Target
    original: bytes
    alone: bytes | None = None
    added: int = 0
    url: str | None = None
    crawlers: tuple[str, ...] = ()
    proved: bool = True
    omitted: tuple[str, ...] = ()
    crawl_only: bool = False
