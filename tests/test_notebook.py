"""What notebooks show of decisions, policies and surveys says what they are, and lets no markup of a file through."""

from __future__ import annotations

import pickle
import re
from contextlib import suppress
from html.parser import HTMLParser
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import acap
from acap.notebook import ROWS

URL = "https://www.example.com/news/1"
POLICY = acap.parse_robots("User-agent: *\nDisallow: /news/\nAllow: /\n", url="https://www.example.com/robots.txt")


class Seen(HTMLParser):
    """The elements and the text of a piece of HTML."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements = set[str]()
        self.names = set[str]()
        self.open: list[str] = []
        self.text = ""
        self.feed(html)
        self.close()
        assert self.open == [], html

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.add(tag)
        self.names.update(name for name, _ in attrs)
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def seen(value: Any) -> Seen:
    """What a notebook shows of a value."""
    return Seen(value._repr_html_())


def test_a_decision_shows_its_outcome_and_the_line_that_decided() -> None:
    shown = seen(POLICY.decide(URL, crawler="examplebot"))
    assert "prohibited" in shown.text
    assert "robots.txt:2:1  Disallow: /news/" in shown.text


def test_a_decision_that_was_kept_shows_the_same() -> None:
    decision = POLICY.decide(URL, crawler="examplebot")
    assert pickle.loads(pickle.dumps(decision))._repr_html_() == decision._repr_html_()


def test_a_batch_shows_its_counts_and_its_first_rows() -> None:
    urls = [f"https://www.example.com/{'news' if number % 3 else 'a'}/{number}" for number in range(30)]
    shown = seen(POLICY.decide_many(urls, crawler="examplebot", usages=["crawl"]))
    assert "30 decisions · 10 permitted · 20 prohibited" in shown.text
    assert urls[ROWS - 1] in shown.text
    assert urls[ROWS] not in shown.text
    assert f"and {30 - ROWS} more" in shown.text
    assert "0 decisions" in seen(POLICY.decide_many([], crawler="examplebot")).text


def test_a_policy_shows_whose_it_is_and_its_lines() -> None:
    assert "https://www.example.com/robots.txt · present · 3 lines" in seen(POLICY).text
    assert "Disallow: /news/" in seen(POLICY).text
    long = seen(acap.parse_robots("Disallow: /" + "a" * 9000 + "\n#" * 100))
    assert len(long.text) < 2000
    assert "and 61 more" in long.text
    assert "unreachable" in seen(acap.RobotsPolicy.unreachable(URL)).text


def test_a_survey_shows_the_strictest_first() -> None:
    files = pa.table(
        {"url": ["https://a.example/", "https://b.example/"], "robots": ["User-agent: GPTBot\nDisallow: /\n", ""]}
    )
    shown = seen(acap.survey(files, crawlers=["CCBot", "GPTBot"], usages=["crawl"]))
    assert "2 captures" in shown.text
    assert shown.text.index("GPTBot50.0%") < shown.text.index("CCBot0.0%")


HOSTILE = st.text(alphabet=st.sampled_from("<>&\"' scriptonload=/*:\x1b\x00\u202eé\ud800"), max_size=60)


@given(HOSTILE)
def test_no_markup_and_no_control_character_of_a_file_comes_through(text: str) -> None:
    """Elements and attributes are those that acap writes, whatever a file, a URL or a name says."""
    told = f"User-agent: *\nDisallow: /{text}\nUser-agent: {text}\nAllow: /<b>\n<script>{text}"
    policy = acap.parse_robots(told, url="https://www.example.com/robots.txt")
    values: list[Any] = [policy]
    for path in ("/", "/<b>", "/a" + text.replace("\ud800", "")):
        with suppress(ValueError):  # what is no URL is not asked about
            values.append(policy.decide(path, crawler="examplebot"))
            values.append(policy.decide_many([path, path], crawler="examplebot", usages=["crawl", "index"]))
    for value in values:
        shown = seen(value)
        assert shown.elements <= {
            "div",
            "table",
            "thead",
            "tbody",
            "tr",
            "th",
            "td",
            "span",
            "b",
            "code",
            "ul",
            "li",
            "br",
        }
        assert shown.names <= {"class", "style", "scope", "aria-hidden"}
        assert shown.text.isprintable()
        assert "<script" not in value._repr_html_()


def test_colours_suit_both_themes() -> None:
    """They are translucent, and no text or ground has a colour of its own."""
    html = POLICY.decide(URL, crawler="examplebot")._repr_html_() + POLICY._repr_html_()
    assert re.findall(r"(?<![-\w])color:|#[0-9a-f]{3,6}\b", html) == []
    assert all(float(alpha) < 1 for alpha in re.findall(r"rgba\(\d+,\d+,\d+,([.\d]+)\)", html))


@pytest.mark.parametrize("kind", [acap.Decision, acap.Decisions, acap.RobotsPolicy, acap.RobotsSurvey])
def test_the_types_that_stand_in_notebooks_have_html(kind: type) -> None:
    assert callable(kind._repr_html_)  # type: ignore[attr-defined]
