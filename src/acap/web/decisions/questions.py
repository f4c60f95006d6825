"""What is asked in one request: who asks, for which usages, about which URLs, and until when.

A question that is not understood as a whole is refused as a whole: a member that is misspelt, say `usage`, would
otherwise be answered as if it were not there. A URL that is none is a row with its error, and the others are answered.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from acap._native import Question
from acap.crawlers import check_names
from acap.json_members import RepeatedMemberError, read_json
from acap.table import PolicyTable
from acap.web.decisions.bounds import MOST_DEADLINE_SECONDS, NAME_CHARACTERS, NAMES, ROWS

MEMBERS = ("crawler", "usages", "purpose", "urls", "deadline_ms")

_NO_POLICIES = PolicyTable([])
_ANY_URL = "https://any.example/"


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
        raise NotAnsweredError(400, f"unknown member {unknown[0][:100]!a}; known are {', '.join(MEMBERS)}")
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
    wanted = _names("usages", usages) or ("crawl",)
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
