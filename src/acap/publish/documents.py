"""Documents beside robots.txt, compared by what they decide: files of other dialects, pages, headers of responses.

    comparison = compare_documents("tdmrep", meant, served, url="https://example.com/.well-known/tdmrep.json")
    comparison.verdict          # "equal", "different" or "undecided"

Laws. A change has a witness at which the two decide as it says. Documents with the same rules are equal. Others are
asked about one path for each set of patterns that match together, so that no other path could show more; a page and
headers about themselves. Links of pages that differ in what may be followed are undecided. What depends on more than
the path, and sets that were not asked about, are undecided, never "equal".
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import Any, NamedTuple

from acap import _native
from acap.carriers import file_carriers
from acap.combine import decide_each
from acap.decision import Decision
from acap.dialects.ai_txt import parse_ai_txt
from acap.dialects.cawg import parse_training_mining
from acap.dialects.rsl.associations import RslLicences
from acap.dialects.rsl.document import RslContent
from acap.dialects.rsl.evaluation import pattern_of
from acap.dialects.rsl.policy import RslDocument, parse_rsl
from acap.dialects.tdmrep import TdmrepFile, TdmrepRule, parse_tdmrep
from acap.pages.links import refused_by_rel
from acap.pages.page import PagePolicy
from acap.problems import DocumentKind, Problem
from acap.publish.compare import Change, Comparison, Paths, Side, Undecided
from acap.publish.contradictions import ASKER
from acap.publish.crawlers import ANY, once
from acap.publish.patterns import LateError, below, check_time, contains, glob, in_time, meet, pattern
from acap.statement import Source
from acap.usages import PARENTS

MOST = 500
"""Most sets of paths that are asked about, for each crawler; real documents have fewer than a hundred patterns."""
SECONDS = 20.0
"""Time per comparison; what is left then is undecided."""

_ANYWHERE = "/"
_SITE = "https://site.invalid"
_LINKS_DIFFER = "links of the two differ in their `rel`, or in the `<base>` that says where they lead"
_NAMED = 100  # patterns that are held against each other, to say for which paths a change is


class ReadDocument(NamedTuple):
    """A document: `rules` are all that decides in it, so that equal ones decide alike.

    `tells_by_path`: which of its patterns match decides all, whoever asks. `broken` is why it cannot be read as a
    whole, empty if it can. `links` tells which links of a page may be followed, beside its rules.
    """

    source: Source
    rules: object
    patterns: Sequence[str]
    crawlers: Sequence[str] = ()
    tells_by_path: bool = True
    broken: str = ""
    links: object = None


class BrokenDocumentError(ValueError):
    """A document cannot be read as a whole; `place` is 0 for the first of two, 1 for the second."""

    def __init__(self, why: str, place: int) -> None:
        super().__init__(why)
        self.place = place


def compare_documents(kind: DocumentKind, old: bytes, new: bytes, *, url: str, seconds: float = SECONDS) -> Comparison:
    """How two documents of a kind differ, for anybody and each crawler that they name.

    Args:
        kind: one of `READERS`.
        old, new: the documents.
        url: at which the site has them.
        seconds: how long that may take; what is left then is undecided.

    Raises:
        BrokenDocumentError: one of them cannot be read as a whole.
        ValueError: another kind; a URL without scheme or host.
    """
    return compare_read(read_document(kind, old, url), read_document(kind, new, url), url=url, seconds=seconds)


def compare_read(before: ReadDocument, after: ReadDocument, *, url: str, seconds: float = SECONDS) -> Comparison:
    """The same of two that were read. Raises BrokenDocumentError."""
    for place, one in enumerate((before, after)):
        if one.broken:
            raise BrokenDocumentError(one.broken, place)
    open_ = () if before.links == after.links else (Undecided(ANY, "", "follow", _LINKS_DIFFER),)
    if before.rules == after.rules:
        return Comparison((), open_)
    changes, is_all = _compared(before, after, url, seconds)
    if changes or open_ or (is_all and before.tells_by_path and after.tells_by_path):
        return Comparison(changes, open_)
    because = "the two are written differently, and no question was found that shows it"
    return Comparison((), (Undecided(ANY, ANY, ANY, because),))


def compare_licences(
    old: RslLicences, new: RslLicences, crawlers: Sequence[str], *, url: str, seconds: float = SECONDS
) -> Comparison:
    """How what is licensed differs for crawlers to which License lines name other documents than before.

    Args:
        old, new: the robots.txt, with the documents that it names.
        crawlers: names; `*` stands for a crawler that neither names.
        url: of the site.
        seconds: how long that may take; what is left then is undecided.
    """
    asked = [one for one in crawlers if all(_is_known(side, one) for side in (old, new))]
    read = [document for side in (old, new) for document in side.documents.values() if document is not None]
    patterns = [pattern for document in read for pattern in _patterns(document, url)]
    before, after = (ReadDocument(side, (), patterns, asked) for side in (old, new))
    found, _ = _compared(before, after, url, seconds) if asked else ((), True)
    theirs = [(change, tuple(name for name in change.crawlers if name in asked)) for change in found]
    changes = tuple(change._replace(crawlers=names) for change, names in theirs if names)
    changed = {name for change in changes for name in change.crawlers}
    because = "License lines name other documents, and no question was found that shows a difference"
    unknown = "License lines name other documents, which are not all known"
    open_ = (Undecided(one, "", ANY, because if one in asked else unknown) for one in crawlers if one not in changed)
    return Comparison(changes, tuple(open_))


def _is_known(licences: RslLicences, crawler: str) -> bool:
    """Whether every document that License lines name for a crawler could be had and read."""
    asker = ASKER if crawler == ANY else crawler
    if licences.robots is None or licences.missing(asker):
        return False
    return all(document is not None and document.is_whole for document in licences.documents.values())


def changes_from_silence(document: ReadDocument, url: str, seconds: float = SECONDS) -> tuple[tuple[Change, ...], bool]:
    """What a document says: the changes from a silent one, and whether these are all."""
    return _compared(_tdmrep(b"[]", url), document, url, seconds)


def read_document(kind: DocumentKind, octets: bytes, url: str) -> ReadDocument:
    """A document of a dialect.

    Raises:
        ValueError: another kind; a URL without scheme or host.
    """
    if kind not in READERS:
        raise ValueError(f"a document of the kind `{kind}` is not compared; known are {', '.join(READERS)}")
    return READERS[kind](octets, url)


def site_of(kind: DocumentKind, *octets: bytes) -> str:
    """The site that licences name as theirs; other documents are of whichever site has them."""
    contents = (content.url for given in octets for content in parse_rsl(given).contents) if kind == "rsl" else ()
    return next((at for one in contents if (at := _native.origin(one))), _SITE)


def _compared(before: ReadDocument, after: ReadDocument, url: str, seconds: float) -> tuple[tuple[Change, ...], bool]:
    """The changes that are found by asking both, and whether each set of paths was asked about."""
    patterns = list(dict.fromkeys(pattern(glob(one)) for one in (_ANYWHERE, *before.patterns, *after.patterns)))
    paths, more = _distinct_paths(patterns)
    crawlers = once([ANY, *before.crawlers, *after.crawlers])
    site = _native.origin(url) or ""
    changes: list[Change] = []
    try:
        with in_time(seconds):
            for path in paths:
                alike = list(_changes(f"{site}{path}", crawlers, before.source, after.source))
                where = _class_of(path, patterns) if alike else Paths(())
                changes += (Change(names, ("",), usages, where, *sides, path) for names, usages, sides in alike)
    except LateError:
        more = True
    return tuple(changes), not more


def _tdmrep(octets: bytes, url: str) -> ReadDocument:
    file = parse_tdmrep(octets, url=url)
    patterns = [rule.pattern.decode() for rule in file.rules if rule.pattern is not None]
    return ReadDocument(file, file.rules, patterns, broken="" if file.state == "read" else _why(file.problems))


def _ai_txt(octets: bytes, url: str) -> ReadDocument:
    file = parse_ai_txt(octets, url=url)
    if file.state != "read" or file.policy is None:
        return ReadDocument(file, None, (), broken=_why(file.problems))
    outline = file.policy.outline
    grouped = {field.line for group in outline.groups for field in group.rules}
    groups = [(frozenset(map(str.lower, group.names)), group.rules) for group in outline.groups]
    groups.append((frozenset(), tuple(field for field in outline.rules if field.line not in grouped)))
    # The longest pattern decides, in whatever order.
    rules_of_groups = frozenset(
        (name, field.kind, field.value, field.cut)
        for names, rules in groups
        for name in names or ("",)
        for field in rules
    )
    crawlers = frozenset(name for names, _ in groups for name in names)
    patterns = [_rooted(field.value) for field in outline.rules if field.value]
    # An extension is one of the last segment, in any case, which no pattern says.
    is_plain = not any("*." in pattern for pattern in patterns)
    return ReadDocument(file, (file.sure, rules_of_groups, crawlers), patterns, file.policy.crawlers, is_plain)


def _rsl(octets: bytes, url: str) -> ReadDocument:
    document = parse_rsl(octets, url=url)
    broken = "" if document.is_whole else _why(document.problems)
    # Users and countries count as well, and those that ask are many.
    return ReadDocument(document, rules_of(document), _patterns(document, url), tells_by_path=False, broken=broken)


def rules_of(document: RslDocument) -> frozenset[RslContent]:
    """All that decides in a licence document."""
    return frozenset(map(_that_decides, document.contents))


def _patterns(document: RslDocument, url: str) -> list[str]:
    patterns = (pattern_of(at, url, url) for one in document.contents for at in (one.url, one.item or one.url))
    return [pattern.decode() for pattern in patterns if pattern is not None]


def _that_decides(content: RslContent) -> RslContent:
    licences = tuple(replace(licence, legal=()) for licence in content.licences)
    return replace(content, licences=licences, lastmod=None)


def _tdm_policy(octets: bytes, url: str) -> ReadDocument:
    """A policy of TDMRep, as what a site that refers to it says: it speaks of whatever refers to it."""
    source = TdmrepFile(url, "read", (TdmrepRule("/", True, url),)).with_policies({url: octets})
    policy = dict(source.policies)[url]
    # Of terms that are not known the text may count.
    rules = octets if policy.problems else replace(policy, uid=None)
    broken = {"read": "", "human": "it is a page for people", "unknown": _why(policy.problems)}[policy.state]
    return ReadDocument(source, rules, (), tells_by_path=False, broken=broken)


def _cawg(octets: bytes, _: str) -> ReadDocument:
    """An assertion of CAWG, which speaks of the file that has it."""
    document = parse_training_mining(octets, url=None)
    broken = "" if document.state == "read" else _why(document.problems)
    return ReadDocument(document, document.entries, (), broken=broken)


def _response(octets: bytes, url: str, *, file: str) -> ReadDocument:
    """A page, or headers of a response."""
    carriers = file_carriers(octets, file, url=url)
    if carriers.missing is not None:
        why = f"reading pages needs a package that is not installed; pip install 'acap[{carriers.missing}]'"
        return ReadDocument(carriers.page, (), (), broken=why)
    page = carriers.policy
    # A skeleton decides as its page does, but does not tell which parts are left out.
    kept = page if page.has_parts else page.skeleton()
    rules = (kept.html, kept.headers, page.certain, page.beside)
    crawlers = [statement.crawler for statement in carriers.statements() if statement.crawler is not None]
    broken = next((problem.message for problem in carriers.problems if problem.code == "page-not-read"), "")
    # Purposes, terms, and what a crawler makes of parts count as well.
    links = refused_by_rel(page.carried.document, page.url)
    return ReadDocument(page, rules, (), crawlers, tells_by_path=False, broken=broken, links=links)


READERS: Mapping[str, Callable[[bytes, str], ReadDocument]] = MappingProxyType({
    "tdmrep": _tdmrep, "ai-txt": _ai_txt, "rsl": _rsl, "tdm-policy": _tdm_policy, "cawg": _cawg,
    "page": partial(_response, file="page.html"), "headers": partial(_response, file="response.headers"),
})  # fmt: skip
"""What reads the documents that can be compared, by their kinds."""


def _why(problems: Sequence[Problem]) -> str:
    """The first error, else the first problem."""
    first = sorted(problems, key=lambda one: one.severity != "error")[:1]
    return first[0].message if first else "it is not such a document"


def _rooted(value: str) -> str:
    pattern = _native.canonical_pattern(value.encode("utf-8", "replace")).decode()
    return pattern if pattern.startswith(("/", "*")) else f"/{pattern}"


# --- paths ------------------------------------------------------------------------------------------------------------


def _distinct_paths(patterns: Sequence[str]) -> tuple[list[str], bool]:
    """A path for each set of patterns that match together, and whether there may be more."""
    globs = dict.fromkeys(glob(one) for within in patterns[:MOST] for one in below(within, _ANYWHERE))
    distinct, more = _native.purposes_told_apart([one.encode() for one in globs], [], MOST)
    # A path of each pattern finds most of what a search that was stopped did not.
    simple = [one.replace("*", "").encode() for one in globs]
    asked = [path.decode() for path in dict.fromkeys([*distinct, *simple]) if _native.canonical_path(path) == path]
    return asked, more or len(patterns) > MOST or any(_native.canonical_path(path) != path for path in distinct)


def _class_of(path: str, patterns: Sequence[str]) -> Paths:
    """The paths that the same patterns match; of very many patterns the one path alone."""
    if len(patterns) > _NAMED:
        return Paths((f"{path}$",))
    octets = path.encode()
    within = [one for one in patterns if _native.matches(one.encode(), octets)]
    without = [one for one in patterns if one not in within]
    narrowest = [one for one in within if not any(contains(one, other) for other in within if other != one)]
    less = [one for one in without if all(meet(one, other) for other in narrowest)]
    widest = [one for one in less if not any(contains(other, one) for other in less if other != one)]
    return Paths(tuple(narrowest), tuple(Paths((one,)) for one in widest))


# --- answers ----------------------------------------------------------------------------------------------------------


class _AlikeChange(NamedTuple):
    """Crawlers and usages for which the same changes, and both sides of it."""

    crawlers: tuple[str, ...]
    usages: tuple[str, ...]
    sides: tuple[Side, Side]


def _changes(url: str, crawlers: Sequence[str], before: Source, after: Source) -> Iterator[_AlikeChange]:
    """What changes at a URL, for crawlers and usages that change alike. Raises LateError."""
    alike: dict[tuple[tuple[str, ...], tuple[Side, Side]], list[str]] = {}
    for crawler in crawlers:
        check_time()
        old, new = (_sides(source, url, crawler) for source in (before, after))
        changed: dict[tuple[Side, Side], list[str]] = {}
        for usage, side in old.items():
            if _key(side) != _key(new[usage]):
                changed.setdefault((side, new[usage]), []).append(usage)
        for sides, usages in changed.items():
            alike.setdefault((tuple(usages), sides), []).append(crawler)
    for (names, sides), asking in alike.items():
        yield _AlikeChange(tuple(asking), names, sides)


def _sides(source: Source, url: str, crawler: str) -> dict[str, Side]:
    asker, usages = ASKER if crawler == ANY else crawler, tuple(PARENTS)
    if isinstance(source, PagePolicy):  # it speaks of its own URL alone
        decisions = decide_each(source.url or url, crawler=asker, usages=usages, page=source)
    else:
        decisions = decide_each(url, crawler=asker, usages=usages, others=[source])
    return {usage: _side(decision) for usage, decision in decisions.items()}


def _side(decision: Decision) -> Side:
    cited = next(iter(decision.reason.decided_by), None)
    terms = [*map(str, decision.restrictions), *(text for one in decision.conditions for text in _terms(one))]
    header = f"{cited.header}: " if cited is not None and cited.header else ""
    return Side(
        str(decision.outcome),
        tuple(sorted(terms)),
        0 if cited is None else cited.line or 0,
        "" if cited is None else f"{header}{cited.text}",
        decision.reason.kind,
    )


def _terms(condition: Any) -> Iterator[str]:
    """What a condition says, a member each; what it asks for where no member has that name."""
    members = condition._asdict()
    if condition.asks != "terms" and not members.get(condition.asks):
        yield f"asks={condition.asks}"
    for name, value in members.items():
        if value and name != "asks":
            yield f"{name}={' '.join(value) if isinstance(value, tuple) else value}"


def _key(side: Side) -> tuple[object, ...]:
    """All of it but the line: where a statement stands does not matter."""
    return side.outcome, side.restrictions, side.kind
