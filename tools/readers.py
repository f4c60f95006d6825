"""Who answers what: the open vectors put to other readers, as `docs/dialects/readers.md`.

python -m tools.readers FOLDER            # asks the readers that are installed in the folder, and writes the page
python -m tools.readers --install FOLDER  # installs them there first: pip, npm and mvn are needed
"""

from __future__ import annotations

import argparse
import datetime
import json
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
VECTORS = ROOT / "vectors"
PAGE = ROOT / "docs" / "dialects" / "readers.md"

PYTHON = {"protego": "0.7.0", "datadiligence": "0.1.7", "susbot": "2.2.1"}
NPM = {"robots-parser": "3.0.1"}
MAVEN = {
    "com.github.crawler-commons:crawler-commons": "1.6",
    "org.slf4j:slf4j-api": "2.0.16",
    "commons-io:commons-io": "2.16.1",
    "org.json:json": "20240303",
}


class Reader(NamedTuple):
    """A reader: its name, version and registry, what starts it, and what it reads in its own words."""

    name: str
    version: str
    registry: str
    command: tuple[str, ...]
    reads: str
    strictly: tuple[str, ...] = ()
    """What its command takes for its answers in the column `strict`, if they are others."""


ABSENT = {
    "policycheck (openattribution-org)": "its crate `policycheck-core` is not in crates.io",
    "PEAC, `@peac/mappings-content-signals` and `@peac/mappings-aipref`": "not in the npm registry",
    "aipref-signals (GAIP)": "not in PyPI",
    "crawler-commons with `content-signal`": "since 2026-07 on its main branch; release 1.6 reads none",
}
"""Readers of these dialects that were not available from a registry, and why."""


def readers(folder: Path) -> tuple[Reader, ...]:
    """The readers as they are installed in a folder."""
    programs = VECTORS / "readers"
    python = str(folder / "py" / "bin" / "python")
    jars = ":".join(str(jar) for jar in sorted((folder / "jars").glob("*.jar")))
    rep = "robots.txt, no signals"
    return (
        Reader(
            "acap", "this version", "here", (sys.executable, str(programs / "by_acap.py")), "all of these", ("strict",)
        ),
        Reader(
            "susbot", PYTHON["susbot"], "PyPI", (python, str(programs / "by_susbot.py")),
            "Content-Signal, line by line: a checker; our program joins its lines by group",
        ),
        Reader(
            "datadiligence", PYTHON["datadiligence"], "PyPI", (python, str(programs / "by_datadiligence.py")),
            "the header `tdm-reservation`, without its policy",
        ),
        Reader("Protego", PYTHON["protego"], "PyPI", (python, str(programs / "by_protego.py")), rep),
        Reader(
            "robots-parser", NPM["robots-parser"], "npm",
            ("env", f"NODE_PATH={folder / 'js' / 'node_modules'}", "node", str(programs / "by_robots_parser.js")), rep,
        ),
        Reader(
            "crawler-commons", MAVEN["com.github.crawler-commons:crawler-commons"], "Maven",
            ("java", "-cp", jars, str(programs / "ByCrawlerCommons.java")), rep,
        ),
    )  # fmt: skip


def install(folder: Path) -> None:
    """Installs the readers in a folder of their own."""
    subprocess.run([sys.executable, "-m", "venv", folder / "py"], check=True)
    pinned = [f"{name}=={version}" for name, version in PYTHON.items()]
    subprocess.run([folder / "py" / "bin" / "pip", "install", "--quiet", *pinned], check=True)
    (folder / "js").mkdir(exist_ok=True)
    named = [f"{name}@{version}" for name, version in NPM.items()]
    subprocess.run(["npm", "install", "--silent", "--prefix", folder / "js", *named], check=True)
    for name, version in MAVEN.items():
        artifact, to = f"-Dartifact={name}:{version}", f"-DoutputDirectory={folder / 'jars'}"
        subprocess.run(["mvn", "-q", "dependency:copy", artifact, to], check=True, cwd=folder)


Answers = list[dict[str, str]]


def ask(reader: Reader) -> Answers:
    """Every answer of a reader, with what the columns make of it."""
    answers = _answers(reader, ())
    if not reader.strictly:
        return answers
    strict = _answers(reader, reader.strictly)
    return [{**one, "strict": other["strict"]} for one, other in zip(answers, strict, strict=True)]


def _answers(reader: Reader, more: tuple[str, ...]) -> Answers:
    command = [sys.executable, str(VECTORS / "run"), "--json", "--", *reader.command, *more]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        raise SystemExit(f"{reader.name} answers nothing: {done.stderr.strip()[-300:]}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def page(asked: Iterable[tuple[Reader, Answers]], date: str) -> str:
    """The page: a table of readers, one of answers, and those that are missing."""
    asked = list(asked)
    dialects = sorted({answer["dialect"] for _, answers in asked for answer in answers})
    lines = [
        "# Readers of living dialects: who answers what",
        "",
        f"The [open vectors](../../vectors/README.md) put to other readers on {date}, each by a small program in",
        "[vectors/readers](../../vectors/readers). `python -m tools.readers FOLDER` wrote this page.",
        "",
        "| reader | version | from | reads |",
        "|---|---|---|---|",
        *(f"| {one.name} | {one.version} | {one.registry} | {one.reads} |" for one, _ in asked),
        "",
        "## Answers",
        "",
        "A cell is how many answers are those expected, of those that the reader gives; behind it how many are looser:",
        "they let a crawler do what is refused. `ours` takes doubt for a refusal, `strict` is the letter of the text.",
        "For that column acap reads aipref and content-signal by their letter; its other dialects have one reading.",
        "",
        f"| reader | column | {' | '.join(dialects)} |",
        f"|---|---|{'---|' * len(dialects)}",
    ]
    for reader, answers in asked:
        for column in ("ours", "strict"):
            cells = [cell([answer[column] for answer in answers if answer["dialect"] == name]) for name in dialects]
            lines.append(f"| {reader.name} | {column} | {' | '.join(cells)} |")
    lines += ["", "## Not available", "", "| reader | why |", "|---|---|"]
    lines += [f"| {name} | {why} |" for name, why in ABSENT.items()]
    return "\n".join([*lines, ""])


def cell(judged: list[str]) -> str:
    """One dialect of one reader."""
    counts: Mapping[str, int] = {name: judged.count(name) for name in set(judged)}
    given = len(judged) - counts.get("unsupported", 0)
    if not given:
        return "does not read it"
    looser, failed = counts.get("looser", 0), counts.get("failed", 0)
    more = "".join(f", {count} {name}" for name, count in (("looser", looser), ("failed", failed)) if count)
    return f"{counts.get('same', 0)} of {given}{more}"


def main() -> None:
    """Writes the page."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.readers", description="Put the open vectors to other readers."
    )
    parser.add_argument("folder", type=Path, help="where the readers are installed")
    parser.add_argument("--install", action="store_true", help="install them first")
    options = parser.parse_args()
    folder = options.folder.resolve()
    if options.install:
        folder.mkdir(parents=True, exist_ok=True)
        install(folder)
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    PAGE.parent.mkdir(parents=True, exist_ok=True)
    PAGE.write_text(page(((reader, ask(reader)) for reader in readers(folder)), today), encoding="utf-8")


if __name__ == "__main__":
    main()
