"""Cases for whole crawls with Scrapy, and what came of them."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent


@dataclass
class Case:
    """One crawl.

    `starts` are its first URLs. `follow`: ask for every link of a page. `made`: of each page, URLs to ask for that need
    not be in it. `again`: how many times a page is asked for once more. `items`: the usage for which a page becomes an
    item. `settings` are those of the project, `meta` and `headers` those of each request.
    """

    starts: list[str]
    settings: dict[str, Any] = field(default_factory=dict)
    follow: bool = False
    made: dict[str, list[str]] = field(default_factory=dict)
    again: int = 0
    items: str | None = None
    meta: dict[str, Any] = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)


@dataclass
class Report:
    """What came of a crawl; `failed` is the error with which it did not start."""

    responses: list[dict[str, Any]]
    refused: list[dict[str, Any]]
    items: list[dict[str, Any]]
    dropped: list[dict[str, Any]]
    stats: dict[str, Any]
    failed: str | None

    @property
    def urls(self) -> set[str]:
        """The URLs of all responses."""
        return {response["url"] for response in self.responses}

    def response(self, url: str) -> dict[str, Any]:
        """The one response with this URL."""
        (found,) = [response for response in self.responses if response["url"] == url]
        return found

    def refusal(self, url: str) -> dict[str, Any]:
        """The one refusal of this URL."""
        (found,) = [refusal for refusal in self.refused if refusal["url"] == url]
        return found


def crawls(
    cases: Mapping[str, Case], process: Mapping[str, Any] | None = None, hosts: Mapping[str, str] | None = None
) -> dict[str, Report]:
    """Runs all cases at once in one process.

    `process` are settings of that process; `hosts` are addresses that names were resolved to before.
    """
    given = {
        "cases": {name: asdict(case) for name, case in cases.items()},
        "process": dict(process or {}),
        "hosts": dict(hosts or {}),
    }
    done = subprocess.run(
        [sys.executable, "-W", "error", "-m", "tests.scrapy_crawl"],
        input=json.dumps(given),
        capture_output=True,
        text=True,
        cwd=ROOT,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return {name: Report(**report) for name, report in json.loads(done.stdout).items()}
