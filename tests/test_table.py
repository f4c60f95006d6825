"""Tables of URLs: what may be given, what comes back, and what is a mistake of the caller."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pyarrow
import pytest

import acap
from acap.table import ERRORS

A = acap.parse_robots("User-agent: *\nDisallow: /a # private\n", url="https://a.example/robots.txt")
B = acap.parse_robots("ACAP-crawler: *\nACAP-allow-index: / time-limit=5-days\n", url="http://b.example/")
URLS = ["https://a.example/a", "http://b.example/x", "https://a.example/b", None, "https://c.example/"]
WALL = "User-agent: *\nDisallow: /\n"
OUTCOMES = ["prohibited", "permitted", "permitted", "prohibited", "prohibited"]


def rows_of(urls: Any, **question: Any) -> list[dict[str, Any]]:
    given: dict[str, Any] = {"policies": [A, B], "crawler": "bot", **question}
    rows: list[dict[str, Any]] = pyarrow.table(acap.decide_table(urls, **given)).to_pylist()
    return rows


def column(rows: list[dict[str, Any]], name: str) -> list[Any]:
    return [row[name] for row in rows]


@pytest.mark.parametrize(
    "form",
    [
        list,
        iter,
        pyarrow.array,
        lambda urls: pyarrow.array(urls, pyarrow.large_string()),
        lambda urls: pyarrow.array(urls, pyarrow.string_view()),
        lambda urls: pyarrow.array(["https://a.example/b", *urls])[1:],
        lambda urls: pyarrow.chunked_array([urls[:2], [], urls[2:]], pyarrow.string()),
        lambda urls: pyarrow.table({"id": range(5), "url": urls}),
        lambda urls: pyarrow.record_batch({"url": urls, "id": list(range(5))}),
    ],
)
def test_urls_come_in_any_form(form: Callable[[list[str | None]], Any]) -> None:
    """Lists, arrays, chunks and tables with a column `url` are asked alike; a row stands where its URL stands."""
    rows = rows_of(form(URLS))
    assert column(rows, "url") == URLS
    assert column(rows, "outcome") == OUTCOMES
    assert column(rows, "policy") == [0, 1, 0, None, None]
    assert column(rows, "error") == [None, None, None, "no-url", "no-policy"]


def test_a_row_tells_its_line_and_restrictions_where_asked() -> None:
    """`rule` is the text of the deciding line, `restrictions` are `name=value`; who does not ask has no such column."""
    rows = rows_of(URLS[:3], usages=["index"], columns=["rule", "restrictions"])
    assert column(rows, "rule") == ["Disallow: /a # private", "ACAP-allow-index: / time-limit=5-days", None]
    assert column(rows, "restrictions") == [[], ["time-limit=5-days"], []]
    assert not {"rule", "restrictions"} & set(rows_of(URLS)[0])


def test_usages_stand_side_by_side() -> None:
    """A URL has a row for each usage, in their order; a composite one for each of its parts."""
    rows = rows_of(URLS[:2], usages=["crawl", "search"])
    usages = ["crawl", *acap.usages.COMPOSITES["search"]]
    assert column(rows, "usage") == usages * 2
    assert column(rows, "url") == [URLS[0]] * len(usages) + [URLS[1]] * len(usages)


def test_each_of_many_usages_has_its_name() -> None:
    """A row is of the usage that it names, however many are asked about."""
    policy = acap.parse_robots("ACAP-crawler: *\nACAP-disallow-index: /\n", url="https://d.example/")
    usages = ["index"] * 130 + ["preserve"]
    urls = ["https://d.example/"]
    table = pyarrow.table(acap.decide_table(urls, [policy], crawler="bot", usages=usages))
    many = pyarrow.table(policy.decide_many(urls, crawler="bot", usages=usages))
    outcomes = ["prohibited"] * 130 + ["permitted"]
    assert table["usage"].to_pylist() == many["usage"].to_pylist() == usages
    assert [usage for _, usage, *_ in acap.decide_table(urls, [policy], crawler="bot", usages=usages)] == usages
    assert table["outcome"].to_pylist() == many["outcome"].to_pylist() == outcomes


@pytest.mark.slow
def test_of_many_urls_each_is_at_its_place() -> None:
    """Many URLs are answered on all processors and come in several batches, and nothing moves."""
    count = (1 << 20) + 3
    urls = pyarrow.array([f"https://a.example/{'ab'[number % 2]}{number}" for number in range(count)])
    reader = pyarrow.RecordBatchReader.from_stream(acap.decide_table(urls, [A], crawler="bot"))
    batches = list(reader)
    assert len(batches) > 1
    assert min(batch.num_rows for batch in batches) > 0
    rows = pyarrow.Table.from_batches(batches)
    assert rows["url"].combine_chunks().equals(urls)
    outcomes = rows["outcome"].to_pylist()
    assert outcomes == ["permitted" if number % 2 else "prohibited" for number in range(count)]


def test_what_is_missing_may_be_permitted_by_choice() -> None:
    """`missing` speaks for sites without a policy alone: what is no URL stays prohibited."""
    rows = rows_of(["https://c.example/", "c", None, "https://c.example/\n"], missing="permitted")
    assert column(rows, "outcome") == ["permitted", "prohibited", "prohibited", "prohibited"]
    assert column(rows, "kind") == ["absent", None, None, None]
    assert column(rows, "error") == ["no-policy", "no-url", "no-url", "control-character"]
    assert set(column(rows, "error")) <= set(ERRORS)


def test_policies_may_come_as_a_table() -> None:
    """Columns `url` and `robots`, perhaps `state`; a null stands for a site that could not be asked."""
    robots = [b"User-agent: *\nDisallow: /a\n", None, b"", b"User-agent: *\nDisallow: /\n", None]
    hosts = [f"https://{letter}.example/robots.txt" for letter in "abcde"]
    rows = pyarrow.table({"url": hosts, "robots": robots, "state": ["present"] * 3 + ["unreachable", "absent"]})
    table = acap.PolicyTable.read(rows)
    assert len(table) == 5
    found = rows_of([f"https://{letter}.example/x" for letter in "abcde"], policies=table)
    assert column(found, "outcome") == ["permitted", "prohibited", "permitted", "prohibited", "permitted"]
    assert column(found, "kind") == ["silence", "unreachable", "silence", "unreachable", "absent"]
    texts = acap.PolicyTable.read(pyarrow.table({"url": hosts[:1], "robots": ["User-agent: *\nDisallow: /"]}))
    assert column(rows_of(["https://a.example/"], policies=texts), "outcome") == ["prohibited"]


def test_a_stream_is_read_once() -> None:
    """The answers are made as they are read; the second reader is told so."""
    stream = acap.decide_table(URLS, [A, B], crawler="bot")
    assert repr(stream).startswith("<DecisionStream: columns url, usage, outcome")
    pyarrow.table(stream)
    assert repr(stream) == "<DecisionStream: read>"
    with pytest.raises(ValueError, match="read before"):
        pyarrow.table(stream)


def test_rows_are_read_without_a_library_of_arrow() -> None:
    """A stream gives its rows as tuples in the order of its columns, the same that Arrow gives; once."""
    question: dict[str, Any] = {"crawler": "bot", "usages": ["crawl", "index"], "columns": ["rule", "restrictions"]}
    for urls in (URLS, pyarrow.array(URLS, pyarrow.large_string()), pyarrow.array(URLS[:1], pyarrow.string_view())):
        table = pyarrow.table(acap.decide_table(urls, [A, B], **question))
        stream = acap.decide_table(urls, [A, B], **question)
        assert list(stream) == [tuple(row.values()) for row in table.to_pylist()]
        with pytest.raises(ValueError, match="read before"):
            iter(stream)
        answers, places = acap.decide_table(urls, [A, B], **question).distinct()
        assert [answers[place] for place in places] == [tuple(row.values())[1:] for row in table.to_pylist()]
        assert len(set(map(repr, answers))) == len(answers)
    batches = pyarrow.chunked_array([URLS[:2], [], URLS[2:]], pyarrow.string())
    assert [outcome for _, _, outcome, *_ in acap.decide_table(batches, [A, B], crawler="bot")] == OUTCOMES


def test_threads_may_read_one_stream() -> None:
    """Each row goes to one of them; who waits for a batch does not keep the others from making it."""
    rows = iter(acap.decide_table([f"https://a.example/{number}" for number in range(20_000)], [A], crawler="bot"))
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: list(rows), range(4)))
    assert sorted(int(url[18:]) for part in found for url, *_ in part) == list(range(20_000))


def test_rows_of_no_urls_have_columns() -> None:
    """An empty list has a schema all the same."""
    assert pyarrow.table(acap.decide_table([], [A], crawler="bot")).num_rows == 0
    assert len(acap.PolicyTable([])) == 0


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ({"crawler": ""}, "crawler is empty"),
        ({"usages": "indx"}, "did you mean `index`"),
        ({"usages": []}, "no usage"),
        ({"missing": "maybe"}, "prohibited or permitted"),
        ({"columns": ["lines"]}, "`lines` is none of rule, restrictions"),
        ({"policies": [A, B, A]}, r"policies\[0\] and policies\[2\] are both of https://a.example"),
        ({"policies": [acap.parse_robots("")]}, r"policies\[0\] is of no site"),
        ({"policies": [A.for_use()]}, r"policies\[0\] is one for use"),
        ({"urls": pyarrow.table({"uri": ["/"]})}, "no column `url`"),
    ],
)
def test_the_callers_mistakes_are_value_errors(question: dict[str, Any], words: str) -> None:
    """A mistake of the caller is told before the first row."""
    with pytest.raises(ValueError, match=words):
        rows_of(**{"urls": URLS, **question})


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ({"urls": "https://a.example/"}, "many URLs, not one"),
        ({"urls": [1]}, r"urls\[0\]: a URL is str or bytes, not int"),
        ({"urls": pyarrow.array([1])}, "urls must be texts, not Int64"),
        ({"policies": ["User-agent: *"]}, r"policies\[0\] is no RobotsPolicy"),
        ({"policies": A}, r"write \[policy\]"),
        ({"policies": "robots.parquet"}, r"pyarrow\.parquet\.read_table\(path\)"),
    ],
)
def test_what_is_no_text_and_no_policy_is_a_type_error(question: dict[str, Any], words: str) -> None:
    """Rows and policies of a wrong type are named by their place."""
    with pytest.raises(TypeError, match=words):
        rows_of(**{"urls": URLS, **question})


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ({"url": ["https://a.example/"]}, "columns `url` and `robots`; this one has `url`$"),
        ({"site": ["a.example"], "text": [b""]}, "columns `url` and `robots`; this one has `site`, `text`"),
        ({"url": ["https://a.example/", None], "robots": [b"", b""]}, "a URL in every row"),
        ({"url": ["a@a.example"], "robots": [b""]}, "row 0: `a@a.example` is not an absolute URL"),
        ({"url": ["a.example/x"], "robots": [b""]}, "row 0: .* is neither a site"),
        ({"url": ["https://a.example/"], "robots": [1]}, "texts or octets"),
        ({"url": ["https://a.example/"], "robots": [b""], "state": [["gone"]]}, "present, absent or unreachable"),
        (
            {"url": ["https://a.example/", "a.example"], "robots": [b"", b""]},
            r"policies\[0\] and policies\[1\] are both of",
        ),
        ({"url": ["https://a.example/", "https://A.example/robots.txt"], "robots": [b"", b""]}, "are both of"),
        (
            {"url": ["https://a.example/", "https://b.example/x"], "robots": [b"", b""]},
            "row 1: .* is neither a site",
        ),
        ({"url": ["https://a.example/"], "URL": ["https://b.example/"], "robots": [b""]}, "several columns `url`"),
        ({"url": ["https://a.example/"], "robots": [b""], " robots": [b""]}, "several columns `robots`"),
        (
            {"url": ["https://a.example/"], "uri": ["https://a.example/"], "robots": [b""]},
            "`url` and `uri` for one thing",
        ),
        ({"url": ["https://a.example/"], "robots": [b""], "body": [b""]}, "`robots` and `body` for one thing"),
        ({"url": ["https://a.example/"], "robots": [b""], "status": [{"a": 1}]}, "`status` must hold whole numbers"),
        ({"url": ["https://a.example/"], "robots": [b""], "cut": [[True]]}, "`cut` must hold truth values"),
    ],
)
def test_a_wrong_table_of_policies_says_what_is_wrong(columns: dict[str, Any], words: str) -> None:
    """A table that cannot be read names the column or the row."""
    with pytest.raises(ValueError, match=words):
        acap.PolicyTable.read(pyarrow.table({name: pyarrow.array(values) for name, values in columns.items()}))


@pytest.mark.parametrize("name", ["url", "site", "host", "Domain"])
def test_a_host_is_two_sites_of_one_row(name: str) -> None:
    """As in an audit; a null in one of two columns is no name, and answers tell the row."""
    hosts = ["b.example", " a.example:8080 ", "c.example/robots.txt"]
    robots = ["", "User-agent: *\nDisallow: /\n", ""]
    table = acap.PolicyTable.read(pyarrow.table({name: hosts, "robots": robots}))
    urls = [
        f"{scheme}://{host}/x" for host in ("c.example", "a.example:8080", "b.example") for scheme in ("http", "https")
    ]
    found = rows_of([*urls, "https://a.example/x"], policies=table)
    assert column(found, "outcome") == ["permitted"] * 2 + ["prohibited"] * 2 + ["permitted"] * 2 + ["prohibited"]
    assert column(found, "policy") == [2, 2, 1, 1, 0, 0, None]
    assert len(table) == 6
    beside = pyarrow.table({"url": [None, "http://a.example/"], "site": ["b.example", "a.example"], "robots": ["", ""]})
    assert len(acap.PolicyTable.read(beside)) == 3


@pytest.mark.parametrize(
    ("said", "is_permitted"),
    [
        ({"status": 200}, True),
        ({"status": 200.0}, True),
        ({"status": None}, True),
        ({"status": 404}, True),
        ({"status": 404, "robots": WALL}, False),
        ({"state": "absent", "robots": WALL}, False),
        ({"status": 404, "robots": "Not found"}, True),
        ({"status": 403}, False),
        ({"status": 403, "robots": ""}, True),
        ({"fetch_status": 503}, False),
        ({"http_status": 404.0, "robots": None}, True),
        ({"Status ": 503}, False),
        ({"status": 206}, False),
        ({"status": 301}, False),
        ({"status": 429}, False),
        ({"status": 200.5}, False),
        ({"status": -1}, False),
        ({"cut": True}, False),
        ({"cut": False}, True),
        ({"cut": None}, True),
        ({"status": 200, "cut": True}, False),
        ({"status": 200, "state": "present"}, True),
        ({"status": 200, "state": "absent"}, False),
        ({"status": 404, "state": "absent"}, True),
        ({"status": 404, "state": "present"}, False),
        ({"status": 200, "state": "unreachable"}, False),
    ],
)
def test_a_table_of_policies_says_what_the_site_answered(said: dict[str, Any], is_permitted: bool) -> None:
    """Beside a file that permits everything, as in an audit."""
    row = {"url": "https://a.example/robots.txt", "robots": "User-agent: *\nDisallow:\n", **said}
    table = pyarrow.table({name: [value] for name, value in row.items()})
    found = rows_of(URLS[:1], policies=table)
    assert column(found, "outcome") == ["permitted" if is_permitted else "prohibited"]


def test_what_a_refusal_means_is_for_the_dialect_to_say() -> None:
    """As when a site is asked: the memo of 1996 has 401 and 403 restrict everything."""
    table = pyarrow.table({"url": ["https://a.example/"], "robots": [""], "status": [403]})
    for dialect, outcome in (("auto", "permitted"), ("norobots-1996", "prohibited")):
        policies = acap.PolicyTable.read(table, dialect=dialect)
        assert column(rows_of(URLS[:1], policies=policies), "outcome") == [outcome]


def test_a_table_of_policies_may_stand_for_them() -> None:
    """Of pyarrow or pandas, as it is; the constructor of a `PolicyTable` says which method takes one."""
    given = pyarrow.table({"url": ["https://a.example/"], "robots": ["User-agent: *\nDisallow: /a\n"]})
    for table in (given, given.to_pandas(), given.to_batches()[0].to_pandas()):
        assert column(rows_of(URLS[::2], policies=table), "outcome") == ["prohibited", "permitted", "prohibited"]
        with pytest.raises(TypeError, match=r"PolicyTable\.read reads one with the columns `url` and `robots`"):
            acap.PolicyTable(table)


@pytest.mark.parametrize("given", ["robots.parquet", Path("robots.parquet"), {"url": []}, [A], A])
def test_what_is_no_table_is_told_how_to_become_one(given: Any) -> None:
    """A path, say: the file is to be read first."""
    with pytest.raises(TypeError, match=r"takes a table of Arrow, and not \w+; read a file first") as caught:
        acap.PolicyTable.read(given)
    assert len(str(caught.value).splitlines()) == 1
