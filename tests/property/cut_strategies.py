"""Policies that limits cut, at every place where they can: in names, values, definitions, between words.

A case is one of `strategies.generate` with lines of every kind added, blanks put between words, and limits so small
that they bite.
"""

from __future__ import annotations

from dataclasses import replace
from random import Random

from tests.property import strategies
from tests.property import vocabulary as words
from tests.property.strategies import Case, Line, Palette, Question, plain

NAMES = ("line_octets", "file_octets", "records", "sub_records", "fields_per_record", "fields_per_sub_record")
VERSIONS = ("##ACAP version=1.0", "##ACAP version=1.1", "ACAP-version: 1.0", "ACAP-version: 1.1 # note")
DIRECTIVES = ("ACAP-ignore-conventional-records", "Robot-version: 2.0.0", "Robot-version: 2.1", "License: /b")
USED = (
    "ACAP-allow-print: {pattern}",
    "ACAP-allow-({local}): {pattern}",
    "ACAP-disallow-({local}): {pattern}",
    "ACAP-allow-{usage}: acap:resource-set:{set}",
    "ACAP-disallow-{usage}: acap:resource-set:{set} {pattern}",
)


def generate(random: Random) -> Case:
    """One case; the same for the same state of `random`."""
    case = strategies.generate(random)
    if case.dialect == "google":
        case = replace(case, dialect="auto")  # that one has no limits of ours
    lines = list(case.lines)
    palette = Palette.drawn(random)
    for _ in range(random.choice((0, 1, 2, 3))):
        lines.insert(random.randint(0, len(lines)), plain(sentence(random, palette)))
    lines = [stretched(random, line) if random.random() < 0.3 else line for line in lines]
    case = replace(case, lines=tuple(lines))
    asked = [*case.questions, *(question(random, case, palette) for _ in range(4))]
    asked = [with_names(random, each) if random.random() < 0.4 else each for each in asked]
    return replace(case, questions=tuple(asked), limits=limits(random, case))


def sentence(random: Random, palette: Palette) -> str:
    """A line of a kind that a cut changes in its own way."""
    kind = random.choice((VERSIONS, DIRECTIVES, words.DEFINITIONS, words.DEFINITIONS, USED, USED, USED))
    return random.choice(kind).format(
        local=random.choice(words.LOCAL),
        pattern=random.choice(palette.patterns),
        set=random.choice(words.SETS),
        usage=random.choice(palette.usages),
    )


def stretched(random: Random, line: Line) -> Line:
    """The line with a run of blanks at its start, at a blank or around its colon; sometimes with a comment."""
    places = [0, *(at for at, octet in enumerate(line.octets) if octet in b" :"), *(line.octets.find(b":") + 1,) * 2]
    at = random.choice([place for place in places if place >= 0])
    blanks = b" " * random.choice((4, 12, 40))
    comment = random.choice((b"", b"", b"", b" # a comment that may be cut"))
    return Line(line.octets[:at] + blanks + line.octets[at:] + comment, line.kind)


def question(random: Random, case: Case, palette: Palette) -> Question:
    """A question on something that the case has words for."""
    written = [word.decode("utf-8", "replace") for line in case.lines for word in line.octets.split()]
    paths = [word for word in written if word.startswith("/")] or ["/"]
    crawler = random.choice([*(name for name in palette.names if name != "*"), *words.NAMES])
    purpose = random.choice((None, None, *(each for each in palette.purposes if each)))
    usage = random.choice(("crawl", "print", *palette.usages, *words.ASKED))
    return Question(strategies.path_of(random, random.choice(paths)), crawler, usage, purpose)


def with_names(random: Random, asked: Question) -> Question:
    """The question by a crawler with several names."""
    names = asked.crawler if isinstance(asked.crawler, tuple) else (asked.crawler,)
    more = random.sample(words.NAMES, random.choice((1, 1, 2)))
    together = [*names, *more]
    random.shuffle(together)
    return replace(asked, crawler=tuple(together))


def limits(random: Random, case: Case) -> dict[str, int]:
    """One limit that bites, of lines more often than not; sometimes two."""
    drawn = random.choices(NAMES, weights=(12, 1, 1, 1, 1, 1), k=random.choice((1, 1, 1, 2)))
    lengths = [len(line.octets) for line in case.lines] or [1]
    most = {
        "line_octets": random.choice((random.randint(1, 40), max(1, random.choice(lengths) - random.randint(1, 12)))),
        "file_octets": random.randint(0, len(case.octets) + 2),
    }
    return {name: most.get(name, random.randint(0, 2)) for name in drawn}
