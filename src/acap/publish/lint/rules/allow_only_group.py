"""A group of Allow lines alone, which prohibits nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from acap import _native
from acap.crawler_list import nearest
from acap.outline import Field, Group
from acap.problems import Example
from acap.publish.lint.crawler_names import listing, product, stands_for_several
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Edit, Finding, Related
from acap.publish.lint.harmless import weighed
from acap.publish.lint.mending import eol
from acap.publish.lint.rule import Rule

_ALL = ("", "/", "/*", "*")


def check(document: Document) -> Iterator[Finding]:
    """A finding for each group of named crawlers that only allows parts, beside a `*` group that disallows."""
    if not document.kinds["Allow"] or len(document.groups) < 2:
        return
    defaults = [rule for group in document.groups if group.is_default for rule in group.rules]
    default = next(filter(_refuses, defaults), None)
    if default is None:
        return
    refused = {
        product(agent.value) for group in document.groups if any(map(_refuses, group.rules)) for agent in group.agents
    }
    for group in document.groups:
        if group.is_default or any(map(_refuses, group.rules)):
            continue
        parts = [rule for rule in group.rules if rule.kind == "Allow" and rule.value not in _ALL]
        whole = any(rule.value in _ALL for rule in group.rules)
        names = [
            agent.value
            for agent in group.agents
            if product(agent.value) not in refused and not _is_nobodys(agent.value)
        ]
        if parts and names and not whole:
            finding = RULE.at_line(
                document,
                parts[0].line,
                f"the group of {listing(names)} only allows, so it prohibits nothing; the rules of `*` do not bind it",
                help="add the Disallow lines that it should obey too",
                related=(Related(default.line, "a rule of `*`, which does not hold there"),),
            )
            # A rule that none of these permissions covers changes something, and needs no proof.
            covered = all(any(_covers(part, rule) for part in parts) for rule in defaults if _refuses(rule))
            edits = _repeating(document, group, defaults) if covered else ()
            yield weighed(document, finding, edits, crawlers=names)


def _covers(allow: Field, rule: Field) -> bool:
    narrow, wide = (_native.canonical_pattern(field.value.encode()) for field in (rule, allow))
    return _native.contains(narrow, wide)


def _repeating(document: Document, group: Group, rules: Sequence[Field]) -> tuple[Edit, ...]:
    """The group with the rules of `*` behind its own."""
    end = group.rules[-1].span.end
    lines = (document.outline.octets(rule.name_span) + b": " + rule.value.encode() for rule in rules)
    return (Edit(end, end, b"".join(eol(document) + line for line in lines)),)


def _is_nobodys(name: str) -> bool:
    """Whether a name is that of an operator, such as `Google`, which no crawler looks for."""
    return name.isalpha() and nearest(name) is not None and stands_for_several(name)


def _refuses(rule: Field) -> bool:
    return rule.kind == "Disallow" and rule.value != ""


RULE = Rule(
    code="allow-only-group",
    summary="a group has only Allow lines, and so allows everything",
    severity="warning",
    why=(
        "A crawler may fetch everything that no rule disallows, and a crawler that is named follows only its own "
        "group. A group with nothing but `Allow: /news/` does not confine the crawler to `/news/` and adds no "
        "exception to the rules of `*`: it lifts all of them."
    ),
    clause="RFC 9309 2.2.2",
    examples=(
        Example(
            bad="User-agent: *\nDisallow: /private/\n\nUser-agent: Googlebot\nAllow: /private/news/\n",
            good=(
                "User-agent: *\nDisallow: /private/\n\nUser-agent: Googlebot\nAllow: /private/news/\nDisallow: "
                "/private/\n"
            ),
        ),
    ),
    check=check,
    weighs=True,
)
