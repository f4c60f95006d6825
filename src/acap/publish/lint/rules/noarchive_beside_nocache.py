"""noarchive and nocache together, of which Microsoft takes the weaker."""

from __future__ import annotations

from collections.abc import Iterator

from acap.problems import Example
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Finding
from acap.publish.lint.rule import Rule


def check(document: Document) -> Iterator[Finding]:
    """A finding at the first noarchive, if the same crawler is told nocache too."""
    addressed_words = document.page.carried.words
    weaker = {(one.crawler or "").lower() for one in addressed_words if one.word.name == "nocache"}
    for addressed in addressed_words:
        if addressed.word.name == "noarchive" and (addressed.crawler or "").lower() in weaker:
            yield RULE.finding(
                document,
                *document.word_span(addressed),
                "beside `nocache`, Microsoft reads `noarchive` as `nocache`, which is weaker",
                help="remove `nocache`",
            )
            return


RULE = Rule(
    code="noarchive-beside-nocache",
    summary="noarchive is weakened by nocache",
    severity="warning",
    why=(
        "For Microsoft, `noarchive` keeps a page out of the answers of its assistants and out of training; `nocache` "
        "permits URL, title and snippet for both. If a page says both, Microsoft follows `nocache`. In this one pair, "
        "adding a word weakens the policy."
    ),
    clause="Microsoft, options for webmasters on content in Bing Chat, 2023",
    examples=(
        Example(
            bad='<!DOCTYPE html><title>A</title>\n<meta name="robots" content="noarchive, nocache">\n',
            good='<!DOCTYPE html><title>A</title>\n<meta name="robots" content="noarchive">\n',
            kind="page",
        ),
    ),
    check=check,
    kinds=("page", "headers"),
)
