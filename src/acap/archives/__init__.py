"""Archives of crawls: the captures in WARC and ARC files, and what sites said in them, by time.

    for capture in read_warc(path):
        print(capture.at, capture.url, capture.status)

- capture: one response, as values.
- archive: the captures of any WARC or ARC file, with what is damaged reported.
- record: a capture as two records, and back.
- timeline: the policies of sites, by time.
- archived: the documents of sites beside robots.txt; site_documents: what these say.
"""

from __future__ import annotations

from acap.archives.archive import Damage, Revisit, read_warc
from acap.archives.capture import Capture

__all__ = ["Capture", "Damage", "Revisit", "read_warc"]
