"""What every test may ask for: examples for the property tests; a database and a browser, which start once."""

from __future__ import annotations

import os
from collections.abc import Iterator
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

soaked = int(os.environ.get("ACAP_EXAMPLES", "20000"))
settings.register_profile("quick", max_examples=100, deadline=None, derandomize=True)
settings.register_profile("soak", max_examples=soaked, deadline=None, print_blob=True)
settings.load_profile("quick")


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    """A PostgreSQL for all tests, fast and not durable. Who stops one makes one: `PostgresServer(durable=True)`."""
    from tests.postgres import PostgresServer

    with PostgresServer() as server:
        yield server


@pytest.fixture(scope="session")
def postgres_url(postgres_server: PostgresServer) -> str:
    """The URL of a database that tests share; for one of its own a test calls `postgres_server.create_database()`."""
    return postgres_server.create_database()


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
    """An empty page in a context of its own: no cookies, nothing stored."""
    with browsers.opened(browser, script_errors) as page:
        yield page
    assert script_errors == []


def pytest_make_parametrize_id(val: object) -> str | None:
    """Octets that nobody can read name no test: some have the time in them, and every process names tests alike."""
    return "octets" if isinstance(val, bytes) and not (val.isascii() and val.decode().isprintable()) else None
