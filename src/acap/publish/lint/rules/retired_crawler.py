"""Names of crawlers that are run no more."""

from __future__ import annotations

from collections.abc import Iterator

from acap.crawler_list import as_of, known
from acap.problems import Example
from acap.publish.lint.crawler_names import listing, named
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Finding, Related
from acap.publish.lint.rule import Rule

MOST = 5  # further lines pointed at


def check(document: Document) -> Iterator[Finding]:
    """One finding a document: at the first such name, with the others beside it."""
    own = {name.lower() for name in document.known_crawlers}
    retired = [
        (one, crawler)
        for one in named(document)
        if (crawler := known(one.name)) is not None and crawler.retired and crawler.name.lower() not in own
    ]
    if not retired:
        return
    first, crawler = retired[0]
    message = f"as of {as_of()}, these crawlers no longer run: {listing([one.name for one, _ in retired])}"
    if len({one.name for one, _ in retired}) == 1:
        message = f"as of {as_of()}, `{first.name}` no longer runs"
    yield RULE.at_line(
        document,
        first.line,
        message,
        help=f"`{first.name}` is now `{crawler.instead}`" if crawler.instead else None,
        related=tuple(
            Related(one.line, f"now `{found.instead}`" if found.instead else f"`{one.name}`")
            for one, found in retired[1 : MOST + 1]
        ),
    )


RULE = Rule(
    code="retired-crawler",
    summary="a named crawler no longer runs",
    severity="info",
    why=(
        "Operators rename or retire crawlers. Rules for the old name do not apply to the new one: a site that refused "
        "`Claude-Web` did not address `ClaudeBot` by that. The list of known crawlers has a date and follows what "
        "operators had published by then."
    ),
    clause="RFC 9309 2.2.1",
    examples=(
        Example(
            bad="User-agent: Claude-Web\nDisallow: /\n",
            good="User-agent: ClaudeBot\nDisallow: /\n",
        ),
    ),
    check=check,
)
