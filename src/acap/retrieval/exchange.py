"""One retrieval without input or output: the next request, and the answer in the end.

Redirects are followed here, not by the HTTP client, so that each hop is seen and each target can be judged.

Any engine can retrieve with it (Scrapy, a browser, an archive reader): send what `Exchange.request` asks for, hand the
`Reply` to `Exchange.receive` or the trouble to `Exchange.fail`, until `request` is None; then read `Exchange.answer`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime

from acap.retrieval.addresses import is_private
from acap.retrieval.answers import Answer, Failure, FailureKind, Headers, Hop, values
from acap.retrieval.locations import resolve, site, site_of

ACCEPT = "text/plain, */*;q=0.5"
MAX_REDIRECTS = 5  # RFC 9309 2.3.1.2
REDIRECTS = frozenset({300, 301, 302, 303, 307, 308})  # RFC 9110 15.4: those that lead elsewhere by Location
# What a 304 says of the message itself and not of the document it confirms (RFC 9111 3.2).
_OF_THE_MESSAGE = frozenset({"connection", "content-encoding", "content-length", "content-range", "transfer-encoding"})


@dataclass(frozen=True, slots=True)
class Request:
    """A GET to send now.

    It may reach a private address only if `private` says so, and carry what identifies the caller only if `own` does.
    """

    url: str
    headers: Headers
    private: bool
    own: bool = False


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back for one request: the body decoded, if it is wanted, and the limit that cut it, if one did."""

    status: int
    headers: Headers = ()
    octets: bytes = b""
    address: str | None = None
    cut_at: int | None = None


