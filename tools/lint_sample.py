"""A sample of what lint finds in real files, to be judged by people.

    python -m tools.lint_sample DIRECTORY SEED NUMBER > sample.txt

Of each rule no more than two findings are of one file, so that no file is the whole sample. Every rule that finds
anything has its share: three findings at least, forty at most, and between them in proportion to how often it speaks.
The same directory, seed and number give the same sample. `--json` writes an object a line.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping
from itertools import groupby
from pathlib import Path
from random import Random
from typing import NamedTuple

from acap.cli.io.linting import kind_of, searched
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Finding
from acap.publish.lint.run import lint

FEWEST, MOST = 3, 40  # findings of a rule
OF_A_FILE = 2  # findings of a rule
AROUND = 3  # lines above and below a finding


class Drawn(NamedTuple):
    """A finding, and the file it is of."""

    file: Path
    finding: Finding


def found_in(directory: Path) -> Mapping[str, list[Drawn]]:
    """All that the rules which are on by default find in the files below a directory, by rule."""
    found: dict[str, list[Drawn]] = defaultdict(list)
    for file in sorted(file for file, unread in searched(directory) if not unread):
        for finding in lint(read(file)):
            found[finding.code].append(Drawn(file, finding))
    return found


def read(file: Path) -> Document:
    """A file as lint reads it."""
    octets = file.read_bytes()
    return Document(octets, str(file), kind_of(file.name, octets))


def shares(counts: Mapping[str, int], number: int) -> dict[str, int]:
    """How many findings of each rule are drawn, `number` together unless there are fewer."""
    given = {code: min(count, FEWEST) for code, count in counts.items()}
    while (left := number - sum(given.values())) > 0:
        free = {code: counts[code] for code in counts if given[code] < min(counts[code], MOST)}
        if not free:
            break
        total = sum(free.values())
        for code in sorted(free, key=lambda code: (-free[code], code)):
            more = min(max(left * free[code] // total, 1), min(counts[code], MOST) - given[code])
            more = min(more, number - sum(given.values()))
            given[code] += more
    return given


def drawn(found: Mapping[str, list[Drawn]], seed: int, number: int) -> Iterator[Drawn]:
    """The sample, rule by rule."""
    dice = {code: Random(f"{seed} {code}") for code in found}
    few = {code: list(thinned(each, dice[code])) for code, each in found.items()}
    given = shares({code: len(each) for code, each in few.items()}, number)
    for code in sorted(few):
        chosen = dice[code].sample(few[code], given[code])
        yield from sorted(chosen, key=lambda one: (one.file, one.finding.line, one.finding.column))


def thinned(found: list[Drawn], dice: Random) -> Iterator[Drawn]:
    """Some of each file."""
    for _, same in groupby(found, key=lambda one: one.file):
        each = list(same)
        yield from dice.sample(each, min(len(each), OF_A_FILE))


def shown(number: int, one: Drawn) -> str:
    """A finding with the lines around it."""
    finding, document = one.finding, read(one.file)
    lines = [f"[{number}] {finding.code} ({finding.severity}) {one.file.parent.name}/{one.file.name}:{finding.line}"]
    lines.append(f"    {finding.message}")
    lines += [f"    help: {finding.help}"] if finding.help else []
    lines += [f"    at: {finding.witness}"] if finding.witness else []
    near = {at for at in range(finding.line - AROUND, finding.line + AROUND + 1) if 0 < at <= len(document.starts)}
    for at in sorted(near | {related.line for related in finding.related if related.line}):
        text = document.line_octets(at).decode("utf-8", "backslashreplace")
        text = "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in text)
        about = "; ".join(related.message for related in finding.related if related.line == at)
        lines.append(
            f"  {'>' if at == finding.line else ' '} {at:>4} | {text[:160]}{f'   <- {about}' if about else ''}"
        )
    return "\n".join(lines)


def main() -> None:
    """Prints the sample on standard output, and of how many it was drawn on standard error."""
    arguments = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    arguments.add_argument("directory", type=Path)
    arguments.add_argument("seed", type=int)
    arguments.add_argument("number", type=int)
    arguments.add_argument("--json", action="store_true", help="an object a line")
    given = arguments.parse_args()
    found = found_in(given.directory)
    for number, one in enumerate(drawn(found, given.seed, given.number), 1):
        if given.json:
            finding = one.finding
            about = {"number": number, "code": finding.code, "severity": finding.severity, "file": str(one.file)}
            print(json.dumps(about | {"line": finding.line, "message": finding.message}))
        else:
            print(shown(number, one), end="\n\n")
    print(f"of {sum(map(len, found.values()))} findings by {len(found)} rules", file=sys.stderr)


if __name__ == "__main__":
    main()
