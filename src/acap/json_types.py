"""The types of the JSON forms: written from the schemas of `acap.schema` by `python -m tools.json_types`.

A reader must accept keys that it does not know; a type here has those of this version. It is one module, as the schemas
are.
"""

from __future__ import annotations

from typing import Any, Literal, TypedDict


class RestrictionJson(TypedDict):
    """One restriction."""

    name: str
    value: str
    usage: str | None


class ConditionJson(TypedDict):
    """What would satisfy a conditional statement."""

    asks: Literal["licence", "payment", "consent", "terms"]
    licence: str | None
    server: str | None
    policy: str | None
    payment: str | None
    amount: str | None
    currency: str | None
    contact: list[str]
    text: str


class CitedJson(TypedDict):
    """A statement that decided."""

    source: str | None
    line: int | None
    column: int | None
    element: str | None
    header: str | None
    text: str
    effect: Literal["permits", "prohibits", "conditional"] | None
    usage: str | None
    dialect: str | None


class LostJson(TypedDict):
    """A statement that lost."""

    source: str | None
    line: int | None
    column: int | None
    element: str | None
    header: str | None
    text: str
    effect: Literal["permits", "prohibits", "conditional"] | None
    usage: str | None
    dialect: str | None
    key: str


class ReasonJson(TypedDict):
    """Why."""

    kind: str
    decided_by: list[CitedJson]
    lost: list[LostJson]
    prohibited_below: list[str]
    truncated: bool


class DecisionJson(TypedDict):
    """The answer to one question: may this crawler use this URL in this way?"""

    schema: Literal[1]
    url: str
    crawler: str
    purpose: str | list[str] | None
    usage: str | list[str]
    at: str | None
    outcome: Literal["permitted", "conditional", "prohibited"]
    restrictions: list[RestrictionJson]
    conditions: list[ConditionJson]
    stated: bool
    reason: ReasonJson


class ProblemJson(TypedDict):
    """One thing that is wrong, doubtful or worth knowing in a policy."""

    schema: Literal[1]
    source: str | None
    code: str
    severity: Literal["error", "warning", "info"]
    line: int | None
    column: int | None
    message: str
    fix: str | None
    text: str


class EditJson(TypedDict):
    """Octets to be replaced."""

    start: int
    end: int
    text: str | None
    text_base64: str | None


class FixJson(TypedDict):
    """Edits that fix it."""

    title: str
    safe: bool
    edits: list[EditJson]


class PlaceJson(TypedDict):
    """A place."""

    line: int | None
    message: str


class FindingJson(TypedDict):
    """One thing in a document that does not do what its author meant."""

    schema: Literal[1]
    source: str | None
    code: str
    severity: Literal["error", "warning", "info"]
    line: int | None
    column: int | None
    end_line: int | None
    end_column: int | None
    message: str
    help: str | None
    fix: FixJson | None
    related: list[PlaceJson]
    witness: str | None


class PathsJson(TypedDict):
    """A set of paths: those that match every pattern of `within` and are in no set of `without`."""

    within: list[str]
    without: list[PathsJson]


class SideJson(TypedDict):
    """What one policy decides at the path that shows the difference."""

    outcome: Literal["permitted", "conditional", "prohibited"]
    restrictions: list[str]
    kind: str
    line: int | None
    text: str


class ChangeJson(TypedDict):
    """Decisions that change alike."""

    crawlers: list[str]
    purposes: list[str]
    usages: list[str]
    paths: PathsJson
    before: SideJson
    after: SideJson
    witness: str


class UndecidedJson(TypedDict):
    """A question that is open; `*` three times is any."""

    crawler: str
    purpose: str
    usage: str
    because: str


class ComparisonJson(TypedDict):
    """Which decisions change from one policy to another."""

    schema: Literal[1]
    old: str | None
    new: str | None
    verdict: Literal["equal", "different", "undecided"]
    changes: list[ChangeJson]
    undecided: list[UndecidedJson]
    removed: list[str]
    added: list[str]


class UndoneJson(TypedDict):
    """A line that a block before its policy undoes."""

    line: int | None
    text: str
    change: ChangeJson
    in_block: bool


