"""What lint and compare make of texts that are heavy for their size: bounded numbers, whatever the shape."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from time import process_time

import pytest

import acap
from acap.publish.analysis import analysis
from acap.publish.lint.document import Document
from acap.publish.lint.formats import Style, json
from acap.publish.lint.run import lint
from benchmarks.heavy import FIELDS, HALF, KIB, MIB, SHAPES, run

TOLD = 5_001
"""So many findings of one code: five thousand, and the number of the others."""


@pytest.mark.parametrize("name", SHAPES)
def test_a_shape_has_the_size_asked_for(name: str) -> None:
    """What is measured of a size is measured of that size."""
    assert 0.85 * 64 * KIB <= len(SHAPES[name](64 * KIB)) <= 64 * KIB


@pytest.mark.parametrize("name", SHAPES)
def test_findings_are_few_whatever_is_wrong(name: str) -> None:
    """Of one code lint tells no more than reading tells, in a file of any shape."""
    codes = Counter(finding.code for finding in lint(Document(SHAPES[name](64 * KIB), "robots.txt")))
    assert max(codes.values(), default=0) <= TOLD


@pytest.mark.parametrize("name", ["composite usages", "definitions that nobody uses"])
def test_what_is_told_grows_as_the_file_does(name: str) -> None:
    """A fix that moves many lines is not told again with each of them."""
    sizes = []
    for octets in (64 * KIB, 256 * KIB):
        document = Document(SHAPES[name](octets), "robots.txt")
        sizes.append(len(json.part(document, lint(document), Style())))
    assert sizes[1] < 6 * sizes[0]
    assert sizes[1] < 16 * 256 * KIB


@pytest.mark.parametrize(
    "name",
    [
        "rules of many wildcards",
        "nested rules, Allow and Disallow",
        "many agents, a group each",
        "ACAP records",
        "references",
    ],
)
def test_what_is_idle_is_left_undecided_where_it_is_too_much(name: str) -> None:
    """Half a megabyte of lines that all concern each other is not looked through, and that is said."""
    found = analysis(acap.parse_robots(SHAPES[name](HALF)))
    assert found.undecided > 0


def test_lines_are_idle_in_a_large_file_of_an_ordinary_shape() -> None:
    """The bounds leave what real files have: ten thousand rules of one group, of which each second is idle."""
    text = "User-agent: *\n" + "".join(f"Disallow: /{i}/\nDisallow: /{i}/a\n" for i in range(5_000))
    found = analysis(acap.parse_robots(text))
    assert [one.line for one in found.redundant] == list(range(3, 10_002, 2))
    assert found.undecided == 0


@pytest.mark.parametrize(
    "name", ["nothing but LF", "fields and nothing but LF", "rules, fields and nothing but LF", "short rules"]
)
def test_a_line_takes_no_memory_of_its_own(name: str, tmp_path: Path) -> None:
    """Lint of 512 KiB takes less than 200 MB and two seconds of processor time, however many lines that is."""
    file = tmp_path / "robots.txt"
    file.write_bytes(SHAPES[name](HALF))
    taken = run("lint", "--quiet", file)
    assert taken.code in (0, 1)
    assert taken.mib < 200 * 1000**2 / MIB
    assert taken.seconds < 2


@pytest.mark.parametrize("fields", [30, 300])
def test_lines_that_say_nothing_are_not_read_again_with_every_field(fields: int) -> None:
    """Fields of a file of half a million lines are left out one by one as often as is bounded, not at all beyond."""
    text = FIELDS + "".join(f"ACAP-allow-index: /{number}\n" for number in range(fields))
    found = analysis(acap.parse_robots(text.encode().ljust(HALF, b"\n")))
    assert (found.undecided > 0) == (fields > 100)


@pytest.mark.parametrize("name", ["many agents in a group", "agents, then rules", "references", "robots 2.0"])
def test_a_comparison_ends_when_its_time_is_over(name: str) -> None:
    """Crawlers are told apart, and claims set against each other, as long as there is time and no longer."""
    text = SHAPES[name](HALF)
    old, new = acap.parse_robots(text), acap.parse_robots(text + b"Disallow: /x\n")
    begun = process_time()
    assert acap.compare(old, new, seconds=0.5).verdict != "equal"
    assert process_time() - begun < 2.5
