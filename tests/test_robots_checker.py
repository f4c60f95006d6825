"""The class in the place of that of robots-checker has its names, and doubt is non-compliant."""

from __future__ import annotations

import inspect
import sys
from types import ModuleType

import pytest

from acap.crawlers import Crawler
from acap.integrations.robots_checker import USER_AGENTS, RobotsTxtComplianceChecker, load_robots

FILES = {
    "a.example": "User-agent: GPTBot\nDisallow: /private\n",
    "b.example": b"",
    "c.example": None,
    "D.example:8080": "User-agent: *\nDisallow: /\n",
}


def verdict(robots: str | bytes, url: str = "https://a.example/page", **options: str) -> str:
    """The verdict on a URL of a site with this file."""
    agents = options.pop("agent", None)
    checker = RobotsTxtComplianceChecker(robots={"a.example": robots}, **options)  # type: ignore[arg-type]
    return checker.is_compliant(url) if agents is None else checker.is_compliant(url, [agents])


def test_names_and_arguments_are_theirs() -> None:
    """`is_compliant(url, user_agents)` and `version` at the place where they are; the crawlers in their order."""
    assert list(inspect.signature(RobotsTxtComplianceChecker.is_compliant).parameters)[1:] == ["url", "user_agents"]
    assert next(iter(inspect.signature(RobotsTxtComplianceChecker).parameters)) == "version"
    assert (len(USER_AGENTS), USER_AGENTS[0], USER_AGENTS[-1]) == (15, "AI2Bot", "*")


def test_one_crawler_that_is_refused_makes_a_url_non_compliant() -> None:
    checker = RobotsTxtComplianceChecker(robots=FILES)
    assert checker.is_compliant("https://a.example/page") == "Compliant"
    assert checker.is_compliant("https://a.example/private/page") == "NonCompliant"
    assert checker.is_compliant("https://a.example/private/page", ["ClaudeBot", "*"]) == "Compliant"
    refusal = checker.refusal("http://a.example/private/page")
    assert refusal is not None
    assert [one.text for one in refusal.reason.decided_by] == ["Disallow: /private"]


def test_a_site_that_is_not_known_is_non_compliant_unless_one_says_otherwise() -> None:
    """In robots-checker it is compliant. An empty file is a file."""
    urls = ["https://b.example/", "https://c.example/", "https://e.example/"]
    for missing, expected in (("prohibited", "NonCompliant"), ("permitted", "Compliant")):
        checker = RobotsTxtComplianceChecker(robots=FILES, missing=missing)  # type: ignore[arg-type]
        assert [checker.is_compliant(url) for url in urls] == ["Compliant", expected, expected]


@pytest.mark.parametrize("url", ["HTTP://D.EXAMPLE:8080/", "https://user@d.example:8080/"])
def test_a_site_is_found_however_its_url_is_written(url: str) -> None:
    """robots-checker looks for the letters as they are, and takes the site for unknown, which permits."""
    assert RobotsTxtComplianceChecker(robots=FILES, missing="permitted").is_compliant(url) == "NonCompliant"


@pytest.mark.parametrize(
    ("domain", "url"),
    [
        ("bücher.example", "https://bücher.example/"),
        ("xn--bcher-kva.example", "https://BÜCHER.example/"),
        ("STRASSE.example", "https://strasse.example/"),
        ("a.example:443", "https://a.example/"),
        ("a.example:80", "http://a.example/"),
        ("a.example:80", "https://a.example:80/"),
        ("a.example", "https://a.example./"),
        ("a.example.", "https://a.example/"),
        (" a.example ", "https://a.example/"),
        ("https://a.example/robots.txt", "https://a.example/"),
        ("http://a.example", "https://a.example/"),
    ],
)
def test_a_file_is_found_however_its_domain_is_written(domain: str, url: str) -> None:
    checker = RobotsTxtComplianceChecker(robots={domain: "User-agent: *\nDisallow: /\n"}, missing="permitted")
    assert checker.is_compliant(url) == "NonCompliant"


@pytest.mark.parametrize("domain", ["https://a.example/page", "a.example/", "u@a.example", "", "a example", "https://"])
def test_a_file_beside_what_is_no_domain_is_refused(domain: str) -> None:
    """Nothing would find it, and its site would have none, which `missing` may permit."""
    with pytest.raises(ValueError, match=r"is not|is neither"):
        RobotsTxtComplianceChecker(robots={domain: "User-agent: *\nDisallow: /\n"}, missing="permitted")


