"""Audits: which of a crawl may be used for what, as of when, and by which statement; and who is refused how much.

- rows, job and what is beside them: pages, each with its answer.
- survey, robots_captures, robots_archives: robots.txt files, and what they say to many crawlers: how much of a site,
  over time.
"""
