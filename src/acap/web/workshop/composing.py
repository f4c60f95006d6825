"""Compose: the five steps of the guide as a form (G 2), with a preview of the draft at each.

The draft goes with the form as JSON. The answers to the five steps are in fields of their own until they are added.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import groupby
from typing import NamedTuple

from acap.explain import visible
from acap.publish.compose.blanks import blank_problem, listed, several_problem
from acap.publish.compose.contrary import contrary_lines
from acap.publish.compose.draft import (
    ANY,
    SERVERS,
    SET,
    Draft,
    DraftError,
    PageRule,
    Rule,
    draft_from_json,
    draft_to_json,
)
from acap.publish.compose.headers import header_snippet
from acap.publish.compose.pages import rule_tags, word_problem
from acap.publish.compose.preview import Row, preview
from acap.publish.compose.reading import draft_from_robots
from acap.publish.compose.sentences import addressed, audience, kept_sentences
from acap.publish.compose.starts import STARTS
from acap.publish.compose.starts import begun as begun_with
from acap.publish.compose.talk import added, rule_problem, without
from acap.publish.compose.text import (
    complaints,
    crawler_advice,
    crawler_problem,
    purpose_problem,
    robots_octets,
)
from acap.publish.compose.unread import unread
from acap.restrictions import TABLE
from acap.usages import PARENTS, above
from acap.web.workshop.comparing import DiffRow, changed_lines
from acap.web.workshop.encoding import opened
from acap.web.workshop.forms import Form
from acap.web.workshop.workspace import Workspace

LIMITS = 3
"""Most restrictions per rule."""

_URLS = 6
_CRAWLERS = 6
_KEPT = 60  # sentences of the lines that a draft keeps


class Mistake(NamedTuple):
    """What is wrong with an answer, and the field of the form in which it was given; empty where that is unknown."""

    field: str
    text: str


@dataclass(frozen=True, slots=True)
class StepAnswers:
    """The answers to the five steps: crawlers, purposes, resources, usages, restrictions.

    `limit_fields` are the restrictions with the places of their fields; `mistakes` are what is wrong with an answer by
    itself.
    """

    crawlers: tuple[str, ...]
    purposes: tuple[str, ...]
    resources: tuple[str, ...]
    permitted: tuple[str, ...]
    prohibited: tuple[str, ...]
    limits: tuple[tuple[str, str], ...]
    limit_fields: tuple[tuple[int, tuple[str, str]], ...] = ()
    mistakes: tuple[Mistake, ...] = ()

    @property
    def rules(self) -> tuple[Rule, ...]:
        """Its rules; a restriction goes with each permission that it is for."""
        refused = (Rule(False, usage, self.resources) for usage in self.prohibited)
        return (*refused, *(Rule(True, usage, self.resources, self._limits(usage)) for usage in self.permitted))

    def _limits(self, usage: str) -> tuple[tuple[str, str], ...]:
        return tuple((name, value) for name, value in self.limits if is_for(name, usage))

    @property
    def unused_limits(self) -> tuple[str, ...]:
        """Restrictions that apply to none of the permissions."""
        return tuple(name for name, _ in self.limits if not any(is_for(name, usage) for usage in self.permitted))


@dataclass(frozen=True, slots=True)
class Composed:
    """The draft with the rules of the answers: sentences, what is wrong, the preview, and the text.

    `kept` is what the lines say that the draft keeps as they are, and `more_kept` how many sentences there are beyond.

    `lines` is how many the draft's text has, and `changed` are those in which it differs from the text.

    `with_answers`: the rows and the text have the rules of the answers, of which none is wrong. `pages` are patterns
    with the META tags of their pages; `snippet` is the server's configuration for their headers. `unread` says which
    crawlers read none of its ACAP lines, and what to add for them.
    """

    rules: tuple[tuple[str, str], ...]
    kept: tuple[tuple[str, str], ...]
    more_kept: int
    new_rules: tuple[str, ...]
    wrong: tuple[Mistake, ...]
    with_answers: bool
    rows: tuple[tuple[Row, ...], ...]
    lines: int
    changed: tuple[DiffRow, ...]
    same: bool
    pages: tuple[tuple[str, tuple[str, ...]], ...]
    snippet: str
    unread: str


def step_answers(form: Form) -> StepAnswers:
    """The answers in the fields of the form."""

    crawlers, purposes = listed(form["c_who"]) or (ANY,), listed(form["c_purposes"])
    where = form["c_where"].strip()
    asked = blank_problem(where)
    # What is asked about is shown as it was written.
    places = (where,) if asked is not None else listed(where)
    stances = [(name.removeprefix("c_use_"), value) for name, value in form.pairs if name.startswith("c_use_")]
    given = ((place, (form[f"c_limit_{place}"], form[f"c_value_{place}"].strip())) for place in range(LIMITS))
    limits = tuple((place, (name, value)) for place, (name, value) in given if name in TABLE and value)
    return StepAnswers(
        crawlers,
        purposes,
        tuple(_pattern(one) for one in places) or ("/",),
        tuple(usage for usage, stance in stances if stance == "may"),
        tuple(usage for usage, stance in stances if stance == "not"),
        tuple(limit for _, limit in limits),
        limits,
        (
            *(Mistake("c_who", problem) for name in crawlers if (problem := crawler_problem(name)) is not None),
            *(Mistake("c_purposes", problem) for name in purposes if (problem := purpose_problem(name)) is not None),
            *([] if asked is None else [Mistake("c_where", asked)]),
        ),
    )


def _pattern(text: str) -> str:
    return text if text.startswith(("/", ANY, SET, "http://", "https://")) else f"/{text}"


def is_for(name: str, usage: str) -> bool:
    """Whether a restriction is for a usage (semantics, section 6); for a local usage it is for that to say."""
    row = TABLE.get(name)
    if row is None or usage not in PARENTS:
        return False
    lineage = (usage, *above(usage))
    return any(one in (usage, "*") or (one.endswith("…") and one.removesuffix("…") in lineage) for one in row.usages)


def draft_of(space: Workspace) -> Draft:
    """The draft that the form carries, with the options beside it. Raises DraftError."""
    if not space.form["draft"]:
        return Draft()
    try:
        members = json.loads(space.form["draft"])
    except (ValueError, RecursionError) as error:
        raise DraftError("the draft is damaged; start again") from error
    draft = draft_from_json(members)
    if space.form["c_options"]:
        draft = replace(
            draft,
            comments=space.form["c_comments"] == "on",
            conventional=space.form["c_conventional"] == "on",
            sitemaps=listed(space.form["c_sitemaps"]),
            server=space.form["c_server"] if space.form["c_server"] in SERVERS else draft.server,
        )
    return draft


def carried(draft: Draft) -> str:
    """The draft as the form carries it."""
    return json.dumps(draft_to_json(draft))


def composed(space: Workspace, draft: Draft) -> Composed:
    """The draft with the rules of the answers, as the page shows it."""
    answers = step_answers(space.form)
    wrong = list(_wrong(draft, answers))
    with_answers = bool(answers.rules) and not wrong
    whole = _with(draft, answers) if with_answers else draft
    crawlers = [name for name in dict.fromkeys((*answers.crawlers, *whole.crawlers)) if name != ANY][: _CRAWLERS - 1]
    rows: tuple[Row, ...] = ()
    octets, snippet = b"", ""
    pages: tuple[tuple[str, tuple[str, ...]], ...] = ()
    try:
        octets = robots_octets(whole)
        wrong += [Mistake("", one.problem.message) for one in complaints(whole) if one.problem.severity == "error"]
        urls = list(dict.fromkeys(url for url in space.urls.split() if url.startswith(("/", "http"))))[:_URLS] or ["/"]
        purposes = [name.replace(ANY, "x") for name in answers.purposes][:2]
        rows = preview(whole, urls, [*crawlers, ANY], (), purposes)
        pages = tuple((visible(page.pattern), rule_tags(page, whole)) for page in whole.pages)
        snippet = header_snippet(whole.server, whole) if whole.pages else ""
    except (DraftError, ValueError) as error:
        wrong.append(Mistake("", str(error)))
    # A name that is nearly a known one is no reason to refuse it.
    wrong += [Mistake("c_who", advice) for name in answers.crawlers if (advice := crawler_advice(name)) is not None]
    text = opened(octets).text
    rules = tuple(
        (visible(who), visible(what))
        for record, part, rule in draft.rules()
        for who, what in [addressed(audience(record.crawlers, part.purposes), rule)]
    )
    new_rules = tuple(
        visible(" ".join(addressed(audience(answers.crawlers, answers.purposes), rule))) for rule in answers.rules
    )
    groups = tuple(tuple(group) for _, group in groupby(rows, lambda row: (row.url, row.crawler, row.purpose)))
    mistakes = tuple(dict.fromkeys(wrong))
    kept = [(visible(who), visible(text)) for who, text in kept_sentences(draft)]
    more_kept = max(len(kept) - _KEPT, 0)
    return Composed(
        rules, tuple(kept[:_KEPT]), more_kept, new_rules, mistakes, with_answers, groups, len(text.splitlines()),
        changed_lines(space.text, text), text == space.text, pages, snippet,
        unread(whole, octets),
    )  # fmt: skip


def _with(draft: Draft, answers: StepAnswers) -> Draft:
    return added(draft, answers.crawlers, answers.purposes, answers.rules)


def _wrong(draft: Draft, answers: StepAnswers) -> Iterator[Mistake]:
    yield from answers.mistakes
    is_asked = any(one.field == "c_where" for one in answers.mistakes)
    for rule in answers.rules:
        # What is wrong with its paths is told already.
        sound = replace(rule, resources=("/",)) if is_asked else rule
        if (problem := rule_problem(draft, sound)) is not None:
            yield Mistake(_field_of(draft, answers, sound), problem)
    for name in answers.unused_limits if answers.permitted else ():
        yield Mistake(_limit_field(answers, name), f"`{name}` applies to none of the usages permitted here")
    if answers.limits and not answers.permitted:
        text = "a restriction needs a permission; choose `may` for a usage"
        yield Mistake(_limit_field(answers, answers.limits[0][0]), text)


def _field_of(draft: Draft, answers: StepAnswers, rule: Rule) -> str:
    """The field in which a rule has its mistake: the one without whose answer there is none."""
    if rule_problem(draft, replace(rule, resources=("/",))) is None:
        return "c_where"
    for name, value in rule.restrictions:
        others = tuple(pair for pair in rule.restrictions if pair != (name, value))
        if rule_problem(draft, replace(rule, restrictions=others)) is None:
            return _limit_field(answers, name)
    return ""


def _limit_field(answers: StepAnswers, name: str) -> str:
    """The field of a restriction's value."""
    places = [place for place, (one, _) in answers.limit_fields if one == name]
    return f"c_value_{places[0]}" if places else ""


