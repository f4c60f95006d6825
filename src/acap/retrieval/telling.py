"""What is told of a retrieval: fetched, cached, stale, unreachable or refused. A policy that is ready tells nothing."""

from __future__ import annotations

import logging

from acap.logs import event
from acap.retrieval.answers import FailureKind, Meaning
from acap.retrieval.retrieved import Retrieved

_log = logging.getLogger("acap.retrieval")

_REFUSED = (FailureKind.REFUSED, FailureKind.ADDRESS_REFUSED)


def tell(retrieved: Retrieved, *, asked: bool) -> None:
    """Tells how a URL was retrieved. `asked`: its site was, just now."""
    answer, failure = retrieved.answer, (retrieved.failure or retrieved.answer).failure
    level, word = logging.INFO, "fetched"
    if retrieved.stale or retrieved.failure is not None:  # the site failed, and a copy counts
        level, word = logging.WARNING, "stale"
    elif failure is not None and failure.kind in _REFUSED:
        level, word = logging.WARNING, "refused"
    elif retrieved.meaning is Meaning.UNREACHABLE:
        level, word = logging.WARNING, "unreachable"
    elif not asked:
        level, word = logging.DEBUG, "cached"
    why = failure.text if failure is not None else f"status {answer.status}"
    event(
        _log,
        level,
        word,
        f"{retrieved.url}: {why}",
        url=retrieved.url,
        status=answer.status,
        meaning=str(retrieved.meaning),
        failure=None if failure is None else str(failure.kind),
        asked=asked,
        expires_at=retrieved.expires_at.isoformat(),
        cache_failure=retrieved.cache_failure,
    )
