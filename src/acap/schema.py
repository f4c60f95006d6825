"""The JSON form of decisions, problems, and what pages say and yield, with its version and its JSON Schemas.

Each form is one table: its keys in order, and what each holds. The schema comes from it, and so does the object. The
tables are one module, because they name each other and share one version.
`SCHEMA` rises when a key changes its meaning or goes away; a new key does not raise it, so a reader must accept keys it
does not know. Every object carries the number under `schema`.
"""

from __future__ import annotations

from binascii import b2a_base64
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, cast

from acap.decision import Cited, Decision, crawler_text, purposes_asked
from acap.problems import Problem
from acap.statement import Statement

if TYPE_CHECKING:  # 3 ms, which the start of a command does without
    from acap.json_types import (
        ComparisonJson,
        CompositionJson,
        ContentJson,
        ConversionJson,
        DecisionJson,
        EffectiveJson,
        FindingJson,
        LayoutJson,
        LinkJson,
        PageJson,
        ProblemJson,
        SiteJson,
        SnippetJson,
    )

SCHEMA = 1
_QUOTED = 1_000  # characters of what is wrong in a page
_DRAFT = "https://json-schema.org/draft/2020-12/schema"


def _as_it_is(value: Any) -> Any:
    return value


class _Type:
    """What a key holds: its JSON Schema, and what makes JSON of a value."""

    def __init__(self, schema: dict[str, Any], write: Callable[[Any], Any] = _as_it_is) -> None:
        self.schema = schema
        self.write = write

    def __call__(self, description: str) -> _Type:
        """The same with a description."""
        return _Type(self.schema | {"description": description}, self.write)

    def by(self, write: Callable[[Any], Any]) -> _Type:
        """The same, written in another way."""
        return _Type(self.schema, write)


class _Object(_Type):
    """An object whose keys are all written, null where there is nothing to say."""

    def __init__(self, description: str, **keys: _Type) -> None:
        properties = {key: kind.schema for key, kind in keys.items()}
        form = {"type": "object", "description": description, "properties": properties, "required": list(keys)}
        super().__init__(form, self.of)
        # Most values are written as they are; calling a function for each would take half of the time.
        self._keys = [(key, None if kind.write is _as_it_is else kind.write) for key, kind in keys.items()]

    def of(self, thing: Any, **values: Any) -> dict[str, Any]:
        """The object of a thing: for each key the value that is given, else the attribute of its name."""
        written = {}
        for key, write in self._keys:
            value = values[key] if key in values else getattr(thing, key)
            written[key] = value if write is None else write(value)
        return written


class _Document(_Object):
    """An object that stands by itself, and names the version of its schema."""

    def __init__(self, title: str, description: str, **keys: _Type) -> None:
        super().__init__(description, schema=_Type({"const": SCHEMA}), **keys)
        self.schema = {"$schema": _DRAFT, "title": f"acap {title}", **self.schema}

    def of(self, thing: Any, **values: Any) -> dict[str, Any]:
        """As of an object."""
        return super().of(thing, schema=SCHEMA, **values)


def _list(item: _Type, description: str = "") -> _Type:
    described = {"description": description} if description else {}
    return _Type({"type": "array", **described, "items": item.schema}, lambda values: list(map(item.write, values)))


def _one_of(*values: str | None) -> _Type:
    return _Type({"enum": list(values)}, lambda value: None if value is None else str(value))


def _one_or_list(value: str | Sequence[str] | None) -> str | list[str] | None:
    """A name as itself, several as a list, none as None."""
    if value is None or isinstance(value, str):
        return value
    if len(value) > 1:
        return list(value)
    return value[0] if value else None


_TEXT = _Type({"type": "string"})
_TEXT_OR_NULL = _Type({"type": ["string", "null"]})
_NUMBER = _Type({"type": "integer", "minimum": 0})
_NUMBER_FROM_1 = _Type({"type": ["integer", "null"], "minimum": 1}, lambda number: number or None)
_TRUTH = _Type({"type": "boolean"})
_NULL = {"type": "null"}
_NAMES = _Type({"type": "array", "items": _TEXT.schema, "minItems": 1}, list)
_OUTCOME = _one_of("permitted", "conditional", "prohibited")
_SEVERITY = _one_of("error", "warning", "info")
_SOURCE = _TEXT_OR_NULL("the file's name or the URL it was read from")


