"""Questions about the URLs of many sites in one call: Arrow in, Arrow out.

A URL whose site has no policy in the table, or that is no URL, is a row with its reason, and is prohibited. Every other
row says what `RobotsPolicy.decide` says of it.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from os import PathLike
from typing import Any, Literal, Protocol, TypeAlias, get_args

from acap._native import DecisionStream, PolicyTable, Question
from acap.crawlers import check_names
from acap.restrictions import Facts
from acap.robots import Asker, RobotsPolicy
from acap.usages import asked_usages

Missing: TypeAlias = Literal["prohibited", "permitted"]
"""What decides where the table has no policy of a site."""

Column: TypeAlias = Literal["rule", "restrictions"]
"""A column that is made where it is asked for: the text of the line that decided; a list of `name=value`."""

_MISSING: tuple[str, ...] = get_args(Missing)
_COLUMNS: tuple[str, ...] = get_args(Column)

ERRORS = tuple(PolicyTable.ERRORS)
"""Why a row was answered without a policy of its site."""


class ArrowStream(Protocol):
    """A table or column of Arrow: of pyarrow, pandas, Polars, DuckDB, or any other library that speaks its protocol."""

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any: ...


class ArrowArray(Protocol):
    """An array or batch of Arrow."""

    def __arrow_c_array__(self, requested_schema: Any = None) -> Any: ...


def decide_table(
    urls: ArrowStream | ArrowArray | Iterable[str | bytes | None],
    policies: PolicyTable | Iterable[RobotsPolicy] | ArrowStream,
    *,
    crawler: Asker,
    usage: str | Iterable[str] | None = None,
    purpose: str | Iterable[str] | None = None,
    at: datetime | None = None,
    facts: Facts | None = None,
    missing: Missing = "prohibited",
    columns: Iterable[Column] = (),
    usages: str | Iterable[str] | None = None,
) -> DecisionStream:
    """Decides questions about URLs of many sites: a row for each URL and usage, in their order.

    Args:
        urls: absolute; a column of texts, or a table with a column `url`.
        policies: one of each site, with its URL; or a table with the columns `url`, of the site or its host, and
            `robots`, perhaps with `status`, `state`, `headers` or `cut`, by any of the names that an audit takes, as
            `PolicyTable.read` takes it. A `PolicyTable` keeps them for further calls.
        crawler: a name, a User-Agent string, an ordered sequence of names, or a `Crawler`.
        usage: one, by default crawl, or several that any policy knows; what only one file defines has to be asked of
            that file.
        purpose: one purpose, or several, all of which must permit; none asks without purpose.
        at: the instant asked about, with a time zone; none is now.
        facts: what the operator knows of the resources, for time limits.
        missing: what decides where the table has no policy of a site (semantics, section 9).
        columns: columns beside those that every answer has.
        usages: the same as `usage`, by its earlier name.

    Returns:
        A stream of Arrow, which can be read once: `pyarrow.table(...)`, `polars.DataFrame(...)`, or by a loop over its
        rows, each a tuple; `distinct()` gives each different answer once, and which row has which. Its columns:
        `url` as it was given; `usage`; `outcome`: permitted, conditional or prohibited; `kind` of the reason; `stated`;
        `restricted`: whether restrictions hold; `line` that decided, 0 for none; `policy`: its place among them;
        `error`: null, or why no policy of the site could be asked, one of `ERRORS`; then those asked for.

    Raises:
        ValueError: a crawler's name that is empty or would be cut, a usage that no dialect knows, two policies of one
            site, one without a site, or a table without a column `url`.
        TypeError: what is not a text, or not a policy.
    """
    check_names(crawler)
    columns = list(columns)
    if unknown := [name for name in columns if name not in _COLUMNS]:
        raise ValueError(f"column `{unknown[0]}` is none of {', '.join(_COLUMNS)}")
    if missing not in _MISSING:
        raise ValueError(f"missing is `{missing}`; it may be {' or '.join(_MISSING)}")
    table = policies if isinstance(policies, PolicyTable) else _policy_table(policies)
    named = asked_usages(usage, usages, ("crawl",))
    return table.decide(urls, named, Question(crawler, purpose, at, facts), missing, columns)


def _policy_table(policies: Any) -> PolicyTable:
    if isinstance(policies, RobotsPolicy):
        raise TypeError("policies are several, each of a site; write [policy]")
    if isinstance(policies, str | bytes | PathLike):
        raise TypeError("policies cannot be a path; read the file first, as pyarrow.parquet.read_table(path) does")
    return PolicyTable.read(policies) if hasattr(policies, "__arrow_c_stream__") else PolicyTable(policies)


__all__ = ["ERRORS", "ArrowArray", "ArrowStream", "Column", "DecisionStream", "Missing", "PolicyTable", "decide_table"]
