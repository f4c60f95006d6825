"""Scrapy: the policy of each site and page is obeyed by the project as a whole, not by each spider.

ADDONS = {"acap.integrations.scrapy.Addon": 100}
ACAP_CRAWLER = "examplebot"

The add-on installs downloader middlewares (before a request is sent, and before a body is decoded), a spider middleware
(what a page says of its links) and, where asked for, gates for items. Law: what could not be judged is not fetched,
followed or let through.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from acap.integrations.scrapy.addon import Addon
    from acap.integrations.scrapy.bodies import BodyMiddleware
    from acap.integrations.scrapy.downloader import PolicyDownloaderMiddleware
    from acap.integrations.scrapy.pages import usable
    from acap.integrations.scrapy.pipeline import Gate, IndexGate, NotUsable, PreserveGate
    from acap.integrations.scrapy.refusals import AddressRefused, NoPolicy, NotNow, Refused
    from acap.integrations.scrapy.robot_parser import RobotParser
    from acap.integrations.scrapy.spider import PolicySpiderMiddleware

_MODULES = {
    "Addon": "addon",
    "AddressRefused": "refusals",
    "BodyMiddleware": "bodies",
    "Gate": "pipeline",
    "IndexGate": "pipeline",
    "NoPolicy": "refusals",
    "NotNow": "refusals",
    "NotUsable": "pipeline",
    "PolicyDownloaderMiddleware": "downloader",
    "PolicySpiderMiddleware": "spider",
    "PreserveGate": "pipeline",
    "Refused": "refusals",
    "RobotParser": "robot_parser",
    "usable": "pages",
}

__all__ = [
    "Addon",
    "AddressRefused",
    "BodyMiddleware",
    "Gate",
    "IndexGate",
    "NoPolicy",
    "NotNow",
    "NotUsable",
    "PolicyDownloaderMiddleware",
    "PolicySpiderMiddleware",
    "PreserveGate",
    "Refused",
    "RobotParser",
    "usable",
]


def __getattr__(name: str) -> Any:
    # Scrapy loads each of them by its path; a project that uses one needs not import the others.
    module = _MODULES.get(name)
    if module is not None:
        return getattr(import_module(f"{__name__}.{module}"), name)
    raise AttributeError(f"module `{__name__}` has no attribute `{name}`")
