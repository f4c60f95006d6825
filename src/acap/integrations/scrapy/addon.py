"""The add-on: one setting installs everything, and switches Scrapy's own robots.txt middleware off."""

from __future__ import annotations

from scrapy.downloadermiddlewares.robotstxt import RobotsTxtMiddleware
from scrapy.settings import BaseSettings
from scrapy.utils.misc import load_object

from acap.integrations.scrapy.bodies import BodyMiddleware
from acap.integrations.scrapy.downloader import PolicyDownloaderMiddleware
from acap.integrations.scrapy.guard import RESOLVER
from acap.integrations.scrapy.options import agent_of, crawler_of, has_own_agent
from acap.integrations.scrapy.pipeline import Gate
from acap.integrations.scrapy.spider import PolicySpiderMiddleware

DOWNLOADER = 100  # where Scrapy has its own
BODIES = 1000  # nearest to the downloader: before anything is decoded
SPIDER = 40  # before errors are sorted out, so that pages of errors are read too
PIPELINE = 0


class Addon:
    """`ADDONS = {"acap.integrations.scrapy.Addon": 100}`.

    A subclass of a middleware that the project installs by itself takes the place of the usual one.
    """

    @classmethod
    def update_pre_crawler_settings(cls, settings: BaseSettings) -> None:
        """The resolver belongs to the process, and is chosen before there is a crawl."""
        if not settings.getbool("ACAP_ALLOW_PRIVATE", True):
            settings.set("TWISTED_DNS_RESOLVER", RESOLVER, "addon")

    def update_settings(self, settings: BaseSettings) -> None:
        """Installs the middlewares, a gate if ACAP_ITEM_USAGES is set, and a User-Agent if the project has none.

        Raises SettingError if no crawler is named.
        """
        crawler = crawler_of(settings)
        if not has_own_agent(settings):
            settings.set("USER_AGENT", agent_of(settings, crawler), "addon")
        settings.set_in_component_priority_dict("DOWNLOADER_MIDDLEWARES", RobotsTxtMiddleware, None)
        _install(settings, "DOWNLOADER_MIDDLEWARES", PolicyDownloaderMiddleware, DOWNLOADER)
        _install(settings, "DOWNLOADER_MIDDLEWARES", BodyMiddleware, BODIES)
        _install(settings, "SPIDER_MIDDLEWARES", PolicySpiderMiddleware, SPIDER)
        if settings.getlist("ACAP_ITEM_USAGES"):
            settings.setdefault_in_component_priority_dict("ITEM_PIPELINES", Gate, PIPELINE)


def _install(settings: BaseSettings, name: str, component: type, position: int) -> None:
    for key in settings.getdict(name):
        if issubclass(load_object(key), component):
            return
    settings.set_in_component_priority_dict(name, component, position)
