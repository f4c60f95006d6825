"""The library that an integration works in: is it there, and new enough? One line says what is wrong, and what to do.

An older version may lack what an integration takes from it in the middle of a run, where the loss is silent.
"""

from __future__ import annotations

import re
from importlib.metadata import PackageNotFoundError, version
from typing import NamedTuple


class Host(NamedTuple):
    """A library, its lowest version that works, and the extra that brings it."""

    name: str
    lowest: str
    extra: str


HOSTS = {
    "aiohttp": Host("aiohttp", "3.12", "aiohttp"),
    "datatrove": Host("datatrove", "0.10", "datatrove"),
    "requests": Host("requests", "2.32.2", "requests"),
    "scrapy": Host("Scrapy", "2.19", "scrapy"),
}
"""By the name of the module here."""


class HostVersionError(ImportError):
    """The library is installed in a version that does not do."""


def check_host(module: str) -> None:
    """Raises ModuleNotFoundError or HostVersionError if the library of `acap.integrations.MODULE` does not do."""
    name, lowest, extra = HOSTS[module]
    wanted = f"acap.integrations.{module} needs {name} {lowest} or newer"
    command = f"pip install 'acap[{extra}]'"
    try:
        installed = version(name)
    except PackageNotFoundError as error:
        raise ModuleNotFoundError(f"{wanted}; install it with: {command}", name=module) from error
    if _numbers(installed) < _numbers(lowest):
        raise HostVersionError(f"{wanted}, and {installed} is installed; upgrade it with: {command}")


def _numbers(written: str) -> tuple[int, ...]:
    """The numbers that a version begins with, as `2.19.0rc1` does with 2, 19 and 0."""
    match = re.match(r"\d+(?:\.\d+)*", written)
    return tuple(int(number) for number in match[0].split(".")) if match else ()
