"""Real files in ACAP terms: proved to answer as the original does, but for those that a table explains.

Every twentieth file of each source is converted; `make soak` converts all.
"""

from __future__ import annotations

import tomllib
from functools import cache
from typing import Any

import pytest

from acap.publish.convert import PATIENT_SECONDS, PATIENT_STEPS, Conversion, convert, verify
from acap.robots import parse_robots
from tests.portions import at_length
from tests.test_rep_corpus import corpus, corpus_in_part
from tests.vector_files import VECTORS

pytestmark = pytest.mark.portion
EXPLAINED: dict[str, dict[str, Any]] = {
    one["id"]: one for one in tomllib.loads((VECTORS / "rep/conversions.toml").read_text(encoding="utf-8"))["file"]
}
FILES = [file for file in corpus_in_part(20) if file["id"] not in EXPLAINED]


@cache
def converted(robots: str) -> Conversion:
    """A file of the corpus with its conventional lines said in ACAP terms: two tests look at each."""
    return convert(robots.encode("latin-1"), "acap")


@pytest.mark.parametrize("file", FILES, ids=lambda file: file["id"])
def test_a_real_file_is_converted_without_loss_and_proved_equal(file: dict[str, Any]) -> None:
    """The whole file and the ACAP lines alone answer as the original does, for all crawlers and paths."""
    conversion = converted(file["robots"])
    assert not [note for note in conversion.notes if "left out" in note.message and note.loss]
    assert verify(conversion, steps=PATIENT_STEPS, seconds=PATIENT_SECONDS).verdict == "equal"


@pytest.mark.parametrize("file", FILES, ids=lambda file: file["id"])
def test_the_acap_lines_alone_answer_real_questions_as_the_original(file: dict[str, Any]) -> None:
    """What is proved shows at the URLs that the answers of Google's matcher are known for."""
    conversion = converted(file["robots"])
    if conversion.alone is None:
        pytest.skip("nothing was to be converted")
    before, after = parse_robots(conversion.original), parse_robots(conversion.alone)
    for crawler in file["agents"]:
        for url in file["urls"]:
            answers = [one.decide(url, crawler=crawler).permitted for one in (before, after)]
            assert answers[0] == answers[1], (crawler, url)


@pytest.mark.skipif(not at_length(), reason="some take minutes; `make soak` tries them")
@pytest.mark.parametrize("identity", EXPLAINED)
def test_a_file_that_is_not_proved_equal_is_as_the_table_explains(identity: str) -> None:
    """Where permissions are left out, each is told, and answers become stricter alone; what is open is open."""
    file = next(file for file in corpus() if file["id"] == identity)
    conversion = converted(file["robots"])
    comparison = verify(conversion, steps=PATIENT_STEPS, seconds=PATIENT_SECONDS)
    assert comparison.verdict == EXPLAINED[identity]["verdict"]
    assert {(one.before.outcome, one.after.outcome) for one in comparison.changes} <= {("permitted", "prohibited")}
    left_out = {note.line for note in conversion.notes if note.loss and note.message.endswith("is left out")}
    assert len(left_out) == EXPLAINED[identity]["left-out"]
