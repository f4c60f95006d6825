"""Preferences: Content-Usage (draft-ietf-aipref), Content-Signal (contentsignals.org), and the licences of RSL.

    content-usage  = [ path-pattern 1*WS ] Dictionary         values `y` and `n`
    content-signal = [ path-pattern 1*WS ] key=value, …       values `yes` and `no`

Each is a dialect of its own; what it comes to stands beside the others' (semantics, 8). What the text of a vocabulary
calls unknown is silence, unless it plainly refuses: then it is a refusal. Permissions count on the longest path alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import ip_address

from .canonical import canonical_pattern, origin
from .conventional import AGENT, ALLOW, DISALLOW, SITEMAP, Field
from .crawler import agent_line_is_default, agent_line_names, first_named
from .dictionary import NoDictionaryError, parse
from .lines import Line
from .pattern import matches
from .text import BLANKS, ascii_lower, before_control
from .text import CONTROLS as ALL_CONTROLS
from .usages import COMPOSITES, USAGES, covers, to_others

USAGE, SIGNAL = "content-usage", "content-signal"
LICENCE = "license"
FIELDS = {USAGE: USAGE, SIGNAL: SIGNAL, "content-signals": SIGNAL, LICENCE: LICENCE, "licence": LICENCE}

EVERYTHING = ("index", "preserve", "present", "other", "tdm")
BOUNDS = {
    "immediate": EVERYTHING,
    "reference": tuple(
        usage
        for usage in (*USAGES, "other")
        if usage not in {"crawl", "follow", "index", "present"}
        and usage not in {f"present-{kind}" for kind in ("link", "snippet", "extract", "oldsnippet", "oldextract")}
    ),
    "full": (),
}
"""What each bound of `use` refuses: what goes beyond it (our choice). `reference` leaves index, link and excerpt."""

MEANING = {
    USAGE: {"train-ai": ("ai-train-generative",), "ai-use": ("ai-input",), "search": COMPOSITES["search"]},
    SIGNAL: {"ai-train": ("ai-train",), "ai-input": ("ai-input", "ai-index"), "search": COMPOSITES["search"]},
}
"""The names of each vocabulary, of AIPREF's those of revision 08, and the usages they speak of."""

BORROWED = {
    "train-ai": ("ai-train",),
    "ai-use": ("ai-input", "ai-index"),
    "ai-train": ("ai-train",),
    "ai-input": ("ai-input", "ai-index"),
    "tdm": ("tdm",),  # vocab-01
    "ai": ("ai-train",),  # vocab-01
    "genai": ("ai-train-generative",),  # vocab-01
    "inference": ("ai-input", "ai-index"),  # vocab-01
    "train-genai": ("ai-train-generative",),  # vocab-02, -03
    "ai-output": ("ai-input", "ai-index"),  # vocab-04
    "all": EVERYTHING,  # vocab-02
    "bots": EVERYTHING,  # vocab-03, -04
}
"""Names of earlier drafts and of the other vocabulary: they can only refuse."""

REFUSING = {"no", "immediate", "reference"}

REFUSALS = {
    *("n", "no", "not", "none", "never", "false", "0", "off"),
    *("deny", "denied", "disallow", "disallowed", "forbid", "forbidden", "prohibit", "prohibited", "block", "blocked"),
}
LOOSE = re.compile(
    r"(?=(?<![\w.*-])(?P<name>[\w.*-]*[A-Za-z0-9])(?P<marks>[\w.*-]*)[^A-Za-z0-9,=:]*[=:][^A-Za-z0-9,]*(?P<value>[\w.*-]*))",
    re.ASCII,
)
CONTROLS = re.compile("[\x00-\x08\x0a-\x1f\x7f]")


@dataclass(frozen=True)
class Preference:
    """What one line says under one name: the usages it permits, or refuses, or whose bound it only widens."""

    dialect: str
    name: str
    says: str
    usages: tuple[str, ...]


