"""How much of a file is read. Whatever lies beyond a limit is an error among the problems, and then nothing permits."""

from __future__ import annotations

MAX_OCTETS = 64 * 1024 * 1024
"""Octets of a file that are looked at: more than any photograph, and a PDF of that size still fits in memory twice."""

MAX_XMP_OCTETS = 16 * 1024 * 1024
"""Octets of XMP in a file, inflated, all packets together: depth maps make megabytes of it, rights some kilobytes."""

MAX_MARKUP = 400_000
"""`<` and `=` in the XMP of a file. Each may become a node of some 200 octets; image editors list 100,000 ancestors."""

MAX_PACKETS = 64
"""Packets in a file: one is right, a few come of careless editors and of TIFF pages."""

MAX_PARTS = 100_000
"""Segments, chunks or directory entries that are stepped over in a file."""

MAX_RENDITIONS = 16
"""Package documents of an EPUB: one is right, a second is for pages of a fixed layout."""

MAX_FACTS = 10_000
"""Values that the licence facts of a file hold."""

MAX_ALIKE = 16
"""Problems of one code, and statements of one meaning, that are kept of a file; more of them would say nothing new."""

MAX_QUOTED = 500
"""Characters of a value that a statement or problem quotes."""

MAX_PDF_STEPS = 2_000_000
"""Reads and seeks that looking through a PDF may take: some seconds. A file of 100,000 objects takes half of them."""

MAX_PDF_FILES = 10_000
"""Files attached to a PDF, and nodes of the tree that names them; real ones have some dozens."""

MAX_PDF_OBJECTS = 64 * 1024 * 1024
"""Octets of all object streams of a PDF, inflated; a file of 100,000 objects has some ten million."""

MAX_PDF_DECODING = 16 * 1024 * 1024
"""Octets that all filters of one stream of a PDF may put out together."""

MAX_PDF_STREAM = 2 * 1024 * 1024
"""Octets of one stream of a PDF, packed or inflated; object streams are walked octet by octet."""
