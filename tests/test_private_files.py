"""What is kept of others can be read by its owner alone, also where the umask would let everybody."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from acap.retrieval.store import SqliteCache
from tests.searched import acap as says
from tests.searched import article, searchable


@pytest.fixture(autouse=True)
def open_umask() -> Iterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)


def modes(directory: Path) -> dict[str, int]:
    """The mode of all that lies below a directory."""
    return {str(path.relative_to(directory)): stat.S_IMODE(path.lstat().st_mode) for path in directory.rglob("*")}


def test_a_store_and_its_copies(tmp_path: Path) -> None:
    """The database, what SQLite keeps beside it, the directory of copies and each file in it."""
    with searchable(tmp_path / "news.acap") as made:
        made.says(says())
        made.keep("/a.html", article("Fog", "The fog lay over the harbour."))
        found = modes(tmp_path)
    assert any(name.endswith(".warc.gz") for name in found)
    assert {name: oct(mode) for name, mode in found.items() if mode & 0o077} == {}


def test_a_cache_in_a_file_that_a_user_names(tmp_path: Path) -> None:
    """The file, what lies beside it, and directories made for it."""
    cache = SqliteCache(tmp_path / "made" / "cache.db")
    cache.load("https://www.example.com/robots.txt", "examplebot")
    found = modes(tmp_path)
    cache.close()
    assert "made/cache.db" in found
    assert {name: oct(mode) for name, mode in found.items() if mode & 0o077} == {}


def test_what_is_there_keeps_its_mode(tmp_path: Path) -> None:
    """An operator who lets a group read a cache is not overruled."""
    file = tmp_path / "cache.db"
    SqliteCache(file).close()
    file.chmod(0o640)
    cache = SqliteCache(file)
    cache.load("https://www.example.com/robots.txt", "examplebot")
    cache.close()
    assert modes(tmp_path)["cache.db"] == 0o640
