"""The state of a dialogue, what each answer does to the draft, and the interface that asks the questions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, Protocol

from acap.publish.compose.draft import ANY, Draft, DraftError, Record, Rule, SubRecord
from acap.publish.compose.preview import Row
from acap.publish.compose.text import complaints


class BackError(Exception):
    """The user wants to go back to the question before."""


class Choice(NamedTuple):
    """One answer to choose, and how it is put."""

    value: str
    label: str


class Prompter(Protocol):
    """Asks questions; each method raises `BackError` if the user wants to go back."""

    def choose(self, question: str, choices: Sequence[Choice], default: str | None = None) -> str:
        """The value of one of the choices."""

    def choose_many(self, question: str, choices: Sequence[Choice], chosen: Sequence[str] = ()) -> tuple[str, ...]:
        """The values of some of the choices, or of none."""

    def write(self, question: str, default: str, check: Callable[[str], str | None]) -> str:
        """A text; `check` says what is wrong with one."""

    def show(self, title: str, rows: Sequence[Row]) -> None:
        """A preview."""

    def tell(self, lines: Sequence[str]) -> None:
        """Something to know; nothing is asked."""


@dataclass(frozen=True, slots=True)
class Talk:
    """The answers so far: the draft, and the rules in progress."""

    draft: Draft
    crawlers: tuple[str, ...] = ()
    purposes: tuple[str, ...] = ()
    resources: tuple[str, ...] = ()
    prohibited: tuple[str, ...] = ()
    permitted: tuple[str, ...] = ()
    limits: tuple[tuple[str, str, str], ...] = ()
    asked: str = ""
    pattern: str = ""
    file: str = ""
    asks_file: bool = True

    @property
    def tentative(self) -> Draft:
        """The draft with the rules in progress."""
        if not self.crawlers:
            return self.draft
        return added(self.draft, self.crawlers, self.purposes, self.rules)

    @property
    def rules(self) -> tuple[Rule, ...]:
        """The rules in progress."""
        where = self.resources or ("/",)
        refused = (Rule(False, usage, where) for usage in self.prohibited)
        return (*refused, *(Rule(True, usage, where, self.limits_of(usage)) for usage in self.permitted))

    def only(self, draft: Draft) -> Talk:
        """The same with a draft, and no rules in progress."""
        return Talk(draft, file=self.file, asks_file=self.asks_file)

    def limits_of(self, usage: str) -> tuple[tuple[str, str], ...]:
        """The restrictions so far of a permitted usage."""
        return tuple((name, value) for one, name, value in self.limits if one == usage)


def added(draft: Draft, crawlers: tuple[str, ...], purposes: tuple[str, ...], rules: tuple[Rule, ...]) -> Draft:
    """The draft with further rules: in the record of the same crawlers and the sub-record of the same purposes."""
    key = sorted(name.lower() for name in crawlers)
    records = list(draft.records)
    for place, record in enumerate(records):
        if sorted(name.lower() for name in record.crawlers) == key and record.reference is None:
            records[place] = replace(record, sub_records=_with(record.sub_records, purposes, rules))
            return replace(draft, records=tuple(records))
    return replace(draft, records=(*records, Record(crawlers, _with((), purposes, rules))))


def _with(parts: tuple[SubRecord, ...], purposes: tuple[str, ...], rules: tuple[Rule, ...]) -> tuple[SubRecord, ...]:
    known = {part.purposes: part for part in parts}
    before = known.get(purposes, SubRecord(purposes))
    known[purposes] = replace(before, rules=(*before.rules, *(rule for rule in rules if rule not in before.rules)))
    return tuple(known.values())


def without(draft: Draft, places: Sequence[int]) -> Draft:
    """The draft without some of its rules, by their places in `draft.rules()`."""
    number = -1
    records: list[Record] = []
    for record in draft.records:
        parts: list[SubRecord] = []
        for part in record.sub_records:
            kept: list[Rule] = []
            for rule in part.rules:
                number += 1
                kept += [] if number in places else [rule]
            parts += [replace(part, rules=tuple(kept))] if kept else []
        if parts or record.reference is not None or record.requests:
            records.append(replace(record, sub_records=tuple(parts)))
    return replace(draft, records=tuple(records))


def rule_problem(draft: Draft, rule: Rule) -> str | None:
    """What is wrong with a rule that is to stand in the draft, as the reader sees it; none if nothing is."""
    alone = Draft(
        records=(Record((ANY,), (SubRecord((), (replace(rule, origin="rule"),)),)),),
        resource_sets=draft.resource_sets,
        local_usages=draft.local_usages,
        version=draft.version,
        conventional=False,
    )
    try:
        problems = [complaint.problem for complaint in complaints(alone) if complaint.origin == "rule"]
    except DraftError as error:
        return error.message
    serious = next((problem for problem in problems if problem.severity != "info"), None)
    return None if serious is None else f"{serious.message}{f'; {serious.fix}' if serious.fix else ''}"


def pattern_of(kind: str, text: str) -> str:
    """The pattern of a part of a site that was named: `directory`, `page`, `kind`, or a `pattern` itself."""
    text = text.strip()
    if "://" in text:
        text = f"/{text.partition('://')[2].partition('/')[2]}"
    if kind == "kind":
        return f"/*.{text.lstrip('*').lstrip('.').rstrip('$')}$"
    if kind != "pattern" and not text.startswith("/"):
        text = f"/{text}"
    if kind == "directory":
        # A slash at its end, so that crawlers do not take `/news` for `/newsletter` as well (G 2.3, note).
        return f"{text.rstrip('/')}/"
    return f"{text}$" if kind == "page" and not text.endswith("$") else text