# --- decisions --------------------------------------------------------------------------------------------------------

_CITED = {
    "source": _TEXT_OR_NULL("the file, page or document the statement is in"),
    "line": _NUMBER_FROM_1("counted from 1; null where the source has no lines"),
    "column": _NUMBER_FROM_1("counted from 1, in characters"),
    "element": _TEXT_OR_NULL("the element of a page that carries the statement"),
    "header": _TEXT_OR_NULL("the HTTP header that carries the statement"),
    "text": _TEXT("the statement as it is written"),
    "effect": _one_of("permits", "prohibits", "conditional", None),
    "usage": _TEXT_OR_NULL("the usage the statement is about"),
    "dialect": _TEXT_OR_NULL("the vocabulary the statement belongs to"),
}
_CONDITION = _Object(
    "What would satisfy a conditional statement.",
    asks=_one_of("licence", "payment", "consent", "terms"),
    licence=_TEXT_OR_NULL("the URL of a licence document"),
    server=_TEXT_OR_NULL("where licences are given out"),
    policy=_TEXT_OR_NULL("where the terms are"),
    payment=_TEXT_OR_NULL("the kind of payment, in the words of the dialect"),
    amount=_TEXT_OR_NULL("a decimal number, as it is written"),
    currency=_TEXT_OR_NULL("a code of ISO 4217"),
    contact=_list(_TEXT, "URLs of whoever grants it, `mailto:` and `tel:` among them"),
    text=_TEXT("terms in words"),
)
_LOST = _Object("A statement that lost.", **_CITED, key=_TEXT("the comparison it lost by"))
_RESTRICTION = _Object(
    "One restriction.",
    name=_TEXT,
    value=_TEXT("as it is written"),
    usage=_TEXT_OR_NULL("the part of a composite usage it belongs to"),
)
_RESTRICTIONS = _list(_RESTRICTION, "what the permission is subject to; empty when it is unrestricted")
_TEXT_OR_LIST = {"type": ["string", "array"], "items": _TEXT.schema}
_DECISION = _Document(
    "decision",
    "The answer to one question: may this crawler use this URL in this way?",
    url=_TEXT("the URL asked about, as it was given"),
    crawler=_TEXT("the crawler's name, or several in order, separated by commas"),
    purpose=_Type(_TEXT_OR_LIST | {"type": ["string", "array", "null"]}, _one_or_list),
    usage=_Type(_TEXT_OR_LIST, _one_or_list),
    at=_TEXT_OR_NULL("the instant asked about, ISO 8601; null for the moment of asking").by(
        lambda at: None if at is None else at.isoformat()
    ),
    outcome=_OUTCOME,
    restrictions=_RESTRICTIONS,
    conditions=_list(_CONDITION, "what would satisfy the conditions of a conditional answer, as far as it is known"),
    stated=_TRUTH("whether any statement spoke; false when silence decided"),
    reason=_Object(
        "Why.",
        kind=_TEXT("the kind of reason, for example `statement` or `silence`"),
        decided_by=_list(_Object("A statement that decided.", **_CITED)),
        lost=_list(_LOST.by(lambda lost: _LOST.of(lost.statement, key=lost.key))),
        prohibited_below=_list(_TEXT)("usages below the one asked for that are prohibited nevertheless"),
        truncated=_TRUTH("whether a limit cut the policy"),
    ),
)
DECISION_SCHEMA = _DECISION.schema


def decision_to_json(decision: Decision) -> DecisionJson:
    """The decision with its restrictions and reason, of types that `json.dumps` takes.

    `crawler` is one text also for an ordered list of names; `purpose` and `usage` are a list where several were asked
    for together; `at` is the instant asked about in ISO 8601, null for the moment of asking.
    """
    members = _DECISION.of(decision, crawler=crawler_text(decision), purpose=purposes_asked(decision))
    return cast("DecisionJson", members)


# --- problems, and what lint finds ------------------------------------------------------------------------------------

_PROBLEM = _Document(
    "problem",
    "One thing that is wrong, doubtful or worth knowing in a policy.",
    source=_SOURCE,
    code=_TEXT("the stable code of the problem"),
    severity=_SEVERITY,
    line=_NUMBER_FROM_1("counted from 1; null where the problem is of the whole file"),
    column=_NUMBER_FROM_1("counted from 1, in characters"),
    message=_TEXT,
    fix=_TEXT_OR_NULL("what to do about it"),
    text=_TEXT("the line as it is written; empty where the problem is of the whole file"),
)
PROBLEM_SCHEMA = _PROBLEM.schema


