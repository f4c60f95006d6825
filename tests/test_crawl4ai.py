"""crawl4ai fetches what policies permit, and doubt does not; `make integrations` runs it with the real library."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from acap.integrations.crawl4ai import PolicyRobotsParser
from tests.loopback import Loopback, redirect, reply

EXAMPLES = Path(__file__).parent.parent / "examples/engines"
PAGE = (("Content-Type", "text/html; charset=utf-8"), ("Connection", "close"))


def asked(server: Loopback, *paths: str, **options: Any) -> list[bool]:
    """What may be fetched of a server."""

    async def ask() -> list[bool]:
        parser = PolicyRobotsParser("examplebot", allow_private=True, **options)
        found = [await parser.can_fetch(server.url(path), "Mozilla/5.0") for path in paths]
        await parser.aclose()
        return found

    return asyncio.run(ask())


def test_a_site_is_asked_once() -> None:
    with Loopback() as server:
        server.says["/robots.txt"] = reply(body=b"User-agent: examplebot\nDisallow: /private\n")
        assert asked(server, "/a", "/b", "/private/c") == [True, True, False]
        assert server.targets == ["/robots.txt"]


@pytest.mark.parametrize("answer", [reply(500), reply(429), b"", b"HTTP/1.1 no\r\n\r\n"])
def test_a_site_that_does_not_answer_permits_nothing(answer: bytes) -> None:
    """crawl4ai's own parser permits."""
    with Loopback() as server:
        server.says["/robots.txt"] = answer
        assert asked(server, "/a") == [False]


@pytest.mark.parametrize("url", ["", "raw:<p>", "https://", "https://[", "file:///etc/passwd"])
def test_what_is_no_url_of_a_site_is_not_permitted(url: str) -> None:
    assert asyncio.run(PolicyRobotsParser("examplebot").can_fetch(url)) is False


def test_without_a_crawler_the_user_agent_asks_and_a_cache_can_be_cleared() -> None:
    async def ask(server: Loopback) -> list[bool]:
        parser = PolicyRobotsParser(allow_private=True)
        first = [await parser.can_fetch(server.url("/a"), agent) for agent in ("otherbot/1.0", "examplebot/1.0")]
        parser.clear_expired()
        parser.clear_cache()
        return [*first, await parser.can_fetch(server.url("/a"), "otherbot")]

    with Loopback() as server:
        server.says["/robots.txt"] = reply(body=b"User-agent: examplebot\nDisallow: /\n")
        assert asyncio.run(ask(server)) == [True, False, True]
        assert server.targets == ["/robots.txt"] * 2


def result(url: str, html: str, **given: Any) -> SimpleNamespace:
    """A result as crawl4ai has it."""
    known: dict[str, Any] = {"redirected_url": None, "status_code": 200, "response_headers": {}, "success": True}
    return SimpleNamespace(url=url, html=html, **{**known, **given})


def test_a_result_is_judged_by_where_it_came_from_its_headers_and_its_page() -> None:
    async def judge(*results: SimpleNamespace) -> list[list[str]]:
        parser = PolicyRobotsParser("examplebot", allow_private=True)
        found = [await parser.judged(one, ["index", "ai-train"]) for one in results]
        return [[str(decision.outcome) for decision in each.values()] for each in found]

    with Loopback() as site, Loopback() as other:
        site.says["/robots.txt"] = reply(body=b"User-agent: *\nAllow: /\n")
        other.says["/robots.txt"] = reply(body=b"User-agent: *\nDisallow: /\n")
        assert asyncio.run(
            judge(
                result(site.url("/a"), "<p>Words"),
                result(site.url("/b"), "<p>Words", response_headers={"x-robots-tag": "noai"}),
                result(site.url("/c"), "<meta name=robots content=noindex>"),
                result(site.url("/d"), "<p>Words", redirected_url=other.url("/e")),
            )
        ) == [["permitted"] * 2, ["permitted", "prohibited"], ["prohibited", "permitted"], ["prohibited"] * 2]
        failed = result(site.url("/a"), "", success=False, error_message="no answer")
        with pytest.raises(ValueError, match="has no page: no answer"):
            asyncio.run(judge(failed))


def test_the_program_runs_with_the_real_library(tmp_path: Path) -> None:
    """What is refused is not requested, and what says so itself is dropped."""
    pytest.importorskip("crawl4ai", reason="`make integrations` installs crawl4ai")
    with Loopback() as site, Loopback() as other:
        site.says = {
            "/robots.txt": reply(body=b"User-agent: *\nDisallow: /private\n"),
            "/a": reply(body=b"<p>Some words.", headers=PAGE),
            "/b": reply(body=b"<p>Some words.", headers=[*PAGE, ("X-Robots-Tag", "noai")]),
            "/private": reply(body=b"<p>Some words.", headers=PAGE),
            "/r": redirect(other.url("/x")),
        }
        other.says = {"/robots.txt": reply(500), "/x": reply(body=b"<p>Some words.", headers=PAGE)}
        urls = [*map(site.url, ("/a", "/b", "/private", "/r")), other.url("/x")]
        program = (
            "import asyncio, crawl4ai_crawl as program\n"
            "robots = program.PolicyRobotsParser('examplebot', allow_private=True)\n"
            f"asyncio.run(program.crawl({urls!r}, robots))\n"
        )
        environment = {**os.environ, "CRAWL4AI_NO_CLOUD_NOTICE": "1", "CRAWL4_AI_BASE_DIRECTORY": str(tmp_path)}
        call = [sys.executable, "-c", program]
        done = subprocess.run(call, cwd=EXAMPLES, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr[-2000:]
        told = [line.partition(" ")[2] for line in done.stdout.splitlines() if line.startswith("http://127")]
        denied = "not fetched: Access denied by robots.txt"
        assert told == ["permitted 12", "prohibited dropped", denied, "prohibited dropped", denied], done.stdout
        assert Counter(site.targets) == Counter(["/robots.txt", "/a", "/b", "/r"])


def test_the_page_shows_the_program() -> None:
    shown = (EXAMPLES.parent.parent / "docs/how-to/crawl4ai.md").read_text().split("```python\n")[1].split("```")[0]
    assert shown in (EXAMPLES / "crawl4ai_crawl.py").read_text()
