"""Conventional records in ACAP terms (G 1.5): the same crawlers, the same paths, the same answers about crawling.

Laws:
- A crawler whose name a group bears gets one record with all that its groups say (RFC 9309 2.2.1), under each name by
  which it is found.
- Such a record begins with `ACAP-allow-crawl: /`: a named group ignores the `*` group, but a named record
  is under the `*` record wherever it has no statement itself (P1 4.1).
- The answers of the ACAP lines alone are those of the conventional lines alone; so both together answer likewise.
- What signals refuse (Content-Signal, Content-Usage) is written in ACAP terms too, if the whole file answers as before.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import replace

from acap.publish.acap_version import ACAP_VERSION
from acap.publish.compare import SECONDS
from acap.publish.convert.conversion import TITLE, Conversion, Note, Target
from acap.publish.convert.precedence import PathRule, Settled, settle
from acap.publish.convert.proof import verify
from acap.publish.convert.records import ANY, Gathered, conventional, gathered, versioned
from acap.publish.convert.signals import Signals
from acap.publish.convert.surroundings import INDEPENDENT, Surroundings, joined
from acap.publish.patterns import check_time, contains, meet, time_left
from acap.robots import Limits, RobotsPolicy, parse_robots
from acap.usages import PARENTS, above, below

_ACAP = ("ACAP", "##ACAP")
_Uses = dict[str, "tuple[PathRule, ...]"]
# What no ACAP field says.
_WITHOUT_WORD = frozenset(
    {"Crawl-delay", "Request-rate", "Visit-time", "Host", "Clean-param", "Robot-version", "Comment", "Noindex"}
)


def to_acap(octets: bytes, to: Target, *, only: bool = False) -> Conversion:
    """Adds to a robots.txt what its conventional lines say, in ACAP terms; `only`: in their place.

    A robots.txt that already speaks ACAP about crawling is left as it is.
    """
    policy = parse_robots(octets)
    if (reason := _is_done(policy)) is not None:
        return Conversion(octets, (Note(policy.ignores_conventional or 0, reason),), to, octets)
    rep = conventional(octets)
    signals = Signals(policy, rep.crawlers)
    conversion = _written(policy, rep, signals, to, only=only)
    if not signals.refused:
        return conversion
    if verify(conversion, seconds=time_left(SECONDS)).verdict == "equal":
        return conversion
    if only:
        return _written(policy, rep, Signals(policy, rep.crawlers, permitting=False), to, only=True)
    # The publisher did not mean to state more: the signals still state it.
    conversion = _written(policy, rep, Signals(rep, ()), to, only=False)
    notes = [
        *conversion.notes,
        *(Note(line, "this signal stays only in the conventional part") for line in sorted(signals.effective_lines)),
    ]
    notes.sort(key=lambda note: note.line)
    beneath = [usage for refused in sorted(signals.refused) for usage in (refused, *below(refused))]
    remainder = [usage for usage in PARENTS if usage not in ("crawl", "follow")] if "other" in signals.refused else []
    return replace(
        conversion, notes=tuple(notes), omitted=tuple(dict.fromkeys([*conversion.omitted, *beneath, *remainder]))
    )


def _written(policy: RobotsPolicy, rep: RobotsPolicy, signals: Signals, to: Target, *, only: bool) -> Conversion:
    octets = policy.octets
    writer = _AcapWriter(policy, rep, signals, comments=only)
    licences = [extension for extension in policy.extensions if extension.field == "License"] if policy.signals else []
    # Without its User-agent lines the licence of a group would be one of the whole file.
    bound = len(gathered(rep)) > 1 and any(licence.group is not None for licence in licences)
    if not writer.records:
        nothing = Note(0, "there is no conventional record to convert")
        return Conversion(octets, (*writer.notes, nothing), to, octets)
    version = f"##ACAP version={ACAP_VERSION if to == 'acap' else to.removeprefix('acap-')}"
    head = [version] if policy.version is None else []
    kept = [line.octets.decode("utf-8", "surrogateescape").strip() for line in policy.lines if line.kind in _ACAP]
    alone = joined([head, kept, *writer.records, [f"{licence.field}: {licence.value}" for licence in licences]])
    if only:
        text = joined([writer.around.before, head, kept, *writer.records, writer.around.beside])
    else:
        end = b"" if octets.endswith((b"\n", b"\r")) else b"\n"
        text = octets + end + b"\n" + TITLE.encode() + b"\n" + joined([head, *writer.records])
    # What is left out for crawling may be left out for a signal too; it is noted once.
    notes = [*dict.fromkeys(writer.notes), *_without_word(policy, signals, only=only)]
    if len(text) > (most := policy.limits.file_octets):
        # A reader might only get the permissions of half a record.
        message = f"with the added lines the file has {len(text)} octets, and readers stop at {most}; it is unchanged"
        return Conversion(octets, (*notes, Note(0, message, loss=True)), to, octets)
    notes.sort(key=lambda note: note.line)
    return Conversion(
        text, tuple(notes), to, octets, alone, writer.added, omitted=("tdm", *below("tdm")) if bound else ()
    )


def _is_done(policy: RobotsPolicy) -> str | None:
    if policy.ignores_conventional:
        return "readers of ACAP ignore the conventional lines; there is nothing to convert"
    if _is_open(policy):
        return "the last ACAP record has no fields and would take over the added ones; complete or remove it first"
    spoken = any(
        statement.cited.dialect == "acap" and statement.cited.usage == "crawl" for statement in policy.statements
    )
    return "the file already has ACAP fields about crawling; it is unchanged" if spoken else None


def _is_open(policy: RobotsPolicy) -> bool:
    """Whether crawler lines at the end would belong to a following record."""
    added = [statement.crawlers for statement in _with_record(policy).statements if statement.cited.dialect == "acap"][
        -1:
    ]
    return added != [("added",)]


def _stand_alone(policy: RobotsPolicy) -> bool:
    """Whether added ACAP lines replace the conventional ones, which may be ignored with them."""
    return _with_record(policy).ignores_conventional is not None


def _with_record(policy: RobotsPolicy) -> RobotsPolicy:
    """The policy with one more record, whose permission counts."""
    octets = policy.octets + b"\nACAP-crawler: added\nACAP-allow-crawl: /\n"
    # The addition must be read, however long the file is.
    return parse_robots(octets, limits=Limits(file_octets=len(octets)))


class _AcapWriter:
    """The records; with `comments` also the lines around them in the original."""

    def __init__(self, policy: RobotsPolicy, rep: RobotsPolicy, signals: Signals, *, comments: bool) -> None:
        self.notes: list[Note] = []
        self.added = 0
        self._known: dict[tuple[PathRule, ...], Settled] = {}
        converted = ("User-agent", "Allow", "Disallow")
        self._only = comments
        self._signals = signals
        self._default: _Uses = {}
        self.around = Surroundings(policy.lines if comments else (), converted)
        self.records = list(self._records(policy, rep))

    def _records(self, policy: RobotsPolicy, rep: RobotsPolicy) -> Iterator[list[str]]:
        named = versioned(policy)
        alone = self._only or (bool(named) and _stand_alone(policy))
        groups = gathered(rep)
        default = next((one for one in groups if one.names == [ANY]), None)
        if default is None and self._signals.for_every_crawler:
            default = Gathered([ANY], [])
            groups.append(default)
        if default is not None:
            self._default = self._uses(default, ANY)
        for group in groups:
            check_time()
            if not named.isdisjoint(name.lower() for name in group.names):
                message = (
                    f"ACAP has no words for the rule order of Robot-version 2, which `{group.names[0]}` should follow"
                )
                self.notes.append(Note(min(group.lines, default=0), message, loss=True))
                if alone:
                    # Without the conventional lines no other line would refuse it anything.
                    yield [*(f"ACAP-crawler: {name}" for name in group.names), "ACAP-disallow-crawl: /"]
                continue
            for part, uses in self._parted(group):
                if default is None or part.names == [ANY] or group.rules != default.rules or uses != self._default:
                    # For others the record for all has the same.
                    yield list(self._record(part, uses))

    def _parted(self, group: Gathered) -> Iterator[tuple[Gathered, _Uses]]:
        """Crawlers with the same rules for crawling, divided by their signals."""
        alike: list[tuple[_Uses, list[str]]] = []
        for name in group.names:
            check_time()
            uses = self._uses(group, name)
            same = next((names for known, names in alike if known == uses), None)
            if same is None:
                alike.append((uses, [name]))
            else:
                same.append(name)
        for uses, names in alike:
            yield Gathered(names, group.rules, group.lines), uses

    def _uses(self, group: Gathered, name: str) -> _Uses:
        """The refusals of signals for a crawler, in ACAP's order of precedence."""
        return {
            usage: self._settled(Gathered(group.names, list(rules))).rules
            for usage, rules in self._signals.rules(name).items()
        }

    def _record(self, group: Gathered, uses: _Uses) -> Iterator[str]:
        settled = self._settled(group)
        self.added += sum(rule.added for rule in settled.rules)
        lines = self.around.commented(group.lines)
        first = min((rule.line for rule in group.rules), default=0)
        yield from self._comments(lines, first - 1)
        for name in group.names:
            yield f"ACAP-crawler: {name}"
        if _needs_base(group, settled):
            yield "ACAP-allow-crawl: /"
        for rule in sorted(settled.rules, key=lambda rule: (rule.line, rule.added)):
            yield from self._comments(lines, rule.line)
            yield _field(rule, "crawl")
        yield from self.around.take(lines)
        for usage in dict.fromkeys([*uses, *self._default]):
            # A refusal of a broader use also refuses this one, whatever else is stated on it.
            rules = list(_together([uses[one] for one in (usage, *above(usage)) if one in uses]))
            if group.names != [ANY] and not any(contains(rule.pattern, "/") for rule in rules):
                yield f"ACAP-allow-{usage}: /"
            for rule in dict.fromkeys(rules):
                yield _field(rule, usage)
        if "other" in uses:
            # In ACAP `other` is every usage without a statement; a signal names all that it refuses (`use=reference`).
            yield from (f"ACAP-allow-{usage}: /" for usage in ("index", "present") if usage not in uses)

    def _comments(self, lines: deque[int], last: int) -> Iterator[str]:
        """The comments at the lines up to the `last`, which are removed from `lines`."""
        while lines and lines[0] <= last:
            yield from self.around.take((lines.popleft(),))

    def _settled(self, group: Gathered) -> Settled:
        # Groups for many crawlers repeat the same on other lines.
        lines = list(dict.fromkeys(rule.line for rule in group.rules))
        places = {line: place for place, line in enumerate(lines)}
        placed = tuple(replace(rule, line=places[rule.line]) for rule in group.rules)
        if placed not in self._known:
            self._known[placed] = settle(placed)
        known = self._known[placed]
        settled = Settled(
            tuple(replace(rule, line=lines[rule.line]) for rule in known.rules),
            tuple(replace(rule, line=lines[rule.line]) for rule in known.dropped),
            tuple(replace(rule, line=lines[rule.line]) for rule in known.redundant),
        )
        for rule in settled.dropped:
            message = f"`Allow: {rule.pattern}` overlaps other rules in too many ways and is left out"
            self.notes.append(Note(rule.line, message, loss=True))
        for rule in settled.redundant:
            message = (
                f"`Allow: {rule.pattern}` permits only what is permitted anyway and would need many lines; it is left "
                f"out"
            )
            self.notes.append(Note(rule.line, message))
        return settled