def problem_to_json(problem: Problem, *, source: str | None = None) -> ProblemJson:
    """The problem, of types that `json.dumps` takes; `source` is the file's name or the URL it was read from."""
    return cast("ProblemJson", _PROBLEM.of(problem, source=source))


def _edit(edit: Any) -> dict[str, Any]:
    try:
        return _EDIT.of(edit, text=edit.octets.decode(), text_base64=None)
    except UnicodeDecodeError:
        return _EDIT.of(edit, text=None, text_base64=b2a_base64(edit.octets, newline=False).decode())


_EDIT: _Object = _Object(
    "Octets to be replaced.",
    start=_NUMBER,
    end=_NUMBER,
    text=_TEXT_OR_NULL("null where it is no UTF-8"),
    text_base64=_TEXT_OR_NULL("the octets, if text is null"),
)
_FIX = _Object(
    "Edits that fix it.",
    title=_TEXT,
    safe=_TRUTH("false if it may change what is permitted"),
    edits=_list(_EDIT.by(_edit)),
)
_FINDING = _Document(
    "finding",
    "One thing in a document that does not do what its author meant.",
    source=_SOURCE,
    code=_TEXT("the stable code of the rule"),
    severity=_SEVERITY,
    line=_NUMBER_FROM_1("counted from 1; null where it is of the whole document"),
    column=_NUMBER_FROM_1("counted from 1, in characters"),
    end_line=_NUMBER_FROM_1("the line on which it ends"),
    end_column=_NUMBER_FROM_1("the column after its last character"),
    message=_TEXT,
    help=_TEXT_OR_NULL("what to do about it"),
    fix=_Type(
        {
            "description": "what --fix does; null if it has to be fixed by hand",
            "anyOf": [_NULL, _FIX.schema],
        },
        lambda fix: None if fix is None else _FIX.of(fix),
    ),
    related=_list(_Object("A place.", line=_NUMBER_FROM_1, message=_TEXT), "other places that belong to it"),
    witness=_TEXT_OR_NULL("a path at which it shows"),
)
FINDING_SCHEMA = _FINDING.schema


def finding_to_json(finding: Any, *, source: str | None, end: tuple[int, int]) -> FindingJson:
    """A finding of `acap.publish.lint`, of types that `json.dumps` takes.

    `source` is the file's name or the URL it was read from; `end` are line and column after what is underlined.
    """
    if not finding.line:
        return cast("FindingJson", _FINDING.of(finding, source=source, column=None, end_line=None, end_column=None))
    return cast("FindingJson", _FINDING.of(finding, source=source, end_line=end[0], end_column=end[1]))


# --- how two policies differ ------------------------------------------------------------------------------------------

