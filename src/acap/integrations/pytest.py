"""A plugin for pytest: a case of a policy is a test.

Files named `*.acap.toml`, and those that the ini option `acap_cases` names, are collected as they are found; each
`[[case]]` is an item. Laws: a run without such files pays for the import of this module and nothing more; nothing is
fetched; a failing case shows what `acap test` shows, and no traceback. The fixture `acap_site` is a site for tests of
crawlers.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:  # `pytest_collect_file` says why
    from acap.integrations.testing import FakeSite

_ENDING = ".acap.toml"
_INI = "acap_cases"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the ini option `acap_cases`."""
    parser.addini(
        _INI, f"patterns of files with cases for acap, beside those named *{_ENDING}", type="args", default=[]
    )


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.File | None:
    """Takes the files that hold cases."""
    if file_path.name.endswith(_ENDING) or any(file_path.match(pattern) for pattern in parent.config.getini(_INI)):
        # In every project that has acap installed, each run of pytest loads this module: what checks cases would add a
        # third to the start of pytest.
        from acap.integrations.pytest_items import CasesFile

        return CasesFile.from_parent(parent, path=file_path)
    return None


@pytest.fixture
def acap_site() -> Iterator[FakeSite]:
    """A site of this test alone, on the loopback interface; its `robots` and `pages` may be set."""
    from acap.integrations.testing import FakeSite  # a server, for the tests that ask for it

    with FakeSite() as site:
        yield site