# --- actions ---------------------------------------------------------------------------------------------------------


def begun(space: Workspace) -> Workspace:
    """With an empty draft."""
    return _drafted(space, Draft(), clear=True).noted("done", "the draft is empty; answer the five steps")


def read(space: Workspace) -> Workspace:
    """With the draft that the text is."""
    try:
        draft = draft_from_robots(space.octets)
    except DraftError as error:
        return space.noted("error", str(error))
    number = sum(1 for _ in draft.rules())
    kept = sum(1 for line in draft.kept.splitlines() if line.strip())
    rules_kept = sum(1 for _ in kept_sentences(draft))
    summary = f"the draft has {number} ACAP rule{'' if number == 1 else 's'}"
    if kept:
        summary += f"; {kept} other line{' stays as it is' if kept == 1 else 's stay as they are'}"
        summary += f", with {rules_kept} rule{'' if rules_kept == 1 else 's'} for crawlers" if rules_kept else ""
    return _drafted(space, draft, clear=True).noted("done", summary)


def with_answers(space: Workspace) -> Workspace:
    """With the answers as rules of the draft."""
    try:
        draft = draft_of(space)
        answers = step_answers(space.form)
        if not answers.rules:
            return space.noted("error", "there is no rule yet: choose `may` or `must not` for a usage in step 4")
        if wrong := next(_wrong(draft, answers), None):
            return space.noted("error", wrong.text, wrong.field)
        return _drafted(space, _with(draft, answers), clear=True)
    except DraftError as error:
        return space.noted("error", str(error))


