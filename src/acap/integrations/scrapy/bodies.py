"""The downloader middleware nearest to the network: is a request what was judged, and was all of a body there?

A middleware or setting of the project may name another host than that of the URL, for which nobody was asked. Scrapy
takes what it can decode of a coded body that breaks off, and says nothing of the rest, which may have prohibited
anything. A body that is not known to be whole gets a flag, and what reads pages reads the flag.
"""

from __future__ import annotations

from typing import Self

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import Response
from scrapy.settings import BaseSettings

from acap.integrations.scrapy.refusals import NoPolicy
from acap.retrieval.answers import Headers
from acap.retrieval.locations import host_elsewhere
from acap.retrieval.passing import Passing

CUT = "acap-cut: "
"""What the flag of a body begins with that is not known to be whole; why follows."""

_CUT = {"dataloss": "the body ended before its end", "download_stopped": "the download was stopped"}
_CUT["partial"] = _CUT["dataloss"]


class BodyMiddleware:
    """Stands nearer to the downloader than HttpCompressionMiddleware, and than any other that changes what is sent."""

    def __init__(self, *, respects_dont_obey: bool = False) -> None:
        """`respects_dont_obey`: a request with `dont_obey_robotstxt` is sent as the spider says."""
        self._respects_dont_obey = respects_dont_obey

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Made by Scrapy."""
        return cls(respects_dont_obey=crawler.settings.getbool("ACAP_RESPECT_DONT_OBEY"))

    def process_request(self, request: Request) -> None:
        """Raises NoPolicy for a request that was made to name another host than its URL, by which it was judged."""
        if self._respects_dont_obey and request.meta.get("dont_obey_robotstxt"):
            return
        if request.headers.getlist("Host"):
            check_host(request)

    def process_response(self, request: Request, response: Response) -> Response:
        """The response, with a flag if its body is not known to be whole."""
        passing = Passing(response.status, headers_of(response))
        passing.feed(response.body)
        if why := "" if request.method == "HEAD" else passing.fault():
            response.flags.append(f"{CUT}{why}")
        return response


def check_host(request: Request) -> None:
    """Raises NoPolicy for a request whose `Host` is another than that of its URL, by which it is decided."""
    try:
        host = host_elsewhere(request.url, request.headers.getlist("Host"))
    except ValueError as error:
        raise NoPolicy(str(error)) from error
    if host is not None:
        raise NoPolicy(f"the request to {request.url} names the host `{host}`, and not its own; give the URL of that")


def headers_of(response: Response) -> Headers:
    """Every line of the headers."""
    return tuple(
        (name.decode("latin-1"), value.decode("latin-1"))
        for name, values in response.headers.items()
        for value in values
    )


def cut_of(response: Response) -> str:
    """Why the body of a response is not known to be whole; empty if it is."""
    for flag in response.flags:
        if flag in _CUT:
            return _CUT[flag]
        if flag.startswith(CUT):
            return flag.removeprefix(CUT)
    return ""


def is_watched(settings: BaseSettings) -> bool:
    """Whether a project has bodies seen before they are decoded, or does not have them decoded."""
    from scrapy.utils.misc import load_object

    if not settings.getbool("COMPRESSION_ENABLED"):
        return True
    installed = settings.getdict("DOWNLOADER_MIDDLEWARES").items()
    return any(place is not None and issubclass(load_object(key), BodyMiddleware) for key, place in installed)
