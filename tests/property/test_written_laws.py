"""A table of robots.txt files says the same to an audit, a table of policies and a survey, whatever is in it."""

from __future__ import annotations

import base64
import os
from collections.abc import Callable
from pathlib import Path
from random import Random

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import acap

CASES = int(os.environ.get("ACAP_CASES", "300")) // 30
SEED = int(os.environ.get("ACAP_SEED", "1"))
SITES = 200
ALLOW, DENY = "User-agent: *\nAllow: /\n", "User-agent: *\nDisallow: /\n"

FILES = (ALLOW, DENY, "", "<p>Not found", "None", "nan", "-", "b'", "bytearray(b'')", "[B@1f", "<a at 0x1>", "# none")
STATUSES = (
    "",
    "-",
    "200",
    "404",
    "403",
    "503",
    "200.0",
    "2e2",
    "NaN",
    "2OO",
    "+404",
    "0200",
    "inf",
    "401",
    "429",
    "206",
)
STATES = ("", "present", "absent", "unreachable", "Present", "gone", "none")
CUTS = ("", "true", "false", "0", "1", "F", "no", "1.0")
HEADERS = (
    "", "A: b", "Content-Length: 5", "Content-Length: 900", "HTTP/1.1 404 No", "HTTP/1.1 200 OK\nA: b", "{}", "[]",
    '{"Content-Length": "900"}', "{'content_length': 900}", '[["Content-Range", "bytes 0-9/10"]]', "no", "b'A: b'",
    "X: Content-Usage: train-ai=n",
)  # fmt: skip
BLANKS = ("", "", "", " ", "\n", "\u00a0", "\ufeff", "\x1c", "\t")
WRITERS: tuple[Callable[[str], str], ...] = (
    str,
    str,
    str,
    lambda text: repr(text.encode()),
    lambda text: repr(text.encode())[:-1],
    lambda text: text.replace("\n", "\\n"),
    lambda text: text.replace("\n", "\\x0A"),
    lambda text: base64.b64encode(text.encode()).decode(),
    lambda text: text.encode().hex(),
    str.upper,
)


def value_of(random: Random, values: tuple[str, ...]) -> str | None:
    if random.random() < 0.2:
        return None
    text = random.choice(values)
    if random.random() < 0.1:
        place = random.randrange(len(text) + 1)
        text = text[:place] + random.choice(("\\", "'", '"', "\x00", "\r", "\u00e9", "n")) + text[place:]
    return random.choice(BLANKS) + random.choice(WRITERS)(text) + random.choice(BLANKS)


def table_of(random: Random) -> pa.Table:
    beside = {"status": STATUSES, "state": STATES, "cut": CUTS, "headers": HEADERS}
    columns = {"robots": FILES} | {name: values for name, values in beside.items() if random.random() < 0.5}
    urls = [f"https://s{number}.example/" for number in range(SITES)]
    return pa.table({
        "url": urls,
        **{name: pa.array([value_of(random, values) for _ in urls], pa.string()) for name, values in columns.items()},
    })  # fmt: skip


def audited(table: pa.Table) -> list[str]:
    found: list[str] = acap.audit(table.select(["url"]), table, crawler="bot")["crawl_outcome"].to_pylist()
    return found


def decided(table: pa.Table) -> list[str]:
    found: list[str] = pa.table(acap.decide_table(table["url"], table, crawler="bot"))["outcome"].to_pylist()
    return found


def surveyed(table: pa.Table, rows: Path) -> list[str]:
    acap.survey(table, crawlers=["bot"], rows=rows)
    found: list[str] = pq.read_table(rows)["outcome"].to_pylist()
    return found


@pytest.mark.parametrize("case", range(CASES))
def test_a_table_is_one_to_all_of_its_readers(case: int, tmp_path: Path) -> None:
    table = table_of(Random(f"{SEED}/{case}"))
    told = list(zip(audited(table), decided(table), surveyed(table, tmp_path / "rows.parquet"), strict=True))
    differing = [(row, answers) for row, answers in zip(table.to_pylist(), told, strict=True) if len(set(answers)) > 1]
    assert differing == []
    if table.num_columns < 4:  # beside more values few files are beyond doubt
        assert {answers[0] for answers in told} == {"permitted", "prohibited"}
