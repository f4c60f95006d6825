"""A robots.txt becomes a draft.

The reader decides what each line means; nothing here has a grammar of its own. The author's names (resource sets,
local usages) and patterns are kept as written where the reader finds the same meaning in the line rewritten with them;
for any other line the meaning that the reader found is kept. Lines that are not ACAP's are kept as they are.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import groupby

from acap._native import unreadable
from acap.outline import Field, Outline
from acap.publish.compare import compare
from acap.publish.compose.blanks import blank_mistakes
from acap.publish.compose.draft import (
    ANY,
    Draft,
    DraftError,
    LocalUsage,
    Record,
    ResourceSet,
    Rule,
    SubRecord,
    set_name,
)
from acap.publish.compose.kept_lines import divided, read_lines, without_generated
from acap.publish.compose.text import (
    acap_lines,
    is_name,
    resource_text,
    robots_octets,
    rule_lines,
    version,
)
from acap.publish.convert.proof import looser
from acap.publish.questions import differently_defined
from acap.restrictions import TABLE
from acap.robots import PolicyStatement, RobotsPolicy, parse_robots
from acap.usages import PARENTS

_ASIDE = ("permissions-reference", "request-take-down", "request-re-crawl")

_STEPS = 1 << 24
_SECONDS = 5.0
"""Steps and seconds for proving that a draft permits nothing more, where the file has doubts."""

_LIFTING_NOTHING = frozenset({"acap-later-version", "acap-nearly-permission"})
"""Problems of permissions that only restrict."""
_UNCLEAR = frozenset({"acap-no-crawler", "acap-empty-purpose"})
"""Problems of lines that do not tell the crawlers or purposes of other lines."""


def draft_from_robots(octets: bytes) -> Draft:
    """The draft of a robots.txt; its text decides as the file does.

    Raises:
        DraftError: the file is packed or binary, or so large that a limit cut it, a blank in it divides what may be one
            value or path, a reference in it names nothing, a
            permission in it lifts nothing as it is read, a crawler or purpose line in it names nothing, a definition in
            it is read as something that no definition says, or a doubt in it prohibits more than a draft can say.
    """
    policy = parse_robots(octets)
    if policy.truncated and (what := unreadable(policy.octets)):
        raise DraftError(f"the file is {what} and cannot be read; unpack it first")
    if policy.truncated:
        raise DraftError("the file is so large that only part of it is read; make it smaller first")
    for problem in policy.problems:
        if problem.code in _LIFTING_NOTHING:
            message = "the permission has no effect as it stands, and in a draft it would have one; fix the line first"
            raise DraftError(message, f"line {problem.line}")
        if problem.code in _UNCLEAR:
            message = (
                "it is unclear which crawlers or purposes the lines below it are for, and a draft would have to say "
                "so; fix the line first"
            )
            raise DraftError(message, f"line {problem.line}")
    for line, mistake in blank_mistakes(policy):
        raise DraftError(mistake, f"line {line}")
    outline = policy.outline
    comments, kept = divided(policy.lines, policy.ignores_conventional)
    sets, usages = _definitions(policy, outline, comments)
    records = [*_records(policy, outline, comments, sets, usages), *_beside(policy, outline)]
    draft = Draft(
        records=tuple(filter(_says_something, records)),
        resource_sets=sets,
        local_usages=usages,
        kept=kept,
        ignore_conventional=policy.ignores_conventional is not None,
        # A version that is declared only for lack of newer features is not asked for.
        version=policy.version if _is_later(policy.version) else None,
    )
    differently_read = _differently_read(policy, outline, draft)
    if differently_read and policy.version is None:
        # A definition of 1.0 that cannot be interpreted may be of a later version.
        draft = replace(draft, version="1.1")
        differently_read = _differently_read(policy, outline, draft)
    for name, line in differently_read.items():
        message = f"a draft cannot express how the definition of `{name}` is read; fix the line first"
        raise DraftError(message, f"line {line}")
    drafted = without_generated(draft, policy)
    _hold_answers(policy, drafted)
    return drafted


def _hold_answers(policy: RobotsPolicy, draft: Draft) -> None:
    """Raises DraftError if the draft would permit more: permissions lift its prohibitions, but not those of a doubt."""
    doubts = [problem.line for problem in policy.problems if problem.code.startswith("acap-")]
    doubts += [line for name in policy.crawlers for line, _ in policy.reference_lines(name)]
    if not doubts:
        return
    comparison = compare(policy, parse_robots(robots_octets(draft), url=policy.url), steps=_STEPS, seconds=_SECONDS)
    change = looser(comparison.changes)
    if change is not None or comparison.undecided:
        line = change.before.line if change is not None and change.before.line else doubts[0]
        message = (
            "no permission overrides the doubtful prohibition in this line, and in a draft one would; fix the line "
            "first"
        )
        raise DraftError(message, f"line {line}")


def _is_later(version: str | None) -> bool:
    return version is not None and [int(part) for part in version.split(".")] > [1, 0]


def _definitions(
    policy: RobotsPolicy, outline: Outline, comments: dict[int, tuple[str, ...]]
) -> tuple[tuple[ResourceSet, ...], tuple[LocalUsage, ...]]:
    """Definitions as written, or as the reader understood them; the first one of each name."""
    sets: dict[str, ResourceSet] = {}
    usages: dict[str, LocalUsage] = {}
    for field in outline.definitions:
        if field.guessed or len(field.words) < 2:
            continue
        name, notes, origin = field.words[0].text, comments.get(field.line, ()), f"line {field.line}"
        if field.name == "resource-set":
            sets.setdefault(name.lower(), ResourceSet(name, field.texts("resource"), notes, origin))
        else:
            own = LocalUsage(name, field.texts("usage"), _qualifiers(field), notes, origin)
            usages.setdefault(name.lower(), own)
    understood = [_today(usage, policy) for usage in usages.values()]
    return (
        tuple(resource_set for resource_set in sets.values() if _safely(Draft(resource_sets=(resource_set,)))),
        tuple(usage for usage in understood if _safely(Draft(local_usages=(usage,)))),
    )


def _qualifiers(field: Field) -> tuple[tuple[str, str], ...]:
    pairs = (text.partition("=") for text in field.texts("qualifier"))
    return tuple((name.strip().lower(), value.strip()) for name, _, value in pairs)


def _today(local: LocalUsage, policy: RobotsPolicy) -> LocalUsage:
    """A definition with the current names of its restrictions, if the reader understands it the same."""
    if all(name in TABLE and TABLE[name].acap for name, _ in local.restrictions):
        return local
    match policy.definitions([(local.name.lower(), True)]):
        case [(True, [(usage, True, restrictions)])]:
            return replace(local, usages=(usage,), restrictions=tuple(restrictions))
    return local


def _differently_read(policy: RobotsPolicy, outline: Outline, draft: Draft) -> dict[str, int]:
    """Names, with their lines, that the draft defines differently from the file: pages may name them (P2 3)."""
    named: dict[str, int] = {}
    for field in outline.definitions:
        if field.defines:
            named.setdefault(field.defines, field.line)
    definitions = _safely(Draft(local_usages=draft.local_usages))
    made = read_lines([f"##ACAP version={version(draft)}", *definitions])
    return {name: named[name] for name in differently_defined(policy, made, named)}


def _records(
    policy: RobotsPolicy,
    outline: Outline,
    comments: dict[int, tuple[str, ...]],
    sets: tuple[ResourceSet, ...],
    usages: tuple[LocalUsage, ...],
) -> list[Record]:
    """The records with their rules; a line becomes one rule, or as many as its meaning needs."""
    acap_statements = [statement for statement in policy.statements if statement.cited.dialect == "acap"]
    void = {problem.line for problem in policy.problems if problem.code == "acap-permission-beside-reference"}
    on_lines: dict[int, list[PolicyStatement]] = {}
    for statement in acap_statements:
        number = statement.cited.line or 0
        is_permission = outline.by_line[number].name.startswith("allow-")
        if not (number in void and statement.cited.effect == "permits") and _can_be_written(statement, is_permission):
            on_lines.setdefault(number, []).append(statement)
    names = frozenset(resource_set.name.lower() for resource_set in sets)
    kept = _as_written(on_lines, outline, comments, _safely(Draft(resource_sets=sets, local_usages=usages)), names)
    records: list[Record] = []
    within = {field.line: number for number, record in enumerate(outline.records) for field in record.fields}
    for _, group in groupby(acap_statements, lambda one: within[one.cited.line or 0]):
        statements = list(group)
        rules: dict[tuple[str, ...], list[Rule]] = {}
        for number in dict.fromkeys(statement.cited.line or 0 for statement in statements):
            if number in on_lines:
                own = [kept[number]] if number in kept else _understood(on_lines[number], comments, number)
                rules.setdefault(on_lines[number][0].purposes, []).extend(own)
        parts = tuple(SubRecord(purposes, tuple(found)) for purposes, found in rules.items())
        first = next((statement.cited.line or 0 for statement in statements), 0)
        records.append(Record(statements[0].crawlers, parts, notes=_above(outline, first, comments)))
    return records


def _can_be_written(statement: PolicyStatement, is_permission: bool) -> bool:
    """Whether a statement can be written as a field; one on an unknown usage may not be, and affects no other usage."""
    usage = statement.cited.usage
    # A permission of such a usage that cannot be interpreted prohibits it; written so, it would name another usage.
    turned = statement.cited.effect == "prohibits" and is_permission
    return is_name(usage) and (usage in PARENTS or not turned)


def _above(outline: Outline, number: int, comments: dict[int, tuple[str, ...]]) -> tuple[str, ...]:
    """The comments on the crawler and purpose lines above a record's first rule."""
    notes: list[str] = []
    at = bisect_left(outline.acap, number, key=lambda field: field.line)
    while at > 0 and (field := outline.acap[at - 1]).name in ("crawler", "usage-purpose"):
        notes[:0] = comments.get(field.line, ())
        at -= 1
    return tuple(notes)


