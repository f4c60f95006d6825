"""`acap crawlers` tells what is known of a crawler, and `--crawler` asks by the names it falls back to."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from acap.crawler_list import known_crawlers
from tests.command_line import acap


def test_a_crawler_is_described() -> None:
    """Operator, purpose, how it is recognised, and where the row comes from with licence and date."""
    result = acap("crawlers", "GPTBot/1.2")
    assert result.code == 0
    for words in ("GPTBot, of OpenAI", "training of AI models", "https://openai.com/gptbot.json", "(MIT, 20"):
        assert words in result.out


def test_a_token_tells_what_it_decides() -> None:
    told = acap("crawlers", "Google-Extended").out
    assert "no request carries it" in told
    assert "Googlebot-Image" in told
    assert "ai-train, ai-input" in told


def test_every_crawler_is_listed_and_has_its_object() -> None:
    assert len(acap("crawlers").lines) == len(known_crawlers())
    objects = [json.loads(line) for line in acap("crawlers", "--json").lines]
    assert [one["name"] for one in objects] == [one.name for one in known_crawlers()]


def test_an_unknown_name_is_an_error_with_the_nearest() -> None:
    result = acap("crawlers", "Gogglebot")
    assert (result.code, "did you mean `Googlebot`?" in result.err) == (2, True)
    assert "did you mean `GPTBot`?" in acap("crawlers", "gptbo").err
    assert "no crawler `xyz` is known; `acap crawlers` lists all that are" in acap("crawlers", "xyz").err


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("User-agent: GPTBot", "GPTBot"),
        ("user-agent:gptbot/1.2", "GPTBot"),
        ("Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)", "GPTBot"),
        ("Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; ClaudeBot/1.0; +bot@a.example)", "ClaudeBot"),
        ("Mozilla/5.0 (Linux; Android 6) Chrome/1 (compatible; Googlebot/2.1; +http://g.example/)", "Googlebot"),
        ("CCBot/2.0 (https://commoncrawl.org/faq/)", "CCBot"),
    ],
)
def test_a_crawler_is_known_by_what_it_sends(written: str, name: str) -> None:
    assert acap("crawlers", written).lines[0].startswith(f"{name}, of ")


def test_a_browser_is_no_crawler() -> None:
    result = acap("crawlers", "Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0")
    assert (result.code, "`acap crawlers` lists all that are" in result.err) == (2, True)


def test_a_known_crawler_is_asked_for_by_the_names_it_falls_back_to(tmp_path: Path) -> None:
    """Applebot obeys the group of Googlebot where it has none; names that are given in order stay as they are."""
    robots = tmp_path / "robots.txt"
    robots.write_text("User-agent: Googlebot\nDisallow: /a\n")
    asked = ("check", "--robots", str(robots), "--usage", "crawl", "/a", "--crawler")
    codes = [acap(*asked, name).code for name in ("Applebot", "APPLEBOT", "Applebot,examplebot", "GPTBot")]
    assert codes == [1, 1, 0, 0]
    robots.write_text("User-agent: Googlebot\nDisallow: /a\n\nUser-agent: Applebot\nAllow: /\n")
    assert acap(*asked, "Applebot").code == 0
