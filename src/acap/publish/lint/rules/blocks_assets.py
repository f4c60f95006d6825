"""Style sheets and scripts that crawlers may not fetch."""

from __future__ import annotations

import re
from collections.abc import Iterator

from acap.problems import Example
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Finding
from acap.publish.lint.rule import Rule

_ASSETS = re.compile(r"(?:.*[*/][\w.-]*\.(?:css|js)[*?$]*|.*/(?:css|js|javascripts?|stylesheets?)/?\*?)", re.IGNORECASE)
_DELIBERATE = re.compile(
    r"(?:.*/)?(?!\*?\.?min\.js)[^/]*\w[^/]*\.js[*?$]*|.*\.\w+/js/?\*?|.*/(?:api|wp-admin|wpm)/.*", re.IGNORECASE
)
"""One script by its name, mostly one that counts visitors; that of a service; what is for others, or counts as well."""

_ENGINES = ("googlebot", "bingbot")


def check(document: Document) -> Iterator[Finding]:
    """A finding for each Disallow line on style sheets or scripts that binds Google or Bing."""
    if b"css" not in document.text and b"js" not in document.text and b"javascript" not in document.text:
        return
    named = {agent.value.lower() for group in document.groups for agent in group.agents}
    bound = {"*", *_ENGINES} if not named.issuperset(_ENGINES) else set(_ENGINES)
    for group in document.groups:
        if not any(agent.value.lower() in bound for agent in group.agents):
            continue
        if any(rule.kind == "Allow" and re.search(r"\.(?:css|js)", rule.value) for rule in group.rules):
            continue
        for rule in group.rules:
            pattern = rule.value
            if rule.kind != "Disallow" or not ("s" in pattern or "S" in pattern):
                continue
            if _ASSETS.fullmatch(pattern) and not _DELIBERATE.fullmatch(pattern):
                yield RULE.at_line(
                    document,
                    rule.line,
                    f"search engines that render pages may not load what `{pattern}` matches",
                    help="allow style sheets and scripts, if they should see the pages as people do",
                )


RULE = Rule(
    code="blocks-assets",
    summary="search engines may not fetch style sheets or scripts",
    severity="info",
    why=(
        "Google and Bing load a page as a browser does before they judge it. Without style sheets and scripts they see "
        "another page: missing text, broken links, a layout that does not fit a phone."
    ),
    clause="Google, robots.txt introduction",
    examples=(
        Example(
            bad="User-agent: *\nDisallow: /*.css$\n",
            good="User-agent: *\nDisallow: /*.log$\n",
        ),
    ),
    check=check,
)
