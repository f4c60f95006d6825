"""Scrapy: the policy of each site and page is obeyed by the project as a whole, not by each spider.

ADDONS = {"acap.integrations.scrapy.Addon": 100}
ACAP_CRAWLER = "examplebot"

The add-on installs downloader middlewares (before a request is sent, and before a body is decoded), a spider middleware
(what a page says of its links) and, where asked for, gates for items. Law: what could not be judged is not fetched,
followed or let through.
"""

from __future__ import annotations

from acap.integrations.hosts import check_host

check_host("scrapy")

from acap.integrations.scrapy.addon import Addon
from acap.integrations.scrapy.bodies import BodyMiddleware
from acap.integrations.scrapy.downloader import PolicyDownloaderMiddleware
from acap.integrations.scrapy.pages import usable
from acap.integrations.scrapy.pipeline import Gate, IndexGate, NotUsable, PreserveGate
from acap.integrations.scrapy.refusals import AddressRefused, NoPolicy, NotNow, Refused
from acap.integrations.scrapy.robot_parser import RobotParser
from acap.integrations.scrapy.spider import PolicySpiderMiddleware

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