def _safely(draft: Draft) -> list[str]:
    """The definitions of a draft as lines, none if one of them cannot be written."""
    try:
        return [line for line, _ in acap_lines(draft)]
    except DraftError:
        return []


Meaning = tuple[str, str, str, tuple[tuple[str, str], ...]]


def _meaning(statement: PolicyStatement) -> Meaning:
    return (statement.cited.effect, statement.cited.usage, statement.pattern, statement.restrictions)


def _understood(statements: Sequence[PolicyStatement], comments: dict[int, tuple[str, ...]], number: int) -> list[Rule]:
    """The rules of one line as the reader understood it."""
    parts: dict[tuple[str, str, tuple[tuple[str, str], ...]], list[str]] = {}
    for statement in statements:
        parts.setdefault((statement.cited.effect, statement.cited.usage, statement.restrictions), []).append(
            statement.pattern
        )
    notes = comments.get(number, ())
    return [
        Rule(effect == "permits", usage, tuple(patterns), restrictions, () if nth else notes, f"line {number}")
        for nth, ((effect, usage, restrictions), patterns) in enumerate(parts.items())
    ]


def _as_written(
    on_lines: dict[int, list[PolicyStatement]],
    outline: Outline,
    comments: dict[int, tuple[str, ...]],
    defined: list[str],
    sets: frozenset[str],
) -> dict[int, Rule]:
    """The rules that say with a line's own words what the reader finds in it, by the number of the line."""
    text = [*defined, f"ACAP-crawler: {ANY}"]
    rules: dict[int, Rule] = {}
    places: list[int] = [0] * len(text)
    for number, statements in on_lines.items():
        rule = _own_words(outline.by_line[number], statements, comments.get(number, ()))
        if rule is not None and all(_is_known(resource, sets) for resource in rule.resources):
            with suppress(DraftError):
                written = list(rule_lines(rule))
                text += written
                places += [number] * len(written)
                rules[number] = rule
    meanings: dict[int, list[Meaning]] = {}
    for statement in read_lines(text).statements:
        meanings.setdefault(places[(statement.cited.line or 1) - 1], []).append(_meaning(statement))
    return {
        number: rule
        for number, rule in rules.items()
        if Counter(meanings.get(number, ())) == Counter(map(_meaning, on_lines[number]))
    }


