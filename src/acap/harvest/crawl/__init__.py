"""A crawl into a store: the store's schedule has the URLs to fetch, and the keeper gets the responses.

`crawl(store, seeds, options)` runs a crawl until it is done, has reached a limit, has to wait, or is interrupted. Law:
a crawl keeps its state in the store alone, so the same call later continues where this one ended.
"""

from __future__ import annotations

from acap.harvest.crawl.options import CrawlOptions, SeedError
from acap.harvest.crawl.report import Progress, Report, SiteReport
from acap.harvest.crawl.run import crawl

__all__ = ["CrawlOptions", "Progress", "Report", "SeedError", "SiteReport", "crawl"]
