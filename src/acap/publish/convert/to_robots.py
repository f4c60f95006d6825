"""What ACAP says about crawling, as conventional groups (RFC 9309): the longest pattern wins there.

Laws:
- A crawler that ACAP names gets one group, with what its record and the `*` record come to together: a group hears
  nothing of another.
- Of a permission and a prohibition that meet, the one that wins in ACAP has the longer pattern. Where its natural
  spelling is shorter it is made longer by stars that change nothing: `/a**` matches what `/a` matches.
- What cannot be said so prohibits, and is noted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from acap import _native
from acap.publish.convert.conversion import TITLE, Conversion, Note
from acap.publish.convert.order import Line, Voice, ordered
from acap.publish.convert.records import ANY, gathered, names_of
from acap.publish.convert.surroundings import INDEPENDENT, Surroundings, joined
from acap.robots import parse_robots

if TYPE_CHECKING:
    from collections.abc import Iterator

    from acap.robots import PolicyStatement, RobotsPolicy


def to_robots(octets: bytes) -> Conversion:
    """A robots.txt without ACAP that answers as this one about crawling, or stricter.

    What is prohibited to a purpose is prohibited, and what is permitted with a restriction is not permitted: there
    are no words for them.

    Conventional lines stay as they are if they already say the same as ACAP.
    """
    from acap.publish.compare import compare

    policy = parse_robots(octets)
    notes = list(_unsaid(policy))
    has_acap = any(line.kind == "ACAP" for line in policy.lines)
    kept = _without_acap(policy) if has_acap else octets
    if not has_acap or compare(policy, parse_robots(kept), usages=["crawl"]).verdict == "equal":
        return Conversion(kept, tuple(notes), "robots", octets)
    writing = _Writing(policy)
    text = joined([writing.around.before, *writing.groups, writing.around.beside])
    notes += writing.notes
    notes += [
        Note(one.line, f"`{one.field}` belongs to a group that is written anew, and is left out", loss=True)
        for one in policy.extensions
        if one.field not in INDEPENDENT
    ]
    notes.sort(key=lambda note: note.line)
    return Conversion(text, tuple(notes), "robots", octets, None, writing.added)


def _without_acap(policy: RobotsPolicy) -> bytes:
    """The other lines, without what a conversion to ACAP writes above its own."""
    own = TITLE.encode()
    kept = [
        line.octets
        for line in policy.lines
        if line.kind not in ("ACAP", "##ACAP") and not (line.kind == "comment" and line.octets.strip() == own)
    ]
    while len(kept) > 1 and not kept[-1].strip():
        kept.pop()
    return b"".join(kept)


class _Writing:
    """The groups, one for each crawler that is told otherwise than all."""

    def __init__(self, policy: RobotsPolicy) -> None:
        self.notes: list[Note] = []
        self.added = 0
        self.around = Surroundings(policy.lines, ("User-agent", "Allow", "Disallow", "ACAP"))
        self.groups = list(self._groups(policy))

    def _groups(self, policy: RobotsPolicy) -> Iterator[list[str]]:
        acap = [one for one in policy.statements if one.cited.dialect == "acap" and one.cited.usage == "crawl"]
        heard = _Heard(policy, acap)
        default = self._lines(heard.by(ANY))
        alike: dict[tuple[Line, ...], list[str]] = {}
        for name in heard.names:
            lines = self._refused(policy, name) or self._lines(heard.by(name))
            if [line.text for line in lines] != [line.text for line in default]:
                alike.setdefault(lines, []).append(name)
        self._tokens([name for names in alike.values() for name in names])
        for lines, names in alike.items():
            yield list(self._group(names, lines))
        if default or not alike:
            yield list(self._group([ANY], default))

    def _lines(self, voices: list[Voice]) -> tuple[Line, ...]:
        lines, left_out = ordered(voices)
        for voice in left_out:
            message = f"`{voice.pattern}` cannot be permitted to its full extent in robots.txt without permitting more"
            note = Note(voice.line, message, loss=True)
            if note not in self.notes:
                self.notes.append(note)
        self.added += sum(line.added for line in lines)
        return lines

    def _refused(self, policy: RobotsPolicy, name: str) -> tuple[Line, ...]:
        """Everything, while permissions are in a document that is not at hand (P1 4.7)."""
        return (Line("Disallow: /", 0),) if policy.missing_references(name) else ()

    def _group(self, names: list[str], lines: tuple[Line, ...]) -> Iterator[str]:
        at = min((line.line for line in lines), default=0)
        yield from self.around.take(range(at))
        yield from (f"User-agent: {name}" for name in names)
        for line in lines:
            yield from self.around.take(range(at, line.line + 1))
            at = max(at, line.line + 1)
            yield line.text
        if not lines:
            yield "Disallow:"

    def _tokens(self, names: list[str]) -> None:
        """Names that RFC 9309 finds by a part of them as well, which ACAP does not."""
        known = {name.lower() for name in names}
        for name in names:
            for other in names_of(name):
                if other.lower() not in known:
                    message = f"a group for `{name}` also speaks to a crawler `{other}` (RFC 9309 2.2.1)"
                    self.notes.append(Note(0, message, loss=True))


class _Heard:
    """What each crawler hears, as voices."""

    def __init__(self, policy: RobotsPolicy, acap: list[PolicyStatement]) -> None:
        self._acap = acap
        ignored = policy.ignores_conventional is not None
        rep = parse_robots(b"" if ignored else _without_acap(policy), dialect="rfc9309")
        self._groups = {name.lower(): one for one in gathered(rep) for name in one.names}
        named = [name for one in acap for name in one.crawlers if name != ANY]
        named += [name for one in self._groups.values() for name in one.names if name != ANY]
        referred = [name for name in policy.crawlers if policy.missing_references(name)]
        by_name = {name.lower(): name for name in reversed([*named, *referred]) if name != ANY}
        self.names = [by_name[key] for key in reversed(by_name)]

    def by(self, name: str) -> list[Voice]:
        """The statements that a crawler hears."""
        key = name.lower()
        out: list[Voice] = []
        for one in self._acap:
            crawlers = [crawler.lower() for crawler in one.crawlers]
            if key in crawlers or ANY in crawlers:
                tier = 0 if key != ANY and key in crawlers else 1
                pattern = _native.canonical_pattern(one.pattern.encode()).decode("ascii")
                if not pattern.startswith(("/", "*")):
                    pattern = f"/{pattern}"
                permits = one.cited.effect == "permits"
                if permits and one.purposes and not one.restrictions:
                    continue  # what is permitted to some purposes is no permission without one
                # A permission that cannot be said as it is meant is none.
                out.append(Voice(pattern, permits and not one.restrictions, one.cited.line or 0, tier))
        group = self._groups.get(key) or self._groups.get(ANY)
        tier = 0 if key != ANY and key in self._groups else 1
        rules = group.rules if group else ()
        out += [Voice(rule.pattern, rule.permits, rule.line, tier, rank=rule.key) for rule in rules]
        return list(dict.fromkeys(out))


def _unsaid(policy: RobotsPolicy) -> Iterator[Note]:
    """What robots.txt says nothing about without ACAP."""
    said: set[int] = set()
    for one in policy.statements:
        line = one.cited.line or 0
        if one.cited.dialect != "acap" or line in said:
            continue
        said.add(line)
        if one.cited.usage != "crawl":
            message = f"`{one.cited.usage}` cannot be expressed in robots.txt; say it in META tags or headers"
        elif one.purposes:
            message = f"the purpose `{one.purposes[0]}` cannot be expressed in robots.txt"
        elif one.restrictions:
            message = f"`{one.restrictions[0][0]}` cannot be expressed in robots.txt"
        else:
            continue
        yield Note(line, message, loss=True)
