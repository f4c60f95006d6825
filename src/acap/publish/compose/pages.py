"""Statements of pages about themselves: META tags of one page, and words for headers.

Law: a tag or header means exactly what its rule means, or is refused. A conventional word that would be stricter is
named, so that the webmaster can choose it.
"""

from __future__ import annotations

from collections.abc import Iterator

from acap import _native
from acap.pages import words
from acap.pages.writing import page_statements
from acap.publish.compose.draft import ANY, Draft, DraftError, PageRule, Rule
from acap.publish.compose.text import is_name
from acap.statement import Statement


def matches(pattern: str, url: str) -> bool:
    """Whether a URL, absolute or a path, matches a pattern."""
    return _native.matches(
        _native.canonical_pattern(pattern.encode("utf-8", "replace")),
        _native.canonical_path(_path(url).encode("utf-8", "replace")),
    )


def _path(url: str) -> str:
    """Path and query of a URL."""
    if "://" not in url:
        return url
    rest = url.partition("://")[2]
    at = min((found for mark in "/?#" if (found := rest.find(mark)) >= 0), default=len(rest))
    return rest[at:] if rest[at : at + 1] == "/" else f"/{rest[at:]}"


def word_problem(word: str) -> str | None:
    """The problem of a conventional word; None if crawlers know it."""
    read = list(words.read(word, agents=False))
    if len(read) != 1 or any(letter in word for letter in ",;\r\n"):
        return f"`{word}` is not one word; give a list of words"
    if read[0].problem is not None:
        return f"unknown word `{word}`; known are {', '.join(sorted(words.WORDS))}"
    return None


def meta_tags(draft: Draft, url: str) -> tuple[str, ...]:
    """The META tags of one page, of all page rules that it matches.

    Raises:
        DraftError: a rule cannot be written as a tag.
    """
    found = [tag for page in draft.pages if matches(page.pattern, url) for tag in rule_tags(page, draft)]
    return tuple(dict.fromkeys(found))


def rule_tags(page: PageRule, draft: Draft) -> tuple[str, ...]:
    """The META tags of each page of one page rule; local usages stand for what the draft defines.

    Raises:
        DraftError: the rule cannot be written as a tag.
    """
    out = [_tag(name, ", ".join(page.words)) for name in _names(page)] if page.words else []
    statements = [
        statement
        for name in _names(page)
        for rule in page.rules
        for statement in _statements(rule, name, "acap", draft)
    ]
    try:
        return (*out, *page_statements(statements).meta)
    except ValueError as error:
        raise DraftError(str(error), page.origin) from error


def _tag(crawler: str | None, content: str) -> str:
    from html import escape

    return f'<meta name="{escape(crawler or "robots")}" content="{escape(content)}">'


def header_values(page: PageRule) -> tuple[str, ...]:
    """The values of X-Robots-Tag that say what a page rule says, one for each crawler.

    Raises:
        DraftError: no conventional word means just what a rule says.
    """
    out: list[str] = []
    for name in _names(page):
        words = list(page.words)
        rules = [statement for rule in page.rules for statement in _statements(rule, name, "x-robots-tag", None)]
        if rules:
            try:
                ((_, value),) = page_statements(rules).headers
            except ValueError as error:
                raise DraftError(_refusal(page.rules), page.origin) from error
            words.append(value.removeprefix(f"{name}: ") if name else value)
        if words:
            out.append(f"{name}: {', '.join(words)}" if name else ", ".join(words))
    return tuple(out)


def _refusal(rules: tuple[Rule, ...]) -> str:
    """Why rules cannot be expressed in a header, and the nearest word."""
    usages = {rule.usage for rule in rules if not rule.permits}
    for word in ("noindex", "nofollow", "noarchive", "nosnippet", "noai"):
        (page_word,) = words.read(word, agents=False)
        prohibited = {
            usage for one in page_word.rules_for("generic") if one.restriction is None for usage in one.usages
        }
        if usages & prohibited:
            more = ", ".join(sorted(prohibited - usages))
            return (
                f"headers have no word for just this: `{word}` also prohibits {more}; prohibit that too, or say "
                f"this in META tags"
            )
    return "headers have no word for this; say it in META tags"


def _names(page: PageRule) -> Iterator[str | None]:
    for name in page.crawlers:
        if name != ANY and not is_name(name):
            raise DraftError(
                f"`{name}` is not a valid name of a crawler; write letters, digits, `-`, `_` and `.`", page.origin
            )
        yield None if name == ANY else name


def _statements(rule: Rule, crawler: str | None, dialect: str, draft: Draft | None) -> list[Statement]:
    """The statements of a rule; a local usage stands for what the draft defines."""
    parts: list[tuple[str, tuple[tuple[str, str], ...]]] = [(rule.usage, rule.restrictions)]
    if rule.usage.startswith("("):
        parts = list(_defined(rule, draft))
    outcome = "permitted" if rule.permits else "prohibited"
    return [
        Statement(
            dialect=dialect,
            usage=usage,
            outcome=outcome,
            crawler=crawler,
            restrictions=restrictions if rule.permits else (),
        )
        for usage, restrictions in parts
    ]


def _defined(rule: Rule, draft: Draft | None) -> Iterator[tuple[str, tuple[tuple[str, str], ...]]]:
    known = {one.name.lower(): one for one in (draft.local_usages if draft else ())}
    definition = known.get(rule.usage.strip("()").lower())
    if definition is None:
        raise DraftError(f"the usage `{rule.usage}` cannot be used here; name the usages it stands for", rule.origin)
    for usage in definition.usages:
        if usage.startswith("("):
            inner = known.get(usage.strip("()").lower())
            if inner is None or inner is definition:
                raise DraftError(f"the usage `{usage}` is not defined", rule.origin)
            yield inner.usages[0], (*inner.restrictions, *rule.restrictions)
        else:
            yield usage, (*definition.restrictions, *rule.restrictions)