def with_start(space: Workspace) -> Workspace:
    """With the rules of a preset in the draft; a text that is there is taken over first, so that nothing of it goes."""
    start = STARTS.get(space.form["start"])
    if start is None:
        return space.noted("error", "no such preset; choose one")
    try:
        draft = draft_of(space)
        if draft == Draft() and space.text:
            draft = draft_from_robots(space.octets)
        after = begun_with(start, draft, terms=space.form["s_terms"].strip() or None)
        against = contrary_lines(start, after)
    except DraftError as error:
        return space.noted("error", error.message, "s_terms" if start.has_terms else "")
    done = _drafted(space, after, clear=False).noted("done", f"the draft has the preset “{start.title}”")
    for one in against:
        done = done.noted("warning", one)
    return done


def without_rule(space: Workspace) -> Workspace:
    """Without one rule of the draft."""
    place = space.form["drop"]
    try:
        draft = draft_of(space)
    except DraftError as error:
        return space.noted("error", str(error))
    return _drafted(space, without(draft, [int(place)] if place.isascii() and place.isdigit() else []), clear=False)


def with_page_rule(space: Workspace) -> Workspace:
    """With a rule of pages or files, in conventional words, in the draft."""
    form = space.form
    pattern = form["c_page_where"].strip()
    chosen = [
        name.removeprefix("c_word_") for name, value in form.pairs if name.startswith("c_word_") and value == "on"
    ]
    words = tuple(dict.fromkeys((*chosen, *listed(form["c_words"]))))
    if not pattern.startswith(("/", ANY)):
        return space.noted("error", "write which pages or files, such as `/drafts/` or `/*.pdf$`", "c_page_where")
    if (asked := blank_problem(pattern) or several_problem(pattern)) is not None:
        return space.noted("error", asked, "c_page_where")
    if not words:
        return space.noted("error", "choose a word, or write one such as `max-snippet:20`", "c_words")
    if wrong := next((problem for word in words if (problem := word_problem(word)) is not None), None):
        return space.noted("error", wrong, "c_words")
    try:
        draft = draft_of(space)
    except DraftError as error:
        return space.noted("error", str(error))
    return _drafted(space, replace(draft, pages=(*draft.pages, PageRule(pattern, words=words))), clear=True)