@dataclass(frozen=True)
class Signal:
    """A line of robots.txt with its path, and what it says; perhaps nothing."""

    dialect: str
    line: int
    pattern: str
    preferences: tuple[Preference, ...]
    cut: bool = False

    @property
    def length(self) -> float:
        """The length of its path. What was cut may have had any: nothing takes back what it refuses."""
        return float("inf") if self.cut else len(self.pattern)


@dataclass
class Section:
    """A run of User-agent lines, None before the first, with the signals and licences under it."""

    agents: list[str] | None
    fields: list[tuple[Field, bool]]


@dataclass(frozen=True)
class Signals:
    """All such lines of a file: its sections in order."""

    sections: tuple[Section, ...] = ()
    strict: bool = False  # read by the letter of each text

    def chosen(self, names: Sequence[str]) -> list[Section]:
        """The sections for a crawler: what stands before any, and those that name it, else those of `*`."""
        named = [section for section in self.sections if section.agents is not None]

        def names_it(section: Section, name: str) -> bool:
            return any(agent_line_names(agent, name) for agent in section.agents or ())

        name = first_named(names, lambda name: any(names_it(section, name) for section in named))
        heard = [section for section in self.sections if section.agents is None]
        if name is not None:
            return heard + [section for section in named if names_it(section, name)]
        return heard + [section for section in named if any(map(agent_line_is_default, section.agents or ()))]

    def heard(self, names: Sequence[str]) -> list[Signal]:
        """The signals that a crawler hears."""
        return [
            read_line(found, kind, strict=self.strict)
            for section in self.chosen(names)
            for found, _ in section.fields
            for kind in [FIELDS[found.kind]]
            if kind != LICENCE and not (self.strict and self.is_loose(section, found, kind))
        ]

    def is_loose(self, section: Section, found: Field, kind: str) -> bool:
        """Whether a line is none to the text of its vocabulary: misspelt, or a rule before the first group."""
        name = found.line.text.strip(BLANKS).partition(":")[0].strip(BLANKS)
        return ascii_lower(name) != kind or (kind == USAGE and section.agents is None)

    def licences(self, names: Sequence[str]) -> list[int]:
        """The lines of the licences for a crawler: its group's, and those of the whole file, unless its group's replace
        these. Only one that could license replaces any."""
        own, whole = [], []
        replaces = False
        for section in self.sections:
            for found, apart in section.fields:
                if FIELDS[found.kind] != LICENCE or not (found.value or found.line.cut):
                    continue
                if section.agents is None or apart:
                    whole.append(found.line.number)
                elif section in self.chosen(names):
                    own.append(found.line.number)
                    replaces |= is_association(found)
        return own if replaces else sorted([*whole, *own])


def is_association(found: Field) -> bool:
    """Whether a License line refers to a document as RSL asks: by an absolute URL, not of plain http (RSL 1.0 4.4)."""
    at = origin(found.value)
    if at is None or found.line.cut or not found.is_whole or re.search(r"[ \t\v\f]", found.value):
        return False
    scheme, host = at
    return scheme == "https" or (scheme == "http" and is_own_machine(re.sub(r":\d+$", "", host)))


def is_own_machine(host: str) -> bool:
    """Whether a host is the machine itself (W3C Secure Contexts 3.1)."""
    host = host.strip("[]").rstrip(".")
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def read_signals(fields: Iterable[Field], lines: Sequence[Line]) -> Signals:
    """The sections of a file. A rule, a signal or a licence ends a run of User-agent lines; unknown lines do not."""
    found = list(fields)
    last_agent = max((at for at, one in enumerate(found) if one.kind == AGENT), default=-1)
    blank = {line.number for line in lines if line.is_blank}
    sections = [Section(None, [])]
    closed = True
    apart = False
    for at, one in enumerate(found):
        if one.kind == AGENT:
            if closed:
                sections.append(Section([], []))
            agents = sections[-1].agents
            assert agents is not None
            agents.append(one.value)
            closed = False
        elif one.kind in {ALLOW, DISALLOW}:
            closed = True
        elif one.kind in FIELDS:
            closed = True
            if FIELDS[one.kind] == LICENCE:
                before = found[at - 1] if at else None
                follows = before is not None and FIELDS.get(before.kind) == LICENCE
                between = range(before.line.number if before else 0, one.line.number)
                behind = before is None or before.kind == SITEMAP or any(number in blank for number in between)
                apart = (apart and follows) or (at > last_agent and behind)
            sections[-1].fields.append((one, apart))
    return Signals(tuple(sections))


