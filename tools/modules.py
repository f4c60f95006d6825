"""The page on the names beside those of `import acap`: what its methods return, and the modules below."""

from __future__ import annotations

from importlib import import_module

from tools import api

# What is public in a module and not offered by the package itself, in the order of the page.
MODULES: dict[str, tuple[str, ...]] = {
    "acap.robots": (
        "DIALECTS", "ActionRequest", "Extension", "Line", "Politeness", "PolicyStatement", "Rate", "Window",
    ),
    "acap.retrieval": (
        "Meaning", "MemoryCache", "ResponseCache", "Retrieved", "SqliteCache", "Timeouts",
        "default_path", "robots_url", "user_agent",
    ),
    "acap.sites.documents": ("SiteDocument",),
    "acap.sites.matrix": ("Cell", "Matrix", "UsageRow", "matrices"),
    "acap.pages.extraction": ("Content", "Piece"),
    "acap.pages.resource": ("Resource",),
    "acap.pages.links": ("Link",),
    "acap.pages.snippet": ("Snippet",),
    "acap.pages.measure": ("UNICODE", "count_chars", "count_words", "cut_chars", "cut_words"),
    "acap.pages.encoding": ("Decoded", "charset_of", "decode"),
    "acap.pages.embedded": ("Claim", "Licence", "Licensor", "Localised", "Party", "RightsExpression"),
    "acap.explain": ("Node", "Role", "headline", "summary", "to_rich", "to_text", "tree", "visible"),
    "acap.schema": ("SCHEMA", "comparison_to_json", "decision_to_json", "finding_to_json", "problem_to_json"),
    "acap.publish.compare": ("Change", "Paths", "Side", "Undecided"),
    "acap.publish.crawlers": ("everyone",),
    "acap.publish.analysis": ("Analysis", "Disagreement", "Doubt", "Redundant", "analysis"),
    "acap.publish.lint.document": ("Document",),
    "acap.publish.lint.run": ("RuleError", "lint"),
    "acap.publish.lint.finding": ("Edit", "Finding", "Fix", "Related"),
    "acap.publish.lint.fixing": ("Mended", "fix"),
    "acap.publish.lint.rule": ("Example", "Rule"),
    "acap.publish.format": ("format_robots",),
    "acap.publish.convert": ("Conversion", "Note", "convert", "verify"),
    "acap.publish.compose": (
        "Draft", "DraftError", "PageRule", "Record", "Rule", "SubRecord", "draft_from_robots", "draft_from_toml",
        "header_snippet", "meta_tags", "preview", "robots_text",
    ),
    "acap.publish.presets": ("PRESETS", "Preset", "PresetError", "Proof", "preset_files", "proved"),
    "acap.publish.cases": ("CaseFile", "CasesError", "check_file", "read_cases"),
    "acap.publish.coverage": ("Coverage",),
    "acap.crawler_list": (
        "FIRST", "PURPOSES", "Control", "KnownCrawlers", "Seed", "Verification", "as_of", "known", "nearest", "seeds",
    ),
    "acap.integrations.pytest": (),
    "acap.integrations.scrapy": (
        "Addon", "AddressRefused", "Gate", "IndexGate", "NoPolicy", "NotNow", "NotUsable", "PolicyDownloaderMiddleware",
        "PolicySpiderMiddleware", "PreserveGate", "Refused", "RobotParser", "usable",
    ),
    "acap.integrations.httpx": (
        "DECISION", "AskingTransport", "AsyncAskingTransport", "NotNowError", "RefusedError", "page_policy",
    ),
    "acap.integrations.asking": ("AskingOptions", "NotNowError", "RefusedError", "decision_of"),
    "acap.integrations.requests": ("AskingAdapter", "asking_session", "page_policy"),
    "acap.integrations.aiohttp": ("AskingMiddleware", "WholeResponse", "asking_session", "page_policy"),
    "acap.integrations.testing": ("FakePage", "FakeSite"),
    "acap.integrations.robotparser": ("RobotFileParser",),
    "acap.integrations.crawl4ai": ("PolicyRobotsParser",),
    "acap.integrations.robots_checker": ("USER_AGENTS", "RobotsTxtComplianceChecker", "load_robots"),
    "acap.integrations.datatrove": ("AskingHTTPFetchReader", "PolicyFilter", "KeptPolicies", "RetrievedPolicies"),
    "acap.archives.splits": ("WarcSplit", "warc_splits"),
    "acap.harvest.batch_judge": ("BatchJudge",),
    "acap.harvest.operator": ("Operator",),
    "acap.harvest.store": (
        "Act", "Entry", "Ledger", "Resource", "Run", "Schedule", "Store", "StoreBusyError", "StoreError",
        "StoreFullError", "Task", "Verified", "Version", "Wanted", "open_store",
    ),
    "acap.harvest.crawl": ("CrawlOptions", "Progress", "Report", "SeedError", "SiteReport", "crawl"),
    "acap.harvest.judgement": ("Response", "ResourceState", "response_of"),
    "acap.harvest.conclusion": ("Conclusion", "Leads", "judge"),
    "acap.harvest.keeper": ("Fetched", "Keeper", "Kept"),
    "acap.harvest.importing": ("Imported", "import_warc"),
    "acap.audits.survey_counts": ("RESTRICTIONS", "ExtentCount", "RestrictionCount", "SurveyCount", "SurveyPeriod"),
    "acap.audits.survey_changes": ("SurveyChanges", "Turns"),
    "acap.audits.survey_page": ("survey_page",),
    "acap.audits.survey_tables": ("KindTable", "kind_tables", "survey_to_json", "text_lines"),
    "acap.archives": ("Capture", "Damage", "Revisit", "read_warc"),
    "acap.harvest.copies": ("Copies", "CopyMissingError", "Place"),
    "acap.harvest.sweep": ("Swept", "sweep"),
    "acap.harvest.removal": ("remove",),
    "acap.harvest.proof": ("differences", "verify"),
    "acap.harvest.presentation": ("Presentation",),
    "acap.web.app": ("search_app",),
    "acap.usages": ("above", "below"),
    "acap.outline": ("Field", "Group", "Outline", "Record", "Span", "SubRecord", "Word"),
    "acap.carriers": ("carriers", "Carriers"),
    "acap.logs": ("JsonFormatter", "listen"),
    "acap.clock": ("Clock", "FixedClock", "SystemClock"),
}  # fmt: skip


def page() -> str:
    """Each module with what its head says, and each name as on the page of the package."""
    parts = [
        "# Modules",
        "Public beside [what `import acap` offers](api.md).",
        "Classes of restrictions are on [their page](../../docs/reference/restrictions.md).",
    ]
    for name, public in MODULES.items():
        module = import_module(name)
        parts += [f"## {name}", api.docstring(module).split("\n\n")[0]]
        for word in public:
            entry = api.entry(word, getattr(module, word))
            parts += [f"#{part}" if part.startswith("#") else part for part in entry]  # a level lower
    return "\n\n".join(part for part in parts if part) + "\n"
