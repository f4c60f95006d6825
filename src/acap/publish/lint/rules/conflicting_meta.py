"""Words of META tags or X-Robots-Tag that contradict each other."""

from __future__ import annotations

from collections.abc import Iterator

from acap.problems import Example
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Finding
from acap.publish.lint.rule import Rule

_OPPOSITES = {
    "index": ("noindex", "none"),
    "follow": ("nofollow", "none"),
    "all": ("noindex", "nofollow", "none"),
    "archive": ("noarchive",),
    "snippet": ("nosnippet",),
}


def check(document: Document) -> Iterator[Finding]:
    """A finding for each word that gives leave, beside one to the same crawler that takes it away."""
    addressed_words = [word for word in document.page.carried.words if word.word.name]
    words = {((one.crawler or "").lower(), one.word.name) for one in addressed_words}
    seen = set()
    for addressed in addressed_words:
        key = ((addressed.crawler or "").lower(), addressed.word.name)
        against = next((word for word in _OPPOSITES.get(addressed.word.name, ()) if (key[0], word) in words), None)
        if against is None or key in seen:
            continue
        seen.add(key)
        who = f" to `{addressed.crawler}`" if addressed.crawler else ""
        yield RULE.finding(
            document,
            *document.word_span(addressed),
            f"the page says both `{addressed.word.name}` and `{against}`{who}; `{against}` counts for careful crawlers",
            help=f"remove `{addressed.word.name}` or `{against}`",
        )


RULE = Rule(
    code="conflicting-meta",
    summary="a page says index and noindex, or another contradiction",
    severity="warning",
    why=(
        "If two words contradict each other, Google takes the stricter one; others choose as they like. Often a theme "
        "writes one tag and a plug-in the other, or a header contradicts the page."
    ),
    clause="Google, robots meta tag",
    examples=(
        Example(
            bad=(
                '<!DOCTYPE html><title>A</title>\n<meta name="robots" content="index, follow">\n'
                '<meta name="robots" content="noindex">\n'
            ),
            good='<!DOCTYPE html><title>A</title>\n<meta name="robots" content="noindex, follow">\n',
            kind="page",
        ),
        Example(bad="X-Robots-Tag: all, noindex\n", good="X-Robots-Tag: noindex\n", kind="headers"),
    ),
    check=check,
    kinds=("page", "headers"),
)
