"""The views of the workspace: what each shows of it. A view only looks; what changes the workspace is in `actions`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from acap.crawler_list import FIRST
from acap.explain import visible
from acap.problems import DocumentKind, of_the_whole
from acap.publish.change_words import usages_text
from acap.publish.compose.dialogue import LIMITS as LIMIT_WORDS
from acap.publish.compose.dialogue import PAGE_WORDS, USAGES
from acap.publish.compose.draft import SERVERS, Draft, DraftError
from acap.publish.compose.starts import STARTS
from acap.publish.crawlers import askers
from acap.publish.lint.causes import places_text
from acap.publish.presets.preset import PRESETS
from acap.publish.verdict import EXTENTS
from acap.usages import WORDS as USAGE_WORDS
from acap.web.workshop import composing, converting, presets
from acap.web.workshop.comparing import compared, patterns_of, side_text, takes_long
from acap.web.workshop.deciding_lines import line_states, shown_lines
from acap.web.workshop.documents import portrait
from acap.web.workshop.keeping_cases import EXPECTED, checked
from acap.web.workshop.linting import linted, verdict_of
from acap.web.workshop.recognising import FILES, KINDS, OF_ONE_URL
from acap.web.workshop.trying import tried
from acap.web.workshop.workspace import Workspace, known_usages

_NAMES = 40
_USUAL = ("*", *FIRST)

T = TypeVar("T")
Values = Callable[["Workspace"], dict[str, Any]]


@dataclass(frozen=True, slots=True)
class View:
    """A view: its name in addresses, its title, what it is for, how to use it, and what its template is given.

    `asks`: it answers for a crawler, a purpose and a usage. `beside` is what it is for and how to use it where the text
    is no robots.txt; it is for robots.txt alone where there is nothing of that.
    """

    name: str
    title: str
    purpose: str
    lead: str
    values: Values
    asks: bool = False
    beside: tuple[str, str] | None = None

    def takes(self, kind: DocumentKind) -> bool:
        """Whether it is for texts of this kind."""
        return kind == "robots" or self.beside is not None

    def words(self, kind: DocumentKind) -> tuple[str, str]:
        """What it is for, and how to use it, with a text of this kind."""
        return (self.purpose, self.lead) if kind == "robots" or self.beside is None else self.beside


def question_fields(space: Workspace) -> dict[str, Any]:
    """What the fields of the question offer."""
    # A line may name what no crawler is called, and what nobody may ask as.
    named = askers(space.policy.crawlers[:_NAMES])
    usages = known_usages(space.policy)
    return {
        "crawlers": list(dict.fromkeys((*named, *_USUAL))),
        "purposes": space.policy.purposes[:_NAMES],
        "usages": [name for name, parts in usages.items() if not parts],
        "composites": [name for name, parts in usages.items() if parts],
        "usage_words": {usage: words.question for usage, words in USAGE_WORDS.items()},
    }


def _policy(space: Workspace) -> dict[str, Any]:
    if space.kind != "robots":
        return _portrait(space)
    policy = space.policy
    wrong, lines = "", []
    try:
        lines = shown_lines(policy, space.question, 1, len(policy.lines), space.encoding) if space.text else []
    except ValueError as error:
        wrong = str(error)
    verdict, partial = (None, False) if wrong or not space.text else verdict_of(space)
    return question_fields(space) | {
        "states": line_states(lines),
        "verdict": verdict,
        "partial": partial,
        "extents": EXTENTS,
        "words": WORDS,
        "of_file": [problem for problem in of_the_whole(policy.problems) if problem.line == 0],
        "wrong": wrong,
    }


def _or_why(make: Callable[[Workspace], T], space: Workspace, *mistakes: type[Exception]) -> tuple[T | None, str]:
    """What is made of a workspace; or why nothing is: a package that the server lacks, or a mistake of the user."""
    errors: tuple[type[Exception], ...] = (ImportError, *mistakes)
    try:
        return make(space), ""
    except errors as error:
        return None, str(error)


def _portrait(space: Workspace) -> dict[str, Any]:
    if space.waits or not space.text:
        return {"portrait": None, "wrong": ""}
    shown, wrong = _or_why(portrait, space)
    return {"portrait": shown, "wrong": wrong}


def _try(space: Workspace) -> dict[str, Any]:
    found, wrong = _or_why(tried, space, ValueError)
    rows, more = found or ([], 0)
    return question_fields(space) | {"tried": rows, "more": more, "wrong": wrong}


def _lint(space: Workspace) -> dict[str, Any]:
    if not space.text:
        return {"linted": None, "wrong": ""}
    found, wrong = _or_why(linted, space)
    return {
        "linted": found,
        "places": places_text,
        "wrong": wrong and f"lint needs a package that the server lacks: {wrong}",
    }


WORDS = {"paths": patterns_of, "usages": lambda usages: visible(usages_text(usages)), "side": side_text}
"""How the parts of a change are put."""


def _compare(space: Workspace) -> dict[str, Any]:
    waits = space.waits or (takes_long(space) and not space.form["sure"])
    with_nothing = space.text and space.form["nothing"] and space.kind == "robots"
    there = bool(space.old or with_nothing) and not waits
    return {"compared": compared(space) if there else None, "words": WORDS, "waits": waits}


def _test(space: Workspace) -> dict[str, Any]:
    there = bool(space.cases.strip()) and not space.waits
    return question_fields(space) | {"checked": checked(space) if there else None, "expected": EXPECTED}


def _compose(space: Workspace) -> dict[str, Any]:
    wrong = ""
    try:
        draft = composing.draft_of(space)
    except DraftError as error:
        draft, wrong = Draft(), str(error)
    return {
        "draft": draft,
        "wrong": wrong,
        "carried_draft": composing.carried(draft),
        "composed": composing.composed(space, draft),
        "choices": [(choice.value, choice.label) for choice in USAGES],
        "own_usages": [(f"({usage.name})", " ".join(usage.usages)) for usage in draft.local_usages],
        "sets": [(resource_set.name, " ".join(resource_set.patterns)) for resource_set in draft.resource_sets],
        "page_words": [(choice.value, choice.label) for choice in PAGE_WORDS if choice.value != "own"],
        "servers": SERVERS,
        "limit_words": LIMIT_WORDS,
        "limits": range(composing.LIMITS),
        "purposes_known": space.policy.purposes[:_NAMES],
        "card": presets.card(),
        "starts": STARTS.values(),
        "presets": PRESETS.values(),
        "preset": presets.shown(space) if space.form["preset"] and not space.waits else None,
        "crawlers_known": list(dict.fromkeys((*space.policy.crawlers[:_NAMES], *_USUAL))),
    }


def _convert(space: Workspace) -> dict[str, Any]:
    wanted = converting.wanted_of(space.form)
    given: dict[str, Any] = {"wanted": wanted, "forms": converting.FORMS, "converted": None, "wrong": ""}
    if space.text and not space.waits:
        try:
            given["converted"] = converting.converted(space, wanted)
        except ValueError as error:
            given["wrong"] = str(error)
    return given


_MENDS = "Each finding shows its line, why it matters, and the fix if there is one. Undo takes a fix back."


def kind_fields(space: Workspace) -> dict[str, Any]:
    """What the choice of the text's kind offers: what it looks like, and the others."""
    return {
        "looks": KINDS[space.looks],
        "kinds": KINDS,
        "file_name": FILES[space.kind],
        "of_one_url": space.kind in OF_ONE_URL,
    }


