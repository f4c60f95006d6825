"""What a line says, to whom, and what is wrong with it, in Markdown."""

from __future__ import annotations

from collections.abc import Iterator

from acap.explain import visible
from acap.lsp.opened import OpenDocument
from acap.publish.change_words import usages_text
from acap.publish.compose.draft import Rule
from acap.publish.compose.sentences import audience, sentence
from acap.publish.crawlers import ANY, name_of
from acap.publish.lint.catalogue import rule
from acap.publish.overview import overview

_SECONDS = 0.3  # for the proofs of what a crawler may use
_MOST = 12  # sentences of a line; of more the number


def hover_text(opened: OpenDocument, line: int) -> str:
    """What a line says, from 0; empty where it says nothing and nothing is wrong with it."""
    said = list(dict.fromkeys(_sentences(opened, line)))
    more = [f"and {len(said) - _MOST} more"] if len(said) > _MOST else []
    parts = ["\n".join(f"- {one}" for one in [*said[:_MOST], *more])] if said else []
    for finding in opened.findings:
        if finding.line == line + 1:
            help_ = f"; {finding.help}" if finding.help else ""
            wrong = f"**{finding.severity}**: {_plain(finding.message + help_)} `{finding.code}`"
            parts.append(f"{wrong}\n\n{rule(finding.code).why}")
    return "\n\n---\n\n".join(parts)


def _sentences(opened: OpenDocument, line: int) -> Iterator[str]:
    """The sentences of a line of a robots.txt: what each of its statements is to whom."""
    if opened.kind != "robots":
        return
    policy = opened.document.policy
    field = opened.document.outline.by_line.get(line + 1)
    if field is not None and field.name in ("User-agent", "crawler") and not policy.truncated:
        # A line may name what no crawler is called; the part of it counts that is a name.
        named = field.texts("crawler") or (field.value,)
        asked = [name for one in named if (name := ANY if one.strip() == ANY else name_of(one.strip()))]
        for row in overview(policy, crawlers=asked, seconds=_SECONDS):
            for part in row.parts:
                yield f"**{_plain(row.text)}** may use {_plain(part.text)}: {_plain(usages_text(part.usages))}"
    for one in (*policy.statements, *policy.signals):
        if one.cited.line != line + 1 or not (one.cited.source or "").endswith("robots.txt"):
            continue
        who = _plain(audience(one.crawlers, one.purposes))
        if not one.pattern:
            yield f"**{who}** may crawl everything: the rule is empty"
        elif one.cited.effect == "conditional":
            yield f"**{who}** may use {_plain(one.pattern)} as the terms of the licence say"
        else:
            permits = one.cited.effect == "permits"
            restrictions = one.restrictions if permits else ()
            yield f"**{who}** {_plain(sentence(Rule(permits, one.cited.usage, (one.pattern,), tuple(restrictions))))}"


def _plain(text: str) -> str:
    """A stranger's text, in which Markdown finds no marks of its own."""
    return "".join(f"\\{sign}" if sign in "\\`*_{}[]<>()#+!|" else sign for sign in visible(text))
