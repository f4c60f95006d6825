"""What the readers of other dialects find in their documents: TDMRep, ai.txt, RSL, CAWG."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Protocol

from acap.dialects.ai_txt import parse_ai_txt
from acap.dialects.cawg import parse_training_mining
from acap.dialects.rsl.policy import parse_rsl
from acap.dialects.tdmrep import parse_tdm_policy, parse_tdmrep
from acap.problems import DocumentKind, Problem
from acap.statement import Source

_SITE = "https://site.invalid"


class _Read(Protocol):
    @property
    def problems(self) -> Sequence[Problem]: ...


_READERS: Mapping[DocumentKind, Callable[[bytes, str], _Read]] = MappingProxyType(
    {
        "tdmrep": lambda octets, url: parse_tdmrep(octets, url=url),
        "tdm-policy": lambda octets, url: parse_tdm_policy(octets, url=url),
        "ai-txt": lambda octets, url: parse_ai_txt(octets, url=url),
        "rsl": lambda octets, url: parse_rsl(octets, url=url),
        "cawg": lambda octets, url: parse_training_mining(octets, url=url),
    }
)
_OF_SITE = "tdmrep-other-site"
"""A problem that shows only to whom knows the document's site."""


class ReadSource:
    """A document as the reader of its dialect sees it."""

    codec: str | None = "utf-8"

    def __init__(self, octets: bytes, kind: DocumentKind, url: str | None) -> None:
        self._has_url = url is not None
        self._read = _READERS[kind](octets, url or f"{_SITE}/{kind}")

    @property
    def source(self) -> Source | None:
        """What it says of the resources of its site."""
        return self._read if isinstance(self._read, Source) else None

    def problems(self, _site: bytes | None) -> Iterable[Problem]:
        """What the reader finds wrong."""
        return [problem for problem in self._read.problems if self._has_url or problem.code != _OF_SITE]
