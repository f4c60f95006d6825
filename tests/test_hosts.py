"""The libraries that integrations work in: one that is missing or too old is told in one line."""

from __future__ import annotations

import importlib
import sys
from importlib.metadata import PackageNotFoundError

import pytest

from acap.cli.commands import CommandEntry, imported
from acap.cli.io.failures import CallError
from acap.integrations import hosts
from acap.integrations.hosts import HOSTS, HostVersionError, check_host
from tests.test_project import EXTRAS


@pytest.mark.parametrize("module", HOSTS)
def test_what_is_checked_is_what_the_extra_asks_for(module: str) -> None:
    """The bound of the check is that of `pyproject.toml`."""
    host = HOSTS[module]
    assert f"{host.name.lower()}>={host.lowest}" in EXTRAS[host.extra]
    check_host(module)


@pytest.mark.parametrize("module", HOSTS)
def test_a_library_that_is_too_old_is_told_when_the_integration_is_loaded(
    module: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before anything is lost."""
    name = f"acap.integrations.{module}"
    monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.setattr(hosts, "version", lambda _: "0.9.15rc1")
    with pytest.raises(HostVersionError) as caught:
        importlib.import_module(name)
    host = HOSTS[module]
    assert str(caught.value) == (
        f"{name} needs {host.name} {host.lowest} or newer, and 0.9.15rc1 is installed; "
        f"upgrade it with: pip install 'acap[{host.extra}]'"
    )


def test_a_library_that_is_missing_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the command that brings it."""

    def missing(name: str) -> str:
        raise PackageNotFoundError(name)

    monkeypatch.setattr(hosts, "version", missing)
    with pytest.raises(ModuleNotFoundError, match=r"needs Scrapy 2\.19 or newer; install it with: pip install"):
        check_host("scrapy")


def test_a_command_says_it_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """`acap crawl` with an old Scrapy is a wrong call, and no internal error."""

    def old(_: str) -> None:
        raise HostVersionError("acap.integrations.scrapy needs Scrapy 2.19 or newer, and 2.15.0 is installed")

    monkeypatch.setattr("acap.cli.commands.import_module", old)
    with pytest.raises(CallError, match=r"and 2\.15\.0 is installed"):
        imported("crawl", CommandEntry("Crawl.", extra="crawl"), "crawl")