def test_of_two_files_that_differ_neither_permits() -> None:
    """Whichever comes last. The same file twice is one, and a null is no file."""
    refusing, empty = "User-agent: *\nDisallow: /\n", ""
    for files in (
        {"A.example": refusing, "a.example": empty},
        [("a.example", refusing), ("a.example", empty)],
        [("a.example", refusing), ("a.example", empty), ("a.example:443", empty)],
        [("a.example", refusing), ("A.example", None)],
    ):
        checker = RobotsTxtComplianceChecker(robots=files, missing="permitted")
        assert checker.is_compliant("https://a.example/") == "NonCompliant", files
    same = RobotsTxtComplianceChecker(robots=[("a.example", empty), ("A.example", empty), ("a.example", None)])
    assert same.is_compliant("https://a.example/") == "Compliant"


def test_a_name_is_one_crawler_and_no_crawler_is_a_mistake() -> None:
    """The letters of a name are no crawlers, and an iterator that has ended names none."""
    checker = RobotsTxtComplianceChecker(robots=FILES)
    url = "https://a.example/private/page"
    assert checker.is_compliant(url, "GPTBot") == checker.is_compliant(url, Crawler("GPTBot")) == "NonCompliant"
    assert checker.is_compliant(url, "ClaudeBot") == "Compliant"
    agents = iter(["GPTBot"])
    assert [checker.is_compliant(url, agents) for _ in range(2)] == ["NonCompliant"] * 2
    with pytest.raises(ValueError, match="no crawler was named"):
        checker.refusal(url, [])


@pytest.mark.parametrize("url", ["", "page", "mailto:a@b.example", "https://", "https://[", None])
def test_what_is_no_url_is_non_compliant(url: str) -> None:
    """In robots-checker what raises is compliant."""
    checker = RobotsTxtComplianceChecker(robots=FILES, missing="permitted")
    assert checker.is_compliant(url) == "NonCompliant"


def test_a_fault_of_ours_is_non_compliant(monkeypatch: pytest.MonkeyPatch) -> None:
    checker = RobotsTxtComplianceChecker(robots=FILES)
    assert checker.is_compliant("https://b.example/") == "Compliant"

    def fails(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr(checker, "_policy", fails)
    assert checker.is_compliant("https://b.example/") == "NonCompliant"


@pytest.mark.parametrize(
    ("robots", "agent", "expected"),
    [
        ("\ufeffUser-agent: *\nDisallow: /page\n", "*", "NonCompliant"),
        ("User-agent: Applebot\nDisallow: /page\n", "Applebot-Extended", "Compliant"),
        ("User-agent: *\nCrawl-delay: 9\n\nUser-agent: other\nDisallow: /page\n", "*", "NonCompliant"),
        ("User-agent: CCBot\nDisallow: /page\n", "CCBot/2.0", "NonCompliant"),
        ("ACAP-crawler: *\nACAP-disallow-crawl: /page\n", "GPTBot", "NonCompliant"),
    ],
)
def test_what_differs_is_as_the_page_says(robots: str, agent: str, expected: str) -> None:
    assert verdict(robots, agent=agent) == expected
    assert verdict(robots.encode(), agent=agent) == expected


def test_signals_of_training_count_where_they_are_asked_about() -> None:
    robots = "User-agent: *\nContent-Signal: ai-train=no\nAllow: /\n"
    for usages, expected in ((("crawl",), "Compliant"), (("crawl", "ai-train"), "NonCompliant")):
        checker = RobotsTxtComplianceChecker(robots={"a.example": robots}, usages=usages)
        assert checker.is_compliant("https://a.example/") == expected


def test_a_version_is_loaded_as_they_load_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """By `datasets`, from the same place; an unknown one is a mistake."""
    theirs = ModuleType("datasets")
    asked = []

    def load_dataset(name: str, *, split: str) -> list[dict[str, object]]:
        asked.append((name, split))
        return [{"domain": "a.example", "content": b"User-agent: *\nDisallow: /\n"}]

    theirs.load_dataset = load_dataset  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "datasets", theirs)
    assert RobotsTxtComplianceChecker("Jan-2025").is_compliant("https://a.example/") == "NonCompliant"
    assert asked == [("swiss-ai/fineweb-robots-txt-files-compressed", "train")]
    with pytest.raises(ValueError, match="version `2019` is unknown"):
        load_robots("2019")


def test_mistakes_are_told_when_the_checker_is_made() -> None:
    for wrong in ({"missing": "maybe"}, {"usages": ["train"]}, {"dialect": "klingon"}):
        with pytest.raises(ValueError, match=r".+"):
            RobotsTxtComplianceChecker(robots={}, **wrong)
