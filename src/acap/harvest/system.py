"""The systems on which a store can be kept: those where a directory can be synced and signals end a crawl."""

from __future__ import annotations

import os

NAME = os.name


def why_no_store() -> str | None:
    """Why no store can be kept on this system, in one line; None where one can."""
    if NAME == "posix":
        return None
    return "a store needs Linux or macOS: this system cannot make what is written to a directory last"