_PATHS_AGAIN = _Type({"$ref": "#/$defs/paths"}, lambda paths: _PATHS.of(paths))
_PATHS: _Object = _Object(
    "A set of paths: those that match every pattern of `within` and are in no set of `without`.",
    # A pattern may have octets that are no UTF-8.
    within=_NAMES.by(lambda all_: [one.encode("utf-8", "surrogateescape").decode("utf-8", "replace") for one in all_]),
    without=_list(_PATHS_AGAIN),
)
_SIDE = _Object(
    "What one policy decides at the path that shows the difference.",
    outcome=_OUTCOME,
    restrictions=_list(_TEXT)("each as `name=value`"),
    kind=_TEXT("the kind of reason"),
    line=_NUMBER_FROM_1("the line that decides; null where none does"),
    text=_TEXT("the line as it is written"),
)
_CHANGE = _Object(
    "Decisions that change alike.",
    crawlers=_NAMES("names; `*` is any that neither policy names"),
    purposes=_NAMES("purposes asked for; an empty text is none"),
    usages=_NAMES,
    paths=_PATHS_AGAIN,
    before=_SIDE,
    after=_SIDE,
    witness=_TEXT("a shortest path at which it shows"),
)
_UNDECIDED = _Object(
    "A question that is open; `*` three times is any.", crawler=_TEXT, purpose=_TEXT, usage=_TEXT, because=_TEXT
)
_COMPARED = {
    "verdict": _one_of("equal", "different", "undecided"),
    "changes": _list(_CHANGE),
    "undecided": _list(_UNDECIDED),
    "removed": _list(_TEXT)("lines that decide nothing, no longer there"),
    "added": _list(_TEXT)("lines that decide nothing, now there"),
}
_POLICIES = {
    "old": _TEXT_OR_NULL("the name of the old policy"),
    "new": _TEXT_OR_NULL("the name of the new policy"),
}
_COMPARISON = _Document("comparison", "Which decisions change from one policy to another.", **_POLICIES, **_COMPARED)
COMPARISON_SCHEMA = _COMPARISON.schema | {"$defs": {"paths": _PATHS.schema}}
_UNDONE = _Object(
    "A line that a block before its policy undoes.",
    line=_NUMBER_FROM_1("its place in the policy"),
    text=_TEXT("the line as it is written"),
    change=_CHANGE,
    in_block=_TRUTH("whether what decides in its place stands in the block"),
)
_EFFECTIVE = _Document(
    "effective policy",
    "What a policy is with a block before it: a comparison with more keys.",
    **_POLICIES,
    **_COMPARED,
    undone=_list(_UNDONE),
    joined=_NAMES("crawlers with a group in the block and in the policy, which are one"),
    taken=_NAMES("crawlers with a group in the block alone, who heard the policy's group for any before"),
)
EFFECTIVE_SCHEMA = _EFFECTIVE.schema | {"$defs": {"paths": _PATHS.schema}}


def comparison_to_json(comparison: Any, *, old: str | None = None, new: str | None = None) -> ComparisonJson:
    """How two policies differ (`acap.compare`), of types that `json.dumps` takes; `old` and `new` are their names.

    A set of paths is `{"within": [pattern, …], "without": [set, …]}`: what matches all patterns and is in no other set.
    """
    return cast("ComparisonJson", _COMPARISON.of(comparison, old=old, new=new))


def effective_to_json(effective: Any, *, old: str | None = None, new: str | None = None) -> EffectiveJson:
    """What a policy is with a block before it (`acap.publish.prepended`), as `comparison_to_json` has a comparison."""
    compared = {key: getattr(effective.comparison, key) for key in _COMPARED}
    return cast("EffectiveJson", _EFFECTIVE.of(effective, old=old, new=new, **compared))


_PROBLEMS = _list(_Type({"type": "object", "description": "as the schema of problems says"}))


def _short(problems: Iterable[Problem], source: str | None) -> list[ProblemJson]:
    """Problems that each quote little: each of the many problems of one tag has the tag."""
    return [problem_to_json(problem, source=source) | {"text": problem.text[:_QUOTED]} for problem in problems]


# --- the verdict on a policy ------------------------------------------------------------------------------------------

_EXTENT = _Object(
    "Usages of which as much of the site is permitted.",
    usages=_NAMES,
    extent=_one_of("all", "some", "none", "conditional", "undecided")("how much of the site"),
    text=_TEXT("the same in words, with the paths"),
)
_VERDICT = _Document(
    "policy",
    "What is to be known first of a robots.txt.",
    source=_SOURCE,
    instead=_TEXT("what is there instead of a robots.txt; else empty"),
    mistakes=_NUMBER("errors and warnings, each cause once"),
    remarks=_NUMBER("findings of severity info, each cause once"),
    idle=_NUMBER("rules that change no decision"),
    text=_TEXT("all of it in one paragraph"),
    rows=_list(
        _Object("Crawlers that are told the same.", crawlers=_NAMES("names; `*` is any other"), parts=_list(_EXTENT)),
        "how much of the site each crawler may use; empty where a part of the file was not read",
    ),
    problems=_PROBLEMS,
)
VERDICT_SCHEMA = _VERDICT.schema


def verdict_to_json(verdict: Any, *, source: str | None, problems: Iterable[Problem] = ()) -> dict[str, Any]:
    """What is to be known first of a robots.txt (`acap.publish.verdict`), of types that `json.dumps` takes."""
    return _VERDICT.of(verdict, source=source, problems=_short(problems, source))


# --- what is written --------------------------------------------------------------------------------------------------


