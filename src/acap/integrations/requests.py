"""An adapter of requests that asks first: no request is sent that the policy of its site does not permit.

    session = asking_session("examplebot", contact="https://example.org/bot")
    session.get("https://www.example.com/")

The laws of this module:

1. A session sends the targets of redirects through its adapters too, so that each request is decided (`asking`).
2. Bodies are watched as they come: urllib3 decodes one that breaks off within its coding as if nothing were missing.
"""

from __future__ import annotations

from acap.integrations.hosts import check_host

check_host("requests")

import time
from collections.abc import Callable
from typing import Any, Unpack

import requests
import urllib3
from requests.adapters import BaseAdapter, HTTPAdapter

from acap.integrations.asking import (
    DECISION,
    AskingOptions,
    ClientAsking,
    NotNowError,
    RefusedError,
    as_theirs,
    check_options,
    decision_of,
    page_policy_of,
)
from acap.pages.page import PagePolicy
from acap.retrieval.answers import Headers
from acap.retrieval.client import Retriever
from acap.retrieval.locations import site_of
from acap.retrieval.passing import Passing
from acap.robots import Asker

__all__ = ["AskingAdapter", "NotNowError", "RefusedError", "asking_session", "decision_of", "page_policy"]

_BODY = "acap_body"  # the attribute of a response that holds what was seen of its body


class AskingAdapter(BaseAdapter):
    """An adapter for `requests.Session.mount` that sends only what the policies of sites permit.

    Mount it for both schemes: `session.mount("https://", adapter)`, `session.mount("http://", adapter)`. What another
    adapter is mounted for with a longer prefix goes past it.
    """

    def __init__(
        self,
        crawler: Asker,
        *,
        inner: BaseAdapter | None = None,
        retriever: Retriever | None = None,
        sleep: Callable[[float], None] = time.sleep,
        **options: Unpack[AskingOptions],
    ) -> None:
        """Asks for the crawler, and passes on to `inner` what is permitted.

        Args:
            crawler: the name the site is to know; the session should send it in its User-Agent.
            inner: the adapter that sends, by default an HTTPAdapter; it is closed with this one.
            retriever: where policies come from; whoever passes one closes it. None: a new one with `options`.
            sleep: waits for a number of seconds.
            **options: `AskingOptions`, such as `purpose` and `polite`, `contact` and `cache`.

        Raises:
            ValueError: options beside a retriever.
            TypeError: an option that does not exist.
        """
        super().__init__()
        self._asking = ClientAsking(Retriever, AskingAdapter, crawler, retriever=retriever, **options)
        self._sleep = sleep
        self._inner = HTTPAdapter() if inner is None else inner

    @property
    def user_agent(self) -> str:
        """The User-Agent under which policies are retrieved, for the session to send as well."""
        return self._asking.retriever.user_agent

    def send(
        self,
        request: requests.PreparedRequest,
        stream: bool = False,
        timeout: float | tuple[float | None, float | None] | None = None,
        verify: bool | str = True,
        cert: str | tuple[str, str] | None = None,
        proxies: dict[str, str] | None = None,
    ) -> requests.Response:
        """Raises RefusedError or NotNowError instead of sending, and whatever `inner` raises."""
        decision = None
        try:
            named = request.headers.get("Host")
            url = self._asking.url_of(request.url or "", () if named is None else (named,))
        except ValueError as error:
            raise requests.exceptions.InvalidURL(str(error), request=request) from error
        if url is not None:
            policy = self._asking.retriever.robots(url, found=self._asking.found)
            try:
                decision = self._asking.decided(url, policy)
                if (path := request.path_url).startswith("//"):  # older versions send such a path with one slash
                    self._asking.decided(f"{site_of(url)}/{path.lstrip('/')}", policy)
                wait = self._asking.wait(decision, policy)
            except (RefusedError, NotNowError) as error:
                raise as_theirs(error, requests.RequestException, request) from None
            if wait:
                self._sleep(wait)
        response = self._inner.send(request, stream=stream, timeout=timeout, verify=verify, cert=cert, proxies=proxies)
        passing = _watch(response)
        response.__dict__ |= {DECISION: decision, _BODY: passing}
        return response

    def close(self) -> None:
        """Closes `inner`, and the retriever if it was made here."""
        if self._asking.own is not None:
            self._asking.own.close()
        self._inner.close()


def asking_session(crawler: Asker, **options: Any) -> requests.Session:
    """A new session whose requests all go through an `AskingAdapter`, under its User-Agent; options are those of it."""
    check_options("asking_session", options, AskingAdapter)
    session, adapter = requests.Session(), AskingAdapter(crawler, **options)
    for scheme in ("https://", "http://"):
        session.mount(scheme, adapter)
    session.headers["User-Agent"] = adapter.user_agent
    return session


def page_policy(response: requests.Response) -> PagePolicy:
    """What a response says: META tags and elements of a page, metadata of a file, every line of its headers.

    It is what `acap.carriers` finds, as one page: what was not read is a doubt. An answer that has no page may say what
    fetching one takes: a payment, a licence. The body is read for it.

    Raises:
        ValueError: the response has no page, or only a part of one, and says nothing of fetching it.
        ImportError: there is HTML, and the extra `pages` is not installed.
    """
    method = response.request.method or "GET"
    octets, passing = response.content or b"", getattr(response, _BODY, None)
    return page_policy_of(octets, response.url, response.status_code, method, _headers(response), passing)


class _Watched(urllib3.HTTPResponse):
    """A response of urllib3 whose coded octets are shown to a `Passing` as they come, by whatever it is read.

    It is the one that came, of this class from then on, so that it is read, decoded, streamed and given back as ever.
    Where urllib3 takes octets in another way some day, they are missed, and what is missed is a doubt.
    """

    acap_passing: Passing

    def _raw_read(self, *given: Any, **options: Any) -> bytes:
        return self._seen(super()._raw_read(*given, **options))

    def _handle_chunk(self, *given: Any, **options: Any) -> bytes:
        return self._seen(super()._handle_chunk(*given, **options))

    def _seen(self, octets: bytes) -> bytes:
        self.acap_passing.feed(octets or b"")
        return octets


def _watch(response: requests.Response) -> Passing | None:
    """Has the body of a response watched; None for one that was read before, or came by another library."""
    raw = response.raw
    if type(raw) is not urllib3.HTTPResponse or raw.tell():
        return None
    raw.__class__ = _Watched
    passing = raw.acap_passing = Passing(response.status_code, _headers(response))  # type: ignore[attr-defined]
    return passing


def _headers(response: requests.Response) -> Headers:
    raw = getattr(response.raw, "headers", None)
    lines = raw if isinstance(raw, urllib3.HTTPHeaderDict) else response.headers
    return tuple((str(name), str(value)) for name, value in lines.items())