def _is_known(resource: str, sets: frozenset[str]) -> bool:
    name = set_name(resource)
    return name is None or name.lower() in sets


def _own_words(field: Field, statements: Sequence[PolicyStatement], notes: tuple[str, ...]) -> Rule | None:
    permits = statements[0].cited.effect == "permits"
    verb, hyphen, name = field.name.partition("-")
    if not hyphen or field.guessed or any((statement.cited.effect == "permits") != permits for statement in statements):
        return None
    written = tuple(_resources(field))
    if not all(text.startswith(("/", ANY)) or set_name(text) is not None for text in written):
        return None  # The path of a URI counts, and a relative pattern depends on its base.
    resources = tuple(map(resource_text, written))
    origin = f"line {field.line}"
    if not name.startswith("("):
        return Rule(permits, statements[0].cited.usage, resources, statements[0].restrictions, notes, origin)
    # A prohibition of a local usage is written out as its usages.
    return Rule(True, name, resources, _qualifiers(field), notes, origin) if verb == "allow" and permits else None


def _resources(field: Field) -> Iterator[str]:
    """The resources of a field, without the parts of those that a comma divides."""
    end = 0
    for word in sorted(field.words, key=lambda word: (word.span.start, -word.span.end)):
        if word.role == "resource" and word.span.end > end:
            end = word.span.end
            yield word.text


def _beside(policy: RobotsPolicy, outline: Outline) -> list[Record]:
    """References and action requests, each with the crawlers that the reader finds for it.

    Each reference has a record of its own: permissions beside one would have no effect (P1 4.5.2).
    """
    if not any(field.name in _ASIDE for field in outline.acap):
        return []
    names = [name for name in policy.crawlers if name != ANY]
    references: dict[tuple[int, str], list[str]] = {}
    requests: dict[tuple[int, str, str], list[str]] = {}
    for name in (ANY, *names):
        for line, uri in policy.reference_lines(name):
            if not uri.strip():
                message = "the line refers to nothing, which prohibits everything; name a resource, or remove the line"
                raise DraftError(message, f"line {line}")
            references.setdefault((line, uri), []).append(name)
        for one in policy.action_requests(name):
            requests.setdefault((one.line, one.action, resource_text(one.path)), []).append(name)

    def to(names: list[str]) -> tuple[str, ...]:
        return (ANY,) if ANY in names else tuple(names)

    out = [Record(to(found), reference=uri) for (_, uri), found in sorted(references.items())]
    asked: dict[tuple[str, ...], list[tuple[str, str]]] = {}
    for (_, action, path), found in sorted(requests.items()):
        asked.setdefault(to(found), []).append((action, path))
    return [*out, *(Record(crawlers, requests=tuple(pairs)) for crawlers, pairs in asked.items())]


def _says_something(record: Record) -> bool:
    """Whether a record has an effect on any crawler."""
    return bool(record.crawlers and (record.sub_records or record.requests or record.reference is not None))