class EffectiveJson(TypedDict):
    """What a policy is with a block before it: a comparison with more keys."""

    schema: Literal[1]
    old: str | None
    new: str | None
    verdict: Literal["equal", "different", "undecided"]
    changes: list[ChangeJson]
    undecided: list[UndecidedJson]
    removed: list[str]
    added: list[str]
    undone: list[UndoneJson]
    joined: list[str]
    taken: list[str]


class StatementJson(TypedDict):
    """One statement."""

    source: str | None
    line: int | None
    column: int | None
    element: str | None
    header: str | None
    text: str
    effect: Literal["permits", "prohibits", "conditional"]
    usage: str | None
    dialect: str | None
    part: Literal["page", "element"]
    crawler: str | None
    purpose: str | None
    restrictions: list[RestrictionJson]


class LocalUsageJson(TypedDict):
    """One local usage."""

    name: str
    permits: bool


class PageJson(TypedDict):
    """What a page says to crawlers, without its site's robots.txt."""

    schema: Literal[1]
    url: str | None
    source: str | None
    version: str | None
    encoding: str | None
    headers: list[list[str]]
    statements: list[StatementJson]
    local_usages: list[LocalUsageJson]
    problems: list[ProblemJson]


class PieceJson(TypedDict):
    """One part."""

    element: str | None
    text: str
    decision: DecisionJson


class ContentJson(TypedDict):
    """What may be used of a page in one way."""

    schema: Literal[1]
    decision: dict[str, Any]
    uri: str | None
    text: str
    html: str
    pieces: list[PieceJson]


class LinkJson(TypedDict):
    """A link of a page."""

    schema: Literal[1]
    url: str
    tag: str
    rel: list[str]
    element: str
    hint: bool
    decision: dict[str, Any]


class SnippetJson(TypedDict):
    """A snippet of a page."""

    schema: Literal[1]
    text: str | None
    origin: Literal["page", "publisher"]
    uri: str | None
    complete: bool
    decision: dict[str, Any]


class SiteDocumentJson(TypedDict):
    """One document of the site."""

    kind: Literal["robots.txt", "tdmrep.json", "ai.txt", "licence", "tdm-policy", "reference", "page"]
    url: str
    state: Literal["read", "none", "foreign", "unknown"]
    why: str
    doubt: str
    referred_by: str | None
    evidence: dict[str, Any] | None
    problems: list[ProblemJson]


class CellJson(TypedDict):
    """What one carrier says of a usage."""

    carrier: Literal["robots.txt", "tdmrep.json", "ai.txt", "licences", "response", "headers", "page", "file"]
    outcome: Literal["permitted", "conditional", "prohibited"] | None
    unknown: bool
    decided_by: list[CitedJson]


class RowJson(TypedDict):
    """One usage."""

    usage: str
    decision: dict[str, Any]
    contradiction: bool
    cells: list[CellJson]


class MatrixJson(TypedDict):
    """Who says what to one crawler."""

    url: str
    crawler: str
    rows: list[RowJson]


class SiteJson(TypedDict):
    """Everything a site says."""

    schema: Literal[1]
    url: str
    expires_at: str
    documents: list[SiteDocumentJson]
    left_out: list[str]
    matrices: list[MatrixJson]


class ConversionNoteJson(TypedDict):
    """Something that the result says otherwise, or does not say."""

    line: int | None
    message: str
    loss: bool


class ConversionJson(TypedDict):
    """A policy in another form."""

    schema: Literal[1]
    source: str | None
    to: str
    text: str | None
    text_base64: str | None
    written: str | None
    proved: bool
    added: int
    notes: list[ConversionNoteJson]
    comparison: ComparisonJson | None


class MistakeJson(TypedDict):
    """A mistake or a doubt."""

    field: str
    message: str


class PreviewJson(TypedDict):
    """What one crawler may do with one URL in one way."""

    url: str
    crawler: str
    purpose: str | None
    usage: str
    outcome: Literal["permitted", "conditional", "prohibited"]
    restrictions: list[str]
    why: str


class CompositionJson(TypedDict):
    """A policy that was composed."""

    schema: Literal[1]
    source: str | None
    preset: str | None
    text: str | None
    text_base64: str | None
    written: str | None
    mistakes: list[MistakeJson]
    warnings: list[MistakeJson]
    notes: list[str]
    rows: list[PreviewJson]


class LayoutJson(TypedDict):
    """A document in the one layout."""

    schema: Literal[1]
    source: str | None
    changed: bool
    written: str | None
    text: str | None
    text_base64: str | None
