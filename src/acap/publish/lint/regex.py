"""Regular expressions that are compiled when they are first used: one small file needs few of them."""

from __future__ import annotations

import re
from typing import Any, AnyStr, Generic, cast


class _Late(Generic[AnyStr]):
    def __init__(self, pattern: AnyStr, flags: int) -> None:
        self._pattern: AnyStr = pattern
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        # Kept beside what it is of, so that it is found at once from then on.
        found = self.__dict__[name] = getattr(re.compile(self._pattern, self._flags), name)
        return found


def late(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """What `re.compile` gives, as far as its methods go."""
    return cast("re.Pattern[AnyStr]", _Late(pattern, flags))
