"""SURT keys of URLs, by which Common Crawl's indexes and annotations of them are joined.

`https://www.example.co.uk:443/A?b=2&a=1` is `uk,co,example)/a?a=1&b=2`: the host backwards and without `www.`, all in
lower case, the parameters in order and without the number of a session. A table that brings its own keys keeps them.
"""

from __future__ import annotations

import re
from functools import lru_cache
from urllib.parse import quote_from_bytes, unquote_to_bytes, urlsplit

from acap import _native

_WWW = re.compile(r"www\d*\.")
_DOTS = re.compile("[\u3002\uff0e\uff61]")  # RFC 3490 3.1
_DEFAULT = {"http": 80, "https": 443}
_LAYERS = 16  # of escapes within escapes
_LONGEST = 8192
_HEX = "[0-9a-f]{32}"
_SESSION = re.compile(rf"(?:jsessionid|phpsessid|sid)={_HEX}|aspsessionid[a-z]{{8}}=[a-z]{{24}}|cfid=.*|cftoken=.*")
_AS_WRITTEN = re.compile(r"[!\"$&'()*+,\-./:;<=>?@\[\\\]^_`{|}~0-9A-Za-z]*+")  # needs no escape, and has none
_PLAIN = re.compile(r"https?://([0-9A-Za-z.-]+)((?:/[0-9A-Za-z_~-][0-9A-Za-z_~.-]*+)+)")
"""A URL in which nothing has another form: it has no parameters, no escape, and no dot or slash too many."""

_SAFE = "!\"$&'()*+,-./:;<=>?@[\\]^_`{|}~"


def surt_key(url: str) -> str | None:
    """The key of a URL; None if it has no host, or more than 8,192 characters."""
    if len(url) > _LONGEST:
        return None
    if (plain := _PLAIN.fullmatch(url)) is not None and (host := surt_host(plain[1].lower())):
        return f"{host}){plain[2].lower()}"
    try:
        parts = urlsplit(url.strip())
        port, name = parts.port, parts.hostname
    except ValueError:
        return None
    host = surt_host(name or "")
    if not host:
        return None
    if port is not None and port != _DEFAULT.get(parts.scheme):
        host += f":{port}"
    path = _written(parts.path)
    if "/." in path:
        path = _native.canonical_path(path.encode()).decode()
    path = re.sub("/{2,}", "/", path) if "//" in path else path or "/"
    key = f"{host}){path.removesuffix('/') or '/'}"
    if not parts.query:
        return key
    parameters = sorted(one for one in _written(parts.query).split("&") if not _SESSION.fullmatch(one))
    query = "&".join(parameters)
    return f"{key}?{query}" if query else key


@lru_cache(maxsize=4096)
def surt_host(host: str) -> str:
    """A host backwards and without `www.`; empty if it cannot be a host."""
    name = _DOTS.sub(".", host.lower()).rstrip(".")
    if not name.isascii():
        try:
            name = name.encode("idna").decode()
        except UnicodeError:
            return ""
    name = name[prefix.end() :] if (prefix := _WWW.match(name)) and prefix.end() < len(name) else name
    return name if ":" in name else ",".join(reversed(name.split(".")))


def _written(text: str) -> str:
    """Part of a URL in lower case, with the escapes that it needs and no others."""
    if _AS_WRITTEN.fullmatch(text):
        return text.lower()
    octets = text.encode("utf-8", "surrogatepass")
    for _ in range(_LAYERS):
        octets, before = unquote_to_bytes(octets), octets
        if octets == before:
            break
    return quote_from_bytes(octets, safe=_SAFE).lower()
