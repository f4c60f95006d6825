"""Policies and questions that look for trouble.

`generate` makes one case from a `random.Random`, fast and repeatable; `cases` and the others are for hypothesis. A
case keeps its lines apart, so that a law can drop, move or add some.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from random import Random

from hypothesis import strategies as st

from tests.property import vocabulary as words

NOON = datetime(2025, 6, 30, 12, tzinfo=UTC)
INSTANTS = (
    NOON,
    datetime(2025, 6, 30, 23, 59, 59, tzinfo=UTC),
    datetime(2025, 7, 1, tzinfo=UTC),
    datetime(2025, 7, 1, 23, 59, 59, tzinfo=UTC),
    datetime(2025, 7, 2, tzinfo=UTC),
)
Several = str | tuple[str, ...]


@dataclass(frozen=True)
class Line:
    """A line of a policy. `kind` is `acap` or `rep` for a permission or prohibition as specified, else empty."""

    octets: bytes
    kind: str = ""


@dataclass(frozen=True)
class Question:
    """What is asked of a policy."""

    url: str
    crawler: Several
    usage: Several = "crawl"
    purpose: Several | None = None
    at: datetime = NOON
    facts: Mapping[str, datetime] | None = None


@dataclass(frozen=True)
class Case:
    """A policy, what it refers to, and questions."""

    lines: tuple[Line, ...]
    line_end: bytes = b"\n"
    prefix: bytes = b""
    encoding: str = ""
    suffix: bytes = b""
    url: str | None = None
    dialect: str = "auto"
    limits: Mapping[str, int] | None = None
    supplied: Mapping[str, bytes | None] = field(default_factory=dict)
    questions: tuple[Question, ...] = ()

    @property
    def octets(self) -> bytes:
        """The robots.txt; under an encoding, what is no UTF-8 becomes replacement characters."""
        text = b"".join(line.octets + self.line_end for line in self.lines)
        if self.encoding:
            text = text.decode("utf-8", "replace").encode(self.encoding)
        return self.prefix + text + self.suffix

    def without_line(self, index: int) -> Case:
        """The case with one line less."""
        return replace(self, lines=self.lines[:index] + self.lines[index + 1 :])

    def with_line(self, index: int, line: Line) -> Case:
        """The case with one line more, before the given one."""
        return replace(self, lines=(*self.lines[:index], line, *self.lines[index:]))

    def runs(self, kind: str) -> list[range]:
        """Where permissions and prohibitions of a kind follow each other without a line between."""
        runs: list[range] = []
        for index, line in enumerate(self.lines):
            if line.kind == kind and runs and runs[-1].stop == index:
                runs[-1] = range(runs[-1].start, index + 1)
            elif line.kind == kind:
                runs.append(range(index, index + 1))
        return runs


@dataclass(frozen=True)
class Palette:
    """The few words a case uses again and again, so that its lines meet."""

    names: Sequence[str]
    patterns: Sequence[str]
    usages: Sequence[str]
    purposes: Sequence[str]

    @classmethod
    def drawn(cls, random: Random) -> Palette:
        """A handful of each; usages that are akin."""
        family = random.choice(words.FAMILIES)
        names = random.sample(words.NAMES, 2)
        if random.random() < 0.1:
            names, family = list(random.choice(words.CONTROLLED)), words.CONTROLLED_USES
        return cls(
            names=[*names, "*", "*"],
            patterns=["/", random.choice(("/", "*", "/a", "/a*")), *random.sample(words.PATTERNS, 2)],
            usages=["crawl", *random.sample(family, 2)],
            purposes=random.sample(words.PURPOSES, 2),
        )


def generate(random: Random) -> Case:
    """One case; the same for the same state of `random`."""
    palette = Palette.drawn(random)
    dialect = "auto" if random.random() < 0.8 else random.choice(words.DIALECTS)
    blocks = [conventional_group(random, palette) for _ in range(random.choice((0, 1, 1, 2)))]
    if dialect != "auto":
        blocks += [[plain("")], conventional_group(random, palette), [plain("")], conventional_group(random, palette)]
    if dialect == "auto" or random.random() < 0.2:
        blocks += [acap_record(random, palette) for _ in range(random.choice((0, 1, 2, 2, 3)))]
        blocks += [[plain(random.choice(words.DEFINITIONS))] for _ in range(random.choice((0, 0, 1, 2, 4)))]
    random.shuffle(blocks)
    lines = [line for block in blocks for line in block]
    for _ in range(random.choice((0, 0, 1, 2))):
        lines.insert(random.randint(0, len(lines)), stray_line(random))
    if lines and random.random() < 0.15:
        index = random.randrange(len(lines))
        lines[index] = Line(spoilt(random, lines[index].octets))
    if lines and random.random() < 0.12:
        for _ in range(random.choice((1, 2, 4))):
            index = random.randrange(len(lines))
            lines[index] = Line(controlled(random, lines[index].octets))
    if random.random() < 0.1:
        lines.insert(0, plain(random.choice(words.VERSION_LINES)))
    case = Case(
        lines=tuple(lines),
        line_end=random.choice((b"\n", b"\n", b"\n", b"\r\n", b"\r")),
        prefix=random.choice((b"", b"", b"", b"", b"\xef\xbb\xbf", b"\xef\xbb", b"\xef", b"\n", b"\xbb")),
        url=random.choice((None, *[f"{words.SITE}/robots.txt"] * 3, "https://site.example/robots.txt")),
        dialect=dialect,
        supplied={uri: referenced(random) for uri in words.REFERENCES if random.random() < 0.4},
    )
    if random.random() < 0.06:
        case = in_utf_16(random, case)
    if random.random() < 0.08 and dialect != "google":  # which has no limits of ours
        case = replace(case, limits=limits(random, len(case.octets)))
    return replace(case, questions=tuple(question(random, case, palette) for _ in range(4)))


def plain(text: str, kind: str = "") -> Line:
    """A line as written."""
    return Line(text.encode(), kind)


def stray_line(random: Random) -> Line:
    """A line that belongs to no record: directives, comments, other vocabularies, definitions."""
    kinds = (words.DIRECTIVES, words.RECORDS, words.SIGNALS, words.COMMENTS, words.DEFINITIONS, words.UNKNOWN_FIELDS)
    return plain(random.choice(random.choice(kinds)))


def conventional_group(random: Random, palette: Palette) -> list[Line]:
    """User-agent lines with rules; other records between; sometimes a Robot-version."""
    lines = []
    for _ in range(random.choice((1, 1, 1, 2))):
        name = random.choice(palette.names)
        if random.random() < 0.15:
            name = random.choice((*words.NAMES, *words.AGENT_VALUES))
        key = random.choice(("User-agent", "User-agent", "user-AGENT", "useragent", "User agent", "User-agents"))
        lines.append(plain(f"{key}{random.choice((': ', ':', ' : '))}{name}"))
        if random.random() < 0.1:
            lines.append(stray_line(random))
    if random.random() < 0.2:
        lines.append(plain(f"Robot-version: {random.choice(words.ROBOT_VERSIONS)}"))
    for _ in range(random.choice((0, 1, 1, 2, 3))):
        key = random.choice(("Disallow", "Disallow", "Allow"))
        pattern = random.choice(palette.patterns if random.random() < 0.85 else words.ODD_RESOURCES)
        if random.random() < 0.8:
            lines.append(plain(f"{key}: {pattern}", "rep"))
        else:
            odd = random.choice(
                (key.lower(), key.replace("Dis", "diss"), key + "ed", "\t" + key, key.replace("sal", "asl"))
            )
            lines.append(
                plain(f"{odd}{random.choice((' : ', ' ', ':', ': '))}{pattern}{random.choice(('', ' ', ' #x'))}")
            )
        if random.random() < 0.1:
            lines.append(stray_line(random))
    while random.random() < 0.3:
        lines.insert(random.randint(0, len(lines)), plain(signal_line(random, palette)))
    return lines


def signal_line(random: Random, palette: Palette) -> str:
    """A line of Content-Signal, Content-Usage or License; now and then with a path of the case."""
    line = random.choice(words.SIGNALS)
    field_, _, value = line.partition(":")
    if random.random() < 0.4 and "=" in value and " /" not in value:
        return f"{field_}: {random.choice(palette.patterns)} {value.strip()}"
    return line


def acap_record(random: Random, palette: Palette) -> list[Line]:
    """Crawler lines, then fields and sub-records; sometimes a reference or an action request."""
    lines = []
    for _ in range(random.choice((1, 1, 1, 2))):
        name = random.choice(palette.names)
        if random.random() < 0.1:
            name = random.choice((*words.NAMES, *words.CRAWLER_VALUES))
        lines.append(field_line(random, "ACAP-crawler", name))
        if random.random() < 0.06:
            lines.append(stray_line(random))
    for number in range(random.choice((1, 1, 2, 3))):
        for _ in range(random.choice((0, 0, 1, 2) if number else (0, 0, 0, 1))):
            lines.append(field_line(random, "ACAP-usage-purpose", random.choice(palette.purposes)))
        for _ in range(random.choice((0, 1, 2, 3, 4, 5))):
            lines.append(acap_rule(random, palette))
            if random.random() < 0.06:
                lines.append(stray_line(random))
    if random.random() < 0.05:
        lines.append(field_line(random, "ACAP-permissions-reference", random.choice((*words.REFERENCES, ""))))
    if random.random() < 0.1:
        action = random.choice(("take-down", "take-down", "re-crawl"))
        resource = path_of(random, random.choice(palette.patterns))
        if random.random() < 0.3:
            resource = random.choice(words.ODD_RESOURCES)
        lines.append(field_line(random, f"ACAP-request-{action}", resource))
    if random.random() < 0.1:
        lines.append(acap_rule(random, palette))
    return lines


def acap_rule(random: Random, palette: Palette, effects: Sequence[str] = ("allow", "allow", "disallow")) -> Line:
    """A permission or prohibition."""
    usage = random.choice(palette.usages)
    if random.random() < 0.15:
        usage = random.choice(words.STRANGE) if random.random() < 0.4 else f"({random.choice(words.LOCAL)})"
    resources = [random.choice(palette.patterns)]
    if random.random() < 0.1:
        prefix = random.choice(("acap", "the-acap", "ACAP"))
        by_name = f"{prefix}:resource-set:{random.choice(words.SETS)}"
        resources = [random.choice((random.choice(words.ODD_RESOURCES), by_name))]
    if random.random() < 0.1:
        resources.append(random.choice(palette.patterns))
    qualifiers = [random.choice(words.QUALIFIERS) for _ in range(random.choice((0, 0, 0, 1, 1, 2)))]
    if random.random() < 0.05:
        qualifiers.append(random.choice(words.BAD_QUALIFIERS))
    value = random.choice((" ", " ", " ", "\t", "  ")).join([*resources, *qualifiers])
    effect = random.choice(effects)
    if effect == "disallow" and random.random() < 0.06:
        effect = random.choice(words.VERBS)
    return field_line(random, f"ACAP-{effect}-{usage}", value, "acap")


def field_line(random: Random, name: str, value: str, kind: str = "") -> Line:
    """An ACAP line, in most cases as the specification spells it."""
    if random.random() < 0.05:
        return plain(f"{slipped(random, name)}: {value}", kind)
    if random.random() < 0.88:
        return plain(f"{name}: {value}", kind)
    spelt = "".join(random.choice(words.DASHES) if letter == "-" else letter for letter in name)
    spelt = random.choice((spelt, spelt.lower(), name.upper(), " " + spelt))
    separator = random.choice((":", " : ", " ", "\t", "", " :\t"))
    return plain(f"{spelt}{separator}{value}{random.choice(('', ' ', ' # note', '#note'))}")


def slipped(random: Random, name: str) -> str:
    """A name with one letter less, more, another, or two exchanged."""
    index = random.randrange(len(name))
    odd = random.choice("aclosx19-_ é")
    changes = (
        name[:index] + name[index + 1 :],
        name[:index] + odd + name[index:],
        name[:index] + odd + name[index + 1 :],
        name[:index] + name[index + 1 : index + 2] + name[index] + name[index + 2 :],
    )
    return random.choice(changes)


def spoilt(random: Random, octets: bytes) -> bytes:
    """The line with an octet less, more, or another; sometimes overlong."""
    odd = random.choice(words.ODD_OCTETS)
    index = random.randint(0, len(octets))
    changes: tuple[Callable[[], bytes], ...] = (
        lambda: octets[:index] + octets[index + 1 :],
        lambda: octets[:index] + odd + octets[index:],
        lambda: octets[:index] + odd + octets[index + 1 :],
        lambda: octets + b"x" * random.choice((17, 17, 17, 17_000)),
    )
    return random.choice(changes)()


def controlled(random: Random, octets: bytes) -> bytes:
    """The line with a control character or an odd blank in a name, around a value or within one."""
    colon = octets.find(b":") + 1
    places = (random.randint(0, colon), colon, len(octets), random.randint(colon, len(octets)))
    at = random.choice(places)
    return octets[:at] + random.choice(words.CONTROLS) + octets[at:]


def in_utf_16(random: Random, case: Case) -> Case:
    """The case with a mark of UTF-16, more often than not a false one; sometimes half a character at the end."""
    mark, encoding = random.choice(((b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be")))
    suffix = random.choice((b"", b"", b"\n", b"x", b"\x00"))
    return replace(case, prefix=mark, encoding=random.choice((encoding, "", "")), suffix=suffix)


def referenced(random: Random) -> bytes | None:
    """What a reference leads to; None if retrieval failed."""
    return None if random.random() < 0.15 else random.choice(words.REFERENCED).encode()


def limits(random: Random, octets: int) -> dict[str, int]:
    """A limit that bites."""
    name = random.choice(words.LIMITS)
    if name == "file_octets":
        return {name: random.randint(1, octets + 1)}
    return {name: random.choice((20, 30, 40)) if name == "line_octets" else random.randint(1, 3)}


def question(random: Random, case: Case, palette: Palette) -> Question:
    """A question that the case has something to say on, more often than not."""
    crawler: Several = random.choice([name for name in palette.names if name != "*"])
    usage: Several = random.choice(palette.usages) if case.dialect == "auto" else "crawl"
    purpose: Several | None = random.choice((None, None, *(each for each in palette.purposes if each)))
    if random.random() < 0.3:
        crawler = random.choice(words.CRAWLERS)
    if random.random() < 0.2:
        usage = random.choice(words.ASKED)
    if random.random() < 0.25:
        purpose = random.choice(words.ASKED_PURPOSES)
    url = path_of(random, random.choice(palette.patterns))
    if random.random() < 0.25:
        url = random.choice(words.URLS)
    if random.random() < 0.03:
        url = random.choice(words.MISTAKEN_URLS)
    days = (0, 9, 10, 29, 30, 31)
    facts = {name: NOON - timedelta(days=random.choice(days)) for name in words.FACTS if random.random() < 0.7}
    return Question(url, crawler, usage, purpose, random.choice(INSTANTS), facts if random.random() < 0.7 else None)


def path_of(random: Random, pattern: str) -> str:
    """A path that the pattern may match: its `*` filled in, its end open or not."""
    filled = "".join(random.choice(("", "a", "b/", "x")) if letter == "*" else letter for letter in pattern)
    filled = filled.removesuffix("$") + random.choice(("", "", "b", "/", ".x", "?x"))
    return filled if filled.startswith("/") else "/" + filled


def cases() -> st.SearchStrategy[Case]:
    """Cases, for hypothesis."""
    return st.integers(0, 2**32).map(lambda seed: generate(Random(seed)))


def patterns(longest: int = 8) -> st.SearchStrategy[str]:
    """Canonical patterns over few letters, as ACAP has them: they begin with `/` or `*`, and `$` ends them."""
    body = st.text("/ab*", max_size=longest - 2)
    return st.builds("{}{}{}".format, st.sampled_from("/*"), body, st.sampled_from(("", "", "$")))


def urls() -> st.SearchStrategy[str]:
    """Paths and URLs with dots, escapes, wildcards and characters outside ASCII."""
    pieces = (
        "/",
        "a",
        "b",
        ".",
        "..",
        "%2e",
        "%2F",
        "%61",
        "%",
        "%4",
        "$",
        "*",
        "?",
        "#",
        "é",
        "|",
        " ",
        "//",
        "%c3%a9",
    )
    path = st.lists(st.sampled_from(pieces), max_size=8).map("".join)
    return st.one_of(path.map("/".__add__), path.map(f"{words.SITE}/".__add__), st.sampled_from(words.URLS))


def raw_patterns() -> st.SearchStrategy[str]:
    """Patterns as publishers write them, nothing canonical about them."""
    pieces = ("/", "a", "%61", "%2f", "%2F", "%", "%zz", "$", "*", "%24", "%2a", "é", "|", "%c3", "?", "..", "~", "%7e")
    return st.lists(st.sampled_from(pieces), max_size=8).map("".join)


def shrunk(case: Case, fails: Callable[[Case], bool]) -> Case:
    """A smaller case that still fails: one question, no line too many, nothing unusual that does not matter."""
    single = (replace(case, questions=(asked,)) for asked in case.questions)
    case = next((candidate for candidate in single if fails(candidate)), case)
    index = 0
    while index < len(case.lines):
        candidate = case.without_line(index)
        case, index = (candidate, 0) if fails(candidate) else (case, index + 1)
    simpler = (
        replace(case, prefix=b"", encoding="", suffix=b"", line_end=b"\n"),
        replace(case, limits=None),
        replace(case, supplied={}),
        replace(case, url=None),
        replace(case, questions=tuple(replace(asked, facts=None) for asked in case.questions)),
    )
    return next((candidate for candidate in simpler if candidate != case and fails(candidate)), case)
