"""ACAP statements about crawling, as conventional groups (RFC 9309), where the longest pattern wins.

Statements that signals have words for (Content-Signal, Content-Usage) become signals in these groups.

Laws:
- A crawler that ACAP names gets one group, with the joint rules of its record and the `*` record, as only one group
  applies to it.
- Of a permission and a prohibition that meet, the one that wins in ACAP has the longer pattern. Where its natural
  spelling is shorter it is made longer by stars that change nothing: `/a**` matches what `/a` matches.
- A statement that cannot be expressed prohibits, and is noted.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from dataclasses import replace
from itertools import chain

from acap import _native
from acap.publish.compare import SECONDS, compare
from acap.publish.convert.conversion import TITLE, Conversion, Note
from acap.publish.convert.order import ApplicableStatement, GroupLine, ordered
from acap.publish.convert.proof import looser
from acap.publish.convert.records import ANY, conventional, folded_names, gathered, names_of, versioned
from acap.publish.convert.signals import WORDS, Signals, signal_lines, signal_paths
from acap.publish.convert.surroundings import INDEPENDENT, Surroundings, joined
from acap.publish.patterns import check_time, time_left
from acap.robots import PolicyStatement, RobotsPolicy, parse_robots

_FIRST, _NAMED, _ANY = 0, 1, 3
"""Tiers of the statements here; the number before each is for prohibitions that its permissions do not overcome."""


def to_robots(octets: bytes, *, crawl_only: bool = False) -> Conversion:
    """A robots.txt without ACAP that answers as this one, or stricter.

    What is prohibited to a purpose is prohibited, and what is permitted to crawl with a restriction is not permitted:
    there are no words for them. Usages without a signal are left out; the caller has to prove that no answer became
    looser. Conventional lines stay as they are if they already say the same as ACAP.
    """
    policy = parse_robots(octets)
    has_acap = any(line.kind == "ACAP" for line in policy.lines)
    kept = _without_acap(policy) if has_acap else octets

    def conversion(text: bytes, expressed: Container[str], notes: Iterable[Note] = (), added: int = 0) -> Conversion:
        notes_of_all = sorted([*notes, *_losses(policy, expressed)], key=lambda note: note.line)
        return Conversion(text, tuple(notes_of_all), "robots", octets, None, added, crawl_only=crawl_only)

    def is_same(text: bytes) -> bool:
        return compare(policy, parse_robots(text), usages=["crawl"], seconds=time_left(SECONDS)).verdict == "equal"

    def is_no_looser(text: bytes) -> bool:
        comparison = compare(policy, parse_robots(text), usages=WORDS, seconds=time_left(SECONDS))
        return not comparison.undecided and looser(comparison.changes) is None

    stays = not has_acap or is_same(kept)
    if stays and (not has_acap or is_no_looser(kept)):
        return conversion(kept, WORDS if has_acap else ())
    if stays and not _words_of(policy):
        return conversion(kept, ())
    # A permission on a path might lift the refusal of another signal; then nothing is permitted. The same could happen
    # between crawlers of which one is found by a part of the other's name; then both get the same rules.
    writer = _RobotsWriter(policy, permitting=True)
    if stays and (text := writer.put_into(kept)) is not None and is_no_looser(text):
        return conversion(text, WORDS, writer.signal_notes)
    if not is_no_looser(writer.text):
        writer = _RobotsWriter(policy, permitting=False)
    return conversion(writer.text, WORDS, writer.notes, writer.added)


def _words_of(policy: RobotsPolicy) -> list[str]:
    """The usages that ACAP prohibits and signals have words for."""
    prohibited = {prohibition.cited.usage for prohibition in _prohibitions(policy)}
    return [usage for usage in WORDS if usage in prohibited]


def _prohibitions(policy: RobotsPolicy) -> Iterator[PolicyStatement]:
    return (
        statement
        for statement in policy.statements
        if statement.cited.dialect == "acap" and statement.cited.effect == "prohibits"
    )


def _without_acap(policy: RobotsPolicy) -> bytes:
    """The other lines, without the comment that a conversion to ACAP writes above its own."""
    own = TITLE.encode()
    kept = [
        line.octets
        for line in policy.lines
        if line.kind not in ("ACAP", "##ACAP") and not (line.kind == "comment" and line.octets.strip() == own)
    ]
    while len(kept) > 1 and not kept[-1].strip():
        kept.pop()
    return b"".join(kept)


class _RobotsWriter:
    """The groups, one for each crawler with other rules than those for all."""

    def __init__(self, policy: RobotsPolicy, *, permitting: bool) -> None:
        self.notes: list[Note] = []
        self.added = 0
        self.around = Surroundings(policy.lines, ("User-agent", "Allow", "Disallow", "ACAP"))
        self._permitting = permitting
        self._signals = Signals(policy, conventional(policy.octets).crawlers)
        self._applicable = _Applicable(policy)
        self._versioned = frozenset() if policy.ignores_conventional else versioned(policy)
        self._words = _words_of(policy)
        self.signal_notes = [
            Note(line, f"`{word.refuses}` refuses {' and '.join(f'`{one}`' for one in word.more)} as well")
            for usage in self._words
            if (word := WORDS[usage]).more
            for line in [
                next(
                    prohibition.cited.line or 0
                    for prohibition in _prohibitions(policy)
                    if prohibition.cited.usage == usage
                )
            ]
        ]
        groups = list(self._groups(policy))
        self.text = joined([self.around.before, self._signals.for_every_crawler, *groups, self.around.beside])
        self.notes += self.signal_notes
        self.notes += [
            Note(
                extension.line,
                f"`{extension.field}` belongs to a group that is written again; it is left out",
                loss=True,
            )
            for extension in policy.extensions
            if extension.field not in INDEPENDENT and extension.line not in self._signals.effective_lines
        ]

    def put_into(self, kept: bytes) -> bytes | None:
        """The conventional lines with signals below the User-agent lines, if all crawlers of a group get the same."""
        if not kept.strip():
            return None
        policy = parse_robots(kept)
        named = folded_names(policy.crawlers)
        everybody = self._derived(ANY)
        if any(name.lower() not in named and self._derived(name) != everybody for name in self._applicable.names):
            return None
        lines = [line.octets for line in policy.lines]
        for group in policy.outline.groups:
            signals = {self._derived(name) for name in group.names}
            if len(signals) > 1:
                return None
            last = group.agents[-1].line - 1
            here = lines[last]
            end = b"" if here.endswith((b"\n", b"\r")) else b"\n"
            lines[last] = here + end + b"".join(f"{line}\n".encode() for line in chain(*signals))
        if ANY not in named and everybody:
            first = [] if kept.endswith((b"\n", b"\r")) else [""]
            lines.append("\n".join([*first, "", f"User-agent: {ANY}", *everybody, "Disallow:", ""]).encode())
        return b"".join(lines)

    def _derived(self, name: str) -> tuple[str, ...]:
        """The refusals of ACAP for a crawler, as signals."""
        lines: list[tuple[str, GroupLine]] = []
        for usage in self._words:
            statements = [
                replace(applicable, pattern=path)
                for applicable in self._applicable.by(name, usage)
                for path in signal_paths(applicable.pattern)
            ]
            lines += [(usage, line) for line in ordered(statements)[0]]
        return tuple(signal_lines(lines, permitting=self._permitting))

    def _groups(self, policy: RobotsPolicy) -> Iterator[list[str]]:
        default = self._lines(self._applicable.by(ANY))
        default_signals = (*self._signals.lines(ANY), *self._derived(ANY))
        alike: dict[tuple[tuple[GroupLine, ...], tuple[str, ...]], list[str]] = {}
        for name in self._applicable.names:
            lines = self._rules_for(policy, name)
            signals = (*self._signals.lines(name), *self._derived(name))
            if [line.text for line in lines] != [line.text for line in default] or signals != default_signals:
                alike.setdefault((lines, signals), []).append(name)
        written = [name for names in alike.values() for name in names]
        self._tokens(written)
        # A crawler found by a part of another's name gets that group, and would lose the rules for all.
        for name in self._applicable.parts_of(written):
            signals = (*self._signals.lines(name), *self._derived(name))
            alike.setdefault((self._rules_for(policy, name), signals), []).append(name)
        for (lines, signals), names in alike.items():
            yield list(self._group(names, lines, signals))
        if default or default_signals or not alike:
            yield list(self._group([ANY], default, default_signals))

    def _lines(self, statements: list[ApplicableStatement]) -> tuple[GroupLine, ...]:
        lines, left_out = ordered(statements)
        for statement in left_out:
            message = f"robots.txt cannot permit all of `{statement.pattern}` without permitting more"
            note = Note(statement.line, message, loss=True)
            if note not in self.notes:
                self.notes.append(note)
        self.added += sum(line.added for line in lines)
        return lines

    def _rules_for(self, policy: RobotsPolicy, name: str) -> tuple[GroupLine, ...]:
        """The rules written for a crawler.

        Everything is refused while permissions are in a document that is missing (P1 4.7), and where the order of
        Robot-version 2 refuses paths that no line names.
        """
        if name.lower() in self._versioned:
            message = (
                f"the rule order of Robot-version 2, which `{name}` should follow, cannot be expressed beside that of "
                f"ACAP"
            )
            note = Note(0, f"{message}; everything is refused to it", loss=True)
            if note not in self.notes:
                self.notes.append(note)
        elif not policy.missing_references(name):
            return self._lines(self._applicable.by(name) if self._permitting else self._applicable.by_family(name))
        return (GroupLine("Disallow: /", 0),)

    def _group(self, names: list[str], lines: tuple[GroupLine, ...], signals: tuple[str, ...]) -> Iterator[str]:
        at = min((line.line for line in lines), default=0)
        yield from self.around.take(range(at))
        yield from (f"User-agent: {name}" for name in names)
        yield from signals
        for line in lines:
            yield from self.around.take(range(at, line.line + 1))
            at = max(at, line.line + 1)
            yield line.text
        if not lines:
            yield "Disallow:"

    def _tokens(self, names: list[str]) -> None:
        """Names that RFC 9309, unlike ACAP, also finds by a part of them."""
        known = {name.lower() for name in names}
        for name in names:
            for other in names_of(name):
                if other.lower() not in known:
                    message = f"a group for `{name}` also applies to a crawler `{other}` (RFC 9309 2.2.1)"
                    self.notes.append(Note(0, message, loss=True))


class _Applicable:
    """The statements that apply to each crawler."""

    def __init__(self, policy: RobotsPolicy) -> None:
        acap = [
            statement
            for statement in policy.statements
            if statement.cited.dialect == "acap" and statement.cited.usage in ("crawl", *WORDS)
        ]
        self._acap = acap
        ignored = policy.ignores_conventional is not None
        rep = parse_robots(b"" if ignored else _without_acap(policy), dialect="rfc9309")
        self._groups = {name.lower(): group for group in gathered(rep) for name in group.names}
        named = [name for statement in acap for name in statement.crawlers if name != ANY]
        named += [name for group in self._groups.values() for name in group.names if name != ANY]
        referred = [name for name in policy.crawlers if policy.missing_references(name)]
        by_name = {name.lower(): name for name in reversed([*named, *referred]) if name != ANY}
        self.names = [by_name[key] for key in reversed(by_name)]
        self._families: dict[str, list[ApplicableStatement]] = {}

    def parts_of(self, written: Iterable[str]) -> list[str]:
        """The names, not written yet, by which groups for these names are also found (RFC 9309 2.2.1)."""
        known = {name.lower() for name in written}
        spelt = {name.lower(): name for name in self.names}
        parts = (part for name in written for part in names_of(name))
        return [spelt.get(part, part) for part in dict.fromkeys(part.lower() for part in parts) if part not in known]

    def by_family(self, name: str) -> list[ApplicableStatement]:
        """The joint statements for all names with one token (RFC 9309 2.2.1), with the permissions common to all."""
        token = _token(name)
        if token not in self._families:
            family = [one for one in self.names if _token(one) == token]
            by_name = [self.by(one) for one in dict.fromkeys((*family, token))]
            common = set(by_name[0]).intersection(*by_name[1:])
            all_of_them = dict.fromkeys(chain.from_iterable(by_name))
            self._families[token] = [one for one in all_of_them if not one.permits or one in common]
        return self._families[token]

    def by(self, name: str, usage: str = "crawl") -> list[ApplicableStatement]:
        """The statements on a usage for a crawler; conventional ones are on crawling."""
        check_time()
        key = name.lower()
        out: list[ApplicableStatement] = []
        for statement in self._acap:
            if statement.cited.usage != usage:
                continue
            crawlers = [crawler.lower() for crawler in statement.crawlers]
            if key in crawlers or ANY in crawlers:
                tier = _NAMED if key != ANY and key in crawlers else _ANY
                pattern = _native.canonical_pattern(statement.pattern.encode()).decode("ascii")
                if not pattern.startswith(("/", "*")):
                    pattern = f"/{pattern}"
                permits = statement.cited.effect == "permits"
                bound = bool(statement.purposes) and ANY not in statement.purposes
                if permits and bound and not statement.restrictions:
                    continue  # a permission for some purposes is none for a question without one
                if permits and statement.restrictions and usage != "crawl":
                    continue  # a limit of a snippet does not mean `search=no`; the proof tells that it is lost
                if bound:
                    tier = _FIRST  # with the purpose this counts before any permission written here
                elif permits and statement.restrictions:
                    tier -= 1  # restrictions still hold beside narrower permissions of their tier
                # A permission with a restriction cannot be expressed, and becomes a prohibition.
                out.append(
                    ApplicableStatement(
                        pattern, permits and not statement.restrictions, statement.cited.line or 0, tier
                    )
                )
        if usage != "crawl":
            return list(dict.fromkeys(out))
        group = self._groups.get(key) or self._groups.get(ANY)
        tier = _NAMED if key != ANY and key in self._groups else _ANY
        rules = group.rules if group else ()
        out += [ApplicableStatement(rule.pattern, rule.permits, rule.line, tier, rank=rule.key) for rule in rules]
        return list(dict.fromkeys(out))


def _token(name: str) -> str:
    """The shortest name by which the group of a crawler is found."""
    return next(reversed(names_of(name)), name).lower()


def _losses(policy: RobotsPolicy, expressed: Container[str]) -> Iterator[Note]:
    """Notes on statements that are lost without ACAP; signals express prohibitions of the usages in `expressed`."""
    noted: set[int] = set()
    more = {
        (prohibition.cited.line, usage)
        for prohibition in _prohibitions(policy)
        if prohibition.cited.usage in expressed
        for usage in WORDS[prohibition.cited.usage].more
    }
    for statement in policy.statements:
        line = statement.cited.line or 0
        if statement.cited.dialect != "acap" or line in noted:
            continue
        if (
            statement.cited.usage != "crawl"
            and statement.cited.usage not in expressed
            and (line, statement.cited.usage) not in more
        ):
            message = f"`{statement.cited.usage}` cannot be expressed in robots.txt; say it in META tags or headers"
        elif statement.purposes:
            message = f"the purpose `{statement.purposes[0]}` cannot be expressed in robots.txt"
        elif statement.restrictions:
            message = f"`{statement.restrictions[0][0]}` cannot be expressed in robots.txt"
        else:
            continue
        noted.add(line)
        yield Note(line, message, loss=True)