def _octets(octets: bytes | None) -> dict[str, str | None]:
    """The two keys that hold octets: as text if they are UTF-8, else in base64."""
    if octets is None:
        return {"text": None, "text_base64": None}
    try:
        return {"text": octets.decode(), "text_base64": None}
    except UnicodeDecodeError:
        return {"text": None, "text_base64": b2a_base64(octets, newline=False).decode()}


_TEXTS = {
    "text": _TEXT_OR_NULL("the whole document; null where there is none, or it is no UTF-8"),
    "text_base64": _TEXT_OR_NULL("its octets, if it is no UTF-8"),
}
_WRITTEN = _TEXT_OR_NULL("the file that was written; null if none was")
_NOTE = _Object(
    "Something that the result says otherwise, or does not say.",
    line=_NUMBER_FROM_1("the line of the original; null for the whole of it"),
    message=_TEXT,
    loss=_TRUTH("whether the result does not have it"),
)
_CONVERSION = _Document(
    "conversion",
    "A policy in another form.",
    source=_SOURCE,
    to=_TEXT("the form"),
    **_TEXTS,
    written=_WRITTEN,
    proved=_TRUTH("whether it was proved that no answer is looser"),
    added=_NUMBER("statements that no line of the original says"),
    notes=_list(_NOTE.by(lambda note: _NOTE.of(note, line=note.line or None))),
    comparison=_Type(
        {"anyOf": [_NULL, {"type": "object", "description": "as the schema of comparisons says"}]},
    )("which answers changed; null without --verify"),
)
CONVERSION_SCHEMA = _CONVERSION.schema


def conversion_to_json(
    conversion: Any, *, source: str | None, written: str | None = None, comparison: Any = None
) -> ConversionJson:
    """A conversion of `acap.publish.convert`, of types that `json.dumps` takes.

    `written` is the file that has its text; `comparison` is what `verify` found, if it was asked.
    """
    compared = None if comparison is None else comparison_to_json(comparison, old=source, new=written)
    # A conversion to another dialect is proved in the making, and adds nothing.
    proved, added = getattr(conversion, "proved", True), getattr(conversion, "added", 0)
    members = _CONVERSION.of(
        conversion, source=source, written=written, comparison=compared, proved=proved, added=added,
        **_octets(conversion.text),
    )  # fmt: skip
    return cast("ConversionJson", members)


_MISTAKE = _Object("A mistake or a doubt.", field=_TEXT("where it is: a key path, `line 12`, or empty"), message=_TEXT)
_COMPOSITION = _Document(
    "composition",
    "A policy that was composed.",
    source=_SOURCE,
    preset=_TEXT_OR_NULL("the preset that was added, or several, divided by commas"),
    **_TEXTS,
    written=_WRITTEN,
    mistakes=_list(_MISTAKE.by(_as_it_is), "why nothing was composed; else empty"),
    warnings=_list(_MISTAKE.by(_as_it_is), "what the reader, or a list of crawlers, finds doubtful"),
    notes=_list(_TEXT)("what a preset changes for whom, what stands against it, and what to add elsewhere"),
    rows=_list(
        _Object(
            "What one crawler may do with one URL in one way.",
            url=_TEXT,
            crawler=_TEXT("`*` is any that the policy does not name"),
            purpose=_TEXT_OR_NULL,
            usage=_TEXT,
            outcome=_OUTCOME,
            restrictions=_list(_TEXT)("each as `name=value`"),
            why=_TEXT("the statement that decides, or the kind of reason"),
        ),
        "the preview; empty without --preview",
    ),
)
COMPOSITION_SCHEMA = _COMPOSITION.schema


def composition_to_json(
    octets: bytes | None, *, source: str | None, preset: str | None = None, written: str | None = None,
    mistakes: Iterable[tuple[str, str]] = (), warnings: Iterable[tuple[str, str]] = (), notes: Iterable[str] = (),
    rows: Iterable[Any] = (),
) -> CompositionJson:  # fmt: skip
    """A policy of `acap.publish.compose`, of types that `json.dumps` takes; None: there is none, for its `mistakes`.

    `mistakes` and `warnings` are pairs of where and what; `rows` are those of a preview.
    """
    complaints = {
        key: [{"field": field, "message": message} for field, message in pairs]
        for key, pairs in (("mistakes", mistakes), ("warnings", warnings))
    }
    values = {"source": source, "preset": preset, "written": written, "notes": list(notes), "rows": list(rows)}
    return cast("CompositionJson", _COMPOSITION.of(None, **values, **_octets(octets), **complaints))


