"""The policies that sites have today, as an audit takes them. A site is asked once; a failure permits nothing."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from acap.keywords import check_keywords, keywords_of
from acap.retrieval.client import Retriever
from acap.robots import Asker, RobotsPolicy

_MAKING = threading.Lock()


class RetrievedPolicies:
    """Retrieves the robots.txt of each site that is asked about, and keeps it; documents beside it are not asked for.

    It is pickled as its options, and may be used from any thread. Processes share what they retrieved by a `cache` that
    is the path of a file.
    """

    def __init__(self, *, crawler: Asker, **options: Any) -> None:
        """Takes the options of `acap.Retriever`.

        Raises:
            ValueError: an option that cannot be.
            TypeError: an option that does not exist.
        """
        check_keywords("RetrievedPolicies", options, keywords_of(Retriever))
        # A cache file is made by whoever asks first.
        Retriever(crawler=crawler, **{name: value for name, value in options.items() if name != "cache"}).close()
        self._options = {"crawler": crawler, **options}
        self._retriever: Retriever | None = None

    def speaking(self, url: str, at: datetime, licences: Sequence[str] = ()) -> tuple[RobotsPolicy, ...]:  # noqa: ARG002
        """As of `SpeakingPolicies`, whatever the instant."""
        # URLs come from data, so that none may lead into private hosts.
        return (self.retriever.robots(url, found=True),)

    @property
    def retriever(self) -> Retriever:
        """What retrieves, in this process."""
        with _MAKING:
            if self._retriever is None:
                self._retriever = Retriever(**self._options)
            return self._retriever

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_retriever": None}
