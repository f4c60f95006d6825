"""What the tests of surveys share: the rows that the core makes of a table of captures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from acap import _native
from acap.problems import CATALOGUE

SEVERITIES = ("error", "warning", "info")


class Stream:
    """What reads a stream of Arrow reads this."""

    def __init__(self, capsule: Any) -> None:
        self.capsule = capsule

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self.capsule


def rows_of(
    table: pa.Table, crawlers: Sequence[str], usages: Sequence[str], *, dialect: str = "auto", at: int = 0
) -> list[dict[str, Any]]:
    """The rows of a table with `site` and `robots`; crawlers ask by the name alone."""
    severities = [SEVERITIES.index(CATALOGUE[code].severity) for code in _native.problem_codes()]
    panel = _native.Panel([(name, name) for name in crawlers], [], usages, severities, [0] * 600, dialect)
    rows: list[dict[str, Any]] = pa.table(Stream(panel.rows(panel.judge(table, at)))).to_pylist()
    return rows
