"""Policies in CSV: `""` is an empty robots.txt, and permits; an empty field is a null, and prohibits."""

from __future__ import annotations

import csv
import gzip
import io
import random
from pathlib import Path
from typing import Literal

import polars
import pyarrow.parquet as pq
import pytest

from acap.audits.quoted_fields import empty_texts
from tests import command_line

PAGE = "https://shop.example/a"
SITE = "https://shop.example/"
NAMES = ("url", "robots", "status")


def outcome(file: Path) -> str:
    """What a page of the one site of a file of policies comes to."""
    pages, out = file.with_name("pages.jsonl"), file.with_name("audit.parquet")
    pages.write_text(f'{{"url": "{PAGE}"}}\n', encoding="utf-8")
    done = command_line.acap("audit", "--processes", "1", pages, "--robots", file, "-c", "examplebot", "-o", out)
    (found,) = pq.read_table(out)["crawl_outcome"].to_pylist()
    assert done.code == (found != "permitted")
    return str(found)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f'url,robots\n{SITE},""\n', "permitted"),
        (f'url,robots\n{SITE},""', "permitted"),
        (f'url,robots,status\r\n{SITE},"",200\r\n', "permitted"),
        (f'robots,url\n"",{SITE}\n', "permitted"),
        (f'robots,"a ""note""",url\n"","1,\n""2""\n",{SITE}\n', "permitted"),
        (f'"url","robots","status"\n"{SITE}","",\n', "permitted"),
        (f"url,robots\n{SITE},\n", "prohibited"),
        (f"url,robots,status\n{SITE},,200\n", "prohibited"),
        (f'url,robots,note\n{SITE},,""\n', "prohibited"),
        (f'url,robots,status\n{SITE},"",503\n', "prohibited"),
        (f'url,robots\n{SITE},""\n{SITE},\n', "prohibited"),
        # Whoever quotes all that is no number quotes a null as well.
        (f'"url","robots"\n"{SITE}",""\n', "prohibited"),
        (f'"url","robots","status"\n"{SITE}","",200\n', "prohibited"),
    ],
)
def test_an_empty_text_is_told_from_a_null(text: str, expected: str, tmp_path: Path) -> None:
    file = tmp_path / "robots.csv"
    file.write_text(text, encoding="utf-8", newline="")
    assert outcome(file) == expected


def test_other_forms_of_lines_tell_it_as_well(tmp_path: Path) -> None:
    (tmp_path / "r.tsv").write_text(f'url\trobots\n{SITE}\t""\n', encoding="utf-8")
    assert outcome(tmp_path / "r.tsv") == "permitted"
    (tmp_path / "packed").mkdir()
    file = tmp_path / "packed" / "r.csv.gz"
    file.write_bytes(gzip.compress(f'\ufeffurl,robots\n{SITE},""\n'.encode()))
    assert outcome(file) == "permitted"


@pytest.mark.parametrize(("robots", "expected"), [("", "permitted"), (None, "prohibited")])
def test_what_polars_writes_is_read_as_it_was(robots: str | None, expected: str, tmp_path: Path) -> None:
    frame = polars.DataFrame({"url": [SITE], "robots": [robots]}, schema={"url": polars.Utf8, "robots": polars.Utf8})
    frame.write_csv(tmp_path / "r.csv")
    assert outcome(tmp_path / "r.csv") == expected


@pytest.mark.parametrize("quoting", [csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC, csv.QUOTE_MINIMAL])
def test_a_null_that_python_writes_never_permits(quoting: Literal[0, 1, 2], tmp_path: Path) -> None:
    """Its writer makes `""` of a null where it quotes everything."""
    with (tmp_path / "r.csv").open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream, quoting=quoting).writerows([("url", "robots", "status"), (SITE, None, 200)])
    assert outcome(tmp_path / "r.csv") == "prohibited"


def test_fields_are_those_of_the_module_csv() -> None:
    """Rows of few characters: an empty field counts where it is quoted."""
    rng = random.Random(7)
    seen = 0
    for _ in range(20_000):
        cells = [rng.choice(["", '""', '"a"', "a", '"b,""c"', '"\n"', 'a"b', '"""', '"x"y', '""""']) for _ in NAMES]
        written = ",".join(cells)
        try:
            (row,) = csv.reader(io.StringIO(written + "\n", newline=""), strict=True)
        except (csv.Error, ValueError):
            continue
        found = empty_texts(written, row, NAMES, ",")
        if '"""' not in cells:
            tells = not cells[0].startswith('"') or "" in cells
            assert found == (["robots"] if cells[1] == '""' and tells else []), written
            seen += bool(found)
    assert seen > 100
