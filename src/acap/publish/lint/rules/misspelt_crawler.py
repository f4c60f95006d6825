"""A name that no crawler bears, and that is nearly one that a crawler does."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from types import MappingProxyType

from acap.crawler_list import known, nearest
from acap.problems import Example
from acap.publish.lint.crawler_names import Named, is_known, named, product
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Edit, Finding, Fix
from acap.publish.lint.harmless import weighed
from acap.publish.lint.named_already import Already, NamedAlready
from acap.publish.lint.rule import Rule, replaced

CONTAINED = MappingProxyType({"Slurp": ("Slurp", "Yahoo"), "YandexBot": ("Yandex", "Yandex")})
"""By crawler, the part of a name that is enough for it, and whose documents say so."""

_DASHES = re.compile("[_-]+")


def check(document: Document) -> Iterator[Finding]:
    """A finding for each line with such a name; of a page and of headers for each such name."""
    if document.kind != "robots":
        yield from _on_page(document)
        return
    each = list(named(document))
    right = {product(one.name) for one in each}
    borne: set[str] | None = None
    already: NamedAlready | None = None
    for agent in each:
        if "*" in agent.name or is_known(document, agent.name):
            continue
        suggested = nearest(agent.name)
        if suggested is not None and not _is_retired(suggested) and not _is_token_of(agent.name, suggested):
            edits = replaced(document, agent.span, suggested)
            already = already or NamedAlready(document)
            there = already.beside(agent.line, suggested)
            title, mends = _mend(already, agent.line, suggested, there, edits)
            fix = Fix(title, mends, safe=False) if mends else None
            part, owner = CONTAINED.get(suggested, ("", ""))
            if part and part.lower() in agent.name.lower():
                if product(agent.name) != product(part):
                    yield _enough(
                        document,
                        agent,
                        fix if there is None else None,
                        suggested,
                        f"{owner} has written that a name with `{part}` is enough",
                    )
                continue
            finding = RULE.at_line(
                document,
                agent.line,
                f"no known crawler answers to the name `{agent.name}`",
                help=f"did you mean `{suggested}`?" + ("" if there is None else f" {title}"),
                fix=fix,
            )
            # Beside the right name a wrong one does no harm.
            if borne is None:  # which most files need not know
                borne = {crawler.name for other in each if (crawler := known(other.name))}
            beside = product(suggested) in right or suggested in borne
            yield (
                replace(finding, severity="info") if beside else weighed(document, finding, edits, crawlers=[suggested])
            )


def _mend(
    already: NamedAlready, line: int, suggested: str, there: Already | None, edits: tuple[Edit, ...]
) -> tuple[str, tuple[Edit, ...]]:
    """What to do, and its edits: beside the right name a wrong one is removed, and two groups are not made one."""
    if there is None:
        return f"write `{suggested}`", edits
    if there.in_group:
        return f"remove the line: line {there.line} names `{suggested}` already", already.removed(line)
    merging = f"line {there.line} names it already, and the two groups would be one"
    return f"{merging}; write the rules that are meant into that one", ()


def _enough(document: Document, named: Named, fix: Fix | None, suggested: str, why: str) -> Finding:
    """A name that is not the crawler's by RFC 9309, and is by what its owner has written."""
    read = re.split(r"[^A-Za-z_-]", named.name, maxsplit=1)[0]
    finding = RULE.at_line(
        document,
        named.line,
        f"RFC 9309 makes `{read}` of `{named.name}`; {why}",
        help=f"write `{suggested}`, which both ways is its name",
        fix=fix,
    )
    return replace(finding, severity="info")


def _is_retired(name: str) -> bool:
    """Whether it is of no use to be told that name."""
    crawler = known(name)
    return crawler is not None and crawler.retired


def _is_token_of(name: str, words: str) -> bool:
    """Whether a name is one of several words without their blanks, which no product token has."""
    return " " in words and _DASHES.sub(" ", name).lower() == words.lower()


def _on_page(document: Document) -> Iterator[Finding]:
    seen: set[str] = set()
    for statement in document.page.statements():
        name = statement.crawler
        if name is None or name in seen or is_known(document, name):
            continue
        seen.add(name)
        suggested = nearest(name)
        if suggested is not None and not _is_retired(suggested):
            line = statement.line or document.header_line(statement.text, name)
            start = document.starts[line - 1] if 0 < line <= len(document.starts) else 0
            end = start + len(document.line_octets(line)) if line else 0
            yield RULE.finding(
                document,
                start,
                end,
                f"no known crawler answers to the name `{name}`",
                help=f"did you mean `{suggested}`?",
            )


RULE = Rule(
    code="misspelt-crawler",
    summary="a name is nearly the name of a known crawler",
    severity="warning",
    why=(
        "Crawlers look for exactly their own product token. A line for `Googelbot`, `GPT Bot` or `OpenAI` addresses no "
        "crawler: the one you meant follows the rules for `*`, or none.\n\nIf the name is right and only missing from "
        "the list of known crawlers, add it to the configuration."
    ),
    clause="RFC 9309 2.2.1",
    examples=(
        Example(
            bad="User-agent: Gogglebot\nDisallow: /private/\n",
            good="User-agent: Googlebot\nDisallow: /private/\n",
            fixed="User-agent: Googlebot\nDisallow: /private/\n",
        ),
        Example(
            bad="User-agent: OpenAI\nDisallow: /\n",
            good="User-agent: GPTBot\nDisallow: /\n",
            fixed="User-agent: GPTBot\nDisallow: /\n",
        ),
        Example(
            bad='<!DOCTYPE html><title>A</title>\n<meta name="google-bot" content="noindex">\n',
            good='<!DOCTYPE html><title>A</title>\n<meta name="googlebot" content="noindex">\n',
            kind="page",
        ),
        Example(
            bad="User-agent: Googlebot\nUser-agent: Googelbot\nDisallow: /private/\n",
            good="User-agent: Googlebot\nDisallow: /private/\n",
            fixed="User-agent: Googlebot\nDisallow: /private/\n",
        ),
    ),
    check=check,
    kinds=("robots", "page", "headers"),
    fix="unsafe",
    weighs=True,
)
