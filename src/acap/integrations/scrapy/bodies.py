"""The downloader middleware that sees bodies before Scrapy decodes them: was all of a body there?

Scrapy takes what it can decode of a coded body that breaks off, and says nothing of the rest, which may have prohibited
anything. A body that is not known to be whole gets a flag, and what reads pages reads the flag.
"""

from __future__ import annotations

from scrapy import Request
from scrapy.http import Response
from scrapy.settings import BaseSettings

from acap.retrieval.answers import Headers
from acap.retrieval.passing import Passing

CUT = "acap-cut: "
"""What the flag of a body begins with that is not known to be whole; why follows."""

_CUT = {"dataloss": "the body ended before its end", "download_stopped": "the download was stopped"}
_CUT["partial"] = _CUT["dataloss"]


class BodyMiddleware:
    """Stands nearer to the downloader than HttpCompressionMiddleware, and than any other that changes bodies."""

    def process_response(self, request: Request, response: Response) -> Response:
        """The response, with a flag if its body is not known to be whole."""
        passing = Passing(response.status, headers_of(response))
        passing.feed(response.body)
        if why := "" if request.method == "HEAD" else passing.fault():
            response.flags.append(f"{CUT}{why}")
        return response


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
