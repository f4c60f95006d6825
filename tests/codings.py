"""Content codings that clients decode, for bodies that break off within one."""

from __future__ import annotations

import gzip
import sys
import zlib
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec


def _codings() -> dict[str, Callable[[bytes], bytes]]:
    found: dict[str, Callable[[bytes], bytes]] = {"gzip": gzip.compress, "deflate": zlib.compress}
    zstd = "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd"
    for name, module in (("br", "brotli"), ("zstd", zstd)):
        if find_spec(module.partition(".")[0]) is not None and find_spec(module) is not None:
            found[name] = import_module(module).compress
    return found


CODINGS = _codings()


def codings(octets: bytes) -> dict[str, bytes]:
    """The octets in each coding, by its name."""
    return {name: compress(octets) for name, compress in CODINGS.items()}
