"""What is logged: an event a record, with its fields, under names that begin with `acap`; or nothing."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from acap import Retriever
from acap.clock import FixedClock
from acap.integrations.testing import FakePage, FakeSite
from acap.logs import JsonFormatter, event
from acap.retrieval import Timeouts
from tests.command_line import environment

NOON = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)

FILE = "User-agent: *\nDisallow: /private\n"


@pytest.fixture
def heard(caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    """Everything that acap tells."""
    caplog.set_level(logging.DEBUG, logger="acap")
    return caplog


def events(caplog: pytest.LogCaptureFixture) -> list[tuple[str, str]]:
    """Level and word of each record of retrieval."""
    return [(one.levelname, vars(one)["acap_event"]) for one in caplog.records if one.name == "acap.retrieval"]


def test_a_retrieval_tells_how_it_went(heard: pytest.LogCaptureFixture, tmp_path: Path) -> None:
    """Fetched, cached by another retriever, stale while the site fails."""
    clock, kept = FixedClock(NOON), str(tmp_path / "kept.db")
    with FakeSite(FILE) as site:
        for _ in range(2):
            with Retriever(cache=kept, clock=clock) as retriever:
                retriever.robots(site.url())
                retriever.robots(site.url())  # it is ready, and nothing is told
        site.robots = FakePage(status=503)
        with Retriever(cache=kept, clock=clock) as retriever:
            retriever.robots(site.url(), refresh=True)
    assert events(heard) == [("INFO", "fetched"), ("DEBUG", "cached"), ("WARNING", "stale")]
    fields = vars(heard.records[0])
    assert (fields["acap_status"], fields["acap_meaning"], fields["acap_asked"]) == (200, "read", True)
    assert fields["acap_url"].endswith("/robots.txt")


def test_what_cannot_be_retrieved_and_what_may_not_is_told(heard: pytest.LogCaptureFixture) -> None:
    """With the kind of the failure."""
    with FakeSite(FakePage(trouble="reset")) as site:
        with Retriever(timeout=Timeouts(0.5, 0.5, 1.0)) as retriever:
            retriever.robots(site.url())
        with Retriever() as retriever:
            retriever.robots(site.url(), found=True)
    assert events(heard) == [("WARNING", "unreachable"), ("WARNING", "refused")]
    assert [vars(one)["acap_failure"] for one in heard.records] == ["protocol", "address-refused"]


def test_a_record_as_json_has_its_fields(heard: pytest.LogCaptureFixture) -> None:
    """One line, whatever a site has put into a text."""
    event(logging.getLogger("acap.test"), logging.INFO, "refused", "a\nb\x1b[31m", url="https://a.example/", rule=None)
    (record,) = heard.records
    assert record.getMessage() == "refused: a\\nb\\x1b[31m"
    line = json.loads(JsonFormatter().format(record))
    assert line.pop("time").endswith("+00:00")
    assert line == {
        "level": "info",
        "logger": "acap.test",
        "message": "refused: a\\nb\\x1b[31m",
        "event": "refused",
        "url": "https://a.example/",
    }


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Python in a process of its own, where nobody has set logging up."""
    return subprocess.run(
        [sys.executable, *arguments], env=environment(), capture_output=True, text=True, check=False, timeout=60
    )


def test_nothing_is_printed_unless_it_is_asked_for() -> None:
    """Not even a warning."""
    with FakeSite(FakePage(status=503)) as site:
        done = run("-c", f"import acap; print(acap.Retriever().robots({site.url()!r}).state)")
    assert (done.stdout, done.stderr) == ("unreachable\n", "")


def test_the_command_line_logs_on_request() -> None:
    """As lines of JSON or of text, on standard error; standard output stays as it is."""
    with FakeSite(FILE) as site:
        lines = run("-m", "acap", "--log", "json", "fetch", site.url())
        text = run("-m", "acap", "--log", "text", "fetch", site.url())
        quiet = run("-m", "acap", "fetch", site.url())
    assert quiet.stdout == lines.stdout == text.stdout == FILE
    assert [json.loads(line)["event"] for line in lines.stderr.splitlines()] == ["fetched"]
    assert "DEBUG acap.retrieval cached: " in text.stderr
    assert quiet.stderr == ""
