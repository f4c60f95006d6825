"""What the API takes and gives: values in usual forms, one word for usages, errors that name what is wrong."""

from __future__ import annotations

import inspect
import json
import pickle
from collections.abc import Callable
from typing import Any, cast

import jsonschema
import pytest

import acap
from acap import _native
from acap.restrictions import MaxLength, TimeLimit
from acap.schema import DECISION_SCHEMA
from acap.usages import USAGES

NEITHER: Any = []
"""Neither str nor bytes."""

SITE = "https://d.example"
POLICY = acap.parse_robots(
    "User-agent: *\nDisallow: /a\n\n"
    "ACAP-crawler: *\nACAP-allow-present-snippet: / time-limit=7-days max-length=20-words\n",
    url=f"{SITE}/robots.txt",
)
LIMITED = POLICY.decide("/b", crawler="bot", usage="present-snippet")
MANY = POLICY.decide_many(["/a", "/b"], crawler="bot", usage=["crawl", "ai-train"])


# --- decisions --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "shown"),
    [
        ({"url": "/a"}, "<Decision prohibited: crawl /a, robots.txt:2 Disallow: /a>"),
        ({"url": "/b"}, "<Decision permitted: crawl /b, silence>"),
        (
            {"url": "/a", "usage": ["crawl", "index"]},
            "<Decision prohibited: crawl, index /a, robots.txt:2 Disallow: /a>",
        ),
    ],
)
def test_the_repr_of_a_decision_tells_what_decided(question: dict[str, Any], shown: str) -> None:
    assert repr(POLICY.decide(crawler="bot", **question)) == shown


def test_the_repr_of_a_decision_is_short_and_has_no_control_characters() -> None:
    line = f"Disallow: /\x1b[31m{'a' * 5_000}"
    shown = repr(acap.parse_robots(f"User-agent: *\nDisallow: /\n{line}\n").decide("/" + "b" * 5_000, crawler="bot"))
    assert shown.isprintable()
    assert len(shown) < 400


def test_the_repr_of_what_a_page_decided_names_its_place() -> None:
    page = acap.parse_page('<meta name="robots" content="noindex">', url=f"{SITE}/a")
    shown = repr(acap.decide(f"{SITE}/a", crawler="bot", usage="index", page=page))
    assert shown.startswith("<Decision prohibited: index https://d.example/a, ")
    assert "noindex" in shown


def test_a_decision_gives_the_json_of_its_schema() -> None:
    found = POLICY.decide("/a", crawler=["bot", "other"]).to_json()
    jsonschema.validate(found, DECISION_SCHEMA)
    assert json.loads(json.dumps(found)) == found
    assert pickle.loads(pickle.dumps(LIMITED)).to_json() == LIMITED.to_json()


def test_the_restrictions_of_a_class_can_be_asked_for() -> None:
    (time,), (length,) = LIMITED.limits(TimeLimit), LIMITED.limits(MaxLength)
    assert (time.days, length.amount, length.unit) == (7, 20, "words")
    assert LIMITED.limits(acap.Restriction) == LIMITED.restrictions
    assert POLICY.decide("/b", crawler="bot").limits(TimeLimit) == ()


def test_all_restrictions_of_a_class_are_given() -> None:
    """Whoever keeps to one of two would break the other."""
    both = POLICY.decide("/b", crawler="bot", usage=["present-snippet", "search"])
    assert [one.usage for one in both.limits(TimeLimit)] == [
        one.usage for one in both.restrictions if "time" in one.name
    ]


# --- batches ----------------------------------------------------------------------------------------------------------


def test_a_batch_gives_its_rows_again_and_again() -> None:
    rows = [MANY[place] for place in range(len(MANY))]
    assert list(MANY) == list(MANY) == rows
    assert rows[0] == ("/a", "crawl", acap.Outcome.PROHIBITED, "statement", 2)
    assert list(POLICY.decide_many([], crawler="bot")) == []


def test_two_loops_over_a_batch_do_not_disturb_each_other() -> None:
    assert [(one[0], other[0]) for one, other in zip(MANY, MANY, strict=True)] == [(row[0],) * 2 for row in MANY]


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_a_pickled_batch_is_the_same(protocol: int) -> None:
    again = pickle.loads(pickle.dumps(MANY, protocol))
    assert list(again) == list(MANY)
    columns = ("usages", "outcomes", "permitted", "restricted")
    assert [getattr(again, name) for name in columns] == [getattr(MANY, name) for name in columns]
    assert again.lines.tolist() == MANY.lines.tolist()
    assert again._repr_html_() == MANY._repr_html_()


