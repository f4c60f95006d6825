"""The proof of a conversion: it answers as its original does, or the answers that differ."""

from __future__ import annotations

from collections.abc import Sequence

from acap.decision import STRICTNESS
from acap.publish.compare import Change, Comparison, Undecided, compare
from acap.publish.convert.conversion import Conversion
from acap.publish.convert.page_proof import compare_page
from acap.publish.convert.versions import in_words_of_1_0
from acap.publish.crawlers import ANY
from acap.publish.patterns import LateError, in_time, time_left
from acap.robots import parse_robots
from acap.usages import PARENTS

STEPS = 1 << 29
"""Steps per proof, some seconds."""
SECONDS = 15.0
"""Time per proof, whatever the steps."""
PATIENT_STEPS = 1 << 33
"""Steps where somebody waits for nothing else; few of 2,500 real files need more than `STEPS`."""
PATIENT_SECONDS = 180.0
"""Time where somebody waits for nothing else, whatever the steps."""


def looser(changes: Sequence[Change]) -> Change | None:
    """The first change that permits more, or restricts less, if there is one."""
    for change in changes:
        before, after = change.before, change.after
        freed = STRICTNESS[after.outcome] < STRICTNESS[before.outcome]
        held, kept = (set(map(in_words_of_1_0, side.restrictions)) for side in (before, after))
        if freed or (after.outcome == before.outcome and not held <= kept):
            return change
    return None


def verify(conversion: Conversion, *, steps: int = STEPS, seconds: float = SECONDS) -> Comparison:
    """Proves that a conversion answers as its original does, or tells where it does not.

    Of ACAP added to conventional lines both the whole file and the ACAP lines alone are compared, these but for the
    usages that are `omitted` in them. About a page every usage is asked for its URL. Where crawling alone was converted
    nothing else is compared.

    Args:
        conversion: what `convert` made.
        steps: how much may be worked out for each of the two before the rest is called undecided.
        seconds: how long it may take, both together, whatever the steps.

    Raises:
        ValueError: what was made from a page is not verified.
    """
    if conversion.url is not None:
        try:
            with in_time(seconds):
                return compare_page(conversion)
        except LateError:
            return Comparison((), (Undecided(ANY, ANY, ANY),))
    old = parse_robots(conversion.original)
    text = parse_robots(conversion.text)
    # Where nothing speaks of other usages, all of them are as crawling is (G 2.4).
    speaks = old.signals or any(statement.cited.usage != "crawl" for statement in old.statements)
    usages = ["crawl"] if conversion.crawl_only or not speaks else None
    with in_time(seconds):
        comparison = compare(old, text, usages=usages, steps=steps, seconds=time_left(seconds))
        if conversion.alone is None:
            return comparison
        if speaks and conversion.omitted:
            usages = [usage for usage in (*PARENTS, *old.unknown_usages) if usage not in conversion.omitted]
        alone = compare(old, parse_robots(conversion.alone), usages=usages, steps=steps, seconds=time_left(seconds))
    changes = dict.fromkeys((*comparison.changes, *alone.changes))
    return Comparison(tuple(changes), tuple(dict.fromkeys((*comparison.undecided, *alone.undecided))))
