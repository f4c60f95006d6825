"""The proof of a preset: its files are read again, and each carrier decides by itself.

Laws. For every crawler of the list that comes for what is refused, and for any crawler, no path is left on which
robots.txt permits it; the other carriers are about every path. What search does is not changed by any of them.
To a retired name that the block does not repeat, the file as a whole says it, and what it said before it still says.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from acap.carriers import file_carriers
from acap.combine import decide_each
from acap.crawler_list import known_crawlers
from acap.dialects.ai_txt import parse_ai_txt
from acap.dialects.cawg import parse_training_mining
from acap.dialects.rsl.associations import RslLicences
from acap.dialects.rsl.policy import parse_rsl
from acap.dialects.tdmrep import parse_tdmrep
from acap.explain import KINDS, summary
from acap.pages.embedded import parse_embedded
from acap.pages.headers import fields
from acap.pages.page import PagePolicy
from acap.publish.compare import Change, compare
from acap.publish.contradictions import OneDialect, lines_of
from acap.publish.crawlers import ANY, everyone, once
from acap.publish.presets.preset import Preset, PresetError, preset
from acap.publish.presets.retired import not_repeated, repeated
from acap.publish.presets.servers import SERVERS, configured
from acap.publish.presets.writing import (
    AI_TXT,
    BYTE_ORDER_MARK,
    CREDENTIALS,
    HEAD,
    HEADERS,
    LICENCE,
    METADATA,
    ROBOTS,
    TDMREP,
    closed_by_block,
    without_block,
)
from acap.robots import RobotsPolicy, licence_lines, parse_robots
from acap.statement import Source
from acap.usages import COMPOSITES, PARENTS, above

SEARCH = ("crawl", "follow", *COMPOSITES["search"])
"""What a search engine does with a page."""
_OPEN = tuple(usage for usage in PARENTS if usage != "tdm" and "tdm" not in above(usage))
_SITE = "https://site.invalid"
_PAGE = f"{_SITE}/a"


class Proof(NamedTuple):
    """What one carrier of a file says of a usage to each of a number of crawlers of the list.

    `usage` is the broadest of the preset's that it speaks of. All but groups say it to any other crawler too.
    """

    file: str
    carrier: str
    usage: str
    outcome: str
    crawlers: int


def proved(name: str, files: Mapping[str, bytes], *, kept: bytes = b"") -> tuple[Proof, ...]:
    """What the files of a preset say, read again.

    Args:
        name: of the preset.
        files: as `preset_files` makes them.
        kept: the robots.txt that was given to it.

    Raises:
        PresetError: a carrier permits what the preset refuses, as a line of the robots.txt that was given may; two
            differ, or search is changed.
        ImportError: the extras `pages` or `images` are not installed.
    """
    asked = preset(name)
    _nothing_stands_against(asked, parse_robots(kept))
    robots = parse_robots(files[ROBOTS])
    # Whom the file names that the block stands behind, as `preset_files` asks.
    own = parse_robots(without_block(kept))
    left_out = not_repeated(asked, own, (name for group in own.outline.groups for name in group.names))
    proofs = [*_of_robots(asked, robots, left_out), *_of_others(asked, files, left_out)]
    if silent := files.keys() - SERVERS.keys() - {row.file for row in proofs}:
        raise PresetError(f"{', '.join(sorted(silent))} says nothing")
    headers = [(field.name, field.value) for field in fields(files[HEADERS])]
    for server in SERVERS:
        if configured(server, files[server]) != headers:
            raise PresetError(f"{server} does not send the headers of {HEADERS}")
    _search_stays(asked, robots, kept)
    _search_is_open(files)
    return tuple(proofs)


def _nothing_stands_against(asked: Preset, kept: RobotsPolicy) -> None:
    """Raises PresetError for an own line that permits what is refused.

    The block would prevail over it, but a reader that takes the first of two lines goes by the other.
    """
    for statement in (*kept.signals, *kept.statements):
        line = statement.cited
        if line.effect == "permits" and line.usage in asked.usages:
            raise PresetError(f"line {line.line} of robots.txt permits {line.usage}: `{line.text}`; change it first")


def _of_robots(asked: Preset, robots: RobotsPolicy, left_out: frozenset[str]) -> Iterator[Proof]:
    """The vocabularies of robots.txt, each by its own lines alone; and that no other line lifts what it says."""
    closed = [crawler.name for crawler in asked.closed]
    anyone = once([ANY, *(crawler.name for crawler in asked.asking), *everyone(robots)])
    for carrier, kinds, usage, names in (
        ("groups", ("Allow", "Disallow") if closed else (), "crawl", closed),
        ("Content-Signal", ("Content-Signal",) if asked.signals else (), "ai-train", anyone),
        ("Content-Usage", ("Content-Usage",) if asked.preferences else (), "ai-train-generative", anyone),
        ("ACAP", ("ACAP",) if asked.acap else (), "ai-train", anyone),
    ):
        if kinds:
            _prohibits(lines_of(robots, *kinds), repeated(names, left_out), usage)
            _prohibits(robots, names, usage)
            yield Proof(ROBOTS, carrier, usage, "prohibited", len(closed if carrier == "groups" else asked.asking))


def _prohibits(robots: RobotsPolicy, names: Sequence[str], usage: str) -> None:
    """Raises PresetError for a path on which a robots.txt does not prohibit a usage.

    They are compared with a policy that prohibits everything but what every crawler may fetch.
    """
    wall = _naming_licences_of(robots, b"User-agent: *\nDisallow: /\n")
    # No licence lifts what a line prohibits.
    comparison = compare(wall, robots, crawlers=names, usages=[usage], licences=False)
    loose = next((change for change in comparison.changes if change.after.outcome != "prohibited"), None)
    if loose is not None:
        raise PresetError(_sentence(loose, f"may {usage}"))
    if comparison.undecided:
        raise PresetError(
            f"whether every path prohibits {usage} could not be proved: {comparison.undecided[0].because}"
        )


def _naming_licences_of(robots: RobotsPolicy, octets: bytes) -> RobotsPolicy:
    """Another robots.txt, with the licence documents of this one: what carries policy may be fetched by everybody."""
    licences = "".join(f"License: {written}\n" for written in licence_lines(robots))
    return parse_robots(licences.encode() + octets.removeprefix(BYTE_ORDER_MARK))


def _sentence(change: Change, what: str) -> str:
    """What stands in the way: of the own lines the one that decides, else the reason for which none does."""
    side = change.after
    # Without its number: in what is to be written it stands a line lower than in what was given.
    line = f"the line `{side.text}` of robots.txt" if side.line else f"this: {KINDS[side.kind]}"
    names = ["any other crawler" if name == ANY else name for name in change.crawlers[:3]]
    more = f" and {len(change.crawlers) - 3} more" if len(change.crawlers) > 3 else ""
    return f"{', '.join(names)}{more} {what} at `{change.witness}` by {line}; change it first"


def _search_stays(asked: Preset, robots: RobotsPolicy, octets: bytes) -> None:
    """Raises PresetError unless robots.txt says the same as before but on mining.

    Those whom a preset closes out, the one before too, are not asked about.
    """
    kept = parse_robots(octets)
    shut = (*(crawler.name for crawler in asked.closed), *closed_by_block(octets))
    groups = parse_robots("".join(f"User-agent: {name}\n" for name in shut))
    closed = {name.lower() for name in everyone(groups) if name != ANY}
    searching = (crawler.name for crawler in known_crawlers() if "search" in crawler.purposes and not crawler.retired)
    names = [name for name in once([ANY, *searching, *everyone(kept)]) if name.lower() not in closed]
    # What the licences of a preset say is proved by itself.
    comparison = compare(_naming_licences_of(robots, octets), robots, crawlers=names, usages=_OPEN, licences=False)
    if comparison.changes:
        raise PresetError(_sentence(comparison.changes[0], f"{comparison.changes[0].usages[0]} differently"))
    if comparison.undecided:
        raise PresetError(f"whether search is as before could not be proved: {comparison.undecided[0].because}")


def _of_others(asked: Preset, files: Mapping[str, bytes], left_out: frozenset[str]) -> Iterator[Proof]:
    """What refers to licences in robots.txt, and the dialects of every other file.

    Each speaks of all paths alike, so that one path shows it.
    """
    known = [ANY, *(crawler.name for crawler in asked.asking)]
    for file, dialect, source in _sources(files):
        named = repeated(everyone(parse_robots(files[ROBOTS])), left_out) if file == ROBOTS else ()
        names = once([*known, *named])
        try:
            usages = {_broadest_usage(asked, source, name) for name in names}
        except PresetError as error:
            raise PresetError(f"{file}: {dialect} {error}") from error
        yield Proof(file, dialect, min(usages), asked.outcome, len(asked.asking))


def _broadest_usage(asked: Preset, source: Source, name: str) -> str:
    """The broadest of a preset's usages that a source speaks of, to a crawler."""
    decisions = decide_each(_PAGE, crawler=name, usages=asked.usages, others=[source])
    outcomes = {usage: str(one.outcome) for usage, one in decisions.items() if one.reason.kind != "silence"}
    if set(outcomes.values()) != {asked.outcome}:
        raise PresetError(f"says {outcomes or 'nothing'} to {name}, and not `{asked.outcome}`")
    return next(iter(outcomes))


