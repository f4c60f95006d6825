"""What of a page is heard by a crawler: its tags and class tokens as statements on the one resource it is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from urllib.parse import urljoin

from .acap_fields import read_acap_field, read_version
from .acap_values import Value
from .canonical import canonical_path, origin
from .crawler import agent_line_names, first_named
from .definitions import Definitions, Guess, QualifiedUsage, is_too_new, read_definitions
from .document import has_known_field
from .limits import Limits
from .lines import read_lines
from .page import Page, number_of
from .page_html import Element
from .page_statements import Said, is_location
from .policy import Policy, read
from .restrictions import Restriction, resolved
from .statements import HEADER, PAGE, Statement, restrictions_of
from .text import ascii_lower
from .usages import EVERY, nearly_known, read_permitted, read_prohibited

ELEMENT_LEVEL = -1  # the line of what a crawler cannot interpret because it is an element's
EVERYTHING = ("follow", "index", "preserve", "present", "other", "tdm")  # of an element; the page was crawled already
Located = tuple[Statement, tuple[str, ...]]  # a statement and the locations it is for; none: any


@dataclass(frozen=True)
class Site:
    """The site of a page: its robots.txt, and the local usages defined there."""

    policy: Policy
    definitions: Definitions

    @classmethod
    def read(cls, octets: bytes, url: str | None) -> Site:
        """The site whose robots.txt this is."""
        lines = list(read_lines(octets, Limits(), has_known_field))
        version = next((stated for stated in map(read_version, lines) if stated), None)
        fields = [found for found in map(read_acap_field, lines) if found]
        return cls(read(octets, url=url), read_definitions(fields, version))

    def parts_of(
        self, said: Said, version: tuple[int, int], *, is_mended: bool = False
    ) -> Iterator[tuple[bool, str, tuple[tuple[Restriction, ...], tuple[str, ...]], bool]]:
        """The usages of a statement: whether each is permitted, its name, its restrictions and locations, and whether
        that lifts anything.

        A local usage means what it would in a field of robots.txt. Of one whose meaning nobody can tell what it may be
        is prohibited and restricted, and `other`, or all of an element, is prohibited as well.
        """
        locations = tuple(value for key, value in said.value.qualifiers if ascii_lower(key) == "location")
        rest = tuple((key, value) for key, value in said.value.qualifiers if ascii_lower(key) != "location")
        written = restrictions_of([replace(said.value, qualifiers=rest)], 0, version)
        permits = said.effect == "allow" and written is not None and all(map(is_location, locations))
        name = said.usage_name
        is_local = is_mended or (name.startswith("(") and name.endswith(")") and not {*"()"} & {*name[1:-1]})
        bare = name.strip("()-")
        if bare and not is_local and (name[0] == "(" or name[-1] == ")") and not nearly_known(name):
            # a parenthesis has slipped: that usage is prohibited or restricted, and what is permitted lifts nothing
            corrected = replace(said, usage_name=f"({bare})")
            for lifted, usage, restricted, _ in self.parts_of(corrected, version, is_mended=True):
                yield lifted, usage, restricted, not lifted
            if permits:
                return
        parts: list[QualifiedUsage] | None = [QualifiedUsage(name, Value())]
        is_told = True
        if is_local:
            meant = self.definitions.name_meant(name[1:-1])
            doubt = self.definitions.doubt_of(meant)
            if doubt:
                for usage in ("crawl", *EVERYTHING) if EVERY in doubt else doubt:
                    yield False, usage, ((), ()), True
                return
            parts = self.definitions.parts_of(meant, permits=permits)
            later = self.definitions.is_later(meant)
            is_told = parts is not None and not later and meant == name[1:-1]
            if parts is None:
                defined = self.definitions.usages.get(meant)
                parts = self.definitions.guessed(defined) if isinstance(defined, Guess) else []
        if not is_told:
            for usage in EVERYTHING if said.element else ("other",):
                yield False, usage, ((), ()), True
        for part in parts or ():
            defined_as = restrictions_of([part.qualifiers], 0, None)
            prohibits = not permits or part.is_prohibited
            if prohibits or written is None or defined_as is None:  # what cannot be interpreted is a prohibition too
                for usage in read_prohibited(part.usage_name):
                    yield False, usage, ((), ()), True
                continue
            if is_told or defined_as or written or locations:
                yield True, read_permitted(part.usage_name), ((*defined_as, *written), locations), is_told
            if is_local:  # what a definition would limit whose usage is misspelt is prohibited
                yield from ((False, usage, ((), ()), True) for usage in nearly_known(part.usage_name))


def may_be_later(said: Said, version: tuple[int, int]) -> bool:
    """Whether something in a permission cannot be interpreted that a later version than the page's may have: as a
    permission of that it would lift nothing, and restrict in every tier."""
    rest = tuple((key, value) for key, value in said.value.qualifiers if ascii_lower(key) != "location")
    is_told = restrictions_of([replace(said.value, qualifiers=rest)], 0, version) is not None
    places = [value for key, value in said.value.qualifiers if ascii_lower(key) == "location"]
    return said.effect == "allow" and version <= (1, 0) and not (is_told and all(map(is_location, places)))


def page_statements(
    page: Page, site: Site, names: Sequence[str], others: Sequence[str], path: str
) -> list[tuple[Statement, str | None]]:
    """The statements of META tags that address the crawler, each with its addressee, None for any crawler.

    What is said to a further name of its User-Agent string lifts nothing, and nothing lifts what that prohibits.
    """
    name = first_named(names, lambda each: each in page.named)
    found: list[tuple[Located, str | None]] = []
    for said in page.tags:
        if said.addressee is not None and said.addressee not in {name, *others}:
            continue
        for permits, usage, (restrictions, locations), lifts_in_site in site.parts_of(said, page.version_number):
            later = permits and is_too_new(said.value, page.version_number)
            if later and not (restrictions or locations or said.usage_name.startswith("(")):
                continue  # it says nothing, for no purpose
            for purpose in said.purposes or (None,):
                statement = made(permits, usage, path, purpose, restrictions, PAGE)
                # what a permission has come to that cannot be interpreted
                statement = replace(
                    statement,
                    doubtful=said.doubtful or (said.effect == "allow" and not permits),
                    firm=said.is_for_any or may_be_later(said, page.version_number),
                )
                # whom a hidden name is for may listen to no other of its names
                doubted = page.hides_names and said.addressee is not None
                lifts = not permits or (said.lifts and lifts_in_site and not later and not doubted)
                found.append(((replace(statement, lifts=lifts), locations), said.addressee))
    return [
        (
            statement if addressee in {None, name} else replace(statement.lifting(not statement.permits), firm=True),
            addressee,
        )
        for located, addressee in found
        for statement in settled(located, addressee, found, page)
    ]


def header_statements(page: Page, site: Site, names: Sequence[str], path: str) -> Iterator[tuple[Statement, bool]]:
    """What ACAP in headers says to the crawler, each with whether it names it: it restricts, and lifts nothing."""
    for said in page.in_headers:
        if said.addressee is not None and not any(agent_line_names(said.addressee, name) for name in names):
            continue
        for permits, usage, (restrictions, locations), _ in site.parts_of(said, number_of(page.version_in_headers)):
            here = all(fits(location, page.url) for location in locations)
            for purpose in said.purposes or (None,):
                found = made(permits and here, usage, path, purpose, restrictions if here else (), HEADER)
                found = replace(found, lifts=not found.permits, firm=said.is_for_any)
                yield found, said.addressee is not None


def made(
    permits: bool, usage: str, path: str, purpose: str | None, restrictions: tuple[Restriction, ...], depth: int
) -> Statement:
    """A statement on the page, which is one resource (P2 2.2.8, note)."""
    return Statement(
        permits=permits,
        usage=usage,
        pattern=path + "$",
        purposes=() if purpose is None else (purpose,),
        names=frozenset(),
        anybody=True,
        restrictions=restrictions,
        line=0,
        depth=depth,
    )


def settled(
    located: Located, addressee: str | None, all_: Sequence[tuple[Located, str | None]], page: Page
) -> Iterator[Statement]:
    """A statement once its location is compared: as it is, none at all, or a prohibition if none of its group fits.

    In a page that is ill-formed no permission and no location lifts anything, nor does one of a later version anywhere.
    """
    statement, locations = located
    if statement.permits and not (page.well_formed and statement.lifts):
        here = all(fits(location, page.url) for location in locations)
        yield replace(statement, lifts=False) if here else replace(statement, permits=False, restrictions=())
        return
    if not statement.permits or not locations or all(fits(location, page.url) for location in locations):
        yield statement
        return
    group = [
        others
        for (other, others), to in all_
        if other.permits
        and other.lifts
        and (other.usage, other.purposes, to) == (statement.usage, statement.purposes, addressee)
    ]
    if not any(others and all(fits(location, page.url) for location in others) for others in group):
        yield replace(statement, permits=False, restrictions=())


def fits(location: str, url: str | None) -> bool:
    """Whether a location is that of the page, fragments aside (P2 2.2.9.1)."""
    if url is None:
        return False
    try:
        target = urljoin(url, resolved(location))
    except ValueError:
        return False
    return origin(target) == origin(url) and canonical_path(target) == canonical_path(url)


def element_statements(page: Page, site: Site, path: str, element: Element | None) -> Iterator[Statement]:
    """The statements on an element and those around it; without one, all of them, which nobody can interpret."""
    chain = element.chain if element else []
    for said in page.classes:
        assert said.element is not None
        if element and said.element not in chain:
            continue
        for permits, usage, (restrictions, _), lifts in site.parts_of(said, page.version_number):
            depth = PAGE + len(said.element.chain)
            statement = made(permits and bool(element), usage, path, None, restrictions, depth)
            statement = replace(
                statement, doubtful=said.effect == "allow" and not permits, lifts=not permits or (lifts and said.lifts)
            )
            yield statement if element else replace(statement, line=ELEMENT_LEVEL)
