"""Pages that people look at: search over what was crawled, its preserved copies, and the operator's own page."""

from __future__ import annotations
