"""A crawler's name of which only a part would count is refused wherever a person gives one."""

from __future__ import annotations

import importlib
import inspect
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import acap
from acap.audits.options import AuditOptions
from acap.audits.retrieved_policies import RetrievedPolicies
from acap.harvest.batch_judge import BatchJudge
from acap.harvest.operator import Operator
from acap.integrations import aiohttp, crawl4ai, datatrove, httpx, requests
from acap.integrations.scrapy.options import SettingError, crawler_of
from acap.lsp.hovering import hover_text
from acap.lsp.opened import OpenDocument
from acap.publish.convert import convert
from acap.publish.overview import overview
from acap.retrieval import user_agent
from acap.web.decisions.questions import NotAnsweredError, questions
from tests.command_line import acap as run
from tools.modules import MODULES

ROBOTS = acap.parse_robots("User-agent: *\nDisallow: /a\n", url="https://a.example/robots.txt")
POLICIES = pa.table({"url": ["https://a.example/"], "robots": ["User-agent: *\nDisallow: /a\n"]})
PAGES = pa.table({"url": ["https://a.example/b"]})

DOORS: dict[str, Callable[[str], object]] = {
    "acap.Crawler": lambda name: acap.Crawler(name),
    "acap.Retriever": lambda name: acap.Retriever(crawler=name),
    "acap.AsyncRetriever": lambda name: acap.AsyncRetriever(crawler=name),
    "acap.Site": lambda name: acap.Site("https://a.example/", crawlers=[name]),
    "acap.AsyncSite": lambda name: acap.AsyncSite("https://a.example/", crawlers=[name]),
    "acap.decide_table": lambda name: acap.decide_table(["https://a.example/b"], [ROBOTS], crawler=name),
    "acap.audit": lambda name: acap.audit(PAGES, POLICIES, crawler=name),
    "acap.BatchAuditor": lambda name: acap.BatchAuditor(POLICIES, crawler=name),
    "acap.survey": lambda name: acap.survey(POLICIES, crawlers=[name]),
    "acap.compare": lambda name: acap.compare(ROBOTS, ROBOTS, crawlers=[name]),
    "acap.retrieval.user_agent": lambda name: user_agent(name),
    "acap.publish.convert.convert": lambda name: convert(ROBOTS, "meta", url="https://a.example/b", crawlers=[name]),
    "acap.integrations.httpx.AskingTransport": lambda name: httpx.AskingTransport(name),
    "acap.integrations.httpx.AsyncAskingTransport": lambda name: httpx.AsyncAskingTransport(name),
    "acap.integrations.requests.AskingAdapter": lambda name: requests.AskingAdapter(name),
    "acap.integrations.requests.asking_session": lambda name: requests.asking_session(name),
    "acap.integrations.aiohttp.AskingMiddleware": lambda name: aiohttp.AskingMiddleware(name),
    "acap.integrations.aiohttp.asking_session": lambda name: aiohttp.asking_session(name).__aenter__().send(None),
    "acap.integrations.crawl4ai.PolicyRobotsParser": lambda name: crawl4ai.PolicyRobotsParser(name),
    "acap.integrations.datatrove.AskingHTTPFetchReader": lambda name: datatrove.AskingHTTPFetchReader(crawler=name),
    "acap.integrations.datatrove.PolicyFilter": lambda name: datatrove.PolicyFilter(POLICIES, crawler=name),
    "acap.integrations.datatrove.RetrievedPolicies": lambda name: RetrievedPolicies(crawler=name),
    "acap.harvest.batch_judge.BatchJudge": lambda name: BatchJudge(POLICIES, crawler=name),
    "acap.harvest.operator.Operator": lambda name: Operator((name,)).crawler,
    "AuditOptions": lambda name: AuditOptions(name),  # type: ignore[arg-type]  # what may stand for a crawler is one
    "overview": lambda name: overview(ROBOTS, crawlers=[name]),
}
"""What takes the name of a crawler from a person."""

AT_HAND = {
    "acap.decide", "acap.decide_each", "acap.PagePolicy", "acap.RobotsPolicy", "acap.SitePolicy",
    "acap.RslLicences", "acap.sites.matrix.matrices",
}  # fmt: skip
"""Policies that are at hand take any name: what stands in files is asked about there."""

GIVEN = {
    "acap.AiTxt", "acap.RslDocument", "acap.harvest.judgement.Response", "acap.harvest.judgement.response_of",
    "acap.publish.convert.Conversion", "acap.publish.lint.document.Document", "acap.publish.compose.PageRule",
    "acap.publish.compose.Record", "acap.publish.compose.preview", "acap.publish.presets.Preset",
    *(f"acap.integrations.scrapy.{one}" for one in (
        "Gate", "IndexGate", "PreserveGate", "PolicyDownloaderMiddleware", "PolicySpiderMiddleware", "RobotParser",
        "usable",
    )),
}  # fmt: skip
"""These take a `Crawler` or a known one, which is no name, the crawler of Scrapy, or names that are written into a
policy."""