class Exchange:
    """One retrieval, from the first request to the answer."""

    def __init__(
        self,
        url: str,
        *,
        at: datetime,
        agent: str = "",
        accept: str = ACCEPT,
        accept_encoding: str = "identity",
        known: Answer | None = None,
        typed: bool = False,
        trusted: str | None = None,
        own: str | None = None,
        bodies_of: tuple[int, ...] = (),
    ) -> None:
        """Asks for `url`, which is in the form of `locations.canonical`, at the instant `at`.

        `known` is a copy that a 304 may confirm. `typed`: the user gave the host, so it may be private. `trusted` is a
        site (`locations.site`) that may be private all the same, being the one whose policy led here. `own` is the one
        (`locations.site_of`) that the caller named. `bodies_of` are the statuses beside 2xx of which the body is kept.
        """
        self._url = url
        self._at = at
        self._agent = agent
        self._accept = accept
        self._accept_encoding = accept_encoding
        self._known = known if known is not None and _can_be_confirmed(known) else None
        self._typed = typed
        self._trusted = trusted
        self._own = own
        self._bodies_of = bodies_of
        self._chain: list[Hop] = []
        self._next: str | None = url
        self._source = url
        self._answer: Answer | None = None

    @property
    def request(self) -> Request | None:
        """What to send now, or None once there is an answer."""
        if self._next is None:
            return None
        headers = [("User-Agent", self._agent), ("Accept", self._accept)]
        headers.append(("Accept-Encoding", self._accept_encoding))
        if self._asks_conditionally and self._known is not None:
            # RFC 9110 13.1: the one validator or the other, as the copy came with them.
            for field, condition in (("etag", "If-None-Match"), ("last-modified", "If-Modified-Since")):
                headers.extend((condition, value) for value in values(self._known.headers, field)[-1:])
        private = (self._typed and not self._chain) or site(self._next) == self._trusted
        # Once elsewhere, always: another site chose what the caller's own would be asked for.
        own = all(self._is_own(url) for url in (*(hop.url for hop in self._chain), self._next))
        return Request(self._next, tuple(headers), private, own)

    @property
    def answer(self) -> Answer:
        """The answer in the end. Raises RuntimeError while there is still something to send."""
        if self._answer is None:
            raise RuntimeError("the exchange is not over: `request` still asks for something")
        return self._answer

    @staticmethod
    def wants_body(status: int) -> bool:
        """Whether the body of a reply with this status is of use; no other is worth receiving, but for `bodies_of`."""
        return 200 <= status < 300

    def receive(self, reply: Reply) -> None:
        """Takes the reply to `request`."""
        source = self._next
        if source is None:
            raise RuntimeError("the exchange is over: nothing was asked for")
        self._source = source
        if reply.status in REDIRECTS:
            self._follow(source, reply)
        elif reply.status == 304:
            self._confirm(reply)
        elif reply.status == 206:
            # RFC 9110 15.3.7: a part, which was not asked for; the rest might prohibit.
            self._end(reply, Failure(FailureKind.CUT_BODY, "a part of the document was sent (206)"))
        else:
            self._end(reply)

    def fail(self, failure: Failure, reply: Reply | None = None) -> None:
        """Takes the trouble that came instead of a reply, and what had come of it; a part of a body is not kept."""
        self._source = self._next or self._source
        self._end(replace(reply, octets=b"", cut_at=None) if reply else None, failure)

    def _is_own(self, url: str) -> bool:
        """Whether a URL is of the site that the caller named, or of its https where they named its http."""
        there = site_of(url)
        return self._own is not None and (there == self._own or there == _as_https(self._own))

    @property
    def _asks_conditionally(self) -> bool:
        # The validators are those of the document at one URL; they say nothing about another.
        return self._known is not None and self._known.source == self._next

    def _follow(self, source: str, reply: Reply) -> None:
        locations = set(values(reply.headers, "location"))
        if len(locations) != 1:
            self._end(reply, Failure(FailureKind.REDIRECT, "the redirect has no Location, or several"))
            return
        try:
            target = resolve(source, locations.pop())
        except ValueError as error:
            self._end(reply, Failure(FailureKind.REDIRECT, str(error)))
            return
        # Our choice: a loop is a fault of the server and no answer, as 5xx is; RFC 9309 2.3.1.2 leaves it open.
        if target == source or any(hop.url == target for hop in self._chain):
            self._end(reply, Failure(FailureKind.REDIRECT, f"the redirects lead in a circle, back to {target}"))
            return
        if len(self._chain) == MAX_REDIRECTS:
            text = f"more than {MAX_REDIRECTS} redirects; the last one leads to {target}"
            self._end(reply, Failure(FailureKind.TOO_MANY_REDIRECTS, text))
            return
        if not self._chain and self._typed and is_private(reply.address):
            # The user meant a private host: it may send us about on itself (to https, to another path), nowhere else.
            self._trusted = site(source)
        self._chain.append(Hop(source, reply.status, reply.headers, reply.address))
        self._next = target

    def _confirm(self, reply: Reply) -> None:
        known = self._known
        if known is None or not self._asks_conditionally:
            self._end(reply, Failure(FailureKind.UNEXPECTED_304, "not modified (304), but no condition was asked"))
            return
        if _validator(reply.headers) not in (None, _validator(known.headers)):
            self._known = None  # it confirms another document than ours: ask again, without a condition
            return
        stated = {name.lower() for name, _ in reply.headers} - _OF_THE_MESSAGE
        headers = (
            *((name, value) for name, value in known.headers if name.lower() not in stated),
            *((name, value) for name, value in reply.headers if name.lower() in stated),
        )
        self._next = None
        self._answer = replace(
            known, headers=headers, chain=tuple(self._chain), address=reply.address, confirmed_at=self._at
        )

    def _end(self, reply: Reply | None, failure: Failure | None = None) -> None:
        self._next = None
        status = reply.status if reply is not None and failure is None else 0
        reads = self.wants_body(status) or status in self._bodies_of
        self._answer = Answer(
            url=self._url,
            agent=self._agent,
            source=self._source,
            fetched_at=self._at,
            status=reply.status if reply else None,
            headers=reply.headers if reply else (),
            octets=reply.octets if reply and reads else b"",
            chain=tuple(self._chain),
            address=reply.address if reply else None,
            failure=failure,
            cut_at=reply.cut_at if reply and reads else None,
        )


def _as_https(home: str) -> str | None:
    """The same host by https, both at their default port; None for what has none."""
    scheme, _, authority = home.partition("://")
    has_port = authority.rpartition("]")[2].count(":")
    return None if scheme != "http" or has_port else f"https://{authority}"


def _can_be_confirmed(answer: Answer) -> bool:
    return answer.failure is None and answer.cut_at is None and Exchange.wants_body(answer.status or 0)


def _validator(headers: Headers) -> str | None:
    """The entity tag without its mark of weakness, or None."""
    tags = values(headers, "etag")
    return tags[-1].strip().removeprefix("W/") if tags else None