def test_a_damaged_pickle_of_a_batch_permits_nothing() -> None:
    made, (urls, usages, kinds, columns) = MANY.__reduce__()
    outcomes, *rest = columns
    for damaged in (outcomes[:-1], b"", outcomes + b"\0"):
        with pytest.raises(ValueError, match="damaged"):
            made(urls, usages, kinds, (damaged, *rest))
    with pytest.raises(ValueError, match="damaged"):
        made(urls, usages, kinds[:1], columns)
    strange = made(urls, usages, kinds, (bytes([9] * len(outcomes)), *rest))
    assert not any(strange.permitted)


# --- one word for usages ----------------------------------------------------------------------------------------------


def robots_survey(**asked: Any) -> Any:
    import pyarrow as pa

    found = acap.survey(pa.table({"url": [f"{SITE}/robots.txt"], "content": [b"User-agent: *\n"]}), **asked)
    return found.usages


CALLS: dict[str, Callable[..., Any]] = {
    "decide_many": lambda **asked: list(POLICY.decide_many(["/a"], crawler="bot", **asked)),
    "decide_each": lambda **asked: acap.decide_each("/a", crawler="bot", robots=POLICY, **asked),
    "decide_table": lambda **asked: list(acap.decide_table([f"{SITE}/a"], [POLICY], crawler="bot", **asked)),
    "compare": lambda **asked: acap.compare(POLICY, acap.parse_robots("", url=f"{SITE}/"), **asked).changes,
    "survey": robots_survey,
}


@pytest.mark.parametrize("name", CALLS)
def test_usages_are_asked_by_one_word_or_its_earlier_name(name: str) -> None:
    call = CALLS[name]
    assert call(usage="index") == call(usage=["index"]) == call(usage=("index",)) == call(usages=["index"])
    with pytest.raises(TypeError, match="`usage` and `usages` are the same argument"):
        call(usage="index", usages="index")


def test_every_public_call_that_asks_about_usages_has_the_one_word() -> None:
    found = [getattr(acap, name) for name in acap.__all__]
    calls = [one for one in (*found, acap.SitePolicy.decide_each) if callable(one)]
    asking = [one for one in calls if "usages" in inspect.signature(one).parameters]
    assert asking
    for one in asking:
        if not (isinstance(one, type) and issubclass(one, tuple)):  # a value whose field is called so
            assert "usage" in inspect.signature(one).parameters, one


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("train", "ai-train"),
        ("ai_train", "ai-train"),
        ("training", "ai-train"),
        ("snippets", "present-snippet"),
        ("cralw", "crawl"),
        ("indexing", "index"),
    ],
)
def test_a_wrong_usage_names_the_one_that_is_meant(written: str, meant: str) -> None:
    with pytest.raises(ValueError, match=f"did you mean `{meant}`"):
        POLICY.decide("/a", crawler="bot", usage=written)


def test_a_very_long_usage_is_told_at_once() -> None:
    with pytest.raises(ValueError, match=f"did you mean `({'|'.join(USAGES)})`"):
        POLICY.decide("/a", crawler="bot", usage="x" * 1_000_000)


# --- str and bytes ----------------------------------------------------------------------------------------------------


def test_a_url_may_be_octets() -> None:
    assert POLICY.decide(b"/a", crawler="bot").url == "/a"
    assert not POLICY.allows(b"/a", "bot")
    assert list(POLICY.decide_many([b"/a", "/b"], crawler="bot")) == list(
        POLICY.decide_many(["/a", "/b"], crawler="bot")
    )
    url = f"{SITE}/a"
    assert not acap.decide(url.encode(), crawler="bot", robots=POLICY).permitted
    assert not acap.decide_each(url.encode(), crawler="bot", usage="crawl", robots=POLICY)["crawl"].permitted
    (row,) = acap.decide_table([url.encode()], [POLICY], crawler="bot")
    assert (row[0], str(row[2])) == (url, "prohibited")


def test_octets_of_a_url_that_are_no_utf_8_count_as_they_are() -> None:
    policy = acap.parse_robots(b"User-agent: *\nDisallow: /\xff\n")
    assert policy.decide(b"/\xff", crawler="bot").url == "/%FF"
    assert not policy.allows(b"/\xff", "bot")
    assert policy.allows(b"/\xfe", "bot")