@pytest.mark.parametrize("name", ["GPT Bot", "shop bot!", "näme"])
@pytest.mark.parametrize("door", DOORS)
def test_every_door_refuses_a_name_that_would_be_cut(door: str, name: str) -> None:
    """One line says what would count of it, and how a name is written."""
    with pytest.raises(ValueError, match="is not the name of a crawler") as caught:
        DOORS[door](name)
    assert len(str(caught.value).splitlines()) == 1
    assert f"`{name}`" in str(caught.value)


@pytest.mark.parametrize(
    "name", ["GPTBot", "Kangaroo Bot", "Mozilla/5.0 (compatible; shopbot/1.0; +https://a.example/)"]
)
@pytest.mark.parametrize("door", ["acap.decide_table", "acap.survey", "acap.compare", "AuditOptions", "overview"])
def test_names_and_strings_of_crawlers_are_taken(door: str, name: str) -> None:
    """A User-Agent string has its product, and a known crawler may have a blank in its name."""
    assert DOORS[door](name) is not None


def _doors() -> Iterator[str]:
    """Whatever is public and has a parameter for the name of a crawler."""
    public = [("acap", name, getattr(acap, name)) for name in acap.__all__]
    public += [
        (module, name, getattr(importlib.import_module(module), name))
        for module, names in MODULES.items()
        for name in names
    ]
    for module, name, found in public:
        methods = [one for key, one in inspect.getmembers(found, callable) if key == "__init__" or key[0] != "_"]
        for one in methods if inspect.isclass(found) else [found]:
            try:
                parameters = inspect.signature(one).parameters
            except (TypeError, ValueError):
                continue
            if {"crawler", "crawlers"} & parameters.keys():
                yield f"{module}.{name}"


def test_every_public_door_is_known() -> None:
    """A new function that takes a crawler refuses such a name, or stands among those that take any."""
    assert set(_doors()) - set(DOORS) == AT_HAND | GIVEN


@pytest.mark.parametrize("ask", [ROBOTS.decide, lambda url, crawler: acap.decide(url, crawler=crawler, robots=ROBOTS)])
def test_a_policy_that_is_asked_directly_takes_any_name(ask: Callable[..., acap.Decision]) -> None:
    """Files name such crawlers."""
    assert ask("https://a.example/a", crawler="shop bot!").outcome == "prohibited"
    assert ROBOTS.allows("https://a.example/b", "shop bot!")


@pytest.mark.parametrize(
    "command", ["survey robots.txt", "compare robots.txt robots.txt", "convert robots.txt --to meta"]
)
def test_commands_refuse_it_in_one_line(command: str, tmp_path: Path) -> None:
    """Crawlers that are asked one by one are refused as those that ask in order, and a list of them has its fix."""
    (tmp_path / "robots.txt").write_bytes(ROBOTS.octets)
    words = [str(tmp_path / one) if one == "robots.txt" else one for one in command.split()]
    assert "of which only `shop` would count" in run(*words, "-c", "shop bot!").wrong_call
    for listed in ("GPTBot,CCBot", "a, b"):
        first, second = listed.replace(" ", "").split(",")
        assert f"write -c {first} -c {second}" in run(*words, "-c", listed).wrong_call
    assert "is empty" in run(*words, "-c", " ").wrong_call


def test_one_name_is_not_taken_letter_by_letter() -> None:
    """A text in the place of several names is one of them."""
    assert acap.survey(POLICIES, crawlers="GPTBot").crawlers == ("GPTBot",)
    other = acap.parse_robots("User-agent: GPTBot\nDisallow: /\n", url="https://a.example/robots.txt")
    assert {name for one in acap.compare(ROBOTS, other, crawlers="GPTBot").changes for name in one.crawlers} == {
        "GPTBot"
    }
    with pytest.raises(ValueError, match="names several crawlers"):
        acap.survey(POLICIES, crawlers=["GPTBot,CCBot"])


def test_services_and_settings_refuse_it() -> None:
    """The decision service answers 400, and a setting of Scrapy is told by its name."""
    with pytest.raises(NotAnsweredError, match="`shop` would count") as caught:
        questions("shop bot!", None, None, [], None)
    assert caught.value.status == 400
    settings: Any = _settings(ACAP_CRAWLER="shop bot!")
    with pytest.raises(SettingError, match="ACAP_CRAWLER: `shop bot!` is not the name"):
        crawler_of(settings)


def _settings(**values: Any) -> Any:
    from scrapy.settings import Settings

    return Settings(values)


def test_a_line_that_names_no_crawler_is_explained_all_the_same() -> None:
    """An editor asks by the part of a name that counts."""
    opened = OpenDocument("User-agent: shop bot!\nDisallow: /\n", "robots.txt", "utf-16")
    assert "shop" in hover_text(opened, 0)


def test_the_workshop_says_so() -> None:
    """A name in the field of the question is refused beside the field."""
    from acap.web.workshop.workspace import Workspace

    with pytest.raises(ValueError, match="`shop` would count"):
        _ = Workspace(crawler="shop bot!").asker
    assert json.dumps(Workspace(crawler="googlebot-news, googlebot").asker) == '["googlebot-news", "googlebot"]'
