"""Audits: which of a crawl may be used for what, as of when, and by which statement."""
