"""The settings of a project, checked: each `ACAP_` setting and what follows from it.

Scrapy copies the values of settings deeply. What must stay the very same thing (a clock that is moved, a cache that is
open) is therefore given by a function that returns it, or by its import path.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

from scrapy.settings import BaseSettings
from scrapy.utils.misc import load_object

from acap import _native
from acap.clock import Clock, SystemClock
from acap.crawlers import Crawler, check_names
from acap.retrieval.agent import user_agent

VISIT_TIMES = ("refuse", "wait")


class SettingError(ValueError):
    """A setting that is missing or cannot be; the crawl does not start."""


@dataclass(frozen=True, slots=True)
class PolicyOptions:
    """What a project decides.

    Durations are in seconds; `user_agent` is what policies are retrieved as. `cache` and `retriever` may be functions
    yet to be called: one crawl has one retriever, but several components that read the settings.
    """

    crawler: Crawler
    user_agent: str
    dialect: str
    forbidden: Any
    cache: Any
    clock: Clock
    retriever: Any
    allow_private: bool
    private_hosts: frozenset[str]
    max_delay: float
    max_wait: float
    waits: bool
    rule_of_thumb: bool
    respects_dont_obey: bool
    item_usages: tuple[str, ...]

    @classmethod
    def of(cls, settings: BaseSettings) -> PolicyOptions:
        """Reads the settings. Raises SettingError, with one line, for one that is missing or cannot be."""
        visit_time = settings.get("ACAP_VISIT_TIME", "refuse")
        if visit_time not in VISIT_TIMES:
            raise SettingError(f"ACAP_VISIT_TIME is `{visit_time}`; it is one of {', '.join(VISIT_TIMES)}")
        crawler = crawler_of(settings)
        return cls(
            crawler=crawler,
            user_agent=_agent(settings, crawler),
            dialect=settings.get("ACAP_DIALECT", "auto"),
            forbidden=settings.get("ACAP_FORBIDDEN"),
            cache=settings.get("ACAP_CACHE"),
            clock=_clock(settings.get("ACAP_CLOCK")),
            retriever=settings.get("ACAP_RETRIEVER_OPTIONS"),
            allow_private=settings.getbool("ACAP_ALLOW_PRIVATE", True),
            private_hosts=frozenset(host.lower() for host in settings.getlist("ACAP_PRIVATE_HOSTS")),
            max_delay=_seconds(settings, "ACAP_MAX_DELAY", 300.0),
            max_wait=_seconds(settings, "ACAP_MAX_WAIT", 3600.0),
            waits=visit_time == "wait",
            rule_of_thumb=settings.getbool("ACAP_RULE_OF_THUMB"),
            respects_dont_obey=settings.getbool("ACAP_RESPECT_DONT_OBEY"),
            item_usages=tuple(settings.getlist("ACAP_ITEM_USAGES")),
        )


def crawler_of(settings: BaseSettings) -> Crawler:
    """Who asks: ACAP_CRAWLER, else the product token of the User-Agent that the project sends.

    Raises SettingError if neither names a crawler; Scrapy's own User-Agent does not.
    """
    given = settings.get("ACAP_CRAWLER")
    purposes = settings.getlist("ACAP_PURPOSES")
    if isinstance(given, Crawler):
        return given
    names = [given] if isinstance(given, str) else list(given or ())
    if not names:
        agent = settings.get("ROBOTSTXT_USER_AGENT") or (
            settings.get("USER_AGENT") if has_own_agent(settings) else None
        )
        if isinstance(agent, str) and (name := _native.crawler_name(agent)):
            # A string with further names asks as a whole: what is said to any of them counts.
            names = [agent if _native.other_names(agent) else name]
    try:
        check_names(names)
    except ValueError as error:
        raise SettingError(f"ACAP_CRAWLER: {error}") from error
    try:
        return Crawler(*names, purposes=purposes)
    except (ValueError, AttributeError, TypeError) as error:
        raise SettingError(
            "no crawler is named; set ACAP_CRAWLER (or USER_AGENT) to the name your crawler is addressed by"
        ) from error


def names_itself(agent: str, crawler: Crawler) -> bool:
    """Whether a User-Agent holds a name that policies are searched for (K2 3.2.1)."""
    return any(name.lower() in agent.lower() for name in crawler.product_tokens) or "*" in crawler.names


def agent_of(settings: BaseSettings, crawler: Crawler) -> str:
    """The User-Agent of a crawler, with ACAP_CONTACT. Raises SettingError for what no header can carry."""
    try:
        return user_agent(crawler, settings.get("ACAP_CONTACT"))
    except ValueError as error:
        raise SettingError(str(error)) from error


def has_own_agent(settings: BaseSettings) -> bool:
    """Whether the project sets USER_AGENT, so that it is not Scrapy's."""
    return (settings.getpriority("USER_AGENT") or 0) > 0


def _agent(settings: BaseSettings, crawler: Crawler) -> str:
    return str(settings["USER_AGENT"]) if has_own_agent(settings) else agent_of(settings, crawler)


def given(value: Any) -> Any:
    """The value itself, or what a function returns."""
    return value() if callable(value) else value


def _clock(value: Any) -> Clock:
    if isinstance(value, str):
        value = load_object(value)
    value = given(value)
    if value is None:
        return SystemClock()
    if not hasattr(value, "now"):
        raise SettingError(f"ACAP_CLOCK is `{value!r}`, which tells no time; give an acap.clock.Clock")
    return cast("Clock", value)


def _seconds(settings: BaseSettings, name: str, usual: float) -> float:
    try:
        seconds = settings.getfloat(name, usual)
    except (TypeError, ValueError) as error:
        raise SettingError(f"{name} is `{settings.get(name)}`; it is a number of seconds") from error
    if not seconds >= 0:
        raise SettingError(f"{name} is `{seconds}`; it is a number of seconds, and not negative")
    return seconds
