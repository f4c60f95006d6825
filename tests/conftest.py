"""What every test may ask for: examples for the property tests; a database and a browser, which start once."""

from __future__ import annotations

import gc
import os
import signal
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

from tests import chromium as browsers
from tests.programs import needed

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

    from tests.chromium import LentLoop
    from tests.harvest import Harvest
    from tests.postgres import PostgresServer

HERE = Path(__file__).parent

# What takes longer than all the rest: laws over many examples, corpora, a browser, servers, databases, kills, bombs.
SLOW = (
    "browser/*", "property/*", "test_*corpus.py", "test_*hostile.py", "test_added_lines.py", "test_audit*.py",
    "test_batch_judge.py", "test_benchmarks.py", "test_carriers.py", "test_cli_co*.py", "test_cli_extract.py",
    "test_cli_lint.py", "test_cli_network.py", "test_cli_pages.py", "test_cli_s[it]*.py", "test_cli_terminal.py",
    "test_cli_verify*.py", "test_clients.py", "test_compose*.py", "test_convert.py", "test_copies*.py",
    "test_crawl*.py", "test_datatrove.py", "test_decision*.py", "test_docs.py", "test_end_to_end.py",
    "test_examples.py", "test_extensions.py", "test_extras.py", "test_heavy.py", "test_httpx.py", "test_import.py",
    "test_import_documents.py", "test_judge.py", "test_keeper*.py", "test_kill_*.py", "test_ledger*.py",
    "test_lint_bounds.py", "test_lint_meaning.py", "test_lint_readers.py", "test_lint_review.py",
    "test_lint_rules.py", "test_logs.py", "test_lsp*.py", "test_notebooks.py", "test_open_vectors.py",
    "test_page_encoding.py", "test_page_history.py", "test_page_leaks.py", "test_page_measure.py", "test_page_peers.py",
    "test_page_short_cuts.py", "test_page_skeleton.py", "test_page_vector*.py", "test_platforms.py",
    "test_presentation*.py", "test_presets.py", "test_private_files.py", "test_programs.py", "test_proof*.py",
    "test_publisher.py", "test_pytest_plugin.py", "test_retrieval_*.py", "test_robotparser_cpython.py",
    "test_samples.py", "test_scrapy*.py", "test_second_site.py", "test_serve*.py", "test_site.py",
    "test_site_documents.py", "test_store*.py", "test_survey_*.py", "test_sweep*.py", "test_threads.py",
    "test_vector_schema.py", "test_verdict.py", "test_web_servers.py", "test_workshop*.py", "test_writing.py",
)  # fmt: skip


SLOW_FILES = {path for pattern in SLOW for path in HERE.glob(pattern)}


def pytest_configure() -> None:
    """A shell ignores Ctrl-C for what it starts in the background; tests that send it need it heard."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """What `make quick` leaves out is not imported either."""
    return True if config.option.markexpr == "not slow" and collection_path in SLOW_FILES else None


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """What is collected stays for the whole run: it is neither searched for garbage meanwhile nor later."""
    gc.disable()
    result = yield
    gc.freeze()
    gc.enable()
    return result


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks what is slow, and puts it first: no process is left with it at the end while the others have nothing."""
    items.sort(key=lambda item: item.path not in SLOW_FILES)
    for item in items:
        if item.path in SLOW_FILES:
            item.add_marker("slow")


soaked = int(os.environ.get("ACAP_EXAMPLES", "20000"))
settings.register_profile("quick", max_examples=15, deadline=None, derandomize=True)
settings.register_profile("soak", max_examples=soaked, deadline=None, print_blob=True)
settings.load_profile("quick")


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    """A PostgreSQL for all tests, fast and not durable. Who stops one makes one: `PostgresServer(durable=True)`."""
    from tests.postgres import PostgresServer, made_once

    with PostgresServer() as server, made_once():
        yield server


@pytest.fixture(scope="session")
def postgres_url(postgres_server: PostgresServer) -> str:
    """The URL of a database that tests share; for one of its own a test calls `postgres_server.create_database()`."""
    return postgres_server.create_database()


@pytest.fixture
def robots(tmp_path: Path) -> Path:
    """A robots.txt; a file of tests whose commands want another has a fixture of this name that writes it."""
    file = tmp_path / "robots.txt"
    file.write_bytes(b"User-agent: *\nDisallow: /private/\n")
    return file


@pytest.fixture
def harvest(tmp_path: Path) -> Iterator[Harvest]:
    """A harvest in a file."""
    from tests.harvest import Harvest

    with Harvest(tmp_path / "harvest.db", tmp_path) as opened:
        yield opened


@pytest.fixture(params=["sqlite", "postgresql"])
def store_place(request: pytest.FixtureRequest, tmp_path: Path) -> Path | str:
    """Where a test may make a store: a file, and in another run of it a schema of its own in PostgreSQL."""
    if request.param == "sqlite":
        return tmp_path / "harvest.store"
    from tests.postgres import new_schema

    return new_schema(request.getfixturevalue("postgres_url"))


@pytest.fixture(scope="session")
def chromium() -> Path:
    """The path of Chromium, for playwright's `executable_path`; `tests.chromium.ARGUMENTS` are its arguments."""
    return needed("chromium")


@pytest.fixture(scope="session")
def started_browser(chromium: Path) -> Iterator[tuple[Browser, LentLoop]]:
    """Chromium, and the event loop it needs while a test uses it: see `browser`."""
    with browsers.started(chromium) as started:
        yield started


@pytest.fixture
def browser(started_browser: tuple[Browser, LentLoop]) -> Iterator[Browser]:
    """The one Chromium of the run. A test that has it cannot run an event loop in its own thread."""
    browser, loop = started_browser
    loop.give()
    yield browser
    loop.take()


@pytest.fixture
def script_errors() -> list[str]:
    """The errors of scripts on `page`. They fail the test, unless it clears the list."""
    return []


@pytest.fixture
def page(browser: Browser, script_errors: list[str]) -> Iterator[Page]:
    """An empty page in a tab of its own: no cookies, and nothing that a session stored."""
    with browsers.opened(browser, script_errors) as page:
        yield page
    assert script_errors == []


def pytest_make_parametrize_id(val: object) -> str | None:
    """Octets that nobody can read name no test: some have the time in them, and every process names tests alike."""
    return "octets" if isinstance(val, bytes) and not (val.isascii() and val.decode().isprintable()) else None
