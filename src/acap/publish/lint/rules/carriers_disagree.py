"""Carriers of one site that contradict each other about a use."""

from __future__ import annotations

import re
from collections.abc import Iterator

from acap.decision import Cited
from acap.outline import USES
from acap.problems import Example
from acap.publish.contradictions import DialectPart, by_dialect, contradictions
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Finding, Related
from acap.publish.lint.rule import Rule
from acap.robots import RobotsPolicy

_PATHS = 40
"""Paths that are tried: of the first lines that have one. Real files have few."""
_BESIDE = re.compile(rb"Content-(?:Signal|Usage)|ACAP|tdm-|rsl|noindex|noai", re.IGNORECASE)


def check(document: Document) -> Iterator[Finding]:
    """A finding for each statement that permits what another carrier of the document or its site does not."""
    if not (document.beside or _may_disagree(document)):
        return
    reported: set[tuple[int, str, str]] = set()
    for path in _paths(document):
        url = document.url or path
        own, others = [], list[DialectPart]()
        for carrier in (document, *document.beside):
            if carrier.source is not None:
                parts = list(by_dialect(carrier.name, carrier.source, url))
                others += parts
                own += parts if carrier is document else []
        for each in contradictions(url, own, others):
            line = each.permits.line or _line_of(document, each.permits.header)
            key = (line, each.document, each.refuses.text)
            if key in reported:
                continue
            reported.add(key)
            where = "" if each.document == document.name else f" in {each.document}"
            does = "refuses it" if each.refuses.effect == "prohibits" else "asks for terms"
            related = (Related(each.refuses.line, "the other statement"),) if each.refuses.line and not where else ()
            yield RULE.at_line(
                document,
                line,
                f"`{_quoted(each.permits)}` permits {each.usage}, `{_quoted(each.refuses)}`{where} {does}",
                help="say the same in both; no carrier lifts what another refuses",
                related=related,
                witness=path,
            )


def _may_disagree(document: Document) -> bool:
    """Whether it may speak in two vocabularies."""
    if document.kind == "robots" and sum(document.kinds[kind] > 0 for kind in USES) < 2:
        return False
    return len(set(map(bytes.lower, _BESIDE.findall(document.text)))) > 1


def _line_of(document: Document, header: str | None) -> int:
    """The first line of a header; 1 where it is unknown."""
    return next((one.line for one in document.headers if one.name.lower() == (header or "").lower()), 1)


def _quoted(cited: Cited) -> str:
    return " ".join(filter(None, (cited.header or cited.element, cited.text)))


def _paths(document: Document) -> Iterator[str]:
    """The path of a page; of a document of the whole site `/`, and a path that each pattern matches."""
    if document.kind in ("page", "headers"):
        yield document.path
        return
    paths = {"/": None}
    for carrier in (document, *document.beside):
        if isinstance(carrier.source, RobotsPolicy):
            patterns = [each.value.split()[0] for each in carrier.extensions if each.value.startswith("/")]
            patterns += [each.pattern for each in carrier.statements]
        else:
            rules = getattr(carrier.source, "rules", None) or getattr(carrier.source, "contents", None) or ()
            patterns = [getattr(each, "location", None) or getattr(each, "url", None) or "/" for each in rules]
        for pattern in patterns[:_PATHS]:
            paths[pattern.replace("*", "a").removesuffix("$")] = None
    yield from (path for path in list(paths)[:_PATHS] if path.startswith("/"))


RULE = Rule(
    code="carriers-disagree",
    summary="one carrier permits a use that another one refuses",
    severity="warning",
    why=(
        "A site speaks in several places: lines of robots.txt, tdmrep.json, ai.txt, licence documents, headers, pages. "
        "Crawlers read some of them, and those that read more than one take the strictest. A permission that another "
        "carrier refuses does nothing for them, and to the others it says what was not meant. Lint looks at each "
        "document by itself and beside the documents of its site that are linted in the same call."
    ),
    clause="Semantics, section 8",
    examples=(
        Example(
            bad="User-agent: *\nContent-Signal: ai-train=yes\nContent-Usage: train-ai=n\nDisallow:\n",
            good="User-agent: *\nContent-Signal: ai-train=no\nContent-Usage: train-ai=n\nDisallow:\n",
        ),
        Example(
            bad="tdm-reservation: 0\nContent-Signal: ai-train=no\n",
            good="tdm-reservation: 1\nContent-Signal: ai-train=no\n",
            kind="headers",
        ),
    ),
    check=check,
    kinds=("robots", "page", "headers", "tdmrep", "ai-txt", "rsl", "cawg"),
)