VIEWS: dict[str, View] = {
    view.name: view
    for view in (
        View(
            "policy",
            "Read",
            "What each line decides",
            "Choose a crawler, and what it wants to do. Each line of the text gets a mark and a word.",
            _policy,
            asks=True,
            beside=("What it says", "In plain words: for whom, of which paths, and what is wrong with it."),
        ),
        View(
            "try",
            "Try URLs",
            "May this crawler use these URLs?",
            "Write addresses of your pages. Each answer names the line that decided.",
            _try,
            asks=True,
            beside=(
                "What does it decide about these URLs?",
                "Write addresses of your pages. The text is asked alone, as if nothing else forbade anything.",
            ),
        ),
        View(
            "lint",
            "Mistakes",
            "What does not do what you meant",
            _MENDS,
            _lint,
            beside=("What does not do what you meant", _MENDS),
        ),
        View(
            "compare",
            "Compare",
            "Which decisions change from the old version to the text",
            "Every change is found, for all paths and all crawlers: the answer is computed, not sampled.",
            _compare,
            beside=(
                "Which decisions change from the old version to the text",
                "Each crawler they name asks about every usage, at a path of each set that patterns tell apart.",
            ),
        ),
        View(
            "convert",
            "Convert",
            "The same policy in another form",
            "Disallow says what may be fetched. ACAP can also say what may be indexed, kept, shown and trained on, and "
            "for how long. The result is proved to answer as the text does.",
            _convert,
        ),
        View(
            "compose",
            "Compose",
            "A policy from plain answers",
            "Take a preset, or answer the five questions and add the answers to the draft, as often as you need. In "
            "the end the draft becomes the text.",
            _compose,
        ),
        View(
            "test",
            "Test",
            "What must not change",
            "Write down which answers you rely on. They are checked with every change of the text, here and by "
            "`acap test` on your server.",
            _test,
        ),
    )
}
