"""`acap crawlers` tells what is known of a crawler, and `--crawler` asks by the names it falls back to."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from acap.crawler_list import known_crawlers
from tests.command_line import Result, acap


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


NOTE = "acap: no known crawler has the name `{}`, which is asked about; did you mean `{}`?\n"


def call(command: str, crawler: str, folder: Path, *options: str) -> Result:
    """A command that asks a robots.txt about a crawler."""
    robots = folder / "a.example.txt"
    robots.write_text("User-agent: GPTBot\nDisallow: /\n", encoding="utf-8")
    pages, policies = folder / "pages.jsonl", folder / "robots.csv"
    pages.write_text('{"url": "https://a.example/"}\n', encoding="utf-8")
    policies.write_text('url,robots\nhttps://a.example/,"User-agent: GPTBot\nDisallow: /\n"\n', encoding="utf-8")
    arguments = {
        "check": ("check", "--robots", str(robots), "-u", "crawl", "https://a.example/"),
        "show": ("show", str(robots)),
        "survey": ("survey", str(policies)),
        "audit": ("audit", str(pages), "--robots", str(policies), "-o", str(folder / "a.parquet"), "--processes", "1"),
    }[command]
    return acap(*arguments, "-c", crawler, *options)


@pytest.mark.parametrize("command", ["check", "show", "survey", "audit"])
def test_a_name_that_is_nearly_known_is_noted_and_asked_about(command: str, tmp_path: Path) -> None:
    """The answer is that for the name as it is written; `--quiet` leaves the note out."""
    told = call(command, "GTPBot", tmp_path)
    assert told.err.startswith(NOTE.format("GTPBot", "GPTBot"))
    assert told.code == 0
    assert "did you mean" not in call(command, "GTPBot", tmp_path, "--quiet").err
    for other in ("GPTBot", "gptbot/1.2", "examplebot"):
        assert "did you mean" not in call(command, other, tmp_path).err


def test_each_name_of_a_crawler_is_looked_at(tmp_path: Path) -> None:
    sent = "Mozilla/5.0 (compatible; Gogglebot/2.1; +https://a.example/)"
    assert call("check", "examplebot,ClaudBot", tmp_path).err == NOTE.format("ClaudBot", "ClaudeBot")
    assert call("check", sent, tmp_path).err == NOTE.format("Gogglebot", "Googlebot")
    assert call("check", "OpenAI", tmp_path).err == NOTE.format("OpenAI", "GPTBot")


@pytest.mark.parametrize(
    "name", ["examplebot", "mybot", "bot", "newsbot", "anybot", "usefulbot", "MyCrawler", "SearchBot", "*", "a"]
)
def test_a_name_of_ones_own_is_no_near_miss(name: str, tmp_path: Path) -> None:
    assert call("check", name, tmp_path).err == ""
