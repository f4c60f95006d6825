"""The statements of a response for who asks, as texts that are kept until the policies of its site are known.

The laws of this module:

1. A kept page has the same statements as the one that was read, each with its line, if lines are asked for: what
   decides by them decides alike.
2. What depends on more than the response and who asks has no such text (elements with statements, local usages, which
   a robots.txt defines, terms in an answer): whoever asks reads its octets again.
3. Licences that a page names are kept as references alone. Their documents speak in the place of these, as they do
   wherever a site's policy is known; nobody else may ask.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from acap import _native
from acap._native import Statement, Statements
from acap.carriers import Carriers
from acap.conditions import Condition
from acap.crawlers import as_crawler
from acap.dialects.rsl.document import RslReference
from acap.pages.asking import Asking
from acap.pages.page import PagePolicy
from acap.pages.statements import Applicable, PageCarriers
from acap.problems import Problem
from acap.restrictions import Facts
from acap.robots import Asker, RobotsPolicy
from acap.statement import Source

LONGEST = 64 * 1024
"""Characters of the statements of a response; pages have some hundred. What is longer is read again."""

_SETS = 256
"""Of so many sets of statements the text, or what is read of it, is remembered: pages of a site mostly have one."""

_SHORT = 4 * 1024
"""Characters of what a page has for itself that are remembered as well, if it is nothing but places."""

StatementTexts = tuple[str, str]
"""The statements of a page, which others share, and what it has for itself. Both are empty of a page that is silent."""

SILENT: StatementTexts = ("", "")

_Place = tuple[int | None, int | None, str | None]
_NO_PLACE: _Place = (None, None, None)
_FIELDS = (
    "dialect", "usage", "outcome", "crawler", "named", "purpose", "part", "depth", "yields", "lifts", "firm", "doubted",
    "restrictions", "source", "line", "column", "element", "header", "text", "place", "condition", "rank", "exact",
)  # fmt: skip
_USUAL: dict[str, Any] = {
    "crawler": None, "named": False, "purpose": None, "part": "page", "depth": 0, "yields": False, "lifts": True,
    "firm": False, "doubted": False, "restrictions": [], "source": None, "line": None, "column": None, "element": None,
    "header": None, "place": None, "condition": None, "rank": 0, "exact": False,
}  # fmt: skip


class StatementWriter:
    """Writes the statements of responses for who asks."""

    def __init__(self, crawler: Asker, *, with_lines: bool = True) -> None:
        """`with_lines`: whether each statement has its line, for which the text of a page is searched (law 1)."""
        asker = as_crawler(crawler)
        self._with_lines = with_lines
        self._profile, self._names = asker.profile, asker.product_tokens
        self._known: dict[int, _PageStatements] = {}
        self._written: dict[tuple[Any, ...], str] = {}

    def of(self, carriers: Carriers) -> StatementTexts | None:
        """The statements of a response; None where its octets have to be read again."""
        page = carriers.page
        beside = self._beside(carriers.others, page.url or "/")
        if beside is None or carriers.missing is not None or page.beside:
            return None
        alike = page.carried.applicable(self._profile, self._names, None).alike
        if alike is None or (known := self._known.get(id(alike))) is None or known.alike is not alike:
            if (known := self._statements_of(page)) is None:
                return None
            if alike is not None and page.carried.without_licences is page.carried:
                if len(self._known) >= _SETS:
                    self._known.clear()
                self._known[id(alike)] = known._replace(alike=alike)
        references = page.licence_references()
        if not (known.text or beside or references):
            return SILENT
        lines = [(*place, *page.carried.locate(*place)) for place in known.places] if self._with_lines else ()
        own = json.dumps([lines, beside, references]) if beside or references else self._of_lines(tuple(lines))
        return None if len(known.text) + len(own) > LONGEST else (known.text, own)

    def _of_lines(self, lines: tuple[Any, ...]) -> str:
        """What a page has for itself that has nothing but places: pages of a site have their tags in the same ones."""
        if (known := self._written.get(lines)) is None:
            known = json.dumps([lines, (), ()])
            if len(self._written) >= _SETS:
                self._written.clear()
            if len(known) <= _SHORT:
                self._written[lines] = known
        return known

    def _statements_of(self, page: PagePolicy) -> _PageStatements | None:
        """The statements of a page; None if more than these counts."""
        carried = page.carried.without_licences
        mining = carried.mining
        if page.local_usages or (mining.reserved is None and (mining.policies or mining.unread)):
            return None  # others have to say what it means: robots.txt, or what the file of its site reserves
        applicable, names = carried.applicable(self._profile, self._names, None), carried.acap_names
        if applicable.regions is not None:
            return None
        statements = applicable.statements
        text = json.dumps([[_of_statement(_native.of_source(statement, None)) for statement in statements], names])
        places = dict.fromkeys(statement.place for statement in statements if statement.place is not None)
        return _PageStatements(text if statements or names else "", tuple(places))

    def _beside(self, others: Iterable[Source], url: str) -> list[dict[str, Any]] | None:
        """What further sources say; None where one of them has more to do with those that the site has."""
        fields: list[dict[str, Any]] = []
        for source in others:
            if any(hasattr(source, name) for name in _OF_SITE):
                return None
            statements = tuple(getattr(source, "without_licences", source).statements(url))
            if any(statement.place is not None for statement in statements):
                return None
            fields += map(_of_statement, statements)
        return fields


class _PageStatements(NamedTuple):
    """The statements of a page as a text, and their places; `alike` is the list of all pages that say the same."""

    text: str
    places: tuple[tuple[str, int], ...]
    alike: list[Statement] | None = None


_OF_SITE = ("statements_for", "with_page", "terms_of", "reads_licence_lines")
"""What sources have that a decision asks for more than their statements."""


class KeptPages:
    """Pages of the statements that were kept; what many share is read once."""

    def __init__(self) -> None:
        self._sets: dict[str, _StatementSet] = {}
        self._places: dict[str, dict[tuple[str, int], _Place]] = {}

    def read(self, texts: StatementTexts, url: str) -> tuple[KeptPage, tuple[Source, ...]]:
        """The page of a text, and what else its response says.

        Raises:
            ValueError, KeyError, TypeError: it is no such text.
        """
        shared, own = texts
        if (known := self._places.get(own)) is not None:
            return KeptPage(KeptCarriers(url, self._set(shared), known), ()), ()
        places, beside, references = json.loads(own) if own else ((), (), ())
        known = {(kind, number): (line, column, element) for kind, number, line, column, element in places}
        if not (beside or references) and len(own) <= _SHORT:
            if len(self._places) >= _SETS:
                self._places.clear()
            self._places[own] = known
        carried = KeptCarriers(url, self._set(shared), known)
        page = KeptPage(carried, tuple(RslReference(*values) for values in references))
        return page, (KeptStatements(tuple(_statement(values) for values in beside)),) if beside else ()

    def _set(self, text: str) -> _StatementSet:
        if (known := self._sets.get(text)) is None:
            statements, names = json.loads(text) if text else ([], [])
            made = list(map(_statement, statements))
            if len(self._sets) >= _SETS:
                self._sets.clear()
            known = self._sets[text] = _StatementSet(made, names, Statements(made, (), names))
        return known


class _StatementSet(NamedTuple):
    """Statements of any page, the crawlers that its tags name, and both ready for questions."""

    statements: list[Statement]
    names: list[str]
    prepared: Statements


class KeptCarriers(PageCarriers):
    """The statements of a page for one asker, in the place of what it carries: the same whatever robots.txt says."""

    def __init__(self, url: str, statement_set: _StatementSet, places: dict[tuple[str, int], _Place]) -> None:
        super().__init__(None, (), url, [], is_page=True)
        self._statement_set, self._kept_places = statement_set, places

    def applicable(self, *_: object) -> Applicable:
        """The statements for who asked, when it was read."""
        known, source = self._statement_set, self.source
        return Applicable(known.statements, None, known.prepared.of_source(source, self.locate), source)

    def prepared(self, statements: Sequence[Statement], _: object, *, licensed: bool = False) -> Statements:
        """As of `PageCarriers`."""
        return Statements(statements, (), self._statement_set.names, self.locate, licensed)

    def locate(self, kind: str, number: int) -> _Place:
        """The place that it had."""
        return self._kept_places.get((kind, number), _NO_PLACE)


class KeptPage:
    """A page of which the statements for one asker are known."""

    __slots__ = ("_references", "carried", "url")

    def __init__(self, carried: KeptCarriers, references: tuple[RslReference, ...]) -> None:
        self.carried, self.url, self._references = carried, carried.url, references

    @property
    def dialect(self) -> str:
        """As of a page."""
        return "page"

    @property
    def problems(self) -> tuple[Problem, ...]:
        """None of them is kept."""
        return ()

    def licence_references(self) -> tuple[RslReference, ...]:
        """As of a page."""
        return self._references

    def statements(self, url: str) -> tuple[Statement, ...]:  # noqa: ARG002  it is of one response
        """What it says to who asks."""
        return tuple(self.carried.applicable().statements)

    def asking(
        self,
        *,
        crawler: Asker,
        purpose: str | Iterable[str] | None = None,
        at: datetime | None = None,
        facts: Facts | None = None,
        robots: RobotsPolicy | None = None,
        others: Iterable[Source] = (),
        url: str | None = None,
    ) -> Asking:
        """A question about it, as of `PagePolicy`.

        Raises:
            ValueError: nobody has the documents of licences (law 3), or it is another page.
        """
        given = tuple(others)
        sources = [source.with_page(self) if hasattr(source, "with_page") else source for source in given]
        if url != self.url or not any(hasattr(source, "with_page") for source in given):
            raise ValueError("a kept page is asked with its own URL, beside the licences of its site")
        return Asking.beside(self.carried, sources, url or "/", crawler, purpose, at, facts, robots)


class KeptStatements(NamedTuple):
    """What else a response said, to who asks."""

    listed: tuple[Statement, ...]

    @property
    def dialect(self) -> str:
        """Each statement names its own."""
        return "page"

    @property
    def problems(self) -> tuple[Problem, ...]:
        """None of them is kept."""
        return ()

    def statements(self, url: str) -> tuple[Statement, ...]:  # noqa: ARG002  they are of one response
        """Them."""
        return self.listed


def _of_statement(statement: Statement) -> dict[str, Any]:
    """The fields of a statement that are not as usual, of types that `json.dumps` takes."""
    return {name: value for name in _FIELDS if (value := getattr(statement, name)) != _USUAL.get(name, _Unusual)}


class _Unusual:
    """No value is this one."""


def _statement(kept: dict[str, Any]) -> Statement:
    fields = dict(kept)
    if (place := fields.get("place")) is not None:
        fields["place"] = tuple(place)
    if (condition := fields.get("condition")) is not None:
        fields["condition"] = Condition._make(tuple(value) if isinstance(value, list) else value for value in condition)
    fields["restrictions"] = [(name, value) for name, value in fields.get("restrictions", ())]
    return Statement(**fields)
