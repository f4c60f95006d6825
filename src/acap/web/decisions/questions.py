"""What is asked in one request: who asks, for which usages, about which URLs, and until when.

A question that is not understood as a whole is refused as a whole: a member that is misspelt, say `usage`, or that
stands where it is not read, would otherwise be answered as if it were not there. A URL that is none is a row with its
error, and the others are answered.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl

from acap._native import Question
from acap.crawlers import check_names
from acap.json_members import RepeatedMemberError, read_json
from acap.table import PolicyTable
from acap.web.decisions.bounds import MOST_DEADLINE_SECONDS, NAME_CHARACTERS, NAMES, ROWS

MEMBERS = ("crawler", "usages", "purpose", "urls", "deadline_ms")
LISTS = ("crawler", "usages", "purpose")
"""Members that may have several texts, and so stand several times in a query."""
IN_QUERY = (*LISTS, "deadline_ms")
"""Members that stand in the URL of a request whose body has the URLs alone."""

_NO_POLICIES = PolicyTable([])
_ANY_URL = "https://any.example/"
_MOST_PARAMETERS = 100  # of a query: three lists of `NAMES` are fewer
_SHOWN = 100  # characters of a name that are shown


class NotAnsweredError(Exception):
    """A request that is not answered: the status of its refusal, one line that says why, and when to come again."""

    def __init__(self, status: int, message: str, retry_after: int | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.retry_after = retry_after


@dataclass(frozen=True, slots=True)
class Questions:
    """A request's questions.

    `crawler` are its names in order; `usages` stand one by one, a composite one as its parts; `purpose` may be empty.
    `urls` are texts, or None for what is not a text. `seconds` is how long the client waits, None for the usual time.
    """

    crawler: tuple[str, ...]
    usages: tuple[str, ...]
    purpose: tuple[str, ...]
    urls: Sequence[str | None]
    seconds: float | None = None

    @property
    def rows(self) -> int:
        """How many answers that takes."""
        return len(self.urls) * len(self.usages)


def from_query(query: bytes) -> dict[str, list[str]]:
    """The members in the query of a URL, each with its values. Raises NotAnsweredError."""
    fields: dict[str, list[str]] = {}
    for name, value in _parameters(query):
        if name == "urls":
            raise NotAnsweredError(400, "`urls` cannot stand in the query; they are the column `url` of the stream")
        if name not in IN_QUERY:
            known = ", ".join(IN_QUERY)
            raise NotAnsweredError(400, f"unknown query parameter {name[:_SHOWN]!a}; known are {known}")
        if name in fields and name not in LISTS:  # which of them is meant is unknown
            raise NotAnsweredError(400, f"the query parameter `{name}` stands twice; write it once")
        fields.setdefault(name, []).append(value)
    return fields


def check_no_query(query: bytes) -> None:
    """Raises NotAnsweredError for a query of which nothing is read, because the body has all members."""
    if parameters := _parameters(query):
        name = parameters[0][0][:_SHOWN]
        where = f"the members {', '.join(MEMBERS)} stand in the body"
        raise NotAnsweredError(400, f"the query parameter {name!a} is not read beside JSON; {where}")


def _parameters(query: bytes) -> list[tuple[str, str]]:
    """The names and values of a query, in order. Raises NotAnsweredError."""
    if query.count(b"&") >= _MOST_PARAMETERS:
        raise NotAnsweredError(400, f"the query has more than {_MOST_PARAMETERS} parameters")
    try:
        return parse_qsl(query.decode(), keep_blank_values=True, errors="strict")
    except UnicodeDecodeError:
        raise NotAnsweredError(400, "the query is not UTF-8") from None


def from_json(body: bytes) -> Questions:
    """The questions of a JSON document. Raises NotAnsweredError."""
    try:
        document = read_json(body.decode("utf-8"), parse_constant=_no_number)
    except UnicodeDecodeError:
        raise NotAnsweredError(400, "the body is not UTF-8") from None
    except RecursionError:
        raise NotAnsweredError(400, "the JSON is nested too deeply; it is one object with lists of texts") from None
    except RepeatedMemberError as error:
        raise NotAnsweredError(400, str(error)) from None
    except ValueError as error:
        raise NotAnsweredError(400, f"the body is not JSON: {str(error)[:200]}") from None
    if not isinstance(document, dict):
        raise NotAnsweredError(400, 'the body is not a JSON object; write {"crawler": …, "urls": […]}')
    if unknown := sorted(document.keys() - set(MEMBERS)):
        raise NotAnsweredError(400, f"unknown member {unknown[0][:_SHOWN]!a}; known are {', '.join(MEMBERS)}")
    urls = document.get("urls")
    if not isinstance(urls, list):
        raise NotAnsweredError(400, "`urls` must be a list of texts")
    if len(urls) > ROWS:  # a body holds two million numbers, and to look at each keeps the others waiting
        raise NotAnsweredError(
            413, f"{len(urls)} or more answers are asked for, and {ROWS} are given at most; ask in parts"
        )
    return questions(
        document.get("crawler"), document.get("usages"), document.get("purpose"),
        [url if isinstance(url, str) and url.isascii() else _text(url) for url in urls], document.get("deadline_ms"),
    )  # fmt: skip


def questions(crawler: Any, usages: Any, purpose: Any, urls: Sequence[str | None], deadline_ms: Any) -> Questions:
    """The questions, if they can be asked. Raises NotAnsweredError."""
    names = _names("crawler", crawler)
    if not names:
        raise NotAnsweredError(400, "`crawler` is missing; name the crawler that asks")
    try:
        check_names(names)
    except ValueError as error:
        raise NotAnsweredError(400, f"`crawler`: {error}") from None
    purposes = _names("purpose", purpose)
    wanted = ("crawl",) if usages is None else _names("usages", usages)
    if not wanted or "" in wanted:  # a list that was not filled is no question about `crawl`
        raise NotAnsweredError(400, "`usages` is empty, or one of them is; leave it out to ask about `crawl`")
    try:
        # A table without policies refuses what any would, and names the usages one by one.
        rows = list(_NO_POLICIES.decide([_ANY_URL], wanted, Question(names, purposes or None), "prohibited", []))
    except ValueError as error:
        raise NotAnsweredError(400, " ".join(f"{error}".split())[:300]) from None
    usages = tuple(dict.fromkeys(usage for _, usage, *_ in rows))
    asked = Questions(names, usages, purposes, urls, seconds_of(deadline_ms))
    if asked.rows > ROWS:
        raise NotAnsweredError(413, f"{asked.rows} answers are asked for, and {ROWS} are given at most; ask in parts")
    return asked


def seconds_of(deadline_ms: Any) -> float | None:
    """Seconds until the deadline, no more than the server waits; None if none is given. Raises NotAnsweredError."""
    if deadline_ms is None:
        return None
    if isinstance(deadline_ms, bool) or not isinstance(deadline_ms, (int, float)) or not deadline_ms > 0:
        raise NotAnsweredError(400, "`deadline_ms` must be a positive number of milliseconds")
    return float(min(deadline_ms, MOST_DEADLINE_SECONDS * 1000)) / 1000


def _names(member: str, value: Any) -> tuple[str, ...]:
    """One text, or a list of them; empty if there is none."""
    names = [value] if isinstance(value, str) else [] if value is None else value
    if not isinstance(names, list) or any(_text(name) is None for name in names):
        raise NotAnsweredError(400, f"`{member}` must be a text or a list of texts")
    if len(names) > NAMES or any(len(name) > NAME_CHARACTERS for name in names):
        raise NotAnsweredError(400, f"`{member}` is too long: at most {NAMES} texts of {NAME_CHARACTERS} characters")
    return tuple(names)


def _text(value: Any) -> str | None:
    """The text, or None for what is none; half of a character is none either."""
    if not isinstance(value, str):
        return None
    if not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError:
            return None
    return value


def _no_number(text: str) -> Any:
    raise ValueError(f"{text} is not a number of JSON")
