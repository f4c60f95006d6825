"""A usage that a robots.txt defines can be asked by its name: it means the strictest of its parts (P1 4.5.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

import acap
from acap.usages import PARENTS
from tests.command_line import acap as run

if TYPE_CHECKING:
    from pathlib import Path

ORDER = ("permitted", "conditional", "prohibited")
usages = st.sampled_from(sorted(PARENTS))
fields = st.lists(
    st.tuples(st.sampled_from(["allow", "disallow"]), usages, st.sampled_from(["/", "/a", "/b"])), max_size=6
)
NEWS = b"""ACAP-composite-usage: news-use index present-snippet
ACAP-crawler: *
ACAP-disallow-present-snippet: /quiet/
"""


@given(st.lists(usages, min_size=1, max_size=4), fields, st.sampled_from(["/a", "/c"]))
def test_the_answer_on_a_name_is_the_strictest_of_its_parts(
    parts: list[str], said: list[tuple[str, str, str]], path: str
) -> None:
    lines = [f"ACAP-composite-usage: news-use {' '.join(parts)}", "ACAP-crawler: *"]
    lines += [f"ACAP-{verb}-{usage}: {pattern}" for verb, usage, pattern in said]
    robots = acap.parse_robots("".join(f"{line}\n" for line in lines))
    asked = robots.decide(path, crawler="bot", usage="news-use")
    each = [robots.decide(path, crawler="bot", usage=part) for part in parts]
    assert asked.outcome == max((one.outcome for one in each), key=lambda outcome: ORDER.index(str(outcome)))
    assert {cited.line for cited in asked.reason.decided_by} <= {
        cited.line for one in each for cited in one.reason.decided_by
    }
    many = robots.decide_many([path], crawler="bot", usages="news-use").outcomes
    assert ORDER[max(many)] == str(asked.outcome)


def test_elements_of_a_page_count_for_the_parts() -> None:
    """An element that may not be indexed is left out of what may be used as the file defines."""
    robots = acap.parse_robots(NEWS, url="https://www.example.com/robots.txt")
    page = acap.parse_page(b'<p class="the-acap:disallow-index">x</p><p>y</p>', url="https://www.example.com/a")
    decision = acap.decide("https://www.example.com/a", crawler="bot", usage="news-use", robots=robots, page=page)
    assert [one.name for one in decision.restrictions] == ["excluded-element"]
    each = acap.decide_each("https://www.example.com/a", crawler="bot", usages=["news-use"], robots=robots, page=page)
    assert each == {"news-use": decision}


@pytest.mark.parametrize(("path", "outcome", "code"), [("/quiet/a", "prohibited", 1), ("/a", "permitted", 0)])
def test_the_command_line_asks_by_name(path: str, outcome: str, code: int, tmp_path: Path) -> None:
    (tmp_path / "robots.txt").write_bytes(NEWS)
    for command in ("check", "explain"):
        result = run(command, "-c", "bot", "-u", "news-use", "--robots", tmp_path / "robots.txt", path)
        assert (result.code, result.out.split("\t")[0].split(":")[0]) == (code, outcome)


@pytest.mark.parametrize("dialect", ["rfc9309", "google", "rep-1994"])
def test_a_dialect_that_reads_no_definitions_knows_no_name(dialect: str) -> None:
    with pytest.raises(ValueError, match="news-use"):
        acap.parse_robots(NEWS, dialect=dialect).decide("/a", crawler="bot", usage="news-use")


def test_a_name_whose_every_part_is_void_is_unknown() -> None:
    robots = acap.parse_robots(b"ACAP-composite-usage: loop (loop)\nACAP-crawler: *\nACAP-allow-index: /\n")
    with pytest.raises(ValueError, match="loop"):
        robots.decide("/a", crawler="bot", usage="loop")
