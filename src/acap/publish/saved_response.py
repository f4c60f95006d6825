"""A robots.txt with the head of the response that it came in.

The laws of this module:

1. A head counts as it would have counted when it came: by the table of the retrieval (semantics, section 9).
2. What a client of HTTP would refuse in it, and a body that is cut, packed or not there, is unreachable: it prohibits.
"""

from __future__ import annotations

from datetime import UTC, datetime

from acap.pages.coded import IN_CODING, is_text, names_coding
from acap.pages.headers import stated_length
from acap.pages.saved import Saved, saved
from acap.retrieval.answers import Answer, Meaning, Rules, meaning
from acap.robots import Limits, RobotsPolicy, parse_robots


def policy_of(octets: bytes, *, url: str | None, dialect: str, limits: Limits | None) -> RobotsPolicy:
    """The policy that a saved response gives, as `saved_robots.robots_in` tells."""
    response = saved(octets)
    assert response is not None  # it begins as one
    comes_to, doubt = _meaning(response, dialect)
    if comes_to is Meaning.READ:
        return parse_robots(response.body or b"", url=url, dialect=dialect, limits=limits)
    make = RobotsPolicy.absent if comes_to is Meaning.ABSENT else RobotsPolicy.unreachable
    return make(url, dialect=dialect).with_evidence(
        {"meaning": comes_to.value, "status": response.status or None, "doubt": doubt}
    )


def _meaning(saved: Saved, dialect: str) -> tuple[Meaning, str]:
    """What a saved response means, and why it is not known, if it is not."""
    body = saved.body or b""
    if doubt := saved.broken or _lost(saved, body):
        return Meaning.UNREACHABLE, doubt
    where = "https://site.invalid/robots.txt"
    answer = Answer(
        where, "", where, datetime.now(UTC), saved.status, saved.headers, body if saved.is_success else b""
    )  # fmt: skip
    comes_to = meaning(answer, Rules.of(dialect))
    if not saved.is_success:
        return comes_to, f"the answer was {saved.status}" if comes_to is not Meaning.ABSENT else ""
    # Of another document than a robots.txt the reader tells.
    return (Meaning.UNREACHABLE, str(answer.unreadable)) if answer.unreadable else (Meaning.READ, "")


def _lost(saved: Saved, body: bytes) -> str:
    """Why the body of a 2xx answer is not known to be all of it; empty if it is."""
    if not saved.is_success:
        return "a part of it came (status 206)" if saved.status == 206 else ""
    length = stated_length(saved.headers)
    if length is not None and len(body) < length:
        return "its body is cut"
    if not body and length is None and saved.status not in (204, 205):
        return "there is no body, and no header says that it is empty"  # `curl -I` saves so
    return IN_CODING if names_coding(saved.headers) and not is_text(body) else ""