def read_line(found: Field, kind: str, *, strict: bool = False) -> Signal:
    """A line's path, if it begins with one, and what the rest says."""
    value = found.value
    path = re.match(r"/[^\x00-\x20\x7f]*", value)
    if path:
        value = value[path.end() :].strip(BLANKS + ALL_CONTROLS)
    pattern = canonical_pattern(path[0]) if path else ""
    if found.line.cut:
        return Signal(kind, found.line.number, "", tuple(everything(kind)), cut=True)
    if strict:
        says = [one for one in by_the_letter(value, kind) if before_control(value) == value or one.says in REFUSING]
        return Signal(kind, found.line.number, pattern, tuple(says))
    return Signal(kind, found.line.number, pattern, preferences(value, kind), cut=not found.is_whole)


def everything(kind: str) -> Iterable[Preference]:
    """What a line that was cut may have refused."""
    for name, usages in {**MEANING[kind], **BORROWED}.items():
        yield Preference(kind, name, "no", usages)


@lru_cache(20_000)
def preferences(text: str, kind: str) -> tuple[Preference, ...]:
    """What a statement says: by the letter of its vocabulary, then what plainly refuses."""
    permits = before_control(text) == text.strip(BLANKS)
    text = CONTROLS.sub("", text)
    found = by_the_letter(text, kind)
    strict = {one.name: one.says for one in found}
    for loose in LOOSE.finditer(text):
        name = re.sub("[^a-z0-9]", "", ascii_lower(loose["name"]))
        value = ascii_lower(loose["value"]).strip("._*-")
        if kind == SIGNAL and name == "use":
            bound = "immediate" if value in REFUSALS else value
            if bound in ("immediate", "reference") and strict.get("use") not in ("immediate", bound):
                found.append(Preference(kind, "use", bound, BOUNDS[bound]))
            continue
        if value not in REFUSALS:
            continue
        known = {**BORROWED, **MEANING[kind]}
        for label, usages in known.items():
            # Of one key of a dictionary the last value counts (RFC 9651).
            decided = (
                label in strict
                if kind == USAGE and loose["name"] + loose["marks"] == label
                else strict.get(label) == "no"
            )
            if label.replace("-", "") == name and not decided:
                found.append(Preference(kind, label, "no", usages))
    return tuple(one for one in found if permits or one.says not in {"yes", "full"})


def by_the_letter(text: str, kind: str) -> list[Preference]:
    """What a statement says as the text of its vocabulary reads it."""
    if kind == USAGE:
        try:
            values = parse(text)
        except NoDictionaryError:
            return []
        words = {"y": "yes", "n": "no"}
        return [
            Preference(kind, key, words[token], MEANING[kind][key])
            for key, token in values.items()
            if key in MEANING[kind] and token in words
        ]
    found: dict[str, Preference] = {}
    bound = None
    for signal in text.split(","):
        key, equals, value = signal.partition("=")
        key, value = ascii_lower(key.strip(BLANKS)), ascii_lower(value.strip(BLANKS))
        if not equals:
            continue
        if key == "use" and value in BOUNDS:
            bound = min(value, bound or value, key=list(BOUNDS).index)
        elif key in MEANING[kind] and value in {"yes", "no"} and (key not in found or value == "no"):
            found[key] = Preference(kind, key, value, MEANING[kind][key])
    if bound:
        found["use"] = Preference(kind, "use", bound, BOUNDS[bound])
    return list(found.values())


