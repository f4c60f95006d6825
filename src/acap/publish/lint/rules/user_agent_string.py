"""A whole User-Agent string where a name is wanted."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from acap import _native
from acap.crawler_list import known
from acap.problems import Example
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Finding, Fix
from acap.publish.lint.harmless import weighed
from acap.publish.lint.named_already import NamedAlready
from acap.publish.lint.rule import Rule, replaced

_PRODUCT = re.compile(r"mozilla/[\d.]*", re.IGNORECASE)
_BROWSERS = frozenset({"msie", "mozilla", "konqueror", "chrome", "firefox", "safari", "opera", "netscape", "trident"})
"""What crawlers call themselves too, to be served as browsers are."""

_LAST = re.compile(r"\(([A-Za-z][\w.-]*(?:bot|crawler|spider)[\w.-]*)\)\Z", re.IGNORECASE)
"""Where a crawler that calls itself a browser has its own name."""

_VERSION = re.compile(r"[_-]?v?\d+(?:\.\d+)+\Z")


def check(document: Document) -> Iterator[Finding]:
    """A finding for each User-agent line that holds one; mere information if the name in it is obeyed all the same."""
    plain: set[str] | None = None
    already: NamedAlready | None = None
    for group in document.groups:
        for agent in group.agents:
            name = agent.value
            if not name.lower().startswith("mozilla/") and " (" not in name:
                continue
            if _PRODUCT.fullmatch(name):
                yield RULE.at_line(
                    document,
                    agent.line,
                    f"no crawler answers to `{name}`: browsers and crawlers alike send it before their names",
                    help="write the product token of the crawler you mean",
                )
                continue
            read = name.partition("/")[0].partition(" ")[0]
            suggested = _crawler_in(name)
            same = suggested is not None and _VERSION.sub("", read).lower() == suggested.lower()
            edits = replaced(document, agent.value_span, suggested) if suggested else ()
            title = way = f"write `{suggested}`"
            own = edits
            already = already or NamedAlready(document)
            if suggested and (there := already.beside(agent.line, suggested)) is not None:
                way = f"line {there.line} names `{suggested}` already"
                title = f"remove the line: {way}"
                own = already.removed(agent.line) if there.in_group else ()
            finding = RULE.at_line(
                document,
                agent.line,
                f"this is a whole User-Agent string; crawlers read the name `{_VERSION.sub('', read) or read}` in it",
                help=f"{way}, if you mean that crawler" if suggested else "write only the product token",
                fix=Fix(title, own, safe=same) if own else None,
            )
            # The name before it is read, and the crawler that bears it obeys.
            beside = name.partition(" (")[0].lower()
            if plain is None:  # which most files need not know
                plain = {other.value.lower() for one in document.groups for other in one.agents}
            if same or (beside in plain and not beside.startswith("mozilla")):
                yield replace(finding, severity="info")
            else:
                yield finding if suggested is None else weighed(document, finding, edits, crawlers=[suggested])


def _crawler_in(name: str) -> str | None:
    """The crawler whose string it is; a browser is none."""
    token = _native.crawler_name(name)
    if token is None or token.lower() in _BROWSERS:
        own = _LAST.search(name)
        return own[1] if own else None
    # Of a name of several words the first is not the name; `Yahoo! Slurp` holds one that is known.
    if several := re.search(rf"(?:; ?|\A){re.escape(token)}!?((?: [^\W\d][\w-]*)+)", name):
        return next((word for word in several[1].split() if known(word)), None)
    # `larbin_2.6.2`: a version behind `_` is none of the name either.
    return _VERSION.sub("", token) or token


RULE = Rule(
    code="user-agent-string",
    summary="a User-agent line holds what a crawler sends, not its name",
    severity="warning",
    why=(
        "A crawler sends `Mozilla/5.0 (compatible; ExampleBot/1.0; …)`, but in robots.txt it looks for its product "
        "token, `ExampleBot`. Only the leading name of the whole string counts, and no crawler is called `Mozilla`."
    ),
    clause="RFC 9309 2.2.1",
    examples=(
        Example(
            bad="User-agent: Mozilla/5.0 (compatible; ExampleBot/1.0; +https://example.com/bot)\nDisallow: /\n",
            good="User-agent: ExampleBot\nDisallow: /\n",
            fixed="User-agent: ExampleBot\nDisallow: /\n",
        ),
    ),
    check=check,
    fix="unsafe",
    weighs=True,
)
