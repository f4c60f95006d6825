"""Runs the benchmarks, prints the tables and writes the results as JSON and as a page."""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import json
import os
import platform
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks import (
    audit,
    clock,
    corpus,
    decisions,
    harvest,
    hostile,
    memory,
    page,
    pages,
    paper,
    peers,
    programs,
    publisher,
    speed,
    survey,
    threads,
)
from benchmarks.contestants import PEERS, Acap, Contestant
from benchmarks.corpus import CRAWLER, File

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "results.json"
KEPT = ("harvest", "publisher", "decisions", "survey", "audit", "threads")
"""Measured by themselves: these need packages that peers may not stand beside, or all processors."""
PAGE = HERE.parent / "docs/benchmarks.md"


def gather() -> tuple[list[Contestant], dict[str, str]]:
    """acap first and every peer that is there; and for each that is not, why."""
    there: list[Contestant] = [Acap()]
    missing = {}
    for name, kind in PEERS.items():
        try:
            there.append(kind())
        except ImportError:
            missing[name] = "not built" if name == "reppy" else "not installed"
    for name in programs.NAMES:
        try:
            there.append(programs.program(name))
        except LookupError as error:
            missing[name] = str(error)
    return there, missing


def machine() -> dict[str, str]:
    """What the numbers depend on beside the code."""
    model = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        lines = cpuinfo.read_text().splitlines()
        model = next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), model)
    return {
        "processor": f"{model}, {os.cpu_count()} cores of which one is used",
        "system": f"{platform.system()} {platform.machine()}",
        "Python": f"{platform.python_implementation()} {platform.python_version()}",
    }


def agreement(contestants: list[Contestant], files: list[File]) -> dict[str, float]:
    """The share of questions on which each answers as the corpus has it."""
    count = sum(len(file.urls) for file in files)
    shares = {}
    for one in contestants:
        policies = zip(one.policies([file.octets for file in files]), files, strict=True)
        answers = ((one.answers(policy, CRAWLER, one.asked(file.urls)), file.allowed) for policy, file in policies)
        shares[one.name] = sum(a == b for ours, theirs in answers for a, b in zip(ours, theirs, strict=True)) / count
    return shares


@contextlib.contextmanager
def chatter_away() -> Iterator[None]:
    """Sends away what native code writes to standard error: reppy tells of every number that it cannot read."""
    kept = os.dup(2)
    with Path(os.devnull).open("w") as away:
        os.dup2(away.fileno(), 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)


def run_speed(path: Path, rounds: int) -> dict[str, Any]:
    """Measures reading, deciding and memory."""
    clock.stay_on_one_processor()
    before, start = threads.in_use(), time.perf_counter()
    files = corpus.load(path)
    contestants, missing = gather()
    results: dict[str, Any] = {
        "machine": machine(),
        "settings": {
            "rounds": rounds,
            "files": len(files),
            "octets": sum(len(file.octets) for file in files),
            "questions": sum(len(file.urls) for file in files),
        },
        "versions": {one.name: one.version for one in contestants},
        "missing": missing,
        "agreement": agreement(contestants, files),
    }
    results["measures"] = [*map(dataclasses.asdict, speed.measures(speed.Field(contestants, files, rounds)))]
    keepers = [one.name for one in contestants if one.keeps and one.in_process]
    results["memory"] = {name: dataclasses.asdict(one) for name, one in memory.measure(keepers, files).items()}
    results["limits"] = clock.limits()
    after = threads.in_use()
    if before is not None and after is not None:
        # This process and its programs are on one processor: what goes beyond one is that of others.
        passed = time.perf_counter() - start
        results["settings"]["shared"] = after - before > passed * (1 + threads.BUSY)
    return results


def run(path: Path, rounds: int) -> dict[str, Any]:
    """Measures everything."""
    results = run_speed(path, rounds)
    results["pages"] = dataclasses.asdict(pages.measure(rounds))
    results["hostile"] = hostile.measure(list(results["versions"]))
    return results


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--corpus", type=Path, default=corpus.CORPUS, metavar="FILE", help="lines of JSON, gzipped")
    parser.add_argument("--rounds", type=int, default=5, metavar="N", help="so often each work is measured (5)")
    parser.add_argument("--results", type=Path, default=RESULTS, metavar="FILE", help="where the JSON goes")
    parser.add_argument("--page", type=Path, default=PAGE, metavar="FILE", help="where the page goes")
    parser.add_argument("--speed", action="store_true", help="measure reading and deciding alone, and keep the rest")
    parser.add_argument("--threads", action="store_true", help="measure reading on two processors alone, likewise")
    parser.add_argument("--pages", action="store_true", help="measure the page alone, likewise")
    parser.add_argument("--harvest", action="store_true", help="measure crawls alone, likewise")
    parser.add_argument("--publisher", action="store_true", help="measure lint, compare and starts alone, likewise")
    parser.add_argument("--decisions", action="store_true", help="measure the decision service alone, likewise")
    parser.add_argument("--survey", action="store_true", help="measure surveys of robots.txt alone, likewise")
    parser.add_argument("--audit", action="store_true", help="measure audits of crawls alone, likewise")
    parser.add_argument("--again", action="store_true", help="write the page from the results, without measuring")
    parser.add_argument("--peers", action="store_true", help="ask registries for newer releases of the peers; no more")
    options = parser.parse_args()
    if options.peers:
        for line in peers.report():
            print(line, flush=True)
        return
    parts = (
        options.speed, options.threads, options.pages, options.harvest, options.publisher, options.decisions,
        options.survey, options.audit,
    )  # fmt: skip
    if options.again or any(parts):
        results = json.loads(options.results.read_text(encoding="utf-8"))
        if options.threads and (found := threads.measure(options.rounds)):
            results["threads"] = dataclasses.asdict(found)
        if options.speed:
            with chatter_away():
                results |= run_speed(options.corpus, options.rounds)
        if options.pages:
            clock.stay_on_one_processor()
            results["pages"] = dataclasses.asdict(pages.measure(options.rounds))
        if options.harvest:
            results["harvest"] = dataclasses.asdict(harvest.measure(options.rounds))
        if options.publisher:
            results["publisher"] = dataclasses.asdict(publisher.measure(corpus.load(options.corpus), options.rounds))
        if options.decisions:
            results["decisions"] = dataclasses.asdict(decisions.measure())
        if options.survey:
            results["survey"] = dataclasses.asdict(survey.measure(corpus.load(options.corpus), options.rounds))
        if options.audit:
            clock.stay_on_one_processor()
            results["audit"] = dataclasses.asdict(audit.measure(options.rounds))
        options.results.write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    else:
        print("measuring for some minutes")
        with chatter_away():
            kept = json.loads(options.results.read_text(encoding="utf-8")) if options.results.exists() else {}
            results = run(options.corpus, options.rounds)
            results |= {name: kept[name] for name in KEPT if name in kept}
        options.results.write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    options.page.write_text(page.page(results), encoding="utf-8")
    if results.get("audit"):
        paper.PAGE.write_text(paper.page(results), encoding="utf-8")
    print(page.text(results))


if __name__ == "__main__":
    main()