def of_headers(headers: Iterable[tuple[str, str]]) -> list[Preference]:
    """What a response's headers say: lines of one name joined, and what each refuses by itself."""
    found = []
    for kind in (USAGE, SIGNAL):
        lines = [value for name, value in headers if ascii_lower(name.strip()) == kind]
        if lines:
            # HTTP sends no control character: it may have joined two lines, and nothing is permitted.
            parts = [part for line in lines for part in CONTROLS.split(line)]
            joined = preferences(", ".join(lines), kind)
            alone = [one for line in parts for one in preferences(line, kind) if one.says != "yes"] if parts[1:] else []
            said = [one for one in joined if one not in alone] + alone
            found += [one for one in said if len(parts) == len(lines) or one.says not in {"yes", "full"}]
    return found


@dataclass(frozen=True)
class Heeded:
    """What a dialect comes to for a usage: permitted, conditional or prohibited, and the lines that decide."""

    outcome: str
    lines: frozenset[int]
    kind: str = "statement"


def verdicts(signals: Signals, names: Sequence[str], usage: str, path: str, *, is_refused: bool) -> list[Heeded]:
    """The verdicts on a usage of a path, of each dialect that says something.

    A path that Disallow refuses has no preference (draft-ietf-aipref-attach): refusals hold, and no permission counts.
    """
    heard = [signal for signal in signals.heard(names) if matches(signal.pattern or "/", path)]
    if signals.strict:
        heard = [signal for signal in selected(heard) if not (is_refused and signal.dialect == USAGE)]
    each = [verdict([signal for signal in heard if signal.dialect == kind], usage) for kind in (SIGNAL, USAGE)]
    found = [one for one in each if one and not (is_refused and one.outcome == "permitted")]
    licences = signals.licences(names)
    if licences and covers("tdm", usage):
        found.append(Heeded("conditional", frozenset(licences)))
    return found


def selected(heard: Sequence[Signal]) -> list[Signal]:
    """The lines that the longest path of each dialect selects (draft-ietf-aipref-attach)."""
    longest = {one.dialect: max(two.length for two in heard if two.dialect == one.dialect) for one in heard}
    return [one for one in heard if one.length == longest[one.dialect]]


def verdict(heard: Sequence[Signal], usage: str) -> Heeded | None:
    """What the matching lines of one dialect come to. Under each name the longest path that speaks of the usage stands.

    DEVIATION: the draft has the longest path select one rule for all names; then one more refusal of one use, on a
    longer path, would permit another. So each name is selected for itself, and nothing is loosened. A permission counts
    as the draft has it: only if no longer path matches, whatever that speaks of.
    """
    usage = to_others(usage)
    longest_of_all = max((signal.length for signal in heard), default=0)
    spoken: dict[str, list[tuple[float, str, int]]] = {}
    for signal in heard:
        for one in signal.preferences:
            says = one.says
            if one.says == "full":
                says = "wider"  # a bound that refuses anything takes none back (our choice)
            elif not any(covers(each, usage) for each in one.usages):
                continue
            elif one.name == "use":
                says = "no"
            if signal.cut and says != "no":
                continue
            spoken.setdefault(one.name, []).append((signal.length, says, signal.line))
    refusing: set[int] = set()
    permitting: set[int] = set()
    for said in spoken.values():
        longest = max(length for length, _, _ in said)
        selected = [(says, line) for length, says, line in said if length == longest]
        if any(says == "no" for says, _ in selected):
            refusing |= {line for says, line in selected if says == "no"}
        elif longest == longest_of_all:
            permitting |= {line for says, line in selected if says == "yes"}
    if refusing:
        return Heeded("prohibited", frozenset(refusing))
    return Heeded("permitted", frozenset(permitting)) if permitting else None


STRICTNESS = ("permitted", "conditional", "prohibited")