_LAYOUT = _Document(
    "layout",
    "A document in the one layout.",
    source=_SOURCE,
    changed=_TRUTH("whether the document was laid out otherwise"),
    written=_WRITTEN,
    **_TEXTS,
)
LAYOUT_SCHEMA = _LAYOUT.schema


def layout_to_json(octets: bytes, *, source: str | None, changed: bool, written: str | None = None) -> LayoutJson:
    """A document as `acap.publish.format` lays it out, of types that `json.dumps` takes."""
    return cast("LayoutJson", _LAYOUT.of(None, source=source, changed=changed, written=written, **_octets(octets)))


# --- pages ------------------------------------------------------------------------------------------------------------

_PAIR = _Type({"type": "array", "items": _TEXT.schema, "minItems": 2, "maxItems": 2}, list)
_STATEMENT = _Object(
    "One statement.",
    **(_CITED | {"effect": _one_of("permits", "prohibits", "conditional")}),
    part=_one_of("page", "element"),
    crawler=_TEXT_OR_NULL("whom it is addressed to; null for any crawler"),
    purpose=_TEXT_OR_NULL("the purpose it is for; null for any"),
    restrictions=_RESTRICTIONS.by(
        lambda pairs: [_RESTRICTION.of(None, name=name, value=value, usage=None) for name, value in pairs]
    ),
)
_LOCAL_USAGE = _Object("One local usage.", name=_TEXT, permits=_TRUTH)
_PAGE = _Document(
    "page",
    "What a page says to crawlers, without its site's robots.txt.",
    url=_TEXT_OR_NULL("the page's own URL; null if it is unknown"),
    source=_SOURCE,
    version=_TEXT_OR_NULL("the version of ACAP that the page names"),
    encoding=_TEXT_OR_NULL("how its octets were read; null where there is no HTML"),
    headers=_list(_PAIR, "the headers of the response: name in lower case, and value"),
    statements=_list(_STATEMENT.by(lambda pair: _statement(*pair))),
    local_usages=_list(
        _LOCAL_USAGE.by(lambda pair: _LOCAL_USAGE.of(None, name=pair[0], permits=pair[1])),
        "usages that only the site's robots.txt can define",
    ),
    problems=_PROBLEMS,
)
PAGE_SCHEMA = _PAGE.schema


def page_to_json(
    page: Any,
    cited: Iterable[tuple[Statement, Cited]],
    local_usages: Iterable[tuple[str, bool]],
    *,
    source: str | None,
    problems: Iterable[Problem] | None = None,
) -> PageJson:
    """What an `acap.PagePolicy` says, of types that `json.dumps` takes.

    `cited` are its statements, each with how it is cited; `local_usages` those that only the site's robots.txt can
    define, each with whether the page permits it; `source` is the file's name or the URL it was read from. `problems`
    are those of all that was read, by default those of the page.
    """
    short = _short(page.problems if problems is None else problems, source)
    return cast("PageJson", _PAGE.of(page, source=source, statements=cited, local_usages=local_usages, problems=short))


def _statement(statement: Statement, cited: Cited) -> dict[str, Any]:
    of_statement = {key: getattr(statement, key) for key in ("part", "crawler", "purpose", "restrictions")}
    return _STATEMENT.of(cited, **of_statement)


_DECIDED = _Type({"type": "object", "description": "a decision, as its own schema says"}, decision_to_json)
_PIECE = _Object(
    "One part.",
    element=_TEXT_OR_NULL("the element it is; null for the page itself"),
    text=_TEXT("empty if it may not be used"),
    decision=_DECIDED,
)
_CONTENT = _Document(
    "content",
    "What may be used of a page in one way.",
    decision=_DECIDED("the decision on the page as a whole"),
    uri=_TEXT_OR_NULL("another resource that must be used instead of the page"),
    text=_TEXT("the usable text; empty if there is none"),
    html=_TEXT("the usable content as HTML"),
    pieces=_list(_PIECE, "the parts of the page in their order"),
)
CONTENT_SCHEMA = _CONTENT.schema


