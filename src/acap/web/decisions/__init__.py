"""The decision service: crawlers in other languages ask which URLs they may use, in batches, over HTTP."""

from __future__ import annotations
