"""What the service counts, in the text format of Prometheus (version 0.0.4).

A few lines of its own: every number is changed by the one thread of the event loop, so it needs no lock and no library.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"
SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
"""The upper bounds of the histogram of a request's time."""


class Metrics:
    """Counts since the start; `cut` is how many answers were not taken in time."""

    def __init__(self) -> None:
        self.requests: Counter[int] = Counter()
        self.outcomes: Counter[str] = Counter()
        self.errors: Counter[str] = Counter()
        self.cut = 0
        self._seconds = [0] * (len(SECONDS) + 1)
        self._spent = 0.0

    def took(self, seconds: float) -> None:
        """One more request that was answered with decisions, and how long that took."""
        self._seconds[bisect_left(SECONDS, seconds)] += 1
        self._spent += seconds

    def text(self, retrievals: Mapping[str, int], gauges: Mapping[str, tuple[str, float]]) -> str:
        """All of it; `gauges` by their names, each with its help."""
        lines = [
            *_counter("requests", "Requests for decisions, by the status of the answer.", "status", self.requests),
            *_counter("decisions", "Answers given, by their outcome.", "outcome", self.outcomes),
            *_counter("errors", "Answers with an error, by its name.", "error", self.errors),
            *_counter("retrievals", "Policies retrieved or read from the cache, by result.", "result", retrievals),
            *self._histogram(),
        ]
        for name, (help_text, value) in gauges.items():
            kind = "counter" if name.endswith("_total") else "gauge"
            lines += _head(name, help_text, kind)
            lines.append(f"acap_{name} {value:.12g}")
        return "\n".join(lines) + "\n"

    def _histogram(self) -> Iterator[str]:
        yield from _head("request_seconds", "How long requests took that were answered with decisions.", "histogram")
        below = 0
        for bound, count in zip((*map(str, SECONDS), "+Inf"), self._seconds, strict=True):
            below += count
            yield f'acap_request_seconds_bucket{{le="{bound}"}} {below}'
        yield f"acap_request_seconds_sum {self._spent:.12g}"
        yield f"acap_request_seconds_count {below}"


def _counter(name: str, help_text: str, label: str, counts: Mapping[int, int] | Mapping[str, int]) -> Iterator[str]:
    yield from _head(f"{name}_total", help_text, "counter")
    for value, count in sorted(counts.items(), key=lambda item: str(item[0])):
        yield f'acap_{name}_total{{{label}="{value}"}} {count}'


def _head(name: str, help_text: str, kind: str) -> Iterable[str]:
    return f"# HELP acap_{name} {help_text}", f"# TYPE acap_{name} {kind}"
