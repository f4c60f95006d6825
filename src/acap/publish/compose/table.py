"""The `[policy]` table of `acap.toml`: a policy as a site keeps it in version control.

    [[policy.record]]
    crawlers = ["*"]
    permit = [{ usage = "index", resources = ["/news/"], time-limit = "7-days" }]
    prohibit = [{ usage = "crawl", resources = ["/private/"] }]

Nothing is guessed: a key that nobody knows and a value of another type are errors with their key path.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from acap.publish.compose.draft import (
    ANY,
    SERVERS,
    SET,
    Draft,
    DraftError,
    LocalUsage,
    PageRule,
    Record,
    ResourceSet,
    Rule,
    SubRecord,
    set_name,
)
from acap.publish.compose.pages import word_problem
from acap.publish.compose.text import complaints
from acap.restrictions import TABLE

QUALIFIERS = tuple(row.name for row in TABLE.values() if row.acap)

KEYS = (
    "record", "page", "resource-sets", "usages", "sitemaps", "lines", "ignore-conventional", "conventional", "comments",
    "version", "samples", "server",
)  # fmt: skip
_RECORD = ("crawlers", "purposes", "permit", "prohibit", "reference", "take-down", "re-crawl", "comment")
_PAGE = ("pattern", "crawlers", "permit", "prohibit", "words", "samples")


def draft_from_toml(value: Mapping[str, Any], *, strict: bool = True) -> Draft:
    """The draft of a `[policy]` table, as `tomllib` reads it.

    `strict`: what the reader of robots.txt would take for an error is one here too.

    Raises:
        DraftError: a key is unknown or missing, a value has another type or cannot be written; `origin` is its path.
    """
    here = "policy"
    table = _table(value, here, KEYS)
    server = _text(table, "server", here, SERVERS[0])
    if server not in SERVERS:
        raise DraftError(f"unknown server `{server}`; known are {', '.join(SERVERS)}", f"{here}.server")
    draft = Draft(
        records=_records(_list(table, "record", here)),
        resource_sets=tuple(
            ResourceSet(name, _texts({name: value}, name, f"{here}.resource-sets"), (), f"{here}.resource-sets.{name}")
            for name, value in _table(table.get("resource-sets", {}), f"{here}.resource-sets").items()
        ),
        local_usages=tuple(
            _local(name, value, strict=strict)
            for name, value in _table(table.get("usages", {}), f"{here}.usages").items()
        ),
        pages=tuple(_page(one, f"{here}.page[{n}]") for n, one in enumerate(_list(table, "page", here))),
        sitemaps=_texts(table, "sitemaps", here),
        kept=_kept(_text(table, "lines", here, "")),
        ignore_conventional=_truth(table, "ignore-conventional", here, default=False),
        version=_text(table, "version", here, "") or None,
        conventional=_truth(table, "conventional", here, default=True),
        comments=_truth(table, "comments", here, default=True),
        samples=_texts(table, "samples", here),
        server=server,
    )
    try:
        mistakes = complaints(draft)
    except DraftError as error:
        raise error if error.origin.startswith(here) else DraftError(error.message, _path(error.origin)) from error
    for complaint in mistakes:
        if strict and complaint.problem.severity == "error":
            advice = f"; {complaint.problem.fix}" if complaint.problem.fix else ""
            raise DraftError(f"{complaint.problem.message}{advice}", complaint.origin)
    return draft


def _path(origin: str) -> str:
    return f"policy.{origin}" if origin else "policy"


def _table(value: Any, here: str, known: tuple[str, ...] = ()) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise DraftError("this is not a table; write it as `[…]`", here)
    for name in value:
        if known and name not in known:
            raise DraftError(_unknown(name, known), here)
    return value


def _unknown(name: str, known: tuple[str, ...]) -> str:
    from difflib import get_close_matches

    close = get_close_matches(name, known, n=1, cutoff=0.6)
    advice = f"did you mean `{close[0]}`?" if close else f"known are {', '.join(known)}"
    return f"unknown key `{name}`; {advice}"


def _list(table: Mapping[str, Any], name: str, here: str) -> list[Any]:
    value = table.get(name, [])
    if not isinstance(value, list):
        raise DraftError(f"this is not a list of tables; write it as `[[{here}.{name}]]`", f"{here}.{name}")
    return value


def _texts(table: Mapping[str, Any], name: str, here: str) -> tuple[str, ...]:
    value = table.get(name, [])
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise DraftError('this is not a list of texts; write it as ["…"]', f"{here}.{name}")
    return tuple(value)


def _text(table: Mapping[str, Any], name: str, here: str, default: str) -> str:
    value = table.get(name, default)
    if not isinstance(value, str):
        raise DraftError('this is not a text; write it as "…"', f"{here}.{name}")
    return value


def _truth(table: Mapping[str, Any], name: str, here: str, *, default: bool) -> bool:
    value = table.get(name, default)
    if not isinstance(value, bool):
        raise DraftError("this is neither true nor false", f"{here}.{name}")
    return value


def _kept(lines: str) -> str:
    return f"{lines.strip(chr(10))}\n" if lines.strip() else ""


def _records(values: list[Any]) -> tuple[Record, ...]:
    """The records; what is said to the same crawlers becomes one (P1 4.2: one record for any crawler)."""
    records: dict[tuple[str, ...], Record] = {}
    for number, one in enumerate(values):
        made = _record(one, f"policy.record[{number}]")
        key = (*sorted(name.lower() for name in made.crawlers), str(made.reference))
        before = records.get(key)
        records[key] = made if before is None else _joined(before, made)
    return tuple(records.values())


def _joined(record: Record, other: Record) -> Record:
    parts = {part.purposes: part for part in record.sub_records}
    for part in other.sub_records:
        before = parts.get(part.purposes)
        parts[part.purposes] = part if before is None else replace(before, rules=(*before.rules, *part.rules))
    return replace(
        record,
        sub_records=tuple(parts.values()),
        requests=(*record.requests, *other.requests),
        notes=(*record.notes, *other.notes),
    )


def _record(value: Any, here: str) -> Record:
    table = _table(value, here, _RECORD)
    crawlers = _texts(table, "crawlers", here)
    if not crawlers:
        raise DraftError('the key `crawlers` is missing; write crawlers = ["*"] for any crawler', here)
    rules = tuple(_all_rules(table, here, resources=True))
    asked = [(action, path) for action in ("take-down", "re-crawl") for path in _texts(table, action, here)]
    comment = _text(table, "comment", here, "")
    reference = _text(table, "reference", here, "") or None
    if reference is not None and any(rule.permits for rule in rules):
        raise DraftError("a record with a reference permits nothing itself; remove `permit` or `reference`", here)
    if not rules and not asked and reference is None:
        raise DraftError("the record says nothing; give it `permit` or `prohibit`", here)
    parts = (SubRecord(_texts(table, "purposes", here), rules, here),) if rules else ()
    return Record(crawlers, parts, reference, tuple(asked), tuple(comment.splitlines()), here)


def _all_rules(table: Mapping[str, Any], here: str, *, resources: bool) -> Iterator[Rule]:
    for name in ("permit", "prohibit"):
        values = table.get(name, [])
        if not isinstance(values, list):
            raise DraftError(f'this is not a list; write it as {name} = [{{ usage = "index" }}]', f"{here}.{name}")
        for number, value in enumerate(values):
            yield from _rules(value, name == "permit", f"{here}.{name}[{number}]", resources=resources)


def _rules(value: Any, permits: bool, here: str, *, resources: bool) -> Iterator[Rule]:
    """The rules of one entry, one for each usage that it names; a text alone is a usage."""
    own = ("resources", "sets") if resources else ()
    table = _table({"usage": value} if isinstance(value, str) else value, here, ("usage", "comment", *own, *QUALIFIERS))
    usages = _one_or_more(table, "usage", here)
    if not usages:
        raise DraftError('the key `usage` is missing; write usage = "index"', here)
    limits = _restrictions(table, here)
    if limits and not permits:
        raise DraftError(f"a prohibition has no restrictions; remove `{limits[0][0]}`, or permit", here)
    where: tuple[str, ...] = ()
    if resources:
        named = tuple(f"{SET}{name}" for name in _texts(table, "sets", here))
        where = (*_texts(table, "resources", here), *named)
        for pattern in where:
            if not pattern.startswith(("/", ANY, SET)):
                raise DraftError(f"`{pattern}` is not a pattern of a path; start it with `/` or `*`", here)
        where = where or ("/",)
    notes = tuple(_text(table, "comment", here, "").splitlines())
    for number, usage in enumerate(usages):
        yield Rule(permits, usage, where, limits, () if number else notes, here)


def _one_or_more(table: Mapping[str, Any], name: str, here: str) -> tuple[str, ...]:
    return (table[name],) if isinstance(table.get(name), str) else _texts(table, name, here)


def _restrictions(
    table: Mapping[str, Any], here: str, names: Iterable[str] = QUALIFIERS
) -> tuple[tuple[str, str], ...]:
    return tuple((name, value) for name in names if name in table for value in _one_or_more(table, name, here))


def _local(name: str, value: Any, *, strict: bool) -> LocalUsage:
    here = f"policy.usages.{name}"
    if isinstance(value, list):
        return LocalUsage(name, _texts({name: value}, name, "policy.usages"), (), (), here)
    table = _table(value, here, ("usage", *QUALIFIERS) if strict else ())
    usage = _text(table, "usage", here, "")
    if not usage:
        raise DraftError('the key `usage` is missing; write usage = "preserve"', here)
    # A restriction that nobody knows turns a permission into a prohibition: a file that has one keeps it.
    further = (key for key in table if key != "usage" and key not in QUALIFIERS)
    return LocalUsage(name, (usage,), _restrictions(table, here, (*QUALIFIERS, *further)), (), here)


def _page(value: Any, here: str) -> PageRule:
    table = _table(value, here, _PAGE)
    pattern = _text(table, "pattern", here, "")
    if not pattern.startswith(("/", ANY)):
        raise DraftError(f'`{pattern}` is not a pattern of a path; write pattern = "/drafts/"', f"{here}.pattern")
    words = _texts(table, "words", here)
    for word in words:
        if problem := word_problem(word):
            raise DraftError(problem, f"{here}.words")
    rules = tuple(_all_rules(table, here, resources=False))
    if not rules and not words:
        raise DraftError("the page rule says nothing; give it `words`, `permit` or `prohibit`", here)
    return PageRule(
        pattern, _texts(table, "crawlers", here) or (ANY,), rules, words, _texts(table, "samples", here), here
    )


# --- writing ----------------------------------------------------------------------------------------------------------


def draft_to_toml(draft: Draft) -> str:
    """The draft as a `[policy]` table, which `draft_from_toml` reads as the same.

    Raises:
        DraftError: it holds octets that are no UTF-8, which TOML has no form for.
    """
    own: list[str] = []
    default = Draft()
    for name, value, usual in (
        ("version", draft.version, None),
        ("ignore-conventional", draft.ignore_conventional, default.ignore_conventional),
        ("conventional", draft.conventional, default.conventional),
        ("comments", draft.comments, default.comments),
        ("server", draft.server, default.server),
        ("sitemaps", draft.sitemaps, ()),
        ("samples", draft.samples, ()),
    ):
        if value != usual:
            own.append(f"{name} = {_toml(value)}")
    if draft.kept.strip():
        own.append(f'lines = """\n{_escaped(draft.kept.strip(chr(10)))}\n"""')
    blocks = [["[policy]", *own]]
    if draft.resource_sets:
        defined = [
            (resource_set.notes, resource_set.name, _toml(resource_set.patterns))
            for resource_set in draft.resource_sets
        ]
        blocks.append(["[policy.resource-sets]", *_definitions(defined)])
    if draft.local_usages:
        defined = [(usage.notes, usage.name, _local_toml(usage)) for usage in draft.local_usages]
        blocks.append(["[policy.usages]", *_definitions(defined)])
    blocks += [block for record in draft.records for block in _record_toml(record)]
    blocks += [_page_toml(page) for page in draft.pages]
    text = "\n\n".join("\n".join(block) for block in blocks) + "\n"
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise DraftError("the file is not UTF-8; save it as UTF-8 first") from error
    return text


def _definitions(definitions: list[tuple[tuple[str, ...], str, str]]) -> Iterator[str]:
    for notes, name, value in definitions:
        yield from (f"# {_toml(note)[1:-1]}" for note in notes)
        yield f"{_key(name)} = {value}"


def _record_toml(record: Record) -> list[list[str]]:
    blocks: list[list[str]] = []
    for part in record.sub_records or (SubRecord(),):
        block = ["[[policy.record]]", f"crawlers = {_toml(record.crawlers)}"]
        if part.purposes:
            block.append(f"purposes = {_toml(part.purposes)}")
        if not blocks:
            if record.notes:
                block.append(f"comment = {_toml(chr(10).join(record.notes))}")
            if record.reference is not None:
                block.append(f"reference = {_toml(record.reference)}")
            for action in ("take-down", "re-crawl"):
                paths = tuple(path for name, path in record.requests if name == action)
                block += [f"{action} = {_toml(paths)}"] if paths else []
        blocks.append([*block, *_rules_toml(part.rules)])
    return blocks


def _rules_toml(rules: tuple[Rule, ...]) -> Iterator[str]:
    for name, permits in (("permit", True), ("prohibit", False)):
        lines = [f"  {_rule_toml(rule)}," for rule in rules if rule.permits == permits]
        if lines:
            yield f"{name} = ["
            yield from lines
            yield "]"


def _rule_toml(rule: Rule) -> str:
    sets = tuple(name for resource in rule.resources if (name := set_name(resource)) is not None)
    patterns = tuple(
        resource if resource.startswith(("/", ANY)) else f"/{resource}"
        for resource in rule.resources
        if set_name(resource) is None
    )
    items = [f"usage = {_toml(rule.usage)}"]
    items += [f"resources = {_toml(patterns)}"] if patterns else []
    items += [f"sets = {_toml(sets)}"] if sets else []
    items += _limits_toml(rule.restrictions)
    items += [f"comment = {_toml(chr(10).join(rule.notes))}"] if rule.notes else []
    return f"{{ {', '.join(items)} }}"


def _limits_toml(restrictions: tuple[tuple[str, str], ...]) -> Iterator[str]:
    for name in dict.fromkeys(name for name, _ in restrictions):
        values = tuple(value for one, value in restrictions if one == name)
        yield f"{_key(name)} = {_toml(values[0] if len(values) == 1 else values)}"


def _local_toml(usage: LocalUsage) -> str:
    if len(usage.usages) > 1 or not usage.restrictions:
        return _toml(usage.usages)
    return f"{{ {', '.join([f'usage = {_toml(usage.usages[0])}', *_limits_toml(usage.restrictions)])} }}"


def _page_toml(page: PageRule) -> list[str]:
    block = ["[[policy.page]]", f"pattern = {_toml(page.pattern)}"]
    for name, value, usual in (
        ("crawlers", page.crawlers, (ANY,)),
        ("words", page.words, ()),
        ("samples", page.samples, ()),
    ):
        if value != usual:
            block.append(f"{name} = {_toml(value)}")
    return [*block, *_rules_toml(tuple(replace(rule, resources=()) for rule in page.rules))]


def _toml(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return f"[{', '.join(map(_toml, value))}]" if isinstance(value, tuple) else str(value)


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else _toml(name)


def _escaped(text: str) -> str:
    """Text for a string between three quotes."""
    return "\n".join(_toml(line)[1:-1] for line in text.split("\n"))


__all__ = ["KEYS", "QUALIFIERS", "draft_from_toml", "draft_to_toml"]
