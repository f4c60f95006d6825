"""Copies of what was crawled, in WARC files (ISO 28500, WARC/1.1), and the reading of such files from elsewhere.

    copies = Copies(directory)
    [place] = copies.append([Capture(url=…, at=…, status=200, headers=…, body=…)])
    copies.read(place).body

- capture: one copy, as values.
- record: a capture as two records, and back.
- files: a directory of files with copies; nothing in it is half there, and what is deleted is gone.
- archive: captures of any WARC or ARC file.
"""

from __future__ import annotations

from acap.harvest.copies.archive import Damage, Revisit, read_warc
from acap.harvest.copies.capture import Capture, CopiesDamagedError, CopyMissingError, CopyUnreadableError, Place
from acap.harvest.copies.files import Copies, Recovered

__all__ = [
    "Capture",
    "Copies",
    "CopiesDamagedError",
    "CopyMissingError",
    "CopyUnreadableError",
    "Damage",
    "Place",
    "Recovered",
    "Revisit",
    "read_warc",
]
