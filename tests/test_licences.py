"""What is compiled into the native core comes with its licences."""

from __future__ import annotations

import re
import tomllib

from tools import licences


def test_every_crate_in_the_core_is_listed_with_its_licence() -> None:
    """THIRD-PARTY.txt has what cargo compiles for the systems of the wheels; `make licences` writes it anew."""
    compiled = {one.name: one.licence for one in licences.crates()}
    assert {"pyo3", "url", "zerocopy"} <= compiled.keys()
    assert licences.listed(licences.FILE.read_text(encoding="utf-8")) == compiled


def test_each_licence_but_that_of_acap_is_there_in_full() -> None:
    """A crate that is not taken under Apache-2.0 alone stands above each text that it is taken under."""
    text = licences.FILE.read_text(encoding="utf-8")
    for name, licence in licences.listed(text).items():
        below = [
            one.partition("\n")[2]
            for one in text.split(f"\n{'-' * 80}\n")[1:]
            if name in re.split(", ", one.partition("\n")[0])
        ]
        for taken in {*licences.taken(licence)} - {"Apache-2.0"}:
            assert any(licences.MARKS[taken] in one for one in below), (name, taken)


def test_the_wheel_carries_both_files() -> None:
    """The package says which of its files are licences; that of the crates names no place they came from."""
    project = tomllib.loads((licences.ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["license-files"] == ["LICENSE", licences.FILE.name]
    assert "crates.io" not in licences.FILE.read_text(encoding="utf-8")
