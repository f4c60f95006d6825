"""What can be wrong with embedded metadata: the codes, their sentences, and where they are gathered.

A problem of severity `error` means that something could not be read or understood. From then on the file's permissions
do not stand, while its prohibitions do: doubt never permits (P2 2.2.6).
"""

from __future__ import annotations

from collections import Counter

from acap.pages.embedded.limits import MAX_ALIKE, MAX_QUOTED
from acap.problems import CATALOGUE, Problem, problem

FINDINGS = frozenset(code for code in CATALOGUE if code.startswith("embedded-"))
"""Every code of this package."""

UNREAD = frozenset(
    code for code in FINDINGS if CATALOGUE[code].severity == "error" and code != "embedded-unknown-value"
)
"""Codes that say that metadata is there, or may be, and could not be read."""


def quoted(text: str) -> str:
    """A value for a sentence: on one line, and not too long."""
    line = " ".join(text[: 4 * MAX_QUOTED].split())
    return line if len(line) <= MAX_QUOTED and len(text) <= 4 * MAX_QUOTED else line[:MAX_QUOTED] + "…"


class Findings:
    """The problems of one file, each once."""

    def __init__(self) -> None:
        self._problems: dict[Problem, None] = {}
        self._alike: Counter[str] = Counter()

    def add(self, code: str, *words: str) -> None:
        """Adds a problem; the words are quoted."""
        finding = problem(code, 0, 0, [quoted(word) for word in words], "")
        if finding not in self._problems and self._alike[code] < MAX_ALIKE:
            self._alike[code] += 1
            self._problems[finding] = None

    @property
    def doubtful(self) -> bool:
        """Whether something could not be read or understood."""
        return any(found.severity == "error" for found in self._problems)

    @property
    def problems(self) -> tuple[Problem, ...]:
        """The problems in the order they were found."""
        return tuple(self._problems)
