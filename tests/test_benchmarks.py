"""The benchmarks measure what they say; the page shows the results that are kept."""

from __future__ import annotations

import json
import re
import sys
import tomllib
from pathlib import Path

import pytest

from acap.audits.inputs import of_archive
from benchmarks import __main__ as program
from benchmarks import audit, corpus, instructions, memory, page, pages, paper, peers, programs, speed, workshop
from benchmarks.clock import in_turns
from benchmarks.contestants import PEERS, Acap, Urllib
from benchmarks.corpus import CRAWLER

FILES = [corpus.generated(4, 6), corpus.generated(200, 6)]

SPEAKER = """#!{python}
import sys
octets = sys.stdin.buffer
while line := octets.readline().split():
    if line[0] == b"file":
        octets.read(int(line[1]) + 1)
    elif line[0] != b"ask":
        answers = "1" * (int(line[2]) - int(line[1])) if line[0] in (b"decide", b"each") else ""
        print(*(["test"] if line[0] == b"version" else ["2000", answers]), flush=True)
"""


def test_the_page_shows_the_results() -> None:
    results = json.loads(program.RESULTS.read_text(encoding="utf-8"))
    assert program.PAGE.read_text(encoding="utf-8") == page.page(results), "`python -m benchmarks --again` writes it"
    assert paper.PAGE.read_text(encoding="utf-8") == paper.page(results), "`python -m benchmarks --again` writes it"


def test_a_count_of_instructions_may_depart_by_the_tolerance_alone() -> None:
    """A work that needs more, or less, than the table has is told, and so is one that the table does not have."""
    held = dict.fromkeys(instructions.WORKS, 1_000_000)
    assert instructions.departures({**held, "reading": 1_029_000, "questions": 971_000}, held) == []
    told = instructions.departures({**held, "reading": 1_040_000, "questions": 960_000, "new": 1}, held)
    assert [line.partition(":")[0] for line in told] == ["reading", "questions", "new"]


def test_every_work_has_its_count() -> None:
    """The table is what `--update` writes, and has each work."""
    table = tomllib.loads(instructions.TABLE.read_text(encoding="utf-8"))
    assert tuple(table["counts"]) == instructions.WORKS
    assert instructions.written(table["counts"], table["rustc"]) == instructions.TABLE.read_text(encoding="utf-8")


@pytest.mark.parametrize("rules", [4, 645, 10_000])
def test_generated_files_refuse_what_they_say(rules: int) -> None:
    file = corpus.generated(rules, 30)
    one = Acap()
    (policy,) = one.policies([file.octets])
    assert one.answers(policy, CRAWLER, file.urls) == file.allowed


def test_a_turn_counts_the_second_time() -> None:
    times = iter([9.0, 1.0, 9.0, 3.0, 9.0, 2.0])
    spread = in_turns({"one": lambda: next(times)}, 3)["one"]
    assert (spread.median, spread.least, spread.most, spread.ratio) == (2.0, 1.0, 3.0, 1.0)


def test_the_manifest_has_every_peer_that_is_measured() -> None:
    """Who is measured stands in the manifest, with the version that is installed for it."""
    listed = {one.name: one for one in peers.peers()}
    assert {name for name, one in listed.items() if one.measured} == {"acap", *PEERS, *programs.NAMES}
    pins = dict(
        line.split("==")
        for path in (program.HERE / "requirements.txt", program.HERE / "install-peers")
        for line in re.findall(r"[\w-]+==[\w.]+", path.read_text(encoding="utf-8"))
    )
    assert {name: pins[name] for name in PEERS if name in pins} == {
        name: listed[name].version for name in PEERS if listed[name].registry
    }


