"""Compose: a policy from plain answers or from a table, and everything that a site puts up of it.

    draft = draft_from_robots(octets)           # or draft_from_toml(table), draft_from_json(value)
    robots_text(draft)                          # a robots.txt
    meta_tags(draft, "/news/a.html")            # META tags of one page
    header_snippet("nginx", draft)              # configuration of a server
    preview(draft, ["/news/a.html"])            # what crawlers may do, decided by the engine

A `Draft` is what the webmaster means; its text is what crawlers read. Reading the text back gives the same decisions.
"""

from __future__ import annotations

from acap.publish.compose.draft import (
    SERVERS,
    Draft,
    DraftError,
    LocalUsage,
    PageRule,
    Record,
    ResourceSet,
    Rule,
    SubRecord,
    draft_from_json,
    draft_to_json,
)
from acap.publish.compose.headers import Snippet, header_snippet, header_snippets
from acap.publish.compose.pages import header_values, meta_tags, rule_tags
from acap.publish.compose.preview import Row, preview
from acap.publish.compose.reading import draft_from_robots
from acap.publish.compose.sentences import described, sentence
from acap.publish.compose.table import draft_from_toml, draft_to_toml
from acap.publish.compose.talk import added, pattern_of, rule_problem, without
from acap.publish.compose.text import Complaint, complaints, robots_octets, robots_text

__all__ = [
    "SERVERS",
    "Complaint",
    "Draft",
    "DraftError",
    "LocalUsage",
    "PageRule",
    "Record",
    "ResourceSet",
    "Row",
    "Rule",
    "Snippet",
    "SubRecord",
    "added",
    "complaints",
    "described",
    "draft_from_json",
    "draft_from_robots",
    "draft_from_toml",
    "draft_to_json",
    "draft_to_toml",
    "header_snippet",
    "header_snippets",
    "header_values",
    "meta_tags",
    "pattern_of",
    "preview",
    "robots_octets",
    "robots_text",
    "rule_problem",
    "rule_tags",
    "sentence",
    "without",
]
