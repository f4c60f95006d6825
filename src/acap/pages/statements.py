"""What a page carries → statements: ACAP and conventional META, X-Robots-Tag, class tokens, `data-nosnippet`.

Reading does not depend on the asker, but the statements may: profiles give some words a meaning of their own, and local
usages mean what the site's robots.txt says. So statements are made for each kind of asker, and cached; those of pages
that declare the same are remembered. They are made in one module, since they share these caches.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from copy import copy
from functools import cached_property

from acap import _native
from acap._native import Statement, Statements
from acap.dialects.tdmrep import RANKS, Reservation
from acap.pages import declarations, tags, words
from acap.pages.addressees import crawler_named, is_named
from acap.pages.declarations import Addressed, Declarations, Doubt
from acap.pages.elements import Own, Regions
from acap.pages.headers import media_type
from acap.pages.html import MAX_ELEMENTS, Carrier, Meta, PageTree
from acap.pages.places import Places, quoted
from acap.pages.signals import Doubt as SignalDoubt
from acap.pages.signals import PageSignal
from acap.problems import problem
from acap.robots import RobotsPolicy
from acap.statement import on_terms

META, HEADER, NOSNIPPET = "robots-meta", "x-robots-tag", "data-nosnippet"
"""Dialects of conventional statements."""

MAX_KINDS = 64
"""Most kinds of element statement per page: two for each usage, and some more. Beyond that everything is prohibited."""

MAX_TOKENS = 20_000
"""Most ACAP tokens in class attributes per page. Beyond that everything is prohibited."""

_KEPT = 16
"""Statements are cached for at most this many kinds of askers."""

_REMEMBERED, _FEW = 256, 64
"""Of at most this many kinds of pages and askers the statements are remembered, if they are few."""

_remembered: dict[object, tuple[list[Statement], Statements]] = {}
_UNKNOWN = object()


class Applicable:
    """The statements of a page for one kind of asker: on the page itself, and on elements.

    `prepared` are those on the page itself, ready for questions.
    """

    __slots__ = ("_of_source", "_statements", "prepared", "regions")

    def __init__(
        self, statements: list[Statement], regions: Regions | None, prepared: Statements, source: str | None = None
    ) -> None:
        self.regions = regions
        self.prepared = prepared
        self._statements = statements
        self._of_source = source

    @property
    def statements(self) -> list[Statement]:
        """The statements on the page itself."""
        source = self._of_source
        if source is not None:
            # Most askers need none of them.
            self._statements = [_native.of_source(one, source) for one in self._statements]
            self._of_source = None
        return self._statements

    @property
    def alike(self) -> list[Statement] | None:
        """The same without their source: one list for all pages that say the same, while that is remembered."""
        return self._statements if self._of_source is not None else None


class PageCarriers:
    """The carriers of a page: its headers and its tree, before they are made into statements."""

    def __init__(
        self,
        document: PageTree | None,
        headers: Iterable[tuple[str, str]],
        url: str | None,
        doubts: list[Doubt],
        *,
        is_page: bool,
        by_letter: bool = False,
    ) -> None:
        self.document = document
        self.url = url
        self.is_page = is_page
        self.headers = tuple(headers)
        self._doubts = doubts
        self._by_letter = by_letter
        self._by_asker: dict[object, Applicable] = {}
        self._key: Hashable = _UNKNOWN

    @cached_property
    def _declared(self) -> Declarations:
        return declarations.read(self.document, self.headers, self.url, self._doubts, by_letter=self._by_letter)

    @property
    def doubts(self) -> list[Doubt]:
        """Why some of it could not be read."""
        _ = self._declared  # which may find some
        return self._doubts

    @property
    def words(self) -> list[Addressed]:
        """The conventional words."""
        return self._declared.words

    @property
    def acap(self) -> list[Meta]:
        """The META elements that are ACAP's."""
        return self._declared.acap

    @property
    def acap_headers(self) -> list[tuple[str | None, str]]:
        """The parts of headers that are ACAP's, each with its addressee."""
        return self._declared.acap_headers

    @property
    def misaddressed(self) -> list[Meta]:
        """The META elements to crawlers whose names are no crawlers'."""
        return self._declared.misaddressed

    @property
    def signals(self) -> list[PageSignal]:
        """What is said beside ACAP and words."""
        return self._declared.signals

    @property
    def signal_problems(self) -> list[SignalDoubt]:
        """The problems of those."""
        return self._declared.signal_problems

    @property
    def mining(self) -> Reservation:
        """What is reserved."""
        return self._declared.mining

    @property
    def without_licences(self) -> PageCarriers:
        """The same without references to licences: who asks has their documents, which speak in their place."""
        return self if self._without_licences is None else self._without_licences

    @cached_property
    def _without_licences(self) -> PageCarriers | None:
        # None where it is the same: what refers to itself stays in memory with its page until Python looks for such.
        signals = [signal for signal in self.signals if signal.dialect != "rsl"]
        if len(signals) == len(self.signals):
            return None
        made = copy(self)
        made._declared, made._by_asker = self._declared._replace(signals=signals), {}
        made._key = None
        return made

    def named_alone(self, statement: Statement) -> Iterable[Statement]:
        """A reservation of the site's file, on the terms that headers or META elements name by themselves.

        They take the place of its own (TDMRep 6.7). Nothing is known of a file that was not read, which has no lines.
        """
        own = self.mining
        if own.reserved is not None or not (own.policies or own.unread):
            return (statement,)
        is_file = statement.dialect == "tdmrep" and statement.rank == RANKS["file"] and statement.line is not None
        if not is_file or statement.outcome == "permitted":
            return (statement,)
        return [on_terms(statement, *verdict) for verdict in own._replace(reserved=True).verdicts]

    @property
    def is_read_twice(self) -> bool:
        """Whether two readings of the page differ, or one breaks off, so that some of it lifts nothing."""
        document = self.document
        whole = document is None or (document.lifts and document.divided)
        return document is not None and not (whole and all(meta.lifts for meta in document.metas))

    @cached_property
    def carriers(self) -> list[Carrier]:
        """Elements that carry statements, in the order of the page."""
        carriers = [] if self.document is None else self.document.carriers()
        if len(carriers) > MAX_ELEMENTS:
            self.doubts.append(("page-too-much", (str(MAX_ELEMENTS), "elements with statements")))
            return []
        return carriers

    @cached_property
    def tokens(self) -> list[tuple[int, str]]:
        """The ACAP tokens, each with the place of its carrier."""
        tokens = [(place, token) for place, carrier in enumerate(self.carriers) for token in carrier.tokens]
        if len(tokens) > MAX_TOKENS:
            self.doubts.append(("page-too-much", (str(MAX_TOKENS), "class tokens")))
            return []
        return tokens

    @cached_property
    def acap_names(self) -> list[str]:
        """The crawlers that ACAP tags name, whatever their statements."""
        return list({name for meta in self.acap if (name := crawler_named(meta.name)) is not None})

    @cached_property
    def page_tags(self) -> tags.Tags:
        """The contents of ACAP tags and tokens, read."""
        found = tags.read([meta.content for meta in self.acap], [token for _, token in self.tokens])
        if len({(token.permits, token.usage, token.local) for token in found.tokens}) > MAX_KINDS:
            self.doubts.append(("page-too-much", (str(MAX_KINDS), "kinds of statements on elements")))
            found = found._replace(tokens=())
        if len(found.tags) > tags.MAX_STATEMENTS:
            self.doubts.append(("page-too-much", (str(tags.MAX_STATEMENTS), "statements in META tags")))
            found = found._replace(tags=found.tags[: tags.MAX_STATEMENTS])
        return found

    @cached_property
    def header_tags(self) -> tags.Tags:
        """The ACAP parts of headers, read; places count through `acap_headers`."""
        found = tags.read([content for _, content in self.acap_headers], [])
        if len(found.tags) > tags.MAX_STATEMENTS:
            self.doubts.append(("page-too-much", (str(tags.MAX_STATEMENTS), "statements in headers")))
            found = found._replace(tags=found.tags[: tags.MAX_STATEMENTS])
        return found

    def applicable(self, profile: str, names: Sequence[str], robots: RobotsPolicy | None) -> Applicable:
        """The statements for askers of a profile; `names` matter only where one word of a profile cancels another."""
        own = (profile, tuple(names) if profile == "bing" else ())
        if (applicable := self._by_asker.get(own)) is not None:
            return applicable
        alike = self._alike
        if alike is not None and (known := _remembered.get((alike, own))) is not None:
            statements, prepared = known
            # No element says anything.
            prepared = prepared.of_source(self.source, Places(self.document, ()).of)
            return self._kept(own, Applicable(statements, None, prepared, self.source))
        local_names = self._local_names
        key = (*own, robots) if local_names else own
        if (applicable := self._by_asker.get(key)) is not None:
            return applicable
        local: tags.Locals = {}
        if local_names and robots is not None:
            local = dict(zip(local_names, robots.definitions(local_names), strict=True))
        regions = self._regions(profile, local)
        loose: list[Statement] = []
        if regions is not None and self.document is not None and not self.document.divided:
            loose, regions = list(_loose(regions)), None
        statements = [
            *loose,
            *self._tag_statements(local),
            *self._header_statements(local),
            *self._word_statements(profile, names),
            *self._signal_statements(),
            *self._doubtful(),
        ]
        is_few = len(statements) <= _FEW
        if alike is not None and is_few and not (local_names or self.doubts or self._names_location):
            of_any = [_native.of_source(statement, None) for statement in statements]
            if len(_remembered) >= _REMEMBERED:
                _remembered.clear()
            _remembered[alike, own] = of_any, Statements(of_any, (), self.acap_names)
        return self._kept(key, Applicable(statements, regions, self.prepared(statements, regions)))

    def _kept(self, key: object, applicable: Applicable) -> Applicable:
        if len(self._by_asker) >= _KEPT:
            self._by_asker.clear()
        self._by_asker[key] = applicable
        return applicable

    @property
    def _alike(self) -> Hashable | None:
        """What pages have in common that say the same to who asks; None where more has to be looked at."""
        if self._key is _UNKNOWN:
            known = self.document, self.headers, self.url
            key = None if self._doubts else declarations.key(*known, is_page=self.is_page, by_letter=self._by_letter)
            self._key = key
        return self._key

    @property
    def _names_location(self) -> bool:
        """Whether a statement is for pages at some location."""
        every_tag = (*self.page_tags.tags, *self.header_tags.tags)
        return any(name == "location" for tag in every_tag for name, _ in tag.qualifiers)

    def prepared(
        self, statements: Sequence[Statement], regions: Regions | None, *, licensed: bool = False
    ) -> Statements:
        """Statements ready for questions: also on the usages with statements of any element of `regions`.

        `licensed`: what the documents of License lines say is among them.
        """
        usages = () if regions is None else tuple(regions.usages)
        return Statements(statements, usages, self.acap_names, self._places.of, licensed)

    @cached_property
    def _local_names(self) -> list[tuple[str, bool]]:
        """The local usages that tags name, each with whether it is permitted."""
        return list(dict.fromkeys((*self.page_tags.local_names, *self.header_tags.local_names)))

    def _tag_statements(self, local: tags.Locals) -> Iterator[Statement]:
        readable = self.document is None or self.document.lifts

        # A tag with a hidden name may be the crawler's, and then tags with another of its names are not for it.
        hidden = any(_native.is_hidden(meta.name) for meta in self.acap)

        def whom(tag: tags.TagStatement) -> tuple[str, bool]:
            meta = self.acap[tag.place]
            is_addressed = meta.name.strip(_BLANKS).lower() == "robots" or not (
                hidden or crawler_named(meta.name) is None
            )
            return meta.name, tag.lifts and meta.lifts and readable and is_addressed

        for one in self._settled(self.page_tags.tags, local, whom) if self.acap else ():
            meta = self.acap[one.place]
            yield self._acap_statement(one, meta.content, place=("meta", meta.place))

    def _header_statements(self, local: tags.Locals) -> Iterator[Statement]:
        # Outside the specification: they restrict, but never permit (semantics, section 7).
        def whom(tag: tags.TagStatement) -> tuple[str, bool]:
            return self.acap_headers[tag.place][0] or "", False

        for one in self._settled(self.header_tags.tags, local, whom) if self.acap_headers else ():
            yield self._acap_statement(one, self.acap_headers[one.place][1], header="X-Robots-Tag")

    def _settled(
        self,
        found: Iterable[tags.TagStatement],
        local: tags.Locals,
        whom: Callable[[tags.TagStatement], tuple[str, bool]],
    ) -> Iterable[tags.Placed]:
        """The statements of tags, settled together; `whom` gives each one's name, and whether its permissions lift."""

        def placed() -> Iterator[tags.Placed]:
            for tag in found:
                name, lifts = whom(tag)
                crawler, doubted = crawler_named(name), tag.doubted or _native.is_hidden(name)
                doubt = tags.doubt(tag, local)
                for usage, permits, restrictions, may_lift in tags.parts(tag, local, ("other",)):
                    firm = tag.firm or (tag.permits and not permits)
                    effect = (usage, permits, restrictions, lifts and may_lift, firm, doubted)
                    yield tags.Placed(tag.place, crawler, tag.purpose, *effect, doubt)

        return tags.settle(placed(), self.url)

    def _acap_statement(
        self, placed: tags.Placed, content: str, *, place: tuple[str, int] | None = None, header: str | None = None
    ) -> Statement:
        return Statement(
            dialect="acap",
            usage=placed.usage,
            outcome="permitted" if placed.permits else "prohibited",
            crawler=placed.crawler,
            purpose=placed.purpose,
            lifts=placed.lifts,
            firm=placed.firm,
            doubted=placed.doubted,
            restrictions=placed.restrictions,
            source=self.source,
            header=header,
            text=quoted(content) + placed.doubt,
            place=place,
        )

    def _word_statements(self, profile: str, names: Sequence[str]) -> Iterator[Statement]:
        # Microsoft: NOCACHE and NOARCHIVE together are NOCACHE.
        limited = profile == "bing" and any(
            one.word.name == "nocache" and (one.crawler is None or is_named(one.crawler, names)) for one in self.words
        )
        for word in self.words:
            for rule in word.word.rules_for(profile):
                if limited and word.word.name == "noarchive" and rule.profiles == ("bing",):
                    continue
                for usage in rule.usages:
                    yield self._word_statement(word, usage, rule.restriction)

    def _signal_statements(self) -> Iterator[Statement]:
        for signal in self.signals:
            yield Statement(
                dialect=signal.dialect,
                usage=signal.usage,
                outcome=signal.outcome,
                source=self.source,
                element=signal.element,
                header=signal.header,
                text=quoted(signal.text),
                place=None if signal.meta is None else ("meta", signal.meta.place),
                condition=signal.condition,
                rank=signal.rank,
                firm=signal.firm,
            )

    def _word_statement(self, addressed: Addressed, usage: str, restriction: tuple[str, str] | None) -> Statement:
        meta = addressed.meta
        if restriction == words.IMAGES and self._may_be_image:
            # A word about the images of a page is about the resource where that is an image itself (our choice).
            restriction = None
        return Statement(
            dialect=HEADER if meta is None else META,
            usage=usage,
            outcome="prohibited" if restriction is None else "permitted",
            crawler=addressed.crawler,
            yields=meta is not None,
            lifts=restriction is None,
            restrictions=[] if restriction is None else [restriction],
            source=self.source,
            header="X-Robots-Tag" if meta is None else None,
            text=quoted(addressed.word.text),
            place=None if meta is None else ("meta", meta.place),
        )

    @property
    def _may_be_image(self) -> bool:
        media = media_type(self.headers)
        return media.startswith("image/") if media else not self.is_page

    def _regions(self, profile: str, local: tags.Locals) -> Regions | None:
        if self.document is None or not self.carriers:
            return None
        own: dict[int, list[Own]] = {}
        for tag in self.page_tags.tokens:
            place, token = self.tokens[tag.place - len(self.acap)]
            token += tags.doubt(tag, local)
            for usage, permits, restrictions, may_lift in tags.parts(tag, local, tags.EVERY_USE):
                firm = tag.firm or (tag.permits and not permits)
                lifts = may_lift and (tag.lifts or not permits)
                own.setdefault(place, []).append(Own("acap", permits, usage, tuple(restrictions), token, firm, lifts))
        effects = (effect for effect in words.TABLE["nosnippet"] if profile in effect.profiles)
        hidden = [usage for effect in effects for usage in effect.usages]
        for place, carrier in enumerate(self.carriers):
            if carrier.nosnippet:
                own.setdefault(place, []).extend(Own(NOSNIPPET, False, usage, (), NOSNIPPET) for usage in hidden)
        return Regions(self.document, self.carriers, own, self.source) if own else None

    def _doubtful(self) -> Iterator[Statement]:
        # The part that could not be read may have prohibited anything.
        for code, details in self.doubts[:1]:
            message = problem(code, 0, 0, list(details), "").message
            for usage in tags.EVERY_USE:
                yield Statement(dialect="page", usage=usage, outcome="prohibited", source=self.source, text=message)

    def local_usages(self) -> Iterator[tuple[str, tuple[str, int] | None, tags.TagStatement]]:
        """The statements on local usages, each with its text and its place (none: in a header)."""
        for tag in (tag for tag in self.page_tags.tags if tag.local):
            meta = self.acap[tag.place]
            yield meta.content, ("meta", meta.place), tag
        for tag in (one for one in self.page_tags.tokens if one.local):
            index, token = self.tokens[tag.place - len(self.acap)]
            yield token, ("element", index), tag
        for tag in (tag for tag in self.header_tags.tags if tag.local):
            yield self.acap_headers[tag.place][1], None, tag

    @property
    def source(self) -> str:
        """The name by which the page is cited."""
        return self.url or "page"

    def locate(self, kind: str, number: int) -> tuple[int | None, int | None, str | None]:
        """Line, column and locator of a place, as `Places.of`."""
        return self._places.of(kind, number)

    @cached_property
    def _places(self) -> Places:
        return Places(self.document, self.carriers)


def _loose(regions: Regions) -> Iterator[Statement]:
    """The statements of elements whose content is uncertain: each kind of them prohibits (P2 2.2.6)."""
    seen: set[tuple[str, str]] = set()
    for region in regions.list:
        for one in region.own:
            if (one.dialect, one.usage) not in seen:
                seen.add((one.dialect, one.usage))
                yield region.statement(one._replace(permits=False, restrictions=()))


_BLANKS = " \t\n\f\r\xa0"