@pytest.mark.parametrize(
    ("name", "printed", "release"),
    [
        ("protego", "protego (0.8.1)\nAvailable versions: 0.8.1, 0.7.0\n", "0.8.1"),
        ("robots-parser", "npm warn x\n3.0.2\n", "3.0.2"),
        ("texting_robots", "texting_robots #robots\nversion: 0.2.2\nlicense: MIT\n", "0.2.2"),
        ("texting_robots", "version: 0.2.2 (latest 0.3.0)\n", "0.3.0"),
        (
            "crawler-commons",
            "  com.github.crawler-commons:crawler-commons ..... 1.6 -> 1.7\n[INFO] BUILD SUCCESS",
            "1.7",
        ),
        ("crawler-commons", "[INFO] BUILD SUCCESS", "1.6"),
        ("crawler-commons", "[ERROR] no network", None),
        ("protego", "", None),
    ],
)
def test_what_the_client_of_a_registry_prints(name: str, printed: str, release: str | None) -> None:
    """The newest release is read out of what pip, npm, cargo and Maven print; nothing is made of anything else."""
    (peer,) = (one for one in peers.peers() if one.name == name)
    assert peers.told(peer, printed) == release


def test_a_corpus_of_the_runner_is_measured_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each file beneath the folder is one robots.txt; a folder without any is a mistake."""
    monkeypatch.setenv(corpus.VARIABLE, str(tmp_path))
    with pytest.raises(FileNotFoundError, match="has no files"):
        corpus.given()
    (tmp_path / "a").mkdir()
    (tmp_path / "a/robots.txt").write_bytes(b"User-agent: *\n")
    (tmp_path / "b.txt").write_bytes(b"Disallow: /")
    assert corpus.given() == [b"User-agent: *\n", b"Disallow: /"]
    assert corpus.urls_of(b"Allow: /a/b\r\nDisallow: /*x\nDISALLOW:/c\n") == [
        f"{corpus.SITE}{path}" for path in ("/", "/a/bx", "/cx")
    ]
    assert "Reading another corpus" in {one.title for one in speed.measures(speed.Field([Acap()], FILES, 1))}


def test_a_bar_is_as_long_as_the_speed() -> None:
    """Half as fast is half as long, and the limits are told as times of the longest."""
    rows = {"a": {"median": 1.0}, "b": {"median": 2.0}}
    table = page.bars({"octets": 1000.0, "rows": rows}, {"copying memory": 5e9})
    assert table.rows == [
        ["a", "1,000", "█" * 40],
        ["b", "500", "█" * 20],
        ["limit: copying memory", "5,000", "5 times the longest"],
    ]


def test_every_measure_has_a_row_for_acap(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(speed, "RULES", (4, 200))
    monkeypatch.setattr(speed, "ACAP_FILES", 2)
    measures = list(speed.measures(speed.Field([Acap(), Urllib()], FILES, 1)))
    assert all(spread.least > 0 for measure in measures for spread in measure.rows.values())
    assert {measure.title for measure in measures if not any("acap" in name for name in measure.rows)} == {
        "Building the index of acap"
    }


def test_a_crawl_is_audited_whole(tmp_path: Path) -> None:
    """The crawl of the benchmark has no damage, and each of its pages is a row."""
    file = audit.write_crawl(tmp_path / "crawl.warc.gz", 12, 3)
    problems: list[str] = []
    assert sum(one.octets is not None for one in of_archive(file, problems.append)) == 12
    assert not problems
    assert audit.audit(file, tmp_path) == 12
    assert list(tmp_path.iterdir()) == [file]


def test_the_text_of_a_page_has_a_goal_beside_extractors_where_one_is_there() -> None:
    """Its speed has one anyway."""
    spread = {"median": 1000.0, "least": 900.0, "most": 1100.0, "ratio": 1.0}
    alone = {"content": {pages.CONTENT: spread}, "content_octets": 1, "characters": {pages.CONTENT: 1, "other": 1}}
    beside = alone | {"content": {"other": spread, pages.CONTENT: spread | {"ratio": 1.4}}}
    speed = ["Pages read for their text", "at least 800 a second", "1,000", "met"]
    assert [*page.content_goals({})] == []
    assert [*page.content_goals(alone)] == [speed]
    assert [*page.content_goals(beside)] == [["The text of a page", "at most 1.3 times other", "1.40", "missed"], speed]
    assert len(page.of_content(beside).rows) == 2


def test_kept_policies_take_memory_where_the_system_tells() -> None:
    found = memory.measure(["acap"], FILES * 500)
    assert bool(found) == memory.STATM.exists()
    for one in found.values():
        assert one.told is not None
        assert one.text < one.told <= one.asked


def test_a_program_speaks_for_google(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    speaker = tmp_path / "speaker"
    speaker.write_text(SPEAKER.format(python=sys.executable))
    speaker.chmod(0o755)
    monkeypatch.setenv(programs.VARIABLE, str(speaker))
    one = programs.program("google")
    try:
        policy, other = one.policies([file.octets for file in FILES])
        assert one.version == "test"
        assert one.answers(policy, CRAWLER, FILES[0].urls) == [True] * 6
        assert one.seconds_asking(other, CRAWLER, FILES[1].urls, 3) == 2e-6
        assert one.seconds_reading([FILES[0].octets], [None]) == 2e-6
        assert one.seconds_of_one_each([FILES[0].octets], CRAWLER, FILES[0].urls[:1], [None]) == 2e-6
    finally:
        one.process.communicate()


def test_a_program_that_is_missing_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Each says what it lacks: its language, what install-peers builds, or the name of a program."""
    monkeypatch.delenv(programs.VARIABLE, raising=False)
    monkeypatch.setattr(programs, "BUILT", tmp_path)
    for name in programs.NAMES:
        with pytest.raises(LookupError, match=r"is not installed|not built|no program given"):
            programs.program(name)
    monkeypatch.setenv("PATH", "")
    with pytest.raises(LookupError, match="java is not installed"):
        programs.program("crawler-commons")


