"""The open vectors keep to their schema, and acap answers each as it expects."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tools import readers

VECTORS = Path(__file__).resolve().parent.parent / "vectors"
SCHEMA = json.loads((VECTORS / "schema.json").read_text(encoding="utf-8"))
FILES = {
    path.stem: json.loads(path.read_text(encoding="utf-8"))
    for path in sorted(VECTORS.glob("*.json"))
    if path.name != "schema.json"
}
EVERY_FILE = pytest.mark.parametrize("name", FILES)
READ_STRICTLY = ("aipref", "content-signal")
CASES = [
    pytest.param(file["dialect"], case, id=f"{name}-{case['id']}")
    for name, file in FILES.items()
    for case in file["cases"]
]


def module(path: Path) -> ModuleType:
    """A program of the folder, without running it."""
    loader = SourceFileLoader(f"vectors_{path.stem}", str(path))
    spec = importlib.util.spec_from_loader(loader.name, loader)
    assert spec is not None
    found = importlib.util.module_from_spec(spec)
    loader.exec_module(found)
    return found


RUN = module(VECTORS / "run")
READER = module(VECTORS / "readers" / "by_acap.py")


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(VECTORS / "run"), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)


def reader(body: str) -> tuple[str, ...]:
    """A reader in a few lines: what it does with each `question`."""
    head = "import json, sys\nfor line in sys.stdin:\n    question = json.loads(line)\n"
    return ("--", sys.executable, "-c", head + "\n".join(f"    {line}" for line in body.splitlines()))


def saying(answer: str) -> tuple[str, ...]:
    return reader(f"print(json.dumps({{'id': question['id'], 'answer': '{answer}'}}), flush=True)")


@EVERY_FILE
def test_a_file_keeps_to_the_schema(name: str) -> None:
    """Every key and value is one the schema knows."""
    validator = Draft202012Validator(SCHEMA)
    assert [f"{error.json_path}: {error.message}" for error in validator.iter_errors(FILES[name])] == []


@EVERY_FILE
def test_a_file_is_named_for_its_dialect_and_listed(name: str) -> None:
    """Whoever looks for a dialect finds its file in the README."""
    assert FILES[name]["dialect"] == name
    assert f"[{name}.json]({name}.json)" in (VECTORS / "README.md").read_text(encoding="utf-8")


@EVERY_FILE
def test_the_ids_of_a_file_are_unique(name: str) -> None:
    ids = [case["id"] for case in FILES[name]["cases"]]
    assert len(ids) == len(set(ids))


@EVERY_FILE
def test_a_clause_is_of_a_text_that_is_named(name: str) -> None:
    """`NAME SECTION`, or `choice` where the texts say nothing."""
    names = {text["name"] for text in FILES[name]["texts"]} | {"choice"}
    cited = {clause for case in FILES[name]["cases"] for clause in case["clause"].split("; ")}
    assert {clause for clause in cited if not any(f"{clause} ".startswith(f"{one} ") for one in names)} == set()


@pytest.mark.parametrize(("dialect", "case"), CASES)
def test_acap_answers_as_expected(dialect: str, case: dict[str, Any]) -> None:
    """The answer is that of the column `ours`, with the condition and the restrictions where the case has them."""
    answer = READER.answer(RUN.question(dialect, case))
    assert RUN.Result(dialect, case, answer).judged("ours") == "same", (answer, case["expect"])


def test_acap_reads_signals_by_the_letter_as_expected() -> None:
    """With `reading="strict"` the answer is that of the column `strict`."""
    read: list[Any] = [one.values for one in CASES if one.values[0] in READ_STRICTLY]
    assert read
    for dialect, case in read:
        answer = READER.answer(RUN.question(dialect, case), "strict")
        judged = RUN.Result(dialect, case, answer).judged("strict")
        assert judged == "same", (case, answer, case.get("strict", case["expect"]))


def test_the_schema_is_one() -> None:
    Draft202012Validator.check_schema(SCHEMA)


def test_every_case_passes_through_the_runner() -> None:
    """Whoever runs it against acap sees no difference."""
    done = run("--quiet", "--", sys.executable, str(VECTORS / "readers" / "by_acap.py"))
    assert (done.returncode, done.stderr) == (0, "")


def test_a_reader_that_is_always_silent_is_told_where_it_is_looser() -> None:
    done = run("--dialect", "content-signal", *saying("silent"))
    assert done.returncode == 1
    assert "looser: content-signal refuses" in done.stdout


def test_what_a_reader_does_not_read_does_not_count_against_it() -> None:
    assert run(*saying("unsupported")).returncode == 0


@pytest.mark.parametrize(
    "body",
    ["sys.exit()", "print('hello', flush=True)", "print('{}', flush=True)", "pass"],
    ids=["ends", "no JSON", "no answer", "says nothing"],
)
def test_a_reader_that_answers_no_question_has_failed(body: str) -> None:
    done = run("--case", "group-named", "--seconds", "2", "--json", *reader(body))
    assert done.returncode == 3
    assert json.loads(done.stdout)["ours"] == "failed"


def test_a_reader_is_started_again_after_it_failed() -> None:
    """One question that ends it costs one answer."""
    body = "if question['id'] == 'group-named': sys.exit()\n"
    body += "print(json.dumps({'id': question['id'], 'answer': 'silent'}), flush=True)"
    done = run("--dialect", "content-signal", "--dialect", "aipref", "--json", *reader(body))
    failed = [line["id"] for line in map(json.loads, done.stdout.splitlines()) if line["ours"] == "failed"]
    assert (done.returncode, failed) == (1, ["group-named"])


@pytest.mark.parametrize("arguments", [["--dialect", "latin"], ["--case", "none"], ["--column", "third"], []])
def test_a_wrong_command_line_is_told(arguments: list[str]) -> None:
    assert run(*arguments, *(("--", "cat") if arguments else ())).returncode == 2


def test_a_reader_that_is_not_there_is_told() -> None:
    assert run("--", "/nowhere/reader").returncode == 3


def test_the_table_of_readers_tells_who_answers_what() -> None:
    """The page is that of the tool, and a cell counts the answers of one reader."""
    one = readers.readers(Path("/nowhere"))[0]
    judged = [{"dialect": "aipref", "ours": name, "strict": "unsupported"} for name in ("same", "same", "looser")]
    written = readers.page([(one, judged)], "2026-11-23")
    assert "| acap | ours | 2 of 3, 1 looser |" in written
    assert "| acap | strict | does not read it |" in written
    assert written.partition("## Answers")[0].splitlines()[0] == readers.PAGE.read_text("utf-8").splitlines()[0]


def test_the_table_of_readers_has_every_vector() -> None:
    """Whoever adds a case runs the tool again: acap answers each of them."""
    rows = [line.strip("| ").split(" | ") for line in readers.PAGE.read_text("utf-8").splitlines()]
    names = next(row[2:] for row in rows if row[:2] == ["reader", "column"])
    cells = next(row[2:] for row in rows if row[:2] == ["acap", "ours"])
    counts = {name: len(file["cases"]) for name, file in FILES.items()}
    assert dict(zip(names, cells, strict=True)) == {name: f"{count} of {count}" for name, count in counts.items()}


def test_every_reader_of_the_table_has_its_program() -> None:
    """Each program of the folder is asked, and each that is asked is there."""
    named = {Path(part).name for one in readers.readers(Path("/nowhere")) for part in one.command}
    assert {path.name for path in (VECTORS / "readers").iterdir() if path.is_file()} <= named
