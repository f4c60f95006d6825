"""How long an answer counts before the site is asked again (RFC 9309 2.4; K2 3.4; RFC 9111 for the fields).

Choice: an answer that asks not to be cached at all still counts for `SHORTEST`, and its copy is kept as evidence. RFC
9309 leaves Cache-Control to the crawler, and to ask again for every URL would be the greater burden to the site.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime

from acap.dialects.rsl.reading import max_age_of
from acap.retrieval.answers import Answer, Headers, Rules, values
from acap.retrieval.foreign import Kind

SHORTEST = timedelta(minutes=1)
BRIEF = timedelta(minutes=5)  # a failure that does not say when to come back
LONGEST_WAIT = timedelta(hours=24)  # the most a Retry-After counts: no longer than a file would

_MOST_SECONDS = 2**31  # RFC 9111 1.2.2: more means this


def expires_at(answer: Answer, rules: Rules) -> datetime:
    """When the site is to be asked again; always later than `answer.checked_at`."""
    return answer.checked_at + max(SHORTEST, _lifetime(answer, rules))


def is_fresh(answer: Answer, rules: Rules, now: datetime) -> bool:
    """Whether the answer still counts. An answer from the future does not: some clock was wrong."""
    return answer.checked_at <= now < expires_at(answer, rules)


def may_serve_stale(answer: Answer, rules: Rules, now: datetime) -> bool:
    """Whether a copy may stand in while the site cannot be reached (RFC 9309 2.3.1.4).

    Choice: the time counts from when the site last confirmed the copy, not from the first failure.
    """
    return timedelta(0) <= now - answer.checked_at <= rules.stale


def rules_for(kind: Kind | None, octets: bytes, rules: Rules) -> Rules:
    """The rules for a document of a kind: a licence says itself for how many days it counts at most (RSL 1.0 3.1).

    So long it is fresh, and so long a copy of it stands in.
    """
    if kind != "licence":
        return rules
    most = timedelta(days=max_age_of(octets))
    longest = most if rules.longest is None else min(rules.longest, most)
    return replace(rules, lifetime=min(rules.lifetime, most), longest=longest, stale=min(rules.stale, most))


def _lifetime(answer: Answer, rules: Rules) -> timedelta:
    if not answer.settled:
        wait = _retry_after(answer)
        return BRIEF if wait is None else min(wait, LONGEST_WAIT)
    stated = _stated(answer)
    if stated is None:
        return rules.lifetime
    return stated if rules.longest is None else min(stated, rules.longest)


def _retry_after(answer: Answer) -> timedelta | None:
    """RFC 9110 10.2.3: seconds or a date."""
    for value in values(answer.headers, "retry-after")[-1:]:
        if (seconds := _seconds(value)) is not None:
            return seconds
        if (date := _date(value)) is not None:
            return date - answer.checked_at
    return None


def _stated(answer: Answer) -> timedelta | None:
    """What the answer's own fields say, or None if they say nothing; zero if they say it in an unreadable form."""
    directives = _cache_control(answer.headers)
    if directives.keys() & {"no-store", "no-cache"}:
        return timedelta(0)
    if "max-age" in directives:
        lifetime = min((_seconds(value) or timedelta(0) for value in directives["max-age"]), default=timedelta(0))
        ages = [_seconds(value) or timedelta(0) for value in values(answer.headers, "age")]
        return lifetime - max(ages, default=timedelta(0))  # RFC 9111 5.1
    expires = values(answer.headers, "expires")
    if not expires:
        return None
    until = [_date(value) for value in expires]
    if None in until:
        return timedelta(0)  # RFC 9111 5.3: an unreadable date, `0` above all, is in the past
    sent = next((date for value in values(answer.headers, "date") if (date := _date(value))), answer.checked_at)
    return min(date for date in until if date) - sent


def _cache_control(headers: Headers) -> dict[str, list[str]]:
    """Each directive's arguments. A comma in a quoted argument divides too: no directive that counts here has one."""
    directives: dict[str, list[str]] = {}
    for value in values(headers, "cache-control"):
        for part in value.split(","):
            name, _, argument = part.partition("=")
            directives.setdefault(name.strip().lower(), []).append(argument.strip().strip('"'))
    return directives


def _seconds(text: str) -> timedelta | None:
    text = text.strip()
    if not (text.isascii() and text.isdigit()):
        return None
    return timedelta(seconds=_MOST_SECONDS if len(text) > 10 else min(int(text), _MOST_SECONDS))


def _date(text: str) -> datetime | None:
    try:
        date = parsedate_to_datetime(text)
    except (ValueError, TypeError, OverflowError):
        return None
    return date.replace(tzinfo=UTC) if date.tzinfo is None else date.astimezone(UTC)