def test_versions_of_programs_are_those_of_the_manifest() -> None:
    """What the drivers pin, each in the file of its package manager, is what the manifest says."""
    texts = [path.read_text(encoding="utf-8") for path in sorted((program.HERE / "drivers").glob("*/*.*"))]
    for one in peers.peers():
        if one.name not in programs.NAMES or not one.registry:
            continue
        package = re.escape(one.package.rpartition(":")[2])
        pin = rf"\b{package}\b.{{1,40}}?\b{re.escape(one.version)}\b"
        assert any(re.search(pin, text, re.DOTALL) for text in texts), one.name


def test_two_processors_are_told_by_the_clock_only_where_nobody_else_uses_them() -> None:
    """Else by processor time: of the calling thread and the other, the one that works longer."""
    found = {"files": 1, "one": [(1.0, 1.0, 1.0)], "two": [(0.5, 1.1, 0.5)], "others": [0.0]}
    (idle,) = page.threads_goals(found)
    (busy,) = page.threads_goals(found | {"others": [0.5]})
    assert idle == ["Many files on two processors, by the clock", "at least 1.8 times one", "2.00", "met"]
    assert busy[0].endswith("by processor time")
    assert busy[2:] == ["1.67", "missed"]
    assert "Others used up to 50%" in page.of_threads(found | {"others": [0.5]}).note
    assert len(page.of_threads(found).rows) == 6


def test_each_answer_of_the_workshop_is_measured() -> None:
    """Marks, a line and every view have a time, for texts of the size that is asked for."""
    found = workshop.texts(3_000)
    assert all(1_500 < len(text) <= 3_000 for text in found.values())
    assert "ACAP-disallow-crawl" in found["ACAP beside them"]
    times = workshop.measure(found["ACAP beside them"], 1)
    assert {"/marks", "/line", "/", "/lint", "/compare"} <= times.keys()
    assert all(0 < seconds < float("inf") for seconds in times.values())
