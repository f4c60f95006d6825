"""Rules in plain words: for comments in the file, for the dialogue, for the form of the workshop."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from itertools import groupby

from acap.explain import RESTRICTIONS, USAGES
from acap.publish.compose.draft import ANY, Draft, Record, Rule, set_name
from acap.robots import parse_robots

_EVERYTHING = frozenset({"/", "/*", ANY})
_PATHS = ("/", ANY, "http://", "https://")

_MODIFICATIONS = {
    "any": "without any change",
    "format": "without a change of its format",
    "style": "without a change of its style",
    "translation": "without translating it",
    "annotation": "without notes added to it",
}


def audience(crawlers: tuple[str, ...], purposes: tuple[str, ...] = ()) -> str:
    """The addressees of a rule: `Any crawler`, `SearchBot1 and SearchBot2, for news.*`."""
    names = [name for name in crawlers if name != ANY]
    who = "Any crawler" if len(names) < len(crawlers) or not names else _listed(names, "and")
    return f"{who}, for {_listed(list(purposes), 'or')}" if purposes and ANY not in purposes else who


def _listed(words: list[str], last: str) -> str:
    return " and ".join(words) if last == "and" and len(words) == 2 else (
        f"{', '.join(words[:-1])} {last} {words[-1]}" if len(words) > 1 else "".join(words)
    )  # fmt: skip


def resource(pattern: str, *, permits: bool) -> str:
    """What a pattern stands for: `everything`, `the set images`, or the pattern."""
    if pattern in _EVERYTHING:
        return "everything" if permits else "anything"
    name = set_name(pattern)
    return pattern if name is None else f"the set {name}"


def as_path(pattern: str) -> str:
    """A pattern of a file within a sentence: one that is no path, such as `: /`, would be read as a part of that."""
    is_path = pattern.startswith(_PATHS) or set_name(pattern) is not None
    return pattern if is_path else f"“{pattern}”, which is no path"


def sentence(rule: Rule) -> str:
    """`may index /news/ for 7 days`, `must not preserve copies of anything`."""
    where = _listed([resource(one, permits=rule.permits) for one in rule.resources] or ["it"], "or")
    known = USAGES.get(rule.usage.lower())
    act = known.format(where) if known else f"use {where} as “{rule.usage.strip('()')}”"
    limits = ", ".join(restriction(name, value) for name, value in rule.restrictions)
    return f"{'may' if rule.permits else 'must not'} {act}{f', {limits}' if limits else ''}"


def addressed(who: str, rule: Rule) -> tuple[str, str]:
    """Whom a rule addresses, and what it says, as one sentence: `No crawler` and `may index /drafts/`."""
    what = sentence(rule)
    if rule.permits or not who.startswith("Any "):
        return who, what
    return who.replace("Any", "No", 1), what.replace("must not", "may", 1)


def kept_sentences(draft: Draft) -> Iterator[tuple[str, str]]:
    """What the lines say that a draft keeps as they are: whom each addresses, and the same resources as one sentence.

    ACAP is not among them, for a draft has it as rules.
    """
    of: dict[tuple[tuple[str, ...], str, str], list[str]] = {}
    policy = parse_robots(draft.kept)
    for statement in (*policy.statements, *policy.signals):
        if (
            statement.cited.dialect != "acap"
            and statement.pattern
            and statement.cited.effect in ("permits", "prohibits")
        ):
            of.setdefault((statement.crawlers, statement.cited.effect, statement.cited.usage), []).append(
                as_path(statement.pattern)
            )
    for (crawlers, effect, usage), patterns in of.items():
        yield addressed(audience(crawlers), Rule(effect == "permits", usage, tuple(dict.fromkeys(patterns))))


def restriction(name: str, value: str) -> str:
    """A restriction of a permission: `until 1 March 2008`, `no more than 20 words`."""
    low = value.lower()
    number = low.rpartition("-")[0]
    if name == "time-limit":
        if low == "until-recrawled":
            return "until it is crawled again"
        if low.endswith("-days"):
            return f"for {number} day{'' if number == '1' else 's'}"
        try:
            return f"until {date.fromisoformat(low.removeprefix('until-')):%d %B %Y}".replace(" 0", " ")
        except ValueError:
            return f"{name}={value}"
    if name == "max-length":
        return f"no more than {number} {'words' if low.endswith('words') else 'characters'}"
    if name == "prohibited-modification":
        return _MODIFICATIONS.get(low, f"{name}={value}")
    if name == "prohibited-context" and low == "within-user-frame":
        return "not in a frame of their own"
    if name == "required-context" and low == "within-original-frame":
        return "only in the frame it has on the site"
    return f"{name}={value} ({RESTRICTIONS[name]})" if name in RESTRICTIONS else f"{name}={value}"


def _gathered(rules: tuple[Rule, ...]) -> Iterator[Rule]:
    """The rules, with neighbours that differ only in their resources as one."""
    for _, group in groupby(rules, lambda one: (one.permits, one.usage.lower(), one.restrictions)):
        first, *more = group
        yield replace(first, resources=(*first.resources, *(pattern for rule in more for pattern in rule.resources)))


def described(record: Record) -> tuple[str, ...]:
    """A record in lines: its addressees, and below them what they may and must not do."""
    lines: list[str] = []
    for part in record.sub_records:
        sentences = [f"  {sentence(rule)}" for rule in _gathered(part.rules)]
        if sentences:
            lines += [f"{audience(record.crawlers, part.purposes)}:", *sentences]
    if record.reference is not None:
        lines.append(f"{audience(record.crawlers)}: permissions are in {record.reference}")
    for action, path in record.requests:
        asked = "take down" if action == "take-down" else "crawl again"
        lines.append(f"{audience(record.crawlers)}: please {asked} {path}")
    return tuple(lines)