def content_to_json(content: Any) -> ContentJson:
    """What may be used of a page (`PagePolicy.content_for`), piece by piece, of types that `json.dumps` takes."""
    return cast("ContentJson", _CONTENT.of(content))


_LINK = _Document(
    "link",
    "A link of a page.",
    url=_TEXT("where it leads"),
    tag=_TEXT,
    rel=_list(_TEXT),
    element=_TEXT("where it is"),
    hint=_TRUTH("whether nothing refuses but `rel`"),
    decision=_DECIDED("the decision on following it"),
)
LINK_SCHEMA = _LINK.schema


def link_to_json(link: Any) -> LinkJson:
    """A link of a page (`PagePolicy.links`) with the decision on following it, of types that `json.dumps` takes."""
    return cast("LinkJson", _LINK.of(link))


_SNIPPET = _Document(
    "snippet",
    "A snippet of a page.",
    text=_TEXT_OR_NULL("null if none may be shown, or none is at hand"),
    origin=_one_of("page", "publisher"),
    uri=_TEXT_OR_NULL("another resource that must be shown instead"),
    complete=_TRUTH("whether nothing was cut off its end"),
    decision=_DECIDED("the decision on showing it"),
)
SNIPPET_SCHEMA = _SNIPPET.schema


def snippet_to_json(snippet: Any) -> SnippetJson:
    """A snippet of a page (`PagePolicy.snippet`) with the decision on showing it, of types that `json.dumps` takes."""
    return cast("SnippetJson", _SNIPPET.of(snippet))


_CELL = _Object(
    "What one carrier says of a usage.",
    carrier=_one_of("robots.txt", "tdmrep.json", "ai.txt", "licences", "response", "headers", "page", "file"),
    outcome=_one_of("permitted", "conditional", "prohibited", None)("null if it says nothing of it"),
    unknown=_TRUTH("whether a document that could not be retrieved or read decides, so that what it says is not known"),
    decided_by=_list(_Object("A statement that decided.", **_CITED), "what decides it for this carrier alone"),
)
_ROW = _Object(
    "One usage.",
    usage=_TEXT,
    decision=_DECIDED("the decision of all carriers together"),
    contradiction=_TRUTH("whether carriers disagree, or two vocabularies within one of them"),
    cells=_list(
        _CELL.by(lambda cell: _CELL.of(cell, unknown=cell.is_unknown, decided_by=cell.decision.reason.decided_by))
    ),
)
_MATRIX = _Object(
    "Who says what to one crawler.",
    url=_TEXT("the resource asked about"),
    crawler=_TEXT("the crawler's name, or several in order, separated by commas"),
    rows=_list(_ROW.by(lambda row: _ROW.of(row, contradiction=row.is_contradiction))),
)
_SITE_DOCUMENT = _Object(
    "One document of the site.",
    kind=_one_of("robots.txt", "tdmrep.json", "ai.txt", "licence", "tdm-policy", "reference", "page"),
    url=_TEXT,
    state=_one_of("read", "none", "foreign", "unknown"),
    why=_TEXT("the reason of its state; may be empty"),
    doubt=_TEXT("what follows of its not being known; empty if it is known"),
    referred_by=_TEXT_OR_NULL("the document that refers to it"),
    evidence=_Type({"type": ["object", "null"], "description": "all that came with it; null if it was not asked for"}),
    problems=_PROBLEMS,
)
_SITE = _Document(
    "site",
    "Everything a site says.",
    url=_TEXT("scheme, host and port"),
    expires_at=_TEXT("the first instant at which a document has to be asked for again, ISO 8601"),
    documents=_list(_SITE_DOCUMENT.by(lambda one: _SITE_DOCUMENT.of(one, problems=_short(one.problems, one.url)))),
    left_out=_list(_TEXT, "URLs of documents beyond the limits, which count as documents that could not be retrieved"),
    matrices=_list(
        _MATRIX.by(lambda matrix: _MATRIX.of(matrix, crawler=crawler_text(matrix.rows[0].decision))),
        "one for each crawler",
    ),
)
SITE_SCHEMA = _SITE.schema


def site_to_json(policy: Any, matrices: Iterable[Any]) -> SiteJson:
    """What an `acap.SitePolicy` says, and who says what, of types that `json.dumps` takes."""
    return cast("SiteJson", _SITE.of(policy, expires_at=policy.expires_at.isoformat(), matrices=matrices))
