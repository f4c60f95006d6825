"""A crawl into a store: what to fetch comes from the store's schedule, and what came of it goes to the keeper.

`crawl(store, seeds, options)` runs one until it is done, has reached a limit, has to wait, or is interrupted. Law:
nothing of a crawl is kept anywhere but in the store, so the same call later goes on wherever this one ended.
"""

from __future__ import annotations

from acap.harvest.crawl.options import CrawlOptions, SeedError
from acap.harvest.crawl.report import Progress, Report, SiteReport
from acap.harvest.crawl.run import crawl

__all__ = ["CrawlOptions", "Progress", "Report", "SeedError", "SiteReport", "crawl"]
