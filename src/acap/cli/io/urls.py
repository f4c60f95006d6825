"""The URLs of a call: arguments, or standard input as a stream that may never end."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from urllib.parse import quote_from_bytes

from acap.cli.io.failures import CallError

STDIN = "-"

# Far beyond what servers take (8 KiB is common); it bounds the memory that one line can cost.
MAX_URL_OCTETS = 65_536

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")
_AUTHORITY = re.compile(r"https?://[^/?#\\]+", re.IGNORECASE)
_HOST_FIRST = re.compile(r"[^/?#:\s]+\.[^/?#:\s.]+(:\d+)?([/?#]|$)|localhost(:\d+)?([/?#]|$)", re.IGNORECASE)
_ASCII = "".join(map(chr, range(0x21, 0x7F)))


def check_url(text: str, *, path_is_enough: bool) -> str:
    """The URL, if a policy can be asked about it.

    `path_is_enough` where the policy is at hand and so the site need not be named. Raises `CallError` saying what to
    write instead.
    """
    if _AUTHORITY.match(text):
        return text
    if text.startswith("//"):
        raise CallError(f"`{text}` has no scheme; did you mean `https:{text}`?")
    if text.startswith("/"):
        if path_is_enough:
            return text
        raise CallError(f"`{text}` names no site; give the whole URL, or the site's file with --robots FILE")
    if not text:
        raise CallError("an empty URL; give one such as https://example.com/")
    if suggested := suggested_url(text):
        raise CallError(f"`{text}` has no scheme; did you mean `{suggested}`?")
    scheme = _SCHEME.match(text)
    if scheme and scheme[1].lower() not in ("http", "https"):
        raise CallError(f"`{text}` has the scheme `{scheme[1]}`; only http and https have a robots.txt")
    if scheme:
        raise CallError(f"`{text}` names no host; write it as {scheme[1].lower()}://example.com/")
    raise CallError(f"`{text}` is not a URL; write it as https://example.com/{text.lstrip('/')}")


def suggested_url(text: str) -> str | None:
    """The URL that someone meant who wrote a host, with or without a path, and no scheme; None if it is no host."""
    return f"https://{text}" if _HOST_FIRST.match(text) else None


def origin(url: str) -> str:
    """Scheme and authority of a checked URL, lower case: URLs that share it share a policy."""
    match = _AUTHORITY.match(url)
    return match[0].lower() if match else ""


def stdin_urls() -> Iterator[tuple[int, str | None]]:
    """Each line of standard input with its number, blank lines left out; octets that are not UTF-8 are escaped.

    A line beyond `MAX_URL_OCTETS` comes as None. Memory stays constant however long the input is.
    """
    stream = sys.stdin.buffer
    number = 0
    while line := stream.readline(MAX_URL_OCTETS):
        number += 1
        if len(line) == MAX_URL_OCTETS and not line.endswith(b"\n"):
            while line and not line.endswith(b"\n"):
                line = stream.readline(MAX_URL_OCTETS)
            yield number, None
        elif text := _decode(line, first=number == 1).strip():
            yield number, text


def _decode(line: bytes, *, first: bool) -> str:
    try:
        text = line.decode()
    except UnicodeDecodeError:
        text = quote_from_bytes(line.strip(), safe=_ASCII)
    return text.removeprefix("\ufeff") if first else text
