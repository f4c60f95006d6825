"""What a publisher's command reads: an empty file is empty, and an empty pipe is a program that may have failed.

In a shell `<(curl -sf URL)` and `curl -sf URL |` are empty where curl fails. So are `/dev/null` and what was closed.
"""

from __future__ import annotations

import os
import stat
from typing import BinaryIO


def is_unknown(opened: BinaryIO, octets: bytes) -> bool:
    """Whether nothing is known of what was to be read: there are no octets, and it is no regular file."""
    if octets:
        return False
    try:
        return not stat.S_ISREG(os.fstat(opened.fileno()).st_mode)
    except OSError:  # it has no descriptor, so nobody knows what writes it
        return True