def _field(rule: PathRule, usage: str) -> str:
    # A sign at the end of a resource may divide it from another; before a star it is part of the pattern.
    end = "*" if rule.pattern.endswith((",", ";")) else ""
    return f"ACAP-{'allow' if rule.permits else 'disallow'}-{usage}: {rule.pattern}{end}"


def _together(uses: Sequence[tuple[PathRule, ...]]) -> Iterator[PathRule]:
    """The rules of several names for one usage, each of which can refuse it: no permission of one lifts another's."""
    for place, rules in enumerate(uses):
        refused = [rule.pattern for other in (*uses[:place], *uses[place + 1 :]) for rule in other if not rule.permits]
        yield from (rule for rule in rules if not rule.permits or not any(meet(rule.pattern, one) for one in refused))


def _needs_base(group: Gathered, settled: Settled) -> bool:
    """Whether the record needs a permission of everything: a named one does unless a rule of it covers all paths."""
    if group.names == [ANY]:
        return not settled.rules
    return not any(contains(rule.pattern, "/") for rule in settled.rules)


def _without_word(policy: RobotsPolicy, signals: Signals, *, only: bool) -> Iterator[Note]:
    """Notes on lines that ACAP has no words for."""
    where = "is left out" if only else "stays in the conventional part"
    for extension in policy.extensions:
        if extension.field in _WITHOUT_WORD:
            yield Note(extension.line, f"`{extension.field}` has no word in ACAP and {where}", loss=only)
        elif only and extension.field not in INDEPENDENT and extension.line not in signals.effective_lines:
            yield Note(extension.line, f"`{extension.field}` needs its User-agent lines and is left out", loss=True)
