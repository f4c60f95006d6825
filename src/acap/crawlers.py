"""Who asks: a crawler's names, purposes, and what its operator can keep (G 2.1, G 2.2, RFC 9309 2.2.1)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from acap import _native
from acap.licensee import Licensee
from acap.restrictions import TABLE

PROFILES = ("generic", "google", "bing")
"""Readings of page policies: vendors give some words meanings of their own."""


class Crawler:
    """A crawler that asks.

    Args:
        names: ordered names or User-Agent strings, the most specific first; the first that a record or group names
            counts, separately for ACAP and for conventional lines. More than 64 are a `ValueError` when
            something is asked.
        purposes: the purposes asked about when a question names none; all must permit.
        honours: names of the restrictions the operator can keep; a permission under another one prohibits. None: all.
        elements: whether it can work on parts of a page (P2 2.2.6).
        silence: what silence on a usage means, as `{"ai-train": "prohibited"}`; it is looked up on the usage, then on
            the nearest one above it, then on `other` for uses of content.
        profile: `generic`, `google` or `bing`.
        licensee: who runs it, as licences and reservations ask for it; None: nothing is known, which counts against it.

    Raises:
        ValueError: no name, an empty one, or one of which only a part would count (`shop bot!`); an unknown
            restriction, profile or meaning of silence.
        TypeError: a name that is no string; a licensee that is no `Licensee`.
    """

    __slots__ = ("elements", "honours", "licensee", "names", "profile", "purposes", "silence")

    names: tuple[str, ...]
    purposes: tuple[str, ...]
    honours: frozenset[str] | None
    elements: bool
    silence: dict[str, str]
    profile: str
    licensee: Licensee | None

    def __init__(
        self,
        *names: str,
        purposes: Iterable[str] = (),
        honours: Iterable[str] | None = None,
        elements: bool = True,
        silence: Mapping[str, str] | None = None,
        profile: str = "generic",
        licensee: Licensee | None = None,
    ) -> None:
        if not all(isinstance(name, str) for name in names):
            raise TypeError("a name of a crawler is a string; write several as Crawler('a', 'b')")
        if not names or not all(name.strip() for name in names):
            raise ValueError("crawler is empty; give the name your crawler is addressed by")
        for name in names:
            _native.check_name(name)
        kept = None if honours is None else _known((honours,) if isinstance(honours, str) else honours)
        if profile not in PROFILES:
            raise ValueError(f"profile `{profile}` is none of {', '.join(PROFILES)}")
        if licensee is not None and not isinstance(licensee, Licensee):
            raise TypeError("licensee must be an acap.Licensee")
        for usage, meaning in (silence or {}).items():
            if meaning not in ("permitted", "prohibited"):
                raise ValueError(f"silence on `{usage}` means permitted or prohibited, not `{meaning}`")
        purposes = (purposes,) if isinstance(purposes, str) else tuple(purposes)
        values = {
            "names": tuple(names),
            "purposes": purposes,
            "honours": kept,
            "elements": elements,
            "silence": dict(silence or {}),
            "profile": profile,
            "licensee": licensee,
        }
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a Crawler does not change; make another one instead of setting `{name}`")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a Crawler does not change; `{name}` stays")

    def _values(self) -> tuple[object, ...]:
        silence = tuple(sorted(self.silence.items()))
        return (self.names, self.purposes, self.honours, self.elements, silence, self.profile, self.licensee)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Crawler) and self._values() == other._values()

    def __hash__(self) -> int:
        return hash(self._values())

    def __repr__(self) -> str:
        return f"Crawler({', '.join(map(repr, self.names))})"

    def __reduce__(self) -> tuple[object, ...]:
        values = (self.names, self.purposes, self.honours, self.elements, self.silence, self.profile, self.licensee)
        return _restore, values

    @classmethod
    def known(cls, name: str, **options: Any) -> Crawler:
        """The crawler of the list of known ones that a name means, with the names it falls back to, in order.

        `options` are those of `Crawler`. `Crawler.known("Applebot")` obeys the group of Googlebot where a site has none
        for itself.

        Raises:
            ValueError: no crawler of that name is known; or as `Crawler`.
        """
        from acap import crawler_list  # 8 ms, with `json`: longer than this module, and most name their crawler

        crawler = crawler_list.known(name)
        if crawler is None:
            near = crawler_list.nearest(name)
            raise ValueError(f"no crawler `{name}` is known" + (f"; is it `{near}`?" if near else ""))
        return cls(*crawler.names, **options)

    @property
    def product_tokens(self) -> tuple[str, ...]:
        """The names without what User-Agent strings put around them."""
        return tuple(name for name in map(_native.crawler_name, self.names) if name)


def _restore(
    names: tuple[str, ...],
    purposes: tuple[str, ...],
    honours: frozenset[str] | None,
    elements: bool,
    silence: dict[str, str],
    profile: str,
    licensee: Licensee | None = None,
) -> Crawler:
    return Crawler(
        *names,
        purposes=purposes,
        honours=honours,
        elements=elements,
        silence=silence,
        profile=profile,
        licensee=licensee,
    )


def _known(honours: Iterable[str]) -> frozenset[str]:
    """The names of restrictions in lower case; it raises ValueError for one that there is not."""
    kept = frozenset(name.lower() for name in honours)
    if unknown := sorted(kept - set(TABLE)):
        raise ValueError(f"honours names the unknown restriction `{unknown[0]}`; known are {', '.join(TABLE)}")
    return kept


def check_names(asker: object) -> None:
    """Looks at the names of whoever asks, in any form of them; what is no name is for the core to refuse.

    Raises:
        ValueError: a name of which only a part would count.
    """
    for name in (asker,) if isinstance(asker, str) else asker if isinstance(asker, (list, tuple)) else ():
        if isinstance(name, str):
            _native.check_name(name)


def each_crawler(names: str | Iterable[str]) -> tuple[str, ...]:
    """Crawlers that are asked one by one, each by a name or a User-Agent string; a text is one of them.

    Raises:
        ValueError: an empty name, one of which only a part would count, or a list in the place of a name.
    """
    crawlers = (names,) if isinstance(names, str) else tuple(names)
    for name in crawlers:
        if not name.strip():
            raise ValueError("crawler is empty; give the name your crawler is addressed by")
        if "," in name and "(" not in name:
            raise ValueError(f"`{name}` names several crawlers, which are asked one by one; give each by itself")
        _native.check_name(name)
    return crawlers


def as_crawler(asker: str | Iterable[str] | Crawler) -> Crawler:
    """The crawler of whoever asks, by a name, by several, or as one.

    Raises:
        ValueError, TypeError: as `Crawler`.
    """
    if isinstance(asker, Crawler):
        return asker
    return Crawler(asker) if isinstance(asker, str) else Crawler(*asker)
