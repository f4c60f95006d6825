"""The questions that two policies may answer differently: every usage and every purpose that either tells apart.

Two purposes are told apart if a pattern matches one of them alone; so one purpose for each set of patterns is enough.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain, islice
from time import monotonic

from acap import _native
from acap.publish.crawlers import ANY, documents
from acap.robots import RobotsPolicy
from acap.usages import COMPOSITES, PARENTS

NO_PURPOSE = ""
"""A question without purpose."""

_PURPOSES = 256
"""Most purposes told apart that match patterns with a `*`; each pattern without one is a purpose of its own."""
_TRIES = 32
"""Most texts tried as a purpose that matches a set of patterns."""
_FILLINGS = (b"", b"x", b"x/y", b"/x", b"x ", b" x", b"xyz")
_BLANKS = " \t\n\f\r"


def every_usage(old: RobotsPolicy, new: RobotsPolicy) -> list[str]:
    """The usages of every vocabulary, and those that only the files know."""
    written = (usage for usage in (*old.unknown_usages, *new.unknown_usages) if usage not in COMPOSITES)
    return list(dict.fromkeys([*PARENTS, *written]))


def parts_of(old: RobotsPolicy, new: RobotsPolicy, usages: Iterable[str]) -> list[str]:
    """The usages asked for, composite ones as their parts. Raises ValueError for one that neither policy knows."""
    parts = dict.fromkeys(part for usage in usages for part in COMPOSITES.get(usage.lower(), (usage,)))
    for usage in parts:
        try:
            old.decide("/", crawler=ANY, usage=usage)
        except ValueError:
            new.decide("/", crawler=ANY, usage=usage)
    return list(parts)


def defined_otherwise(old: RobotsPolicy, new: RobotsPolicy) -> list[str]:
    """Usages that both files define differently; pages of the site may name them (P2 3)."""
    before, after = ({name: None for file in documents(policy) for name in file.local_usages} for policy in (old, new))
    return differently_defined(old, new, [name for name in before if name in after])


def differently_defined(old: RobotsPolicy, new: RobotsPolicy, names: Iterable[str]) -> list[str]:
    """Those local usages whose permission or prohibition means something else in the other file."""
    asked = [(name, permits) for name in names for permits in (True, False)]
    meanings = zip(asked, old.definitions(asked), new.definitions(asked), strict=True)
    return list(dict.fromkeys(name for (name, _), before, after in meanings if before != after))


def purposes_of(policy: RobotsPolicy, seconds: float) -> list[str]:
    """Purposes that a policy tells apart, `""` for none; only some if there are very many, or the time is over."""
    return every_purpose(policy, policy, monotonic() + seconds)[0]


def every_purpose(old: RobotsPolicy, new: RobotsPolicy, until: float) -> tuple[list[str], bool]:
    """Purposes that the files tell apart, and whether there are more."""
    written = dict.fromkeys(purpose for policy in (old, new) for file in documents(policy) for purpose in file.purposes)
    # The whole purpose is matched, so a final `$` adds nothing (P1 4.5.1).
    bare = (purpose.strip(_BLANKS).removesuffix("$") for purpose in written if purpose != ANY)
    patterns = dict.fromkeys(map(_native.folded_purpose, bare))
    # A pattern without a `*` matches only one purpose: itself.
    literals = [pattern for pattern in patterns if b"*" not in pattern]
    wild = [pattern for pattern in patterns if b"*" in pattern]
    texts, more = _native.purposes_told_apart(wild, literals, _PURPOSES) if wild else ([], False)

    def matching(purpose: bytes) -> set[bytes]:
        # A pattern with a final `$` is matched as a whole, and in time linear in both.
        return {pattern for pattern in wild if _native.matches(pattern + b"$", purpose)} | ({purpose} & patterns.keys())

    purposes = [NO_PURPOSE]
    for text in (*literals, *texts):
        if monotonic() > until:
            return purposes, True
        wanted = matching(text)
        # A purpose asked for is normalised first, and may then match other patterns.
        tries = chain([text], (pattern.replace(b"*", filling) for pattern in wanted for filling in _FILLINGS))
        readable = (octets.decode("utf-8", "replace") for octets in islice(tries, _TRIES))
        fitting = (name for name in readable if name.strip() and matching(_native.folded_purpose(name)) == wanted)
        purpose = next(fitting, None)
        if purpose is None:
            more = True
        else:
            purposes.append(purpose)
    return purposes, more
