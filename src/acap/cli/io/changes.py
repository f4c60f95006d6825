"""A comparison as a tree of sentences: each change with its paths, what decided before and after, and a witness.

Changes that say the same of other paths are one entry, which lists the paths.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from acap.explain import KINDS, Node, Role, visible
from acap.plurals import plural
from acap.publish.change_words import of_pages, only_of_policy, usages_text
from acap.publish.compare import Change, Comparison, Paths, Side, Undecided
from acap.publish.prepended import Effective

_MOST = 100  # entries listed
_NAMES = 8  # crawlers and usages that are named; of more the number
_PATHS = 10  # sets of paths that an entry lists; of more the number
_LESS = 6  # excluded sets of paths listed; of more the number
_FEW = 3  # crawlers with paths of their own that are listed one by one
_ANY = "any other crawler"


def tree(comparison: Comparison, old: str, new: str) -> Node:
    """All that changes from the policy called `old` to the one called `new`."""
    number = len(comparison.changes)
    title = {
        "equal": "no decision changes",
        "undecided": "no change was found, but not everything could be compared",
        "different": plural(number, "change"),
    }[comparison.verdict]
    return Node(Role.SOURCE, visible(f"{old} → {new}: {title}"), tuple(_parts(comparison)))


def effective_tree(effective: Effective, origin: str, whole: str) -> Node:
    """What a block before a policy changes: which of its lines it undoes, which groups it touches, and every change."""
    notes = [
        f"line {undone.line} is undone: {undone.text}; {_listed(_named(undone.change.crawlers), 'crawlers')} at "
        f"{undone.change.witness}: {undone.by.text or KINDS.get(undone.by.kind, undone.by.kind)}"
        for undone in effective.undone[:_MOST]
    ]
    if effective.joined:
        notes.append(f"one group of the block and of {origin}: {_listed(_named(effective.joined), 'crawlers')}")
    if effective.taken:
        names = _listed(_named(effective.taken), "crawlers")
        notes.append(
            f"a group in the block alone, so that the group of {origin} for any crawler is not theirs: {names}"
        )
    changes = tree(effective.comparison, origin, whole)
    return changes._replace(children=(*(Node(Role.NOTE, visible(note)) for note in notes), *changes.children))


class _Where(NamedTuple):
    """A set of paths with its witness."""

    paths: Paths
    witness: str


@dataclass(frozen=True, slots=True)
class _Entry:
    """Changes of the same purposes, usages and sides; `paths` says for each set of paths which crawlers it is about."""

    first: Change
    paths: dict[_Where, tuple[str, ...]]

    @property
    def crawlers(self) -> tuple[str, ...]:
        """All of them, each once."""
        return tuple(dict.fromkeys(name for names in self.paths.values() for name in names))


def _entries(changes: Iterable[Change]) -> Iterator[_Entry]:
    """The changes put together, each where the first of them stands."""
    alike: dict[object, list[Change]] = {}
    for change in changes:
        alike.setdefault((change.purposes, change.usages, change.before, change.after), []).append(change)
    for group in alike.values():
        paths: dict[_Where, tuple[str, ...]] = {}
        for change in group:
            key = _Where(change.paths, change.witness)
            paths[key] = (*paths.get(key, ()), *change.crawlers)
        by_crawlers: dict[tuple[str, ...], dict[_Where, tuple[str, ...]]] = {}
        for key, crawlers in paths.items():
            by_crawlers.setdefault(crawlers, {})[key] = crawlers
        if len(by_crawlers) > _FEW:
            yield _Entry(group[0], paths)
        else:
            yield from (_Entry(group[0], own) for own in by_crawlers.values())


def _open(undecided: Iterable[Undecided]) -> Iterator[str]:
    """Questions that are open and why, those of several crawlers together."""
    alike: dict[Undecided, list[str]] = {}
    for question in undecided:
        alike.setdefault(question._replace(crawler=""), []).append(question.crawler)
    for question, names in alike.items():
        who = names[0] if len(names) == 1 else _listed(_named(names), "crawlers")
        yield f"{question._replace(crawler=who)}; {question.because}"


def _parts(comparison: Comparison) -> Iterator[Node]:
    entries = list(_entries(of_pages(comparison.changes)))
    for entry in entries[:_MOST]:
        yield _entry(entry)
    if (more := len(entries) - _MOST) > 0:
        yield Node(Role.NOTE, f"and {more} more; --json lists them all")
    number, resources = only_of_policy(comparison.changes)
    if 0 < number < len(comparison.changes):
        yield Node(Role.NOTE, visible(f"{number} of the changes: {_of_policy(resources)}"))
    for open_ in list(_open(comparison.undecided))[:_MOST]:
        yield Node(Role.NOTE, visible(f"undecided: {open_}"))
    for sign, lines in (("no longer there", comparison.removed), ("new", comparison.added)):
        for line in lines[:_MOST]:
            yield Node(Role.NOTE, visible(f"{sign}, decides nothing: {line}"))


def _of_policy(resources: Sequence[str]) -> str:
    return f"only at resources that carry policy ({_listed(resources, 'resources')}); --json lists them"


def _entry(entry: _Entry) -> Node:
    before, after = entry.first.before, entry.first.after
    alone = next(iter(entry.paths)) if len(entry.paths) == 1 else None
    where = f"{len(entry.paths)} sets of paths" if alone is None else alone.paths.text(_LESS)
    if before.outcome == after.outcome:
        what = "said by one of the two" if before.restrictions == after.restrictions else "with other restrictions"
        head = f"{after.outcome}, {what}: {where}"
    else:
        head = f"{before.outcome} → {after.outcome}: {where}"
    lines = [f"for {_who(entry)}", f"before: {_side(before)}", f"after: {_side(after)}"]
    lines += _where(entry) if alone is None else [f"for example {alone.witness}"]
    return Node(Role(after.outcome), visible(head), tuple(Node(Role.NOTE, visible(line)) for line in lines))


def _where(entry: _Entry) -> Iterator[str]:
    """Each set of paths with its witness, and with its crawlers where they are not those of all."""
    all_of_them = entry.crawlers
    for (paths, witness), crawlers in list(entry.paths.items())[:_PATHS]:
        whom = f"{_listed(_named(crawlers), 'crawlers')}: " if len(crawlers) < len(all_of_them) else ""
        yield f"{whom}{paths.text(_LESS)}, for example {witness}"
    if (more := len(entry.paths) - _PATHS) > 0:
        yield f"… and {more} more; --json lists them all"


def _who(entry: _Entry) -> str:
    change = entry.first
    usages = usages_text(change.usages)
    named = [purpose for purpose in change.purposes if purpose]
    without = "without a purpose or " if "" in change.purposes else ""
    purpose = f", {without}for {_listed(named, 'purposes')}" if named else ""
    return f"{_listed(_named(entry.crawlers), 'crawlers')}: {usages}{purpose}"


def _named(crawlers: Sequence[str]) -> list[str]:
    return [_ANY if name == "*" else name for name in crawlers]


def _listed(names: Sequence[str], what: str) -> str:
    if len(names) <= _NAMES:
        return ", ".join(names)
    return f"{', '.join(names[:_NAMES])} and {len(names) - _NAMES} more {what}"


def _side(side: Side) -> str:
    limits = f" ({'; '.join(side.restrictions)})" if side.restrictions else ""
    if side.line or (side.kind == "statement" and side.text):
        return f"{side.outcome}{limits}, {f'line {side.line}: ' if side.line else ''}{side.text}"
    return f"{side.outcome}{limits}, {KINDS.get(side.kind, side.kind)}"
