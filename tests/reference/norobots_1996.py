"""The dialect `norobots-1996`: rules in order, the first that matches decides, Allow is the default (K2 3.2.2).

The path is compared without its query, escapes decoded on both sides unless they encode `/`.
"""

from __future__ import annotations

import re

from .canonical import canonical_prefix
from .conventional import DISALLOW, Group, Refusal, Verdict

ESCAPE = re.compile(r"%([0-9A-F]{2})")
ESCAPED_SLASH = "\u2044"  # no decoded octet is this


def decide(record: Group | None, named: bool, path: str) -> Verdict:
    """The verdict of a record on a canonical path."""
    sought = decoded(path.partition("?")[0])
    for rule in record.rules if record else ():
        permits = rule.kind != DISALLOW
        if (
            not rule.value
            or not (rule.is_whole if permits else not rule.line.cut)
            or not sought.startswith(decoded(canonical_prefix(rule.value)))
        ):
            continue
        if permits:
            return Verdict(allowed_by=rule.line.number)
        return Verdict(refusals=(Refusal(canonical_prefix(rule.value), rule.line.number, named),))
    return Verdict()


def decoded(canonical: str) -> str:
    """The octets of a canonical path, a character each; an escaped `/` stays apart from a plain one."""
    return ESCAPE.sub(lambda escape: ESCAPED_SLASH if escape[1] == "2F" else chr(int(escape[1], 16)), canonical)
