"""Clients of each library that ask first, in one form: so that every case can be put to all of them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, Self

import aiohttp
import httpx2
import requests
from requests.adapters import HTTPAdapter
from urllib3.util import Retry

from acap import AsyncRetriever, Retriever
from acap.integrations import aiohttp as for_aiohttp
from acap.integrations import httpx as for_httpx
from acap.integrations import requests as for_requests


def settings(transport: Any) -> dict[str, Any]:
    """Those of a client of httpx: the server of the tests closes every connection."""
    headers = {"Connection": "close", "User-Agent": transport.user_agent}
    return {"follow_redirects": True, "trust_env": False, "headers": headers}


class _Browser:
    """What browsers share whose responses were read when they come."""

    def request(self, method: str, url: str, **options: Any) -> Any:
        """The response."""
        raise NotImplementedError

    def get(self, url: str, **options: Any) -> Any:
        """The response."""
        return self.request("GET", url, **options)

    def text(self, response: Any) -> str:
        """What it says."""
        return str(response.text)


class HttpxBrowser(_Browser):
    """A client with the transport, to be used as `AsyncHttpxBrowser` is."""

    retrieves: type[Any] = Retriever
    sends: type[Any] = httpx2.HTTPTransport
    error: type[Exception] = httpx2.RequestError
    bad_url: type[Exception] = httpx2.UnsupportedProtocol

    def __init__(self, crawler: Any = "examplebot", *, library: Any = httpx2, **options: Any) -> None:
        self.transport: Any = for_httpx.AskingTransport(crawler, **options)
        self.client = library.Client(transport=self.transport, **settings(self.transport))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.client.close()

    def close(self) -> None:
        """Closes the transport, and not the client."""
        self.transport.close()

    def request(self, method: str, url: str, **options: Any) -> Any:
        """The response."""
        return self.client.request(method, url, **options)

    def send(self, request: httpx2.Request) -> Any:
        """The response of the transport itself."""
        return self.transport.handle_request(request)

    def page(self, response: Any) -> Any:
        """What it says of its use."""
        return for_httpx.page_policy(response)

    @staticmethod
    def sleeper(sleep: Callable[[float], None]) -> Any:
        """The function as the transport takes it."""
        return sleep


class AsyncHttpxBrowser(_Browser):
    """The same with tasks, on an event loop of its own."""

    retrieves: type[Any] = AsyncRetriever
    sends: type[Any] = httpx2.AsyncHTTPTransport
    error: type[Exception] = httpx2.RequestError
    bad_url: type[Exception] = httpx2.UnsupportedProtocol

    def __init__(self, crawler: Any = "examplebot", *, library: Any = httpx2, **options: Any) -> None:
        self._runner = asyncio.Runner()
        self.transport: Any = for_httpx.AsyncAskingTransport(crawler, **options)
        self.client = library.AsyncClient(transport=self.transport, **settings(self.transport))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._runner.run(self.client.aclose())
        self._runner.close()

    def close(self) -> None:
        """Closes the transport, and not the client."""
        self._runner.run(self.transport.aclose())

    def request(self, method: str, url: str, **options: Any) -> Any:
        """The response."""
        return self._runner.run(self.client.request(method, url, **options))

    def send(self, request: httpx2.Request) -> Any:
        """The response of the transport itself."""
        return self._runner.run(self.transport.handle_async_request(request))

    def page(self, response: Any) -> Any:
        """What it says of its use."""
        return for_httpx.page_policy(response)

    @staticmethod
    def sleeper(sleep: Callable[[float], None]) -> Any:
        """The function as the transport takes it."""

        async def later(seconds: float) -> None:
            sleep(seconds)

        return later


class RequestsBrowser(_Browser):
    """A session of requests, to be used as `AiohttpBrowser` is."""

    retrieves: type[Any] = Retriever
    error: type[Exception] = requests.RequestException
    bad_url: type[Exception] = requests.exceptions.InvalidURL

    def __init__(self, crawler: Any = "examplebot", **options: Any) -> None:
        # The server closes each connection without saying so: one that was kept is begun anew.
        inner = HTTPAdapter(max_retries=Retry(2, allowed_methods=None))
        self.session = for_requests.asking_session(crawler, inner=inner, **options)
        self.session.trust_env = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.session.close()

    def request(self, method: str, url: str, **options: Any) -> Any:
        """The response, which has been read."""
        return self.session.request(method, url, timeout=10, **options)

    def page(self, response: Any) -> Any:
        """What it says of its use."""
        return for_requests.page_policy(response)

    @staticmethod
    def sleeper(sleep: Callable[[float], None]) -> Any:
        """The function as the adapter takes it."""
        return sleep


class AiohttpBrowser:
    """A session of aiohttp on an event loop of its own."""

    retrieves: type[Any] = AsyncRetriever
    error: type[Exception] = aiohttp.ClientError
    bad_url: type[Exception] = aiohttp.InvalidURL

    def __init__(self, crawler: Any = "examplebot", **options: Any) -> None:
        self._runner = asyncio.Runner()
        self._given = (crawler, options)

    def __enter__(self) -> Self:
        async def begin() -> aiohttp.ClientSession:
            crawler, options = self._given
            # The server closes each connection without saying so.
            given = {"connector": aiohttp.TCPConnector(force_close=True)}
            self._session = for_aiohttp.asking_session(crawler, session=given, **options)
            return await self._session.__aenter__()

        try:
            self.session = self._runner.run(begin())
        except ValueError:
            self._runner.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._runner.run(self._session.__aexit__(None, None, None))
        self._runner.close()

    def request(self, method: str, url: str, **options: Any) -> Any:
        """The response, which has been read."""

        async def ask() -> Any:
            async with self.session.request(method, url, **options) as response:
                await response.read()
                return response

        return self._runner.run(ask())

    def get(self, url: str, **options: Any) -> Any:
        """The response."""
        return self.request("GET", url, **options)

    def text(self, response: Any) -> str:
        """What it says."""
        return str(self._runner.run(response.text()))

    def page(self, response: Any) -> Any:
        """What it says of its use."""
        return self._runner.run(for_aiohttp.page_policy(response))

    @staticmethod
    def sleeper(sleep: Callable[[float], None]) -> Any:
        """The function as the middleware takes it."""

        async def later(seconds: float) -> None:
            sleep(seconds)

        return later
