"""`RobotFileParser`: the class of `urllib.robotparser` with the decisions of acap.

from acap.integrations.robotparser import RobotFileParser

Two laws. Names, arguments and kinds of results are those of the standard library, so that changing the import is
enough. And doubt never permits: what was not read, could not be retrieved or is of another site may not be fetched.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from datetime import datetime
from typing import Any
from urllib.parse import quote_from_bytes, urlsplit
from urllib.robotparser import RequestRate

from acap import _native
from acap.decision import Decision
from acap.keywords import check_keywords, keywords_of
from acap.politeness import Politeness
from acap.retrieval.cache import MemoryCache
from acap.retrieval.client import Retriever
from acap.robots import Asker, RobotsPolicy, parse_robots

__all__ = ["RequestRate", "RobotFileParser"]

_ASCII = bytes(range(0x80))


class RobotFileParser:
    """Reads one robots.txt and answers questions about it, as `urllib.robotparser.RobotFileParser` does.

    `disallow_all` and `allow_all` are set by `read` and may be set by whoever retrieves the file himself: the first
    refuses everything, the second permits it. `url`, `host` and `path` are those of the file, `last_checked` is
    `mtime()`.
    """

    def __init__(self, url: str = "", *, dialect: str = "auto", **options: Any) -> None:
        """Of the file at `url`, which `read` retrieves.

        Args:
            url: where the file is; it need not be at `/robots.txt`.
            dialect: one of `acap.robots.DIALECTS`.
            **options: those of `acap.Retriever`, such as `forbidden` (what 401 and 403 mean), `crawler` and `cache`.

        Raises:
            ValueError: an unknown dialect, or an option that cannot be.
            TypeError: an option that does not exist.
        """
        check_keywords("RobotFileParser", options, keywords_of(RobotFileParser) + keywords_of(Retriever))
        self._cache = options.pop("cache", None)
        self._options = {"dialect": dialect, **options}
        Retriever(**self._options).close()  # an impossible option shows now, not at the first read
        self._dialect = dialect
        self._read: RobotsPolicy | None = None
        self.disallow_all = False
        self.allow_all = False
        self.last_checked = 0.0
        self._site: str | None = None
        self.set_url(url)

    def mtime(self) -> float:
        """When the file was last fetched, in seconds since the epoch; 0 if it never was, or there is none."""
        return self.last_checked

    def modified(self) -> None:
        """Says that the file was fetched just now."""
        self.last_checked = time.time()

    def set_url(self, url: str) -> None:
        """Says where the file is. That there was none at another URL, and another site's file, no longer say anything.

        Raises ValueError for brackets that hold no address, as in the standard library.
        """
        self.host, self.path = urlsplit(url)[1:3]
        # A path is of the site of `url`, so that it must not be answered from another site's file (RFC 9309 2.3).
        origin = _native.origin(url)
        is_elsewhere = self._site is not None and _native.origin(self._site) != origin
        if self._meaning == "absent" or is_elsewhere:
            self._read, self.allow_all, self.last_checked = None, False, 0.0
        self.url = url
        # Lines that are parsed without a URL speak for whatever site is asked about.
        self._site = None if origin is None else url

    def read(self) -> None:
        """Retrieves the file and reads it, under all rules of `acap.Retriever`.

        Trouble with the network never raises: then everything is refused, unless a copy of an earlier `read` may stand
        in. It may also stand in for what is not a robots.txt, such as a login page; without a copy that permits
        everything (`acap.Retriever` says the same of `/robots.txt`). Raises ValueError for a URL that is
        not http or https.
        """
        if self._cache is None:
            self._cache = MemoryCache()
        with Retriever(cache=self._cache, **self._options) as retriever:
            policy = retriever.robots(self.url, refresh=True, exact=True)
        meaning = policy.evidence["meaning"]
        self._read = policy
        self.allow_all = meaning == "absent"
        self.disallow_all = meaning not in ("read", "absent")
        if meaning == "read":
            checked = policy.evidence["confirmed_at"] or policy.evidence["fetched_at"]
            self.last_checked = datetime.fromisoformat(checked).timestamp()

    def parse(self, lines: Iterable[str | bytes] | bytes) -> None:
        """Reads the lines of a file, with or without line ends; also a whole file as one text, or as its octets.

        What was read before no longer counts, nor does `allow_all`; `disallow_all` stays, if it was set.
        """
        if isinstance(lines, (str, bytes)):
            text = _octets(lines)
        else:
            text = b"\n".join(_octets(line).rstrip(b"\r\n") for line in lines)
        self._read = parse_robots(text, url=self._site, dialect=self._dialect, limits=self._options.get("limits"))
        self.allow_all = False
        self.modified()

    @property
    def policy(self) -> RobotsPolicy:
        """The policy that decides: what was read, or one that refuses or permits everything."""
        read = self._read
        if self._refuses:
            policy = RobotsPolicy.unreachable(self._site, dialect=self._dialect)
        elif read is None or (self.allow_all and self._meaning != "absent"):
            policy = RobotsPolicy.absent(self._site, dialect=self._dialect)
        else:
            return read
        return policy if read is None else policy.with_evidence(read.evidence)

    def can_fetch(self, useragent: str, url: str) -> bool:
        """Whether the file lets the crawler fetch the URL; false before anything was read, and for another site.

        Who has no name, or more than a crawler can have, may fetch nothing.
        """
        if self._refuses:
            return False
        try:
            return self.decision(useragent, url).permitted
        except ValueError:
            return False

    def decision(self, useragent: Asker, url: str) -> Decision:
        """The decision behind `can_fetch`, with its reason: `acap.explain.summary` gives it in words.

        Args:
            useragent: a User-Agent string or a name, as `acap.RobotsPolicy.decide` takes it.
            url: absolute, or a path.

        Raises:
            ValueError: a URL of another site, for which this file does not speak, or none at all; a string without a
                name, or with more than 64 further names of crawlers.
        """
        if url.startswith("//"):  # RFC 3986 4.2: a host follows, and no path
            url = f"{urlsplit(self.url).scheme or 'https'}:{url}"
        elif url[:1] in ("", "?", "#"):  # of the root, as the standard library has it
            url = f"/{url}"
        return self.policy.decide(_encodable(url), crawler=useragent or "*", usage="crawl")

    def crawl_delay(self, useragent: str) -> float | None:
        """Seconds that the file asks the crawler to leave between requests; a whole number where it is one."""
        delays = self._politeness(useragent).delays
        return _number(max(delays)) if delays else None

    def request_rate(self, useragent: str) -> RequestRate | None:
        """The slowest rate that the file asks the crawler to keep; one for a part of the day only if there is no other.

        `acap.RobotsPolicy.politeness` has each with its part of the day.
        """
        rates = self._politeness(useragent).rates
        slowest = max(rates, key=lambda rate: (rate.window is None, rate.interval), default=None)
        if slowest is None:
            return None
        return RequestRate(_number(slowest.documents), _number(slowest.seconds))  # type: ignore[arg-type]  # it may be a fraction

    def _politeness(self, useragent: str) -> Politeness:
        """What the crawler is asked to keep to; nothing, where `can_fetch` refuses whoever asks so."""
        try:
            return self._spoken.politeness(useragent or "*")
        except ValueError:
            return Politeness()

    def site_maps(self) -> list[str] | None:
        """The URLs of the Sitemap lines, each once, or None."""
        return list(self._spoken.sitemaps) or None

    def __str__(self) -> str:
        return self._spoken.octets.decode("utf-8", "replace").rstrip("\r\n")

    def __getstate__(self) -> dict[str, Any]:
        # As in the standard library it can be copied and pickled; answers that are kept in memory stay behind.
        return {**vars(self), "_cache": None if isinstance(self._cache, MemoryCache) else self._cache}

    @property
    def _meaning(self) -> str | None:
        """What came of the last `read` (`acap.retrieval.Meaning`); lines that were parsed are a file that was read."""
        return None if self._read is None else str(self._read.evidence.get("meaning", "read"))

    @property
    def _refuses(self) -> bool:
        """Whether nothing may be fetched at all, the file itself included."""
        return self.disallow_all or not (self.allow_all or self._meaning == "read")

    @property
    def _spoken(self) -> RobotsPolicy:
        """What was read, or an empty file."""
        return parse_robots(b"") if self._read is None else self._read


def _octets(text: str | bytes) -> bytes:
    """The text as it was sent: `surrogateescape` is how the standard library and others keep octets in texts."""
    if isinstance(text, bytes):
        return text
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")


def _encodable(url: str) -> str:
    try:
        url.encode()
    except UnicodeEncodeError:
        return quote_from_bytes(_octets(url), safe=_ASCII)
    return url


def _number(value: float) -> int | float:
    return int(value) if value.is_integer() else value
