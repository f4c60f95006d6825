"""Pages that a model may be trained on, crawled with crawl4ai.

python examples/engines/crawl4ai_crawl.py https://www.example.com/a https://www.example.com/b
"""

from __future__ import annotations

import asyncio
import sys

from crawl4ai import AsyncWebCrawler, CacheMode, CrawlerRunConfig
from crawl4ai.async_crawler_strategy import AsyncHTTPCrawlerStrategy

from acap.integrations.crawl4ai import PolicyRobotsParser


async def crawl(urls: list[str], robots: PolicyRobotsParser) -> None:
    """Prints what became of each URL."""
    config = CrawlerRunConfig(check_robots_txt=True, cache_mode=CacheMode.BYPASS, verbose=False)
    async with AsyncWebCrawler(crawler_strategy=AsyncHTTPCrawlerStrategy()) as crawler:
        crawler.robots_parser = robots
        for url in urls:
            result = await crawler.arun(url, config=config)
            if not result.success:
                print(url, "not fetched:", result.error_message)
                continue
            decision = (await robots.judged(result, ["ai-train"]))["ai-train"]
            print(url, decision.outcome, len(result.markdown) if decision.permitted else "dropped")


if __name__ == "__main__":
    asyncio.run(crawl(sys.argv[1:], PolicyRobotsParser("examplebot")))
