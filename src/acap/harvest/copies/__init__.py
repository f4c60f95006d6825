"""Copies of what was crawled, in WARC files (ISO 28500, WARC/1.1).

    copies = Copies(directory)
    [place] = copies.append([Capture(url=…, at=…, status=200, headers=…, body=…)])
    copies.read(place).body

- place: where a copy is, and what may be wrong with it.
- files: a directory of files with copies; nothing in it is half there, and what is deleted is gone.
"""

from __future__ import annotations

from acap.harvest.copies.files import Copies, Recovered
from acap.harvest.copies.place import CopiesDamagedError, CopyMissingError, CopyUnreadableError, Place

__all__ = [
    "Copies",
    "CopiesDamagedError",
    "CopyMissingError",
    "CopyUnreadableError",
    "Place",
    "Recovered",
]