def without_page_rule(space: Workspace) -> Workspace:
    """Without one rule of pages."""
    place = space.form["drop_page"]
    try:
        draft = draft_of(space)
    except DraftError as error:
        return space.noted("error", str(error))
    kept = tuple(page for number, page in enumerate(draft.pages) if str(number) != place)
    return _drafted(space, replace(draft, pages=kept), clear=False)


def used(space: Workspace) -> Workspace:
    """With the draft's text in place of the text; the rules of the answers are in it, as the preview shows."""
    try:
        draft = draft_of(space)
        answers = step_answers(space.form)
        if answers.rules:
            if wrong := next(_wrong(draft, answers), None):
                return space.noted("error", wrong.text, wrong.field)
            draft = _with(draft, answers)
        octets = robots_octets(draft)
    except DraftError as error:
        return space.noted("error", str(error))
    found = opened(octets)
    space = _drafted(space, draft, clear=True)
    after = replace(space.changed(found.text, "using the draft"), encoding=found.encoding, ends=found.ends)
    return after.noted("done", "the draft is now the text; Undo brings back the old text, Compare shows what changed")


def _drafted(space: Workspace, draft: Draft, *, clear: bool) -> Workspace:
    """The workspace with a draft; `clear`: with empty fields."""
    values = dict(space.form.values)
    pairs = space.form.pairs
    if clear:
        pairs = tuple((name, value) for name, value in pairs if not name.startswith("c_"))
        values = dict(pairs)
    values |= {"draft": carried(draft)}
    values.pop("c_options", None)
    return replace(space, form=replace(space.form, values=values, pairs=pairs))