def _sources(files: Mapping[str, bytes]) -> Iterator[tuple[str, str, Source]]:
    """Every carrier but robots.txt: its file, its dialect and what it says in it."""
    robots = parse_robots(files[ROBOTS])
    if targets := licence_lines(robots):
        yield ROBOTS, "rsl", RslLicences(robots=robots, documents=dict.fromkeys(targets, files[LICENCE]))
    if AI_TXT in files:
        yield AI_TXT, "ai-txt", parse_ai_txt(files[AI_TXT], url=f"{_SITE}/{AI_TXT}")
    yield TDMREP, "tdmrep", parse_tdmrep(files[TDMREP], url=f"{_SITE}/{TDMREP}")
    yield LICENCE, "rsl", parse_rsl(files[LICENCE], url=f"{_SITE}/{LICENCE}")
    for file in (HEADERS, HEAD):
        page = file_carriers(files[file], file, url=_PAGE).page
        for dialect in dict.fromkeys(statement.dialect for statement in page.statements()):
            yield file, dialect, _licences(page, files) if dialect == "rsl" else OneDialect(page, dialect)
    yield METADATA, "plus", parse_embedded(files[METADATA], url=_PAGE)
    yield CREDENTIALS, "cawg", parse_training_mining(files[CREDENTIALS], url=_PAGE)


def _licences(page: PagePolicy, files: Mapping[str, bytes]) -> RslLicences:
    """The licence document, of which a page has nothing but the URL."""
    return RslLicences(documents={one.target: files[LICENCE] for one in page.licence_references()}, page=page)


def _search_is_open(files: Mapping[str, bytes]) -> None:
    """Raises PresetError where a carrier other than robots.txt keeps a search engine from anything of `SEARCH`."""
    sources = [source for _, _, source in _sources(files)]
    for usage, decision in decide_each(_PAGE, crawler="Googlebot", usages=SEARCH, others=sources).items():
        if decision.outcome != "permitted":
            raise PresetError(f"Googlebot would be kept from {usage}: {summary(decision)}")
