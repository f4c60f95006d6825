"""An empty Disallow, which permits everything, that was not translated to ACAP."""

from __future__ import annotations

from collections.abc import Iterator

from acap.outline import Field
from acap.problems import Example
from acap.publish.lint.crawler_names import product
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Edit, Finding, Fix, Related
from acap.publish.lint.mending import eol, insertion
from acap.publish.lint.rule import Rule
from acap.robots import PolicyStatement, url_at


def check(document: Document) -> Iterator[Finding]:
    """A finding for each crawler that is let in by an empty Disallow alone, and kept out of something by ACAP."""
    if not document.acap_fields or document.policy.ignores_conventional is not None:
        return
    crawls = [
        statement
        for statement in document.statements
        if statement.cited.dialect == "acap" and statement.cited.usage == "crawl"
    ]
    if not crawls:
        return
    for group in document.groups:
        if not group.rules or any(rule.kind != "Disallow" or rule.value for rule in group.rules):
            continue
        for agent in group.agents:
            name = product(agent.value)
            if not name or name == "*":
                continue
            refusal = _refusal(document, agent, crawls)
            if refusal is not None and refusal.cited.line is not None:
                yield RULE.at_line(
                    document,
                    group.rules[0].line,
                    f"this lets `{agent.value}` fetch everything, but the ACAP fields refuse it `{refusal.pattern}`",
                    help=f"write `ACAP-allow-crawl: /` for `{agent.value}`",
                    fix=_fix(document, agent),
                    related=(Related(refusal.cited.line, "this refuses it"),),
                    witness=refusal.pattern if refusal.pattern.startswith("/") else None,
                )


def _refusal(document: Document, agent: Field, crawls: list[PolicyStatement]) -> PolicyStatement | None:
    """A prohibition that holds for the crawler at some path."""
    name, policy = product(agent.value), document.policy
    for statement in crawls:
        addressed = any(crawler == "*" or product(crawler) == name for crawler in statement.crawlers)
        if not addressed or statement.purposes or statement.cited.effect != "prohibits":
            continue
        path = statement.pattern.replace("*", "x").removesuffix("$")
        if path.startswith("/") and not policy.decide(url_at(policy, path), crawler=name).permitted:
            return statement
    return None


def _fix(document: Document, agent: Field) -> Fix:
    name = product(agent.value)
    for record in document.records:
        for line in record.crawlers:
            if name in map(product, line.texts("crawler")):
                edit = insertion(document, line.line + 1, b"ACAP-allow-crawl: /")
                return Fix("permit it in ACAP too", (edit,), safe=False)
    end = len(document.text)
    ends = eol(document)
    before = b"" if document.text.endswith((b"\n", b"\r")) else ends
    lines = ends.join([b"", b"ACAP-crawler: " + agent.value.encode(), b"ACAP-allow-crawl: /", b""])
    return Fix("permit it in ACAP too", (Edit(end, end, before + lines),), safe=False)


RULE = Rule(
    code="empty-disallow-lost",
    summary="an empty Disallow has no counterpart in ACAP",
    severity="warning",
    why=(
        "`Disallow:` without a path lets a crawler fetch everything. ACAP has no such line: an empty field has no "
        "effect. If a translation drops the line, its crawler gets the record for all crawlers, or the prohibitions of "
        "another crawler where two `ACAP-crawler` lines now follow each other. This happened to a large publisher: its "
        "own contracted search engine was shut out of the whole site."
    ),
    clause="P1 4.5.2, RFC 9309 2.2.2",
    examples=(
        Example(
            bad=(
                "User-agent: ourbot\nDisallow:\n\nUser-agent: *\nDisallow: /private/\n\nACAP-crawler: "
                "*\nACAP-disallow-crawl: /private/\n"
            ),
            good=(
                "User-agent: ourbot\nDisallow:\n\nUser-agent: *\nDisallow: /private/\n\nACAP-crawler: "
                "*\nACAP-disallow-crawl: /private/\n\nACAP-crawler: ourbot\nACAP-allow-crawl: /\n"
            ),
            fixed=(
                "User-agent: ourbot\nDisallow:\n\nUser-agent: *\nDisallow: /private/\n\nACAP-crawler: "
                "*\nACAP-disallow-crawl: /private/\n\nACAP-crawler: ourbot\nACAP-allow-crawl: /\n"
            ),
        ),
    ),
    check=check,
    fix="unsafe",
)
