"""Headers of every response as configuration of a server, and read back from it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple


class _Server(NamedTuple):
    """How a server is told to send a header: what is above it, its line, and how the line reads back.

    Values have neither `'` nor a backquote, `$` nor a brace: the headers of presets are made so.
    """

    above: str
    line: str
    pattern: str
    percent: str = "%"


SERVERS = {
    "nginx.conf": _Server(
        "# nginx: in the server block, and in each location that has an add_header of its own\n",
        "add_header {0} '{1}' always;",
        r"add_header (\S+) '([^']*)' always;",
    ),
    "apache.conf": _Server(
        "# Apache: in the virtual host, with mod_headers\n",
        "Header always add {0} '{1}'",
        r"Header always add (\S+) '([^']*)'",
        percent="%%",
    ),
    "Caddyfile": _Server("# Caddy: in the site block\n", "header +{0} `{1}`", r"header \+(\S+) `([^`]*)`"),
    "_headers": _Server("# Cloudflare Pages and Workers: the file _headers\n/*\n", "  {0}: {1}", r"  ([^\s:]+): (.*)"),
}
"""The files of configuration by their names."""


def configurations(headers: Iterable[tuple[str, str]]) -> dict[str, bytes]:
    """A file for each server, by its name."""
    headers = tuple(headers)
    return {
        name: (
            server.above
            + "".join(f"{server.line.format(key, value.replace('%', server.percent))}\n" for key, value in headers)
        ).encode()
        for name, server in SERVERS.items()
    }


def configured(name: str, octets: bytes) -> list[tuple[str, str]]:
    """The headers that a file of `configurations` sends."""
    server = SERVERS[name]
    found = re.finditer(f"^{server.pattern}$", octets.decode(), re.MULTILINE)
    return [(match[1], match[2].replace(server.percent, "%")) for match in found]
