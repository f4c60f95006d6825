"""A response is judged, and its plan made, by functions of values: without a store, in any process."""

from __future__ import annotations

import doctest
import pickle
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from datetime import UTC, datetime, timedelta
from multiprocessing import get_context
from pathlib import Path

import pytest

from acap.crawlers import Crawler
from acap.harvest import conclusion as conclusion_module
from acap.harvest.conclusion import judge
from acap.harvest.judgement import ResourceState, Response, response_of
from acap.harvest.latest import Latest
from acap.harvest.plan import Holding, plan_response, plan_version
from acap.harvest.resource import Resource, Version
from acap.restrictions import Facts
from acap.robots import RobotsPolicy, parse_robots

URL = "https://news.example/a"
NOW = datetime(2026, 11, 23, 12, tzinfo=UTC)
CRAWLER = Crawler("searchbot")
HTML = (("Content-Type", "text/html"),)
PAGE = b"""<title>Tides</title><p>The tide turns at noon.
<p class="the-acap:disallow-index">Not this.</p><p class="the-acap:disallow-preserve">Nor that.</p>
<a href="/b">on</a>"""


def policy(text: bytes = b"User-agent: *\nDisallow: /x\n") -> RobotsPolicy:
    return parse_robots(text, url="https://news.example/robots.txt").with_evidence({"fetched_at": NOW.isoformat()})


def resource() -> Resource:
    return Resource(1, URL, "https://news.example", 7, NOW, NOW, NOW, NOW, None, None, speaking=8)


def version(number: int, headers: tuple[tuple[str, str], ...] = HTML) -> Version:
    return Version(
        number, 1, URL, NOW, NOW, None, 200, headers, "text/html", len(PAGE), "", 1, "", {}, is_indexed=True, terms="",
        parts="", place=None,
    )  # fmt: skip


def cases() -> dict[str, tuple[Response, ResourceState]]:
    """A response that just came, one that robots.txt closes, one that is held, one whose successor says more."""
    new = Response(URL, NOW, CRAWLER, policy(), HTML, PAGE)
    closed = Response(URL, NOW, CRAWLER, policy(b"User-agent: *\nDisallow: /a\n"), HTML, PAGE)
    facts = Facts(NOW, NOW, NOW)
    later = Latest(version(8, (*HTML, ("X-Robots-Tag", "noindex"))), facts)
    held = response_of(version(7), PAGE, at=NOW + timedelta(days=1), crawler=CRAWLER, robots=policy())
    bare = response_of(version(7), None, at=NOW, crawler=CRAWLER, robots=policy())
    return {
        "new": (new, ResourceState(facts)),
        "closed": (closed, ResourceState(facts, resource(), may_serve=True)),
        "held": (held, ResourceState(facts, resource(), later, is_current=False)),
        "bare": (bare, ResourceState(facts, resource(), Latest(version(7), facts))),
    }


@pytest.mark.parametrize("name", cases())
def test_what_is_judged_and_what_it_comes_to_are_values(name: str) -> None:
    """They can be sent to another process and back, and judging twice gives the same."""
    response, held = cases()[name]
    conclusion = judge(response, held)
    assert pickle.loads(pickle.dumps(conclusion)) == conclusion
    assert judge(*pickle.loads(pickle.dumps((response, held)))) == conclusion
    holding = Holding(response.version or version(0), 1, NOW)
    plan = plan_response(conclusion, holding) if response.version is None else plan_version(conclusion, holding)
    assert pickle.loads(pickle.dumps(plan)) == plan


def test_what_the_page_and_its_successor_say_is_in_the_conclusion() -> None:
    conclusions = {name: judge(*case) for name, case in cases().items()}
    new = conclusions["new"]
    assert all(map(new.permits, ("follow", "index", "preserve")))
    assert new.words is not None
    assert "Not this" not in "".join(new.words)
    assert new.copy is not None
    assert (b"Nor that" in new.copy[0], new.copy[1]) == (False, False)
    assert new.leads is not None
    assert new.leads.links == ("https://news.example/b",)
    assert not any(map(conclusions["closed"].permits, ("follow", "index", "preserve")))
    assert "index" in (conclusions["closed"].usable or ())
    assert (new.permits("index"), conclusions["held"].permits("index")) == (True, False)
    assert conclusions["bare"].words is None


def test_a_process_of_another_engine_judges_the_same() -> None:
    some = list(cases().values())
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as workers:
        conclusions = list(workers.map(judge, *zip(*some, strict=True)))
    assert conclusions == [judge(*case) for case in some]


def test_judging_and_planning_need_no_store(tmp_path: Path) -> None:
    """Neither a database nor the crawler is loaded; none has to be installed."""
    (tmp_path / "case").write_bytes(pickle.dumps(cases()["new"]))
    script = f"""
import sys
for name in ("apsw", "psycopg", "scrapy", "acap.harvest.store"):
    sys.modules[name] = None
import pickle
from acap.harvest.conclusion import judge
from acap.harvest.plan import Holding, plan_response
response, held = pickle.load(open({str(tmp_path / "case")!r}, "rb"))
assert all(map(judge(response, held).permits, ("follow", "index", "preserve")))
"""
    subprocess.run([sys.executable, "-c", script], check=True)


def test_the_example_of_judge_is_true() -> None:
    results = doctest.testmod(conclusion_module)
    assert (results.failed, results.attempted > 0) == (0, True)