def test_documents_may_be_text() -> None:
    for text in ("User-agent: *\nDisallow: /a\n", "Ünïcode", "\ud800"):
        one, other = acap.parse_robots_many([text, (text, SITE)])
        assert one == acap.parse_robots(text)
        assert other == acap.parse_robots(text, url=SITE)
    rules = '[{"location": "/", "tdm-reservation": 1}]'
    where = f"{SITE}/.well-known/tdmrep.json"
    assert acap.parse_tdmrep(rules, url=where) == acap.parse_tdmrep(rules.encode(), url=where)
    assert acap.parse_ai_txt("User-agent: *\n", url=SITE) == acap.parse_ai_txt(b"User-agent: *\n", url=SITE)
    assert acap.parse_tdm_policy("{}") == acap.parse_tdm_policy(b"{}")
    assert acap.parse_training_mining("{}") == acap.parse_training_mining(b"{}")


def test_half_a_character_in_a_document_permits_nothing() -> None:
    where = f"{SITE}/.well-known/tdmrep.json"
    assert acap.parse_tdmrep('[{"location": "/\ud800", "tdm-reservation": 0}]', url=where).state == "unknown"
    assert acap.parse_training_mining('{"a": "\ud800"}').state == "broken"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: POLICY.decide_many(["/a", NEITHER], crawler="bot"), r"urls\[1\]: a URL is str or bytes"),
        (lambda: POLICY.decide_many(["/a", "b c"], crawler="bot"), r"urls\[1\]: `b c` is neither an absolute URL"),
        (lambda: POLICY.decide_many(["/a", "\ud800"], crawler="bot"), r"urls\[1\]: "),
        (
            lambda: POLICY.decide_many(["https://e.example/"], crawler="bot"),
            r"urls\[0\]: .* is not of https://d.example",
        ),
        (
            lambda: acap.decide_table(["/a", NEITHER], [POLICY], crawler="bot"),
            r"urls\[1\]: a URL is str or bytes",
        ),
        (lambda: acap.parse_robots_many("Disallow: /"), "items must be a list of files: .*; this is one str"),
        (
            lambda: acap.parse_robots_many(cast("Any", b"Disallow: /")),
            "items must be a list of files: .*; this is one bytes",
        ),
        (lambda: acap.parse_robots_many({SITE: b"Disallow: /"}), "items must be a list of files: .*; this is one dict"),
        (lambda: acap.parse_robots_many([b"", NEITHER]), r"items\[1\]: a file is its octets or text"),
        (lambda: acap.parse_robots_many([b"", (NEITHER, None)]), r"items\[1\]: a file is its octets or text"),
        (lambda: acap.parse_robots_many([(b"", SITE), (b"", "x")]), r"items\[1\]: `x` is not an absolute URL"),
        (lambda: POLICY.decide(NEITHER, crawler="bot"), "a URL is str or bytes"),
    ],
)
def test_an_error_names_the_item_that_is_wrong(call: Callable[[], object], message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        call()


# --- names of crawlers ------------------------------------------------------------------------------------------------

CUT = ("shop bot!", "bööt", "my crawler", "!!!", "shop*")
GOOD = (
    "shopbot",
    " shop-bot_2.x ",
    "*",
    "Kangaroo Bot",
    "GPTBot*",
    "shop/1.0",
    "Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)",
    "Mozilla/5.0 (X11; Linux x86_64) Chrome/1 Safari/537.36",
    "Embedly +support@embed.ly",
)


@pytest.mark.parametrize("name", CUT)
def test_a_name_that_would_be_cut_is_refused_with_its_fix(name: str) -> None:
    """Whoever is set up to ask; a policy alone may be asked by any name that a file has."""
    for call in (
        lambda: acap.Crawler(name),
        lambda: acap.Retriever(crawler=name),
        lambda: acap.AsyncRetriever(crawler=[name]),
        lambda: acap.Site(SITE, crawler=name),
    ):
        with pytest.raises(ValueError, match=r"is not the name of a crawler.*letters, digits"):
            call()


@pytest.mark.parametrize("name", GOOD)
def test_names_and_user_agent_strings_are_heard(name: str) -> None:
    assert POLICY.decide("/b", crawler=name).permitted == POLICY.allows("/b", name) is True
    assert acap.Crawler(name).names == (name,)


def test_every_known_crawler_can_ask() -> None:
    from acap.crawler_list import known_crawlers

    for one in known_crawlers():
        for name in one.names:
            _native.check_name(name)
