"""The programs of the system that tests need do their work, and what is missing is told."""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import httpx2
import psycopg
import pytest

from tests import programs
from tests.nginx import Nginx
from tests.postgres import Mode, PostgresServer

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


@pytest.fixture
def bare(tmp_path: Path) -> dict[str, str]:
    """An environment that sees bash and nothing that installs."""
    for name in ("bash", "grep", "sort"):
        (tmp_path / name).symlink_to(shutil.which(name) or pytest.fail(f"{name} is missing"))
    return {"PATH": str(tmp_path)}


def system_programs(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([programs.TOOL, *arguments], env=environment, capture_output=True, text=True)


def test_a_database_answers(postgres_url: str) -> None:
    """A database of the server answers a query."""
    with psycopg.connect(postgres_url) as connection:
        assert connection.execute("SELECT 1").fetchone() == (1,)


def test_databases_are_apart(postgres_server: PostgresServer) -> None:
    """What is written in one database is not in another."""
    one, other = (postgres_server.create_database() for _ in range(2))
    with psycopg.connect(one) as connection:
        connection.execute("CREATE TABLE kept (word text)")
    with psycopg.connect(other) as connection:
        assert connection.execute("SELECT to_regclass('kept')").fetchone() == (None,)


@pytest.mark.parametrize("mode", ["fast", "immediate"])
def test_a_durable_server_keeps_what_was_written_when_it_is_stopped(mode: Mode) -> None:
    """A server that was stopped refuses, and after its start has what was committed."""
    with PostgresServer(durable=True) as server:
        url = server.create_database()
        with psycopg.connect(url) as connection:
            assert connection.execute("SHOW fsync").fetchone() == ("on",)
            connection.execute("CREATE TABLE kept (word text)")
            connection.execute("INSERT INTO kept VALUES ('written')")
        server.stop(mode)
        with pytest.raises(psycopg.OperationalError):
            psycopg.connect(url)
        server.start()
        with psycopg.connect(url) as connection:
            assert connection.execute("SELECT word FROM kept").fetchone() == ("written",)


def test_a_connection_that_is_open_when_the_server_crashes_fails() -> None:
    """Whoever is connected while the server is stopped at once gets an error."""
    with PostgresServer() as server, psycopg.connect(server.url()) as connection:
        server.stop("immediate")
        with pytest.raises(psycopg.OperationalError):
            connection.execute("SELECT 1")


def test_nginx_serves_a_directory_and_a_policy(tmp_path: Path) -> None:
    """nginx serves files with their type, the robots.txt that it was given, and the headers of its configuration."""
    (tmp_path / "page.html").write_text("<!DOCTYPE html><title>Served</title>", encoding="utf-8")
    policy = b"ACAP-crawler: *\nACAP-disallow-index: /\n"
    with Nginx(tmp_path, robots=policy, server='add_header X-Robots-Tag "noarchive";') as server:
        page = httpx2.get(server.url("/page.html"))
        assert (page.status_code, page.headers["content-type"]) == (200, "text/html; charset=utf-8")
        assert page.headers["x-robots-tag"] == "noarchive"
        assert "Served" in page.text
        robots = httpx2.get(server.url("/robots.txt"))
        assert (robots.content, robots.headers["content-type"]) == (policy, "text/plain; charset=utf-8")
        assert httpx2.get(server.url("/absent")).status_code == 404
    with pytest.raises(httpx2.ConnectError):
        httpx2.get(server.url())


def test_nginx_says_what_is_wrong_with_its_configuration(tmp_path: Path) -> None:
    """A directive that nginx does not know is named in the failure."""
    with (
        pytest.raises(AssertionError, match=r'unknown directive "acap_nonsense"'),
        Nginx(tmp_path, server="acap_nonsense;"),
    ):
        pass


def test_chromium_renders_a_page(page: Page) -> None:
    """Chromium shows a page, with its title and what a script made of it."""
    page.goto("data:text/html,<title>A title</title><p id=word>one</p><script>word.textContent += ' more'</script>")
    assert page.title() == "A title"
    assert page.inner_text("#word") == "one more"


def test_errors_of_scripts_are_collected(page: Page, script_errors: list[str]) -> None:
    """An exception in a script and a word on the console's error channel are both kept."""
    page.goto("data:text/html,<script>console.error('said'); throw new Error('thrown')</script>")
    page.wait_for_load_state()
    assert sorted(script_errors) == ["said", "thrown"]
    script_errors.clear()


def test_contexts_are_apart(browser: Browser, tmp_path: Path) -> None:
    """A cookie of one context is not in another of the same browser."""
    with Nginx(tmp_path) as server, browser.new_context() as one, browser.new_context() as other:
        one.add_cookies([{"name": "kept", "value": "yes", "url": server.url()}])
        assert len(one.cookies()) == 1
        assert other.cookies() == []


def test_no_name_is_resolved(page: Page, script_errors: list[str]) -> None:
    """The browser reaches nothing beyond the loopback interface by name."""
    from playwright.sync_api import Error

    with pytest.raises(Error, match="ERR_NAME_NOT_RESOLVED"):
        page.goto("http://example.org/")
    script_errors.clear()


@pytest.mark.usefixtures("started_browser")
@pytest.mark.parametrize("turn", [1, 2])
def test_other_tests_have_their_event_loops_while_the_browser_runs(turn: int) -> None:
    """`asyncio.run` works in a test without a page though the browser of the run has started."""

    async def answer() -> int:
        await asyncio.sleep(0)
        return turn

    assert asyncio.run(answer()) == turn


def test_nothing_is_said_when_all_programs_are_there() -> None:
    """The task is silent where nothing is to be done."""
    for name in programs.programs():
        programs.needed(name)
    done = system_programs(**os.environ)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_the_list_names_every_program() -> None:
    """Each program has a line, with a path that can be run or nothing."""
    found = programs.programs()
    assert list(found) == ["postgres", "nginx", "chromium"]
    assert [path for path in found.values() if path and not os.access(path, os.X_OK)] == []


def test_a_program_that_is_missing_is_told_with_what_installs_it(bare: dict[str, str]) -> None:
    """Without a manager of packages the task names what is missing, and fails in CI alone."""
    listed = system_programs("--list", **bare).stdout.splitlines()
    missing = " ".join(line.partition("\t")[0] for line in listed if line.endswith("\t"))
    assert missing
    said = f"acap: tests need {missing}: install {missing} with the package manager of this system\n"
    for ci, code in (("", 0), ("true", 1)):
        done = system_programs(CI=ci, **bare)
        assert (done.returncode, done.stdout, done.stderr) == (code, "", said)


def test_an_option_that_is_not_known_is_refused() -> None:
    """A wrong option is told, and nothing is installed."""
    done = system_programs("--lists", **os.environ)
    assert (done.returncode, done.stderr) == (2, "acap: unknown option --lists; give --list, --command or nothing\n")


@pytest.mark.parametrize(("ci", "outcome"), [("", pytest.skip.Exception), ("true", pytest.fail.Exception)])
def test_a_test_whose_program_is_missing_is_skipped_and_fails_in_ci(
    ci: str, outcome: type[BaseException], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is missing skips a test with a reason, and fails it where CI=true."""
    monkeypatch.setattr(programs, "programs", lambda: {"nginx": None})
    monkeypatch.setenv("CI", ci)
    with pytest.raises(outcome, match="nginx is missing"):
        programs.needed("nginx")
